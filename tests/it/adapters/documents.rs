//! Canonical documents of questions that are hard to ask: invariant 22; and that a run of the document comes to the
//! answers that the console gives.

use crate::canonical::step_of;
use std::collections::{BTreeMap, BTreeSet};

use novel_gate::adapter::call::CallReply;
use novel_gate::adapter::canonical::{self, Document, Intent as StepIntent, Options, Script, Source};
use novel_gate::adapter::profile::OnEscape;
use novel_gate::adapter::session::Dialogue;
use novel_gate::adapter::session::DialogueStatus;
use novel_gate::ask::{Answers, JsString, Kind, Pick, QuestionSpec};
use novel_gate::text::Lang;
use proptest::prelude::*;

use super::desk::{MOST_CALLS, any_policy, any_profile};
use super::intents::{Wish, fill_in_console};
use super::specs::any_spec;
use super::{cases, meant};
use crate::canonical::compiled::{choose, fold};
use crate::json_schema::accepts;

proptest! {
    #![proptest_config(cases(500))]

    /// Invariant 22.
    #[test]
    fn a_document_is_legal_whole_and_connected(spec in any_spec(), policy in any_policy()) {
        let document = compile(&spec, policy);
        let text = document.to_json();
        prop_assert_eq!(canonical::read(text.as_bytes()), Ok(document.clone()));
        // Lone surrogates are no JSON for the schema's reader.
        if let Ok(value) = serde_json::from_str(&text) {
            let schema = serde_json::from_str(canonical::SCHEMA).expect("the schema is JSON");
            prop_assert!(accepts(&schema, &schema, &value), "{}", text);
        }
        check_steps(&document, policy);
        check_reachable(&document);
        check_prompts(&spec, &document);
    }

    /// What a run of the document comes to is what the console makes of the same choices.
    #[test]
    fn a_run_of_a_document_comes_to_the_answers_of_the_console((spec, intent) in meant(), profile in any_profile()) {
        // A table holds options only.
        let (mut questions, mut wishes) = (Vec::new(), Vec::new());
        for (question, wish) in spec.questions.iter().zip(&intent) {
            let wish = match wish {
                Wish::Text(_) => continue,
                Wish::Picks(picks) => {
                    let options = picks.iter().filter(|pick| matches!(pick, Pick::Option(_))).cloned();
                    let options: Vec<Pick> = options.collect();
                    Wish::Picks(if options.is_empty() { vec![Pick::Option(0)] } else { options })
                }
                Wish::Nothing => Wish::Nothing,
            };
            questions.extend((question.kind != Kind::FreeText).then(|| question.clone()));
            wishes.extend((question.kind != Kind::FreeText).then_some(wish));
        }
        prop_assume!(!questions.is_empty());
        let spec = QuestionSpec { questions, ..spec };
        let console = fill_in_console(&spec, &wishes).answers(&spec);
        let document = compile(&spec, OnEscape::Terminate);
        let script = Script::of(&document);
        let mut walk = Dialogue::run(&script, &profile);
        let mut left = labels(&console);
        while let (DialogueStatus::Ask(form), Some(step)) = (walk.status(), walk.course().step()) {
            let prompt = document.source_prompts.iter().find(|prompt| prompt.mapped_step_ids.contains(&step.id));
            let label = match prompt {
                Some(prompt) => {
                    let question = spec.find(&prompt.id).expect("a question").1;
                    choose(question, step, &document, left.entry(question.id.clone()).or_default())
                }
                None => "__done__".into(),
            };
            let said = walk.inquiry().plain_reply(&form, &[(step.id.clone(), label)]).expect("a reply");
            walk.take(&CallReply { call: walk.call(), body: said }).expect("a reply to the call");
            prop_assert!(walk.inquiry().rejected.is_empty(), "{:?}", step);
            prop_assert!(walk.seq() < MOST_CALLS && walk.path().count() < MOST_CALLS, "it ends");
        }
        let path: Vec<(String, JsString)> =
            walk.path().map(|taken| (taken.step.to_owned(), taken.answer.clone())).collect();
        prop_assert_eq!(fold(&spec, &document, &path), console, "{:?}", path);
    }
}

fn compile(spec: &QuestionSpec, on_escape: OnEscape) -> Document {
    canonical::compile(
        &Source::from(spec),
        &Options { protocol: None, source: None, on_escape, lang: Lang::En },
    )
}

fn labels(answers: &Answers) -> BTreeMap<String, Vec<JsString>> {
    answers.iter().map(|(id, answer)| (id.clone(), answer.values().to_vec())).collect()
}

/// Two or three options with labels of their own, one of them at a time, and a complete table but at the end.
fn check_steps(document: &Document, policy: OnEscape) {
    let ids: BTreeSet<&str> = document.steps.iter().map(|step| step.id.as_str()).collect();
    assert_eq!(ids.len(), document.steps.len(), "ids are unique");
    for step in &document.steps {
        let labels: BTreeSet<&JsString> = step.options.iter().map(|option| &option.label).collect();
        assert!((2..=3).contains(&labels.len()) && labels.len() == step.options.len(), "{step:?}");
        assert_eq!((step.max_choices, step.on_escape), (Some(1), policy), "{step:?}");
        if step.intent == StepIntent::Terminate {
            assert!(step.next.is_empty(), "{step:?}");
            continue;
        }
        let answers: BTreeSet<&JsString> = step.next.iter().map(|way| &way.answer).collect();
        assert_eq!(answers, labels, "{step:?}");
        assert_eq!(step.next.len(), labels.len(), "{step:?}");
        assert!(step.next.iter().all(|way| ids.contains(way.next_step.as_str())), "{step:?}");
    }
    let ends = document.steps.iter().filter(|step| step.intent == StepIntent::Terminate).count();
    assert_eq!(ends, 1);
}

/// From the first step every other can be reached, and from every step the end.
fn check_reachable(document: &Document) {
    let ways = document.steps.iter().flat_map(|step| {
        let from = step.id.as_str();
        step.next.iter().map(move |way| (from, way.next_step.as_str()))
    });
    let forth: Vec<(&str, &str)> = ways.collect();
    let back: Vec<(&str, &str)> = forth.iter().map(|&(from, to)| (to, from)).collect();
    let (first, last) = (&document.steps[0].id, &document.steps[document.steps.len() - 1].id);
    assert_eq!(reached(first, &forth), document.steps.len(), "{document:?}");
    assert_eq!(reached(last, &back), document.steps.len(), "{document:?}");
}

/// How many steps can be reached along these ways, the first included.
fn reached(first: &str, ways: &[(&str, &str)]) -> usize {
    let (mut seen, mut open) = (BTreeSet::from([first]), vec![first]);
    while let Some(at) = open.pop() {
        for &(_, to) in ways.iter().filter(|(from, _)| *from == at) {
            if seen.insert(to) {
                open.push(to);
            }
        }
    }
    seen.len()
}

/// A prompt for each question, with steps of its own in which each option stands once.
fn check_prompts(spec: &QuestionSpec, document: &Document) {
    let ids = document.source_prompts.iter().map(|prompt| prompt.id.as_str());
    assert!(ids.eq(spec.questions.iter().map(|question| question.id.as_str())));
    let mut mapped = BTreeSet::new();
    for (question, prompt) in spec.questions.iter().zip(&document.source_prompts) {
        let count = u32::try_from(question.options.len().max(2)).expect("few");
        assert!((prompt.source_options_count - f64::from(count)).abs() < 0.5, "{prompt:?}");
        assert_eq!(prompt.overflow_strategy.is_some(), count > 3, "{prompt:?}");
        assert!(prompt.overflow_strategy.is_none() || prompt.mapped_step_ids.len() >= 2, "{prompt:?}");
        assert!(prompt.mapped_step_ids.iter().all(|id| mapped.insert(id.clone())), "{prompt:?}");
        let steps = prompt.mapped_step_ids.iter().map(|id| step_of(document, id).expect("a step"));
        let shown: Vec<&JsString> =
            steps.flat_map(|step| &step.options).map(|option| &option.label).collect();
        for option in &question.options {
            assert_eq!(shown.iter().filter(|label| ***label == option.label).count(), 1, "{option:?}");
        }
    }
    assert_eq!(mapped.len() + 1, document.steps.len(), "every step but the end is of a question");
}
