//! The note beside an answer, while the author writes it.

use super::form::{Form, NoteField};
use super::{Model, Screen};
use crate::console::field::TextField;

impl Model {
    /// The note that is being written on the screen.
    pub fn note(&self) -> Option<&NoteField> {
        let form = self.form.as_ref().filter(|_| matches!(self.screen, Screen::Form | Screen::Review));
        form?.note.as_ref()
    }
}

impl Form {
    pub fn open_note(&mut self, at: usize) {
        let text = self.draft.replies.get(at).map(|reply| reply.note.lossy().into_owned());
        self.note = text.map(|text| NoteField { at, field: TextField::new(&text, false) });
    }

    /// Puts the field's text into the draft. Taking back a choice later does not touch it.
    pub fn keep_note(&mut self) {
        let Some(NoteField { at, field }) = &self.note else { return };
        self.draft.replies[*at].take_note(field.text());
        for (_, was) in self.earlier.iter_mut().filter(|(place, _)| place == at) {
            was.note = field.text().into();
        }
    }

    /// The note being written, for the same question in a form that takes this one's place.
    pub(super) fn note_in(&self, next: &Form) -> Option<NoteField> {
        let NoteField { at, field } = self.note.as_ref()?;
        let (at, _) = next.spec().find(&self.spec().questions.get(*at)?.id)?;
        Some(NoteField { at, field: field.clone() })
    }
}
