//! Calls that are cancelled, servers and clients that are killed: the question stays, and the author can answer.

use rustix::process::{Signal, kill_process, test_kill_process};
use serde_json::json;

use super::{REVISIONS, Shared, in_seconds, place};
use crate::sandbox::wait_until;

#[test]
fn a_cancelled_wait_leaves_the_gate_and_a_cancelled_question_is_found_again() {
    let Some(shared) = Shared::new() else { return };
    let mut client = shared.client(REVISIONS[0]);
    let gate = client.get("ask_author", &in_seconds(place("开篇"), 0.0))["gate"].clone();
    client.call("wait", "wait_gate", &json!({"gate": gate}));
    client.call("ask", "ask_author", &place("开篇"));
    for id in ["wait", "ask"] {
        client.make(&json!({"cancel": id}));
        client.event_where(id, |event| event["error"] == id);
    }
    client.call("again", "ask_author", &place("开篇"));
    shared.answer(&gate, "place=渡口");
    let given = client.given("again");
    assert_eq!((&given["gate"], &given["answers"]), (&gate, &json!({"place": "渡口"})));
    client.close();
}

#[test]
fn a_killed_server_leaves_its_question_to_the_next() {
    let Some(shared) = Shared::new() else { return };
    let mut client = shared.client(REVISIONS[0]);
    let gate = client.get("ask_author", &in_seconds(place("开篇"), 0.0))["gate"].clone();
    client.call("ask", "ask_author", &place("开篇"));
    kill_process(client.server(), Signal::KILL).expect("killed");
    client.event_where("ask", |event| event["error"] == "ask");
    assert!(shared.book.path(gate.as_str().expect("a path")).is_file());
    let mut next = shared.client(REVISIONS[0]);
    assert_eq!(next.get("ask_author", &in_seconds(place("开篇"), 0.0))["gate"], gate);
    shared.answer(&gate, "place=渡口");
    assert_eq!(next.get("ask_author", &place("开篇"))["answers"], json!({"place": "渡口"}));
    next.close();
}

#[test]
fn a_killed_client_ends_the_server_and_the_author_can_still_answer() {
    let Some(shared) = Shared::new() else { return };
    let mut client = shared.client(REVISIONS[0]);
    let gate = client.get("ask_author", &in_seconds(place("开篇"), 0.0))["gate"].clone();
    client.call("wait", "wait_gate", &json!({"gate": gate}));
    let server = client.server();
    drop(client);
    wait_until("the server is gone", || test_kill_process(server).is_err());
    shared.answer(&gate, "place=渡口");
    let mut next = shared.client(REVISIONS[0]);
    assert_eq!(next.get("wait_gate", &json!({"gate": gate}))["answers"], json!({"place": "渡口"}));
    next.close();
}
