//! The row of a question that a step to come asks, and its page.

use super::asked::write_asked;
use crate::ask::compare::answer_values;
use crate::ask::standing::{Span, Standing};
use crate::ask::{AnswerSpec, Gate};
use crate::console::draw::answer::PICKS;
use crate::console::draw::record::write_answers;
use crate::console::draw::sheet::Sheet;
use crate::console::model::Model;
use crate::console::theme::Role;
use crate::platform::paths::Shown as _;
use crate::store::clock::time_of;
use crate::store::questions::{Upcoming, ahead_path};
use crate::text::{Lang, say};
use std::path::PathBuf;

/// A question of a step to come.
#[derive(Clone, Debug, PartialEq)]
pub struct StepRow {
    pub question: Upcoming,
    pub standing: Standing,
    pub gate: Gate,
    /// The answer, if it is decided.
    pub record: Option<AnswerSpec>,
    /// It is the last that is told, and not the last that is asked.
    pub has_more: bool,
}

impl StepRow {
    /// The gate without a packet, relative to the root.
    pub(super) fn path(&self) -> PathBuf {
        ahead_path(&self.question.name, self.question.step)
    }

    pub(super) fn key(&self) -> String {
        self.path().shown().into_owned()
    }

    /// What it is called, and for what its answer holds.
    pub(super) fn name(&self, lang: Lang) -> String {
        let topic = self.question.topic.display();
        if self.question.is_verdict {
            let parts = [&*topic, &self.standing.rules.once_per.text(lang)];
            return say("{0}, {1}, when it is made", "{0}（{1}，写出来才问）").fill(lang, &parts);
        }
        if matches!(self.question.span, Span::Step(_)) {
            return topic.into_owned();
        }
        let parts = [&*topic, &self.question.span.text(lang)];
        say("{0}, for {1}", "{0}（{1}）").fill(lang, &parts)
    }

    /// The answers, if it is decided, as one text; what was left blank is not told.
    pub(super) fn said(&self, lang: Lang) -> Option<String> {
        let answers = answer_values(&self.record.as_ref()?.answers);
        let said = answers.iter().map(|(_, value)| value.beginning(PICKS, lang));
        Some(said.collect::<Vec<_>>().join(" / "))
    }

    /// Whether the author has begun to decide it.
    fn is_begun(&self, model: &Model) -> bool {
        let place = self.question.span.place(&self.question.name);
        let mut kept = model.inbox.kept.drafts.iter().filter_map(|draft| draft.answer_path.as_ref());
        model.inbox.drafts.contains_key(&self.path()) || kept.any(|path| path.lossy() == place)
    }

    pub(super) fn sign(&self, model: &Model) -> (&'static str, Role) {
        match &self.question {
            one if one.is_decided => (" ✓  ", Role::Answered),
            one if one.is_blocked => (" ▲  ", Role::Blocked),
            _ if self.is_begun(model) => (" ◐  ", Role::Waiting),
            _ => (" ·  ", Role::Dim),
        }
    }

    pub(super) fn write(&self, model: &Model, sheet: &mut Sheet<'_>) {
        let lang = sheet.lang;
        sheet.text(Role::Title, &self.question.topic.display(), 0);
        let state = match (&self.record, self.question.is_verdict) {
            (Some(_), _) => say("✓ decided: the step does not ask it", "✓ 已决定：这一步不会再问"),
            (None, _) if self.question.is_blocked => say(
                "▲ the record there is not valid; {accept} opens it, {redo} takes it away",
                "▲ 那里的记录无效；按 {accept} 打开修复，按 {redo} 移走",
            ),
            (None, false) if self.is_begun(model) => {
                say("◐ begun; {accept} goes on with it", "◐ 已开始；按 {accept} 继续")
            }
            (None, true) => say("· asked when the step has made something", "· 这一步有了产出才会问"),
            (None, false) => {
                say("· not decided yet; {accept} decides it now", "· 还没有决定；按 {accept} 现在决定")
            }
        };
        sheet.say(if self.record.is_some() { Role::Answered } else { Role::Dim }, state);
        if let Some(record) = &self.record {
            sheet.blank();
            write_answers(&self.gate, record, &[], usize::MAX, sheet);
        }
        sheet.blank();
        let (step, span) = (self.question.step.to_string(), self.question.span.text(lang));
        let at = self.record.as_ref().and_then(|record| time_of(&record.answered_at.lossy()));
        let at = at.map(|at| model.local_time(at));
        let mut rows = vec![(say("asked before", "步骤之前"), &*step), (say("holds for", "适用于"), &*span)];
        rows.extend(at.as_deref().map(|at| (say("decided", "决定于"), at)));
        rows.push((say("name", "名字"), &*self.question.name));
        sheet.labelled(0, &rows);
        if self.record.is_none() {
            write_asked(&self.standing, sheet);
        }
    }
}
