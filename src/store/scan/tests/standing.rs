//! Standing questions in a look: all that decides what a packet counts as is seen by the next one.

use super::super::file::{MEANWHILE, SIGNED};
use super::*;
use crate::store::attach::attach;
use crate::store::testing::{question_json, record as answers};
use std::cell::Cell;
use std::rc::Rc;

const LIVE: &str = r#"{"step":"chapter:048:draft","agent":"codex"}"#;
const DRAFT: &str = r#""_steps":["chapter:*:draft"]"#;
const A: &str = "questions/a.question.json";
const A_RECORD: &str = "staging/novel-ask/a-chapter-048-draft.answers.json";

fn write(tree: &Tree, path: &str, content: &str) {
    tree.write(path, content);
}

fn ask(tree: &Tree, name: &str, members: &str) {
    tree.write(&format!("questions/{name}.question.json"), &question_json(members));
}

fn answer(tree: &Tree, place: &str) {
    tree.write(&format!("staging/novel-ask/{place}.answers.json"), &answers("x").to_json());
}

/// A packet of a step that is to come, without a gate, and so many others that no question is for.
fn house(others: usize) -> Tree {
    let house = Tree::new();
    house.write(PACKET, LIVE).write("staging/novel-ask/other", "");
    for number in 0..others {
        house.write(
            &format!("staging/manifests/x{number:03}.packet.json"),
            &format!(r#"{{"step":"x{number}"}}"#),
        );
    }
    house
}

type Do = fn(&Tree);

/// What happens, what was there before, what changes, and what is told of it.
const CHANGES: &[(&str, Do, Do, &str)] = &[
    ("a question comes", |_| {}, |tree| ask(tree, "a", DRAFT), A),
    ("another comes before it", |tree| ask(tree, "b", DRAFT), |tree| ask(tree, "a", DRAFT), A),
    ("the directory comes", |_| {}, |tree| ask(tree, "a", DRAFT), "questions"),
    (
        "a question changes",
        |tree| ask(tree, "a", DRAFT),
        |tree| write(tree, A, &question_json(DRAFT).replace("\"?\"", "\"!\"")),
        A,
    ),
    (
        "its place moves",
        |tree| ask(tree, "a", DRAFT),
        |tree| ask(tree, "a", &format!(r#"{DRAFT},"_once_per":10"#)),
        A,
    ),
    (
        "a question is switched off",
        |tree| ask(tree, "a", DRAFT),
        |tree| ask(tree, "a", &format!(r#"{DRAFT},"_enabled":false"#)),
        A,
    ),
    ("a question goes", |tree| ask(tree, "a", DRAFT), |tree| fs::remove_file(tree.root.join(A)).unwrap(), A),
    (
        "the directory goes",
        |tree| ask(tree, "a", DRAFT),
        |tree| fs::rename(tree.root.join("questions"), tree.root.join("away")).unwrap(),
        "questions",
    ),
    ("a question becomes unusable", |tree| ask(tree, "a", DRAFT), |tree| write(tree, A, "[]"), A),
    ("the record comes", |tree| ask(tree, "a", DRAFT), |tree| answer(tree, "a-chapter-048-draft"), A_RECORD),
    (
        "the record comes, and another question is next",
        |tree| {
            ask(tree, "a", DRAFT);
            ask(tree, "b", DRAFT);
        },
        |tree| answer(tree, "a-chapter-048-draft"),
        A_RECORD,
    ),
    (
        "the record of the first goes while the second counts",
        |tree| {
            ask(tree, "a", DRAFT);
            ask(tree, "b", DRAFT);
            answer(tree, "a-chapter-048-draft");
        },
        |tree| fs::remove_file(tree.root.join(A_RECORD)).unwrap(),
        A_RECORD,
    ),
    (
        "the only record goes",
        |tree| {
            ask(tree, "a", DRAFT);
            answer(tree, "a-chapter-048-draft");
        },
        |tree| fs::remove_file(tree.root.join(A_RECORD)).unwrap(),
        A_RECORD,
    ),
    (
        "a record becomes invalid",
        |tree| {
            ask(tree, "a", DRAFT);
            ask(tree, "b", DRAFT);
            answer(tree, "a-chapter-048-draft");
        },
        |tree| write(tree, A_RECORD, "{}"),
        A_RECORD,
    ),
    (
        "the answer for ten chapters comes",
        |tree| {
            ask(tree, "a", &format!(r#"{DRAFT},"_once_per":10"#));
            tree.write("staging/manifests/two.packet.json", r#"{"step":"chapter:049:draft"}"#);
        },
        |tree| answer(tree, "a-chapters-041-050"),
        "staging/novel-ask/a-chapters-041-050.answers.json",
    ),
    (
        "the checkpoint goes on",
        |tree| {
            ask(tree, "a", DRAFT);
            tree.write(".checkpoint.json", r#"{"last_completed_chapter":47}"#);
        },
        |tree| write(tree, ".checkpoint.json", r#"{"last_completed_chapter":48}"#),
        ".checkpoint.json",
    ),
    (
        "the book goes on",
        |tree| {
            ask(tree, "a", DRAFT);
            let file = fs::File::options().write(true).open(tree.root.join(PACKET)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_hours(3)).unwrap();
        },
        |tree| write(tree, ".checkpoint.json", r#"{"last_completed_chapter":47}"#),
        ".checkpoint.json",
    ),
    (
        "the volume changes",
        |tree| ask(tree, "a", &format!(r#"{DRAFT},"_once_per":"volume""#)),
        |tree| write(tree, ".checkpoint.json", r#"{"last_completed_chapter":47,"current_volume":2}"#),
        ".checkpoint.json",
    ),
    (
        "the packet gets a gate of its own",
        |tree| ask(tree, "a", DRAFT),
        |tree| write(tree, PACKET, &packet("chapter:048:draft", RECORD)),
        PACKET,
    ),
    (
        "the packet is of another step",
        |tree| ask(tree, "a", DRAFT),
        |tree| write(tree, PACKET, r#"{"step":"chapter:048:commit"}"#),
        PACKET,
    ),
    (
        "somebody attaches",
        |tree| ask(tree, "a", DRAFT),
        |tree| assert!(attach(&tree.scanner.project, &tree.root.join(PACKET)).unwrap()),
        PACKET,
    ),
    (
        "the question that it carries is edited",
        |tree| {
            ask(tree, "a", DRAFT);
            attach(&tree.scanner.project, &tree.root.join(PACKET)).unwrap();
        },
        |tree| ask(tree, "a", r#""_steps":["chapter:*:commit"]"#),
        A,
    ),
    (
        "the question that it carries is answered, and another waits",
        |tree| {
            ask(tree, "a", DRAFT);
            ask(tree, "b", DRAFT);
            attach(&tree.scanner.project, &tree.root.join(PACKET)).unwrap();
        },
        |tree| answer(tree, "a-chapter-048-draft"),
        A_RECORD,
    ),
];

/// As a look at everything by a scanner that knows nothing does.
#[test]
fn every_change_that_matters_is_seen_by_the_next_look() {
    type Look = fn(&mut Tree, &str);
    let looks: [(&str, usize, Look); 4] = [
        ("a look", 0, |tree, _| {
            tree.look();
        }),
        ("a look at what is told", 0, |tree, told| {
            tree.look_at(&[told]);
        }),
        ("a look in turn", 0, |tree, _| {
            tree.scanner.look_in_turn(tree.now);
        }),
        ("looks in turn at many", SHARE * 3, |tree, _| {
            for _ in 0..4 {
                tree.scanner.look_in_turn(tree.now);
            }
        }),
    ];
    for (name, prepare, change, told) in CHANGES {
        for (how, others, look) in looks {
            let mut house = house(others);
            prepare(&house);
            house.look();
            let before = house.scanner.entries();
            change(&house);
            look(&mut house, told);
            let found = house.scanner.entries();
            house.scanner = Scanner::new(Arc::clone(&house.scanner.project));
            house.look();
            assert_eq!(found, house.scanner.entries(), "{name}, {how}");
            assert_ne!(found, before, "{name}, {how}");
        }
    }
}

/// How many files a look reads.
fn reads(house: &mut Tree) -> usize {
    let steps = Rc::new(Cell::new(0));
    let counted = Rc::clone(&steps);
    MEANWHILE.set(Some(Box::new(move || counted.set(counted.get() + 1))));
    SIGNED.set(0);
    assert_eq!(house.look(), Outcome::default(), "{:?}", house.list());
    MEANWHILE.set(None);
    // Each step begins a look at a name, or at one of these directories, or reads.
    let directories = house.scanner.directories().len() + 1;
    steps.get() - SIGNED.get() - directories
}

#[test]
#[cfg_attr(windows, ignore = "a file there has no time that no program can set")]
fn nothing_is_read_again_while_nothing_changes() {
    let mut house = house(0);
    house
        .write("staging/manifests/bad.packet.json", r#"{"step":"chapter:048:draft","novel_ask":{}}"#)
        .write("staging/manifests/own.packet.json", &packet("chapter:048:judge", RECORD))
        .write("staging/manifests/free.packet.json", r#"{"step":"chapter:048:commit"}"#)
        .write("staging/manifests/done.packet.json", r#"{"step":"chapter:049:draft"}"#)
        .write(".checkpoint.json", r#"{"last_completed_chapter":40}"#);
    for number in 0..12 {
        ask(&house, &format!("q{number:02}"), DRAFT);
        answer(&house, &format!("q{number:02}-chapter-049-draft"));
    }
    house.write("questions/r.question.json", "[]");
    assert!(house.look().changed);
    assert_eq!(house.list().len(), 6, "{:?}", house.list());
    for _ in 0..3 {
        assert_eq!(reads(&mut house), 0);
    }
    // What cannot be attached is looked at again each time, as its cause may go without a trace.
    fs::hard_link(house.root.join(PACKET), house.root.join("other")).unwrap();
    house.look();
    assert_eq!(reads(&mut house), 2, "it and its record");
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_packet_that_is_to_carry_a_question_is_waited_for_as_any_other() {
    give_up_privileges();
    let mut house = house(0);
    ask(&house, "a", DRAFT);
    house.look();
    let known = house.only();
    assert_eq!((known.status, known.is_unattached), (Status::Waiting, true));
    set_mode(&house.root.join(PACKET), 0o000);
    assert!(house.look().pending);
    assert_eq!(house.only().status, Status::Waiting);
    let start = house.now;
    while house.now < start + PACKET_PATIENCE {
        house.now += Duration::from_millis(300);
        house.look();
    }
    assert_eq!(house.only().status, Status::Malformed, "it is not for a moment only");
}

#[test]
fn a_question_in_the_making_counts_as_it_was_and_then_as_it_is() {
    let mut house = house(0);
    ask(&house, "a", DRAFT);
    house.look();
    house.write(A, "{");
    house.look_now();
    assert_eq!(house.only().answer_path, Some(A_RECORD.into()), "{:?}", house.list());
    house.now += Duration::from_secs(3);
    assert!(house.look().changed);
    assert_eq!(house.sorted(), ["a.question Malformed", "chapter:048:draft NoGate"]);
    ask(&house, "a", DRAFT);
    house.now += Duration::from_hours(1);
    assert!(house.look_at(&[A]).changed);
    assert_eq!(house.only().answer_path, Some(A_RECORD.into()));
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_packet_behind_a_linked_directory_gets_none_as_for_every_command() {
    let mut house = house(0);
    house.write("kept/two.packet.json", r#"{"step":"chapter:050:draft"}"#);
    symlink("../kept", house.root.join("staging/kept")).unwrap();
    ask(&house, "a", DRAFT);
    for look in [Tree::look, Tree::rescan, |tree: &mut Tree| tree.look_at(&["kept/two.packet.json"])] {
        look(&mut house);
        assert_eq!(house.sorted(), ["chapter:048:draft Waiting", "chapter:050:draft NoGate"]);
    }
    let path = house.root.join("staging/kept/two.packet.json");
    let loaded = gate::load(&house.scanner.project, &path).unwrap();
    assert_eq!((loaded.status(), loaded.is_unattached), (Status::NoGate, false));
    assert!(!attach(&house.scanner.project, &path).unwrap());
}
