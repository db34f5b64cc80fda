//! What is asked through the client and answered by the author.

use std::time::Duration;

use serde_json::{Value, json};

use super::{REVISIONS, Shared, in_seconds, place};
use crate::sandbox::wait_until;

#[test]
fn the_author_answers_a_call_in_the_console() {
    let Some(shared) = Shared::new() else { return };
    let mut client = shared.client(REVISIONS[0]);
    let mut console = shared.book.console(100, 30);
    client.call("ask", "ask_author", &place("开篇"));
    console.wait_for_text("1 waiting");
    console.press("enter");
    console.wait_for_text("故事从哪里开始");
    console.press("down");
    console.press("enter");
    console.wait_for_text("This will be written to");
    console.press("ctrl+s");
    let given = client.given("ask");
    assert_eq!((&given["status"], &given["answers"]), (&json!("answered"), &json!({"place": "驿站"})));
    console.press("f10");
    assert_eq!(console.wait_exit().code, Some(0));
    client.close();
    assert_eq!(shared.told("history")["count"], 1);
}

#[test]
fn the_author_hands_a_question_back_in_the_console() {
    let Some(shared) = Shared::new() else { return };
    let mut client = shared.client(REVISIONS[0]);
    let console = shared.book.console(100, 30);
    client.call("ask", "ask_author", &place("开篇"));
    console.wait_for_text("1 waiting");
    console.press("enter");
    console.wait_for_text("故事从哪里开始");
    console.press("ctrl+o");
    let given = client.given("ask");
    assert_eq!((&given["status"], given.get("answers")), (&json!("declined"), None));
    client.close();
}

#[test]
fn a_slice_runs_out_and_the_gate_is_waited_for() {
    let Some(shared) = Shared::new() else { return };
    for revision in REVISIONS {
        let mut client = shared.client(revision);
        let asked = client.get("ask_author", &in_seconds(place("开篇"), 0.0));
        assert_eq!(asked["status"], "waiting");
        let gate = json!({"gate": asked["gate"], "wait_s": 0.1});
        assert_eq!(client.get("wait_gate", &gate)["status"], "waiting");
        client.call("wait", "wait_gate", &json!({"gate": asked["gate"]}));
        shared.answer(&asked["gate"], "place=江上");
        let given = client.given("wait");
        assert_eq!((&given["status"], &given["answers"]), (&json!("open"), &json!({"place": "江上"})));
        client.close();
    }
}

#[test]
fn a_gate_of_a_step_is_waited_for_by_its_name() {
    let Some(shared) = Shared::new() else { return };
    let packet = json!({"step": "step:a", "answer_path": "staging/novel-ask/a.json", "novel_ask": {
        "version": 1, "topic": "t", "questions": [
            {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    shared.book.put("staging/manifests/a.packet.json", packet.to_string());
    let mut client = shared.client(REVISIONS[0]);
    client.call("wait", "wait_gate", &json!({"gate": "step:a"}));
    shared.answer(&json!("staging/manifests/a.packet.json"), "a=雨");
    let given = client.given("wait");
    assert_eq!((&given["status"], &given["answers"]), (&json!("open"), &json!({"a": "雨"})));
    let words = shared.book.run(["decisions", "step:a"]).stdout;
    assert!(words.contains("> Answer: 雨\n"), "{words}");
    assert_eq!(given["decisions"].as_str(), words.strip_suffix('\n'), "the words of the command");
    assert_eq!(given["record_path"], "staging/novel-ask/a.json");
    assert!(shared.book.read("staging/novel-ask/a.json").is_some());
    client.close();
}

#[test]
fn a_client_that_waits_hears_that_the_call_goes_on() {
    let Some(shared) = Shared::new() else { return };
    let mut client = shared.client(REVISIONS[0]);
    client.call("ask", "ask_author", &place("开篇"));
    // Some clients give up after a minute of silence.
    let told = client.event_within(Duration::from_mins(1), "progress", |event| event["progress"] == "ask");
    assert!(told["value"]["progress"].as_f64().is_some_and(|progress| progress > 0.0), "{told}");
    let gate = &shared.told("list")["gates"][0]["packet"];
    shared.answer(gate, "place=渡口");
    assert_eq!(client.given("ask")["answers"], json!({"place": "渡口"}));
    assert!(client.early.is_empty(), "nothing is told after the end: {:?}", client.early);
    client.close();
}

#[test]
fn twenty_questions_at_once_get_their_own_answers() {
    let Some(shared) = Shared::new() else { return };
    let mut client = shared.client(REVISIONS[0]);
    let topics: Vec<String> = (0..20).map(|number| format!("第 {number} 章")).collect();
    for topic in &topics {
        client.call(topic, "ask_author", &place(topic));
    }
    let waiting = || -> Vec<(String, Value)> {
        let listed = shared.told("list");
        let gates = listed["gates"].as_array().expect("gates");
        let gate =
            |gate: &Value| (gate["topic"].as_str().expect("a topic").to_owned(), gate["packet"].clone());
        gates.iter().map(gate).collect()
    };
    wait_until("all questions are there", || waiting().len() == topics.len());
    for (topic, packet) in waiting().iter().rev() {
        shared.answer(packet, &format!("place={topic}"));
    }
    for topic in &topics {
        let given = client.given(topic);
        let answer = given["answers"]["place"].as_str().expect("an answer");
        assert!(answer.contains(topic.as_str()), "{topic}: {given}");
    }
    client.close();
}
