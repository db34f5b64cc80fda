//! Gates that hold a step up: which they are, and what whoever wants to go on is told.

use super::call::{Call, Decision, Refused, Verdict};
use crate::command::sent_back::told_of_step;
use crate::command::{Session, propose};
use crate::store::attach::attach;
use crate::store::entry::Entry;
use crate::store::file::is_relay;
use crate::store::gate::{self, Loaded, Status};
use crate::store::scan::Scanner;
use crate::text::{Lang, Sentence, say};
use std::sync::Arc;

/// So many packets get a standing question for one call.
const ATTACHED: usize = 16;
/// So many UTF-16 units of what the author says are told of each: a reason that is too long is not shown at all.
const REASON: usize = 1_500;
/// So many gates are named in a reason.
pub(super) const NAMED: usize = 3;

/// How a gate holds its step up, and the way on; nothing if it does not.
const fn hold(status: Status) -> Option<Sentence> {
    match status {
        Status::Waiting => Some(say(
            "its gate waits for the author. Wait for the answers: novel-gate wait {0}",
            "它的门控正在等待作者。请等待回答：novel-gate wait {0}",
        )),
        Status::Blocked => Some(say(
            "the record of its gate is not valid. Wait until it is mended: novel-gate wait {0}",
            "它的门控中的记录无效。请等待记录被修好：novel-gate wait {0}",
        )),
        Status::Malformed => Some(say(
            "its packet cannot be used. Mend it; what is wrong with it: novel-gate check {0}",
            "它的指令包无法使用。请修好它；查看错误：novel-gate check {0}",
        )),
        Status::SentBack => Some(say("the author has sent it back.", "作者已把它退回。")),
        Status::NoGate | Status::Answered => None,
    }
}

/// Whether an entry's step may not run.
pub(super) fn is_held(entry: &Entry) -> bool {
    hold(entry.status).is_some() && !entry.past && !is_relay(&entry.path)
}

/// Puts standing questions into the packets that are to get one: the author is asked though no console is open. A packet counts as
/// what it is to be, whether that works or not.
pub(super) fn attach_all(session: &mut Session<'_>, call: &Call<'_>, scanner: &Scanner) {
    let entries = scanner.entries();
    let due = entries.iter().filter(|entry| entry.is_unattached && entry.refusal.is_none());
    for entry in due.take(ATTACHED) {
        if let Err(error) = attach(&call.project, &call.project.root().join(&entry.path)) {
            session.warn(&[error.text(session.lang)]);
        }
    }
}

/// Why a call is denied, and what the author says of steps that he has sent back.
#[derive(Default)]
pub(super) struct Reason {
    pub(super) lines: Vec<String>,
    pub(super) refused: Vec<Loaded>,
}

impl Reason {
    /// The decision that denies the call; whoever hears it has heard the author.
    pub(super) fn deny(self, call: &Call<'_>) -> Verdict {
        let told = self.refused.into_iter().map(|loaded| Refused {
            project: Arc::clone(&call.project),
            loaded,
            by: call.executor.into(),
        });
        Verdict::Said(Decision { refused: told.collect(), ..Decision::deny(&self.lines) })
    }
}

/// A line for each gate: what it holds up, and the way on; with what the author says of it.
pub(super) fn reason(
    lang: Lang,
    call: &Call<'_>,
    held: &[&Entry],
    what: impl Fn(&Entry) -> String,
) -> Reason {
    let (mut lines, mut refused) = (Vec::new(), Vec::new());
    for entry in held.iter().take(NAMED) {
        let words = call.words_for(&call.project, &entry.path);
        let way = hold(entry.status).map(|hold| hold.fill(lang, &[&words]));
        lines.push(what(entry) + &way.unwrap_or_default());
        lines.extend(entry.refusal.filter(|_| entry.is_unattached).map(|why| why.text(lang).to_owned()));
        if matches!(entry.status, Status::SentBack | Status::Waiting)
            && let Ok(loaded) = gate::load(&call.project, &call.project.root().join(&entry.path))
        {
            let again = format!("novel-gate wait {words}");
            let said = told_of_step(&loaded, &entry.path, (&again, REASON), lang);
            lines.extend(said.iter().flat_map(|said| said.lines()).map(str::to_owned));
            lines.extend(propose::told(&call.project, &loaded, &words, lang));
            refused.extend(Some(loaded).filter(|loaded| loaded.sent_back.is_some()));
        }
    }
    if let Some(more) = held.len().checked_sub(NAMED).filter(|more| *more > 0) {
        let sentence = say("More gates that are not open: {0}.", "未放行的门控另有 {0} 个。");
        lines.push(sentence.fill(lang, &[&more.to_string()]));
    }
    Reason { lines, refused }
}
