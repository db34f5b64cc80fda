//! Files of hostile sizes under a limit of memory and of processor time: what they cost grows with their length, and their
//! neighbours stay usable.

use crate::project::{Book, Outcome, Running};
use crate::system::make_pipe;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PACKET: &str = "staging/manifests/big.packet.json";
const RECORD: &str = "staging/novel-ask/big.json";
const MEGA: usize = 1 << 20;
/// No test here may take more seconds of processor time for one command.
const SECONDS: u32 = 60;

/// The program with so much address space.
fn run(book: &Book, megabytes: usize, line: &[&str]) -> (Outcome, f64) {
    let wanted = book.command(line);
    let mut command = Command::new("sh");
    let script = format!(
        r#"ulimit -v {}; ulimit -t {SECONDS}; "$0" "$@"; code=$?; times >&2; exit $code"#,
        megabytes << 10
    );
    command.args(["-c", &script]).arg(wanted.get_program()).args(wanted.get_args());
    for (name, value) in wanted.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.current_dir(book.root()).stdin(Stdio::null());
    let outcome = Running::start(command).end();
    let cpu = outcome.err.lines().last().map_or(0.0, seconds);
    (outcome, cpu)
}

/// The sum of a line of `times`, such as `0m1.20s 0m0.05s`.
fn seconds(line: &str) -> f64 {
    let parts = line.split_whitespace().filter_map(|word| word.trim_end_matches('s').split_once('m'));
    parts
        .map(|(minutes, rest)| {
            minutes.parse::<f64>().unwrap_or(0.0) * 60.0 + rest.parse::<f64>().unwrap_or(0.0)
        })
        .sum()
}

/// A project with a gate that nothing is wrong with.
fn neighbourly() -> Book {
    let book = Book::new();
    book.put_packet("small", "staging/novel-ask/small.json");
    book
}

/// Its gate is listed, checked, answered and taken back as if it were alone; the processor time of the listing.
fn assert_neighbour(book: &Book, megabytes: usize, label: &str) -> f64 {
    let (listed, cpu) = run(book, megabytes, &["list", "--json"]);
    assert_eq!(listed.exit, 0, "{label}: {}", listed.err);
    let json: serde_json::Value = serde_json::from_str(listed.out.trim()).expect("JSON");
    let gates = json["gates"].as_array().expect("a list");
    let small = gates.iter().find(|gate| gate["step"] == "step:small");
    assert!(small.is_some_and(|gate| gate["status"] == "waiting"), "{label}: {small:?}");
    for (line, exit) in [
        (&["check", "step:small"][..], 3),
        (&["answer", "step:small", "--set", "a=x", "--by", "human"], 0),
        (&["check", "step:small"], 0),
        (&["redo", "step:small"], 0),
    ] {
        let (outcome, _) = run(book, megabytes, line);
        assert_eq!(outcome.exit, exit, "{label}: {line:?}: {}", outcome.err);
    }
    cpu
}

fn packet(questions: &str, more: &str) -> String {
    format!(
        r#"{{"step":"step:big",{more}"answer_path":"{RECORD}","novel_ask":{{"version":1,"topic":"t","questions":[{questions}]}}}}"#
    )
}

fn free_text(question: &str) -> String {
    format!(r#"{{"id":"a","header":"h","question":"{question}","kind":"free_text","required":true}}"#)
}

/// A kind of hostile packet, made as long as is asked for; what `check` says of it; a line that answers it.
struct Row {
    name: &'static str,
    make: fn(usize) -> String,
    exit: i32,
    set: Option<&'static str>,
}

const ROWS: [Row; 7] = [
    Row { name: "open brackets", make: |length| "[".repeat(length), exit: 5, set: None },
    Row { name: "closed brackets", make: |length| nest(length), exit: 5, set: None },
    Row { name: "open objects", make: |length| r#"{"a":"#.repeat(length / 5), exit: 5, set: None },
    Row {
        name: "brackets for questions",
        make: |length| format!(r#"{{"novel_ask":{}}}"#, nest(length - 20)),
        exit: 5,
        set: None,
    },
    Row {
        name: "brackets beside questions",
        make: |length| packet(&free_text("q"), &format!(r#""_x":{},"#, nest(length - 300))),
        exit: 3,
        set: Some("a=x"),
    },
    Row {
        name: "one long question",
        // 50 MB where the limit of a file is 64.
        make: |length| packet(&free_text(&"q".repeat(length / 64 * 50)), ""),
        exit: 3,
        set: Some("a=x"),
    },
    Row {
        name: "many options",
        // 100,000 where the limit of a file is 64 MB.
        make: |length| {
            let option = |number: usize| format!(r#"{{"label":"o{number}","description":"d"}}"#);
            let options: Vec<String> = (0..length / 671).map(option).collect();
            let kind = r#"{"id":"a","header":"h","question":"q","kind":"single_choice","required":true"#;
            packet(&format!(r#"{kind},"options":[{}]}}"#, options.join(",")), "")
        },
        exit: 3,
        set: Some("a=o7"),
    },
];

fn nest(length: usize) -> String {
    "[".repeat(length / 2) + &"]".repeat(length / 2)
}

/// Every row at a quarter of a length and at the whole of it.
fn packets(length: usize, megabytes: usize) {
    for row in &ROWS {
        let mut costs = Vec::new();
        for part in [length / 4, length] {
            let book = neighbourly();
            book.put(PACKET, &(row.make)(part));
            let label = format!("{}, {part} bytes, {megabytes} MB of memory", row.name);
            let cpu = assert_neighbour(&book, megabytes, &label);
            let (checked, more) = run(&book, megabytes, &["check", PACKET]);
            assert_eq!(checked.exit, row.exit, "{label}: {}", checked.err);
            if let Some(set) = row.set {
                let (answered, _) = run(&book, megabytes, &["answer", PACKET, "--set", set, "--by", "human"]);
                assert_eq!(answered.exit, 0, "{label}: {}", answered.err);
                assert!(book.root().join(RECORD).exists(), "{label}");
            }
            costs.push(cpu + more);
        }
        println!("{}: {} bytes {:.2} s, {length} bytes {:.2} s", row.name, length / 4, costs[0], costs[1]);
        // Four times as long may take four times as long, and as much again for what a busy machine adds.
        assert!(costs[1] <= costs[0] * 8.0 + 1.0, "{}: {costs:?} s for four times the length", row.name);
    }
}

#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn packets_of_hostile_sizes_cost_what_their_length_costs() {
    packets(MEGA, 200);
}

#[test]
#[ignore = "3 minutes"]
fn long_packets_of_hostile_sizes() {
    packets(64 * MEGA, 1_000);
}

/// A record with so many answers, most of them to no question; `check` reads it, `redo` keeps it.
fn answers(count: usize, megabytes: usize, commands: &[(&[&str], i32)]) -> f64 {
    let book = neighbourly();
    book.put(PACKET, &packet(&free_text("q"), ""));
    let answers: Vec<String> = (0..count).map(|number| format!(r#""a{number}":"x""#)).collect();
    let record = Book::RECORD.replace(r#""a": "x""#, &answers.join(","));
    book.put(RECORD, &record);
    let label = format!("{count} answers");
    let mut cpu = assert_neighbour(&book, megabytes, &label);
    for (line, exit) in commands {
        let (outcome, more) = run(&book, megabytes, line);
        assert_eq!(outcome.exit, *exit, "{label}: {line:?}: {}", outcome.err);
        cpu += more;
    }
    cpu
}

fn many_answers(count: usize, megabytes: usize, commands: &[(&[&str], i32)]) {
    let (quarter, whole) = (answers(count / 4, megabytes, commands), answers(count, megabytes, commands));
    println!("{} answers {quarter:.2} s, {count} answers {whole:.2} s", count / 4);
    assert!(whole <= quarter * 8.0 + 1.0, "{quarter} s, then {whole} s for four times as many");
}

#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn a_record_with_many_answers_is_judged_in_the_time_its_length_takes() {
    many_answers(20_000, 200, &[(&["check", PACKET], 4)]);
}

#[test]
#[ignore = "2 minutes"]
fn long_record_with_a_million_answers() {
    many_answers(1_000_000, 1_500, &[(&["check", PACKET], 4)]);
}

/// Packets that all name one place.
fn crowd(count: usize, megabytes: usize) -> f64 {
    let book = neighbourly();
    for number in 0..count {
        book.put_packet(&format!("p{number}"), RECORD);
    }
    assert_neighbour(&book, megabytes, &format!("{count} packets with one place"))
}

#[test]
#[ignore = "a minute"]
fn long_packets_with_one_place_are_listed_in_the_time_their_number_takes() {
    let (quarter, whole) = (crowd(750, 400), crowd(3_000, 400));
    println!("750 packets {quarter:.2} s, 3,000 packets {whole:.2} s");
    assert!(whole <= quarter * 8.0 + 1.0, "{quarter} s, then {whole} s");
}

#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn a_few_packets_with_one_place_are_listed() {
    crowd(100, 200);
}

/// Puts 1 GB of nothing, a named pipe or a file of 100 MB in a place, one after the other.
fn odd(book: &Book, place: &Path, then: impl Fn(&Book, &str)) {
    fs::create_dir_all(place.parent().expect("a parent")).expect("directories");
    for kind in ["1 GB", "100 MB", "a named pipe"] {
        let _ = fs::remove_file(place);
        match kind {
            "1 GB" => File::create(place).and_then(|file| file.set_len(1 << 30)).expect("a file"),
            "100 MB" => fs::write(place, "[".repeat(100_000_000)).expect("a file"),
            _ => make_pipe(place),
        }
        then(book, &format!("{kind} as {}", place.display()));
    }
}

#[test]
#[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
fn what_is_far_too_large_or_never_ends_is_not_read() {
    let book = neighbourly();
    odd(&book, &book.root().join(PACKET), |book, label| {
        assert_neighbour(book, 100, label);
        assert_eq!(run(book, 100, &["check", PACKET]).0.exit, 5, "{label}");
    });
    book.remove(PACKET);
    book.put(PACKET, &packet(&free_text("q"), ""));
    odd(&book, &book.root().join(RECORD), |book, label| {
        assert_neighbour(book, 100, label);
        assert_eq!(run(book, 100, &["check", PACKET]).0.exit, 4, "{label}");
        let line = ["answer", PACKET, "--set", "a=x", "--by", "human"];
        assert_ne!(run(book, 100, &line).0.exit, 0, "{label}");
    });
    book.remove(RECORD);
    odd(&book, &book.root().join(".checkpoint.json"), |book, label| {
        assert_neighbour(book, 100, label);
    });
}

/// The settings, the database and every other file beside it.
fn state_files(book: &Book) -> Vec<PathBuf> {
    let paths = book.run(&["paths", "--json"]).json();
    let path = |key: &str| PathBuf::from(paths[key].as_str().expect("a path"));
    let below = fs::read_dir(path("state")).into_iter().flatten().flatten();
    std::iter::once(path("config"))
        .chain(below.map(|entry| entry.path()).filter(|path| path.is_file()))
        .collect()
}

#[test]
#[cfg_attr(windows, ignore = "there a pipe lies in no directory")]
fn settings_and_state_that_never_end_are_not_waited_for() {
    let book = neighbourly();
    assert_neighbour(&book, 200, "alone");
    let files = state_files(&book);
    assert!(files.len() > 1, "{files:?}");
    for file in files {
        let before = fs::read(&file).ok();
        odd(&book, &file, |book, label| {
            // What needs the file may fail, and says so; nothing hangs and the gate is listed.
            let (listed, _) = run(book, 200, &["list", "--json"]);
            assert!(listed.out.contains("step:small"), "{label}: {}", listed.err);
            for line in [&["history", "--json"][..], &["redo", "step:small", "--json"]] {
                assert!(run(book, 200, line).0.exit >= 0, "{label}: {line:?} hangs or dies");
            }
        });
        fs::remove_file(&file).expect("removed");
        if let Some(before) = before {
            fs::write(&file, before).expect("put back");
        }
    }
}

#[test]
#[ignore = "a minute"]
fn long_lint_of_a_directory_survives_brackets() {
    for row in &ROWS {
        let book = neighbourly();
        book.put(PACKET, &(row.make)(64 * MEGA));
        let (linted, _) = run(&book, 1_000, &["lint", "staging", "--json"]);
        assert!(linted.out.contains("small.packet.json"), "{}: {}", row.name, linted.err);
    }
}

#[test]
#[ignore = "a minute"]
fn long_history_of_a_million_answers_takes_the_time_their_number_takes() {
    let redo = ["redo", PACKET];
    let search = ["history", "--json"];
    many_answers(1_000_000, 1_500, &[(&redo, 0), (&search, 0)]);
}

#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn replies_and_settings_that_are_far_too_large_are_refused_and_stay() {
    let book = neighbourly();
    book.put(PACKET, &packet(&free_text("q"), ""));
    let sparse = |path: &str| {
        book.put(path, "");
        let file = fs::OpenOptions::new().write(true).open(book.root().join(path)).expect("opened");
        file.set_len((64 << 20) + 1).expect("made long");
    };
    sparse("replies.jsonl");
    sparse(".claude/settings.json");
    let next = ["next", PACKET, "--for", "codex", "--replies", "replies.jsonl"];
    let init = ["init", "--for", "claude-code", "--write", "--json"];
    for line in [&next[..], &init] {
        let (ran, _) = run(&book, 400, line);
        assert_eq!(ran.exit, 1, "{line:?}: {}{}", ran.out, ran.err);
        assert!(ran.out.contains("too large"), "{line:?}: {}", ran.out);
    }
    for path in ["replies.jsonl", ".claude/settings.json"] {
        assert_eq!(fs::metadata(book.root().join(path)).expect("there").len(), (64 << 20) + 1, "{path}");
    }
}
