//! A scripted model on loopback: the streams of the Messages API of Claude Code and of the Responses API of Codex.
//!
//! In the conversation that begins with [`TASK`] it makes the calls of its turns, one turn after the other; in every other
//! conversation, which is an agent's, it makes those of the agent's work, if it has any, and says that it is there. Not responsible
//! for what the clients make of it.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

use crate::sandbox::wait_until;

/// What the client is told to do.
pub(in crate::live) const TASK: &str = "Do what there is to do.";

/// How a client speaks to its model.
#[derive(Clone, Copy)]
pub(in crate::live) enum Wire {
    Messages,
    Responses,
}

/// A tool and its input: an object, or text for a tool that takes text.
pub(in crate::live) type Call = (&'static str, Value);

pub(in crate::live) struct Model {
    pub(in crate::live) address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

/// What an agent does, as one turn; the next turn of whoever started it waits for that.
pub(in crate::live) struct Work {
    /// The turn that starts the agent.
    pub(in crate::live) turn: usize,
    /// What stands in its prompt, and in no other's.
    pub(in crate::live) words: String,
    pub(in crate::live) calls: Vec<Call>,
}

struct Script {
    wire: Wire,
    turns: Vec<Vec<Call>>,
    works: Vec<Work>,
    /// What stands in the prompts of the agents that it waits for before it is done.
    awaited: Vec<&'static str>,
}

impl Model {
    /// Plays these turns until the test process ends.
    pub(in crate::live) fn start(wire: Wire, turns: Vec<Vec<Call>>) -> Model {
        Model::start_awaiting(wire, turns, &[])
    }

    /// The same, with agents that do something.
    pub(in crate::live) fn start_working(wire: Wire, turns: Vec<Vec<Call>>, works: Vec<Work>) -> Model {
        Model::play(Script { wire, turns, works, awaited: Vec::new() })
    }

    /// The same, and is not done before agents have asked that have these words in their prompts: a client that is done ends them.
    pub(in crate::live) fn start_awaiting(
        wire: Wire,
        turns: Vec<Vec<Call>>,
        awaited: &[&'static str],
    ) -> Model {
        Model::play(Script { wire, turns, works: Vec::new(), awaited: awaited.to_vec() })
    }

    fn play(script: Script) -> Model {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
        let address = listener.local_addr().expect("its address").to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let script = Arc::new(script);
        let kept = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (script, asked) = (Arc::clone(&script), Arc::clone(&kept));
                // A client that goes away in the middle is no concern of the others.
                thread::spawn(move || script.serve(&stream, &asked).ok());
            }
        });
        Model { address, asked }
    }

    /// Whether an agent was started with words in its prompt.
    pub(in crate::live) fn started(&self, words: &str) -> bool {
        self.first_request(words).is_some()
    }

    /// Whether words were told to whoever starts the agents.
    pub(in crate::live) fn was_told(&self, words: &str) -> bool {
        self.asked().iter().any(|body| is_main(body) && body.contains(words))
    }

    /// What an agent with words in its prompt asked first.
    pub(in crate::live) fn first_request(&self, words: &str) -> Option<String> {
        first_request(&self.asked(), words).cloned()
    }

    /// What the client gave back for a call, as the model was told.
    pub(in crate::live) fn result(&self, turn: usize, call: usize) -> String {
        let id = id(&name_of(turn), call);
        let told = |body: &String| {
            let body: Value = serde_json::from_str(body).ok()?;
            find(&body, &|object| {
                let is_result = object.get("tool_use_id").or_else(|| object.get("call_id"))? == id.as_str();
                object
                    .get("content")
                    .or_else(|| object.get("output"))
                    .filter(|_| is_result)
                    .map(Value::to_string)
            })
        };
        self.asked().iter().rev().filter(|body| is_main(body)).find_map(told).unwrap_or_default()
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("what was asked").clone()
    }
}

/// The first thing that is found in an object inside a value.
fn find(value: &Value, look: &impl Fn(&serde_json::Map<String, Value>) -> Option<String>) -> Option<String> {
    match value {
        Value::Object(object) => look(object).or_else(|| object.values().find_map(|value| find(value, look))),
        Value::Array(values) => values.iter().find_map(|value| find(value, look)),
        _ => None,
    }
}

/// Whether a request belongs to the conversation with the client's user.
fn is_main(body: &str) -> bool {
    body.contains(&format!("\"text\":\"{TASK}\""))
}

fn first_request<'a>(asked: &'a [String], words: &str) -> Option<&'a String> {
    asked.iter().find(|body| !is_main(body) && body.contains(words))
}

/// What the calls of a turn are known by; those of an agent's work have a name of their own.
fn name_of(turn: usize) -> String {
    format!("call_{turn}")
}

fn id(name: &str, call: usize) -> String {
    format!("{name}_{call}_")
}

impl Script {
    fn serve(&self, stream: &TcpStream, asked: &Mutex<Vec<String>>) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream);
        let (mut line, mut length) = (String::new(), 0);
        reader.read_line(&mut line)?;
        let is_asked = line.starts_with("POST") && !line.contains("count_tokens");
        while !line.trim().is_empty() {
            line.clear();
            reader.read_line(&mut line)?;
            let header = line.to_ascii_lowercase();
            length = header
                .strip_prefix("content-length:")
                .map_or(length, |text| text.trim().parse().unwrap_or(0));
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let body = String::from_utf8_lossy(&body).into_owned();
        let mut stream = stream;
        if !is_asked || length == 0 {
            return stream
                .write_all(b"HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
        }
        if is_main(&body) && self.turn(&body).is_none() {
            let is_there =
                |words: &&str| first_request(&asked.lock().expect("what was asked"), words).is_some();
            wait_until("the agents have asked", || self.awaited.iter().all(is_there));
        }
        if is_main(&body) {
            let turn = self.turn(&body).unwrap_or(self.turns.len());
            let came_back = |place: usize| {
                let id = id(&format!("work_{place}"), 0);
                asked.lock().expect("what was asked").iter().any(|body| body.contains(&id))
            };
            let due = |place: &usize| self.works[*place].turn < turn;
            wait_until("the agents have worked", || (0..self.works.len()).filter(due).all(came_back));
        }
        let events = self.events(&body);
        asked.lock().expect("what was asked").push(body);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close";
        write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{events}", events.len())
    }

    /// The turn that has not been played yet.
    fn turn(&self, body: &str) -> Option<usize> {
        let is_new = |&turn: &usize| is_main(body) && !body.contains(&id(&name_of(turn), 0));
        (0..self.turns.len()).find(is_new)
    }

    /// What is to be called now, and the name that its calls are known by.
    fn calls(&self, body: &str) -> (String, &[Call]) {
        if is_main(body) {
            let turn = self.turn(body);
            let calls = turn.map_or(&[][..], |turn| &self.turns[turn]);
            return (name_of(turn.unwrap_or(self.turns.len())), calls);
        }
        let name = |place: usize| format!("work_{place}");
        let is_due =
            |place: &usize| body.contains(&self.works[*place].words) && !body.contains(&id(&name(*place), 0));
        let found = (0..self.works.len()).find(is_due);
        found.map_or(("said".to_owned(), &[]), |place| (name(place), &self.works[place].calls))
    }

    /// It as a stream.
    fn events(&self, body: &str) -> String {
        let (name, calls) = self.calls(body);
        let events = match self.wire {
            Wire::Messages => messages(&name, calls),
            Wire::Responses => responses(&name, calls),
        };
        let mut stream = String::new();
        for event in events {
            let kind = event["type"].as_str().expect("a type");
            write!(stream, "event: {kind}\ndata: {event}\n\n").expect("text");
        }
        stream
    }
}

fn messages(turn: &str, calls: &[Call]) -> Vec<Value> {
    let usage = json!({"input_tokens": 1, "output_tokens": 1});
    let message = json!({"id": format!("msg_{turn}"), "type": "message", "role": "assistant", "model": "script",
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage});
    let mut events = vec![json!({"type": "message_start", "message": message})];
    let mut block = |start: Value, delta: Value| {
        let index = events.len() / 3;
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    };
    for (place, (name, input)) in calls.iter().enumerate() {
        let start = json!({"type": "tool_use", "id": id(turn, place), "name": name, "input": {}});
        block(start, json!({"type": "input_json_delta", "partial_json": input.to_string()}));
    }
    if calls.is_empty() {
        block(json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": "I am done."}));
    }
    let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 1}}));
    events.push(json!({"type": "message_stop"}));
    events
}

fn responses(turn: &str, calls: &[Call]) -> Vec<Value> {
    let name = format!("resp_{turn}");
    let mut events = vec![json!({"type": "response.created", "response": {"id": name}})];
    for (place, (tool, input)) in calls.iter().enumerate() {
        let (id, item) = (id(turn, place), format!("item_{turn}_{place}"));
        let item = match (input, tool.split_once('.')) {
            (Value::String(text), _) => {
                json!({"type": "custom_tool_call", "id": item, "call_id": id, "name": tool, "input": text})
            }
            (_, Some((space, tool))) => {
                json!({"type": "function_call", "id": item, "call_id": id, "namespace": space,
                "name": tool, "arguments": input.to_string()})
            }
            (_, None) => json!({"type": "function_call", "id": item, "call_id": id, "name": tool,
                "arguments": input.to_string()}),
        };
        events.push(json!({"type": "response.output_item.done", "output_index": place, "item": item}));
    }
    if calls.is_empty() {
        let item = json!({"type": "message", "id": format!("message_{turn}"), "role": "assistant",
            "content": [{"type": "output_text", "text": "I am done."}]});
        events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": item}));
    }
    let usage = json!({"input_tokens": 1, "output_tokens": 1, "total_tokens": 2});
    events.push(json!({"type": "response.completed", "response": {"id": name, "usage": usage}}));
    events
}
