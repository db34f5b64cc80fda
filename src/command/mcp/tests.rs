//! What takes minutes, in no time: the server is told what time it is.

use super::backlog::Backlog;
use super::call::{Event, Server};
use crate::cli::Global;
use crate::command::{Session, Streams};
use crate::environment::Environment;
use crate::platform::testing::symlink;
use crate::store::clock::rfc3339_millis;
use crate::store::gate::Status;
use crate::store::lock::{Holder, take_gate};
use crate::store::{Project, StateDir, SystemClock};
use crate::text::Lang;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::fs;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

const FOLDER: &str = "staging/novel-ask/relay";

/// What a server says.
#[derive(Clone, Default)]
struct Output(Rc<RefCell<Vec<u8>>>, Rc<Cell<bool>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.1.get() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A server in a book of its own.
struct Serving {
    top: TempDir,
    backlog: Arc<Backlog>,
    server: Server<'static>,
    inbox: Receiver<Event>,
    output: Output,
    now: Instant,
}

impl Serving {
    fn start() -> Serving {
        let top = tempfile::tempdir().expect("a directory");
        fs::create_dir(top.path().join("book")).expect("a book");
        fs::write(top.path().join("book/.checkpoint.json"), "{}").expect("a project");
        let (project, state_dir) = (Some(top.path().join("book")), Some(top.path().join("state")));
        let session = Session {
            global: Global { json: true, project, state_dir, ..Global::default() },
            lang: Lang::En,
            environment: Environment::default(),
            clock: Arc::new(SystemClock::default()),
            streams: Streams {
                input: Box::leak(Box::new(io::empty())),
                out: Box::leak(Box::new(io::sink())),
                err: Box::leak(Box::new(io::sink())),
            },
            closed: false,
            states: Arc::default(),
        };
        let (events, inbox) = mpsc::channel();
        let output = Output::default();
        let backlog = Backlog::of(1 << 20);
        let server = Server::new(session, output.clone(), (events, Arc::clone(&backlog)));
        let mut serving = Serving { top, backlog, server, inbox, output, now: Instant::now() };
        let told = serving.say(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
            {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}));
        assert_eq!(told[0]["result"]["serverInfo"]["name"], "novel-gate");
        serving
    }

    /// Says a line; gives what the server says to it, when it has looked at the gates that it waits for.
    fn say(&mut self, line: &Value) -> Vec<Value> {
        self.server
            .take(Some(Event::Line(Some(line.to_string().into_bytes()), self.backlog.take(0))), self.now);
        self.server.watch_gates();
        while self.server.gates.as_ref().is_some_and(|gates| !gates.is_known()) {
            let event = self.inbox.recv_timeout(Duration::from_mins(1)).expect("a first look");
            self.server.take(Some(event), self.now);
        }
        self.told()
    }

    /// Lets time pass, and gives what the server says then.
    fn pass(&mut self, time: Duration) -> Vec<Value> {
        self.now += time;
        self.server.take(None, self.now);
        self.told()
    }

    /// What the server says until it has said so much.
    fn until(&mut self, count: usize) -> Vec<Value> {
        let mut told = Vec::new();
        while told.len() < count {
            let event = self.inbox.recv_timeout(MINUTE).expect("an event");
            self.server.take(Some(event), self.now);
            told.extend(self.told());
        }
        told
    }

    fn told(&mut self) -> Vec<Value> {
        let told = std::mem::take(&mut *self.output.0.borrow_mut());
        told.split_inclusive(|byte| *byte == b'\n')
            .map(|line| serde_json::from_slice(line).expect("JSON"))
            .collect()
    }

    /// Asks one question; `token` asks for progress.
    fn ask(&mut self, id: u64, topic: &str, wait_s: u64, token: Option<&str>) -> Vec<Value> {
        let question =
            json!({"id": "q", "header": "h", "question": "q", "kind": "free_text", "required": true});
        let arguments = json!({"topic": topic, "questions": [question], "wait_s": wait_s});
        let mut params = json!({"name": "ask_author", "arguments": arguments});
        if let Some(token) = token {
            params["_meta"] = json!({"progressToken": token});
        }
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
    }

    /// Answers a gate of [`Serving::ask`] about this topic.
    fn answer(&self, gate: &str, topic: &str) {
        let now = rfc3339_millis(SystemTime::now());
        let record = json!({"version": 1, "topic": topic, "answers": {"q": "rain"},
            "answered_at": now, "answered_by": "human"});
        self.put_record(gate, &record.to_string());
    }

    fn put_record(&self, gate: &str, text: &str) {
        let path = self.top.path().join("book").join(gate.replace(".packet.json", ".answers.json"));
        fs::write(path, text).expect("a record");
    }

    fn wait(&mut self, id: u64, gate: &str) -> Vec<Value> {
        let params = json!({"name": "wait_gate", "arguments": {"gate": gate, "wait_s": 600}});
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
    }

    fn cancel(&mut self, id: u64) {
        let cancelled =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        assert_eq!(self.say(&cancelled), [Value::Null; 0], "nothing is said of a cancelled call");
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

/// The gate that a call was given.
fn gate(told: &[Value]) -> String {
    told[0]["result"]["structuredContent"]["gate"].as_str().expect("a path").to_owned()
}

const MINUTE: Duration = Duration::from_mins(1);

#[test]
fn progress_tells_of_a_record_that_is_not_valid() {
    let mut serving = Serving::start();
    let gate = gate(&serving.ask(1, "t", 0, None));
    serving.ask(2, "t", 600, Some("token"));
    serving.put_record(&gate, "{}");
    let blocked = |server: &Server<'_>| {
        let loaded = server.gates.as_ref().and_then(|gates| gates.targets[0].loaded.as_ref());
        loaded.is_some_and(|loaded| loaded.status() == Status::Blocked)
    };
    while !blocked(&serving.server) {
        let event = serving.inbox.recv_timeout(MINUTE).expect("an event");
        serving.server.take(Some(event), serving.now);
    }
    let told = serving.pass(Duration::from_secs(25));
    assert_eq!(told[0]["params"]["message"], "Blocked: the record is invalid.", "{told:?}");
}

#[test]
fn progress_is_told_to_the_end_and_only_where_it_is_asked_for() {
    let mut serving = Serving::start();
    assert_eq!(serving.ask(1, "t", 600, Some("token")), [Value::Null; 0]);
    assert_eq!(serving.ask(2, "other", 600, None), [Value::Null; 0]);
    for time in 1..=23 {
        let told = serving.pass(Duration::from_secs(25));
        let params = &told[0]["params"];
        assert_eq!((&told[0]["method"], told.len()), (&json!("notifications/progress"), 1), "{told:?}");
        assert_eq!((&params["progressToken"], &params["progress"]), (&json!("token"), &json!(time)));
        assert_eq!(params["message"], "Waiting: no record yet.");
    }
    let ends = serving.pass(Duration::from_secs(25));
    let ends: Vec<_> =
        ends.iter().map(|end| (&end["id"], &end["result"]["structuredContent"]["status"])).collect();
    assert_eq!(ends, [(&json!(1), &json!("waiting")), (&json!(2), &json!("waiting"))]);
    assert_eq!(serving.pass(MINUTE), [Value::Null; 0], "nothing is told after the end");
}

#[test]
fn a_gate_is_looked_at_before_its_call_ends_also_beside_another_that_waits() {
    let mut serving = Serving::start();
    assert_eq!(serving.ask(1, "t", 600, None), [Value::Null; 0]);
    let malformed = "staging/a.packet.json";
    fs::write(serving.top.path().join("book").join(malformed), r#"{"novel_ask": 7}"#).expect("a packet");
    let params = json!({"name": "wait_gate", "arguments": {"gate": malformed, "wait_s": 0}});
    let told = serving.say(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}));
    assert_eq!(told[0]["result"]["structuredContent"]["status"], "malformed", "{told:?}");
}

#[test]
#[cfg_attr(windows, ignore = "links need a right of their own there")]
fn a_gate_that_is_named_in_two_ways_ends_both_calls() {
    let mut serving = Serving::start();
    let gate = gate(&serving.ask(1, "t", 0, None));
    let folder = serving.top.path().join("book").join(FOLDER);
    symlink(&folder, serving.top.path().join("book/staging/link")).expect("a link");
    let other = gate.replace(FOLDER, "staging/link");
    for (id, gate) in [(2, &gate), (3, &other)] {
        assert_eq!(serving.wait(id, gate), [Value::Null; 0]);
    }
    serving.answer(&gate, "t");
    let ends = serving.until(2);
    let answers = |end: &Value| end["result"]["structuredContent"]["answers"]["q"] == "rain";
    assert!(ends.iter().all(answers), "{ends:?}");
}

#[test]
fn a_cancelled_question_is_withdrawn_unless_it_is_asked_again() {
    let mut serving = Serving::start();
    for (id, topic) in [(1, "once"), (2, "again")] {
        serving.ask(id, topic, 3600, None);
        serving.cancel(id);
    }
    let again = gate(&serving.ask(3, "again", 0, None));
    serving.pass(Duration::from_secs(59));
    assert_eq!(serving.files().len(), 2, "the client may ask again");
    serving.pass(Duration::from_secs(1));
    assert_eq!(serving.files().len(), 1);
    assert!(serving.files()[0].ends_with(&again), "{again}");
}

#[test]
fn a_question_that_two_calls_asked_is_withdrawn_when_both_are_cancelled() {
    for (first, last) in [(1, 2), (2, 1)] {
        let mut serving = Serving::start();
        serving.ask(1, "t", 3600, None);
        serving.ask(2, "t", 3600, None);
        serving.cancel(first);
        serving.pass(MINUTE);
        assert_eq!(serving.files().len(), 1, "the other call waits for it");
        serving.cancel(last);
        serving.pass(MINUTE);
        assert_eq!(serving.files().len(), 0, "{first}, then {last}");
    }
}

#[test]
fn a_cancelled_question_stays_while_its_form_is_open() {
    let mut serving = Serving::start();
    let gate = gate(&serving.ask(1, "t", 0, None));
    let answer_path = gate.replace(".packet.json", ".answers.json").as_str().into();
    let form = take_gate(&serving.state(), &answer_path, &Holder::default()).expect("a lock");
    serving.ask(2, "t", 3600, None);
    serving.cancel(2);
    for _ in 0..10 {
        serving.pass(MINUTE);
    }
    assert_eq!(serving.files().len(), 1, "ten minutes later it is still there");
    drop(form);
    serving.pass(MINUTE);
    assert_eq!(serving.files().len(), 0);
}

#[test]
fn a_cancelled_question_stays_while_another_call_waits_for_it_or_it_is_answered() {
    let mut serving = Serving::start();
    let waited_for = gate(&serving.ask(1, "one", 0, None));
    assert_eq!(serving.wait(2, &waited_for), [Value::Null; 0]);
    let answered = gate(&serving.ask(3, "two", 0, None));
    for (id, topic) in [(4, "one"), (5, "two")] {
        serving.ask(id, topic, 3600, None);
        serving.cancel(id);
    }
    serving.answer(&answered, "two");
    assert_eq!(serving.pass(MINUTE), [Value::Null; 0]);
    assert_eq!(serving.files().len(), 3, "two packets and a record");
    let told = serving.ask(6, "two", 0, None);
    assert_eq!(told[0]["result"]["structuredContent"]["answers"]["q"], "rain", "{told:?}");
}

#[test]
fn answers_that_cannot_be_said_are_not_handed_over() {
    let mut serving = Serving::start();
    let gate = gate(&serving.ask(1, "t", 0, None));
    assert_eq!(serving.wait(2, &gate), [Value::Null; 0]);
    serving.output.1.set(true);
    serving.answer(&gate, "t");
    while !serving.server.calls.is_empty() {
        let event = serving.inbox.recv_timeout(MINUTE).expect("an event");
        serving.server.take(Some(event), serving.now);
    }
    assert!(serving.server.is_gone);
    assert_eq!(serving.files().len(), 2, "packet and record are there");
}

/// Lines without end, and how much of them was read.
struct Endless(Arc<AtomicUsize>);

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let before = self.0.fetch_add(buffer.len(), Ordering::SeqCst);
        buffer.fill(b' ');
        let ends = |at: &usize| (before + at).is_multiple_of(LINE);
        (0..buffer.len()).filter(ends).for_each(|at| buffer[at] = b'\n');
        Ok(buffer.len())
    }
}

const LINE: usize = 1 << 16;

#[test]
fn no_more_is_read_than_there_is_room_for_while_nobody_listens() {
    let (read, room) = (Arc::new(AtomicUsize::new(0)), 1 << 20);
    let (events, inbox) = mpsc::channel();
    let (input, backlog) = (Endless(Arc::clone(&read)), Backlog::of(room));
    let listening = thread::spawn(move || super::listen(input, &events, &backlog));
    let mut taken = 0;
    for _ in 0..200 {
        let Ok(Event::Line(Some(line), _share)) = inbox.recv() else { panic!("a line") };
        // What waits, the line that has just come, the one that has no room, and what is read ahead.
        let ahead = read.load(Ordering::SeqCst).saturating_sub(taken);
        assert!(ahead <= room + 4 * LINE, "{ahead} bytes");
        taken += line.len() + 1;
    }
    drop(inbox);
    listening.join().expect("it ends with whoever listens");
}

#[test]
fn a_line_larger_than_all_room_has_it_alone_and_nothing_waits_for_ever() {
    let backlog = Backlog::of(10);
    let alone = backlog.take(1_000);
    let (taken, waits) = mpsc::channel();
    let other = Arc::clone(&backlog);
    let waiting = thread::spawn(move || taken.send(other.take(1)));
    assert!(waits.try_recv().is_err());
    drop(alone);
    drop(waits.recv().expect("room"));
    waiting.join().expect("no panic").expect("sent");
}
