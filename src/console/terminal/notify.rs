//! Tells the author outside the screen that a gate needs him, in the ways the settings name: the bell, a notice of the
//! terminal on the desktop, a program of his own.

use crate::console::screen::NewGates;
use crate::console::terminal::output;
use crate::platform::processes::{apart, end_with_started};
use crate::store::config::{Desktop, Notify};
use crate::text::Safe;
use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(10);
/// How often to look whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Characters of a title or body; a notice is no place for a book.
const LONGEST: usize = 200;

/// Tells the author. Dropping it ends the programs that may still run.
pub(in crate::console) struct Notifier {
    settings: Notify,
    running: Vec<Running>,
}

struct Running {
    /// Dropping it ends the program.
    keep: Sender<()>,
    thread: JoinHandle<()>,
}

impl Notifier {
    pub(in crate::console) fn new(settings: Notify) -> Notifier {
        Notifier { settings, running: Vec::new() }
    }

    /// Tells the author. That one of the ways fails is no failure: the screen says it too.
    pub(in crate::console) fn tell(&mut self, gates: &NewGates) {
        output::write(self.sequences(gates).as_bytes());
        if !self.settings.command.is_empty() {
            self.running.retain(|running| !running.thread.is_finished());
            self.running.extend(self.start(gates));
        }
    }

    fn sequences(&self, gates: &NewGates) -> String {
        let (title, body) = (harmless(&gates.title), harmless(&gates.body));
        let notice = match self.settings.desktop {
            Some(Desktop::Osc9) => format!("\x1b]9;{title}: {body}\x1b\\"),
            // A semicolon would end the title.
            Some(Desktop::Osc777) => format!("\x1b]777;notify;{};{body}\x1b\\", title.replace(';', ",")),
            None => String::new(),
        };
        notice + if self.settings.bell { "\x07" } else { "" }
    }

    /// Starts the author's program, without a shell and in a process group of its own. If it has not ended when the time
    /// is up, it is ended with everything that it has started.
    fn start(&self, gates: &NewGates) -> io::Result<Running> {
        let mut words = self.settings.command.iter().map(|word| filled(word, gates));
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = apart(&mut command).spawn()?;
        let (keep, kept) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("notify".to_owned())
            .spawn(move || end_in_time(child, LIMIT, &kept))?;
        Ok(Running { keep, thread })
    }
}

impl Drop for Notifier {
    fn drop(&mut self) {
        for Running { keep, thread } in self.running.drain(..) {
            drop(keep);
            drop(thread.join());
        }
    }
}

/// Waits until the program has ended, or ends it: when the time is up, or when nobody keeps it. What a program that has
/// ended left running, a sound for example, goes on.
fn end_in_time(mut child: Child, limit: Duration, kept: &Receiver<()>) {
    let deadline = Instant::now() + limit;
    while let Ok(None) = child.try_wait() {
        if kept.recv_timeout(LOOK_EVERY) != Err(RecvTimeoutError::Timeout) || Instant::now() >= deadline {
            end_with_started(&child);
            drop(child.wait());
            return;
        }
    }
}

/// A word of the command with title and body in their gaps; what stands in them is not searched for gaps.
fn filled(word: &str, gates: &NewGates) -> String {
    let with_body = |part: &str| part.replace("{body}", &harmless(&gates.body));
    word.split("{title}").map(with_body).collect::<Vec<_>>().join(&harmless(&gates.title))
}

fn harmless(text: &str) -> String {
    let short: String = text.chars().take(LONGEST).collect();
    Safe::line(&short).into_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Read as _;

    fn gates(body: &str) -> NewGates {
        NewGates { title: "novel-gate: 雨{body};停".to_owned(), body: body.to_owned() }
    }

    fn command(words: &[&str]) -> Notify {
        Notify { command: words.iter().map(ToString::to_string).collect(), ..Notify::default() }
    }

    #[test]
    fn nothing_is_sent_unless_it_is_set() {
        assert_eq!(Notifier::new(Notify::default()).sequences(&gates("x")), "");
        let bell = Notify { bell: true, ..Notify::default() };
        assert_eq!(Notifier::new(bell).sequences(&gates("x")), "\x07");
    }

    #[test]
    fn a_hostile_name_cannot_leave_its_notice() {
        for desktop in [Desktop::Osc9, Desktop::Osc777] {
            let settings = Notify { desktop: Some(desktop), ..Notify::default() };
            let sent = Notifier::new(settings).sequences(&gates("a\x1b\\\x07\u{9c}\u{202e}b\nc"));
            let inner =
                sent.strip_prefix("\x1b]").and_then(|rest| rest.strip_suffix("\x1b\\")).expect("a notice");
            assert!(!inner.chars().any(|c| c.is_control() || c == '\u{202e}'), "{inner:?}");
            let parts = inner.split(';').count();
            assert_eq!(parts, if desktop == Desktop::Osc9 { 3 } else { 4 }, "{inner}");
        }
        assert!(harmless(&"字".repeat(5_000)).chars().count() <= LONGEST);
    }

    #[test]
    #[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
    fn the_authors_program_gets_its_words_and_no_shell() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("told");
        let script = "printf '%s\\n' \"$@\" > \"$0.new\" && mv \"$0.new\" \"$0\"";
        let path = file.to_str().expect("UTF-8");
        let words = ["sh", "-c", script, path, "-t", "{title}|{body}", "$(id)"];
        let mut notifier = Notifier::new(command(&words));
        notifier.tell(&gates("`id` $HOME; rm\x1b[2J"));
        notifier.running.pop().expect("it runs").thread.join().expect("it ends");
        let told = fs::read_to_string(&file).expect("told");
        assert_eq!(told, "-t\nnovel-gate: 雨{body};停|`id` $HOME; rm␛[2J\n$(id)\n");
    }

    #[test]
    #[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
    fn a_program_that_hangs_is_ended_with_what_it_has_started() {
        let dir = tempfile::tempdir().expect("a directory");
        let fifo = dir.path().join("fifo");
        let path = fifo.to_str().expect("UTF-8");
        assert!(Command::new("mkfifo").arg(path).status().expect("made").success());
        // Both hold the pipe open until they are ended.
        let script = "trap '' TERM; exec > \"$0\"; sleep 1000 & echo; sleep 1000";
        let mut hanging = Notifier::new(command(&["sh", "-c", script, path]));
        hanging.tell(&gates("x"));
        let mut pipe = fs::File::open(&fifo).expect("the pipe");
        pipe.read_exact(&mut [0]).expect("it runs");
        drop(hanging);
        assert_eq!(pipe.read(&mut [0]).expect("the pipe ends"), 0);
    }

    #[test]
    #[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
    fn what_a_program_leaves_running_goes_on() {
        let dir = tempfile::tempdir().expect("a directory");
        let fifo = dir.path().join("fifo");
        let path = fifo.to_str().expect("UTF-8");
        assert!(Command::new("mkfifo").arg(path).status().expect("made").success());
        // It opens the pipe when the program itself has long ended.
        let mut notifier = Notifier::new(command(&["sh", "-c", "echo sound > \"$0\" &", path]));
        notifier.tell(&gates("x"));
        notifier.running.pop().expect("it runs").thread.join().expect("it ends");
        assert_eq!(fs::read_to_string(&fifo).expect("heard"), "sound\n");
    }

    #[test]
    #[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
    fn the_time_of_a_program_is_limited() {
        let child = apart(Command::new("sleep").arg("1000")).spawn().expect("started");
        let (sender, receiver) = mpsc::channel();
        end_in_time(child, Duration::from_millis(1), &receiver);
        drop(sender);
    }

    #[test]
    fn a_program_that_is_not_there_is_no_failure() {
        let mut notifier = Notifier::new(command(&["/nowhere/at/all", "{title}"]));
        notifier.tell(&gates("x"));
        assert!(notifier.running.is_empty());
    }
}
