//! Restoring, forgetting, noting what others wrote, causes of a blocked record, warnings of `redo`.

use super::*;

#[test]
fn any_entry_is_restored_but_never_over_a_record_that_was_not_meant() {
    let book = Book::new();
    let first = record("codex", &json!({"platform": "tomato"}));
    let id = book.note(&packet(), (Reason::Seen, 10), &first);
    let back = format!("{RECORD} is back as it was in entry {id}.\n");
    assert_eq!(book.out(&["history", "--restore", &id]), back);
    assert_eq!(book.read(RECORD), Some(first.clone()));
    assert_eq!(book.reasons(), ["restored", "seen"]);

    book.put(RECORD, "other");
    let exists = book.run(&["history", "--restore", &id, "--json"]).json();
    assert_eq!((&exists["exit"], &exists["code"]), (&json!(6), &json!("record-exists")));
    let wrong = format!("--replace={}", "0".repeat(64));
    let changed = book.run(&["history", "--restore", &id, &wrong, "--json"]).json();
    assert_eq!((&changed["exit"], &changed["code"]), (&json!(6), &json!("record-changed")));
    assert_eq!(book.read(RECORD).as_deref(), Some("other"));

    let right = format!("--replace={}", novel_gate::store::sha256(b"other").to_uppercase());
    let json = book.run(&["history", "--restore", &id, &right, "--json"]).json();
    let hash = novel_gate::store::sha256(first.as_bytes());
    let message = format!("{RECORD} is back as it was in entry {id}.");
    let want = json!({"status": "restored", "exit": 0, "code": "restored", "message": message, "entry": id,
        "path": RECORD, "sha256": hash, "bytes": first.len(), "durable": true});
    assert_eq!(json, want);
    assert_eq!(book.reasons(), ["restored", "replaced", "restored", "seen"]);
    book.remove(RECORD);
    // Deleting it by hand is removing it: what went last comes back.
    assert_eq!(book.run(&["redo", "--undo", STEP]).exit, 0);
    assert_eq!(book.read(RECORD), Some(first.clone()));
    assert_eq!(book.run(&["redo", STEP]).exit, 0);
    book.put(RECORD, "another");
    book.out(&["history", "--restore", &id, "--replace"]);
    assert_eq!(book.read(RECORD), Some(first));
    assert_eq!(book.run(&["history", "--restore", "1e040499-5"]).exit, 1);
}

#[test]
fn forgetting_erases_one_gate_or_all_and_what_lies_there_is_not_noted_again() {
    let book = Book::new();
    let theirs = record("codex", &json!({"platform": "tomato"}));
    book.put(RECORD, &theirs);
    let mut other = packet();
    other["answer_path"] = json!("staging/b.json");
    book.note(&other, (Reason::Redone, 10), "{}");
    assert_eq!(book.reasons(), ["seen", "redone"]);
    assert_eq!(book.out(&["history", STEP, "--forget"]), "1 entry erased.\n");
    assert_eq!(book.reasons(), ["redone"]);
    let json = book.run(&["history", "--forget", "--json", "--lang", "zh-CN"]).json();
    let want = json!({"status": "erased", "exit": 0, "code": "erased", "entries": 1, "removed_records": 1,
        "kept_drafts": 0, "message": "已清除 1 条。其中有 1 份移走的记录，已无法再放回。"});
    assert_eq!(json, want);
    assert_eq!(book.reasons(), Vec::<String>::new());
    assert_eq!(book.read(RECORD), Some(theirs), "the record itself stays");
}

#[test]
fn records_of_others_are_noted_by_commands_that_look_but_not_by_what_executors_wait_for() {
    for line in [&["list"][..], &["show", STEP], &["history", STEP]] {
        let book = Book::new();
        book.put(RECORD, record("codex", &json!({"platform": "tomato"})));
        for no_trace in ["check", "wait"] {
            assert_eq!(book.run(&[no_trace, STEP]).exit, 0);
            assert!(!book.state().path().exists(), "{no_trace}");
        }
        assert_eq!(book.run(line).exit, 0);
        assert_eq!(book.run(line).exit, 0);
        let entries =
            novel_gate::store::history::search(&book.state(), &novel_gate::store::history::Search::default());
        let entries: Vec<_> = entries
            .expect("a history")
            .entries(&book.state())
            .map(|entry| entry.expect("it is read"))
            .collect();
        assert_eq!(entries.len(), 1, "{line:?}");
        assert_eq!((entries[0].reason, entries[0].answered_by.clone()), (Reason::Seen, Some("codex".into())));
    }
    let book = Book::new();
    book.put(RECORD, "torn");
    assert_eq!(book.run(&["redo", STEP]).exit, 0);
    assert_eq!(book.run(&["answer", STEP, "--by", "me", "--defaults"]).exit, 0);
    assert_eq!(book.reasons(), ["repaired", "redone"]);
}

#[test]
fn show_tells_why_a_record_does_not_fit_any_more() {
    let book = Book::new();
    book.put(RECORD, record("codex", &json!({"platform": "qidian", "drive": []})));
    let json = book.run(&["show", STEP, "--json"]).json();
    let left =
        "\"Drive\" (drive) is optional and was left blank; a blank answer must be left out altogether.";
    let want = json!([{"code": "not-left-out", "pointer": "/answers/drive", "change": null, "text": left}]);
    assert_eq!(json["causes"], want);

    book.put(RECORD, record("codex", &json!({"platform": "qidian"})));
    assert_eq!(book.run(&["show", STEP, "--json"]).json()["causes"], json!([]));
    book.put(PACKET, changed_packet().to_string());
    let json = book.run(&["show", STEP, "--json"]).json();
    let want = json!([
        {"code": "drift", "pointer": "", "change": null,
         "text": "The record fitted the questions when it was written; they have changed since."},
        {"code": "changed", "pointer": "/answers/platform", "change": "option-renamed",
         "text": "\"平台\" (platform): the option \"qidian\" is now called \"起点\"."},
        {"code": "changed", "pointer": "/answers/note", "change": "required", "text": "\"Note\" (note) must be answered now."}]);
    assert_eq!(json["causes"], want);
    let shown = book.out(&["show", STEP, "--lang", "zh-CN"]);
    let lines: Vec<&str> = shown.lines().skip_while(|line| *line != "原因：").take(4).collect();
    let want = [
        "原因：",
        "  写下记录时它符合当时的问题；此后问题变了。",
        "  “平台”（platform）：选项“qidian”现在叫“起点”。",
        "  “Note”（note）现在必答。",
    ];
    assert_eq!(lines, want);
}

#[test]
fn redo_warns_of_what_has_been_made_of_the_answers() {
    let book = Book::new();
    let theirs = record("codex", &json!({"platform": "tomato"}));
    book.put(RECORD, &theirs);
    let quiet = book.run(&["redo", STEP, "--json"]).json();
    assert_eq!(
        (&quiet["outputs"], &quiet["passed"], &quiet["warnings"]),
        (&json!([]), &json!(false), &json!([]))
    );

    book.put(RECORD, &theirs);
    book.put("staging/chapters/048.md", "# 第四十八章");
    book.put(".checkpoint.json", r#"{"last_completed_chapter": 48}"#);
    let ran = book.run(&["redo", RECORD]);
    assert_eq!(ran.exit, 0);
    let moved = format!("{RECORD} was moved to the history; the gate waits again. --undo puts it back.\n");
    assert_eq!(ran.out, moved);
    let warned = "novel-gate: The step has already made staging/chapters/048.md; it stays as it is and may not fit another \
                  answer.\nnovel-gate: The checkpoint has passed this step: the executor will not run it again by itself.\n";
    assert_eq!(ran.err, warned);
    let back = book.run(&["redo", "--undo", STEP]);
    assert_eq!((back.exit, back.err.as_str()), (0, ""));
    let json = book.run(&["redo", STEP, "--json", "--lang", "zh-CN"]).json();
    assert_eq!((&json["outputs"], &json["passed"]), (&json!(["staging/chapters/048.md"]), &json!(true)));
    let want = json!([
        "这一步已产出 staging/chapters/048.md；它们保持不变，可能与新的回答不符。",
        "检查点已越过这一步：执行器不会自行重新执行它。"
    ]);
    assert_eq!(json["warnings"], want);
    assert_eq!(book.read("staging/chapters/048.md").as_deref(), Some("# 第四十八章"));
}

#[test]
fn a_damaged_history_is_set_aside_and_named_by_whatever_command_finds_it() {
    for line in [&["list"][..], &["show", STEP], &["history"], &["redo", STEP]] {
        let book = Book::new();
        book.put(RECORD, record("codex", &json!({"platform": "tomato"})));
        fs::create_dir_all(book.state().path()).expect("a directory");
        fs::write(book.state().database(), "no database").expect("written");
        assert_eq!(book.run(&["check", STEP]).err, "", "check does not open it");
        let ran = book.run(line);
        assert_eq!(ran.exit, 0, "{line:?}: {}", ran.err);
        assert!(ran.err.contains("state.sqlite3 is damaged and was set aside as"), "{line:?}: {}", ran.err);
        assert!(book.state().database().with_extension("sqlite3.bad").is_file());
        assert_eq!(book.run(&["history"]).err, "", "once is enough");
    }
}

#[test]
fn a_history_of_a_newer_version_is_left_alone() {
    let book = Book::new();
    book.note(&packet(), (Reason::Seen, 10), "{}");
    let connection = rusqlite::Connection::open(book.state().database()).expect("a database");
    connection.pragma_update(None, "user_version", 99).expect("written");
    drop(connection);
    book.put(RECORD, record("codex", &json!({"platform": "tomato"})));
    assert_eq!((book.run(&["check", STEP]).exit, book.run(&["check", STEP]).err.as_str()), (0, ""));
    for line in [&["list"][..], &["show", STEP]] {
        let ran = book.run(line);
        assert!(
            ran.exit == 0 && ran.err.matches("newer novel-gate (format 99)").count() == 1,
            "{line:?}: {}",
            ran.err
        );
    }
    for line in [&["history", "--json"][..], &["redo", STEP, "--json"]] {
        let json = book.run(line).json();
        assert_eq!((&json["exit"], &json["code"]), (&json!(1), &json!("state-newer")), "{line:?}");
        assert!(json["message"].as_str().expect("words").contains("newer novel-gate (format 99)"), "{json}");
    }
    assert!(book.read(RECORD).is_some());
}
