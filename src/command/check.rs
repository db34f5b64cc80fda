//! `check`: the verdict on one gate, nothing else.

use super::{Session, report};
use crate::ask::Problem;
use crate::cli::OnePacket;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::gate::{self, LoadFault, Loaded, Status};
use crate::store::{Project, RecordState};
use crate::text::say;
use std::path::Path;

/// Runs it.
///
/// # Errors
/// There is no project or no such packet.
pub fn run(session: &mut Session<'_>, arguments: &OnePacket) -> Result<ExitCode, Error> {
    let project = session.project()?;
    let path = session.packet(&project, &arguments.packet)?;
    match gate::load(&project, &path) {
        Ok(loaded) => {
            let problems = match &loaded.record.state {
                RecordState::Invalid(problems) => problems.as_slice(),
                _ => &[],
            };
            tell(session, &project, &path, &Verdict::of(&loaded, problems))
        }
        Err(LoadFault::Malformed(problems)) => {
            let verdict = Verdict { status: Status::Malformed, loaded: None, problems: &problems };
            tell(session, &project, &path, &verdict)
        }
        Err(LoadFault::Unreadable(error)) => Err(error),
    }
}

struct Verdict<'v> {
    status: Status,
    loaded: Option<&'v Loaded>,
    problems: &'v [Problem],
}

impl<'v> Verdict<'v> {
    fn of(loaded: &'v Loaded, problems: &'v [Problem]) -> Verdict<'v> {
        Verdict { status: loaded.status(), loaded: Some(loaded), problems }
    }
}

fn tell(
    session: &mut Session<'_>,
    project: &Project,
    path: &Path,
    verdict: &Verdict<'_>,
) -> Result<ExitCode, Error> {
    let (status, lang) = (verdict.status, session.lang);
    let shown = project.relative(path).to_string_lossy();
    let message = gate::verdict(status).text(lang);
    let gate = verdict.loaded.and_then(Loaded::gate);
    let refusal = verdict.loaded.and_then(|loaded| loaded.refusal);
    if session.global.json {
        let code = if status == Status::NoGate { "no-gate" } else { status.name() };
        let object = report::head(status.name(), status.exit(), code, &message).text("packet", &shown);
        let object = report::place(object, gate, refusal);
        session.json(report::problems(object, verdict.problems, lang))?;
    } else {
        let mut lines = vec![say("{0}: {1}", "{0}：{1}").fill(lang, &[&shown, &message])];
        lines.extend(report::problem_lines(verdict.problems, lang));
        if let Some(refusal) = refusal {
            let warning = say("  No record can be written: {0}", "  无法写入记录：{0}");
            lines.push(warning.fill(lang, &[refusal.text(lang)]));
        }
        session.say(&lines)?;
    }
    Ok(status.exit())
}
