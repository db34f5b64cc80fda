//! A throw-away project and the built binary in it.
//!
//! Responsible for making files, starting the program and reading what it said, always with a deadline.

use crate::system::set_written;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Longer than anything here should take.
const LONG: Duration = Duration::from_secs(30);

/// A project of its own, with a state directory beside it.
pub(super) struct Book {
    top: tempfile::TempDir,
}

/// What the program said.
pub(super) struct Outcome {
    pub(super) exit: i32,
    pub(super) out: String,
    pub(super) err: String,
}

/// The program, running.
pub(super) struct Running {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
    said: String,
}

impl Book {
    /// A record that opens every gate made by [`Book::put_packet`].
    pub(super) const RECORD: &str = r#"{ "version": 1, "topic": "t", "answers": {"a": "x"},
 "answered_at": "2026-02-27T10:12:34.000Z", "answered_by": "human", "_notes": "kept" }"#;

    pub(super) fn new() -> Book {
        let book = Book { top: tempfile::tempdir().expect("a directory") };
        fs::create_dir_all(book.root().join("staging/manifests")).expect("directories");
        book
    }

    pub(super) fn root(&self) -> PathBuf {
        self.top.path().join("book")
    }

    pub(super) fn state(&self) -> PathBuf {
        self.top.path().join("state")
    }

    pub(super) fn put(&self, path: &str, text: &str) -> &Book {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("a file");
        self
    }

    /// Writes a packet `staging/manifests/NAME.packet.json` with the step `step:NAME` and one question.
    pub(super) fn put_packet(&self, name: &str, answer_path: &str) -> &Book {
        let packet = format!(
            r#"{{"step":"step:{name}","agent":"codex","answer_path":"{answer_path}","novel_ask":{{"version":1,"topic":"t",
            "questions":[{{"id":"a","header":"h","question":"q","kind":"free_text","required":true}}]}}}}"#
        );
        self.put(&format!("staging/manifests/{}.packet.json", name.replace('\\', "")), &packet)
    }

    pub(super) fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).expect("removed");
    }

    /// Sets when a file was last written, in minutes before now.
    pub(super) fn set_age(&self, path: &str, minutes: u64) {
        set_written(&self.root().join(path), SystemTime::now() - Duration::from_mins(minutes));
    }

    /// The program with a command line, in this project.
    pub(super) fn command(&self, line: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_novel-gate"));
        command.arg("--state-dir").arg(self.state()).args(line).current_dir(self.root()).stdin(Stdio::null());
        command.env("LC_ALL", "C").env("HOME", self.top.path()).env_remove("XDG_CONFIG_HOME");
        command.env("USERPROFILE", self.top.path()).env_remove("APPDATA");
        command
    }

    /// Runs the program to its end.
    pub(super) fn run(&self, line: &[&str]) -> Outcome {
        self.start(line).end()
    }

    /// Starts the program.
    pub(super) fn start(&self, line: &[&str]) -> Running {
        Running::start(self.command(line))
    }

    /// Starts the program with enough open files to look, and too few to watch.
    pub(super) fn start_unwatched(&self, line: &[&str]) -> Running {
        let line = self.command(line);
        let mut command = Command::new("sh");
        // Those that the shell got from elsewhere would count too.
        command.args(["-c", r#"exec 3>&- 4>&- 5>&- 6>&- 7>&-; ulimit -n 8; exec "$0" "$@""#]);
        command.arg(line.get_program()).args(line.get_args()).current_dir(self.root()).stdin(Stdio::null());
        command.envs(line.get_envs().filter_map(|(name, value)| Some((name, value?))));
        Running::start(command)
    }
}

impl Running {
    /// Starts a command whose output is read.
    pub(super) fn start(mut command: Command) -> Running {
        Running::of(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started"))
    }

    /// A child whose output and errors are pipes.
    pub(super) fn of(mut child: Child) -> Running {
        let out = lines(child.stdout.take().expect("a pipe"));
        let err = lines(child.stderr.take().expect("a pipe"));
        Running { child, out, err, said: String::new() }
    }

    /// Waits until the program has said this on standard error.
    pub(super) fn wait_for_warning(&mut self, words: &str) {
        let deadline = Instant::now() + LONG;
        while !self.said.contains(words) {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.err.recv_timeout(left);
            self.said
                .push_str(&line.unwrap_or_else(|error| panic!("{error} before {words:?}: {}", self.said)));
        }
    }

    /// The next line on standard output.
    pub(super) fn next_line(&self) -> String {
        self.out.recv_timeout(LONG).unwrap_or_else(|error| panic!("{error}: no further line"))
    }

    /// The next line on standard output as an object.
    pub(super) fn next_json(&self) -> Value {
        let line = self.next_line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The next line on standard output as an object, if one comes within this time.
    #[cfg(target_os = "linux")]
    pub(super) fn said_json_within(&self, time: Duration) -> Option<Value> {
        let line = self.out.recv_timeout(time).ok()?;
        Some(serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// Waits until the program waits: it listens for signals and sleeps.
    pub(super) fn wait_until_asleep(&self) {
        wait_until_asleep(self.child.id());
    }

    pub(super) fn signal(&self, signal: crate::system::Signal) {
        let pid = crate::system::Pid::from_child(&self.child);
        crate::system::kill_process(pid, signal).expect("signalled");
    }

    /// Sets a limit of the running program; what it was. No maximum leaves that as it is.
    #[cfg(target_os = "linux")]
    pub(super) fn limit(
        &self,
        resource: rustix::process::Resource,
        limit: rustix::process::Rlimit,
    ) -> rustix::process::Rlimit {
        let maximum = limit.maximum.or(rustix::process::getrlimit(resource).maximum);
        let pid = crate::system::Pid::from_child(&self.child);
        let limit = rustix::process::Rlimit { maximum, ..limit };
        rustix::process::prlimit(Some(pid), resource, limit).expect("set")
    }

    pub(super) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_some()
    }

    /// Waits for the end.
    pub(super) fn end(mut self) -> Outcome {
        let deadline = Instant::now() + LONG;
        let (mut out, mut err) = (String::new(), std::mem::take(&mut self.said));
        for (stream, text) in [(&self.out, &mut out), (&self.err, &mut err)] {
            while let Ok(line) = stream.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                text.push_str(&line);
            }
        }
        assert!(Instant::now() < deadline, "it does not end: {out} {err}");
        let status = self.child.wait().expect("a child");
        Outcome { exit: status.code().unwrap_or(-1), out, err }
    }
}

/// Reads lines on a thread of its own, so that no pipe ever fills up.
fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut pipe = BufReader::new(pipe);
        let mut line = String::new();
        while pipe.read_line(&mut line).is_ok_and(|count| count > 0)
            && send.send(std::mem::take(&mut line)).is_ok()
        {}
    });
    receive
}

impl Drop for Running {
    fn drop(&mut self) {
        // Only ever our own child; one that has ended is no longer there to be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until every thread of a process sleeps. Where the system does not tell, what the test does next may come before that, and
/// must be seen all the same.
pub(super) fn wait_until_asleep(pid: u32) {
    if !cfg!(target_os = "linux") {
        return;
    }
    let deadline = Instant::now() + LONG;
    let tasks = PathBuf::from(format!("/proc/{pid}/task"));
    while !is_asleep(&tasks) {
        assert!(Instant::now() < deadline, "it never sleeps: {:?}", stats(&tasks));
        thread::sleep(Duration::from_millis(1));
    }
}

/// Whether the process listens for signals and every thread of it sleeps.
fn is_asleep(tasks: &Path) -> bool {
    let stats = stats(tasks);
    let sleeps = |stat: &String| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('S'));
    let listens = |stat: &String| stat.contains("(signals)");
    stats.iter().any(listens) && stats.iter().all(sleeps)
}

/// What the system says of each thread; nothing of a program that has ended.
fn stats(tasks: &Path) -> Vec<String> {
    let entries = fs::read_dir(tasks).into_iter().flatten().flatten();
    entries.filter_map(|task| fs::read_to_string(task.path().join("stat")).ok()).collect()
}

impl Outcome {
    /// The one object, which agrees with the exit code and has the members every answer has.
    pub(super) fn json(&self) -> Value {
        assert_eq!(self.out.lines().count(), 1, "one line: {} {}", self.out, self.err);
        let json: Value = serde_json::from_str(&self.out).expect("JSON");
        assert_eq!(json["exit"], self.exit, "{json}");
        for key in ["status", "code", "message"] {
            assert!(json[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {json}");
        }
        json
    }
}
