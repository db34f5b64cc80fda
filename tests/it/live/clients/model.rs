//! A scripted model on loopback, which speaks to each client as its own does (`wire`).
//!
//! In the conversation that begins with [`TASK`] it makes the calls of its turns, one turn after the other; in every other
//! conversation, which is an agent's, it makes those of the agent's work, if it has any, and says that it is there. Not responsible
//! for what the clients make of it.

mod wire;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

pub(in crate::live) use self::wire::Wire;
use crate::sandbox::wait_until;

/// What the client is told to do.
pub(in crate::live) const TASK: &str = "Do what there is to do.";

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

    /// Whether the client has come back with what a turn gave.
    pub(in crate::live) fn has_played(&self, turn: usize) -> bool {
        let id = id(&name_of(turn), 0);
        self.asked.lock().expect("what was asked").iter().any(|body| body.contains(&id))
    }

    /// What the client gave back for a call, as the model was told.
    pub(in crate::live) fn result(&self, turn: usize, call: usize) -> String {
        let id = id(&name_of(turn), call);
        let told = |body: &String| {
            let body: Value = serde_json::from_str(body).ok()?;
            find(&body, &|object| {
                let ids = ["tool_use_id", "call_id", "tool_call_id", "id"];
                let is_result = ids.iter().find_map(|name| object.get(*name))? == id.as_str();
                ["content", "output", "response"]
                    .iter()
                    .find_map(|name| object.get(*name))
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

/// Whether a request belongs to the conversation with the client's user. opencode puts the task into quotes, and asks for a title
/// without tools.
fn is_main(body: &str) -> bool {
    body.contains(&format!("\"text\":\"{TASK}\""))
        || body.contains(&format!("\\\"{TASK}\\\"")) && body.contains("\"tools\":")
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
        self.wire.stream(&name, calls)
    }
}
