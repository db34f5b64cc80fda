//! Putting back a record that was removed; giving a question back to its executor.
//!
//! Contract: undo acts on the selected gate, or asks and names the gate whose record was removed last.

use super::detail::Undo;
use super::kept;
use super::loading::{load_selected, moved};
use crate::console::edit::packet;
use crate::console::files::Files;
use crate::console::form::sending_back;
use crate::console::history::read::begin_restore;
use crate::console::model::Tone;
use crate::console::prompt::Prompt;
use crate::console::screen::{Cx, Effect};
use crate::console::sentences as s;
use crate::error::Message;
use crate::store::relay;
use crate::text::say;
use std::path::{Path, PathBuf};

/// Restores the record that was removed at the selected gate, or ours where others have changed it. If there is none,
/// asks about the gate whose record was removed last.
pub(super) fn undo(cx: &mut Cx<'_>) {
    let inbox = &cx.model.inbox;
    let elsewhere = cx.model.redone().map(Path::to_path_buf);
    let known = inbox.current_detail().is_some();
    if inbox.dropped_here().is_some() {
        return kept::put_back(cx);
    }
    if let Some(mended) = inbox.mended_here() {
        return packet::put_back(mended.clone(), cx);
    }
    match (inbox.selected_path(), inbox.undo(), elsewhere) {
        (Some(path), ..) if inbox.is_sent_back() => sending_back::take_back(path, cx),
        (Some(path), _, _) if inbox.redone.as_ref() == Some(&path) => put_back(path, cx),
        (Some(path), Some(Undo::Redo), _) => put_back(path, cx),
        (Some(path), Some(Undo::Written { entry, .. } | Undo::Replaced(entry)), _) => {
            begin_restore(entry.as_ref().clone(), vec![path], cx);
        }
        (Some(path), None, _) if !known => put_back(path, cx),
        (_, _, Some(path)) => {
            let asks = Message::new(s::UNDO_ASKS, &[&inbox.title_of(&path)]);
            let yes = move |cx: &mut Cx<'_>| put_back(path.clone(), cx);
            cx.cover(Prompt::new(asks, s::UNDO_MEANS, yes));
        }
        (..) => {
            if let Some((title, _)) = inbox.kept.dropped.last().cloned() {
                kept::ask_to_put_back(&title, cx);
            }
        }
    }
}

/// Puts the record of a packet's gate back that was removed last.
pub fn put_back(path: PathBuf, cx: &mut Cx<'_>) {
    let packet = path.clone();
    let of = cx.model.inbox.redone_gate.clone().filter(|_| cx.model.inbox.redone.as_ref() == Some(&path));
    let work = move |files: &Files| {
        let loaded = files.load_with(&packet, of.as_ref())?;
        files.history().undo(&loaded).map(drop).map_err(|error| error.whole())
    };
    cx.ask(work, move |(), cx| {
        cx.model.inbox.redone = None;
        let says = say("The answers of {0} are back, byte for byte.", "{0} 的回答已原样放回。");
        let title = cx.model.inbox.title_of(&path);
        cx.say(Tone::Good, Message::new(says, &[&title]));
        moved(&path, cx);
    });
}

/// Gives the selected or open question back to the executor that asks it; what is answered so far is saved already.
pub(crate) fn hand_back(cx: &mut Cx<'_>) {
    let Some(path) = cx.model.relayed() else { return };
    let packet = path.clone();
    let work = move |files: &Files| relay::withdraw(&files.project, &packet).map_err(|error| error.whole());
    // The question is gone: so are its form and its row. What the author has handed back is not missed.
    cx.ask(work, move |(), cx| {
        let says = if cx.model.is_orphaned() { s::TAKEN_AWAY } else { s::HANDED_BACK };
        let title = cx.model.inbox.title_of(&path);
        cx.say(Tone::Good, Message::new(says, &[&title]));
        cx.model.left.take_if(|form| form.gate.path == path);
        cx.go_home();
        let inbox = &mut cx.model.inbox;
        let left: Vec<_> = inbox.entries.iter().filter(|entry| *entry.path != *path).cloned().collect();
        inbox.take(left);
        load_selected(cx);
        cx.do_next(Effect::Look);
        cx.is_authors = true;
    });
}
