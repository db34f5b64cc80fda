//! Random changes to a project, as executors, editors and version control make them. Many of them fail, as they do there.

use crate::project::Book;
use crate::random::Random;
use crate::system::{mode, set_mode, symlink, unwaiting};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

const PACKETS: [&str; 6] = [
    "staging/p0.packet.json",
    "staging/manifests/p1.packet.json",
    "staging/manifests/p2.packet.json",
    "staging/a/p3.packet.json",
    "staging/a/b/p4.packet.json",
    "staging/a/b/plain.json",
];
const RECORDS: [&str; 4] =
    ["staging/novel-ask/0.json", "staging/novel-ask/1.json", "staging/a/2.json", "answers/deep/3.json"];
const DIRECTORIES: [&str; 7] = [
    "staging",
    "staging/manifests",
    "staging/a",
    "staging/a/b",
    "staging/novel-ask",
    "answers",
    "answers/deep",
];

pub(super) struct Meddler {
    root: PathBuf,
    random: Random,
    /// What was done, for the message of a failure.
    pub(super) done: Vec<String>,
}

impl Meddler {
    pub(super) fn new(root: PathBuf, seed: u64) -> Meddler {
        Meddler { root, random: Random::new(seed), done: Vec::new() }
    }

    /// Does one thing.
    pub(super) fn meddle(&mut self) {
        let packet = *self.random.pick(&PACKETS);
        let record = *self.random.pick(&RECORDS);
        let other = *self.random.pick(&PACKETS);
        let any = *self.random.pick(&[packet, record]);
        let directory = *self.random.pick(&DIRECTORIES);
        let (what, outcome) = match self.random.below(22) {
            0..=3 => (format!("write {packet}"), self.write_packet(packet)),
            4..=6 => (format!("write {record}"), self.write_record(record)),
            7 => (format!("append to {any}"), self.append(any)),
            8 => (format!("truncate {any}"), open(&self.root.join(any)).map(drop)),
            9 => (
                format!("rename {packet} to {other}"),
                fs::rename(self.root.join(packet), self.root.join(other)),
            ),
            10 => (
                format!("link {packet} as {other}"),
                fs::hard_link(self.root.join(packet), self.root.join(other)),
            ),
            11 => (format!("remove {any}"), fs::remove_file(self.root.join(any))),
            12 => (format!("make {any} a link"), self.make_link(any)),
            13 => (format!("make {any} odd"), self.make_odd(any)),
            14 => (format!("age {any}"), self.age(any)),
            15 => (format!("make {directory} a link"), self.make_link(directory)),
            16 | 17 => (format!("move {directory} away or back"), self.move_away_or_back(directory)),
            18 => (format!("remove {directory}"), fs::remove_dir_all(self.root.join(directory))),
            19 | 20 => (format!("permissions of {any} or {directory}"), self.change_mode(any, directory)),
            _ => ("write the checkpoint".to_owned(), self.write_checkpoint()),
        };
        self.done
            .push(format!("{what}: {}", outcome.map_or_else(|error| error.to_string(), |()| "done".into())));
    }

    /// Makes everything readable again, and brings `staging` back: errors are short.
    pub(super) fn heal(&self) {
        make_readable(&self.root);
        let _ = fs::rename(self.root.join("away-0"), self.root.join("staging"));
    }

    fn write_packet(&mut self, path: &str) -> io::Result<()> {
        let topic = self.random.pick(&["t", "u"]);
        let record = *self.random.pick(&RECORDS);
        let packet = format!(
            r#"{{"step":"chapter:00{}:draft","answer_path":"{record}","novel_ask":{{"version":1,"topic":"{topic}",
            "questions":[{{"id":"a","header":"h","question":"q","kind":"free_text","required":true}}]}}}}"#,
            1 + self.random.below(4)
        );
        let text = match self.random.below(10) {
            0 => "{}".to_owned(),
            1 => packet.replace("free_text", "no_kind"),
            2 => packet[..packet.len() / 2].to_owned(),
            3 => packet.replace(record, "../outside.json"),
            _ => packet,
        };
        self.write(path, &text)
    }

    fn write_record(&mut self, path: &str) -> io::Result<()> {
        let text = match self.random.below(6) {
            0 => "[]",
            1 => &Book::RECORD[..40],
            2 => r#"{"version": 2}"#,
            _ => Book::RECORD,
        };
        self.write(path, text)
    }

    fn write_checkpoint(&mut self) -> io::Result<()> {
        let chapter = self.random.below(4);
        self.write(".checkpoint.json", &format!(r#"{{"last_completed_chapter": {chapter}}}"#))
    }

    /// In place, in two pieces or by a rename.
    fn write(&mut self, path: &str, text: &str) -> io::Result<()> {
        let path = self.root.join(path);
        let parent = path.parent().expect("a parent");
        if !self.random.is_one_in(4) {
            fs::create_dir_all(parent)?;
        }
        match self.random.below(3) {
            0 => open(&path)?.write_all(text.as_bytes()),
            1 => {
                let mut file = open(&path)?;
                let (first, rest) = text.split_at(text.len() / 3);
                file.write_all(first.as_bytes())?;
                file.write_all(rest.as_bytes())
            }
            _ => {
                fs::write(parent.join(".1.tmp"), text)?;
                fs::rename(parent.join(".1.tmp"), &path)
            }
        }
    }

    fn append(&self, path: &str) -> io::Result<()> {
        unwaiting(&mut OpenOptions::new()).append(true).open(self.root.join(path))?.write_all(b"}")
    }

    fn age(&self, path: &str) -> io::Result<()> {
        let file = unwaiting(&mut OpenOptions::new()).write(true).open(self.root.join(path))?;
        file.set_modified(SystemTime::now() - Duration::from_hours(1))
    }

    /// Puts a link in the place of a file or directory.
    fn make_link(&mut self, path: &str) -> io::Result<()> {
        let path = self.root.join(path);
        let _ = fs::remove_file(&path);
        let _ = fs::remove_dir(&path);
        let inside =
            [self.root.join(self.random.pick(&PACKETS)), self.root.join(self.random.pick(&DIRECTORIES))];
        let targets = [&inside[0], &inside[1], Path::new("gone"), Path::new("/"), &path];
        symlink(self.random.pick(&targets), &path)
    }

    fn make_odd(&mut self, path: &str) -> io::Result<()> {
        let path = self.root.join(path);
        let _ = fs::remove_file(&path);
        if self.random.is_one_in(2) {
            return fs::create_dir(&path);
        }
        Command::new("mkfifo").arg(&path).output().map(drop)
    }

    /// Renames a directory out of the inbox, or back if it is out.
    fn move_away_or_back(&self, directory: &str) -> io::Result<()> {
        let number = DIRECTORIES.iter().position(|known| *known == directory).expect("one of them");
        let (here, away) = (self.root.join(directory), self.root.join(format!("away-{number}")));
        if away.symlink_metadata().is_ok() { fs::rename(away, here) } else { fs::rename(here, away) }
    }

    fn change_mode(&mut self, file: &str, directory: &str) -> io::Result<()> {
        let path = self.root.join(self.random.pick(&[file, directory]));
        if path.is_symlink() {
            return Ok(());
        }
        set_mode(&path, *self.random.pick(&[0o000, 0o000, 0o444, 0o755]))
    }
}

/// Empties a file, or makes one.
fn open(path: &Path) -> io::Result<File> {
    unwaiting(&mut OpenOptions::new()).write(true).create(true).truncate(true).open(path)
}

fn make_readable(path: &Path) {
    let Ok(meta) = path.symlink_metadata() else { return };
    if meta.is_symlink() {
        return;
    }
    if mode(path) & 0o700 != 0o700 {
        let _ = set_mode(path, 0o755);
    }
    if meta.is_dir() {
        fs::read_dir(path).into_iter().flatten().flatten().for_each(|entry| make_readable(&entry.path()));
    }
}
