use super::*;
use crate::ask::decode_spec;
use crate::store::testing::{Sandbox, packet_json};

const PLACE: &str = "staging/answers/a.json";
const B: &str = "staging/manifests/b.packet.json";

/// A project in which a second packet, asking something else, has its place there too.
fn in_conflict() -> (Sandbox, PathBuf) {
    let book = Sandbox::new();
    let own = book.put_packet(PLACE);
    book.put(B, packet_json("./staging//answers/a.json").replace("\"h\"", "\"another\""));
    (book, own)
}

fn gate_of(json: &str) -> Gate {
    decode_packet(json.as_bytes()).unwrap().gate.unwrap()
}

#[test]
fn names_that_some_disk_takes_for_one_are_one_place() {
    for [one, other] in [["\u{e9}", "e\u{301}"], ["\u{c9}", "e\u{301}"], ["A", "a"]] {
        let book = Sandbox::new();
        book.put_packet(&format!("staging/answers/{one}.json"));
        let project = Arc::new(Project::open(book.project.root()).unwrap());
        let at = |name: &str| {
            let places = [PathBuf::from(format!("staging/answers/{name}.json"))];
            let entries = scan::look_at(&project, &places, SystemTime::now()).entries();
            gates_at(&project, &entries, &places[0]).len()
        };
        assert_eq!([at(one), at(other), at("o")], [1, 1, 0], "{one}");
    }
}

#[test]
fn a_record_that_is_good_for_both_is_in_nobodys_way() {
    let (book, own) = in_conflict();
    let project = Arc::new(Project::open(book.project.root()).unwrap());
    let gate = gate_of(&packet_json(PLACE));
    let rivals = rivals(&project, &own, &gate, SystemTime::now());
    assert_eq!(rivals, [PathBuf::from(B)]);
    let record = crate::store::testing::record("x").to_json();
    assert!(left_blocked(&project, &gate, &rivals, record.as_bytes()).is_empty());
    assert!(irreconcilable(&project, &gate, &rivals).is_empty());
    assert_eq!(left_blocked(&project, &gate, &rivals, b"{}"), rivals);
}

#[test]
fn only_packets_that_still_stand_there_are_in_the_way() {
    let (book, _) = in_conflict();
    let gate = gate_of(&packet_json(PLACE));
    let rivals = [PathBuf::from(B)];
    let other = packet_json(PLACE).replace("\"id\": \"q\"", "\"id\": \"z\"");
    let in_the_way = || irreconcilable(&book.project, &gate, &rivals);
    book.put(B, &other);
    assert_eq!(in_the_way(), rivals);
    for harmless in [
        other.replace("answers/a.json", "answers/b.json"),
        packet_json(PLACE),
        "{".to_owned(),
        "{}".to_owned(),
    ] {
        book.put(B, &harmless);
        assert!(in_the_way().is_empty(), "{harmless}");
    }
    book.put(B, &other);
    book.put(".checkpoint.json", r#"{"last_completed_chapter": 1}"#);
    assert!(in_the_way().is_empty(), "its step is passed: nobody waits for it");
    book.put(".checkpoint.json", r#"{"last_completed_chapter": 0}"#);
    assert_eq!(in_the_way(), rivals);
}

#[test]
fn what_every_record_must_have_tells_whether_two_can_share_one() {
    let spec = |questions: &str| {
        let json = format!(r#"{{"version":1,"topic":"t","questions":[{questions}]}}"#);
        decode_spec(json.as_bytes()).unwrap()
    };
    let text = |id: &str, required: bool| {
        format!(r#"{{"id":"{id}","header":"h","question":"q","kind":"free_text","required":{required}}}"#)
    };
    let choice = |kind: &str, label: &str, more: &str| {
        format!(
            r#"{{"id":"a","header":"h","question":"q","kind":"{kind}_choice","required":true,"options":[
            {{"label":"{label}","description":"d"}},{{"label":"z{label}","description":"d"}}]{more}}}"#
        )
    };
    let (one, own) = (choice("single", "x", ""), choice("single", "y", ",\"allow_other\":true"));
    let table = [
        (text("a", true), text("a", false), true),
        (text("a", true), text("b", false), false),
        (text("a", false), text("b", false), true),
        (text("a", true), one.clone(), true),
        (one.clone(), choice("single", "x", ",\"allow_other\":false"), true),
        (one.clone(), choice("single", "y", ""), false),
        (one.clone(), own, true),
        (one, choice("multi", "x", ""), false),
    ];
    for (a, b, can) in table {
        let (one, other) = (spec(&a), spec(&b));
        assert_eq!(one.can_share_a_record_with(&other), can, "{a} {b}");
        assert_eq!(other.can_share_a_record_with(&one), can, "{b} {a}");
    }
    let mut other = spec(&text("a", true));
    other.topic = "u".into();
    assert!(!other.can_share_a_record_with(&spec(&text("a", true))));
}

#[test]
fn a_packet_in_the_records_own_place_is_no_other_packet() {
    let book = Sandbox::new();
    let own = book.put_packet(PLACE);
    book.put(PLACE, packet_json(PLACE));
    let project = Arc::new(Project::open(book.project.root()).unwrap());
    let gate = gate_of(&packet_json(PLACE));
    assert!(others(&project, &own, &gate, SystemTime::now()).is_empty());
    assert!(scan::look(&project, SystemTime::now()).entries().iter().all(|entry| entry.collision.is_none()));
}

#[test]
fn gates_at_one_place_stand_by_path_and_those_that_are_passed_last() {
    const C: &str = "staging/manifests/c.packet.json";
    let (book, own) = in_conflict();
    for path in [B, C] {
        book.put(path, packet_json(PLACE).replace("chapter:001", "chapter:002"));
    }
    book.put(".checkpoint.json", r#"{"last_completed_chapter": 1}"#);
    let project = Arc::new(Project::open(book.project.root()).unwrap());
    let mut entries = scan::look(&project, SystemTime::now()).entries();
    let own = project.relative(&own).to_path_buf();
    for _ in 0..2 {
        entries.reverse();
        let found = gates_at(&project, &entries, Path::new(PLACE));
        let paths: Vec<&Path> = found.iter().map(|entry| &*entry.path).collect();
        assert_eq!(paths, [Path::new(B), Path::new(C), &own]);
    }
}
