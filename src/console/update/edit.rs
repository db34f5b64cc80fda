//! A record in the author's own editor.
//!
//! Contract:
//! * A copy is edited; nothing is written before the author has confirmed a valid record.
//! * A text that cannot be written is kept, shown with its problems, and offered again.

use super::super::effect::{EditorEnd, Effect, FromEditor, Request};
use super::super::model::{EditVerdict, EditedRecord, Editing, Model, Over, Prompt, Screen, Tone};
use super::super::sentences as s;
use crate::text::{Sentence, say};
use std::path::PathBuf;

/// Asks for the text of the record that is shown.
pub(super) fn begin(model: &mut Model) -> Vec<Effect> {
    let Some(path) = path(model) else { return Vec::new() };
    if model.screen == Screen::Inbox {
        model.inbox.moved = true;
    }
    super::save_first(model, Request::ReadRecord(path).into())
}

/// The gate whose record is shown.
fn path(model: &Model) -> Option<PathBuf> {
    if let Some(Over::Edited(edited, _)) = &model.over {
        return Some(edited.path.clone());
    }
    match model.screen {
        Screen::Inbox => model.inbox.selected_path(),
        Screen::Form | Screen::Review => model.form.as_ref().map(|form| form.gate.path.clone()),
        Screen::Receipt | Screen::History => None,
    }
}

/// The text has been read: starts the editor.
pub(super) fn start(model: &mut Model, mut edited: EditedRecord, mut again: bool) -> Vec<Effect> {
    if let Some(Over::Edited(shown, _)) = &model.over
        && shown.path == edited.path
    {
        // The text on the screen is the newest, even if it could not be saved.
        (edited.text, again) = (shown.text.clone(), true);
    }
    if again {
        model.say(
            Tone::Plain,
            say(
                "This is the text you edited before, not the record.",
                "这是你上次编辑后保留的文本，不是记录原文。",
            ),
        );
    }
    let text = edited.text.clone();
    model.editing = Some(Editing::Record(Box::new(edited)));
    vec![Request::Edit { text, ending: ".json" }.into()]
}

/// What came back from the author's editor: a record's text, or that of a field.
pub(super) fn from_editor(model: &mut Model, back: FromEditor) -> Vec<Effect> {
    let FromEditor { text, end } = back;
    let Some(editing) = model.editing.take() else { return Vec::new() };
    let well = end == EditorEnd::Well && text.is_some();
    if !well {
        let says = if end == EditorEnd::NotFound {
            say(
                "The editor could not be started; the text is as it was. The variable EDITOR names the one to use.",
                "无法启动编辑器，文本保持原样。用环境变量 EDITOR 指定要用的编辑器。",
            )
        } else {
            s::EDITOR_FAILED
        };
        model.say(Tone::Warn, says);
    }
    match (editing, text) {
        (_, None) => Vec::new(),
        (Editing::Record(record), Some(text)) if well => {
            vec![Request::CheckEdited(Box::new(EditedRecord { text, ..*record })).into()]
        }
        (Editing::Record(record), Some(text)) => not_ended_well(model, *record, text),
        (Editing::Note(id), Some(text)) => super::note::edited(model, &id, &text, well),
        (Editing::Answer(id), Some(text)) if well => super::field::edited(model, &id, &text),
        (Editing::Answer(id), Some(text)) => super::field::not_ended_well(model, &id, &text),
    }
}

const EDITOR_FAILED_KEPT: Sentence = say(
    "The editor exited with an error; nothing was written. Your edited text is kept; {editor} opens it again.",
    "编辑器未正常结束，未写入任何内容。编辑后的文本已保留，按 {editor} 继续编辑。",
);

/// The editor failed: nothing is written, and the changed text is kept.
fn not_ended_well(model: &mut Model, record: EditedRecord, text: String) -> Vec<Effect> {
    if text == record.text {
        return Vec::new();
    }
    model.say(Tone::Warn, EDITOR_FAILED_KEPT);
    let edited = Box::new(EditedRecord { text, ..record });
    model.show_over(Over::Edited(edited.clone(), Vec::new()));
    let mut effects = vec![Effect::KeepEdited(edited)];
    effects.extend(model.load_selected());
    effects
}

/// The text from the editor has been checked.
pub(super) fn checked(model: &mut Model, edited: Box<EditedRecord>, verdict: EditVerdict) -> Vec<Effect> {
    show_verdict(model, edited, verdict);
    // The details say whether a text is kept.
    model.load_selected().into_iter().collect()
}

const EDIT_INVALID: Sentence = say(
    "The edited text is not valid yet and was not written. It is kept; {editor} opens it again.",
    "编辑后的文本还不是有效的记录，未写入，已保留。按 {editor} 继续编辑。",
);

fn show_verdict(model: &mut Model, edited: Box<EditedRecord>, verdict: EditVerdict) {
    let over = match verdict {
        EditVerdict::Unchanged => {
            model.over.take_if(|over| matches!(over, Over::Edited(..)));
            return model.say(
                Tone::Plain,
                say("The text was not changed; nothing was written.", "文本没有改动，未写入任何内容。"),
            );
        }
        EditVerdict::Valid => Over::Prompt(Prompt::WriteEdited(edited)),
        EditVerdict::Invalid(problems) => {
            model.say(Tone::Warn, EDIT_INVALID);
            Over::Edited(edited, problems)
        }
        EditVerdict::Refused(why) => {
            model.say(Tone::Bad, why);
            Over::Edited(edited, Vec::new())
        }
    };
    model.show_over(over);
}
