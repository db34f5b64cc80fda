//! `mcp`: a server of the Model Context Protocol on standard input and output, through which any client reaches the author.
//!
//! One thread does the work, and sleeps until a line comes, the project changes or a time is over. Nobody answers for the
//! author here; a gate's packet is the handle that outlives every call and this process.

use self::backlog::Backlog;
use self::call::{Event, Request, Server};
use self::message::{Caller, Fault, Id, Message};
use super::{Session, Streams, wake};
use crate::ask::json::{Item, Json};
use crate::ask::problem::shorten;
use crate::cli::Global;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::processes;
use crate::text::say;
use serde_json::{Value, json};
use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

mod backlog;
mod call;
mod form;
mod gate;
mod list;
mod message;
mod tool;

#[cfg(test)]
mod tests;

/// How many bytes of what comes may wait while the client takes no answers.
const ROOM: usize = 16 << 20;

/// Serves until the client is gone.
pub fn run(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let no_client = || {
        let sentence = say(
            "This is for an MCP client, which starts it and speaks JSON-RPC on standard input; init shows how to wire it.",
            "此命令由 MCP 客户端启动，并在标准输入上用 JSON-RPC 与它对话；接入方法见 init。",
        );
        Error::new(ExitCode::Usage, "no-client", sentence, &[])
    };
    if session.environment.input_is_terminal {
        return Err(no_client());
    }
    // The session holds standard input itself; this is another handle of the same file.
    let input = processes::input().map_err(|cause| {
        Error::io("streams", say("Cannot use the standard streams.", "无法使用标准输入输出。"), &[], &cause)
    })?;
    let (events, inbox) = mpsc::channel();
    wake::on_output_closed(&events, Event::Gone)?;
    let (lines, backlog) = (events.clone(), Backlog::of(ROOM));
    let room = Arc::clone(&backlog);
    let spawned = thread::Builder::new().name("input".into()).spawn(move || listen(input, &lines, &room));
    spawned.map_err(|cause| Error::no_thread(&cause))?;
    let (mut input, mut out, mut err) = (io::empty(), io::sink(), io::sink());
    let quiet = Session {
        global: Global { json: true, ..session.global.clone() },
        lang: session.lang,
        environment: session.environment.clone(),
        clock: Arc::clone(&session.clock),
        streams: Streams { input: &mut input, out: &mut out, err: &mut err },
        closed: false,
        states: Arc::clone(&session.states),
    };
    let is_client = Server::new(quiet, &mut *session.streams.out, (events, backlog)).serve(&inbox);
    if is_client { Ok(ExitCode::Done) } else { Err(no_client()) }
}

/// Reads lines to the end of the input; no more while too many of them wait for a client that reads no answers.
fn listen(input: impl Read, events: &Sender<Event>, backlog: &Arc<Backlog>) {
    let mut input = BufReader::new(input);
    while let Ok(Some(line)) = message::read(&mut input)
        && let share = backlog.take(line.as_ref().map_or(0, Vec::len))
        && events.send(Event::Line(line, share)).is_ok()
    {}
    let _ = events.send(Event::Gone);
}

impl Server<'_> {
    /// Serves until the client is gone and every call has its answer; false if no client ever came.
    fn serve(&mut self, inbox: &Receiver<Event>) -> bool {
        let mut has_heard = false;
        while !self.is_gone || !self.calls.is_empty() {
            let event = inbox.try_recv().ok().or_else(|| {
                self.watch_gates();
                wake::next(inbox, self.due())
            });
            has_heard |= matches!(event, Some(Event::Line(..)));
            self.take(event, Instant::now());
        }
        has_heard
    }

    fn take(&mut self, event: Option<Event>, now: Instant) {
        match event {
            Some(Event::Line(line, share)) => {
                match line {
                    Some(line) => self.hear(&line, now),
                    None => self.refuse(None, message::too_long()),
                }
                drop(share);
            }
            Some(Event::Gone) => self.is_gone = true,
            Some(Event::Store(number, event, share)) => {
                if number == self.watches {
                    self.look_at(event, now);
                }
                drop(share);
            }
            None => {}
        }
        self.pass(now);
    }

    /// A line that cannot be used gets an error where its sender may wait for an answer, and the next line is read.
    fn hear(&mut self, line: &[u8], now: Instant) {
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        let json = match Json::parse(line) {
            Ok(json) => json,
            Err(error) => return self.refuse(None, message::unread(error.column)),
        };
        match Message::of(&json) {
            Ok(Message::Request { id, method, params }) => {
                if let Some(result) = self.answer(&id, &method, params, now).transpose() {
                    self.say(&message::answer(Some(&id), result));
                }
            }
            Ok(Message::Notification { method, params }) if method == "notifications/cancelled" => {
                let id = params.and_then(|params| params.get("requestId")).and_then(Id::of);
                self.cancel(id.as_ref(), now);
            }
            Ok(Message::Notification { .. }) => {}
            Ok(Message::Response { id, result }) => self.take_form(&id, result, now),
            Err((id, fault)) => self.refuse(id.as_ref(), fault),
        }
    }

    fn refuse(&mut self, id: Option<&Id>, fault: Fault) {
        self.say(&message::answer(id, Err(fault)));
    }

    /// The result of a request; `None` if it comes later.
    fn answer(
        &mut self,
        id: &Id,
        method: &str,
        params: Option<Item<'_>>,
        now: Instant,
    ) -> Result<Option<Value>, Fault> {
        let lang = self.place.session.lang;
        let about = json!({"name": "novel-gate", "version": env!("CARGO_PKG_VERSION")});
        let (capabilities, instructions) = (json!({"tools": {}}), tool::INSTRUCTIONS.text(lang));
        // A client is to keep none of this.
        let (age, scope) = (0, "private");
        match method {
            "ping" => Ok(Some(json!({}))),
            "initialize" => {
                let (caller, revision) = Caller::greeted(params)?;
                self.client = Some(caller);
                Ok(Some(json!({
                    "protocolVersion": revision, "capabilities": capabilities, "serverInfo": about,
                    "instructions": instructions,
                })))
            }
            "server/discover" => {
                let caller = Caller::of(params, self.client.as_ref())?;
                Ok(Some(caller.result(json!({
                    "supportedVersions": message::revisions(), "capabilities": capabilities,
                    "instructions": instructions, "ttlMs": age, "cacheScope": scope,
                    "_meta": {"io.modelcontextprotocol/serverInfo": about},
                }))))
            }
            "tools/list" => {
                let caller = Caller::of(params, self.client.as_ref())?;
                let mut tools = json!({"tools": tool::all(lang)});
                if caller.is_stateless {
                    (tools["ttlMs"], tools["cacheScope"]) = (json!(age), json!(scope));
                }
                Ok(Some(caller.result(tools)))
            }
            "tools/call" => {
                let caller = Caller::of(params, self.client.as_ref())?;
                self.call(&Request { id: id.clone(), caller, params, now })
            }
            _ => Err(Fault::no_method(&shorten(method))),
        }
    }
}
