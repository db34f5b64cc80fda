//! `check`: the verdict on one gate, nothing else.

use super::input::NamedPacket;
use super::output::{Destination, Head, Lost, Output, PacketPath, Problems, STATE_CODES, STATES, form};
use super::sent_back::{self, REASON, SentBackOutput};
use super::{Session, lines};
use crate::cli::PacketArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::gate::Loaded;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

pub(super) const OUTPUT: Output = Output::new(
    "check-output",
    "What check --json prints: the verdict on one gate. Exit 0 open, 3 waiting or sent back, 4 blocked, 5 malformed.",
    &[form::<CheckOutput>(STATES, &[0, 3, 4, 5], STATE_CODES)],
);

/// The verdict: a step may run if and only if its gate is open.
#[derive(Serialize, JsonSchema)]
struct CheckOutput {
    packet: PacketPath,
    #[serde(flatten)]
    place: Destination,
    problems: Problems,
    lost: Lost,
    /// What the author gave in place of an answer; null if nothing, or if what was refused is another by now.
    sent_back: Option<SentBackOutput>,
    /// Whether the record has approved something that has changed since, before the book went on.
    outdated: bool,
}

/// Prints the verdict; its exit code is the command's.
pub fn run(session: &mut Session<'_>, arguments: &PacketArgs) -> Result<ExitCode, Error> {
    let project = session.project()?;
    let packet = NamedPacket::load(session, &project, &arguments.packet)?;
    let (status, is_unseen, lang) = (packet.status(), packet.is_unseen(), session.lang);
    let mut lines = lines::verdict(&packet.shown, status, packet.problems(), lang);
    lines.extend(lines::name(&project, &packet.path, lang));
    let unattached = packet.loaded().filter(|loaded| loaded.is_unattached);
    lines.extend(unattached.and_then(|loaded| lines::standing(loaded, lang)).map(|line| format!("  {line}")));
    let refusal = packet.loaded().and_then(|loaded| loaded.refusal);
    lines.extend(refusal.map(|refusal| format!("  {}", lines::unwritable(refusal, lang))));
    let reply = packet.loaded().and_then(|loaded| loaded.sent_back.as_ref());
    let now = session.clock.local_now();
    let said =
        reply.iter().flat_map(|reply| sent_back::lines(reply, Path::new(&packet.shown), REASON, &now, lang));
    lines.extend(said.map(|line| format!("  {line}")));
    let outdated = packet.loaded().is_some_and(|loaded| loaded.is_outdated);
    lines.extend(outdated.then(|| format!("  {}", sent_back::OUTDATED.text(lang))));
    let lost = Lost::of(packet.loaded().and_then(Loaded::loss).as_ref(), lang);
    lines.extend(lost.line());
    let output = CheckOutput {
        sent_back: SentBackOutput::of_reply(reply),
        outdated,
        place: Destination::of(packet.loaded()),
        problems: Problems::of(packet.problems(), lang),
        lost,
        packet: PacketPath(packet.shown),
    };
    session.output(Head::of_packet(status, is_unseen, status.exit(), lang), output, &lines)
}
