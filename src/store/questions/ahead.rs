//! What standing questions are ahead of a step, and which answers there are. A step may be answered before it has a packet: the gate
//! that the packet will carry goes by a name of its own until then.

use super::{LISTED, Questions, path_of};
use crate::ask::standing::{ENDING, FOLDER, Span, Standing};
use crate::ask::step::Step;
use crate::ask::{Gate, JsString};
use crate::platform::paths::Shown as _;
use crate::store::checkpoint;
use crate::store::project::Project;
use crate::store::record::{self, Record};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// So many records of a question are read to find its last answer.
const NEWEST: usize = 4;

/// A question of a step.
#[derive(Debug)]
pub struct Planned<'q> {
    pub standing: &'q Standing,
    pub span: Span,
    /// `None` if it cannot be read.
    pub record: Option<Record>,
}

impl Planned<'_> {
    /// Whether it can be answered before the step has a packet: nobody approves of what is not there yet.
    pub fn can_be_decided(&self) -> bool {
        self.standing.rules.is_enabled && !self.standing.spec.is_verdict()
    }

    pub fn is_answered(&self) -> bool {
        self.record.as_ref().is_some_and(|record| record.valid().is_some())
    }
}

/// The name of the gate that a question is to be before a step, without a packet, relative to the root. It lies below a file, so no file can have it.
pub fn ahead_path(name: &str, step: Step) -> PathBuf {
    Path::new(&path_of(name)).join(step.to_string())
}

/// The question and the step that such a name is made of.
pub fn ahead_of(project: &Project, path: &Path) -> Option<(String, Step)> {
    let (file, step) = (path.parent()?, path.file_name()?.to_str()?);
    let name = file.file_name()?.to_str()?.strip_suffix(ENDING)?;
    let is_there = project.root().join(path_of(name)) == file;
    Some((name.to_owned(), Step::parse(step)?)).filter(|_| is_there)
}

/// The questions for a step, off or on, in the order in which they are asked; and whether the checkpoint has passed the step.
pub fn planned<'q>(project: &Project, questions: &'q Questions, step: Step) -> (Vec<Planned<'q>>, bool) {
    let checkpoint = checkpoint::now(project);
    let all = questions.asked_before(step, checkpoint.volume());
    let planned = all.map(|(standing, span)| {
        let record = record::read(project, &gate_at(standing, &span.place(&standing.name))).ok();
        Planned { standing, span, record }
    });
    (planned.collect(), checkpoint.has_passed(&step.to_string().as_str().into()))
}

/// When each question was answered last, as the record says, by its name; nothing of those without a valid record among their newest.
pub fn last_answered(project: &Project, questions: &Questions) -> HashMap<String, JsString> {
    let mut places: HashMap<&str, Vec<(SystemTime, String)>> = HashMap::new();
    for (place, modified) in places_of_records(project) {
        if let (Some(file), Some(modified)) = (questions.owner(&place), modified) {
            places.entry(&file.name).or_default().push((modified, place));
        }
    }
    let last = |standing: &Standing| {
        let mut places = places.get(&*standing.name)?.clone();
        places.sort_unstable_by_key(|(modified, _)| Reverse(*modified));
        let mut records = places.iter().take(NEWEST).filter_map(|(_, place)| {
            let record = record::read(project, &gate_at(standing, place)).ok()?;
            Some(record.valid()?.answered_at.clone())
        });
        records.next()
    };
    let found = questions.standing_questions().filter_map(|it| Some((it.name.clone(), last(it)?)));
    found.collect()
}

/// What lies where the records of standing questions lie, relative to the root, each with its time.
pub(super) fn places_of_records(project: &Project) -> impl Iterator<Item = (String, Option<SystemTime>)> {
    let entries = project.dir().read_dir(FOLDER).into_iter().flatten().take(LISTED).flatten();
    entries.map(|entry| {
        let modified = entry.metadata().and_then(|meta| meta.modified()).ok();
        let place = format!("{FOLDER}/{}", entry.file_name().shown());
        (place, modified.map(cap_std::time::SystemTime::into_std))
    })
}

pub(in crate::store) fn gate_at(standing: &Standing, place: &str) -> Gate {
    Gate { spec: Arc::clone(&standing.spec), answer_path: place.into() }
}
