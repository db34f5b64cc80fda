//! One line of the inbox: a packet and the state of its gate, small enough to keep a hundred thousand of them.
//!
//! Responsible for what is known of a packet without opening it again, and for the order of the inbox. Not responsible
//! for finding it out (`scan`).

use super::collision::Collision;
use super::gate::Status;
use super::safe_path::Refusal;
use crate::ask::json::Json;
use crate::ask::{JsString, Problem};
use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A packet below `staging/`.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub(super) folder: Arc<Path>,
    pub(super) name: Arc<OsStr>,
    pub(super) words: Words,
    /// The state of the gate.
    pub status: Status,
    /// Behind the checkpoint: the executor has passed the step.
    pub past: bool,
    /// The packet or its record is being written at this moment; what is shown is the state before.
    pub being_written: bool,
    /// How many questions the gate asks.
    pub questions: u32,
    /// How many problems the packet, if malformed, or else its record has.
    pub problems: u32,
    /// The first of them.
    pub first_problem: Option<Box<Problem>>,
    /// Why no record may be written; only looked at while the gate is held up.
    pub refusal: Option<Refusal>,
    /// When the packet was last written.
    pub modified: SystemTime,
    /// When the record, good or bad, was last written.
    pub answered: Option<SystemTime>,
    pub(super) shared: Shared,
    /// The packets whose answers go to the same place, this one included; `None` if it is the only one.
    pub collision: Option<Arc<Collision>>,
}

/// What tells whether two packets share a gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shared {
    /// A number for where the record lies; 0 without a usable gate.
    pub(super) place: u64,
    /// A number for what is asked.
    pub(super) asked: u64,
}

/// The strings of an entry in one allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    text: Box<str>,
    ends: [u32; WORDS],
    there: u8,
    /// Strings with lone surrogates are kept in their JSON form.
    json: u8,
}

const WORDS: usize = 5;
const STEP: usize = 0;
const TOPIC: usize = 1;
const AGENT: usize = 2;
const ANSWER_PATH: usize = 3;
const ANSWERED_BY: usize = 4;

/// The strings that go into [`Words`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Loose<'w> {
    pub(super) step: Option<&'w JsString>,
    pub(super) topic: Option<&'w JsString>,
    pub(super) agent: Option<&'w JsString>,
    pub(super) answer_path: Option<&'w JsString>,
    pub(super) answered_by: Option<&'w JsString>,
}

impl Words {
    pub(super) fn pack(loose: Loose<'_>) -> Words {
        let mut text = String::new();
        let mut words = Words::default();
        let all = [loose.step, loose.topic, loose.agent, loose.answer_path, loose.answered_by];
        for (i, word) in all.into_iter().enumerate() {
            if let Some(word) = word {
                words.there |= 1 << i;
                if let Some(plain) = word.as_str() {
                    text.push_str(plain);
                } else {
                    words.json |= 1 << i;
                    word.write_json(&mut text);
                }
            }
            words.ends[i] = u32::try_from(text.len()).unwrap_or(u32::MAX);
        }
        words.text = text.into_boxed_str();
        words
    }

    fn raw(&self, i: usize) -> Option<&str> {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        (self.there & (1 << i) != 0).then(|| self.text.get(start..self.ends[i] as usize).unwrap_or_default())
    }

    fn exact(&self, i: usize) -> Option<JsString> {
        let raw = self.raw(i)?;
        if self.json & (1 << i) == 0 {
            return Some(raw.into());
        }
        Json::parse(raw.as_bytes()).ok()?.root().string()
    }

    fn shown(&self, i: usize) -> Option<Cow<'_, str>> {
        if self.json & (1 << i) == 0 {
            return self.raw(i).map(Cow::Borrowed);
        }
        Some(Cow::Owned(self.exact(i)?.display().into_owned()))
    }
}

impl Entry {
    /// Path relative to the root.
    pub fn path(&self) -> PathBuf {
        self.folder.join(&*self.name)
    }

    /// Path relative to the root, for people; hostile text until it is cleaned.
    pub fn shown_path(&self) -> String {
        self.path().to_string_lossy().into_owned()
    }

    /// Whether this is the packet at that path (relative to the root).
    pub fn is_at(&self, path: &Path) -> bool {
        path.file_name() == Some(&*self.name) && path.parent() == Some(&*self.folder)
    }

    /// The file's name without `.packet.json` or `.json`, for packets that name no step.
    pub fn stem(&self) -> Cow<'_, str> {
        let name = self.name.to_string_lossy();
        let end = name.strip_suffix(".json").map_or(name.len(), str::len);
        let end = name[..end].strip_suffix(".packet").map_or(end, str::len);
        match name {
            Cow::Borrowed(name) => Cow::Borrowed(&name[..end]),
            Cow::Owned(name) => Cow::Owned(name[..end].to_owned()),
        }
    }

    /// The step id, exactly.
    pub fn step(&self) -> Option<JsString> {
        self.words.exact(STEP)
    }

    /// What the questions are about, exactly.
    pub fn topic(&self) -> Option<JsString> {
        self.words.exact(TOPIC)
    }

    /// Who runs the step, exactly.
    pub fn agent(&self) -> Option<JsString> {
        self.words.exact(AGENT)
    }

    /// Where the record goes, exactly as the packet spells it; `None` without a usable gate.
    pub fn answer_path(&self) -> Option<JsString> {
        self.words.exact(ANSWER_PATH)
    }

    /// Who answered, exactly; only of a valid record.
    pub fn answered_by(&self) -> Option<JsString> {
        self.words.exact(ANSWERED_BY)
    }

    /// The step id for people; hostile text until it is cleaned, like all that follow.
    pub fn shown_step(&self) -> Option<Cow<'_, str>> {
        self.words.shown(STEP)
    }

    /// The topic for people.
    pub fn shown_topic(&self) -> Option<Cow<'_, str>> {
        self.words.shown(TOPIC)
    }

    /// The agent for people.
    pub fn shown_agent(&self) -> Option<Cow<'_, str>> {
        self.words.shown(AGENT)
    }

    /// Who answered, for people.
    pub fn shown_answered_by(&self) -> Option<Cow<'_, str>> {
        self.words.shown(ANSWERED_BY)
    }

    /// The other packets whose answers go to the same place, by path, and whether each asks the same.
    pub fn others(&self) -> impl Iterator<Item = (&Path, bool)> {
        let members = self.collision.iter().flat_map(|collision| collision.members());
        let others = members.filter(|member| !self.is_at(&member.path));
        others.map(|member| (&*member.path, member.asked == self.shared.asked))
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
        self.is_one_gate() && first.is_some_and(|first| !self.is_at(&first.path))
    }

    /// Whether the step may not run until somebody acts.
    pub fn held_up(&self) -> bool {
        matches!(self.status, Status::Waiting | Status::Blocked)
    }

    /// Whether the record lies at this path (relative to the root) or below it.
    pub(super) fn answers_under(&self, path: &Path) -> bool {
        // Only spellings without escapes can be compared by their letters; the reconcile finds the others.
        let Some(answer) = self.words.raw(ANSWER_PATH) else { return false };
        let answer = Path::new(answer);
        answer.strip_prefix(".").unwrap_or(answer).starts_with(path)
    }

    /// The answer path as the file system is asked for it: lone surrogates as U+FFFD, as in Node.
    pub(super) fn answer_file(&self) -> Option<Cow<'_, str>> {
        if self.words.json & (1 << ANSWER_PATH) == 0 {
            return self.words.raw(ANSWER_PATH).map(Cow::Borrowed);
        }
        Some(Cow::Owned(self.answer_path()?.lossy().into_owned()))
    }

    fn order(&self, other: &Entry) -> Ordering {
        let key = |entry: &Entry| (entry.past, rank(entry.status), Reverse(entry.modified));
        let paths = || self.folder.cmp(&other.folder).then_with(|| self.name.cmp(&other.name));
        key(self).cmp(&key(other)).then_with(paths)
    }
}

/// The order of the inbox: what is behind the checkpoint last; then waiting, blocked, malformed, answered, no gate;
/// the newest first; then by path.
pub fn sort(entries: &mut [Arc<Entry>]) {
    entries.sort_unstable_by(|a, b| a.order(b));
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
            folder: Path::new("staging").into(),
            name: OsStr::new(name).into(),
            words: Words::default(),
            status,
            past,
            being_written: false,
            questions: 1,
            problems: 0,
            first_problem: None,
            refusal: None,
            modified: UNIX_EPOCH + Duration::from_secs(seconds),
            answered: None,
            shared: Shared::default(),
            collision: None,
        })
    }

    #[test]
    fn words_come_back_exactly() {
        let mut lone = JsString::from("a");
        lone.push_unit(0xD800);
        let path = JsString::from("staging/\u{1b}回答.json");
        let words = Words::pack(Loose { topic: Some(&lone), answer_path: Some(&path), ..Loose::default() });
        let entry = Entry { words, ..(*entry("a.packet.json", Status::Waiting, 0, false)).clone() };
        assert_eq!(entry.topic(), Some(lone));
        assert_eq!(entry.shown_topic().unwrap(), "a‹U+D800›");
        assert_eq!(entry.answer_path(), Some(path));
        assert_eq!((entry.step(), entry.agent(), entry.answered_by()), (None, None, None));
        assert_eq!(entry.stem(), "a");
        assert_eq!(entry.path(), Path::new("staging/a.packet.json"));
        assert!(entry.is_at(Path::new("staging/a.packet.json")));
    }

    #[test]
    fn records_are_known_by_their_path_and_what_is_above() {
        let words = |path: &str| Words::pack(Loose { answer_path: Some(&path.into()), ..Loose::default() });
        let base = entry("a", Status::Waiting, 0, false);
        for spelling in ["staging/answers/a.json", "./staging//answers/./a.json"] {
            let entry = Entry { words: words(spelling), ..(*base).clone() };
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

    #[test]
    fn an_entry_is_small() {
        assert!(size_of::<Entry>() <= 176, "{}", size_of::<Entry>());
    }
}
