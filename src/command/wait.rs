//! `wait`: sleeps until gates are open and prints their records.

use super::gates::{AwaitedGate, Finding, Gates};
use super::output::{AnswerPath, Head, Output, PacketPath, Problems, RecordHash, RecordOutput, STATES, form};
use super::wake::{self, Wake};
use super::{Session, lines};
use crate::ask::Problem;
use crate::cli::Wait;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::Project;
use crate::store::gate::{Loaded, Status};
use crate::store::watch::{Mode, StoreEvent};
use crate::text::{Lang, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

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
    record: Option<RecordOutput>,
    record_sha256: RecordHash,
}

/// A packet that will never be open as it is.
#[derive(Serialize, JsonSchema)]
struct WaitMalformed {
    packet: PacketPath,
    problems: Problems,
}

/// How the wait ended.
enum End {
    Open,
    TimedOut,
    Signal(u8),
    Malformed(usize, Vec<Problem>),
}

/// Waits and prints the records.
///
/// # Errors
/// There is no project or no such packet, or a packet is gone for good.
pub fn run(session: &mut Session<'_>, arguments: &Wait) -> Result<ExitCode, Error> {
    let project = Arc::new(session.project()?);
    let paths: Result<Vec<PathBuf>, Error> =
        arguments.packets.iter().map(|name| session.packet(&project, name)).collect();
    let mut gates = Gates::new(project, paths?);
    let (wake, wakes) = mpsc::channel();
    wake::on_signal(&wake)?;
    let _watch = gates.watch(&wake)?;
    let end = sleep(session, &mut gates, arguments, &wakes)?;
    let Gates { project, targets, .. } = gates;
    for loaded in targets.iter().filter_map(|target| target.loaded.as_ref()) {
        session.note_seen(&project, loaded);
    }
    let lang = session.lang;
    let (status, exit, code, message) = match end {
        End::Malformed(place, problems) => return print_malformed(session, &targets[place], &problems),
        End::Open => ("open", ExitCode::Done, "open", say("Open.", "已放行。").text(lang).to_owned()),
        End::TimedOut => {
            let message = timed_out(&targets, arguments.timeout.unwrap_or_default(), lang);
            ("timeout", ExitCode::TimedOut, "timed-out", message)
        }
        End::Signal(number) => {
            ("interrupted", ExitCode::Signal(number), "signal", wake::signal_sentence(lang, number))
        }
    };
    if session.global.json {
        let records = targets.iter().map(AwaitedRecord::of).collect();
        return session.json(Head::new(status, exit, code, message), WaitOutput { records });
    }
    if exit == ExitCode::Done {
        for loaded in targets.iter().filter(|target| target.open).filter_map(|target| target.loaded.as_ref())
        {
            session.exact(&loaded.record.bytes)?;
        }
    } else {
        session.warn(&[message]);
    }
    Ok(exit)
}

/// Sleeps until the wait ends; meanwhile warns of what keeps the gates closed.
fn sleep(
    session: &mut Session<'_>,
    gates: &mut Gates,
    arguments: &Wait,
    wakes: &Receiver<Wake>,
) -> Result<End, Error> {
    let deadline = arguments.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let mut is_polling = false;
    loop {
        // The first look is never given up.
        let end = deadline.filter(|_| gates.is_known());
        match wake::next(wakes, [end, gates.due()].into_iter().flatten().min()) {
            Some(Wake::Signal(number)) => return Ok(End::Signal(number)),
            Some(Wake::Store(event)) => {
                match &event {
                    StoreEvent::RootGone => warn_gone(session, &gates.project),
                    StoreEvent::Watching(Mode::Polling(why)) if !std::mem::replace(&mut is_polling, true) => {
                        session.warn(&[why.text(session.lang)]);
                    }
                    _ => {}
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
            return Ok(End::TimedOut);
        }
    }
}

fn look(session: &mut Session<'_>, gates: &mut Gates, any: bool) -> Result<Option<End>, Error> {
    let mut hopeless = None;
    for (place, finding) in gates.look().into_iter().enumerate() {
        match finding {
            Finding::Nothing => {}
            Finding::Blocked(problems) => warn_blocked(session, &gates.targets[place].shown, &problems),
            Finding::Malformed(problems) => {
                hopeless.get_or_insert(Ok(Some(End::Malformed(place, problems))));
            }
            Finding::Lost(error) => {
                hopeless.get_or_insert(Err(error));
            }
        }
    }
    let open = gates.targets.iter().filter(|target| target.open).count();
    // Where any is enough, one that is open counts more than one that never will be.
    if any && open > 0 {
        return Ok(Some(End::Open));
    }
    hopeless.unwrap_or_else(|| Ok((open == gates.targets.len()).then_some(End::Open)))
}

fn warn_gone(session: &mut Session<'_>, project: &Project) {
    let sentence = say(
        "The project's directory {0} is gone; waiting for it to come back.",
        "项目目录 {0} 不见了；等待它回来。",
    );
    let root = project.root().to_string_lossy();
    session.warn(&[sentence.fill(session.lang, &[&root])]);
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
    fn of(target: &AwaitedGate) -> AwaitedRecord {
        let loaded = target.loaded.as_ref();
        AwaitedRecord {
            packet: PacketPath(target.shown.clone()),
            status: loaded.map_or(Status::Malformed, Loaded::status).name(),
            answer_path: AnswerPath::of(loaded.and_then(Loaded::gate)),
            record: loaded.and_then(RecordOutput::of_gate),
            record_sha256: RecordHash::of(loaded.map(|loaded| &loaded.record)),
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
