use super::*;
use notify::event::{CreateKind, DataChange, ModifyKind, RemoveKind};
use notify::{Config, Event, EventHandler, WatcherKind};
use std::fs;
use std::sync::mpsc::{self, Receiver};

/// What the system was asked for, and how it answers.
#[derive(Default)]
struct System {
    asked: Vec<String>,
    full: bool,
    handler: Option<native::Handler>,
}

struct Pretended(Arc<Mutex<System>>);

impl Watcher for Pretended {
    fn new<F: EventHandler>(_: F, _: Config) -> notify::Result<Self> {
        Err(notify::Error::generic("not this way"))
    }
    fn watch(&mut self, path: &Path, _: RecursiveMode) -> notify::Result<()> {
        let mut system = self.0.lock().unwrap();
        if system.full {
            return Err(notify::Error::new(notify::ErrorKind::MaxFilesWatch));
        }
        system.asked.push(format!("+{}", path.file_name().unwrap().to_string_lossy()));
        Ok(())
    }
    fn unwatch(&mut self, path: &Path) -> notify::Result<()> {
        self.0.lock().unwrap().asked.push(format!("-{}", path.file_name().unwrap().to_string_lossy()));
        Ok(())
    }
    fn kind() -> WatcherKind {
        WatcherKind::NullWatcher
    }
}

struct House {
    dir: tempfile::TempDir,
    system: Arc<Mutex<System>>,
    folders: Folders,
    told: Receiver<bool>,
}

impl House {
    fn new(pause: Duration) -> House {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("book/staging/answers")).unwrap();
        let system: Arc<Mutex<System>> = Arc::default();
        let theirs = Arc::clone(&system);
        let connect: Connect = Arc::new(move |handler| {
            theirs.lock().unwrap().handler = Some(handler);
            Ok(Box::new(Pretended(Arc::clone(&theirs))))
        });
        let (tell, told) = mpsc::channel();
        let folders = Folders::with(connect, pause, move |at_once| tell.send(at_once).unwrap_or_default());
        House { dir, system, folders, told }
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("book")
    }

    fn way(&self, file: &str) -> WatchSet {
        let mut way = WatchSet::default();
        way.add(&self.root(), &self.root().join(file));
        way
    }

    fn set(&mut self, file: &str) -> bool {
        let way = self.way(file);
        self.folders.set(way)
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
    let mut house = House::new(Duration::ZERO);
    assert!(house.set("staging/answers/deep/a.json"));
    assert_eq!(house.asked(), ["+answers", "+book", "+staging"]);
    assert!(!house.set("staging/answers/deep/a.json"), "nothing is new");
    fs::create_dir(house.root().join("staging/answers/deep")).unwrap();
    assert!(house.set("staging/answers/deep/a.json"));
    assert_eq!(house.asked(), ["+deep"]);
    fs::rename(house.root(), house.dir.path().join("away")).unwrap();
    assert!(house.set("staging/answers/deep/a.json"), "what is above the root is watched instead");
    let above = house.dir.path().file_name().unwrap().to_string_lossy().into_owned();
    assert!(house.asked().contains(&format!("+{above}")));
}

#[test]
fn two_names_of_one_directory_are_one_watch() {
    let mut house = House::new(Duration::ZERO);
    std::os::unix::fs::symlink("answers", house.root().join("staging/link")).unwrap();
    let mut way = house.way("staging/answers/a.json");
    way.add(&house.root(), &house.root().join("staging/link/b.json"));
    assert!(house.folders.set(way));
    let asked = house.asked();
    assert_eq!(asked.len(), 3, "{asked:?}");
}

#[test]
fn only_what_lies_on_the_way_is_told() {
    let mut house = House::new(Duration::ZERO);
    house.set("staging/answers/a.json");
    let at = |path: &str| house.root().join(path);
    let data = EventKind::Modify(ModifyKind::Data(DataChange::Any));
    house.happens(Ok(Event::new(data).add_path(at("staging/answers/a.json"))));
    assert_eq!(house.told.try_recv(), Ok(false));
    let renamed = EventKind::Modify(ModifyKind::Name(notify::event::RenameMode::Both));
    let renamed = Event::new(renamed).add_path(at("staging/.tmp")).add_path(at("staging/answers/a.json"));
    house.happens(Ok(renamed));
    assert_eq!(house.told.try_recv(), Ok(true));
    house.happens(Ok(Event::new(EventKind::Create(CreateKind::Folder)).add_path(at("staging/answers"))));
    assert_eq!(house.told.try_recv(), Ok(true));
    house.happens(Ok(Event::new(EventKind::Other).set_flag(notify::event::Flag::Rescan)));
    assert_eq!(house.told.try_recv(), Ok(true));
    if cfg!(target_os = "linux") {
        house.happens(Ok(Event::new(data).add_path(at("staging/answers/b.json"))));
        assert!(house.told.try_recv().is_err());
    }
}

#[test]
fn a_directory_that_went_is_watched_anew_even_if_its_number_is_the_same() {
    let mut house = House::new(Duration::ZERO);
    house.set("staging/answers/a.json");
    house.asked();
    let gone = EventKind::Remove(RemoveKind::Folder);
    house.happens(Ok(Event::new(gone).add_path(house.root().join("staging/answers"))));
    assert!(house.set("staging/answers/a.json"));
    assert!(house.asked().contains(&"+answers".to_owned()));
    assert!(!house.set("staging/answers/a.json"));
}

#[test]
fn a_system_without_watches_is_asked_again_later() {
    let mut house = House::new(Duration::from_hours(1));
    house.system.lock().unwrap().full = true;
    assert!(!house.set("staging/answers/a.json"));
    assert_eq!(house.folders.fault(), Some(&Why::NoWatches));
    house.system.lock().unwrap().full = false;
    assert!(!house.set("staging/answers/a.json"), "not yet");

    let mut house = House::new(Duration::ZERO);
    house.system.lock().unwrap().full = true;
    assert!(!house.set("staging/answers/a.json"));
    house.system.lock().unwrap().full = false;
    assert!(house.set("staging/answers/a.json"));
    assert_eq!(house.folders.fault(), None);
}

#[test]
fn a_watcher_that_fails_is_replaced() {
    let mut house = House::new(Duration::ZERO);
    house.set("staging/answers/a.json");
    house.asked();
    house.happens(Err(notify::Error::generic("broken")));
    assert_eq!(house.told.try_recv(), Ok(true));
    assert!(house.set("staging/answers/a.json"));
    assert_eq!(house.asked(), ["+answers", "+book", "+staging"]);
}
