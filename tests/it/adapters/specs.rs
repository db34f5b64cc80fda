//! Random legal questions, made to be hard on adapters, as the packets that carry them.
//!
//! Nothing here depends on the order of a hash map: a kept seed makes the same packet again.

use crate::object::{self, Object};
use novel_gate::ask::{Choice, JsString, Kind, Question, QuestionSpec, decode_packet};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Labels that look like something else, to a program or to a person.
const ODD_LABELS: &[&str] = &[
    "__done__",
    "___more___",
    "____skip____",
    "__back__",
    " __stop__ ",
    "__type__",
    "__repeat__",
    "__group_1__",
    "___group_12___",
    "_done_",
    "A",
    "A (Recommended)",
    "A (Recommended) (Recommended)",
    "None of the above",
    " Other",
    "Custom answer",
    "user_note: x",
    "user_note:",
    "Options 1-4",
    "Options 1-2",
    "Options 2-3 ",
    "Options",
    "a",
    " a",
    "a ",
    "\u{3000}a",
    "b",
    "a, b",
    "a,b",
    ",",
    "a | b",
    "1",
    "2",
    "10",
    "1.5",
    "null",
    "true",
    "雨停之前，别让他回头",
    "热血",
    "👩\u{200d}👩\u{200d}👧",
    "e\u{301}",
    "é",
    "\u{301}",
    "\u{200d}",
    "\u{202e}abc",
    "第一行\n第二行",
    "a\u{2028}b",
    "\"quoted\\\"",
    "constructor",
    "__proto__",
    "<text>",
    "<label>",
    "[]",
    "{\"answers\":{}}",
    "[selected: a]",
    "[not accepted: empty]",
];
const ODD_QUESTIONS: &[&str] = &[
    "Q?",
    "发布到哪里？",
    "Q? [1/2]",
    "Q? [2/2]",
    "Q? [level 2]",
    "Q? [selected: a]",
    "Q? [not accepted: unanswered]",
    "第一行\n第二行",
    " Q?",
    "__proto__",
    "\u{202e}?",
];
const ODD_HEADERS: &[&str] = &[
    "H",
    "平台",
    "发布平台选择其一",
    "a header of many words",
    "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}",
    "\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}x",
    "\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    "a\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}\u{308}\u{309}\u{30a}\u{30b}\u{30c}\u{30d}",
    "👩\u{200d}👩\u{200d}👧\u{200d}👦👩\u{200d}👩\u{200d}👧\u{200d}👦",
    "🇨🇳🇨🇳🇨🇳🇨🇳🇨🇳🇨🇳🇨🇳",
    "abcdefghijk平",
    "abcdefghijk ab",
    "  outer  ",
    "\n两\n行\n",
    "ﷺﷺ",
];
const CLUSTERS: &[&str] = &["热血", "日常", "孤", "a", "Options 1-2", "__more__", "Other", " 热血 "];
/// No label here has more than this many options.
const MOST_OPTIONS: usize = 30;

fn any_words() -> impl Strategy<Value = JsString> {
    let unit = prop_oneof![
        6 => select("ab_ ,|1\u{3000}雨é\"\\\n".encode_utf16().collect::<Vec<u16>>()),
        1 => select(vec![0xD800_u16, 0xDC00, 0xFEFF, 0x200B, 0x202E, 0x7F]),
    ];
    let words = proptest::collection::vec(unit, 1..6).prop_map(|units| {
        let mut out = JsString::default();
        for unit in units {
            out.push_unit(unit);
        }
        out
    });
    words.prop_map(|words| if words.is_blank() { "blank".into() } else { words })
}

fn any_label() -> impl Strategy<Value = JsString> {
    prop_oneof![
        6 => (0..60_u8).prop_map(|number| format!("o{number}").into()),
        4 => select(ODD_LABELS).prop_map(JsString::from),
        1 => any_words(),
    ]
}

/// A label and something that a tool, an executor or a person could take for it.
fn resembling(label: &JsString, how: u8) -> JsString {
    let mut out = JsString::default();
    match how {
        0 => out.push(' '),
        1 => out.push('\u{3000}'),
        _ => {}
    }
    out.append(label);
    match how {
        2 => out.push(' '),
        3 => out.push_str(" (Recommended)"),
        4 => out.push_str(", b"),
        _ => {}
    }
    out
}

fn any_labels() -> impl Strategy<Value = Vec<JsString>> {
    let count = prop_oneof![5 => 1..5_usize, 3 => 5..10_usize, 2 => 10..MOST_OPTIONS + 1];
    let labels = count.prop_flat_map(|count| proptest::collection::vec(any_label(), count));
    let twins = proptest::collection::vec((any::<Index>(), 0..5_u8), 0..3);
    (labels, twins).prop_map(|(mut labels, twins)| {
        for (which, how) in twins {
            labels.push(resembling(which.get(&labels), how));
        }
        let mut out: Vec<JsString> = Vec::new();
        for label in labels {
            if !out.contains(&label) {
                out.push(label);
            }
        }
        out.truncate(MOST_OPTIONS);
        out
    })
}

fn any_options() -> impl Strategy<Value = Vec<Choice>> {
    let cluster = proptest::option::weighted(0.8, select(CLUSTERS));
    let clusters = proptest::option::weighted(0.3, proptest::collection::vec(cluster, MOST_OPTIONS));
    let descriptions = proptest::collection::vec(select(vec!["d", "说明", "d (Recommended)", " d\n "]), 3);
    (any_labels(), clusters, descriptions).prop_map(|(labels, clusters, descriptions)| {
        let choice = |(place, label): (usize, JsString)| Choice {
            label,
            description: descriptions[place % descriptions.len()].into(),
            cluster: clusters.as_ref().and_then(|names| names[place]).map(JsString::from),
            sends_back: false,
            round: None,
        };
        labels.into_iter().enumerate().map(choice).collect()
    })
}

fn any_question() -> impl Strategy<Value = Question> {
    let words = (
        prop_oneof![4 => select(ODD_QUESTIONS).prop_map(JsString::from), 1 => any_words()],
        prop_oneof![4 => select(ODD_HEADERS).prop_map(JsString::from), 1 => any_words()],
    );
    let id = prop_oneof![
        8 => "[a-e](_[a-z0-9])?",
        1 => select(vec!["constructor", "prototype", "a_b_c", "answers"]).prop_map(str::to_owned),
    ];
    let kind = select(vec![Kind::SingleChoice, Kind::MultiChoice, Kind::MultiChoice, Kind::FreeText]);
    let defaults = proptest::collection::vec(any::<Index>(), 0..3);
    let rest = (any::<bool>(), any::<bool>(), defaults);
    (id, words, kind, any_options(), rest).prop_map(
        |(id, words, kind, options, (required, other, defaults))| {
            let is_choice = kind != Kind::FreeText;
            let options = if is_choice { options } else { Vec::new() };
            let mut default = Vec::new();
            for place in defaults.iter().filter(|_| is_choice).map(|default| default.index(options.len())) {
                if !default.contains(&place) && (kind == Kind::MultiChoice || default.is_empty()) {
                    default.push(place);
                }
            }
            let allow_other = other && is_choice;
            let (question, header) = words;
            Question { id, header, question, kind, required, options, allow_other, default }
        },
    )
}

/// One to six questions with odd words, read from a packet as everything is.
pub(super) fn any_spec() -> impl Strategy<Value = QuestionSpec> {
    let questions = proptest::collection::vec(any_question(), 1..7);
    let version = select(vec![1.0, 2.0, 9_007_199_254_740_992.0]);
    (version, any_words(), questions).prop_map(|(version, topic, mut questions)| {
        for place in 0..questions.len() {
            let (before, here) = questions.split_at_mut(place);
            if before.iter().any(|earlier| earlier.id == here[0].id) {
                here[0].id.push_str(&format!("_q{place}"));
            }
        }
        let spec = QuestionSpec { version, topic, questions };
        let read = decode_packet(packet_json(&spec).as_bytes()).expect("a legal packet");
        let read = read.gate.expect("a gate").spec;
        assert_eq!(*read, spec, "a packet is read as it was written");
        spec
    })
}

fn spec_json(spec: &QuestionSpec) -> String {
    let questions = spec.questions.iter().map(|question| {
        let out = Object::new()
            .text("id", &question.id)
            .js("header", &question.header)
            .js("question", &question.question)
            .text("kind", question.kind.name())
            .boolean("required", question.required);
        if question.kind == Kind::FreeText {
            return out.finish();
        }
        let options = question.options.iter().map(|option| {
            let out = Object::new().js("label", &option.label).js("description", &option.description);
            option.cluster.iter().fold(out, |out, name| out.js("_cluster", name)).finish()
        });
        let out = out.raw("options", &object::list(options)).boolean("allow_other", question.allow_other);
        let mut labels = question.default_labels().peekable();
        match (labels.peek(), question.kind) {
            (None, _) => out.finish(),
            (Some(_), Kind::MultiChoice) => out.raw("default", &object::js_list(labels)).finish(),
            (Some(label), _) => out.js("default", label).finish(),
        }
    });
    Object::new()
        .raw("version", &spec.version.to_string())
        .js("topic", &spec.topic)
        .raw("questions", &object::list(questions))
        .finish()
}

/// Where the packets here want their answers.
pub(super) const ANSWER_PATH: &str = "staging/novel-ask/a.answers.json";

/// A packet that asks these questions.
pub(super) fn packet_json(spec: &QuestionSpec) -> String {
    Object::new()
        .text("step", "chapter:001:draft")
        .raw("novel_ask", &spec_json(spec))
        .text("answer_path", ANSWER_PATH)
        .finish()
}
