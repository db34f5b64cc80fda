//! A gate as the inbox lists it: what is known of a packet without opening it again.

use super::clock::time_of;
use super::file::is_question_file;
pub use super::note::Note;
use super::reply::Reply;
use super::safe_path::Refusal;
use crate::ask::{Caller, JsString, Loss, Problem, step};
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::text::{Sentence, say};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The state of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// The packet carries no gate: the step is free to run.
    NoGate,
    Waiting,
    /// A record is there and is invalid.
    Blocked,
    /// The packet itself cannot be used.
    Malformed,
    /// There is no record, and the author has sent the step back.
    SentBack,
    /// A valid record is there.
    Answered,
}

impl Status {
    /// The state in a word, for people.
    pub const fn word(self) -> Sentence {
        match self {
            Status::Waiting => say("waiting", "等待"),
            Status::Blocked => say("blocked", "受阻"),
            Status::SentBack => say("sent back", "已退回"),
            Status::Malformed => say("malformed", "指令包有误"),
            Status::Answered => say("answered", "已回答"),
            Status::NoGate => say("no gate", "无门控"),
        }
    }

    /// Stable name for programs: `open` for an open step, with and without a gate.
    pub fn name(self) -> &'static str {
        match self {
            Status::NoGate | Status::Answered => "open",
            Status::Waiting => "waiting",
            Status::Blocked => "blocked",
            Status::SentBack => "sent-back",
            Status::Malformed => "malformed",
        }
    }

    pub fn exit(self) -> ExitCode {
        match self {
            Status::NoGate | Status::Answered => ExitCode::Done,
            Status::Waiting | Status::SentBack => ExitCode::Waiting,
            Status::Blocked => ExitCode::Blocked,
            Status::Malformed => ExitCode::Malformed,
        }
    }
}

/// A packet and the state of its gate. Its strings are exactly those of the files: hostile until they are cleaned.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The packet's file, relative to the root.
    pub path: Arc<Path>,
    pub step: Option<JsString>,
    pub topic: Option<JsString>,
    pub agent: Option<JsString>,
    /// Of a question of an executor's own: who asks it.
    pub caller: Option<Box<Caller>>,
    /// Where the record goes, as the packet spells it; `None` without a usable gate.
    pub answer_path: Option<JsString>,
    /// Who answered; only of a valid record.
    pub answered_by: Option<JsString>,
    /// When, as a valid record says, and that time.
    pub answered_at: Option<JsString>,
    pub answered: Option<SystemTime>,
    pub status: Status,
    /// Behind the checkpoint: the executor has passed the step.
    pub past: bool,
    /// The packet or its record is being written at this moment; what is shown is the state before.
    pub being_written: bool,
    pub questions: usize,
    /// Why a file without a gate is shown all the same; the first problem says more.
    pub note: Option<Note>,
    /// What of the packet, or of a valid record, is lost.
    pub loss: Option<Loss>,
    /// How many problems the packet, if malformed or without a gate, or else its record has.
    pub problems: usize,
    pub first_problem: Option<Box<Problem>>,
    /// Why no record may be written; only looked at while the gate is held up.
    pub refusal: Option<Refusal>,
    /// What the author gave in place of an answer, while what he refused is as it was.
    pub sent_back: Option<Arc<Reply>>,
    pub modified: SystemTime,
    /// When the record's file, good or bad, was last written.
    pub record_modified: Option<SystemTime>,
    /// A number for where the record lies, the same for every spelling of one place; 0 without a usable gate.
    pub(super) place: u64,
    /// A number for what is asked.
    pub(super) asked: u64,
    /// A number for the questions alone, whatever their topic; only within one run of the program.
    pub question_hash: u64,
    /// The packet's file does not say so yet: somebody has to attach a standing question, or to take one out.
    pub is_unattached: bool,
    /// The questions to which its executor proposes options, by their ids, each with its newest round; 0 before the first.
    pub rounds: Vec<(String, usize)>,
    /// The packets whose answers go to the same place, this one included; `None` if it is the only one.
    pub collision: Option<Arc<Collision>>,
}

/// Packets with one place for their records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    /// Those that the checkpoint has not passed first, then by path.
    members: Vec<Member>,
    /// Whether they do not all ask the same.
    is_conflict: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub path: Arc<Path>,
    pub(super) asked: u64,
}

impl Entry {
    /// A file of which nothing is known.
    pub fn of_nothing(path: Arc<Path>, modified: SystemTime) -> Entry {
        Entry {
            path,
            step: None,
            topic: None,
            agent: None,
            caller: None,
            answer_path: None,
            answered_by: None,
            answered_at: None,
            answered: None,
            status: Status::NoGate,
            past: false,
            being_written: false,
            note: None,
            questions: 0,
            loss: None,
            problems: 0,
            first_problem: None,
            refusal: None,
            sent_back: None,
            modified,
            record_modified: None,
            place: 0,
            asked: 0,
            question_hash: 0,
            is_unattached: false,
            rounds: Vec::new(),
            collision: None,
        }
    }

    /// What to call it: the step id, else the file's name without `.packet.json` or `.json`.
    pub fn title(&self) -> Cow<'_, str> {
        self.step.as_ref().map_or_else(|| self.stem().into(), JsString::display)
    }

    /// The file's name without `.packet.json` or `.json`.
    pub fn stem(&self) -> String {
        stem(&self.path)
    }

    /// Whether it is no packet, but the file of a standing question with something wrong in it.
    pub fn is_question_file(&self) -> bool {
        is_question_file(&self.path)
    }

    /// Whether options have come since it was as `before`, to a question that waited for them even then.
    pub fn has_newer_round_than(&self, before: &Entry) -> bool {
        let is_newer =
            |(id, round): &(String, usize)| before.rounds.iter().any(|(it, was)| it == id && was < round);
        self.rounds.iter().any(is_newer)
    }

    /// The packets that are one gate with this one, itself first.
    pub fn same_gate(&self) -> impl Iterator<Item = &Path> {
        let others = self.others().filter(|(_, agrees)| *agrees).map(|(path, _)| path);
        std::iter::once(&*self.path).chain(others)
    }

    /// The other packets whose answers go to the same place, by path, and whether each asks the same.
    pub fn others(&self) -> impl Iterator<Item = (&Path, bool)> {
        let members = self.collision.iter().flat_map(|collision| &collision.members);
        let others = members.filter(|member| member.path.as_os_str() != self.path.as_os_str());
        others.map(|member| (&*member.path, member.asked == self.asked))
    }

    /// How many they are.
    pub fn other_count(&self) -> usize {
        self.collision.as_ref().map_or(0, |collision| collision.members.len() - 1)
    }

    /// So many of them that ask the same, and so many that do not: thousands of packets that share a place are not all named
    /// beside each of them.
    pub fn some_others(&self, most: usize) -> impl Iterator<Item = (&Path, bool)> {
        let which = move |wanted: bool| self.others().filter(move |(_, agrees)| *agrees == wanted).take(most);
        which(false).chain(which(true))
    }

    /// Whether another packet wants other answers at the same place: one record cannot serve both.
    pub fn is_conflict(&self) -> bool {
        self.collision.as_ref().is_some_and(|collision| collision.is_conflict)
    }

    /// Whether another packet asks the very same at the same place: both are one gate.
    pub fn is_one_gate(&self) -> bool {
        self.collision.is_some() && !self.is_conflict()
    }

    /// Whether this is one gate with a packet that is counted for it.
    pub fn is_repeated(&self) -> bool {
        self.is_one_gate()
            && self.collision.as_ref().is_some_and(|collision| collision.members[0].path != self.path)
    }

    /// The time that belongs to its state, shown and sorted by: when it was answered, if nobody can say when the record was
    /// written, else when the packet was.
    pub fn time(&self) -> SystemTime {
        self.record_time().unwrap_or(self.modified)
    }

    fn record_time(&self) -> Option<SystemTime> {
        let sent = self.sent_back.as_ref().and_then(|reply| time_of(&reply.sent.at));
        self.answered.or(self.record_modified).or(sent).filter(|_| self.status != Status::Waiting)
    }

    /// Whether the step may not run until somebody acts.
    pub fn held_up(&self) -> bool {
        matches!(self.status, Status::Waiting | Status::Blocked | Status::SentBack)
    }

    /// Whether it is meant for a gate that the executor does not see: its step may start without asking.
    pub fn is_unseen(&self) -> bool {
        matches!(self.note, Some(Note::Misspelt | Note::Misnamed))
    }

    /// Whether there is no record yet, and the checkpoint has not passed the step.
    pub fn waits(&self) -> bool {
        self.status == Status::Waiting && !self.past
    }
}

/// A packet's file name without `.packet.json` or `.json`.
pub fn stem(packet: &Path) -> String {
    let name = packet.file_name().unwrap_or_default().shown();
    let name = name.strip_suffix(".json").unwrap_or(&name);
    name.strip_suffix(".packet").unwrap_or(name).to_owned()
}

/// Files with less than this between one and the next were written together.
const TOGETHER: Duration = Duration::from_secs(10);

/// The order of every list of gates: what is behind the checkpoint last; then waiting, blocked, malformed, sent back, answered,
/// no gate; what was written together in the order of the book, then by path, the newest of such batches first.
pub fn sort(entries: &mut Vec<Arc<Entry>>) {
    let as_malformed = |entry: &Entry| if entry.note.is_some() { Status::Malformed } else { entry.status };
    // Over all states: a gate that is answered does not part those that it was written with.
    let packets = batches(entries.iter().map(|entry| entry.modified));
    let records = batches(entries.iter().filter_map(|entry| entry.record_time()));
    let start = |starts: &[SystemTime], time| starts[starts.partition_point(|start| *start <= time) - 1];
    let batch = |entry: &Entry| match entry.record_time() {
        Some(time) => start(&records, time),
        None => start(&packets, entry.modified),
    };
    let key = |entry: &Entry| (entry.past, rank(as_malformed(entry)), Reverse(batch(entry)));
    // Each is visited once, and not again for every comparison.
    let mut keyed: Vec<_> = entries.iter().map(|entry| (key(entry), Arc::clone(entry))).collect();
    keyed.sort_unstable_by(|(x, a), (y, b)| {
        let by_step = || step::compare(&a.title(), &b.title());
        x.cmp(y).then_with(by_step).then_with(|| a.path.cmp(&b.path))
    });
    *entries = keyed.into_iter().map(|(_, entry)| entry).collect();
}

/// When each batch began, the oldest first.
fn batches(times: impl Iterator<Item = SystemTime>) -> Vec<SystemTime> {
    let mut times: Vec<SystemTime> = times.collect();
    times.sort_unstable();
    let is_together =
        |before: SystemTime, time: SystemTime| time.duration_since(before).is_ok_and(|gap| gap < TOGETHER);
    let mut before = None;
    times.retain(|time| !before.replace(*time).is_some_and(|before| is_together(before, *time)));
    times
}

fn rank(status: Status) -> u8 {
    match status {
        Status::Waiting => 0,
        Status::Blocked => 1,
        Status::Malformed => 2,
        Status::SentBack => 3,
        Status::Answered => 4,
        Status::NoGate => 5,
    }
}

/// The number of a place relative to the root; never 0.
pub(super) fn place_number(place: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    place.hash(&mut hasher);
    hasher.finish().max(1)
}

/// Tells packets with one place for their records of each other.
pub(super) fn mark_collisions(entries: &mut [Arc<Entry>]) {
    let places = entries.iter().enumerate().map(|(at, entry)| (entry.place, at));
    let mut places: Vec<(u64, usize)> = places.filter(|(place, _)| *place != 0).collect();
    places.sort_unstable();
    for shared in places.chunk_by(|(a, _), (b, _)| a == b).filter(|shared| shared.len() > 1) {
        // What lies in the record's own place is no other packet, but what is there instead of a record.
        let is_packet = |(place, at): &&(u64, usize)| place_number(&entries[*at].path) != *place;
        let mut group: Vec<usize> = shared.iter().filter(is_packet).map(|(_, at)| *at).collect();
        if group.len() < 2 {
            continue;
        }
        group.sort_by_key(|&at| (entries[at].past, Arc::clone(&entries[at].path)));
        let member = |&at: &usize| Member { path: Arc::clone(&entries[at].path), asked: entries[at].asked };
        let members: Vec<Member> = group.iter().map(member).collect();
        let is_conflict = members.iter().any(|member| member.asked != members[0].asked);
        let collision = Arc::new(Collision { members, is_conflict });
        for at in group {
            let marked = Entry { collision: Some(Arc::clone(&collision)), ..(*entries[at]).clone() };
            entries[at] = Arc::new(marked);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    fn entry(name: &str, status: Status, seconds: u64, past: bool) -> Arc<Entry> {
        let path = Path::new("staging").join(name).into();
        let modified = UNIX_EPOCH + Duration::from_secs(seconds);
        Arc::new(Entry { status, past, questions: 1, ..Entry::of_nothing(path, modified) })
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
    fn the_inbox_has_one_order() {
        let mut list = vec![
            entry("free", Status::NoGate, 9, false),
            entry("old", Status::Waiting, 99, true),
            entry("done", Status::Answered, 9, false),
            Arc::new(Entry {
                answered: Some(UNIX_EPOCH + Duration::from_secs(50)),
                record_modified: Some(UNIX_EPOCH + Duration::from_secs(5)),
                ..(*entry("done-late", Status::Answered, 1, false)).clone()
            }),
            entry("torn", Status::Malformed, 9, false),
            entry("b", Status::Waiting, 1, false),
            entry("bad", Status::Blocked, 9, false),
            entry("a", Status::Waiting, 1, false),
            entry("new", Status::Waiting, 5, false),
        ];
        for (file, step) in [("1", "chapter:10:draft"), ("2", "chapter:009:judge"), ("3", "chapter:9:refine")]
        {
            let listed = entry(file, Status::Waiting, 3, false);
            list.push(Arc::new(Entry { step: Some(step.into()), ..(*listed).clone() }));
        }
        sort(&mut list);
        let names: Vec<_> = list.iter().map(|entry| entry.stem()).collect();
        assert_eq!(
            names,
            ["3", "2", "1", "a", "b", "new", "bad", "torn", "done-late", "done", "free", "old"]
        );
    }

    fn names(mut list: Vec<Arc<Entry>>) -> Vec<String> {
        sort(&mut list);
        list.iter().map(|entry| entry.stem()).collect()
    }

    #[test]
    fn what_was_written_together_stands_in_the_order_of_the_book() {
        let waiting = |name, seconds| entry(name, Status::Waiting, seconds, false);
        let chain =
            || vec![waiting("4", 9), waiting("10", 0), waiting("3", 18), waiting("2", 40), waiting("1", 50)];
        assert_eq!(names(chain()), ["1", "2", "3", "4", "10"], "ten seconds part them, nine do not");
        let more = || chain().into_iter().chain([waiting("5", 59)]);
        assert_eq!(names(more().collect()), ["1", "5", "2", "3", "4", "10"], "one more stands between them");
        let answered = |name: &'static str, seconds, at| {
            let answered = Some(UNIX_EPOCH + Duration::from_secs(at));
            Arc::new(Entry { answered, ..(*entry(name, Status::Answered, seconds, false)).clone() })
        };
        let mut some = chain();
        some[0] = answered("4", 9, 100);
        assert_eq!(names(some), ["1", "2", "3", "10", "4"], "an answer parts nobody");
        let done = vec![answered("a", 0, 130), answered("b", 5, 124), answered("c", 90, 250)];
        assert_eq!(names(done), ["c", "a", "b"], "records by the time of their answers");
    }

    #[test]
    fn clocks_that_jump_break_no_order() {
        let at = |name, modified| {
            Arc::new(Entry { modified, ..(*entry(name, Status::Waiting, 0, false)).clone() })
        };
        let (past, future) = (Duration::from_hours(1_000_000), Duration::from_hours(10_000_000));
        let list = vec![
            at("4", UNIX_EPOCH - past),
            at("3", UNIX_EPOCH - past + Duration::from_secs(3)),
            at("2", UNIX_EPOCH),
            at("1", UNIX_EPOCH + future),
        ];
        assert_eq!(names(list), ["1", "2", "3", "4"]);
    }
}
