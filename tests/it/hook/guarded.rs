//! Records that Claude Code is about to touch by hand.

use crate::system::symlink;
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
fn nobody_but_novel_gate_writes_a_record() {
    let hooked = gate();
    let place = hooked.book.path(PLACE);
    let packet = "staging/manifests/a.packet.json";
    let inputs = || {
        [
            ("Write", json!({"file_path": place, "content": "{}"})),
            // Good in form: the author has not said it all the same.
            ("Write", json!({"file_path": place, "content": RECORD})),
            ("Write", json!({"file_path": place})),
            ("Edit", json!({"file_path": place, "old_string": "human", "new_string": "me"})),
            ("Edit", json!({"file_path": place, "old_string": "", "new_string": RECORD})),
            ("NotebookEdit", json!({"notebook_path": place, "new_source": "x", "edit_mode": "delete"})),
        ]
    };
    for (standing, words) in [
        (
            None,
            ["wait PACKET.", "next with --for claude-code --replies FILE --write", "answer with --by NAME"],
        ),
        (Some("[]"), ["It is not valid.", "check PACKET.", "With redo"]),
        (Some(RECORD), ["human has answered", "read the record and go on", "redo PACKET"]),
    ] {
        if let Some(bytes) = standing {
            hooked.book.put(PLACE, bytes);
        }
        for (tool, input) in inputs() {
            let reason = denied(&hooked.say(&call(&hooked.book, tool, &input)));
            assert!(reason.contains(PLACE), "{reason}");
            assert_eq!(reason.matches(packet).count(), 1, "{reason}");
            let reason = reason.replace(packet, "PACKET");
            for word in words {
                assert!(reason.contains(word), "{tool}: {word}: {reason}");
            }
        }
        assert_eq!(
            hooked.book.read(PLACE).as_deref(),
            standing.map(str::as_bytes),
            "the hook itself writes nothing"
        );
    }
    // What the reason says can be done.
    for line in [&["check", packet][..], &["redo", packet], &["answer", packet, "--by", "me", "--set", "a=x"]]
    {
        assert_eq!(hooked.book.run(line).code, Some(0), "{line:?}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn however_the_path_is_spelled() {
    let hooked = gate();
    hooked.book.put("chapters/1.md", "");
    hooked.book.put("staging/novel-ask/other.json", "");
    let link = |target: &Path, name: &str| symlink(target, hooked.book.path(name)).expect("a link");
    link(Path::new("novel-ask"), "staging/asks");
    link(&hooked.book.root(), "../alias");
    // Where there is no record yet, this is how a write makes one.
    link(&hooked.book.path(PLACE), "../dangling");
    link(Path::new("../../dangling"), "chapters/twice");
    let missing = [
        hooked.book.path(PLACE),
        PLACE.into(),
        hooked.book.path("./staging//novel-ask/../novel-ask/a.json"),
        hooked.book.path("chapters/../staging/novel-ask/a.json"),
        hooked.book.path("nowhere/../staging/novel-ask/./a.json"),
        hooked.book.path("staging/asks/a.json"),
        hooked.book.path("../alias").join(PLACE),
        hooked.book.path("../dangling"),
        hooked.book.path("chapters/twice"),
        // On some disks this is the same file.
        hooked.book.path("staging/novel-ask/A.Json"),
        // Claude Code takes the blanks away.
        format!(" {PLACE}\t").into(),
        Path::new("~/../book").join(PLACE),
    ];
    for standing in [false, true] {
        if standing {
            hooked.book.put(PLACE, RECORD);
        }
        for path in &missing {
            assert!(denied(&write(&hooked, path, "{}")).contains(PLACE), "{path:?}");
        }
    }
    let long = "a/../".repeat(2_000_000);
    assert!(denied(&write(&hooked, &hooked.book.path(&long).join(PLACE), "{}")).contains(PLACE));
    for path in [
        "staging/novel-ask/b.json",
        "staging/novel-ask/other.json",
        "chapters/1.md",
        "../a.json",
        "/a.json",
        "",
        "..",
        &"a/".repeat(5_000_000),
    ] {
        assert_silent(&write(&hooked, &hooked.book.root().join(path), "{}"));
    }
}

#[test]
fn a_record_is_one_wherever_the_checkpoint_stands_and_whoever_asked() {
    let hooked = gate();
    let chapter = json!({"step": "chapter:001:draft", "answer_path": "staging/novel-ask/c.json", "novel_ask": {
        "version": 1, "topic": "t", "questions": [
            {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    hooked.book.put("staging/manifests/c.packet.json", chapter.to_string());
    hooked.book.put(".checkpoint.json", r#"{"last_completed_chapter": 1}"#);
    let path = hooked.book.path("staging/novel-ask/c.json");
    assert!(denied(&write(&hooked, &path, RECORD)).contains("c.packet.json"));
    // Without a gate there is no record.
    hooked.book.put("staging/manifests/c.packet.json", r#"{"step": "chapter:001:draft"}"#);
    assert_silent(&write(&hooked, &path, RECORD));
}

#[test]
fn the_record_of_a_passed_chapter_is_known_by_its_number_or_its_ending() {
    let hooked = gate();
    let put = |stage: &str, place: &str| {
        let chapter = json!({"step": format!("chapter:012:{stage}"), "answer_path": place, "novel_ask": {
            "version": 1, "topic": "t", "questions": [
                {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
        hooked.book.put(&format!("staging/manifests/chapter-012-{stage}.packet.json"), chapter.to_string());
    };
    let numbered = "staging/novel-ask/012.json";
    let named = "staging/novel-ask/fate-book.answers.json";
    let other = "staging/novel-ask/fate.json";
    put("draft", numbered);
    put("refine", named);
    put("judge", other);
    let write = |path: &str| write(&hooked, &hooked.book.path(path), RECORD);
    for (checkpoint, is_other_known) in [("{}", true), (r#"{"last_completed_chapter": 12}"#, false)] {
        hooked.book.put(".checkpoint.json", checkpoint);
        assert!(denied(&write(numbered)).contains("chapter-012-draft"));
        assert!(denied(&write(named)).contains("chapter-012-refine"));
        if is_other_known {
            denied(&write(other));
        } else {
            assert_silent(&write(other));
        }
        assert!(denied(&write(PLACE)).contains("a.packet.json"));
    }
}

#[test]
fn a_packet_that_cannot_be_used_keeps_its_record_from_being_written() {
    let hooked = gate();
    let packet = "staging/manifests/a.packet.json";
    let bytes = hooked.book.read(packet).expect("a packet");
    let spoilt = String::from_utf8_lossy(&bytes).replace("\"topic\"", "\"hint\": 1, \"topic\"");
    hooked.book.put(packet, &spoilt);
    assert_eq!(hooked.book.run(["check", packet]).code, Some(5), "{spoilt}");
    let reason = denied(&write(&hooked, Path::new(PLACE), RECORD));
    assert!(reason.contains(PLACE) && reason.contains(&format!("novel-gate check {packet}")), "{reason}");
    assert_silent(&write(&hooked, Path::new("staging/novel-ask/b.json"), RECORD));
}

#[test]
#[cfg_attr(windows, ignore = "no file has such a name there")]
fn hostile_names_make_a_short_harmless_reason() {
    let hooked = Hooked::new();
    let name = format!("\u{1b}[2J\u{202e}{}", "长".repeat(60));
    let record = format!("staging/{name}.json");
    let packet = json!({"step": "s", "answer_path": record, "novel_ask": {"version": 1, "topic": "t", "questions": [
        {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    hooked.book.put(&format!("staging/-{name}.packet.json"), packet.to_string());
    let by: String = "\u{1b}[31m\u{202e}".repeat(20_000);
    let answers = RECORD.replace("\"human\"", &Value::from(by).to_string());
    hooked.book.put(&record, &answers);
    let reason = denied(&write(&hooked, &hooked.book.path(&record), "{}"));
    assert!(reason.encode_utf16().count() < 3_000, "{reason}");
    assert!(!reason.contains(['\u{1b}', '\u{202e}']), "{reason}");
    assert!(reason.contains("novel-gate redo 'staging/-"), "{reason}");
}
