mod attaching;
mod watchers;

use super::directories::{self, Handler};
use super::*;
use crate::platform::testing::{give_up_privileges, set_mode};
use crate::store::clock::{FixedClock, SystemClock};
use crate::store::disk::{Disk, SystemDisk};
use crate::store::entry::Entry;
use crate::text::Lang;
use notify::event::{CreateKind, EventKind, Flag, ModifyKind, RenameMode};
use notify::{Config, Event, EventHandler, RecommendedWatcher, RecursiveMode, Watcher, WatcherKind};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant, SystemTime};

const LONG: Duration = Duration::from_secs(20);
const NEVER: Duration = Duration::from_hours(1);

/// A watcher that says nothing of its own.
#[derive(Debug)]
struct Mute;

impl Watcher for Mute {
    fn new<F: EventHandler>(_: F, _: Config) -> notify::Result<Self> {
        Ok(Mute)
    }
    fn watch(&mut self, _: &Path, _: RecursiveMode) -> notify::Result<()> {
        Ok(())
    }
    fn unwatch(&mut self, _: &Path) -> notify::Result<()> {
        Ok(())
    }
    fn kind() -> WatcherKind {
        WatcherKind::NullWatcher
    }
}

/// Hints come from the test only.
fn by_hand() -> (Connect, Arc<Mutex<Option<Handler>>>) {
    let kept: Arc<Mutex<Option<Handler>>> = Arc::default();
    let theirs = Arc::clone(&kept);
    let connect: Connect = Arc::new(move |handler| {
        *theirs.lock().unwrap() = Some(handler);
        Ok(Box::new(Mute))
    });
    (connect, kept)
}

/// No interval ever ends: only hints make it look.
fn hints_only() -> Pace {
    Pace { reconcile: NEVER, quiet: NEVER, polling: NEVER, retry: NEVER, ..Pace::default() }
}

fn fast() -> Pace {
    let tick = Duration::from_millis(5);
    Pace { reconcile: tick, quiet: tick * 4, polling: tick, coalesce: tick, retry: tick }
}

struct Tree {
    _dir: tempfile::TempDir,
    root: PathBuf,
    events: Receiver<StoreEvent>,
    watch: Watch,
    list: Vec<String>,
    modes: Vec<Mode>,
    lists: usize,
    looks: usize,
    /// What it said that cannot be read, or attached.
    unread: Vec<String>,
}

impl Tree {
    fn new(hints: Option<Connect>, pace: Pace) -> Tree {
        Tree::with(hints, pace, |root| fs::create_dir_all(root.join("staging/manifests")).unwrap())
    }

    fn with(hints: Option<Connect>, pace: Pace, prepare: impl FnOnce(&Path)) -> Tree {
        Tree::by(Arc::new(SystemClock::default()), hints, pace, prepare)
    }

    fn by(clock: Arc<dyn Clock>, hints: Option<Connect>, pace: Pace, prepare: impl FnOnce(&Path)) -> Tree {
        let options = Options { hints, pace, only: None, attaches: false };
        Tree::start(clock, options, prepare)
    }

    fn start(clock: Arc<dyn Clock>, options: Options, prepare: impl FnOnce(&Path)) -> Tree {
        Tree::start_on(&SystemDisk, clock, options, prepare)
    }

    fn start_on(
        disk: &'static dyn Disk,
        clock: Arc<dyn Clock>,
        options: Options,
        prepare: impl FnOnce(&Path),
    ) -> Tree {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("novel");
        fs::create_dir(&root).unwrap();
        prepare(&root);
        let project = Arc::new(Project::open(&root).unwrap().on(disk));
        let root = project.root().to_path_buf();
        let (send, events) = mpsc::channel();
        let watch = Watch::start(project, clock, options, move |event| drop(send.send(event))).unwrap();
        let (list, modes, unread) = (Vec::new(), Vec::new(), Vec::new());
        let mut house = Tree { _dir: dir, root, events, watch, list, modes, lists: 0, looks: 0, unread };
        house.wait(|house| house.lists > 0 && !house.modes.is_empty());
        house
    }

    /// Takes events until something holds.
    fn wait(&mut self, holds: impl Fn(&Tree) -> bool) {
        let deadline = Instant::now() + LONG;
        while !holds(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(StoreEvent::Entries { entries, .. }) => {
                    let line = |entry: &Arc<Entry>| format!("{} {:?}", entry.stem(), entry.status);
                    self.list = entries.iter().map(line).collect();
                    self.lists += 1;
                }
                Ok(StoreEvent::Looked) => self.looks += 1,
                Ok(StoreEvent::Watching(mode)) => self.modes.push(mode),
                Ok(StoreEvent::Unread(why)) => {
                    self.unread.push(why.map(|why| why.text(Lang::En)).unwrap_or_default());
                }
                Ok(StoreEvent::Reopened(_)) => self.list.push("reopened".into()),
                Ok(StoreEvent::RootGone) => self.list = vec!["gone".into()],
                Err(error) => panic!("{error}: {:?} {:?} is not what was waited for", self.list, self.modes),
            }
        }
    }

    fn wait_for(&mut self, list: &[&str]) {
        self.wait(|house| house.list == list);
    }

    fn put(&self, path: &str, content: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

const PACKET: &str = r#"{"novel_ask":{"version":1,"topic":"t","questions":[{"id":"a","header":"h","question":"q",
    "kind":"free_text","required":true}]},"answer_path":"staging/novel-ask/a.json"}"#;
const RECORD: &str =
    r#"{"version":1,"topic":"t","answers":{"a":"x"},"answered_at":"2026-02-27T10:12:34Z","answered_by":"h"}"#;

fn mute() -> Connect {
    by_hand().0
}

/// A house whose only hints come from the test.
fn hinted() -> (Tree, impl Fn(Event)) {
    let (connect, handler) = by_hand();
    let house = Tree::new(Some(connect), hints_only());
    let hint = move |event: Event| {
        let mut handler = handler.lock().unwrap();
        handler.as_mut().expect("connected")(Ok(event));
    };
    (house, hint)
}

#[test]
fn everything_is_found_though_every_event_is_lost() {
    let mut house = Tree::new(Some(mute()), fast());
    assert_eq!(house.modes, [Mode::Native]);
    house.put("staging/x/y/z/one.packet.json", PACKET);
    house.wait_for(&["one Waiting"]);
    house.put("elsewhere/two.packet.json", PACKET);
    fs::rename(house.root.join("elsewhere"), house.root.join("staging/moved")).unwrap();
    house.wait(|house| house.list.len() == 2);
    house.put("staging/novel-ask/a.json", RECORD);
    house.wait(|house| house.list.iter().all(|line| line.ends_with("Answered")));
    fs::remove_dir_all(house.root.join("staging")).unwrap();
    house.wait_for(&[]);
    house.put("staging/three.packet.json", PACKET);
    house.wait_for(&["three Waiting"]);
}

#[test]
fn without_the_systems_watcher_it_looks_all_the_time() {
    let mut house = Tree::new(None, fast());
    assert_eq!(house.modes, [Mode::Polling(Why::Asked)]);
    house.put("staging/one.packet.json", PACKET);
    house.wait_for(&["one Waiting"]);
}

#[test]
fn what_was_there_is_told_once_and_nothing_more_while_nothing_changes() {
    let house = Tree::with(Some(mute()), fast(), |root| {
        fs::create_dir(root.join("staging")).unwrap();
        fs::write(root.join("staging/one.packet.json"), PACKET).unwrap();
    });
    let mut house = house;
    house.wait_for(&["one Waiting"]);
    assert_eq!(house.lists, 1);
    // Another change is the next thing told, however often it has looked in between.
    house.put("staging/two.packet.json", PACKET);
    house.wait(|house| house.lists > 1);
    assert_eq!(house.list.len(), 2);
}

#[test]
fn asking_is_enough() {
    let (mut house, _hint) = hinted();
    house.put("staging/one.packet.json", PACKET);
    house.watch.rescan();
    house.wait_for(&["one Waiting"]);
    house.put("staging/novel-ask/a.json", RECORD);
    house.watch.look();
    house.wait_for(&["one Answered"]);
    // A packet stands for its record too.
    fs::remove_file(house.root.join("staging/novel-ask/a.json")).unwrap();
    house.watch.look();
    house.wait_for(&["one Waiting"]);
}

#[test]
fn a_torn_packet_is_waited_for_without_any_event() {
    let (mut house, _hint) = hinted();
    house.put("staging/one.packet.json", &PACKET[..30]);
    house.watch.rescan();
    house.wait_for(&["one Malformed"]);
}

#[test]
#[cfg_attr(windows, ignore = "a directory that is open keeps its name there")]
fn a_root_that_is_replaced_is_opened_again() {
    let mut house = Tree::new(Some(mute()), fast());
    house.put("staging/one.packet.json", PACKET);
    house.wait_for(&["one Waiting"]);
    fs::rename(&house.root, house.root.with_extension("old")).unwrap();
    house.wait(|house| house.list == ["gone"]);
    house.put("staging/two.packet.json", PACKET);
    house.wait_for(&["two Waiting"]);
}

#[test]
#[cfg_attr(windows, ignore = "a directory that is open keeps its name there")]
fn a_root_that_is_moved_away_is_not_looked_at_until_it_is_back() {
    let mut house = Tree::new(Some(mute()), fast());
    house.put("staging/one.packet.json", PACKET);
    house.wait_for(&["one Waiting"]);
    let away = house.root.with_extension("away");
    fs::rename(&house.root, &away).unwrap();
    house.wait_for(&["gone"]);
    let (looks, lists) = (house.looks, house.lists);
    fs::write(away.join("staging/two.packet.json"), PACKET).unwrap();
    fs::rename(&away, &house.root).unwrap();
    house.wait(|house| house.looks > looks || house.lists > lists);
    assert_eq!(house.list.len(), 2, "the first thing told is what is there now: {:?}", house.list);
}

#[test]
fn a_look_that_finds_nothing_new_is_told_as_such() {
    let mut house = Tree::new(Some(mute()), fast());
    let (lists, looks) = (house.lists, house.looks);
    house.put("staging/rules.json", "{}");
    house.watch.look();
    house.wait(|house| house.looks > looks);
    assert_eq!(house.lists, lists);
}

#[test]
#[cfg_attr(windows, ignore = "permissions are another thing there")]
fn a_directory_that_cannot_be_read_for_a_while_is_looked_at_again() {
    give_up_privileges();
    for hints in [None, Some(mute())] {
        let mut house = Tree::with(hints, fast(), |root| {
            fs::create_dir_all(root.join("staging/barred")).unwrap();
            fs::write(root.join("staging/barred/one.packet.json"), PACKET).unwrap();
            set_mode(&root.join("staging/barred"), 0o000);
        });
        let barred = house.root.join("staging/barred");
        let looks = house.looks;
        house.wait(|house| house.looks > looks + 1);
        assert_eq!(house.list, Vec::<String>::new());
        set_mode(&barred, 0o755);
        house.wait_for(&["one Waiting"]);
        let rival = PACKET.replace("a.json", "b.json");
        house.put("staging/barred/two.packet.json", &rival);
        set_mode(&barred, 0o000);
        let looks = house.looks;
        house.wait(|house| house.looks > looks + 1 || house.list.len() != 1);
        assert_eq!(house.list, ["one Waiting"]);
        set_mode(&barred, 0o755);
        house.wait(|house| house.list.len() == 2);
    }
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn asking_finds_what_no_signature_tells_of() {
    // By its clock no file was written a moment ago.
    let clock = Arc::new(FixedClock(SystemTime::now() + NEVER));
    let mut house = Tree::by(clock, Some(mute()), hints_only(), |root| {
        fs::create_dir(root.join("staging")).unwrap();
        crate::platform::testing::symlink("../late", root.join("staging/linked")).unwrap();
    });
    // What the link leads to comes into being, and nothing changes below `staging`.
    house.put("late/one.packet.json", PACKET);
    house.watch.rescan();
    house.wait_for(&["one Waiting"]);
}

#[test]
fn the_first_list_is_the_whole_list() {
    let house = Tree::with(None, fast(), |root| {
        fs::create_dir_all(root.join("staging")).unwrap();
        for i in 0..1_000 {
            fs::write(root.join(format!("staging/{i}.packet.json")), PACKET).unwrap();
        }
    });
    assert_eq!((house.lists, house.list.len()), (1, 1_000));
}
