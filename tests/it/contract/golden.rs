//! Files of scenarios with everything that a command prints.
//!
//! Responsible for reading them, for running each scenario in both languages, as words and as JSON, each time in a book
//! of its own, and for comparing. A file holds scenarios:
//!
//! ```text
//! = what is shown
//! + put PATH TEXT        a file of the project, before the command
//! + drop PATH            removes one
//! + run LINE             the program itself, before the command
//! + type PACKET TEXT     `answer PACKET` on a terminal, with this typed; \n ends a line
//! + env NAME=VALUE       a variable of the environment
//! < TEXT                 standard input; \n ends a line
//! ~ TEXT                 the same, typed on a terminal
//! ! TERM                 a signal, once the program sleeps
//! $ novel-gate LINE      the command; {sha256 PATH}, {entry N} and {call} stand for a
//!                        file's hash, an entry of the history and the call that `next` made last
//! ```
//!
//! Behind them stands what came of it, indented: the exit code, `en` and `zh` for words, `json` and `json zh` for programs, each
//! with `, stderr` where something was said there, and `files` for what has changed in the project. `json` is cut into lines
//! for the reader (the program prints one); of `json zh` only the lines that differ are shown.

use super::book::Book;
use super::layout::show;
use super::line::{filled, signal, unescaped, words};
use super::stand_in;
use crate::in_process::call;
use crate::kept::database;
use crate::project::{Outcome, Running};
use crate::sandbox::path_with_ours;
use crate::system::Signal;
use novel_gate::Environment;
use novel_gate::platform::paths::Shown as _;
use novel_gate::platform::processes::{CONFIG_HOME, HOME, STATE_HOME};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A file of scenarios.
pub(super) struct File {
    path: PathBuf,
    /// All of it, as it stands.
    text: String,
    /// What it says before the first scenario.
    head: String,
    scenarios: Vec<Scenario>,
}

/// One command line and what comes before it.
#[derive(Default)]
struct Scenario {
    name: String,
    /// Every line of it but the outcome.
    told: String,
    before: Vec<String>,
    input: Option<String>,
    typed: Option<String>,
    signal: Option<Signal>,
    line: Vec<String>,
}

/// One of the four ways in which a scenario is run.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) name: &'static str,
    locale: &'static str,
    json: bool,
}

pub(super) const WAYS: [Way; 4] = [
    Way { name: "en", locale: "C.UTF-8", json: false },
    Way { name: "zh", locale: "zh_CN.UTF-8", json: false },
    Way { name: "json", locale: "C.UTF-8", json: true },
    Way { name: "json zh", locale: "zh_CN.UTF-8", json: true },
];

/// What came of it.
pub(super) struct Came {
    pub(super) exit: i32,
    pub(super) out: String,
    pub(super) err: String,
    /// Files that came, went or changed.
    pub(super) files: Vec<String>,
}

impl File {
    pub(super) fn read(name: &str) -> File {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/contract/{name}.txt"));
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (head, rest) = text.split_once("\n= ").unwrap_or((&text, ""));
        let scenarios = rest.split("\n= ").filter(|text| !text.is_empty()).map(Scenario::read).collect();
        File { head: head.trim_end().to_owned(), scenarios, path, text }
    }

    /// Runs every scenario and compares; `exits` are all codes that must occur.
    pub(super) fn holds(&self, exits: &[i32]) {
        let mut seen = BTreeSet::new();
        let mut told = self.head.clone() + "\n";
        for (scenario, stands) in self.scenarios.iter().zip(self.text.split("\n= ").skip(1)) {
            if cfg!(windows) && scenario.is_of_unix(stands) {
                told.extend(["\n= ", stands]);
                continue;
            }
            let came = scenario.run();
            seen.insert(came[0].exit);
            scenario.check(&came);
            write!(told, "\n= {}{}", scenario.told, show(&came)).expect("a string");
        }
        compare(&self.path, &self.text, &told);
        let exits: BTreeSet<i32> = exits.iter().copied().collect();
        assert!(
            cfg!(windows) || seen == exits,
            "{}: the exit codes that occur: {seen:?}",
            self.path.display()
        );
    }

    /// Every JSON object in the file, with the command that printed it and values in the place of names.
    pub(super) fn objects(&self) -> Vec<(String, Value)> {
        let mut out = Vec::new();
        for text in self.text.split("\n= ").skip(1) {
            let command = text.lines().find_map(|line| line.strip_prefix("$ novel-gate")).expect("a command");
            let Some((_, block)) = text.split_once("\n  json:\n") else { continue };
            let lines: String =
                block.lines().take_while(|line| line.starts_with("    ")).map(|line| &line[4..]).collect();
            let value = serde_json::from_str(&stand_in::take(&lines))
                .unwrap_or_else(|error| panic!("{error}: {lines}"));
            out.push((command.to_owned(), value));
        }
        out
    }
}

/// Panics at the first line that is not as it stands in the file; or writes the file anew.
pub(super) fn compare(path: &Path, stands: &str, told: &str) {
    if std::env::var_os("UPDATE_CONTRACTS").is_some() {
        fs::write(path, told).expect("written");
    } else if told != stands {
        let differs = stands.lines().zip(told.lines()).position(|(was, is)| was != is);
        let at = differs.unwrap_or(stands.lines().count().min(told.lines().count()));
        let line = |text: &str| text.lines().nth(at).unwrap_or("(nothing)").to_owned();
        let (was, is, path) = (line(stands), line(told), path.display());
        panic!("{path}:{}:\n- {was}\n+ {is}\nUPDATE_CONTRACTS=1 writes it anew", at + 1);
    }
}

impl Scenario {
    fn read(text: &str) -> Scenario {
        let mut scenario =
            Scenario { name: text.lines().next().unwrap_or_default().to_owned(), ..Scenario::default() };
        for line in text.lines().take_while(|line| !line.starts_with("  ")).filter(|line| !line.is_empty()) {
            scenario.told.push_str(line);
            scenario.told.push('\n');
            let Some((mark, rest)) = line.split_once(' ') else { continue };
            match mark {
                "+" => scenario.before.push(rest.to_owned()),
                "<" => scenario.input = Some(unescaped(rest)),
                "~" => scenario.typed = Some(unescaped(rest)),
                "!" => scenario.signal = Some(signal(rest)),
                "$" => scenario.line = words(rest.strip_prefix("novel-gate").expect("the program")),
                _ => {}
            }
        }
        assert!(text.contains("\n$ novel-gate"), "{}: no command", scenario.name);
        scenario
    }

    /// Whether it is about signals or a terminal, which are others on Windows.
    fn is_of_unix(&self, stands: &str) -> bool {
        self.signal.is_some() || self.typed.is_some() || stands.contains("TERM=dumb")
    }

    fn run(&self) -> [Came; 4] {
        WAYS.map(|way| self.run_once(way))
    }

    fn run_once(&self, way: Way) -> Came {
        let book = Book::new();
        let mut variables = Vec::new();
        for before in &self.before {
            let (what, rest) = before.split_once(' ').expect("something to do");
            match what {
                "put" => {
                    let (path, text) = rest.split_once(' ').unwrap_or((rest, ""));
                    book.put(path, &unescaped(text).replace("<top>", &book.top().shown()));
                }
                "drop" => {
                    let path = book.root().join(rest);
                    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
                        .expect("removed");
                }
                "run" => {
                    let line = filled(&book, &words(rest));
                    let outcome = start(&book, &line, way.locale, &variables, "").end();
                    assert_eq!(outcome.exit, 0, "{rest}: {} {}", outcome.out, outcome.err);
                }
                "type" => begin(&book, rest, way.locale),
                "env" => variables.push(rest.split_once('=').expect("a value")),
                _ => panic!("{before}"),
            }
        }
        let mut line = filled(&book, &self.line);
        line.extend(way.json.then(|| "--json".to_owned()));
        let before = book.files();
        let outcome = match (&self.typed, self.signal) {
            (Some(typed), _) => type_in(&book, &line, way.locale, typed),
            (None, Some(signal)) => {
                let running = start(&book, &line, way.locale, &variables, "");
                running.wait_until_asleep();
                running.signal(signal);
                running.end()
            }
            (None, None) => {
                start(&book, &line, way.locale, &variables, self.input.as_deref().unwrap_or("")).end()
            }
        };
        let after = book.files();
        let mut files: Vec<String> = Vec::new();
        files.extend(
            before
                .iter()
                .filter(|(path, ..)| after.iter().all(|(other, ..)| other != path))
                .map(|(path, ..)| format!("- {path}")),
        );
        for (path, bytes, modified) in &after {
            match before.iter().find(|(other, ..)| other == path) {
                None => files.push(format!("+ {path}")),
                Some((_, was, then)) if (was, then) != (bytes, modified) => files.push(format!("~ {path}")),
                Some(_) => {}
            }
        }
        let put = |text: &str| stand_in::put(text, &book.top());
        if way.json {
            super::schemas::hold(&self.line, &outcome);
        }
        Came { exit: outcome.exit, out: put(&outcome.out), err: put(&outcome.err), files }
    }

    /// What holds for every command: one exit code, and one object for programs.
    fn check(&self, came: &[Came; 4]) {
        let name = &self.name;
        for (way, one) in WAYS.iter().zip(came) {
            assert_eq!(
                (one.exit, &one.files),
                (came[0].exit, &came[0].files),
                "{name}, {}: exit, files",
                way.name
            );
            if way.json {
                assert!(
                    one.out.ends_with('\n') && one.out.lines().count() == 1,
                    "{name}: one line: {}",
                    one.out
                );
                let told: Value = serde_json::from_str(&one.out)
                    .unwrap_or_else(|error| panic!("{name}: {error}: {}", one.out));
                assert_eq!(told["exit"], one.exit, "{name}");
                for key in ["status", "code", "message"] {
                    assert!(told[key].as_str().is_some_and(|text| !text.is_empty()), "{name}: {key}: {told}");
                }
            }
        }
    }
}

/// The program in a book, with the places of its own around it.
pub(super) fn start(
    book: &Book,
    line: &[String],
    locale: &str,
    variables: &[(&str, &str)],
    input: &str,
) -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_novel-gate"));
    command.args(line).current_dir(book.root()).env("LC_ALL", locale).env("TZ", "UTC");
    command.env("PATH", path_with_ours());
    for (name, below) in [(HOME, "home"), (STATE_HOME, "state"), (CONFIG_HOME, "config")] {
        command.env(name, book.top().join(below));
    }
    for name in ["CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI", "OPENCODE", "CLAUDE_CONFIG_DIR", "CODEX_HOME"]
    {
        command.env_remove(name);
    }
    command.env_remove("NO_COLOR").envs(variables.iter().copied());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
    // A program that reads nothing may have ended before.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    Running::of(child)
}

/// Answers a packet in part, as a process that has ended.
fn begin(book: &Book, line: &str, locale: &str) {
    let (packet, text) = line.split_once(' ').expect("a text");
    type_in(book, &["answer".to_owned(), packet.to_owned()], locale, &unescaped(text));
    let kept = database(&book.top().join("state/novel-gate")).expect("a draft");
    let kept = rusqlite::Connection::open(kept).expect("opened");
    kept.execute("UPDATE drafts SET pid = 0", []).expect("given away");
}

/// The same with a terminal as its standard input.
fn type_in(book: &Book, line: &[String], locale: &str, typed: &str) -> Outcome {
    let words = [OsString::from("--state-dir"), book.top().join("state/novel-gate").into()].into_iter();
    let environment = Environment {
        cwd: book.root(),
        locale: locale.into(),
        input_is_terminal: true,
        output_is_terminal: true,
        ..Environment::default()
    };
    let words = words.chain(line.iter().map(OsString::from));
    let (exit, out, err) = call(&environment, words, typed.as_bytes()).texts();
    Outcome { exit, out, err }
}
