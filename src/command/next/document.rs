//! `next` on a Canonical Prompt document: its steps one at a time.

use super::super::source::{Source, Unusable};
use super::{ending, replies, usage};
use crate::adapter::canonical::{self, Script, Walk};
use crate::adapter::profile::Profile;
use crate::adapter::session::{Dialogue, DialogueStatus};
use crate::ask::Object;
use crate::ask::object::list;
use crate::cli::Next;
use crate::command::{Session, report};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;

/// Runs it.
///
/// # Errors
/// Nothing was asked, and no file has changed.
pub(super) fn run(
    session: &mut Session<'_>,
    arguments: &Next,
    source: &Source,
    profile: &Profile,
) -> Result<ExitCode, Error> {
    if arguments.write {
        return Err(usage(say(
            "--write needs a packet: a document has no place for a record.",
            "--write 需要一个指令包：文档没有存放记录的地方。",
        )));
    }
    if arguments.limits.on_escape.is_some() || arguments.by.is_some() || arguments.answered_at.is_some() {
        return Err(usage(say(
            "--on-escape, --by and --answered-at are for packets: each step of a document says what Esc does, and nobody signs.",
            "--on-escape、--by 和 --answered-at 只用于指令包：文档的每一步自己写明按 Esc 怎么办，也没有人署名。",
        )));
    }
    let document = match canonical::read(&source.bytes) {
        Ok(document) => document,
        Err(problems) => {
            return report::unusable(session, &Unusable::Problems("invalid_document", problems));
        }
    };
    let script = Script::of(&document);
    let walk = match replies::take_all(session, arguments, &Dialogue::run(&script, profile))? {
        Ok(walk) => walk,
        Err((fault, place)) => return report::fault(session, &fault, place.as_deref()),
    };
    let (object, code) = match walk.status() {
        DialogueStatus::Ask(request) => {
            let message =
                say("Make this call, then give its reply back.", "请进行这次调用，再把回复交回来。");
            let head = report::head("ask", ExitCode::Done, "ask", message.text(session.lang));
            (walk.report_call(head, &request, session.lang), ExitCode::Done)
        }
        DialogueStatus::Done => {
            let message = say("The document has been run to its end.", "文档已经运行到结尾。");
            let head = report::head("done", ExitCode::Done, "done", message.text(session.lang));
            (seq(head, &walk).raw("path", &path(&walk)), ExitCode::Done)
        }
        DialogueStatus::Ended(end) => {
            let message = ending(end).text(session.lang);
            let head = report::head(end.name(), ExitCode::Waiting, end.name(), message);
            let object = seq(head, &walk)
                .text_or_null("step", walk.course().step().map(|step| step.id.as_str()))
                .raw("path", &path(&walk))
                .raw("put_off", &list(walk.course().waiting().map(|id| format!("\"{id}\""))));
            (object, ExitCode::Waiting)
        }
    };
    session.json(walk.report_progress(object))?;
    Ok(code)
}

fn seq(object: Object, walk: &Dialogue<Walk<'_>>) -> Object {
    object.number("seq", walk.seq() as u64)
}

fn path(walk: &Dialogue<Walk<'_>>) -> String {
    list(walk.path().map(|taken| Object::new().text("step", taken.step).js("answer", taken.answer).finish()))
}
