//! Looking at the right moment.
//!
//! Responsible for a thread that owns the scanner and looks when the system hints at a change, and again and again in
//! case it did not. Hints only ever choose where to look first: without any of them everything is still found by the
//! next reconcile. Not responsible for what is found (`scan`).

use super::clock::Clock;
use super::entry::Entry;
use super::project::Project;
use crate::text::{Lang, Sentence, say};
use notify::Watcher;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

pub mod folders;
mod hint;
mod native;
pub mod target;
mod worker;

pub use native::Connect;

/// What the thread tells.
#[derive(Clone, Debug)]
pub enum StoreEvent {
    /// The inbox, sorted; sent when something has changed, and with parts of it during the first scan.
    Entries {
        /// All of it, as far as it is known.
        entries: Vec<Arc<Entry>>,
        /// Whether the first scan has ended.
        complete: bool,
        /// Whether there is more than the scanner is willing to look at.
        cut: bool,
    },
    /// There was a look, and the inbox is as it was; other files may have changed.
    Looked,
    /// How changes are noticed from now on.
    Watching(Mode),
    /// The project's directory was replaced by another of the same name; everything must go through this handle.
    Reopened(Arc<Project>),
    /// The project's directory is gone.
    RootGone,
}

/// How changes are noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The system tells.
    Native,
    /// By looking every second.
    Polling(Why),
}

/// Why the system does not tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The author wants it so.
    Asked,
    /// All watches the system allows are in use.
    NoWatches,
    /// All watchers the system allows are in use, or too many files are open.
    NoInstances,
    /// The system cannot watch here.
    Unsupported,
    /// The project lies on a network or shared file system, whose other users are not heard of.
    Network,
    /// Another reason, in the system's words.
    Other(String),
}

/// How to watch.
#[derive(Clone)]
pub struct Options {
    /// Where hints come from; `None` never asks the system and looks every [`Pace::polling`].
    pub hints: Option<Connect>,
    /// How often to look.
    pub pace: Pace,
}

/// The intervals of watching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Between two full looks while things happen; backs off to `quiet`.
    pub reconcile: Duration,
    /// Between two full looks when nothing happens.
    pub quiet: Duration,
    /// Between two full looks without a working watcher.
    pub polling: Duration,
    /// How long hints are collected after one that was acted on at once.
    pub coalesce: Duration,
    /// How long hints are collected at most.
    pub storm: Duration,
    /// When to look once more at a directory that has just appeared.
    pub echo: Duration,
    /// When to try the system's watcher again.
    pub retry: Duration,
}

/// The thread's handle. Dropping it stops the thread.
#[derive(Debug)]
pub struct Watch {
    signals: Sender<Signal>,
}

/// What the thread waits for.
enum Signal {
    Hint(notify::Result<notify::Event>),
    Connected(Box<notify::Result<Box<dyn Watcher + Send>>>),
    Look(Option<PathBuf>),
    Stop,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace {
            reconcile: Duration::from_secs(2),
            quiet: Duration::from_secs(10),
            polling: Duration::from_secs(1),
            coalesce: Duration::from_millis(60),
            storm: Duration::from_millis(500),
            echo: Duration::from_millis(200),
            retry: Duration::from_mins(1),
        }
    }
}

impl Options {
    /// The system's watcher, or none if `polling` is wanted.
    pub fn new(polling: bool) -> Options {
        Options { hints: (!polling).then(native::system), pace: Pace::default() }
    }
}

impl Watch {
    /// Starts watching. `send` is called on the thread; the first call is soon, with the first packets.
    ///
    /// # Errors
    /// The system has no thread to give.
    pub fn start(
        project: Arc<Project>,
        clock: Arc<dyn Clock>,
        options: Options,
        send: impl FnMut(StoreEvent) + Send + 'static,
    ) -> io::Result<Watch> {
        let (signals, inbox) = mpsc::channel();
        let worker = worker::Worker::new(project, clock, options, Box::new(send), signals.clone());
        thread::Builder::new().name("watch".into()).spawn(move || worker.run(&inbox))?;
        Ok(Watch { signals })
    }

    /// Looks at everything now, whatever is known of it.
    pub fn look_again(&self) {
        let _ = self.signals.send(Signal::Look(None));
    }

    /// Looks now at a path (relative to the root) that has just been written, and at what depends on it: a packet stands for
    /// its record too.
    pub fn look_at(&self, path: PathBuf) {
        let _ = self.signals.send(Signal::Look(Some(path)));
    }

    /// Ends the thread; what it is doing may still finish.
    pub fn stop(&self) {
        let _ = self.signals.send(Signal::Stop);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Why {
    /// The sentence for the banner.
    pub fn text(&self, lang: Lang) -> String {
        let sentence: Sentence = match self {
            Why::Asked => say("Looking for changes every second, as set.", "按设置每秒检查一次变化。"),
            Why::NoWatches => say(
                "Looking for changes every second: the system's file watches are used up (fs.inotify.max_user_watches).",
                "每秒检查一次变化：系统的文件监视数量已用完（fs.inotify.max_user_watches）。",
            ),
            Why::NoInstances => say(
                "Looking for changes every second: the system's file watchers are used up (fs.inotify.max_user_instances).",
                "每秒检查一次变化：系统的文件监视器已用完（fs.inotify.max_user_instances）。",
            ),
            Why::Unsupported => say(
                "Looking for changes every second: this system cannot watch files here.",
                "每秒检查一次变化：本系统无法在这里监视文件。",
            ),
            Why::Network => say(
                "Looking for changes every second: the project lies on a network or shared file system.",
                "每秒检查一次变化：项目位于网络或共享文件系统上。",
            ),
            Why::Other(_) => say("Looking for changes every second: {0}.", "每秒检查一次变化：{0}。"),
        };
        let reason = if let Why::Other(reason) = self { reason.as_str() } else { "" };
        sentence.fill(lang, &[reason])
    }

    /// Stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Why::Asked => "asked",
            Why::NoWatches => "no-watches",
            Why::NoInstances => "no-instances",
            Why::Unsupported => "unsupported",
            Why::Network => "network",
            Why::Other(_) => "other",
        }
    }
}

/// Whether others may write here without this system noticing, as on network file systems.
pub fn is_shared(project: &Project) -> bool {
    native::is_network(project)
}

/// How changes in this project would be noticed.
pub fn probe(project: &Project) -> Mode {
    let connect = native::system();
    if native::is_network(project) {
        return Mode::Polling(Why::Network);
    }
    match connect(Box::new(|_| {})).and_then(|mut watcher| native::attach(watcher.as_mut(), project)) {
        Ok(()) => Mode::Native,
        Err(error) => Mode::Polling(native::why(&error)),
    }
}

#[cfg(test)]
mod tests;
