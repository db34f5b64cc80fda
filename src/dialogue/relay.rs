//! Questions that an executor asks of its own accord, as a gate: an `AskUserQuestion` input becomes a question spec, and
//! its answers go back into the input.
//!
//! Responsible for both ways, and for telling such a call from one that belongs to the dialogue about a gate. Not
//! responsible for the hook's protocol (`command::hook`) nor for files (`store::relay`).

use super::canonical::read_call;
use super::header;
use crate::ask::draft::is_control_token;
use crate::ask::json::Item;
use crate::ask::object::js_list;
use crate::ask::{Answer, Answers, JsString, Object, Problem, Question, QuestionSpec};
use std::collections::HashSet;

/// What names the executor in the topic.
const NAME: &str = "Claude Code";

/// Why a call cannot be asked elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub enum Unfit {
    /// It is no input of the tool.
    Problems(Vec<Problem>),
    /// Two questions have this text, and answers are told apart by the text alone.
    SameText(JsString),
    /// Somebody has answered it already.
    Answered,
}

/// The questions of a call.
///
/// # Errors
/// They cannot be asked elsewhere.
pub fn questions(input: Item<'_>) -> Result<QuestionSpec, Unfit> {
    let source = read_call(input.source().as_bytes()).map_err(Unfit::Problems)?;
    if input.get("answers").is_some_and(|answers| answers.members().next().is_some()) {
        return Err(Unfit::Answered);
    }
    let mut texts = HashSet::new();
    let mut topic = JsString::from(NAME);
    let mut questions = Vec::new();
    for (prompt, number) in source.prompts.into_iter().zip(1..) {
        let mut question = Question { id: format!("q{number}"), ..prompt.question };
        if !texts.insert(question.question.clone()) {
            return Err(Unfit::SameText(question.question));
        }
        for (option, preview) in question.options.iter_mut().zip(&prompt.previews) {
            if let Some(preview) = preview {
                option.description.push_str("\n\n");
                option.description.append(preview);
            }
        }
        topic.push_str(if number == 1 { ": " } else { ", " });
        topic.append(&question.header);
        questions.push(question);
    }
    Ok(QuestionSpec { version: 1.0, topic, questions })
}

/// Whether a call belongs to the dialogue about a gate, as `next` holds it: every question is one of the gate's, perhaps
/// with the marks that the dialogue puts behind its text, and every option one of that question's, or a control.
pub fn belongs_to(call: &QuestionSpec, gate: &QuestionSpec) -> bool {
    call.questions.iter().all(|shown| gate.questions.iter().any(|question| shows(shown, question)))
}

fn shows(shown: &Question, question: &Question) -> bool {
    let text = shown.question.lossy();
    let behind = text.strip_prefix(&*question.question.lossy());
    behind.is_some_and(|marks| marks.is_empty() || marks.starts_with(" ["))
        && shown.header == header::cut(&question.header).as_str()
        && shown.options.iter().all(|option| {
            question.option(&option.label).is_some() || is_control_token(&option.label.lossy())
        })
}

/// The input with the answers in it, as the tool takes them: by question text, several labels of one question joined by a
/// comma and a space. Everything else of the input stays as it is.
pub fn answered(input: Item<'_>, questions: &QuestionSpec, answers: &Answers) -> String {
    let kept = input.entries().into_iter().filter(|(key, _)| *key != "answers");
    let object =
        kept.fold(Object::new(), |object, (key, value)| object.js_key(&key, |out| out.push_str(&value.compact())));
    let texts = asked(questions, answers).fold(Object::new(), |object, (question, answer)| {
        let joined = joined(answer);
        object.js_key(&question.question, |out| joined.write_json(out))
    });
    object.raw("answers", &texts.finish()).finish()
}

/// Lists that the comma between their entries does not tell apart: question text, and the entries as JSON.
pub fn ambiguous(questions: &QuestionSpec, answers: &Answers) -> Vec<(JsString, String)> {
    let comma = |value: &JsString| value.lossy().contains(',');
    asked(questions, answers)
        .filter_map(|(question, answer)| match answer {
            Answer::Many(values) if values.iter().any(comma) => {
                Some((question.question.clone(), js_list(values)))
            }
            _ => None,
        })
        .collect()
}

fn asked<'a>(
    questions: &'a QuestionSpec,
    answers: &'a Answers,
) -> impl Iterator<Item = (&'a Question, &'a Answer)> {
    answers.iter().filter_map(|(id, answer)| questions.find(id).map(|(_, question)| (question, answer)))
}

fn joined(answer: &Answer) -> JsString {
    let mut out = JsString::default();
    for (i, value) in answer.values().iter().enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        out.append(value);
    }
    out
}
