//! Removing a record, so that its gate waits again: that of the selected gate, or the one that was just written.
//!
//! Contract: it acts at once, unless it needs a warning.

use super::loading::moved;
use crate::ask::{Gate, Packet, is_another_document};
use crate::console::files::Files;
use crate::console::model::{NoticeTopic, Status, Tone, Written};
use crate::console::prompt::Prompt;
use crate::console::screen::Cx;
use crate::console::sentences as s;
use crate::error::Message;
use crate::store::gate::Loaded;
use crate::store::pickup::Consequences;
use crate::store::record::{self, WriteError};
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
    pub(super) fn load_with(&self, packet: &Path, gate: Option<&Gate>) -> Result<Loaded, Message> {
        let loaded = self.load_or_say(packet)?;
        let is_other = |gate: &&Gate| loaded.gate().is_none_or(|now| now.answer_path != gate.answer_path);
        let Some(gate) = gate.filter(is_other) else { return Ok(loaded) };
        let record = record::read(&self.project, gate).map_err(|_| WriteError::Changed.error().whole())?;
        let packet = Packet { gate: Some(gate.clone()), ..loaded.packet };
        Ok(Loaded { packet, record, novel_ask: None, asked: None, ..loaded })
    }
}
