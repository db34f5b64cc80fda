//! What is no gate, and is shown among them all the same: a copy of a packet, a packet under a wrong name, and a checkpoint
//! that cannot be read.

use crate::ask::Problem;
use crate::store::checkpoint::CheckpointFile;
use crate::store::copies;
use crate::store::entry::{Entry, Note};
use crate::store::file::is_question_file;
use crate::store::project::Project;
use crate::text::say;
use std::path::Path;
use std::time::SystemTime;

/// A packet without a gate, and what in it is meant for one.
pub(super) fn of_misspelt(entry: Entry, problems: &[Problem]) -> Entry {
    let Some(first) = problems.first() else { return entry };
    Entry { problems: problems.len(), ..noted(Note::Misspelt, first.clone(), entry) }
}

fn noted(note: Note, problem: Problem, entry: Entry) -> Entry {
    Entry { note: Some(note), problems: 1, first_problem: Some(Box::new(problem)), ..entry }
}

/// What is shown in place of a packet that is a copy, or that no executor finds by its name.
pub(super) fn of_copy(project: &Project, entry: &Entry) -> Option<Entry> {
    // A question under a wrong name is a file with a mistake: no executor would look for it.
    let is_shown = |(note, _): &(Note, Problem)| *note == Note::Copy || !is_question_file(&entry.path);
    let (note, problem) = copies::of(project, &entry.path).filter(is_shown)?;
    let blank = Entry::of_nothing(entry.path.clone(), entry.modified);
    let Entry { step, topic, agent, .. } = entry.clone();
    let named = if note == Note::Misnamed { Entry { step, topic, agent, ..blank } } else { blank };
    Some(noted(note, problem, Entry { past: entry.past, ..named }))
}

/// What is shown of a checkpoint that cannot be read.
pub(super) fn of_checkpoint(file: &CheckpointFile) -> Option<Entry> {
    let hint = say(
        "Until it can be read, what it said before holds; where nothing is known of that, no step counts as done.",
        "读得出之前，按它之前的内容算；之前也不知道的，就当没有步骤完成。",
    );
    let fault = file.fault()?;
    let fault = Problem { hint: fault.hint.clone().or_else(|| Some(hint.into())), ..fault.clone() };
    let modified = file.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    Some(noted(Note::Checkpoint, fault, Entry::of_nothing(Path::new(".checkpoint.json").into(), modified)))
}
