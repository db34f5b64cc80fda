//! Rounds of options on their way into packets.

use super::*;
use crate::ask::proposal::Offered;
use crate::ask::step::Step;
use crate::ask::to_line;
use crate::platform::testing::Errno;
use crate::store::attach::as_to_be;
use crate::store::history::Over;
use crate::store::questions::path_of;
use crate::store::returned::{Why, send_back};
use crate::store::submission::Submission;
use crate::store::testing::Sandbox;
use crate::store::testing::{Crash, FailingDisk, Fault as Failing};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, UNIX_EPOCH};

const PACKET: &str = "staging/manifests/chapter-001-draft.packet.json";
const RECORD: &str = "staging/novel-ask/way-chapter-001-draft.answers.json";
const ROUNDS: &str = "staging/novel-ask/way-chapter-001-draft.rounds.jsonl";

const QUESTION: &str = r#"{"id": "way", "header": "H", "question": "Q?", "kind": "single_choice", "required": true,
    "options": [{"label": "Keep", "description": "d"}], "allow_other": true, "_propose": {"brief": "three ways", "rounds": 2}}"#;

fn book(questions: &[&str]) -> (Sandbox, PathBuf) {
    let book = Sandbox::new();
    let file = format!(
        r#"{{"_steps": ["chapter:*:draft"], "version": 1, "topic": "T", "questions": [{}]}}"#,
        questions.join(", ")
    );
    book.put(&path_of("way"), file);
    let packet = book.put(PACKET, r#"{"step": "chapter:001:draft", "agent": "a", "manifest": 7}"#);
    (book, packet)
}

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_772_187_154)
}

fn list(labels: &[&str]) -> String {
    let offered = |label: &&str| Offered { label: (*label).into(), description: "d".into() };
    to_line(&labels.iter().map(offered).collect::<Vec<_>>())
}

fn put(book: &Sandbox, packet: &Path, question: Option<&str>, labels: &[&str]) -> Result<Made, Fault> {
    let project = Arc::new(Project::open(book.project.root()).unwrap());
    propose(&project, &Offer { packet, question, list: list(labels).as_bytes(), by: "propose" }, now())
}

/// What the file of a packet asks: the labels of its first question, each behind the number of its round.
fn asked(packet: &Path) -> Vec<String> {
    let packet = crate::ask::decode_packet(&fs::read(packet).expect("a file")).expect("a packet");
    let options = &packet.gate.expect("a gate").spec.questions[0].options;
    options.iter().map(|it| format!("{}{}", it.round.unwrap_or_default(), it.label.lossy())).collect()
}

fn code(put: Result<Made, Fault>) -> (&'static str, ExitCode) {
    match put {
        Ok(made) => panic!("{made:?}"),
        Err(Fault::Failed(error)) => (error.code, error.kind),
        Err(Fault::Unfit(_)) => ("unfit", ExitCode::Usage),
        Err(Fault::Refused(_)) => ("refused", ExitCode::SentBack),
    }
}

fn wants(book: &Sandbox, packet: &Path) -> Vec<usize> {
    let loaded = gate::load(&book.project, packet).expect("a packet");
    wanted(&book.project, &loaded).iter().map(|wanted| wanted.round).collect()
}

fn refuse(book: &Sandbox, packet: &Path, does_not_apply: Option<&str>) {
    let loaded = gate::load(&book.project, packet).expect("a packet");
    let (answer_path, asked) = (loaded.gate().expect("a gate").answer_path.clone(), loaded.spec_hash());
    let submission = Submission {
        packet,
        answer_path: &answer_path,
        asked: &asked,
        bytes: b"",
        rivals: &[],
        over: Over::Nothing,
        seen: None,
    };
    let does_not_apply = does_not_apply.map(str::to_owned);
    let why = Why { by: "human".into(), reason: "太平淡".into(), does_not_apply, ..Why::default() };
    send_back(&book.project, Ok(&book.state), &submission, &why, now()).expect("sent back");
}

/// The author sends the newest round back, and an executor has heard it.
fn refuse_aloud(book: &Sandbox, packet: &Path) {
    refuse(book, packet, None);
    let reply = reply::last_of(&book.project, packet, &RECORD.into()).expect("a refusal");
    let at = "2026-02-27T10:12:35.000Z".to_owned();
    let delivered = rounds::Delivered { at, by: "wait".to_owned(), id: reply.sent.id };
    reply::note_delivered(&book.project, packet, &RECORD.into(), delivered).unwrap();
}

#[test]
fn a_round_is_a_line_beside_the_record_and_every_packet_of_the_place_gets_it() {
    let (book, packet) = book(&[QUESTION]);
    let other = book.put("staging/again.packet.json", r#"{"step": "chapter:001:draft", "agent": "b"}"#);
    attach(&book.project, &packet).unwrap();
    attach(&book.project, &other).unwrap();
    let made = put(&book, &packet, None, &["A", "B"]).expect("a round");
    assert_eq!((made.round, made.count, made.unattached), (1, 2, None));
    let written = fs::read_to_string(book.at(ROUNDS)).unwrap();
    let expected = r#"{"event": "proposed", "at": "2026-02-27T10:12:34.000Z", "by": "propose", "question": "way", "options": [{"label": "A", "description": "d"}, {"label": "B", "description": "d"}]}"#;
    assert_eq!(written.trim_end(), expected);
    assert_eq!(
        (asked(&packet), asked(&other)),
        (vec!["1A".into(), "1B".into(), "0Keep".into()], asked(&packet))
    );
    // The author has not asked for another.
    assert_eq!(code(put(&book, &packet, Some("way"), &["C"])), ("undecided", ExitCode::Waiting));
    refuse_aloud(&book, &packet);
    assert_eq!(put(&book, &packet, Some("way"), &["C"]).expect("a round").round, 2);
    assert_eq!(asked(&other), ["2C", "1A", "1B", "0Keep"]);
    // Whoever attaches now changes nothing; without the gate the packet is what it was.
    assert_eq!(as_to_be(&book.project, &packet), None);
    fs::remove_file(book.at(&path_of("way"))).unwrap();
    let bare = crate::ask::splice::with_gate(&fs::read(&packet).unwrap(), None);
    assert_eq!(bare.as_deref(), Some(&br#"{"step": "chapter:001:draft", "agent": "a", "manifest": 7}"#[..]));
}

#[test]
fn where_nothing_can_be_proposed_it_is_said_and_nothing_is_written() {
    let second = QUESTION.replacen("way", "b", 1);
    let plain = r#"{"id": "way", "header": "H", "question": "Q?", "kind": "free_text", "required": true}"#;
    let (nothing, _) = book(&[plain]);
    assert_eq!(
        code(put(&nothing, &nothing.at(PACKET), None, &["A"])),
        ("nothing-to-propose", ExitCode::Usage)
    );
    nothing.put("staging/own.packet.json", fs::read(nothing.put_packet("staging/r.json")).unwrap());
    assert_eq!(
        code(put(&nothing, &nothing.at("staging/own.packet.json"), None, &["A"])).0,
        "nothing-to-propose"
    );
    let (two, packet) = book(&[QUESTION, &second]);
    assert_eq!(code(put(&two, &packet, None, &["A"])), ("which-question", ExitCode::Usage));
    assert_eq!(code(put(&two, &packet, Some("c"), &["A"])), ("which-question", ExitCode::Usage));
    assert_eq!(code(put(&two, &packet, Some("b"), &["Keep"])), ("unfit", ExitCode::Usage));
    assert!(!two.at(ROUNDS).exists());
    put(&two, &packet, Some("b"), &["A"]).expect("a round");
    // Another question's rounds are none of its own.
    put(&two, &packet, Some("way"), &["A"]).expect("a round");
    refuse_aloud(&two, &packet);
    put(&two, &packet, Some("way"), &["B"]).expect("a round");
    assert_eq!(code(put(&two, &packet, Some("way"), &["C"])), ("no-more-rounds", ExitCode::Waiting));
    two.put(".checkpoint.json", r#"{"last_completed_chapter": 1}"#);
    assert_eq!(code(put(&two, &packet, Some("b"), &["C"])).0, "nothing-to-propose");
}

#[test]
fn after_a_record_nothing_is_proposed_and_the_packet_stays() {
    let (book, packet) = book(&[QUESTION]);
    put(&book, &packet, None, &["A"]).expect("a round");
    book.put(RECORD, r#"{"version": 1, "topic": "T", "answers": {"way": "A"}, "answered_at": "2026-02-27T10:12:34Z", "answered_by": "human"}"#);
    let before = fs::read(&packet).unwrap();
    assert_eq!(code(put(&book, &packet, None, &["B"])), ("answered", ExitCode::Exists));
    assert_eq!((fs::read(&packet).unwrap(), wants(&book, &packet)), (before, vec![]));
    let decided =
        crate::store::decided::of_step(&book.project, Step::parse("chapter:001:draft").expect("a step"));
    assert!(decided[0].spec.questions[0].option(&"A".into()).is_some(), "the agent is told what it means");
}

#[test]
fn of_executors_at_once_one_has_the_round() {
    let (book, packet) = book(&[QUESTION]);
    attach(&book.project, &packet).unwrap();
    let project = Arc::new(Project::open(book.project.root()).unwrap());
    let propose = |label: &str| {
        let list = list(&[label]);
        let offer = Offer { packet: &packet, question: None, list: list.as_bytes(), by: "propose" };
        propose(&project, &offer, now()).map(|made| made.round).ok()
    };
    let mut rounds: Vec<Option<usize>> = thread::scope(|scope| {
        let all: Vec<_> = ["a", "b", "c", "d", "e"].map(|label| scope.spawn(move || propose(label))).into();
        all.into_iter().map(|one| one.join().expect("no panic")).collect()
    });
    rounds.sort();
    assert_eq!(rounds, [None, None, None, None, Some(1)]);
    attach(&book.project, &packet).unwrap();
    assert_eq!(asked(&packet).len(), 2);
}

#[test]
fn what_was_sent_back_is_proposed_anew_until_there_are_no_more_rounds() {
    let (book, packet) = book(&[QUESTION]);
    let status = || gate::load(&book.project, &packet).expect("a packet").status();
    assert_eq!(wants(&book, &packet), [1]);
    put(&book, &packet, None, &["A"]).expect("a round");
    assert_eq!((wants(&book, &packet), status()), (vec![], Status::Waiting));
    refuse(&book, &packet, None);
    assert_eq!((wants(&book, &packet), status()), (vec![2], Status::SentBack));
    let unheard = put(&book, &packet, None, &["B"]);
    assert_eq!(code(unheard), ("refused", ExitCode::SentBack), "it would go by nothing");
    reply::take_back(&book.project, &packet, &RECORD.into(), "2026-02-27T10:12:36.000Z").unwrap();
    refuse_aloud(&book, &packet);
    assert_eq!(status(), Status::SentBack);
    put(&book, &packet, None, &["B"]).expect("a round");
    // What was refused is another now.
    assert_eq!((wants(&book, &packet), status()), (vec![], Status::Waiting));
    refuse_aloud(&book, &packet);
    let loaded = gate::load(&book.project, &packet).expect("a packet");
    // Nothing else can come: it is the author's turn again.
    assert_eq!(loaded.status(), Status::Waiting);
    let all = wanted(&book.project, &loaded);
    assert!(matches!(&all[..], [last] if last.is_over()), "{all:?}");
    reply::take_back(&book.project, &packet, &RECORD.into(), "2026-02-27T10:12:36.000Z").unwrap();
    assert_eq!(wants(&book, &packet), Vec::<usize>::new());
}

#[test]
fn nothing_is_proposed_to_a_question_that_does_not_apply() {
    let (book, packet) = book(&[QUESTION]);
    refuse(&book, &packet, Some("way"));
    assert_eq!(wants(&book, &packet), Vec::<usize>::new());
}

#[test]
fn whoever_watches_sees_a_round_that_somebody_has_noted() {
    let (book, packet) = book(&[QUESTION]);
    attach(&book.project, &packet).unwrap();
    let mut scanner = scan::Scanner::new(Arc::new(Project::open(book.project.root()).unwrap()));
    scanner.look(SystemTime::now());
    let is_unattached = |scanner: &scan::Scanner| scanner.entries().iter().any(|entry| entry.is_unattached);
    assert!(!is_unattached(&scanner));
    let line = r#"{"event": "proposed", "at": "", "by": "x", "question": "way", "options": [{"label": "A", "description": "d"}]}"#;
    book.put(ROUNDS, format!("{line}\n"));
    scanner.look_at(&[book.at(ROUNDS)].into(), SystemTime::now());
    assert!(is_unattached(&scanner));
    attach(&book.project, &packet).unwrap();
    scanner.look(SystemTime::now());
    assert!(!is_unattached(&scanner));
}

#[test]
fn a_round_is_there_whole_or_not_at_all_whatever_fails() {
    const FAULTS: [(Failing, Errno); 4] = [
        (Failing::Once, Errno::IO),
        (Failing::ForEver, Errno::NOSPC),
        (Failing::CrashBefore, Errno::IO),
        (Failing::CrashAfter, Errno::IO),
    ];
    for (fault, errno) in FAULTS {
        let mut call = 0;
        loop {
            call += 1;
            assert!(call < 100, "it never ends");
            let (book, packet) = book(&[QUESTION]);
            attach(&book.project, &packet).unwrap();
            let before = fs::read(&packet).unwrap();
            let (project, failing) = book.on(FailingDisk::at(call, errno).with(fault));
            let case = format!("call {call}, {fault:?}");
            let project = Arc::new(project);
            let list = list(&["A"]);
            let offer = Offer { packet: &packet, question: None, list: list.as_bytes(), by: "propose" };
            let outcome = catch_unwind(AssertUnwindSafe(|| propose(&project, &offer, now())));
            if let Err(panic) = &outcome {
                assert!(panic.is::<Crash>(), "{case}");
            }
            let known = rounds::proposed(&rounds::events(&book.project, &RECORD.into())).len();
            let is_said = outcome.is_ok_and(|made| made.is_ok());
            assert!(known == 1 || known == 0 && !is_said, "{case}: {known} rounds");
            assert!(fs::read(&packet).unwrap() == before || asked(&packet) == ["1A", "0Keep"], "{case}");
            // Whoever comes next goes on from there.
            let again =
                put(&book, &packet, None, &["B"]).map_or_else(|fault| code(Err(fault)).0, |_| "a round");
            assert_eq!(again, if known == 1 { "undecided" } else { "a round" }, "{case}");
            attach(&book.project, &packet).unwrap();
            assert_eq!(asked(&packet), [if known == 1 { "1A" } else { "1B" }, "0Keep"], "{case}");
            if !failing.failed() {
                break;
            }
        }
        assert!(call > 8, "{fault:?}: only {call} calls of the disk");
    }
}
