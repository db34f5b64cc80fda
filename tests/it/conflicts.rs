//! Packets with one place for their answers, as commands tell it.

use super::project::Book;
use std::fs;

const A: &str = "staging/manifests/a.packet.json";
const B: &str = "staging/manifests/b.packet.json";
const C: &str = "staging/manifests/c.packet.json";

/// Two packets that ask the same, one that asks something else, all in one place by different spellings, and one alone.
fn book() -> Book {
    let book = Book::new();
    book.put_packet("a", "staging/novel-ask/x.json").put_packet("b", "./staging//novel-ask/x.json");
    book.put_packet("c", "staging/novel-ask/./x.json").put_packet("alone", "staging/novel-ask/y.json");
    let other = fs::read_to_string(book.root().join(C)).expect("the packet");
    book.put(C, &other.replace("\"question\":\"q\"", "\"question\":\"another\""));
    book
}

#[test]
fn the_list_names_both_packets_of_a_conflict() {
    let book = book();
    let json = book.run(&["list", "--json"]).json();
    let gates = json["gates"].as_array().expect("a list");
    let of = |packet: &str| gates.iter().find(|gate| gate["packet"] == packet).expect("listed");
    assert_eq!((&of(A)["same_gate"], &of(A)["conflicts"]), (&[B].into(), &[C].into()));
    let empty: [&str; 0] = [];
    assert_eq!((&of(C)["same_gate"], &of(C)["conflicts"]), (&empty.into(), &[A, B].into()));
    assert_eq!(of("staging/manifests/alone.packet.json")["conflicts"], serde_json::json!(empty));
    let out = book.run(&["list"]).out;
    assert!(
        out.contains(&format!("Conflict with {C}")) && out.contains(&format!("Same gate as {B}")),
        "{out}"
    );
    let chinese = book.run(&["list", "--lang", "zh-CN"]).out;
    assert!(chinese.contains("冲突"), "{chinese}");
}

#[test]
fn of_very_many_packets_in_one_place_a_few_are_named() {
    let book = Book::new();
    for number in 0..300 {
        book.put_packet(&format!("p{number:03}"), "staging/novel-ask/x.json");
    }
    let other = fs::read_to_string(book.root().join("staging/manifests/p000.packet.json")).expect("a packet");
    for number in 0..20 {
        let other = other.replace("\"question\":\"q\"", &format!("\"question\":\"{number}\""));
        book.put(&format!("staging/manifests/q{number:03}.packet.json"), &other);
    }
    let json = book.run(&["list", "--json"]).json();
    for gate in json["gates"].as_array().expect("a list") {
        let named = |which: &str| gate[which].as_array().expect("a list").len();
        let same = if gate["packet"].as_str().is_some_and(|path| path.contains("/p")) { 8 } else { 0 };
        assert_eq!((named("same_gate"), named("conflicts"), &gate["other_packets"]), (same, 8, &319.into()));
    }
    let out = book.run(&["list"]).out;
    assert!(out.contains("  303 more have the same place."), "{}", &out[..out.len().min(5_000)]);
    assert!(out.lines().count() < 320 * 20, "{}", out.lines().count());
    let shown = book.run(&["show", "staging/manifests/p000.packet.json", "--json"]).json();
    assert_eq!(shown["same_gate"].as_array().map(Vec::len), Some(299), "one gate has room for all");
}

#[test]
fn packets_that_are_one_gate_count_once() {
    let book = book();
    book.remove(C);
    assert!(book.run(&["list"]).out.contains("2 waiting, 0 blocked"));
    book.put("staging/novel-ask/x.json", Book::RECORD);
    let json = book.run(&["list", "--json"]).json();
    assert_eq!((json["waiting"].as_u64(), json["answered"].as_u64()), (Some(1), Some(1)));
}

#[test]
fn one_gate_is_shown_with_those_that_share_its_place() {
    let book = book();
    let json = book.run(&["show", "step:a", "--json"]).json();
    assert_eq!((&json["same_gate"], &json["conflicts"]), (&[B].into(), &[C].into()));
    assert_eq!(json["past"], false);
    let out = book.run(&["show", "step:c"]).out;
    assert!(out.contains(&format!("Conflict with {A}")), "{out}");
    let alone = book.run(&["show", "step:alone"]).out;
    assert!(!alone.contains("Conflict"), "{alone}");
}

#[test]
fn a_step_that_the_checkpoint_has_passed_is_shown_as_passed() {
    let book = Book::new();
    book.put_packet("a", "staging/novel-ask/x.json")
        .put(".checkpoint.json", r#"{"last_completed_chapter": 3}"#);
    let packet = fs::read_to_string(book.root().join(A)).expect("the packet");
    book.put(A, &packet.replace("step:a", "chapter:003:draft"));
    assert_eq!(book.run(&["show", "chapter:003:draft", "--json"]).json()["past"], true);
    assert!(book.run(&["show", "chapter:003:draft"]).out.contains("has passed this step"));
}

/// The same, but no record can be good for both.
fn at_odds() -> Book {
    let book = book();
    let other = fs::read_to_string(book.root().join(C)).expect("the packet");
    book.put(C, &other.replace("\"id\":\"a\"", "\"id\":\"z\""));
    book
}

const X: &str = "staging/novel-ask/x.json";

#[test]
fn no_record_is_written_that_leaves_another_gate_blocked() {
    let book = at_odds();
    let line = ["answer", "step:a", "--set", "a=x", "--by", "human"];
    let refused = "novel-gate: staging/manifests/a.packet.json and staging/manifests/c.packet.json want different answers in \
                   the same place, staging/novel-ask/x.json. A record for the first would leave the other blocked; nothing was \
                   written. Have one of them rewritten with a place of its own, or remove the one you do not need.\n";
    for more in [&[][..], &["--dry-run"], &["--replace"]] {
        let outcome = book.run(&[&line[..], more].concat());
        assert_eq!((outcome.exit, outcome.err.as_str(), outcome.out.as_str()), (5, refused, ""), "{more:?}");
        assert!(!book.root().join(X).exists());
    }
    let json = book.run(&[&line[..], &["--json"]].concat()).json();
    assert_eq!(
        (&json["status"], &json["exit"], &json["code"]),
        (&"conflict".into(), &5.into(), &"conflict".into())
    );
    assert_eq!((&json["conflicts"], &json["packet"]), (&[C].into(), &A.into()));
    let chinese = book.run(&[&line[..], &["--lang", "zh-CN"]].concat()).err;
    assert!(chinese.contains("要在同一位置 staging/novel-ask/x.json 写入不同的回答"), "{chinese}");

    // The executor asks nobody for answers that could not be written.
    let next = ["next", "step:a", "--for", "claude-code", "--replies", "r.jsonl"];
    let json = book.run(&[&next[..], &["--write"]].concat()).json();
    assert_eq!((&json["exit"], &json["code"]), (&5.into(), &"conflict".into()));
    assert_eq!(book.run(&next).json()["status"], "ask", "without --write nothing is written anyway");

    // A record that is there already is the other one's.
    let other = ["answer", "step:c", "--set", "z=x", "--by", "human", "--json"];
    book.put(B, "{}").remove(A);
    assert_eq!(book.run(&other).json()["status"], "written");
    let a =
        fs::read_to_string(book.root().join(C)).expect("the packet").replace("\"id\":\"z\"", "\"id\":\"a\"");
    book.put(A, &a.replace("step:c", "step:a"));
    let there = book.run(&line);
    assert_eq!(there.exit, 6);
    assert!(there.err.contains(&format!("Conflict with {C}")), "{}", there.err);
    let json = book.run(&[&line[..], &["--json"]].concat()).json();
    assert_eq!(
        (&json["code"], &json["valid"], &json["conflicts"]),
        (&"record-exists".into(), &false.into(), &[C].into())
    );
    let record = fs::read(book.root().join(X)).expect("the record");
    assert_eq!(book.run(&[&line[..], &["--replace"]].concat()).exit, 5);
    assert_eq!(fs::read(book.root().join(X)).expect("the record"), record);

    // One of them gives way.
    book.remove(C);
    assert_eq!(book.run(&[&line[..], &["--replace"]].concat()).exit, 0);
}

#[test]
fn a_record_that_is_good_for_both_or_whose_rival_is_passed_is_written() {
    let line = ["answer", "step:a", "--set", "a=x", "--by", "human"];
    let both = book();
    let outcome = both.run(&line);
    assert_eq!((outcome.exit, outcome.err.as_str()), (0, ""));
    assert_eq!(both.run(&["check", "step:c"]).exit, 0);

    let passed = at_odds();
    let other = fs::read_to_string(passed.root().join(C)).expect("the packet");
    passed.put(C, &other.replace("step:c", "chapter:003:draft"));
    assert_eq!(passed.run(&line).exit, 5);
    passed.put(".checkpoint.json", r#"{"last_completed_chapter": 3}"#);
    assert_eq!(passed.run(&line).exit, 0);
}

#[test]
fn lint_of_a_directory_or_of_several_files_names_both() {
    let book = book();
    book.put("staging/notes.json", r#"{"title": "no document of ours"}"#).put("staging/torn.json", "{");
    let json = book.run(&["lint", "staging", "--json"]).json();
    assert_eq!((json["exit"].as_u64(), json["status"].as_str()), (Some(5), Some("problems")));
    let files = json["files"].as_array().expect("a list");
    let of =
        |end: &str| files.iter().find(|file| file["file"].as_str().is_some_and(|name| name.ends_with(end)));
    assert!(of("notes.json").is_none(), "files of other programs are not judged");
    assert!(of("torn.json").is_some_and(|file| file["problems"][0]["line"] == 1));
    let conflict = &of("a.packet.json").expect("looked at")["problems"][0];
    assert_eq!(conflict["pointer"], "/answer_path");
    assert!(conflict["found"].as_str().is_some_and(|found| found.contains("c.packet.json")), "{conflict}");
    assert!(conflict["line"].is_u64());
    let only = of("alone.packet.json").expect("looked at");
    assert_eq!(only["problems"].as_array().map(Vec::len), Some(0));

    let several = book.run(&["lint", A, C]);
    assert_eq!(several.exit, 5);
    assert!(
        several.out.contains(&format!("{A}:1:")) && several.out.contains(&format!("{C}:1:")),
        "{}",
        several.out
    );
    let alone = book.run(&["lint", A]);
    assert!(alone.exit == 5 && alone.out.contains(C), "what is not named counts too: {}", alone.out);
    fs::remove_file(book.root().join(C)).expect("the packet");
    for line in [&["lint", A, B][..], &["lint", A]] {
        let outcome = book.run(line);
        assert_eq!(outcome.exit, 0, "one gate is no problem");
        assert!(outcome.out.contains("warning: [shared-answer-path]"), "{}", outcome.out);
        assert!(outcome.out.contains(B), "{}", outcome.out);
    }
}
