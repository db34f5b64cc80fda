//! How changes are noticed: by the system's watcher or by looking, and why.

use crate::store::disk::is_network_path;
use crate::store::project::Project;
use crate::text::{Lang, Sentence, say};
use notify::ErrorKind;
use rustix::io::Errno;

/// How changes are noticed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The system reports changes.
    Native,
    /// By looking every second.
    Polling(Why),
}

/// Why the system does not report them.
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

/// Why the watcher cannot be used.
pub(super) fn why(error: &notify::Error) -> Why {
    match &error.kind {
        ErrorKind::MaxFilesWatch => Why::NoWatches,
        ErrorKind::Io(cause) => match cause.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::NOSPC) => Why::NoWatches,
            Some(Errno::MFILE | Errno::NFILE) => Why::NoInstances,
            Some(Errno::NOSYS | Errno::OPNOTSUPP) => Why::Unsupported,
            _ => Why::Other(cause.to_string()),
        },
        _ => Why::Other(error.to_string()),
    }
}

/// Whether others may write here without the system noticing.
pub(super) fn is_network(project: &Project) -> bool {
    let staging = project.root().join("staging");
    [staging.as_path(), project.root()].into_iter().any(is_network_path)
}
