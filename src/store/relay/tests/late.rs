//! Words that come when whoever asked has just left.

use super::*;
use crate::store::disk::SystemDisk;
use crate::store::history::{Over, entries};
use crate::store::submission::Submission;
use crate::store::submit::{Outcome, submit};
use std::sync::Mutex;

/// The moment in which a line is added to a file.
const LINE: &str = "a line";
/// The moment in which a new name is brought to the disk.
const NAMES: &str = "names";

/// What happens just before a file with this ending gets its name.
struct Moment {
    ending: &'static str,
    deed: Box<dyn Fn() + Send>,
}

/// A disk on which somebody else acts in one moment.
#[derive(Debug)]
struct Busy(Mutex<Option<Moment>>);

impl std::fmt::Debug for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.ending)
    }
}

impl Busy {
    fn around<T>(&self, name: &OsStr, act: impl FnOnce() -> T) -> T {
        let moment = self.0.lock().expect("no panic").take_if(|moment| name.shown().ends_with(moment.ending));
        if let Some(moment) = moment {
            (moment.deed)();
        }
        act()
    }
}

impl Disk for Busy {
    fn write(&self, file: &mut File, bytes: &[u8]) -> io::Result<()> {
        self.around(OsStr::new(LINE), || SystemDisk.write(file, bytes))
    }
    fn rename_new(&self, dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.around(to, || SystemDisk.rename_new(dir, from, to))
    }
    fn sync_dir(&self, dir: &Dir) -> io::Result<()> {
        self.around(OsStr::new(NAMES), || SystemDisk.sync_dir(dir))
    }
    fn exchange(&self, dir: &Dir, one: &OsStr, other: &OsStr) -> io::Result<()> {
        self.around(other, || SystemDisk.exchange(dir, one, other))
    }
}

impl Book {
    /// The same project, where somebody else acts.
    fn with(&self, ending: &'static str, deed: impl Fn() + Send + 'static) -> Project {
        let moment = Moment { ending, deed: Box::new(deed) };
        let busy = Box::leak(Box::new(Busy(Mutex::new(Some(moment)))));
        Project::open(self.project.root()).expect("a project").on(busy)
    }

    /// Another process takes the packet along, with all that is there for it.
    fn taking(&self, relay: &Relay) -> impl Fn() + Send + use<> {
        let root = self.project.root().to_path_buf();
        let (state, name) = (self.state.clone(), relay.name.clone());
        move || {
            let project = Project::open(&root).expect("a project");
            let dir = project.dir().open_dir(RELAYS).expect("the folder");
            clear(&project, &state, &dir, &name, SystemTime::now());
            remove_folder(&project);
        }
    }

    fn submit(&self, project: &Project, relay: &Relay, over: Over<'_>) -> Result<Outcome, WriteError> {
        let (asked, packet, answer_path) = (spec_hash(&self.spec), self.path(relay), relay.answer_path());
        let (asked, packet, answer_path, bytes) = (&*asked, &*packet, &answer_path, ANSWERS.as_bytes());
        let submission = Submission { packet, answer_path, asked, bytes, rivals: &[], over, seen: None };
        submit(project, Ok(&self.state), &submission, SystemTime::now())
    }
}

#[test]
fn answers_that_come_when_whoever_asked_has_left_are_taken_back_and_said_to_be_late() {
    let book = Book::new();
    let mut relay = book.ask();
    relay.stays = true;
    let project = book.with(RECORD, book.taking(&relay));
    let late = book.submit(&project, &relay, Over::Nothing).expect_err("late");
    assert_eq!((&late, late.error().kind), (&WriteError::Late, ExitCode::Exists));
    assert_eq!(book.files(), [""; 0]);
    assert!(!book.project.root().join(RELAYS).exists(), "nothing stays behind");
    assert!(entries(&book.state, &relay.answer_path()).expect("read").is_empty());
}

#[test]
fn what_would_replace_an_answer_that_is_just_fetched_is_late_too() {
    let book = Book::new();
    let relay = book.ask();
    let first = ANSWERS.replace("\"x\"", "\"first\"");
    fs::write(book.path(&relay).with_file_name(record_name(&relay.name)), &first).expect("answered");
    let packet = book.path(&relay);
    let project = book.with(RECORD, move || fs::remove_file(&packet).expect("removed"));
    let late = book.submit(&project, &relay, Over::Any).expect_err("late");
    assert_eq!(late, WriteError::Late);
    assert_eq!(book.files(), [""; 0]);
    let kept = entries(&book.state, &relay.answer_path()).expect("read");
    assert_eq!(kept[0].bytes().expect("kept"), first.as_bytes());
}

#[test]
fn answers_that_are_fetched_before_their_writer_looks_are_written() {
    let book = Book::new();
    let relay = book.ask();
    let fetch = book.taking(&relay);
    let notes = |book: &Book| entries(&book.state, &relay.answer_path()).expect("read").len();
    let record = book.path(&relay).with_file_name(record_name(&relay.name));
    fs::write(&record, ANSWERS).expect("written");
    fetch();
    assert_eq!(notes(&book), 1);
    fs::create_dir_all(record.parent().expect("a folder")).expect("made");
    fs::write(&record, ANSWERS).expect("still there for this moment");
    let late = take_back_late(&book.project, Ok(&book.state), &book.path(&relay), ANSWERS.as_bytes());
    assert_eq!(late, Ok(false));
    assert!(record.exists(), "whoever fetches it takes it away");
}

#[test]
fn answers_that_are_fetched_before_they_are_read_back_are_written() {
    let book = Book::new();
    let relay = book.ask();
    let fetched = book.submit(&book.with(NAMES, book.taking(&relay)), &relay, Over::Nothing);
    assert!(matches!(fetched, Ok(Outcome::Written(_))), "{fetched:?}");
    assert_eq!(book.files(), [""; 0]);
    let record = answered(&book.state, Path::new(&relay.packet())).expect("with whoever asked");
    assert_eq!(record.answers.len(), 1);
}

#[test]
fn answers_that_somebody_removes_at_once_are_not_taken_for_fetched() {
    let book = Book::new();
    let relay = book.ask();
    let record = book.path(&relay).with_file_name(record_name(&relay.name));
    let removing = move || fs::remove_file(&record).expect("removed");
    let fault = book.submit(&book.with(NAMES, removing), &relay, Over::Nothing).expect_err("gone");
    assert_eq!(fault.error().code, "changed");
}

#[test]
fn a_late_writer_takes_only_his_own_record_back() {
    let book = Book::new();
    let relay = book.ask();
    let packet = book.path(&relay);
    let record = packet.with_file_name(record_name(&relay.name));
    fs::remove_file(&packet).expect("removed");
    fs::write(&record, "somebody else's").expect("written");
    let late = take_back_late(&book.project, Ok(&book.state), &packet, ANSWERS.as_bytes());
    assert_eq!((late, fs::read(&record).expect("there")), (Ok(true), b"somebody else's".to_vec()));
    let ordinary = book.project.root().join("staging/a.packet.json");
    let never = take_back_late(&book.project, Ok(&book.state), &ordinary, ANSWERS.as_bytes());
    assert_eq!(never, Ok(false), "a step's packet may go as soon as it is answered");
}

#[test]
fn a_refusal_that_comes_when_whoever_asked_has_left_is_late_too() {
    let book = Book::new();
    let relay = book.ask();
    // Whoever reads the file waits until the line is there; whoever gives up does not.
    let packet = book.path(&relay);
    let project = book.with(LINE, move || fs::remove_file(&packet).expect("removed"));
    let late = book.refuse(&project, &relay, SystemTime::now()).expect_err("late");
    assert_eq!(late, WriteError::Late);
    assert_eq!(book.files(), [""; 0]);
    assert!(entries(&book.state, &relay.answer_path()).expect("read").is_empty());
}
