use super::super::Story;
use super::super::tests::{now, story};
use super::*;
use crate::ask::{Gate, Pick};
use crate::store::clock::rfc3339_millis;
use crate::store::history::{Note, Reason, add, find, forget};
use crate::store::testing::{Sandbox, gate, record};
use crate::text::Lang;
use std::time::Duration;

const DAY: Duration = Duration::from_hours(24);

fn put(book: &Sandbox, gate: &Gate, text: &str, now: SystemTime) -> HistoryEntry {
    let json = record(text).to_json();
    let note = Note { reason: Reason::Answered, of: None, bytes: json.as_bytes() };
    add(&book.state, &story(gate), &note, now).unwrap()
}

fn found(book: &Sandbox, what: &Search) -> Vec<String> {
    let found = search(&book.state, what).unwrap();
    found.entries(&book.state).map(|entry| entry.unwrap().answers()[0].1.shown(Lang::En)).collect()
}

fn words(text: &str) -> Search {
    Search { text: Some(text.to_owned()), ..Search::default() }
}

#[test]
fn entries_stand_in_the_order_of_the_times_that_are_shown() {
    let book = Sandbox::new();
    let seen = |path: &str, answered: SystemTime, now: SystemTime| {
        let mut record = record(path);
        record.answered_at = rfc3339_millis(answered).as_str().into();
        let json = record.to_json();
        let note = Note { reason: Reason::Seen, of: None, bytes: json.as_bytes() };
        add(&book.state, &story(&gate(path)), &note, now).unwrap()
    };
    seen("staging/new.json", now() - DAY, now());
    seen("staging/old.json", now() - 9 * DAY, now());
    put(&book, &gate("staging/ours.json"), "ours", now() - 2 * DAY);
    // What came later in a gate stays above what it followed, whatever it says of itself.
    put(&book, &gate("staging/new.json"), "again", now() + DAY);
    seen("staging/new.json", now() - 3 * DAY, now() + 2 * DAY);
    let all = ["staging/new.json", "again", "staging/new.json", "ours", "staging/old.json"];
    assert_eq!(found(&book, &Search::default()), all);
}

#[test]
fn words_match_whatever_their_form() {
    let book = Sandbox::new();
    put(&book, &gate("staging/a.json"), "Ｒａｉｎ 停了\n之后", now());
    put(&book, &gate("staging/b.json"), "tab\there \u{1}x", now() + DAY);
    for (text, count) in [
        ("rain", 1),
        ("停了 之后", 1),
        ("停了\n\n之后", 1),
        ("TAB HERE X", 1),
        ("staging/b", 1),
        ("human", 2),
        ("", 2),
        ("雨", 0),
        ("rain tab", 0),
    ] {
        assert_eq!(found(&book, &words(text)).len(), count, "{text}");
    }
    assert_eq!(found(&book, &Search::default()), ["tab\there \u{1}x", "Ｒａｉｎ 停了\n之后"], "newest first");
}

#[test]
fn words_of_a_note_are_found() {
    let book = Sandbox::new();
    let noted = record("起点")
        .to_json()
        .replace("\n}\n", ",\n  \"_notes\": {\"q\": \"第三卷\\n要改\", \"r\": 7}\n}\n");
    let note = Note { reason: Reason::Answered, of: None, bytes: noted.as_bytes() };
    add(&book.state, &story(&gate("staging/a.json")), &note, now()).unwrap();
    put(&book, &gate("staging/b.json"), "番茄", now() + DAY);
    for text in ["第三卷", "第三卷 要改", "dsj"] {
        assert_eq!(found(&book, &words(text)), ["起点"], "{text}");
    }
}

#[test]
fn pinyin_finds_names_and_what_begins_so() {
    let book = Sandbox::new();
    put(&book, &gate("staging/a.json"), "起点中文网", now());
    put(&book, &gate("staging/b.json"), "在雨停之前，别去起点。", now() + DAY);
    for (text, count) in
        [("qd", 1), ("qidian", 1), ("zyt", 1), ("qd a.json", 1), ("qd b.json", 0), ("bqqd", 0)]
    {
        assert_eq!(found(&book, &words(text)).len(), count, "{text}");
    }
}

#[test]
fn a_search_is_narrowed_by_gate_question_step_and_time() {
    let book = Sandbox::new();
    let (a, b) = (gate("staging/a.json"), gate("staging/b.json"));
    put(&book, &a, "one", now());
    let step = JsString::from("volume\t:\"01\"");
    let json = r#"{"answers":{"other_id":"two"}}"#;
    let note = Note { reason: Reason::Seen, of: None, bytes: json.as_bytes() };
    add(&book.state, &Story { step: Some(&step), ..story(&b) }, &note, now() + DAY).unwrap();
    let base = Search::default;
    for (search, want) in [
        (Search { answer_path: Some("./staging//b.json".into()), ..base() }, &["two"][..]),
        (Search { question: Some("q".into()), ..base() }, &["two", "one"]),
        (Search { question: Some("other_id".into()), ..base() }, &["two"]),
        (Search { question: Some("other".into()), ..base() }, &[]),
        (Search { step: Some(step.clone()), ..base() }, &["two"]),
        (Search { step: Some("volume".into()), ..base() }, &[]),
        (Search { since: Some(now() + DAY), ..base() }, &["two"]),
        (Search { until: Some(now() + DAY), ..base() }, &["one"]),
        (Search { since: Some(now() + DAY * 2), ..base() }, &[]),
        (Search { text: Some("two".into()), question: Some("q".into()), ..base() }, &["two"]),
    ] {
        assert_eq!(found(&book, &search), want, "{search:?}");
    }
    let entry = search(&book.state, &words("two")).unwrap().entries(&book.state).next().unwrap().unwrap();
    assert_eq!((&entry.step, &entry.topic, entry.valid), (&Some(step), &Some("t".into()), false));
    assert_eq!(entry, find(&book.state, &entry.id()).unwrap());
}

#[test]
fn an_entry_is_read_when_its_turn_comes() {
    let book = Sandbox::new();
    let (a, b) = (gate("staging/a.json"), gate("staging/b.json"));
    for (gate, text) in [(&a, "one"), (&b, "two"), (&a, "three")] {
        put(&book, gate, text, now());
    }
    let found = search(&book.state, &words("human")).unwrap();
    forget(&book.state, Some(&b.answer_path)).unwrap();
    put(&book, &b, "four", now());
    let texts: Vec<String> =
        found.entries(&book.state).map(|entry| entry.unwrap().answers()[0].1.shown(Lang::En)).collect();
    assert_eq!((found.len(), texts), (3, vec!["three".to_owned(), "one".to_owned()]));
}

#[test]
fn entries_go_by_their_ids() {
    let book = Sandbox::new();
    let gate = gate("staging/answers/a.json");
    let (first, second) = (put(&book, &gate, "one", now()), put(&book, &gate, "two", now()));
    assert!(first.id().ends_with("-1772187154000") && second.id().ends_with("-1772187154000-1"));
    for entry in [first, second] {
        assert_eq!(find(&book.state, &entry.id()).unwrap(), entry);
    }
    for id in ["", "x", "-", "00000000-1772187154000", "../../x-1", "1772187154000"] {
        assert_eq!(find(&book.state, id).unwrap_err().code, "no-entry", "{id}");
    }
}

#[test]
fn of_an_endless_answer_the_beginning_is_searched() {
    let book = Sandbox::new();
    put(&book, &gate("staging/a.json"), &format!("头{}尾", "长".repeat(600_000)), now());
    assert_eq!(search(&book.state, &words("头长长")).unwrap().len(), 1);
    assert_eq!(search(&book.state, &words("长尾")).unwrap().len(), 0);
    let sql = "SELECT max(length(words)) FROM words";
    let length = book.state.read(|state| state.query_row(sql, [], |row| row.get(0))).unwrap();
    assert!(length.is_some_and(|length: i64| length < 400_000), "{length:?}");
}

#[test]
fn one_step_may_hold_what_is_no_text() {
    let book = Sandbox::new();
    let mut step = JsString::from("a");
    step.push_unit(0xD800);
    let gate = gate("staging/a.json");
    let note = Note { reason: Reason::Seen, of: None, bytes: b"{}" };
    add(&book.state, &Story { step: Some(&step), ..story(&gate) }, &note, now()).unwrap();
    let found = search(&book.state, &Search { step: Some(step.clone()), ..Search::default() }).unwrap();
    assert_eq!(found.entries(&book.state).next().unwrap().unwrap().step, Some(step));
}

#[test]
fn very_many_ids_are_noted_in_no_time() {
    let book = Sandbox::new();
    let ids: Vec<String> = (0..200_000).map(|id| format!("\"id_{id}\":\"x\"")).collect();
    let json = format!("{{\"answers\":{{{}}}}}", ids.join(","));
    let note = Note { reason: Reason::Seen, of: None, bytes: json.as_bytes() };
    add(&book.state, &story(&gate("staging/a.json")), &note, now()).unwrap();
    let search_for = |id: &str| Search { question: Some(id.into()), ..Search::default() };
    assert_eq!(search(&book.state, &search_for("id_199999")).unwrap().len(), 1);
}

/// A gate with questions of one choice among these labels; each has its own id and text.
fn choices(path: &str, count: usize, labels: &[&str]) -> (Gate, String) {
    let options: Vec<String> =
        labels.iter().map(|label| format!(r#"{{"label":"{label}","description":"d"}}"#)).collect();
    let asks = |at: usize| {
        format!(
            r#"{{"id":"q_{at}x","header":"h","question":"Ask {at}?","kind":"single_choice","required":false,
            "options":[{}]}}"#,
            options.join(",")
        )
    };
    let questions: Vec<String> = (0..count).map(asks).collect();
    let ask = format!(r#"{{"version":1,"topic":"t","questions":[{}]}}"#, questions.join(","));
    let packet = format!(r#"{{"step":"s","answer_path":"{path}","novel_ask":{ask}}}"#);
    (crate::ask::decode_packet(packet.as_bytes()).unwrap().gate.unwrap(), ask)
}

#[test]
fn each_question_gets_the_newest_answer_that_fits() {
    let book = Sandbox::new();
    for (at, (label, answered)) in [("a", 30), ("b", 20), ("c", 10)].into_iter().enumerate() {
        let (gate, ask) = choices(&format!("staging/{at}.json"), 30, &[label, "z"]);
        let answers: Vec<String> = (0..answered).map(|at| format!(r#""q_{at}x":"{label}""#)).collect();
        let json = format!(
            r#"{{"version":1,"topic":"t","answers":{{{}}},"answered_at":"2026-02-27T10:12:34.000Z","answered_by":"x"}}"#,
            answers.join(",")
        );
        let note = Note { reason: Reason::Answered, of: None, bytes: json.as_bytes() };
        let asked = Story { novel_ask: Some(&ask), ..story(&gate) };
        add(&book.state, &asked, &note, now() + DAY * u32::try_from(at).unwrap()).unwrap();
    }
    let (gate, _) = choices("staging/now.json", 30, &["a", "b"]);
    let last = last_time(&book.state, &gate);
    let picked = |last: &Option<LastTime>| last.as_ref().map(|last| last.reply.picks.clone());
    let expected = |at: usize| Some(vec![Pick::Option(usize::from(at < 20))]);
    assert_eq!(
        last.iter().map(picked).collect::<Vec<_>>(),
        (0..30).map(expected).collect::<Vec<_>>(),
        "`c` is no option any more, and `b` was not answered to the last ten"
    );
}

#[test]
fn an_error_in_the_middle_ends_the_entries_and_is_told() {
    let book = Sandbox::new();
    for number in 0..3 {
        put(&book, &gate("staging/a.json"), &number.to_string(), now());
    }
    let mut found = search(&book.state, &Search::default()).unwrap();
    assert_eq!(found.next_page(&book.state).unwrap().unwrap().len(), 3);
    assert!(found.next_page(&book.state).is_none());
    let found = search(&book.state, &Search::default()).unwrap();
    book.state.write(|state| state.execute_batch("ALTER TABLE entries RENAME TO gone")).unwrap();
    let told: Vec<_> = found.entries(&book.state).collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].as_ref().unwrap_err().code, "history-unreadable");
}
