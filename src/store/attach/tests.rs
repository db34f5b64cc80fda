//! What a packet is to carry, and what becomes of its file.

mod faults;
mod files;
mod races;

use super::*;
use crate::store::clock::rfc3339_millis;
use crate::store::gate::{self, Status};
use crate::store::scan;
use crate::store::testing::{self, Sandbox, question_json as question, record};
use std::time::Duration;

const PACKET: &str = "staging/manifests/one.packet.json";
const BARE: &str = r#"{"step": "chapter:048:draft", "agent": "codex", "expected_outputs": [{"path": "chapters/048.md", "required": true}]}"#;
const OWN: &str = r#"{"step": "chapter:048:draft", "novel_ask": {"version": 1, "topic": "own", "questions": [
    {"id": "q", "header": "h", "question": "?", "kind": "free_text", "required": true}]}, "answer_path": "staging/novel-ask/048.json"}"#;
const DRAFT: &str = r#""_steps": ["chapter:*:draft"]"#;
const TEN: &str = r#""_steps": ["chapter:*:draft"], "_once_per": 10"#;

struct Book {
    book: Sandbox,
}

impl Book {
    fn new() -> Book {
        Book { book: Sandbox::in_dir(testing::place()) }
    }

    /// With a question `a` and a packet without a gate.
    fn asking() -> Book {
        Book::new().ask("a", DRAFT).packet(BARE)
    }

    fn put(self, path: &str, content: impl AsRef<[u8]>) -> Book {
        self.book.put(path, content);
        self
    }

    fn ask(self, name: &str, members: &str) -> Book {
        self.put(&format!("questions/{name}.question.json"), question(members))
    }

    fn packet(self, content: &str) -> Book {
        self.put(PACKET, content)
    }

    /// The record of a question for a span.
    fn answer(self, place: &str) -> Book {
        self.put(&format!("staging/novel-ask/{place}.answers.json"), record("x").to_json())
    }

    fn path(&self) -> PathBuf {
        self.book.at(PACKET)
    }

    fn load(&self) -> gate::Loaded {
        gate::load(&self.book.project, &self.path()).expect("a packet")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.path()).expect("a packet")
    }

    /// What the packet's file carries after attaching: the place of the record without its folder and ending. What a load and a look
    /// have said before is what it carries then, and whoever comes next finds nothing to do.
    fn attach(&self) -> String {
        let listed = || {
            let project = Arc::new(Project::open(self.book.project.root()).expect("a project"));
            let scanner = scan::look(&project, SystemTime::now() + Duration::from_secs(1));
            let entries = scanner.entries();
            let entry = entries.iter().find(|entry| *entry.path == *Path::new(PACKET)).expect("an entry");
            (entry.answer_path.clone(), entry.status, entry.questions, entry.is_unattached)
        };
        let said = |loaded: &gate::Loaded| {
            let gate = loaded.gate();
            let questions = gate.map_or(0, |gate| gate.spec.questions.len());
            (gate.map(|gate| gate.answer_path.clone()), loaded.status(), questions, loaded.is_unattached)
        };
        let (before, told) = (self.load(), listed());
        assert_eq!(said(&before), told);
        assert_eq!(attach(&self.book.project, &self.path()), Ok(before.is_unattached));
        let after = self.load();
        assert_eq!(
            (after.gate(), &after.asked, after.status()),
            (before.gate(), &before.asked, before.status())
        );
        assert_eq!(said(&after), listed());
        assert!(!after.is_unattached);
        assert_eq!(attach(&self.book.project, &self.path()), Ok(false));
        let place = after.gate().map(|gate| gate.answer_path.lossy().into_owned()).unwrap_or_default();
        let place = place.strip_prefix("staging/novel-ask/").unwrap_or(&place);
        place.strip_suffix(".answers.json").unwrap_or(place).to_owned()
    }
}

fn checkpoint(members: &str) -> String {
    format!(r#"{{"last_completed_chapter": 47{members}}}"#)
}

type Make = fn(Book) -> Book;

/// What there is, and what the packet carries then.
const RULES: &[(&str, Make, &str)] = &[
    ("no questions", |book| book.packet(BARE), ""),
    ("an empty directory of questions", |book| book.packet(BARE).put("questions/README.md", ""), ""),
    ("a question for the step", |book| book.ask("a", DRAFT).packet(BARE), "a-chapter-048-draft"),
    ("its own gate", |book| book.ask("a", DRAFT).packet(OWN), "048.json"),
    (
        "its own gate, answered",
        |book| book.ask("a", DRAFT).packet(OWN).put("staging/novel-ask/048.json", record("x").to_json()),
        "048.json",
    ),
    (
        "the first of their names",
        |book| book.ask("b", DRAFT).ask("a2", DRAFT).ask("a10", DRAFT).packet(BARE),
        "a10-chapter-048-draft",
    ),
    (
        "an invalid record counts as none",
        |book| {
            book.ask("a", DRAFT)
                .ask("b", DRAFT)
                .packet(BARE)
                .put("staging/novel-ask/a-chapter-048-draft.answers.json", "{}")
        },
        "a-chapter-048-draft",
    ),
    (
        "decided ahead",
        |book| book.ask("a", DRAFT).ask("b", DRAFT).packet(BARE).answer("a-chapter-048-draft"),
        "b-chapter-048-draft",
    ),
    ("all decided ahead", |book| book.ask("a", DRAFT).packet(BARE).answer("a-chapter-048-draft"), ""),
    ("for another step", |book| book.ask("a", r#""_steps": ["chapter:*:commit"]"#).packet(BARE), ""),
    ("for other chapters", |book| book.ask("a", r#""_steps": ["chapter:49-60:draft"]"#).packet(BARE), ""),
    ("off", |book| book.ask("a", &format!(r#"{DRAFT}, "_enabled": false"#)).packet(BARE), ""),
    (
        "off, and another on",
        |book| book.ask("a", &format!(r#"{DRAFT}, "_enabled": false"#)).ask("b", DRAFT).packet(BARE),
        "b-chapter-048-draft",
    ),
    (
        "a bad file, and another",
        |book| book.put("questions/a.question.json", "[]").ask("b", DRAFT).packet(BARE),
        "b-chapter-048-draft",
    ),
    (
        "an unknown member of ours",
        |book| book.ask("a", &format!(r#"{DRAFT}, "_enable": false"#)).packet(BARE),
        "a-chapter-048-draft",
    ),
    ("shared by ten chapters", |book| book.ask("a", TEN).packet(BARE), "a-chapters-041-050"),
    (
        "shared by ten chapters and answered",
        |book| book.ask("a", TEN).packet(BARE).answer("a-chapters-041-050"),
        "",
    ),
    (
        "shared by the ten chapters before",
        |book| book.ask("a", TEN).packet(BARE).answer("a-chapters-031-040"),
        "a-chapters-041-050",
    ),
    (
        "the volume of the checkpoint",
        |book| {
            book.ask("a", &format!(r#"{DRAFT}, "_once_per": "volume""#))
                .packet(BARE)
                .put(".checkpoint.json", checkpoint(r#", "current_volume": 3"#))
        },
        "a-vol-03",
    ),
    (
        "a volume that is not said",
        |book| book.ask("a", &format!(r#"{DRAFT}, "_once_per": "volume""#)).packet(BARE),
        "a-vol-01",
    ),
    (
        "once per book",
        |book| book.ask("a", &format!(r#"{DRAFT}, "_once_per": "book""#)).packet(BARE),
        "a-book",
    ),
    (
        "a step of a review",
        |book| book.ask("a", r#""_steps": ["*:*"]"#).packet(r#"{"step": "review:collect"}"#),
        "",
    ),
    (
        "a step of another kind",
        |book| book.ask("a", r#""_steps": ["*:*"]"#).packet(r#"{"step": "volume:outline"}"#),
        "a-volume-outline",
    ),
    ("no step", |book| book.ask("a", DRAFT).packet(r#"{"agent": "codex"}"#), ""),
    ("an unknown step", |book| book.ask("a", DRAFT).packet(r#"{"step": "chapter:048:polish"}"#), ""),
    ("a step without a number", |book| book.ask("a", DRAFT).packet(r#"{"step": "chapter:draft"}"#), ""),
    ("a step that is no text", |book| book.ask("a", DRAFT).packet(r#"{"step": 48}"#), ""),
    (
        "another spelling of the step",
        |book| book.ask("a", DRAFT).packet(r#"{"step": " chapter:48:draft "}"#),
        "a-chapter-048-draft",
    ),
    (
        "behind the checkpoint",
        |book| {
            book.ask("a", DRAFT)
                .packet(BARE)
                .put(".checkpoint.json", r#"{"last_completed_chapter": 48, "inflight_chapter": null}"#)
        },
        "",
    ),
    (
        "behind the checkpoint and written again",
        |book| {
            book.ask("a", DRAFT)
                .packet(BARE)
                .put(".checkpoint.json", r#"{"last_completed_chapter": 60, "inflight_chapter": 48}"#)
        },
        "a-chapter-048-draft",
    ),
    (
        "a checkpoint that cannot be used",
        |book| book.ask("a", DRAFT).packet(BARE).put(".checkpoint.json", "{"),
        "a-chapter-048-draft",
    ),
];

#[test]
fn a_packet_carries_its_own_gate_or_the_first_question_without_an_answer() {
    for (name, make, carried) in RULES {
        println!("{name}");
        let book = make(Book::new());
        let before = book.text();
        assert_eq!(book.attach(), *carried, "{name}");
        if carried.is_empty() || before.contains("novel_ask") {
            assert_eq!(book.text(), before, "{name}: untouched");
        }
    }
}

#[test]
fn one_question_follows_the_other_as_they_are_answered() {
    let mut book = Book::new().ask("a", DRAFT).ask("b", TEN).ask("c", DRAFT).packet(BARE);
    // What holds longer is asked first.
    for place in ["b-chapters-041-050", "a-chapter-048-draft", "c-chapter-048-draft"] {
        assert_eq!(book.attach(), place);
        book = book.answer(place);
    }
    // The last one stays, as its executor knows it.
    assert_eq!(book.attach(), "c-chapter-048-draft");
    assert_eq!(book.load().status(), Status::Answered);
    // One that is taken back is asked in its turn, once the packet is free; the next chapter shares what is shared.
    fs::remove_file(book.book.at("staging/novel-ask/a-chapter-048-draft.answers.json")).expect("gone");
    assert_eq!(book.attach(), "a-chapter-048-draft");
    let book = book.packet(&BARE.replace("048", "049")).answer("a-chapter-049-draft");
    assert_eq!(book.attach(), "c-chapter-049-draft");
    let book = book.packet(&BARE.replace("048", "051")).answer("a-chapter-051-draft");
    assert_eq!(book.attach(), "b-chapters-051-060");
}

#[test]
fn a_question_that_is_switched_off_goes_and_comes_again() {
    let book = Book::asking();
    assert_eq!(book.attach(), "a-chapter-048-draft");
    let attached = book.text();
    let off = format!(r#"{DRAFT}, "_enabled": false"#);
    let book = book.ask("a", &off);
    assert_eq!(book.attach(), "");
    assert_eq!(book.text(), BARE);
    let book = book.ask("a", DRAFT);
    assert_eq!(book.attach(), "a-chapter-048-draft");
    assert_eq!(book.text(), attached);
    // Another takes its place; and what is answered stays.
    let book = book.ask("a", &off).ask("b", DRAFT);
    assert_eq!(book.attach(), "b-chapter-048-draft");
    let book = book.answer("b-chapter-048-draft").ask("b", &off);
    assert_eq!(book.attach(), "b-chapter-048-draft");
    assert_eq!(book.load().status(), Status::Answered);
}

#[test]
fn a_question_that_waits_follows_its_file() {
    let book = Book::asking();
    assert_eq!(book.attach(), "a-chapter-048-draft");
    let edited = question(DRAFT).replace("\"?\"", "\"!\"");
    let book = book.put("questions/a.question.json", &edited);
    assert!(book.load().is_unattached);
    assert_eq!(book.attach(), "a-chapter-048-draft");
    assert!(book.text().contains("\"!\""));
    // When its place moves, or it is for other steps, too.
    let book = book.ask("a", TEN);
    assert_eq!(book.attach(), "a-chapters-041-050");
    assert!(!book.text().contains("a-chapter-048-draft"), "{}", book.text());
    let book = book.ask("a", r#""_steps": ["chapter:*:commit"]"#);
    assert_eq!(book.attach(), "");
    assert_eq!(book.text(), BARE);
    // One that has become unusable, or has gone, stays as it was.
    let book = book.ask("a", DRAFT);
    book.attach();
    let attached = book.text();
    let book = book.put("questions/a.question.json", "[]").ask("b", DRAFT);
    assert_eq!(book.attach(), "a-chapter-048-draft");
    fs::remove_file(book.book.at("questions/a.question.json")).expect("gone");
    assert_eq!(book.attach(), "a-chapter-048-draft");
    assert_eq!(book.text(), attached);
}

#[test]
fn an_answered_question_is_what_it_was() {
    let book = Book::asking();
    book.attach();
    let attached = book.text();
    let book = book.answer("a-chapter-048-draft");
    let more = question(DRAFT).replace("\"q\", \"header\"", "\"more\", \"header\"");
    let book = book.put("questions/a.question.json", more);
    assert_eq!(book.attach(), "a-chapter-048-draft");
    assert_eq!((book.text(), book.load().status()), (attached, Status::Answered));
    // Another packet of the step asks what the file says now.
    let book = book.packet(BARE);
    assert_eq!(book.attach(), "a-chapter-048-draft");
    assert!(book.text().contains("\"more\""));
    assert_eq!(book.load().status(), Status::Blocked);
}

#[test]
fn only_packets_below_staging_that_nobody_waits_for_in_a_call_get_one() {
    let book = Book::asking();
    for (path, carried) in [
        ("staging/manifests/deep/er.packet.json", true),
        ("staging/manifests/other.json", false),
        ("staging/novel-ask/relay/relay-0123456789ab.packet.json", false),
        ("staging/novel-ask/relay/other.packet.json", true),
        ("packets/one.packet.json", false),
        ("one.packet.json", false),
    ] {
        let file = book.book.put(path, BARE);
        assert_eq!(attach(&book.book.project, &file), Ok(carried), "{path}");
        assert_eq!(
            gate::load(&book.book.project, &file).expect("a packet").gate().is_some(),
            carried,
            "{path}"
        );
    }
    let elsewhere = book.book.top().join("elsewhere.packet.json");
    fs::write(&elsewhere, BARE).expect("written");
    assert_eq!(attach(&book.book.project, &elsewhere), Ok(false));
    let spelled = book.book.at("staging/../packets/../staging/manifests/./one.packet.json");
    assert_eq!(attach(&book.book.project, &spelled), Ok(true), "however it is spelled");
    assert_eq!(book.attach(), "a-chapter-048-draft");
    assert_eq!(attach(&book.book.project, &book.book.at("staging/gone.packet.json")), Ok(false));
}

#[test]
fn a_packet_of_the_step_before_gets_none() {
    let hour = Duration::from_hours(1);
    let at = |time: SystemTime| format!(r#", "last_checkpoint_time": "{}""#, rfc3339_millis(time));
    let now = SystemTime::now();
    for (written, moved, carried) in [
        (now, now - hour, "a-chapter-048-draft"),
        (now - hour, now, ""),
        (now - hour, now + hour * 5, "a-chapter-048-draft"),
    ] {
        let book = Book::asking().put(".checkpoint.json", checkpoint(&at(moved)));
        let file = fs::File::options().write(true).open(book.path()).expect("a packet");
        file.set_modified(written).expect("set");
        drop(file);
        assert_eq!(book.attach(), carried);
        // By its time it stays the packet of its step.
        let modified = fs::metadata(book.path()).and_then(|meta| meta.modified()).expect("a time");
        assert_eq!(modified, written);
    }
}
