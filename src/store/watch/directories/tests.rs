use super::*;
use crate::platform::paths::Shown as _;
use notify::event::{Flag, RemoveKind, RenameMode};
use notify::{Event, EventHandler, WatcherKind};
use std::fs;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver};

/// What the system was asked for, and how it answers.
#[derive(Default)]
struct System {
    asked: Vec<String>,
    full: bool,
    handler: Option<Handler>,
}

struct Pretended(Arc<Mutex<System>>);

impl Watcher for Pretended {
    fn new<F: EventHandler>(_: F, _: Config) -> notify::Result<Self> {
        Err(notify::Error::generic("not this way"))
    }
    fn watch(&mut self, path: &Path, depth: RecursiveMode) -> notify::Result<()> {
        let mut system = self.0.lock().unwrap();
        if system.full {
            return Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch));
        }
        let below = if depth == RecursiveMode::Recursive { "/**" } else { "" };
        system.asked.push(format!("+{}{below}", path.file_name().unwrap().shown()));
        Ok(())
    }
    fn unwatch(&mut self, path: &Path) -> notify::Result<()> {
        self.0.lock().unwrap().asked.push(format!("-{}", path.file_name().unwrap().shown()));
        Ok(())
    }
    fn kind() -> WatcherKind {
        WatcherKind::NullWatcher
    }
}

struct Tree {
    dir: tempfile::TempDir,
    system: Arc<Mutex<System>>,
    directories: Directories,
    told: Receiver<notify::Result<Event>>,
}

impl Tree {
    fn new(pause: Duration) -> Tree {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("book/staging/answers")).unwrap();
        let system: Arc<Mutex<System>> = Arc::default();
        let theirs = Arc::clone(&system);
        let connect: Connect = Arc::new(move |handler| {
            theirs.lock().unwrap().handler = Some(handler);
            Ok(Box::new(Pretended(Arc::clone(&theirs))))
        });
        let (tell, told) = mpsc::channel();
        let directories = Directories::new(connect, None, pause, move |event| drop(tell.send(event)));
        Tree { dir, system, directories, told }
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("book")
    }

    fn way(&self, file: &str) -> BTreeSet<PathBuf> {
        let mut way = BTreeSet::new();
        add_way(&mut way, &self.root(), &self.root().join(file));
        way
    }

    fn set(&mut self, file: &str) -> bool {
        self.directories
            .set(&self.way(file))
            .inspect_err(|error| self.directories.fail(error))
            .unwrap_or(false)
    }

    fn asked(&self) -> Vec<String> {
        let mut asked = std::mem::take(&mut self.system.lock().unwrap().asked);
        asked.sort();
        asked
    }

    fn happens(&self, event: notify::Result<Event>) {
        let mut handler = self.system.lock().unwrap().handler.take().unwrap();
        handler(event);
        self.system.lock().unwrap().handler = Some(handler);
    }
}

#[test]
fn the_whole_way_is_watched_as_far_as_it_is_there() {
    let mut house = Tree::new(Duration::ZERO);
    assert!(house.set("staging/answers/deep/a.json"));
    assert_eq!(house.asked(), ["+answers", "+book", "+staging"]);
    assert!(!house.set("staging/answers/deep/a.json"), "nothing is new");
    fs::create_dir(house.root().join("staging/answers/deep")).unwrap();
    assert!(house.set("staging/answers/deep/a.json"));
    assert_eq!(house.asked(), ["+deep"]);
    fs::rename(house.root(), house.dir.path().join("away")).unwrap();
    assert!(house.set("staging/answers/deep/a.json"), "what is above the root is watched instead");
    let above = house.dir.path().file_name().unwrap().shown().into_owned();
    assert!(house.asked().contains(&format!("+{above}")));
}

#[test]
fn a_tree_is_one_watch_and_what_is_outside_it_has_its_own() {
    let mut house = Tree::new(Duration::ZERO);
    house.directories.tree = Some(house.root());
    let mut way = house.way("staging/answers/a.json");
    way.insert(house.dir.path().to_owned());
    assert!(house.directories.set(&way).unwrap());
    let outside = house.dir.path().file_name().unwrap().shown().into_owned();
    assert_eq!(house.asked(), [format!("+{outside}"), "+book/**".to_owned()]);
    fs::create_dir(house.root().join("staging/answers/deep")).unwrap();
    assert!(!house.set("staging/answers/deep/a.json"), "it is told of with the tree");
    assert_eq!(house.asked(), [format!("-{outside}")]);
    // Where the tree is gone, no tree above it is watched.
    fs::rename(house.root(), house.dir.path().join("away")).unwrap();
    assert!(house.set("staging/answers/a.json"));
    assert_eq!(house.asked(), [format!("+{outside}"), "-book".to_owned()]);
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn two_names_of_one_directory_are_one_watch() {
    let mut house = Tree::new(Duration::ZERO);
    crate::platform::testing::symlink("answers", house.root().join("staging/link")).unwrap();
    let mut way = house.way("staging/answers/a.json");
    add_way(&mut way, &house.root(), &house.root().join("staging/link/b.json"));
    assert!(house.directories.set(&way).unwrap());
    let asked = house.asked();
    assert_eq!(asked.len(), 3, "{asked:?}");
}

#[test]
fn a_directory_that_went_is_watched_anew_even_if_its_number_is_the_same() {
    let mut house = Tree::new(Duration::ZERO);
    house.set("staging/answers/a.json");
    house.asked();
    let gone = EventKind::Remove(RemoveKind::Folder);
    let event = Event::new(gone).add_path(house.root().join("staging/answers"));
    house.directories.forget(Hint::from_event(&event).unwrap().paths);
    assert!(house.set("staging/answers/a.json"));
    assert!(house.asked().contains(&"+answers".to_owned()));
    assert!(!house.set("staging/answers/a.json"));
    // Without a path it is about any of them.
    house.directories.forget(&[]);
    assert!(house.set("staging/answers/a.json") && house.asked().contains(&"+answers".to_owned()));
}

#[test]
fn a_system_without_watches_is_asked_again_later() {
    let mut house = Tree::new(Duration::from_hours(1));
    house.system.lock().unwrap().full = true;
    assert!(!house.set("staging/answers/a.json"));
    assert_eq!(house.directories.fault(), Some(&Why::NoWatches));
    house.system.lock().unwrap().full = false;
    assert!(!house.set("staging/answers/a.json"), "not yet");

    let mut house = Tree::new(Duration::ZERO);
    house.system.lock().unwrap().full = true;
    assert!(!house.set("staging/answers/a.json"));
    house.system.lock().unwrap().full = false;
    assert!(house.set("staging/answers/a.json"));
    assert_eq!(house.directories.fault(), None);
}

#[test]
fn a_watcher_that_fails_is_replaced() {
    let mut house = Tree::new(Duration::ZERO);
    house.set("staging/answers/a.json");
    house.asked();
    house.happens(Err(notify::Error::generic("broken")));
    house.directories.fail(&house.told.try_recv().unwrap().unwrap_err());
    assert!(house.set("staging/answers/a.json"));
    assert_eq!(house.asked(), ["+answers", "+book", "+staging"]);
}

/// Whether it is acted on at once; nothing if it says nothing.
fn at_once(kind: EventKind) -> Option<bool> {
    at_once_at("/novel/staging/a.json", kind)
}

fn at_once_at(path: &str, kind: EventKind) -> Option<bool> {
    Hint::from_event(&Event::new(kind).add_path(path.into())).map(|hint| hint.at_once)
}

#[test]
fn an_overflow_means_everything_whatever_its_kind() {
    for kind in [EventKind::Other, EventKind::Access(AccessKind::Read)] {
        let event = Event::new(kind).add_path("/novel/a".into()).set_flag(Flag::Rescan);
        assert_eq!(Hint::from_event(&event), Some(Hint::ANYWHERE));
    }
    let without_paths = Event::new(EventKind::Modify(ModifyKind::Name(RenameMode::Both)));
    assert_eq!(Hint::from_event(&without_paths), Some(Hint::ANYWHERE));
}

#[test]
fn our_own_reading_says_nothing() {
    for kind in [AccessKind::Read, AccessKind::Open(AccessMode::Read), AccessKind::Close(AccessMode::Read)] {
        assert_eq!(at_once(EventKind::Access(kind)), None);
    }
}

#[test]
fn a_close_and_a_rename_are_acted_on_at_once() {
    assert_eq!(at_once(EventKind::Access(AccessKind::Close(AccessMode::Write))), Some(true));
    assert_eq!(at_once(EventKind::Modify(ModifyKind::Name(RenameMode::To))), Some(true));
    assert_eq!(
        at_once(EventKind::Modify(ModifyKind::Name(RenameMode::From))),
        Some(false),
        "what comes is told next"
    );
    assert_eq!(at_once(EventKind::Modify(ModifyKind::Name(RenameMode::Both))), None, "both ends were told");
    assert_eq!(at_once(EventKind::Create(CreateKind::File)), Some(false));
    assert_eq!(at_once(EventKind::Remove(RemoveKind::File)), Some(false));
}

#[test]
fn what_may_become_a_packet_by_a_rename_does_not_hold_up_the_rename() {
    let closed = EventKind::Access(AccessKind::Close(AccessMode::Write));
    for beside in ["/novel/staging/.1.tmp", "/novel/staging/a.json.t", "/novel/staging/chapter.md"] {
        assert_eq!(at_once_at(beside, closed), Some(false), "{beside}");
    }
    assert_eq!(at_once_at("/novel/.checkpoint.json", closed), Some(true));
}
