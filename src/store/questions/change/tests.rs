use super::*;
use crate::platform::testing::{give_up_privileges, set_mode, symlink};
use crate::store::history::{Over, entries};
use crate::store::testing::Sandbox;
use std::fs;
use std::time::SystemTime;

fn question(id: &str) -> String {
    format!(
        r#"{{"_steps": ["chapter:*:draft"], "version": 1, "topic": "T", "questions": [
            {{"id": "{id}", "header": "H", "question": "Q?", "kind": "free_text", "required": true}}]}}"#
    )
}

/// A book at its first chapter, with these questions and a packet that asks the first of them.
fn book(questions: &[(&str, &str)]) -> (Sandbox, Arc<Project>) {
    let book = Sandbox::new();
    book.put(".checkpoint.json", r#"{"last_completed_chapter": 0}"#);
    book.put(PACKET, BARE);
    for (name, text) in questions {
        book.put(&path_of(name), text);
    }
    let project = Arc::new(Project::open(book.project.root()).expect("a project"));
    bring_in_line(&project);
    (book, project)
}

const PACKET: &str = "staging/manifests/chapter-001-draft.packet.json";
const BARE: &str = "{\n  \"step\": \"chapter:001:draft\"\n}\n";

fn packet(book: &Sandbox) -> String {
    fs::read_to_string(book.at(PACKET)).expect("a packet")
}

fn remove(book: &Sandbox, project: &Arc<Project>, name: &str) -> Result<(HistoryEntry, InLine), Error> {
    Questions::read(project).remove(&book.history(SystemTime::now()), project, name)
}

#[test]
fn a_question_that_is_off_takes_its_gate_out_at_once_and_puts_it_back_when_it_is_on() {
    let (book, project) = book(&[("a", &question("first"))]);
    let asked = packet(&book);
    assert!(asked.contains("first"));
    assert_eq!(Questions::read(&project).switch(&project, "a", false), Ok(true));
    assert_eq!(bring_in_line(&project).packets, [PathBuf::from(PACKET)]);
    assert_eq!(packet(&book), BARE);
    assert_eq!(Questions::read(&project).switch(&project, "a", false), Ok(false));
    assert_eq!(bring_in_line(&project).packets, Vec::<PathBuf>::new());
    assert_eq!(Questions::read(&project).switch(&project, "a", true), Ok(true));
    bring_in_line(&project);
    assert_eq!(packet(&book), asked);
    assert_eq!(fs::read_to_string(book.at(&path_of("a"))).expect("a file"), question("first"));
}

#[test]
fn a_file_that_goes_is_in_the_history_byte_for_byte_and_its_gate_is_not_asked() {
    for text in [question("first"), question("first").replace('\n', "\r\n")] {
        let (book, project) = book(&[("a", &text), ("b", &question("second"))]);
        assert!(packet(&book).contains("first"));
        let (entry, in_line) = remove(&book, &project, "a").expect("removed");
        assert_eq!(in_line.packets, [PathBuf::from(PACKET)]);
        assert!(packet(&book).contains("second") && !packet(&book).contains("first"));
        assert_eq!(entry.bytes().expect("kept"), text.as_bytes());
        assert!(entry.valid && entry.kind() == history::EntryKind::Question);
        assert_eq!(book.names(QUESTIONS), ["b.question.json"]);
        let back = book.history(SystemTime::now()).restore_entry(&entry, Over::Nothing);
        back.expect("put back");
        assert_eq!(fs::read_to_string(book.at(&path_of("a"))).expect("a file"), text);
    }
}

#[test]
fn the_last_file_leaves_no_gate_behind_even_if_it_is_broken() {
    for broken in ["{\"version\": 1,", "[]", "{}", "\u{feff}{}"] {
        let (book, project) = book(&[("a", &question("first"))]);
        // It is torn only while it is young.
        book.put(&path_of("a"), broken);
        let old = SystemTime::now() - std::time::Duration::from_mins(1);
        fs::File::open(book.at(&path_of("a"))).and_then(|file| file.set_modified(old)).expect("set");
        let (entry, _) = remove(&book, &project, "a").expect("removed");
        assert_eq!(packet(&book), BARE, "{broken}");
        assert_eq!(entry.bytes().expect("kept"), broken.as_bytes());
        assert!(!entry.valid, "{broken}");
        assert_eq!(book.names(QUESTIONS), Vec::<String>::new());
    }
}

#[test]
fn a_gate_that_is_answered_stays_when_its_question_goes() {
    let (book, project) = book(&[("a", &question("first"))]);
    let record = r#"{"version": 1, "topic": "T", "answers": {"first": "x"}, "answered_at": "2026-02-27T10:12:34Z", "answered_by": "human"}"#;
    book.put("staging/novel-ask/a-chapter-001-draft.answers.json", record);
    let asked = packet(&book);
    assert_eq!(remove(&book, &project, "a").expect("removed").1.packets, Vec::<PathBuf>::new());
    assert_eq!(packet(&book), asked);
}

#[test]
fn a_name_is_taken_by_one_that_differs_in_case_or_width() {
    let (book, project) = book(&[("Goal", &question("first"))]);
    for (name, is_taken) in [("goal", true), ("ＧＯＡＬ", true), ("Goal", true), ("goals", false)] {
        let put = Questions::read(&project).put(&project, name, b"{}");
        assert_eq!(put.is_err(), is_taken, "{name}");
        if let Err(error) = put {
            assert_eq!((error.kind, error.code), (ExitCode::Exists, "name-taken"), "{name}");
        }
    }
    assert_eq!(book.names(QUESTIONS), ["Goal.question.json", "goals.question.json"]);
    book.put(&path_of("goal"), question("second"));
    assert_eq!(beside(&book.at(&path_of("goal"))), Some(same_name("Goal.question.json")));
    assert_eq!(beside(&book.at(&path_of("Goal"))), None, "the first is asked");
    assert_eq!(beside(&book.at("questions/other.json")), None);
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn nothing_is_written_out_of_the_project() {
    let (book, project) = book(&[]);
    let outside = tempfile::tempdir().expect("a directory");
    fs::write(outside.path().join("a.question.json"), question("first")).expect("a file");
    symlink(outside.path(), book.at(QUESTIONS)).expect("a link");
    let questions = Questions::read(&project);
    for fault in [
        questions.put(&project, "b", b"{}"),
        questions.switch(&project, "a", false).map(drop),
        remove(&book, &project, "a").map(drop),
    ] {
        assert_eq!(fault.expect_err("refused").kind, ExitCode::Malformed);
    }
    assert_eq!(fs::read_dir(outside.path()).expect("a directory").count(), 1);
    let text = fs::read_to_string(outside.path().join("a.question.json")).expect("a file");
    assert_eq!(text, question("first"));
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_directory_that_may_not_be_written_keeps_everything_as_it_was() {
    let (book, project) = book(&[("a", &question("first"))]);
    give_up_privileges();
    set_mode(&book.at(QUESTIONS), 0o555);
    let questions = Questions::read(&project);
    let faults = [
        questions.put(&project, "b", b"{}"),
        questions.switch(&project, "a", false).map(drop),
        remove(&book, &project, "a").map(drop),
    ];
    set_mode(&book.at(QUESTIONS), 0o755);
    for fault in faults {
        let code = fault.expect_err("refused").code;
        assert!(["refused", "write-failed"].contains(&code), "{code}");
    }
    assert!(packet(&book).contains("first"));
    assert_eq!(fs::read_to_string(book.at(&path_of("a"))).expect("a file"), question("first"));
    let path = JsString::from(path_of("a").as_str());
    assert_eq!(entries(&book.state, &path).expect("read"), [], "nothing was removed");
    set_mode(&book.at(&path_of("a")), 0o444);
    assert_eq!(
        Questions::read(&project).switch(&project, "a", false).expect_err("refused").code,
        "read-only"
    );
}

#[test]
fn a_name_that_is_not_there_is_an_error_with_the_nearest_one() {
    let (_book, project) = book(&[("viewpoint", &question("first"))]);
    for (name, hint) in [("viewpont", "Did you mean viewpoint?"), ("../viewpoint", ""), ("", "")] {
        let error = Questions::read(&project).switch(&project, name, true).expect_err("nothing");
        assert_eq!((error.kind, error.code), (ExitCode::Failed, "no-question"), "{name}");
        assert!(error.to_string().contains(hint), "{error}");
    }
}

#[test]
fn there_is_room_for_so_many_and_no_more() {
    let (book, project) = book(&[]);
    for number in 0..MOST {
        book.put(&path_of(&format!("q{number}")), question("first"));
        let is_full = number + 1 == MOST;
        if number + 2 >= MOST {
            assert_eq!(Questions::read(&project).no_room().is_some(), is_full, "{number}");
        }
    }
}
