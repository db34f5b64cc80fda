//! Removing a record, so that its gate waits again, and putting it back; giving a question back to its executor.
//!
//! Contract: redo acts at once, unless it needs a warning; undo acts on the selected gate, or asks and names the gate whose
//! record was removed last.

use super::detail::Undo;
use super::kept;
use super::loading::{load_selected, moved};
use crate::ask::{Gate, Packet, is_another_document};
use crate::console::edit::packet;
use crate::console::files::Files;
use crate::console::form::sending_back;
use crate::console::history::read::begin_restore;
use crate::console::model::{NoticeTopic, Status, Tone, Written};
use crate::console::prompt::Prompt;
use crate::console::screen::{Cx, Effect};
use crate::console::sentences as s;
use crate::error::Message;
use crate::store::gate::Loaded;
use crate::store::pickup::Consequences;
use crate::store::record::{self, WriteError};
use crate::store::relay;
use crate::text::{Lang, Sentence, say};
use std::path::{Path, PathBuf};

const OUTPUTS_NAMED: usize = 3;
const WAITS_AGAIN: Sentence = say(
    "Taken back and kept; the gate waits again. {undo-redo} puts it back.",
    "已收回并留存，门控重新等待回答。按 {undo-redo} 放回。",
);
const IS_ASKED_LATER: Sentence = say(
    "Taken back and kept; the step asks this again after its present question. {undo-redo} puts it back.",
    "已收回并留存；这一步会在当前这一问之后再问一次。按 {undo-redo} 放回。",
);

/// A record that is to go, and what the author knows of it.
#[derive(Clone, Debug)]
struct Removal {
    packet: PathBuf,
    /// Of one that was just written here: the gate it answers, which its packet may carry no more.
    written: Option<Gate>,
    /// Hash of the only record that is meant.
    seen: Option<String>,
    /// Whether he was told what was made of it.
    warned: bool,
}

#[derive(Clone, Debug)]
struct RedoWarning {
    /// Hash of the record that this is about.
    seen: String,
    made: Consequences,
    foreign: bool,
}

/// Removes the record of the selected gate; the author may have to confirm it first.
pub(super) fn redo(cx: &mut Cx<'_>) {
    let Some(path) = cx.model.inbox.selected_path() else { return };
    // It stays selected, whatever its state.
    cx.model.inbox.moved = true;
    remove(Removal { packet: path, written: None, seen: None, warned: false }, cx);
}

/// The same with the record that was just written, if it is still that one.
pub(crate) fn take_back(written: &Written, cx: &mut Cx<'_>) {
    let (packet, seen) = (written.path.clone(), Some(written.receipt.sha256.clone()));
    remove(Removal { packet, written: written.packet.gate.clone(), seen, warned: false }, cx);
}

/// Removes a record; if there is something that the author has not been warned about, asks him first.
fn remove(removal: Removal, cx: &mut Cx<'_>) {
    let path = removal.packet.clone();
    cx.model.writing = Some(path.clone());
    let wanted = removal.clone();
    cx.ask(
        move |files| files.redo(&wanted),
        move |warning, cx| {
            if let Some(warning) = warning {
                confirm(removal, warning, false, cx);
            } else {
                cx.go_home();
                let asks_on = cx.model.inbox.entry_at(&path);
                let asks_on =
                    asks_on.zip(cx.model.receipt.as_ref()).filter(|(now, old)| old.is_followed_by(now));
                let message = if asks_on.is_some() { IS_ASKED_LATER } else { WAITS_AGAIN };
                let inbox = &mut cx.model.inbox;
                (inbox.redone, inbox.redone_gate) = (Some(path.clone()), removal.written);
                inbox.select(&path);
                inbox.moved = true;
                cx.model.say_about(NoticeTopic::Redone, Tone::Good, message);
                moved(&path, cx);
            }
        },
    );
}

/// Asks about the step that has gone on, else about the other document; about each by itself, the second time `again`.
fn confirm(removal: Removal, warning: RedoWarning, again: bool, cx: &mut Cx<'_>) {
    let title = cx.model.inbox.title_of(&removal.packet);
    let gone_on = !warning.made.is_empty();
    let (asks, means) =
        if gone_on { (s::REDO_ASKS, s::REDO_MEANS) } else { (s::REDO_FOREIGN_ASKS, s::REDO_FOREIGN_MEANS) };
    let (warnings, record_of) = (warnings(&warning.made), Some(removal.packet.clone()));
    let yes = move |cx: &mut Cx<'_>| {
        let removal = removal.clone();
        if gone_on && warning.foreign {
            let warning = RedoWarning { made: Consequences::default(), ..warning.clone() };
            confirm(removal, warning, true, cx);
        } else {
            remove(Removal { seen: Some(warning.seen.clone()), warned: true, ..removal }, cx);
        }
    };
    let prompt = Prompt::new(Message::new(asks, &[&title]), means, yes);
    let prompt = if again { prompt.unread(cx.model.now) } else { prompt };
    cx.cover(Prompt { warnings, record_of, ..prompt });
}

pub(crate) fn warnings(made: &Consequences) -> Vec<Message> {
    let paths: Vec<_> = made.outputs.iter().map(|output| output.path.display()).collect();
    let (first, rest) = paths.split_at(paths.len().min(OUTPUTS_NAMED));
    let outputs = (!first.is_empty()).then(|| {
        Message::in_both(|lang: Lang| {
            let names = first.join(lang.comma());
            let more = || s::REDO_OUTPUTS_MORE.fill(lang, &[&names, &rest.len().to_string()]);
            let names = if rest.is_empty() { names.clone() } else { more() };
            say("Already made from the old answers: {0}", "这一步已用旧回答生成：{0}").fill(lang, &[&names])
        })
    });
    outputs.into_iter().chain(made.passed.then(|| Message::from(s::REDO_PAST))).collect()
}

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

impl Files {
    /// Removes a record, unless the author must know something first.
    fn redo(&self, removal: &Removal) -> Result<Option<RedoWarning>, Message> {
        let loaded = self.load_with(&removal.packet, removal.written.as_ref())?;
        let record = &loaded.record;
        let seen = record.sha256();
        if removal.seen.as_ref().is_some_and(|meant| *meant != seen) {
            return Err(WriteError::Changed.error().whole());
        }
        if !removal.warned && record.exists() {
            let made = Consequences::of(&self.project, &loaded);
            let is_bad = loaded.status() == Status::Blocked && record.is_read();
            let foreign = is_bad && is_another_document(&record.bytes);
            if foreign || !made.is_empty() {
                return Ok(Some(RedoWarning { seen, made, foreign }));
            }
        }
        self.history().redo(&loaded).map(|_| None).map_err(|error| error.whole())
    }

    /// A packet, with this gate of its step in the place of the one that it carries by now.
    fn load_with(&self, packet: &Path, gate: Option<&Gate>) -> Result<Loaded, Message> {
        let loaded = self.load_or_say(packet)?;
        let is_other = |gate: &&Gate| loaded.gate().is_none_or(|now| now.answer_path != gate.answer_path);
        let Some(gate) = gate.filter(is_other) else { return Ok(loaded) };
        let record = record::read(&self.project, gate).map_err(|_| WriteError::Changed.error().whole())?;
        let packet = Packet { gate: Some(gate.clone()), ..loaded.packet };
        Ok(Loaded { packet, record, novel_ask: None, asked: None, ..loaded })
    }
}
