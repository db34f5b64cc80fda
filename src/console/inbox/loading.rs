//! Looking at a gate of the inbox again, and showing what there is now.

use crate::console::model::Place;
use crate::console::screen::{Cx, Effect};
use std::path::{Path, PathBuf};

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
        },
    );
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
