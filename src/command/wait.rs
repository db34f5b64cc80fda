//! `wait`: sleeps until gates are open and prints their records. The hook waits for gates too.

use super::decisions::Told;
use super::output::{AnswerPath, Head, Output, PacketPath, Problems, RecordHash, STATES, form};
use super::wake::{self, Wake};
use super::{Session, decisions, input, lines};
use crate::ask::decision::PRINTED;
use crate::ask::{AnswerSpec, Problem};
use crate::cli::WaitArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::entry::Entry;
use crate::store::gate::{self, LoadFault, Loaded, Status};
use crate::store::watch::{Mode, Options, StoreEvent, Watch};
use crate::store::{Project, RecordState, Refusal, file, sha256};
use crate::text::{Lang, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

mod test_question;

pub(super) const OUTPUT: Output = Output::new(
    "wait-output",
    "What wait --json prints at its end. Exit 0 open, 5 malformed, 7 timed out, 128 + n ended by signal n.",
    &[
        form::<WaitOutput>(
            &["open", "timeout", "interrupted"],
            &[0, 7, 129, 130, 143],
            &["open", "timed-out", "signal"],
        ),
        form::<WaitMalformed>(&["malformed"], &[5], &["malformed"]),
    ],
);

/// The gates are open, or the wait ended before.
#[derive(Serialize, JsonSchema)]
struct WaitOutput {
    /// One for each packet, in their order.
    records: Vec<AwaitedRecord>,
}

/// A packet that was waited for.
#[derive(Serialize, JsonSchema)]
struct AwaitedRecord {
    packet: PacketPath,
    /// Its state at the end.
    #[schemars(extend("enum" = STATES))]
    status: &'static str,
    answer_path: AnswerPath,
    /// The record, if it is valid.
    record: Option<AnswerSpec>,
    record_sha256: RecordHash,
    /// What the agent that does the step is to be told, word for word; null without a valid record.
    decisions: Option<String>,
}

/// A packet that will never be open as it is.
#[derive(Serialize, JsonSchema)]
struct WaitMalformed {
    packet: PacketPath,
    problems: Problems,
}

enum WaitEnd {
    Open,
    TimedOut,
    Signal(u8),
    Malformed(usize, Vec<Problem>),
}

/// Waits and prints the records; an error if a packet is gone for good.
pub fn run(session: &mut Session<'_>, arguments: &WaitArgs) -> Result<ExitCode, Error> {
    let project = Arc::new(session.project()?);
    let (wake, wakes) = mpsc::channel();
    // First, so that a signal never leaves a test question behind.
    wake::on_signal(&wake)?;
    let test = arguments.test.then(|| test_question::ask(session, &project)).transpose()?;
    let named = arguments.packets.iter().map(|name| session.packet(&project, name));
    let paths: Result<Vec<PathBuf>, Error> =
        named.chain(test.iter().map(|relay| Ok(project.root().join(relay.packet())))).collect();
    let paths = paths?;
    // Taken for a packet, a record asks nothing and would be open at once.
    if let Some(message) = paths.iter().find_map(|path| input::names_record(&project, path)) {
        return Err(Error::of(ExitCode::Usage, "names-record", message));
    }
    let mut gates = Gates::new(project, paths);
    if test.is_some() {
        // Nobody writes a test question again.
        gates.patience = Duration::ZERO;
    }
    let _watch = gates.watch(wake::on_change(&wake))?;
    let end = sleep(session, &mut gates, arguments, &wakes);
    let end = end.map_err(|error| if test.is_some() { test_question::taken_back(error) } else { error })?;
    let Gates { project, targets, .. } = gates;
    let open = targets.iter().find(|target| target.open).and_then(|target| target.loaded.as_ref());
    let works = test.map(|relay| test_question::close(session, &project, relay, open)).transpose()?.flatten();
    let lang = session.lang;
    let (status, exit, code, message) = match end {
        WaitEnd::Malformed(place, problems) => return print_malformed(session, &targets[place], &problems),
        WaitEnd::Open => ("open", ExitCode::Done, "open", say("Open.", "已放行。").text(lang).to_owned()),
        WaitEnd::TimedOut => {
            let message = timed_out(&targets, arguments.timeout.unwrap_or_default(), lang);
            ("timeout", ExitCode::TimedOut, "timed-out", message)
        }
        WaitEnd::Signal(number) => {
            ("interrupted", ExitCode::Signal(number), "signal", wake::signal_sentence(lang, number))
        }
    };
    let told = |target: &AwaitedGate| {
        let loaded = target.loaded.as_ref().filter(|_| target.open)?;
        decisions::of_packet(&project, loaded, PRINTED, lang)
    };
    let told: Vec<Option<Told>> = targets.iter().map(told).collect();
    if session.global.json {
        let said = |told: &Option<Told>| told.as_ref().map(|told| told.text.clone());
        let records = targets.iter().zip(&told).map(|(target, told)| AwaitedRecord::of(target, said(told)));
        let records = records.collect();
        session.json(Head::new(status, exit, code, message), WaitOutput { records })?;
    } else if let Some(works) = &works {
        session.print([works])?;
    } else if exit != ExitCode::Done {
        session.warn(&[message]);
    }
    if exit == ExitCode::Done && works.is_none() {
        hand_over(session, &project, &targets, &told)?;
    }
    Ok(exit)
}

/// Prints the records that are there, unless they are printed, and what was decided with them; that is noted.
fn hand_over(
    session: &mut Session<'_>,
    project: &Project,
    targets: &[AwaitedGate],
    told: &[Option<Told>],
) -> Result<(), Error> {
    let open = || targets.iter().zip(told).filter(|(target, _)| target.open);
    let loaded = || open().filter_map(|(target, told)| Some((target.loaded.as_ref()?, told.as_ref())));
    if !session.global.json {
        for (loaded, _) in loaded().filter(|(loaded, _)| loaded.gate().is_some()) {
            session.document(&loaded.record.bytes)?;
        }
        loaded().filter_map(|(_, told)| told).for_each(|told| session.remark(&told.text));
    }
    for (loaded, told) in loaded() {
        if let Some(told) = told {
            decisions::note(session, project, &loaded.path, told, None, "wait");
        }
    }
    Ok(())
}

/// Sleeps until the wait ends; meanwhile warns of what keeps the gates closed.
fn sleep(
    session: &mut Session<'_>,
    gates: &mut Gates,
    arguments: &WaitArgs,
    wakes: &Receiver<Wake>,
) -> Result<WaitEnd, Error> {
    let deadline = arguments.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let mut is_polling = false;
    loop {
        // The first look is never given up.
        let end = deadline.filter(|_| gates.is_known());
        match wake::next(wakes, [end, gates.due()].into_iter().flatten().min()) {
            Some(Wake::Signal(number)) => return Ok(WaitEnd::Signal(number)),
            Some(Wake::Store(event)) => {
                match &event {
                    StoreEvent::Unread(trouble) => session.warn(&[trouble.text(session.lang)]),
                    StoreEvent::RootGone => warn_gone(session, &gates.project),
                    StoreEvent::Watching(Mode::Polling(why)) if !std::mem::replace(&mut is_polling, true) => {
                        session.warn(&[why.text(session.lang)]);
                    }
                    StoreEvent::Entries { .. }
                    | StoreEvent::Looked
                    | StoreEvent::Watching(_)
                    | StoreEvent::Reopened(_) => {}
                }
                if !gates.take(event) {
                    continue;
                }
            }
            Some(Wake::Closed) | None => {}
        }
        if let Some(end) = look(session, gates, arguments.any)? {
            return Ok(end);
        }
        if end.is_some_and(|end| end <= Instant::now()) {
            return Ok(WaitEnd::TimedOut);
        }
    }
}

fn look(session: &mut Session<'_>, gates: &mut Gates, any: bool) -> Result<Option<WaitEnd>, Error> {
    let mut hopeless = None;
    for (place, finding) in gates.look().into_iter().enumerate() {
        match finding {
            Finding::Nothing => {}
            Finding::Refused(refusal) => warn_refused(session, &gates.targets[place].shown, refusal),
            Finding::Blocked(problems) => warn_blocked(session, &gates.targets[place].shown, &problems),
            Finding::Malformed(problems) => {
                hopeless.get_or_insert(Ok(Some(WaitEnd::Malformed(place, problems))));
            }
            Finding::Lost(error) => {
                hopeless.get_or_insert(Err(error));
            }
        }
    }
    let open = gates.targets.iter().filter(|target| target.open).count();
    // Where any is enough, one that is open counts more than one that never will be.
    if any && open > 0 {
        return Ok(Some(WaitEnd::Open));
    }
    hopeless.unwrap_or_else(|| Ok((open == gates.targets.len()).then_some(WaitEnd::Open)))
}

fn warn_gone(session: &mut Session<'_>, project: &Project) {
    let sentence = say(
        "The project's directory {0} is gone; waiting for it to come back.",
        "项目目录 {0} 不见了；等待它回来。",
    );
    let root = project.root().to_string_lossy();
    session.warn(&[sentence.fill(session.lang, &[&root])]);
}

fn warn_refused(session: &mut Session<'_>, shown: &str, refusal: Refusal) {
    let sentence = say("{0}: {1}", "{0}：{1}");
    session.warn(&[sentence.fill(session.lang, &[shown, &lines::unwritable(refusal, session.lang)])]);
}

fn warn_blocked(session: &mut Session<'_>, shown: &str, problems: &[Problem]) {
    let lang = session.lang;
    let sentence = say(
        "{0}: the record is invalid; waiting until it is repaired or removed.",
        "{0}：记录无效；等待它被修复或删除。",
    );
    let mut lines = vec![sentence.fill(lang, &[shown])];
    lines.extend(lines::problems(problems, lang));
    session.warn(&lines);
}

impl AwaitedRecord {
    fn of(target: &AwaitedGate, decisions: Option<String>) -> AwaitedRecord {
        let loaded = target.loaded.as_ref();
        AwaitedRecord {
            packet: PacketPath(target.shown.clone()),
            status: loaded.map_or(Status::Malformed, Loaded::status).name(),
            answer_path: AnswerPath::of(loaded.and_then(Loaded::gate)),
            record: loaded.and_then(|loaded| loaded.record.valid().cloned()),
            record_sha256: RecordHash::of(loaded.map(|loaded| &loaded.record)),
            decisions,
        }
    }
}

fn timed_out(targets: &[AwaitedGate], timeout: Duration, lang: Lang) -> String {
    let closed: Vec<&str> =
        targets.iter().filter(|target| !target.open).map(|target| target.shown.as_str()).collect();
    let sentence = say("Timed out after {0} s; not open: {1}.", "等待 {0} 秒后超时；尚未放行：{1}。");
    sentence.fill(lang, &[&timeout.as_secs_f64().to_string(), &closed.join(", ")])
}

fn print_malformed(
    session: &mut Session<'_>,
    target: &AwaitedGate,
    problems: &[Problem],
) -> Result<ExitCode, Error> {
    let lang = session.lang;
    if session.global.json {
        let head = Head::of_state(Status::Malformed, ExitCode::Malformed, lang);
        let packet = PacketPath(target.shown.clone());
        return session.json(head, WaitMalformed { packet, problems: Problems::of(problems, lang) });
    }
    session.warn(&lines::verdict(&target.shown, Status::Malformed, problems, lang));
    Ok(ExitCode::Malformed)
}

/// How long a packet may usually be gone: its executor may be about to write it again.
const GONE_PATIENCE: Duration = Duration::from_secs(10);

/// One packet that is waited for.
#[derive(Debug)]
pub(super) struct AwaitedGate {
    pub(super) path: PathBuf,
    /// The same with links resolved, as the watch knows it.
    real: PathBuf,
    /// For people and programs: relative to the root.
    pub(super) shown: String,
    /// The packet as it was read last.
    pub(super) loaded: Option<Loaded>,
    /// Whether the step may run.
    pub(super) open: bool,
    /// Since when it cannot be read.
    lost: Option<Instant>,
    /// The invalid records that were reported already.
    reported: BTreeSet<String>,
}

/// What is newly known to keep a gate closed.
#[derive(Debug)]
pub(super) enum Finding {
    /// Nothing new.
    Nothing,
    /// No answer can be written: the author cannot open it as it is.
    Refused(Refusal),
    /// The record is invalid.
    Blocked(Vec<Problem>),
    /// The packet is malformed: as it is, its gate never opens.
    Malformed(Vec<Problem>),
    /// The packet is gone or cannot be read.
    Lost(Error),
}

/// Packets that are waited for together.
pub(super) struct Gates {
    pub(super) project: Arc<Project>,
    pub(super) targets: Vec<AwaitedGate>,
    /// How long a packet may be gone.
    patience: Duration,
    /// As the watch listed them last; `None` before its first look.
    entries: Option<Vec<Arc<Entry>>>,
}

impl Gates {
    /// The packets at these paths; one that is named twice counts once.
    pub(super) fn new(project: Arc<Project>, paths: Vec<PathBuf>) -> Gates {
        let mut gates = Gates { project, targets: Vec::new(), patience: GONE_PATIENCE, entries: None };
        for path in paths {
            gates.add(path);
        }
        let mut known = HashSet::new();
        gates.targets.retain(|target| known.insert(target.real.clone()));
        gates
    }

    /// What was listed before says nothing of the new one.
    pub(super) fn add(&mut self, path: PathBuf) {
        self.targets.push(AwaitedGate::new(path, &self.project));
        self.entries = None;
    }

    /// Watches them and the way to their records.
    pub(super) fn watch(&self, send: impl Fn(StoreEvent) + Send + 'static) -> Result<Watch, Error> {
        let options =
            Options::only(self.targets.iter().map(|target| target.real.clone()).collect()).attaching();
        wake::watch(&self.project, options, send)
    }

    /// Applies what the watch found; true if the gates must be looked at.
    pub(super) fn take(&mut self, event: StoreEvent) -> bool {
        match event {
            StoreEvent::Entries { entries, .. } => {
                self.entries = Some(entries);
                return true;
            }
            StoreEvent::Reopened(project) => self.project = project,
            // What its directory held while it was away says nothing about the gates.
            StoreEvent::RootGone => self.targets.iter_mut().for_each(|target| target.lost = None),
            StoreEvent::Looked | StoreEvent::Watching(_) | StoreEvent::Unread(_) => {}
        }
        false
    }

    /// Whether the watch has listed the packets once.
    pub(super) fn is_known(&self) -> bool {
        self.entries.is_some()
    }

    /// Reads every packet: one finding for each, in their order.
    pub(super) fn look(&mut self) -> Vec<Finding> {
        let Some(entries) = &self.entries else { return Vec::new() };
        let project = &self.project;
        let look = |target: &mut AwaitedGate| {
            let entry = entries.iter().find(|entry| *entry.path == *target.real);
            target.look(project, entry, self.patience)
        };
        self.targets.iter_mut().map(look).collect()
    }

    /// When to look although nothing has changed.
    pub(super) fn due(&self) -> Option<Instant> {
        self.targets.iter().filter_map(|target| target.lost).min().map(|lost| lost + self.patience)
    }
}

impl AwaitedGate {
    fn new(path: PathBuf, project: &Project) -> AwaitedGate {
        let shown = project.relative(&path).to_string_lossy().into_owned();
        let real = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => file::real_path(parent.to_path_buf()).join(name),
            _ => path.clone(),
        };
        AwaitedGate { path, real, shown, loaded: None, open: false, lost: None, reported: BTreeSet::new() }
    }

    fn look(&mut self, project: &Project, entry: Option<&Arc<Entry>>, patience: Duration) -> Finding {
        self.open = false;
        let status = entry.filter(|entry| !entry.being_written).map(|entry| entry.status);
        let lost = self.lost.take();
        match gate::load(project, &self.path) {
            Ok(loaded) => {
                let now = loaded.status();
                self.open = matches!(now, Status::NoGate | Status::Answered);
                let refused = loaded.refusal.filter(|_| loaded.is_unattached && now == Status::Waiting);
                let finding = match &loaded.record.state {
                    _ if let Some(refusal) = refused
                        && self.reported.insert(refusal.text(Lang::En).to_owned()) =>
                    {
                        Finding::Refused(refusal)
                    }
                    RecordState::Invalid(problems)
                        if now == Status::Blocked
                            && status == Some(now)
                            && self.reported.insert(content_of(&loaded)) =>
                    {
                        Finding::Blocked(problems.clone())
                    }
                    RecordState::Absent | RecordState::Valid(_) | RecordState::Invalid(_) => Finding::Nothing,
                };
                self.loaded = Some(loaded);
                finding
            }
            Err(LoadFault::Malformed(problems)) if status == Some(Status::Malformed) => {
                Finding::Malformed(problems)
            }
            // It is being written.
            Err(LoadFault::Malformed(_)) => Finding::Nothing,
            Err(LoadFault::Unreadable(error)) => {
                let since = lost.unwrap_or_else(Instant::now);
                if since.elapsed() < patience {
                    self.lost = Some(since);
                    return Finding::Nothing;
                }
                // That reading fails says nothing about the packet: it is tried again.
                if error.code != "no-packet" && status != Some(Status::Malformed) {
                    self.lost = Some(Instant::now());
                    return Finding::Nothing;
                }
                Finding::Lost(error)
            }
        }
    }
}

/// Differs for two records that are invalid in different ways.
fn content_of(loaded: &Loaded) -> String {
    let bytes = if loaded.record.is_read() { loaded.record.sha256() } else { String::new() };
    sha256(format!("{bytes}{:?}", loaded.record.state).as_bytes())
}
