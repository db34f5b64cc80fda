//! `lint` and `schema` as a program calls them: files in; places, sentences and exit codes out.

mod neighbours;
mod standing;

use crate::docs::{blocks, read};
use crate::in_process::call;
use novel_gate::Environment;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

struct Ran {
    exit: i32,
    out: String,
    err: String,
}

/// Runs a command in a directory with these files, with words on standard input.
fn run(files: &[(&str, &[u8])], input: &str, line: &[&str]) -> Ran {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, bytes) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, bytes).expect("a file");
    }
    run_at(dir.path(), input, line)
}

fn run_at(cwd: &Path, input: &str, line: &[&str]) -> Ran {
    let environment = Environment { cwd: cwd.to_path_buf(), ..Environment::default() };
    let (exit, out, err) = call(&environment, line, input.as_bytes()).texts();
    Ran { exit, out, err }
}

fn json(ran: &Ran) -> Value {
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    let json: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(json["exit"], ran.exit, "{json}");
    json
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-packets")
}

const SPEC: &str = r#"{"version": 1, "topic": "t", "questions": [
  {"id": "a", "header": "h", "question": "雨声\t停了吗？", "kind": "free_text", "required": "yes"}
]}"#;

#[test]
fn each_problem_stands_with_its_line_and_a_caret() {
    let ran = run(&[("spec.json", SPEC.as_bytes())], "", &["lint", "spec.json"]);
    assert_eq!(ran.exit, 5);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        lines[0],
        "spec.json:2:87: question 1 \"h\", required (/questions/0/required): found \"yes\"; expected true or false."
    );
    assert!(lines[1].starts_with("    2 | …") && lines[1].ends_with("\"yes\"}"), "{}", lines[1]);
    let caret = lines[2].find('^').expect("a caret");
    let before = &lines[1][..lines[1].find("\"yes\"").expect("the value")];
    assert_eq!(novel_gate::text::width::cells(before), caret, "{}\n{}", lines[1], lines[2]);
    assert_eq!(lines[3], "1 problem in 1 file.");
    let chinese = run(&[("spec.json", SPEC.as_bytes())], "", &["lint", "spec.json", "--lang", "zh-CN"]);
    assert_eq!(chinese.exit, 5);
    assert!(chinese.out.ends_with("1 个文件，1 处错误。\n"), "{}", chinese.out);
}

#[test]
fn every_file_is_told_in_one_object() {
    let warned = SPEC.replace("\"yes\"", "false").replace("\"a\"", "\"constructor\"");
    let files: &[(&str, &[u8])] = &[
        ("bad.json", b"{\"steps\": [],\n \"steps\": []}"),
        ("cut.json", b"{\"steps\": ["),
        ("good.json", warned.as_bytes()),
        ("other.json", b"[1]"),
    ];
    let ran = run(files, "{}", &["lint", "--json", "bad.json", "cut.json", "good.json", "other.json", "-"]);
    let told = json(&ran);
    assert_eq!((ran.exit, &told["status"], &told["code"]), (5, &"problems".into(), &"problems".into()));
    let files = told["files"].as_array().expect("files");
    let kinds: Vec<&Value> = files.iter().map(|file| &file["kind"]).collect();
    assert_eq!(
        kinds,
        [&"canonical-prompt".into(), &Value::Null, &"question-spec".into(), &Value::Null, &Value::Null]
    );
    let places = |file: usize, list: &str| -> Vec<(String, u64, u64)> {
        let entries = files[file][list].as_array().expect("a list").iter();
        let place = |entry: &Value| {
            let number = |key: &str| entry[key].as_u64().expect("a number");
            (entry["pointer"].as_str().expect("a pointer").to_owned(), number("line"), number("column"))
        };
        entries.map(place).collect()
    };
    let missing = ["/protocol", "/version", "/source", "/source_prompts"].map(|at| (at.to_owned(), 1, 1));
    let mut wanted = missing.to_vec();
    wanted.extend([("/steps".to_owned(), 2, 2), ("/steps".to_owned(), 2, 11)]);
    assert_eq!(places(0, "problems"), wanted);
    assert_eq!(places(1, "problems"), [(String::new(), 1, 12)]);
    assert_eq!(places(2, "problems"), []);
    assert_eq!(places(2, "warnings"), [("/questions/0/id".to_owned(), 2, 10)]);
    assert_eq!(places(3, "problems"), [(String::new(), 1, 1)]);
    assert_eq!(files[4]["file"], "-");
    for entry in files.iter().flat_map(|file| file["problems"].as_array().expect("a list")) {
        assert!(
            ["found", "expected"].iter().all(|key| entry[key].as_str().is_some_and(|text| !text.is_empty()))
        );
    }
}

#[test]
fn a_file_that_cannot_be_read_is_no_problem_of_the_others() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(dir.path().join("folder")).expect("a folder");
    fs::write(dir.path().join("spec.json"), SPEC).expect("a file");
    let line = ["lint", "gone.json", "folder", "spec.json"];
    let ran = run_at(dir.path(), "", &line);
    assert_eq!(ran.exit, 1);
    assert!(ran.out.ends_with("1 problem in 1 file. 1 file could not be read.\n"), "{}", ran.out);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    let told = json(&run_at(dir.path(), "", &[&line[..], &["--json"]].concat()));
    assert_eq!(told["code"], "unreadable");
    let errors: Vec<bool> =
        told["files"].as_array().expect("files").iter().map(|file| file["error"].is_string()).collect();
    assert_eq!(errors, [true, false], "a directory stands for the documents in it, here none");
    assert_eq!(run_at(dir.path(), "", &["lint", "gone.json"]).out, "1 file could not be read.\n");
    let chinese = run_at(dir.path(), "", &[&["--lang", "zh-CN"], &line[..]].concat());
    assert!(chinese.out.ends_with("1 个文件，1 处错误。1 个文件无法读取。\n"), "{}", chinese.out);
}

#[test]
fn the_page_shows_a_protocol_file_that_passes() {
    let page = blocks(&read("docs/novel-ask.md"));
    let (_, example) = page.iter().find(|(info, _)| info == "json protocol").expect("an example");
    let ran = run(&[("p.json", example.as_bytes())], "", &["lint", "p.json"]);
    assert_eq!((ran.exit, ran.out.as_str()), (0, "No problems in 1 file.\n"));
}

#[test]
fn a_hint_fits_what_is_wrong() {
    let spec = br#"{"version": 1, "topic": "T", "questions": []}"#;
    let ran = run(&[("a.json", spec)], "", &["lint", "a.json"]);
    assert!(
        ran.out.contains("found an empty list; expected a list with at least one entry.\n"),
        "{}",
        ran.out
    );
    let document = br#"{"protocol": "p", "version": "1.0.0", "source": "a.md",
        "source_prompts": [{"id": "a", "source_phase": "p", "source_options_count": 5, "mapped_step_ids": ["a"]}],
        "task_sync": {"source_tool": "TaskUpdate", "target_tool": "update_plan",
            "create": {"emit": false, "default_status": "done"}, "transitions": [{}],
            "single_in_progress": false, "fallback_mode": "internal_state_only"},
        "steps": [{"id": "a", "intent": "select_many", "question": "Q", "on_escape": "defer",
            "options": [{"label": "A", "description": "a"}, {"label": "B", "description": "b"}]}]}"#;
    let ran = run(&[("a.json", document)], "", &["lint", "a.json"]);
    for told in [
        "/overflow_strategy: found nothing; expected two_stage_routing, since the source has more than 3 options.",
        "/max_choices): found nothing; expected an integer from 1 to 3, since the intent is select_many.",
        // What can be read of the plan's rules is judged though other parts cannot.
        "/task_sync/source_tool: found \"TaskUpdate\"; expected only TaskCreate.",
        "/task_sync/create/emit: found false; expected only true.",
        "/task_sync/create/default_status: found \"done\"",
        "/task_sync/single_in_progress: found false; expected only true.",
        "/task_sync/transitions/0/from: found nothing",
    ] {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
    assert!(!ran.out.contains("/task_sync/transitions: "), "{}", ran.out);
    let chinese = run(&[("a.json", document)], "", &["--lang", "zh-CN", "lint", "a.json"]);
    assert!(chinese.out.contains("应为 TaskCreate。"), "{}", chinese.out);
}

#[test]
fn common_slips_of_the_pen_are_explained() {
    for (text, english, chinese) in [
        ("{“a”: 1}", "half-width", "半角"),
        ("{\"a\"： 1}", "half-width", "半角"),
        ("{\"a\": 1,}", "an extra comma", "多了一个逗号"),
        ("[1,\n]", "an extra comma", "多了一个逗号"),
        ("{\"a\": \"雨停\n之前\"}", "a line end is written \\n", "换行要写成 \\n"),
    ] {
        let ran = run(&[("a.json", text.as_bytes())], "", &["lint", "a.json"]);
        assert!(ran.exit == 5 && ran.out.contains(english), "{text}: {}", ran.out);
        let ran = run(&[("a.json", text.as_bytes())], "", &["--lang", "zh-CN", "lint", "a.json"]);
        assert!(ran.out.contains(chinese), "{text}: {}", ran.out);
    }
}

#[test]
fn more_problems_than_are_told_are_hinted_at() {
    let steps = |count: usize| format!(r#"{{"steps": [{}]}}"#, vec!["0"; count].join(","));
    for (count, more) in [(10, false), (2_000, true)] {
        let ran = run(&[("a.json", steps(count).as_bytes())], "", &["lint", "a.json"]);
        assert_eq!(ran.out.contains("a.json: there may be more; at most 1000"), more, "{count}");
    }
}

#[test]
fn no_files_are_a_wrong_use() {
    assert_eq!(run(&[], "", &["lint"]).exit, 2);
    assert_eq!(run(&[], "{}", &["lint", "-", "-"]).exit, 2, "it can be read once only");
    assert_eq!(run(&[], "", &["schema", "nothing"]).exit, 2);
}

#[test]
fn the_samples_are_what_they_say() {
    let canonical = samples().join("canonical");
    let mut good = Vec::new();
    for folder in [canonical.clone(), canonical.join("sources")] {
        let entries = fs::read_dir(folder).expect("samples").map(|entry| entry.expect("an entry").path());
        good.extend(entries.filter(|path| path.is_file()));
    }
    assert!(good.len() > 11, "{good:?}");
    good.push(samples().join("staging/manifests/review-collect.packet.json"));
    good.push(samples().join("staging/novel-ask/chapter-012-draft.answers.json"));
    let line: Vec<&str> = good.iter().map(|path| path.to_str().expect("UTF-8")).collect();
    let ran = run_at(&samples(), "", &[&["lint"], line.as_slice()].concat());
    assert_eq!((ran.exit, ran.out.as_str()), (0, format!("No problems in {} files.\n", good.len()).as_str()));
    for entry in fs::read_dir(samples().join("broken")).expect("samples") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            let told = json(&run_at(&samples(), "", &["lint", "--json", path.to_str().expect("UTF-8")]));
            assert_eq!(told["exit"], 5, "{path:?}");
            assert_eq!(told["files"][0]["problems"].as_array().map(Vec::len), Some(1), "{path:?}");
        }
    }
}

#[test]
fn hostile_lines_are_shown_harmless_and_short() {
    let long = format!("{{\"x\u{1b}[2J\": \"{}\", \"steps\": 1}}", "长".repeat(100_000));
    let ran = run(&[("a.json", long.replace('\u{1b}', "\\u001b").as_bytes())], "", &["lint", "a.json"]);
    assert!(!ran.out.contains('\u{1b}') && ran.out.len() < 20_000, "{}", ran.out.len());
    let bytes = b"{\"steps\": \"\xff\xfe\",\r\n \"a\xff\": 1}";
    let ran = run(&[("a.json", bytes)], "", &["lint", "a.json"]);
    assert_eq!(ran.exit, 5);
    assert!(ran.out.contains("a.json:2:2: "), "{}", ran.out);
    let raw = run(&[("a.json", b"{\"steps\": \"\x1b[31m\"}")], "", &["lint", "a.json"]);
    assert!(!raw.out.contains('\u{1b}') && raw.out.contains("a.json:1:12: "), "{}", raw.out);
}

#[test]
fn many_problems_in_one_long_line_take_no_time() {
    let text = format!("{{\"steps\": [{}]}}", vec!["7"; 2_000_000].join(","));
    let told = json(&run(&[("a.json", text.as_bytes())], "", &["lint", "a.json", "--json"]));
    let problems = told["files"][0]["problems"].as_array().expect("a list");
    assert_eq!(problems.len(), 1_000);
    assert_eq!(problems[999]["column"].as_u64(), Some(12 + 2 * 995));
}

#[test]
fn the_schemas_are_printed() {
    use novel_gate::{adapter::canonical, ask::schema};
    let all = [
        ("question-spec", schema::QUESTION_SPEC),
        ("standing-question", schema::STANDING_QUESTION),
        ("answer-spec", schema::ANSWER_SPEC),
        ("packet", schema::PACKET),
        ("canonical-prompt", canonical::SCHEMA),
    ];
    for (name, text) in all {
        let plain = run(&[], "", &["schema", name]);
        assert_eq!((plain.exit, plain.out.as_str()), (0, text));
        let told = json(&run(&[], "", &["schema", name, "--json"]));
        let schema: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!((&told["code"], &told["schema"]), (&"schema".into(), &schema));
        assert_eq!(schema["$id"], format!("urn:novel-gate:schema:{name}"));
        assert!(text.ends_with("}\n"));
        assert!(text.lines().all(|line| line.trim_end() == line && !line.contains('\t')));
    }
}

#[test]
fn the_schema_of_one_gate_is_printed() {
    let packets = samples().join("staging/manifests");
    let at = |name: &str| packets.join(format!("{name}.packet.json")).to_str().expect("UTF-8").to_owned();
    let line = ["schema", "answer-spec", "--for"];
    let plain = run(&[], "", &[&line[..], &[&at("chapter-014-draft")]].concat());
    assert_eq!(plain.exit, 0);
    let schema: Value = serde_json::from_str(&plain.out).expect("JSON");
    assert_eq!(schema["properties"]["answers"]["required"][0], "scene_entry");
    let told = json(&run_at(&samples(), "", &["--json", line[0], line[1], line[2], "chapter:014:draft"]));
    assert_eq!(told["schema"], schema, "a step id will do");
    let bare = run(&[], SPEC.replace("\"yes\"", "true").as_str(), &[&line[..], &["-"]].concat());
    assert!(bare.exit == 0 && bare.out.contains("\"a\""), "{}", bare.out);

    let malformed = run(&[], "", &[&line[..], &[&at("volume-commit")]].concat());
    assert_eq!((malformed.exit, malformed.out.as_str()), (5, ""));
    assert!(
        malformed.err.contains("volume-commit.packet.json is malformed:\n  question 1 "),
        "{}",
        malformed.err
    );
    let told = json(&run(&[], "", &[&line[..], &[&at("volume-commit"), "--json"]].concat()));
    assert_eq!(
        (&told["code"], told["problems"].as_array().map(Vec::len)),
        (&"invalid_packet".into(), Some(2))
    );
    for (packet, exit) in [(at("review-collect"), 2), (at("gone"), 1)] {
        let ran = run(&[], "", &[&line[..], &[&packet]].concat());
        assert_eq!((ran.exit, ran.out.as_str()), (exit, ""), "{}", ran.err);
        assert_eq!(json(&run(&[], "", &[&line[..], &[&packet, "--json"]].concat()))["exit"], exit);
    }
    let misplaced = run(&[], "", &["schema", "packet", "--for", &at("chapter-014-draft")]);
    assert_eq!((misplaced.exit, misplaced.err.as_str()), (2, "novel-gate: --for is for answer-spec.\n"));
}
