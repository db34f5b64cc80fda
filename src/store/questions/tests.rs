//! Files of every kind in `questions/`, and what a look at them costs.

use super::*;
use crate::platform::testing::{give_up_privileges, make_pipe, set_mode, symlink};
use crate::store::disk::{Disk, SystemDisk};
use crate::store::scan::file::{MEANWHILE, SIGNED};
use crate::store::testing::{Sandbox, question_json};
use std::cell::Cell;
use std::fs;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

const GOOD: &str = r#""_steps": ["chapter:*:draft"]"#;

fn put(book: &Sandbox, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    book.put(&format!("questions/{name}.question.json"), content)
}

fn with(names: &[&str]) -> Sandbox {
    let book = Sandbox::new();
    for name in names {
        put(&book, name, question_json(GOOD));
    }
    book
}

/// `name` of what is asked, `name: pointer code` of what is not, each in order; `~` marks what is in the making.
fn said(questions: &Questions) -> Vec<String> {
    let line = |file: &QuestionFile| {
        let torn = if file.is_torn { "~" } else { "" };
        let name = if file.name.is_empty() { file.path.display().to_string() } else { file.name.clone() };
        let problems = file.problems.iter().map(|problem| format!(": {:?}{}", problem.code, problem.pointer));
        let asked = if file.standing.is_some() { "" } else { "-" };
        format!("{asked}{name}{torn}{}", problems.collect::<String>())
    };
    questions.files.iter().map(line).collect()
}

fn read(book: &Sandbox) -> Vec<String> {
    said(&Questions::read(&book.project))
}

/// What a look costs: how many steps it has, and how many names it looks at.
fn cost(look: impl FnOnce()) -> (usize, usize) {
    let steps = Rc::new(Cell::new(0));
    let counted = Rc::clone(&steps);
    MEANWHILE.set(Some(Box::new(move || counted.set(counted.get() + 1))));
    SIGNED.set(0);
    look();
    MEANWHILE.set(None);
    (steps.get(), SIGNED.get())
}

/// Later than anything that was written meanwhile.
fn later() -> SystemTime {
    SystemTime::now() + Duration::from_hours(1)
}

#[test]
fn without_a_directory_it_costs_one_failed_look() {
    let book = Sandbox::new();
    assert_eq!(cost(|| assert!(Questions::read(&book.project).is_empty())), (1, 0));
    let mut questions = Questions::default();
    for _ in 0..3 {
        assert_eq!(cost(|| assert!(!questions.look(&book.project, later()))), (1, 0));
    }
    assert_eq!(questions.due(), None);
}

#[test]
#[cfg_attr(windows, ignore = "a file there has no time that no program can set")]
fn what_looks_the_same_is_not_read_again() {
    let book = with(&["a", "b"]);
    let mut questions = Questions::default();
    assert!(questions.look(&book.project, later()));
    for _ in 0..3 {
        assert_eq!(
            cost(|| assert!(!questions.look(&book.project, later()))),
            (3, 2),
            "the directory and its files"
        );
    }
    // The same words again are read, and are no change.
    put(&book, "a", question_json(GOOD));
    let modified = questions.files[0].modified;
    fs::File::options()
        .write(true)
        .open(book.at("questions/a.question.json"))
        .unwrap()
        .set_modified(modified)
        .unwrap();
    assert_eq!(cost(|| assert!(!questions.look(&book.project, later()))), (5, 2));
    put(&book, "a", question_json(&format!(r#"{GOOD}, "_enabled": false"#)));
    assert!(questions.look(&book.project, later()));
    put(&book, "c", question_json(GOOD));
    assert!(questions.look(&book.project, later()));
    assert_eq!(said(&questions), ["a", "b", "c"]);
    fs::remove_file(book.at("questions/b.question.json")).unwrap();
    assert!(questions.look(&book.project, later()));
    fs::remove_dir_all(book.at("questions")).unwrap();
    assert!(questions.look(&book.project, later()));
    assert!(questions.is_empty() && !questions.look(&book.project, later()));
}

#[test]
fn what_was_written_a_moment_ago_is_read_again() {
    let book = with(&["a"]);
    let path = book.at("questions/a.question.json");
    let mut questions = Questions::default();
    let now = file::signature(&book.project, "questions/a.question.json").unwrap().changed;
    assert!(questions.look(&book.project, now));
    let due = questions.due().expect("it is fresh");
    assert!(!questions.look(&book.project, now), "not before");
    let mark = |questions: &Questions| {
        questions.mark_for(&book.project, Step::parse("chapter:001:draft").expect("a step"), 1)
    };
    let before = mark(&questions);
    assert_eq!(cost(|| assert!(!questions.look(&book.project, due))).0, 3, "read, and the same");
    assert_eq!(mark(&questions), before);
    // As if it had been written without a trace.
    questions.files[0].standing = None;
    questions.due = Some(due);
    assert!(questions.look(&book.project, due));
    assert_ne!(mark(&questions), before, "what hangs on it is looked at again");
    assert!(path.exists());
}

#[test]
fn a_young_file_that_is_no_json_is_in_the_making_and_an_old_one_is_said() {
    let book = with(&["b"]);
    put(&book, "a", &question_json(GOOD)[..40]);
    assert_eq!(read(&book), ["-a~", "b"]);
    let mut questions = Questions::default();
    questions.look(&book.project, SystemTime::now());
    assert!(questions.due().is_some());
    assert!(questions.look(&book.project, later()));
    assert_eq!(said(&questions), ["-a: Syntax", "b"]);
    assert_eq!(questions.due(), None);
    // It is written since the look began.
    let before = SystemTime::now();
    put(&book, "a", "{");
    let mut questions = Questions::default();
    questions.look(&book.project, before - Duration::from_millis(1));
    assert_eq!(said(&questions), ["-a~", "b"]);
    put(&book, "a", question_json(GOOD));
    assert!(questions.look(&book.project, later()));
    assert_eq!(said(&questions), ["a", "b"]);
    for empty in ["", "\n"] {
        put(&book, "a", empty);
        assert_eq!(read(&book), ["-a~", "b"]);
    }
}

#[test]
fn for_a_scanner_a_file_in_the_making_counts_as_it_was() {
    let book = with(&["a"]);
    let mut questions = Questions::default();
    questions.look(&book.project, later());
    let step = Step::parse("chapter:001:draft").expect("a step");
    let mark = questions.mark_for(&book.project, step, 1);
    put(&book, "a", "{");
    questions.look(&book.project, SystemTime::now());
    assert_eq!(said(&questions), ["a~"]);
    put(&book, "a", "{\"");
    questions.look(&book.project, SystemTime::now());
    assert_eq!(said(&questions), ["a~"], "as long as it lasts");
    assert!(questions.look(&book.project, later()));
    assert_eq!(said(&questions), ["-a: Syntax"]);
    assert_ne!(questions.mark_for(&book.project, step, 1), mark, "what hangs on it is looked at again");
}

/// A clock that goes on by so many milliseconds each time it is asked.
#[derive(Debug)]
struct Hasty(AtomicU64, u64);

impl Disk for Hasty {
    fn now(&self) -> SystemTime {
        SystemDisk.now() + Duration::from_millis(self.0.fetch_add(self.1, Ordering::Relaxed))
    }
}

#[test]
fn a_command_waits_for_a_file_in_the_making_and_not_for_an_old_one() {
    let book = with(&["b"]);
    let path = put(&book, "a", "{");
    let (project, clock) = book.on(Hasty(AtomicU64::new(0), 1_100));
    let project = project.patient();
    assert_eq!(said(&Questions::read(&project)), ["-a: Syntax", "b"]);
    let asked = clock.0.load(Ordering::Relaxed) / 1_100;
    assert!((2..=4).contains(&asked), "it has looked again: {asked}");
    fs::write(&path, "{").unwrap();
    let (project, clock) = book.on(Hasty(AtomicU64::new(3_600_000), 0));
    assert_eq!(said(&Questions::read(&project.patient())), ["-a: Syntax", "b"]);
    assert_eq!(clock.0.load(Ordering::Relaxed), 3_600_000);
}

#[test]
fn of_two_names_that_are_one_on_some_disks_the_first_is_asked() {
    let book = with(&["Feeling", "feeling", "ＦＥＥＬＩＮＧ", "other"]);
    if book.names("questions").len() < 4 {
        return;
    }
    assert_eq!(read(&book), ["Feeling", "-feeling: Duplicate", "other", "-ＦＥＥＬＩＮＧ: Duplicate"]);
}

#[test]
fn two_hundred_are_read_and_the_rest_is_said() {
    let book = Sandbox::new();
    for (count, rest) in [(MOST, None), (MOST + 1, Some("1 ")), (1_000, Some("800 "))] {
        for number in 0..count {
            put(&book, &format!("q{number:04}"), question_json(GOOD));
        }
        let mut questions = Questions::default();
        let (steps, signed) = cost(|| assert!(questions.look(&book.project, later())));
        assert!(signed == MOST && steps <= 2 * MOST + 1, "{steps} {signed}");
        assert_eq!(questions.standing_questions().count(), MOST);
        let last = questions.files.last().expect("files");
        assert_eq!(questions.files.len(), MOST + usize::from(rest.is_some()));
        assert!(rest.is_none_or(|rest| last.problems[0].found.text(Lang::En).starts_with(rest)));
        assert_eq!(rest.is_some(), last.path.ends_with("q0200.question.json"));
    }
}

#[test]
fn a_name_that_is_bad_is_said_and_what_is_no_question_is_passed_over() {
    let book = with(&["a", "b c", "a.", &"雨".repeat(65), "雨"]);
    for other in
        [".hidden.question.json", "README.md", "c.json", ".question.json", "a.question.json~", "4913"]
    {
        book.put(&format!("questions/{other}"), question_json(GOOD));
    }
    fs::create_dir_all(book.at("questions/deep")).unwrap();
    book.put("questions/deep/d.question.json", question_json(GOOD));
    let long = format!("-{}: Other", "雨".repeat(65));
    assert_eq!(read(&book), ["a", "-a.: Other", "-b c: Other", "雨", &long]);
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn links_inside_are_followed_and_none_leads_out() {
    let book = with(&["a"]);
    book.put("kept/b", question_json(GOOD));
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("c"), question_json(GOOD)).unwrap();
    let link = |target: &Path, name: &str| {
        symlink(target, book.at(&format!("questions/{name}.question.json"))).unwrap();
    };
    link(Path::new("../kept/b"), "b");
    link(&elsewhere.path().join("c"), "c");
    link(Path::new("nowhere"), "d");
    link(Path::new("e.question.json"), "e");
    link(Path::new("../kept"), "f");
    let want = ["a", "b", "-c: OutsideProject", "-d: Unreadable", "-e: Unreadable", "-f: NotAFile"];
    assert_eq!(read(&book), want);
    // What a link leads to changes.
    let mut questions = Questions::default();
    questions.look(&book.project, later());
    book.put("kept/b", "[]");
    assert!(questions.look(&book.project, later()));
    // The directory itself may be one.
    fs::rename(book.at("questions"), book.at("asked")).unwrap();
    symlink("asked", book.at("questions")).unwrap();
    assert_eq!(read(&book)[0], "a");
    fs::remove_file(book.at("questions")).unwrap();
    symlink(elsewhere.path(), book.at("questions")).unwrap();
    assert_eq!(read(&book), ["-questions: OutsideProject"]);
    fs::remove_file(book.at("questions")).unwrap();
    symlink("questions", book.at("questions")).unwrap();
    assert_eq!(read(&book), ["-questions: Unreadable"]);
}

#[test]
#[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
fn what_is_no_directory_and_what_is_no_file_is_said_and_never_waited_for() {
    let book = Sandbox::new();
    book.put("questions", "");
    assert_eq!(read(&book), ["-questions: NotAFile"]);
    fs::remove_file(book.at("questions")).unwrap();
    make_pipe(&book.at("questions"));
    assert_eq!(read(&book), ["-questions: NotAFile"]);
    fs::remove_file(book.at("questions")).unwrap();
    put(&book, "b", question_json(GOOD));
    make_pipe(&book.at("questions/a.question.json"));
    fs::create_dir(book.at("questions/c.question.json")).unwrap();
    let large = fs::File::create(book.at("questions/d.question.json")).unwrap();
    large.set_len(crate::store::SIZE_LIMIT + 1).unwrap();
    assert_eq!(read(&book), ["-a: NotAFile", "b", "-c: NotAFile", "-d: TooLarge"]);
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn what_cannot_be_read_is_said_until_it_can() {
    give_up_privileges();
    let book = with(&["a", "b"]);
    let (dir, file) = (book.at("questions"), book.at("questions/a.question.json"));
    let mut questions = Questions::default();
    set_mode(&file, 0o000);
    questions.look(&book.project, later());
    assert_eq!(said(&questions), ["-a: Unreadable", "b"]);
    let due = questions.due().expect("it may become readable without a trace");
    assert!(!questions.look(&book.project, due), "it is as it was");
    set_mode(&file, 0o600);
    assert!(questions.look(&book.project, later()));
    assert_eq!(said(&questions), ["a", "b"]);
    set_mode(&dir, 0o000);
    assert!(questions.look(&book.project, later()));
    assert_eq!(said(&questions), ["-questions: Unreadable"]);
    assert!(!questions.look(&book.project, later()), "it is as it was");
    set_mode(&dir, 0o700);
    assert!(questions.look(&book.project, later()));
    assert_eq!(said(&questions), ["a", "b"]);
}

#[test]
fn a_directory_that_could_not_be_listed_once_is_listed_again() {
    let book = with(&["a"]);
    let mut questions = Questions::default();
    questions.look(&book.project, later());
    // As if the process had had too many files open.
    questions.names = Err(Box::new(unreadable(&Message::from(say("x", "x")))));
    questions.listed = None;
    questions.look(&book.project, later());
    assert_eq!(said(&questions), ["a"]);
}

#[test]
fn odd_content_is_said_and_keeps_no_other_from_being_asked() {
    let deep = format!(r#"{{{GOOD}, "version": {}"#, "[".repeat(200_000));
    let closed = format!("{deep}{}}}", "]".repeat(200_000));
    for (content, is_asked) in [
        (question_json(&format!(r#"{GOOD}, "_note": 7"#)).into_bytes(), true),
        (question_json(&format!(r#"{GOOD}, "_note": "{}""#, "x".repeat(1 << 20))).into_bytes(), true),
        (deep.into_bytes(), false),
        (closed.into_bytes(), false),
        (question_json(GOOD).into_bytes().into_iter().chain(*b"\0").collect(), false),
        (question_json(GOOD).replace("\"t\"", "\"\u{1}\"").into_bytes(), false),
        (b"\xff\xfe{\0}\0".to_vec(), false),
    ] {
        let book = with(&["b"]);
        put(&book, "a", &content);
        let mut questions = Questions::default();
        questions.look(&book.project, later());
        let a = &questions.files[0];
        assert_eq!((&*a.name, a.standing.is_some()), ("a", is_asked));
        assert!(!a.problems.is_empty(), "{:?}", String::from_utf8_lossy(&content[..60.min(content.len())]));
        assert_eq!(said(&questions).last().map(String::as_str), Some("b"));
    }
    // Bytes that are no UTF-8 count as novel-writer-cli reads them: as U+FFFD.
    let book = Sandbox::new();
    let mut bytes = question_json(GOOD).into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'?').expect("a question");
    bytes[at] = 0xff;
    put(&book, "a", bytes);
    let questions = Questions::read(&book.project);
    let text = &questions.standing("a").expect("asked").spec.questions[0].question;
    assert!(text.lossy().contains('\u{fffd}'));
}
