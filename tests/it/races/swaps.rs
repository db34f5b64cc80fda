//! A directory that is exchanged, over and over, for a link out of the project: nothing is ever written, moved, removed or read
//! out there.

use crate::project::Book;
use crate::random::Random;
use crate::system::symlink;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use novel_gate::ask::JsString;
use novel_gate::store::history::{self, History, Over};
use novel_gate::store::submission::Submission;
use novel_gate::store::submit::submit;
use novel_gate::store::{Project, StateDir, gate, scan};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::SystemTime;

const GATES: usize = 4;
const SECRET: &str = "secret";

fn tree(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir).expect("a directory").flatten();
    let file =
        |entry: fs::DirEntry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()));
    entries.map(file).map(|(name, bytes)| (name, bytes.expect("a file"))).collect()
}

fn swap(rounds: usize, seed: u64) {
    let book = Book::new();
    let (real, link) = (book.root().join("staging/real"), book.root().join("staging/link"));
    let outside = book.root().with_file_name("outside");
    for dir in [real.join("deep"), outside.join("deep")] {
        fs::create_dir_all(dir).expect("directories");
    }
    symlink(&outside, &link).expect("a link");
    for number in 0..GATES {
        book.put_packet(&format!("p{number}"), &format!("staging/real/deep/a{number}.json"));
        let record = Book::RECORD.replace("\"x\"", &format!("\"{SECRET}\""));
        fs::write(outside.join(format!("deep/a{number}.json")), record).expect("a record");
    }
    // One place out there is free, so that a record could be written to it.
    fs::remove_file(outside.join("deep/a0.json")).expect("removed");
    let packet = fs::read_to_string(book.root().join("staging/manifests/p0.packet.json")).expect("a packet");
    fs::write(outside.join("deep/evil.packet.json"), packet.replace("step:p0", SECRET)).expect("a packet");
    let before = tree(&outside.join("deep"));

    let (tell, events) = mpsc::channel();
    let mut watcher = RecommendedWatcher::new(
        move |event: notify::Result<notify::Event>| {
            if event.as_ref().map_or(true, |event| !matches!(event.kind, EventKind::Access(_))) {
                drop(tell.send(event));
            }
        },
        notify::Config::default(),
    )
    .expect("a watcher");
    watcher.watch(&outside, RecursiveMode::Recursive).expect("watched");

    let (done, swaps) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut counts = BTreeMap::<String, usize>::new();
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &real, CWD, &link, RenameFlags::EXCHANGE).expect("exchanged");
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        let attacked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let project = Arc::new(Project::open(&book.root()).expect("a project"));
            let state = StateDir::new(&book.state(), &project);
            let mut random = Random::new(seed);
            for round in 0..rounds {
                let what = step(&project, &state, &mut random);
                *counts.entry(what).or_default() += 1;
                assert!(events.try_recv().is_err(), "seed {seed}, round {round}: something happened outside");
            }
        }));
        done.store(true, Ordering::Relaxed);
        attacked.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
    assert_eq!(tree(&outside.join("deep")), before, "seed {seed}");
    assert!(!is_noted(&book), "seed {seed}: it was read");
    // Something was written, and something was refused.
    assert!(
        counts.keys().any(|key| key == "submit ok") && counts.keys().any(|key| key.ends_with("refused")),
        "{counts:?}"
    );
    println!("{rounds} rounds, {} swaps, 0 escapes: {counts:#?}", swaps.into_inner());
}

/// Whether the history holds what lies outside.
fn is_noted(book: &Book) -> bool {
    let project = Project::open(&book.root()).expect("a project");
    let state = StateDir::new(&book.state(), &project);
    (0..GATES).any(|number| {
        let path = JsString::from(format!("staging/real/deep/a{number}.json").as_str());
        let entries = history::entries(&state, &path).expect("a history");
        entries.iter().any(|entry| String::from_utf8_lossy(&entry.bytes().expect("bytes")).contains(SECRET))
    })
}

/// Does one thing with one gate; what came of it.
fn step(project: &Arc<Project>, state: &StateDir, random: &mut Random) -> String {
    let now = SystemTime::now();
    let deed = random.below(8);
    if deed == 0 {
        for entry in scan::look(project, now).entries() {
            assert_ne!(entry.title(), SECRET, "a packet of the outside is listed");
        }
        return "scan ok".into();
    }
    let packet = project.root().join(format!("staging/manifests/p{}.packet.json", random.below(GATES)));
    // While its path leads out it is refused, and nothing further could be tried.
    let Some(loaded) = (0..20).find_map(|_| gate::load(project, &packet).ok()) else {
        return "load refused".into();
    };
    assert!(
        !String::from_utf8_lossy(&loaded.record.bytes).contains(SECRET),
        "a record of the outside is read"
    );
    let asked = loaded.spec_hash();
    let over = if deed < 5 { Over::Nothing } else { Over::Any };
    let history = History { project, state, now };
    let (what, code) = match deed {
        1 => ("redo", history.redo(&loaded).err().map(|error| error.code)),
        2 => ("undo", history.undo(&loaded).err().map(|error| error.code)),
        _ => {
            let answer_path = &loaded.gate().expect("a gate").answer_path;
            let (asked, bytes) = (asked.as_str(), Book::RECORD.as_bytes());
            let submission =
                Submission { packet: &packet, answer_path, asked, bytes, rivals: &[], over, seen: None };
            let submitted = submit(project, Ok(state), &submission, now);
            ("submit", submitted.err().map(|fault| fault.error().code))
        }
    };
    format!("{what} {}", code.unwrap_or("ok"))
}

#[test]
fn nothing_is_done_behind_a_link_that_comes_in_between() {
    swap(1_500, 1);
}

#[test]
#[ignore = "5 minutes"]
fn long_swaps() {
    (0..4).for_each(|seed| swap(25_000, seed));
}
