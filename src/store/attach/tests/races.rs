//! Somebody else writes the packet, or attaches too, at the same time: what was written last is what counts.

use super::*;
use crate::ask::splice::with_gate;
use crate::platform::testing::symlink;
use crate::store::disk::{Disk, SystemDisk};
use crate::store::testing::look_while;
use cap_std::fs::Dir;
use std::ffi::OsStr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What another does to the packet.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// Renames a new one over it, the number-th.
    Rename(usize),
    /// Writes into the file that has its name.
    Write(usize),
    Remove,
    /// Removes it and makes a link of it.
    Link,
}

/// A disk before whose calls another acts.
#[derive(Debug)]
struct Meddled {
    packet: PathBuf,
    /// The calls, counted from 1, and what happens before each.
    acts: Vec<(usize, Act)>,
    calls: AtomicUsize,
}

fn other(number: usize) -> String {
    BARE.replace("048.md", &format!("048-{number}.md"))
}

impl Meddled {
    fn step(&self) {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        for (_, act) in self.acts.iter().filter(|(at, _)| *at == call) {
            let beside = self.packet.with_file_name("beside");
            match act {
                Act::Rename(number) => {
                    fs::write(&beside, other(*number)).expect("written");
                    fs::rename(&beside, &self.packet).expect("renamed");
                }
                Act::Write(number) => fs::write(&self.packet, other(*number)).expect("written"),
                Act::Remove => drop(fs::remove_file(&self.packet)),
                Act::Link => {
                    fs::write(self.packet.with_file_name("target.json"), other(0)).expect("written");
                    symlink("target.json", &beside).expect("linked");
                    fs::rename(&beside, &self.packet).expect("renamed");
                }
            }
        }
    }
}

impl Disk for Meddled {
    fn create(&self, dir: &Dir, name: &OsStr) -> io::Result<fs::File> {
        self.step();
        SystemDisk.create(dir, name)
    }
    fn write(&self, file: &mut fs::File, bytes: &[u8]) -> io::Result<()> {
        self.step();
        SystemDisk.write(file, bytes)
    }
    fn sync(&self, file: &fs::File) -> io::Result<()> {
        self.step();
        SystemDisk.sync(file)
    }
    fn exchange(&self, dir: &Dir, one: &OsStr, other: &OsStr) -> io::Result<()> {
        self.step();
        SystemDisk.exchange(dir, one, other)
    }
    fn unlink(&self, dir: &Dir, name: &OsStr) -> io::Result<()> {
        self.step();
        SystemDisk.unlink(dir, name)
    }
    fn sync_dir(&self, dir: &Dir) -> io::Result<()> {
        self.step();
        SystemDisk.sync_dir(dir)
    }
    fn open(&self, dir: &Dir, name: &OsStr) -> io::Result<fs::File> {
        self.step();
        SystemDisk.open(dir, name)
    }
}

/// What lies there after others have acted meanwhile, and after whoever comes next.
fn meddled(acts: &[(usize, Act)]) -> (Result<bool, Error>, Option<String>, usize) {
    let book = Book::asking();
    let (packet, calls) = (book.path(), AtomicUsize::new(0));
    let (project, disk) = book.book.on(Meddled { packet, acts: acts.to_vec(), calls });
    let outcome = attach(&project, &book.path());
    let names = book.book.names("staging/manifests");
    assert!(
        !names.iter().any(|name| name.contains(".novel-gate") || name.contains(".aside")),
        "{acts:?}: {names:?}"
    );
    if fs::symlink_metadata(book.path()).is_ok_and(|meta| meta.is_file()) {
        let _ = attach(&book.book.project, &book.path());
    }
    (outcome, fs::read_to_string(book.path()).ok(), disk.calls.load(Ordering::Relaxed))
}

fn attached(packet: &str) -> String {
    let book = Book::asking().packet(packet);
    book.attach();
    book.text()
}

#[test]
fn what_was_written_last_counts_whenever_it_was_written() {
    let (outcome, text, calls) = meddled(&[]);
    assert_eq!((outcome, text), (Ok(true), Some(attached(BARE))));
    for first in 1..=calls {
        for act in [Act::Rename(1), Act::Write(1)] {
            let (outcome, text, _) = meddled(&[(first, act)]);
            assert_eq!((outcome, text), (Ok(true), Some(attached(&other(1)))), "{first} {act:?}");
        }
        let (outcome, text, _) = meddled(&[(first, Act::Remove)]);
        assert!(outcome.is_ok() && text.is_none(), "{first}: {outcome:?} {text:?}");
        let (outcome, text, _) = meddled(&[(first, Act::Link)]);
        assert_eq!(text, Some(other(0)), "{first}: {outcome:?}");
    }
}

#[test]
fn of_two_that_were_written_meanwhile_the_last_counts() {
    let (_, _, calls) = meddled(&[]);
    for first in 1..=calls {
        for second in first..=calls + 8 {
            for acts in [
                [Act::Rename(1), Act::Rename(2)],
                [Act::Rename(1), Act::Write(2)],
                [Act::Write(1), Act::Rename(2)],
                [Act::Write(1), Act::Write(2)],
                [Act::Remove, Act::Rename(2)],
            ] {
                let acts = [(first, acts[0]), (second, acts[1])];
                let (outcome, text, all) = meddled(&acts);
                let last = match acts {
                    _ if all >= second => attached(&other(2)),
                    [(_, Act::Remove), _] => continue,
                    _ => attached(&other(1)),
                };
                assert_eq!(text, Some(last), "{acts:?}: {outcome:?}");
            }
        }
    }
}

/// As two consoles, a hook and a command that waits do.
fn at_once(book: &Book) -> usize {
    let attached = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let project = Project::open(book.book.project.root()).expect("a project");
                let is_attached = attach(&project, &book.path()).expect("attached by somebody");
                attached.fetch_add(usize::from(is_attached), Ordering::Relaxed);
            });
        }
    });
    attached.into_inner()
}

#[test]
fn four_who_attach_at_once_attach_one_question() {
    let book = Book::asking();
    let whole = attached(BARE);
    for round in 0..1_000 {
        fs::write(book.path(), BARE).expect("written");
        let count = at_once(&book);
        assert_eq!(book.text(), whole, "{round}");
        assert!(count >= 1, "{round}");
        assert_eq!(book.book.names("staging/manifests"), ["one.packet.json"], "{round}");
    }
}

#[test]
fn whoever_rewrites_a_packet_all_the_while_never_loses_its_last_version() {
    let book = Book::asking();
    let beside = book.book.at("staging/manifests/beside");
    for round in 0..300 {
        let rewrite = |number: usize| {
            fs::write(&beside, other(number)).expect("written");
            fs::rename(&beside, book.path()).expect("renamed");
        };
        rewrite(round);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| drop(attach(&book.book.project, &book.path())));
            }
            (0..10).for_each(|number| rewrite(round * 100 + number));
        });
        let last = other(round * 100 + 9);
        let bare = with_gate(book.text().as_bytes(), None).expect("a packet");
        assert_eq!(String::from_utf8(bare).expect("text"), last, "{round}");
        attach(&book.book.project, &book.path()).expect("attached");
        assert!(book.text().contains("a-chapter-048-draft"), "{round}");
        assert_eq!(book.book.names("staging/manifests"), ["one.packet.json"], "{round}");
    }
}

#[test]
fn a_question_that_is_switched_on_and_off_meanwhile_is_there_or_not_and_never_half() {
    let book = Book::asking();
    let whole = attached(BARE);
    let (on, off) = (question(DRAFT), question(&format!(r#"{DRAFT}, "_enabled": false"#)));
    let file = book.book.at("questions/a.question.json");
    let switch = || {
        for text in [&off, &on] {
            fs::write(file.with_extension("new"), text).expect("written");
            fs::rename(file.with_extension("new"), &file).expect("renamed");
        }
    };
    look_while(300, switch, || {
        attach(&book.book.project, &book.path()).expect("attached or not");
        let text = book.text();
        assert!(text == BARE || text == whole, "{text}");
    });
    assert_eq!(book.attach(), "a-chapter-048-draft");
}

/// A disk on which another renames a packet over the old one before two files change places, which they can do once.
#[derive(Debug)]
struct Stuck(PathBuf, AtomicUsize);

impl Disk for Stuck {
    fn exchange(&self, dir: &Dir, one: &OsStr, other: &OsStr) -> io::Result<()> {
        if self.1.fetch_add(1, Ordering::Relaxed) > 0 {
            return Err(crate::platform::testing::Errno::IO.into());
        }
        fs::write(self.0.with_file_name("beside"), self::other(1))?;
        fs::rename(self.0.with_file_name("beside"), &self.0)?;
        SystemDisk.exchange(dir, one, other)
    }
}

#[test]
#[cfg_attr(windows, ignore = "names change places in several steps there")]
fn what_cannot_be_put_back_is_kept_and_said() {
    let book = Book::asking();
    let (project, _) = book.book.on(Stuck(book.path(), AtomicUsize::new(0)));
    let error = attach(&project, &book.path()).expect_err("stuck");
    assert_eq!((error.kind, error.code), (ExitCode::Failed, "moved-aside"));
    let aside = "one.packet.json.aside";
    assert!(error.to_string().contains(aside), "{error}");
    assert_eq!(book.book.names("staging/manifests"), ["one.packet.json", aside]);
    assert_eq!(fs::read_to_string(book.path().with_file_name(aside)).expect("kept"), other(1));
    assert_eq!(book.text(), attached(BARE));
}
