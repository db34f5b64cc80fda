//! Questions that an executor asks of its own accord, as a gate: the input of `AskUserQuestion` or `request_user_input`
//! becomes a question spec, and its answers go back into the input or as the tool's output.
//!
//! The hook's protocol is in `command::hook`, the files are in `store::relay`.

use super::canonical::read_relayed;
use super::control::Control;
use super::marks::{self, is_general, unmarked};
use super::profile::{AnswerKey, Executor, cut_header};
use super::question::find_option;
use crate::ask::json::{self, Item};
use crate::ask::problem::quoting;
use crate::ask::{
    Answer, AnswerSpec, Answers, Choice, JsString, Problem, Question, QuestionSpec, object, raw, to_line,
    to_raw,
};
use crate::text::{Lang, Message, Sentence, say};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::time::Duration;
use strum::VariantArray;

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

/// In how many seconds the client's own dialog goes on without an answer, if it does. What it then puts out is none.
pub fn timer(executor: Executor, input: Item<'_>) -> Option<u64> {
    /// Codex counts a minute, and another one that it shows.
    const USUAL: f64 = 120_000.0;
    let waits = input.get("isBlocking").and_then(Item::boolean);
    let given = input.get("autoResolutionMs").and_then(Item::number).filter(|_| waits != Some(true));
    let millis = given.or((waits == Some(false)).then_some(USUAL));
    let millis = millis.filter(|_| executor == Executor::Codex)?;
    Duration::try_from_secs_f64(millis / 1_000.0).ok().map(|timer| timer.as_secs().max(1))
}

/// What the model has put beside a question that is called so: notes and answers of its own.
fn brought(input: Item<'_>, key: &JsString, lang: Lang) -> Vec<String> {
    let note = say(
        "The model's own note, never handed back as yours: {0}",
        "模型自己写的备注，绝不会当作你的话交回：{0}",
    );
    let answer = say(
        "The model's own answer, never handed back as yours: {0}",
        "模型自己填的回答，绝不会当作你的回答交回：{0}",
    );
    let of = |member| {
        let all = input.get(member).map(Item::entries).unwrap_or_default();
        let its = all.into_iter().filter(|(name, item)| name == key && item.kind() != json::Kind::Null);
        its.map(|(_, item)| item).next_back()
    };
    let text =
        |item: Item<'_>| item.string().map_or_else(|| item.compact(), |text| text.display().into_owned());
    let said = |(sentence, item): (Sentence, Option<Item<'_>>)| {
        item.map(text).filter(|text| !text.is_empty()).map(|text| sentence.fill(lang, &[&text]))
    };
    let annotation = of("annotations").map(|beside| beside.get("notes").unwrap_or(beside));
    let given = of("answers").map(|answer| answer.get("answers").unwrap_or(answer));
    [(note, annotation), (answer, given)].into_iter().filter_map(said).collect()
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
mod tests {
    use super::*;
    use crate::adapter::call::CallReply;
    use crate::adapter::profile::OnEscape;
    use crate::adapter::session::{Dialogue, DialogueStatus};
    use crate::ask::json::Json;
    use crate::ask::{Kind, decode_spec};
    use crate::text::Lang;
    use serde_json::{Value, json};

    fn read(input: &str) -> Result<QuestionSpec, Message> {
        questions(Executor::ClaudeCode, Json::parse(input.as_bytes()).expect("JSON").root())
    }

    fn with_answers(input: &str, answers: &Answers, notes: &[(&str, &str)]) -> Value {
        let json = Json::parse(input.as_bytes()).expect("JSON");
        let spec = questions(Executor::ClaudeCode, json.root()).expect("questions");
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
    fn what_the_model_puts_beside_its_questions_is_shown_as_its_own_and_never_handed_back() {
        let mut brought = call();
        brought["annotations"] =
            json!({"发布到哪里？": {"notes": "先试", "preview": "x"}, "Which \"tags\"?": null});
        brought["answers"] = json!({"发布到哪里？": "qidian", "Which \"tags\"?": ["a"], "another": "b"});
        let input = brought.to_string();
        let json = Json::parse(input.as_bytes()).expect("JSON");
        let asked = read(&input).expect("questions");
        let texts = shown(Executor::ClaudeCode, json.root(), &asked, Lang::En).questions;
        let [first, second] = texts.as_slice() else { panic!("two questions") };
        assert_eq!(
            first.question,
            "发布到哪里？\n\nThe model's own note, never handed back as yours: 先试\n\n\
             The model's own answer, never handed back as yours: qidian"
        );
        assert!(second.question.lossy().ends_with(r#"never handed back as yours: ["a"]"#), "{second:?}");
        let answers = vec![("q1".to_owned(), Answer::One("web".into()))];
        let mut wanted = call();
        wanted["answers"] = json!({"发布到哪里？": "web"});
        assert_eq!(with_answers(&input, &answers, &[]), wanted);
        let asked = r#"{"questions": [{"id": "a", "header": "h", "question": "q", "options": [{"label": "x"}]}],
            "answers": {"a": {"answers": ["x"]}}, "annotations": {"a": "mine"}}"#;
        let json = Json::parse(asked.as_bytes()).expect("JSON");
        let spec = questions(Executor::Codex, json.root()).expect("questions");
        let text = shown(Executor::Codex, json.root(), &spec, Lang::ZhCn).questions[0].question.clone();
        assert_eq!(
            text,
            "q\n\n模型自己写的备注，绝不会当作你的话交回：mine\n\n模型自己填的回答，绝不会当作你的回答交回：[\"x\"]"
        );
    }

    #[test]
    fn options_need_not_be_described_and_a_timer_of_the_client_is_said() {
        for description in
            [r#", "description": """#, r#", "description": "　 ""#, r#", "description": null"#, ""]
        {
            let input = format!(
                r#"{{"questions": [{{"id": "a", "header": "h", "question": "q",
                    "options": [{{"label": "x"{description}, "preview": ""}}]}}], "autoResolutionMs": 60000}}"#
            );
            let json = Json::parse(input.as_bytes()).expect("JSON");
            let spec = questions(Executor::Codex, json.root()).expect("questions");
            assert_eq!(spec.questions[0].options[0].description, "—", "{input}");
            let text = &shown(Executor::Codex, json.root(), &spec, Lang::En).questions[0].question;
            assert_eq!(
                *text,
                "q\n\nIn its own dialog Codex goes on without an answer after 60 s. Here the question waits for you."
            );
        }
        let after = |members: &str| {
            let input = format!("{{\"questions\": []{members}}}");
            timer(Executor::Codex, Json::parse(input.as_bytes()).expect("JSON").root())
        };
        assert_eq!(after(""), None);
        assert_eq!(after(r#", "autoResolutionMs": null, "isBlocking": true"#), None);
        assert_eq!(after(r#", "autoResolutionMs": 9000, "isBlocking": true"#), None);
        assert_eq!(after(r#", "isBlocking": false"#), Some(120));
        assert_eq!(after(r#", "isBlocking": false, "autoResolutionMs": 90500"#), Some(90));
        assert_eq!(after(r#", "autoResolutionMs": 1e300"#), None);
    }

    #[test]
    fn entries_that_are_no_options_are_shown_by_what_they_do_unless_an_option_is_called_so() {
        let label = |label: &str| json!({"label": label, "description": "d"});
        let asked = |labels: &[&str]| {
            let mut call = call();
            call["questions"][1]["options"] = labels.iter().map(|text| label(text)).collect();
            read(&call.to_string()).expect("questions")
        };
        let labels = |spec: &QuestionSpec| -> Vec<String> {
            spec.questions[1].options.iter().map(|option| option.label.lossy().into_owned()).collect()
        };
        let questions = asked(&["a, b", "__done__", "__more__"]);
        let seen = with_titles(&questions, Lang::ZhCn);
        assert_eq!(labels(&seen), ["a, b", "结束这个问题", "更多选项"]);
        let mut marked = questions.clone();
        marked.questions[1].question = "哪些？ [selected: a | b] [1/3] [level 2]".into();
        assert_eq!(with_titles(&marked, Lang::En).questions[1].question, marked.questions[1].question);
        assert_eq!(
            with_titles(&marked, Lang::ZhCn).questions[1].question,
            "哪些？ [已选：a | b] [1/3] [层级 2]"
        );
        assert_eq!(seen.questions[0], questions.questions[0]);
        let many = |values: &[&str]| Answer::Many(values.iter().map(|&value| value.into()).collect());
        let record = AnswerSpec {
            version: 1.0,
            topic: seen.topic.clone(),
            answers: vec![("q2".to_owned(), many(&["a, b", "更多选项", "mine"]))],
            answered_at: "2026-02-27T10:12:34.000Z".into(),
            answered_by: "human".into(),
            notes: Vec::new(),
        };
        let own = with_own_labels(record, &seen, &questions);
        assert_eq!(own.answers, [("q2".to_owned(), many(&["a, b", "__more__", "mine"]))]);
        for alike in [&["结束这个问题", "__done__"][..], &["__skip__", "___skip___"]] {
            assert_eq!(labels(&with_titles(&asked(alike), Lang::ZhCn)), alike);
        }
    }

    #[test]
    fn what_cannot_be_told_apart_or_read_is_left_alone() {
        let mut same = call();
        same["questions"][1]["question"] = json!("发布到哪里？");
        assert_eq!(read(&same.to_string()), Err(quoting(SAME, &"发布到哪里？".into())));
        let mut strange = call();
        strange["questions"][0]["slider"] = json!(3);
        for input in ["[]", "{}", "null", r#"{"questions": []}"#, &strange.to_string()] {
            let why = read(input).expect_err("no questions").text(Lang::En);
            assert!(why.starts_with("The questions cannot be asked elsewhere. "), "{input}: {why}");
        }
    }

    #[test]
    fn answers_to_codex_go_by_the_ids_of_its_questions() {
        let input = r#"{"questions": [
            {"id": "where", "header": "平台", "question": "Same?", "options": [{"label": "web", "description": "d"}]},
            {"id": "__proto__", "header": "Tags", "question": "Same?", "options": [
                {"label": "a, b", "description": "d"}, {"label": " c ", "description": "d"}]}]}"#;
        let json = Json::parse(input.as_bytes()).expect("JSON");
        let spec = questions(Executor::Codex, json.root()).expect("questions");
        assert_eq!(spec.topic, "Codex: 平台, Tags");
        assert!(
            spec.questions.iter().all(|question| question.kind == Kind::SingleChoice && question.allow_other)
        );
        let record = AnswerSpec {
            version: 1.0,
            topic: spec.topic.clone(),
            answers: vec![
                ("q2".to_owned(), Answer::One(" c ".into())),
                ("q1".to_owned(), Answer::One("\"我\"".into())),
            ],
            answered_at: "2026-02-27T10:12:34.000Z".into(),
            answered_by: "human".into(),
            notes: Vec::new(),
        };
        assert_eq!(
            output(Executor::Codex, json.root(), &spec, &record),
            r#"{"answers": {"__proto__": {"answers": [" c "]}, "where": {"answers": ["\"我\""]}}}"#
        );
        let twice = input.replace("__proto__", "where");
        let same = questions(Executor::Codex, Json::parse(twice.as_bytes()).expect("JSON").root());
        assert_eq!(same, Err(quoting(SAME, &"where".into())));
        let unnamed = input.replace("\"where\"", "7");
        let unnamed = questions(Executor::Codex, Json::parse(unnamed.as_bytes()).expect("JSON").root());
        assert_eq!(unnamed, Err(NO_ID.into()));
    }

    #[test]
    fn the_calls_of_a_gates_own_dialogue_are_known_in_every_state() {
        for (executor, clustered) in
            [(Executor::ClaudeCode, false), (Executor::Codex, false), (Executor::Codex, true)]
        {
            // The calls go on as long as there is something to ask.
            assert!(follow_dialogue(executor, clustered) > 3, "{executor:?}");
        }
    }

    /// Answers with whatever is shown first, then in own words; gives how many calls there were.
    fn follow_dialogue(executor: Executor, clustered: bool) -> usize {
        let mut options: Vec<Value> =
            (1..=9).map(|n| json!({"label": format!("l{n}"), "description": "d"})).collect();
        for (option, cluster) in options.iter_mut().zip(["even", "odd"].repeat(5)).filter(|_| clustered) {
            option["_cluster"] = json!(cluster);
        }
        let spec = json!({"version": 1, "topic": "t", "questions": [
            {"id": "a", "header": "A very long header", "question": "Which?", "kind": "multi_choice", "required": true,
             "options": options, "allow_other": true},
            {"id": "b", "header": "B", "question": "What?", "kind": "free_text", "required": false}]});
        let gate = decode_spec(spec.to_string().as_bytes()).expect("a spec");
        let other = spec.to_string().replace("Which?", "Which one?");
        let other = decode_spec(other.as_bytes()).expect("a spec");
        let mut dialogue = Dialogue::new(&gate, executor.profile(), OnEscape::default());
        for step in 0..12 {
            let DialogueStatus::Ask(request) = dialogue.status() else { return step };
            let report = to_line(&dialogue.call_report(&request, Lang::En));
            let report: Value = serde_json::from_str(&report).expect("JSON");
            let input = report["input"].to_string();
            let asked = &report["input"]["questions"][0];
            if asked["header"] != "A very long" {
                return step;
            }
            let json = Json::parse(input.as_bytes()).expect("JSON");
            let call = questions(executor, json.root()).expect("a call");
            assert!(belongs_to(&call, &gate), "{input}");
            assert!(!belongs_to(&call, &other), "{input}");
            // Models mark what they recommend.
            let mut marked = call;
            marked.questions[0].options[0].label.push_str(" (Recommended)");
            assert!(belongs_to(&marked, &gate), "{input}");
            let pick =
                if step == 2 { "own words" } else { asked["options"][0]["label"].as_str().expect("a label") };
            let body =
                dialogue.inquiry().plain_reply(&request, &[("a".to_owned(), pick.into())]).expect("said");
            dialogue.take(&CallReply { call: dialogue.call(), body }).expect("taken");
        }
        12
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
