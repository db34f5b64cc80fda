//! The note beside an answer: a text field over the form, or over the review for the answer under the cursor.
//!
//! Contract:
//! * Every key keeps what is written; leaving loses nothing, and an emptied note is none.
//! * Focus, cursor and filter of the question beneath are as they were.

use super::{Form, NoteField};
use crate::ask::draft::Orphan;
use crate::console::action::Action;
use crate::console::draw::layout;
use crate::console::edit::came_back;
use crate::console::field::{Edit, TextField};
use crate::console::model::Tone;
use crate::console::screen::{Cx, Effect, FromEditor, Screen};
use crate::console::sentences as s;

impl Form {
    pub(super) fn open_note(&mut self) {
        let at = if self.in_review { self.review_question() } else { Some(self.at) };
        let text = at.and_then(|at| Some((at, self.draft.replies.get(at)?.note.lossy().into_owned())));
        self.note = text.map(|(at, text)| NoteField { at, field: TextField::new(&text, false) });
    }

    pub(super) fn act_in_note(&mut self, action: Action, cx: &mut Cx<'_>) {
        let Some(note) = &mut self.note else { return };
        let many = note.field.is_multiline();
        let (_, rows) = layout::field(cx.model, self);
        match action {
            Action::Edit(edit) => self.edit_note(edit, cx),
            Action::Up => self.edit_note(Edit::Up, cx),
            Action::Down => self.edit_note(Edit::Down, cx),
            Action::PageUp => self.edit_note(Edit::PageUp(rows), cx),
            Action::PageDown => self.edit_note(Edit::PageDown(rows), cx),
            Action::Accept if many => self.edit_note(Edit::Newline, cx),
            Action::Multiline => self.note.iter_mut().for_each(|note| note.field.set_multiline(!many)),
            Action::Editor => self.lend_note(cx),
            Action::Next if !self.in_review => self.step(true, cx),
            Action::Previous if !self.in_review => self.step(false, cx),
            action => self.close_note(action, cx),
        }
    }

    /// Gives the keys back; a click and the way to the review do what they do without a note.
    fn close_note(&mut self, action: Action, cx: &mut Cx<'_>) {
        self.note = None;
        if self.in_review && action == Action::Review {
            // Held down, the key must not submit.
            self.review.held_since = Some(cx.model.now);
        }
        self.save(cx);
        match action {
            Action::Review if !self.in_review => self.show_review(true, cx),
            Action::Point(_) => self.act(action, cx),
            _ => {}
        }
    }

    fn edit_note(&mut self, edit: Edit, cx: &mut Cx<'_>) {
        let (width, _) = layout::field(cx.model, self);
        if self.note.as_mut().is_some_and(|note| note.field.apply(edit, width)) {
            self.keep_note();
            self.save(cx);
        }
    }

    /// Puts the field's text into the draft. Taking back a choice later does not touch it.
    fn keep_note(&mut self) {
        let Some(NoteField { at, field }) = &self.note else { return };
        self.draft.replies[*at].take_note(field.text());
        for (_, was) in self.earlier.iter_mut().filter(|(place, _)| place == at) {
            was.note = field.text().into();
        }
    }

    fn lend_note(&mut self, cx: &mut Cx<'_>) {
        let Some(note) = &self.note else { return };
        let Some(id) = self.spec().questions.get(note.at).map(|question| question.id.clone()) else { return };
        let then = move |back: FromEditor, cx: &mut Cx<'_>| {
            let (text, well) = came_back(back, cx);
            let Some(text) = text else { return };
            cx.on::<Form>(|form, cx| form.take_edited_note(&id, &text, well, cx));
        };
        let text = note.field.text().to_owned();
        cx.do_next(Effect::Edit { text, ending: ".md", then: Box::new(then) });
    }

    /// The text as the author's editor left it; where it cannot be the note, it is shown with what fits no more.
    fn take_edited_note(&mut self, id: &str, text: &str, well: bool, cx: &mut Cx<'_>) {
        let asked = self.note.as_ref().and_then(|note| self.spec().questions.get(note.at));
        let same = asked.is_some_and(|question| question.id == id);
        // Editors end the last line; that line end is theirs, not the author's.
        let words = text.strip_suffix('\n').unwrap_or(text);
        match &mut self.note {
            Some(note) if same && well => {
                note.field.set_text(words);
                self.keep_note();
            }
            Some(note) if same && note.field.text() == words => {}
            _ if words.trim().is_empty() => {}
            _ => {
                self.status.orphans.insert(0, Orphan { id: id.into(), words: words.into() });
                if !well {
                    cx.say(Tone::Warn, s::EDITOR_FAILED_BESIDE);
                }
            }
        }
        self.save(cx);
    }

    /// The note being written, for the same question in a form that takes this one's place.
    pub(super) fn note_in(&self, next: &Form) -> Option<NoteField> {
        let NoteField { at, field } = self.note.as_ref()?;
        let (at, _) = next.spec().find(&self.spec().questions.get(*at)?.id)?;
        Some(NoteField { at, field: field.clone() })
    }
}
