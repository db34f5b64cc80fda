//! Options that a client proposes.

use super::{Server, book};
use serde_json::{Value, json};

const FILE: &str = r#"{"_steps": ["chapter:*:draft"], "version": 1, "topic": "t", "questions": [{"id": "way", "header": "h", "question": "q",
    "kind": "single_choice", "required": true, "options": [{"label": "own", "description": "d"}], "allow_other": true,
    "_propose": {"brief": "two ways", "options": 2, "rounds": 2}}]}"#;

fn option(label: &str) -> Value {
    json!({"label": label, "description": "d"})
}

#[test]
fn a_client_is_told_what_to_propose_and_proposes_it() {
    let book = book();
    book.put("questions/way.question.json", FILE);
    book.put("staging/a.packet.json", r#"{"step": "chapter:001:draft"}"#);
    let mut server = Server::of(&book);
    let message = |server: &mut Server, round: Option<u64>| {
        let id = server.call("wait_gate", &json!({"gate": "chapter:001:draft", "wait_s": 0}));
        let given = server.answer(id)["result"]["structuredContent"].clone();
        let wanted = round.map_or(Value::Null, |round| {
            json!([{"question": "way", "brief": "two ways", "options": 2, "round": round, "rounds": 2}])
        });
        assert_eq!(given["propose"], wanted);
        given["message"].as_str().expect("words").to_owned()
    };
    let first = message(&mut server, Some(1));
    assert!(
        first.contains("propose 2 options") && first.contains("propose_options, question way"),
        "{first}"
    );
    assert!(!first.contains("call wait_gate again"), "only to propose is of use: {first}");
    let offer = |labels: &[&str]| {
        let options: Vec<Value> = labels.iter().map(|label| option(label)).collect();
        json!({"gate": "chapter:001:draft", "options": options})
    };
    for (arguments, why) in [
        (json!({"gate": "chapter:001:draft"}), "/options"),
        (offer(&["own"]), "has this option already"),
        (
            json!({"gate": "chapter:001:draft", "question": "b", "options": [option("a")]}),
            "No options can be proposed to b",
        ),
        (json!({"gate": "chapter:001:draft", "options": "a"}), "/options"),
    ] {
        let fault = server.fault("propose_options", &arguments);
        assert!(fault.contains(why), "{fault}");
    }
    let given = server.get("propose_options", &offer(&["a", "b"]));
    assert_eq!((&given["round"], &given["question"], &given["given"]), (&json!(1), &json!("way"), &json!(2)));
    let waiting = message(&mut server, None);
    assert!(!waiting.contains("propose"), "{waiting}");
    let ran = book.run(["answer", "chapter:001:draft", "--by", "human", "--send-back", "too flat"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let again = message(&mut server, Some(2));
    assert!(again.contains("too flat") && again.contains("round 2 of 2"), "{again}");
    server.get("propose_options", &offer(&["c"]));
    assert!(server.fault("propose_options", &offer(&["d"])).contains("Propose no more"));
    super::answer(&book, "chapter:001:draft", &["way=c"]);
    assert!(server.fault("propose_options", &offer(&["d"])).contains("has decided"));
    let open = message(&mut server, None);
    assert!(open.contains("Do the step by decisions") && open.contains("word for word"), "{open}");
}
