//! How many files the programs that stay have open, and what they do where the system gives them no more.

use crate::mcp::Server;
use crate::sandbox::{Running, Sandbox, wait_until};
use novel_gate::store::history::newest;
use novel_gate::store::{Project, StateDir};
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::process::Stdio;
use std::time::{Duration, Instant};

const GATES: usize = 100;
const ROUNDS: usize = 10;
/// What a program may open for a moment.
const SPARE: usize = 8;

fn packet(name: &str, topic: &str) -> Value {
    json!({"step": format!("step:{name}"), "answer_path": place(name), "novel_ask": {"version": 1, "topic": topic,
        "questions": [{"id": "note", "header": "h", "question": "?", "kind": "free_text", "required": true}]}})
}

fn place(name: &str) -> String {
    format!("staging/novel-ask/{name}.answers.json")
}

fn put_packet(book: &Sandbox, name: &str, topic: &str) {
    book.put(&format!("staging/manifests/{name}.packet.json"), packet(name, topic).to_string());
}

fn put_record(book: &Sandbox, name: &str, note: usize) {
    let record = json!({"version": 1, "topic": "t", "answers": {"note": format!("{note}")},
        "answered_at": "2026-02-27T10:12:34.000Z", "answered_by": "human"});
    book.put(&place(name), record.to_string());
}

/// The numbers of the files that a process has open.
fn open_files(pid: Pid) -> Vec<u64> {
    let names = fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero())).expect("a process");
    names.flatten().map(|name| name.file_name().to_string_lossy().parse().expect("a number")).collect()
}

#[test]
fn a_thousand_changes_leave_no_file_open() {
    let book = Sandbox::new();
    book.put(".checkpoint.json", "{}");
    put_packet(&book, "never", "t");
    (0..GATES).for_each(|gate| put_packet(&book, &gate.to_string(), "t"));
    let start = |line: &[&str]| Running::start(&mut book.command(line));
    let (list, wait) = (start(&["list", "--watch", "--json"]), start(&["wait", "never"]));
    let console = book.console(80, 24);
    console.wait_for_text("Enter answer");
    let mut server = Server::of(&book);
    let programs = [
        ("list --watch", list.pid()),
        ("wait", wait.pid()),
        ("console", console.pid()),
        ("mcp", server.pid()),
    ];
    let state = StateDir::new(&book.state(), &Project::open(&book.root()).expect("a project"));
    let mut before = Vec::new();
    for round in 0..ROUNDS {
        (0..GATES).for_each(|gate| put_record(&book, &gate.to_string(), round));
        book.put(&place("never"), format!("no JSON {round}"));
        for gate in [0, GATES - 1] {
            let note = format!("\"note\":\"{round}\"");
            let is_noted = || {
                let newest = newest(&state, &place(&gate.to_string()).as_str().into(), |_| true);
                let bytes = newest.expect("readable").and_then(|entry| entry.bytes().ok());
                bytes.is_some_and(|bytes| String::from_utf8_lossy(&bytes).contains(&note))
            };
            wait_until(&format!("record {gate} of round {round} is in the history"), is_noted);
        }
        server.get("list_gates", &json!({}));
        server.get("wait_gate", &json!({"gate": "0"}));
        if round == 0 {
            before = programs.map(|(_, pid)| open_files(pid).len()).to_vec();
        }
    }
    for ((name, pid), before) in programs.into_iter().zip(before) {
        let is_few = || open_files(pid).len() <= before + SPARE;
        wait_until(&format!("{name} has no more than {before} files open and {SPARE}"), is_few);
    }
}

#[test]
fn with_no_descriptor_left_no_gate_is_called_malformed_and_what_is_new_is_found_later() {
    let book = Sandbox::new();
    book.put(".checkpoint.json", "{}");
    put_packet(&book, "a", "t");
    put_packet(&book, "b", "t");
    put_record(&book, "b", 1);
    let [out, err] = ["out", "err"].map(|name| book.root().with_file_name(name));
    let open = |path| Stdio::from(File::create(path).expect("a file"));
    let mut command = book.command(["list", "--watch", "--json"]);
    let mut child =
        command.stdin(Stdio::null()).stdout(open(&out)).stderr(open(&err)).spawn().expect("started");
    let pid = Pid::from_child(&child);
    let said = |path, what: &str| {
        let has = || fs::read_to_string(path).is_ok_and(|text| text.contains(what));
        wait_until(&format!("it says {what}"), has);
    };
    said(&out, "\"ready\"");
    let limit = |current: u64| {
        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
        prlimit(Some(pid), Resource::Nofile, Rlimit { current: Some(current), maximum }).expect("limited");
    };
    let busy = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).expect("a process");
        let fields: Vec<&str> = stat.rsplit(')').next().expect("fields").split(' ').collect();
        // In hundredths of a second, its own and the kernel's for it.
        Duration::from_millis(
            10 * (11..13).map(|at| fields[at + 1].parse::<u64>().expect("ticks")).sum::<u64>(),
        )
    };
    let (start, used) = (Instant::now(), busy());
    for spare in 0..4 {
        let open = open_files(pid);
        // Numbers above it stay open, and no other is given out.
        limit((0..256).find(|number| !open.contains(number)).expect("a number") + spare);
        put_packet(&book, "a", &format!("topic {spare}"));
        put_packet(&book, &format!("new{spare}"), "t");
        put_record(&book, "b", 2);
        if spare == 0 {
            said(&err, "cannot be read just now: too many files are open");
        }
    }
    limit(256);
    said(&out, "new3.packet.json");
    said(&out, "topic 3");
    let share = busy().saturating_sub(used).as_secs_f64() / start.elapsed().as_secs_f64().max(1.0);
    assert!(share < 0.7, "it was busy for {share} of the time");
    let told = fs::read_to_string(&out).expect("read");
    assert!(!told.contains("\"malformed\",\"exit\"") && !told.contains("\"blocked\",\"exit\""), "{told}");
    child.kill().expect("killed");
    child.wait().expect("ended");
}
