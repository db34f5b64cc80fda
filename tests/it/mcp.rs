//! `mcp`, through the built binary: JSON-RPC lines in, JSON-RPC lines out, and what becomes of the questions.

mod asked;
mod broken;
mod elicited;
mod proposed;
mod sent_back;
mod together;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use serde_json::{Value, json};

use crate::sandbox::Sandbox;
use crate::screen::DEADLINE;

/// A server at work, and what it says line by line. Dropping it kills it.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    calls: u64,
}

impl Server {
    /// Started as a client starts it, before anything is said.
    pub(crate) fn start(command: &mut Command) -> Server {
        command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let (sender, lines) = mpsc::channel();
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                let _ = sender.send(line);
            }
        });
        let input = child.stdin.take();
        Server { child, input, lines, calls: 0 }
    }

    /// Of a book, with the handshake done.
    pub(crate) fn of(book: &Sandbox) -> Server {
        Server::declaring(book, &json!({}))
    }

    /// The same for a client with these capabilities.
    pub(crate) fn declaring(book: &Sandbox, capabilities: &Value) -> Server {
        let mut server = Server::start(&mut book.command::<&str>([]));
        server.initialize(capabilities);
        server
    }

    pub(crate) fn initialize(&mut self, capabilities: &Value) -> Value {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": {"name": "tester", "version": "1"}});
        let id = self.request("initialize", &params);
        let result = self.answer(id)["result"].clone();
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        result
    }

    /// Its process.
    #[cfg(target_os = "linux")]
    pub(crate) fn pid(&self) -> crate::system::Pid {
        crate::system::Pid::from_child(&self.child)
    }

    /// Writes one line.
    pub(crate) fn say(&mut self, line: &str) {
        let input = self.input.as_mut().expect("it is not closed");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("it reads");
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.calls += 1;
        let id = self.calls;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        id
    }

    /// Starts a call.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    pub(crate) fn cancel(&mut self, id: u64) {
        let params = json!({"requestId": id, "reason": "test"});
        self.say(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string(),
        );
    }

    /// The next line.
    pub(crate) fn next(&self) -> Value {
        self.lines.recv_timeout(DEADLINE).expect("a line")
    }

    /// The next line, which answers this request.
    pub(crate) fn answer(&self, id: u64) -> Value {
        let line = self.next();
        assert_eq!(line["id"], id, "{line}");
        line
    }

    /// What a call gives, without its message; the same as text.
    pub(crate) fn given(&self, id: u64) -> Value {
        let line = self.answer(id);
        let result = &line["result"];
        assert_eq!(result["isError"], false, "{line}");
        let text = result["content"][0]["text"].as_str().expect("the object as text");
        let mut told: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(told, result["structuredContent"], "{line}");
        let message = told.as_object_mut().and_then(|told| told.shift_remove("message"));
        assert!(message.is_some_and(|message| message.is_string()), "{line}");
        told
    }

    /// Calls a tool to its end.
    pub(crate) fn get(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.call(tool, arguments);
        self.given(id)
    }

    /// Why a call could not be done.
    pub(crate) fn fault(&mut self, tool: &str, arguments: &Value) -> String {
        let id = self.call(tool, arguments);
        let line = self.answer(id);
        assert_eq!(line["result"]["isError"], true, "{line}");
        assert_eq!(line["result"].get("structuredContent"), None, "{line}");
        line["result"]["content"][0]["text"].as_str().expect("words").to_owned()
    }

    /// Closes its input, and gives its exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().expect("a child").code()
    }

    pub(crate) fn kill(&mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("a child");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A project without packets.
pub(crate) fn book() -> Sandbox {
    let book = Sandbox::new();
    book.put(".checkpoint.json", "{}");
    book
}

/// Arguments of `ask_author`: one question with two choices.
pub(crate) fn asking(topic: &str, wait_s: f64) -> Value {
    let option = |label: &str| json!({"label": label, "description": "d"});
    json!({"topic": topic, "wait_s": wait_s, "questions": [
        {"id": "place", "header": "平台", "question": "发布到哪里？", "kind": "single_choice", "required": true,
         "options": [option("qidian"), option("web")]}]})
}

/// Answers a gate in another process.
pub(crate) fn answer(book: &Sandbox, gate: &str, values: &[&str]) {
    let set = values.iter().flat_map(|value| ["--set", value]);
    let ran = book.run(["answer", gate, "--by", "human"].into_iter().chain(set));
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// The gates as `list --json` shows them.
pub(crate) fn listed(book: &Sandbox) -> Vec<Value> {
    let ran = book.run(["list", "--json"]);
    let told: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    told["gates"].as_array().expect("gates").clone()
}

#[test]
fn a_client_is_greeted_and_told_when_to_ask_in_less_than_two_kilobytes() {
    let book = book();
    for lang in ["en", "zh-CN"] {
        let mut server = Server::start(book.system("novel-gate").args(["--lang", lang]));
        let hello = server.initialize(&json!({}));
        assert_eq!(hello["protocolVersion"], "2025-11-25");
        assert_eq!(hello["serverInfo"]["name"], "novel-gate");
        assert_eq!(hello["capabilities"], json!({"tools": {}}));
        let words = hello["instructions"].as_str().expect("words");
        assert!(
            words.contains("ask_author") && words.contains("wait_gate") && words.len() < 2048,
            "{}",
            words.len()
        );
        let id = server.request("tools/list", &json!({}));
        let line = server.answer(id);
        let tools = line["result"]["tools"].as_array().expect("tools");
        let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        assert_eq!(names, ["list_gates", "ask_author", "wait_gate", "propose_options"]);
        for tool in tools {
            assert!(tool["description"].as_str().is_some_and(|words| words.len() < 2048), "{tool}");
            assert_eq!(
                (&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]),
                (&json!("object"), &json!("object"))
            );
            assert_eq!(tool["annotations"]["readOnlyHint"], tool["name"] == "list_gates");
        }
        assert_eq!(server.end(), Some(0));
    }
}

/// The gates of a list, each with its state.
fn states(told: &Value) -> Vec<(&str, &str)> {
    let gates = told["gates"].as_array().expect("gates");
    gates
        .iter()
        .map(|gate| (gate["packet"].as_str().expect("a path"), gate["status"].as_str().expect("a state")))
        .collect()
}

#[test]
fn gates_that_hold_a_step_up_are_listed_and_the_others_where_they_are_asked_for() {
    let book = Sandbox::sample();
    let packet = book.read("staging/manifests/chapter-013-draft.packet.json").expect("a packet");
    let past =
        String::from_utf8_lossy(&packet).replace(":013:", ":002:").replace("chapter-013", "chapter-002");
    book.put("staging/manifests/chapter-002-draft.packet.json", past);
    let mut server = Server::of(&book);
    let all = listed(&book);
    let held_up =
        |gate: &&Value| gate["past"] == false && (gate["status"] == "waiting" || gate["status"] == "blocked");
    let facts = |gate: &Value| {
        let since = if gate["status"] == "waiting" { &gate["modified"] } else { &gate["record_modified"] };
        let [packet, step, topic, status] = ["packet", "step", "topic", "status"].map(|key| &gate[key]);
        json!({"packet": packet, "step": step, "topic": topic, "status": status, "since": since})
    };
    let mut wanted: Vec<Value> = all.iter().filter(held_up).map(facts).collect();
    wanted.sort_by_key(|gate| gate["status"] == "waiting");
    assert!(wanted.len() > 1 && wanted.iter().any(|gate| gate["status"] == "blocked"), "{wanted:?}");
    for arguments in [json!({}), json!({"all": false}), json!({"all": null, "gate": null})] {
        assert_eq!(server.get("list_gates", &arguments), json!({"gates": wanted, "more": 0}));
    }
    let told = server.get("list_gates", &json!({"all": true}));
    assert_eq!(told["gates"].as_array().map(Vec::len), Some(all.len()));
    for state in ["open", "malformed", "past"] {
        assert!(states(&told).iter().any(|(_, status)| *status == state), "{state}: {told}");
    }
    for gate in &all {
        let mut told = server.get("list_gates", &json!({"gate": gate["packet"]}));
        let one = told["gates"][0].as_object_mut().expect("a gate");
        assert!(one.shift_remove("since").is_some_and(|since| since.is_string()));
        assert_eq!(told, json!({"gates": [gate], "more": 0}));
    }
    let by_step = server.get("list_gates", &json!({"gate": "volume:validate"}));
    assert_eq!(states(&by_step)[0].1, "blocked");
    let fault = server.fault("list_gates", &json!({"gate": "volume:valdate"}));
    assert!(fault.contains("Did you mean volume:validate?"), "{fault}");
}

#[test]
fn a_list_of_many_gates_is_cut_where_clients_would_cut_it() {
    let book = book();
    for (count, shown) in [(0, 0), (10, 10), (50, 50), (150, 50), (400, 50)] {
        for number in 0..count {
            let name = format!("chapter-{number:03}-draft");
            let packet = json!({"step": format!("chapter:{number:03}:draft"), "agent": {"name": "chapter-writer"},
                "answer_path": format!("staging/novel-ask/{name}.json"), "novel_ask": {
                "version": 1, "topic": "平台绑定与本章的叙事节奏", "questions": [
                {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
            book.put(&format!("staging/manifests/{name}.packet.json"), packet.to_string());
        }
        let mut server = Server::of(&book);
        let told = server.get("list_gates", &json!({}));
        assert_eq!(told["gates"].as_array().map(Vec::len), Some(shown));
        assert_eq!(told["more"], count - shown);
        // Codex cuts what is longer than 10,000 tokens, four bytes each; Claude Code takes more.
        assert!(told.to_string().len() < 12_000, "{}", told.to_string().len());
        let all = server.get("list_gates", &json!({"all": true}));
        assert_eq!(all["gates"].as_array().map(Vec::len), Some(count.min(150)));
        assert_eq!(all["more"], count - count.min(150));
        assert!(all.to_string().len() < 40_000, "{}", all.to_string().len());
    }
}

#[test]
fn a_blocked_gate_is_listed_before_many_that_wait_and_a_long_topic_is_cut() {
    let book = book();
    for number in 0..60 {
        let packet = json!({"step": format!("chapter:{number:03}:draft"),
            "answer_path": format!("staging/{number}.json"), "novel_ask": {
            "version": 1, "topic": "长".repeat(100_000), "questions": [
            {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
        book.put(&format!("staging/manifests/{number}.packet.json"), packet.to_string());
    }
    book.put("staging/7.json", "{}");
    let told = Server::of(&book).get("list_gates", &json!({}));
    assert_eq!((&told["gates"][0]["status"], &told["more"]), (&json!("blocked"), &json!(10)));
    assert_eq!(told["gates"][0]["step"], "chapter:007:draft");
    assert!(told.to_string().len() < 40_000, "{}", told.to_string().len());
}

#[test]
fn a_revision_with_batches_is_not_agreed_to_and_every_other_is() {
    let book = book();
    for (wanted, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1.0", "2025-11-25"),
    ] {
        let mut server = Server::start(&mut book.command::<&str>([]));
        let params = json!({"protocolVersion": wanted, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let id = server.request("initialize", &params);
        assert_eq!(server.answer(id)["result"]["protocolVersion"], agreed, "{wanted}");
    }
}
