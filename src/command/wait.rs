//! `wait`: sleeps until gates are open and prints their records.
//!
//! Responsible for what is printed at the end and said meanwhile. Not responsible for the sleep (`waiter`) nor for the
//! verdict (`store::gate`).

use super::output::{
    AnswerPath, Head, Output, PacketPath, Problems, RecordHash, RecordOutput, STATES, form, head,
};
use super::{Session, ending, report};
use crate::ask::Problem;
use crate::cli::Wait;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::Project;
use crate::store::gate::{Loaded, Status, verdict};
use crate::store::watch::target::Target;
use crate::text::say;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::mpsc;
use std::time::Duration;
use waiter::{End, Waiter, Wake};

mod waiter;

pub(super) const OUTPUT: Output = Output::new(
    "wait-output",
    "What wait --json prints at its end. Exit 0 open, 5 malformed, 7 timed out, 128 + n ended by signal n.",
    &[form::<WaitOutput>, form::<WaitMalformed>],
);

/// The gates are open, or the wait ended before.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(
    &["open", "timeout", "interrupted"],
    &[0, 7, 129, 130, 143],
    &["open", "timed-out", "signal"],
))]
struct WaitOutput {
    #[serde(flatten)]
    head: Head,
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
#[schemars(transform = head(&["malformed"], &[5], &["malformed"]))]
struct WaitMalformed {
    #[serde(flatten)]
    head: Head,
    packet: PacketPath,
    problems: Problems,
}

/// Waits and prints the records.
///
/// # Errors
/// There is no project or no such packet.
pub fn run(session: &mut Session<'_>, arguments: &Wait) -> Result<ExitCode, Error> {
    let project = session.project()?;
    let mut targets: Vec<Target> = Vec::new();
    for name in &arguments.packets {
        let target = Target::new(session.packet(&project, name)?, &project);
        if !targets.iter().any(|known| known.is_same_as(&target)) {
            targets.push(target);
        }
    }
    let (wake, wakes) = mpsc::channel();
    ending::on_signal(&wake, Wake::Signal)?;
    let mut waiter = Waiter::new(project, targets, arguments.any);
    let end = waiter.keep(session, arguments.timeout, &wake, &wakes)?;
    let Waiter { project, targets, .. } = waiter;
    for loaded in targets.iter().filter_map(|target| target.loaded.as_ref()) {
        session.note_seen(&project, loaded);
    }
    match end {
        End::Open => tell_open(session, &targets),
        End::TimedOut => tell_timeout(session, &targets, arguments.timeout.unwrap_or_default()),
        End::Malformed(place, problems) => tell_malformed(session, &targets[place], &problems),
        End::Signal(number) => tell_signal(session, &targets, number),
    }
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
    lines.extend(report::problem_lines(problems, lang));
    session.warn(&lines);
}

impl AwaitedRecord {
    fn of(target: &Target) -> AwaitedRecord {
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

fn print(session: &mut Session<'_>, head: Head, targets: &[Target]) -> Result<(), Error> {
    session.json(WaitOutput { head, records: targets.iter().map(AwaitedRecord::of).collect() })
}

fn tell_open(session: &mut Session<'_>, targets: &[Target]) -> Result<ExitCode, Error> {
    if session.global.json {
        let message = say("Open.", "已放行。").text(session.lang);
        print(session, Head::new("open", ExitCode::Done, "open", message), targets)?;
    } else {
        for target in targets.iter().filter(|target| target.open) {
            if let Some(loaded) = &target.loaded {
                session.exact(&loaded.record.bytes)?;
            }
        }
    }
    Ok(ExitCode::Done)
}

fn tell_timeout(session: &mut Session<'_>, targets: &[Target], timeout: Duration) -> Result<ExitCode, Error> {
    let closed: Vec<&str> =
        targets.iter().filter(|target| !target.open).map(|target| target.shown.as_str()).collect();
    let sentence = say("Timed out after {0} s; not open: {1}.", "等待 {0} 秒后超时；尚未放行：{1}。");
    let seconds = timeout.as_secs_f64().to_string();
    let message = sentence.fill(session.lang, &[&seconds, &closed.join(", ")]);
    tell_end(session, targets, ("timeout", ExitCode::TimedOut, "timed-out"), message)
}

fn tell_signal(session: &mut Session<'_>, targets: &[Target], number: u8) -> Result<ExitCode, Error> {
    let message = ending::sentence(session.lang, number);
    tell_end(session, targets, ("interrupted", ExitCode::Signal(number), "signal"), message)
}

fn tell_end(
    session: &mut Session<'_>,
    targets: &[Target],
    (status, exit, code): (&'static str, ExitCode, &'static str),
    message: String,
) -> Result<ExitCode, Error> {
    if session.global.json {
        print(session, Head::new(status, exit, code, message), targets)?;
    } else {
        session.warn(&[message]);
    }
    Ok(exit)
}

fn tell_malformed(
    session: &mut Session<'_>,
    target: &Target,
    problems: &[Problem],
) -> Result<ExitCode, Error> {
    let lang = session.lang;
    if session.global.json {
        let head = Head::of_state(Status::Malformed, ExitCode::Malformed, lang);
        let packet = PacketPath(target.shown.clone());
        session.json(WaitMalformed { head, packet, problems: Problems::of(problems, lang) })?;
    } else {
        let message = verdict(Status::Malformed).text(lang);
        let mut lines = vec![say("{0}: {1}", "{0}：{1}").fill(lang, &[&target.shown, &message])];
        lines.extend(report::problem_lines(problems, lang));
        session.warn(&lines);
    }
    Ok(ExitCode::Malformed)
}
