//! `check`: the verdict on one gate, nothing else.

use super::output::{Head, Output, PacketPath, Place, Problems, STATE_CODES, STATES, form, head};
use super::{Session, report};
use crate::ask::Problem;
use crate::cli::OnePacket;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::gate::{self, LoadFault, Loaded, Status};
use crate::text::say;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) const OUTPUT: Output = Output::new(
    "check-output",
    "What check --json prints: the verdict on one gate. Exit 0 open, 3 waiting, 4 blocked, 5 malformed.",
    &[form::<CheckOutput>],
);

/// The verdict: a step may run if and only if its gate is open.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(STATES, &[0, 3, 4, 5], STATE_CODES))]
struct CheckOutput {
    #[serde(flatten)]
    head: Head,
    packet: PacketPath,
    #[serde(flatten)]
    place: Place,
    problems: Problems,
}

/// Prints the verdict; its exit code is the command's.
///
/// # Errors
/// There is no project or no such packet.
pub fn run(session: &mut Session<'_>, arguments: &OnePacket) -> Result<ExitCode, Error> {
    let project = session.project()?;
    let path = session.packet(&project, &arguments.packet)?;
    let shown = project.relative(&path).to_string_lossy().into_owned();
    match gate::load(&project, &path) {
        Ok(loaded) => print(session, shown, Some(&loaded), loaded.problems()),
        Err(LoadFault::Malformed(problems)) => print(session, shown, None, &problems),
        Err(LoadFault::Unreadable(error)) => Err(error),
    }
}

/// Without `loaded` the packet is malformed.
fn print(
    session: &mut Session<'_>,
    packet: String,
    loaded: Option<&Loaded>,
    problems: &[Problem],
) -> Result<ExitCode, Error> {
    let lang = session.lang;
    let status = loaded.map_or(Status::Malformed, Loaded::status);
    if session.global.json {
        session.json(CheckOutput {
            head: Head::of_state(status, status.exit(), lang),
            packet: PacketPath(packet),
            place: Place::of(loaded),
            problems: Problems::of(problems, lang),
        })?;
    } else {
        let message = gate::verdict(status).text(lang);
        let mut lines = vec![say("{0}: {1}", "{0}：{1}").fill(lang, &[&packet, &message])];
        lines.extend(report::problem_lines(problems, lang));
        if let Some(refusal) = loaded.and_then(|loaded| loaded.refusal) {
            let warning = say("  No record can be written: {0}", "  无法写入记录：{0}");
            lines.push(warning.fill(lang, &[refusal.text(lang)]));
        }
        session.print(&lines)?;
    }
    Ok(status.exit())
}
