//! How long an executor waits once the author has submitted: `cargo bench --bench wiring`.
//!
//! From the beginning of the submission (write, sync, link, read back, note in the history) to the line that the waiting
//! process prints: `wait`, `hook claude-code`, and `mcp` with `ask_author` and `wait_gate`. A show, not a test: nothing here
//! fails by time.

use novel_gate::ask::{Answer, Draft};
use novel_gate::store::file::RELAYS;
use novel_gate::store::history::Over;
use novel_gate::store::lock::open_console;
use novel_gate::store::submission::Submission;
use novel_gate::store::submit::submit;
use novel_gate::store::{Project, StateDir, gate};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

const RUNS: usize = 31;
/// Until a process that was started surely sleeps.
const TO_SLEEP: Duration = Duration::from_millis(300);

struct Book {
    top: TempDir,
    project: Project,
    state: StateDir,
}

/// A process that waits for the author.
struct Waiting {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    println!(
        "{:14} {:>16} {:>16} {:>16}",
        "who waits", "answer, median", "answer, fastest", "submit, median"
    );
    let show = |name: &str, run: &dyn Fn() -> (Duration, Duration)| {
        if filter.as_ref().is_none_or(|filter| name.contains(filter.as_str())) {
            print(name, run);
        }
    };
    show("wait", &after_wait);
    show("hook", &after_hook);
    show("ask_author", &|| after_mcp(false));
    show("wait_gate", &|| after_mcp(true));
}

fn print(name: &str, run: &dyn Fn() -> (Duration, Duration)) {
    let (mut answers, mut submits): (Vec<_>, Vec<_>) = (0..RUNS).map(|_| run()).unzip();
    answers.sort();
    submits.sort();
    let ms = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    let (median, fastest) = (ms(answers[RUNS / 2]), ms(answers[0]));
    println!("{name:14} {median:>16} {fastest:>16} {:>16}", ms(submits[RUNS / 2]));
}

fn after_wait() -> (Duration, Duration) {
    let book = Book::new();
    let packet = "staging/a.packet.json";
    let text = r#"{"step": "a", "answer_path": "staging/a.json", "novel_ask": {"version": 1, "topic": "t", "questions": [
        {"id": "q", "header": "h", "question": "q", "kind": "free_text", "required": true}]}}"#;
    fs::write(book.project.root().join(packet), text).expect("a packet");
    let waiting = book.start(&["wait", packet], "");
    book.answer(Path::new(packet), waiting)
}

fn after_hook() -> (Duration, Duration) {
    let book = Book::new();
    let _console = open_console(&book.state).expect("a lock");
    let root = book.project.root().to_str().expect("UTF-8");
    let call = format!(
        r#"{{"hook_event_name": "PreToolUse", "cwd": "{root}", "tool_name": "AskUserQuestion", "tool_use_id": "t", "session_id": "s",
        "tool_input": {{"questions": [{{"question": "q", "header": "h", "multiSelect": false, "options": [
        {{"label": "a", "description": "d"}}, {{"label": "b", "description": "d"}}]}}]}}}}"#
    );
    let mut waiting = book.start(&["hook", "claude-code"], &call);
    drop(waiting.input.take());
    let packet = book.asked();
    book.answer(&packet, waiting)
}

fn after_mcp(again: bool) -> (Duration, Duration) {
    let book = Book::new();
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
    let mut waiting = book.start(&["mcp"], hello);
    waiting.line();
    let wait_s = if again { 0 } else { 600 };
    waiting.say(&format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"ask_author","arguments":{{"topic":"t","wait_s":{wait_s},"questions":[{{"id":"q1","header":"h","question":"q","kind":"free_text","required":true}}]}}}}}}"#
    ));
    let packet = book.asked();
    if again {
        waiting.line();
        let gate = packet.to_str().expect("UTF-8");
        waiting.say(&format!(
            r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"wait_gate","arguments":{{"gate":"{gate}","wait_s":600}}}}}}"#
        ));
    }
    book.answer(&packet, waiting)
}

impl Book {
    fn new() -> Book {
        let top = tempfile::tempdir().expect("a directory");
        let root = top.path().join("book");
        fs::create_dir_all(root.join("staging")).expect("a project");
        let project = Project::open(&root).expect("a project");
        let state = StateDir::new(&top.path().join("state"), &project);
        Book { top, project, state }
    }

    /// Starts the program, and gives it a line.
    fn start(&self, line: &[&str], input: &str) -> Waiting {
        let mut command = Command::new(env!("CARGO_BIN_EXE_novel-gate"));
        command.args(line).arg("--state-dir").arg(self.top.path().join("state"));
        command.current_dir(self.project.root()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("started");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut waiting = Waiting { input: child.stdin.take(), child, output };
        waiting.say(input);
        waiting
    }

    /// The packet of the question, once it is there.
    fn asked(&self) -> PathBuf {
        loop {
            let files = fs::read_dir(self.project.root().join(RELAYS)).into_iter().flatten().flatten();
            let names = files.map(|file| file.file_name().to_string_lossy().into_owned());
            if let Some(name) = names.into_iter().find(|name| name.ends_with(".packet.json")) {
                return Path::new(RELAYS).join(name);
            }
            thread::yield_now();
        }
    }

    /// Answers the first question; how long it takes until that is said, and until it is written.
    fn answer(&self, packet: &Path, mut waiting: Waiting) -> (Duration, Duration) {
        thread::sleep(TO_SLEEP);
        let path = self.project.root().join(packet);
        let loaded = gate::load(&self.project, &path).expect("a packet");
        let gate = loaded.gate().expect("a gate");
        let mut draft = Draft::blank(&gate.spec);
        draft.replies[0].set(&gate.spec.questions[0], Answer::One("a".into()));
        let json = draft.record(&gate.spec, "2026-02-27T10:12:34.056Z", &"human".into()).to_json();
        let submission = Submission {
            packet: &path,
            answer_path: &gate.answer_path,
            asked: &loaded.spec_hash(),
            bytes: json.as_bytes(),
            rivals: &[],
            seen: None,
            over: Over::Nothing,
        };
        let start = Instant::now();
        let reader = thread::spawn(move || {
            waiting.line();
            let end = start.elapsed();
            let _ = waiting.child.kill();
            let _ = waiting.child.wait();
            end
        });
        submit(&self.project, Ok(&self.state), &submission, SystemTime::now()).expect("submitted");
        let submitted = start.elapsed();
        (reader.join().expect("a line"), submitted)
    }
}

impl Waiting {
    fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("a pipe");
        // Who reads nothing may have gone.
        let _ = writeln!(input, "{line}");
    }

    fn line(&mut self) {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        assert!(!line.is_empty(), "it ended without a word");
    }
}
