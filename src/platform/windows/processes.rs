//! Processes, this one and others, and what ends them.

pub use super::ends::EndSignals;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::windows::io::AsHandle as _;
use std::os::windows::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use winsafe::{HPROCESS, co};

/// The exit code of the command interpreter that does not find a program.
pub const NO_SUCH_PROGRAM: i32 = 9009;
/// The editor of those who have named none.
pub const DEFAULT_EDITOR: &str = "notepad";
/// The variables that name the author's own directory, and those for what programs keep and for their settings.
pub const HOME: &str = "USERPROFILE";
pub const STATE_HOME: &str = "LOCALAPPDATA";
pub const CONFIG_HOME: &str = "APPDATA";
const FILE: &str = "NOVEL_GATE_FILE";
/// How often to look whether a program has ended.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// A program that Ctrl-C in this one's console does not reach.
const NEW_PROCESS_GROUP: u32 = 0x0200;

/// The name of this machine.
pub fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// Whether a process of this machine runs, whoever it belongs to. If nobody can tell, it does.
pub fn is_running(pid: u32) -> bool {
    match HPROCESS::OpenProcess(co::PROCESS::SYNCHRONIZE, false, pid) {
        // A process that has ended keeps its number while somebody holds on to it.
        Ok(process) => process.WaitForSingleObject(Some(0)) != Ok(co::WAIT::OBJECT_0),
        Err(error) => error != co::ERROR::INVALID_PARAMETER,
    }
}

/// There is no limit that would end the process.
pub fn outlive_size_limit() {}

/// Whether there is a limit to how large files may become.
pub fn has_size_limit() -> bool {
    false
}

/// Ends the process with the code that shells give to one that a signal has ended.
pub fn end_by(signal: i32) {
    std::process::exit(128 + signal)
}

/// Nothing tells that the reader of standard output has gone but the next write, and an empty one would tell the reader that this is
/// the end: never returns.
pub fn wait_for_output_to_close() {
    loop {
        thread::park();
    }
}

/// Another handle of standard input, for a thread of its own.
pub fn input() -> io::Result<File> {
    Ok(File::from(io::stdin().as_handle().try_clone_to_owned()?))
}

/// Whether a shell can stop this process and continue it: none can.
pub fn can_stop() -> bool {
    false
}

pub fn stop_job() {}

/// What the command interpreter makes of a command line, with a file behind its words; a line that is the path of a program may hold
/// blanks. A variable holds the file's path, for what looks like a variable in it would be replaced. That the interpreter finds no
/// program it says in its variable only.
pub fn with_shell(line: OsString, file: &Path) -> Command {
    if line == DEFAULT_EDITOR {
        let mut command = Command::new(line);
        command.arg(file);
        return command;
    }
    let quote = if Path::new(&line).is_file() { "\"" } else { "" };
    let mut command = Command::new("cmd");
    command.env(FILE, file).raw_arg("/D /V:OFF /S /C \"").raw_arg(quote).raw_arg(line).raw_arg(quote);
    command.raw_arg(format!(" \"%{FILE}%\" & call exit %^errorlevel%\""));
    command
}

/// A child of this process.
#[derive(Clone)]
pub struct Process(Arc<Mutex<Child>>);

impl Process {
    pub fn of(child: Child) -> Process {
        Process(Arc::new(Mutex::new(child)))
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn id(&self) -> u32 {
        self.child().id()
    }

    /// Returns when it has ended, with its exit code if it has one.
    pub fn ended(&self) -> Option<i32> {
        loop {
            let ended = self.child().try_wait();
            match ended {
                Ok(None) => thread::sleep(LOOK_EVERY),
                ended => return ended.ok().flatten()?.code(),
            }
        }
    }

    /// Waits for it, and forgets it.
    pub fn reap(self) {
        let _ = self.ended();
    }

    /// The system itself tells every program of a console.
    pub fn hand_on(&self, _: i32) {}

    /// Ends it: programs cannot be asked here.
    pub fn ask_to_end(&self) {
        let _ = self.child().kill();
    }
}

/// Has a program start apart from this one, so that it can be [ended with what it has started](end_with_started).
pub fn apart(command: &mut Command) -> &mut Command {
    command.creation_flags(NEW_PROCESS_GROUP)
}

/// Ends a program that was started [apart], with everything that it has started.
pub fn end_with_started(child: &Child) {
    let id = child.id().to_string();
    let _ = Command::new("taskkill").args(["/T", "/F", "/PID", &id]).stdin(Stdio::null()).output();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(line: &str, file: &Path) -> (Option<i32>, String) {
        let output = with_shell(line.into(), file).output().expect("an interpreter");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    #[test]
    fn a_file_is_one_word_whatever_its_name_holds() {
        let dir = tempfile::tempdir().expect("a directory");
        for name in ["a.md", "a b.md", "走 & 停.md", "up^!(x).md", "a, b; c=d.md", "50%.md"] {
            let file = dir.path().join(name);
            std::fs::write(&file, "words").expect("written");
            assert_eq!(ended("type", &file), (Some(0), "words".to_owned()), "{name}");
        }
    }

    #[test]
    fn a_program_that_fails_is_told_from_one_that_is_not_found() {
        assert_eq!(ended("no-such-program -w", Path::new("a b")).0, Some(NO_SUCH_PROGRAM));
        assert_eq!(ended("cmd /C exit 3 & rem", Path::new("a b")).0, Some(3));
    }
}
