//! What the author gave in place of an answer: for programs, for people, and as the executor is told it.

use super::Session;
use crate::ask::JsString;
use crate::ask::decision::{BEGIN, Decision, END, Refusal, Said, quoted};
use crate::platform::paths::Shown as _;
use crate::store::Project;
use crate::store::clock::{local_time_of, rfc3339_millis, time_of};
use crate::store::gate::Loaded;
use crate::store::reply::{self, Reply};
use crate::store::returned::Why;
use crate::store::rounds::{Delivered, SentBack};
use crate::text::shell::shell_path;
use crate::text::{Lang, Safe, Sentence, say};
use jiff::Zoned;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// So many UTF-16 units of a reason are told: clients cut what a command prints.
pub(super) const TOLD: usize = 12_000;
/// So many lines of a reason are shown where there is room.
pub(super) const REASON: usize = 6;
/// So many columns of a line are shown to people, or of a name.
const COLUMNS: usize = 100;
/// What ends a line for some reader.
const LINE_ENDS: [char; 7] = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
/// What lies so long is said to lie.
const WEEK: Duration = Duration::from_hours(7 * 24);

/// An approval is for what was there.
pub(super) const OUTDATED: Sentence =
    say("What this record approved has changed since.", "这份记录通过的内容，之后又改过了。");

/// What the author gave in place of an answer.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "SentBack")]
pub(super) struct SentBackOutput {
    /// When.
    #[schemars(extend("format" = "date-time"))]
    at: String,
    /// Who sent it back.
    by: JsString,
    /// The label of a verdict that was chosen.
    choice: Option<JsString>,
    /// The id of a question that does not apply.
    does_not_apply: Option<String>,
    /// Why, in the author's words; empty where the label or the question says enough.
    reason: JsString,
    /// When it reached an executor first; null if it has not yet.
    #[schemars(extend("format" = "date-time"))]
    delivered: Option<String>,
}

impl SentBackOutput {
    pub(super) fn of(sent: &SentBack, delivered: &[Delivered]) -> SentBackOutput {
        let SentBack { at, by, choice, does_not_apply, reason, .. } = sent.clone();
        let delivered = delivered.first().map(|line| line.at.clone());
        SentBackOutput { at, by, choice, does_not_apply, reason, delivered }
    }

    /// Of answers that nobody has submitted.
    pub(super) fn of_why(why: &Why, at: &JsString) -> SentBackOutput {
        let Why { by, reason, choice, does_not_apply } = why.clone();
        SentBackOutput { at: at.lossy().into_owned(), by, choice, does_not_apply, reason, delivered: None }
    }

    pub(super) fn of_reply(reply: Option<&Reply>) -> Option<SentBackOutput> {
        reply.map(|reply| SentBackOutput::of(&reply.sent, &reply.delivered))
    }
}

/// The same for people: who and when, the first `most` lines of the reason, and whether it has arrived.
pub(super) fn lines(reply: &Reply, packet: &Path, most: usize, now: &Zoned, lang: Lang) -> Vec<String> {
    let sent = &reply.sent;
    let by = Safe::line(&sent.by.display()).fit(COLUMNS);
    let at = local_time_of(&sent.at, now, lang);
    let mut lines = vec![say("Sent back by {0}, {1}", "{0} 于{1}退回").fill(lang, &[&by, &at])];
    let short = |text: &str| Safe::line(text).fit(COLUMNS);
    let is_long = |text: &str| Safe::line(text) != short(text);
    if let Some(choice) = &sent.choice {
        lines.push(say("  Chosen: {0}", "  选择：{0}").fill(lang, &[&short(&choice.display())]));
    }
    if let Some(id) = &sent.does_not_apply {
        lines.push(say("  Does not apply: {0}", "  不适用：{0}").fill(lang, &[&short(id)]));
    }
    let reason = sent.reason.display();
    let said: Vec<&str> = reason.split(LINE_ENDS).filter(|line| !line.trim().is_empty()).collect();
    let shown = &said[..most.min(said.len())];
    lines.extend(shown.iter().map(|line| format!("  > {}", short(line))));
    if shown.len() < said.len() || shown.iter().any(|line| is_long(line)) {
        let whole = say("  All of it: novel-gate check {0} --json", "  全文：novel-gate check {0} --json");
        lines.push(whole.fill(lang, &[&shell_path(&packet.shown())]));
    }
    lines.push(arrival(reply, now, lang));
    lines
}

/// Whether a refusal has arrived, and whether it has lain for long.
fn arrival(Reply { sent, delivered }: &Reply, now: &Zoned, lang: Lang) -> String {
    let now_is = SystemTime::from(now.timestamp());
    let age = time_of(&sent.at).and_then(|then| now_is.duration_since(then).ok()).unwrap_or_default();
    let arrived = delivered.first().map(|line| local_time_of(&line.at, now, lang));
    let says = match (&arrived, age >= WEEK) {
        (Some(_), false) => say("The executor has fetched it, {0}", "执行器已取走，{0}"),
        (Some(_), true) => say(
            "Sent back more than a week ago; the executor has fetched it, {0}, and brought nothing else yet",
            "一周多以前退回；执行器已取走，{0}，但还没有拿出新的",
        ),
        (None, false) => say("Nobody has fetched it yet", "还没有执行器取走"),
        (None, true) => {
            say("Sent back more than a week ago, and nobody has fetched it", "一周多以前退回，一直没有人取走")
        }
    };
    format!("  {}", says.fill(lang, &[arrived.as_deref().unwrap_or_default()]))
}

/// What an executor is told of its step, within so many UTF-16 units of the reason, and what it does then; `again` says how it waits.
/// `None` if it is not sent back.
pub(super) fn told_of_step(
    loaded: &Loaded,
    shown: &Path,
    (again, most): (&str, usize),
    lang: Lang,
) -> Option<String> {
    let sent = &loaded.sent_back.as_ref()?.sent;
    // A question of the author's own is not the executor's to leave out.
    let intro = if sent.does_not_apply.is_some() && loaded.asked.is_none() {
        say(
            "The author has sent {0} back: it is not answered, because a question in it does not apply. Ask without that question, or \
             not at all. To wait again: {1}. Every line of what the author says begins with \">\", up to the closing mark.",
            "作者把 {0} 退回了：没有回答，因为其中有一个问题不适用。请去掉那个问题再问，或不再问。再次等待：{1}。作者的话每一行都以“>”\
             开头，到结束标记为止。",
        )
    } else {
        say(
            "The author has sent {0} back: it is not answered, and the step may not go on. Change what the author refuses, then wait \
             again: {1}. Every line of what the author says begins with \">\", up to the closing mark.",
            "作者把 {0} 退回了：没有回答，这一步不能继续。请按作者的意见修改，然后再次等待：{1}。作者的话每一行都以“>”开头，\
             到结束标记为止。",
        )
    };
    let packet = shell_path(&shown.shown());
    let frame = Frame {
        intro: intro.fill(lang, &[&packet, again]),
        rest: format!("novel-gate check {packet} --json"),
        most,
    };
    Some(frame.told(loaded, sent, lang))
}

/// What an executor is told of a question of its own, within so many UTF-16 units; `None` if it is not sent back.
pub(super) fn told_of_question(loaded: &Loaded, most: usize, lang: Lang) -> Option<String> {
    let sent = &loaded.sent_back.as_ref()?.sent;
    let intro = say(
        "The author sent this question back in novel-gate: it is not answered, and nothing is approved. Go by what the author says; \
         every line of it begins with \">\", up to the closing mark. Do not ask the same again.",
        "作者在 novel-gate 中退回了这个问题：没有回答，也没有同意任何事。请照作者的话去做；作者的话每一行都以“>”开头，到结束标记为止。\
         不要再问同样的问题。",
    );
    let path = loaded.gate().map(|gate| gate.answer_path.lossy().into_owned()).unwrap_or_default();
    let rest = format!("novel-gate history {} --json", shell_path(&path));
    let frame = Frame { intro: intro.text(lang).to_owned(), rest, most };
    Some(frame.told(loaded, sent, lang))
}

/// What stands around a refusal.
struct Frame {
    intro: String,
    /// The command that prints what there was no room for.
    rest: String,
    /// So many UTF-16 units of a reason are told.
    most: usize,
}

impl Frame {
    fn told(&self, loaded: &Loaded, sent: &SentBack, lang: Lang) -> String {
        let reason = sent.reason.head(self.most);
        let step = loaded.packet.step.as_ref().map(JsString::lossy).unwrap_or_default();
        let quoted = loaded.gate().map(|gate| {
            let said = Said::Refusal(refusal(sent, &reason));
            let decision = Decision { spec: &gate.spec, said, span: &step, file: "" };
            quoted(&decision, lang)
        });
        let mut out = format!("{}\n{BEGIN}\n{}{END}", self.intro, quoted.unwrap_or_default());
        if reason != sent.reason {
            let rest = say(
                "\nThere was no room for all of it. Read the rest with: {0}",
                "\n篇幅有限，未能全部列出。其余内容请用这条命令读取：{0}",
            );
            out.push_str(&rest.fill(lang, &[&self.rest]));
        }
        out
    }
}

/// A refusal as agents are told it, with so much of its reason.
pub(super) fn refusal<'s>(sent: &'s SentBack, reason: &'s JsString) -> Refusal<'s> {
    Refusal { choice: sent.choice.as_ref(), does_not_apply: sent.does_not_apply.as_deref(), reason }
}

/// Notes that a refusal has reached an executor by this way, unless it had before. A failure is only said: it was told.
pub(super) fn note(session: &mut Session<'_>, project: &Project, loaded: &Loaded, reply: &Reply, by: &str) {
    let Some(gate) = loaded.gate().filter(|_| !reply.is_delivered_by(&[by])) else { return };
    let at = rfc3339_millis(session.clock.now());
    let line = Delivered { at, by: by.to_owned(), id: reply.sent.id.clone() };
    if let Err(error) = reply::note_delivered(project, &loaded.path, &gate.answer_path, line) {
        let sentence = say(
            "The refusal was told, but that could not be noted: {0}",
            "退回的理由已经告知，但没能记下这件事：{0}",
        );
        session.warn(&[sentence.fill(session.lang, &[&error.text(session.lang)])]);
    }
}
