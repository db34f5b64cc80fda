use super::*;
use crate::ask::JsString;
use crate::exit::ExitCode;
use crate::store::disk::Disk;
use crate::store::gate::{Status, spec_hash};
use crate::store::history::{HistoryEntry, entries};
use crate::store::sha256;
use crate::store::testing::{Sandbox, gate, look_while, packet_json, record};
use std::fs;
use std::time::Duration;

const PATH: &str = "staging/answers/a.json";
/// Not UTF-8, not JSON: exactly what must come back.
const TORN: &[u8] = b"{\"version\": 1, \xFF\x00";

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_187_154)
}

/// A gate and answers to it.
struct Desk {
    book: Sandbox,
    packet: PathBuf,
    answer_path: JsString,
    asked: String,
    bytes: String,
}

fn written(outcome: Outcome) -> Submitted {
    match outcome {
        Outcome::Written(done) => *done,
        Outcome::SentBack(returned) => panic!("{returned:?}"),
    }
}

impl Desk {
    fn new() -> Desk {
        let book = Sandbox::new();
        let packet = book.put_packet(PATH);
        let asked = spec_hash(&gate(PATH).spec);
        Desk { book, packet, answer_path: PATH.into(), asked, bytes: record("mine").to_json() }
    }

    fn submission<'d>(&'d self, over: Over<'d>) -> Submission<'d> {
        let Desk { packet, answer_path, asked, bytes, .. } = self;
        Submission { packet, answer_path, asked, bytes: bytes.as_bytes(), rivals: &[], over, seen: None }
    }

    fn submit(&self, over: Over<'_>) -> Result<Submitted, WriteError> {
        submit(&self.book.project, Ok(&self.book.state), &self.submission(over), now()).map(written)
    }

    fn load(&self) -> Loaded {
        gate::load(&self.book.project, &self.packet).unwrap()
    }

    fn all(&self) -> Vec<HistoryEntry> {
        entries(&self.book.state, &self.answer_path).unwrap()
    }

    fn told(&self) -> Vec<(&'static str, bool)> {
        self.all().iter().map(|entry| (entry.reason.name(), entry.valid)).collect()
    }

    fn there(&self) -> Vec<u8> {
        fs::read(self.book.at(PATH)).unwrap()
    }
}

#[test]
fn answers_to_other_questions_are_never_written() {
    let desk = Desk::new();
    fs::write(&desk.packet, packet_json(PATH).replace("\"?\"", "\"!\"")).unwrap();
    for over in [Over::Nothing, Over::Any] {
        assert_eq!(desk.submit(over).unwrap_err(), WriteError::Stale);
    }
    // Nor to the same ones in another place.
    desk.book.put_packet("staging/answers/other.json");
    assert_eq!(desk.submit(Over::Nothing).unwrap_err(), WriteError::Stale);
    assert!(desk.book.names("staging/answers").is_empty());
    // A change that asks the same is no change, nor is another spelling of the place.
    let spelled = packet_json("./staging//answers/a.json").replacen('{', "{ \"_note\": 1,", 1);
    fs::write(&desk.packet, spelled).unwrap();
    desk.submit(Over::Nothing).unwrap();
    fs::remove_file(&desk.packet).unwrap();
    assert_eq!(desk.submit(Over::Nothing).unwrap_err().error().kind, ExitCode::Failed);
}

/// The packet is written anew, with another question, while the record is.
#[derive(Debug)]
struct Regenerated(PathBuf);

impl Disk for Regenerated {
    fn sync(&self, file: &fs::File) -> std::io::Result<()> {
        fs::write(&self.0, packet_json(PATH).replace("\"?\"", "\"!\"")).unwrap();
        file.sync_all()
    }
}

#[test]
fn a_packet_that_changes_before_the_old_record_goes_leaves_it() {
    let desk = Desk::new();
    desk.book.put(PATH, TORN);
    let regenerated: &'static Regenerated = Box::leak(Box::new(Regenerated(desk.packet.clone())));
    let project = Project::open(desk.book.project.root()).unwrap().on(regenerated);
    let written = submit(&project, Ok(&desk.book.state), &desk.submission(Over::Any), now());
    assert_eq!(written.unwrap_err(), WriteError::Stale);
    assert_eq!((desk.there(), desk.all().len()), (TORN.to_vec(), 0));
    assert_eq!(desk.book.names("staging/answers"), ["a.json"]);
}

#[test]
fn what_is_written_is_noted_and_can_be_redone() {
    let desk = Desk::new();
    let written = desk.submit(Over::Nothing).unwrap();
    assert_eq!((written.unnoted, written.record), (None, record("mine")));
    assert_eq!(written.receipt.sha256, sha256(&desk.there()));
    assert_eq!(desk.all()[0].bytes().unwrap(), desk.there());
    assert!(matches!(desk.submit(Over::Nothing), Err(WriteError::Exists(_))));
    desk.book.history(now()).redo(&desk.load()).unwrap();
    desk.book.history(now()).undo(&desk.load()).unwrap();
    assert_eq!(desk.load().status(), Status::Answered);
}

#[test]
fn each_thing_that_happens_has_its_reason() {
    let desk = Desk::new();
    desk.book.put(PATH, TORN);
    assert!(desk.book.history(now()).see(&desk.load()).unwrap());
    desk.book.history(now()).redo(&desk.load()).unwrap();
    desk.submit(Over::Nothing).unwrap();
    desk.book.history(now()).redo(&desk.load()).unwrap();
    desk.book.history(now()).undo(&desk.load()).unwrap();
    desk.submit(Over::Any).unwrap();
    let want = [
        ("seen", false),
        ("redone", false),
        ("repaired", true),
        ("redone", true),
        ("restored", true),
        ("replaced", true),
        ("answered", true),
    ];
    assert_eq!(desk.told(), want);
    let kept = desk.all();
    assert_eq!(kept[2].of, Some(kept[1].id()), "what it repaired");
    assert_eq!(kept[0].bytes().unwrap(), TORN);
    assert_eq!(kept[2].asked().unwrap(), *gate(PATH).spec);
    let step = Some("chapter:001:draft".into());
    assert_eq!((kept[2].step.clone(), kept[2].topic.clone()), (step, Some("t".into())));
    assert_eq!(kept[2].answered_at, Some("2026-02-27T10:12:34.056Z".into()));
}

#[test]
fn only_the_record_that_was_looked_at_is_replaced() {
    let desk = Desk::new();
    desk.book.put(PATH, TORN);
    let other = sha256(b"other");
    assert!(matches!(desk.submit(Over::Hash(&other)), Err(WriteError::Exists(_))));
    assert_eq!(desk.there(), TORN);
    desk.submit(Over::Hash(&sha256(TORN))).unwrap();
    assert_eq!(desk.there(), desk.bytes.as_bytes());
    assert_eq!(desk.told(), [("replaced", false), ("repaired", true)]);
    fs::remove_file(desk.book.at(PATH)).unwrap();
    assert!(matches!(desk.submit(Over::Hash(&sha256(TORN))), Err(WriteError::Exists(_))));
    assert!(!desk.book.at(PATH).exists(), "what is gone is not replaced");
    desk.submit(Over::Any).unwrap();
}

#[test]
fn bad_answers_push_nothing_aside() {
    let mut desk = Desk::new();
    desk.book.put(PATH, TORN);
    desk.bytes = record(" ").to_json();
    assert!(matches!(desk.submit(Over::Any), Err(WriteError::Invalid(_))));
    assert_eq!((desk.there(), desk.all().len()), (TORN.to_vec(), 0));
}

#[test]
fn without_a_state_directory_a_first_record_is_written_and_none_is_replaced() {
    let desk = Desk::new();
    let error = Error::new(ExitCode::Usage, "no-state-dir", crate::text::say("None.", "无。"), &[]);
    let try_to = |over| submit(&desk.book.project, Err(&error), &desk.submission(over), now());
    assert_eq!(written(try_to(Over::Any).unwrap()).unnoted, Some(error.clone()));
    assert_eq!(try_to(Over::Any).unwrap_err(), WriteError::Failed(error.clone()));
    assert_eq!(desk.there(), desk.bytes.as_bytes());
}

#[test]
fn replacing_a_record_that_comes_and_goes_finds_it_or_none() {
    let desk = Desk::new();
    let file = desk.book.put(PATH, "[]");
    let change = || {
        fs::write(&file, "[]").unwrap();
        let _ = fs::remove_file(&file);
    };
    // Each one syncs.
    look_while(50, change, || {
        let error = desk.submit(Over::Any).err().map(|error| error.error());
        // Who is last is a matter of luck; what is told of it is not.
        let wrong = |error: &Error| error.kind == ExitCode::Malformed || error.code == "move-failed";
        assert!(!error.as_ref().is_some_and(wrong), "{error:?}");
    });
}
