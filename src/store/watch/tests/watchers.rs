//! The system's watcher and those that stand in for it: late, astray, failing, without paths.

use super::*;

#[test]
fn a_hint_is_enough() {
    let (mut house, hint) = hinted();
    house.put("staging/one.packet.json", PACKET);
    let renamed = EventKind::Modify(ModifyKind::Name(RenameMode::To));
    hint(Event::new(renamed).add_path(house.root.join("staging/one.packet.json")));
    house.wait_for(&["one Waiting"]);
    house.put("staging/novel-ask/a.json", RECORD);
    hint(Event::new(renamed).add_path(house.root.join("staging/novel-ask/a.json")));
    house.wait_for(&["one Answered"]);
    house.put("staging/deep/er/two.packet.json", PACKET);
    hint(Event::new(EventKind::Create(CreateKind::Folder)).add_path(house.root.join("staging/deep")));
    house.wait(|house| house.list.len() == 2);
}

#[test]
fn hints_are_collected_for_longer_only_while_one_look_follows_another() {
    let longest = Pace::default().coalesce;
    let frame = Duration::from_millis(16);
    let quiet = longest * 2;
    let first = gap(longest, quiet, longest);
    assert!(first < frame / 2, "the second of a series is on the screen within a frame: {first:?}");
    assert_eq!(gap(Duration::ZERO, Duration::ZERO, longest), first);
    let storm: Vec<Duration> =
        std::iter::successors(Some(first), |last| Some(gap(*last, *last, longest))).take(6).collect();
    assert!(storm.is_sorted(), "{storm:?}");
    assert_eq!(storm[4..], [longest; 2]);
    assert_eq!(gap(longest, quiet, longest), first, "and then it is forgotten");
}

#[test]
fn an_overflow_without_paths_means_a_full_look() {
    let (mut house, hint) = hinted();
    for i in 0..100 {
        house.put(&format!("staging/p{i}/{i}.packet.json"), PACKET);
    }
    hint(Event::new(EventKind::Other).set_flag(Flag::Rescan));
    house.wait(|house| house.list.len() == 100);
}

/// A watcher that is always late: when it comes to a new directory, somebody has just put a packet into it.
#[derive(Debug)]
struct Late;

impl Watcher for Late {
    fn new<F: EventHandler>(_: F, _: Config) -> notify::Result<Self> {
        Ok(Late)
    }
    fn watch(&mut self, path: &Path, _: RecursiveMode) -> notify::Result<()> {
        if path.ends_with("new") {
            fs::write(path.join("two.packet.json"), PACKET).unwrap();
        }
        Ok(())
    }
    fn unwatch(&mut self, _: &Path) -> notify::Result<()> {
        Ok(())
    }
    fn kind() -> WatcherKind {
        WatcherKind::NullWatcher
    }
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "what is below the project is watched from the start there")]
fn what_comes_into_a_directory_before_it_is_watched_is_found_without_an_event() {
    let (connect, handler) = by_hand();
    let late: Connect =
        Arc::new(move |handler| connect(handler).map(|_| Box::new(Late) as Box<dyn Watcher + Send>));
    let mut house = Tree::new(Some(late), hints_only());
    house.put("staging/new/one.packet.json", PACKET);
    let created = Event::new(EventKind::Create(CreateKind::Folder)).add_path(house.root.join("staging/new"));
    handler.lock().unwrap().as_mut().unwrap()(Ok(created));
    house.wait(|house| house.list.len() == 2);
}

/// The system's watcher, which comes to a directory while another has its name for a moment.
struct Astray {
    inner: RecommendedWatcher,
    is_astray: bool,
}

impl Watcher for Astray {
    fn new<F: EventHandler>(handler: F, config: Config) -> notify::Result<Self> {
        Ok(Astray { inner: RecommendedWatcher::new(handler, config)?, is_astray: false })
    }
    fn watch(&mut self, path: &Path, mode: RecursiveMode) -> notify::Result<()> {
        if !path.ends_with("manifests") || self.is_astray {
            return self.inner.watch(path, mode);
        }
        self.is_astray = true;
        let (aside, other) = (path.with_file_name("aside"), path.with_file_name("other"));
        fs::rename(path, &aside).unwrap();
        fs::rename(&other, path).unwrap();
        let watched = self.inner.watch(path, mode);
        fs::rename(path, &other).unwrap();
        fs::rename(&aside, path).unwrap();
        watched
    }
    fn unwatch(&mut self, path: &Path) -> notify::Result<()> {
        self.inner.unwatch(path)
    }
    fn kind() -> WatcherKind {
        RecommendedWatcher::kind()
    }
}

#[test]
fn a_directory_that_another_stood_for_when_it_was_to_be_watched_is_watched_after_all() {
    let astray: Connect = Arc::new(|handler| {
        let config = Config::default().with_follow_symlinks(false);
        Ok(Box::new(Astray::new(handler, config)?))
    });
    let mut house = Tree::with(Some(astray), hints_only(), |root| {
        fs::create_dir_all(root.join("staging/manifests")).unwrap();
        fs::create_dir_all(root.join("staging/other")).unwrap();
    });
    if house.modes != [Mode::Native] {
        return;
    }
    // The names that went and came are heard of first.
    house.put("staging/near.packet.json", PACKET);
    house.wait_for(&["near Waiting"]);
    house.put("staging/manifests/far.packet.json", PACKET);
    house.wait(|house| house.list.len() == 2);
    house.put("staging/manifests/last.packet.json", PACKET);
    house.wait(|house| house.list.len() == 3);
}

#[test]
fn a_watcher_that_fails_is_replaced_by_looking_and_tried_again() {
    let errors = Mutex::new(vec![
        notify::Error::new(notify::ErrorKind::MaxFilesWatch),
        notify::Error::io(io::Error::from_raw_os_error(
            crate::platform::testing::Errno::MFILE.raw_os_error(),
        )),
    ]);
    let (good, handler) = by_hand();
    let connect: Connect =
        Arc::new(move |handler| errors.lock().unwrap().pop().map_or_else(|| good(handler), Err));
    let mut house = Tree::new(Some(connect), fast());
    let no_instances = Mode::Polling(Why::NoInstances);
    house.wait(|house| house.modes.last() == Some(&Mode::Native));
    assert_eq!(house.modes, [no_instances, Mode::Polling(Why::NoWatches), Mode::Native]);
    let full = notify::Error::new(notify::ErrorKind::MaxFilesWatch);
    handler.lock().unwrap().as_mut().unwrap()(Err(full));
    house.wait(|house| house.modes.len() == 5);
    assert_eq!(house.modes[3..], [Mode::Polling(Why::NoWatches), Mode::Native]);
    house.put("staging/one.packet.json", PACKET);
    house.wait_for(&["one Waiting"]);
}

#[test]
#[cfg_attr(windows, ignore = "a directory that is open keeps its name there")]
fn a_watcher_that_finds_no_root_is_not_given_up() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("novel");
    fs::create_dir_all(root.join("staging")).unwrap();
    let (go, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(Some(wait));
    let connect: Connect = Arc::new(move |_| match wait.lock().unwrap().take() {
        Some(wait) => {
            let _ = wait.recv();
            Err(notify::Error::path_not_found())
        }
        None => Ok(Box::new(Mute)),
    });
    let (send, events) = mpsc::channel();
    let options = Options { hints: Some(connect), pace: fast(), only: None, attaches: false };
    let project = Arc::new(Project::open(&root).unwrap());
    let clock = Arc::new(SystemClock::default());
    let _watch = Watch::start(project, clock, options, move |event| drop(send.send(event))).unwrap();
    fs::rename(&root, dir.path().join("away")).unwrap();
    go.send(()).unwrap();
    let mode = loop {
        if let StoreEvent::Watching(mode) = events.recv_timeout(LONG).unwrap() {
            break mode;
        }
    };
    assert_eq!(mode, Mode::Native, "nothing was said against the system");
}

#[test]
fn the_systems_watcher_tells_of_every_way_to_write() {
    let mut house = Tree::new(Some(directories::system()), hints_only());
    if house.modes != [Mode::Native] {
        return;
    }
    house.put("staging/manifests/plain.packet.json", PACKET);
    house.wait_for(&["plain Waiting"]);
    house.put("staging/manifests/.1.tmp", PACKET);
    let (from, to) = ("staging/manifests/.1.tmp", "staging/manifests/renamed.packet.json");
    fs::rename(house.root.join(from), house.root.join(to)).unwrap();
    house.wait(|house| house.list.len() == 2);
    fs::hard_link(house.root.join(to), house.root.join("staging/manifests/linked.packet.json")).unwrap();
    house.wait(|house| house.list.len() == 3);
    house.put("staging/new/deep.packet.json", PACKET);
    house.wait(|house| house.list.len() == 4);
    fs::remove_dir_all(house.root.join("staging")).unwrap();
    house.wait_for(&[]);
    house.put("staging/back.packet.json", PACKET);
    house.wait_for(&["back Waiting"]);
    house.put("staging/again.packet.json", PACKET);
    house.wait(|house| house.list.len() == 2);
}

#[test]
fn reasons_are_said_in_both_languages() {
    let reasons = [
        Why::Asked,
        Why::NoWatches,
        Why::NoInstances,
        Why::Unsupported,
        Why::Network,
        Why::Other("x".into()),
    ];
    for why in reasons {
        assert_ne!(why.text(Lang::En), why.text(Lang::ZhCn));
        assert!(why.text(Lang::En).starts_with("Looking for changes every second"));
    }
}
