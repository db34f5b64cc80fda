//! Files of standing questions: what is linted in them, and that their schema says the same.

use super::{json, run};
use crate::json_schema::accepts;
use novel_gate::ask::{schema, standing};
use serde_json::{Value, json};

fn question(members: &str) -> String {
    let questions =
        r#"[{"id": "a", "header": "H", "question": "Q?", "kind": "free_text", "required": true}]"#;
    format!("{{{members}\n\"version\": 1, \"topic\": \"T\", \"questions\": {questions}}}")
}

#[test]
#[cfg_attr(windows, ignore = "names that differ in case are one there")]
fn a_standing_question_is_told_by_its_name_or_by_its_steps() {
    let bad = question("\"_steps\": [\"chapter:*:draft\", \"chapter\"],\n  \"_whi\": \"x\",");
    let good = question("\"_steps\": [\"volume:outline\"],");
    let bare = question("");
    let files: &[(&str, &[u8])] = &[
        ("book/questions/Goal.question.json", good.as_bytes()),
        ("book/questions/goal.question.json", bad.as_bytes()),
        ("book/questions/mood.question.json", bare.as_bytes()),
        ("book/questions/torn.question.json", b"{\"_steps\": ["),
        ("bare.json", bare.as_bytes()),
        ("own.json", good.as_bytes()),
    ];
    let told = json(&run(files, "", &["lint", "--json", "book/questions", "bare.json", "own.json"]));
    let files = told["files"].as_array().expect("files");
    let kinds: Vec<&Value> = files.iter().map(|file| &file["kind"]).collect();
    let standing = json!("standing-question");
    assert_eq!(kinds, [&standing, &standing, &standing, &Value::Null, &"question-spec".into(), &standing]);
    let problems = |file: usize| -> Vec<(&str, Option<u64>, Option<u64>)> {
        let all = files[file]["problems"].as_array().expect("a list").iter();
        let of = |it: &'static str, problem: &Value| problem[it].as_u64();
        all.map(|it| (it["pointer"].as_str().expect("a pointer"), of("line", it), of("column", it))).collect()
    };
    assert_eq!(problems(0), [], "the first by its name is asked");
    let wrong = [("/_steps/1", Some(1), Some(32)), ("/_whi", Some(2), Some(3)), ("", None, None)];
    assert_eq!(problems(1), wrong);
    assert!(
        files[1]["problems"][2]["found"].as_str().is_some_and(|found| found.contains("Goal.question.json"))
    );
    assert_eq!(problems(2), [("/_steps", Some(1), Some(1))]);
    assert_eq!(problems(3).len(), 1);
    assert_eq!((problems(4), problems(5)), (vec![], vec![]));
}

/// A question that is a verdict, on lines of its own.
fn verdict(members: &str) -> String {
    let options =
        r#""options": [{"label": "收下", "description": "k"}, {"label": "重写", "description": "w"}]"#;
    let question =
        format!("{{\n  \"id\": \"a\", \"header\": \"H\", \"question\": \"Q?\", {options},\n  {members}}}");
    format!("{{\"_steps\": [\"*:commit\"], \"version\": 1, \"topic\": \"T\", \"questions\": [{question}]}}")
}

#[test]
fn what_can_be_no_verdict_is_told_with_its_line_and_column() {
    let (single, multi) = (r#""kind": "single_choice""#, r#""kind": "multi_choice""#);
    for (members, wrong) in [
        (format!(r#"{single}, "required": true, "_opens_on": ["收下"]"#), &[][..]),
        (
            format!("{single}, \"required\": true, \"_opens_on\": [\"收下\",\n    \"收\"]"),
            &[("/questions/0/_opens_on/1", 4, 5)],
        ),
        (
            format!("{single}, \"required\": true, \"_opens_on\": [\"收下\", \"收下\"]"),
            &[("/questions/0/_opens_on/1", 3, 66)],
        ),
        (format!(r#"{single}, "required": true, "_opens_on": []"#), &[("/questions/0/_opens_on", 3, 59)]),
        (
            format!(r#"{multi}, "required": false, "_opens_on": ["收下"]"#),
            &[("/questions/0/kind", 3, 11), ("/questions/0/required", 3, 39)],
        ),
        (
            format!(r#"{single}, "required": true, "default": "收下", "_opens_on": ["收下"]"#),
            &[("/questions/0/default", 3, 57)],
        ),
    ] {
        let text = verdict(&members);
        let told = json(&run(&[("a.json", text.as_bytes())], "", &["lint", "--json", "a.json"]));
        let problems = told["files"][0]["problems"].as_array().expect("a list").iter();
        let place = |problem: &Value| {
            (problem["pointer"].clone(), problem["line"].clone(), problem["column"].clone())
        };
        let expected =
            wrong.iter().map(|&(pointer, line, column)| (pointer.into(), line.into(), column.into()));
        assert_eq!(problems.map(place).collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{members}");
        let schema: Value = serde_json::from_str(schema::STANDING_QUESTION).expect("JSON");
        let value: Value = serde_json::from_str(&text).expect("JSON");
        // That an entry is a label is what no schema can say.
        let is_said = wrong.is_empty() || members.contains("\"收\"");
        assert_eq!(accepts(&schema, &schema, &value), is_said, "the schema: {members}");
    }
}

#[test]
fn the_schema_accepts_what_can_be_asked() {
    let schema: Value = serde_json::from_str(schema::STANDING_QUESTION).expect("JSON");
    for (members, is_good) in [
        (r#""_steps": ["chapter:*:draft"],"#, true),
        (
            r#""_steps": ["chapter:12:*", "chapter:010-20:commit", "*:*:judge", "quickstart:*", "*:outline", "*:*"],"#,
            true,
        ),
        (r#""_steps": ["volume:outline"], "_once_per": "book", "_enabled": false, "_why": "w","#, true),
        (r#""_steps": ["chapter:*:draft"], "_once_per": 10, "_tell": ["review:audit", "volume:*"],"#, true),
        (r#""_steps": ["volume:outline", "chapter:*:draft"], "_once_per": "volume","#, true),
        ("", false),
        (r#""_steps": [],"#, false),
        (r#""_steps": "chapter:*:draft","#, false),
        (r#""_steps": ["chapter:0:draft"],"#, false),
        (r#""_steps": ["chapter:*:outline"],"#, false),
        (r#""_steps": ["volume:draft"],"#, false),
        (r#""_steps": ["chapter:*"],"#, false),
        (r#""_steps": ["review:*"],"#, false),
        (r#""_steps": [" chapter:*:draft"],"#, false),
        (r#""_steps": ["volume:outline"], "_once_per": "chapter","#, false),
        (r#""_steps": ["chapter:*:draft", "*:*"], "_once_per": 5,"#, false),
        (r#""_steps": ["chapter:*:draft"], "_once_per": 0,"#, false),
        (r#""_steps": ["chapter:*:draft"], "_once_per": 1.5,"#, false),
        (r#""_steps": ["chapter:*:draft"], "_once_per": 100001,"#, false),
        (r#""_steps": ["chapter:*:draft"], "_once_per": "week","#, false),
        (r#""_steps": ["chapter:*:draft"], "_tell": [],"#, false),
        (r#""_steps": ["chapter:*:draft"], "_enabled": "no","#, false),
        (r#""_steps": ["chapter:*:draft"], "_why": " ","#, false),
        (r#""_steps": ["chapter:*:draft"], "_whi": "x","#, false),
    ] {
        let text = question(members);
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let read = standing::read("a", text.as_bytes());
        assert_eq!(read.problems.is_empty(), is_good, "{members}: {:?}", read.problems);
        assert_eq!(accepts(&schema, &schema, &value), is_good, "the schema: {members}");
    }
}

#[cfg(unix)]
#[test]
fn what_has_the_name_of_a_question_and_is_no_file_is_told_as_the_book_tells_it() {
    let book = crate::sandbox::Sandbox::new();
    book.put("staging/manifests/.keep", "");
    book.put("questions/good.question.json", question("\"_steps\": [\"volume:outline\"],"));
    // Hidden files are nobody's questions.
    book.put("questions/.dot.question.json", "{");
    book.put("questions/dir.question.json/inner.json", "{}");
    crate::system::symlink("nowhere", book.root().join("questions/link.question.json")).expect("a link");
    crate::system::make_pipe(&book.root().join("questions/pipe.question.json"));
    let said = |line: &[&str]| -> Value { serde_json::from_str(&book.run(line).stdout).expect("an object") };
    let listed = said(&["questions", "--json"]);
    let bad = |file: &&Value| {
        file["problems"].as_array().is_some_and(|all| !all.is_empty()) || file["error"].is_string()
    };
    let bad = |files: &Value, key: &str| -> Vec<Value> {
        files.as_array().expect("files").iter().filter(bad).map(|file| file[key].clone()).collect()
    };
    let three = ["dir", "link", "pipe"].map(|name| json!(format!("questions/{name}.question.json")));
    assert_eq!(bad(&listed["questions"], "path"), three);
    assert_eq!(bad(&said(&["lint", "--json", "questions"])["files"], "file"), three);
    assert_eq!(bad(&said(&["lint", "--json", "."])["files"], "file"), three);
}
