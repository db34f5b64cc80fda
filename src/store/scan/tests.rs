mod races;

use super::pass::{ENOUGH_FOR_THREADS, LISTED};
use super::*;
use crate::ask::ProblemCode;
use crate::store::gate::{self, Status};
use crate::store::safe_path::Refusal;
use crate::store::testing::{self, give_up_privileges, set_mode};
use crate::text::Lang;
use std::fs;
use std::os::unix::fs::symlink;

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
fn a_packet_in_the_making_appears_once_and_whole() {
    let mut house = Tree::new();
    let whole = packet("slow", RECORD);
    for end in (0..10).map(|part| whole.len() * part / 10) {
        let end = (0..=end).rev().find(|&at| whole.is_char_boundary(at)).unwrap();
        house.write(PACKET, &whole[..end]);
        house.now = SystemTime::now();
        let outcome = house.look();
        assert!(!outcome.changed, "{end}");
        assert!(outcome.next.is_some_and(|next| next <= house.now + Duration::from_millis(50)));
    }
    house.write(PACKET, &whole);
    house.look();
    assert_eq!(house.list(), ["slow Waiting"]);
}

#[test]
fn a_torn_packet_is_broken_only_after_two_quiet_seconds() {
    let mut house = Tree::new();
    house.write(PACKET, "{\"step\":");
    house.now = SystemTime::now();
    let start = house.now;
    let mut outcome = house.look();
    let mut steps = Vec::new();
    while let Some(next) = outcome.next {
        assert_eq!(house.list(), Vec::<String>::new());
        steps.push(next.duration_since(house.now).unwrap().as_millis());
        house.now = next;
        outcome = house.look();
    }
    assert_eq!(house.list(), ["one Malformed"]);
    assert!(house.now.duration_since(start).unwrap() <= PACKET_PATIENCE);
    assert_eq!(steps[..4], [50, 100, 200, 400]);
    house.write(PACKET, &packet("whole", RECORD));
    assert!(house.look().changed);
    assert_eq!(house.list(), ["whole Waiting"]);
}

#[test]
fn a_good_packet_that_is_torn_keeps_its_state_for_a_while() {
    let mut house = Tree::new();
    house.write(PACKET, &packet("good", RECORD));
    house.look();
    house.write(PACKET, "");
    house.now = SystemTime::now();
    assert!(house.look().changed);
    assert_eq!(house.list(), ["good Waiting*"]);
    house.write(PACKET, &packet("better", RECORD));
    house.look();
    assert_eq!(house.list(), ["better Waiting"]);
    house.write(PACKET, "{");
    house.look();
    house.now += PACKET_PATIENCE + Duration::from_secs(1);
    house.look();
    assert_eq!(house.list(), ["one Malformed"]);
}

#[test]
fn a_torn_record_blocks_only_after_half_a_second() {
    let mut house = Tree::new();
    house.write(PACKET, &packet("gate", RECORD));
    house.look();
    house.write(RECORD, &record("x")[..20]);
    house.now = SystemTime::now();
    let outcome = house.look_now();
    assert_eq!(house.list(), ["gate Waiting*"]);
    assert!(outcome.next.is_some());
    house.now += RECORD_PATIENCE;
    assert!(house.look().changed);
    assert_eq!(house.list(), ["gate Blocked"]);
    house.write(RECORD, &record("x"));
    house.look_now();
    assert_eq!(house.list(), ["gate Answered"]);
    house.write(RECORD, "");
    house.now = SystemTime::now();
    house.look_now();
    assert_eq!(house.list(), ["gate Answered*"]);
}

#[test]
fn a_file_just_written_is_looked_at_once_more() {
    let mut house = Tree::new();
    house.write(PACKET, &packet("gate", RECORD));
    house.now = file::signature(&house.scanner.project, PACKET).unwrap().changed;
    let next = house.look().next.expect("another write may leave the same signature");
    house.now = next;
    assert_eq!(house.look(), Outcome::default());
}

#[test]
fn hints_find_files_directories_and_what_has_gone() {
    let mut house = Tree::new();
    house.look();
    house.write("staging/a/b/c/one.packet.json", &packet("deep", RECORD));
    house.write("staging/a/two.json", &packet("near", "staging/novel-ask/two.json"));
    assert!(house.look_now().changed);
    assert_eq!(house.scanner.entries().len(), 2);
    house.write("staging/a/b/three.packet.json", &packet("file", "staging/novel-ask/three.json"));
    house.look_now();
    assert_eq!(house.scanner.entries().len(), 3);
    fs::rename(house.root.join("staging/a"), house.root.join("staging/z")).unwrap();
    house.look_now();
    let paths: Vec<_> = house.scanner.entries().iter().map(|entry| entry.path.to_path_buf()).collect();
    assert_eq!(paths.len(), 3);
    assert!(paths.iter().all(|path| path.starts_with("staging/z")), "{paths:?}");
    fs::remove_file(house.root.join("staging/z/two.json")).unwrap();
    house.look_now();
    assert_eq!(house.scanner.entries().len(), 2);
    let found = house.scanner.entries();
    assert!(!house.look().changed, "a full pass finds the same");
    assert_eq!(found, house.scanner.entries());
}

#[test]
fn what_is_named_is_looked_at_and_nothing_else() {
    let mut house = Tree::new();
    house
        .write(PACKET, &packet("one", RECORD))
        .write("staging/manifests/two.packet.json", &packet("two", "staging/two.json"));
    house.look();
    house.write("staging/manifests/two.packet.json", &packet("TWO", "staging/two.json"));
    house.write(RECORD, &record("x"));
    assert!(house.look_at(&[RECORD]).changed);
    assert_eq!(house.sorted(), ["one Answered", "two Waiting"], "two was not named");
    assert!(house.look_at(&["staging/manifests/two.packet.json"]).changed);
    assert_eq!(house.sorted(), ["TWO Waiting", "one Answered"]);
    house.write("staging/manifests/new.json", &packet("new", "staging/new.json"));
    assert!(!house.look_at(&[RECORD]).changed);
    assert!(house.look_at(&["staging/manifests/new.json"]).changed);
    assert_eq!(house.sorted(), ["TWO Waiting", "new Waiting", "one Answered"]);
    fs::remove_file(house.root.join(PACKET)).unwrap();
    fs::remove_file(house.root.join("staging/manifests/new.json")).unwrap();
    assert!(house.look_at(&[PACKET, "staging/manifests/new.json"]).changed);
    assert_eq!(house.list(), ["TWO Waiting"]);
}

#[test]
fn a_directory_of_this_very_moment_is_listed_again_by_looks_at_everything_only() {
    let mut house = Tree::new();
    house.write("staging/manifests/sub/two.packet.json", &packet("two", "staging/two.json"));
    house.write(PACKET, &packet("one", RECORD));
    house.look();
    // As at the first listing: another name may come now and leave the same signature.
    house.write("staging/manifests/three.json", &packet("three", "staging/three.json"));
    house.now = file::signature(&house.scanner.project, "staging/manifests").unwrap().changed;
    house.look();
    let listed = |house: &mut Tree, look: fn(&mut Tree) -> Outcome| {
        LISTED.set(0);
        look(house);
        LISTED.get()
    };
    for _ in 0..3 {
        house.write(PACKET, &packet("changed", RECORD));
        assert_eq!(listed(&mut house, |house| house.look_at(&[PACKET])), 0, "its names are known");
        let rename: fn(&mut Tree) -> Outcome = |house| house.look_at(&[PACKET, "staging/manifests/.1.tmp"]);
        assert_eq!(listed(&mut house, rename), 0, "what had its name before never counted");
    }
    assert_ne!(listed(&mut house, Tree::look), 0, "nobody told of a name that came unseen");
    house.now += Duration::from_hours(1);
    assert_ne!(listed(&mut house, Tree::look), 0, "what was listed in that moment is listed once more");
    assert_eq!(listed(&mut house, Tree::look), 0, "and then only where it changes");
}

#[test]
fn in_turn_everything_is_looked_at_and_never_very_much_at_once() {
    let mut house = Tree::new();
    let path = |n: usize| format!("staging/manifests/{n}.packet.json");
    for n in 0..SHARE * 10 {
        house.write(&path(n), &packet(&format!("step {n}"), &format!("staging/{n}.json")));
    }
    house.look();
    let turn = |house: &mut Tree| {
        file::SIGNED.set(0);
        let outcome = house.scanner.look_in_turn(house.now);
        (outcome.changed, file::SIGNED.get())
    };
    for _ in 0..10 {
        let (changed, signed) = turn(&mut house);
        assert!(
            !changed && signed < SHARE * 4,
            "{signed} names for a tenth of the packets and their records"
        );
    }
    // Names stay as they are, and no event tells of it.
    for content in [packet("changed", "staging/7.json"), packet("changed once more", "staging/7.json")] {
        house.write(&path(7), &content);
        assert!((0..10).any(|_| turn(&mut house).0));
        assert!(house.list().iter().any(|line| content.contains(line.strip_suffix(" Waiting").unwrap())));
    }
    house.write("staging/manifests/new.packet.json", &packet("new", "staging/new.json"));
    assert!(turn(&mut house).0, "a new name is found at once");
    house.write("staging/8.json", &record("x"));
    fs::remove_file(house.root.join(path(9))).unwrap();
    assert!(turn(&mut house).0);
    assert!(
        house.list().contains(&"step 8 Answered".to_owned()),
        "where one was lost, everything is looked at"
    );
}

#[test]
fn where_more_may_have_changed_than_is_named_everything_is_looked_at() {
    let mut house = Tree::new();
    house.write(PACKET, &packet("chapter:001:draft", RECORD));
    house.look();
    house.write("staging/deep/er/two.packet.json", &packet("two", "staging/two.json"));
    assert!(house.look_at(&["staging/deep"]).changed, "a directory is named");
    house.write("staging/other/three.packet.json", &packet("three", "staging/three.json"));
    assert!(house.look_at(&["staging/not-there.json"]).changed, "a directory that nobody has named is met");
    assert_eq!(house.list().len(), 3);
    house.write(".checkpoint.json", r#"{"last_completed_chapter": 1}"#);
    assert!(house.look_at(&[".checkpoint.json"]).changed);
    assert_eq!(house.sorted(), ["chapter:001:draft Waiting<", "three Waiting", "two Waiting"]);
    fs::rename(house.root.join("staging/deep"), house.root.join("away")).unwrap();
    assert!(house.look_at(&["staging/deep"]).changed, "what was named was a directory");
    fs::write(house.root.join("target.json"), record("x")).unwrap();
    symlink("../../target.json", house.write("staging/novel-ask/x", "").root.join(RECORD)).unwrap();
    assert!(house.look_at(&[RECORD]).changed);
    fs::write(house.root.join("target.json"), "{}").unwrap();
    assert!(house.look_at(&["target.json"]).changed, "a link shows what it leads to");
    assert_eq!(house.sorted(), ["chapter:001:draft Blocked<", "three Waiting"]);
}

type Change = fn(&Path);

/// What happens, the answer path of the packet, what was there before, what changes, what is told of it.
const TOLD: [(&str, &str, Change, Change, &str); 9] = [
    (
        "the directory of a record goes",
        "answers/one.json",
        |root| fs::write(root.join("answers/one.json"), record("x")).unwrap(),
        |root| fs::rename(root.join("answers"), root.join("away")).unwrap(),
        "answers",
    ),
    (
        "a file lies where the directory of a record was",
        "answers/one.json",
        |_| {},
        |root| {
            fs::remove_dir(root.join("answers")).unwrap();
            fs::write(root.join("answers"), "").unwrap();
        },
        "answers",
    ),
    (
        "a link on the way to a record goes",
        "current/one.json",
        |root| {
            fs::write(root.join("answers/one.json"), record("x")).unwrap();
            symlink("answers", root.join("current")).unwrap();
        },
        |root| fs::remove_file(root.join("current")).unwrap(),
        "current",
    ),
    (
        "what a link on the way to a record leads to goes",
        "current/one.json",
        |root| {
            fs::write(root.join("answers/one.json"), record("x")).unwrap();
            symlink("answers", root.join("current")).unwrap();
        },
        |root| fs::remove_dir_all(root.join("answers")).unwrap(),
        "answers",
    ),
    (
        "a record is written by its other name",
        RECORD,
        |root| {
            fs::write(root.join("answers/own.json"), "{}").unwrap();
            fs::hard_link(root.join("answers/own.json"), root.join(RECORD)).unwrap();
        },
        |root| fs::write(root.join("answers/own.json"), record("x")).unwrap(),
        "answers/own.json",
    ),
    (
        "a record whose path ends with a dot",
        "staging/novel-ask/one.json/.",
        |root| fs::write(root.join(RECORD), "{}").unwrap(),
        |root| fs::write(root.join(RECORD), record("x")).unwrap(),
        RECORD,
    ),
    (
        "a packet has another name",
        RECORD,
        |_| {},
        |root| fs::rename(root.join(PACKET), root.join("staging/manifests/two.packet.json")).unwrap(),
        PACKET,
    ),
    (
        "a packet comes into a directory of two names",
        RECORD,
        |root| {
            fs::create_dir_all(root.join("outer/sub")).unwrap();
            symlink("../outer", root.join("staging/outer")).unwrap();
            symlink("../outer/sub", root.join("staging/sub")).unwrap();
        },
        |root| fs::write(root.join("outer/sub/two.packet.json"), packet("two", "staging/two.json")).unwrap(),
        "staging/outer/sub/two.packet.json",
    ),
    (
        "a packet behind a link comes back",
        RECORD,
        |root| symlink("../../answers/two.json", root.join("staging/manifests/two.packet.json")).unwrap(),
        |root| fs::write(root.join("answers/two.json"), packet("two", "staging/two.json")).unwrap(),
        "answers/two.json",
    ),
];

/// As a look at everything by a scanner that knows nothing does.
#[test]
fn what_is_told_of_one_name_shows_whatever_else_it_changes() {
    for (name, answer_path, prepare, change, told) in TOLD {
        let mut house = Tree::new();
        house
            .write(PACKET, &packet("one", answer_path))
            .write("staging/novel-ask/other", "")
            .write("answers/other", "");
        fs::remove_file(house.root.join("answers/other")).unwrap();
        prepare(&house.root);
        house.look();
        let before = house.scanner.entries();
        change(&house.root);
        house.look_at(&[told]);
        let found = house.scanner.entries();
        house.scanner = Scanner::new(Arc::clone(&house.scanner.project));
        house.look();
        assert_eq!(found, house.scanner.entries(), "{name}");
        assert_ne!(found, before, "{name}");
    }
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
fn odd_files_never_make_it_wait() {
    let mut house = Tree::new();
    let dir = house.scanner.project.dir().open_dir("staging").unwrap();
    for name in ["pipe.packet.json", "pipe.json"] {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(&dir, name, rustix::fs::FileType::Fifo, mode, 0).unwrap();
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
fn a_directory_that_may_not_be_read_is_not_passed_over_in_silence() {
    use std::os::unix::fs::PermissionsExt;
    let mut house = Tree::new();
    house.write("staging/open/one.packet.json", &packet("one", RECORD));
    house.write("staging/barred/two.packet.json", &packet("two", "staging/novel-ask/two.json"));
    let barred = house.root.join("staging/barred");
    fs::set_permissions(&barred, fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser may read everything.
    let readable = fs::read_dir(&barred).is_ok();
    house.look();
    let (mut list, cut) = (house.list(), house.scanner.is_cut());
    fs::set_permissions(&barred, fs::Permissions::from_mode(0o755)).unwrap();
    let both = ["one Waiting", "two Waiting"];
    list.sort();
    assert_eq!(list, if readable { &both[..] } else { &both[..1] });
    assert_eq!(cut, !readable);
    house.write("staging/barred/two.packet.json", &packet("two", "staging/novel-ask/two.json"));
    house.look_now();
    let mut list = house.list();
    list.sort();
    assert_eq!(list, both);
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

/// `name with others`: `=` in front of a packet that asks the same, `!` in front of one that does not.
fn sharing(house: &Tree) -> Vec<String> {
    let line = |entry: &Arc<Entry>| {
        let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
        let others =
            entry.others().map(|(path, agrees)| format!("{}{}", if agrees { '=' } else { '!' }, name(path)));
        format!("{} {}", name(&entry.path), others.collect::<Vec<_>>().join(" ")).trim_end().to_owned()
    };
    let mut lines: Vec<String> = house.scanner.entries().iter().map(line).collect();
    lines.sort();
    lines
}

#[test]
fn packets_with_one_place_are_one_gate_or_a_conflict() {
    let mut house = Tree::new();
    let other = packet("s", "staging/n/x.json").replace("\"q\"", "\"another\"");
    house.write("staging/a.json", &packet("one", "staging/n/x.json"));
    house.write("staging/b.json", &packet("two", "./staging//n/./x.json"));
    house.write("staging/d.json", &packet("alone", "staging/n/y.json"));
    house.look();
    assert_eq!(sharing(&house), ["a =b", "b =a", "d"]);
    let entries = house.scanner.entries();
    assert_eq!(entries.iter().filter(|entry| entry.is_repeated()).count(), 1);
    assert!(entries.iter().all(|entry| !entry.is_conflict()));
    house.write("staging/c.json", &other);
    house.look_now();
    assert_eq!(sharing(&house), ["a =b !c", "b =a !c", "c !a !b", "d"]);
    assert_eq!(house.scanner.entries().iter().filter(|entry| entry.is_conflict()).count(), 3);
    fs::remove_file(house.root.join("staging/c.json")).unwrap();
    house.write("staging/b.json", "{}");
    house.look_now();
    assert_eq!(sharing(&house), ["a", "d"]);
}

#[test]
fn links_to_one_place_are_one_place() {
    let mut house = Tree::new();
    house.write("staging/n/x.json", "{").write("staging/m/there.json", "{");
    symlink("n", house.root.join("staging/linked")).unwrap();
    symlink("../n/x.json", house.root.join("staging/m/leaf.json")).unwrap();
    house.write("staging/p/a.packet.json", &packet("a", "staging/n/x.json"));
    house.write("staging/p/b.packet.json", &packet("b", "staging/linked/x.json"));
    house.write("staging/p/c.packet.json", &packet("c", "staging/m/leaf.json"));
    house.write("staging/p/d.packet.json", &packet("d", "staging/linked/new/z.json"));
    house.write("staging/p/e.packet.json", &packet("e", "staging/n/new//z.json"));
    house.look();
    let want = [
        "a.packet =b.packet =c.packet",
        "b.packet =a.packet =c.packet",
        "c.packet =a.packet =b.packet",
        "d.packet =e.packet",
        "e.packet =d.packet",
    ];
    assert_eq!(sharing(&house), want);
    // The directory comes into being, and only one of the two packets is looked at again.
    house.write("staging/n/new/other.json", "");
    house.write("staging/p/d.packet.json", &packet("d again", "staging/linked/new/z.json"));
    house.look_now();
    assert_eq!(sharing(&house), want);
}

#[test]
fn what_is_behind_the_checkpoint_is_not_counted_for_what_is_not() {
    let mut house = Tree::new();
    house.write("staging/a.json", &packet("chapter:001:draft", "staging/n/x.json"));
    house.write("staging/b.json", &packet("chapter:002:draft", "staging/n/x.json"));
    house.write(".checkpoint.json", r#"{"last_completed_chapter": 1}"#);
    house.look();
    let repeated = house.scanner.entries().into_iter().filter(|entry| entry.is_repeated());
    assert_eq!(repeated.map(|entry| entry.past).collect::<Vec<_>>(), [true]);
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

#[test]
fn a_directory_that_cannot_be_read_keeps_what_was_known_and_is_looked_at_again() {
    // Not to be listed; to be listed, but its files not to be looked at.
    for mode in [0o000, 0o300, 0o444] {
        for look in 0..3 {
            let mut house = with_two_directories();
            let before = house.list();
            house.write("staging/b/two.packet.json", &packet("two again", "staging/two.json"));
            house.write("staging/b/four.packet.json", &packet("four", "staging/four.json"));
            let barred = house.root.join("staging/b");
            set_mode(&barred, mode);
            for again in 0..2 {
                match look {
                    0 => house.look(),
                    1 => house.rescan(),
                    _ => house.look_now(),
                };
                // Through a directory that cannot be listed its files may still be read.
                let list: Vec<String> = house.list().iter().map(|line| line.replace(" again", "")).collect();
                let kept = before.iter().all(|line| list.contains(line));
                assert!(kept, "{mode:o} {look} {again}: {list:?}");
            }
            set_mode(&barred, 0o755);
            house.now = SystemTime::now() + Duration::from_hours(1);
            house.look();
            let want = ["four Waiting", "one Waiting", "three Waiting", "two again Waiting"];
            assert_eq!(house.sorted(), want, "{mode:o} {look}");
            assert!(!house.scanner.is_cut());
            assert_eq!(house.look(), Outcome::default());
        }
    }
}

#[test]
fn a_directory_that_cannot_be_read_at_first_is_found_later() {
    for barred in ["staging", "staging/b", "staging/b/c"] {
        let known = with_two_directories();
        let barred = known.root.join(barred);
        set_mode(&barred, 0o000);
        let scanner = Scanner::new(Arc::clone(&known.scanner.project));
        let mut house = Tree { scanner, ..known };
        house.look();
        assert!(house.scanner.is_cut() && house.list().len() < 3);
        let trouble = house.scanner.trouble().map(|trouble| trouble.text(Lang::En));
        assert!(
            trouble.is_some_and(|told| told.ends_with("permission denied. Make it readable for yourself."))
        );
        house.look_now();
        set_mode(&barred, 0o755);
        assert!(house.look().changed);
        assert_eq!(house.list().len(), 3);
        assert!(!house.scanner.is_cut());
    }
}

#[test]
fn a_directory_that_is_not_there_is_forgotten() {
    let mut house = with_two_directories();
    fs::remove_dir_all(house.root.join("staging/b")).unwrap();
    house.write("staging/b", "a file");
    assert!(house.look_now().changed);
    house.look();
    assert_eq!(house.list(), ["one Waiting"]);
    let elsewhere = tempfile::tempdir().unwrap();
    fs::rename(house.root.join("staging/a"), house.root.join("a")).unwrap();
    symlink(elsewhere.path(), house.root.join("staging/a")).unwrap();
    house.look();
    assert_eq!(house.list(), Vec::<String>::new());
    assert!(!house.scanner.is_cut());
}

#[test]
fn a_link_that_cannot_be_followed_for_a_while_keeps_what_was_known() {
    give_up_privileges();
    let mut house = Tree::new();
    house.write("outer/kept/one.packet.json", &packet("one", "staging/one.json"));
    symlink("../outer/kept", house.root.join("staging/linked")).unwrap();
    house.look();
    let barred = house.root.join("outer");
    set_mode(&barred, 0o000);
    house.rescan();
    assert_eq!(house.list(), ["one Waiting"]);
    house.write("staging/two.packet.json", &packet("two", "staging/two.json"));
    house.look();
    assert_eq!(house.sorted(), ["one Waiting", "two Waiting"]);
    set_mode(&barred, 0o755);
    house.write("outer/kept/one.packet.json", &packet("one again", "staging/one.json"));
    house.look();
    assert_eq!(house.sorted(), ["one again Waiting", "two Waiting"]);
}

#[test]
fn a_scanner_that_is_first_asked_about_single_paths_walks() {
    let known = with_two_directories();
    let scanner = Scanner::new(Arc::clone(&known.scanner.project));
    let mut house = Tree { scanner, ..known };
    house.look_now();
    assert_eq!(house.list().len(), 3);
    // The same when everything has gone and one path comes back first.
    fs::rename(house.root.join("staging"), house.root.join("away")).unwrap();
    house.look();
    assert_eq!(house.list().len(), 0);
    fs::rename(house.root.join("away"), house.root.join("staging")).unwrap();
    house.look_now();
    assert_eq!(house.list().len(), 3);
}

#[test]
fn a_file_that_cannot_be_read_keeps_what_was_known_for_a_while() {
    let mut house = with_two_directories();
    let file = house.root.join("staging/a/one.packet.json");
    set_mode(&file, 0o000);
    let outcome = house.look_now();
    assert_eq!(house.sorted(), ["one Waiting*", "three Waiting", "two Waiting"]);
    assert!(outcome.next.is_some_and(|next| next <= house.now + Duration::from_secs(1)));
    house.now += PACKET_PATIENCE;
    let outcome = house.look();
    assert_eq!(house.sorted(), ["one Malformed", "three Waiting", "two Waiting"]);
    // It may become readable without a trace.
    house.now = outcome.next.expect("another look");
    assert!(house.look().next.is_some_and(|next| next > house.now));
    set_mode(&file, 0o644);
    house.look();
    assert_eq!(house.sorted(), ["one Waiting", "three Waiting", "two Waiting"]);
}

#[test]
fn what_cannot_be_looked_at_is_not_tried_again_at_once() {
    let mut house = with_two_directories();
    house.write("staging/a/torn.packet.json", "{");
    house.look_now();
    set_mode(&house.root.join("staging/a"), 0o000);
    for _ in 0..3 {
        house.now += Duration::from_secs(10);
        let next = house.look().next;
        assert!(next.is_none_or(|next| next > house.now), "{next:?}");
    }
    set_mode(&house.root.join("staging/a"), 0o755);
    house.look();
    assert_eq!(house.list().len(), 4);
}

#[test]
fn a_record_that_cannot_be_read_blocks_only_after_half_a_second() {
    give_up_privileges();
    let mut house = Tree::new();
    house.write(PACKET, &packet("gate", RECORD)).write(RECORD, &record("x"));
    house.look();
    set_mode(&house.root.join(RECORD), 0o000);
    house.look_now();
    assert_eq!(house.list(), ["gate Answered*"]);
    house.now += RECORD_PATIENCE;
    assert!(house.look().next.is_some(), "it may become readable without a trace");
    assert_eq!(house.list(), ["gate Blocked"]);
    set_mode(&house.root.join(RECORD), 0o644);
    house.look();
    assert_eq!(house.list(), ["gate Answered"]);
}

#[test]
fn a_checkpoint_that_cannot_be_read_has_passed_what_it_had() {
    give_up_privileges();
    let mut house = Tree::new();
    house.write(PACKET, &packet("chapter:047:draft", RECORD));
    house.write(".checkpoint.json", r#"{"last_completed_chapter":47}"#);
    house.look();
    let path = house.root.join(".checkpoint.json");
    set_mode(&path, 0o000);
    assert!(!house.look().changed);
    assert_eq!(house.list(), ["chapter:047:draft Waiting<"]);
    fs::remove_file(path).unwrap();
    assert!(house.look().changed);
    assert_eq!(house.list(), ["chapter:047:draft Waiting"]);
}

#[test]
fn a_checkpoint_that_moves_while_a_directory_cannot_be_read_counts_afterwards() {
    give_up_privileges();
    let mut house = Tree::new();
    house.write(PACKET, &packet("chapter:047:draft", RECORD));
    house.look();
    let directory = house.root.join("staging/manifests");
    set_mode(&directory, 0o000);
    house.write(".checkpoint.json", r#"{"last_completed_chapter":47}"#);
    house.look();
    assert_eq!(house.list(), ["chapter:047:draft Waiting"], "what is known of it stays");
    set_mode(&directory, 0o755);
    assert!(house.look().changed);
    assert_eq!(house.list(), ["chapter:047:draft Waiting<"]);
}

#[test]
fn two_gates_become_one_place_through_a_link_though_neither_has_a_record() {
    let mut house = Tree::new();
    house.write("staging/a.packet.json", &packet("a", "one/x.json"));
    house.write("staging/b.packet.json", &packet("b", "other/x.json"));
    fs::create_dir(house.root.join("one")).unwrap();
    house.look();
    assert!(house.scanner.entries().iter().all(|entry| entry.collision.is_none()));
    symlink("one", house.root.join("other")).unwrap();
    assert!(house.look().changed);
    assert!(house.scanner.entries().iter().all(|entry| entry.collision.is_some()));
    fs::remove_file(house.root.join("other")).unwrap();
    assert!(house.look().changed);
    assert!(house.scanner.entries().iter().all(|entry| entry.collision.is_none()));
}

#[test]
fn packets_that_are_named_may_lie_anywhere_and_bear_any_name() {
    let house = Tree::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let (free, outside) = (house.root.join("notes/free"), elsewhere.path().join("gate.txt"));
    house.write("notes/free", "{}").write(PACKET, &packet("not named", RECORD));
    fs::write(&outside, packet("outside", RECORD)).unwrap();
    let named = [free, outside.clone(), house.root.join("not-there.packet.json")];
    let scanner = Scanner::of(Arc::clone(&house.scanner.project), &named);
    let mut house = Tree { scanner, ..house };
    house.look();
    assert_eq!(house.list(), ["outside Waiting", "free NoGate"]);
    house.write(RECORD, &record("x"));
    fs::write(&named[2], "{").unwrap();
    assert!(house.look().changed);
    assert_eq!(house.sorted(), ["free NoGate", "not-there Malformed", "outside Answered"]);
    fs::remove_file(&outside).unwrap();
    assert!(house.look().changed);
    assert_eq!(house.sorted(), ["free NoGate", "not-there Malformed"]);
    fs::write(&outside, packet("back", RECORD)).unwrap();
    house.look();
    assert_eq!(house.sorted(), ["back Answered", "free NoGate", "not-there Malformed"]);
}

#[test]
fn a_look_for_places_judges_only_packets_whose_records_may_go_there() {
    let tree = Tree::new();
    for (name, place) in [
        ("own", "staging/novel-ask/a.json"),
        ("spelled", "./staging//novel-ask/a.json/."),
        ("case", "staging/novel-ask/A.json"),
        ("escaped", "staging/novel-ask/\\u0061.json"),
        ("link", "staging/novel-ask/link.json"),
        ("other", "staging/novel-ask/b.json"),
    ] {
        tree.write(&format!("staging/manifests/{name}.packet.json"), &packet("s", place));
    }
    tree.write("staging/manifests/torn.packet.json", "{");
    tree.write("staging/novel-ask/b.json", &record("x"));
    symlink("a.json", tree.root.join("staging/novel-ask/link.json")).unwrap();
    let places = ["staging/novel-ask/a.json".into()];
    let scanner = look_at(&tree.scanner.project, &places, tree.now);
    let (entries, is_cut) = (scanner.entries(), scanner.is_cut());
    let mut names: Vec<_> = entries.iter().map(|entry| entry.stem()).collect();
    names.sort();
    assert_eq!(names, ["case", "escaped", "link", "own", "spelled"]);
    assert!(!is_cut);
    fs::create_dir(tree.root.join("staging/closed")).unwrap();
    give_up_privileges();
    set_mode(&tree.root.join("staging/closed"), 0o000);
    assert!(look_at(&tree.scanner.project, &places, tree.now).is_cut(), "there may be others");
    set_mode(&tree.root.join("staging/closed"), 0o700);
}

#[test]
fn an_empty_inbox_that_cannot_be_read_is_another_one_than_an_empty_inbox() {
    give_up_privileges();
    let mut house = Tree::new();
    house.write("staging/b/notes.md", "no packet");
    house.look();
    assert!(!house.look().changed);
    let staging = house.root.join("staging");
    set_mode(&staging, 0o000);
    assert!(house.look().changed && house.scanner.is_cut());
    assert!(!house.look().changed, "said once");
    set_mode(&staging, 0o755);
    assert!(house.look().changed && !house.scanner.is_cut());
}
