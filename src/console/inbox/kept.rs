//! Drafts without their gates, in rows behind all gates: read, copied, dropped and put back.
//!
//! Contract: what is kept goes only after a question, and comes back with one key until the program ends. A draft whose gate is
//! back is with its gate.

use super::loading::load_selected;
use crate::ask::JsString;
use crate::ask::draft::{DraftProgress, Said, SaidAs};
use crate::console::action::Action;
use crate::console::draw::answer::beginning;
use crate::console::draw::line::{LineExt, line};
use crate::console::draw::sheet::Sheet;
use crate::console::files::{FLUSH, Files};
use crate::console::inbox::page::is_brief;
use crate::console::inbox::state::State;
use crate::console::model::{Entry, Model, Place, Tone};
use crate::console::prompt::Prompt;
use crate::console::screen::Available::{self, As, No, Unlisted};
use crate::console::screen::Cx;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::error::Message;
use crate::platform::paths::Shown as _;
use crate::store::drafts::autosave::Autosave;
use crate::store::drafts::kept::{KeptDraft, Why};
use crate::text::shell::shell_word;
use crate::text::{Sentence, say};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

pub(super) const PUT_BACK: Sentence = say("put the draft back", "放回草稿");
const ELSEWHERE: Sentence = say("Another console has this draft open.", "另一个控制台正打开着这份草稿。");
const NOT_DROPPED: Sentence = say(
    "Nothing was dropped: the draft has changed since, or it is with its gate again.",
    "没有丢弃：草稿刚有变化，或已回到它的门控。",
);

struct Found {
    stamp: Option<[i64; 4]>,
    drafts: Vec<Arc<KeptDraft>>,
    /// How far the drafts are that are with their gates; unknown while one could not be saved.
    progress: Option<HashMap<PathBuf, DraftProgress>>,
}

impl Files {
    /// What is kept of gates that are not among these, and the other drafts; nothing if all is as it was at this stamp, or
    /// cannot be read.
    fn kept(&self, entries: &[Arc<Entry>], was: Option<[i64; 4]>) -> Option<Found> {
        let saved = |autosave: &Arc<Autosave>| autosave.flush(FLUSH);
        let is_all_saved = self.autosave.as_ref().is_none_or(saved);
        let (drafts, stamp) = (self.drafts(), self.drafts().stamp());
        if was.is_some() && was == stamp {
            return None;
        }
        let kept = self.state.tolerate(drafts.kept(&self.project, || entries.to_vec()))?;
        let progress = is_all_saved.then(|| drafts.progress(entries));
        Some(Found { stamp, drafts: kept.into_iter().map(Arc::new).collect(), progress })
    }
}

/// Looks at the drafts again; at all of them if the list of gates has changed.
pub(crate) fn look(listed: bool, cx: &mut Cx<'_>) {
    let inbox = &cx.model.inbox;
    if !inbox.complete || !listed && cx.model.place != Place::Inbox {
        return;
    }
    // That another console has ended leaves no trace.
    let is_elsewhere = inbox.kept.drafts.iter().any(|kept| kept.is_elsewhere);
    let stamp = inbox.kept.stamp.filter(|_| !listed && !is_elsewhere);
    let entries = inbox.entries.clone();
    cx.tell(Some("kept"), move |files| files.kept(&entries, stamp), take);
}

fn take(found: Found, cx: &mut Cx<'_>) {
    let open = cx.model.left.as_ref().filter(|form| {
        let entry = cx.model.inbox.entry_at(&form.gate.path);
        entry.is_none_or(|entry| entry.answer_path.as_ref() == form.gate.answer_path())
    });
    let open = open.map(|form| form.gate.path.clone());
    let inbox = &mut cx.model.inbox;
    let before = inbox.drafts.clone();
    inbox.kept.stamp = found.stamp;
    // A form knows more of its own draft than the disk does.
    if let Some(progress) = found.progress.filter(|_| cx.model.place == Place::Inbox) {
        inbox.drafts.retain(|packet, _| progress.contains_key(packet) || open.as_ref() == Some(packet));
        for (packet, progress) in progress {
            inbox.drafts.entry(packet).or_insert(progress);
        }
    }
    cx.unchanged = inbox.drafts == before && inbox.kept.drafts == found.drafts;
    if !cx.unchanged {
        inbox.take_kept(found.drafts);
        load_selected(cx);
    }
}

/// What keys do with what is kept, in the list or on its page.
pub(super) fn offer(model: &Model, action: &Action, listed: bool) -> Available {
    let kept = model.inbox.selected_kept();
    let is_elsewhere = kept.is_some_and(|kept| kept.is_elsewhere);
    match action {
        Action::Accept if kept.is_some_and(|kept| kept.why == Why::Ahead) => As(s::ANSWER),
        Action::Accept if listed => As(s::DETAILS_KEY),
        Action::Redo | Action::Clear if is_elsewhere => No(ELSEWHERE),
        Action::Redo => As(say("drop it", "丢弃")),
        Action::Clear => Unlisted,
        Action::Editor => No(s::NOTHING_TO_EDIT),
        _ => No(s::NOTHING_HERE),
    }
}

pub(super) fn ask_to_drop(kept: Arc<KeptDraft>, cx: &mut Cx<'_>) {
    cx.model.inbox.moved = true;
    let asks = Message::new(say("Drop your draft of {0}?", "丢弃你在 {0} 中的草稿吗？"), &[&kept.title()]);
    let means = say(
        "What you typed there is in no record. You can put it back until you quit; then it is gone.",
        "其中的文字不在任何记录中。退出程序之前可以放回，退出后就没有了。",
    );
    cx.cover(Prompt::new(asks, means, move |cx| drop_it(&kept, cx)));
}

fn drop_it(kept: &Arc<KeptDraft>, cx: &mut Cx<'_>) {
    let (kept, is_kept) = (Arc::clone(kept), |other: &Arc<KeptDraft>| other.id == kept.id);
    if !cx.model.inbox.kept.drafts.iter().any(is_kept) {
        return cx.say(Tone::Plain, NOT_DROPPED);
    }
    let of = Arc::clone(&kept);
    let work = move |files: &Files| {
        files.flush_drafts();
        files.drafts().drop_kept(&of).map_err(|error| error.whole())
    };
    cx.ask(work, move |dropped, cx| {
        look(true, cx);
        let Some(dropped) = dropped else { return cx.say(Tone::Plain, NOT_DROPPED) };
        let is_of_form = |path| cx.model.left.as_ref().is_some_and(|form| form.answers_to(path));
        if kept.answer_path.as_ref().is_some_and(is_of_form) {
            cx.model.left = None;
        }
        let inbox = &mut cx.model.inbox;
        inbox.kept.dropped.push((kept.title(), Arc::new(dropped)));
        let others = inbox.kept.drafts.iter().filter(|other| other.id != kept.id).cloned().collect();
        inbox.take_kept(others);
        inbox.kept.dropped_on = inbox.selection();
        load_selected(cx);
        cx.is_authors = true;
        let says = say(
            "Your draft of {0} is dropped. {inbox.undo-redo} puts it back, until you quit.",
            "{0} 的草稿已丢弃。退出之前，按 {inbox.undo-redo} 可以放回。",
        );
        cx.say(Tone::Good, Message::new(says, &[&kept.title()]));
    });
}

/// Puts back what was dropped last.
pub(super) fn put_back(cx: &mut Cx<'_>) {
    let Some((title, dropped)) = cx.model.inbox.kept.dropped.last().cloned() else { return };
    let work = move |files: &Files| files.drafts().put_back(&dropped).map_err(|error| error.whole());
    cx.ask(work, move |done, cx| {
        look(true, cx);
        if done {
            cx.model.inbox.kept.dropped.pop();
            let says = say("Your draft of {0} is back.", "{0} 的草稿已放回。");
            return cx.say(Tone::Good, Message::new(says, &[&title]));
        }
        let says = say(
            "Not put back: a newer text of yours is kept in its place.",
            "没有放回：同一处已留存了你较新的文本。",
        );
        cx.say(Tone::Warn, says);
    });
}

/// Asks about what was dropped last, on another row than the one where that was.
pub(super) fn ask_to_put_back(title: &str, cx: &mut Cx<'_>) {
    let asks = Message::new(say("Put your draft of {0} back?", "放回你在 {0} 中的草稿吗？"), &[title]);
    let means = say("You dropped it; it is as it was.", "它是你丢弃的，内容没有变。");
    cx.cover(Prompt::new(asks, means, put_back));
}

pub(super) fn write(model: &Model, kept: &KeptDraft, sheet: &mut Sheet<'_>) {
    let (theme, lang) = (sheet.theme, sheet.lang);
    if !is_brief(model, sheet) {
        sheet.text(Role::Title, &kept.title(), 0);
        if let Some(topic) = kept.topic() {
            sheet.text(Role::Text, &topic.display(), 0);
        }
        sheet.blank();
    }
    let ago = kept.time().map(|time| format!(" · {}", model.ago(time))).unwrap_or_default();
    let State { sign, role, .. } = State::KEPT;
    let word = say("kept draft", "留存的草稿").text(lang);
    sheet.line(|| line(theme[role], &format!("{sign} {word}")).add(theme[Role::Dim], &ago));
    sheet.text(Role::Text, &kept.why.text().text(lang), 0);
    if kept.is_elsewhere {
        sheet.say(Role::Warn, ELSEWHERE);
    }
    let words = |said: &Said, sheet: &Sheet<'_>| {
        let words = said.text(usize::MAX, lang);
        if sheet.whole { words } else { beginning(&words) }
    };
    for question in &kept.spec.questions {
        let mut said = kept.said.iter().filter(|said| said.id == *question.id).peekable();
        if said.peek().is_none() && !sheet.whole {
            continue;
        }
        sheet.blank();
        sheet.text(Role::Title, &question.header.display(), 0);
        sheet.text(Role::Dim, &question.question.display(), 0);
        for said in said {
            let words = words(said, sheet);
            match said.as_what {
                SaidAs::Answer => sheet.marked(Role::Warn, "✎ ", Role::Text, &words),
                other => sheet.named(Role::Warn, "✎ ", other.label().text(lang), &words),
            }
        }
    }
    for said in kept.said.iter().filter(|said| kept.asked(said).is_none()) {
        sheet.blank();
        sheet.named(Role::Warn, "✎ ", &said.name(&kept.spec, lang), &words(said, sheet));
    }
    sheet.blank();
    sheet.say(Role::Dim, s::KEPT_MEANS);
    let places = [
        (
            say("the answers were to go to", "回答原要写入"),
            kept.answer_path.as_ref().map(|path| path.display()),
        ),
        (s::PACKET, kept.packet.as_ref().map(|path| path.shown())),
    ];
    for (says, place) in places.iter().filter_map(|(says, place)| Some((*says, place.as_ref()?))) {
        sheet.heading(says);
        sheet.text(Role::Text, place, 2);
    }
    let path = || kept.packet.as_ref().map(|path| path.shown());
    let name = kept.step.as_ref().map(JsString::display).or_else(path);
    let name = name.map(|name| format!(" {}", shell_word(&name))).unwrap_or_default();
    sheet.heading(say("to a file of your own", "导出为文件"));
    sheet.text(Role::Text, &format!("novel-gate history{name} --export FILE.md"), 2);
}
