//! Why a step is blocked, and the way to a good record; packets that change; packets in conflict.

use super::*;

/// A bad record, its cause as programs know it, and in words.
type Case = (Vec<u8>, &'static str, &'static str);

/// The file as a whole is no record.
fn bad_files() -> Vec<Case> {
    let whole = record(&json!({"platform": "tomato"})).to_string().into_bytes();
    vec![
        (Vec::new(), "empty", "The file is empty: it was made and never written, or a full disk emptied it."),
        (
            whole[..whole.len() / 2].to_vec(),
            "cut-off",
            "The file stops in line 1, inside a value: it was cut off while it was written.",
        ),
        (
            [b"\xef\xbb\xbf", &whole[..]].concat(),
            "byte-order-mark",
            "There is a byte order mark before the JSON; an editor put it there.",
        ),
        (
            [b"```json\n", &whole[..], b"\n```\n"].concat(),
            "code-fence",
            "The JSON is inside a Markdown code block: the lines with ``` are part of the file.",
        ),
        (
            b"not found".to_vec(),
            "not-json",
            "The file is not JSON from line 1 on: it is another program's text, or an edit went wrong.",
        ),
        (
            b"<html>".to_vec(),
            "html-page",
            "The file is a web page: whoever fetched it got a page instead of the JSON.",
        ),
        (b"platform: tomato\nnote: x\n".to_vec(), "yaml", "The file is YAML; a record is JSON."),
        (b"[]".to_vec(), "not-an-object", "The file is JSON, but not an object, as a record is."),
        (
            br#"{"title":"x"}"#.to_vec(),
            "foreign",
            "The file is JSON of another kind: it has none of a record's members.",
        ),
        (packet().to_string().into_bytes(), "packet", "The file holds the questions instead of the answers."),
        (
            br#"{"platform":"tomato"}"#.to_vec(),
            "bare-answers",
            "The answers are at the top of the file, without version, topic, answers, answered_at and answered_by around them.",
        ),
    ]
}

/// The record, or its answers, are inside another document.
fn wrapped_files() -> Vec<Case> {
    let whole = record(&json!({"platform": "tomato"})).to_string().into_bytes();
    vec![
        (
            [b"[", &whole[..], b"]"].concat(),
            "wrapped",
            "The record lies inside a list, at /0; whoever writes the file is to write it alone.",
        ),
        (
            [br#"{"ok":true,"data":"#, &whole[..], b"}"].concat(),
            "wrapped",
            "The record lies inside /data; whoever writes the file is to write it alone.",
        ),
        (
            [
                b"[",
                &whole[..],
                b",",
                &packet().to_string().replace("novel_ask", "answers").into_bytes(),
                b"]",
            ]
            .concat(),
            "several-records",
            "The file holds 2 records; keep one, and write it alone.",
        ),
        (
            br#"[{"id":"platform","answer":"tomato"}]"#.to_vec(),
            "listed-answers",
            "The file is a list of answers, without the rest of a record.",
        ),
    ]
}

/// A member or an answer is wrong.
fn bad_members() -> Vec<Case> {
    let with = |answers: Value| record(&answers).to_string().into_bytes();
    let set = |key: &str, value: Value| {
        let mut record = record(&json!({"platform": "tomato"}));
        record[key] = value;
        record.to_string().into_bytes()
    };
    vec![
        (
            set("version", json!(2)),
            "other-version",
            "The record is for version 2 of the questions; the gate asks version 1.",
        ),
        (
            set("topic", json!("别的")),
            "other-topic",
            "The record's topic is \"别的\"; the gate's is \"平台\". It may answer another gate.",
        ),
        (
            set("answered_at", json!("2026-01-02")),
            "bad-time",
            "answered_at is \"2026-01-02\": not a date and time with a zone, such as 2026-02-27T10:12:34Z.",
        ),
        (
            set("notes", json!("x")),
            "unknown-field",
            "Records have no member \"notes\"; remarks go into members that begin with _.",
        ),
        (
            with(json!({"platform": "qidain"})),
            "not-an-option",
            "\"平台\" (platform): \"qidain\" is not one of the options; the nearest is \"qidian\".",
        ),
        (
            with(json!({"platform": "起点"})),
            "not-an-option",
            "\"平台\" (platform): \"起点\" is the description of the option \"qidian\", not its label.",
        ),
        (
            with(json!({"platform": ["tomato"]})),
            "wrong-type",
            "\"平台\" (platform) is single choice: its answer is one string, not a list, number or object.",
        ),
        (
            with(json!({"platform": "tomato", "drive": ["plot", "plot"]})),
            "duplicate",
            "\"Drive\" (drive) names \"plot\" twice.",
        ),
        (
            with(json!({"platform": "tomato", "drive": []})),
            "not-left-out",
            "\"Drive\" (drive) is optional and was left blank; a blank answer must be left out altogether.",
        ),
        (
            with(json!({"platform": "tomato", "notes": "x"})),
            "unknown-question",
            "\"notes\" is no question of this gate; note may be meant.",
        ),
        (with(json!({})), "unanswered", "\"平台\" (platform) has no answer, and one is required."),
    ]
}

#[test]
fn every_kind_of_bad_record_is_explained_and_replaced_only_as_it_was_seen() {
    for (bad, code, words) in bad_files().into_iter().chain(wrapped_files()).chain(bad_members()) {
        let clinic = Clinic::with(&bad);
        let name = String::from_utf8_lossy(&bad).into_owned();
        let check = clinic.json(&["check", STEP]);
        assert_eq!((&check["status"], &check["exit"]), (&json!("blocked"), &json!(4)), "{name}");
        assert!(check["problems"].as_array().is_some_and(|problems| !problems.is_empty()), "{name}");

        let show = clinic.json(&["show", STEP]);
        let causes = show["causes"].as_array().expect("a list");
        assert_eq!(
            (causes.len(), &causes[0]["code"], &causes[0]["text"]),
            (1, &json!(code), &json!(words)),
            "{name}"
        );
        assert_eq!(
            (&show["problems"], &show["record_sha256"]),
            (&check["problems"], &json!(sha256(&bad))),
            "{name}"
        );
        assert_eq!((&show["same_gate"], &show["conflicts"]), (&json!([]), &json!([])), "{name}");
        let (_, shown, _) = clinic.run(&["show", STEP]);
        assert!(shown.contains(&format!("Causes:\n  {words}\n")), "{shown}");

        if code == "packet" {
            // What asks something is a packet wherever it lies, and nothing takes it away.
            let refused = clinic.json(&["answer", STEP, "--defaults", "--by", "human", "--replace"]);
            assert_eq!((&refused["exit"], &refused["refusal"]), (&json!(5), &json!("packet")), "{refused}");
            assert_eq!(clinic.bytes(), Some(bad));
            continue;
        }

        // Nothing replaces it unseen.
        let there = clinic.json(&["answer", STEP, "--defaults", "--by", "human"]);
        let want = json!({"status": "exists", "exit": 6, "code": "record-exists", "packet": PACKET, "problems": [],
            "message": "A record is already there; it is untouched. To answer again, use redo first.", "valid": false,
            "sha256": sha256(&bad), "answered_by": null, "answered_at": null, "conflicts": []});
        assert_eq!(there, want, "{name}");
        let other = format!("--replace={}", sha256(b"another"));
        let mut changed = want;
        changed["status"] = json!("changed");
        changed["code"] = json!("record-changed");
        changed["message"] = json!("The record changed since it was looked at; it is untouched.");
        assert_eq!(clinic.json(&["answer", STEP, "--defaults", "--by", "human", &other]), changed, "{name}");
        assert_eq!(clinic.bytes().as_ref(), Some(&bad));

        let seen = format!("--replace={}", sha256(&bad));
        let json = clinic.json(&["answer", STEP, "--defaults", "--by", "human", &seen]);
        let bytes = written("tomato", json["answered_at"].as_str().expect("a time"));
        assert_eq!(clinic.bytes(), Some(bytes.clone().into_bytes()), "{name}");
        let want = json!({"status": "written", "exit": 0, "code": "written", "packet": PACKET, "answer_path": RECORD,
            "message": format!("{RECORD} is written; the gate is open."),
            "answered_by": "human", "answered_at": json["answered_at"], "path": RECORD, "sha256": sha256(bytes.as_bytes()),
            "bytes": bytes.len(), "durable": true,
            "record": serde_json::from_str::<Value>(&bytes).expect("JSON"), "next_question": null});
        assert_eq!(json, want, "{name}");
        assert_eq!(clinic.json(&["check", STEP])["status"], "open");
        let kept = clinic.history();
        let want = [
            ("repaired".to_owned(), true, bytes.into_bytes()),
            ("replaced".to_owned(), false, bad.clone()),
            ("seen".to_owned(), false, bad),
        ];
        assert_eq!(kept, want, "{name}");
    }
}

#[test]
fn a_dry_run_says_what_would_be_written() {
    let clinic = Clinic::new();
    let json = clinic.json(&["answer", STEP, "--defaults", "--by", "human", "--dry-run"]);
    let want = json!({"status": "valid", "exit": 0, "code": "valid", "packet": PACKET, "answer_path": RECORD,
        "message": "These answers are valid; nothing was written.", "answered_by": "human",
        "answered_at": json["answered_at"], "record": json["record"]});
    assert_eq!(json, want);
    assert_eq!(clinic.bytes(), None);
}

#[test]
fn a_packet_that_changes_blocks_its_record_and_says_which_change_did_it() {
    let clinic = Clinic::new();
    let first = clinic.answer("tomato", &[]);
    // What alters nothing in the gate disturbs nothing.
    let mut same = packet();
    same["novel_ask"]["_why"] = json!("别的说明");
    same["agent"] = json!("other");
    clinic.put(PACKET, format!("{same:#}"));
    assert_eq!(clinic.json(&["check", STEP])["status"], "open");
    assert_eq!(clinic.reasons(), ["answered"]);

    let mut other = same.clone();
    other["novel_ask"]["questions"][0]["options"][1]["label"] = json!("番茄");
    other["novel_ask"]["questions"][0]["default"] = json!("番茄");
    other["novel_ask"]["questions"][2]["required"] = json!(true);
    clinic.put(PACKET, other.to_string());
    let want = json!([
        {"code": "drift", "pointer": "", "change": null,
         "text": "The record fitted the questions when it was written; they have changed since."},
        {"code": "changed", "pointer": "/answers/platform", "change": "option-renamed",
         "text": "\"平台\" (platform): the option \"tomato\" is now called \"番茄\"."},
        {"code": "changed", "pointer": "/answers/note", "change": "required",
         "text": "\"Note\" (note) must be answered now."}]);
    assert_eq!(clinic.json(&["show", STEP])["causes"], want);
    assert_eq!(clinic.json(&["check", STEP])["exit"], 4);

    let seen = format!("--replace={}", sha256(&first));
    let (exit, out, err) = clinic.run(&["answer", STEP, "--by", "human", "--set", "platform=tomato", &seen]);
    assert_eq!((exit, out.as_str()), (4, ""));
    assert!(err.starts_with("novel-gate: These answers are not valid; nothing was written.\n"), "{err}");
    assert_eq!(clinic.bytes(), Some(first.clone()), "what was bad stays until something good is there");
    let second = clinic.answer("番茄", &["--set", "note=是的", &seen]);
    let kept = clinic.history();
    let want = [
        ("repaired".to_owned(), true, second),
        ("replaced".to_owned(), false, first.clone()),
        ("answered".to_owned(), true, first),
    ];
    assert_eq!(kept, want);
    // Each entry has the questions as they were, members of others included.
    let json = clinic.json(&["history"]);
    let asked: Vec<&Value> =
        json["entries"].as_array().expect("a list").iter().map(|entry| &entry["novel_ask"]).collect();
    assert_eq!(asked, [&other["novel_ask"], &other["novel_ask"], &packet()["novel_ask"]]);
}

#[test]
fn two_packets_in_one_place_are_told_before_and_refused_after_the_answers() {
    let clinic = Clinic::new();
    let mut other = packet();
    other["step"] = json!("chapter:048:review");
    other["novel_ask"]["topic"] = json!("别的");
    other["answer_path"] = json!("./staging/novel-ask//a.answers.json");
    let rival = "staging/manifests/rival.packet.json";
    clinic.put(rival, other.to_string());
    let (exit, out, err) = clinic.run(&["list"]);
    let conflict = |name: &str| {
        format!(
            "  Conflict with {name}: it wants different answers in the same place; one record cannot answer both.\n"
        )
    };
    assert_eq!((exit, err.as_str()), (0, ""));
    assert!(out.contains(&conflict(rival)) && out.contains(&conflict(PACKET)), "{out}");
    assert!(out.ends_with("2 waiting, 0 blocked, 0 malformed, 0 answered.\n"), "{out}");

    let json = clinic.json(&["answer", STEP, "--defaults", "--by", "human"]);
    let message = format!(
        "{PACKET} and {rival} want different answers in the same place, {RECORD}. A record for the first would \
         leave the other blocked; nothing was written. Have one of them rewritten with a place of its own, or remove the \
         one you do not need."
    );
    let want = json!({"status": "conflict", "exit": 5, "code": "conflict", "message": message, "packet": PACKET,
        "conflicts": [rival], "problems": []});
    assert_eq!(json, want);
    assert_eq!((clinic.bytes(), clinic.reasons()), (None, Vec::new()));
    clinic.book.remove(rival);
    clinic.answer("tomato", &[]);
}

#[test]
fn redoing_a_record_that_opened_another_packet_too_says_so() {
    let clinic = Clinic::new();
    let bytes = clinic.answer("tomato", &[]);
    let mut other = packet();
    other["step"] = json!("chapter:048:review");
    other["novel_ask"]["questions"][2]["header"] = json!("别的");
    let rival = "staging/manifests/rival.packet.json";
    clinic.put(rival, other.to_string());
    let (exit, out, err) = clinic.run(&["redo", STEP, "--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((exit, err.as_str(), &json["also_opened"]), (0, "", &json!([rival])));
    let warning = format!("The same record has opened {rival}, which waits again too.");
    assert_eq!(json["warnings"], json!([warning]));
    assert_eq!(json["sha256"], sha256(&bytes));
}
