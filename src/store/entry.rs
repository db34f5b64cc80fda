//! A gate as the inbox lists it: what is known of a packet without opening it again.

use super::collision::Collision;
use super::gate::Status;
use super::safe_path::Refusal;
use crate::ask::{JsString, Problem};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// A packet and the state of its gate. Its strings are exactly those of the files: hostile until they are cleaned.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The packet's file, relative to the root.
    pub path: Arc<Path>,
    /// The step id.
    pub step: Option<JsString>,
    /// What the questions are about.
    pub topic: Option<JsString>,
    /// Who runs the step.
    pub agent: Option<JsString>,
    /// Where the record goes, as the packet spells it; `None` without a usable gate.
    pub answer_path: Option<JsString>,
    /// Who answered; only of a valid record.
    pub answered_by: Option<JsString>,
    /// The state of the gate.
    pub status: Status,
    /// Behind the checkpoint: the executor has passed the step.
    pub past: bool,
    /// The packet or its record is being written at this moment; what is shown is the state before.
    pub being_written: bool,
    /// How many questions the gate asks.
    pub questions: usize,
    /// How many problems the packet, if malformed, or else its record has.
    pub problems: usize,
    /// The first of them.
    pub first_problem: Option<Box<Problem>>,
    /// Why no record may be written; only looked at while the gate is held up.
    pub refusal: Option<Refusal>,
    /// When the packet was last written.
    pub modified: SystemTime,
    /// When the record, good or bad, was last written.
    pub answered: Option<SystemTime>,
    /// A number for where the record lies, the same for every spelling of one place; 0 without a usable gate.
    pub(super) place: u64,
    /// A number for what is asked.
    pub(super) asked: u64,
    /// The packets whose answers go to the same place, this one included; `None` if it is the only one.
    pub collision: Option<Arc<Collision>>,
}

impl Entry {
    /// What to call it: the step id, else the file's name without `.packet.json` or `.json`.
    pub fn title(&self) -> Cow<'_, str> {
        self.step.as_ref().map_or_else(|| self.stem(), JsString::display)
    }

    /// The file's name without `.packet.json` or `.json`.
    pub fn stem(&self) -> Cow<'_, str> {
        let stem = |name: &str| {
            let name = name.strip_suffix(".json").unwrap_or(name);
            name.strip_suffix(".packet").unwrap_or(name).len()
        };
        match self.path.file_name().unwrap_or_default().to_string_lossy() {
            Cow::Borrowed(name) => Cow::Borrowed(&name[..stem(name)]),
            Cow::Owned(name) => Cow::Owned(name[..stem(&name)].to_owned()),
        }
    }

    /// The other packets whose answers go to the same place, by path, and whether each asks the same.
    pub fn others(&self) -> impl Iterator<Item = (&Path, bool)> {
        let members = self.collision.iter().flat_map(|collision| collision.members());
        let others = members.filter(|member| member.path != self.path);
        others.map(|member| (&*member.path, member.asked == self.asked))
    }

    /// Whether another packet wants other answers at the same place: one record cannot serve both.
    pub fn is_conflict(&self) -> bool {
        self.collision.as_ref().is_some_and(|collision| collision.is_conflict())
    }

    /// Whether another packet asks the very same at the same place: both are one gate.
    pub fn is_one_gate(&self) -> bool {
        self.collision.is_some() && !self.is_conflict()
    }

    /// Whether this is one gate with a packet that is counted for it.
    pub fn is_repeated(&self) -> bool {
        let first = self.collision.iter().flat_map(|collision| collision.members()).next();
        self.is_one_gate() && first.is_some_and(|first| first.path != self.path)
    }

    /// Whether the step may not run until somebody acts.
    pub fn held_up(&self) -> bool {
        matches!(self.status, Status::Waiting | Status::Blocked)
    }

    /// Whether the record lies at this path (relative to the root) or below it.
    pub(super) fn answers_under(&self, path: &Path) -> bool {
        // Only spellings without escapes can be compared by their letters; the reconcile finds the others.
        let Some(answer) = self.answer_path.as_ref().and_then(JsString::as_str) else { return false };
        let answer = Path::new(answer);
        answer.strip_prefix(".").unwrap_or(answer).starts_with(path)
    }

    /// The answer path as the file system is asked for it: lone surrogates as U+FFFD, as in Node.
    pub(super) fn answer_file(&self) -> Option<Cow<'_, str>> {
        self.answer_path.as_ref().map(JsString::lossy)
    }
}

/// The order of the inbox: what is behind the checkpoint last; then waiting, blocked, malformed, answered, no gate;
/// the newest first; then by path.
pub fn sort(entries: &mut [Arc<Entry>]) {
    let key = |entry: &Entry| (entry.past, rank(entry.status), Reverse(entry.modified));
    entries.sort_unstable_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path)));
}

fn rank(status: Status) -> u8 {
    match status {
        Status::Waiting => 0,
        Status::Blocked => 1,
        Status::Malformed => 2,
        Status::Answered => 3,
        Status::NoGate => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    fn entry(name: &str, status: Status, seconds: u64, past: bool) -> Arc<Entry> {
        Arc::new(Entry {
            path: Path::new("staging").join(name).into(),
            step: None,
            topic: None,
            agent: None,
            answer_path: None,
            answered_by: None,
            status,
            past,
            being_written: false,
            questions: 1,
            problems: 0,
            first_problem: None,
            refusal: None,
            modified: UNIX_EPOCH + Duration::from_secs(seconds),
            answered: None,
            place: 0,
            asked: 0,
            collision: None,
        })
    }

    #[test]
    fn its_title_is_the_step_else_the_name_of_its_file() {
        let mut lone = JsString::from("a");
        lone.push_unit(0xD800);
        let base = entry("a.packet.json", Status::Waiting, 0, false);
        assert_eq!(base.title(), "a");
        assert_eq!(Entry { step: Some(lone), ..(*base).clone() }.title(), "a‹U+D800›");
    }

    #[test]
    fn records_are_known_by_their_path_and_what_is_above() {
        let base = entry("a", Status::Waiting, 0, false);
        for spelling in ["staging/answers/a.json", "./staging//answers/./a.json"] {
            let entry = Entry { answer_path: Some(spelling.into()), ..(*base).clone() };
            assert!(entry.answers_under(Path::new("staging/answers/a.json")), "{spelling}");
            assert!(entry.answers_under(Path::new("staging/answers")), "{spelling}");
            assert!(!entry.answers_under(Path::new("staging/answers/a")), "{spelling}");
        }
    }

    #[test]
    fn the_inbox_has_one_order() {
        let mut list = vec![
            entry("free", Status::NoGate, 9, false),
            entry("old", Status::Waiting, 99, true),
            entry("done", Status::Answered, 9, false),
            entry("torn", Status::Malformed, 9, false),
            entry("b", Status::Waiting, 1, false),
            entry("bad", Status::Blocked, 9, false),
            entry("a", Status::Waiting, 1, false),
            entry("new", Status::Waiting, 5, false),
        ];
        sort(&mut list);
        let names: Vec<_> = list.iter().map(|entry| entry.stem().into_owned()).collect();
        assert_eq!(names, ["new", "a", "b", "bad", "torn", "done", "free", "old"]);
    }
}
