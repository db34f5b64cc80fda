//! The files of standing questions in a book's `questions/`. None of them, and nothing about the directory, costs more than a bounded
//! look; what cannot be asked is said, and keeps no other from being asked.

use super::copies;
use super::file::{QUESTIONS, Read, is_question_file, outside, unreadable};
use super::project::Project;
use super::rounds;
use super::scan::file::{self, Signature};
use crate::ask::standing::{self, ENDING, Span, Standing, folded, is_place_of, same_name};
use crate::ask::step::Step;
use crate::ask::{Problem, ProblemCode};
use crate::error::io_cause;
use crate::platform::paths::Shown as _;
use crate::platform::{Cause, Failure};
use crate::text::{Lang, Message, say};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

mod ahead;
mod blocking;
mod change;
mod from_gate;
mod templates;
mod upcoming;

pub(super) use ahead::gate_at;
pub use ahead::{Planned, ahead_of, ahead_path, last_answered, planned};
pub use blocking::blocked_by;
pub(super) use blocking::is_behind;
pub use change::{InLine, beside, bring_in_line};
pub use from_gate::{NewQuestion, from_gate};
pub use templates::{SETS, SetAction, TEMPLATES, Template};
pub use upcoming::{Upcoming, place_in_packet, upcoming};

/// So many of them are read.
pub const MOST: usize = 200;
/// So many names are listed.
const LISTED: usize = 10_000;
/// How long a file that is no JSON may still be in the making.
const PATIENCE: Duration = Duration::from_secs(2);
const RETRY: Duration = Duration::from_millis(50);
/// So often a command looks again: a file may be written on and on.
const TRIES: usize = 100;

/// The file of a question of this name, relative to the root.
pub fn path_of(name: &str) -> String {
    format!("{QUESTIONS}/{name}{ENDING}")
}

/// What is wrong with a question's file, or with what is in their place, by its absolute path; nothing of any other file.
pub(super) fn problems_of(project: &Project, path: &Path) -> Vec<Problem> {
    let Some(path) = path.strip_prefix(project.root()).ok().filter(|path| is_question_file(path)) else {
        return Vec::new();
    };
    let found = Questions::read(project).files.into_iter().find(|file| file.path == path);
    found.map(|file| file.problems).unwrap_or_default()
}

/// A file, and what is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionFile {
    /// That of its question.
    pub name: String,
    /// Relative to the root.
    pub path: PathBuf,
    pub modified: SystemTime,
    /// Nothing, if it cannot be asked.
    pub standing: Option<Standing>,
    pub problems: Vec<Problem>,
    /// It is no JSON and so young that it may be in the making.
    is_torn: bool,
}

/// All of them, by their names.
#[derive(Clone, Debug)]
pub struct Questions {
    pub files: Vec<QuestionFile>,
    /// Differs when a name or a file does; 0 without any.
    mark: u64,
    /// How often something in them has changed.
    changes: u64,
    /// That of the directory when it was listed, if its names are as they were then.
    listed: Option<u64>,
    names: Result<Names, Box<Problem>>,
    /// When to read them again though they look the same.
    due: Option<SystemTime>,
}

impl Default for Questions {
    /// None, and nothing known.
    fn default() -> Questions {
        let names = Ok(Names::default());
        Questions { files: Vec::new(), mark: 0, changes: 0, listed: None, names, due: None }
    }
}

impl Questions {
    /// As they are now.
    pub fn read(project: &Project) -> Questions {
        let mut questions = Questions::default();
        questions.look(project, project.disk().now());
        questions
    }

    /// Reads them again if something about them differs; true if it does. A command waits for a file that is in the making, and cannot
    /// go on before it is clear what is asked; for a console it counts as it was.
    pub(super) fn look(&mut self, project: &Project, now: SystemTime) -> bool {
        let mut is_changed = self.look_once(project, now);
        for again in 1..=TRIES {
            if !project.is_patient() || !self.files.iter().any(|file| file.is_torn) {
                break;
            }
            thread::sleep(RETRY);
            let longer = if again < TRIES { Duration::ZERO } else { PATIENCE };
            is_changed |= self.look_once(project, project.disk().now() + longer);
        }
        is_changed
    }

    fn look_once(&mut self, project: &Project, now: SystemTime) -> bool {
        let seen = file::signature_through(project, Path::new(QUESTIONS));
        if self.listed.is_none_or(|mark| mark != file::mark_of(&seen)) {
            self.names = match seen {
                Err(Failure::NOT_FOUND) => Ok(Names::default()),
                _ => list(project),
            };
            // Another name may come without a trace as long as it is fresh; what failed may work again.
            let is_certain = seen.as_ref().map_or(true, |seen| seen.fresh_for(now).is_none());
            self.listed = (is_certain && self.names.is_ok()).then_some(file::mark_of(&seen));
        }
        let names = self.names.as_ref().map(|names| names.read.as_slice()).unwrap_or_default();
        let path = |name: &String| Path::new(QUESTIONS).join(format!("{name}{ENDING}"));
        let astray = self.names.as_ref().map(|names| names.astray.clone()).unwrap_or_default();
        let mut seen: Vec<_> = names.iter().map(|name| file::signature(project, path(name))).collect();
        seen.extend(astray.iter().map(|name| file::signature(project, Path::new(QUESTIONS).join(name))));
        let mark = self.mark_of(&seen);
        if mark == self.mark && self.due.is_none_or(|due| due > now) {
            return false;
        }
        (self.mark, self.due) = (mark, None);
        let mut files = Vec::with_capacity(names.len());
        let mut known: HashMap<String, &str> = HashMap::new();
        for (name, seen) in names.iter().zip(seen) {
            // It went a moment ago.
            if matches!(seen, Err(Failure::NOT_FOUND)) {
                continue;
            }
            let mut file = read(project, name, path(name), seen, now);
            if file.is_torn {
                let before = self.files.iter().find(|file| file.name == *name);
                file.standing = before.and_then(|file| file.standing.clone());
            }
            let due = file.retry(seen, now).map(|wait| now + wait);
            self.due = [self.due, due].into_iter().flatten().min();
            if let Some((_, problem)) = copies::of(project, &file.path) {
                // What a sync program or an editor has left must not ask once more.
                file.standing = None;
                file.problems = vec![problem];
            }
            if let Some(other) = known.insert(folded(name), name) {
                file.standing = None;
                file.problems.push(same_name(&path(&other.to_owned()).shown()));
            }
            files.push(file);
        }
        match &self.names {
            Ok(names) => {
                let first = |first: &String| faulty(project, &path(first), too_many(names.rest.len()));
                files.extend(names.rest.first().map(first));
            }
            Err(problem) => files.push(faulty(project, Path::new(QUESTIONS), (**problem).clone())),
        }
        for path in astray.iter().map(|name| Path::new(QUESTIONS).join(name)) {
            files.extend(copies::of(project, &path).map(|(_, problem)| faulty(project, &path, problem)));
        }
        let is_changed = files != self.files;
        self.changes += u64::from(is_changed);
        self.files = files;
        is_changed
    }

    /// Differs when a name or a file does; 0 without any.
    fn mark_of(&self, seen: &[Result<Signature, Failure>]) -> u64 {
        let mut hasher = DefaultHasher::new();
        match &self.names {
            Ok(names) if names.read.is_empty() && names.astray.is_empty() => return 0,
            Ok(names) => (&names.read, &names.rest, &names.astray).hash(&mut hasher),
            Err(problem) => problem.sentence(Lang::En).hash(&mut hasher),
        }
        seen.iter().map(file::mark_of).collect::<Vec<_>>().hash(&mut hasher);
        hasher.finish().max(1)
    }

    /// When to look again though nothing has changed.
    pub(super) fn due(&self) -> Option<SystemTime> {
        self.due
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The questions that can be asked, in the order in which they are: what holds longer before what hangs on it, else by their names.
    pub fn standing_questions(&self) -> impl Iterator<Item = &Standing> {
        let mut all: Vec<&Standing> = self.files.iter().filter_map(|file| file.standing.as_ref()).collect();
        all.sort_by_key(|standing| Reverse(standing.rules.once_per));
        all.into_iter()
    }

    /// How many of them are on.
    pub fn count_on(&self) -> usize {
        self.standing_questions().filter(|standing| standing.rules.is_enabled).count()
    }

    pub fn standing(&self, name: &str) -> Option<&Standing> {
        self.standing_questions().find(|standing| standing.name == name)
    }

    /// The file whose records may lie at a place, relative to the root.
    pub fn owner(&self, place: &str) -> Option<&QuestionFile> {
        // Of names that begin alike, the longest.
        let owners = self.files.iter().filter(|file| is_place_of(&file.name, place));
        owners.max_by_key(|file| file.name.len())
    }

    /// A number for all that decides what is asked before a step, but for its packet; never 0.
    pub(super) fn mark_for(&self, project: &Project, step: Step, volume: u64) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.changes, volume).hash(&mut hasher);
        for (standing, span) in self.asked_before(step, volume) {
            let place = span.place(&standing.name).into();
            file::mark_of(&file::record_signature(project, &place)).hash(&mut hasher);
            // What was proposed is asked, too.
            if !standing.proposing.is_empty() {
                let rounds = rounds::place(&place);
                file::mark_of(&file::signature(project, &*rounds.lossy())).hash(&mut hasher);
            }
        }
        hasher.finish().max(1)
    }

    /// The questions for a step, off or on, each with what its answer holds for.
    pub fn asked_before(&self, step: Step, volume: u64) -> impl Iterator<Item = (&Standing, Span)> {
        self.standing_questions().filter_map(move |standing| Some((standing, standing.span(step, volume)?)))
    }
}

impl QuestionFile {
    /// How long to look away from it though it looks the same: it may be in the making, be written again without a trace, or become
    /// readable.
    fn retry(&self, seen: Result<Signature, Failure>, now: SystemTime) -> Option<Duration> {
        let is_unread = || self.problems.iter().any(|problem| problem.code == ProblemCode::Unreadable);
        let fresh = || seen.ok().and_then(|seen| seen.fresh_for(now));
        self.is_torn.then_some(RETRY).or_else(fresh).or_else(|| is_unread().then_some(PATIENCE))
    }
}

/// The names of the files: so many as are read, and the rest.
#[derive(Clone, Debug, Default)]
struct Names {
    read: Vec<String>,
    rest: Vec<String>,
    /// Whole names that are meant to be such, and are not.
    astray: Vec<String>,
}

/// What is in the directory; an error if it is nothing that can be listed.
fn list(project: &Project) -> Result<Names, Box<Problem>> {
    let problem = |cause: io::Error| {
        Box::new(match Cause::of(&cause) {
            Some(Cause::NotADirectory) => {
                let found = say("something that is no directory", "不是目录");
                Problem::new(ProblemCode::NotAFile, found, say("a directory", "目录"))
            }
            None if cause.kind() == io::ErrorKind::PermissionDenied => outside(&QUESTIONS.into()),
            _ => unreadable(&io_cause(&cause)),
        })
    };
    let (mut read, mut astray) = (Vec::new(), Vec::new());
    for entry in project.dir().read_dir(QUESTIONS).map_err(problem)?.take(LISTED) {
        let entry = entry.map_err(problem)?;
        let name = entry.file_name();
        let is_meant = |name: &str| {
            entry.file_type().is_ok_and(|kind| kind.is_file())
                && copies::original(project, &Path::new(QUESTIONS).join(name)).is_some()
        };
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
        match name.strip_suffix(ENDING) {
            Some(name) => read.push(name.to_owned()),
            None => astray.extend(is_meant(name).then(|| name.to_owned())),
        }
    }
    read.sort_unstable();
    astray.sort_unstable();
    astray.truncate(MOST);
    let rest = read.split_off(read.len().min(MOST));
    Ok(Names { read, rest, astray })
}

fn read(
    project: &Project,
    name: &str,
    path: PathBuf,
    signature: Result<Signature, Failure>,
    now: SystemTime,
) -> QuestionFile {
    let read = signature.map_err(io::Error::from).and_then(|seen| file::read(project, &path, &seen));
    let modified = signature.map_or(SystemTime::UNIX_EPOCH, |seen| seen.modified);
    let (bytes, problem, changed) = match read {
        Ok((Read::Bytes(bytes, _), read)) => (Some(bytes), None, read.changed),
        Ok((Read::Odd(problem, _), read)) => (None, Some(*problem), read.changed),
        // It is being written.
        Ok((Read::Changed, _)) => (Some(Vec::new()), None, now),
        Err(cause) => (None, Some(unreadable(&io_cause(&cause))), now),
    };
    // It may have been written since this look began.
    let is_young = now.duration_since(changed).unwrap_or_else(|ahead| ahead.duration()) < PATIENCE;
    let is_torn = is_young && bytes.as_deref().is_some_and(standing::is_torn);
    let found = bytes.map(|bytes| standing::read(name, &bytes)).unwrap_or_default();
    let problems = found.problems.into_iter().chain(problem).filter(|_| !is_torn).collect();
    QuestionFile { name: name.to_owned(), path, modified, standing: found.standing, problems, is_torn }
}

/// What stands for a place that holds no question.
fn faulty(project: &Project, path: &Path, problem: Problem) -> QuestionFile {
    let modified = project.dir().symlink_metadata(path).and_then(|meta| meta.modified());
    QuestionFile {
        name: String::new(),
        path: path.to_path_buf(),
        modified: modified.map_or(SystemTime::UNIX_EPOCH, cap_std::time::SystemTime::into_std),
        standing: None,
        problems: vec![problem],
        is_torn: false,
    }
}

fn too_many(count: usize) -> Problem {
    let found = Message::new(
        say("{0} files behind the first {1}", "前 {1} 个之后还有 {0} 个文件"),
        &[&count.to_string(), &MOST.to_string()],
    );
    let expected = say("no more than these; the others are not asked", "不超过这个数；其余的不会提问");
    Problem::new(ProblemCode::TooLarge, found, expected)
}

#[cfg(test)]
mod tests;
