//! What the author sends back.

use super::{Server, asking, book, listed};
use crate::sandbox::{Sandbox, wait_until};
use serde_json::{Value, json};

const GATE: &str = "staging/manifests/a.packet.json";
const ROUNDS: &str = "staging/novel-ask/a.rounds.jsonl";

fn send_back(book: &Sandbox, gate: &str, reason: &str) {
    let ran = book.run(["answer", gate, "--by", "human", "--send-back", reason]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

fn rounds(book: &Sandbox) -> String {
    String::from_utf8(book.read(ROUNDS).unwrap_or_default()).expect("text")
}

/// What a call gives, with its message.
fn told(server: &Server, id: u64) -> Value {
    server.answer(id)["result"]["structuredContent"].clone()
}

#[test]
fn a_steps_gate_is_told_with_the_reason_and_what_to_do() {
    let book = book();
    let packet = json!({"step": "step:a", "answer_path": "staging/novel-ask/a.json", "novel_ask": {"version": 1,
        "topic": "t", "questions": [{"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    book.put(GATE, packet.to_string());
    let mut server = Server::of(&book);
    let id = server.call("wait_gate", &json!({"gate": "step:a", "wait_s": 60}));
    send_back(&book, GATE, "too early");
    let first = told(&server, id);
    assert_eq!((&first["status"], &first["sent_back"]["reason"]), (&json!("sent-back"), &json!("too early")));
    let message = first["message"].as_str().expect("words");
    assert!(message.contains("> Reason: too early\n") && message.contains("call wait_gate"), "{message}");
    wait_until("that it arrived is noted", || rounds(&book).contains(r#""by": "wait_gate""#));
    let lists = server.get("list_gates", &json!({}));
    assert_eq!(lists["gates"][0]["status"], "sent-back", "{lists}");
    // Fetched, it ends no call before its time; whoever only looks sees it.
    let id = server.call("wait_gate", &json!({"gate": "step:a", "wait_s": 0}));
    assert_eq!(told(&server, id)["status"], "sent-back");
    let id = server.call("wait_gate", &json!({"gate": "step:a", "wait_s": 60}));
    super::answer(&book, GATE, &["a=x"]);
    assert_eq!(told(&server, id)["status"], "open");
}

#[test]
fn a_question_of_the_clients_own_goes_with_its_refusal() {
    let book = book();
    let mut server = Server::of(&book);
    let id = server.call("ask_author", &asking("平台", 60.0));
    wait_until("the question", || listed(&book).len() == 1);
    let gate = listed(&book)[0]["packet"].as_str().expect("a path").to_owned();
    send_back(&book, &gate, "neither");
    let given = told(&server, id);
    assert_eq!((&given["status"], &given["answers"]), (&json!("sent-back"), &Value::Null));
    assert!(given["message"].as_str().is_some_and(|words| words.contains("> Reason: neither\n")), "{given}");
    wait_until("nothing is left", || listed(&book).is_empty());
    wait_until("the folder goes with it", || !book.path("staging/novel-ask/relay").exists());
    assert!(server.fault("wait_gate", &json!({"gate": gate})).contains("is gone"), "it is no answer");
}

#[test]
fn a_label_that_sends_back_in_a_form_is_no_answer() {
    let book = book();
    let mut server = Server::declaring(&book, &json!({"elicitation": {"form": {}}}));
    let mut asked = asking("平台", 60.0);
    asked["questions"][0]["_sends_back"] = json!([{"label": "neither", "description": "ask again later"}]);
    let id = server.call("ask_author", &asked);
    let form = server.next();
    assert!(form.to_string().contains("ask again later (sends it back)"), "{form}");
    let result = json!({"action": "accept", "content": {"place": "neither"}});
    server.say(&json!({"jsonrpc": "2.0", "id": form["id"], "result": result}).to_string());
    let given = told(&server, id);
    assert_eq!((&given["status"], &given["sent_back"]["choice"]), (&json!("sent-back"), &json!("neither")));
}
