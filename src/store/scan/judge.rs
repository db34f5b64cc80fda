//! One packet: from its bytes and its record to a line of the inbox, with the verdict that `check` would give.

use super::file::{self, Signature};
use super::notes;
use super::wanted::Wanted;
use crate::ask::json::Json;
use crate::ask::{
    AnswerSpec, Gate, JsString, Loss, Packet, Problem, ProblemCode, decode_packet, looks_like_gate,
};
use crate::error::{Message, io_cause};
use crate::platform::Failure;
use crate::platform::paths::Shown as _;
use crate::store::attach;
use crate::store::checkpoint::Checkpoint;
use crate::store::clock::time_of;
use crate::store::entry::{self, Entry, Status};
use crate::store::file::{Read, is_packet_name, is_relay, unreadable};
use crate::store::project::Project;
use crate::store::questions::Questions;
use crate::store::record::{self, RecordState};
use crate::store::reply::{self, Reply};
use crate::store::rounds;
use crate::store::safe_path::{self, Directory, Refusal};
use crate::text::say;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// What every judgement of one look shares.
pub(super) struct ScanContext<'c> {
    pub(super) project: &'c Project,
    pub(super) checkpoint: Checkpoint,
    pub(super) questions: &'c Questions,
    pub(super) scope: Scope,
    /// The files were named: each of them is a packet, whatever its own name is.
    pub(super) named: bool,
    pub(super) wanted: &'c Wanted,
    pub(super) packet_patience: Duration,
    pub(super) now: SystemTime,
    /// The directories of records, by their spelling.
    pub(super) directories: Mutex<HashMap<String, Arc<RecordDirectory>>>,
    /// Links to directories: what is in them does not lie where it is found.
    pub(super) linked: Mutex<Vec<Arc<Path>>>,
    /// When it began.
    pub(super) began: Instant,
    /// The first file or directory that could not be read, and why.
    pub(super) trouble: Mutex<Option<Message>>,
    /// Marks of valid records: their rules forbid the members that make a packet, so they need not be read as one.
    pub(super) records: Mutex<HashSet<u64>>,
}

/// What is looked at, beside what is new or to be looked at again anyway.
pub(super) enum Scope {
    All,
    /// What an event has told of, and what has its record in one of these places, sorted.
    Told {
        places: Vec<u64>,
        /// Something may have happened to the answers of standing questions.
        standing: bool,
    },
    /// Every directory, and these of the files, counted through; the others too where some of them must be looked at each time.
    Turn {
        files: Range<usize>,
        others: bool,
    },
}

pub(super) struct RecordDirectory {
    directory: Directory,
    /// Relative to the root, as far as it lies beneath it.
    path: PathBuf,
    /// Its spelling is not where it lies.
    is_linked: bool,
}

#[derive(Default)]
pub(super) struct Verdict {
    /// Nothing if it is no packet.
    pub(super) entry: Option<Entry>,
    /// [`ScanContext::record_mark`] before it was read; 0 without a gate.
    pub(super) record: u64,
    /// For how long the record may be written again without a trace.
    pub(super) fresh: Option<Duration>,
    /// [`ScanContext::standing_mark`] before that was asked.
    pub(super) standing: u64,
    /// Whether the record may change by another name than its packet spells.
    pub(super) is_odd: bool,
    pub(super) doubt: Option<Doubt>,
}

/// Why a verdict may not be the last word.
pub(super) struct Doubt {
    /// It is about the record, and not about the packet.
    pub(super) of_record: bool,
    pub(super) why: Why,
}

pub(super) enum Why {
    /// It is not JSON, or changed while it was read; when it last changed.
    Torn(Option<SystemTime>),
    /// It may not be read.
    Closed,
    /// Reading failed, which says nothing about it.
    Failed,
}

impl From<Entry> for Verdict {
    fn from(entry: Entry) -> Verdict {
        Verdict { entry: Some(entry), ..Verdict::default() }
    }
}

impl ScanContext<'_> {
    /// If a file was written so shortly before this moment that another write may leave the same signature: for how long that is so.
    pub(super) fn fresh_for(&self, seen: &Signature) -> Option<Duration> {
        // A look may last, and asks for the time only for what was written since.
        seen.fresh_for(if seen.changed > self.now { self.now + self.began.elapsed() } else { self.now })
    }

    pub(super) fn has_passed(&self, step: Option<&JsString>) -> bool {
        step.is_some_and(|step| self.checkpoint.has_passed(step))
    }

    /// Keeps in mind that something could not be read; the first is enough to say.
    pub(super) fn fail(&self, path: &Path, cause: &io::Error) {
        let sentence = if file::is_closed(cause) {
            say(
                "{0} cannot be read: {1}. Make it readable for yourself.",
                "无法读取 {0}：{1}。请给自己读取权限。",
            )
        } else {
            say("{0} cannot be read just now: {1}.", "暂时无法读取 {0}：{1}。")
        };
        let cause = io_cause(cause);
        let shown = path.shown();
        let whole = |lang| sentence.fill(lang, &[&shown, &cause.text(lang)]);
        lock(&self.trouble).get_or_insert_with(|| Message::in_both(whole));
    }

    /// Reads and judges one file, whose signature becomes that of what was read; nothing if it is gone.
    pub(super) fn judge(&self, path: &Arc<Path>, seen: &mut Signature) -> Option<Verdict> {
        let sure = self.named || is_packet_name(path);
        if !sure && lock(&self.records).contains(&seen.mark) {
            return Some(Verdict::default());
        }
        let read = file::read(self.project, path, seen).map(|(read, was)| {
            *seen = was;
            read
        });
        let seen = &*seen;
        let (problems, why) = match read {
            Ok(Read::Bytes(bytes, _)) if !self.is_wanted(&bytes) => return Some(Verdict::default()),
            Ok(Read::Bytes(bytes, _)) => match decode_packet(&bytes) {
                Ok(packet) if sure || packet.gate.is_some() => {
                    return Some(self.packet(path, seen, &bytes, packet));
                }
                // By the name that is meant it would be asked a standing question.
                Ok(packet) if let Some((meant, _)) = file::meant_path(self.project, path) => {
                    let verdict = self.packet(&meant.into(), seen, &bytes, packet);
                    let entry = verdict.entry.filter(|entry| entry.answer_path.is_some());
                    let entry = entry.map(|entry| Entry { path: Arc::clone(path), ..entry });
                    return Some(Verdict { entry, ..verdict });
                }
                Err(problems) if is_syntax(&problems) => (problems, Some(Why::Torn(Some(seen.changed)))),
                Err(problems) if sure || looks_like_gate(&bytes) => {
                    return Some(self.malformed(path, seen, &problems, &bytes).into());
                }
                Ok(_) | Err(_) => return Some(Verdict::default()),
            },
            Ok(Read::Odd(problem, _)) => (vec![*problem], None),
            Ok(Read::Changed) => (Vec::new(), Some(Why::Closed)),
            Err(cause) if file::is_absent(&cause) => return None,
            Err(cause) if file::is_closed(&cause) => (vec![unreadable(&io_cause(&cause))], Some(Why::Closed)),
            Err(cause) => {
                self.fail(path, &cause);
                (Vec::new(), Some(Why::Failed))
            }
        };
        let is_malformed = sure && !problems.is_empty();
        let entry = is_malformed.then(|| self.malformed(path, seen, &problems, &[]));
        let doubt = why.map(|why| Doubt { of_record: false, why });
        Some(Verdict { entry, doubt, ..Verdict::default() })
    }

    /// Whether a packet's record may have one of the names that are looked for: by its own, or as a link.
    fn is_wanted(&self, packet: &[u8]) -> bool {
        let Some(names) = &self.wanted.record_names else { return true };
        let json = Json::parse_keeping(packet, &["answer_path"]).ok();
        let answer_path = json.as_ref().and_then(|json| json.root().get("answer_path")?.string());
        answer_path.is_some_and(|path| {
            safe_path::folded_name(Path::new(&*path.lossy())).is_some_and(|name| names.contains(&name))
                || file::record_signature(self.project, &path).is_ok_and(|seen| seen.is_link)
        })
    }

    /// What a packet says beside its gate.
    fn without_gate(&self, path: &Arc<Path>, seen: &Signature, packet: &Packet) -> Entry {
        Entry {
            loss: packet.loss.clone(),
            step: packet.step.clone(),
            agent: packet.agent.clone(),
            caller: packet.caller.clone().filter(|_| is_relay(path)),
            past: self.has_passed(packet.step.as_ref()),
            ..blank(path, seen)
        }
    }

    fn packet(&self, path: &Arc<Path>, seen: &Signature, bytes: &[u8], mut packet: Packet) -> Verdict {
        let (standing, applied) = self.apply_standing(path, seen.modified, &mut packet);
        let blank = Entry { is_unattached: applied.is_unattached, ..self.without_gate(path, seen, &packet) };
        let Some(gate) = &packet.gate else {
            return Verdict { standing, ..notes::of_misspelt(blank, &packet.misspelt).into() };
        };
        // Looked at before it is read: a change in between must leave a trace.
        let before = file::record_signature(self.project, &gate.answer_path);
        let (place, is_linked) = self.place(&gate.answer_path, &before);
        // The same of what was sent back.
        let (rounds, fingerprints) = (self.rounds_mark(&gate.answer_path), gate.spec.fingerprints());
        let entry = Entry {
            topic: Some(gate.spec.topic.clone()),
            answer_path: Some(gate.answer_path.clone()),
            questions: gate.spec.questions.len(),
            asked: fingerprints.0,
            question_hash: fingerprints.1,
            rounds: applied.asked.as_ref().map(|asked| asked.rounds(&gate.spec)).unwrap_or_default(),
            ..blank
        };
        let (mut doubt, mut read) = (None, (before.ok(), file::mark_of(&before)));
        #[cfg(test)]
        file::step();
        let entry = match record::read_open_file(self.project, gate) {
            // The executor refuses the packet itself.
            Err(problem) => Entry { status: Status::Malformed, ..with_problems(entry, &[*problem]) },
            Ok((record, meta)) => {
                read = file::as_read(before, &record, meta.as_ref());
                let entry = Entry { place, record_modified: record.modified, ..entry };
                let waiting = |entry: Entry| {
                    let refusal = self.refusal(&gate.answer_path, &entry, (&before, bytes));
                    Entry { status: Status::Waiting, refusal, ..entry }
                };
                match &record.state {
                    RecordState::Absent => {
                        let proposing =
                            applied.asked.as_ref().map(|asked| &*asked.proposing).unwrap_or_default();
                        let sent_back =
                            reply::open(self.project, path, (&packet, bytes), proposing).map(Arc::new);
                        with_refusal(waiting(entry), sent_back)
                    }
                    RecordState::Invalid(problems) => {
                        doubt = self.doubt_of_record(gate, problems, &before);
                        Entry { status: Status::Blocked, ..with_problems(waiting(entry), problems) }
                    }
                    RecordState::Valid(valid) => {
                        lock(&self.records).insert(read.1);
                        answered(entry, valid, &record.bytes)
                    }
                }
            }
        };
        Verdict {
            entry: Some(entry),
            record: record_mark(read.1, place, rounds),
            standing,
            fresh: read.0.and_then(|seen| self.fresh_for(&seen)),
            is_odd: is_linked || read.0.is_some_and(|seen| seen.is_link || seen.is_shared),
            doubt,
        }
    }

    /// The mark of a record and of where it lies: a link to its directory may come or go while there is no record. Never 0.
    pub(super) fn record_mark(&self, answer_path: &JsString) -> u64 {
        let seen = file::record_signature(self.project, answer_path);
        let rounds = self.rounds_mark(answer_path);
        record_mark(file::mark_of(&seen), self.place(answer_path, &seen).0, rounds)
    }

    fn rounds_mark(&self, answer_path: &JsString) -> u64 {
        file::mark_of(&file::signature(self.project, &*rounds::place(answer_path).lossy()))
    }

    /// Whether a record looks as if somebody were still writing it, or could not be read.
    fn doubt_of_record(
        &self,
        gate: &Gate,
        problems: &[Problem],
        seen: &Result<Signature, Failure>,
    ) -> Option<Doubt> {
        let why = match problems.first()?.code {
            ProblemCode::Syntax => Why::Torn(seen.as_ref().ok().map(|seen| seen.changed)),
            ProblemCode::Unreadable => {
                let path = gate.answer_path.lossy();
                match file::failure(self.project, Path::new(&*path)) {
                    Some(cause) => {
                        self.fail(Path::new(&*path), &cause);
                        Why::Failed
                    }
                    None => Why::Closed,
                }
            }
            _ => return None,
        };
        Some(Doubt { of_record: true, why })
    }

    /// A packet that cannot be used, with whatever it still says about itself.
    fn malformed(&self, path: &Arc<Path>, seen: &Signature, problems: &[Problem], bytes: &[u8]) -> Entry {
        let json = Json::parse_keeping(bytes, &["step", "agent", "novel_ask"]).ok();
        let root = json.as_ref().map(Json::root);
        let step = root.and_then(|root| root.text("step"));
        let agent = root.and_then(|root| root.get("agent"));
        let agent = agent.and_then(|agent| agent.string().or_else(|| agent.text("name")));
        let topic = root.and_then(|root| root.get("novel_ask")?.text("topic"));
        let past = self.has_passed(step.as_ref());
        with_problems(
            Entry { step, agent, topic, past, status: Status::Malformed, ..blank(path, seen) },
            problems,
        )
    }

    /// A number for where the record lies, the same for every spelling of one place, never 0; and whether it lies behind a link.
    fn place(&self, answer_path: &JsString, record: &Result<Signature, Failure>) -> (u64, bool) {
        self.in_directory(answer_path, |known, name| {
            let path = if record.as_ref().is_ok_and(|seen| seen.is_link) {
                safe_path::place_in(self.project.root(), &known.directory.path(), name)
            } else {
                known.path.join(name)
            };
            (entry::place_number(&path), known.is_linked)
        })
    }

    /// Why no record may be written.
    fn refusal(
        &self,
        answer_path: &JsString,
        entry: &Entry,
        (record, bytes): (&Result<Signature, Failure>, &[u8]),
    ) -> Option<Refusal> {
        let root = self.project.root();
        let packet = root.join(&entry.path);
        if let Some(refusal) = entry.is_unattached.then(|| attach::refusal_of(&packet, bytes)).flatten() {
            return Some(refusal);
        }
        if record.as_ref().err() == Some(&Failure::NOT_FOUND) {
            let judge = |known: &RecordDirectory, _: &OsStr| {
                safe_path::refusal_of_missing(root, answer_path, &known.directory)
            };
            return self.in_directory(answer_path, judge);
        }
        safe_path::refusal(self.project, answer_path, &packet, None)
    }

    /// Asks something of a record's directory and name; each directory is resolved once.
    fn in_directory<T>(&self, answer_path: &JsString, ask: impl FnOnce(&RecordDirectory, &OsStr) -> T) -> T {
        let path = answer_path.lossy();
        let mut path = &*path;
        while let Some(shorter) = path.strip_suffix("/.").or(path.strip_suffix('/')) {
            path = shorter;
        }
        let (spelled, name) = path.rsplit_once('/').unwrap_or(("", path));
        let root = self.project.root();
        let new = || Arc::new(RecordDirectory::of(root, spelled));
        let directory = Arc::clone(lock(&self.directories).entry(spelled.to_owned()).or_insert_with(new));
        ask(&directory, OsStr::new(name))
    }
}

impl RecordDirectory {
    fn of(root: &Path, spelled: &str) -> RecordDirectory {
        let target = safe_path::join(root, spelled);
        let directory = Directory::of(&target);
        let real = directory.path();
        let path = real.strip_prefix(root).unwrap_or(&real).to_path_buf();
        RecordDirectory { directory, path, is_linked: real != target }
    }
}

fn record_mark(seen: u64, place: u64, rounds: u64) -> u64 {
    (seen.rotate_left(1) ^ place ^ rounds.rotate_left(2)).max(1)
}

pub(super) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn blank(path: &Arc<Path>, seen: &Signature) -> Entry {
    Entry::of_nothing(Arc::clone(path), seen.modified)
}

fn answered(entry: Entry, record: &AnswerSpec, bytes: &[u8]) -> Entry {
    Entry {
        loss: entry.loss.or_else(|| Loss::of_valid_record(bytes)),
        status: Status::Answered,
        answered_by: Some(record.answered_by.clone()),
        answered_at: Some(record.answered_at.clone()),
        answered: record.answered_at.as_str().and_then(time_of),
        ..entry
    }
}

fn with_refusal(entry: Entry, sent_back: Option<Arc<Reply>>) -> Entry {
    let status = if sent_back.is_some() { Status::SentBack } else { entry.status };
    Entry { status, sent_back, ..entry }
}

pub(super) fn with_problems(entry: Entry, problems: &[Problem]) -> Entry {
    let first_problem = problems.first().cloned().map(Box::new);
    Entry { problems: problems.len(), first_problem, ..entry }
}

fn is_syntax(problems: &[Problem]) -> bool {
    problems.first().is_some_and(|first| first.code == ProblemCode::Syntax)
}
