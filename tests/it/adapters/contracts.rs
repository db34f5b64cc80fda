//! The strict JSON contract: its schema, its reader and the rule book for records say the same: invariant 21.

use crate::object::Object;
use novel_gate::adapter::call::CallReply;
use novel_gate::adapter::call::ReplyBody;
use novel_gate::adapter::inquiry::Inquiry;
use novel_gate::adapter::profile::Executor;
use novel_gate::adapter::profile::OnEscape;
use novel_gate::adapter::session::Dialogue;
use novel_gate::adapter::session::DialogueStatus;
use novel_gate::ask::json::{Item, Json, Kind as JsonKind};
use novel_gate::ask::{Answer, Answers, JsString, Question, check_answers};
use novel_gate::ask::{object, to_line};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::desk::printed;
use super::intents::{fill_in_console, own_words};
use super::{cases, meant};

/// What stands in the place of an answer.
#[derive(Clone, Debug)]
enum Value {
    /// What the author means.
    Meant,
    Absent,
    /// A label of the question, or words that are none.
    One(Word),
    Many(Vec<Word>),
    /// JSON of another type.
    Odd(&'static str),
}

#[derive(Clone, Debug)]
enum Word {
    Label(Index),
    Own(&'static str),
}

const ODD_VALUES: &[&str] =
    &["null", "1", "true", "{}", "[]", "\"\"", "\" \\n\"", "[null]", "[\"\"]", "[[]]", "[1]"];

fn any_value() -> impl Strategy<Value = Value> {
    let word = || {
        prop_oneof![
            2 => any::<Index>().prop_map(Word::Label),
            1 => select(vec!["own", "雨停", "a, b", "two\nlines", "\u{85}"]).prop_map(Word::Own),
        ]
    };
    prop_oneof![
        6 => Just(Value::Meant),
        1 => Just(Value::Absent),
        2 => word().prop_map(Value::One),
        2 => proptest::collection::vec(word(), 0..4).prop_map(Value::Many),
        1 => select(ODD_VALUES).prop_map(Value::Odd),
    ]
}

impl Value {
    /// As JSON; none where nothing is said.
    fn json(&self, question: &Question, meant: Option<&Answer>) -> Option<String> {
        let mut out = String::new();
        match self {
            Value::Meant => out.push_str(&to_line(meant?)),
            Value::Absent => return None,
            Value::Odd(json) => out.push_str(json),
            Value::One(word) => out.push_str(&to_line(&Answer::One(word.text(question)))),
            Value::Many(words) => {
                let words = words.iter().map(|word| word.text(question)).collect();
                out.push_str(&to_line(&Answer::Many(words)));
            }
        }
        Some(out)
    }
}

impl Word {
    fn text(&self, question: &Question) -> JsString {
        match self {
            Word::Label(place) if !question.options.is_empty() => place.get(&question.options).label.clone(),
            Word::Label(_) => "text".into(),
            Word::Own(words) => own_words(question, words),
        }
    }
}

proptest! {
    #![proptest_config(cases(500))]

    /// Invariant 21, for whole replies.
    #[test]
    fn the_schema_takes_what_the_reader_takes_and_the_rules_allow(
        (spec, intent) in meant(),
        values in proptest::collection::vec(any_value(), 6),
        more in proptest::option::weighted(0.1, select(vec!["zz", "A", "_note", "constructor"])),
    ) {
        let meant = fill_in_console(&spec, &intent).answers(&spec);
        let mut answers = Object::new();
        for (question, value) in spec.questions.iter().zip(&values) {
            let meant = meant.iter().find(|(id, _)| *id == question.id).map(|(_, answer)| answer);
            answers = value.json(question, meant).into_iter().fold(answers, |all, json| all.raw(&question.id, &json));
        }
        let unknown = more.filter(|id| spec.find(id).is_none());
        let answers = unknown.into_iter().fold(answers, |all, id| all.text(id, "a")).finish();
        let reply = format!("{{\"answers\": {answers}}}");

        let dialogue = Dialogue::new(&spec, Executor::JsonContract.profile(), OnEscape::Terminate);
        let call = printed(&dialogue).expect("a call");
        let call = Json::parse(call.as_bytes()).expect("JSON");
        let json = Json::parse(reply.as_bytes()).expect("JSON");
        let by_schema = is_valid(call.root().get("schema").expect("a schema"), json.root());
        let by_reader = read(&dialogue, &reply).is_ok();
        let mut problems = Vec::new();
        check_answers(&spec, json.root().get("answers").expect("answers"), &mut problems);
        let by_rules = problems.is_empty();
        prop_assert_eq!((by_schema, by_reader), (by_rules, by_rules), "{}\n{:?}", reply, problems);
    }

    /// A contract's own template is no reply, unless everything in it was chosen before.
    #[test]
    fn a_template_that_is_sent_back_answers_nothing((spec, _) in meant()) {
        let dialogue = Dialogue::new(&spec, Executor::JsonContract.profile(), OnEscape::Terminate);
        let call = printed(&dialogue).expect("a call");
        let call = Json::parse(call.as_bytes()).expect("JSON");
        let template = call.root().get("template").expect("a template").source();
        let labels = spec.questions.iter().flat_map(|question| &question.options).map(|option| &option.label);
        if labels.into_iter().all(|label| label.trimmed() != "<label>") {
            prop_assert!(read(&dialogue, template).is_err(), "{}", template);
        }
    }

    /// Anything but one JSON object of this shape is refused, and nothing of it is taken.
    #[test]
    fn a_contract_is_taken_whole_or_not_at_all(
        (spec, intent) in meant(), at in any::<Index>(), piece in select(vec!["", "}", "x", "\"", ",", "answers", "\\"]),
    ) {
        let dialogue = Dialogue::new(&spec, Executor::JsonContract.profile(), OnEscape::Terminate);
        let draft = fill_in_console(&spec, &intent);
        let answers = object(draft.answers(&spec));
        let answers = answers.get();
        let good = format!("{{\"answers\": {answers}}}");
        prop_assert_eq!(read(&dialogue, &good), Ok(draft.answers(&spec)));
        for bad in [
            format!("Here it is: {good}"),
            format!("```json\n{good}\n```"),
            format!("{good}\n{good}"),
            format!("{{\"answers\": {answers}, \"answers\": {answers}}}"),
            format!("{{\"answers\": {answers}, \"note\": \"x\"}}"),
            answers.to_owned(),
            format!("[{good}]"),
        ] {
            prop_assert_eq!(read(&dialogue, &bad).map_err(|_| ()), Err(()), "{}", bad);
        }
        // Something lost or put in anywhere: either it is still a reply, and then a good one, or nothing is taken.
        let chars: Vec<char> = good.chars().collect();
        let at = at.index(chars.len());
        let broken: String = chars[..at].iter().copied().chain(piece.chars()).chain(chars[at + 1..].iter().copied()).collect();
        if let Ok(answers) = read(&dialogue, &broken) {
            let json = object(answers).get().to_owned();
            let mut problems = Vec::new();
            check_answers(&spec, Json::parse(json.as_bytes()).expect("JSON").root(), &mut problems);
            prop_assert_eq!(problems, vec![]);
        }
    }
}

/// The answers after this reply to the only call; or the codes of what is not accepted, and nothing is taken.
fn read(dialogue: &Dialogue<Inquiry<'_>>, text: &str) -> Result<Answers, Vec<&'static str>> {
    let mut after = dialogue.clone();
    let reply = CallReply { call: dialogue.call(), body: ReplyBody::Text(text.into()) };
    after.take(&reply).expect("a reply to the call");
    match after.status() {
        DialogueStatus::Done => {
            assert!(after.inquiry().rejected.is_empty());
            Ok(after.inquiry().answers())
        }
        DialogueStatus::Ask(_) => {
            assert_eq!(after.inquiry().answers(), vec![], "nothing is taken");
            assert!(!after.inquiry().rejected.is_empty());
            Err(after.inquiry().rejected.iter().map(|rejected| rejected.code.code()).collect())
        }
        DialogueStatus::Ended(end) => panic!("{end:?}"),
    }
}

/// Whether a value has the form that a JSON Schema describes, by the keywords that contracts use.
fn is_valid(schema: Item<'_>, value: Item<'_>) -> bool {
    schema.entries().into_iter().all(|(keyword, rule)| {
        let number = || rule.number().expect("a number");
        let text = || rule.string().expect("a string");
        let object = value.kind() == JsonKind::Object;
        match keyword.as_str().expect("a keyword") {
            "$schema" | "description" => true,
            "type" => match text().as_str().expect("a type") {
                "object" => object,
                "array" => value.kind() == JsonKind::Array,
                "string" => value.string().is_some(),
                other => panic!("type {other}"),
            },
            "properties" => rule.entries().iter().all(|(key, rule)| {
                value
                    .entries()
                    .iter()
                    .filter(|(other, _)| other == key)
                    .all(|(_, value)| is_valid(*rule, *value))
            }),
            "additionalProperties" => {
                assert_eq!(rule.boolean(), Some(false));
                let known = schema.get("properties").expect("properties").entries();
                value.entries().iter().all(|(key, _)| known.iter().any(|(other, _)| other == key))
            }
            "required" => rule.elements().all(|key| {
                let key = key.string().expect("a key");
                value.entries().iter().any(|(other, _)| *other == key)
            }),
            "oneOf" => rule.elements().filter(|rule| is_valid(*rule, value)).count() == 1,
            "anyOf" => rule.elements().any(|rule| is_valid(rule, value)),
            "const" => value.string() == Some(text()),
            "pattern" => {
                assert!(text() == "\\S");
                value.string().is_none_or(|value| !value.is_blank())
            }
            "minItems" => value.kind() != JsonKind::Array || count(value.elements()) >= number(),
            "uniqueItems" => {
                let items: Vec<_> = value.elements().map(|item| item.string().ok_or(item.source())).collect();
                items.iter().enumerate().all(|(at, item)| !items[..at].contains(item))
            }
            "items" => value.elements().all(|item| is_valid(rule, item)),
            other => panic!("keyword {other}"),
        }
    })
}

fn count<'j>(items: impl Iterator<Item = Item<'j>>) -> f64 {
    items.map(|_| 1.0).sum()
}
