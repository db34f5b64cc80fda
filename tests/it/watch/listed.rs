//! After any changes, and with no file to be opened for a while, what `list --watch` has told is what `list` tells.

#![cfg(target_os = "linux")]

use super::meddler::Meddler;
use crate::project::{Book, Running};
use crate::random::Random;
use rustix::process::{Resource, Rlimit};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_mins(1);
const TICK: Duration = Duration::from_millis(10);
const CHANGES: usize = 25;

/// The gates as the lines so far tell of them, by packet.
#[derive(Default)]
struct Told(BTreeMap<String, Map<String, Value>>);

impl Told {
    fn take(&mut self, running: &Running) {
        self.take_within(running, Duration::ZERO);
    }

    /// With what comes within this time.
    fn take_within(&mut self, running: &Running, time: Duration) {
        let until = Instant::now() + time;
        while let Some(line) = running.said_json_within(until.saturating_duration_since(Instant::now())) {
            self.hear(line);
        }
    }

    fn hear(&mut self, line: Value) {
        let (Some(packet), Value::Object(line)) = (line["packet"].as_str().map(str::to_owned), line) else {
            return;
        };
        match line["event"].as_str() {
            Some("gone" | "left") => drop(self.0.remove(&packet)),
            _ => drop(self.0.insert(packet, line)),
        }
    }

    /// Whether every gate of a listing is told with every member it has there, and no other gate is.
    fn is(&self, listed: &Value) -> bool {
        let gates = listed["gates"].as_array().expect("a list");
        let is_told = |gate: &Value| {
            let told = gate["packet"].as_str().and_then(|packet| self.0.get(packet));
            // Drafts come and go without a change of the gate.
            let mut members = gate
                .as_object()
                .expect("a gate")
                .iter()
                .filter(|(key, _)| !["draft", "orphaned", "older"].contains(&key.as_str()));
            told.is_some_and(|told| members.all(|(key, value)| told.get(key) == Some(value)))
        };
        gates.len() == self.0.len() && gates.iter().all(is_told)
    }
}

/// In a user namespace of its own, with this setting; `None` where the system allows none.
fn start_with(book: &Book, setting: &str, value: u32) -> Option<Running> {
    let set = format!("echo {value} > /proc/sys/user/{setting}");
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-Ur", "sh", "-c", script]).stdin(Stdio::null());
        command
    };
    if !unshare(&set).stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        return None;
    }
    let wanted = book.command(&["list", "--watch", "--json"]);
    let mut command = unshare(&format!(r#"{set}; exec "$0" "$@""#));
    command.arg(wanted.get_program()).args(wanted.get_args()).current_dir(book.root());
    for (name, value) in wanted.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Some(Running::start(command))
}

fn compare(setting: Option<(&str, u32)>, seeds: std::ops::Range<u64>) {
    for seed in seeds.clone() {
        let book = Book::new();
        let running = match setting {
            None => Some(book.start(&["list", "--watch", "--json"])),
            Some((setting, value)) => start_with(&book, setting, value),
        };
        let Some(running) = running else {
            return crate::faults::skip(
                "a small system limit",
                &format!("{setting:?} needs a user namespace"),
            );
        };
        assert_eq!(running.next_json()["event"], "ready", "nothing is there yet");
        let mut told = Told::default();
        let mut meddler = Meddler::new(book.root(), seed);
        for round in 0..2 {
            let mut all = None;
            for change in 0..CHANGES {
                meddler.meddle();
                if change % 10 == 5 {
                    // For a while it can open nothing, or it can again.
                    let none = Rlimit { current: Some(0), maximum: None };
                    all = match all {
                        None => Some(running.limit(Resource::Nofile, none)),
                        Some(all) => {
                            running.limit(Resource::Nofile, all);
                            None
                        }
                    };
                    running.wait_until_asleep();
                }
                told.take(&running);
            }
            if let Some(all) = all {
                running.limit(Resource::Nofile, all);
            }
            meddler.heal();
            let deadline = Instant::now() + LONG;
            loop {
                let listed = book.run(&["list", "--json"]).json();
                told.take(&running);
                if listed["pending"] == false && told.is(&listed) {
                    break;
                }
                let done = &meddler.done;
                assert!(
                    Instant::now() < deadline,
                    "{setting:?}, seed {seed}, round {round}\n{done:#?}\ntold {:?}\nlisted {listed}",
                    told.0
                );
            }
        }
    }
    println!("{setting:?}: seeds {seeds:?}, everything told as it is listed");
}

#[test]
fn what_a_listing_has_told_is_what_is_listed() {
    compare(None, 0..1);
}

#[test]
fn the_same_with_three_watches() {
    compare(Some(("max_inotify_watches", 3)), 10..11);
}

#[test]
fn the_same_without_a_watcher() {
    compare(Some(("max_inotify_instances", 0)), 20..21);
}

/// A directory of many gates goes away for up to 20 ms and comes back, again and again, and is then told as it is listed.
fn come_and_go(setting: Option<(&str, u32)>, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let book = Book::new();
        for n in 0..120 {
            book.put_packet(&format!("p{n}"), &format!("staging/novel-ask/{n}.json"));
            if n % 3 == 0 {
                book.put(&format!("staging/novel-ask/{n}.json"), Book::RECORD);
            }
        }
        let running = match setting {
            None => Some(book.start(&["list", "--watch", "--json"])),
            Some((setting, value)) => start_with(&book, setting, value),
        };
        let Some(running) = running else {
            return crate::faults::skip("a small system limit", "it needs a user namespace");
        };
        let (mut told, mut random) = (Told::default(), Random::new(seed));
        let listed = book.run(&["list", "--json"]).json();
        while !told.is(&listed) {
            told.hear(running.next_json());
        }
        for moved in ["staging", "staging/manifests", "staging/novel-ask", "staging"] {
            let (place, aside) = (book.root().join(moved), book.root().join("aside"));
            for _ in 0..25 {
                fs::rename(&place, &aside).expect("moved away");
                told.take_within(&running, Duration::from_micros(random.below(20_000) as u64));
                fs::rename(&aside, &place).expect("moved back");
                told.take_within(&running, Duration::from_micros(random.below(20_000) as u64));
            }
            let deadline = Instant::now() + LONG;
            let listed = book.run(&["list", "--json"]).json();
            assert_eq!((&listed["waiting"], &listed["answered"]), (&80.into(), &40.into()));
            while !told.is(&listed) {
                let there = told.0.len();
                assert!(Instant::now() < deadline, "{setting:?}, seed {seed}: {moved}, {there} are told");
                told.take_within(&running, deadline.saturating_duration_since(Instant::now()).min(TICK));
            }
        }
    }
}

#[test]
fn a_directory_that_comes_and_goes_is_told_as_it_is_listed() {
    come_and_go(None, 0..1);
}

#[test]
#[ignore = "1 minute"]
fn long_comings_and_goings() {
    come_and_go(None, 0..20);
    come_and_go(Some(("max_inotify_instances", 0)), 100..105);
}

#[test]
#[ignore = "1 minute"]
fn long_listings() {
    std::thread::scope(|scope| {
        scope.spawn(|| compare(None, 1_000..1_020));
        scope.spawn(|| compare(Some(("max_inotify_watches", 3)), 2_000..2_020));
        scope.spawn(|| compare(Some(("max_inotify_instances", 0)), 3_000..3_020));
    });
}
