//! `check`: the verdict on one gate, nothing else.

use super::input::NamedPacket;
use super::output::{Destination, Head, Output, PacketPath, Problems, STATE_CODES, STATES, form};
use super::{Session, lines};
use crate::cli::PacketArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) const OUTPUT: Output = Output::new(
    "check-output",
    "What check --json prints: the verdict on one gate. Exit 0 open, 3 waiting, 4 blocked, 5 malformed.",
    &[form::<CheckOutput>(STATES, &[0, 3, 4, 5], STATE_CODES)],
);

/// The verdict: a step may run if and only if its gate is open.
#[derive(Serialize, JsonSchema)]
struct CheckOutput {
    packet: PacketPath,
    #[serde(flatten)]
    place: Destination,
    problems: Problems,
}

/// Prints the verdict; its exit code is the command's.
pub fn run(session: &mut Session<'_>, arguments: &PacketArgs) -> Result<ExitCode, Error> {
    let project = session.project()?;
    let packet = NamedPacket::load(session, &project, &arguments.packet)?;
    let (status, lang) = (packet.status(), session.lang);
    let mut lines = lines::verdict(&packet.shown, status, packet.problems(), lang);
    let unattached = packet.loaded().filter(|loaded| loaded.is_unattached);
    lines.extend(unattached.and_then(|loaded| lines::standing(loaded, lang)).map(|line| format!("  {line}")));
    let refusal = packet.loaded().and_then(|loaded| loaded.refusal);
    lines.extend(refusal.map(|refusal| format!("  {}", lines::unwritable(refusal, lang))));
    let output = CheckOutput {
        place: Destination::of(packet.loaded()),
        problems: Problems::of(packet.problems(), lang),
        packet: PacketPath(packet.shown),
    };
    session.output(Head::of_state(status, status.exit(), lang), output, &lines)
}
