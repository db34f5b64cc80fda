//! `wait`: sleeps until gates are open and prints their records.
//!
//! Responsible for waking when something may have changed, and from time to time in case nothing said so; for what is
//! printed at the end and said meanwhile. Not responsible for the verdict (`store::gate`).

use super::{Session, report, show};
use crate::ask::object::list;
use crate::ask::{Object, Problem};
use crate::cli::Wait;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::gate::{self, Status};
use crate::store::watch::folders::Folders;
use crate::store::{Project, watch};
use crate::text::say;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};
use target::{Finding, Target};

pub(super) mod target;

/// Between two looks at what is not watched; with a working watcher it backs off from the second to the third.
const POLLING: Duration = Duration::from_secs(1);
const RECONCILE: Duration = Duration::from_secs(2);
const QUIET: Duration = Duration::from_secs(10);
/// How long a hint that ends no write is slept on.
const COALESCE: Duration = Duration::from_millis(30);
/// Between two looks at least this many times what the first has cost, however many hints come.
const SHARE: u32 = 5;

/// What ends a sleep.
pub(super) enum Wake {
    /// Something has changed; true if a write has just ended.
    Hint(bool),
    /// The process is to end.
    Signal(u8),
}

/// How the wait ended.
enum End {
    Open,
    TimedOut,
    Signal(u8),
    Malformed(usize, Vec<Problem>),
}

/// Runs it.
///
/// # Errors
/// There is no project or no such packet.
pub fn run(session: &mut Session<'_>, arguments: &Wait) -> Result<ExitCode, Error> {
    let project = session.project()?;
    let mut targets = Vec::new();
    for name in &arguments.packets {
        targets.push(Target::new(session.packet(&project, name)?, &project));
    }
    let (wake, wakes) = mpsc::channel();
    listen_for_signals(&wake)?;
    let mut vigil = Vigil { project: &project, targets, any: arguments.any, sure: true };
    let end = vigil.keep(session, arguments.timeout, &wake, &wakes)?;
    let targets = vigil.targets;
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

struct Vigil<'v> {
    project: &'v Project,
    targets: Vec<Target>,
    any: bool,
    /// Whether to read everything again instead of what differs.
    sure: bool,
}

impl Vigil<'_> {
    fn keep(
        &mut self,
        session: &mut Session<'_>,
        timeout: Option<Duration>,
        wake: &Sender<Wake>,
        wakes: &Receiver<Wake>,
    ) -> Result<End, Error> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        if let Some(end) = self.look(session)? {
            return Ok(end);
        }
        let tell = wake.clone();
        let mut folders = Folders::new(move |at_once| drop(tell.send(Wake::Hint(at_once))));
        let shared = watch::is_shared(self.project);
        let mut interval = RECONCILE;
        let mut calm = Instant::now();
        loop {
            // A directory must be looked into after it is watched, or what came before is missed.
            while folders.set(self.targets.iter().flat_map(|target| target.directories(self.project))) {
                self.sure = true;
                if let Some(end) = self.look(session)? {
                    return Ok(end);
                }
            }
            let polling = shared || !folders.works();
            let pause = if polling { POLLING } else { interval };
            match sleep(wakes, self.next(pause, deadline), calm) {
                Some(Wake::Signal(number)) => return Ok(End::Signal(number)),
                Some(Wake::Hint(_)) => {
                    interval = RECONCILE;
                    self.sure = true;
                }
                None => interval = (interval * 2).min(QUIET),
            }
            let start = Instant::now();
            if let Some(end) = self.look(session)? {
                return Ok(end);
            }
            calm = Instant::now() + start.elapsed() * SHARE;
            if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
                return Ok(End::TimedOut);
            }
        }
    }

    fn next(&self, pause: Duration, deadline: Option<Instant>) -> Instant {
        let due = self.targets.iter().filter_map(Target::due).chain(deadline).min();
        let pause = Instant::now() + pause;
        due.map_or(pause, |due| due.min(pause))
    }

    /// Looks at every packet; says what is new about records that do not open their gates.
    fn look(&mut self, session: &mut Session<'_>) -> Result<Option<End>, Error> {
        let sure = std::mem::take(&mut self.sure);
        let mut open = 0;
        let mut hopeless = None;
        for (place, target) in self.targets.iter_mut().enumerate() {
            match target.look(self.project, sure) {
                Finding::Open => open += 1,
                Finding::Closed => {}
                Finding::Blocked(problems) => warn_blocked(session, &target.shown, &problems),
                Finding::Malformed(problems) => {
                    hopeless.get_or_insert(Ok(Some(End::Malformed(place, problems))));
                }
                Finding::Lost(error) => {
                    hopeless.get_or_insert(Err(error));
                }
            }
        }
        // Where any is enough, one that is open counts more than one that never will be.
        if self.any && open > 0 {
            return Ok(Some(End::Open));
        }
        hopeless.unwrap_or_else(|| Ok((open == self.targets.len()).then_some(End::Open)))
    }
}

/// Sleeps until something happens; hints that end no write or come before `calm` are slept on a little longer, and
/// those that come together wake once.
pub(super) fn sleep(wakes: &Receiver<Wake>, until: Instant, calm: Instant) -> Option<Wake> {
    let mut until = until;
    let mut woken = None;
    loop {
        match wakes.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Wake::Signal(number)) => return Some(Wake::Signal(number)),
            Ok(Wake::Hint(at_once)) => {
                let now = Instant::now();
                if at_once && now >= calm {
                    return Some(Wake::Hint(true));
                }
                if at_once || woken.is_none() {
                    until = until.min(if at_once { calm } else { calm.max(now + COALESCE) });
                    woken = Some(Wake::Hint(at_once));
                }
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return woken,
        }
    }
}

pub(super) fn listen_for_signals(wake: &Sender<Wake>) -> Result<(), Error> {
    let listen = || -> std::io::Result<()> {
        let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let wake = wake.clone();
        thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                let _ = wake.send(Wake::Signal(u8::try_from(signal).unwrap_or_default()));
            }
        })?;
        Ok(())
    };
    listen().map_err(|cause| {
        Error::io("signals", say("Cannot listen for signals.", "无法监听信号。"), &[], &cause)
    })
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
    let sentence = say("Ended by signal {0}.", "被信号 {0} 终止。");
    let message = sentence.fill(session.lang, &[&number.to_string()]);
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
