//! What was sent back, in a list that is kept: it comes and goes with the file of rounds, and with every file that was refused.

use super::*;
use crate::store::gate::load;
use crate::store::history::Over;
use crate::store::reply::{note_delivered, take_back};
use crate::store::returned::{Why, send_back};
use crate::store::rounds::Delivered;
use crate::store::submission::Submission;

const ROUNDS: &str = "staging/novel-ask/one.rounds.jsonl";

fn refuse(house: &Tree) {
    let project = &house.scanner.project;
    let loaded = load(project, &house.root.join(PACKET)).unwrap();
    let submission = Submission {
        packet: &loaded.path,
        answer_path: &loaded.gate().unwrap().answer_path,
        asked: &loaded.spec_hash(),
        bytes: b"",
        rivals: &[],
        seen: None,
        over: Over::Nothing,
    };
    let why = Why { by: "human".into(), reason: "no".into(), ..Why::default() };
    let state = crate::store::StateDir::new(&house.root.join("state"), project);
    let sent = send_back(project, Ok(&state), &submission, &why, house.now).unwrap().sent;
    let line = Delivered { at: sent.at, by: "wait".to_owned(), id: sent.id };
    note_delivered(project, &loaded.path, submission.answer_path, line).unwrap();
}

/// A gate among so many others that looks in turn take a part of them each.
fn house() -> Tree {
    let house = Tree::new();
    let one = packet("one", RECORD).replacen('{', r#"{"expected_outputs":[{"path":"chapters/1.md"}],"#, 1);
    house.write(PACKET, &one);
    for number in 0..200 {
        house.write(&format!("staging/manifests/x{number:03}.packet.json"), r#"{"step":"x"}"#);
    }
    house
}

#[test]
fn a_kept_list_hears_of_a_refusal_and_of_its_end() {
    let mut house = house();
    house.look();
    house.now += Duration::from_hours(1);
    house.look();
    refuse(&house);
    assert!(house.look_at(&[ROUNDS]).changed);
    assert_eq!(house.list()[0], "one SentBack");
    let entry = house.scanner.entries()[0].clone();
    assert_eq!(entry.sent_back.as_ref().unwrap().sent.reason, "no");
    assert!(entry.held_up() && !entry.waits());
    assert!(!house.look_at(&[ROUNDS]).changed, "nothing has happened");
    take_back(&house.scanner.project, &house.root.join(PACKET), &RECORD.into(), "2026-02-27T10:12:34.000Z")
        .unwrap();
    assert!(house.look_at(&[ROUNDS]).changed);
    assert_eq!(house.list()[0], "one Waiting");
}

#[test]
fn a_file_that_was_refused_is_looked_at_by_every_look() {
    type Look = fn(&mut Tree) -> Outcome;
    let looks: [Look; 2] =
        [|house| house.look_at(&["staging/chapters/1.md"]), |house| house.scanner.look_in_turn(house.now)];
    for look in looks {
        for path in ["staging/chapters/1.md", "chapters/1.md"] {
            let mut house = house();
            house.write(path, "rain");
            refuse(&house);
            house.look();
            house.now += Duration::from_hours(1);
            house.look();
            assert_eq!(house.list()[0], "one SentBack");
            house.write(path, "snow");
            assert!(look(&mut house).changed, "{path}");
            assert_eq!(house.list()[0], "one Waiting");
        }
    }
}

#[test]
fn a_gate_that_is_answered_is_not_sent_back() {
    let mut house = house();
    refuse(&house);
    house.look();
    house.write(RECORD, &record("x"));
    assert!(house.look_at(&[RECORD]).changed);
    let entries = house.scanner.entries();
    let entry = entries.iter().find(|entry| entry.title() == "one").unwrap();
    assert_eq!((entry.status, &entry.sent_back), (Status::Answered, &None));
}
