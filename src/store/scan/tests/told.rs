//! Looks at what is named, and what shows of everything else.

use super::*;

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
#[cfg_attr(windows, ignore = "links need a right of their own there")]
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
#[cfg_attr(windows, ignore = "links need a right of their own there")]
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
#[cfg_attr(windows, ignore = "permissions are another thing there")]
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
