//! `novel-gate mcp` and the official MCP client: the npm package `@modelcontextprotocol/sdk` 1.32.2 drives it as a child.
//!
//! Every message of the server is held against the published JSON schema of its revision, 2025-11-25, by `drive.mjs`;
//! one that does not fit fails the test that it came in.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use super::npm::{Bundle, skip};
use crate::sandbox::{Sandbox, wait_until};
use crate::screen::DEADLINE;

const BUNDLE: Bundle = Bundle {
    name: "mcp",
    files: &[
        ("package.json", include_str!("../../executor/mcp/package.json")),
        ("package-lock.json", include_str!("../../executor/mcp/package-lock.json")),
        (".npmrc", include_str!("../../executor/mcp/.npmrc")),
        ("drive.mjs", include_str!("../../executor/mcp/drive.mjs")),
        ("schema-2025-11-25.json", include_str!("../../executor/mcp/schema-2025-11-25.json")),
    ],
};

/// A client with its server, moved line by line. Dropping it kills both.
struct Client {
    child: Child,
    moves: Option<ChildStdin>,
    events: Receiver<Value>,
    /// Events that came before the one that was waited for.
    early: VecDeque<Value>,
    /// What the server said of itself.
    met: Value,
}

/// A project that the client's server is at work in.
struct Shared {
    book: Sandbox,
    sdk: PathBuf,
}

impl Shared {
    /// `None`, loudly, if the client cannot be had here. Installed at most once.
    fn new() -> Option<Shared> {
        static SDK: OnceLock<Result<PathBuf, String>> = OnceLock::new();
        match SDK.get_or_init(|| BUNDLE.install()) {
            Ok(sdk) => {
                let book = Sandbox::new();
                book.put(".checkpoint.json", "{}");
                Some(Shared { book, sdk: sdk.clone() })
            }
            Err(why) => {
                skip("the live test with the official MCP client", why);
                None
            }
        }
    }

    fn client(&self) -> Client {
        self.client_with(&[])
    }

    fn client_with(&self, flags: &[&str]) -> Client {
        let mut command = self.book.system("node");
        command.arg(self.sdk.join("drive.mjs")).args(flags).arg(env!("CARGO_BIN_EXE_novel-gate"));
        command.args(self.book.flags()).arg("mcp").current_dir(self.book.root());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("node");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, events) = mpsc::channel();
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).expect("an event"));
            }
        });
        let moves = child.stdin.take();
        let mut client =
            Client { child, moves, events, early: VecDeque::new(), met: Value::Null };
        client.met = client.event("revision");
        client
    }

    /// Answers a packet in another process.
    fn answer(&self, packet: &Value, set: &str) {
        let packet = packet.as_str().expect("a path");
        let ran = self.book.run(["answer", packet, "--set", set, "--by", "human"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
}

impl Client {
    fn make(&mut self, step: &Value) {
        let moves = self.moves.as_mut().expect("it is not closed");
        writeln!(moves, "{step}").and_then(|()| moves.flush()).expect("it reads");
    }

    fn call(&mut self, id: &str, tool: &str, arguments: &Value) {
        self.make(&json!({"call": id, "tool": tool, "arguments": arguments}));
    }

    /// The next event with this member; no message of the server may be unfit meanwhile.
    fn event(&mut self, name: &str) -> Value {
        self.event_where(name, |event| event.get(name).is_some())
    }

    fn event_where(&mut self, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.early.iter().position(&is_wanted) {
            return self.early.remove(place).expect("it is there");
        }
        loop {
            let event = self.events.recv_timeout(DEADLINE).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(event.get("invalid"), None, "{event:#}");
            if is_wanted(&event) {
                return event;
            }
            self.early.push_back(event);
        }
    }

    /// What a call has given: its object, which is the text too.
    fn given(&mut self, id: &str) -> Value {
        let event = self.event_where(id, |event| event["result"] == id || event["error"] == id);
        let value = &event["value"];
        assert_ne!(value["isError"], true, "{event:#}");
        let texts = value["content"].as_array().expect("content").iter().filter_map(|block| block["text"].as_str());
        let objects: Vec<Value> = texts.filter_map(|text| serde_json::from_str(text).ok()).collect();
        assert_eq!(objects, [value["structuredContent"].clone()], "{event:#}");
        value["structuredContent"].clone()
    }

    /// Calls a tool to its end.
    fn get(&mut self, tool: &str, arguments: &Value) -> Value {
        self.call("only", tool, arguments);
        self.given("only")
    }

    fn server(&self) -> Pid {
        let pid = self.met["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok());
        pid.and_then(Pid::from_raw).expect("a process")
    }

    /// Closes the client, which ends the server.
    fn close(mut self) {
        let server = self.server();
        drop(self.moves.take());
        self.event("closed");
        assert!(self.child.wait().expect("a child").success());
        wait_until("the server is gone", || test_kill_process(server).is_err());
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// One question with two choices.
fn place(topic: &str) -> Value {
    json!({"topic": topic, "questions": [{
        "id": "place", "header": "地点", "question": "故事从哪里开始？", "kind": "single_choice", "required": true,
        "allow_other": true, "options": [{"label": "渡口", "description": "雨夜"}, {"label": "驿站", "description": "清晨"}]}]})
}

fn in_seconds(mut arguments: Value, seconds: f64) -> Value {
    arguments["wait_s"] = json!(seconds);
    arguments
}

#[test]
fn the_client_meets_the_server_and_sees_its_tools() {
    let Some(shared) = Shared::new() else { return };
    let mut client = shared.client();
    assert_eq!(client.met["revision"], "2025-11-25");
    assert_eq!(client.met["server"]["name"], "novel-gate");
    assert!(client.met["capabilities"]["tools"].is_object());
    let instructions = client.met["instructions"].as_str().expect("instructions");
    assert!(instructions.len() < 2048 && instructions.contains("ask_author"), "{instructions}");
    client.make(&json!({"tools": true}));
    let tools = client.event("tools")["tools"].as_array().expect("tools").clone();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["list_gates", "ask_author", "wait_gate"]);
    for tool in &tools {
        // Codex runs only such tools without asking, and Claude Code cuts descriptions.
        let hints = &tool["annotations"];
        let is_harmless = hints["destructiveHint"] == false && hints["openWorldHint"] == false;
        assert!(hints["readOnlyHint"] == true || is_harmless, "{tool:#}");
        assert!(tool["description"].as_str().is_some_and(|words| words.len() < 2048), "{tool:#}");
    }
    let listed = client.get("list_gates", &json!({}));
    let shown = shared.book.run(["list", "--json"]);
    assert_eq!(listed, serde_json::from_str::<Value>(&shown.stdout).expect("JSON"));
    client.close();
}

#[test]
fn the_author_answers_a_call_in_the_console() {
    let Some(shared) = Shared::new() else { return };
    let mut client = shared.client();
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
    let told: Value = serde_json::from_str(&shared.book.run(["history", "--json"]).stdout).expect("JSON");
    assert_eq!(told["count"], 1, "{told}");
}

#[test]
fn a_slice_runs_out_and_the_gate_is_waited_for() {
    let Some(shared) = Shared::new() else { return };
    let mut client = shared.client();
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

#[test]
fn a_gate_of_a_step_is_waited_for_by_its_name() {
    let Some(shared) = Shared::new() else { return };
    let packet = json!({"step": "step:a", "answer_path": "staging/novel-ask/a.json", "novel_ask": {
        "version": 1, "topic": "t", "questions": [
            {"id": "a", "header": "h", "question": "q", "kind": "free_text", "required": true}]}});
    shared.book.put("staging/manifests/a.packet.json", packet.to_string());
    let mut client = shared.client();
    client.call("wait", "wait_gate", &json!({"gate": "step:a"}));
    shared.answer(&json!("staging/manifests/a.packet.json"), "a=雨");
    let given = client.given("wait");
    assert_eq!((&given["status"], &given["answers"]), (&json!("open"), &json!({"a": "雨"})));
    assert_eq!(given["record_path"], "staging/novel-ask/a.json");
    assert!(shared.book.read("staging/novel-ask/a.json").is_some());
    client.close();
}

#[test]
fn a_cancelled_wait_leaves_the_gate_and_a_cancelled_question_is_found_again() {
    let Some(shared) = Shared::new() else { return };
    let mut client = shared.client();
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
    let mut client = shared.client();
    let gate = client.get("ask_author", &in_seconds(place("开篇"), 0.0))["gate"].clone();
    client.call("ask", "ask_author", &place("开篇"));
    kill_process(client.server(), Signal::KILL).expect("killed");
    client.event_where("ask", |event| event["error"] == "ask");
    assert!(shared.book.path(gate.as_str().expect("a path")).is_file());
    let mut next = shared.client();
    assert_eq!(next.get("ask_author", &in_seconds(place("开篇"), 0.0))["gate"], gate);
    shared.answer(&gate, "place=渡口");
    assert_eq!(next.get("ask_author", &place("开篇"))["answers"], json!({"place": "渡口"}));
    next.close();
}

#[test]
fn a_killed_client_ends_the_server_and_the_author_can_still_answer() {
    let Some(shared) = Shared::new() else { return };
    let mut client = shared.client();
    let gate = client.get("ask_author", &in_seconds(place("开篇"), 0.0))["gate"].clone();
    client.call("wait", "wait_gate", &json!({"gate": gate}));
    let server = client.server();
    drop(client);
    wait_until("the server is gone", || test_kill_process(server).is_err());
    shared.answer(&gate, "place=渡口");
    let mut next = shared.client();
    assert_eq!(next.get("wait_gate", &json!({"gate": gate}))["answers"], json!({"place": "渡口"}));
    next.close();
}

#[test]
fn twenty_questions_at_once_get_their_own_answers() {
    let Some(shared) = Shared::new() else { return };
    let mut client = shared.client();
    let topics: Vec<String> = (0..20).map(|number| format!("第 {number} 章")).collect();
    for topic in &topics {
        client.call(topic, "ask_author", &place(topic));
    }
    let waiting = || -> Vec<(String, Value)> {
        let shown = shared.book.run(["list", "--json"]);
        let listed: Value = serde_json::from_str(&shown.stdout).expect("JSON");
        let gates = listed["gates"].as_array().expect("gates");
        let gate = |gate: &Value| (gate["topic"].as_str().expect("a topic").to_owned(), gate["packet"].clone());
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

#[test]
fn the_published_schema_knows_right_from_wrong() {
    let Some(shared) = Shared::new() else { return };
    let mut client = shared.client();
    let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}});
    let refused = json!({"jsonrpc": "2.0", "id": 0, "error": {"code": -32601, "message": "-"}});
    let met = json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-11-25", "capabilities": {},
        "serverInfo": {"name": "novel-gate", "version": "1"}}});
    let form = json!({"jsonrpc": "2.0", "id": 7, "method": "elicitation/create", "params": {"message": "?",
        "requestedSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}});
    let without = |message: &Value, pointer: &str, name: &str| {
        let mut message = message.clone();
        message.pointer_mut(pointer).and_then(Value::as_object_mut).expect("an object").remove(name);
        message
    };
    for (message, fits) in [
        (progress.clone(), true),
        (refused.clone(), true),
        (met.clone(), true),
        (form.clone(), true),
        (without(&progress, "/params", "progressToken"), false),
        (without(&progress, "", "jsonrpc"), false),
        (without(&refused, "/error", "code"), false),
        (without(&met, "/result", "serverInfo"), false),
        (without(&form, "/params/requestedSchema/properties/a", "type"), false),
        (json!({"jsonrpc": "2.0", "id": 99, "result": {}}), false),
    ] {
        client.make(&json!({"judge": message}));
        let judged = client.event("judged");
        assert_eq!(judged["judged"].as_array().is_some_and(Vec::is_empty), fits, "{message}: {judged}");
    }
    client.close();
}
