//! The executors' adapters: whoever asks, and however little their dialogs can show, the answers are the same.
//!
//! Random questions that are hard to ask, random authors who know what they want, and drivers that see nothing but what
//! `next` prints. A failure's seed is kept in `tests/proptest-regressions/` and tried again in every run.

mod author;
mod commands;
mod contracts;
mod desk;
mod documents;
mod intents;
mod noise;
mod program;
mod replies;
mod showing;
mod specs;
#[cfg(unix)]
mod typed;

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use novel_gate::adapter::call::CallReply;
use novel_gate::adapter::profile::Executor;
use novel_gate::adapter::profile::OnEscape;
use novel_gate::adapter::profile::Profile;
use novel_gate::adapter::session::Dialogue;
use novel_gate::adapter::session::DialogueStatus;
use novel_gate::ask::json::Json;
use novel_gate::ask::{Answer, AnswerSpec, JsString, Pick, QuestionSpec, check_record, decode_spec};

use author::{Author, any_habits};
use desk::{MOST_CALLS, answers, any_profile, printed, with};
use intents::{Intent, Wish, any_intent, fill_in_console};
use specs::any_spec;

const AT: &str = "2026-02-27T10:12:34.000Z";

/// So many cases, with failures kept.
fn cases(count: u32) -> ProptestConfig {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/proptest-regressions/adapters.txt");
    ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(file))),
        ..ProptestConfig::with_cases(count)
    }
}

/// Questions and what an author means to answer.
fn meant() -> impl Strategy<Value = (QuestionSpec, Intent)> {
    any_spec().prop_flat_map(|spec| {
        let intent = any_intent(&spec);
        (Just(spec), intent)
    })
}

/// The same with own words that plain values can tell from an entry of the tool or of the screen.
fn told_apart(mut spec: QuestionSpec, mut intent: Intent, profile: &Profile) -> (QuestionSpec, Intent) {
    for option in spec.questions.iter_mut().flat_map(|question| &mut question.options) {
        option.cluster = None;
    }
    for wish in &mut intent {
        let Wish::Picks(picks) = wish else { continue };
        for pick in picks {
            match pick {
                Pick::Own(words)
                    if profile.is_undecidable(words) || words.lossy().starts_with("Options ") =>
                {
                    *words = JsString::from(format!("·{}", words.lossy()));
                }
                Pick::Own(_) | Pick::Option(_) => {}
            }
        }
    }
    (spec, intent)
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn what_an_author_means_the_console_can_say((spec, intent) in meant()) {
        let record = fill_in_console(&spec, &intent).record(&spec, AT, &"human".into());
        prop_assert_eq!(check_record(&spec, record.to_json().as_bytes()), Ok(record));
    }

    /// Invariants 1 and 2.
    #[test]
    fn every_way_brings_the_answers_of_the_console(
        (spec, intent) in meant(), profile in any_profile(), exact in 2..=5_usize, habits in any_habits(), gone in 0..6_usize,
    ) {
        let console = fill_in_console(&spec, &intent).record(&spec, AT, &"human".into()).to_json();
        let claude = Executor::ClaudeCode.profile();
        let codex = Executor::Codex.profile();
        let ways = [
            (profile, habits.clone()),
            (claude.clone(), habits.clone()),
            (codex.clone(), habits.clone()),
            (with(Executor::Codex, Some(3), Some(exact)), habits.clone()),
            (codex, habits.until(gone)),
            (claude, habits.until(gone)),
            (Executor::JsonContract.profile(), habits),
        ];
        for (profile, habits) in ways {
            let answers = answers(&spec, &profile, Author::new(&spec, &intent, habits));
            let record = AnswerSpec {
                version: spec.version,
                topic: spec.topic.clone(),
                answers,
                answered_at: AT.into(),
                answered_by: "human".into(),
                notes: Vec::new(),
            };
            prop_assert_eq!(&record.to_json(), &console, "{:?}", profile);
        }
    }

    /// Invariants 1 and 2 for executors that pass on plain values.
    #[test]
    fn plain_values_bring_the_answers_of_the_console(
        (spec, intent) in meant(), profile in any_profile(), habits in any_habits(),
    ) {
        let (spec, intent) = told_apart(spec, intent, &profile);
        let console = fill_in_console(&spec, &intent).answers(&spec);
        let mut dialogue = Dialogue::new(&spec, profile, OnEscape::Terminate);
        let mut author = Author::new(&spec, &intent, habits);
        while let DialogueStatus::Ask(form) = dialogue.status() {
            let said = printed(&dialogue).expect("a call");
            let values = author.values(Json::parse(said.as_bytes()).expect("JSON").root());
            let said = dialogue.inquiry().plain_reply(&form, &values).expect("values for the call");
            dialogue.take(&CallReply { call: dialogue.call(), body: said }).expect("a reply to the call");
            prop_assert!(dialogue.inquiry().rejected.is_empty(), "{:?}", values);
            prop_assert!(dialogue.seq() < MOST_CALLS, "an author who gets nowhere");
        }
        prop_assert_eq!(dialogue.inquiry().answers(), console);
    }
}

#[test]
fn a_label_that_is_not_shown_is_taken_exactly() {
    let options = ["x", "y", "z", "w", "a", "a "]
        .map(|label| format!("{{\"label\": \"{label}\", \"description\": \"d\"}}"));
    let spec = format!(
        "{{\"version\": 1, \"topic\": \"t\", \"questions\": [{{\"id\": \"p\", \"header\": \"H\", \"question\": \"Q?\", \
         \"kind\": \"single_choice\", \"required\": true, \"options\": [{}]}}]}}",
        options.join(", ")
    );
    let spec = decode_spec(spec.as_bytes()).expect("a legal spec");
    for executor in Executor::ALL {
        let mut dialogue = Dialogue::new(&spec, executor.profile(), OnEscape::Terminate);
        let DialogueStatus::Ask(form) = dialogue.status() else { panic!("a call") };
        let said = dialogue
            .inquiry()
            .plain_reply(&form, &[("p".to_owned(), "a ".into())])
            .expect("a value for the call");
        dialogue.take(&CallReply { call: dialogue.call(), body: said }).expect("a reply to the call");
        assert_eq!(
            dialogue.inquiry().answers(),
            [("p".to_owned(), Answer::One("a ".into()))],
            "{executor:?}"
        );
    }
}
