//! What an event of the system's watcher is worth.
//!
//! Responsible for turning events into paths to look at, and for telling which of them end a write. An event is never
//! believed further than that. Not responsible for acting on it (`worker`).

use notify::event::{AccessKind, AccessMode, CreateKind, EventKind, ModifyKind};
use std::path::{Path, PathBuf};

/// Where to look, and how soon.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hint {
    /// Anything may have changed.
    pub everything: bool,
    /// Paths relative to the root.
    pub paths: Vec<PathBuf>,
    /// A write has just ended: look at once.
    pub at_once: bool,
    /// A directory may have just appeared, and files in it before it was watched: look again a moment later.
    pub echo: bool,
}

impl Hint {
    /// Anything may have changed.
    pub(super) fn everything() -> Hint {
        Hint { everything: true, at_once: true, ..Hint::default() }
    }

    /// This path was written.
    pub(super) fn at(path: PathBuf) -> Hint {
        Hint { paths: vec![path], at_once: true, ..Hint::default() }
    }

    /// What an event says; nothing if it says nothing.
    pub(super) fn from_event(event: &notify::Event, root: &Path) -> Option<Hint> {
        // Before anything else: an overflow comes without paths and with a kind that means nothing.
        if event.need_rescan() {
            return Some(Hint::everything());
        }
        let (at_once, echo) = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => (true, false),
            // Our own reading causes these.
            EventKind::Access(_) => return None,
            EventKind::Modify(ModifyKind::Name(_))
            | EventKind::Create(CreateKind::Any | CreateKind::Folder | CreateKind::Other) => (true, true),
            EventKind::Any | EventKind::Other => (false, true),
            EventKind::Create(CreateKind::File) | EventKind::Remove(_) | EventKind::Modify(_) => {
                (false, false)
            }
        };
        let paths: Option<Vec<PathBuf>> =
            event.paths.iter().map(|path| path.strip_prefix(root).ok().map(Path::to_path_buf)).collect();
        match paths {
            Some(paths) if !paths.is_empty() => Some(Hint { everything: false, paths, at_once, echo }),
            _ => Some(Hint::everything()),
        }
    }

    /// Whether the watch on `staging` itself may be gone or missing.
    pub(super) fn concerns_staging(&self) -> bool {
        self.everything || self.paths.iter().any(|path| path == Path::new("staging") || path == Path::new(""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::Event;
    use notify::event::{Flag, RemoveKind, RenameMode};

    fn hint(kind: EventKind, path: &str) -> Option<Hint> {
        Hint::from_event(&Event::new(kind).add_path(path.into()), Path::new("/novel"))
    }

    #[test]
    fn an_overflow_means_everything_whatever_its_kind() {
        for kind in [EventKind::Other, EventKind::Access(AccessKind::Read)] {
            let event = Event::new(kind).set_flag(Flag::Rescan);
            assert_eq!(Hint::from_event(&event, Path::new("/novel")), Some(Hint::everything()));
        }
    }

    #[test]
    fn our_own_reading_says_nothing() {
        for kind in
            [AccessKind::Read, AccessKind::Open(AccessMode::Read), AccessKind::Close(AccessMode::Read)]
        {
            assert_eq!(hint(EventKind::Access(kind), "/novel/staging/a.packet.json"), None);
        }
    }

    #[test]
    fn a_close_and_a_rename_are_acted_on_at_once() {
        let close = EventKind::Access(AccessKind::Close(AccessMode::Write));
        let at_once = |kind, path| hint(kind, path).is_some_and(|hint| hint.at_once && !hint.everything);
        assert!(at_once(close, "/novel/staging/a.packet.json"));
        assert!(at_once(EventKind::Modify(ModifyKind::Name(RenameMode::To)), "/novel/staging/a"));
        assert!(!at_once(EventKind::Create(CreateKind::File), "/novel/staging/a"));
        assert!(!at_once(EventKind::Remove(RemoveKind::File), "/novel/staging/a"));
    }

    #[test]
    fn paths_outside_and_no_paths_mean_everything() {
        let name = EventKind::Modify(ModifyKind::Name(RenameMode::Both));
        assert!(hint(name, "/elsewhere/a").unwrap().everything);
        assert!(Hint::from_event(&Event::new(name), Path::new("/novel")).unwrap().everything);
        assert!(hint(name, "/novel/staging").unwrap().concerns_staging());
    }
}
