//! The commands as a program calls them: arguments in; exit code, JSON, words and files out.

mod interviewed;
mod printed;
mod redone;
mod usage;

use crate::in_process::call;
use novel_gate::Environment;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

const RECORD: &str = "staging/novel-ask/a.answers.json";

struct Book {
    top: tempfile::TempDir,
}

struct Outcome {
    exit: i32,
    out: String,
    err: String,
}

impl Outcome {
    fn json(&self) -> Value {
        assert_eq!(self.out.lines().count(), 1, "one line: {}", self.out);
        let json: Value = serde_json::from_str(&self.out).expect("JSON");
        assert_eq!(json["exit"], self.exit, "{json}");
        for key in ["status", "code", "message"] {
            assert!(json[key].as_str().is_some_and(|text| !text.is_empty()), "{key}: {json}");
        }
        json
    }
}

impl Book {
    fn new() -> Book {
        let book = Book { top: tempfile::tempdir().expect("a directory") };
        book.put("staging/manifests/chapter-048-draft.packet.json", packet(RECORD).to_string());
        book
    }

    fn root(&self) -> PathBuf {
        self.top.path().join("book")
    }

    fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(path, text).expect("a file");
    }

    fn record(&self) -> Option<Value> {
        Some(serde_json::from_slice(&fs::read(self.root().join(RECORD)).ok()?).expect("JSON"))
    }

    fn run(&self, line: &[&str]) -> Outcome {
        self.run_at(&self.root(), line, None)
    }

    /// With words typed on a terminal.
    fn type_in(&self, words: &str, line: &[&str]) -> Outcome {
        self.run_at(&self.root(), line, Some(words))
    }

    fn run_at(&self, cwd: &Path, line: &[&str], typed: Option<&str>) -> Outcome {
        let state = self.top.path().join("state");
        let words = ["--state-dir".into(), OsString::from(state)].into_iter();
        let environment = Environment {
            cwd: cwd.to_path_buf(),
            input_is_terminal: typed.is_some(),
            output_is_terminal: typed.is_some(),
            ..Environment::default()
        };
        let words = words.chain(line.iter().map(OsString::from));
        let (exit, out, err) = call(&environment, words, typed.unwrap_or_default().as_bytes()).texts();
        Outcome { exit, out, err }
    }
}

fn packet(answer_path: &str) -> Value {
    json!({
        "step": "chapter:048:draft",
        "agent": {"kind": "subagent", "name": "chapter-writer"},
        "expected_outputs": [{"path": "staging/chapters/048.md", "required": true}, {"path": answer_path}],
        "next_actions": [{"kind": "command", "command": "novel advance"}],
        "answer_path": answer_path,
        "novel_ask": {"version": 1, "topic": "平台", "questions": [
            {"id": "platform", "header": "平台", "question": "发布到哪里？", "kind": "single_choice", "required": true,
             "options": [{"label": "qidian", "description": "起点"}, {"label": "tomato", "description": "番茄"}],
             "default": "tomato"},
            {"id": "drive", "header": "Drive", "question": "What drives it?", "kind": "multi_choice",
             "required": false, "allow_other": true,
             "options": [{"label": "plot", "description": "p"}, {"label": "character", "description": "c"}]},
            {"id": "note", "header": "Note", "question": "Anything else?", "kind": "free_text", "required": false}]}
    })
}

const NAME: &str = "chapter:048:draft";

#[test]
fn check_says_each_verdict_in_json() {
    let book = Book::new();
    let waiting = book.run(&["check", NAME, "--json"]).json();
    assert_eq!(waiting["exit"], 3);
    assert_eq!(waiting["status"], "waiting");
    assert_eq!(waiting["packet"], "staging/manifests/chapter-048-draft.packet.json");
    assert_eq!((&waiting["answer_path"], &waiting["writable"]), (&json!(RECORD), &json!(true)));
    assert_eq!((&waiting["refusal"], &waiting["problems"]), (&json!(null), &json!([])));

    book.put(RECORD, r#"{"version": 1}"#);
    let blocked = book.run(&["--json", "check", NAME]).json();
    assert_eq!((&blocked["exit"], &blocked["status"]), (&json!(4), &json!("blocked")));
    let problem = &blocked["problems"][0];
    assert_eq!(problem["pointer"], "/topic");
    assert!(problem["found"].is_string() && problem["expected"].is_string() && problem.get("hint").is_some());

    book.put("bad.json", r#"{"answer_path": "/x", "novel_ask": {}}"#);
    let malformed = book.run(&["check", "bad.json", "--json"]).json();
    assert_eq!((&malformed["exit"], &malformed["status"]), (&json!(5), &json!("malformed")));
    assert_eq!((&malformed["answer_path"], &malformed["writable"]), (&json!(null), &json!(false)));

    book.put("free.json", r#"{"step": "s"}"#);
    let open = book.run(&["check", "free.json", "--json"]).json();
    assert_eq!(
        (&open["exit"], &open["status"], &open["code"]),
        (&json!(0), &json!("open"), &json!("no-gate"))
    );

    book.put("dir.json", packet("staging").to_string());
    let refused = book.run(&["check", "dir.json", "--json"]).json();
    assert_eq!((&refused["writable"], &refused["refusal"]), (&json!(false), &json!("directory")));
}

#[test]
fn who_names_a_record_is_told_of_its_packet() {
    let book = Book::new();
    book.put(RECORD, r#"{"version": 1}"#);
    let told = "is the record of a gate, not its packet. Name the packet: staging/manifests/";
    for (line, exit) in [
        (["check", RECORD], 0),
        (["check", "staging/novel-ask/../novel-ask/a.answers.json"], 0),
        (["show", RECORD], 0),
        (["wait", RECORD], 2),
    ] {
        let outcome = book.run(&line);
        assert!(outcome.exit == exit && outcome.err.contains(told), "{line:?}: {}", outcome.err);
    }
    book.put("free.json", r#"{"step": "s"}"#);
    assert_eq!(book.run(&["check", "free.json"]).err, "");
    assert_eq!(book.run(&["check", NAME]).err, "");
}

#[test]
fn packets_go_by_path_stem_and_step() {
    let book = Book::new();
    book.put("staging/odd name.json", r#"{"step": "volume:01:outline", "answer_path": "a.json"}"#);
    // Neither its name nor a member says that it is a packet: it must not pass for one that asks nothing.
    book.put("staging/answers.json", r#"{"step": "volume:01:review", "answers": {}}"#);
    let sub = book.root().join("staging");
    for (cwd, name, exit) in [
        (book.root(), "staging/manifests/chapter-048-draft.packet.json", 3),
        (sub.clone(), "manifests/chapter-048-draft.packet.json", 3),
        (sub.clone(), "staging/manifests/chapter-048-draft.packet.json", 3),
        (sub.clone(), "chapter-048-draft", 3),
        (sub.clone(), "chapter:048:draft", 3),
        (book.root(), "volume:01:outline", 5),
        (book.root(), "odd name", 5),
        (book.root(), "volume:01:review", 1),
        (book.root(), "answers", 1),
        (book.root(), "nothing", 1),
    ] {
        assert_eq!(book.run_at(&cwd, &["check", name], None).exit, exit, "{name} in {cwd:?}");
    }
    book.put("staging/other/chapter-048-draft.packet.json", "{}");
    let ambiguous = book.run(&["check", NAME, "--json"]).json();
    assert_eq!((&ambiguous["exit"], &ambiguous["code"]), (&json!(2), &json!("ambiguous-packet")));
}

#[test]
fn failures_are_one_json_object_too() {
    let book = Book::new();
    let elsewhere = book.top.path();
    let none = book.run_at(elsewhere, &["check", "x", "--json"], None).json();
    assert_eq!((&none["exit"], &none["code"]), (&json!(2), &json!("no-project")));
    let gone = book.run(&["check", "gone.json", "--json"]).json();
    assert_eq!((&gone["exit"], &gone["code"]), (&json!(1), &json!("no-packet")));
    let usage = book.run(&["check", "--json"]).json();
    assert_eq!((&usage["exit"], &usage["code"]), (&json!(2), &json!("usage")));
    let project = book.run(&["--project", "gone", "check", "x", "--json"]).json();
    assert_eq!((&project["exit"], &project["code"]), (&json!(2), &json!("no-project")));
}

#[test]
fn messages_come_in_both_languages() {
    let book = Book::new();
    let chinese = book.run(&["check", NAME, "--lang", "zh-CN"]);
    assert!(chinese.out.contains("等待回答"), "{}", chinese.out);
    assert!(book.run(&["check", NAME, "--lang", "en"]).out.contains("Waiting"));
    let help = book.run(&["--help", "--lang", "zh-CN"]);
    assert!(help.exit == 0 && help.out.contains("给出一个门控的结论"), "{}", help.out);
    assert!(book.run(&["check", "gone", "--lang", "zh-CN"]).err.contains("没有指令包"));
}

#[test]
fn answers_are_taken_exactly_as_given() {
    let book = Book::new();
    book.put(
        "given.json",
        json!({"topic": "ignored", "answers": {"platform": "qidian", "note": "from"}}).to_string(),
    );
    let set = ["--set", "note=\u{3000} exactly = this ", "--set", "drive=own", "--set", "drive=plot"];
    let line = [&["answer", NAME, "--from", "given.json", "--by", "codex", "--json"], &set[..]].concat();
    let written = book.run(&line).json();
    assert_eq!((&written["exit"], &written["status"]), (&json!(0), &json!("written")));
    let record = book.record().expect("a record");
    let want = json!({"platform": "qidian", "drive": ["own", "plot"], "note": "\u{3000} exactly = this "});
    assert_eq!(record["answers"], want);
    assert_eq!((&record["answered_by"], &record["topic"]), (&json!("codex"), &json!("平台")));
    assert_eq!(written["record"], record);
    let keys: Vec<&String> = record.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["version", "topic", "answers", "answered_at", "answered_by"]);
    let ids: Vec<&String> = record["answers"].as_object().expect("an object").keys().collect();
    assert_eq!(ids, ["platform", "drive", "note"]);
    assert_eq!(book.run(&["check", NAME]).exit, 0);
}

#[test]
fn defaults_are_answers_only_on_demand() {
    let book = Book::new();
    let none = book.run(&["answer", NAME, "--by", "x", "--set", "note=n", "--json"]).json();
    assert_eq!((&none["exit"], &none["problems"][0]["pointer"]), (&json!(4), &json!("/answers/platform")));
    assert!(book.record().is_none());
    assert_eq!(book.run(&["answer", NAME, "--by", "x", "--defaults"]).exit, 0);
    assert_eq!(book.record().expect("a record")["answers"], json!({"platform": "tomato"}));
}

#[test]
fn every_problem_of_bad_answers_is_named_and_nothing_is_written() {
    let book = Book::new();
    let set = ["--set", "platform=nowhere", "--set", "drive= ", "--set", "nothing=1"];
    let bad = book.run(&[&["answer", NAME, "--by", "x", "--json"], &set[..]].concat()).json();
    let pointers: Vec<&str> =
        bad["problems"].as_array().expect("a list").iter().filter_map(|p| p["pointer"].as_str()).collect();
    assert_eq!(pointers, ["/answers/platform", "/answers/drive/0", "/answers/nothing"]);
    assert_eq!(bad["exit"], 4);
    for (name, text) in
        [("a", ""), ("b", "{}"), ("c", "[]"), ("d", r#"{"answers": []}"#), ("e", "{\"answers\":{}")]
    {
        book.put(name, text);
        let outcome = book.run(&["answer", NAME, "--by", "x", "--from", name, "--json"]);
        assert_eq!(outcome.json()["exit"], 4, "{text}");
    }
    assert_eq!(book.run(&["answer", NAME, "--by", "x", "--from", "gone"]).exit, 1);
    assert!(book.record().is_none());
}

#[test]
fn nobody_signs_for_the_author() {
    let book = Book::new();
    assert_eq!(book.run(&["answer", NAME, "--defaults"]).exit, 2);
    assert_eq!(book.run(&["answer", NAME, "--defaults", "--by", " "]).exit, 2);
    assert_eq!(book.run(&["answer", NAME, "--by", "x"]).exit, 2);
    assert!(book.record().is_none());
    assert_eq!(book.type_in("", &["answer", NAME, "--defaults"]).exit, 0);
    assert_eq!(book.record().expect("a record")["answered_by"], "human");
}

#[test]
fn a_dry_run_prints_the_record_and_writes_nothing() {
    let book = Book::new();
    let line = ["answer", NAME, "--defaults", "--answered-by", "x", "--dry-run"];
    let shown = book.run(&line);
    let record: Value = serde_json::from_str(&shown.out).expect("JSON");
    assert_eq!(record["answers"], json!({"platform": "tomato"}));
    let shown = book.run(&[&line[..], &["--json"]].concat()).json();
    assert_eq!((&shown["exit"], &shown["record"]["answered_by"]), (&json!(0), &json!("x")));
    assert!(!book.root().join("staging/novel-ask").exists());
}

#[test]
fn a_packet_without_a_gate_and_a_place_that_cannot_be_written() {
    let book = Book::new();
    book.put("free.json", "{}");
    book.put("dir.json", packet("staging").to_string());
    book.put("git.json", packet(".git/a.json").to_string());
    let answer = |name| book.run(&["answer", name, "--defaults", "--by", "x", "--json"]).json();
    assert_eq!((&answer("free.json")["exit"], &answer("free.json")["code"]), (&json!(2), &json!("no-gate")));
    assert_eq!(
        (&answer("dir.json")["exit"], &answer("dir.json")["refusal"]),
        (&json!(5), &json!("directory"))
    );
    assert_eq!((&answer("git.json")["exit"], &answer("git.json")["refusal"]), (&json!(5), &json!("git")));
    assert!(!book.root().join(".git").exists());
}

#[test]
fn show_tells_everything_about_a_gate() {
    let book = Book::new();
    let shown = book.run(&["show", NAME, "--json"]).json();
    assert_eq!((&shown["exit"], &shown["status"]), (&json!(0), &json!("waiting")));
    assert_eq!((&shown["step"], &shown["agent"]), (&json!(NAME), &json!("chapter-writer")));
    assert_eq!(shown["questions"][0]["options"][1]["label"], "tomato");
    assert_eq!(shown["questions"][0]["default"], json!(["tomato"]));
    let outputs =
        json!([{"path": "staging/chapters/048.md", "required": true, "exists": false, "modified": null}]);
    assert_eq!(shown["expected_outputs"], outputs, "the record itself is no output");
    book.put("staging/chapters/048.md", "x");
    book.run(&["answer", NAME, "--defaults", "--by", "x"]);
    let shown = book.run(&["show", NAME, "--json"]).json();
    assert_eq!(shown["expected_outputs"][0]["exists"], true);
    assert_eq!(shown["record"]["answers"]["platform"], "tomato");
    let words = book.run(&["show", NAME]);
    for part in ["平台", "What drives it?", "= tomato", "novel advance", "staging/chapters/048.md: there"] {
        assert!(words.out.contains(part), "{part} in {}", words.out);
    }
}

#[test]
fn questions_are_asked_line_by_line_on_a_terminal() {
    let book = Book::new();
    let typed = "9\n１\n2 1\nown words\n\n<<\n\u{3000}first\n\nlast\n.\nno\nyes\n";
    let outcome = book.type_in(typed, &["answer", NAME]);
    assert_eq!(outcome.exit, 0, "{}", outcome.err);
    let want = json!({"platform": "qidian", "drive": ["plot", "character", "own words"], "note": "\u{3000}first\n\nlast"});
    assert_eq!(book.record().expect("a record")["answers"], want);
}

#[test]
fn an_interview_that_ends_keeps_its_answers_and_writes_nothing() {
    let book = Book::new();
    let outcome = book.type_in("1\n", &["answer", NAME, "--json"]);
    assert_eq!(outcome.json()["code"], "not-answered");
    assert!(book.record().is_none());
    // Later: the first question shows what was chosen; Enter keeps it.
    let outcome = book.type_in("\n-\n\n\n\nyes\n", &["answer", NAME]);
    assert_eq!(outcome.exit, 0, "{}", outcome.err);
    assert!(outcome.err.contains("restored"), "{}", outcome.err);
    assert_eq!(book.record().expect("a record")["answers"], json!({"platform": "qidian"}));
}

#[test]
fn words_that_others_replace_in_an_interview_are_kept_and_shown() {
    let book = Book::new();
    let outcome =
        book.type_in("1\n\nfirst words\n3\nsecond words\n3\n-\nlast words\nyes\n", &["answer", NAME]);
    assert_eq!(outcome.exit, 0, "{}", outcome.err);
    assert_eq!(book.record().expect("a record")["answers"]["note"], "last words");
    assert_eq!(book.run(&["redo", NAME]).exit, 0);
    let outcome = book.type_in("1\n\n?\n", &["answer", NAME]);
    for words in ["Kept, not chosen: first words", "Kept, not chosen: second words"] {
        assert!(outcome.err.contains(words), "{words}: {}", outcome.err);
    }
}

#[test]
fn lines_of_a_text_that_is_cut_off_are_kept() {
    let book = Book::new();
    let outcome = book.type_in("1\n\n<<\nline one\nline two\n", &["answer", NAME]);
    assert_eq!(outcome.exit, 3, "{}", outcome.err);
    let outcome = book.type_in("\n\n\n", &["answer", NAME]);
    assert!(outcome.err.contains("Now: line one⏎line two"), "{}", outcome.err);
    let outcome = book.type_in("\n<<\n\n\nwell\nyes\n", &["answer", NAME]);
    assert!(outcome.err.contains("are one line here") && outcome.err.contains("neither"), "{}", outcome.err);
    assert_eq!(book.record().expect("a record")["answers"]["note"], "line one\nline two");
}

#[test]
fn cursor_keys_of_a_terminal_that_edits_no_lines_are_no_answer() {
    let book = Book::new();
    let outcome =
        book.type_in("\u{1b}[1~1\u{1b}[D\n\u{1b}OA\n\n\u{1b}[3~雨夜\u{1b}[1;5C\nyes\n", &["answer", NAME]);
    assert_eq!(outcome.exit, 0, "{}", outcome.err);
    assert_eq!(book.record().expect("a record")["answers"], json!({"platform": "qidian", "note": "雨夜"}));
}

#[test]
fn chinese_lines_have_chinese_colons() {
    let book = Book::new();
    let outcome = book.type_in("1\n\n\nyes\n", &["answer", NAME, "--lang", "zh-CN"]);
    assert!(outcome.err.contains("：qidian"), "{}", outcome.err);
    let shown = book.run(&["show", NAME, "--lang", "zh-CN"]).out;
    assert!(!shown.contains("qidian: ") && shown.contains("qidian："), "{shown}");
}

#[test]
fn what_was_just_answered_in_an_interview_is_not_called_unsubmitted() {
    let book = Book::new();
    let typed = "1\n2\n\nfirst\n2\n-\n1\n\nlast\n3\n-\nlast\nyes\n";
    let outcome = book.type_in(typed, &["answer", NAME]);
    assert_eq!(outcome.exit, 0, "{}", outcome.err);
    let listed = book.run(&["list"]).out;
    assert!(listed.contains("answered") && !listed.contains("not submitted"), "{listed}");
}

#[test]
fn commands_say_that_the_checkpoint_cannot_be_read() {
    let book = Book::new();
    std::fs::write(book.root().join(".checkpoint.json"), "{\"version").expect("a checkpoint");
    for command in [&["plan", NAME][..], &["attach", NAME], &["decisions", NAME]] {
        let outcome = book.run(command);
        assert!(outcome.err.contains(".checkpoint.json cannot be read"), "{command:?}: {}", outcome.err);
    }
}
