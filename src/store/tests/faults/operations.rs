//! The table of operations.

use super::desk::Desk;
use crate::ask::{Draft, JsString};
use crate::error::Error;
use crate::store::drafts::{DraftJob, Drafts};
use crate::store::file::RELAYS;
use crate::store::file_snapshot::FileSnapshot;
use crate::store::gate::{self, Loaded, spec_hash};
use crate::store::history::{self, Over};
use crate::store::json_lines::JsonLines;
use crate::store::relay::{Asked, Relay};
use crate::store::reply;
use crate::store::returned::{self, Why};
use crate::store::rounds::{self, Delivered, Told};
use crate::store::sha256;
use crate::store::submission::Submission;
use crate::store::submit as submitting;
use crate::store::testing::{gate, packet_json, record};
use std::fs;
use std::time::{Duration, SystemTime};

pub(super) const PATH: &str = "staging/answers/new/a.answers.json";
const PACKET: &str = "staging/manifests/a.packet.json";
pub(super) const REPLIES: &str = "staging/replies.jsonl";
pub(super) const ROUNDS: &str = "staging/answers/new/a.rounds.jsonl";
const SETTINGS: &str = ".claude/settings.json";
const AT: &str = "2026-02-27T10:12:34.000Z";
const TORN: &[u8] = b"{\"version\": 1, \xFF\x00";

#[derive(Debug)]
pub(super) struct Operation {
    pub(super) name: &'static str,
    /// Makes what is there before.
    pub(super) prepare: fn(&Desk),
    /// Why it could not be noted, or an error.
    pub(super) run: fn(&Desk) -> Result<Option<Error>, Error>,
    /// Whether another record makes room.
    pub(super) replaces: bool,
    /// Whether it says nothing when it fails.
    pub(super) silent: bool,
}

const fn operation(
    name: &'static str,
    prepare: fn(&Desk),
    run: fn(&Desk) -> Result<Option<Error>, Error>,
) -> Operation {
    Operation { name, prepare, run, replaces: false, silent: false }
}

const fn replacing(
    name: &'static str,
    prepare: fn(&Desk),
    run: fn(&Desk) -> Result<Option<Error>, Error>,
) -> Operation {
    Operation { replaces: true, ..operation(name, prepare, run) }
}

pub(super) const RECORDS: &[Operation] = &[
    operation("answer", ask, |desk| answer(desk, Over::Nothing)),
    replacing("replace", standing, |desk| answer(desk, Over::Any)),
    replacing("repair", torn, |desk| answer(desk, Over::Hash(&sha256(TORN)))),
    operation("redo", standing, redo),
    operation("undo", taken_back, |desk| {
        let moved = desk.history().undo(&load(desk))?;
        Ok(moved.unnoted)
    }),
    operation("restore", taken_back, |desk| restore(desk, Over::Nothing)),
    replacing("restore over another", replaced, |desk| restore(desk, Over::Any)),
    operation("send back", ask, |desk| send_back(desk, Over::Nothing)),
    operation("send back what is answered", standing, |desk| send_back(desk, Over::Any)),
    operation("take back what was sent back", refused, |desk| {
        reply::take_back(&desk.project, &desk.at(PACKET), &PATH.into(), AT)?;
        Ok(None)
    }),
    operation("deliver what was sent back", refused, deliver),
];

pub(super) const HISTORY: &[Operation] = &[
    Operation {
        // There the calls that fail are those that read a record too, and what cannot be read is seen at the next look.
        silent: cfg!(windows),
        ..operation("note", standing, |desk| {
            desk.history().see(&load(desk))?;
            Ok(None)
        })
    },
    operation("forget", replaced, |desk| {
        history::forget(&desk.state, Some(&PATH.into()))?;
        Ok(None)
    }),
    operation("forget all", replaced, |desk| {
        history::forget(&desk.state, None)?;
        Ok(None)
    }),
];

pub(super) const DRAFTS: &[Operation] = &[
    operation("keep the first draft", waiting, |desk| keep_draft(desk, "second")),
    operation("keep a draft", ask, |desk| keep_draft(desk, "second")),
    operation("remove a draft", ask, |desk| {
        Drafts::new(&desk.state).remove(&PATH.into())?;
        Ok(None)
    }),
    operation("keep an edited record", edited, |desk| {
        Drafts::new(&desk.state).set_edited(&PATH.into(), Some("second"))?;
        Ok(None)
    }),
    operation("let an edited record go", edited, |desk| {
        Drafts::new(&desk.state).set_edited(&PATH.into(), None)?;
        Ok(None)
    }),
];

pub(super) const RELAY: &[Operation] = &[
    operation(
        "put a packet",
        |_| {},
        |desk| {
            drop(desk.relay.replace(Some(relay(desk)?)));
            Ok(None)
        },
    ),
    Operation {
        silent: true,
        ..operation("remove what a relay has left", relayed, |desk| {
            desk.start();
            Ok(None)
        })
    },
];

pub(super) const FILES: &[Operation] = &[
    operation("make settings", |_| {}, |desk| set(desk, "new")),
    operation("change settings", |desk| desk.put(SETTINGS, "old"), |desk| set(desk, "new")),
    operation("begin replies", |_| {}, |desk| reply(desk, "{\"call\": \"a\"}")),
    operation("add a reply", |desk| desk.put(REPLIES, "{}\n"), |desk| reply(desk, "{\"call\": \"b\"}")),
    operation("note the first telling", |_| {}, |desk| tell(desk, "a")),
    operation("note another telling", |desk| drop(tell(desk, "a").expect("noted")), |desk| tell(desk, "b")),
];

pub(super) fn bytes(text: &str) -> Vec<u8> {
    record(text).to_json().into_bytes()
}

fn waiting(desk: &Desk) {
    desk.put(PACKET, packet_json(PATH));
}

/// A gate that waits, and a draft.
fn ask(desk: &Desk) {
    waiting(desk);
    keep_draft(desk, "first").unwrap();
}

fn standing(desk: &Desk) {
    ask(desk);
    desk.put(PATH, bytes("standing"));
}

fn torn(desk: &Desk) {
    ask(desk);
    desk.put(PATH, TORN);
}

fn taken_back(desk: &Desk) {
    standing(desk);
    redo(desk).unwrap();
}

/// A record in the history, and another one in its place.
fn replaced(desk: &Desk) {
    taken_back(desk);
    desk.put(PATH, bytes("another"));
}

fn edited(desk: &Desk) {
    ask(desk);
    Drafts::new(&desk.state).set_edited(&PATH.into(), Some("first")).unwrap();
}

fn refused(desk: &Desk) {
    ask(desk);
    send_back(desk, Over::Nothing).unwrap();
}

/// A packet and a record that nobody holds, too old to be handed over.
fn relayed(desk: &Desk) {
    let relay = relay(desk).unwrap();
    let packet = desk.project.root().join(relay.packet());
    let text = fs::read(&packet).unwrap();
    drop(relay);
    fs::write(&packet, text).unwrap();
    let answers = packet.to_str().unwrap().replace(".packet.json", ".answers.json");
    let record = String::from_utf8(bytes("relayed")).unwrap().replace("2026-02-27", "2026-02-25");
    fs::write(answers, record).unwrap();
    assert!(packet.starts_with(desk.at(RELAYS)));
}

fn load(desk: &Desk) -> Loaded {
    gate::load(&desk.project, &desk.at(PACKET)).unwrap()
}

fn answer(desk: &Desk, over: Over<'_>) -> Result<Option<Error>, Error> {
    let unnoted = submit(desk, PACKET, PATH, over, &bytes("mine"))?;
    if unnoted.is_none() {
        let _ = Drafts::new(&desk.state).remove(&PATH.into());
    }
    Ok(unnoted)
}

pub(super) fn submit(
    desk: &Desk,
    packet: &str,
    answer_path: &str,
    over: Over<'_>,
    bytes: &[u8],
) -> Result<Option<Error>, Error> {
    let (asked, packet) = (spec_hash(&gate(answer_path).spec), desk.at(packet));
    let answer_path = &JsString::from(answer_path);
    let submission =
        Submission { packet: &packet, answer_path, asked: &asked, bytes, rivals: &[], over, seen: None };
    let submitted = submitting::submit(&desk.project, Ok(&desk.state), &submission, desk.now);
    let unnoted = |outcome| match outcome {
        submitting::Outcome::Written(done) => done.unnoted,
        submitting::Outcome::SentBack(returned) => returned.unnoted,
    };
    submitted.map(unnoted).map_err(|fault| fault.error())
}

/// Sends back what is asked, unless that is done.
fn send_back(desk: &Desk, over: Over<'_>) -> Result<Option<Error>, Error> {
    let (asked, packet, answer_path) = (spec_hash(&gate(PATH).spec), desk.at(PACKET), PATH.into());
    if reply::last(&desk.project, &answer_path).is_some() {
        return Ok(None);
    }
    let submission = Submission {
        packet: &packet,
        answer_path: &answer_path,
        asked: &asked,
        bytes: b"",
        rivals: &[],
        seen: None,
        over,
    };
    let why = Why { by: "human".into(), reason: "no".into(), ..Why::default() };
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_187_154);
    let returned = returned::send_back(&desk.project, Ok(&desk.state), &submission, &why, now);
    returned.map(|returned| returned.unnoted).map_err(|fault| fault.error())
}

/// Notes that a refusal has arrived, unless that stands there.
fn deliver(desk: &Desk) -> Result<Option<Error>, Error> {
    let answer_path = PATH.into();
    let reply = reply::last(&desk.project, &answer_path).unwrap();
    if reply.delivered.is_empty() {
        let delivered = Delivered { at: AT.to_owned(), by: "wait".to_owned(), id: reply.sent.id };
        reply::note_delivered(&desk.project, &desk.at(PACKET), &answer_path, delivered)?;
    }
    Ok(None)
}

fn redo(desk: &Desk) -> Result<Option<Error>, Error> {
    let moved = desk.history().redo(&load(desk))?;
    Ok(moved.unnoted)
}

fn restore(desk: &Desk, over: Over<'_>) -> Result<Option<Error>, Error> {
    let standing = sha256(&bytes("standing"));
    let entry = history::newest(&desk.state, &PATH.into(), |entry| entry.sha256 == standing)?.unwrap();
    let moved = desk.history().restore_entry(&entry, over);
    moved.map(|moved| moved.unnoted).map_err(|fault| fault.error())
}

fn keep_draft(desk: &Desk, text: &str) -> Result<Option<Error>, Error> {
    let gate = gate(PATH);
    let mut draft = Draft::blank(&gate.spec);
    draft.replies[0].type_text(text);
    let job = DraftJob {
        packet: PACKET.to_owned(),
        step: None,
        answer_path: gate.answer_path,
        spec: gate.spec,
        draft,
        orphans: Vec::new(),
        at: 0,
        saved_at: "2026-02-27T10:12:34.000Z".to_owned(),
    };
    Drafts::new(&desk.state).save(&job)?;
    Ok(None)
}

fn relay(desk: &Desk) -> Result<Relay, Error> {
    let asked = Asked { agent: "claude-code", spec: &gate(PATH).spec, call: "{}", stays: false };
    Relay::open(&desk.project, &desk.state, &asked)
}

fn set(desk: &Desk, text: &str) -> Result<Option<Error>, Error> {
    let snapshot = FileSnapshot::read(&desk.project, SETTINGS)?;
    snapshot.replace(&desk.project, text.as_bytes())?;
    Ok(None)
}

/// Notes that an agent was told a record, unless that stands there.
fn tell(desk: &Desk, record: &str) -> Result<Option<Error>, Error> {
    let path = PATH.into();
    if rounds::told(&desk.project, &path, record).is_empty() {
        let told = Told { at: AT.to_owned(), agent: None, by: "wait".to_owned(), record: record.to_owned() };
        rounds::note_told(&desk.project, &desk.at("a.packet.json"), &path, told)?;
    }
    Ok(None)
}

/// Adds a line that is not the last one.
fn reply(desk: &Desk, line: &str) -> Result<Option<Error>, Error> {
    let mut replies = JsonLines::open_on(desk.project.disk(), &desk.at(REPLIES), true)?;
    if replies.lines().any(|(_, there)| there == line.as_bytes()) {
        return Ok(None);
    }
    assert!(replies.append(line)?, "nobody else is there");
    Ok(None)
}
