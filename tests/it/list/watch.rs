//! `list --watch`, through the built binary.

use crate::project::{Book, Running};
use crate::system::Signal;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

const A: &str = "staging/novel-ask/a.json";
const PACKET: &str = "staging/manifests/a.packet.json";

/// Reads the first listing to its end.
fn watching(book: &Book, flags: &[&str]) -> (Running, Vec<Value>) {
    let running = book.start(&[&["list", "--watch", "--json"], flags].concat());
    let mut lines = Vec::new();
    while lines.last().is_none_or(|last: &Value| last["event"] != "ready") {
        lines.push(running.next_json());
    }
    (running, lines)
}

/// The next line; what it must say as `event status previous packet`.
fn next(running: &Running, said: &str) -> Value {
    let json = running.next_json();
    let word = |key: &str| json[key].as_str().unwrap_or("-").to_owned();
    assert_eq!(["event", "status", "previous", "packet"].map(word).join(" "), said, "{json}");
    json
}

#[test]
#[cfg_attr(windows, ignore = "a program there gets no signals")]
fn first_every_gate_then_every_change() {
    let book = Book::new();
    book.put_packet("a", A).put_packet("b", "staging/novel-ask/b.json");
    book.put("staging/free.packet.json", "{\"step\":\"free\"}").put("staging/novel-ask/b.json", Book::RECORD);
    let (running, first) = watching(&book, &[]);
    let listed = book.run(&["list", "--json"]).json();
    let gates = listed["gates"].as_array().expect("gates");
    assert_eq!(first.len(), gates.len() + 1);
    for (line, gate) in first.iter().zip(gates) {
        assert_eq!((&line["event"], &line["previous"]), (&"present".into(), &Value::Null));
        // Whether somebody waits is no change of a file, and no file says which came first.
        let beside = ["orphaned", "older"];
        let members = gate.as_object().expect("an object").iter();
        for (key, value) in members.filter(|(key, _)| !beside.contains(&key.as_str())) {
            assert_eq!(&line[key], value, "{key}");
        }
        let check = book.run(&["check", gate["packet"].as_str().expect("a path"), "--json"]).json();
        for key in ["status", "exit", "code", "message"] {
            assert_eq!(line[key], check[key], "{key}");
        }
    }
    let ready = first.last().expect("a line");
    assert_eq!(
        (&ready["status"], &ready["exit"], &ready["code"]),
        (&"ok".into(), &0.into(), &"ready".into())
    );
    assert_eq!(
        (&ready["waiting"], &ready["answered"], &ready["truncated"]),
        (&1.into(), &1.into(), &false.into())
    );

    book.put(A, "[]");
    let blocked = next(&running, &format!("changed blocked waiting {PACKET}"));
    assert_eq!((&blocked["exit"], &blocked["problem_count"]), (&4.into(), &1.into()));
    book.put(A, Book::RECORD);
    assert_eq!(next(&running, &format!("changed open blocked {PACKET}"))["answered_by"], "human");
    book.remove(A);
    next(&running, &format!("changed waiting open {PACKET}"));
    book.put_packet("c", "staging/novel-ask/c.json");
    next(&running, "appeared waiting - staging/manifests/c.packet.json");
    book.remove(PACKET);
    let gone = next(&running, &format!("gone gone waiting {PACKET}"));
    assert_eq!(
        (&gone["exit"], &gone["code"], &gone["step"]),
        (&1.into(), &"no-packet".into(), &"step:a".into())
    );
    running.signal(Signal::TERM);
    let end = running.next_json();
    assert_eq!(
        (&end["event"], &end["status"], &end["exit"]),
        (&"end".into(), &"interrupted".into(), &143.into())
    );
    let outcome = running.end();
    assert_eq!((outcome.exit, outcome.out.as_str(), outcome.err.as_str()), (143, "", ""));
}

#[test]
#[cfg_attr(windows, ignore = "a program there gets no signals")]
fn that_somebody_was_told_is_a_change_of_its_gate() {
    let book = Book::new();
    book.put_packet("a", A).put(A, Book::RECORD);
    let (running, first) = watching(&book, &[]);
    assert_eq!((&first[0]["told"], &first[0]["untold"]), (&Value::Null, &false.into()));
    let record = book.run(&["show", "step:a", "--json"]).json()["record_sha256"].clone();
    let told = serde_json::json!({"at": "2026-02-27T10:12:34.000Z", "agent": null, "by": "wait"});
    let mut line = told.clone();
    (line["event"], line["record"]) = ("told".into(), record);
    book.put("staging/novel-ask/a.rounds.jsonl", &format!("{line}\n"));
    assert_eq!(next(&running, &format!("changed open open {PACKET}"))["told"], told);
    running.signal(Signal::TERM);
    assert_eq!(running.next_json()["event"], "end");
    assert_eq!(running.end().exit, 143);
}

#[test]
#[cfg_attr(windows, ignore = "a program there gets no signals")]
fn a_gate_that_leaves_the_chosen_states_is_told_as_leaving() {
    let book = Book::new();
    book.put_packet("a", A).put_packet("b", "staging/novel-ask/b.json");
    book.put("staging/novel-ask/b.json", Book::RECORD);
    let (running, first) = watching(&book, &["--status", "waiting,blocked"]);
    assert_eq!(first.len(), 2, "{first:?}");
    book.put(A, Book::RECORD);
    next(&running, &format!("left open waiting {PACKET}"));
    book.remove("staging/novel-ask/b.json");
    next(&running, "appeared waiting - staging/manifests/b.packet.json");
    book.remove(A);
    next(&running, &format!("appeared waiting - {PACKET}"));
    running.signal(Signal::INT);
    assert_eq!(running.next_json()["event"], "end");
    assert_eq!(running.end().exit, 130);
}

#[test]
fn packets_without_a_gate_are_told_if_asked_for() {
    let book = Book::new();
    book.put("staging/free.packet.json", "{\"step\":\"free\"}");
    let (running, first) = watching(&book, &["--all"]);
    assert_eq!((&first[0]["code"], &first[0]["gate"]), (&"no-gate".into(), &false.into()));
    book.put("staging/other.packet.json", "{\"step\":\"other\"}");
    next(&running, "appeared open - staging/other.packet.json");
}

#[test]
#[cfg_attr(windows, ignore = "a program there gets no signals")]
fn people_get_the_list_and_then_words() {
    let book = Book::new();
    book.put_packet("a", A);
    for (lang, ready, changed, left) in [
        ("en", "1 waiting, 0 blocked", "changed: waiting -> answered", "gone: "),
        ("zh-CN", "等待 1，受阻 0", "变化：等待 -> 已回答", "消失："),
    ] {
        let mut running = book.start(&["list", "--watch", "--lang", lang]);
        assert!(running.next_line().contains("step:a"));
        assert!(running.next_line().contains(ready));
        book.put(A, Book::RECORD);
        let line = running.next_line();
        assert!(line.starts_with(changed) && line.contains(PACKET), "{line}");
        book.remove(PACKET);
        let line = running.next_line();
        assert!(line.starts_with(left) && line.contains("step:a"), "{line}");
        assert!(!running.has_ended());
        running.signal(Signal::INT);
        let outcome = running.end();
        assert_eq!((outcome.exit, outcome.out.as_str()), (130, ""));
        assert_eq!(outcome.err.lines().count(), 1, "{}", outcome.err);
        book.remove(A);
        book.put_packet("a", A);
    }
}

#[test]
#[cfg_attr(windows, ignore = "a directory that is open keeps its name there")]
fn a_project_that_goes_and_comes_back_is_told() {
    let book = Book::new();
    book.put_packet("a", A);
    let (running, _) = watching(&book, &[]);
    let away = book.root().with_extension("away");
    fs::rename(book.root(), &away).expect("renamed");
    let gone = running.next_json();
    assert_eq!((&gone["event"], &gone["exit"]), (&"project-gone".into(), &2.into()));
    fs::create_dir_all(away.join("staging/novel-ask")).expect("made");
    fs::write(away.join(A), Book::RECORD).expect("written");
    fs::rename(&away, book.root()).expect("renamed back");
    assert_eq!(running.next_json()["event"], "project-back");
    next(&running, &format!("changed open waiting {PACKET}"));
}

#[test]
#[cfg_attr(windows, ignore = "nothing tells there that a reader has gone")]
fn it_ends_when_its_reader_goes_though_nothing_changes() {
    let book = Book::new();
    book.put_packet("a", A);
    let mut command = book.command(&["list", "--watch", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("started");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("\"ready\"") {
        line.clear();
        assert_ne!(out.read_line(&mut line).expect("a line"), 0, "it ended");
    }
    assert!(child.try_wait().expect("a child").is_none());
    drop(out);
    let deadline = Instant::now() + Duration::from_secs(30);
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        if Instant::now() > deadline {
            let _ = child.kill();
            panic!("it does not end");
        }
        thread::sleep(Duration::from_millis(1));
    };
    assert_eq!(status.code(), Some(0));
}

#[test]
#[cfg(target_os = "linux")]
fn a_gate_is_not_gone_because_no_file_can_be_opened() {
    use rustix::process::{Resource, Rlimit};
    let book = Book::new();
    let packet = |step: &str| {
        format!(
            r#"{{"step":"{step}","answer_path":"staging/{step}.json","novel_ask":{{"version":1,"topic":"t",
            "questions":[{{"id":"a","header":"h","question":"q","kind":"free_text","required":true}}]}}}}"#
        )
    };
    for (place, step) in [("a/one", "1"), ("a/two", "2"), ("b/three", "3"), ("b/c/four", "4")] {
        book.put(&format!("staging/{place}.packet.json"), &packet(step));
    }
    let (running, first) = watching(&book, &[]);
    assert_eq!(first.len(), 5);
    let all = running.limit(Resource::Nofile, Rlimit { current: Some(0), maximum: None });
    // The project goes and comes back, so that it is known to have looked meanwhile.
    let away = book.root().with_extension("away");
    fs::rename(book.root(), &away).expect("renamed");
    assert_eq!(running.next_json()["event"], "project-gone");
    for (place, step) in [("a/one", "changed"), ("b/five", "5")] {
        fs::write(away.join(format!("staging/{place}.packet.json")), packet(step)).expect("written");
    }
    fs::rename(&away, book.root()).expect("renamed back");
    assert_eq!(running.next_json()["event"], "project-back");
    running.limit(Resource::Nofile, all);
    let two_lines = |expected: [&str; 2]| {
        let mut said = [running.next_json(), running.next_json()].map(|line| {
            ["event", "step", "packet"].map(|key| line[key].as_str().unwrap_or("-").to_owned()).join(" ")
        });
        said.sort();
        assert_eq!(said, expected);
    };
    two_lines(["appeared 5 staging/b/five.packet.json", "changed changed staging/a/one.packet.json"]);
    book.put("staging/2.json", Book::RECORD).put("staging/4.json", Book::RECORD);
    two_lines(["changed 2 staging/a/two.packet.json", "changed 4 staging/b/c/four.packet.json"]);
}
