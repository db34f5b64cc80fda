//! Redoing, undoing, remembering; what the executor made of a record, and a record that somebody replaced.

use super::*;

fn moved(status: &str, bytes: &[u8]) -> Value {
    let message = match status {
        "restored" => format!("{RECORD} is back, byte for byte."),
        _ => format!("{RECORD} was moved to the history; the gate waits again. --undo puts it back."),
    };
    json!({"status": status, "exit": 0, "code": status, "message": message, "path": RECORD, "sha256": sha256(bytes),
        "bytes": bytes.len(), "durable": true, "outputs": [], "passed": false, "also_opened": [], "warnings": []})
}

fn failed(exit: i32, code: &str, message: &str) -> Value {
    json!({"status": "error", "exit": exit, "code": code, "message": message, "at": null})
}

fn nothing_to_undo() -> Value {
    failed(3, "nothing-to-undo", "There is no removed record in the history.")
}

#[test]
fn redo_and_undo_go_back_and_forth_without_losing_a_byte() {
    for bad in [false, true] {
        let bytes = if bad {
            b"{\"torn\xff\x00".to_vec()
        } else {
            record(&json!({"platform": "tomato"})).to_string().into_bytes()
        };
        let clinic = Clinic::with(&bytes);
        assert_eq!(clinic.json(&["redo", STEP]), moved("removed", &bytes));
        assert_eq!(clinic.json(&["check", STEP])["status"], "waiting");
        let twice = failed(3, "no-record", "There is no record; the gate is waiting.");
        // By the gate and by the record that is gone.
        for name in [STEP, PACKET, RECORD, "./staging//novel-ask/a.answers.json"] {
            assert_eq!(clinic.json(&["redo", name]), twice, "{name}");
        }
        assert_eq!(clinic.json(&["redo", RECORD, "--undo"]), moved("restored", &bytes));
        assert_eq!(clinic.bytes().as_ref(), Some(&bytes));
        assert_eq!(clinic.json(&["redo", STEP, "--undo"]), nothing_to_undo());
        let kept = [("restored".to_owned(), !bad, bytes.clone()), ("redone".to_owned(), !bad, bytes.clone())];
        let kept: Vec<_> = kept.into_iter().collect();
        assert_eq!(clinic.history(), kept);
    }
    assert_eq!(Clinic::new().json(&["redo", STEP, "--undo"]), nothing_to_undo());
}

#[test]
fn another_name_of_a_record_keeps_its_bytes() {
    let clinic = Clinic::new();
    let first = clinic.answer("tomato", &[]);
    let other = clinic.path("copy.json");
    fs::hard_link(clinic.path(RECORD), &other).expect("linked");
    let second = clinic.answer("qidian", &["--replace"]);
    assert_ne!(first, second);
    assert_eq!(clinic.bytes(), Some(second));
    assert_eq!(clinic.json(&["redo", STEP])["status"], "removed");
    assert_eq!(fs::read(other).expect("the other name"), first);
}

#[test]
fn a_new_record_ends_the_undo_and_deleting_by_hand_is_redo_too() {
    let clinic = Clinic::new();
    let first = clinic.answer("tomato", &[]);
    assert_eq!(clinic.json(&["redo", STEP])["status"], "removed");
    let second = clinic.answer("qidian", &[]);
    assert_eq!(clinic.json(&["redo", STEP, "--undo"])["exit"], 6);
    assert_eq!(clinic.bytes().as_ref(), Some(&second));
    clinic.book.remove(RECORD);
    assert_eq!(
        clinic.json(&["redo", STEP, "--undo"]),
        moved("restored", &second),
        "what went last comes back"
    );
    assert_eq!(clinic.reasons(), ["restored", "answered", "redone", "answered"]);
    let oldest = clinic.ids().remove(3);
    let seen = format!("--replace={}", sha256(&second));
    let json = clinic.json(&["history", "--restore", &oldest, &seen]);
    let want = json!({"status": "restored", "exit": 0, "code": "restored", "entry": oldest, "path": RECORD,
        "message": format!("{RECORD} is back as it was in entry {oldest}."), "sha256": sha256(&first),
        "bytes": first.len(), "durable": true});
    assert_eq!(json, want);
    assert_eq!(clinic.bytes(), Some(first));
}

#[test]
fn what_the_step_has_made_is_named_before_anybody_wonders() {
    let bytes = record(&json!({"platform": "tomato"})).to_string();
    let clinic = Clinic::with(&bytes);
    clinic.put(OUTPUT, "# 第四十八章");
    clinic.put(".checkpoint.json", r#"{"last_completed_chapter": 48}"#);
    let (_, listed, _) = clinic.run(&["list"]);
    let line = format!(
        "answered  {STEP}  平台  {PACKET} (the checkpoint has passed it)\n0 waiting, 0 blocked, 0 malformed, 1 answered.\n"
    );
    assert_eq!(listed, line);
    let show = clinic.json(&["show", STEP]);
    let made = &show["expected_outputs"];
    assert_eq!(
        (&show["past"], made.as_array().map(Vec::len)),
        (&json!(true), Some(1)),
        "the record is no output"
    );
    assert_eq!(
        (&made[0]["path"], &made[0]["exists"], made[0]["modified"].is_string()),
        (&json!(OUTPUT), &json!(true), true)
    );
    let (exit, out, err) = clinic.run(&["redo", STEP]);
    let said = format!("{RECORD} was moved to the history; the gate waits again. --undo puts it back.\n");
    let warned = format!(
        "novel-gate: The step has already made {OUTPUT}; it stays as it is and may not fit another answer.\nnovel-gate: The checkpoint has \
         passed this step: the executor will not run it again by itself.\n"
    );
    assert_eq!((exit, out, err), (0, said, warned));
    assert_eq!(fs::read_to_string(clinic.path(OUTPUT)).expect("untouched"), "# 第四十八章");
}

#[test]
fn a_record_that_somebody_replaced_is_seen_and_ours_comes_back() {
    let clinic = Clinic::new();
    let ours = clinic.answer("qidian", &[]);
    let theirs = record(&json!({"platform": "tomato", "note": "执行者自己的"})).to_string().into_bytes();
    clinic.put(RECORD, &theirs);
    let show = clinic.json(&["show", STEP]);
    assert_eq!(
        (&show["record"]["answered_by"], &show["record_sha256"]),
        (&json!("codex"), &json!(sha256(&theirs)))
    );
    let ids = clinic.ids();
    assert_eq!(clinic.reasons(), ["seen", "answered"]);
    let exists = failed(6, "record-exists", "A record is already there; it is untouched.");
    assert_eq!(clinic.json(&["history", "--restore", &ids[1]]), exists);
    let changed = failed(6, "record-changed", "The record changed since it was looked at; it is untouched.");
    let wrong = format!("--replace={}", sha256(b"what the author looked at before"));
    assert_eq!(clinic.json(&["history", "--restore", &ids[1], &wrong]), changed);
    assert_eq!(clinic.bytes().as_ref(), Some(&theirs));
    let right = format!("--replace={}", sha256(&theirs));
    assert_eq!(clinic.json(&["history", "--restore", &ids[1], &right])["sha256"], sha256(&ours));
    let kept: Vec<_> = [("restored", &ours), ("replaced", &theirs), ("seen", &theirs), ("answered", &ours)]
        .map(|(reason, bytes)| (reason.to_owned(), true, bytes.clone()))
        .into();
    assert_eq!(clinic.history(), kept);
}

#[test]
fn the_past_is_searched_exported_and_erased() {
    let clinic = Clinic::new();
    clinic.answer("tomato", &["--set", "note=秘密 Plan"]);
    clinic.json(&["redo", STEP]);
    let at = clinic.answer("qidian", &[]);
    let at = serde_json::from_slice::<Value>(&at).expect("JSON")["answered_at"].clone();
    let found = |line: &[&str]| clinic.json(&[&["history"], line].concat())["count"].clone();
    for (line, count) in [
        (&["--search", "秘密　ＰＬＡＮ"][..], 2), // Full width, another space.
        (&["--search", "nothing of the kind"], 0),
        (&["--question", "note"], 3),
        (&["--question", "gone"], 0),
        (&["--since", "1h"], 3),
        (&["--until", "2026-01-01"], 0),
        (&[STEP, "--search", "qidian"], 1),
    ] {
        assert_eq!(found(line), count, "{line:?}");
    }
    let (_, markdown, _) = clinic.run(&["history", "--export", "-"]);
    let head = format!(
        "# Decisions\n\n## 平台\n\n- Step: `{STEP}`\n- Record: `{RECORD}`\n- Answered: human, {}\n\n### 平台\n\n发布到哪里？\n\n\
         - **qidian**: 起点\n\n### Drive\n\nWhat drives it?\n\n*Left blank.*\n\n### Note\n\nAnything else?\n\n*Left blank.*\n\n\
         ### Earlier\n\n",
        at.as_str().expect("a time")
    );
    assert!(markdown.starts_with(&head), "{markdown}");
    assert!(markdown.ends_with("(answered): `platform` = tomato; `note` = 秘密 Plan\n"), "{markdown}");
    let erased = json!({"status": "erased", "exit": 0, "code": "erased", "entries": 3, "removed_records": 1,
        "kept_drafts": 0, "message": "3 entries erased. Removed records among them: 1; they can no longer be restored."});
    assert_eq!(clinic.json(&["history", "--forget"]), erased);
    assert_eq!(clinic.json(&["history"])["count"], 0, "what lies there is not noted again");
    assert!(clinic.bytes().is_some());
}
