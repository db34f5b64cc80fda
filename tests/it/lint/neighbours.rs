//! What `lint` can tell of a file only with the others around it: whose record it is, who shares its place, whether a
//! record can be written there.

use super::{json, run, run_at, samples};
use crate::system::make_pipe;
use crate::system::symlink;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

const PACKET: &str = "staging/manifests/a.packet.json";
const RECORD: &str = "staging/novel-ask/a.json";

fn packet(topic: &str, answer_path: &str) -> String {
    format!(
        r#"{{"step": "s", "novel_ask": {{"version": 1, "topic": "{topic}", "questions": [
        {{"id": "q", "header": "H", "question": "Q", "kind": "single_choice", "required": true, "allow_other": true,
          "options": [{{"label": "x", "description": "d"}}, {{"label": "y", "description": "e"}}]}}]}},
        "answer_path": "{answer_path}"}}"#
    )
}

fn record(topic: &str, answers: &str) -> String {
    format!(
        r#"{{"version": 1, "topic": "{topic}", "answers": {answers}, "answered_at": "2026-02-27T10:12:34Z", "answered_by": "a"}}"#
    )
}

/// A project with these files.
fn book(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, text) in files {
        put(dir.path(), name, text);
    }
    dir
}

fn put(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    fs::write(path, text).expect("a file");
}

fn entries<'v>(file: &'v Value, list: &str) -> &'v [Value] {
    file[list].as_array().expect("a list")
}

#[test]
fn what_lies_in_a_records_place_is_judged_by_the_questions() {
    let book = book(&[(PACKET, &packet("T", RECORD))]);
    for (text, pointer) in [
        (record("T", r#"{"q": 3}"#), "/answers/q"),
        (record("U", r#"{"q": "x"}"#), "/topic"),
        (record("T", "{}"), "/answers/q"),
        ("{\"version\"".to_owned(), ""),
        (String::new(), ""),
        ("[]".to_owned(), ""),
        (r#"{"questions": []}"#.to_owned(), "/version"),
        (r#"{"steps": [], "version": 1}"#.to_owned(), "/topic"),
    ] {
        put(book.path(), RECORD, &text);
        for named in [RECORD, "staging", "."] {
            let told = json(&run_at(book.path(), "", &["lint", named, "--json"]));
            assert_eq!(told["exit"], 5, "{named} {text}");
            let files = entries(&told, "files");
            let file = files.iter().find(|file| file["file"].as_str().is_some_and(|it| it.ends_with(RECORD)));
            let file = file.unwrap_or_else(|| panic!("{named} {text}: {told}"));
            assert_eq!(
                (&file["kind"], &file["problems"][0]["pointer"]),
                (&"answer-spec".into(), &pointer.into())
            );
            let against = file["against"].as_str().expect("the packet");
            assert!(against.ends_with(PACKET), "{against}");
        }
    }
    put(book.path(), RECORD, &record("T", r#"{"q": "X "}"#));
    let ran = run_at(book.path(), "", &["lint", RECORD]);
    assert_eq!(ran.exit, 0);
    assert!(ran.out.contains("warning: [near-label] /answers/q: "), "{}", ran.out);
    assert!(ran.out.ends_with("No problems, 1 warning in 1 file.\n"), "{}", ran.out);
    // The project is that of the file, wherever the command is run.
    let outside = tempfile::tempdir().expect("a directory");
    let path = book.path().join(RECORD);
    let told = json(&run_at(outside.path(), "", &["lint", path.to_str().expect("UTF-8"), "--json"]));
    assert!(told["files"][0]["against"].is_string(), "{told}");
}

#[test]
fn a_record_somewhere_else_is_judged_by_the_packet_beside_it() {
    let bad = record("T", r#"{"q": ["x"]}"#);
    let packets = [packet("T", "staging/a.json"), packet("U", "staging/b.json")];
    let files: &[(&str, &[u8])] = &[
        ("a.packet.json", packets[0].as_bytes()),
        ("b.packet.json", packets[1].as_bytes()),
        ("r.json", bad.as_bytes()),
    ];
    for line in [&["r.json", "a.packet.json"][..], &["a.packet.json", "b.packet.json", "r.json"], &["."]] {
        let ran = run(files, "", &[&["lint"], line].concat());
        assert_eq!(ran.exit, 5, "{line:?}");
        assert!(ran.out.contains("r.json: checked against the questions of "), "{}", ran.out);
        assert!(ran.out.contains("a.packet.json.\n"), "{}", ran.out);
    }
    let stdin = run(files, &bad, &["lint", "-", "a.packet.json"]);
    assert_eq!(stdin.exit, 5);
    for line in [&["lint", "r.json"][..], &["lint", "r.json", "b.packet.json"]] {
        let ran = run(files, "", line);
        assert_eq!(ran.exit, 0, "{line:?}");
        let sentence = "r.json: no packet asks for it; only its own form was checked.\n";
        assert!(ran.out.contains(sentence), "{}", ran.out);
    }
    let chinese = run(files, "", &["--lang", "zh-CN", "lint", "r.json"]);
    assert!(chinese.out.contains("只检查了它自身的格式"), "{}", chinese.out);
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_place_that_cannot_be_written_is_a_warning_and_one_outside_a_problem() {
    let book = book(&[(PACKET, &packet("T", ".git/a.json"))]);
    let ran = run_at(book.path(), "", &["lint", PACKET]);
    assert_eq!(ran.exit, 0);
    assert!(ran.out.contains("warning: [unwritable-path] /answer_path: "), "{}", ran.out);
    assert!(ran.out.contains("answer_path is inside .git."), "{}", ran.out);
    let chinese = run_at(book.path(), "", &["lint", PACKET, "--lang", "zh-CN"]);
    assert!(chinese.out.contains("警告：[unwritable-path]"), "{}", chinese.out);
    assert!(chinese.out.ends_with("1 个文件，没有错误，1 处警告。\n"), "{}", chinese.out);

    let outside = tempfile::tempdir().expect("a directory");
    symlink(outside.path(), book.path().join("staging/out")).expect("a link");
    put(book.path(), PACKET, &packet("T", "staging/out/a.json"));
    let told = json(&run_at(book.path(), "", &["lint", PACKET, "--json"]));
    assert_eq!(told["exit"], 5);
    assert_eq!(told["files"][0]["problems"][0]["pointer"], "/answer_path");
    assert_eq!(told["files"][0]["problems"][0]["line"], 4);
}

#[test]
fn packets_outside_staging_share_no_place_with_those_inside() {
    let draft = packet("Other", RECORD);
    let book = book(&[(PACKET, &packet("T", RECORD)), ("drafts/b.packet.json", &draft)]);
    assert_eq!(run_at(book.path(), "", &["lint", "drafts"]).exit, 0);
    assert_eq!(run_at(book.path(), "", &["lint", PACKET]).exit, 0);
    assert_eq!(run_at(book.path(), "", &["lint", "."]).exit, 5, "named together they do");
}

#[test]
fn a_directory_stands_for_the_documents_in_it() {
    let book = book(&[
        (PACKET, &packet("T", RECORD)),
        (".git/a.json", "{"),
        ("node_modules/x/a.json", "{"),
        ("package.json", r#"{"name": "x"}"#),
    ]);
    let told = json(&run_at(book.path(), "", &["lint", ".", PACKET, "staging", "--json"]));
    assert_eq!((&told["exit"], entries(&told, "files").len()), (&0.into(), 1), "{told}");
    for (lang, sentence) in [("en", "No documents were found.\n"), ("zh-CN", "没有找到任何文档。\n")]
    {
        let none = run_at(book.path(), "", &["lint", "node_modules/x", ".git", "--lang", lang]);
        assert_eq!(none.exit, 5, "a directory that is named is entered");
        fs::create_dir_all(book.path().join("empty")).expect("a directory");
        let none = run_at(book.path(), "", &["lint", "empty", "--lang", lang]);
        assert_eq!((none.exit, none.out.as_str()), (0, sentence));
    }
    let named = json(&run_at(book.path(), "", &["lint", "package.json", "--json"]));
    assert_eq!(named["exit"], 5, "what is named is judged");
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_directory_is_named_from_inside_another_project() {
    let (own, other) = (format!("own/{PACKET}"), format!("other/{PACKET}"));
    let book = book(&[(&own, &packet("T", RECORD)), (&other, &packet("U", RECORD))]);
    let here = book.path().join("own");
    for (named, shown) in
        [("../other/staging", "../other/"), ("staging/../../own/staging", "staging/../../own/")]
    {
        let told = json(&run_at(&here, "", &["lint", named, "--json"]));
        assert_eq!(
            (&told["exit"], &told["files"][0]["file"]),
            (&0.into(), &format!("{shown}{PACKET}").into())
        );
    }
    symlink("/etc/hosts", book.path().join("other/staging/outside.packet.json")).expect("a link");
    assert_eq!(
        run_at(&here, "", &["lint", "../other/staging"]).exit,
        5,
        "a link out of it is none of its files"
    );
}

#[test]
#[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
fn a_packet_that_is_no_regular_file_is_named_and_never_waited_for() {
    let book = book(&[(PACKET, &packet("T", RECORD))]);
    let staging = book.path().join("staging");
    make_pipe(&staging.join("pipe.packet.json"));
    for (name, to) in [("device", "/dev/null"), ("outside", "/etc/hosts"), ("nothing", "nowhere")] {
        crate::system::symlink(to, staging.join(format!("{name}.packet.json"))).expect("a link");
    }
    let inside = book.path().join(PACKET);
    crate::system::symlink(inside, staging.join("inside.packet.json")).expect("a link");
    let told = json(&run_at(book.path(), "", &["lint", ".", "--json"]));
    assert_eq!(told["exit"], 5, "{told}");
    let files = entries(&told, "files").iter();
    let wrong = files.filter(|file| !entries(file, "problems").is_empty());
    let mut names: Vec<&str> = wrong.map(|file| file["file"].as_str().expect("a name")).collect();
    names.sort_unstable();
    let want = ["device", "outside", "pipe"].map(|name| format!("staging/{name}.packet.json"));
    assert_eq!(names, want, "{told}");
}

#[test]
fn what_a_command_printed_is_no_packet() {
    let printed = format!("{{\"ok\": true, \"data\": {{\"packet\": {}}}}}", packet("T", RECORD));
    let book = book(&[(PACKET, &printed), ("staging/plain.packet.json", r#"{"step": "x", "data": {}}"#)]);
    let told = json(&run_at(book.path(), "", &["lint", "staging", "--json"]));
    let warnings: Vec<&Value> =
        entries(&told, "files").iter().flat_map(|file| entries(file, "warnings")).collect();
    assert_eq!((&told["exit"], warnings.len()), (&0.into(), 1), "{told}");
    assert_eq!(
        (&warnings[0]["code"], &warnings[0]["pointer"]),
        (&"command-output".into(), &"/data/packet".into())
    );
}

#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn the_samples_have_no_warnings_and_each_broken_record_a_problem() {
    // In a place of one's own: the checkout may be read only, which would be a warning.
    let dir = tempfile::tempdir().expect("a directory");
    for command in [Command::new("cp").arg("-R").arg(samples()), Command::new("chmod").args(["-R", "u+w"])] {
        assert!(command.arg(dir.path()).status().expect("a command").success());
    }
    let told = json(&run_at(&dir.path().join("sample-packets"), "", &["lint", ".", "--json"]));
    let files = entries(&told, "files");
    assert!(files.len() > 60, "{}", files.len());
    for file in files {
        assert_eq!(entries(file, "warnings"), &[] as &[Value], "{file}");
        let name = file["file"].as_str().expect("a name");
        // The one whose topic is wrong is found by no packet.
        let is_broken = name.contains("broken/records/")
            && !["valid.", "topic-differs.", "gate."].iter().any(|good| name.contains(good));
        if is_broken {
            assert_eq!(entries(file, "problems").len(), 1, "{file}");
        }
    }
}

/// The example of each page is what comes out for these files.
#[test]
fn the_pages_show_what_json_says() {
    let record = serde_json::from_str(&record("T", r#"{"q": "X"}"#)).expect("JSON");
    let record = serde_json::to_string_pretty::<Value>(&record).expect("JSON");
    let book = book(&[(PACKET, &packet("T", RECORD)), (RECORD, &record)]);
    for (suffix, lang) in [("", "en"), (".zh-CN", "zh-CN")] {
        let page = crate::docs::read(&format!("docs/packets{suffix}.md"));
        let example =
            page.split("```json\n").nth(2).and_then(|rest| rest.split("```").next()).expect("an example");
        let told = json(&run_at(book.path(), "", &["--lang", lang, "lint", RECORD, "--json"]));
        assert_eq!(told, serde_json::from_str::<Value>(example).expect("JSON"), "{lang}");
    }
}
