//! Records that Claude Code is about to write by hand.

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use super::{Hooked, RECORD, assert_silent, call, denied};
use crate::sandbox::Ran;

const PLACE: &str = "staging/novel-ask/a.json";

fn gate() -> Hooked {
    let hooked = Hooked::new();
    hooked.put_gate();
    hooked
}

fn write(hooked: &Hooked, path: &Path, content: &str) -> Ran {
    let input = json!({"file_path": path, "content": content});
    hooked.say(&call(&hooked.book, "Write", &input))
}

#[test]
fn what_is_no_valid_record_is_refused_with_every_problem() {
    let hooked = gate();
    let bad = RECORD
        .replace("\"version\": 1", "\"version\": 2")
        .replace("\"x\"", "\"\\u001b[2J \"")
        .replace("human", "");
    let reason = denied(&write(&hooked, &hooked.book.path(PLACE), &bad));
    for words in
        ["/version", "/answered_by", "novel-gate next staging/manifests/a.packet.json --for claude-code"]
    {
        assert!(reason.contains(words), "{words}: {reason}");
    }
    hooked.book.put(PLACE, &bad);
    let check: Value =
        serde_json::from_str(&hooked.book.run(["check", "step:a", "--json"]).stdout).expect("JSON");
    for problem in check["problems"].as_array().expect("problems") {
        assert!(reason.contains(problem["pointer"].as_str().expect("a pointer")), "{problem}: {reason}");
    }
    assert!(!reason.contains('\u{1b}'));
    assert!(denied(&write(&hooked, &hooked.book.path(PLACE), "")).contains("a.packet.json"));
}

#[test]
fn however_the_path_is_spelled() {
    let hooked = gate();
    hooked.book.put("chapters/1.md", "");
    symlink("novel-ask", hooked.book.path("staging/asks")).expect("a link");
    symlink(hooked.book.root(), hooked.book.path("../alias")).expect("a link");
    for path in [
        hooked.book.path(PLACE),
        PLACE.into(),
        hooked.book.path("./staging//novel-ask/../novel-ask/a.json"),
        hooked.book.path("chapters/../staging/novel-ask/a.json"),
        hooked.book.path("staging/asks/a.json"),
        hooked.book.path("../alias").join(PLACE),
    ] {
        std::fs::create_dir_all(hooked.book.path("staging/novel-ask")).expect("the directory");
        denied(&write(&hooked, &path, "{}"));
    }
    for path in ["staging/novel-ask/b.json", "chapters/1.md", "../a.json", "/a.json", ""] {
        assert_silent(&write(&hooked, &hooked.book.root().join(path), "{}"));
    }
}

#[test]
fn a_valid_record_may_be_written_where_none_is_and_over_none_that_is_valid() {
    let hooked = gate();
    let place = hooked.book.path(PLACE);
    assert_silent(&write(&hooked, &place, RECORD));
    hooked.book.put(PLACE, "[]");
    assert_silent(&write(&hooked, &place, RECORD));
    hooked.book.put(PLACE, RECORD);
    assert_silent(&write(&hooked, &place, RECORD));
    let other = RECORD.replace("\"x\"", "\"y\"").replace("human", "claude_code");
    let reason = denied(&write(&hooked, &place, &other));
    assert!(reason.contains("answered by human") && reason.contains("novel-gate redo"), "{reason}");
    denied(&write(&hooked, &place, "{}"));
    assert_eq!(hooked.book.read(PLACE).as_deref(), Some(RECORD.as_bytes()), "the hook itself writes nothing");
    assert_eq!(hooked.book.run(["redo", "step:a"]).code, Some(0));
    assert_silent(&write(&hooked, &place, &other));
}

#[test]
fn edits_are_judged_by_what_they_would_make() {
    let hooked = gate();
    let edit = |tool: &str, input: &Value| {
        let mut input = input.clone();
        input["file_path"] = json!(hooked.book.path(PLACE));
        hooked.say(&call(&hooked.book, tool, &input))
    };
    let change = |old: &str, new: &str| json!({"old_string": old, "new_string": new});
    denied(&edit("Edit", &change("", "{}")));
    assert_silent(&edit("Edit", &change("", RECORD)));
    hooked.book.put(PLACE, RECORD.replace("\"version\": 1", "\"version\": 2"));
    denied(&edit("Edit", &change("human", "me")));
    assert_silent(&edit("Edit", &change("\"version\": 2", "\"version\": 1")));
    let both = json!({"edits": [change("human", "me"), change("\"version\": 2", "\"version\": 1")]});
    assert_silent(&edit("MultiEdit", &both));
    denied(&edit("MultiEdit", &json!({"edits": [change("human", "me")]})));
    // What the tool itself will refuse is not ours to judge.
    assert_silent(&edit("Edit", &change("nowhere", "{}")));
    hooked.book.put(PLACE, RECORD);
    denied(&edit("Edit", &change("\"x\"", "\"y\"")));
}
