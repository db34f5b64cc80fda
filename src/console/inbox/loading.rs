//! Looking at a gate of the inbox again, and showing what there is now.

use crate::console::files::Files;
use crate::console::model::{Entry, Place};
use crate::console::screen::{Cx, Effect};
use crate::store::hearing;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

/// Leaves the screen for the inbox, or for the one that leads back to.
pub(crate) fn back_to_list(cx: &mut Cx<'_>) {
    cx.go_home();
    load_selected(cx);
}

pub(crate) fn load_selected(cx: &mut Cx<'_>) {
    if let Some(packet) = cx.model.inbox.selected_path() {
        load(packet, cx);
    }
}

pub fn load(packet: PathBuf, cx: &mut Cx<'_>) {
    cx.show(
        "detail",
        move |files| files.detail(packet),
        |detail, cx| {
            cx.unchanged = cx.model.inbox.detail.as_ref() == Some(&detail);
            cx.model.inbox.detail = Some(detail);
            cx.model.inbox.listed = cx.model.inbox.selected().map(|entry| entry.status);
        },
    );
}

/// Finds the gates whose steps go on though nobody was told the answers, and those that approve what is another by now.
pub(super) fn find_untold(cx: &mut Cx<'_>) {
    let asked: Vec<Arc<Entry>> = hearing::asked_after(&cx.model.inbox.entries).cloned().collect();
    if asked.is_empty() {
        cx.model.inbox.untold.clear();
        cx.model.inbox.outdated.clear();
        return;
    }
    let work = move |files: &Files| {
        let mut known = files.hearings.lock().unwrap_or_else(PoisonError::into_inner);
        Some((known.hearings(&files.project, asked.iter()), known.outdated()))
    };
    cx.tell(Some("hearings"), work, |(hearings, outdated), cx| {
        let untold = hearings.into_iter().filter(|(_, hearing)| hearing.is_untold()).map(|(path, _)| path);
        let untold = untold.collect();
        let inbox = &mut cx.model.inbox;
        cx.unchanged = (&inbox.untold, &inbox.outdated) == (&untold, &outdated);
        (inbox.untold, inbox.outdated) = (untold, outdated);
    });
}

/// A record was removed or restored: looks again at what is shown, and drops a form behind the inbox, because the draft
/// on the disk is newer.
pub(crate) fn moved(path: &Path, cx: &mut Cx<'_>) {
    cx.do_next(Effect::Look);
    load(path.to_path_buf(), cx);
    if matches!(cx.model.place, Place::Inbox | Place::History) {
        cx.model.left.take_if(|form| form.gate.path == path);
    }
    let sharing = cx.model.inbox.sharing(path);
    cx.model.receipt.take_if(|written| sharing.contains(&written.path));
}
