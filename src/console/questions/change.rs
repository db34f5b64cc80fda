//! A change to the files of standing questions, and what follows from it.

use super::view::{QuestionsView, Removed, Section};
use crate::ask::standing::Span;
use crate::console::files::Files;
use crate::console::model::Tone;
use crate::console::screen::{Cx, Effect};
use crate::error::Message;
use crate::platform::paths::Shown as _;
use crate::store::history::{HistoryEntry, Over};
use crate::store::questions::{InLine, Questions, bring_in_line};
use crate::store::record::WriteError;
use crate::text::{Lang, Sentence, say};
use std::path::PathBuf;

/// So many answers are named.
const NAMED: usize = 6;

/// What came of a change.
pub(super) struct Done {
    pub(super) says: Message,
    /// The same, where a packet has followed.
    pub(super) followed: Option<Message>,
    /// What the cursor goes to.
    pub(super) to: Option<(Section, String)>,
    /// The file that was removed or replaced.
    pub(super) removed: Option<Removed>,
    /// The gate whose decision was taken back.
    pub(super) taken: Option<PathBuf>,
}

impl Done {
    pub(super) fn new(sentence: Sentence, parts: &[&str]) -> Done {
        Done { says: Message::new(sentence, parts), followed: None, to: None, removed: None, taken: None }
    }
}

/// Changes the files, and everything that follows from it at once.
pub(super) fn change(
    work: impl FnOnce(&Files, &Questions) -> Result<Done, Message> + Send + 'static,
    cx: &mut Cx<'_>,
) {
    let (mut packet, entries) = (None::<PathBuf>, cx.model.inbox.entries.clone());
    cx.on::<QuestionsView>(|view, _| packet.clone_from(&view.packet));
    let work = move |files: &Files| {
        let done = work(files, &Questions::read(&files.project));
        // Of several changes some may be done.
        let in_line = bring_in_line(&files.project);
        Ok((done, in_line, files.read_questions(packet.as_deref(), &entries)))
    };
    cx.ask(work, |(done, in_line, rows), cx| {
        cx.do_next(Effect::Look);
        let (to, removed, taken) = match done {
            Err(why) => {
                cx.say(Tone::Bad, why);
                (None, None, None)
            }
            Ok(done) => {
                let followed = done.followed.filter(|_| !in_line.packets.is_empty());
                say_done(followed.unwrap_or(done.says), &in_line, cx);
                (done.to, Some(done.removed), done.taken)
            }
        };
        cx.on::<QuestionsView>(|view, cx| {
            view.take(rows, cx.model.lang);
            if let Some(to) = to {
                view.go_to(&to);
            }
            // Only the next key takes it back.
            if let Some(removed) = removed {
                (view.removed, view.taken) = (removed, taken);
            }
        });
    });
}

/// Puts a removed file back at its place, if nothing but the text with this hash lies there.
pub(crate) fn put_back(entry: HistoryEntry, now: Option<String>, cx: &mut Cx<'_>) {
    let work = move |files: &Files, questions: &Questions| {
        let over = now.as_deref().map_or(Over::Nothing, Over::Hash);
        if over == Over::Nothing {
            has_room(questions)?;
        }
        let back = files.history().restore_entry(&entry, over);
        back.map_err(|fault| match fault {
            WriteError::Changed => Message::new(
                say(
                    "{0} has changed since; it is untouched. The old text stays in the history.",
                    "{0} 之后又有改动；未作改动。原来的文本仍在历史中。",
                ),
                &[&entry.answer_path.display()],
            ),
            fault => fault.error().whole(),
        })?;
        let path = entry.answer_path.display();
        let done = Done::new(say("{0} is back in the book.", "{0} 已放回书中。"), &[&path]);
        Ok(Done { to: Some((Section::Files, path.into_owned())), ..done })
    };
    change(work, cx);
}

pub(super) fn has_room(questions: &Questions) -> Result<(), Message> {
    let problem = questions.no_room().map(|problem| Message::in_both(|lang| problem.sentence(lang)));
    problem.map_or(Ok(()), Err)
}

/// Says what was done, and what kept a packet from following.
fn say_done(done: Message, in_line: &InLine, cx: &mut Cx<'_>) {
    let Some((path, fault)) = in_line.faults.first() else { return cx.say(Tone::Good, done) };
    let (path, fault) = (path.shown().into_owned(), fault.clone());
    let says = Message::in_both(|lang| {
        let says =
            say("Done in the book, but {0} did not follow. {1}", "书中已改好，但 {0} 没有跟着更新。{1}");
        says.fill(lang, &[&path, &fault.text(lang)])
    });
    cx.say(Tone::Warn, says);
}

/// The warning that answers lose their force, if any do.
pub(super) fn blocked_warning(blocked: &[Span]) -> Option<Message> {
    let (first, rest) = blocked.split_at(blocked.len().min(NAMED));
    let says = |lang: Lang| {
        let mut names = first.iter().map(|span| span.text(lang)).collect::<Vec<_>>().join(lang.comma());
        if !rest.is_empty() {
            names =
                say("{0} and {1} more", "{0} 等，另有 {1} 处").fill(lang, &[&names, &rest.len().to_string()]);
        }
        say(
            "Answers that would no longer fit, so that their steps are held up until you answer anew: {0}.",
            "以下回答将不再相符，相关步骤会停下，直到你重新回答：{0}。",
        )
        .fill(lang, &[&names])
    };
    (!blocked.is_empty()).then(|| Message::in_both(says))
}
