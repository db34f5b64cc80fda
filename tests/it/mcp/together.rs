//! Servers that are killed, two at once, calls that are cancelled.

use super::{Server, answer, asking, book, listed};
use crate::sandbox::{Sandbox, wait_until};
use novel_gate::platform::files::look_at;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

/// How many processes wait for a packet: each holds a lock on it. Three where the system does not tell.
fn waiters(packet: &Path) -> usize {
    let inode = look_at(packet).expect("the packet").id.1;
    let Ok(locks) = fs::read_to_string("/proc/locks") else { return 3 };
    locks.lines().filter(|line| line.contains(" READ ") && line.contains(&format!(":{inode} "))).count()
}

/// Asks in a server, and kills it while it waits; gives the packet.
fn asked_and_killed(book: &Sandbox) -> String {
    let mut server = Server::of(book);
    server.call("ask_author", &asking("t", 60.0));
    wait_until("the question", || listed(book).len() == 1);
    server.kill();
    listed(book).remove(0)["packet"].as_str().expect("a path").to_owned()
}

#[test]
fn a_killed_server_leaves_its_question_orphaned_and_the_same_question_adopts_it() {
    let book = book();
    let packet = asked_and_killed(&book);
    assert_eq!(listed(&book).remove(0)["orphaned"], true);
    let words = book.run(["list"]).stdout;
    assert!(words.contains("(nobody waits for the answer)"), "{words}");
    let shown = book.run(["show", &packet]).stdout;
    assert!(shown.contains("Nobody waits for the answers, unless"), "{shown}");
    let shown: Value = serde_json::from_str(&book.run(["show", &packet, "--json"]).stdout).expect("JSON");
    assert_eq!(shown["orphaned"], true);
    // A hook clears what hooks have left, and nothing else.
    let call =
        json!({"hook_event_name": "PreToolUse", "tool_name": "Write", "cwd": book.root(), "tool_input": {}});
    let mut hook = book.command(["hook", "claude-code"]);
    assert_eq!(
        crate::sandbox::Running::start_fed(&mut hook, call.to_string().as_bytes()).wait().code,
        Some(0)
    );
    let mut server = Server::of(&book);
    let id = server.call("ask_author", &asking("t", 60.0));
    wait_until("the adoption", || listed(&book).iter().any(|gate| gate["orphaned"] == false));
    assert_eq!(listed(&book).len(), 1);
    answer(&book, &packet, &["place=web"]);
    assert_eq!(server.given(id), json!({"status": "answered", "gate": packet, "answers": {"place": "web"}}));
}

#[test]
fn an_orphan_that_was_answered_gives_its_answers_to_who_names_it_and_to_no_other_session() {
    let book = book();
    let packet = asked_and_killed(&book);
    answer(&book, &packet, &["place=web"]);
    assert_eq!(listed(&book).remove(0)["status"], "open");
    let mut server = Server::of(&book);
    let asked = server.get("ask_author", &asking("t", 0.0));
    assert_eq!(asked["status"], "waiting", "{asked}");
    assert_ne!(asked["gate"], json!(packet));
    let given = server.get("wait_gate", &json!({"gate": packet, "wait_s": 0}));
    assert_eq!(given["answers"], json!({"place": "web"}), "{given}");
    wait_until("the answers are handed over", || listed(&book).len() == 1);
}

#[test]
fn a_gate_is_waited_for_by_a_server_that_did_not_ask() {
    let book = book();
    let packet = asked_and_killed(&book);
    let mut server = Server::of(&book);
    let id = server.call("wait_gate", &json!({"gate": packet, "wait_s": 60}));
    wait_until("the adoption", || listed(&book).iter().any(|gate| gate["orphaned"] == false));
    answer(&book, &packet, &["place=qidian"]);
    assert_eq!(server.given(id)["answers"], json!({"place": "qidian"}));
    wait_until("the answers are handed over", || listed(&book).is_empty());
    // One that was answered in between is handed over just so.
    let packet = asked_and_killed(&book);
    answer(&book, &packet, &["place=web"]);
    assert_eq!(server.get("wait_gate", &json!({"gate": packet}))["answers"], json!({"place": "web"}));
    wait_until("the answers are handed over", || listed(&book).is_empty());
}

#[test]
fn servers_that_ask_the_same_are_asked_each_for_itself() {
    let book = book();
    let mut servers = [Server::of(&book), Server::of(&book)];
    let gates = servers
        .each_mut()
        .map(|server| server.get("ask_author", &asking("t", 0.0))["gate"].as_str().map(str::to_owned));
    let [Some(one), Some(other)] = &gates else { panic!("{gates:?}") };
    assert_ne!(one, other);
    let callers: Vec<Value> = listed(&book).iter().map(|gate| gate["caller"]["session"].clone()).collect();
    assert!(callers[0].is_string() && callers[0] != callers[1], "{callers:?}");
    answer(&book, one, &["place=web"]);
    assert_eq!(servers[1].get("ask_author", &asking("t", 0.0))["status"], "waiting");
    assert_eq!(servers[0].get("ask_author", &asking("t", 0.0))["answers"], json!({"place": "web"}));
    answer(&book, other, &["place=qidian"]);
    assert_eq!(servers[1].get("ask_author", &asking("t", 0.0))["answers"], json!({"place": "qidian"}));
}

#[test]
fn servers_that_wait_for_one_gate_get_the_same_answers() {
    let book = book();
    let mut servers = [Server::of(&book), Server::of(&book), Server::of(&book)];
    let packet = servers[0].get("ask_author", &asking("t", 0.0))["gate"].clone();
    let path = packet.as_str().expect("a path");
    let ids = servers.each_mut().map(|server| server.call("wait_gate", &json!({"gate": path, "wait_s": 60})));
    wait_until("all three wait for it", || waiters(&book.path(path)) == 3);
    servers[0].kill();
    assert_eq!(listed(&book).remove(0)["orphaned"], false, "the others wait");
    answer(&book, path, &["place=web"]);
    for place in [1, 2] {
        let given = servers[place].given(ids[place]);
        assert_eq!(given["answers"], json!({"place": "web"}), "{given}");
    }
}

#[test]
fn cancelling_stops_the_wait_and_the_server_lives_on() {
    let book = book();
    let mut server = Server::of(&book);
    for tool in ["wait_gate", "ask_author"] {
        let gate = server.get("ask_author", &asking("t", 0.0))["gate"].clone();
        let arguments =
            if tool == "wait_gate" { json!({"gate": gate, "wait_s": 60}) } else { asking("t", 60.0) };
        let id = server.call(tool, &arguments);
        server.cancel(id);
        // Nothing is said about the cancelled call: the next line is about this one.
        assert_eq!(server.get("wait_gate", &json!({"gate": gate, "wait_s": 0}))["status"], "waiting");
        assert_eq!(listed(&book).len(), 1, "{tool}");
    }
    assert_eq!(server.end(), Some(0));
}

#[test]
fn a_client_that_goes_away_ends_the_server_at_once_and_the_question_stays() {
    let book = book();
    let mut server = Server::of(&book);
    let id = server.call("ask_author", &asking("t", 3600.0));
    wait_until("the question", || listed(&book).len() == 1);
    drop(server.input.take());
    assert_eq!(server.given(id)["status"], "waiting");
    assert_eq!(server.end(), Some(0));
    assert_eq!(listed(&book).remove(0)["orphaned"], true);
}

#[test]
#[cfg_attr(windows, ignore = "nothing tells there that a reader has gone")]
fn answers_that_nobody_can_read_stay_for_who_names_the_question() {
    let book = book();
    let mut server = book.command(["mcp"]);
    let mut server = server.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a server");
    let input = server.stdin.as_mut().expect("a pipe");
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let ask = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "ask_author", "arguments": asking("t", 3600.0)}});
    writeln!(input, "{hello}\n{ask}").expect("it reads");
    wait_until("the question", || listed(&book).len() == 1);
    let packet = listed(&book).remove(0)["packet"].as_str().expect("a path").to_owned();
    drop(server.stdout.take());
    wait_until("the server has seen it", || listed(&book)[0]["orphaned"] == true);
    assert_eq!(server.wait().expect("a child").code(), Some(0));
    answer(&book, &packet, &["place=web"]);
    let given = Server::of(&book).get("wait_gate", &json!({"gate": packet, "wait_s": 60}));
    assert_eq!(given["answers"], json!({"place": "web"}), "{given}");
}

/// How many threads and descriptors a process has.
#[cfg(target_os = "linux")]
fn held(pid: crate::system::Pid) -> (usize, usize) {
    let count = |of: &str| std::fs::read_dir(format!("/proc/{pid}/{of}")).map_or(0, Iterator::count);
    (count("task"), count("fd"))
}

#[cfg(target_os = "linux")]
#[test]
fn many_calls_take_few_threads_and_cancelled_ones_give_theirs_back() {
    let book = book();
    let packet = asked_and_killed(&book);
    let mut server = Server::of(&book);
    let waiting = |server: &mut Server| server.call("wait_gate", &json!({"gate": packet, "wait_s": 600}));
    let listing = |server: &mut Server| {
        let id = server.call("list_gates", &json!({}));
        while server.next()["id"] != id {}
    };
    listing(&mut server);
    let (threads, descriptors) = held(server.pid());
    let calls: Vec<u64> = (0..200).map(|_| waiting(&mut server)).collect();
    // It reads what was said before it answers this.
    listing(&mut server);
    let last = server.call("wait_gate", &json!({"gate": packet, "wait_s": 0}));
    assert_eq!(server.given(last)["status"], "waiting", "who finds no room is told how things stand");
    let (more, open) = held(server.pid());
    assert!(more < threads + 150 && open < descriptors + 150, "{more} threads, {open} descriptors");
    for id in calls {
        server.cancel(id);
    }
    wait_until("all of it back", || {
        let (more, open) = held(server.pid());
        more <= threads + 2 && open <= descriptors + 8
    });
    let last = server.call("wait_gate", &json!({"gate": packet, "wait_s": 60}));
    answer(&book, &packet, &["place=web"]);
    while server.next()["id"] != last {}
}
