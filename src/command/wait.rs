//! `wait`: sleeps until gates are open and prints their records.
//!
//! Responsible for what is printed at the end and said meanwhile. Not responsible for the sleep (`waiter`) nor for the
//! verdict (`store::gate`).

use super::{Session, ending, report, show};
use crate::ask::object::list;
use crate::ask::{Object, Problem};
use crate::cli::Wait;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::Project;
use crate::store::gate::{self, Status};
use crate::store::watch::target::Target;
use crate::text::say;
use std::sync::mpsc;
use std::time::Duration;
use waiter::{End, Waiter, Wake};

mod waiter;

/// Runs it.
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

fn record_json(target: &Target) -> String {
    let loaded = target.loaded.as_ref();
    let status = loaded.map_or(Status::Malformed, gate::Loaded::status);
    let path = loaded.and_then(gate::Loaded::gate).map(|gate| &gate.answer_path);
    Object::new()
        .text("packet", &target.shown)
        .text("status", status.name())
        .js_or_null("answer_path", path)
        .raw("record", &loaded.map_or_else(|| "null".to_owned(), show::record_json))
        .text_or_null("record_sha256", loaded.and_then(show::record_hash).as_deref())
        .finish()
}

fn with_records(object: Object, targets: &[Target]) -> Object {
    object.raw("records", &list(targets.iter().map(record_json)))
}

fn tell_open(session: &mut Session<'_>, targets: &[Target]) -> Result<ExitCode, Error> {
    if session.global.json {
        let message = say("Open.", "已放行。").text(session.lang);
        let object = report::head("open", ExitCode::Done, "open", message);
        session.json(with_records(object, targets))?;
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
    (status, exit, code): (&str, ExitCode, &str),
    message: String,
) -> Result<ExitCode, Error> {
    if session.global.json {
        session.json(with_records(report::head(status, exit, code, &message), targets))?;
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
    let message = gate::verdict(Status::Malformed).text(lang);
    if session.global.json {
        let object = report::head("malformed", ExitCode::Malformed, "malformed", &message);
        session.json(report::problems(object.text("packet", &target.shown), problems, lang))?;
    } else {
        let mut lines = vec![say("{0}: {1}", "{0}：{1}").fill(lang, &[&target.shown, &message])];
        lines.extend(report::problem_lines(problems, lang));
        session.warn(&lines);
    }
    Ok(ExitCode::Malformed)
}
