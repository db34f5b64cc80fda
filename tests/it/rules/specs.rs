//! Random legal specs, and the documents that carry them.

use crate::object::{self, Object};
use novel_gate::ask::{Choice, JsString, Kind, Question, QuestionSpec};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::collections::HashSet;

/// Strings of the executors' world: any text, white space of all sorts, lone surrogates, odd characters.
pub(crate) fn any_string() -> impl Strategy<Value = JsString> {
    let unit = prop_oneof![
        4 => select("abc_ 1\u{3000}雨é\"\\\n".encode_utf16().collect::<Vec<u16>>()),
        1 => select(vec![0xD800u16, 0xDBFF, 0xDC00, 0xDFFF, 0xFEFF, 0x85, 0xFFFD, 0x200B, 0x202E, 0, 0x7F]),
        1 => any::<u16>(),
    ];
    proptest::collection::vec(unit, 0..6).prop_map(|units| {
        let mut out = JsString::default();
        for unit in units {
            out.push_unit(unit);
        }
        out
    })
}

pub(crate) fn words() -> impl Strategy<Value = JsString> {
    prop_oneof![
        any_string().prop_filter("not blank", |text| !text.is_blank()),
        select(vec!["a", " a", "a ", "__done__", "qidian", "雨", "A"]).prop_map(JsString::from),
    ]
}

fn any_id() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec!["constructor", "a", "b", "a_b", "x1_2", "prototype"]).prop_map(str::to_owned),
        "[a-z][a-z0-9]{0,3}(_[a-z0-9]{1,3}){0,2}",
    ]
}

fn any_question() -> impl Strategy<Value = Question> {
    let labels = proptest::collection::hash_set(words(), 1..7)
        .prop_map(|labels| labels.into_iter().collect::<Vec<JsString>>());
    let parts = (any_id(), words(), words(), select(Kind::ALL.to_vec()), any::<bool>(), any::<bool>());
    (parts, labels).prop_flat_map(|((id, header, question, kind, required, other), labels)| {
        let most = match kind {
            Kind::SingleChoice => 1,
            Kind::MultiChoice => labels.len(),
            Kind::FreeText => 0,
        };
        let default = subsequence((0..labels.len()).collect::<Vec<usize>>(), 0..=most).prop_shuffle();
        default.prop_map(move |default| {
            let choices = |label: &JsString| Choice {
                label: label.clone(),
                description: header.clone(),
                cluster: None,
                sends_back: false,
                round: None,
            };
            Question {
                id: id.clone(),
                header: header.clone(),
                question: question.clone(),
                kind,
                required,
                options: if kind == Kind::FreeText {
                    Vec::new()
                } else {
                    labels.iter().map(choices).collect()
                },
                allow_other: other && kind != Kind::FreeText,
                default,
            }
        })
    })
}

pub(crate) fn any_spec() -> impl Strategy<Value = QuestionSpec> {
    let version = select(vec![1.0, 2.0, 9_007_199_254_740_992.0, 1e21, 1e300]);
    let questions = proptest::collection::vec(any_question(), 1..5);
    (version, words(), questions).prop_map(|(version, topic, mut questions)| {
        let mut ids = HashSet::new();
        questions.retain(|question| ids.insert(question.id.clone()));
        QuestionSpec { version, topic, questions }
    })
}

/// The spec as a packet would carry it.
pub(crate) fn spec_json(spec: &QuestionSpec) -> String {
    let question = |question: &Question| {
        let out = Object::new()
            .text("id", &question.id)
            .js("header", &question.header)
            .js("question", &question.question)
            .text("kind", question.kind.name())
            .boolean("required", question.required);
        if question.kind == Kind::FreeText {
            return out.finish();
        }
        let option = |option: &Choice| {
            Object::new().js("label", &option.label).js("description", &option.description).finish()
        };
        let out = out.raw("options", &object::list(question.options.iter().map(option)));
        let out = if question.allow_other { out.boolean("allow_other", true) } else { out };
        let labels: Vec<&JsString> =
            question.default.iter().map(|&place| &question.options[place].label).collect();
        match (question.kind, labels.first()) {
            (_, None) => out.finish(),
            (Kind::MultiChoice, _) => out.raw("default", &object::js_list(labels)).finish(),
            (_, Some(label)) => out.js("default", label).finish(),
        }
    };
    Object::new()
        .raw("version", &spec.version.to_string())
        .js("topic", &spec.topic)
        .raw("questions", &object::list(spec.questions.iter().map(question)))
        .finish()
}

pub(crate) fn packet_json(spec: &QuestionSpec) -> String {
    Object::new()
        .text("step", "chapter:001:draft")
        .raw("manifest", "{\"paths\": [1, {\"deep\": [null]}]}")
        .raw("novel_ask", &spec_json(spec))
        .text("answer_path", "staging/novel-ask/a.answers.json")
        .finish()
}
