mod places;
mod races;
mod sent_back;
mod standing;
mod told;
mod unfinished;
mod unreadable;

use super::pass::{ENOUGH_FOR_THREADS, LISTED};
use super::*;
use crate::ask::ProblemCode;
use crate::platform::testing::{give_up_privileges, set_mode, symlink};
use crate::store::gate::{self, Status};
use crate::store::safe_path::Refusal;
use crate::store::testing;
use crate::text::Lang;
use std::fs;

/// A project in a temporary directory, and a scanner with a clock of its own.
struct Tree {
    _dir: tempfile::TempDir,
    root: PathBuf,
    scanner: Scanner,
    now: SystemTime,
}

const ONE: &str = r#"{"version":1,"topic":"走向","questions":[
    {"id":"a","header":"h","question":"q","kind":"free_text","required":true}]}"#;

fn packet(step: &str, answer_path: &str) -> String {
    format!(r#"{{"step":"{step}","agent":"codex","novel_ask":{ONE},"answer_path":"{answer_path}"}}"#)
}

fn record(answer: &str) -> String {
    format!(
        r#"{{"version":1,"topic":"走向","answers":{{"a":"{answer}"}},
        "answered_at":"2026-02-27T10:12:34.000Z","answered_by":"human"}}"#
    )
}

impl Tree {
    fn new() -> Tree {
        Tree::at(tempfile::tempdir().unwrap())
    }

    fn at(dir: tempfile::TempDir) -> Tree {
        let root = dir.path().join("novel");
        fs::create_dir_all(root.join("staging/manifests")).unwrap();
        let project = Arc::new(Project::open(&root).unwrap());
        let root = project.root().to_path_buf();
        // Later than anything written meanwhile, so that a file is never fresh unless a test says so.
        let now = SystemTime::now() + Duration::from_hours(1);
        Tree { _dir: dir, root, scanner: Scanner::new(project), now }
    }

    fn write(&self, path: &str, content: &str) -> &Tree {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    fn look(&mut self) -> Outcome {
        self.scanner.look(self.now)
    }

    fn look_at(&mut self, paths: &[&str]) -> Outcome {
        let paths = paths.iter().map(|path| self.root.join(path)).collect();
        self.scanner.look_at(&paths, self.now)
    }

    /// Looks right after something was written: within a tick of the file system's clock signatures tell nothing.
    fn look_now(&mut self) -> Outcome {
        self.now = SystemTime::now();
        self.rescan()
    }

    fn rescan(&mut self) -> Outcome {
        self.scanner.relist();
        self.look()
    }

    /// `step status` of every entry, in order; `*` marks what is being written, `<` what is behind.
    fn list(&self) -> Vec<String> {
        let line = |entry: &Arc<Entry>| {
            let name = entry.title();
            let writing = if entry.being_written { "*" } else { "" };
            let past = if entry.past { "<" } else { "" };
            format!("{name} {:?}{writing}{past}", entry.status)
        };
        self.scanner.entries().iter().map(line).collect()
    }

    /// The same in the order of the words.
    fn sorted(&self) -> Vec<String> {
        let mut list = self.list();
        list.sort();
        list
    }

    fn only(&self) -> Arc<Entry> {
        let entries = self.scanner.entries();
        assert_eq!(entries.len(), 1, "{:?}", self.list());
        Arc::clone(&entries[0])
    }
}

const PACKET: &str = "staging/manifests/one.packet.json";
const RECORD: &str = "staging/novel-ask/one.json";

#[test]
fn a_gate_goes_from_waiting_to_blocked_to_answered() {
    let mut house = Tree::new();
    house.write(PACKET, &packet("chapter:048:draft", RECORD));
    assert!(house.look().changed);
    let entry = house.only();
    assert_eq!(entry.status, Status::Waiting);
    assert_eq!(&*entry.path, Path::new(PACKET));
    assert_eq!((entry.questions, entry.problems, entry.refusal), (1, 0, None));
    assert_eq!(entry.topic.clone().unwrap(), "走向");
    assert_eq!(entry.agent.clone().unwrap(), "codex");
    assert_eq!(entry.answer_path.clone().unwrap(), RECORD);
    assert_eq!((&entry.answered, entry.record_modified), (&None, None));

    house.write(RECORD, r#"{"version":2}"#);
    assert!(house.look().changed);
    let entry = house.only();
    assert_eq!(entry.status, Status::Blocked);
    assert!(entry.problems > 1 && entry.first_problem.is_some() && entry.record_modified.is_some());

    house.write(RECORD, &record("x"));
    assert!(house.look_now().changed);
    assert_eq!(house.only().status, Status::Answered);
    assert_eq!(house.only().answered_by.clone().unwrap(), "human");

    fs::remove_file(house.root.join(RECORD)).unwrap();
    assert!(house.look_now().changed);
    assert_eq!(house.only().status, Status::Waiting);
}

#[test]
fn nothing_new_is_no_change() {
    let mut house = Tree::new();
    house.write(PACKET, &packet("s", RECORD)).write(RECORD, &record("x"));
    assert_eq!(house.look(), Outcome { changed: true, ..Outcome::default() });
    assert_eq!(house.look(), Outcome::default());
    // Written again with the same words: read again, but nothing to tell except the time.
    let before = house.only();
    let modified = fs::metadata(house.root.join(PACKET)).unwrap().modified().unwrap();
    house.write(PACKET, &packet("s", RECORD));
    fs::File::open(house.root.join(PACKET)).unwrap().set_modified(modified).unwrap();
    assert_eq!(house.look(), Outcome::default());
    assert!(Arc::ptr_eq(&before, &house.only()));
}

#[test]
fn only_packets_are_listed_and_only_they_can_be_malformed() {
    let mut house = Tree::new();
    house
        .write("staging/x.json", &packet("by content", "staging/x.answers.json"))
        .write("staging/free.packet.json", r#"{"step":"free"}"#)
        .write("staging/half.json", r#"{"step":"half","novel_ask":{}}"#)
        .write("staging/list.packet.json", "[]")
        .write("staging/torn.packet.json", "{")
        .write("staging/torn.json", "{")
        .write("staging/state.json", "{}")
        .write("staging/.x.packet.json.swp", "{")
        .write("staging/.123.tmp", &packet("temp", "a"))
        .write("staging/.#x.packet.json", "{")
        .write("staging/.git/x.packet.json", "{")
        .write("chapters/outside.packet.json", "{");
    house.look();
    let mut list = house.list();
    list.sort();
    assert_eq!(
        list,
        ["by content Waiting", "free NoGate", "half Malformed", "list Malformed", "torn Malformed"]
    );
}

#[test]
fn records_count_wherever_they_lie() {
    let mut house = Tree::new();
    house.write(PACKET, &packet("gate", "./answers//deep/a.json"));
    house.look();
    house.write("answers/deep/a.json", &record("x"));
    assert!(house.look().changed, "no hint at all");
    assert_eq!(house.list(), ["gate Answered"]);
    fs::remove_dir_all(house.root.join("answers")).unwrap();
    assert!(house.look_now().changed);
    assert_eq!(house.list(), ["gate Waiting"]);
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn staging_may_come_go_and_come_back() {
    let mut house = Tree::new();
    fs::remove_dir_all(house.root.join("staging")).unwrap();
    assert_eq!(house.look(), Outcome::default());
    for round in 0..2 {
        house.write(PACKET, &packet("gate", RECORD));
        assert!(house.look_now().changed, "{round}");
        assert_eq!(house.list(), ["gate Waiting"]);
        fs::remove_dir_all(house.root.join("staging")).unwrap();
        assert!(house.look().changed);
        assert_eq!(house.list(), Vec::<String>::new());
    }
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("x.packet.json"), packet("foreign", RECORD)).unwrap();
    symlink(elsewhere.path(), house.root.join("staging")).unwrap();
    house.look();
    assert_eq!(house.list(), Vec::<String>::new(), "a link out of the root is not followed");
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn links_are_followed_inside_the_root_only_and_never_round_in_circles() {
    let mut house = Tree::new();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("x.packet.json"), packet("foreign", RECORD)).unwrap();
    house.write("kept/inside.packet.json", &packet("inside", "kept/a.json"));
    house.write("kept/file", &packet("file", "kept/b.json"));
    let staging = house.root.join("staging");
    for (target, name) in [
        (elsewhere.path().join("x.packet.json"), "outside.packet.json"),
        (elsewhere.path().to_path_buf(), "outside"),
        (PathBuf::from("../kept"), "kept"),
        (PathBuf::from("../kept"), "kept-again"),
        (PathBuf::from("../kept/file"), "file.packet.json"),
        (PathBuf::from(".."), "root"),
        (PathBuf::from("."), "self"),
        (PathBuf::from("nowhere"), "dangling.packet.json"),
        (PathBuf::from("loop.packet.json"), "loop.packet.json"),
    ] {
        symlink(target, staging.join(name)).unwrap();
    }
    symlink("../staging", house.root.join("kept/back")).unwrap();
    house.look();
    let mut list = house.list();
    list.sort();
    assert_eq!(list, ["file Waiting", "inside Waiting", "loop Malformed", "outside Malformed"]);
    let entries = house.scanner.entries();
    let outside = entries.iter().find(|entry| entry.stem() == "outside").unwrap();
    assert_eq!(outside.first_problem.as_ref().unwrap().code, ProblemCode::OutsideProject);
    house.write("kept/file", "{}");
    assert!(house.look().changed, "a link shows what it leads to");
    assert!(house.list().contains(&"file NoGate".to_owned()));
}

#[test]
#[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
fn odd_files_never_make_it_wait() {
    let mut house = Tree::new();
    for name in ["pipe.packet.json", "pipe.json"] {
        crate::platform::testing::make_pipe(&house.root.join("staging").join(name));
    }
    fs::create_dir(house.root.join("staging/dir.packet.json")).unwrap();
    house.write("staging/dir.packet.json/in.packet.json", &packet("in", RECORD));
    let large = fs::File::create(house.root.join("staging/large.packet.json")).unwrap();
    large.set_len(crate::store::SIZE_LIMIT + 1).unwrap();
    house.look();
    let mut list = house.list();
    list.sort();
    assert_eq!(list, ["in Waiting", "large Malformed", "pipe Malformed"]);
}

#[test]
fn the_depth_is_bounded_and_said_so() {
    let mut house = Tree::new();
    let deep = format!("staging/{}", "d/".repeat(crate::store::project::DEPTH_LIMIT));
    house.write(&format!("{deep}in.packet.json"), &packet("in", RECORD));
    house.look();
    assert!(!house.scanner.is_cut());
    house.write(&format!("{deep}d/out.packet.json"), &packet("out", RECORD));
    house.look();
    assert!(house.scanner.is_cut());
    assert_eq!(house.list(), ["in Waiting"]);
}

#[test]
fn gates_move_behind_the_checkpoint() {
    let mut house = Tree::new();
    house
        .write("staging/a.packet.json", &packet("chapter:047:draft", "staging/a.json"))
        .write("staging/b.packet.json", &packet("chapter:048:draft", "staging/b.json"))
        .write("staging/b.json", &record("x"))
        .write(".checkpoint.json", r#"{"last_completed_chapter":46}"#);
    house.look();
    assert_eq!(house.list(), ["chapter:047:draft Waiting", "chapter:048:draft Answered"]);
    house.write(".checkpoint.json", r#"{"last_completed_chapter":47}"#);
    assert!(house.look_now().changed);
    assert_eq!(house.list(), ["chapter:048:draft Answered", "chapter:047:draft Waiting<"]);
}

#[test]
fn refusals_are_known_before_the_author_starts_and_vanish_with_their_cause() {
    let mut house = Tree::new();
    fs::create_dir(house.root.join("taken")).unwrap();
    house.write("a-file", "");
    for (name, answer_path, refusal) in [
        ("a", "staging/.git/x.json", Some(Refusal::Git)),
        ("b", "taken", Some(Refusal::Directory)),
        ("c", "a-file/x.json", Some(Refusal::ParentIsFile)),
        ("d", "staging/new/x.json", None),
        ("e", "staging/new/y.json", None),
        ("f", "staging/new/y.packet.json", Some(Refusal::Packet)),
    ] {
        house.write(&format!("staging/{name}.packet.json"), &packet(name, answer_path));
        house.look();
        let entries = house.scanner.entries();
        let entry = entries.iter().find(|entry| entry.stem() == name).unwrap();
        assert_eq!(entry.refusal, refusal, "{answer_path}");
    }
    fs::remove_file(house.root.join("a-file")).unwrap();
    fs::remove_dir(house.root.join("taken")).unwrap();
    house.look();
    assert_eq!(house.scanner.entries().iter().filter(|entry| entry.refusal.is_some()).count(), 2);
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn the_verdict_is_that_of_check() {
    let mut house = Tree::new();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("r.json"), record("x")).unwrap();
    house.write("in/good.json", &record("x")).write("in/bad.json", "[]");
    symlink("in", house.root.join("link")).unwrap();
    symlink("in/good.json", house.root.join("leaf.json")).unwrap();
    symlink(elsewhere.path(), house.root.join("out")).unwrap();
    symlink("nowhere", house.root.join("dangling.json")).unwrap();
    let paths = [
        "in/good.json",
        "in/bad.json",
        "in/none.json",
        "link/good.json",
        "link/none.json",
        "leaf.json",
        "out/r.json",
        "out/none.json",
        "dangling.json",
        "in",
        "in/",
        "in/good.json/",
        "in/good.json/x",
        "in/./good.json",
        "in//good.json",
        "none/none.json",
        ".",
        "a\\u0000b",
        "../x",
        "/etc/passwd",
        "",
        "in/..",
    ];
    for (i, path) in paths.iter().enumerate() {
        house.write(&format!("staging/{i:02}.packet.json"), &packet(&i.to_string(), path));
    }
    house.look();
    let entries = house.scanner.entries();
    assert_eq!(entries.len(), paths.len());
    for entry in entries {
        let loaded = gate::load(&house.scanner.project, &house.root.join(&entry.path));
        let (status, refusal) = loaded.map_or((Status::Malformed, None), |l| (l.status(), l.refusal));
        let at = &entry.answer_path;
        assert_eq!(entry.status, status, "{at:?}");
        if entry.held_up() {
            assert_eq!(entry.refusal, refusal, "{at:?}");
        }
    }
}

#[test]
fn many_new_files_are_all_found() {
    let mut house = Tree::new();
    let count = 3 * ENOUGH_FOR_THREADS + 7;
    for i in 0..count {
        house.write(
            &format!("staging/p/{i:05}.packet.json"),
            &packet(&format!("s{i}"), &format!("staging/r/{i}.json")),
        );
    }
    house.look();
    assert_eq!(house.scanner.entries().len(), count);
}

/// One gate in each of these directories, two levels deep in the second, all of them known.
fn with_two_directories() -> Tree {
    give_up_privileges();
    let mut house = Tree::new();
    house.write("staging/a/one.packet.json", &packet("one", "staging/one.json"));
    house.write("staging/b/two.packet.json", &packet("two", "staging/two.json"));
    house.write("staging/b/c/three.packet.json", &packet("three", "staging/three.json"));
    house.look();
    assert_eq!(house.sorted(), ["one Waiting", "three Waiting", "two Waiting"]);
    house
}
