//! What questions compile to: legal whatever is asked, complete, and leading to the same answers.

use super::{options, step_of};
use crate::rules::specs::any_spec;
use novel_gate::adapter::canonical::{self, Document, Intent, Source, Step};
use novel_gate::adapter::profile::OnEscape;
use novel_gate::ask::{Answer, Answers, Choice, JsString, Kind, Question, QuestionSpec};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};

pub(super) fn compile(spec: &QuestionSpec) -> Document {
    canonical::compile(&Source::from(spec), &options(OnEscape::Terminate))
}

fn question(kind: Kind, count: usize, required: bool, allow_other: bool) -> Question {
    let option = |i: usize| Choice {
        label: format!("o{i}").into(),
        description: "d".into(),
        cluster: None,
        sends_back: false,
        round: None,
    };
    Question {
        id: "q".into(),
        header: "H".into(),
        question: "Q?".into(),
        kind,
        required,
        options: (1..=count).map(option).collect(),
        allow_other,
        default: Vec::new(),
    }
}

fn spec(question: Question) -> QuestionSpec {
    QuestionSpec { version: 1.0, topic: "T".into(), questions: vec![question] }
}

/// `id: intent label>next label>next`
fn drawn(document: &Document) -> Vec<String> {
    let step = |step: &Step| {
        let next: HashMap<&JsString, &str> =
            step.next.iter().map(|entry| (&entry.answer, entry.next_step.as_str())).collect();
        let options: Vec<String> = step
            .options
            .iter()
            .map(|option| match next.get(&option.label) {
                Some(to) => format!("{}>{to}", option.label.display()),
                None => option.label.display().into_owned(),
            })
            .collect();
        format!("{} {}: {}", step.id, <&str>::from(step.intent), options.join(" "))
    };
    document.steps.iter().map(step).collect()
}

const END: &str = "gate-end terminate: __done__ __stop__";

#[test]
fn each_kind_of_question_has_its_steps() {
    use Kind::{FreeText, MultiChoice, SingleChoice};
    for (asked, steps) in [
        (question(SingleChoice, 1, true, false), vec!["q confirm: o1>gate-end __stop__>gate-end"]),
        (question(SingleChoice, 1, false, false), vec!["q confirm: o1>gate-end __skip__>gate-end"]),
        (question(SingleChoice, 3, true, false), vec!["q select_one: o1>gate-end o2>gate-end o3>gate-end"]),
        (
            question(SingleChoice, 4, true, false),
            vec![
                "q select_one: o1>gate-end o2>gate-end Options 3-4>q-n3",
                "q-n3 select_one: o3>gate-end o4>gate-end",
            ],
        ),
        (
            question(SingleChoice, 3, false, false),
            vec![
                "q select_one: o1>gate-end Options 2-3>q-n2 __skip__>gate-end",
                "q-n2 select_one: o2>gate-end o3>gate-end",
            ],
        ),
        (question(MultiChoice, 1, true, false), vec!["q select_many: o1>gate-end __stop__>gate-end"]),
        (
            question(MultiChoice, 1, true, true),
            vec![
                "q select_many: o1>q-again __stop__>gate-end",
                "q-again judge: __more__>q __done__>gate-end",
            ],
        ),
        (
            question(MultiChoice, 4, false, false),
            vec![
                "q select_many: Options 1-2>q-n1 Options 3-4>q-n2 __skip__>gate-end",
                "q-n1 select_many: o1>q-again o2>q-again",
                "q-n2 select_many: o3>q-again o4>q-again",
                "q-again judge: __more__>q __done__>gate-end",
            ],
        ),
        (question(FreeText, 0, true, false), vec!["q confirm: __type__>gate-end __stop__>gate-end"]),
        (question(FreeText, 0, false, false), vec!["q confirm: __type__>gate-end __skip__>gate-end"]),
    ] {
        let document = compile(&spec(asked));
        assert_eq!(drawn(&document), [steps.as_slice(), &[END]].concat());
        let prompt = &document.source_prompts[0];
        assert_eq!(prompt.source_phase, "question 1: H");
        let steps: Vec<&str> = document.steps.iter().map(|step| step.id.as_str()).collect();
        assert_eq!(prompt.mapped_step_ids, steps[..steps.len() - 1]);
    }
}

#[test]
fn deeper_groups_have_longer_ids() {
    let document = compile(&spec(question(Kind::SingleChoice, 13, true, false)));
    let ids: Vec<&str> = document.steps.iter().map(|step| step.id.as_str()).collect();
    assert_eq!(ids, ["q", "q-n1", "q-n1-3", "q-n2", "q-n2-3", "q-n3", "q-n3-2", "q-n3-3", "gate-end"]);
    let prompt = &document.source_prompts[0];
    assert!(prompt.overflow_strategy.is_some() && (prompt.source_options_count - 13.0).abs() < f64::EPSILON);
    assert_eq!(step_of(&document, "q-n3-2").map(|step| step.question.clone()), Some("Q? [level 3]".into()));
    assert_eq!(document.version, "1.0.0");
}

#[test]
fn a_document_says_what_it_is_told() {
    let spec = spec(question(Kind::SingleChoice, 2, true, false));
    let plain = compile(&spec);
    assert_eq!(
        (plain.protocol.as_str(), plain.source.display().as_ref()),
        ("novel-ask", "docs/novel-ask.md")
    );
    let told = canonical::Options {
        protocol: Some("p-1".into()),
        source: Some("a b.md".into()),
        ..options(OnEscape::Defer)
    };
    let document = canonical::compile(&Source::from(&spec), &told);
    assert_eq!((document.protocol.as_str(), document.source.display().as_ref()), ("p-1", "a b.md"));
    assert!(document.steps.iter().all(|step| step.on_escape == OnEscape::Defer));
    let chinese = canonical::compile(
        &Source::from(&spec),
        &canonical::Options { lang: novel_gate::text::Lang::ZhCn, ..told },
    );
    assert_ne!(chinese.steps[1].question, document.steps[1].question);
}

#[test]
fn stages_named_by_hand_never_collide() {
    let stage = |id: &str, count: usize| {
        let asked = r#"{"question": "q", "header": "h", "multiSelect": true,
            "options": [{"label": "a", "description": "d"}, {"label": "b", "description": "d"}]}"#;
        format!(
            r#"{{"id": "{id}", "phase": "p", "input": {{"questions": [{}]}}}}"#,
            vec![asked; count].join(",")
        )
    };
    let stages = [
        stage("a", 1),
        stage("a-again", 2),
        stage("gate-end", 1),
        stage("a-again-q2", 1),
        stage("gate--end", 1),
    ];
    let file = format!(r#"{{"protocol": "p", "source": "p.md", "stages": [{}]}}"#, stages.join(","));
    let document = canonical::compile(
        &canonical::read_protocol(file.as_bytes()).expect("a protocol"),
        &options(OnEscape::Defer),
    );
    canonical::read(document.to_json().as_bytes()).expect("a legal document");
    assert_eq!(document.steps.last().map(|step| step.id.as_str()), Some("gate---end"));
    assert_eq!(document.source_prompts[2].id, "a-again---q2");
    let apart = format!(r#"{{"protocol": "p", "source": "p.md", "stages": [{}]}}"#, stage("a-again", 2));
    let apart = canonical::read_protocol(apart.as_bytes()).expect("a protocol");
    let document = canonical::compile(&apart, &options(OnEscape::Defer));
    assert_eq!(document.source_prompts[1].id, "a-again-q2", "no more signs than it takes");
}

#[test]
fn every_problem_of_a_source_is_told() {
    let pointers = |result: Result<Source, Vec<novel_gate::ask::Problem>>| -> Vec<String> {
        result.expect_err("broken").into_iter().map(|problem| problem.pointer).collect()
    };
    let call = r#"{"questions": [
        {"question": " ", "header": "h", "multiSelect": 1, "options": [{"label": "a", "description": ""}]},
        {"question": "q", "header": "h", "multiselect": true,
         "options": [{"label": "a", "description": "d"}, {"label": "a", "description": "d", "preview": 3}]},
        7
    ], "extra": 1}"#;
    assert_eq!(
        pointers(canonical::read_call(call.as_bytes())),
        [
            "/extra",
            "/questions/0/question",
            "/questions/0/multiSelect",
            "/questions/0/options",
            "/questions/1/multiselect",
            "/questions/1/options/1/preview",
            "/questions/1/options/1/label",
            "/questions/2",
        ]
    );
    let protocol = r#"{"protocol": "P", "source": "a.txt", "version": "1", "stages": [
        {"id": "a", "phase": "p", "input": {"questions": []}},
        {"id": "a", "phase": "", "input": {"question": 1}},
        {"id": "A"}
    ]}"#;
    assert_eq!(
        pointers(canonical::read_protocol(protocol.as_bytes())),
        [
            "/protocol",
            "/version",
            "/source",
            "/stages/0/input/questions",
            "/stages/1/phase",
            "/stages/1/input/question",
            "/stages/1/input/questions",
            "/stages/1/id",
            "/stages/2/id",
            "/stages/2/phase",
            "/stages/2/input",
        ]
    );
    assert_eq!(pointers(canonical::read_protocol(b"[")), [""]);
}

/// Walks a document by the answers that are wanted, the most direct way; the steps with what is chosen at each.
fn walk(spec: &QuestionSpec, document: &Document, wanted: &Answers) -> Vec<(String, JsString)> {
    let mut path = Vec::new();
    let mut at = document.steps[0].id.clone();
    let mut left: HashMap<&str, Vec<JsString>> =
        wanted.iter().map(|(id, answer)| (id.as_str(), answer.values().to_vec())).collect();
    while step_of(document, &at).is_some_and(|step| step.intent != Intent::Terminate) {
        let step = step_of(document, &at).expect("a step");
        let prompt = document.source_prompts.iter().find(|prompt| prompt.mapped_step_ids.contains(&at));
        let prompt = prompt.expect("every step but the end belongs to a question");
        let question = spec.find(&prompt.id).expect("a question").1;
        let left = left.entry(question.id.as_str()).or_default();
        let answer = choose(question, step, document, left);
        let next = step.next.iter().find(|entry| entry.answer == answer).expect("a complete table");
        path.push((at.clone(), answer));
        at.clone_from(&next.next_step);
        assert!(path.len() < 1_000, "{path:?}");
    }
    path
}

pub(crate) fn choose(
    question: &Question,
    step: &Step,
    document: &Document,
    left: &mut Vec<JsString>,
) -> JsString {
    let label = |at: usize| step.options[at].label.clone();
    if question.kind == Kind::FreeText {
        // To type, or to leave it.
        return label(usize::from(!question.must_be_answered()));
    }
    if step.id.ends_with("-again") {
        return label(usize::from(left.is_empty()));
    }
    let Some(wanted) = left.first().cloned() else { return label(step.options.len() - 1) };
    if step.options.iter().any(|option| option.label == wanted) {
        left.remove(0);
        return wanted;
    }
    let leads = |to: &str| {
        let mut open = vec![to];
        while let Some(id) = open.pop() {
            let Some(step) = step_of(document, id).filter(|_| id.contains("-n")) else { continue };
            if step.options.iter().any(|option| option.label == wanted) {
                return true;
            }
            open.extend(step.next.iter().map(|entry| entry.next_step.as_str()));
        }
        false
    };
    let way = step.next.iter().find(|entry| leads(&entry.next_step));
    way.map(|entry| entry.answer.clone()).expect("a group that holds the option")
}

/// What a path says, question by question: labels of options are answers, everything else is routing.
pub(crate) fn fold(spec: &QuestionSpec, document: &Document, path: &[(String, JsString)]) -> Answers {
    let picked = |question: &Question| -> BTreeSet<usize> {
        let prompt =
            document.source_prompts.iter().find(|prompt| prompt.id == question.id).expect("a prompt");
        let of_it = |step: &String| prompt.mapped_step_ids.contains(step) && !step.ends_with("-again");
        path.iter()
            .filter(|(step, _)| of_it(step))
            .filter_map(|(_, answer)| question.option(answer))
            .collect()
    };
    let answer = |question: &Question| -> Option<(String, Answer)> {
        let labels: Vec<JsString> =
            picked(question).into_iter().map(|place| question.options[place].label.clone()).collect();
        let first = labels.first().cloned()?;
        let many = question.kind == Kind::MultiChoice;
        Some((question.id.clone(), if many { Answer::Many(labels) } else { Answer::One(first) }))
    };
    spec.questions.iter().filter_map(answer).collect()
}

/// Legal answers that are labels, chosen by bits; texts are left out, for a table cannot hold them.
pub(super) fn wanted(spec: &QuestionSpec, bits: u64) -> Answers {
    let mut bits = bits;
    let mut draw = |count: usize| {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(bits >> 33).unwrap_or_default() % count
    };
    let mut out = Answers::new();
    for question in spec.questions.iter().filter(|question| question.kind != Kind::FreeText) {
        let count = question.options.len();
        if !question.must_be_answered() && draw(3) == 0 {
            continue;
        }
        let label = |place: usize| question.options[place].label.clone();
        out.push((
            question.id.clone(),
            if question.kind == Kind::SingleChoice {
                Answer::One(label(draw(count)))
            } else {
                let first = draw(count);
                Answer::Many((0..count).filter(|&place| place == first || draw(2) == 0).map(label).collect())
            },
        ));
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_gate_compiles_to_a_legal_document(spec in any_spec()) {
        let document = compile(&spec);
        let text = document.to_json();
        let read = canonical::read(text.as_bytes());
        prop_assert_eq!(read.as_ref().ok(), Some(&document), "{:?}\n{}", read, text);
        let indented: serde_json::Value = serde_json::from_str(&text.replace("\\u", "u")).expect("JSON");
        prop_assert_eq!(serde_json::to_string_pretty(&indented).expect("JSON") + "\n", text.replace("\\u", "u"));
        // Every table is complete, every label is there, and nothing else but controls and groups is.
        for step in &document.steps[..document.steps.len() - 1] {
            let answers: BTreeSet<&JsString> = step.next.iter().map(|entry| &entry.answer).collect();
            prop_assert_eq!(answers, step.options.iter().map(|option| &option.label).collect());
            prop_assert_eq!(step.max_choices, Some(1));
        }
        for question in &spec.questions {
            let prompt = document.source_prompts.iter().find(|prompt| prompt.id == question.id).expect("a prompt");
            let steps = prompt.mapped_step_ids.iter().map(|id| step_of(&document, id).expect("a step"));
            let labels: Vec<&JsString> = steps.flat_map(|step| &step.options).map(|option| &option.label).collect();
            for option in &question.options {
                prop_assert_eq!(labels.iter().filter(|label| **label == &option.label).count(), 1);
            }
        }
    }

    #[test]
    fn the_same_choices_lead_to_the_same_answers(spec in any_spec(), bits in any::<u64>()) {
        let document = compile(&spec);
        let wanted = wanted(&spec, bits);
        let path = walk(&spec, &document, &wanted);
        prop_assert_eq!(fold(&spec, &document, &path), wanted, "{:?}", path);
    }
}
