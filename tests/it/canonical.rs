//! Canonical Prompt documents: the samples, the schema, the rules, and what questions compile to.
//!
//! `UPDATE_SAMPLES=1 cargo test canonical` compiles the compiled samples anew.

pub(crate) mod compiled;
pub(crate) mod schema;
mod walked;

use novel_gate::adapter::canonical::{self, Document, Intent, Options, Source, Step};
use novel_gate::adapter::profile::OnEscape;
use novel_gate::ask::{decode_packet, decode_spec};
use novel_gate::text::Lang;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use strum::VariantArray as _;

/// The compiled samples: the document, what it is compiled from, and what an escape does.
const COMPILED: &[(&str, &str, OnEscape)] = &[
    ("chapter-013-draft", "../staging/manifests/chapter-013-draft.packet.json", OnEscape::Terminate),
    ("chapter-014-draft", "../staging/manifests/chapter-014-draft.packet.json", OnEscape::Defer),
    ("volume-outline", "../staging/manifests/volume-outline.packet.json", OnEscape::Terminate),
    ("genre", "sources/genre.question-spec.json", OnEscape::ReturnPrevious),
    ("opening", "sources/opening.ask-user-question.json", OnEscape::Terminate),
    ("chapter-review", "sources/chapter-review.protocol.json", OnEscape::ReturnPrevious),
];
/// The samples written by hand.
const MAPPED: &[&str] = &["ending-mood", "title-shortlist", "world-rules"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-packets/canonical")
}

fn bytes(path: &str) -> Vec<u8> {
    std::fs::read(folder().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn options(on_escape: OnEscape) -> Options {
    Options { protocol: None, source: None, on_escape, lang: Lang::En }
}

fn source(path: &str) -> Source {
    let bytes = bytes(path);
    if path.ends_with(".packet.json") {
        Source::from(&*decode_packet(&bytes).expect(path).gate.expect("a gate").spec)
    } else if path.ends_with(".question-spec.json") {
        Source::from(&decode_spec(&bytes).expect(path))
    } else if path.ends_with(".protocol.json") {
        canonical::read_protocol(&bytes).expect(path)
    } else {
        canonical::read_call(&bytes).expect(path)
    }
}

fn document(name: &str) -> Document {
    canonical::read(&bytes(&format!("{name}.json"))).unwrap_or_else(|problems| panic!("{name}: {problems:?}"))
}

/// Every sample document, parsed.
fn samples() -> Vec<(String, Value)> {
    let names = COMPILED.iter().map(|(name, ..)| *name).chain(MAPPED.iter().copied());
    names
        .map(|name| (name.to_owned(), serde_json::from_slice(&bytes(&format!("{name}.json"))).expect(name)))
        .collect()
}

pub(crate) fn step_of<'d>(document: &'d Document, id: &str) -> Option<&'d Step> {
    document.steps.iter().find(|step| step.id == id)
}

#[test]
fn compiled_samples_are_what_their_sources_compile_to() {
    for (name, path, on_escape) in COMPILED {
        let text = canonical::compile(&source(path), &options(*on_escape)).to_json();
        let file = folder().join(format!("{name}.json"));
        if std::env::var_os("UPDATE_SAMPLES").is_some() {
            std::fs::write(&file, &text).expect("the sample is written");
        }
        let found = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(found == text, "{name}.json is old; run UPDATE_SAMPLES=1 cargo test canonical");
    }
}

#[test]
fn every_sample_passes_and_is_listed() {
    let mut listed: BTreeSet<String> = MAPPED.iter().map(|name| (*name).to_owned()).collect();
    listed.extend(COMPILED.iter().map(|(name, ..)| (*name).to_owned()));
    let entries = std::fs::read_dir(folder()).expect("the samples");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    let found: BTreeSet<String> =
        names.filter_map(|name| name.strip_suffix(".json").map(str::to_owned)).collect();
    assert_eq!(found, listed);
    let readmes = ["README.md", "README.zh-CN.md"]
        .map(|name| std::fs::read_to_string(folder().parent().expect("a folder").join(name)).expect(name));
    for name in &listed {
        let read = document(name);
        assert_eq!(read.to_json().into_bytes(), bytes(&format!("{name}.json")), "{name} is written back");
        for readme in &readmes {
            let table = readme.split_once("`canonical/` ").map(|(_, table)| table).expect("a section");
            assert!(table.contains(&format!("| `{name}` |")), "README: {name}, in both languages");
        }
    }
}

#[test]
fn the_samples_show_what_there_is() {
    let documents: Vec<Document> = samples().iter().map(|(name, _)| document(name)).collect();
    let any = |test: &dyn Fn(&Document) -> bool| {
        (documents.iter().any(test), documents.iter().any(|document| !test(document)))
    };
    let steps =
        |test: fn(&canonical::Step) -> bool| move |document: &Document| document.steps.iter().any(test);
    let prompts =
        |document: &Document| document.source_prompts.iter().any(|prompt| prompt.overflow_strategy.is_some());
    for (what, found) in [
        ("overflow", any(&prompts)),
        ("task_sync", any(&|document: &Document| document.task_sync.is_some())),
        ("next", any(&steps(|step| !step.next.is_empty()))),
        ("select_many", any(&steps(|step| step.intent == Intent::SelectMany))),
        ("several at once", any(&steps(|step| step.max_choices.is_some_and(|choices| choices > 1)))),
        ("implication", any(&steps(|step| step.options.iter().any(|option| option.implication.is_some())))),
        ("defer", any(&steps(|step| step.on_escape == OnEscape::Defer))),
        ("return_previous", any(&steps(|step| step.on_escape == OnEscape::ReturnPrevious))),
    ] {
        assert_eq!(found, (true, true), "{what}: with, without");
    }
    for &intent in Intent::VARIANTS {
        assert!(documents.iter().any(|document| document.steps.iter().any(|step| step.intent == intent)));
    }
    // Clusters are the first stage.
    let labels = |name: &str, step: &str| -> Vec<String> {
        let document = document(name);
        let step = step_of(&document, step).expect("a step");
        step.options.iter().map(|option| option.label.display().into_owned()).collect()
    };
    assert_eq!(labels("genre", "genre"), ["现实", "幻想", "未来"]);
    assert_eq!(labels("chapter-review", "focus"), ["写法", "连贯"]);
    assert_eq!(labels("volume-outline", "genre"), ["Options 1-9", "Options 10-18", "Options 19-28"]);
}

/// A document with one thing wrong, and where.
fn broken(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let mut document = serde_json::from_slice(&bytes("world-rules.json")).expect("JSON");
    change(&mut document);
    let text = document.to_string();
    assert_eq!(canonical::check_shape(text.as_bytes()), [], "the schema has nothing against it");
    let problems = canonical::read(text.as_bytes()).expect_err("a broken rule");
    for problem in &problems {
        let sentences = [Lang::En, Lang::ZhCn].map(|lang| problem.sentence(lang));
        assert_ne!(sentences[0], sentences[1]);
        assert!(
            !sentences[0].chars().any(|c| ('一'..='鿿').contains(&c) && !text.contains(c)),
            "{sentences:?}"
        );
    }
    problems.into_iter().map(|problem| problem.pointer).collect()
}

#[test]
fn every_rule_above_the_schema_is_kept() {
    assert_eq!(broken(|d| d["steps"][1]["id"] = json!("rule_family")).first().map(String::as_str), {
        Some("/source_prompts/0/mapped_step_ids/1")
    });
    assert_eq!(
        broken(|d| d["steps"].as_array_mut().expect("steps").insert(
            5,
            json!({
                "id": "price", "intent": "judge", "question": "?", "on_escape": "defer",
                "options": [{"label": "a", "description": "a"}, {"label": "b", "description": "b"}]
            })
        )),
        ["/steps/5/id"]
    );
    assert_eq!(
        broken(|d| d["source_prompts"][1]["mapped_step_ids"][0] = json!("prize")),
        ["/source_prompts/1/mapped_step_ids/0"]
    );
    assert_eq!(
        broken(|d| d["source_prompts"][0]["mapped_step_ids"] = json!(["rule_power"])),
        ["/source_prompts/0/mapped_step_ids"]
    );
    assert_eq!(
        broken(|d| d["source_prompts"][0]["mapped_step_ids"] = json!(["rule_power", "rule_power"])),
        ["/source_prompts/0/mapped_step_ids"]
    );
    assert_eq!(broken(|d| d["steps"][0]["next"][1]["next_step"] = json!("price")), ["/steps/2"]);
    assert_eq!(
        broken(|d| d["steps"][0]["next"][1]["next_step"] = json!("rule_socity")),
        ["/steps/0/next/1/next_step"]
    );
    assert_eq!(broken(|d| d["steps"][4]["next"][0]["answer"] = json!("再加")), ["/steps/4/next/0/answer"]);
    assert_eq!(
        broken(|d| {
            let again = d["steps"][4]["next"][0].clone();
            d["steps"][4]["next"].as_array_mut().expect("next").push(again);
        }),
        ["/steps/4/next/2/answer"]
    );
    assert_eq!(
        broken(|d| d["steps"][3]["options"][2]["label"] = json!("时间")),
        ["/steps/3/options/2/label"]
    );
}

#[test]
fn the_plans_rules_are_kept() {
    for (pointer, value) in [
        ("/task_sync/create/emit", json!(false)),
        ("/task_sync/create/default_status", json!("completed")),
        ("/task_sync/single_in_progress", json!(false)),
        ("/task_sync/transitions/0/emit_update_plan", json!(false)),
    ] {
        assert_eq!(broken(|d| *d.pointer_mut(pointer).expect("a member") = value), [pointer]);
    }
    let silent = json!({"from": "pending", "to": "completed", "emit_update_plan": false});
    let sent = json!({"from": "pending", "to": "completed", "emit_update_plan": true});
    assert_eq!(broken(|d| d["task_sync"]["transitions"][1] = silent), ["/task_sync/transitions"]);
    assert_eq!(
        broken(|d| d["task_sync"]["transitions"].as_array_mut().expect("a list").push(sent)),
        ["/task_sync/transitions/2/emit_update_plan"]
    );
}

#[test]
fn all_problems_are_told_at_once() {
    let mut document: Value = serde_json::from_slice(&bytes("world-rules.json")).expect("JSON");
    document["version"] = json!("1.0");
    document["extra"] = json!(1);
    document["steps"][0]["options"][0]["label"] = json!("");
    document["steps"][1]["max_choices"] = json!(2);
    document["steps"][3].as_object_mut().expect("a step").remove("max_choices");
    document["source_prompts"][0].as_object_mut().expect("a prompt").remove("overflow_strategy");
    document["source_prompts"][1]["mapped_step_ids"][0] = json!("gone");
    document["task_sync"]["create"] = json!(null);
    let problems = canonical::read(document.to_string().as_bytes()).expect_err("broken");
    let pointers: BTreeSet<String> = problems.iter().map(|problem| problem.pointer.clone()).collect();
    let wanted = [
        "/extra",
        "/source_prompts/0/overflow_strategy",
        "/source_prompts/1/mapped_step_ids/0",
        "/steps/0/options/0/label",
        "/steps/1/max_choices",
        "/steps/3/max_choices",
        "/task_sync/create",
        "/version",
    ];
    assert_eq!(pointers.into_iter().collect::<Vec<_>>(), wanted);
}

#[test]
fn repeated_keys_are_problems() {
    let text = String::from_utf8(bytes("world-rules.json")).expect("UTF-8");
    for (from, to, pointer) in [
        ("\"version\": ", "\"version\": \"1.0.0\",\n  \"version\": ", "/version"),
        ("\"label\": \"力量\"", "\"label\": \"x\", \"l\\u0061bel\": \"力量\"", "/steps/0/options/0/label"),
        ("\"emit\": true", "\"emit\": true, \"emit\": true", "/task_sync/create/emit"),
        (
            "\"to\": \"completed\"",
            "\"to\": \"completed\", \"to\": \"completed\"",
            "/task_sync/transitions/1/to",
        ),
        ("\"answer\": \"够了\"", "\"answer\": \"够了\", \"answer\": \"够了\"", "/steps/4/next/1/answer"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        let problems = canonical::read(changed.as_bytes()).expect_err(pointer);
        let pointers: Vec<&str> = problems.iter().map(|problem| problem.pointer.as_str()).collect();
        assert_eq!(pointers, [pointer]);
    }
}

#[test]
fn hostile_documents_are_refused_in_no_time() {
    let many = |text: &str, count: usize| vec![text; count].join(",");
    let step = r#"{"id":"a","intent":"judge","question":"q","options":[{"label":"x","description":"d"},{"label":"y","description":"d"}],"on_escape":"defer","next":[{"answer":"z","next_step":"nowhere"}]}"#;
    for text in [
        format!(r#"{{"protocol":"p","steps":[{}]}}"#, many(step, 20_000)),
        format!(r#"{{"steps":[{{"options":[{}]}}]}}"#, many("{}", 300_000)),
        format!(r#"{{"source_prompts":[{}]}}"#, many("[[[]]]", 300_000)),
        "[".repeat(1_000_000) + &"]".repeat(1_000_000),
        format!("{{{}}}", many(r#""steps":1"#, 100_000)),
    ] {
        let problems = canonical::read(text.as_bytes()).expect_err("broken");
        assert!(!problems.is_empty() && problems.len() <= 1_000);
    }
    // With so many ids the nearest is not looked for.
    let steps = |count: usize| {
        let all: Vec<String> = (0..count).map(|i| step.replace("\"a\"", &format!("\"step{i}\""))).collect();
        let text = format!(r#"{{"steps":[{}]}}"#, all.join(",").replace("nowhere", "step"));
        let problems = canonical::read(text.as_bytes()).expect_err("broken");
        let at = problems.iter().find(|problem| problem.pointer.ends_with("/next_step")).expect("a problem");
        at.hint.as_ref().map(|hint| hint.text(Lang::En))
    };
    assert!(steps(10).is_some_and(|hint| hint.starts_with("Nearest")));
    assert_eq!(steps(20_000), None);
}
