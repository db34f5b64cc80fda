//! `next` on a Canonical Prompt document: its steps one at a time.

use super::super::source::{Source, Unusable};
use super::output::{AskOutput, RunOutput, StoppedOutput, asking, ended};
use super::{replies, usage};
use crate::adapter::canonical::{self, Script};
use crate::adapter::profile::Profile;
use crate::adapter::session::{Dialogue, DialogueStatus};
use crate::cli::Next;
use crate::command::Session;
use crate::command::output::Head;
use crate::exit::ExitCode;
use crate::text::say;

/// Prints the document's next call, or how its run ended.
///
/// # Errors
/// Nothing was asked, and no file has changed.
pub(super) fn run(
    session: &mut Session<'_>,
    arguments: &Next,
    source: &Source,
    profile: &Profile,
) -> Result<ExitCode, Unusable> {
    if arguments.write {
        return Err(usage(say(
            "--write needs a packet: a document has no place for a record.",
            "--write 需要一个指令包：文档没有存放记录的地方。",
        ))
        .into());
    }
    if arguments.limits.on_escape.is_some() || arguments.by.is_some() || arguments.answered_at.is_some() {
        return Err(usage(say(
            "--on-escape, --by and --answered-at are for packets: each step of a document says what Esc does, and nobody signs.",
            "--on-escape、--by 和 --answered-at 只用于指令包：文档的每一步自己写明按 Esc 怎么办，也没有人署名。",
        ))
        .into());
    }
    let document =
        canonical::read(&source.bytes).map_err(|found| Unusable::Broken("invalid_document", found))?;
    let script = Script::of(&document);
    let walk = replies::take_all(session, arguments, &Dialogue::run(&script, profile))?;
    let (lang, seq, path, standing) = (session.lang, walk.seq(), walk.path().collect(), walk.standing());
    let (head, put_off) = match walk.status() {
        DialogueStatus::Ask(request) => {
            let call = walk.call_report(&request, lang);
            return Ok(session.json(asking(lang), AskOutput { call, standing })?);
        }
        DialogueStatus::Done => {
            let message = say("The document has been run to its end.", "文档已经运行到结尾。").text(lang);
            let head = Head::new("done", ExitCode::Done, "done", message);
            return Ok(session.json(head, RunOutput { seq, path, standing })?);
        }
        DialogueStatus::Ended(end) => (ended(end, lang), walk.course().waiting().collect()),
    };
    let step = walk.course().step().map(|step| step.id.as_str());
    Ok(session.json(head, StoppedOutput { seq, step, path, put_off, standing })?)
}
