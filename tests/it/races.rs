//! Several programs on one gate at the same moment: whatever one of them reported as written is found again, in its place or
//! in the history.

mod consoles;
#[cfg(unix)]
mod swaps;

use crate::project::{Book, Outcome, Running};
use crate::random::Random;
use novel_gate::ask::JsString;
use novel_gate::store::{Project, StateDir, history, sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// A new project after so many rounds: what a process costs grows with it.
const ROUNDS_IN_A_BOOK: usize = 25;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Deed {
    Answer,
    Replace,
    Redo,
    Undo,
}

/// How an executor writes a record without looking.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Write {
    InPlace,
    ByRename,
}

/// What came of the races, for the report.
#[derive(Default)]
struct Tally {
    outcomes: BTreeMap<String, usize>,
    /// Records written in place and removed by somebody who had already read the empty file: nobody can see the difference.
    lost_in_place: usize,
    left_aside: usize,
}

/// Where a gate's record and what is kept of it are looked for.
struct Place<'b> {
    book: &'b Book,
    name: String,
    answer_path: String,
}

/// Whatever was kept: in the place, in the history, and moved aside.
struct Kept {
    there: Option<Vec<u8>>,
    noted: Vec<Vec<u8>>,
    aside: Vec<Vec<u8>>,
}

fn record(word: &str) -> String {
    Book::RECORD.replace("\"x\"", &format!("\"{word}\""))
}

impl Place<'_> {
    fn new(book: &Book, number: usize) -> Place<'_> {
        let name = format!("r{number}");
        let answer_path = format!("staging/novel-ask/{name}/a.json");
        book.put_packet(&name, &answer_path);
        Place { book, name, answer_path }
    }

    fn path(&self) -> PathBuf {
        self.book.root().join(&self.answer_path)
    }

    fn kept(&self) -> Kept {
        let project = Project::open(&self.book.root()).expect("a project");
        let state = StateDir::new(&self.book.state(), &project);
        let path = JsString::from(self.answer_path.as_str());
        let entries = history::entries(&state, &path).expect("a history");
        let noted = entries.iter().map(|entry| entry.bytes().expect("its bytes")).collect();
        let beside = fs::read_dir(self.path().parent().expect("a parent")).into_iter().flatten().flatten();
        let mut aside = Vec::new();
        for name in beside.map(|entry| entry.path()).filter(|path| *path != self.path()) {
            assert!(
                name.extension().is_some_and(|ending| ending == "aside"),
                "left behind: {}",
                name.display()
            );
            aside.push(fs::read(name).expect("kept"));
        }
        Kept { there: fs::read(self.path()).ok(), noted, aside }
    }

    fn start(&self, deed: Deed, word: &str) -> Running {
        let (step, set) = (format!("step:{}", self.name), format!("a={word}"));
        let answer = ["answer", &step, "--set", &set, "--by", "human", "--json"];
        self.book.start(&match deed {
            Deed::Answer => answer.to_vec(),
            Deed::Replace => [&answer[..], &["--replace"]].concat(),
            Deed::Redo => vec!["redo", &step, "--json"],
            Deed::Undo => vec!["redo", &step, "--undo", "--json"],
        })
    }
}

/// An executor that writes its record as soon as it sees another in its place, twice at most; its last word.
fn meddle(path: &Path, write: Write, words: [String; 2], done: &AtomicBool) -> Option<String> {
    let mut last = None;
    for word in words {
        let before = fs::read(path).ok();
        while !done.load(Ordering::Relaxed) && fs::read(path).ok() == before {
            thread::yield_now();
        }
        let written = match write {
            Write::InPlace => fs::write(path, record(&word)),
            Write::ByRename => {
                let temp = path.with_file_name("executor.tmp");
                fs::write(&temp, record(&word)).and_then(|()| fs::rename(&temp, path))
            }
        };
        if written.is_ok() {
            last = Some(word);
        }
    }
    last
}

/// One race of so many processes, of a few kinds.
fn race(place: &Place<'_>, processes: usize, seed: u64, tally: &mut Tally) {
    let mut random = Random::new(seed);
    let label = format!("seed {seed}, {processes} processes");
    fs::create_dir_all(place.path().parent().expect("a parent")).expect("a directory");
    let first = random.is_one_in(2).then(|| record("first"));
    if let Some(first) = &first {
        fs::write(place.path(), first).expect("a record");
    }
    let all = [Deed::Answer, Deed::Answer, Deed::Replace, Deed::Replace, Deed::Redo, Deed::Undo];
    // In some races nobody takes a record away.
    let deeds = if random.is_one_in(3) { &all[..1] } else { &all[..] };
    let deeds: Vec<(Deed, String)> =
        (0..processes).map(|number| (*random.pick(deeds), format!("w{number}"))).collect();
    let write = match random.below(4) {
        0 => Some(Write::InPlace),
        1 => Some(Write::ByRename),
        _ => None,
    };
    let done = AtomicBool::new(false);
    let (outcomes, last) = thread::scope(|scope| {
        let executor = write.map(|write| {
            let (path, done) = (place.path(), &done);
            scope.spawn(move || meddle(&path, write, ["e0".into(), "e1".into()], done))
        });
        let running: Vec<Running> = deeds.iter().map(|(deed, word)| place.start(*deed, word)).collect();
        let outcomes: Vec<Outcome> = running.into_iter().map(Running::end).collect();
        done.store(true, Ordering::Relaxed);
        (outcomes, executor.and_then(|executor| executor.join().expect("it wrote")))
    });

    let race = Race { label, first: first.is_some(), write, last, deeds, outcomes };
    race.judge(place, tally);
}

/// A race that is over.
struct Race {
    label: String,
    /// Whether there was a record before it.
    first: bool,
    write: Option<Write>,
    /// What an executor wrote last.
    last: Option<String>,
    deeds: Vec<(Deed, String)>,
    outcomes: Vec<Outcome>,
}

fn has_word(bytes: &[u8], word: &str) -> bool {
    serde_json::from_slice::<serde_json::Value>(bytes).is_ok_and(|json| json["answers"]["a"] == word)
}

impl Race {
    fn judge(&self, place: &Place<'_>, tally: &mut Tally) {
        let Kept { there, noted, aside } = place.kept();
        let all: Vec<&Vec<u8>> = there.iter().chain(&noted).chain(&aside).collect();
        let report = || self.report(&[("there", there.as_slice()), ("noted", &noted), ("aside", &aside)]);
        for ((deed, word), outcome) in self.deeds.iter().zip(&self.outcomes) {
            let json = outcome.json();
            let code = json["code"].as_str().expect("a code");
            *tally.outcomes.entry(format!("{deed:?} {} {code}", outcome.exit)).or_default() += 1;
            assert!(matches!(outcome.exit, 0 | 1 | 3 | 6), "{}", report());
            let found = |is_it: &dyn Fn(&[u8]) -> bool| there.iter().chain(&noted).any(|bytes| is_it(bytes));
            match (deed, code) {
                (Deed::Answer | Deed::Replace, "written") => {
                    assert!(found(&|bytes| has_word(bytes, word)), "{word} is lost\n{}", report());
                }
                // These say themselves that it was written.
                (Deed::Answer | Deed::Replace, "changed" | "not-verified") => {}
                (Deed::Answer | Deed::Replace, _) => {
                    let is_kept = all.iter().any(|bytes| has_word(bytes, word));
                    assert!(!is_kept, "{word} was said not to be written\n{}", report());
                }
                (Deed::Redo, "removed") | (Deed::Undo, "restored") => {
                    let hash = json["sha256"].as_str().expect("a hash");
                    assert!(found(&|bytes| sha256(bytes) == hash), "{hash} is lost\n{}", report());
                }
                _ => assert_ne!(outcome.exit, 0, "{}", report()),
            }
        }
        if self.write.is_none() && self.deeds.iter().all(|(deed, _)| *deed == Deed::Answer) {
            let winners = self.outcomes.iter().filter(|outcome| outcome.exit == 0).count();
            assert_eq!(winners, usize::from(!self.first), "written over each other\n{}", report());
        }
        let is_kept = |word: &str| all.iter().any(|bytes| has_word(bytes, word));
        assert!(!self.first || self.write.is_some() || is_kept("first"), "the first is lost\n{}", report());
        // What it wrote last went over no other record of its own.
        if self.last.as_deref().is_some_and(|last| !is_kept(last)) {
            assert_eq!(self.write, Some(Write::InPlace), "the executor's record is lost\n{}", report());
            tally.lost_in_place += 1;
        }
        let is_whole = |bytes: &Vec<u8>| serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
        assert!(there.as_ref().is_none_or(is_whole), "torn\n{}", report());
        let told = self.outcomes.iter().filter(|outcome| outcome.json()["code"] == "moved-aside").count();
        assert!(aside.len() <= told, "moved aside and not told\n{}", report());
        tally.left_aside += aside.len();
    }

    fn report(&self, kept: &[(&str, &[Vec<u8>])]) -> String {
        let mut text = format!("{}, executor {:?} {:?}\n", self.label, self.write, self.last);
        for ((deed, word), outcome) in self.deeds.iter().zip(&self.outcomes) {
            text += &format!("{deed:?} {word}: {}", outcome.out);
        }
        for (name, records) in kept {
            for record in *records {
                text += &format!("{name}: {}\n", String::from_utf8_lossy(record));
            }
        }
        text
    }
}

fn races(processes: usize, rounds: usize, first_seed: u64) -> Tally {
    let mut tally = Tally::default();
    let mut seeds = first_seed..;
    for book_number in 0..rounds.div_ceil(ROUNDS_IN_A_BOOK) {
        let book = Book::new();
        let rounds = ROUNDS_IN_A_BOOK.min(rounds - book_number * ROUNDS_IN_A_BOOK);
        for (number, seed) in (0..rounds).zip(&mut seeds) {
            race(&Place::new(&book, number), processes, seed, &mut tally);
        }
    }
    println!(
        "{rounds} races of {processes}: {:#?}, {} records of an executor written in place lost, {} left aside and told",
        tally.outcomes, tally.lost_in_place, tally.left_aside
    );
    tally
}

#[test]
fn what_two_processes_report_as_written_is_found() {
    races(2, 12, 0);
}

#[test]
fn what_eight_processes_report_as_written_is_found() {
    races(8, 6, 1_000);
}

#[test]
#[ignore = "9 minutes"]
fn long_races_of_processes() {
    let two = races(2, 1_500, 10_000);
    let eight = races(8, 1_500, 20_000);
    for code in [
        "Answer 0 written",
        "Answer 6 record-exists",
        "Replace 0 written",
        "Redo 0 removed",
        "Undo 0 restored",
    ] {
        assert!(two.outcomes.contains_key(code) && eight.outcomes.contains_key(code), "{code} never came");
    }
}
