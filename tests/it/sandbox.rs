//! A project and a state directory of its own for a test, and the real program at work on them.
//!
//! Nothing reaches the settings, drafts or history of the person who runs the tests. Not responsible for what a test
//! puts into the project, nor for the terminal (`screen`).

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;
use tempfile::TempDir;

use crate::screen::{Claims, DEADLINE, Terminal, wait_while};

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_novel-gate");

/// A directory that lies in memory where the system has such a place: for tests that make thousands of files and do not
/// look at the disk itself. A disk searches long for a free place when many files come and go.
pub(crate) fn directory_in_memory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a directory")
}

/// A directory with a project `book` and a state directory `state` in it.
pub(crate) struct Sandbox {
    dir: TempDir,
}

/// What a command that has ended said.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code; `None` after a signal.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A command at work in the background. Dropping it kills it.
pub(crate) struct Running {
    child: Child,
    stdout: Option<JoinHandle<String>>,
    stderr: Option<JoinHandle<String>>,
}

impl Sandbox {
    /// An empty project.
    pub(crate) fn new() -> Sandbox {
        let sandbox = Sandbox { dir: tempfile::tempdir().expect("a directory") };
        fs::create_dir(sandbox.root()).expect("a project");
        fs::create_dir(sandbox.temporary()).expect("a temporary directory");
        sandbox
    }

    /// The project's root.
    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("book")
    }

    /// Where drafts and history lie.
    pub(crate) fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }

    /// Where temporary files lie.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.dir.path().join("tmp")
    }

    /// A path of the project.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.root().join(below)
    }

    /// Writes a file of the project, its directories too.
    pub(crate) fn put(&self, below: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().expect("a parent")).expect("its directory");
        fs::write(path, bytes).expect("the file is written");
    }

    /// A file of the project, if it is there.
    pub(crate) fn read(&self, below: &str) -> Option<Vec<u8>> {
        fs::read(self.path(below)).ok()
    }

    /// The program with this sandbox's project and state directory, in English.
    pub(crate) fn command<I: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = I>) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(self.flags()).args(args).current_dir(self.root()).env("PATH", path_with_ours());
        self.at_home(|name, value| match value {
            Some(value) => drop(command.env(name, value)),
            None => drop(command.env_remove(name)),
        });
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run<I: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = I>) -> Ran {
        Running::start(&mut self.command(args)).wait()
    }

    /// A project with the files of `sample-packets/`.
    pub(crate) fn sample() -> Sandbox {
        let sandbox = Sandbox::new();
        for (path, bytes, _) in novel_gate::console::sample::FILES {
            sandbox.put(path, bytes);
        }
        sandbox
    }

    /// A program of the system at work in the project, with ours on its `PATH`.
    pub(crate) fn system(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.root()).env("PATH", path_with_ours());
        self.at_home(|name, value| match value {
            Some(value) => drop(command.env(name, value)),
            None => drop(command.env_remove(name)),
        });
        command
    }

    /// The same on a terminal of its own.
    pub(crate) fn system_on_terminal(&self, line: &[&str], width: u16, height: u16) -> Terminal {
        let mut command = CommandBuilder::new(line[0]);
        command.args(&line[1..]);
        command.cwd(self.root());
        command.env("PATH", path_with_ours());
        self.at_home(|name, value| match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        });
        Terminal::spawn(command, width, height)
    }

    /// Where the program looks for settings.
    pub(crate) fn settings(&self, below: &str) -> PathBuf {
        self.dir.path().join("home/novel-gate").join(below)
    }

    /// The console on a terminal of its own.
    pub(crate) fn console(&self, width: u16, height: u16) -> Terminal {
        self.console_with(self.flags(), width, height)
    }

    /// The console as the job of a shell that waits for a line, starts it, says `stopped`, and with the next line does this.
    #[cfg(unix)]
    pub(crate) fn console_as_job(&self, then: &str) -> Terminal {
        let flags: Vec<String> = self.flags().iter().map(|flag| flag.display().to_string()).collect();
        let line = "read -r line; set -m; novel-gate";
        let line = format!("{line} {}; echo stopped; read -r line; {then}", flags.join(" "));
        self.system_on_terminal(&["sh", "-c", &line], 100, 30)
    }

    /// The console with the arguments that follow its name.
    pub(crate) fn console_with<I: AsRef<OsStr>>(
        &self,
        args: impl IntoIterator<Item = I>,
        width: u16,
        height: u16,
    ) -> Terminal {
        Terminal::spawn(self.on_a_terminal(args), width, height)
    }

    /// The console of an author whose editor is this shell script, which gets the file as `$1`.
    #[cfg_attr(windows, expect(dead_code, reason = "what needs it runs only on Unix"))]
    pub(crate) fn console_and_editor(&self, script: &str, width: u16, height: u16) -> Terminal {
        let path = self.dir.path().join("editor");
        fs::write(&path, script).expect("the editor is written");
        let mut command = self.on_a_terminal(self.flags());
        command.env("EDITOR", format!("sh {}", path.display()));
        Terminal::spawn(command, width, height)
    }

    /// The console in a terminal with this variable.
    #[cfg_attr(windows, expect(dead_code, reason = "what needs it runs only on Unix"))]
    pub(crate) fn console_where(&self, variable: (&str, &str), width: u16, height: u16) -> Terminal {
        let mut command = self.on_a_terminal(self.flags());
        command.env(variable.0, variable.1);
        Terminal::spawn(command, width, height)
    }

    /// The console in a terminal with this ground, if it tells it, with these arguments behind its name.
    #[cfg_attr(windows, expect(dead_code, reason = "what needs it runs only on Unix"))]
    pub(crate) fn console_on(&self, ground: Option<&'static str>, more: &[&str]) -> Terminal {
        let args = self.flags().into_iter().chain(more.iter().map(PathBuf::from));
        Terminal::spawn_claiming(Claims { column: None, ground }, self.on_a_terminal(args), 80, 24)
    }

    fn on_a_terminal<I: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = I>) -> CommandBuilder {
        let mut command = CommandBuilder::new(PROGRAM);
        command.args(args);
        command.cwd(self.root());
        self.at_home(|name, value| match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        });
        command
    }

    /// The flags that name project, state directory and language.
    pub(crate) fn flags(&self) -> Vec<PathBuf> {
        let (root, state) = (self.root(), self.state());
        vec!["--project".into(), root, "--state-dir".into(), state, "--lang".into(), "en".into()]
    }

    /// Keeps what the program reads and writes inside the sandbox.
    fn at_home(&self, mut set: impl FnMut(&str, Option<&OsStr>)) {
        let home = self.dir.path().join("home");
        let on_windows = ["USERPROFILE", "APPDATA", "LOCALAPPDATA"];
        for name in
            ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"].into_iter().chain(on_windows)
        {
            set(name, Some(home.as_os_str()));
        }
        let others =
            ["NO_COLOR", "COLORFGBG", "COLORTERM", "VISUAL", "EDITOR", "CLAUDE_PROJECT_DIR", "TMUX", "STY"];
        let clients =
            ["CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI", "OPENCODE", "CLAUDE_CONFIG_DIR", "CODEX_HOME"];
        for name in ["LC_ALL", "LC_MESSAGES"].into_iter().chain(others).chain(clients) {
            set(name, None);
        }
        set("LANG", Some(OsStr::new("C.UTF-8")));
        set("TZ", Some(OsStr::new("UTC")));
        for name in ["TMPDIR", "TEMP", "TMP"] {
            set(name, Some(self.temporary().as_os_str()));
        }
    }
}

impl Running {
    /// Starts a command; it reads nothing.
    pub(crate) fn start(command: &mut Command) -> Running {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let stdout = child.stdout.take().map(read_to_end);
        let stderr = child.stderr.take().map(read_to_end);
        Running { child, stdout, stderr }
    }

    /// Starts a command with this on its standard input.
    pub(crate) fn start_fed(command: &mut Command, input: &[u8]) -> Running {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        // It may end without reading; dropping the pipe ends its input.
        let _ = child.stdin.take().expect("a pipe").write_all(input);
        let stdout = child.stdout.take().map(read_to_end);
        let stderr = child.stderr.take().map(read_to_end);
        Running { child, stdout, stderr }
    }

    /// The same, and nobody reads what it says.
    pub(crate) fn start_unheard(command: &mut Command, input: &[u8]) -> Running {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        drop(child.stdout.take());
        let _ = child.stdin.take().expect("a pipe").write_all(input);
        Running { child, stdout: None, stderr: None }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: crate::system::Signal) {
        let pid = crate::system::Pid::from_child(&self.child);
        crate::system::kill_process(pid, signal).expect("signalled");
    }

    pub(crate) fn pid(&self) -> crate::system::Pid {
        crate::system::Pid::from_child(&self.child)
    }

    /// Whether it has not ended.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_none()
    }

    /// Waits for its end.
    pub(crate) fn wait(self) -> Ran {
        self.wait_within(DEADLINE).expect("the command ends")
    }

    /// Waits for its end; `None` if it has not ended in time. Then it is killed.
    pub(crate) fn wait_within(mut self, limit: Duration) -> Option<Ran> {
        let start = Instant::now();
        while self.is_running() {
            if start.elapsed() > limit {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
        let code = self.child.wait().expect("a child").code();
        let text = |reader: Option<JoinHandle<String>>| {
            reader.and_then(|reader| reader.join().ok()).unwrap_or_default()
        };
        Some(Ran { code, stdout: text(self.stdout.take()), stderr: text(self.stderr.take()) })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for something that is seen only by looking; `what` names it in the failure message.
pub(crate) fn wait_until(what: &str, test: impl Fn() -> bool) {
    wait_while(&format!("not yet: {what}"), || !test());
}

/// Waits for something to be there, and gives it as it was seen; `what` names it in the failure message.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(start.elapsed() < DEADLINE, "for too long not yet: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// The directories of `PATH`, the one of the program under test first.
pub(crate) fn path_with_ours() -> OsString {
    let ours = Path::new(PROGRAM).parent().expect("a directory").to_path_buf();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(ours).chain(std::env::split_paths(&others));
    std::env::join_paths(all).expect("a PATH")
}

fn read_to_end(mut from: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = from.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
