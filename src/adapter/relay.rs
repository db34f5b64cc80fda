//! Questions that an executor asks of its own accord, as a gate: the input of `AskUserQuestion` or `request_user_input`
//! becomes a question spec, and its answers go back into the input or as the tool's output.
//!
//! The hook's protocol is in `command::hook`, the files are in `store::relay`.

use super::canonical::read_relayed;
use super::control::Control;
use super::marks::{self, is_general, unmarked};
use super::profile::{AnswerKey, Executor, cut_header};
use super::question::find_option;
use crate::ask::json::Item;
use crate::ask::problem::quoting;
use crate::ask::{
    Answer, AnswerSpec, Answers, Choice, JsString, Problem, Question, QuestionSpec, object, raw, to_line,
    to_raw,
};
use crate::text::{Lang, Message, Sentence, say};
use brought::brought;
use serde_json::value::RawValue;
use std::collections::HashSet;
use strum::VariantArray;

mod brought;

pub use brought::timer;

const NO_ID: Sentence = say("A question of the call has no id.", "调用中有一个问题没有 id。");
const SAME: Sentence = say(
    "Two questions of the call go by {0}; their answers could not be told apart.",
    "调用中有两个问题都叫{0}，它们的回答无法区分。",
);

/// The questions of a call, or why they cannot be asked elsewhere.
pub fn questions(executor: Executor, input: Item<'_>) -> Result<QuestionSpec, Message> {
    let source = read_relayed(input.source().as_bytes(), executor.profile().key);
    let source = source.map_err(|problems| unfit(&problems))?;
    let mut seen = HashSet::new();
    for key in keys(executor, input) {
        let key = key.ok_or(NO_ID)?;
        if !seen.insert(key.clone()) {
            return Err(quoting(SAME, &key));
        }
    }
    let mut questions = Vec::new();
    for (prompt, number) in source.prompts.into_iter().zip(1..) {
        let mut question = Question { id: format!("q{number}"), ..prompt.question };
        for (option, preview) in question.options.iter_mut().zip(&prompt.previews) {
            if let Some(preview) = preview {
                option.description.push_str("\n\n");
                option.description.append(preview);
            }
        }
        questions.push(question);
    }
    let mut topic = JsString::from(format!("{}: ", executor.title()));
    topic.append(&JsString::joined(questions.iter().map(|question| &question.header), ", "));
    Ok(QuestionSpec { version: 1.0, topic, questions })
}

/// What the answers to the questions of a call go by.
fn keys(executor: Executor, input: Item<'_>) -> impl Iterator<Item = Option<JsString>> {
    let key = match executor.profile().key {
        AnswerKey::Text => "question",
        AnswerKey::Id => "id",
    };
    let questions = input.get("questions").into_iter().flat_map(Item::elements);
    questions.map(move |question| question.get(key)?.string())
}

fn unfit(problems: &[Problem]) -> Message {
    let sentence = say("The questions cannot be asked elsewhere. {0}", "这些问题无法在别处提问。{0}");
    let first = |lang| problems.first().map(|problem| problem.sentence(lang)).unwrap_or_default();
    Message::in_both(|lang| sentence.fill(lang, &[&first(lang)]))
}

/// The questions of a call as the author sees them: the controls and groups of a dialogue by what they do, unless an option is called so,
/// and what it put behind their text in his language; behind it what is the model's own, and the client's timer.
pub fn shown(executor: Executor, input: Item<'_>, questions: &QuestionSpec, lang: Lang) -> QuestionSpec {
    let mut shown = with_titles(questions, lang);
    for (question, key) in shown.questions.iter_mut().zip(keys(executor, input)) {
        let brought = key.map(|key| brought(input, &key, lang)).unwrap_or_default();
        for line in brought {
            question.question.push_str(&format!("\n\n{line}"));
        }
    }
    if let (Some(seconds), Some(first)) = (timer(executor, input), shown.questions.first_mut()) {
        let sentence = say(
            "In its own dialog {0} goes on without an answer after {1} s. Here the question waits for you.",
            "在 {0} 自己的对话框里，{1} 秒后就会不等回答继续。这里会一直等你。",
        );
        let line = sentence.fill(lang, &[executor.title(), &seconds.to_string()]);
        first.question.push_str(&format!("\n\n{line}"));
    }
    shown
}

fn with_titles(questions: &QuestionSpec, lang: Lang) -> QuestionSpec {
    let mut shown = questions.clone();
    for question in &mut shown.questions {
        let title = |option: &Choice| marks::title(&option.label, lang).map(JsString::from);
        let labels: Vec<JsString> = question
            .options
            .iter()
            .map(|option| title(option).unwrap_or_else(|| option.label.clone()))
            .collect();
        if labels.iter().collect::<HashSet<_>>().len() == labels.len() {
            question.options.iter_mut().zip(labels).for_each(|(option, label)| option.label = label);
        }
        if let Some(text) = question.question.as_str() {
            let selected = say(" [selected: ", " [已选：").text(lang);
            let level = say(" [level ", " [层级 ").text(lang);
            question.question = text.replace(" [selected: ", selected).replace(" [level ", level).into();
        }
    }
    shown
}

/// What a control that is [shown] by this title is called in a language.
pub fn title_in(title: &JsString, lang: Lang) -> Option<&'static str> {
    let languages = [Lang::En, Lang::ZhCn];
    let is_it = |control: &&Control| languages.iter().any(|lang| *title == control.title().text(*lang));
    Control::VARIANTS.iter().find(is_it).map(|control| control.title().text(lang))
}

/// The record of the questions [as shown](shown), with the labels of the call.
pub fn with_own_labels(mut record: AnswerSpec, shown: &QuestionSpec, questions: &QuestionSpec) -> AnswerSpec {
    for (id, answer) in &mut record.answers {
        let (Some((_, seen)), Some((_, own))) = (shown.find(id), questions.find(id)) else { continue };
        let restore = |value: &mut JsString| {
            if let Some(place) = find_option(seen, value) {
                value.clone_from(&own.options[place].label);
            }
        };
        match answer {
            Answer::One(value) => restore(value),
            Answer::Many(values) => values.iter_mut().for_each(restore),
        }
    }
    record
}

/// Whether a call belongs to the dialogue about a gate, as `next` holds it: every question is one of the gate's, perhaps
/// with the marks that the dialogue puts behind its text, and every option one of that question's, a group of them, or a
/// control.
pub fn belongs_to(call: &QuestionSpec, gate: &QuestionSpec) -> bool {
    call.questions.iter().all(|shown| gate.questions.iter().any(|question| shows(shown, question)))
}

fn shows(shown: &Question, question: &Question) -> bool {
    let text = shown.question.lossy();
    let behind = text.strip_prefix(&*question.question.lossy());
    behind.is_some_and(|marks| marks.is_empty() || marks.starts_with(" ["))
        && shown.header == cut_header(&question.header).as_str()
        && shown.options.iter().all(|option| is_entry(&option.label, question))
}

fn is_entry(label: &JsString, question: &Question) -> bool {
    let plain = unmarked(label).unwrap_or_else(|| label.clone());
    find_option(question, label).is_some()
        || is_general(label)
        || question.options.iter().any(|option| option.cluster.as_ref() == Some(&plain))
}

/// The input with the answers in it, as the tool takes them: by question text, several labels of one question joined by a
/// comma and a space; notes beside them. What the model had put there is not the author's, and goes. Everything else of the input
/// stays as it is.
pub fn answered(input: Item<'_>, questions: &QuestionSpec, record: &AnswerSpec) -> String {
    let answers = asked(questions, &record.answers)
        .map(|(question, answer)| (&question.question, JsString::joined(answer.values(), ", ")));
    let notes: Vec<_> =
        notes(questions, record).map(|(text, note)| (text, object([("notes", note)]))).collect();
    let replaced = |key: &JsString| *key == "answers" || *key == "annotations";
    let kept = input.entries().into_iter().filter(|(key, _)| !replaced(key));
    let mut members: Vec<(JsString, Box<RawValue>)> =
        kept.map(|(key, value)| (key, raw(value.compact()))).collect();
    members.push(("answers".into(), object(answers)));
    if !notes.is_empty() {
        members.push(("annotations".into(), object(notes)));
    }
    to_line(&object(members))
}

/// The answers as the tool itself would return them, on one line.
pub fn output(executor: Executor, input: Item<'_>, questions: &QuestionSpec, record: &AnswerSpec) -> String {
    let keys: Vec<JsString> = keys(executor, input).map(Option::unwrap_or_default).collect();
    let of = |(id, answer): &(String, Answer)| {
        let key = keys.get(questions.find(id)?.0)?.clone();
        let value = match executor.profile().key {
            AnswerKey::Text => to_raw(&JsString::joined(answer.values(), ", ")),
            AnswerKey::Id => object([("answers", answer.values())]),
        };
        Some((key, value))
    };
    to_line(&object([("answers", object(record.answers.iter().filter_map(of).collect::<Vec<_>>()))]))
}

/// What the author wrote beside answers, by question text.
pub fn notes<'a>(
    questions: &'a QuestionSpec,
    record: &'a AnswerSpec,
) -> impl Iterator<Item = (&'a JsString, &'a JsString)> {
    let of = |(id, note): &'a (JsString, JsString)| Some((&questions.question(id)?.question, note));
    record.notes.iter().filter_map(of)
}

/// Lists with commas inside their entries: question text, and the entries as JSON.
pub fn ambiguous(questions: &QuestionSpec, answers: &Answers) -> Vec<(JsString, String)> {
    let comma = |value: &JsString| value.lossy().contains(',');
    asked(questions, answers)
        .filter_map(|(question, answer)| match answer {
            Answer::Many(values) if values.iter().any(comma) => {
                Some((question.question.clone(), to_line(values)))
            }
            Answer::One(_) | Answer::Many(_) => None,
        })
        .collect()
}

fn asked<'a>(
    questions: &'a QuestionSpec,
    answers: &'a Answers,
) -> impl Iterator<Item = (&'a Question, &'a Answer)> {
    answers.iter().filter_map(|(id, answer)| questions.find(id).map(|(_, question)| (question, answer)))
}

#[cfg(test)]
mod tests;
