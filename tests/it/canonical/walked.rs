//! Running documents: by transitions, by escapes, and to the answers that the gate itself gives.

use super::compiled::{choose, compile, fold, wanted};
use super::{bytes, document};
use crate::in_process::call;
use crate::rules::specs::any_spec;
use novel_gate::Environment;
use novel_gate::adapter::call::CallReply;
use novel_gate::adapter::call::ReplyBody;
use novel_gate::adapter::canonical::{Document, Script, Walk};
use novel_gate::adapter::inquiry::DialogueEnd;
use novel_gate::adapter::profile::Executor;
use novel_gate::adapter::profile::OnEscape;
use novel_gate::adapter::session::Dialogue;
use novel_gate::adapter::session::DialogueStatus;
use novel_gate::ask::object;
use novel_gate::ask::{Answers, JsString, Kind, QuestionSpec};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Gives the label as the answer to the step that is asked.
fn answer(walk: &mut Dialogue<Walk<'_>>, label: &JsString) {
    let DialogueStatus::Ask(form) = walk.status() else { panic!("nothing is asked: {:?}", walk.status()) };
    let id = walk.course().step().expect("a step").id.clone();
    let said = walk.inquiry().plain_reply(&form, &[(id, label.clone())]).expect("a reply");
    say(walk, said);
}

fn say(walk: &mut Dialogue<Walk<'_>>, said: ReplyBody) {
    let reply = CallReply { call: walk.call(), body: said };
    walk.take(&reply).unwrap_or_else(|fault| panic!("{fault:?}"));
}

fn go(walk: &mut Dialogue<Walk<'_>>, labels: &[&str]) {
    for &label in labels {
        answer(walk, &label.into());
    }
}

fn at<'s>(walk: &Dialogue<Walk<'s>>) -> &'s str {
    assert!(matches!(walk.status(), DialogueStatus::Ask(_)), "{:?}", walk.status());
    &walk.course().step().expect("a step").id
}

fn path(walk: &Dialogue<Walk<'_>>) -> Vec<String> {
    walk.path().map(|taken| format!("{}={}", taken.step, taken.answer.display())).collect()
}

fn ended(walk: &Dialogue<Walk<'_>>) -> Option<DialogueEnd> {
    if let DialogueStatus::Ended(end) = walk.status() { Some(end) } else { None }
}

/// Runs a test for every executor.
fn for_each_executor(document: &Document, test: impl Fn(Dialogue<Walk<'_>>)) {
    let script = Script::of(document);
    for executor in Executor::ALL {
        test(Dialogue::run(&script, &executor.profile()));
    }
}

#[test]
fn transitions_are_followed_and_other_answers_fall_through() {
    for_each_executor(&document("ending-mood"), |mut walk| {
        go(&mut walk, &["Amused", "Write three others"]);
        assert!(matches!(walk.status(), DialogueStatus::Done));
        assert_eq!(path(&walk), ["mood=Amused", "last_line=Write three others"]);
    });
    for_each_executor(&document("world-rules"), |mut walk| {
        go(&mut walk, &["社会", "返回上一层", "社会", "空城"]);
        assert_eq!(at(&walk), "rule_society", "no such label");
        go(&mut walk, &["一座空城", "记忆", "再加一项", "声音", "够了"]);
        assert_eq!(at(&walk), "close");
        go(&mut walk, &["写入"]);
        assert!(matches!(walk.status(), DialogueStatus::Done));
        assert_eq!(path(&walk).len(), 9);
        let late = CallReply { call: walk.call(), body: ReplyBody::Escape };
        assert_eq!(walk.take(&late).expect_err("over").code, "reply_after_end");
    });
}

#[test]
fn several_may_be_chosen_where_the_document_says_so() {
    for_each_executor(&document("title-shortlist"), |mut walk| {
        let labels = ["雨停之前", "Seven Dry Years"];
        if walk.inquiry().profile().executor == Executor::JsonContract {
            let three =
                r#"{"answers": {"shortlist": ["Before the Rain Ends", "雨停之前", "Seven Dry Years"]}}"#;
            say(&mut walk, ReplyBody::Text(three.into()));
            assert_eq!(at(&walk), "shortlist");
            assert_eq!(walk.inquiry().rejected[0].code.code(), "too_many");
            say(
                &mut walk,
                ReplyBody::Text(r#"{"answers": {"shortlist": ["Seven Dry Years", "雨停之前"]}}"#.into()),
            );
        } else {
            go(&mut walk, &labels[..1]);
            if walk.inquiry().profile().executor == Executor::Codex {
                go(&mut walk, &["__more__"]);
            }
            go(&mut walk, &labels[1..]);
        }
        assert_eq!(at(&walk), "shortlist_check");
        assert_eq!(path(&walk), ["shortlist=雨停之前", "shortlist=Seven Dry Years"]);
        go(&mut walk, &["Stop here"]);
        assert!(matches!(walk.status(), DialogueStatus::Done));
    });
}

#[test]
fn an_escape_that_terminates_can_be_taken_back() {
    for_each_executor(&document("world-rules"), |mut walk| {
        let first = walk.call();
        say(&mut walk, ReplyBody::Escape);
        assert_eq!(ended(&walk), Some(DialogueEnd::Terminated));
        let escaped = walk.clone();
        assert!(walk.resume());
        assert_eq!((at(&walk), walk.call()), ("rule_family", first.clone()));
        go(&mut walk, &["力量"]);
        assert_eq!(at(&walk), "rule_power");
        // A reply that comes late does the same, unless the escape is settled.
        let mut late = escaped.clone();
        let reply = CallReply { call: first, body: ReplyBody::Escape };
        late.take(&reply).expect("the call can be answered after all");
        let mut settled = escaped;
        settled.settle();
        assert_eq!(settled.take(&reply).expect_err("over").code, "reply_after_end");
    });
}

#[test]
fn an_escape_returns_to_before_the_last_answer() {
    for_each_executor(&document("world-rules"), |mut walk| {
        go(&mut walk, &["力量"]);
        let there = walk.call();
        say(&mut walk, ReplyBody::Escape);
        assert_eq!((at(&walk), path(&walk)), ("rule_family", Vec::new()));
        assert_ne!(walk.call(), there);
        assert!(walk.resume(), "the escape is taken back");
        assert_eq!((at(&walk), path(&walk).len(), walk.call()), ("rule_power", 1, there));
        say(&mut walk, ReplyBody::Escape);
        assert_eq!(at(&walk), "rule_family", "there is still something to return to");
        go(&mut walk, &["力量"]);
        go(&mut walk, &["雨"]);
        assert_eq!(at(&walk), "price");
    });
    // With nothing before it, it ends the run.
    for_each_executor(&document("title-shortlist"), |mut walk| {
        say(&mut walk, ReplyBody::Escape);
        assert_eq!(ended(&walk), Some(DialogueEnd::Terminated));
    });
}

#[test]
fn a_step_that_is_put_off_is_asked_before_the_end() {
    let document = document("chapter-014-draft");
    let groups: Vec<&str> = document.source_prompts.iter().map(|prompt| prompt.id.as_str()).collect();
    for_each_executor(&document, |mut walk| {
        assert_eq!(at(&walk), groups[0]);
        say(&mut walk, ReplyBody::Escape);
        assert_eq!(at(&walk), groups[1], "on behind the steps of its prompt");
        for group in &groups[1..] {
            assert!(at(&walk).starts_with(group), "{group}: {}", at(&walk));
            while walk.course().step().is_some_and(|step| step.id.starts_with(group)) {
                let step = walk.course().step().expect("a step");
                // Onward: the last option of the question, and then done.
                let last = step.options.last().expect("options").label.clone();
                answer(&mut walk, &last);
            }
        }
        assert_eq!(at(&walk), groups[0], "now again");
        let mut twice = walk.clone();
        say(&mut twice, ReplyBody::Escape);
        assert_eq!(ended(&twice), Some(DialogueEnd::Deferred));
        let step = walk.course().step().expect("a step");
        answer(&mut walk, &step.options[0].label);
        assert_eq!(at(&walk), "gate-end");
        go(&mut walk, &["__done__"]);
        assert!(matches!(walk.status(), DialogueStatus::Done));
    });
}

#[test]
fn what_is_put_off_last_is_asked_at_the_end() {
    for_each_executor(&document("ending-mood"), |mut walk| {
        go(&mut walk, &["Consoled"]);
        say(&mut walk, ReplyBody::Escape);
        assert_eq!(at(&walk), "last_line", "there is nothing else to ask");
        go(&mut walk, &["Keep it"]);
        assert!(matches!(walk.status(), DialogueStatus::Done));
    });
    for_each_executor(&document("world-rules"), |mut walk| {
        go(&mut walk, &["今天不定"]);
        assert_eq!(at(&walk), "close");
    });
    // A way that an answer opens late is still gone.
    let mut branching = serde_json::from_slice::<Value>(&bytes("world-rules.json")).expect("JSON");
    branching["steps"][0]["on_escape"] = json!("defer");
    let branching = novel_gate::adapter::canonical::read(branching.to_string().as_bytes()).expect("legal");
    for_each_executor(&branching, |mut walk| {
        say(&mut walk, ReplyBody::Escape);
        assert_eq!(at(&walk), "price");
        go(&mut walk, &["时间", "够了"]);
        assert_eq!(at(&walk), "rule_family");
        go(&mut walk, &["力量"]);
        assert_eq!(at(&walk), "rule_power");
        go(&mut walk, &["名字"]);
        assert_eq!(at(&walk), "close", "the price was paid before");
    });
}

#[test]
fn who_stops_is_not_asked_what_was_put_off() {
    let mut steps = Vec::new();
    for (id, onward) in [("a", "b"), ("b", "c"), ("c", "end")] {
        steps.push(json!({"id": id, "intent": "confirm", "question": "Q", "on_escape": "defer",
            "options": [{"label": "go", "description": "d"}, {"label": "__stop__", "description": "d"}],
            "next": [{"answer": "go", "next_step": onward}, {"answer": "__stop__", "next_step": "end"}]}));
    }
    steps.push(json!({"id": "end", "intent": "terminate", "question": "Q", "on_escape": "defer",
        "options": [{"label": "__done__", "description": "d"}, {"label": "__stop__", "description": "d"}]}));
    let prompts =
        json!([{"id": "a", "source_phase": "p", "source_options_count": 2, "mapped_step_ids": ["a"]}]);
    let document = json!({"protocol": "p", "version": "1.0.0", "source": "a.md", "source_prompts": prompts,
        "steps": steps});
    let document = novel_gate::adapter::canonical::read(document.to_string().as_bytes()).expect("legal");
    for_each_executor(&document, |mut walk| {
        say(&mut walk, ReplyBody::Escape);
        assert_eq!(at(&walk), "b");
        let mut onward = walk.clone();
        go(&mut onward, &["go", "go"]);
        assert_eq!(at(&onward), "a", "it was put off");
        go(&mut onward, &["__stop__"]);
        assert_eq!(at(&onward), "end");
        go(&mut walk, &["__stop__"]);
        assert_eq!(at(&walk), "end");
        go(&mut walk, &["__stop__"]);
        assert!(matches!(walk.status(), DialogueStatus::Done));
        assert_eq!(path(&walk), ["b=__stop__", "end=__stop__"]);
    });
}

#[test]
fn nobody_there_and_no_tool() {
    let document = document("ending-mood");
    let script = Script::of(&document);
    let mut walk = Dialogue::run(&script, &Executor::Codex.profile());
    let mut idle = walk.clone();
    for _ in 0..3 {
        assert_eq!(at(&idle), "mood");
        say(&mut idle, ReplyBody::Output(r#"{"answers":{}}"#.into()));
    }
    assert_eq!(ended(&idle), Some(DialogueEnd::Idle));
    say(&mut walk, ReplyBody::Unavailable);
    say(&mut walk, ReplyBody::Text(r#"{"answers":{"mood":"Amused"}}"#.into()));
    assert_eq!(at(&walk), "last_line");
    say(&mut walk, ReplyBody::Text(r#"{"answers":{"last_line":"Keep it"}}"#.into()));
    assert!(matches!(walk.status(), DialogueStatus::Done), "the tool stays away");
    // A dismissed dialog is an escape too.
    let mut closed = Dialogue::run(&script, &Executor::ClaudeCode.profile());
    say(&mut closed, ReplyBody::Output(r#"{"answers":{},"afkTimeoutMs":60000}"#.into()));
    assert_eq!(ended(&closed), Some(DialogueEnd::Terminated));
}

/// What the gate itself makes of the answers.
fn asked(spec: &QuestionSpec, wanted: &Answers) -> Answers {
    let mut dialogue = Dialogue::new(spec, Executor::JsonContract.profile(), OnEscape::Terminate);
    let text = format!(r#"{{"answers": {}}}"#, object(wanted.clone()));
    let reply = CallReply { call: dialogue.call(), body: ReplyBody::Text(text.into()) };
    dialogue.take(&reply).expect("a reply");
    match dialogue.status() {
        DialogueStatus::Done => dialogue.inquiry().answers(),
        other => panic!("{wanted:?}: {other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_run_leads_to_the_answers_of_the_gate(
        spec in any_spec(),
        bits in any::<u64>(),
        executor in prop::sample::select(Executor::ALL.to_vec()),
    ) {
        let mut spec = spec;
        spec.questions.retain(|question| question.kind != Kind::FreeText);
        prop_assume!(!spec.questions.is_empty());
        let document = compile(&spec);
        let wanted = wanted(&spec, bits);
        let mut left: HashMap<&str, Vec<JsString>> =
            wanted.iter().map(|(id, answer)| (id.as_str(), answer.values().to_vec())).collect();
        let script = Script::of(&document);
        let mut walk = Dialogue::run(&script, &executor.profile());
        let mut replies = Vec::new();
        while let (DialogueStatus::Ask(form), Some(step)) = (walk.status(), walk.course().step()) {
            let prompt = document.source_prompts.iter().find(|prompt| prompt.mapped_step_ids.contains(&step.id));
            let label = match prompt {
                Some(prompt) => {
                    let question = spec.find(&prompt.id).expect("a question").1;
                    choose(question, step, &document, left.entry(question.id.as_str()).or_default())
                }
                None => "__done__".into(),
            };
            let said = walk.inquiry().plain_reply(&form, &[(step.id.clone(), label)]).expect("a reply");
            let reply = CallReply { call: walk.call(), body: said };
            walk.take(&reply).expect("taken");
            prop_assert!(walk.inquiry().rejected.is_empty(), "{:?} {:?}", step, reply);
            replies.push(reply);
            prop_assert!(replies.len() < 200);
        }
        let taken: Vec<(String, JsString)> =
            walk.path().map(|taken| (taken.step.to_owned(), taken.answer.clone())).collect();
        prop_assert_eq!(fold(&spec, &document, &taken), asked(&spec, &wanted));
        // The same replies always lead to the same place.
        let mut again = Dialogue::run(&script, &executor.profile());
        for reply in &replies {
            prop_assert_eq!(&reply.call, &again.call());
            again.take(reply).expect("taken");
        }
        prop_assert_eq!(path(&again), path(&walk));
    }
}

fn run(dir: &std::path::Path, line: &[&str]) -> (i32, Value) {
    let environment = Environment { cwd: dir.to_path_buf(), ..Environment::default() };
    let called = call(&environment, line, b"");
    (called.exit, serde_json::from_slice(&called.out).expect("one object"))
}

#[test]
fn the_command_runs_a_document() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("d.json"), bytes("ending-mood.json")).expect("a document");
    let next = |more: &[&str]| {
        let line = ["next", "d.json", "--for", "codex", "--replies", "r.jsonl"];
        run(dir.path(), &[&line, more].concat())
    };
    let (exit, first) = next(&[]);
    assert_eq!((exit, &first["status"], &first["tool"]), (0, &json!("ask"), &json!("request_user_input")));
    assert_eq!(first["input"]["questions"][0]["id"], "mood");
    assert_eq!(first["progress"], json!({"resolved": 0, "total": 2}));
    let call = |asked: &Value| asked["call"].as_str().expect("a call").to_owned();
    let (_, second) = next(&["--call", &call(&first), "--answer", "mood=Consoled"]);
    assert_eq!((&second["asks"], &second["seq"]), (&json!(["last_line"]), &json!(1)));
    let (exit, stale) = next(&["--call", &call(&first), "--answer", "mood=Consoled"]);
    assert_eq!((exit, &stale["code"]), (2, &json!("stale_reply")));
    let (exit, done) = next(&["--call", &call(&second), "--answer", "last_line=Keep it"]);
    let wanted = json!([{"step": "mood", "answer": "Consoled"}, {"step": "last_line", "answer": "Keep it"}]);
    assert_eq!((exit, &done["status"], &done["path"]), (0, &json!("done"), &wanted));
    assert_eq!(next(&[]).1["path"], wanted);
    assert_eq!(next(&["--write"]).0, 2, "there is no place for a record");
    let names: Vec<_> =
        std::fs::read_dir(dir.path()).expect("files").map(|entry| entry.expect("one").file_name()).collect();
    assert_eq!(names.len(), 2, "nothing else is written: {names:?}");
    std::fs::remove_file(dir.path().join("r.jsonl")).expect("removed");
    let (exit, over) = next(&["--call", &call(&next(&[]).1), "--escape"]);
    assert_eq!((exit, &over["status"], &over["step"]), (3, &json!("terminated"), &json!("mood")));
    let broken =
        String::from_utf8(bytes("ending-mood.json")).expect("UTF-8").replace("\"confirm\"", "\"maybe\"");
    std::fs::write(dir.path().join("d.json"), broken).expect("a document");
    let (exit, told) = next(&[]);
    assert_eq!((exit, &told["code"]), (5, &json!("invalid_document")));
    assert_eq!(told["problems"][0]["pointer"], "/steps/1/intent");
}
