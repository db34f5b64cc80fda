//! The client's own form, where no console is open.

use novel_gate::store::lock::open_console;
use novel_gate::store::{Project, StateDir};
use serde_json::{Value, json};

use super::{Client, REVISIONS, Shared, in_seconds, place};

/// What a client says that can show forms.
fn forms() -> Value {
    json!({"elicitation": {"form": {}}})
}

/// The field of a form with choices, and the one without.
fn fields(form: &Value) -> [String; 2] {
    let properties = form["elicited"]["requestedSchema"]["properties"].as_object().expect("fields");
    [true, false].map(|has_choices| {
        let field = properties.iter().find(|(_, field)| field.get("oneOf").is_some() == has_choices);
        field.map_or_else(|| panic!("{form:#}"), |(name, _)| name.clone())
    })
}

/// Asks, and waits for the form.
fn ask(client: &mut Client, call: &Value) -> Value {
    client.call("ask", "ask_author", call);
    client.event("elicited")
}

#[test]
fn what_is_put_into_a_form_is_the_authors_answer() {
    let Some(shared) = Shared::new() else { return };
    for revision in REVISIONS {
        let mut client = shared.client_with(revision, &forms());
        let topic = format!("开篇 {revision}");
        let form = ask(&mut client, &place(&topic));
        let [chosen, _] = fields(&form);
        let choices = &form["elicited"]["requestedSchema"]["properties"][&chosen]["oneOf"];
        assert_eq!((&choices[0]["const"], &choices[1]["const"]), (&json!("渡口"), &json!("驿站")));
        client.make(&json!({"elicit": {"action": "accept", "content": {chosen: "驿站"}}}));
        let given = client.given("ask");
        assert_eq!((&given["status"], &given["answers"]), (&json!("answered"), &json!({"place": "驿站"})));
        let form = ask(&mut client, &place(&format!("{topic}，再问")));
        let [_, own] = fields(&form);
        client.make(&json!({"elicit": {"action": "accept", "content": {own: "江上"}}}));
        assert_eq!(client.given("ask")["answers"], json!({"place": "江上"}));
        client.close();
    }
    let kept = shared.told("history");
    let by: Vec<&Value> =
        kept["entries"].as_array().expect("entries").iter().map(|entry| &entry["answered_by"]).collect();
    assert_eq!(by, [&json!("human"); 4], "{kept}");
}

#[test]
fn a_form_that_is_not_filled_answers_nothing() {
    let Some(shared) = Shared::new() else { return };
    for revision in REVISIONS {
        let mut client = shared.client_with(revision, &forms());
        for reply in [
            json!({"action": "decline"}),
            json!({"action": "cancel"}),
            json!({"action": "accept"}),
            json!({"action": "accept", "content": {}}),
            json!({"action": "accept", "content": {"place": "nowhere"}}),
            json!({"action": "accept", "content": {"place": "渡口", "place__own": "江上"}}),
        ] {
            let topic = format!("{revision} {reply}");
            ask(&mut client, &in_seconds(place(&topic), 1.0));
            client.make(&json!({"elicit": reply}));
            let given = client.given("ask");
            assert_eq!((&given["status"], given.get("answers")), (&json!("waiting"), None), "{reply}");
            shared.answer(&given["gate"], "place=渡口");
            let gate = json!({"gate": given["gate"]});
            assert_eq!(client.get("wait_gate", &gate)["answers"], json!({"place": "渡口"}));
        }
        client.close();
    }
}

#[test]
fn no_form_is_shown_beside_a_console() {
    let Some(shared) = Shared::new() else { return };
    let project = Project::open(&shared.book.root()).expect("a project");
    let _console = open_console(&StateDir::new(&shared.book.state(), &project)).expect("a lock");
    for revision in REVISIONS {
        let mut client = shared.client_with(revision, &forms());
        let asked = client.get("ask_author", &in_seconds(place(revision), 1.0));
        assert_eq!(asked["status"], "waiting");
        assert!(client.early.is_empty(), "{:?}", client.early);
        shared.answer(&asked["gate"], "place=渡口");
        client.close();
    }
}
