//! The file of a standing question in the author's own editor.
//!
//! Contract: what was typed is kept until it is in its place. The file changes only if the text can be asked, or the author says so,
//! and nobody has written it since the text was begun, or he says that his is to replace it. What it replaces goes into the history.

use super::change::{Done, blocked_warning, change};
use super::read::key;
use super::view::QuestionsView;
use crate::ask::standing::{self, Span};
use crate::ask::{Problem, locations};
use crate::console::edit::{EDIT_KEPT, EDITOR_FAILED_KEPT, came_back};
use crate::console::files::Files;
use crate::console::model::Tone;
use crate::console::prompt::Prompt;
use crate::console::screen::{Cx, Effect, FromEditor, Screen as _};
use crate::error::Message;
use crate::store::drafts::loan::Loan;
use crate::store::questions::{Questions, blocked_by, path_of};
use crate::store::sha256;
use crate::text::encoding::decode;
use crate::text::say;

/// Problems that the question names.
const NAMED: usize = 4;

/// A file's text as the editor gets it, then as it came back, and the file that it is to replace.
#[derive(Clone)]
struct Lent {
    name: String,
    seen: Vec<u8>,
    text: String,
    /// Whether the file is another than when the text was begun.
    is_overtaken: bool,
}

/// What saving an edited text means.
struct Checked {
    is_same: bool,
    is_asked: bool,
    problems: Vec<Message>,
    blocked: Vec<Span>,
}

pub(super) fn begin(name: String, cx: &mut Cx<'_>) {
    cx.ask(
        move |files| files.lend_question(name),
        |(lent, is_kept), cx| {
            // What is edited now is newer than what could be put back.
            cx.on::<QuestionsView>(|view, _| (view.removed, view.taken) = (None, None));
            if is_kept {
                let says = say(
                    "This is the text you edited before and have not saved.",
                    "这是你上次编辑后还没有保存的文本。",
                );
                cx.say(Tone::Plain, says);
            }
            let (text, answer_path) = (lent.text.clone(), key(&lent.name));
            let loan = Loan { packet: path_of(&lent.name).into(), answer_path, field: None };
            let then = Box::new(move |back: FromEditor, cx: &mut Cx<'_>| from_editor(lent, back, cx));
            cx.do_next(Effect::Edit { text, loan, then });
        },
    );
}

fn from_editor(lent: Lent, back: FromEditor, cx: &mut Cx<'_>) {
    let (text, well) = came_back(back, cx);
    let Some(text) = text else { return };
    if text.trim().is_empty() {
        let says = say(
            "The editor left nothing; the file is as it was. {redo} removes it.",
            "编辑器没有留下内容，文件保持原样。要移走文件请按 {redo}。",
        );
        return cx.say(Tone::Warn, says);
    }
    let is_changed = text != lent.text;
    if is_changed {
        cx.do_next(Effect::KeepEdited(key(&lent.name), text.clone()));
    }
    let lent = Lent { text, ..lent };
    if well {
        check(lent, cx);
    } else if is_changed {
        cx.say(Tone::Warn, EDITOR_FAILED_KEPT);
        cx.on::<QuestionsView>(|view, cx| view.look(false, cx));
    }
}

fn check(lent: Lent, cx: &mut Cx<'_>) {
    let of = lent.clone();
    cx.ask(
        move |files| files.check_question(&of),
        move |checked, cx| {
            if checked.is_same {
                cx.say(Tone::Plain, say("The text was not changed.", "文本没有改动。"));
            } else if checked.problems.is_empty() && checked.blocked.is_empty() && !lent.is_overtaken {
                return save(lent, true, cx);
            } else {
                ask_to_save(lent, checked, cx);
            }
            // The row says whether a text is kept.
            cx.on::<QuestionsView>(|view, cx| view.look(false, cx));
        },
    );
}

fn ask_to_save(lent: Lent, checked: Checked, cx: &mut Cx<'_>) {
    let count = checked.problems.len();
    let overtaken =
        say("The file has changed since you began this text.", "你开始编辑这份文本之后，文件已有改动。");
    let overtaken = lent.is_overtaken.then(|| Message::from(overtaken));
    let mut warnings: Vec<Message> =
        overtaken.into_iter().chain(checked.problems.into_iter().take(NAMED)).collect();
    if count > NAMED {
        let rest = (count - NAMED).to_string();
        warnings.push(Message::new(say("and {0} more", "另有 {0} 处"), &[&rest]));
    }
    warnings.extend(blocked_warning(&checked.blocked));
    let is_asked = checked.is_asked;
    let (asks, means) = match (count, is_asked) {
        (0, _) if checked.blocked.is_empty() => (
            say("Save {0}?", "保存 {0}？"),
            say(
                "Your text replaces the file; what is there goes into the history.",
                "你的文本取代文件，现有的内容存入历史。",
            ),
        ),
        (0, _) => (
            say("Save {0}?", "保存 {0}？"),
            say("Those answers stay where they are.", "那些回答仍留在原处。"),
        ),
        (_, true) => (
            say("Save {0} with mistakes?", "有误，仍要保存 {0}？"),
            say("It is asked all the same.", "仍会照常提问。"),
        ),
        (_, false) => (
            say("Save {0} with mistakes?", "有误，仍要保存 {0}？"),
            say("It is not asked until they are mended.", "改好之前不会提问。"),
        ),
    };
    let asks = Message::new(asks, &[&path_of(&lent.name)]);
    let prompt = Prompt::new(asks, means, move |cx| save(lent.clone(), is_asked, cx)).unread(cx.model.now);
    cx.cover(Prompt { warnings, refused: Some(EDIT_KEPT), ..prompt });
}

fn save(lent: Lent, is_asked: bool, cx: &mut Cx<'_>) {
    let work = move |files: &Files, questions: &Questions| {
        let Lent { name, seen, text, .. } = &lent;
        let saved = questions.rewrite(&files.history(), name, seen, text.as_bytes());
        let entry = saved.map_err(|error| error.whole())?;
        files.drop_edited(&key(name));
        let followed = say(
            "{0} is saved; what waits has followed. {undo-redo} puts the old text back.",
            "{0} 已保存；等待回答的门控已随之更新。按 {undo-redo} 放回原来的文本。",
        );
        let says = if is_asked {
            say(
                "{0} is saved. {undo-redo} puts the old text back.",
                "{0} 已保存。按 {undo-redo} 放回原来的文本。",
            )
        } else {
            say(
                "{0} is saved, and not asked until its mistakes are mended. {undo-redo} puts the old text back.",
                "{0} 已保存；其中有误，改好之前不会提问。按 {undo-redo} 放回原来的文本。",
            )
        };
        let followed = is_asked.then(|| Message::new(followed, &[name]));
        let removed = Some((entry, Some(sha256(text.as_bytes()))));
        Ok(Done { followed, removed, ..Done::new(says, &[name]) })
    };
    change(work, cx);
}

/// Lets a text go that was edited and not saved.
pub(super) fn ask_to_drop(name: String, cx: &mut Cx<'_>) {
    let asks = Message::new(say("Discard your edits to {0}?", "丢弃你对 {0} 的改动？"), &[&path_of(&name)]);
    let yes = move |cx: &mut Cx<'_>| {
        let name = name.clone();
        let work = move |files: &Files, _: &Questions| {
            files.drop_edited(&key(&name));
            let says = say("Your edits are discarded; the file is as it was.", "改动已丢弃，文件保持原样。");
            Ok(Done::new(says, &[]))
        };
        change(work, cx);
    };
    let means = say("There is no other copy. The file stays as it is.", "它没有别处的副本。文件保持原样。");
    cx.cover(Prompt { refused: Some(EDIT_KEPT), ..Prompt::new(asks, means, yes) });
}

impl Files {
    /// The text of a file, or of an earlier edit that is not saved; then true.
    fn lend_question(&self, name: String) -> Result<(Lent, bool), Message> {
        let bytes = Questions::read(&self.project).bytes(&self.project, &name);
        let seen = bytes.map_err(|error| error.whole())?;
        self.recover_lent();
        let kept = self.edited(&key(&name));
        let (is_kept, hash) = (kept.is_some(), sha256(&seen));
        let base = self.drafts().base_of_edited(&key(&name), (!is_kept).then_some(&*hash));
        let text = kept.or_else(|| text_of(&seen)).ok_or(Message::from(say(
            "The file is not UTF-8; save it as UTF-8 first.",
            "文件不是 UTF-8，请先另存为 UTF-8。",
        )))?;
        Ok((Lent { name, seen, text, is_overtaken: is_kept && base != Some(hash) }, is_kept))
    }

    /// What saving it means; an error if the file is another by now.
    fn check_question(&self, lent: &Lent) -> Result<Checked, Message> {
        let questions = Questions::read(&self.project);
        let now = questions.bytes(&self.project, &lent.name).map_err(|error| error.whole())?;
        // Editors end the last line; that alone is no change of the author's.
        let without_end = |text: &str| text.strip_suffix('\n').unwrap_or(text).to_owned();
        let is_same = text_of(&now).is_some_and(|text| without_end(&text) == without_end(&lent.text));
        if is_same {
            self.drop_edited(&key(&lent.name));
        } else if now != lent.seen {
            return Err(Message::from(say(
                "Not saved: somebody has changed the file while you edited it. Your text is kept; {editor} opens it again.",
                "没有保存：编辑期间文件被别处改动。你的文本已保留，按 {editor} 继续编辑。",
            )));
        }
        let bytes = lent.text.as_bytes();
        let read = standing::read(&lent.name, bytes);
        let blocked = read
            .standing
            .as_ref()
            .filter(|standing| standing.rules.is_enabled)
            .map(|standing| blocked_by(&self.project, &questions, standing));
        Ok(Checked {
            is_same,
            is_asked: read.standing.is_some(),
            problems: located(bytes, &read.problems),
            blocked: blocked.unwrap_or_default(),
        })
    }
}

fn text_of(bytes: &[u8]) -> Option<String> {
    decode(bytes).map(|(text, _)| text).or_else(|| String::from_utf8(bytes.to_vec()).ok())
}

/// What is wrong with a text, each with line and column.
fn located(bytes: &[u8], problems: &[Problem]) -> Vec<Message> {
    let places = locations(bytes, problems);
    let all = problems.iter().zip(places).map(|(problem, place)| {
        Message::in_both(|lang| {
            let parts = [&place.line.to_string(), &place.column.to_string(), &problem.plain(lang)];
            say("line {0}, column {1}: {2}", "第 {0} 行第 {1} 列：{2}").fill(lang, &parts.map(String::as_str))
        })
    });
    all.collect()
}
