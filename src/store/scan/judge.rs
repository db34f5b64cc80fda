//! One packet: from its bytes and its record to a line of the inbox, with the verdict that `check` would give.

use super::checkpoint::Checkpoint;
use super::file::{self, Content, Signature};
use super::scope::Scope;
use crate::ask::json::{Item, Json};
use crate::ask::{AnswerSpec, Gate, JsString, Packet, Problem, ProblemCode, decode_packet, looks_like_gate};
use crate::error::{Message, io_cause};
use crate::store::clock::time_of;
use crate::store::entry::{self, Entry, Status};
use crate::store::project::Project;
use crate::store::record::{self, RecordState};
use crate::store::safe_path::{self, Refusal};
use crate::text::say;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// What every judgement of one look shares.
pub(super) struct ScanContext<'c> {
    pub(super) project: &'c Project,
    pub(super) checkpoint: Checkpoint,
    /// What is looked at; everything without it.
    pub(super) scope: Option<Scope>,
    /// Every directory is listed, though its signature be the same.
    pub(super) relist: bool,
    /// The files were named: each of them is a packet, whatever its own name is.
    pub(super) named: bool,
    pub(super) packet_patience: Duration,
    pub(super) now: SystemTime,
    /// Refusals by the directory of the record: the same for every ordinary name in it.
    pub(super) refusals: Mutex<HashMap<String, Option<Refusal>>>,
    /// Directories of records by their spelling, links resolved.
    pub(super) places: Mutex<HashMap<String, PathBuf>>,
    /// The first file or directory that could not be read, and why.
    pub(super) trouble: Mutex<Option<Message>>,
    /// Marks of valid records: their rules forbid the members that make a packet, so they need not be read as one.
    pub(super) records: Mutex<HashSet<u64>>,
}

#[derive(Default)]
pub(super) struct Verdict {
    /// Nothing if it is no packet.
    pub(super) entry: Option<Entry>,
    /// [`ScanContext::record_mark`] before it was read; 0 without a gate.
    pub(super) record: u64,
    /// For how long the record may be written again without a trace.
    pub(super) fresh: Option<Duration>,
    /// Whether the record is a link.
    pub(super) is_link: bool,
    pub(super) doubt: Doubt,
}

/// Why a verdict may not be the last word.
#[derive(Default)]
pub(super) enum Doubt {
    #[default]
    None,
    /// The packet changed while it was read.
    Changed,
    /// The packet is not JSON.
    PacketTorn,
    PacketUnread,
    /// Reading the packet failed, which says nothing about it.
    PacketFailed,
    /// The record is not JSON; when it last changed.
    RecordTorn(Option<SystemTime>),
    RecordUnread,
    /// Reading the record failed, which says nothing about it.
    RecordFailed,
}

impl From<Entry> for Verdict {
    fn from(entry: Entry) -> Verdict {
        Verdict { entry: Some(entry), ..Verdict::default() }
    }
}

impl ScanContext<'_> {
    pub(super) fn has_passed(&self, step: Option<&JsString>) -> bool {
        step.is_some_and(|step| self.checkpoint.has_passed(step))
    }

    /// Keeps in mind that something could not be read; the first is enough to say.
    pub(super) fn fail(&self, path: &Path, cause: &io::Error) {
        let cause = io_cause(cause);
        let sentence = say("{0} cannot be read just now: {1}.", "暂时无法读取 {0}：{1}。");
        let shown = path.to_string_lossy();
        let whole = |lang| sentence.fill(lang, &[&shown, &cause.text(lang)]);
        lock(&self.trouble).get_or_insert_with(|| Message::in_both(whole));
    }

    /// Reads and judges one file; nothing if it is gone.
    pub(super) fn judge(&self, path: &Arc<Path>, seen: &Signature) -> Option<Verdict> {
        let sure = self.named || is_packet_name(path);
        if !sure && lock(&self.records).contains(&seen.mark) {
            return Some(Verdict::default());
        }
        let malformed =
            |problems: &[Problem], bytes: &[u8]| sure.then(|| self.malformed(path, seen, problems, bytes));
        Some(match file::read(self.project, path, seen) {
            Content::Gone => return None,
            Content::Changed => Verdict { doubt: Doubt::Changed, ..Verdict::default() },
            Content::Odd(problem) => Verdict { entry: malformed(&[problem], &[]), ..Verdict::default() },
            Content::Closed(problem) => {
                let entry = malformed(&[problem], &[]);
                Verdict { entry, doubt: Doubt::PacketUnread, ..Verdict::default() }
            }
            Content::Failed(cause) => {
                self.fail(path, &cause);
                Verdict { doubt: Doubt::PacketFailed, ..Verdict::default() }
            }
            Content::Bytes(bytes) => match decode_packet(&bytes) {
                Ok(packet) if sure || packet.gate.is_some() => self.packet(path, seen, &packet),
                Err(problems) if is_syntax(&problems) => Verdict {
                    entry: malformed(&problems, &[]),
                    doubt: Doubt::PacketTorn,
                    ..Verdict::default()
                },
                Err(problems) if sure || looks_like_gate(&bytes) => {
                    self.malformed(path, seen, &problems, &bytes).into()
                }
                Ok(_) | Err(_) => Verdict::default(),
            },
        })
    }

    fn packet(&self, path: &Arc<Path>, seen: &Signature, packet: &Packet) -> Verdict {
        let blank = Entry {
            step: packet.step.clone(),
            agent: packet.agent.clone(),
            past: self.has_passed(packet.step.as_ref()),
            ..blank(path, seen)
        };
        let Some(gate) = &packet.gate else { return blank.into() };
        // Looked at before it is read: a change in between must leave a trace.
        let before = file::record_signature(self.project, &gate.answer_path);
        let (asked, question_hash) = gate.spec.fingerprints();
        let gate_entry = Entry {
            topic: Some(gate.spec.topic.clone()),
            answer_path: Some(gate.answer_path.clone()),
            questions: gate.spec.questions.len(),
            asked,
            question_hash,
            ..blank
        };
        let (entry, doubt) = match record::read(self.project, gate) {
            // The executor refuses the packet itself.
            Err(problem) => {
                (Entry { status: Status::Malformed, ..with_problems(gate_entry, &[*problem]) }, Doubt::None)
            }
            Ok(record) => {
                let place = self.place(&gate.answer_path, &before);
                let entry = Entry { place, record_modified: record.modified, ..gate_entry };
                match &record.state {
                    RecordState::Absent => (self.waiting(entry, gate), Doubt::None),
                    RecordState::Invalid(problems) => {
                        let changed = before.as_ref().ok().map(|seen| seen.changed);
                        let entry = Entry { status: Status::Blocked, ..self.waiting(entry, gate) };
                        let doubt = self.doubt_of_record(gate, problems, changed);
                        (with_problems(entry, problems), doubt)
                    }
                    RecordState::Valid(valid) => {
                        lock(&self.records).insert(file::mark_of(&before));
                        (answered(entry, valid), Doubt::None)
                    }
                }
            }
        };
        let fresh = before.as_ref().ok().and_then(|seen| seen.fresh_for(self.now));
        let record = self.record_mark(&gate.answer_path, &before);
        let is_link = before.as_ref().is_ok_and(|seen| seen.link);
        Verdict { entry: Some(entry), record, fresh, is_link, doubt }
    }

    /// The mark of a record and of where it lies: a link to its directory may come or go while there is no record. Never 0.
    pub(super) fn record_mark(&self, answer_path: &JsString, seen: &rustix::io::Result<Signature>) -> u64 {
        (file::mark_of(seen).rotate_left(1) ^ self.place(answer_path, seen)).max(1)
    }

    /// The entry of a gate that is held up.
    fn waiting(&self, entry: Entry, gate: &Gate) -> Entry {
        Entry { status: Status::Waiting, refusal: self.refusal(&gate.answer_path, &entry.path), ..entry }
    }

    /// Whether a record looks as if somebody were still writing it, or could not be read.
    fn doubt_of_record(&self, gate: &Gate, problems: &[Problem], changed: Option<SystemTime>) -> Doubt {
        match problems.first().map(|first| first.code) {
            Some(ProblemCode::Syntax) => Doubt::RecordTorn(changed),
            Some(ProblemCode::Unreadable) => {
                let path = gate.answer_path.lossy();
                let Some(cause) = file::failure(self.project, Path::new(&*path)) else {
                    return Doubt::RecordUnread;
                };
                self.fail(Path::new(&*path), &cause);
                Doubt::RecordFailed
            }
            _ => Doubt::None,
        }
    }

    /// A packet that cannot be used, with whatever it still says about itself.
    fn malformed(&self, path: &Arc<Path>, seen: &Signature, problems: &[Problem], bytes: &[u8]) -> Entry {
        let json = Json::parse_keeping(bytes, &["step", "agent", "novel_ask"]).ok();
        let word = |item: Option<Item<'_>>| item.and_then(Item::string);
        let root = json.as_ref().map(Json::root);
        let step = word(root.and_then(|root| root.get("step")));
        let agent = root.and_then(|root| root.get("agent"));
        let agent = agent.and_then(|agent| agent.string().or_else(|| word(agent.get("name"))));
        let topic = word(root.and_then(|root| root.get("novel_ask")).and_then(|ask| ask.get("topic")));
        let past = self.has_passed(step.as_ref());
        with_problems(
            Entry { step, agent, topic, past, status: Status::Malformed, ..blank(path, seen) },
            problems,
        )
    }

    /// A number for where the record lies, the same for every spelling of one place; never 0.
    fn place(&self, answer_path: &JsString, record: &rustix::io::Result<Signature>) -> u64 {
        let path = answer_path.lossy();
        let path = path.trim_end_matches('/');
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        if name == "." {
            return entry::place_number(&safe_path::real_place(self.project, answer_path));
        }
        let mut known = lock(&self.places);
        let directory = known.entry(directory.to_owned()).or_insert_with(|| {
            let names = Path::new(directory).components().filter(|part| matches!(part, Component::Normal(_)));
            safe_path::real_directory(self.project.root(), &names.collect::<PathBuf>())
        });
        if record.as_ref().is_ok_and(|seen| seen.link) {
            return entry::place_number(&safe_path::real_place_in(self.project, directory, OsStr::new(name)));
        }
        let directory = directory.strip_prefix(self.project.root()).unwrap_or(directory);
        entry::place_number(&directory.join(name))
    }

    /// Why no record may be written. Ordinary names that are not there yet share the answer of their directory.
    fn refusal(&self, answer_path: &JsString, packet: &Path) -> Option<Refusal> {
        let ask = || safe_path::refusal(self.project, answer_path, &self.project.root().join(packet), None);
        let path = answer_path.lossy();
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
        let is_ordinary = !is_packet_name(Path::new(name))
            && !name.starts_with('.')
            && name.len() <= 128
            && path.len() <= 1_024
            && !path.contains('\0')
            && file::signature(self.project, &*path).err() == Some(rustix::io::Errno::NOENT);
        if !is_ordinary {
            return ask();
        }
        if let Some(refusal) = lock(&self.refusals).get(directory) {
            return *refusal;
        }
        let refusal = ask();
        lock(&self.refusals).insert(directory.to_owned(), refusal);
        refusal
    }
}

/// Whether only a packet can have this name.
fn is_packet_name(path: &Path) -> bool {
    path.as_os_str().as_bytes().ends_with(b".packet.json")
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn blank(path: &Arc<Path>, seen: &Signature) -> Entry {
    Entry {
        path: Arc::clone(path),
        step: None,
        topic: None,
        agent: None,
        answer_path: None,
        answered_by: None,
        answered_at: None,
        answered: None,
        status: Status::NoGate,
        past: false,
        being_written: false,
        questions: 0,
        problems: 0,
        first_problem: None,
        refusal: None,
        modified: seen.modified,
        record_modified: None,
        place: 0,
        asked: 0,
        question_hash: 0,
        collision: None,
    }
}

fn answered(entry: Entry, record: &AnswerSpec) -> Entry {
    Entry {
        status: Status::Answered,
        answered_by: Some(record.answered_by.clone()),
        answered_at: Some(record.answered_at.clone()),
        answered: record.answered_at.as_str().and_then(time_of),
        ..entry
    }
}

fn with_problems(entry: Entry, problems: &[Problem]) -> Entry {
    let first_problem = problems.first().cloned().map(Box::new);
    Entry { problems: problems.len(), first_problem, ..entry }
}

fn is_syntax(problems: &[Problem]) -> bool {
    problems.first().is_some_and(|first| first.code == ProblemCode::Syntax)
}
