//! Questions that an executor asks of its own accord, as a gate: an `AskUserQuestion` input becomes a question spec, and
//! its answers go back into the input.
//!
//! The hook's protocol is in `command::hook`, the files are in `store::relay`.

use super::canonical::read_call;
use super::profile::cut_header;
use super::routing::is_range;
use crate::ask::draft::is_control_token;
use crate::ask::json::Item;
use crate::ask::problem::quoting;
use crate::ask::{
    Answer, AnswerSpec, Answers, JsString, Problem, Question, QuestionSpec, object, raw, to_line,
};
use crate::text::{Message, Sentence, say};
use serde_json::value::RawValue;
use std::collections::HashSet;

const NAME: &str = "Claude Code: ";

const ANSWERED: Sentence = say("The call already carries answers.", "这次调用已经带有回答。");
const SAME_TEXT: Sentence = say(
    "Two questions have the text {0}, and answers are matched by text; Claude Code asks them itself.",
    "有两个问题都是{0}，而回答只靠问题文本区分；由 Claude Code 自己提问。",
);

/// The questions of a call, or why they cannot be asked elsewhere.
pub fn questions(input: Item<'_>) -> Result<QuestionSpec, Message> {
    let source = read_call(input.source().as_bytes()).map_err(|problems| unfit(&problems))?;
    if input.get("answers").is_some_and(|answers| answers.members().next().is_some()) {
        return Err(ANSWERED.into());
    }
    let mut texts = HashSet::new();
    let mut questions = Vec::new();
    for (prompt, number) in source.prompts.into_iter().zip(1..) {
        let mut question = Question { id: format!("q{number}"), ..prompt.question };
        if !texts.insert(question.question.clone()) {
            return Err(quoting(SAME_TEXT, &question.question));
        }
        for (option, preview) in question.options.iter_mut().zip(&prompt.previews) {
            if let Some(preview) = preview {
                option.description.push_str("\n\n");
                option.description.append(preview);
            }
        }
        questions.push(question);
    }
    let mut topic = JsString::from(NAME);
    topic.append(&JsString::joined(questions.iter().map(|question| &question.header), ", "));
    Ok(QuestionSpec { version: 1.0, topic, questions })
}

fn unfit(problems: &[Problem]) -> Message {
    let sentence = say("The questions cannot be asked elsewhere. {0}", "这些问题无法在别处提问。{0}");
    let first = |lang| problems.first().map(|problem| problem.sentence(lang)).unwrap_or_default();
    Message::in_both(|lang| sentence.fill(lang, &[&first(lang)]))
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
    question.option(label).is_some()
        || is_control_token(&label.lossy())
        || is_range(label)
        || question.options.iter().any(|option| option.cluster.as_ref() == Some(label))
}

/// The input with the answers in it, as the tool takes them: by question text, several labels of one question joined by a
/// comma and a space; notes beside them. Everything else of the input stays as it is.
pub fn answered(input: Item<'_>, questions: &QuestionSpec, record: &AnswerSpec) -> String {
    let answers = asked(questions, &record.answers)
        .map(|(question, answer)| (&question.question, JsString::joined(answer.values(), ", ")));
    let notes: Vec<_> =
        notes(questions, record).map(|(text, note)| (text, object([("notes", note)]))).collect();
    let replaced = |key: &JsString| *key == "answers" || (!notes.is_empty() && *key == "annotations");
    let kept = input.entries().into_iter().filter(|(key, _)| !replaced(key));
    let mut members: Vec<(JsString, Box<RawValue>)> =
        kept.map(|(key, value)| (key, raw(value.compact()))).collect();
    members.push(("answers".into(), object(answers)));
    if !notes.is_empty() {
        members.push(("annotations".into(), object(notes)));
    }
    to_line(&object(members))
}

/// What the author wrote beside answers, by question text.
pub fn notes<'a>(
    questions: &'a QuestionSpec,
    record: &'a AnswerSpec,
) -> impl Iterator<Item = (&'a JsString, &'a JsString)> {
    let of = |(id, note): &'a (JsString, JsString)| Some((&questions.find(id.as_str()?)?.1.question, note));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::call::CallReply;
    use crate::adapter::profile::{Executor, OnEscape};
    use crate::adapter::session::{Dialogue, DialogueStatus};
    use crate::ask::json::Json;
    use crate::ask::{Kind, decode_spec};
    use crate::text::Lang;
    use serde_json::{Value, json};

    fn read(input: &str) -> Result<QuestionSpec, Message> {
        questions(Json::parse(input.as_bytes()).expect("JSON").root())
    }

    fn with_answers(input: &str, answers: &Answers, notes: &[(&str, &str)]) -> Value {
        let json = Json::parse(input.as_bytes()).expect("JSON");
        let spec = questions(json.root()).expect("questions");
        let record = AnswerSpec {
            version: 1.0,
            topic: spec.topic.clone(),
            answers: answers.clone(),
            answered_at: "2026-02-27T10:12:34.000Z".into(),
            answered_by: "human".into(),
            notes: notes.iter().map(|&(id, note)| (id.into(), note.into())).collect(),
        };
        serde_json::from_str(&answered(json.root(), &spec, &record)).expect("JSON")
    }

    fn call() -> Value {
        json!({"questions": [
            {"question": "发布到哪里？", "header": "平台", "multiSelect": false, "options": [
                {"label": "qidian", "description": "起点"}, {"label": " web ", "description": "自建站", "preview": "┌─┐\n└─┘"}]},
            {"question": "Which \"tags\"?", "header": "Tags", "multiSelect": true, "options": [
                {"label": "a", "description": "d"}, {"label": "a, b", "description": "d"}]}],
            "metadata": {"source": "x"}})
    }

    #[test]
    fn a_call_is_a_spec_with_the_very_labels() {
        let spec = read(&call().to_string()).expect("questions");
        assert_eq!(spec.topic, "Claude Code: 平台, Tags");
        let ids: Vec<&str> = spec.questions.iter().map(|question| question.id.as_str()).collect();
        assert_eq!(ids, ["q1", "q2"]);
        assert_eq!(spec.questions[0].kind, Kind::SingleChoice);
        assert_eq!(spec.questions[1].kind, Kind::MultiChoice);
        assert!(spec.questions.iter().all(|question| question.required && question.allow_other));
        assert_eq!(spec.questions[0].options[1].label, " web ");
        assert_eq!(
            spec.questions[0].options[1].description, "自建站\n\n┌─┐\n└─┘",
            "what it looks like is shown too"
        );
    }

    #[test]
    fn answers_go_back_by_question_text_and_nothing_else_changes() {
        let answers = vec![
            ("q1".to_owned(), Answer::One("我自己的话, \"引\"".into())),
            ("q2".to_owned(), Answer::Many(vec!["a".into(), "a, b".into()])),
        ];
        let mut wanted = call();
        wanted["answers"] = json!({"发布到哪里？": "我自己的话, \"引\"", "Which \"tags\"?": "a, a, b"});
        assert_eq!(with_answers(&call().to_string(), &answers, &[]), wanted);
        wanted["annotations"] = json!({"发布到哪里？": {"notes": "先试\n三个月"}});
        let notes = [("q1", "先试\n三个月"), ("q9", "no such question")];
        assert_eq!(with_answers(&call().to_string(), &answers, &notes), wanted);
        let spec = read(&call().to_string()).expect("questions");
        let lists = ambiguous(&spec, &answers);
        assert_eq!(lists, [("Which \"tags\"?".into(), r#"["a", "a, b"]"#.to_owned())]);
        let plain = vec![("q2".to_owned(), Answer::Many(vec!["a".into(), "c".into()]))];
        assert_eq!(ambiguous(&spec, &plain), []);
        let mut empty = call();
        empty["answers"] = json!({});
        assert_eq!(with_answers(&empty.to_string(), &answers, &[])["answers"], wanted["answers"]);
    }

    #[test]
    fn what_cannot_be_told_apart_or_read_is_left_alone() {
        let mut same = call();
        same["questions"][1]["question"] = json!("发布到哪里？");
        assert_eq!(read(&same.to_string()), Err(quoting(SAME_TEXT, &"发布到哪里？".into())));
        let mut told = call();
        told["answers"] = json!({"发布到哪里？": "qidian"});
        assert_eq!(read(&told.to_string()), Err(ANSWERED.into()));
        let mut strange = call();
        strange["questions"][0]["slider"] = json!(3);
        for input in ["[]", "{}", "null", r#"{"questions": []}"#, &strange.to_string()] {
            let why = read(input).expect_err("no questions").text(Lang::En);
            assert!(why.starts_with("The questions cannot be asked elsewhere. "), "{input}: {why}");
        }
    }

    #[test]
    fn the_calls_of_a_gates_own_dialogue_are_known_in_every_state() {
        let options: Vec<Value> =
            (1..=9).map(|n| json!({"label": format!("l{n}"), "description": "d"})).collect();
        let spec = json!({"version": 1, "topic": "t", "questions": [
            {"id": "a", "header": "A very long header", "question": "Which?", "kind": "multi_choice", "required": true,
             "options": options, "allow_other": true},
            {"id": "b", "header": "B", "question": "What?", "kind": "free_text", "required": false}]});
        let gate = decode_spec(spec.to_string().as_bytes()).expect("a spec");
        let other = spec.to_string().replace("Which?", "Which one?");
        let other = decode_spec(other.as_bytes()).expect("a spec");
        let profile = Executor::ClaudeCode.profile();
        let mut dialogue = Dialogue::new(&gate, profile, OnEscape::default());
        for pick in ["l1", "l2", "nonsense", "own words"] {
            let DialogueStatus::Ask(request) = dialogue.status() else { break };
            let report = to_line(&dialogue.call_report(&request, Lang::En));
            let report: Value = serde_json::from_str(&report).expect("JSON");
            let input = report["input"].to_string();
            let call = read(&input).expect("a call");
            assert!(belongs_to(&call, &gate), "{input}");
            assert!(!belongs_to(&call, &other), "{input}");
            let values: Vec<(String, JsString)> = vec![("a".to_owned(), pick.into())];
            let body = dialogue.inquiry().plain_reply(&request, &values).expect("said");
            let reply = CallReply { call: dialogue.call(), body };
            dialogue.take(&reply).expect("taken");
        }
        let foreign = read(&call().to_string()).expect("a call");
        assert!(!belongs_to(&foreign, &gate));
        let DialogueStatus::Ask(_) = dialogue.status() else { panic!("there is more to ask") };
    }

    #[test]
    fn the_groups_of_a_long_choice_belong_to_it() {
        let option = |n: usize, cluster: &str| json!({"label": format!("l{n}"), "description": "d", "_cluster": cluster});
        for (clusters, picks) in [(["", ""], ["Options 7-9", "l8"]), (["热血", "日常"], ["日常", "l8"])]
        {
            let options: Vec<Value> = (1..=9).map(|n| option(n, clusters[n % 2])).collect();
            let mut spec = json!({"version": 1, "topic": "t", "questions": [
                {"id": "a", "header": "H", "question": "Which?", "kind": "single_choice", "required": true,
                 "options": options}]});
            if clusters[0].is_empty() {
                for option in spec["questions"][0]["options"].as_array_mut().expect("options") {
                    option.as_object_mut().expect("an option").remove("_cluster");
                }
            }
            let gate = decode_spec(spec.to_string().as_bytes()).expect("a spec");
            let mut dialogue = Dialogue::new(&gate, Executor::ClaudeCode.profile(), OnEscape::default());
            for pick in picks {
                let DialogueStatus::Ask(request) = dialogue.status() else { panic!("asked") };
                let report = to_line(&dialogue.call_report(&request, Lang::En));
                let report: Value = serde_json::from_str(&report).expect("JSON");
                let call = read(&report["input"].to_string()).expect("a call");
                assert!(belongs_to(&call, &gate), "{report}");
                assert!(call.questions[0].options.iter().all(|option| option.label != "l8") || pick == "l8");
                let body = dialogue.inquiry().plain_reply(&request, &[("a".to_owned(), pick.into())]);
                let reply = CallReply { call: dialogue.call(), body: body.expect("said") };
                dialogue.take(&reply).expect("taken");
            }
            assert!(matches!(dialogue.status(), DialogueStatus::Done), "{clusters:?}");
        }
    }
}
