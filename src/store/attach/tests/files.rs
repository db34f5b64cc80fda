//! The packet's file: what stays as it is, and what is not touched.

use super::*;
use crate::platform::testing::{give_up_privileges, mode, set_mode, symlink};
use crate::text::Lang;

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn nothing_but_the_gate_changes() {
    let laid_out = "{\n  \"version\": 1.0,\n  \"step\": \"chapter:048:draft\",\n  \"agent\": {\"name\": \"codex\"},\n  \"manifest\": {\"z\": [1e3, \"\\u96e8\"]},\n  \"expected_outputs\": [\n    {\"path\": \"chapters/048.md\", \"required\": true}\n  ],\n  \"next_actions\": []\n}\n";
    for (packet, permissions) in
        [(laid_out, 0o640), (BARE, 0o600), (r#"{"step":"chapter:048:draft"}"#, 0o664)]
    {
        let book = Book::new().ask("a", DRAFT).packet(packet);
        set_mode(&book.path(), permissions);
        let facts = || {
            let meta = fs::metadata(book.path()).expect("a packet");
            (mode(&book.path()), meta.modified().expect("a time"))
        };
        let before = facts();
        book.attach();
        assert_eq!(facts(), before);
        assert_ne!(book.text(), packet);
        let without = crate::ask::splice::with_gate(book.text().as_bytes(), None).expect("a packet");
        assert_eq!(String::from_utf8(without).expect("text"), packet);
        // The executor writes it anew, and it gets the same again.
        let attached = book.text();
        fs::write(book.path(), packet).expect("written");
        book.attach();
        assert_eq!(book.text(), attached);
        assert_eq!(book.book.names("staging/manifests"), ["one.packet.json"]);
    }
}

#[test]
fn however_a_question_is_spelled_it_is_attached_once() {
    let spelled = [
        question(DRAFT).replace("\"?\"", "\"?\", \"question\": \"!\""),
        question(DRAFT).replace("\"topic\": \"t\"", "\"topic\": \"x\", \"topic\": \"\\u0074\""),
        question(DRAFT).replace("\"?\"", "\"\\ud83d\\ude00 \\ud800 \u{2028} \\u0000\""),
        question(DRAFT).replace("\"version\": 1,", "\"version\": 1.0e0,"),
        question(DRAFT).replace("\"id\": \"q\"", "\"_deep\": [[{\"_steps\": [\"novel_ask\"]}]], \"id\": \"q\""),
        question(DRAFT).replace('\n', "\r\n\t"),
        question(DRAFT).replace(
            r#""kind": "free_text", "required": true"#,
            r#""kind": "single_choice", "required": true, "allow_other": false, "default": "b",
                "options": [{"label": "a", "description": "\"answer_path\""}, {"label": "b", "description": "}]"}]"#,
        ),
    ];
    for text in spelled {
        let book = Book::new().put("questions/a.question.json", &text).packet(BARE);
        let found = Questions::read(&book.book.project);
        assert!(found.standing("a").is_some(), "{text}: {:?}", found.files);
        assert_eq!(book.attach(), "a-chapter-048-draft", "{text}");
    }
}

/// What is said of a packet into which no question can be put.
fn held(book: &Book, refusal: Refusal) {
    let before = fs::read(book.path()).expect("a packet");
    let loaded = book.load();
    assert_eq!(
        (loaded.status(), loaded.refusal, loaded.is_unattached),
        (Status::Waiting, Some(refusal), true)
    );
    let error = attach(&book.book.project, &book.path()).expect_err("refused");
    assert_eq!(error.kind, ExitCode::Malformed);
    assert!(error.text(Lang::ZhCn).contains(refusal.text(Lang::ZhCn)), "{error}");
    let project = Arc::new(Project::open(book.book.project.root()).expect("a project"));
    let entries = scan::look(&project, SystemTime::now()).entries();
    let entry = entries.iter().find(|entry| *entry.path == *Path::new(PACKET)).expect("an entry");
    assert_eq!((entry.status, entry.refusal, entry.is_unattached), (Status::Waiting, Some(refusal), true));
    assert_eq!(fs::read(book.path()).expect("a packet"), before);
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn links_other_names_and_closed_files_are_refused_and_held() {
    let book = Book::asking();
    set_mode(&book.path(), 0o400);
    held(&book, Refusal::PacketReadOnly);
    set_mode(&book.path(), 0o600);
    let other = book.book.at("staging/manifests/other.json");
    fs::hard_link(book.path(), &other).expect("linked");
    held(&book, Refusal::PacketShared);
    fs::remove_file(book.path()).expect("gone");
    symlink("other.json", book.path()).expect("linked");
    held(&book, Refusal::PacketLinked);
    assert!(fs::symlink_metadata(book.path()).expect("a link").is_symlink());
    fs::remove_file(book.path()).expect("gone");
    fs::rename(other, book.path()).expect("renamed");
    assert_eq!(book.attach(), "a-chapter-048-draft");
    // What carries its question needs no change, whatever it is.
    set_mode(&book.path(), 0o400);
    assert_eq!((book.load().refusal, attach(&book.book.project, &book.path())), (None, Ok(false)));
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_packet_that_cannot_be_changed_is_held_and_said() {
    give_up_privileges();
    let book = Book::asking();
    let dir = book.book.at("staging/manifests");
    set_mode(&dir, 0o500);
    let error = attach(&book.book.project, &book.path()).expect_err("closed");
    set_mode(&dir, 0o700);
    assert_eq!((error.kind, error.code), (ExitCode::Failed, "attach-failed"));
    assert_eq!(book.text(), BARE);
    // No UTF-8, and JSON all the same for whoever reads it as novel-writer-cli does.
    let mut bytes = BARE.as_bytes().to_vec();
    bytes.splice(1..1, b"\"manifest\": \"\xff\", ".iter().copied());
    fs::write(book.path(), &bytes).expect("written");
    held(&book, Refusal::PacketEncoding);
    for odd in ["{", "[]", r#"{"step": "chapter:048:draft", "novel_ask": {}}"#] {
        fs::write(book.path(), odd).expect("written");
        assert_eq!(attach(&book.book.project, &book.path()), Ok(false), "{odd}");
        assert_eq!(book.text(), odd);
    }
    assert_eq!(book.book.names("staging/manifests"), ["one.packet.json"]);
}
