//! Drafts without their gates, from the command line.

use crate::project::Book;
use novel_gate::ask::{Draft, decode_packet};
use novel_gate::store::drafts::{DraftJob, Drafts};
use novel_gate::store::{Project, StateDir};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Keeps words for the gate of a packet, as a process that has ended, and takes the packet away.
fn lose(book: &Book, name: &str, words: &str) {
    book.put_packet(name, &format!("staging/{name}.json"));
    let shown = format!("staging/manifests/{name}.packet.json");
    let path = book.root().join(&shown);
    let packet = decode_packet(&fs::read(&path).expect("read")).expect("a packet");
    let gate = packet.gate.expect("a gate");
    let mut draft = Draft::new(&gate.spec);
    draft.replies[0].type_text(words);
    let job = DraftJob {
        packet: shown,
        step: packet.step,
        answer_path: gate.answer_path,
        spec: gate.spec,
        draft,
        orphans: Vec::new(),
        at: 0,
        saved_at: "2026-02-27T10:12:34.000Z".into(),
    };
    let project = Project::open(&book.root()).expect("the project");
    let state = StateDir::new(&book.state(), &project);
    Drafts::new(&state).save(&job).expect("kept");
    change(state.database(), "UPDATE drafts SET pid = 0");
    fs::remove_file(path).expect("removed");
}

fn change(database: &Path, sql: &str) {
    rusqlite::Connection::open(database).expect("opened").execute_batch(sql).expect("changed");
}

/// Whether words are in the database or its log.
fn is_in(database: &Path, words: &str) -> bool {
    let mut bytes = fs::read(database).expect("the file");
    bytes.extend(fs::read(database.with_extension("sqlite3-wal")).unwrap_or_default());
    bytes.windows(words.len()).any(|part| part == words.as_bytes())
}

fn steps(json: &Value) -> Vec<String> {
    let kept = json["kept_drafts"].as_array().expect("a list").iter();
    kept.map(|kept| kept["step"].as_str().expect("a step").to_owned()).collect()
}

#[test]
fn a_draft_can_be_reached_by_commands_as_long_as_it_exists() {
    let book = Book::new();
    lose(&book, "one", "\u{3000}雨停之前\n\u{1b}[31m第二行\u{202e}");
    lose(&book, "two", "另一份");
    assert_eq!(steps(&book.run(&["list", "--all", "--json"]).json()), ["step:two", "step:one"]);
    let listed = book.run(&["list"]).out;
    assert!(listed.contains("Drafts without their gates: 2") && !listed.contains("step:one"), "{listed}");
    assert!(!book.run(&["list", "--status", "waiting"]).out.contains("Drafts without"));
    for name in ["step:one", "one", "staging/manifests/one.packet.json", "staging/one.json"] {
        let shown = book.run(&["show", name]);
        assert_eq!(shown.exit, 0, "{name}: {}", shown.err);
        assert!(shown.out.contains("\u{3000}雨停之前\n      ␛[31m第二行‹U+202E›"), "{name}: {}", shown.out);
        assert!(!shown.out.contains("另一份"), "{name}: {}", shown.out);
        let json = book.run(&["show", name, "--json"]).json();
        assert_eq!((&json["status"], steps(&json)), (&"kept".into(), vec!["step:one".to_owned()]));
        let values = &json["kept_drafts"][0]["said"][0]["values"][0];
        assert_eq!(values, "\u{3000}雨停之前\n\u{1b}[31m第二行\u{202e}", "exactly as it was typed");
        assert_eq!(steps(&book.run(&["history", name, "--json"]).json()), ["step:one"], "{name}");
    }
    for (words, found) in [("雨停", 1), ("一份", 1), ("step", 2), ("ytzq", 1), ("没有的", 0)] {
        assert_eq!(
            steps(&book.run(&["history", "--search", words, "--json"]).json()).len(),
            found,
            "{words}"
        );
    }
    let markdown = book.run(&["history", "--export", "-"]).out;
    assert!(markdown.contains("另一份") && markdown.contains("> \u{3000}雨停之前\n"), "{markdown}");
    let none = book.run(&["show", "step:three"]);
    assert_eq!((none.exit, none.out.as_str()), (1, ""));
    // The packet is back: it is the gate's again, and no history.
    book.put_packet("one", "staging/one.json");
    assert_eq!(steps(&book.run(&["list", "--all", "--json"]).json()), ["step:two"]);
    assert!(book.run(&["list"]).out.contains("(draft 1/1)"));
    assert!(book.run(&["show", "step:one", "--json"]).json()["kept_drafts"] == serde_json::json!([]));
}

#[test]
fn forgetting_erases_drafts_without_gates_and_no_others() {
    let book = Book::new();
    for name in ["live", "open", "unsure", "one", "two"] {
        lose(&book, name, &format!("words of {name}"));
    }
    book.put_packet("live", "staging/live.json");
    let project = Project::open(&book.root()).expect("the project");
    let database = StateDir::new(&book.state(), &project).database().to_owned();
    // Another console has this one open: the test itself stands for it.
    change(&database, &format!("UPDATE drafts SET pid = {} WHERE step = 'step:open'", std::process::id()));
    // Nobody can say whether this packet is there.
    let name = "x".repeat(300);
    change(&database, &format!("UPDATE drafts SET packet = '{name}' WHERE step = 'step:unsure'"));
    // While somebody else has the file open, its log stays.
    let reader = rusqlite::Connection::open(&database).expect("opened");
    let count = || reader.query_row("SELECT count(*) FROM drafts", [], |row| row.get::<_, i64>(0));
    assert_eq!(count(), Ok(5));
    let told = book.run(&["history", "step:one", "--forget"]).out;
    assert!(told.contains("Kept drafts erased: 1"), "{told}");
    assert_eq!((count(), is_in(&database, "words of one")), (Ok(4), false), "no word of it is in any file");
    drop(reader);
    let told = book.run(&["history", "--forget", "--json"]).json();
    assert_eq!(told["kept_drafts"], 1, "{told}");
    assert!(told["message"].as_str().is_some_and(|says| says.contains("not erased: 2")), "{told}");
    let left = ["two", "live", "open", "unsure"].map(|name| is_in(&database, &format!("words of {name}")));
    assert_eq!(left, [false, true, true, true]);
    assert!(book.run(&["list"]).out.contains("(draft 1/1)"));
}

#[test]
fn a_long_draft_is_shown_whole() {
    let book = Book::new();
    lose(&book, "long", &"雨停之前。".repeat(70_000));
    let shown = book.run(&["show", "step:long"]).out;
    assert!(shown.len() > 1_000_000 && shown.ends_with("雨停之前。\n"));
    assert_eq!(steps(&book.run(&["history", "--search", "雨停之前。雨停", "--json"]).json()), ["step:long"]);
}
