//! Removing a record, so that its gate waits again, and putting it back; giving a question back to its executor.
//!
//! Contract: redo acts at once, unless it needs a warning; undo acts on the selected gate, or asks and names the gate whose
//! record was removed last.

use super::detail::Undo;
use super::load::{load_selected, moved};
use crate::ask::is_another_document;
use crate::console::files::Files;
use crate::console::history::restore;
use crate::console::model::{Message, NoticeTopic, Tone};
use crate::console::prompt::Prompt;
use crate::console::say::both;
use crate::console::screen::{Cx, Effect};
use crate::console::sentences as s;
use crate::store::history::{self, MoveError};
use crate::store::record::{Record, RecordState};
use crate::store::relay;
use crate::text::{Lang, say};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Existing outputs that a warning names.
const OUTPUTS_NAMED: usize = 3;

/// What the author must know before a record is removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RedoWarning {
    /// Hash of the record that this is about.
    pub seen: String,
    /// Outputs of the step that exist already, as the packet spells them.
    pub outputs: Vec<String>,
    /// Whether the checkpoint has passed the step.
    pub past: bool,
    /// Whether what lies there is plainly another document.
    pub foreign: bool,
}

/// Removes the record of the selected gate; the store may ask for a confirmation first.
pub(super) fn redo(cx: &mut Cx<'_>) {
    let Some(entry) = cx.model.inbox.selected() else { return };
    let (path, past) = (entry.path.to_path_buf(), entry.past);
    // It stays selected, whatever its state.
    cx.model.inbox.moved = true;
    remove(path, past, None, cx);
}

/// Removes a record; if there is something that the author has not been warned about, asks him first.
fn remove(path: PathBuf, past: bool, warned: Option<String>, cx: &mut Cx<'_>) {
    cx.model.writing = Some(path.clone());
    let packet = path.clone();
    cx.ask(
        move |files| files.redo(&packet, past, warned.as_deref()),
        move |warning, cx| {
            if let Some(warning) = warning {
                confirm(path, warning, cx);
            } else {
                cx.model.inbox.redone = Some(path.clone());
                let message = say(
                    "The record is removed and kept; the gate waits again. {undo-redo} puts it back.",
                    "记录已移除并留存，门控重新等待回答。按 {undo-redo} 可恢复。",
                );
                cx.model.say_about(NoticeTopic::Redone, Tone::Good, message);
                moved(&path, cx);
            }
        },
    );
}

/// Asks about the step that has gone on, else about the other document; about each by itself.
fn confirm(path: PathBuf, warning: RedoWarning, cx: &mut Cx<'_>) {
    let title = cx.model.inbox.title_of(&path);
    let gone_on = warning.past || !warning.outputs.is_empty();
    let (asks, means) =
        if gone_on { (s::REDO_ASKS, s::REDO_MEANS) } else { (s::REDO_FOREIGN_ASKS, s::REDO_FOREIGN_MEANS) };
    let warnings = warnings(&warning);
    let yes = move |cx: &mut Cx<'_>| {
        if gone_on && warning.foreign {
            let warning = RedoWarning { outputs: Vec::new(), past: false, ..warning.clone() };
            confirm(path.clone(), warning, cx);
        } else {
            remove(path.clone(), warning.past, Some(warning.seen.clone()), cx);
        }
    };
    let prompt = Prompt::new(Message::new(asks, &[&title]), means, Arc::new(yes));
    cx.cover(Prompt { warnings, ..prompt });
}

fn warnings(warning: &RedoWarning) -> Vec<Message> {
    let (first, rest) = warning.outputs.split_at(warning.outputs.len().min(OUTPUTS_NAMED));
    let names = |lang: Lang| {
        let names = first.join(lang.comma());
        if rest.is_empty() {
            names
        } else {
            s::REDO_OUTPUTS_MORE.fill(lang, &[&names, &rest.len().to_string()])
        }
    };
    let outputs =
        (!first.is_empty()).then(|| Message::in_both(|lang| s::REDO_OUTPUTS.fill(lang, &[&names(lang)])));
    let past = warning.past.then(|| Message::from(s::REDO_PAST));
    outputs.into_iter().chain(past).collect()
}

/// Restores the record that was removed at the selected gate, or ours where others have changed it. If there is none,
/// asks about the gate whose record was removed last.
pub(super) fn undo(cx: &mut Cx<'_>) {
    let inbox = &cx.model.inbox;
    let elsewhere = cx.model.redone().map(Path::to_path_buf);
    let known = inbox.current_detail().is_some();
    match (inbox.selected_path(), inbox.undo(), elsewhere) {
        (Some(path), _, _) if inbox.redone.as_ref() == Some(&path) => put_back(path, cx),
        (Some(path), Some(Undo::Redo), _) => put_back(path, cx),
        (Some(path), Some(Undo::Written { entry, .. }), _) => {
            let entry = entry.clone();
            restore::begin(entry, vec![path], cx);
        }
        (Some(path), None, _) if !known => put_back(path, cx),
        (_, _, Some(path)) => {
            let asks = Message::new(s::UNDO_ASKS, &[&inbox.title_of(&path)]);
            let yes = move |cx: &mut Cx<'_>| put_back(path.clone(), cx);
            cx.cover(Prompt::new(asks, s::UNDO_MEANS, Arc::new(yes)));
        }
        (..) => {}
    }
}

/// Puts the record of a packet's gate back that was removed last.
pub fn put_back(path: PathBuf, cx: &mut Cx<'_>) {
    let packet = path.clone();
    cx.ask(
        move |files| files.undo(&packet),
        move |(), cx| {
            cx.model.inbox.redone = None;
            let says =
                say("The removed record of {0} is back, byte for byte.", "已原样恢复 {0} 移除的记录。");
            let title = cx.model.inbox.title_of(&path);
            cx.say(Tone::Good, Message::new(says, &[&title]));
            moved(&path, cx);
        },
    );
}

/// Gives the selected or open question back to the executor that asks it; what is answered so far is saved already.
pub(crate) fn hand_back(cx: &mut Cx<'_>) {
    let Some(path) = cx.model.relayed() else { return };
    let packet = path.clone();
    let work =
        move |files: &Files| relay::withdraw(&files.project, &packet).map_err(|error| both(s::PLAIN, &error));
    cx.ask(work, move |(), cx| handed_back(&path, cx));
}

/// The question is gone: so are its form and its row. What the author has handed back is not missed.
fn handed_back(path: &Path, cx: &mut Cx<'_>) {
    let says = if cx.model.is_orphaned() { s::TAKEN_AWAY } else { s::HANDED_BACK };
    let title = cx.model.inbox.title_of(path);
    cx.say(Tone::Good, Message::new(says, &[&title]));
    cx.model.left.take_if(|form| form.gate.path == path);
    cx.go_home();
    let inbox = &mut cx.model.inbox;
    let left: Vec<_> = inbox.entries.iter().filter(|entry| *entry.path != *path).cloned().collect();
    let complete = inbox.complete;
    inbox.take(&left, complete);
    load_selected(cx);
    cx.do_next(Effect::Look);
    cx.is_authors = true;
}

impl Files {
    /// Removes a record, unless the author must know something first. `past` says whether the checkpoint has passed its step,
    /// `warned` names the record that he was warned about.
    pub fn redo(
        &self,
        path: &Path,
        past: bool,
        warned: Option<&str>,
    ) -> Result<Option<RedoWarning>, Message> {
        let loaded = self.load_or_say(path)?;
        let seen = loaded.record.sha256();
        match warned {
            Some(warned) if warned != seen => return Err(both(s::PLAIN, &MoveError::Changed.error())),
            Some(_) => {}
            None => {
                let outputs = loaded.outputs(&self.project).into_iter();
                let made = outputs.filter(|output| output.modified.is_some());
                let outputs = made.map(|output| output.path.display().into_owned()).collect();
                let foreign = loaded.record.is_read() && is_foreign(&loaded.record);
                let warning = RedoWarning { seen, outputs, past, foreign };
                if loaded.record.exists() && (past || foreign || !warning.outputs.is_empty()) {
                    return Ok(Some(warning));
                }
            }
        }
        history::redo(&self.project, &self.state, &loaded, self.clock.now())
            .map(|_| None)
            .map_err(|error| both(s::PLAIN, &error))
    }

    fn undo(&self, path: &Path) -> Result<(), Message> {
        let loaded = self.load_or_say(path)?;
        history::undo(&self.project, &self.state, &loaded, self.clock.now())
            .map(drop)
            .map_err(|error| both(s::PLAIN, &error))
    }
}

fn is_foreign(record: &Record) -> bool {
    matches!(record.state, RecordState::Invalid(_)) && is_another_document(&record.bytes)
}
