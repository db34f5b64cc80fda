//! `novel-gate mcp` and the official MCP client: the npm package `@modelcontextprotocol/client` 2.4.0 starts the server and
//! speaks with it, in both revisions of the protocol that it knows.
//!
//! `drive.mjs` holds every message of the server against the published JSON schema of the revision; one that does not fit
//! fails the test that it came in.

mod answered;
mod ended;
mod forms;

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, test_kill_process};
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
        ("schema-2026-07-28.json", include_str!("../../executor/mcp/schema-2026-07-28.json")),
    ],
};
/// With a handshake, and without one.
const REVISIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// A project in which a server is to work, and where the client is installed.
struct Shared {
    book: Sandbox,
    sdk: PathBuf,
}

/// A client with its server, moved line by line. Dropping it kills the client.
struct Client {
    child: Child,
    moves: Option<ChildStdin>,
    events: Receiver<Value>,
    /// Events that came before one that was waited for.
    early: VecDeque<Value>,
    /// What the server says of itself.
    met: Value,
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

    fn client(&self, revision: &str) -> Client {
        self.client_with(revision, &json!({}))
    }

    /// A client with these capabilities.
    fn client_with(&self, revision: &str, capabilities: &Value) -> Client {
        let mut command = self.book.system("node");
        command.arg(self.sdk.join("drive.mjs")).args([revision, &capabilities.to_string()]);
        command.arg(env!("CARGO_BIN_EXE_novel-gate")).args(self.book.flags()).arg("mcp");
        command.current_dir(self.book.root());
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
        let mut client = Client { child, moves, events, early: VecDeque::new(), met: Value::Null };
        client.met = client.event("revision");
        client
    }

    /// Answers a packet in another process.
    fn answer(&self, packet: &Value, set: &str) {
        let packet = packet.as_str().expect("a path");
        let ran = self.book.run(["answer", packet, "--set", set, "--by", "human"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }

    /// What a command with `--json` prints.
    fn told(&self, command: &str) -> Value {
        serde_json::from_str(&self.book.run([command, "--json"]).stdout).expect("JSON")
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

    /// The next event with this member. No message of the server may be unfit meanwhile.
    fn event(&mut self, name: &str) -> Value {
        self.event_where(name, |event| event.get(name).is_some())
    }

    fn event_where(&mut self, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        self.event_within(DEADLINE, what, is_wanted)
    }

    fn event_within(&mut self, limit: Duration, what: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.early.iter().position(&is_wanted) {
            return self.early.remove(place).expect("it is there");
        }
        loop {
            let event = self.events.recv_timeout(limit);
            let event = event.unwrap_or_else(|error| panic!("{what}: {error}; before it: {:#?}", self.early));
            assert_eq!(event.get("invalid"), None, "{event:#}");
            if is_wanted(&event) {
                return event;
            }
            self.early.push_back(event);
        }
    }

    /// What a call has given: its object, which stands in its text too.
    fn given(&mut self, id: &str) -> Value {
        let event = self.event_where(id, |event| event["result"] == id || event["error"] == id);
        let value = &event["value"];
        assert_ne!(value["isError"], true, "{event:#}");
        let blocks = value["content"].as_array().unwrap_or_else(|| panic!("{event:#}"));
        let texts = blocks.iter().filter_map(|block| block["text"].as_str());
        let objects: Vec<Value> = texts.filter_map(|text| serde_json::from_str(text).ok()).collect();
        assert_eq!(objects, [value["structuredContent"].clone()], "{event:#}");
        value["structuredContent"].clone()
    }

    /// Calls a tool to its end.
    fn get(&mut self, tool: &str, arguments: &Value) -> Value {
        self.call("only", tool, arguments);
        self.given("only")
    }

    /// The server's process.
    fn server(&self) -> Pid {
        let pid = self.met["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok());
        pid.and_then(Pid::from_raw).expect("a process")
    }

    /// Closes the client, which ends the server.
    fn close(mut self) {
        let server = self.server();
        drop(self.moves.take());
        let seen = self.event("closed")["closed"].as_u64();
        assert!(seen.is_some_and(|count| count > 0), "the messages were looked at: {seen:?}");
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

/// One question with two choices and a place for own words.
fn place(topic: &str) -> Value {
    json!({"topic": topic, "questions": [{
        "id": "place", "header": "地点", "question": "故事从哪里开始？", "kind": "single_choice", "required": true,
        "allow_other": true,
        "options": [{"label": "渡口", "description": "雨夜"}, {"label": "驿站", "description": "清晨"}]}]})
}

/// The same call, which waits no longer than this.
fn in_seconds(mut arguments: Value, seconds: f64) -> Value {
    arguments["wait_s"] = json!(seconds);
    arguments
}

#[test]
fn the_client_meets_the_server_and_sees_its_tools() {
    let Some(shared) = Shared::new() else { return };
    for revision in REVISIONS {
        let mut client = shared.client(revision);
        assert_eq!(client.met["revision"], revision);
        assert_eq!(client.met["server"]["name"], "novel-gate", "{}", client.met);
        assert!(client.met["capabilities"]["tools"].is_object());
        let instructions = client.met["instructions"].as_str().expect("instructions");
        // Claude Code cuts them, and descriptions, at 2 KB.
        assert!(instructions.len() <= 2048 && instructions.contains("ask_author"), "{instructions}");
        client.make(&json!({"tools": true}));
        let tools = client.event("tools")["tools"].as_array().expect("tools").clone();
        let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
        assert_eq!(names, ["list_gates", "ask_author", "wait_gate", "propose_options"]);
        for tool in &tools {
            assert!(tool["description"].as_str().is_some_and(|words| words.len() <= 2048), "{tool:#}");
            // `codex exec` refuses any other tool.
            let hints = &tool["annotations"];
            let is_harmless = hints["destructiveHint"] == false && hints["openWorldHint"] == false;
            assert!(hints["readOnlyHint"] == true || is_harmless, "{tool:#}");
        }
        let packets = |told: &Value| -> Vec<Value> {
            let gates = told["gates"].as_array().expect("gates");
            gates.iter().map(|gate| gate["packet"].clone()).collect()
        };
        let listed = client.get("list_gates", &json!({"all": true}));
        assert_eq!(packets(&listed), packets(&shared.told("list")));
        client.close();
    }
}

#[test]
fn a_call_that_cannot_be_used_is_an_error_that_the_model_reads() {
    let Some(shared) = Shared::new() else { return };
    for revision in REVISIONS {
        let mut client = shared.client(revision);
        client.call("nothing", "answer_gate", &json!({}));
        let refused = client.event("error");
        assert!(refused["message"].as_str().is_some_and(|words| words.contains("answer_gate")), "{refused}");
        for (tool, arguments) in [
            ("ask_author", json!({"topic": "t", "questions": []})),
            ("ask_author", json!({"topic": "t", "questions": [{"id": "a"}], "more": 1})),
            ("wait_gate", json!({"gate": "../../etc/passwd"})),
            ("wait_gate", json!({})),
            ("list_gates", json!({"all": "lost"})),
        ] {
            client.call("wrong", tool, &arguments);
            let told = client.event("result");
            assert_eq!(told["value"]["isError"], true, "{tool} {arguments}: {told}");
        }
        client.close();
    }
    assert!(!shared.book.path("staging/novel-ask/relay").exists(), "nothing was asked");
}

#[test]
fn the_published_schema_knows_right_from_wrong() {
    let Some(shared) = Shared::new() else { return };
    let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}});
    let refused = json!({"jsonrpc": "2.0", "id": 5, "error": {"code": -32601, "message": "-"}});
    let without = |message: &Value, pointer: &str, name: &str| {
        let mut message = message.clone();
        message.pointer_mut(pointer).and_then(Value::as_object_mut).expect("an object").remove(name);
        message
    };
    for revision in REVISIONS {
        let mut client = shared.client(revision);
        for (message, fits) in [
            (progress.clone(), true),
            (refused.clone(), true),
            (without(&progress, "/params", "progressToken"), false),
            (without(&progress, "", "jsonrpc"), false),
            (without(&refused, "/error", "code"), false),
            (json!({"jsonrpc": "2.0", "id": 99, "result": {"content": []}}), false),
            (json!({"jsonrpc": "2.0", "id": 7, "method": "elicitation/answer", "params": {}}), false),
        ] {
            client.make(&json!({"judge": message}));
            let judged = client.event("judged");
            let is_fit = judged["judged"].as_array().is_some_and(Vec::is_empty);
            assert_eq!(is_fit, fits, "{revision} {message}: {judged}");
        }
        client.close();
    }
}
