//! What the author has said in a draft, piece by piece: for whoever shows it, copies it or writes it down.

use super::{Draft, Orphan, Reply};
use crate::ask::answer::listed;
use crate::ask::js_string::JsString;
use crate::ask::question::{Question, QuestionSpec};
use crate::text::{Lang, Sentence, say};

/// One answer, or words beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Of the question.
    pub id: JsString,
    pub as_what: SaidAs,
    /// Several only where several options or own words are one answer.
    pub values: Vec<JsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub enum SaidAs {
    Answer,
    Note,
    /// Typed for `Other` and not chosen.
    Typed,
    SetAside,
    /// It fits the question no more, or there is no such question.
    Misfit,
    /// Why the step is to be sent back.
    Reason,
    /// The whole text of a record that was edited.
    Record,
}

impl SaidAs {
    /// Stable name for programs.
    pub fn name(self) -> &'static str {
        self.into()
    }

    pub const fn label(self) -> Sentence {
        match self {
            SaidAs::Answer => say("answer", "回答"),
            SaidAs::Note => say("note", "备注"),
            SaidAs::Typed => say("typed, not chosen", "已输入，未采用"),
            SaidAs::SetAside => say("your earlier answer", "你先前的回答"),
            SaidAs::Misfit => say("no longer fits", "已不适用"),
            SaidAs::Reason => say("sends back", "退回理由"),
            SaidAs::Record => say("the record, as you edited it", "你编辑过的记录"),
        }
    }
}

impl Said {
    /// The question by its header, and what was said to it. Hostile, as what follows.
    pub fn name(&self, spec: &QuestionSpec, lang: Lang) -> String {
        let header = spec.question(&self.id).map_or(&self.id, |question| &question.header).display();
        match self.as_what {
            SaidAs::Answer => header.into_owned(),
            SaidAs::Reason if header.is_empty() => self.as_what.label().text(lang).to_owned(),
            SaidAs::Record => self.as_what.label().text(lang).to_owned(),
            other => say("{0} ({1})", "{0}（{1}）").fill(lang, &[&header, other.label().text(lang)]),
        }
    }

    /// In one text, of a list at most so many entries; hostile until it is cleaned.
    pub fn text(&self, most: usize, lang: Lang) -> String {
        match &self.values[..] {
            [one] => one.display().into_owned(),
            values => listed(values, most, lang),
        }
    }
}

impl Draft {
    /// Everything that the author has said himself, in the order of the questions; then what fits none of them.
    pub fn said(&self, spec: &QuestionSpec, orphans: &[Orphan]) -> Vec<Said> {
        let mut out = Vec::new();
        for (question, reply) in spec.questions.iter().zip(&self.replies) {
            reply.add_said(question, &mut out);
        }
        let said = |orphan: &Orphan| Said {
            id: orphan.id.clone(),
            as_what: SaidAs::Misfit,
            values: vec![orphan.words.clone()],
        };
        out.extend(orphans.iter().map(said));
        if !self.reason.is_blank() {
            let id = self.reason.does_not_apply.as_deref().unwrap_or_default().into();
            out.push(Said { id, as_what: SaidAs::Reason, values: vec![self.reason.words.clone()] });
        }
        out
    }
}

impl Reply {
    fn add_said(&self, question: &Question, out: &mut Vec<Said>) {
        let mut add = |as_what, values: Vec<JsString>| {
            if !values.is_empty() {
                out.push(Said { id: question.id.as_str().into(), as_what, values });
            }
        };
        let answer =
            |reply: &Reply| reply.answer(question).map(|answer| answer.values().to_vec()).unwrap_or_default();
        if self.is_authors() {
            add(SaidAs::Answer, answer(self));
        }
        if self.has_own_note() {
            add(SaidAs::Note, vec![self.note.clone()]);
        }
        if !self.other.trim().is_empty() {
            add(SaidAs::Typed, vec![self.other.as_str().into()]);
        }
        for aside in self.asides() {
            match aside.typed_words() {
                Some(words) => add(SaidAs::Typed, vec![words.into()]),
                None => add(SaidAs::SetAside, answer(aside)),
            }
        }
    }
}
