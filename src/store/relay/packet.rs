//! The packet of a question that an executor asks while it runs: its names, and what it says.

use crate::ask::json::{Item, Json, to_indented};
use crate::ask::{JsString, QuestionSpec, RELAY, caller, object, raw, to_line};
use crate::store::file::{RELAY_PREFIX, RELAYS};
use crate::store::gate::{self, Loaded};
use std::path::Path;

pub(super) const RECORD: &str = ".answers.json";
/// The member that says that it stays when its process ends.
const STAYS: &str = "_stays";

#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The executor as packets spell it.
    pub agent: &'a str,
    pub spec: &'a QuestionSpec,
    /// What the packet says of the call, as a JSON object.
    pub call: &'a str,
    /// Whether the packet stays when its process ends.
    pub stays: bool,
}

pub(super) fn packet_name(name: &str) -> String {
    format!("{RELAY_PREFIX}{name}.packet.json")
}

pub(super) fn record_name(name: &str) -> String {
    format!("{RELAY_PREFIX}{name}{RECORD}")
}

pub(super) fn answer_path(name: &str) -> JsString {
    format!("{RELAYS}/{}", record_name(name)).into()
}

impl Asked<'_> {
    /// Whether a packet was made by another hook of this very call.
    pub(super) fn is_of_call(&self, packet: &Path) -> bool {
        let Ok(bytes) = gate::read_file(packet) else { return false };
        let Ok(packet) = Json::parse_keeping(&bytes, &[RELAY]) else { return false };
        let call = packet.root().get(RELAY).and_then(call_key);
        call.is_some() && call == self.call_key()
    }

    /// Whether the session that made a packet is this one. A session without a name is none.
    pub(super) fn is_of_session(&self, loaded: &Loaded) -> bool {
        let own = Json::parse(self.call.as_bytes()).ok().and_then(|call| caller(call.root())?.session);
        own.is_some() && loaded.packet.caller.as_ref().map(|caller| &caller.session) == Some(&own)
    }

    pub(super) fn call_key(&self) -> Option<String> {
        call_key(Json::parse(self.call.as_bytes()).ok()?.root())
    }

    pub(super) fn packet(&self, name: &str) -> String {
        let members = [
            ("step", raw(to_line(&format!("relay:{name}")))),
            ("agent", raw(to_line(self.agent))),
            ("expected_outputs", raw("[]".to_owned())),
            ("next_actions", raw("[]".to_owned())),
            ("answer_path", raw(to_line(&answer_path(name)))),
            ("novel_ask", raw(to_line(self.spec))),
            (RELAY, raw(self.call.to_owned())),
        ];
        let stays = self.stays.then(|| (STAYS, raw("true".to_owned())));
        to_indented(&object(members.into_iter().chain(stays)))
    }
}

/// What tells a hook's call from others; `None` if it has no name.
fn call_key(call: Item<'_>) -> Option<String> {
    let name = |key| call.text(key).filter(|name| !name.is_empty());
    Some(to_line(&[name("session_id")?, name("tool_use_id")?]))
}

/// Whether a packet of these says that it stays when its process ends; `None` if it does not say that it is one of these.
pub(super) fn stays(packet: &Path) -> Option<bool> {
    let bytes = gate::read_file(packet).ok()?;
    let json = Json::parse_keeping(&bytes, &[RELAY, STAYS]).ok()?;
    json.root().get(RELAY).map(|_| json.root().get(STAYS).is_some())
}

pub(super) fn is_its(loaded: &Loaded, name: &str) -> bool {
    loaded.gate().is_some_and(|gate| gate.answer_path == answer_path(name))
}
