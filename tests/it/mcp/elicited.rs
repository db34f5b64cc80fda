//! Questions in the client's own dialog, where no console is open.

use super::{Server, answer, asking, book, listed};
use crate::sandbox::{Sandbox, wait_until};
use novel_gate::store::lock::open_console;
use novel_gate::store::{Project, StateDir};
use serde_json::{Value, json};

/// Seconds in which nobody answers. Without any, no form is shown.
const MOMENT: f64 = 0.001;

/// A client that shows forms, and a question of [`asking`] with own words allowed.
fn shown(book: &Sandbox) -> (Server, u64, Value) {
    let mut server = Server::declaring(book, &json!({"elicitation": {"form": {}}}));
    let mut asked = asking("平台", MOMENT);
    asked["questions"][0]["allow_other"] = json!(true);
    let id = server.call("ask_author", &asked);
    let form = server.next();
    assert_eq!(form["method"], "elicitation/create", "{form}");
    (server, id, form)
}

fn reply(server: &mut Server, form: &Value, result: &Value) {
    server.say(&json!({"jsonrpc": "2.0", "id": form["id"], "result": result}).to_string());
}

#[test]
fn a_form_that_is_filled_is_the_authors_answer() {
    let book = book();
    let (mut server, id, form) = shown(&book);
    assert_eq!(form["params"]["message"], "平台: 发布到哪里？");
    assert_eq!(form["params"]["mode"], "form");
    let schema = json!({"type": "object", "properties": {
        "place": {"type": "string", "title": "平台", "description": "发布到哪里？", "oneOf": [
            {"const": "qidian", "title": "qidian · d"}, {"const": "web", "title": "web · d"}]},
        "place__own": {"type": "string", "title": "平台: your own words", "description": "Instead of a choice."}}});
    assert_eq!(form["params"]["requestedSchema"], schema);
    assert_eq!(listed(&book).len(), 1, "it is a gate as well");
    reply(&mut server, &form, &json!({"action": "accept", "content": {"place": "web", "place__own": ""}}));
    let given = server.given(id);
    assert_eq!((&given["status"], &given["answers"]), (&json!("answered"), &json!({"place": "web"})));
    let told: Value = serde_json::from_str(&book.run(["history", "--json"]).stdout).expect("JSON");
    let entry = &told["entries"][0];
    assert_eq!((&entry["answered_by"], &entry["reason"]), (&json!("human"), &json!("answered")), "{told}");
}

#[test]
fn own_words_are_an_answer_too() {
    for content in [json!({"place__own": " 自建站 "}), json!({"place": "", "place__own": "自建站"})] {
        let book = book();
        let (mut server, id, form) = shown(&book);
        reply(&mut server, &form, &json!({"action": "accept", "content": content}));
        assert_eq!(server.given(id)["answers"], json!({"place": "自建站"}), "{content}");
    }
    let book = book();
    let (mut server, id, form) = shown(&book);
    reply(&mut server, &form, &json!({"action": "accept", "content": {"place": "web", "place__own": "web"}}));
    assert_eq!(server.given(id)["answers"], json!({"place": "web"}), "the same said twice");
}

#[test]
fn a_client_that_cannot_leave_a_field_blank_gets_none_for_own_words() {
    let book = book();
    let mut server = Server::start(&mut book.command::<&str>([]));
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {"form": {}}},
        "clientInfo": {"name": "codex-mcp-client", "version": "0.169.0"}});
    let id = server.request("initialize", &hello);
    assert_eq!(server.answer(id)["result"]["protocolVersion"], "2025-06-18");
    let mut asked = asking("t", MOMENT);
    asked["questions"][0]["allow_other"] = json!(true);
    let id = server.call("ask_author", &asked);
    let form = server.next();
    let properties = &form["params"]["requestedSchema"]["properties"];
    assert_eq!(properties.as_object().map(serde_json::Map::len), Some(1), "{form}");
    assert!(
        properties["place"]["description"].as_str().is_some_and(|words| words.contains("leave this form"))
    );
    reply(&mut server, &form, &json!({"action": "accept", "content": {"place": "web"}}));
    assert_eq!(server.given(id)["answers"], json!({"place": "web"}));
}

#[test]
fn what_is_no_filled_form_is_no_answer() {
    for result in [
        json!({"action": "accept"}),
        json!({"action": "accept", "content": {}}),
        json!({"action": "accept", "content": {"place": "elsewhere"}}),
        json!({"action": "accept", "content": {"place": true}}),
        json!({"action": "accept", "content": {"place": "web", "place__own": "elsewhere"}}),
        json!({"action": "accept", "content": {"place__own": "__done__"}}),
        json!({"action": "accept", "content": {"place__own": " "}}),
        json!({"action": "accept", "content": {"place__own": "[No preference]"}}),
        json!({"action": "accept", "content": {"place__own": "【自建站】"}}),
        json!({"action": "decline"}),
        json!({"action": "decline", "content": {"place": "web"}}),
        json!({"action": "cancel"}),
        json!({}),
    ] {
        let book = book();
        let (mut server, id, form) = shown(&book);
        reply(&mut server, &form, &result);
        let line = server.answer(id);
        let given = line["result"]["structuredContent"].clone();
        assert_eq!(given["status"], "waiting", "{result}");
        assert!(given["message"].as_str().is_some_and(|words| words.contains("form was closed")), "{given}");
        let gate = given["gate"].as_str().expect("a path");
        assert_eq!(listed(&book).remove(0)["status"], "waiting", "{result}");
        answer(&book, gate, &["place=qidian"]);
        assert_eq!(server.get("wait_gate", &json!({"gate": gate}))["answers"], json!({"place": "qidian"}));
    }
}

#[test]
fn a_client_that_cannot_show_the_form_after_all_waits_like_any_other() {
    let book = book();
    let (mut server, id, form) = shown(&book);
    let error = json!({"code": -32601, "message": "no"});
    server.say(&json!({"jsonrpc": "2.0", "id": form["id"], "error": error}).to_string());
    assert_eq!(server.given(id)["status"], "waiting");
}

#[test]
fn only_single_choices_that_must_be_answered_are_shown_and_only_where_no_console_is_open() {
    let book = book();
    let mut changed = Vec::new();
    for (key, value) in [("required", json!(false)), ("kind", json!("multi_choice"))] {
        let mut asked = asking(key, MOMENT);
        asked["questions"][0][key] = value;
        changed.push(asked);
    }
    let mut mixed = asking("mixed", MOMENT);
    let free = json!({"id": "why", "header": "h", "question": "q", "kind": "free_text", "required": true});
    mixed["questions"].as_array_mut().expect("questions").push(free);
    changed.push(mixed);
    let mut server = Server::declaring(&book, &json!({"elicitation": {}}));
    for asked in changed {
        assert_eq!(server.get("ask_author", &asked)["status"], "waiting");
    }
    let project = Project::open(&book.root()).expect("a project");
    let console = open_console(&StateDir::new(&book.state(), &project)).expect("a lock");
    assert_eq!(server.get("ask_author", &asking("t", MOMENT))["status"], "waiting");
    drop(console);
    let mut urls_only = Server::declaring(&book, &json!({"elicitation": {"url": {}}}));
    assert_eq!(urls_only.get("ask_author", &asking("t", MOMENT))["status"], "waiting");
    assert_eq!(server.get("ask_author", &asking("t", 0.0))["status"], "waiting", "it only looks");
    let id = server.call("ask_author", &asking("t", MOMENT));
    let form = server.next();
    assert_eq!(form["params"]["requestedSchema"]["required"], json!(["place"]), "{form}");
    reply(&mut server, &form, &json!({"action": "accept", "content": {"place": "web"}}));
    assert_eq!(server.given(id)["answers"], json!({"place": "web"}));
}

#[test]
fn a_form_is_taken_away_when_the_answer_comes_from_elsewhere() {
    let book = book();
    let (server, id, form) = shown(&book);
    wait_until("the question", || listed(&book).len() == 1);
    answer(&book, listed(&book)[0]["packet"].as_str().expect("a path"), &["place=web"]);
    let (one, other) = (server.next(), server.next());
    let (answered, taken) = if one["id"] == id { (one, other) } else { (other, one) };
    assert_eq!(answered["result"]["structuredContent"]["answers"], json!({"place": "web"}), "{answered}");
    assert_eq!(
        (&taken["method"], &taken["params"]["requestId"]),
        (&json!("notifications/cancelled"), &form["id"])
    );
}

/// A client without a handshake, which shows forms.
struct Stateless {
    server: Server,
}

impl Stateless {
    fn of(book: &Sandbox) -> Stateless {
        Stateless { server: Server::start(&mut book.command::<&str>([])) }
    }

    fn request(&mut self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "tester", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        });
        let id = self.server.request(method, &params);
        self.server.answer(id)
    }

    /// Asks and gets a form, with what is to be sent back beside its answer.
    fn shown(&mut self) -> (Value, Value) {
        let params = json!({"name": "ask_author", "arguments": asking("t", MOMENT)});
        let told = self.request("tools/call", params);
        let asked = &told["result"];
        assert_eq!(asked["resultType"], "input_required", "{told}");
        (asked["inputRequests"]["author"].clone(), asked["requestState"].clone())
    }

    /// Asks once more, with what became of the form.
    fn fill(&mut self, state: &Value, result: &Value) -> Value {
        self.request(
            "tools/call",
            json!({"name": "ask_author", "arguments": asking("t", MOMENT), "requestState": state,
                "inputResponses": {"author": result}}),
        )
    }
}

#[test]
fn a_client_without_a_handshake_gets_the_form_in_the_answer_and_calls_again_with_it() {
    let book = book();
    let mut client = Stateless::of(&book);
    let hello = client.request("server/discover", json!({}));
    assert!(
        hello["result"]["supportedVersions"].as_array().is_some_and(|all| all.contains(&json!("2026-07-28"))),
        "{hello}"
    );
    let (form, state) = client.shown();
    assert_eq!(form["method"], "elicitation/create");
    assert_eq!(form["params"]["requestedSchema"]["required"], json!(["place"]));
    let told = client.fill(&state, &json!({"action": "decline"}))["result"]["structuredContent"].clone();
    assert_eq!(told["status"], "waiting");
    assert!(told["message"].as_str().is_some_and(|words| words.contains("form was closed")), "{told}");
    let accept = json!({"action": "accept", "content": {"place": "web"}});
    let given = client.fill(&state, &accept)["result"]["structuredContent"].clone();
    assert_eq!((&given["status"], &given["answers"]), (&json!("answered"), &json!({"place": "web"})));
    wait_until("the answers are handed over", || listed(&book).is_empty());
}

#[test]
fn a_form_that_is_filled_late_changes_nothing_and_says_who_was_first() {
    let book = book();
    let mut client = Stateless::of(&book);
    let accept = json!({"action": "accept", "content": {"place": "web"}});
    let (_, state) = client.shown();
    let gate = state.as_str().expect("a path");
    for is_handed_over in [false, true] {
        if !is_handed_over {
            answer(&book, gate, &["place=qidian"]);
        }
        let given = client.fill(&state, &accept)["result"]["structuredContent"].clone();
        assert_eq!((&given["status"], &given["answers"]), (&json!("answered"), &json!({"place": "qidian"})));
        let words = given["message"].as_str().expect("words");
        assert!(words.contains("elsewhere first, by human"), "{words}");
        wait_until("the answers are handed over", || listed(&book).is_empty());
    }
    let told: Value = serde_json::from_str(&book.run(["history", "--json"]).stdout).expect("JSON");
    assert_eq!(told["count"], 1, "{told}");
}

#[test]
fn an_answer_to_a_form_that_was_not_shown_is_refused() {
    let book = book();
    let mut client = Stateless::of(&book);
    let accept = json!({"action": "accept", "content": {"place": "web"}});
    for state in [Value::Null, json!("staging/novel-ask/relay/relay-00000000.packet.json")] {
        let told = client.fill(&state, &accept);
        assert_eq!(told["error"]["code"], -32602, "{told}");
    }
    assert_eq!(listed(&book), [Value::Null; 0], "nothing was asked");
    // Who shook hands was asked by a request, and answers that.
    let mut server = Server::declaring(&book, &json!({"elicitation": {"form": {}}}));
    let params = json!({"name": "ask_author", "arguments": asking("t", MOMENT),
        "inputResponses": {"author": accept}});
    let id = server.request("tools/call", &params);
    assert_eq!(server.answer(id)["error"]["code"], -32602);
    server.say(&json!({"jsonrpc": "2.0", "id": 7, "result": accept}).to_string());
    assert_eq!(server.get("list_gates", &json!({})), json!({"gates": [], "more": 0}));
}
