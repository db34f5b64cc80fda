//! JSON-RPC as the Model Context Protocol has it: one message a line. Both eras of the protocol are spoken: clients that begin
//! with a handshake, and those of 2026-07-28, which say with each request who they are.

use crate::ask::json::{Item, Json, Kind};
use crate::ask::raw;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read};

/// A longer message is not read.
pub(super) const LONGEST: u64 = 16 << 20;

/// The revisions whose clients begin with a handshake, the newest last. Not 2025-03-26, whose servers have to take batches: no
/// client is known to send any.
pub(super) const HANDSHAKES: [&str; 3] = ["2024-11-05", "2025-06-18", "2025-11-25"];
/// The revision without a handshake.
pub(super) const STATELESS: &str = "2026-07-28";

/// Where a request of [`STATELESS`] says who calls.
const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT: &str = "io.modelcontextprotocol/clientInfo";

/// A line of the input; `None`: it was too long.
pub(super) type Line = Option<Vec<u8>>;

/// The next line; `None` at the end.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    input.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
    if line.len() as u64 == LONGEST && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
        return Ok(Some(None));
    }
    Ok((!line.is_empty()).then_some(Some(line)))
}

/// What the other side calls its request: a string or a number, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Id(String);

impl Id {
    pub(super) fn of(item: Item<'_>) -> Option<Id> {
        matches!(item.kind(), Kind::String | Kind::Number).then(|| Id(item.source().to_owned()))
    }

    pub(super) fn raw(&self) -> Box<RawValue> {
        raw(self.0.clone())
    }
}

impl From<u64> for Id {
    fn from(number: u64) -> Id {
        Id(number.to_string())
    }
}

/// Why a request gets no result. Its words are for who writes a client, in English like those of JSON-RPC.
#[derive(Debug, Serialize)]
pub(super) struct Fault {
    code: i32,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Box<RawValue>>,
}

impl Fault {
    pub(super) fn no_method(method: &str) -> Fault {
        Fault::new(-32601, format!("there is no method {method}"))
    }

    pub(super) fn params(message: impl Into<String>) -> Fault {
        Fault::new(-32602, message)
    }

    fn invalid(message: impl Into<String>) -> Fault {
        Fault::new(-32600, message)
    }

    fn new(code: i32, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into(), data: None }
    }
}

/// What a client says.
pub(super) enum Message<'l> {
    /// It waits for an answer.
    Request {
        id: Id,
        method: String,
        params: Option<Item<'l>>,
    },
    Notification {
        method: String,
        params: Option<Item<'l>>,
    },
    /// What has become of a request of ours; no result if the client could not do it.
    Response {
        id: Id,
        result: Option<Item<'l>>,
    },
}

impl<'l> Message<'l> {
    /// A fault is for who may wait for an answer: the request with this id, if it has one.
    pub(super) fn of(json: &'l Json<'_>) -> Result<Message<'l>, (Option<Id>, Fault)> {
        let root = json.root();
        let id = root.get("id").and_then(Id::of);
        let invalid = |what: &str| Err((id.clone(), Fault::invalid(what)));
        if !root.get("jsonrpc").is_some_and(|version| version.is_string("2.0")) {
            return invalid("a message is an object with \"jsonrpc\": \"2.0\"");
        }
        let Some(method) = root.get("method") else {
            let result = root.get("result");
            return match id {
                Some(id) if result.is_some() || root.get("error").is_some() => {
                    Ok(Message::Response { id, result })
                }
                _ => invalid("a message has a method, or an id with a result or an error"),
            };
        };
        let params = root.given("params");
        let is_object = params.is_none_or(|params| params.kind() == Kind::Object);
        match (method.string(), id, root.get("id")) {
            (Some(method), None, None) => {
                Ok(Message::Notification { method: method.lossy().into_owned(), params })
            }
            (Some(method), Some(id), _) if is_object => {
                Ok(Message::Request { id, method: method.lossy().into_owned(), params })
            }
            (_, id, _) => Err((
                id,
                Fault::invalid(
                    "a request has a string as method, a string or number as id, and an object as params",
                ),
            )),
        }
    }
}

/// JSON that cannot be read.
pub(super) fn unread(column: usize) -> Fault {
    Fault::new(-32700, format!("the line is not JSON: see column {column}"))
}

pub(super) fn too_long() -> Fault {
    Fault::invalid(format!("the message is longer than {LONGEST} bytes"))
}

/// Who calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Caller {
    pub(super) name: String,
    /// Whether it shows forms in a dialog of its own.
    pub(super) shows_forms: bool,
    /// Whether it speaks [`STATELESS`]: the server asks in its answer, and the client calls again.
    pub(super) is_stateless: bool,
}

impl Caller {
    fn new(name: Option<Item<'_>>, capabilities: Option<Item<'_>>, is_stateless: bool) -> Caller {
        let name = name.and_then(|client| client.text("name")).unwrap_or_default();
        // A client that names neither kind means forms.
        let elicitation = capabilities.and_then(|all| all.object("elicitation"));
        let shows_forms =
            elicitation.is_some_and(|kinds| kinds.object("form").is_some() || kinds.object("url").is_none());
        Caller { name: name.lossy().into_owned(), shows_forms, is_stateless }
    }

    /// Who shakes hands, and the revision that is agreed to.
    pub(super) fn greeted(params: Option<Item<'_>>) -> Result<(Caller, &'static str), Fault> {
        let object = |name| params.and_then(|params| params.object(name));
        let wanted = params.and_then(|params| params.text("protocolVersion"));
        let (Some(wanted), Some(capabilities), Some(client)) =
            (wanted, object("capabilities"), object("clientInfo"))
        else {
            return Err(Fault::params("initialize wants protocolVersion, capabilities and clientInfo"));
        };
        let newest = HANDSHAKES[HANDSHAKES.len() - 1];
        let agreed = HANDSHAKES.into_iter().find(|known| wanted == *known).unwrap_or(newest);
        Ok((Caller::new(Some(client), Some(capabilities), false), agreed))
    }

    /// Who makes this request: who it says, else who shook hands.
    pub(super) fn of(params: Option<Item<'_>>, greeted: Option<&Caller>) -> Result<Caller, Fault> {
        let meta = params.and_then(|params| params.get("_meta"));
        let Some(revision) = meta.and_then(|meta| meta.text(REVISION)) else {
            return greeted.cloned().ok_or_else(|| {
                Fault::params(format!(
                    "without a handshake, params._meta names {REVISION} and {CAPABILITIES}"
                ))
            });
        };
        if HANDSHAKES.into_iter().any(|known| revision == known) {
            return Ok(greeted.cloned().unwrap_or_default());
        }
        if revision != STATELESS {
            let data = json!({"requested": revision.lossy(), "supported": revisions()});
            return Err(Fault {
                data: Some(compact(&data)),
                ..Fault::new(-32022, "this revision of the protocol is not known")
            });
        }
        let capabilities = meta.and_then(|meta| meta.object(CAPABILITIES));
        if capabilities.is_none() {
            return Err(Fault::params(format!("params._meta names no {CAPABILITIES}")));
        }
        Ok(Caller::new(meta.and_then(|meta| meta.get(CLIENT)), capabilities, true))
    }

    /// A result as it reads it.
    pub(super) fn result(&self, mut result: Value) -> Value {
        if self.is_stateless && result.get("resultType").is_none() {
            result["resultType"] = json!("complete");
        }
        result
    }
}

/// Every revision that is spoken.
pub(super) fn revisions() -> Vec<&'static str> {
    HANDSHAKES.into_iter().chain([STATELESS]).collect()
}

/// The line that answers a request; without an id if it is not known which.
pub(super) fn answer(id: Option<&Id>, result: Result<Value, Fault>) -> String {
    let id = id.map(|id| ("id", id.raw()));
    let what = match result {
        Ok(result) => ("result", compact(&result)),
        Err(fault) => ("error", compact(&fault)),
    };
    line(id.into_iter().chain([what]))
}

/// The line that asks the client.
pub(super) fn ask(id: &Id, method: &str, params: &Value) -> String {
    line([("id", id.raw()), ("method", compact(method)), ("params", compact(params))])
}

/// The line that tells the client.
pub(super) fn notification(method: &str, params: &Value) -> String {
    line([("method", compact(method)), ("params", compact(params))])
}

fn line(members: impl IntoIterator<Item = (&'static str, Box<RawValue>)>) -> String {
    let members = members.into_iter().map(|(name, value)| format!(",\"{name}\":{value}"));
    format!("{{\"jsonrpc\":\"2.0\"{}}}\n", members.collect::<String>())
}

fn compact(value: &(impl Serialize + ?Sized)) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_default()
}
