//! `wait`: sleeps until gates are open and prints their records. The hook waits for gates too.

use super::decisions::Told;
use super::output::{AnswerPath, Head, Output, PacketPath, Problems, RecordHash, STATES, form};
use super::propose::{self, WantedOutput};
use super::sent_back::{self, SentBackOutput, TOLD};
use super::wake::{self, Wake};
use super::{Session, decisions, input, lines};
use crate::ask::decision::PRINTED;
use crate::ask::{AnswerSpec, Problem};
use crate::cli::WaitArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::gate::{Loaded, Status};
use crate::store::reply::Reply;
use crate::store::watch::{Mode, StoreEvent};
use crate::store::{Project, Refusal};
use crate::text::shell::shell_path;
use crate::text::{Lang, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

mod gates;
mod test_question;

pub(super) use gates::{AwaitedGate, Finding, Gates, WAIT, WAIT_GATE};

pub(super) const OUTPUT: Output = Output::new(
    "wait-output",
    "What wait --json prints at its end. Exit 0 open, 3 options are to be proposed first, 5 malformed, 7 timed out, 8 sent back, 128 + n ended by signal n.",
    &[
        form::<WaitOutput>(
            &["open", "sent-back", "propose", "timeout", "interrupted"],
            &[0, 3, 7, 8, 129, 130, 143],
            &["open", "sent-back", "propose", "timed-out", "signal"],
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
    /// Of a gate that the executor does not see: why it does not, and how to set it right.
    problems: Problems,
    /// What the author gave in place of an answer; null if nothing, or if what was refused is another by now.
    sent_back: Option<SentBackOutput>,
    /// What the executor is to propose before the author can choose; null if nothing.
    propose: Option<Vec<WantedOutput>>,
}

/// A packet that will never be open as it is.
#[derive(Serialize, JsonSchema)]
struct WaitMalformed {
    packet: PacketPath,
    problems: Problems,
}

enum WaitEnd {
    Open,
    SentBack,
    Propose,
    TimedOut,
    Signal(u8),
    Malformed(usize, Vec<Problem>),
}

/// Waits and prints the records; an error if a packet is gone for good.
pub fn run(session: &mut Session<'_>, arguments: &WaitArgs) -> Result<ExitCode, Error> {
    let project = Arc::new(session.project()?);
    session.hear_command(&project, WAIT, arguments.packets.first().map(PathBuf::as_path));
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
    let open = targets.iter().find(|target| target.open || target.refused);
    let open = open.and_then(|target| target.loaded.as_ref());
    let works = test.map(|relay| test_question::close(session, &project, relay, open)).transpose()?.flatten();
    let lang = session.lang;
    if let WaitEnd::Malformed(place, problems) = &end {
        return print_malformed(session, &targets[*place], problems);
    }
    let head = head(&end, &targets, arguments, lang);
    let told = |target: &AwaitedGate| {
        let loaded = target.loaded.as_ref().filter(|_| target.open)?;
        decisions::of_packet(&project, loaded, PRINTED, lang)
    };
    let told: Vec<Option<Told>> = targets.iter().map(told).collect();
    let exit = head.exit;
    if session.global.json {
        let said = |told: &Option<Told>| told.as_ref().map(|told| told.text.clone());
        let records = targets.iter().zip(&told);
        let records = records.map(|(target, told)| AwaitedRecord::of(&project, target, said(told), lang));
        let records = records.collect();
        session.json(head, WaitOutput { records })?;
    } else if let Some(works) = &works {
        session.print([works])?;
    } else if exit == ExitCode::SentBack {
        session.print(refusals(&project, &targets, lang).iter().flat_map(|text| text.lines()))?;
    } else if exit == ExitCode::Waiting {
        session.print(proposals(&project, &targets, lang))?;
    } else if exit != ExitCode::Done {
        session.warn(&[head.message]);
        propose::remind(session, &proposals(&project, &targets, lang));
    }
    if works.is_none() {
        settle(session, &project, &targets, &told, exit)?;
    }
    Ok(exit)
}

/// Notes what whoever waited has got. A reader who has gone has got nothing.
fn settle(
    session: &mut Session<'_>,
    project: &Project,
    targets: &[AwaitedGate],
    told: &[Option<Told>],
    exit: ExitCode,
) -> Result<(), Error> {
    let is_heard = !session.closed;
    match exit {
        ExitCode::Done => hand_over(session, project, targets, told)?,
        ExitCode::SentBack if is_heard => {
            for (loaded, reply) in refused(targets) {
                sent_back::note(session, project, loaded, reply, WAIT);
                propose::note_requested(session, project, loaded, WAIT);
            }
        }
        ExitCode::Waiting if is_heard => {
            for loaded in targets.iter().filter_map(|target| target.loaded.as_ref()) {
                propose::note_requested(session, project, loaded, WAIT);
            }
        }
        _ => {}
    }
    Ok(())
}

/// How the wait has ended.
fn head(end: &WaitEnd, targets: &[AwaitedGate], arguments: &WaitArgs, lang: Lang) -> Head {
    match end {
        WaitEnd::Open => Head::new("open", ExitCode::Done, "open", say("Open.", "已放行。").text(lang)),
        WaitEnd::SentBack => Head::of_state(Status::SentBack, ExitCode::SentBack, lang),
        WaitEnd::Propose => {
            let says = say("Propose options first, then wait again.", "请先给出备选，再等待。");
            Head::new("propose", ExitCode::Waiting, "propose", says.text(lang))
        }
        WaitEnd::TimedOut => {
            let message = timed_out(targets, arguments.timeout.unwrap_or_default(), lang);
            Head::new("timeout", ExitCode::TimedOut, "timed-out", message)
        }
        WaitEnd::Signal(number) => {
            let message = wake::signal_sentence(lang, *number);
            Head::new("interrupted", ExitCode::Signal(*number), "signal", message)
        }
        WaitEnd::Malformed(..) => Head::of_state(Status::Malformed, ExitCode::Malformed, lang),
    }
}

/// The refusals that end the wait.
fn refused(targets: &[AwaitedGate]) -> impl Iterator<Item = (&Loaded, &Reply)> {
    let loaded = targets.iter().filter(|target| target.refused).filter_map(|target| target.loaded.as_ref());
    loaded.filter_map(|loaded| Some((loaded, loaded.sent_back.as_ref()?)))
}

/// What the executor is told of each refusal.
fn refusals(project: &Project, targets: &[AwaitedGate], lang: Lang) -> Vec<String> {
    let refused = targets.iter().filter(|target| target.refused);
    let told = |target: &AwaitedGate| {
        let again = format!("novel-gate wait {}", shell_path(&target.shown));
        let said =
            sent_back::told_of_step(target.loaded.as_ref()?, Path::new(&target.shown), (&again, TOLD), lang);
        Some([said?].into_iter().chain(to_propose(project, target, lang)))
    };
    refused.filter_map(told).flatten().collect()
}

/// What the executor is to propose to a gate before it waits.
fn to_propose(project: &Project, target: &AwaitedGate, lang: Lang) -> Vec<String> {
    let loaded = target.loaded.iter();
    loaded.flat_map(|it| propose::told(project, it, &shell_path(&target.shown), lang)).collect()
}

/// What the executor is to propose to all gates that are not open.
fn proposals(project: &Project, targets: &[AwaitedGate], lang: Lang) -> Vec<String> {
    targets.iter().flat_map(|target| to_propose(project, target, lang)).collect()
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
        let lang = session.lang;
        for target in targets.iter().filter(|target| target.open) {
            let problems = target.loaded.as_ref().map(unseen).unwrap_or_default();
            if !problems.is_empty() {
                session.warn(&lines::verdict(&target.shown, Status::NoGate, problems, lang));
            }
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
    let (mut is_polling, mut is_reminded) = (false, false);
    loop {
        // The first look is never given up.
        let end = deadline.filter(|_| gates.is_known());
        match wake::next(wakes, [end, gates.due()].into_iter().flatten().min()) {
            Some(Wake::Signal(number)) => return Ok(WaitEnd::Signal(number)),
            Some(Wake::Store(event)) => {
                match &event {
                    StoreEvent::Unread(Some(trouble)) => session.warn(&[trouble.text(session.lang)]),
                    StoreEvent::RootGone => warn_gone(session, &gates.project),
                    StoreEvent::Watching(Mode::Polling(why)) if !std::mem::replace(&mut is_polling, true) => {
                        session.warn(&[why.text(session.lang)]);
                    }
                    StoreEvent::Entries { .. }
                    | StoreEvent::Unread(None)
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
        // Whoever was told before may have ended.
        if gates.is_known() && !std::mem::replace(&mut is_reminded, true) {
            propose::remind(session, &proposals(&gates.project, &gates.targets, session.lang));
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
    // Where any is enough, one that is open counts more than one that is refused, or never will be open.
    if any && open > 0 {
        return Ok(Some(WaitEnd::Open));
    }
    if gates.targets.iter().any(|target| target.refused) {
        return Ok(Some(WaitEnd::SentBack));
    }
    hopeless.unwrap_or_else(|| {
        let wants = gates.targets.iter().any(|target| target.wants).then_some(WaitEnd::Propose);
        Ok(wants.or((open == gates.targets.len()).then_some(WaitEnd::Open)))
    })
}

fn warn_gone(session: &mut Session<'_>, project: &Project) {
    let sentence = say(
        "The project's directory {0} is gone; waiting for it to come back.",
        "项目目录 {0} 不见了；等待它回来。",
    );
    let root = project.root().shown();
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
    fn of(project: &Project, target: &AwaitedGate, decisions: Option<String>, lang: Lang) -> AwaitedRecord {
        let loaded = target.loaded.as_ref();
        AwaitedRecord {
            packet: PacketPath(target.shown.clone()),
            status: loaded.map_or(Status::Malformed, Loaded::status).name(),
            answer_path: AnswerPath::of(loaded.and_then(Loaded::gate)),
            record: loaded.and_then(|loaded| loaded.record.valid().cloned()),
            record_sha256: RecordHash::of(loaded.map(|loaded| &loaded.record)),
            decisions,
            problems: Problems::of(loaded.map(unseen).unwrap_or_default(), lang),
            sent_back: SentBackOutput::of_reply(loaded.and_then(|loaded| loaded.sent_back.as_ref())),
            propose: loaded.and_then(|loaded| propose::wanted(project, loaded)),
        }
    }
}

/// What is wrong with a gate that the executor does not see.
fn unseen(loaded: &Loaded) -> &[Problem] {
    if loaded.is_unseen() { loaded.problems() } else { &[] }
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
