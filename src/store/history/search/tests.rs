use super::super::Story;
use super::super::tests::{all, now, story};
use super::*;
use crate::ask::Gate;
use crate::store::history::{Note, Reason, add, forget};
use crate::store::testing::{Sandbox, gate, record};
use std::fs;
use std::time::Duration;

const DAY: Duration = Duration::from_hours(24);

fn put(book: &Sandbox, gate: &Gate, text: &str, now: SystemTime) -> Entry {
    let json = record(text).to_json();
    let note = Note { reason: Reason::Answered, of: None, bytes: json.as_bytes() };
    add(&book.state, &story(gate), &note, now).unwrap()
}

fn found(book: &Sandbox, what: &Search) -> Vec<String> {
    let entries = search(&book.state, what).unwrap();
    entries.iter().map(|entry| entry.answers()[0].1.shown("")).collect()
}

fn words(text: &str) -> Search {
    Search { text: Some(text.to_owned()), ..Search::default() }
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
    let entry = &search(&book.state, &words("two")).unwrap()[0];
    assert_eq!((&entry.step, &entry.topic, entry.valid), (&Some(step), &Some("t".into()), false));
    assert_eq!(*entry, find(&book.state, &entry.id()).unwrap(), "the index says what the entry says");
}

#[test]
fn the_index_follows_the_entries() {
    let book = Sandbox::new();
    let gate = gate("staging/answers/a.json");
    put(&book, &gate, "one", now());
    assert_eq!(found(&book, &words("one")).len(), 1);
    let index = book.state.histories_dir().join("index");
    // A directory that has been at rest is not looked into again.
    let dir = book.state.history_dir(all(&book)[0].key());
    let at_rest = SystemTime::now() - Duration::from_mins(1);
    fs::File::open(&dir).unwrap().set_modified(at_rest).unwrap();
    assert_eq!(found(&book, &words("one")).len(), 1);
    let text = fs::read_to_string(&index).unwrap().replace("\x1fone\x1f", "\x1funo\x1f");
    fs::write(&index, &text).unwrap();
    assert_eq!(found(&book, &words("uno")).len(), 1, "{text}");
    put(&book, &gate, "two", now());
    assert_eq!(found(&book, &words("")), ["two", "one"]);
    let name = all(&book)[0].name.clone();
    fs::remove_file(dir.join(name).with_extension("json")).unwrap();
    assert_eq!(found(&book, &words("")), ["two"]);
    // As it is after a crash: some last lines are missing, and the mark of the gate is right.
    fs::File::open(&dir).unwrap().set_modified(at_rest).unwrap();
    assert_eq!(found(&book, &words("")), ["two"]);
    let whole = fs::read_to_string(&index).unwrap();
    let cut_off: String = whole.split_inclusive('\n').take(2).collect();
    for damage in [
        "",
        "novel-gate history index 0\n",
        "nonsense",
        &text[..text.len() / 2],
        &whole.replace("end\n", ""),
        &cut_off,
        "novel-gate history index 1\nx\n",
    ] {
        fs::File::open(&dir).unwrap().set_modified(at_rest).unwrap();
        fs::write(&index, damage).unwrap();
        assert_eq!(found(&book, &words("two")), ["two"], "{damage}");
    }
    forget(&book.state, None).unwrap();
    assert!(!index.exists() && found(&book, &words("")).is_empty());
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
    let index = book.state.histories_dir().join("index");
    assert!(fs::metadata(index).unwrap().len() < 1_100_000);
}

#[test]
fn a_copy_of_a_gates_history_under_any_name_and_a_damaged_index_are_borne() {
    let book = Sandbox::new();
    let entry = put(&book, &gate("staging/a.json"), "one", now());
    let histories = book.state.histories_dir();
    let copy = histories.join("备份副本");
    fs::create_dir(&copy).unwrap();
    for path in [entry.record_path(), entry.json_path()] {
        fs::copy(&path, copy.join(path.file_name().unwrap())).unwrap();
    }
    let ids: Vec<String> = search(&book.state, &words("one")).unwrap().iter().map(Entry::id).collect();
    assert!(ids.contains(&entry.id()) && ids.iter().any(|id| id.starts_with("备份-")), "{ids:?}");

    fs::remove_dir_all(copy).unwrap();
    let index = histories.join("index");
    for damage in ["end\n0\t\t\t\t中", "end\n中", "\u{3000}\n"] {
        let text = fs::read_to_string(&index).unwrap();
        let first = text.find('\n').unwrap();
        let damaged = if damage.starts_with("end") {
            text + damage
        } else {
            format!("{}{damage}{}", &text[..first], &text[first + 1..])
        };
        fs::write(&index, damaged).unwrap();
        assert_eq!(found(&book, &words("one")), ["one"], "{damage:?}");
    }
}

#[test]
fn an_id_names_an_entry_and_no_other_file() {
    let book = Sandbox::new();
    let entry = put(&book, &gate("staging/a.json"), "one", now());
    let outside = book.state.path().join("outside-0000.json");
    fs::copy(entry.json_path(), &outside).unwrap();
    let away = format!("{}-./../.././././outside", &entry.key()[..8]);
    let file = book.state.history_dir(entry.key()).join("./../.././././outside-0000.json");
    assert!(file.exists(), "it would be read");
    assert!(find(&book.state, &away).is_err());
    assert_eq!(find(&book.state, &entry.id()).unwrap(), entry);
}
