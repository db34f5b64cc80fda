//! Packets of hooks and servers: named, joined, swept, taken back.

use super::packet::RECORD;
use super::*;
use crate::ask::decode_spec;
use crate::store::testing::look_while;
use std::fs;

mod crowded;
mod late;
mod refused;

const SPEC: &str = r#"{"version": 1, "topic": "Claude Code: 平台", "questions": [{"id": "q1", "header": "平台",
    "question": "发布到哪里？", "kind": "free_text", "required": true}]}"#;
const ANSWERS: &str = r#"{"version": 1, "topic": "Claude Code: 平台", "answers": {"q1": "x"},
    "answered_at": "2026-02-27T10:12:34.000Z", "answered_by": "human"}"#;

struct Book {
    top: tempfile::TempDir,
    project: Project,
    state: StateDir,
    spec: QuestionSpec,
}

/// What a hook asks.
fn asked<'a>(call: &'a str, spec: &'a QuestionSpec) -> Asked<'a> {
    Asked { agent: "claude-code", spec, call, stays: false }
}

impl Book {
    fn new() -> Book {
        let top = tempfile::tempdir().expect("a directory");
        fs::create_dir(top.path().join("book")).expect("a project");
        let project = Project::open(&top.path().join("book")).expect("a project");
        let state = StateDir::new(&top.path().join("state"), &project);
        Book { top, project, state, spec: decode_spec(SPEC.as_bytes()).expect("a spec") }
    }

    fn open(&self) -> Relay {
        let asked =
            Asked { agent: "claude-code", spec: &self.spec, call: r#"{"session_id": "s"}"#, stays: false };
        Relay::open(&self.project, &self.state, &asked).expect("opened")
    }

    /// As a hook of this call does.
    fn open_for(&self, session: &str, tool_use: &str) -> Relay {
        let call = format!(r#"{{"session_id": "{session}", "tool_use_id": "{tool_use}", "since": "x"}}"#);
        let asked = Asked { agent: "claude-code", spec: &self.spec, call: &call, stays: false };
        Relay::open(&self.project, &self.state, &asked).expect("opened")
    }

    fn answer(&self, relay: &Relay) {
        fs::write(self.path(relay).with_file_name(record_name(&relay.name)), ANSWERS).expect("answered");
    }

    fn ask(&self) -> Relay {
        let asked =
            Asked { agent: "mcp", spec: &self.spec, call: r#"{"session_id": "server"}"#, stays: true };
        Relay::open(&self.project, &self.state, &asked).expect("asked")
    }

    fn is_orphaned(&self, relay: &Path) -> bool {
        is_orphaned(&self.project, relay)
    }

    fn sweep(&self) {
        sweep(&self.project, &self.state, SystemTime::now());
    }

    fn files(&self) -> Vec<String> {
        let folder = fs::read_dir(self.top.path().join("book").join(RELAYS)).into_iter().flatten();
        let mut names: Vec<String> =
            folder.flatten().map(|entry| entry.file_name().shown().into_owned()).collect();
        names.sort();
        names
    }

    fn path(&self, relay: &Relay) -> PathBuf {
        self.project.root().join(relay.packet())
    }
}

#[test]
fn a_packet_is_a_gate_that_asks_exactly_this() {
    let book = Book::new();
    let relay = book.open();
    assert!(is_relay(&relay.packet()) && !is_relay(Path::new("staging/relay-a.packet.json")));
    let loaded = gate::load(&book.project, &book.path(&relay)).expect("a packet");
    assert_eq!(loaded.gate().map(|gate| &*gate.spec), Some(&book.spec));
    assert_eq!(loaded.packet.step.clone().unwrap_or_default(), format!("relay:{}", relay.name).as_str());
    assert_eq!(loaded.packet.agent.clone().unwrap_or_default(), "claude-code");
    assert_eq!(loaded.refusal, None);
    let found = crate::store::locate::packet(
        &book.project,
        Path::new(&format!("relay:{}", relay.name)),
        Path::new("/"),
    );
    assert_eq!(found, Ok(book.path(&relay)));
}

#[test]
fn the_same_asked_twice_at_once_is_two_gates_and_asked_again_the_same() {
    let book = Book::new();
    let (one, two) = (book.open(), book.open());
    assert_eq!(two.name, format!("{}-2", one.name));
    let name = one.name.clone();
    drop((one, two));
    assert_eq!(book.files(), [""; 0]);
    assert_eq!(book.open().name, name, "a draft is found again");
}

#[test]
fn hooks_of_one_call_share_a_packet_until_the_last_is_done() {
    let book = Book::new();
    let (one, two) = (book.open_for("s", "t"), book.open_for("s", "t"));
    assert_eq!(one.packet(), two.packet());
    for (session, tool_use) in [("s", "u"), ("r", "t"), ("", "t"), ("", "t"), ("s", ""), ("s", "")] {
        let other = book.open_for(session, tool_use);
        assert_ne!(other.packet(), one.packet(), "{session} {tool_use}");
        std::mem::forget(other);
    }
    assert_eq!(book.files().len(), 7, "what has no name is nobody's call");
    let packet = book.path(&one);
    let record = packet.with_file_name(record_name(&one.name));
    drop(two);
    assert!(packet.exists());
    let three = book.open_for("s", "t");
    fs::write(&record, ANSWERS).expect("answered");
    one.close(&book.project, &book.state, SystemTime::now());
    assert!(packet.exists() && record.exists());
    three.close(&book.project, &book.state, SystemTime::now());
    assert!(!packet.exists() && !record.exists());
}

#[test]
fn answers_are_known_to_the_call_that_was_given_them() {
    let book = Book::new();
    let other = decode_spec(SPEC.replace("哪里", "何处").as_bytes()).expect("a spec");
    let mine = asked(r#"{"session_id": "s", "tool_use_id": "t"}"#, &book.spec);
    assert_eq!(mine.handed_over(&book.state), None, "nothing was kept yet");
    let relay = book.open_for("s", "t");
    book.answer(&relay);
    relay.hand_over(&book.state, &mine);
    let place = relay.answer_path();
    relay.close(&book.project, &book.state, SystemTime::now());
    assert_eq!(mine.handed_over(&book.state).map(|(_, place)| place), Some(place));
    for (call, spec) in [
        (r#"{"session_id": "s", "tool_use_id": "u"}"#, &book.spec),
        (r#"{"session_id": "s", "tool_use_id": ""}"#, &book.spec),
        ("{}", &book.spec),
        (mine.call, &other),
    ] {
        assert_eq!(asked(call, spec).handed_over(&book.state), None, "{call}");
    }
    let later = book.open_for("s", "later");
    for number in 0..KEPT {
        let call = format!(r#"{{"session_id": "s", "tool_use_id": "{number}"}}"#);
        later.hand_over(&book.state, &asked(&call, &book.spec));
    }
    assert_eq!(mine.handed_over(&book.state), None, "not for ever");
}

#[test]
fn answers_that_were_not_handed_over_stay_for_a_day() {
    let book = Book::new();
    let at = |hours: u64| time_of("2026-02-27T10:12:34.000Z").expect("a time") + Duration::from_hours(hours);
    let sweep = |hours| sweep(&book.project, &book.state, at(hours));
    let mine = asked(r#"{"session_id": "s"}"#, &book.spec);
    let mut relay = book.open();
    let record = book.path(&relay).with_file_name(record_name(&relay.name));
    let packet = relay.packet();
    fs::write(&record, ANSWERS).expect("answered");
    assert!(!has_undelivered(&book.project, &mine), "it is in good hands");
    relay.stays = true;
    drop(relay);
    sweep(23);
    assert!(has_undelivered(&book.project, &mine));
    for other in [r#"{"session_id": "t"}"#, r#"{"session_id": ""}"#, r#"{"session_id": ["s"]}"#, "{}"] {
        let other = asked(other, &book.spec);
        assert!(!has_undelivered(&book.project, &other), "{other:?}");
        let relay = Relay::open(&book.project, &book.state, &other).expect("asked");
        assert_ne!(relay.packet(), packet, "{other:?}");
    }
    assert_eq!(book.ask().name.len(), DIGITS + 2, "a server's question is its own");
    let again = book.open();
    assert_eq!(again.packet(), packet);
    sweep(25);
    assert!(again.is_there(), "it is in good hands again");
    drop(again);
    assert!(!has_undelivered(&book.project, &mine));
    let mut relay = book.open();
    assert_ne!(relay.packet(), packet, "the record of the one taken back lies there");
    let path = book.path(&relay);
    fs::write(path.with_file_name(record_name(&relay.name)), ANSWERS).expect("answered");
    relay.stays = true;
    drop(relay);
    sweep(25);
    assert!(!path.exists());
}

#[test]
fn a_packet_that_stays_is_joined_by_all_calls_of_its_session_and_swept_by_nobody_before_it_is_answered() {
    let book = Book::new();
    let hook = book.open();
    let (one, two) = (book.ask(), book.ask());
    assert_eq!((one.packet(), two.packet()), (two.packet(), one.packet()));
    assert_ne!(one.packet(), hook.packet(), "a hook's packet is its own");
    let packet = one.packet();
    drop(one);
    assert!(!book.is_orphaned(&packet) && two.is_left());
    drop(two);
    assert!(book.is_orphaned(&packet) && !book.is_orphaned(&hook.packet()));
    book.sweep();
    assert_eq!(book.ask().packet(), packet);
    assert!(
        Relay::join(&book.project, &packet, true).is_some_and(|relay| !book.is_orphaned(&relay.packet()))
    );
    for other in [&*hook.packet(), Path::new("staging/a.packet.json"), Path::new("../a"), Path::new("")] {
        assert!(Relay::join(&book.project, other, true).is_none(), "{}", other.display());
    }
    assert!(!book.is_orphaned(Path::new("")) && !book.is_orphaned(Path::new("staging/a.packet.json")));
}

#[test]
fn a_packet_that_stays_goes_a_day_after_its_answer_if_nobody_has_come_for_it() {
    let book = Book::new();
    let at = |hours: u64| time_of("2026-02-27T10:12:34.000Z").expect("a time") + Duration::from_hours(hours);
    let relay = book.ask();
    let (packet, path) = (relay.packet(), book.path(&relay));
    fs::write(path.with_file_name(record_name(&relay.name)), ANSWERS).expect("answered");
    let sweep = |hours| sweep(&book.project, &book.state, at(hours));
    sweep(25);
    assert!(path.exists(), "somebody waits for it");
    drop(relay);
    sweep(23);
    assert!(path.exists());
    sweep(25);
    assert!(!path.exists());
    assert!(answered(&book.state, &packet).is_some(), "the history has the answers");
}

#[test]
fn all_calls_of_a_session_that_ask_the_same_at_once_share_one_packet() {
    let book = Book::new();
    for round in 0..400 {
        let together = std::sync::Barrier::new(2);
        let ask = |late: u32| {
            together.wait();
            // Each time the one is a little later, so that it looks while the other writes.
            (0..late * 200).for_each(|_| std::hint::spin_loop());
            book.ask()
        };
        let (one, two) = thread::scope(|scope| {
            let other = scope.spawn(|| ask(round));
            (ask(0), other.join().expect("asked"))
        });
        assert_eq!(one.packet(), two.packet(), "round {round}");
        fs::remove_file(book.path(&one)).expect("removed");
    }
}

#[test]
fn the_answers_to_a_packet_that_is_gone_are_known_and_answer_no_other_question() {
    let book = Book::new();
    let relay = book.ask();
    let packet = relay.packet();
    assert_eq!(answered(&book.state, &packet), None);
    fs::write(book.path(&relay).with_file_name(record_name(&relay.name)), ANSWERS).expect("answered");
    relay.close(&book.project, &book.state, SystemTime::now());
    let record = answered(&book.state, &packet).expect("answers");
    assert_eq!(record.answered_by, "human");
    assert_ne!(book.ask().packet(), packet, "they answer no other question");
    assert_eq!(answered(&book.state, Path::new("staging/a.packet.json")), None);
}

#[test]
fn what_was_answered_goes_to_the_history_and_its_name_is_used_up() {
    let book = Book::new();
    let relay = book.open();
    let name = relay.name.clone();
    fs::write(book.path(&relay).with_file_name(record_name(&name)), ANSWERS).expect("answered");
    relay.close(&book.project, &book.state, SystemTime::now());
    assert_eq!(book.files(), [""; 0]);
    let entries = history::entries(&book.state, &answer_path(&name)).expect("entries");
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0].asked(), Some(book.spec.clone()));
    assert_eq!(book.open().name, format!("{name}-2"));
}

#[test]
fn a_packet_whose_process_is_gone_is_swept_and_no_other() {
    let book = Book::new();
    let relay = book.open();
    let left = relay.packet().with_file_name("relay-left.packet.json");
    let text = fs::read_to_string(book.path(&relay)).expect("read").replace(&relay.name, "left");
    fs::write(book.project.root().join(&left), text).expect("one that nobody holds");
    let mine = book.project.root().join(RELAYS).join("relay-mine.packet.json");
    fs::write(&mine, r#"{"step": "a packet of somebody else's"}"#).expect("written");
    fs::write(mine.with_file_name("relay-left.answers.json"), ANSWERS).expect("written");
    book.sweep();
    assert_eq!(book.files(), [packet_name(&relay.name), "relay-mine.packet.json".to_owned()]);
    assert!(relay.is_there());
    assert_eq!(history::entries(&book.state, &answer_path("left")).expect("entries").len(), 1);
}

#[test]
fn answers_that_nobody_was_given_stay_for_a_day_whatever_the_clock_says() {
    let hour = Duration::from_hours(1);
    for (answered, stays) in [("-1", true), ("-25", false), ("1", true), ("25", false)] {
        let book = Book::new();
        let relay = book.open();
        let left = relay.packet().with_file_name("relay-left.packet.json");
        let text = fs::read_to_string(book.path(&relay)).expect("read").replace(&relay.name, "left");
        drop(relay);
        let left = book.project.root().join(left);
        fs::write(&left, text).expect("one that nobody holds");
        let hours: i32 = answered.parse().expect("a number");
        let (now, apart) = (SystemTime::now(), hour * hours.unsigned_abs());
        let at = if hours < 0 { now - apart } else { now + apart };
        let answers = ANSWERS.replace("2026-02-27T10:12:34.000Z", &crate::store::clock::rfc3339_millis(at));
        fs::write(left.with_file_name("relay-left.answers.json"), answers).expect("written");
        sweep(&book.project, &book.state, now);
        assert_eq!(left.exists(), stays, "{answered} hours");
    }
}

#[test]
fn a_record_that_the_history_has_not_taken_stays() {
    let book = Book::new();
    let large = ANSWERS.replace("\"x\"", &format!("\"{}\"", "x".repeat(5 << 20)));
    for spoil in [false, true] {
        let relay = book.open();
        let record = book.path(&relay).with_file_name(record_name(&relay.name));
        fs::write(&record, if spoil { ANSWERS } else { &large }).expect("answered");
        if spoil {
            fs::write(book.path(&relay), "{").expect("spoiled");
        }
        let packet = book.path(&relay);
        relay.close(&book.project, &book.state, SystemTime::now());
        assert!(!packet.exists() && record.exists(), "spoiled: {spoil}");
    }
}

#[test]
fn a_question_is_taken_back_until_it_is_answered_and_nothing_else_is() {
    let book = Book::new();
    let relay = book.open();
    let mine = Path::new(RELAYS).join("relay-mine.packet.json");
    fs::write(book.project.root().join(&mine), r#"{"step": "a packet of somebody else's"}"#)
        .expect("written");
    let other = Path::new("staging/relay-a.packet.json");
    fs::write(book.project.root().join(other), "{}").expect("written");
    let record = book.path(&relay).with_file_name(record_name(&relay.name));
    fs::write(&record, ANSWERS).expect("answered");
    for path in [&*relay.packet(), &mine, other, Path::new("../a"), Path::new("")] {
        let refused = withdraw(&book.project, path).expect_err("refused");
        assert_eq!(refused.code, "not-relayed", "{}", path.display());
    }
    assert!(relay.is_there() && book.project.root().join(&mine).exists());
    fs::write(&record, "[]").expect("no record");
    assert_eq!(withdraw(&book.project, &relay.packet()), Ok(()));
    assert!(!relay.is_there() && record.exists());
    assert_eq!(withdraw(&book.project, &relay.packet()).expect_err("refused").code, "not-relayed");
}

#[test]
fn a_packet_that_names_another_place_costs_no_other_file() {
    let book = Book::new();
    let relay = book.open();
    let text = fs::read_to_string(book.path(&relay)).expect("read");
    let place = answer_path(&relay.name).lossy().into_owned();
    fs::write(book.project.root().join("chapter.md"), "precious").expect("written");
    let forged = book.project.root().join(RELAYS).join("relay-forged.packet.json");
    fs::write(&forged, text.replace(&place, "chapter.md")).expect("written");
    book.sweep();
    assert!(!forged.exists());
    assert!(book.project.root().join("chapter.md").exists());
}

#[test]
fn the_folder_goes_with_the_last_packet() {
    let book = Book::new();
    let folder = book.project.root().join(RELAYS);
    let (ours, theirs) = (book.open_for("s", "1"), book.open_for("s", "2"));
    let close = |relay: Relay| relay.close(&book.project, &book.state, SystemTime::now());
    close(ours);
    assert!(folder.is_dir(), "the other one is there");
    close(theirs);
    assert!(!folder.exists() && folder.parent().is_some_and(Path::is_dir));
    let taken_back = book.ask();
    withdraw(&book.project, &taken_back.packet()).expect("withdrawn");
    assert!(!folder.exists());
    fs::create_dir(&folder).expect("made");
    book.sweep();
    assert!(!folder.exists());
}

#[test]
fn a_folder_that_goes_while_a_packet_is_put_into_it_is_made_anew() {
    let book = Book::new();
    look_while(
        100,
        || book.open_for("another", "call").close(&book.project, &book.state, SystemTime::now()),
        || book.open().close(&book.project, &book.state, SystemTime::now()),
    );
    assert_eq!(book.files(), [""; 0]);
}
