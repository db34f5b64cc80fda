//! Somebody renames, replaces or takes away what a look is about, between any two of its steps, and puts it back: whatever the look
//! has seen, the next one shows what is there.

use super::super::file::MEANWHILE;
use super::super::judge::Scope;
use super::*;
use std::cell::Cell;
use std::rc::Rc;

/// What is taken away, or replaced by its twin, while a look goes on.
const TAKEN: [&str; 14] = [
    "staging",
    "staging/manifests",
    "staging/manifests/deep",
    "staging/manifests/one.packet.json",
    "staging/manifests/deep/two.packet.json",
    "staging/manifests/five.packet.json",
    "staging/three.json",
    "staging/linked",
    "staging/novel-ask",
    "answers",
    "answers/one.json",
    "outer",
    "outer/kept",
    ".checkpoint.json",
];

type Look = fn(&mut Tree) -> Outcome;

const LOOKS: [(&str, bool, Look); 5] = [
    ("the first look", false, Tree::look),
    ("a look at everything", true, Tree::look),
    ("a look at everything, listed", true, Tree::rescan),
    ("a look in turn", true, |tree| {
        tree.scanner.pass(tree.now, Scope::Turn { files: 0..SHARE, others: true })
    }),
    ("a look at what is told", true, |tree| {
        tree.look_at(&["staging/three.json", "staging/manifests/one.packet.json", "answers/one.json"])
    }),
];

/// Gates of every kind; the twin has the same names and other words.
fn plant(tree: &Tree, top: &str, word: &str, links: bool) {
    let put = |path: &str, content: &str| {
        tree.write(&format!("{top}{path}"), content);
    };
    put(
        "staging/manifests/one.packet.json",
        &packet(&format!("chapter:001:draft{word}"), "answers/one.json"),
    );
    put(
        "staging/manifests/deep/two.packet.json",
        &packet(&format!("two{word}"), "staging/novel-ask/two.json"),
    );
    put("staging/three.json", &packet(&format!("three{word}"), "answers/three.json"));
    put("staging/novel-ask/two.json", &if word.is_empty() { record("x") } else { "[]".to_owned() });
    put("answers/one.json", &if word.is_empty() { record("x") } else { "[]".to_owned() });
    put("outer/kept/four.packet.json", &packet(&format!("four{word}"), "answers/four.json"));
    put("outer/five.json", &packet(&format!("five{word}"), "answers/five.json"));
    put(
        ".checkpoint.json",
        if word.is_empty() { r#"{"last_completed_chapter":1}"# } else { r#"{"last_completed_chapter":0}"# },
    );
    let at = |path: &str| tree.root.join(format!("{top}{path}"));
    if links {
        symlink("../outer/kept", at("staging/linked")).unwrap();
        symlink("../../outer/five.json", at("staging/manifests/five.packet.json")).unwrap();
    }
}

/// Takes a thing away, with another in its place or none, and puts it back.
struct Swap {
    place: PathBuf,
    twin: Option<PathBuf>,
    aside: PathBuf,
}

impl Swap {
    fn take(&self) {
        self.tick();
        fs::rename(&self.place, &self.aside).unwrap();
        self.twin.iter().for_each(|twin| fs::rename(twin, &self.place).unwrap());
    }

    fn put_back(&self) {
        self.tick();
        self.twin.iter().for_each(|twin| fs::rename(&self.place, twin).unwrap());
        fs::rename(&self.aside, &self.place).unwrap();
    }

    /// Waits for the file system's clock to move on: within one of its ticks a change leaves no trace.
    fn tick(&self) {
        let probe = self.aside.with_file_name("probe");
        let now = || {
            fs::write(&probe, "").unwrap();
            crate::platform::files::look_at(&probe).unwrap().changed
        };
        let then = now();
        while now() == then {}
    }
}

/// What a look gives, with a swap before the step of this number (from 0), and back before another one or after the look; and how
/// many steps there were.
fn look_with<T>(swap: &Rc<Swap>, from: usize, to: usize, look: impl FnOnce() -> T) -> (T, usize) {
    let step = Rc::new(Cell::new(0));
    let (counted, swapped) = (Rc::clone(&step), Rc::clone(swap));
    let act = move || {
        let at = counted.replace(counted.get() + 1);
        if at == from {
            swapped.take();
        }
        if at == to {
            swapped.put_back();
        }
    };
    MEANWHILE.set(Some(Box::new(act)));
    let found = look();
    MEANWHILE.take();
    let steps = step.get();
    if from < steps && to >= steps {
        swap.put_back();
    }
    (found, steps)
}

/// Tries every so many of all pairs of moments, with everything that can be taken away and every way to look.
fn compare(one_in: usize) {
    let (mut pairs, mut runs, mut failures) = (0, 0, Vec::new());
    for links in [false, true] {
        let mut tree = Tree::at(testing::place());
        plant(&tree, "", "", links);
        plant(&tree, "twin/", " again", links);
        let project = Arc::clone(&tree.scanner.project);
        tree.look();
        let want = tree.scanner.entries();
        assert_eq!(want.len(), if links { 5 } else { 3 });
        for (taken, is_replaced) in TAKEN.into_iter().flat_map(|taken| [(taken, false), (taken, true)]) {
            let place = tree.root.join(taken);
            if place.symlink_metadata().is_err() {
                continue;
            }
            let twin = is_replaced.then(|| tree.root.join("twin").join(taken));
            let swap = Rc::new(Swap { place, twin, aside: tree.root.join("aside") });
            for (name, is_known, look) in LOOKS {
                let mut run = |from, to| {
                    tree.scanner = Scanner::new(Arc::clone(&project));
                    if is_known {
                        tree.look();
                    }
                    let (_, steps) = look_with(&swap, from, to, || look(&mut tree));
                    tree.look();
                    if tree.scanner.entries() != want {
                        failures.push(format!(
                            "{taken}, replaced {is_replaced}, links {links}: {name}, away before step {from}, back before {to}: {:?}",
                            tree.list()
                        ));
                    }
                    steps
                };
                let steps = run(usize::MAX, usize::MAX);
                for (from, to) in (0..steps).flat_map(|from| (from + 1..=steps).map(move |to| (from, to))) {
                    pairs += 1;
                    if pairs % one_in == 0 {
                        run(from, to);
                        runs += 1;
                    }
                }
            }
        }
    }
    println!("{runs} of {pairs} pairs of moments");
    assert!(failures.is_empty(), "{} of {runs}:\n{}", failures.len(), failures.join("\n"));
}

#[test]
#[cfg_attr(windows, ignore = "a directory that is open keeps its name there")]
fn whatever_is_taken_away_and_put_back_during_a_look_is_there_for_the_next() {
    // No divisor of how many moments there are.
    compare(37);
}

#[test]
#[ignore = "2 minutes"]
fn long_moments() {
    compare(1);
}

/// The names that a single look finds.
type Single = fn(&Arc<Project>, SystemTime) -> Vec<PathBuf>;

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn what_is_away_for_one_step_of_a_single_look_is_listed() {
    let tree = Tree::at(testing::place());
    plant(&tree, "", "", false);
    let project = Arc::clone(&tree.scanner.project);
    let single: [Single; 2] = [
        |project, now| look(project, now).entries().iter().map(|entry| entry.path.to_path_buf()).collect(),
        |project, _| files(project).0,
    ];
    for (single, taken) in
        single.iter().flat_map(|single| TAKEN[1..].iter().map(move |taken| (single, taken)))
    {
        let place = tree.root.join(taken);
        if place.symlink_metadata().is_err() {
            continue;
        }
        let names = || {
            let mut names = single(&project, tree.now);
            names.sort();
            names
        };
        let want = names();
        assert!(want.len() >= 3);
        let swap = Rc::new(Swap { place, twin: None, aside: tree.root.join("aside") });
        for from in 0.. {
            let (found, steps) = look_with(&swap, from, from + 1, names);
            assert_eq!(found, want, "{taken} away before step {from}");
            if from >= steps {
                break;
            }
        }
    }
}

/// The steps of a look, each of which looks at a name, lists or reads.
fn steps(tree: &mut Tree) -> usize {
    let steps = Rc::new(Cell::new(0));
    let counted = Rc::clone(&steps);
    MEANWHILE.set(Some(Box::new(move || counted.set(counted.get() + 1))));
    tree.look();
    MEANWHILE.take();
    steps.get()
}

#[test]
fn a_checkpoint_of_this_very_moment_is_read_once_more() {
    let mut tree = Tree::new();
    tree.write(".checkpoint.json", r#"{"last_completed_chapter":1}"#);
    let usual = [tree.look(), tree.look()].map(|_| steps(&mut tree))[1];
    tree.write(".checkpoint.json", r#"{"last_completed_chapter":2}"#);
    tree.now = file::signature(&tree.scanner.project, ".checkpoint.json").unwrap().changed;
    assert_eq!(steps(&mut tree), usual + 1, "it is another one");
    tree.now += Duration::from_hours(1);
    assert_eq!(steps(&mut tree), usual + 1, "it may have been written again within a tick");
    assert_eq!(steps(&mut tree), usual);
}

#[test]
fn what_is_written_while_a_look_lasts_is_of_this_very_moment_too() {
    let mut tree = Tree::new();
    tree.write(PACKET, &packet("one", RECORD));
    tree.now = SystemTime::now();
    let (start, path) = (tree.now, tree.root.join(PACKET));
    let (mut is_written, again) = (false, packet("two", RECORD));
    MEANWHILE.set(Some(Box::new(move || {
        // Longer than a tick of any clock.
        if LISTED.get() > 1 && !std::mem::replace(&mut is_written, true) {
            while start.elapsed().unwrap_or_default() < Duration::from_millis(60) {
                std::thread::yield_now();
            }
            fs::write(&path, &again).unwrap();
        }
    })));
    LISTED.set(0);
    let outcome = tree.look();
    MEANWHILE.take();
    assert_eq!(tree.list(), ["two Waiting"]);
    assert!(outcome.next.is_some_and(|next| next <= tree.now + Duration::from_millis(50)), "{outcome:?}");
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_checkpoint_behind_a_closed_door_has_passed_what_it_had() {
    give_up_privileges();
    let mut tree = Tree::new();
    tree.write("staging/one.packet.json", &packet("chapter:001:draft", RECORD));
    tree.write(".checkpoint.json", r#"{"last_completed_chapter":1}"#);
    tree.look();
    set_mode(&tree.root, 0o000);
    tree.look();
    set_mode(&tree.root, 0o755);
    assert!(tree.scanner.checkpoint.checkpoint.has_passed(&"chapter:001:draft".into()));
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_link_is_followed_when_another_one_to_the_same_directory_has_gone() {
    let mut tree = Tree::new();
    tree.write("outer/one.packet.json", &packet("one", RECORD))
        .write("staging/a/x", "")
        .write("staging/b/x", "");
    for link in ["staging/a/linked", "staging/b/linked"] {
        symlink("../../outer", tree.root.join(link)).unwrap();
    }
    tree.look();
    assert_eq!(tree.only().path.to_path_buf(), Path::new("staging/a/linked/one.packet.json"));
    fs::remove_file(tree.root.join("staging/a/linked")).unwrap();
    tree.look();
    assert_eq!(tree.only().path.to_path_buf(), Path::new("staging/b/linked/one.packet.json"));
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn what_nothing_tells_of_is_found_once_in_a_while_and_costs_little() {
    let mut tree = Tree::new();
    for n in 0..SHARE * 3 {
        tree.write(&format!("staging/manifests/{n}.packet.json"), &packet("s", &format!("staging/{n}.json")));
    }
    // What a link leads to may come into the project, and nothing changes below `staging`.
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), tree.root.join("way")).unwrap();
    symlink("../way/kept", tree.root.join("staging/linked")).unwrap();
    for look in [|tree: &mut Tree| tree.look(), |tree: &mut Tree| tree.scanner.look_in_turn(tree.now)] {
        tree.scanner = Scanner::new(Arc::clone(&tree.scanner.project));
        tree.look();
        let before = tree.scanner.entries().len();
        fs::rename(tree.root.join("way"), tree.root.join("away")).unwrap();
        tree.write("way/kept/two.packet.json", &packet("two", "two.json"));
        let looks = (1..100).find(|_| {
            look(&mut tree);
            tree.scanner.entries().len() > before
        });
        assert!(looks.is_some_and(|looks| looks <= TRUSTING + 1), "{looks:?}");
        LISTED.set(0);
        for _ in 1..TRUSTING {
            look(&mut tree);
        }
        assert_eq!(LISTED.get(), 0, "in between nothing is listed that looks as it did");
        fs::remove_dir_all(tree.root.join("way")).unwrap();
        fs::rename(tree.root.join("away"), tree.root.join("way")).unwrap();
    }
}

#[test]
fn a_directory_that_lists_what_is_not_there_is_not_looked_at_for_ever() {
    let mut tree = Tree::new();
    tree.write(PACKET, &packet("one", RECORD));
    tree.look();
    let (at, hidden) = (tree.root.join(PACKET), tree.root.join("hidden"));
    fs::rename(&at, &hidden).unwrap();
    let mut soon = Vec::new();
    for _ in 0..RESTLESS + 2 {
        fs::rename(&hidden, &at).unwrap();
        let (at, hidden) = (at.clone(), hidden.clone());
        let (mut listed, mut since) = (LISTED.get(), 10);
        MEANWHILE.set(Some(Box::new(move || {
            let now = LISTED.get();
            since = if now == listed { since + 1 } else { 1 };
            listed = now;
            // As soon as its directory was read.
            if since == 3 {
                fs::rename(&at, &hidden).unwrap();
            }
        })));
        soon.push(tree.look().next.is_some());
        MEANWHILE.take();
        assert_eq!(tree.list(), [""; 0]);
    }
    let restless = |count| std::iter::repeat_n(true, RESTLESS - 1).chain(std::iter::repeat_n(false, count));
    assert_eq!(soon, restless(3).collect::<Vec<_>>());
}
