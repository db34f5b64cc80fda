//! `attach`: puts the standing question into a packet that is to be asked before its step.

use super::input::NamedPacket;
use super::output::{Destination, Head, Output, PacketPath, Problems, form};
use super::{Session, lines};
use crate::cli::PacketArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::attach::attach;
use crate::store::gate::Status;
use crate::text::say;
use schemars::JsonSchema;
use serde::Serialize;

pub(super) const OUTPUT: Output = Output::new(
    "attach-output",
    "What attach --json prints. Exit 0 whether something was to be attached or not, 5 malformed, or a packet that cannot be written.",
    &[form::<AttachOutput>(
        &["attached", "taken-out", "unchanged", "malformed"],
        &[0, 5],
        &["attached", "taken-out", "already", "nothing", "malformed"],
    )],
);

/// A packet after standing questions were attached.
#[derive(Serialize, JsonSchema)]
struct AttachOutput {
    packet: PacketPath,
    /// The standing question that its gate is of.
    standing_question: Option<String>,
    /// What one answer to it holds for.
    span: Option<String>,
    #[serde(flatten)]
    place: Destination,
    problems: Problems,
}

pub fn run(session: &mut Session<'_>, arguments: &PacketArgs) -> Result<ExitCode, Error> {
    let project = session.project()?;
    session.warn_of_checkpoint(&project);
    let before = NamedPacket::load(session, &project, &arguments.packet)?;
    let lang = session.lang;
    let is_changed = before.loaded().is_some() && attach(&project, &before.path)?;
    let packet = NamedPacket::load(session, &project, &arguments.packet)?;
    // Those of a record are no matter of this command.
    let problems = packet.loaded().map_or(packet.problems(), |loaded| &loaded.packet.misspelt);
    let asked = packet.loaded().and_then(|loaded| loaded.asked.as_ref());
    let done = |status, code, says: crate::text::Sentence| {
        let name = asked.map(|asked| asked.name.as_str()).unwrap_or_default();
        Head::new(status, ExitCode::Done, code, says.fill(lang, &[name]))
    };
    let head = match (packet.status(), is_changed, asked) {
        (Status::Malformed, ..) => Head::of_state(Status::Malformed, ExitCode::Malformed, lang),
        (_, true, Some(_)) => done("attached", "attached", say("{0} is attached.", "已挂上 {0}。")),
        (_, true, None) => {
            let says =
                say("The question was taken out: it is not asked any more.", "已取出提问：现在不再问它。");
            done("taken-out", "taken-out", says)
        }
        (_, false, Some(_)) => {
            done("unchanged", "already", say("{0} was attached already.", "{0} 早已挂上。"))
        }
        (_, false, None) if !problems.is_empty() => done(
            "unchanged",
            "nothing",
            say(
                "Nothing is attached: the packet has a gate of its own that the executor does not see.",
                "没有挂提问：指令包自带门控，只是执行器看不到。",
            ),
        ),
        (_, false, None) => {
            done("unchanged", "nothing", say("Nothing is to be attached.", "没有要挂上的提问。"))
        }
    };
    let mut shown = vec![say("{0}: {1}", "{0}：{1}").fill(lang, &[&packet.shown, &head.message])];
    shown.extend(lines::problems(problems, lang));
    let output = AttachOutput {
        standing_question: asked.map(|asked| asked.name.clone()),
        span: asked.map(|asked| asked.span.to_string()),
        place: Destination::of(packet.loaded()),
        problems: Problems::of(problems, lang),
        packet: PacketPath(packet.shown),
    };
    session.output(head, output, &shown)
}
