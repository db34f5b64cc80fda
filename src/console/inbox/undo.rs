//! What the key for undo puts back at the selected gate, in words.

use crate::ask::SIGNATURE;
use crate::console::draw::sheet::Sheet;
use crate::console::inbox::detail::Undo;
use crate::console::model::{HistoryEntry, Model};
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::text::{Sentence, say};

const IN_PLACE_OF_THEIRS: Sentence = say(
    "This record replaced the one by {0} ({1}). {undo-redo} puts that one back.",
    "这份记录取代了 {0} 的记录（{1}）。按 {undo-redo} 放回那一份。",
);
const IN_PLACE_OF_YOURS: Sentence = say(
    "This record replaced yours ({1}). {undo-redo} puts yours back.",
    "这份记录取代了你的那份（{1}）。按 {undo-redo} 放回你的那份。",
);

const REMOVED_FOR_REFUSAL: Sentence = say(
    "A record of before is in the history. {undo-redo} puts it back.",
    "以前的记录在历史里。按 {undo-redo} 放回。",
);

pub(super) fn write(model: &Model, sheet: &mut Sheet<'_>) {
    let by_and_at = |entry: &HistoryEntry| {
        let by = entry.answered_by.as_ref().map(|by| by.display().into_owned()).unwrap_or_default();
        (by, model.local_time(entry.time()))
    };
    match model.inbox.undo() {
        None => {}
        Some(Undo::Redo) if model.inbox.gate().is_some_and(|gate| gate.sent_back.is_some()) => {
            sheet.say(Role::Dim, REMOVED_FOR_REFUSAL);
        }
        Some(Undo::Redo) => sheet.say(Role::Dim, s::REDO_CAN_BE_UNDONE),
        Some(Undo::Written { entry, replaced }) => {
            let (by, at) = by_and_at(entry);
            let says = match (by == SIGNATURE, replaced) {
                (true, true) => s::OURS_REPLACED,
                (true, false) => s::OURS_GONE,
                (false, true) => s::THEIRS_REPLACED,
                (false, false) => s::THEIRS_GONE,
            };
            sheet.marked(Role::Warn, "▲ ", Role::Warn, &sheet.voice.fill(says, &[&by, &at]));
        }
        Some(Undo::Replaced(entry)) => {
            let (by, at) = by_and_at(entry);
            let says = if by == SIGNATURE { IN_PLACE_OF_YOURS } else { IN_PLACE_OF_THEIRS };
            sheet.text(Role::Dim, &sheet.voice.fill(says, &[&by, &at]), 0);
        }
    }
}
