//! What an event of the system's watcher is worth: a reason to look, and no more.

use notify::event::{AccessKind, AccessMode, CreateKind, EventKind, ModifyKind};
use std::path::PathBuf;

/// A reason to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hint<'e> {
    /// Where something happened; anywhere if empty.
    pub(super) paths: &'e [PathBuf],
    /// A write has just ended.
    pub(super) at_once: bool,
    /// A name came, went or changed, so that a watch on the directory that bears it may be gone.
    pub(super) moved: bool,
}

impl<'e> Hint<'e> {
    /// Anything may have changed.
    const ANYWHERE: Hint<'static> = Hint { paths: &[], at_once: true, moved: true };

    /// What an event says; nothing if it says nothing.
    pub(super) fn from_event(event: &'e notify::Event) -> Option<Hint<'e>> {
        // Before anything else: an overflow comes without paths and with a kind that means nothing.
        if event.need_rescan() || event.paths.is_empty() {
            return Some(Hint::ANYWHERE);
        }
        let (at_once, moved) = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => (true, false),
            // Our own reading causes these.
            EventKind::Access(_) => return None,
            EventKind::Create(CreateKind::File)
            | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)) => (false, false),
            EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_)) => (true, true),
            EventKind::Any | EventKind::Other | EventKind::Remove(_) | EventKind::Modify(_) => (false, true),
        };
        Some(Hint { paths: &event.paths, at_once, moved })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use notify::Event;
    use notify::event::{Flag, RemoveKind, RenameMode};

    /// Whether it is acted on at once; nothing if it says nothing.
    fn at_once(kind: EventKind) -> Option<bool> {
        Hint::from_event(&Event::new(kind).add_path("/novel/staging/a".into())).map(|hint| hint.at_once)
    }

    #[test]
    fn an_overflow_means_everything_whatever_its_kind() {
        for kind in [EventKind::Other, EventKind::Access(AccessKind::Read)] {
            let event = Event::new(kind).add_path("/novel/a".into()).set_flag(Flag::Rescan);
            assert_eq!(Hint::from_event(&event), Some(Hint::ANYWHERE));
        }
        let without_paths = Event::new(EventKind::Modify(ModifyKind::Name(RenameMode::Both)));
        assert_eq!(Hint::from_event(&without_paths), Some(Hint::ANYWHERE));
    }

    #[test]
    fn our_own_reading_says_nothing() {
        for kind in
            [AccessKind::Read, AccessKind::Open(AccessMode::Read), AccessKind::Close(AccessMode::Read)]
        {
            assert_eq!(at_once(EventKind::Access(kind)), None);
        }
    }

    #[test]
    fn a_close_and_a_rename_are_acted_on_at_once() {
        assert_eq!(at_once(EventKind::Access(AccessKind::Close(AccessMode::Write))), Some(true));
        assert_eq!(at_once(EventKind::Modify(ModifyKind::Name(RenameMode::To))), Some(true));
        assert_eq!(at_once(EventKind::Create(CreateKind::File)), Some(false));
        assert_eq!(at_once(EventKind::Remove(RemoveKind::File)), Some(false));
    }
}
