//! The replies of a dialogue: first those in the file, in their order, then the new one, which is added to the file once it
//! is taken.

use crate::adapter::call::{CallReply, Fault, INVALID_JSON, INVALID_REPLY, ReplyBody};
use crate::adapter::inquiry::Inquiry;
use crate::adapter::session::{Course, Dialogue, DialogueStatus};
use crate::ask::JsString;
use crate::cli::NextArgs;
use crate::command::input::usage;
use crate::command::{Session, input};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::json_lines::{JsonLines, is_their_name};
use crate::text::say;
use std::path::Path;

/// How often the file is read again if another process begins it at the same time.
const TRIES: usize = 5;

/// Whether standard input carries the reply.
pub(super) fn wants_input(arguments: &NextArgs) -> bool {
    [&arguments.reply, &arguments.text, &arguments.output].into_iter().flatten().any(|value| value == "-")
}

/// The new reply, as far as it can be read without the call.
enum NewReply {
    Whole(Result<CallReply, Fault>),
    /// The call, and the values of which its questions make a reply.
    Values(String, Vec<(String, JsString)>),
}

/// Why a reply is not taken. `place` is the file and the line on which it stands; a new reply has none.
fn refused(fault: Fault, place: Option<&str>) -> Error {
    let inside = fault.at.as_ref().map(ToString::to_string).filter(|at| place.is_none() || !at.is_empty());
    let at: Vec<&str> = place.into_iter().chain(inside.as_deref()).collect();
    let at = (!at.is_empty()).then(|| at.join(" "));
    let error = Error::of(ExitCode::Usage, fault.code, fault.message);
    let error = Error { at: at.map(String::into_boxed_str), ..error };
    let Some(place) = place else { return error };
    let way_on = match error.code {
        INVALID_JSON | INVALID_REPLY => say(
            "It is at {0}: ask the author to fix or remove that line, or to name another file with \
             --replies, so that everything is asked again.",
            "它在 {0}：请让作者改好或删掉这一行，或用 --replies 另指一个文件，从头再问。",
        ),
        _ => say(
            "It is at {0}: go on with the packet and the flags as they were, or name another file \
             with --replies, so that everything is asked again.",
            "它在 {0}：请用原来的指令包和参数继续，或用 --replies 另指一个文件，从头再问。",
        ),
    };
    error.hint(way_on, &[place])
}

/// The dialogue after all replies.
pub(super) fn take_all<C: Course>(
    session: &mut Session<'_>,
    arguments: &NextArgs,
    fresh: &Dialogue<C>,
) -> Result<Dialogue<C>, Error> {
    let new = new_reply(session, arguments)?;
    let path = session.environment.cwd.join(&arguments.replies);
    if !is_their_name(&path) {
        let sentence = say(
            "--replies takes a file whose name ends with .jsonl, or a link to one: replies go into no other kind of file.",
            "--replies 的文件名须以 .jsonl 结尾，链接也须指向这样的文件：回复不写进别种文件。",
        );
        return Err(usage::<Error>(sentence).at("--replies"));
    }
    for _ in 0..TRIES {
        let mut dialogue = fresh.clone();
        let mut replies = JsonLines::open(&path, new.is_some())?;
        for (line, bytes) in replies.lines() {
            let taken = CallReply::read(bytes).and_then(|reply| dialogue.take(&reply));
            if let Err(fault) = taken {
                return Err(refused(fault, Some(&format!("{}:{line}", arguments.replies.shown()))));
            }
        }
        if arguments.resume {
            dialogue.resume();
        }
        let Some(new) = &new else { return Ok(dialogue) };
        // Only what is in the file may take an escape back by itself.
        dialogue.settle();
        let taken = complete(new, &dialogue).and_then(|reply| dialogue.take(&reply).map(|()| reply));
        let reply = taken.map_err(|fault| refused(fault, None))?;
        if replies.append(&reply.to_json())? {
            return Ok(dialogue);
        }
    }
    let sentence =
        say("The replies keep changing; nothing was added.", "回复文件一直在变化；没有追加任何内容。");
    Err(Error::new(ExitCode::Failed, "not-written", sentence, &[]))
}

/// Closes the dialogue in the file, because the gate has a record now: once that record is removed, the old replies must
/// not answer the gate again. A dialogue without replies stays as it is.
pub(super) fn close(
    session: &Session<'_>,
    arguments: &NextArgs,
    fresh: &Dialogue<Inquiry<'_>>,
    sha256: &str,
) -> Result<(), Error> {
    let path = session.environment.cwd.join(&arguments.replies);
    let (mut dialogue, mut open) = (fresh.clone(), false);
    let mut replies = JsonLines::open(&path, true)?;
    for (_, bytes) in replies.lines() {
        let reply = CallReply::read(bytes).and_then(|reply| dialogue.take(&reply).map(|()| reply));
        // These are the replies of another gate.
        let Ok(reply) = reply else { return Ok(()) };
        open = !matches!(reply.body, ReplyBody::Written(_));
    }
    if !open {
        return Ok(());
    }
    let line = CallReply { call: dialogue.call(), body: ReplyBody::Written(sha256.into()) }.to_json();
    replies.append(&line).map(drop)
}

fn new_reply(session: &mut Session<'_>, arguments: &NextArgs) -> Result<Option<NewReply>, Error> {
    let mut value = |text: &str| -> Result<String, Error> {
        if text != "-" {
            return Ok(text.to_owned());
        }
        let name = Path::new(text);
        input::in_utf8(name, input::standard(session).map_err(|fault| input::unusable(name, fault))?)
    };
    if let Some(json) = &arguments.reply {
        return Ok(Some(NewReply::Whole(author_reply(value(json)?.as_bytes()))));
    }
    let Some(call) = &arguments.call else { return Ok(None) };
    let body = if let Some(text) = &arguments.text {
        Ok(ReplyBody::Text(value(text)?.into()))
    } else if let Some(json) = &arguments.output {
        ReplyBody::output(value(json)?.as_bytes())
    } else if arguments.escape {
        Ok(ReplyBody::Escape)
    } else if arguments.unavailable {
        Ok(ReplyBody::Unavailable)
    } else {
        // With --none there are no values.
        let values = arguments.answer.iter().map(|answer| {
            let (id, value) = answer.split_once('=').ok_or_else(|| {
                usage::<Error>(say("--answer takes ID=VALUE.", "--answer 的形式是 ID=VALUE。"))
            })?;
            Ok((id.to_owned(), value.into()))
        });
        return Ok(Some(NewReply::Values(call.clone(), values.collect::<Result<_, Error>>()?)));
    };
    Ok(Some(NewReply::Whole(body.map(|body| CallReply { call: call.clone(), body }))))
}

/// A reply that does not come from this program itself.
fn author_reply(bytes: &[u8]) -> Result<CallReply, Fault> {
    let reply = CallReply::read(bytes)?;
    if matches!(reply.body, ReplyBody::Written(_)) {
        let sentence =
            say("Only novel-gate says that a record is written.", "记录是否写入，只由 novel-gate 来说。");
        return Err(Fault::new(INVALID_REPLY, sentence, &[]).at("/written"));
    }
    Ok(reply)
}

/// The new reply, completed by the call it replies to.
fn complete<C: Course>(new: &NewReply, dialogue: &Dialogue<C>) -> Result<CallReply, Fault> {
    let (call, values) = match new {
        NewReply::Whole(reply) => return reply.clone(),
        NewReply::Values(call, values) => (call.clone(), values),
    };
    let body = match dialogue.status() {
        DialogueStatus::Ask(request) if dialogue.call() == call => {
            dialogue.inquiry().plain_reply(&request, values)?
        }
        // A reply to another call is stale, whatever it says.
        DialogueStatus::Ask(_) | DialogueStatus::Done | DialogueStatus::Ended(_) => ReplyBody::Escape,
    };
    Ok(CallReply { call, body })
}
