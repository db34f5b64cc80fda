//! Reading the files of standing questions, and what else the rows of their screen are about.

use super::view::{FileRow, Row, SetRow};
use crate::ask::JsString;
use crate::ask::locations;
use crate::console::files::Files;
use crate::console::model::Entry;
use crate::store::clock::time_of;
use crate::store::questions::{QuestionFile, Questions, SETS, TEMPLATES, from_gate, last_answered, path_of};
use std::path::Path;
use std::sync::Arc;

/// Where the author's text of a file is kept while it is not in its place.
pub(super) fn key(name: &str) -> JsString {
    path_of(name).as_str().into()
}

impl Files {
    /// All rows, in their order. What the gate of a packet asks is among them, if it can be asked again; `entries` are all gates.
    pub(super) fn read_questions(&self, packet: Option<&Path>, entries: &[Arc<Entry>]) -> Vec<Row> {
        let questions = Questions::read(&self.project);
        let loaded = packet.and_then(|packet| self.load(packet).ok());
        let gate = loaded.and_then(|loaded| from_gate(&questions, &loaded));
        let last = last_answered(&self.project, &questions);
        let files = questions.files.iter().map(|file| {
            let answered = last.get(&file.name).and_then(|at| time_of(&at.lossy()));
            Row::File(Arc::new(self.file_row(&questions, file, answered)))
        });
        let steps = self.steps_to_come(&questions, entries);
        let templates = TEMPLATES.iter().filter(|template| questions.taken(template.name).is_none());
        let sets: Vec<Row> = SETS.into_iter().map(|set| set_row(&questions, set)).collect();
        // Whoever has said nothing yet is asked that first.
        let (first, last) = if questions.is_empty() { (sets, Vec::new()) } else { (Vec::new(), sets) };
        let gate = gate.map(|gate| Row::Gate(Arc::new(gate)));
        gate.into_iter()
            .chain(first)
            .chain(files)
            .chain(steps)
            .chain(templates.map(Row::Template))
            .chain(last)
            .collect()
    }

    fn file_row(
        &self,
        questions: &Questions,
        file: &QuestionFile,
        answered: Option<std::time::SystemTime>,
    ) -> FileRow {
        let is_named = !file.name.is_empty();
        let bytes = || questions.bytes(&self.project, &file.name).ok();
        let bytes = (is_named && !file.problems.is_empty()).then(bytes).flatten();
        FileRow {
            file: file.clone(),
            places: bytes.map(|bytes| locations(&bytes, &file.problems)).unwrap_or_default(),
            answered,
            is_edited: is_named && self.edited(&key(&file.name)).is_some(),
        }
    }
}

fn set_row(questions: &Questions, name: &'static str) -> Row {
    let has = TEMPLATES.iter().filter(|template| template.sets.contains(&name)).collect();
    Row::Set(SetRow { name, has, plan: questions.plan(name) })
}
