//! Every file of `sample-packets/` is what its name and the README say.
//!
//! The verdicts are those of novel-writer-cli 0.5.0, with one documented exception: a packet that is no object is
//! malformed here, where the package would see a packet without a gate.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use novel_gate::ask::{Packet, Problem, QuestionSpec, check_record, decode_packet};
use novel_gate::text::Lang;

/// What the inbox says of a packet.
#[derive(Debug, PartialEq)]
enum State {
    NoGate,
    Waiting,
    Answered,
    /// With the pointers of all problems.
    Blocked(Vec<String>),
    Malformed(Vec<String>),
}

/// The packets of the project with their states.
fn expected_states() -> Vec<(&'static str, State)> {
    let pointers = |list: &[&str]| list.iter().map(|&pointer| pointer.to_owned()).collect();
    vec![
        ("chapter-012-draft", State::Answered),
        ("chapter-012-judge", State::Waiting),
        ("chapter-012-refine", State::Waiting),
        ("chapter-012-title-fix", State::Waiting),
        ("chapter-013-draft", State::Waiting),
        ("chapter-014-draft", State::Waiting),
        ("chapter-015-draft", State::Waiting),
        ("quickstart-world", State::Answered),
        ("review-collect", State::NoGate),
        (
            "volume-commit",
            State::Malformed(pointers(&["/novel_ask/questions/0/default", "/novel_ask/questions/0/hint"])),
        ),
        ("volume-outline", State::Waiting),
        (
            "volume-validate",
            State::Blocked(pointers(&[
                "/answers/arcs_keep/2",
                "/answers/mood",
                "/answers/outline_verdict",
                "/answers/pace",
            ])),
        ),
    ]
}

/// The packets with one mistake each, and where it is.
const BROKEN: &[(&str, &str)] = &[
    ("allow-other-null", "/novel_ask/questions/0/allow_other"),
    ("answer-path-absolute", "/answer_path"),
    ("answer-path-empty", "/answer_path"),
    ("answer-path-leaves-project", "/answer_path"),
    ("answer-path-missing", ""),
    ("answer-path-not-text", "/answer_path"),
    ("byte-order-mark", ""),
    ("cut-off", ""),
    ("default-not-an-option", "/novel_ask/questions/0/default"),
    ("free-text-with-options", "/novel_ask/questions/2/options"),
    ("header-missing", "/novel_ask/questions/0/header"),
    ("kind-unknown", "/novel_ask/questions/2/kind"),
    ("multi-default-empty", "/novel_ask/questions/1/default"),
    ("multi-default-not-a-list", "/novel_ask/questions/1/default"),
    ("multi-default-twice", "/novel_ask/questions/1/default/1"),
    ("not-an-object", ""),
    ("not-json", ""),
    ("novel-ask-missing", ""),
    ("novel-ask-null", "/novel_ask"),
    ("option-label-twice", "/novel_ask/questions/0/options/1/label"),
    ("option-without-description", "/novel_ask/questions/0/options/1/description"),
    ("options-empty", "/novel_ask/questions/0/options"),
    ("question-id-not-snake-case", "/novel_ask/questions/0/id"),
    ("question-id-twice", "/novel_ask/questions/1/id"),
    ("question-unknown-field", "/novel_ask/questions/0/hint"),
    ("questions-empty", "/novel_ask/questions"),
    ("required-missing", "/novel_ask/questions/2/required"),
    ("spec-unknown-field", "/novel_ask/title"),
    ("topic-blank", "/novel_ask/topic"),
    ("version-text", "/novel_ask/version"),
    ("version-zero", "/novel_ask/version"),
];

/// The records with one mistake each, and where it is.
const BROKEN_RECORDS: &[(&str, &str)] = &[
    ("answer-a-number", "/answers/note"),
    ("answer-id-not-snake-case", "/answers/_note"),
    ("answer-id-unknown", "/answers/mood"),
    ("answered-at-without-zone", "/answered_at"),
    ("answered-by-blank", "/answered_by"),
    ("answers-missing", "/answers"),
    ("byte-order-mark", ""),
    ("choice-not-an-option", "/answers/ending"),
    ("choice-with-a-space", "/answers/ending"),
    ("cut-off", ""),
    ("empty-file", ""),
    ("multi-choice-as-text", "/answers/threads"),
    ("multi-choice-empty", "/answers/threads"),
    ("multi-choice-not-an-option", "/answers/threads/1"),
    ("multi-choice-twice", "/answers/threads/1"),
    ("not-an-object", ""),
    ("not-json", ""),
    ("required-answer-missing", "/answers/ending"),
    ("single-choice-as-list", "/answers/ending"),
    ("text-blank", "/answers/note"),
    ("topic-differs", "/topic"),
    ("unknown-field", "/comment"),
    ("version-differs", "/version"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-packets")
}

fn bytes(path: &str) -> Vec<u8> {
    std::fs::read(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of the files in `folder` that end in `ending`, without it.
fn stems(folder: &str, ending: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder of samples");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    names.filter_map(|name| name.strip_suffix(ending).map(str::to_owned)).collect()
}

fn names(table: &[(&str, &str)]) -> BTreeSet<String> {
    table.iter().map(|(name, _)| (*name).to_owned()).collect()
}

/// The pointers in alphabetical order.
fn pointers(problems: &[Problem]) -> Vec<String> {
    let mut pointers: Vec<String> = problems.iter().map(|problem| problem.pointer.clone()).collect();
    pointers.sort();
    pointers
}

fn packet(stem: &str) -> Packet {
    decode_packet(&bytes(&format!("staging/manifests/{stem}.packet.json"))).expect("a good packet")
}

fn questions(stem: &str) -> Arc<QuestionSpec> {
    packet(stem).gate.expect("a gate").spec
}

fn state(stem: &str) -> State {
    let packet = match decode_packet(&bytes(&format!("staging/manifests/{stem}.packet.json"))) {
        Ok(packet) => packet,
        Err(problems) => return State::Malformed(pointers(&problems)),
    };
    let Some(gate) = packet.gate else { return State::NoGate };
    match std::fs::read(root().join(gate.answer_path.display().as_ref())) {
        Err(_) => State::Waiting,
        Ok(record) => match check_record(&gate.spec, &record) {
            Ok(_) => State::Answered,
            Err(problems) => State::Blocked(pointers(&problems)),
        },
    }
}

#[test]
fn every_packet_of_the_project_has_the_state_the_readme_gives() {
    let expected = expected_states();
    let listed: BTreeSet<String> = expected.iter().map(|(stem, _)| (*stem).to_owned()).collect();
    assert_eq!(stems("staging/manifests", ".packet.json"), listed);
    let readmes = ["README.md", "README.zh-CN.md"].map(|name| String::from_utf8(bytes(name)).expect("UTF-8"));
    for (stem, state_of_it) in expected {
        let (english, chinese) = match &state_of_it {
            State::NoGate => ("–", "–"),
            State::Waiting => ("waiting", "等待"),
            State::Answered => ("answered", "已回答"),
            State::Blocked(_) => ("blocked", "受阻"),
            State::Malformed(_) => ("malformed", "指令包有误"),
        };
        for (readme, word) in readmes.iter().zip([english, chinese]) {
            assert!(readme.contains(&format!("| `{stem}` | {word} |")), "README: {stem} {word}");
        }
        assert_eq!(state(stem), state_of_it, "{stem}");
    }
}

#[test]
fn every_broken_packet_has_its_one_problem() {
    assert_eq!(stems("broken", ".packet.json"), names(BROKEN));
    for (stem, pointer) in BROKEN {
        let problems = decode_packet(&bytes(&format!("broken/{stem}.packet.json"))).expect_err(stem);
        assert_eq!(pointers(&problems), [*pointer], "{stem}: {problems:?}");
        assert_ne!(problems[0].sentence(Lang::En), problems[0].sentence(Lang::ZhCn), "{stem}");
    }
}

#[test]
fn every_broken_record_has_its_one_problem() {
    let mut listed = names(BROKEN_RECORDS);
    listed.insert("valid".to_owned());
    assert_eq!(stems("broken/records", ".answers.json"), listed);
    let packet = decode_packet(&bytes("broken/records/gate.packet.json")).expect("a good packet");
    let spec = packet.gate.expect("a gate").spec;
    check_record(&spec, &bytes("broken/records/valid.answers.json")).expect("the good record");
    for (stem, pointer) in BROKEN_RECORDS {
        let record = bytes(&format!("broken/records/{stem}.answers.json"));
        let problems = check_record(&spec, &record).expect_err(stem);
        assert_eq!(pointers(&problems), [*pointer], "{stem}: {problems:?}");
        assert_ne!(problems[0].sentence(Lang::En), problems[0].sentence(Lang::ZhCn), "{stem}");
    }
}

#[test]
fn the_gates_show_every_kind_of_question() {
    let shape = |stem| -> Vec<(&'static str, bool, usize, bool, usize)> {
        let questions = questions(stem).questions.clone();
        let parts = questions
            .iter()
            .map(|q| (q.kind.name(), q.required, q.options.len(), q.allow_other, q.default.len()));
        parts.collect()
    };
    assert_eq!(shape("chapter-013-draft"), [("single_choice", true, 4, false, 1)]);
    assert_eq!(shape("chapter-012-refine"), [("multi_choice", true, 5, false, 2)]);
    assert_eq!(shape("chapter-012-title-fix"), [("multi_choice", false, 4, true, 0)]);
    assert_eq!(
        shape("chapter-015-draft"),
        [("free_text", true, 0, false, 0), ("free_text", false, 0, false, 0)]
    );
    assert_eq!(shape("volume-outline"), [("single_choice", true, 28, true, 0)]);
    let kinds: Vec<&str> = shape("chapter-014-draft").iter().map(|question| question.0).collect();
    assert_eq!(kinds, ["single_choice", "multi_choice", "single_choice", "multi_choice", "free_text"]);
    let platform = questions("chapter-013-draft");
    assert_eq!(platform.questions[0].options[platform.questions[0].default[0]].label, "qidian");
}

#[test]
fn the_answered_chapter_has_been_written() {
    let packet = packet("chapter-012-draft");
    let paths: Vec<String> =
        packet.expected_outputs.iter().map(|output| output.path.display().into_owned()).collect();
    assert!(paths.iter().any(|path| path.ends_with("chapter-012.md")), "{paths:?}");
    for path in paths {
        assert!(root().join(&path).is_file(), "{path}");
    }
}

#[test]
fn good_files_have_the_form_the_executor_writes() {
    let mut files = vec![".checkpoint.json".to_owned()];
    for (folder, ending) in [("staging/manifests", ".packet.json"), ("staging/novel-ask", ".answers.json")] {
        files.extend(stems(folder, ending).into_iter().map(|stem| format!("{folder}/{stem}{ending}")));
    }
    assert!(files.len() > 14, "{files:?}");
    for file in files {
        let text = String::from_utf8(bytes(&file)).expect("UTF-8");
        let value: serde_json::Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        let plain = serde_json::to_string_pretty(&value).expect("JSON") + "\n";
        assert!(text == plain, "{file} is not two-space JSON");
        // An author who follows a path of the packet finds the file.
        let paths = value.pointer("/manifest/paths").and_then(serde_json::Value::as_object);
        for path in paths.into_iter().flat_map(serde_json::Map::values) {
            let path = path.as_str().expect("a path");
            assert!(root().join(path).is_file(), "{file} names {path}");
        }
    }
}
