//! What Ctrl+Y copies: on a screen about a gate the sentence that its executor needs, elsewhere what the cursor is on.

use super::model::{Entry, KeptDraft, LoadFault, Model, Status, Tone};
use super::screen::{Cx, Effect};
use super::sentences as s;
use crate::ask::Problem;
use crate::ask::draft::Said;
use crate::error::Message;
use crate::platform::paths::Shown as _;
use crate::text::shell::shell_path;
use crate::text::{Lang, Safe, say};

/// Bytes that are copied at most: terminals take no more in one sequence, and a pipe holds them.
const MOST: usize = 48 << 10;
/// Problems that the paragraph for the executor quotes.
const PROBLEMS_QUOTED: usize = 10;
/// Characters that are shown of them.
const SHOWN: usize = 300;

/// Copies a text, and shows it: a terminal that cannot copy says nothing.
pub(super) fn copy(text: &str, cx: &mut Cx<'_>) {
    let text = Safe::block(text);
    if text.len() > MOST {
        let says = say(
            "Not copied: this is {0} KB, and a terminal copies {1} KB at most.",
            "没有复制：共 {0} KB，终端最多能复制 {1} KB。",
        );
        let [is, most] = [text.len().div_ceil(1 << 10), MOST >> 10].map(|kb| kb.to_string());
        return cx.say(Tone::Warn, Message::new(says, &[&is, &most]));
    }
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    if !cx.model.clipboard {
        let says = say(
            "Not copied, for config.toml says clipboard = false: {0}",
            "没有复制（config.toml 里设了 clipboard = false）：{0}",
        );
        return cx.say(Tone::Plain, Message::new(says, &[&shown]));
    }
    cx.say(Tone::Good, Message::new(say("Copied: {0}", "已复制：{0}"), &[&shown]));
    cx.do_next(Effect::Copy(text));
}

/// What the author tells the executor of the gate under the cursor.
pub(super) fn of_selected(model: &Model) -> Option<String> {
    let Some(entry) = model.inbox.selected() else {
        return model.inbox.selected_kept().map(|kept| of_kept(kept, model.lang));
    };
    let title = entry.title();
    let path = entry.path.shown();
    let sentence = match (entry.status, &entry.answer_path) {
        (Status::Answered, Some(answers)) => is_answered(model, &title, &answers.display()),
        (Status::Malformed, _) if let Some(problems) = problems_of(model) => {
            request(entry, problems, model.lang)
        }
        (Status::Malformed | Status::NoGate, _) | (_, None) => {
            let says = say(
                "The packet {0} cannot be used. What is wrong: novel-gate lint {1}",
                "指令包 {0} 无法使用。查看原因：novel-gate lint {1}",
            );
            says.fill(model.lang, &[&path, &shell_path(&entry.path.shown())])
        }
        (..) => {
            let says = say(
                "Wait until I have answered {0}: novel-gate wait {1}",
                "请等我回答 {0}：novel-gate wait {1}",
            );
            says.fill(model.lang, &[&title, &shell_path(&entry.path.shown())])
        }
    };
    // A line break in a name would end the sentence: pasted into a shell, what is before it runs.
    Some(Safe::line(&sentence).into_string())
}

fn problems_of(model: &Model) -> Option<&[Problem]> {
    match &model.inbox.current_detail()?.content {
        Err(LoadFault::Malformed(problems)) => Some(problems),
        Ok(_) | Err(LoadFault::Unreadable(_)) => None,
    }
}

/// One paragraph for the executor: what is wrong with its packet, and what it is to do.
pub(super) fn request(entry: &Entry, problems: &[Problem], lang: Lang) -> String {
    let sentence = |problem: &Problem| {
        let whole = problem.pointer.is_empty().then(|| problem.clone().at(s::WHOLE_FILE.text(lang)));
        let sentence = whole.as_ref().unwrap_or(problem).sentence(lang);
        sentence.trim_end_matches(['.', '。']).to_owned() + say(". ", "。").text(lang)
    };
    let mut words: String = problems.iter().take(PROBLEMS_QUOTED).map(sentence).collect();
    if problems.len() > PROBLEMS_QUOTED {
        let rest = (problems.len() - PROBLEMS_QUOTED).to_string();
        words.push_str(&say("And {0} more problems. ", "另有 {0} 处错误。").fill(lang, &[&rest]));
    }
    s::REWRITE_PACKET.fill(lang, &[&entry.path.shown(), words.trim_end()])
}

/// What its author has typed and chosen: alone, or each with what it was said to.
fn of_kept(kept: &KeptDraft, lang: Lang) -> String {
    let words = |said: &Said| said.text(usize::MAX, lang);
    if let [one] = &kept.said[..] {
        return words(one);
    }
    let all = kept.said.iter().map(|said| format!("{}\n{}\n", said.name(&kept.spec, lang), words(said)));
    all.collect::<Vec<_>>().join("\n")
}

/// The same of a gate that has its record.
pub(super) fn is_answered(model: &Model, title: &str, answers: &str) -> String {
    let says =
        say("{0} is answered; go on with it. The answers are in {1}", "{0} 已回答，可以继续。回答在 {1}");
    Safe::line(&says.fill(model.lang, &[title, answers])).into_string()
}
