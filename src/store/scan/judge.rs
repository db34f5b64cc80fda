//! One packet: from its bytes and its record to a line of the inbox.
//!
//! Responsible for the verdict that `check` would give, and for telling a file that is being written from one that is
//! broken. Not responsible for when to look (`scan`) nor for how files are read (`file`).

use super::checkpoint::Checkpoint;
use super::file::{self, Content, Direct, Place, Signature};
use crate::ask::json::{Item, Json};
use crate::ask::{
    Gate, JsString, Packet, Problem, ProblemKind, check_record, decode_packet, looks_like_gate,
};
use crate::store::collision;
use crate::store::entry::{Entry, Loose, Shared, Words};
use crate::store::gate::Status;
use crate::store::project::Project;
use crate::store::record::{self, RecordState};
use crate::store::safe_path::{self, Refusal};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// What every judgement of one pass shares.
pub(super) struct Bench<'b> {
    pub project: &'b Project,
    pub checkpoint: Checkpoint,
    pub now: SystemTime,
    /// Refusals by the directory of the record: the same for every ordinary name in it.
    pub directories: Mutex<HashMap<String, Option<Refusal>>>,
    /// Directories of records by their spelling, links resolved.
    pub places: Mutex<HashMap<String, PathBuf>>,
    /// Marks of valid records: their rules forbid the members that make a packet, so they need not be read as one.
    pub records: Mutex<HashSet<u64>>,
}

/// The names under which an entry goes.
pub(super) struct Name<'n> {
    pub folder: &'n Arc<Path>,
    pub name: &'n Arc<OsStr>,
}

/// What a file turned out to be.
pub(super) enum Verdict {
    /// No packet.
    Nothing,
    /// A packet.
    Entry { entry: Box<Entry>, record: RecordSeen },
    /// Not JSON: if it stays so, this is what it is.
    Torn(Option<Box<Entry>>),
    /// It cannot be read: if that stays so, this is what it is.
    Unread(Option<Box<Entry>>),
    /// It was changed while it was read.
    Changed,
    /// No longer there.
    Gone,
}

/// The record's file as it was before it was read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecordSeen {
    /// As [`file::mark`]; 0 without a gate.
    pub mark: u64,
    /// When it last changed.
    pub changed: Option<SystemTime>,
    /// It may be written again without a trace.
    pub fresh: bool,
    /// It looks as if somebody were still writing it.
    pub torn: bool,
    /// It cannot be read.
    pub unread: bool,
}

struct RecordView {
    state: RecordState,
    modified: Option<SystemTime>,
}

/// Whether only a packet can have this name.
pub(super) fn is_packet_name(name: &OsStr) -> bool {
    name.as_bytes().ends_with(b".packet.json")
}

impl Bench<'_> {
    /// Reads and judges one file.
    pub(super) fn judge(&self, place: Place<'_>, name: &Name<'_>, seen: &Signature) -> Verdict {
        let sure = is_packet_name(place.name);
        if !sure && self.records().contains(&seen.mark) {
            return Verdict::Nothing;
        }
        match file::read(self.project, place, seen) {
            Content::Gone => Verdict::Gone,
            Content::Changed => Verdict::Changed,
            Content::Unread(kind) => {
                let entry = || Box::new(malformed(name, seen, &[Problem::new("", kind)], &[]));
                Verdict::Unread(sure.then(entry))
            }
            Content::Odd(kind) if sure => {
                let problems = vec![Problem::new("", kind)];
                self.settled(malformed(name, seen, &problems, &[]))
            }
            Content::Odd(_) => Verdict::Nothing,
            Content::Bytes(bytes) => match decode_packet(&bytes) {
                Ok(packet) if sure || packet.gate.is_some() => self.packet(place, name, seen, &packet),
                Err(problems) if is_syntax(&problems) => {
                    Verdict::Torn(sure.then(|| Box::new(malformed(name, seen, &problems, &[]))))
                }
                Err(problems) if sure || looks_like_gate(&bytes) => {
                    self.settled(malformed(name, seen, &problems, &bytes))
                }
                Ok(_) | Err(_) => Verdict::Nothing,
            },
        }
    }

    fn settled(&self, entry: Entry) -> Verdict {
        let past = entry.step().is_some_and(|step| self.checkpoint.has_passed(&step));
        Verdict::Entry { entry: Box::new(Entry { past, ..entry }), record: RecordSeen::default() }
    }

    fn packet(&self, place: Place<'_>, name: &Name<'_>, seen: &Signature, packet: &Packet) -> Verdict {
        let Some(gate) = &packet.gate else {
            let loose =
                Loose { step: packet.step.as_ref(), agent: packet.agent.as_ref(), ..Loose::default() };
            return self.settled(entry(name, seen, Status::NoGate, Words::pack(loose)));
        };
        // Looked at before it is read: a change in between must leave a trace.
        let before = file::signature(self.project.dir().as_fd(), &*gate.answer_path.lossy());
        let record = self.record(gate);
        let (status, problems, answered_by, answered) = match &record {
            // The executor refuses the packet itself.
            Err(problem) => (Status::Malformed, std::slice::from_ref(problem), None, None),
            Ok(record) => match &record.state {
                RecordState::Absent => (Status::Waiting, &[][..], None, None),
                RecordState::Invalid(problems) => (Status::Blocked, &problems[..], None, record.modified),
                RecordState::Valid(valid) => {
                    (Status::Answered, &[][..], Some(&valid.answered_by), record.modified)
                }
            },
        };
        let words = Words::pack(Loose {
            step: packet.step.as_ref(),
            topic: Some(&gate.spec.topic),
            agent: packet.agent.as_ref(),
            answer_path: Some(&gate.answer_path),
            answered_by,
        });
        let held_up = matches!(status, Status::Waiting | Status::Blocked);
        let path = place.folder.join(place.name);
        let entry = Entry {
            past: packet.step.as_ref().is_some_and(|step| self.checkpoint.has_passed(step)),
            questions: count(gate.spec.questions.len()),
            problems: count(problems.len()),
            first_problem: problems.first().cloned().map(Box::new),
            refusal: if held_up { self.refusal(&gate.answer_path, &path) } else { None },
            answered,
            shared: Shared {
                place: if status == Status::Malformed { 0 } else { self.place(&gate.answer_path, &before) },
                asked: gate.spec.fingerprint(),
            },
            ..entry(name, seen, status, words)
        };
        let record = RecordSeen {
            mark: file::mark_of(&before),
            changed: before.as_ref().ok().map(|seen| seen.changed),
            fresh: before.as_ref().is_ok_and(|seen| seen.is_fresh(self.now)),
            torn: status == Status::Blocked && is_torn(problems),
            unread: is_unread(problems),
        };
        if status == Status::Answered {
            self.records().insert(record.mark);
        }
        Verdict::Entry { entry: Box::new(entry), record }
    }

    /// A number for where the record lies, the same for every spelling of one place; never 0.
    fn place(&self, answer_path: &JsString, record: &rustix::io::Result<Signature>) -> u64 {
        let path = answer_path.lossy();
        let path = path.trim_end_matches('/');
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name == "." {
            return collision::number(&safe_path::real_place(self.project, answer_path));
        }
        let mut known = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.contains_key(directory) {
            let relative: PathBuf = Path::new(directory).components().filter(is_name).collect();
            known.insert(directory.to_owned(), safe_path::real_directory(self.project.root(), &relative));
        }
        let directory = known.get(directory).map_or(self.project.root(), PathBuf::as_path);
        if record.as_ref().is_ok_and(|seen| seen.link) {
            return collision::number(&safe_path::real_place_in(self.project, directory, OsStr::new(name)));
        }
        let directory = directory.strip_prefix(self.project.root()).unwrap_or(directory);
        collision::number(&directory.join(name))
    }

    fn records(&self) -> MutexGuard<'_, HashSet<u64>> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What lies at the answer path: the short way where it is certain to agree with the long one.
    fn record(&self, gate: &Gate) -> Result<RecordView, Problem> {
        let path = gate.answer_path.lossy();
        let direct =
            if path.ends_with('/') { Direct::Unsure } else { file::read_beneath(self.project, &path) };
        match direct {
            Direct::Missing => Ok(RecordView { state: RecordState::Absent, modified: None }),
            Direct::Bytes(bytes, modified) => {
                let state = match check_record(&gate.spec, &bytes) {
                    Ok(record) => RecordState::Valid(record),
                    Err(problems) => RecordState::Invalid(problems),
                };
                Ok(RecordView { state, modified: Some(modified) })
            }
            Direct::Unsure => {
                let record = record::read(self.project, gate)?;
                Ok(RecordView { state: record.state, modified: record.modified })
            }
        }
    }

    /// Why no record may be written. Ordinary names that are not there yet share the answer of their directory.
    fn refusal(&self, answer_path: &JsString, packet: &Path) -> Option<Refusal> {
        let ask = || safe_path::refusal(self.project, answer_path, &self.project.root().join(packet));
        let path = answer_path.lossy();
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let ordinary = !is_packet_name(OsStr::new(name))
            && !name.starts_with('.')
            && name.len() <= 128
            && path.len() <= 1_024
            && !path.contains('\0')
            && file::signature(self.project.dir().as_fd(), &*path).err() == Some(rustix::io::Errno::NOENT);
        if !ordinary {
            return ask();
        }
        let known = || self.directories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(refusal) = known().get(directory) {
            return *refusal;
        }
        let refusal = ask();
        known().insert(directory.to_owned(), refusal);
        refusal
    }
}

fn is_name(part: &Component<'_>) -> bool {
    matches!(part, Component::Normal(_))
}

fn entry(name: &Name<'_>, seen: &Signature, status: Status, words: Words) -> Entry {
    Entry {
        folder: Arc::clone(name.folder),
        name: Arc::clone(name.name),
        words,
        status,
        past: false,
        being_written: false,
        questions: 0,
        problems: 0,
        first_problem: None,
        refusal: None,
        modified: seen.modified,
        answered: None,
        shared: Shared::default(),
        collision: None,
    }
}

/// A packet that cannot be used, with whatever it still says about itself.
fn malformed(name: &Name<'_>, seen: &Signature, problems: &[Problem], bytes: &[u8]) -> Entry {
    let json = Json::parse_keeping(bytes, &["step", "agent", "novel_ask"]).ok();
    let word = |item: Option<Item<'_>>| item.and_then(Item::string);
    let root = json.as_ref().map(Json::root);
    let step = word(root.and_then(|root| root.get("step")));
    let agent = root.and_then(|root| root.get("agent"));
    let agent = agent.and_then(|agent| agent.string().or_else(|| word(agent.get("name"))));
    let topic = word(root.and_then(|root| root.get("novel_ask")).and_then(|ask| ask.get("topic")));
    let words = Words::pack(Loose {
        step: step.as_ref(),
        agent: agent.as_ref(),
        topic: topic.as_ref(),
        ..Loose::default()
    });
    Entry {
        problems: count(problems.len()),
        first_problem: problems.first().cloned().map(Box::new),
        ..entry(name, seen, Status::Malformed, words)
    }
}

fn is_syntax(problems: &[Problem]) -> bool {
    matches!(problems.first(), Some(Problem { kind: ProblemKind::Syntax(_), .. }))
}

/// Whether a record looks as if somebody were still writing it.
fn is_torn(problems: &[Problem]) -> bool {
    is_syntax(problems) || is_unread(problems)
}

fn is_unread(problems: &[Problem]) -> bool {
    matches!(problems.first(), Some(Problem { kind: ProblemKind::Unreadable(..), .. }))
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
