//! What sync programs, file managers and editors leave beside a packet.

use crate::sandbox::Sandbox;
use serde_json::{Value, json};

const PACKET: &str = "staging/manifests/chapter-013-draft.packet.json";
const COPY: &str = "staging/manifests/chapter-013-draft.packet (conflicted copy 2026-11-26).json";

fn packet(topic: &str) -> String {
    let packet = json!({"step": "chapter:013:draft", "answer_path": "staging/novel-ask/13.answers.json",
        "novel_ask": {"version": 1, "topic": topic, "questions": [
            {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    serde_json::to_string_pretty(&packet).expect("JSON")
}

fn gates(book: &Sandbox) -> Vec<Value> {
    let listed: Value = serde_json::from_str(&book.run(["list", "--json"]).stdout).expect("JSON");
    listed["gates"].as_array().expect("gates").clone()
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn a_copy_stands_in_no_gates_way_and_is_shown_once() {
    let book = Sandbox::new();
    book.put(PACKET, packet("平台绑定"));
    for copy in [
        COPY,
        "staging/manifests/chapter-013-draft (1).packet.json",
        "staging/manifests/chapter-013-draft copy.packet.json",
        "staging/manifests/chapter-013-draft-副本.packet.json",
        "staging/manifests/chapter-013-draft_备份.packet.json",
        "staging/manifests/chapter-013-draft.packet.sync-conflict-20261126-101112-ABCDEFG.json",
    ] {
        book.put(copy, packet("平台"));
        let gates = gates(&book);
        assert_eq!(gates.len(), 2, "{gates:?}");
        assert_eq!((&gates[0]["status"], &gates[0]["conflicts"]), (&json!("waiting"), &json!([])), "{copy}");
        assert_eq!((&gates[1]["packet"], &gates[1]["note"]), (&json!(copy), &json!("copy")));
        let problem = gates[1]["problem"].as_str().expect("a problem");
        assert!(
            problem.contains("a copy of chapter-013-draft.packet.json that differs from line"),
            "{problem}"
        );
        let linted = book.run(["lint", "staging"]);
        assert_eq!(linted.code, Some(0), "{linted:?}");
        assert!(linted.stdout.contains("[copy]") && !linted.stdout.contains("shared"), "{linted:?}");
        book.put(copy, packet("平台绑定"));
        assert!(
            self::gates(&book)[1]["problem"]
                .as_str()
                .is_some_and(|text| text.contains("the same byte for byte"))
        );
        std::fs::remove_file(book.path(copy)).expect("removed");
    }
    book.put(COPY, packet("平台"));
    let said = book.run(["list"]).stdout;
    assert_eq!(said.matches("(conflicted copy").count(), 1, "{said}");
    let answered = book.run(["answer", "chapter:013:draft", "--set", "a=x", "--by", "human"]);
    assert_eq!(answered.code, Some(0), "{answered:?}");
    assert_eq!(gates(&book).iter().map(|gate| gate["status"].clone()).collect::<Vec<_>>(), ["open", "open"]);
    let mut terminal = book.console(80, 24);
    terminal.wait_for_text("≈ chapter-013-draft.packet …");
    terminal.wait_for_text("≈ copy");
    terminal.press("enter");
    terminal.wait_for_wrapped_text("keep what is right in the original, and delete the copy.");
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
}

#[test]
fn without_its_packet_every_copy_asks() {
    let book = Sandbox::new();
    for (at, name) in
        ["X.packet(1)", "X(1).packet", "X.packet - Copy", "X - Copy.packet", "X-副本.packet", "X.packet 副本"]
            .into_iter()
            .enumerate()
    {
        let copy = format!("staging/manifests/{}.json", name.replace('X', &format!("chapter-02{at}-draft")));
        book.put(&copy, packet("t").replace("13", &format!("2{at}")));
        let found = gates(&book);
        assert!(found.iter().all(|gate| gate["status"] == "waiting"), "{copy}: {found:?}");
        assert_eq!(book.run(["check", &copy]).stdout.lines().count(), 1, "{copy}");
    }
    book.put(COPY, packet("t"));
    let linted = book.run(["lint", COPY]).stdout;
    assert!(!linted.contains("[copy]"), "{linted}");
    book.put(PACKET, packet("t"));
    for line in [["check", COPY], ["show", COPY], ["lint", COPY]] {
        let said = book.run(line).stdout;
        assert!(said.contains("found a copy of chapter-013-draft.packet.json, the same"), "{line:?}: {said}");
    }
    assert_eq!(book.run(["check", COPY]).code, Some(3), "by its path it is what it says");
}

const MISNAMED: [&str; 12] = [
    "X.packet.json.txt",
    "X.PACKET.JSON",
    "X.Packet.json",
    "X.packet.JSON.TXT",
    "X.packet.json.json",
    "X.packet.json ",
    "X.packet.json.",
    "X.packet",
    "X.packet.txt",
    "X.packet.jsonc",
    "X．packet．json",
    "X.packet。json",
];

#[test]
#[cfg_attr(windows, ignore = "names that differ in case are one there")]
fn a_packet_under_a_wrong_name_asks_nothing_and_its_name_is_said() {
    let book = Sandbox::new();
    for name in MISNAMED {
        let path =
            PACKET.replace("chapter-013-draft.packet.json", &name.replacen('X', "chapter-013-draft", 1));
        book.put(&path, packet("平台"));
        let listed: Value = serde_json::from_str(&book.run(["list", "--json"]).stdout).expect("JSON");
        let gate = &listed["gates"][0];
        assert_eq!((&gate["packet"], &gate["note"]), (&json!(path), &json!("misnamed")), "{listed}");
        assert_eq!((&listed["waiting"], &listed["unseen"]), (&json!(0), &json!(1)), "{name}");
        for line in [&["list"][..], &["lint", "staging"], &["check", &path], &["show", &path]] {
            let said = book.run(line).stdout;
            assert!(said.contains("Rename the file to chapter-013-draft.packet.json."), "{line:?}: {said}");
        }
        assert!(book.run(["list"]).stdout.contains(", 1 unseen by the executor, 0 answered."), "{name}");
        assert_eq!(book.run(["answer", "chapter:013:draft", "--set", "a=x", "--by", "human"]).code, Some(1));
        book.put(PACKET, packet("平台绑定"));
        let found = gates(&book);
        assert_eq!((&found[0]["status"], &found[1]["note"]), (&json!("waiting"), &json!("copy")), "{name}");
        std::fs::remove_file(book.path(PACKET)).expect("removed");
        std::fs::remove_file(book.path(&path)).expect("removed");
    }
}

#[test]
#[cfg_attr(windows, ignore = "names that differ in case are one there")]
fn a_packet_under_a_wrong_name_is_told_where_a_standing_question_would_be_asked() {
    let book = Sandbox::new();
    let bare = r#"{"step": "chapter:013:draft", "agent": "writer"}"#;
    for name in MISNAMED {
        let path =
            PACKET.replace("chapter-013-draft.packet.json", &name.replacen('X', "chapter-013-draft", 1));
        book.put(&path, bare);
        assert_eq!(gates(&book), Vec::<Value>::new(), "{name}: nobody asks anything");
        let goal = serde_json::json!({"_steps": ["chapter:*:draft"], "version": 1, "topic": "目标", "questions": [
            {"id": "goal", "header": "目标", "question": "本章目标？", "kind": "free_text", "required": true}]});
        book.put("questions/goal.question.json", goal.to_string());
        let found = gates(&book);
        assert_eq!(
            (found.len(), &found[0]["packet"], &found[0]["note"]),
            (1, &json!(path), &json!("misnamed"))
        );
        book.run(["attach", &path]);
        assert_eq!(book.read(&path).expect("the packet"), bare.as_bytes());
        book.put(&path, bare.replace("draft", "review"));
        assert_eq!(gates(&book), Vec::<Value>::new(), "{name}: of this step nothing is asked");
        std::fs::remove_file(book.path(&path)).expect("removed");
        std::fs::remove_file(book.path("questions/goal.question.json")).expect("removed");
    }
}

#[test]
#[cfg_attr(windows, ignore = "names that differ in case are one there")]
fn a_question_under_a_wrong_name_asks_nothing_and_its_name_is_said() {
    let book = Sandbox::new();
    let goal = serde_json::json!({"_steps": ["chapter:*:draft"], "version": 1, "topic": "目标", "questions": [
        {"id": "goal", "header": "目标", "question": "本章目标？", "kind": "free_text", "required": true}]});
    let copies = [
        "X.question(1).json",
        "X.question - 副本.json",
        "X.question.sync-conflict-20261126-101010-ABCDEFG.json",
    ];
    for name in MISNAMED
        .iter()
        .map(|name| name.replace("packet", "question").replace("PACKET", "QUESTION"))
        .map(|name| name.replace("Packet", "Question"))
        .chain(copies.map(str::to_owned))
    {
        let path = format!("questions/{}", name.replacen('X', "tone", 1));
        book.put(&path, goal.to_string());
        for line in [&["questions"][..], &["list"], &["lint", "questions"]] {
            let said = book.run(line).stdout;
            assert!(
                said.contains("It asks nothing. Rename the file to tone.question.json."),
                "{line:?}: {said}"
            );
        }
        book.put("questions/tone.question.json", goal.to_string());
        for line in [&["questions"][..], &["list"], &["lint", "questions"]] {
            let said = book.run(line).stdout;
            assert!(said.contains("found a copy of tone.question.json, the same"), "{line:?}: {said}");
        }
        let listed: Value = serde_json::from_str(&book.run(["questions", "--json"]).stdout).expect("JSON");
        let asked = |at: usize| &listed["questions"][at]["asked"];
        assert_eq!((asked(0), asked(1)), (&json!(true), &json!(false)), "{listed}");
        std::fs::remove_file(book.path(&path)).expect("removed");
        std::fs::remove_file(book.path("questions/tone.question.json")).expect("removed");
    }
    for name in ["tone.question.json~", "tone.question.json.bak", "tone.md", "question.txt", ".question"] {
        book.put(&format!("questions/{name}"), goal.to_string());
    }
    let listed: Value = serde_json::from_str(&book.run(["questions", "--json"]).stdout).expect("JSON");
    assert_eq!(listed["questions"], json!([]));
}

#[test]
fn backups_under_no_name_of_a_packet_stay_unmentioned() {
    let book = Sandbox::new();
    for ending in [".bak", "~", ".orig", ".tmp", ".swp", ".old", ".1", ".part", ".crdownload", ".md"] {
        book.put(&format!("{PACKET}{ending}"), packet("t"));
    }
    for name in [".x.packet.json.txt", "~$x.packet.json.txt", "packet.txt", ".packet", "packets.txt"] {
        book.put(&format!("staging/manifests/{name}"), packet("t"));
    }
    assert_eq!(gates(&book), Vec::<Value>::new());
    assert!(!book.run(["lint", "staging"]).stdout.contains("packet"), "nothing is a packet");
}

#[test]
#[cfg_attr(windows, ignore = "small letters and capitals are one name there")]
fn a_packet_whose_file_goes_by_the_right_name_too_is_no_copy_of_itself() {
    let book = Sandbox::new();
    // As a file system has it that does not tell small letters from capitals.
    let capitals = PACKET.replace(".packet.json", ".PACKET.JSON");
    book.put(&capitals, packet("t"));
    std::fs::hard_link(book.path(&capitals), book.path(PACKET)).expect("another name");
    let found = gates(&book);
    assert_eq!((found.len(), &found[0]["packet"], &found[0]["note"]), (1, &json!(PACKET), &Value::Null));
    let linted = book.run(["lint", &capitals]).stdout;
    assert!(!linted.contains("[copy]") && !linted.contains("[misnamed]"), "{linted}");
}

#[test]
#[cfg_attr(windows, ignore = "the console wants a real console")]
fn unseen_gates_are_counted_beside_the_malformed() {
    let book = Sandbox::new();
    book.put(PACKET, "{\"novel_ask\": 1, \"answer_path\": \"a.json\"}");
    book.put(
        "staging/manifests/a.packet.json",
        packet("t").replace("novel_ask", "novelAsk").replace("answer_path", "answerPath"),
    );
    book.put("staging/manifests/b.packet.json.txt", packet("t").replace("13", "15"));
    for (line, counts) in [
        (&["list"][..], "1 malformed, 2 unseen by the executor, 0 answered."),
        (&["list", "--lang", "zh-CN"], "指令包有误 1，门控未生效 2，已回答 0。"),
    ] {
        let said = book.run(line).stdout;
        assert!(said.contains(counts), "{said}");
    }
    for (columns, counts) in [(80, "✕ 1 malformed  ✕ 2 unseen gate"), (40, "✕ 3")] {
        let mut terminal = book.console(columns, 12);
        terminal.wait_for_text(counts);
        terminal.press("f10");
        assert_eq!(terminal.wait_exit().code, Some(0));
    }
}

#[test]
fn a_copied_standing_question_asks_once() {
    let book = Sandbox::new();
    let question = json!({"version": 1, "topic": "t", "_steps": ["chapter:*:draft"], "questions": [
        {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]});
    for name in ["tone", "tone.sync-conflict-20261126-101112-ABCDEFG", "tone (1)"] {
        book.put(&format!("questions/{name}.question.json"), question.to_string());
    }
    book.put(PACKET, r#"{"step": "chapter:013:draft"}"#);
    let questions = book.run(["questions"]).stdout;
    assert_eq!(questions.matches("a copy of tone.question.json, the same").count(), 2, "{questions}");
    let gates = gates(&book);
    assert_eq!(gates.iter().filter(|gate| gate["status"] == "waiting").count(), 1, "{gates:?}");
    let copies: Vec<_> = gates.iter().filter(|gate| gate["note"] == "copy").collect();
    assert_eq!((copies.len(), &copies[0]["status"]), (2, &json!("open")), "no malformed question: {gates:?}");
}

#[test]
fn a_checkpoint_that_cannot_be_read_is_said_with_its_cause() {
    let book = Sandbox::new();
    book.put(PACKET, packet("t"));
    let utf16: Vec<u8> =
        "{\"last_completed_chapter\": 20}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (text, cause) in [
        (
            &b"{\n  \"last_completed_chapter\": 11,\n  \"current_volum"[..],
            "found the end of the file inside a value (line 3, column 17)",
        ),
        (b"\xef\xbb\xbf{\"last_completed_chapter\": 20}", "byte order mark"),
        (&utf16, "found"),
        (b"{\"last_completed_chapter\": \"20\"}", "/last_completed_chapter: found \"20\""),
        (b"{\"last_completed_chapter\": 20, \"inflight_chapter\": \"x\"}", "/inflight_chapter"),
        (b"[]", "an object"),
    ] {
        book.put(".checkpoint.json", text);
        let gates = gates(&book);
        let note = gates.iter().find(|gate| gate["note"] == "checkpoint").expect("a note");
        assert_eq!(note["packet"], ".checkpoint.json");
        assert!(note["problem"].as_str().is_some_and(|text| text.contains(cause)), "{cause}: {note}");
        assert!(book.run(["list"]).stdout.contains(cause), "{cause}");
    }
    for said in [r#"{"last_completed_chapter": 20}"#, "{}"] {
        book.put(".checkpoint.json", said);
        assert_eq!(gates(&book).len(), 1, "{said}");
    }
}

#[test]
#[cfg_attr(windows, ignore = "it runs on a pseudo-terminal of Unix")]
fn an_open_console_keeps_what_a_torn_checkpoint_had_said() {
    let book = Sandbox::new();
    book.put(PACKET, packet("t"));
    book.put(".checkpoint.json", r#"{"last_completed_chapter": 20}"#);
    let mut terminal = book.console(80, 24);
    terminal.wait_for_text("● 0 waiting");
    book.put(".checkpoint.json", "{\n  \"last_completed_chapter\": 20,\n  \"current_volum");
    terminal.wait_for_text("✕ .checkpoint");
    terminal.press("up");
    terminal.wait_for_text("which steps are done is not known for certain");
    assert!(!terminal.screen_text().contains("write this packet again"), "{}", terminal.screen_text());
    terminal.wait_for_text("● 0 waiting");
    book.put(".checkpoint.json", r#"{"last_completed_chapter": 12}"#);
    terminal.wait_for_text("● 1 waiting");
    terminal.press("f10");
    assert_eq!(terminal.wait_exit().code, Some(0));
}
