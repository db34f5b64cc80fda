//! What takes minutes, in no time: the runtime's clock jumps to the next timer whenever nothing else is to do.

use super::{Server, serve};
use crate::cli::Global;
use crate::environment::Environment;
use crate::store::lock::{Holder, take_gate};
use crate::store::{Project, StateDir, SystemClock};
use crate::text::Lang;
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Write, pipe};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::Builder;
use tokio::sync::watch;

const FOLDER: &str = "staging/novel-ask/relay";

/// A server on a thread, in a book of its own.
struct Serving {
    top: TempDir,
    input: PipeWriter,
    output: BufReader<PipeReader>,
    /// Time stands still as long as this is there.
    still: Option<Sender<()>>,
}

impl Serving {
    fn start() -> Serving {
        let top = tempfile::tempdir().expect("a directory");
        fs::create_dir(top.path().join("book")).expect("a book");
        fs::write(top.path().join("book/.checkpoint.json"), "{}").expect("a project");
        let (theirs, input) = pipe().expect("a pipe");
        let (output, ours) = pipe().expect("a pipe");
        let (sender, gone) = watch::channel(false);
        let (project, state_dir) = (Some(top.path().join("book")), Some(top.path().join("state")));
        let server = Server {
            global: Global { json: true, project, state_dir, ..Global::default() },
            lang: Lang::En,
            environment: Environment::default(),
            clock: Arc::new(SystemClock::default()),
            states: Arc::default(),
            place: Mutex::default(),
            held: Mutex::default(),
            calls: AtomicU64::default(),
            gone,
        };
        let (still, held) = mpsc::channel();
        thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
            let runtime = runtime.expect("a runtime");
            // The clock does not jump while a task of this kind runs.
            runtime.spawn_blocking(move || held.recv().is_err());
            runtime.block_on(serve(server, sender, theirs, ours));
        });
        let mut serving = Serving { top, input, output: BufReader::new(output), still: Some(still) };
        serving.say(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
            {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}));
        serving.next();
        serving
    }

    fn say(&mut self, line: &Value) {
        writeln!(self.input, "{line}").expect("it reads");
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Asks one question; `token` asks for progress.
    fn ask(&mut self, id: u64, topic: &str, wait_s: u64, token: Option<&str>) {
        let question =
            json!({"id": "q", "header": "h", "question": "q", "kind": "free_text", "required": true});
        let arguments = json!({"topic": topic, "questions": [question], "wait_s": wait_s});
        let mut params = json!({"name": "ask_author", "arguments": arguments});
        if let Some(token) = token {
            params["_meta"] = json!({"progressToken": token});
        }
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
    }

    /// Cancels a call; the server has heard it when this returns.
    fn cancel(&mut self, id: u64) {
        self.say(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}),
        );
        self.say(&json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"}));
        assert_eq!(self.next()["id"], "ping");
    }

    /// From now on the clock jumps.
    fn let_time_pass(&mut self) {
        self.still = None;
    }

    fn files(&self) -> Vec<PathBuf> {
        let folder = fs::read_dir(self.top.path().join("book").join(FOLDER));
        folder.into_iter().flatten().flatten().map(|file| file.path()).collect()
    }

    fn state(&self) -> StateDir {
        let project = Project::open(&self.top.path().join("book")).expect("a project");
        StateDir::new(&self.top.path().join("state"), &project)
    }
}

fn wait_until(what: &str, test: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_mins(1);
    while !test() {
        assert!(Instant::now() < end, "not yet: {what}");
        thread::yield_now();
    }
}

#[test]
fn progress_is_told_to_the_end_and_only_where_it_is_asked_for() {
    let mut serving = Serving::start();
    serving.ask(1, "t", 600, Some("token"));
    serving.let_time_pass();
    for time in 1..=23 {
        let line = serving.next();
        assert_eq!(line["method"], "notifications/progress", "{line}");
        let params = &line["params"];
        assert_eq!(
            (&params["progressToken"], params["progress"].as_f64()),
            (&json!("token"), Some(f64::from(time)))
        );
    }
    let end = serving.next();
    assert_eq!((&end["id"], &end["result"]["structuredContent"]["status"]), (&json!(1), &json!("waiting")));
    serving.ask(2, "t", 600, None);
    assert_eq!(serving.next()["id"], 2);
}

#[test]
fn a_cancelled_question_is_withdrawn_unless_it_is_asked_again() {
    let mut serving = Serving::start();
    for (id, topic) in [(1, "once"), (2, "again")] {
        serving.ask(id, topic, 3600, None);
        wait_until("the question", || serving.files().len() == usize::try_from(id).expect("a number"));
        serving.cancel(id);
    }
    serving.ask(3, "again", 0, None);
    let again = serving.next()["result"]["structuredContent"]["gate"].as_str().expect("a path").to_owned();
    serving.let_time_pass();
    wait_until("the end of one question", || serving.files().len() == 1);
    assert!(serving.files()[0].ends_with(&again), "{again}");
}

#[test]
fn a_cancelled_question_stays_while_its_form_is_open() {
    let mut serving = Serving::start();
    serving.ask(1, "t", 0, None);
    let gate = serving.next()["result"]["structuredContent"]["gate"].as_str().expect("a path").to_owned();
    let answer_path = gate.replace(".packet.json", ".answers.json").as_str().into();
    let form = take_gate(&serving.state(), &answer_path, &Holder::default()).expect("a lock");
    serving.ask(2, "t", 3600, None);
    serving.cancel(2);
    serving.ask(3, "other", 600, Some("token"));
    serving.let_time_pass();
    while serving.next()["id"] != 3 {}
    assert_eq!(serving.files().len(), 2, "ten minutes later it is still there");
    drop(form);
    wait_until("the end of the question", || serving.files().len() == 1);
}
