//! A watch that attaches standing questions.

use super::*;
use crate::store::testing::question_json;
use cap_std::fs::Dir;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

const DRAFT: &str = r#""_steps": ["chapter:*:draft"]"#;
const A: &str = "questions/a.question.json";

fn bare(chapter: usize) -> String {
    format!(r#"{{"step": "chapter:{chapter:03}:draft"}}"#)
}

fn attaching(hints: Option<Connect>, pace: Pace, prepare: impl FnOnce(&Path)) -> Tree {
    let options = Options { hints, pace, only: None, attaches: true };
    Tree::start(Arc::new(SystemClock::default()), options, |root| {
        fs::create_dir_all(root.join("staging/manifests")).unwrap();
        prepare(root);
    })
}

fn ask(root: &Path) {
    fs::create_dir(root.join("questions")).unwrap();
    fs::write(root.join(A), question_json(DRAFT)).unwrap();
}

impl Tree {
    /// Whether a packet's file carries a gate.
    fn carries(&self, name: &str) -> bool {
        let text = fs::read(self.root.join(format!("staging/manifests/{name}.packet.json"))).unwrap();
        String::from_utf8_lossy(&text).contains("answer_path")
    }

    /// How many packets count as waiting, and as without a gate.
    fn counts(&self) -> (usize, usize) {
        let count = |status: &str| self.list.iter().filter(|line| line.ends_with(status)).count();
        (count("Waiting"), count("NoGate"))
    }
}

/// Looks all the time, and only by the system's hints.
fn ways() -> Vec<(Connect, Pace)> {
    vec![(mute(), fast()), (directories::system(), hints_only())]
}

#[test]
fn a_packet_that_appears_carries_its_question_when_it_is_told_of() {
    for (hints, pace) in ways() {
        let mut house = attaching(Some(hints), pace, ask);
        if house.modes != [Mode::Native] {
            return;
        }
        house.put("staging/manifests/.1.tmp", &bare(48));
        let packet = house.root.join("staging/manifests/one.packet.json");
        fs::rename(house.root.join("staging/manifests/.1.tmp"), &packet).unwrap();
        house.wait_for(&["one Waiting"]);
        assert!(house.carries("one"), "nobody is told of it before");
        assert_eq!(house.lists, 2, "and it is told of once");
        // It is written anew, and answered; then the next question comes.
        house.put("staging/manifests/one.packet.json", &bare(49));
        house.wait(|house| house.carries("one"));
        house.put("questions/b.question.json", &question_json(DRAFT));
        house.put(
            "staging/novel-ask/a-chapter-049-draft.answers.json",
            &crate::store::testing::record("x").to_json(),
        );
        house.wait(|_| fs::read_to_string(&packet).unwrap().contains("novel-ask/b-chapter-049-draft"));
        house.wait_for(&["one Waiting"]);
    }
}

/// Whoever made the packet makes it again as soon as it carries a question, so many times.
#[derive(Debug)]
struct Remaking(AtomicUsize);

impl Disk for Remaking {
    fn sync_dir(&self, dir: &Dir) -> io::Result<()> {
        if self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
            dir.write(".1.tmp", bare(48))?;
            dir.rename(".1.tmp", dir, "one.packet.json")?;
        }
        SystemDisk.sync_dir(dir)
    }
}

#[test]
fn a_packet_that_is_made_again_while_it_gets_its_question_gets_it_again() {
    for (hints, pace) in ways() {
        let options = Options { hints: Some(hints), pace, only: None, attaches: true };
        let disk: &Remaking = Box::leak(Box::new(Remaking(AtomicUsize::new(3))));
        let mut house = Tree::start_on(disk, Arc::new(SystemClock::default()), options, |root| {
            fs::create_dir_all(root.join("staging/manifests")).unwrap();
            ask(root);
        });
        if house.modes != [Mode::Native] {
            return;
        }
        house.put("staging/manifests/one.packet.json", &bare(48));
        house.wait(|house| disk.0.load(Ordering::Relaxed) == 0 && house.carries("one"));
        house.wait_for(&["one Waiting"]);
    }
}

#[test]
fn a_directory_of_questions_may_come_later() {
    for (hints, pace) in ways() {
        let mut house = attaching(Some(hints), pace, |root| {
            fs::write(root.join("staging/manifests/one.packet.json"), bare(48)).unwrap();
        });
        if house.modes != [Mode::Native] {
            return;
        }
        house.wait_for(&["one NoGate"]);
        house.put("elsewhere/other", "");
        fs::create_dir(house.root.join("questions")).unwrap();
        house.put(A, &question_json(DRAFT));
        house.wait_for(&["one Waiting"]);
        assert!(house.carries("one"));
        // And go, and come again, whole.
        fs::rename(house.root.join("questions"), house.root.join("away")).unwrap();
        house.put("staging/manifests/two.packet.json", &bare(49));
        house.wait(|house| house.counts() == (1, 1));
        fs::rename(house.root.join("away"), house.root.join("questions")).unwrap();
        house.wait(|house| house.counts() == (2, 0));
        assert!(house.carries("two"));
        house.put(A, &question_json(&format!(r#"{DRAFT}, "_enabled": false"#)));
        house.wait(|house| house.counts() == (0, 2));
        assert!(!house.carries("one") && !house.carries("two"));
    }
}

#[test]
fn two_hundred_at_once_are_attached_and_listed_meanwhile() {
    for (hints, pace) in ways() {
        let mut house = attaching(Some(hints), pace, ask);
        if house.modes != [Mode::Native] {
            return;
        }
        for number in 1..=200 {
            house.put(&format!("elsewhere/{number}.packet.json"), &bare(number));
        }
        fs::rename(house.root.join("elsewhere"), house.root.join("staging/manifests/many")).unwrap();
        house.wait(|house| house.list.len() == 200 && (1..=200).all(|n| house.carries(&format!("many/{n}"))));
        assert!(house.lists > 5, "the list does not wait for all of them: {}", house.lists);
        assert_eq!(house.counts(), (200, 0));
        assert_eq!(house.unread, [""; 0]);
    }
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn one_that_cannot_be_attached_is_said_once_and_keeps_no_other_waiting() {
    give_up_privileges();
    let mut house = attaching(Some(mute()), fast(), |root| {
        ask(root);
        let closed = root.join("staging/manifests/closed");
        fs::create_dir(&closed).unwrap();
        (1..=40).for_each(|number| {
            fs::write(closed.join(format!("{number}.packet.json")), bare(number)).unwrap();
        });
        set_mode(&closed, 0o500);
    });
    house.put("staging/manifests/one.packet.json", &bare(48));
    house.wait(|house| house.carries("one"));
    house.put("staging/manifests/two.packet.json", &bare(49));
    house.wait(|house| house.carries("two"));
    let looks = house.looks;
    house.wait(|house| house.looks > looks + 3);
    assert_eq!(house.unread.len(), 1, "{:?}", house.unread);
    assert!(
        house.unread[0].contains("Cannot attach a question to staging/manifests/closed/"),
        "{:?}",
        house.unread
    );
    set_mode(&house.root.join("staging/manifests/closed"), 0o700);
    house.wait(|house| (1..=40).all(|number| house.carries(&format!("closed/{number}"))));
    let looks = house.looks;
    house.wait(|house| house.looks > looks + 3);
    // And that it is over.
    assert_eq!(house.unread[1..], [""]);
}

#[test]
fn whoever_does_not_attach_lists_it_all_the_same_and_writes_nothing() {
    let mut house = Tree::with(Some(mute()), fast(), ask);
    house.put("staging/manifests/one.packet.json", &bare(48));
    house.wait_for(&["one Waiting"]);
    assert!(!house.carries("one"));
}

#[test]
fn what_cannot_be_attached_is_no_reason_to_look_without_rest() {
    let mut house = attaching(Some(mute()), hints_only(), ask);
    // No UTF-8.
    let packet = house.root.join("staging/manifests/one.packet.json");
    let text = [br#"{"x": "#.as_slice(), b"\"\xff\", ", &bare(48).as_bytes()[1..]].concat();
    fs::write(&packet, &text).unwrap();
    house.watch.look();
    house.wait(|house| house.list == ["one Waiting"]);
    let (lists, looks) = (house.lists, house.looks);
    house.watch.look();
    house.wait(|house| house.looks > looks);
    assert!(house.lists <= lists + 1 && house.looks <= looks + 2, "{} {}", house.lists, house.looks);
    assert_eq!(fs::read(&packet).unwrap(), text);
    // The gate itself says why.
    assert_eq!(house.unread, [""; 0]);
}
