//! One entry of a gate's history: why it was made, what it says, the record's exact bytes, and the questions as they were.

use super::reason::{EntryKind, Reason};
use crate::ask::compare::{AnswerValues, read_answers, read_notes};
use crate::ask::{Gate, JsString, Notes, QuestionSpec, decode_spec};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::{rfc3339_millis, time_of};
use crate::store::gate::Loaded;
use crate::store::project::Project;
use crate::store::record::hash_at;
use crate::store::sha256;
use crate::store::state::StateDir;
use crate::text::encoding::decode;
use crate::text::{Lang, Message, say};
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Params, Row, ToSql};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The history of a project, now.
#[derive(Clone, Copy, Debug)]
pub struct History<'p> {
    pub project: &'p Project,
    pub state: &'p StateDir,
    pub now: SystemTime,
}

/// What an entry is about.
#[derive(Clone, Copy, Debug)]
pub struct Story<'a> {
    pub answer_path: &'a JsString,
    /// The packet's file, if one is known.
    pub packet: Option<&'a Path>,
    pub step: Option<&'a JsString>,
    pub spec: Option<&'a QuestionSpec>,
    /// The same exactly as it is written; where it is not known, the spec is written anew.
    pub novel_ask: Option<&'a str>,
}

impl<'a> Story<'a> {
    /// What the history says about a gate.
    pub fn of(loaded: &'a Loaded, gate: &'a Gate) -> Story<'a> {
        Story {
            answer_path: &gate.answer_path,
            packet: Some(&loaded.path),
            step: loaded.packet.step.as_ref(),
            spec: Some(&gate.spec),
            novel_ask: loaded.novel_ask.as_deref(),
        }
    }
}

impl History<'_> {
    /// Of these entries the ids of those whose records lie in their places now: of each gate the newest one with these bytes
    /// that no removal made.
    pub fn standing(&self, entries: &[Arc<HistoryEntry>]) -> HashSet<String> {
        let gates: HashMap<&str, &JsString> =
            entries.iter().map(|entry| (&*entry.gate, &entry.answer_path)).collect();
        let standing = |answer_path: &JsString| {
            let hash = hash_at(self.project, answer_path)?;
            let is_it = |entry: &HistoryEntry| entry.sha256 == hash && !entry.reason.is_removal();
            Some(self.state.tolerate(newest(self.state, answer_path, is_it))??.id)
        };
        gates.into_values().filter_map(standing).collect()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Where the rest of it is.
    pub(super) state: StateDir,
    /// Its place in the order in which entries came.
    pub(super) seq: i64,
    pub(super) id: String,
    /// The [key](StateDir::gate_key) of its gate.
    pub gate: String,
    /// When it was made, milliseconds since 1970.
    pub(super) made: i64,
    pub reason: Reason,
    pub answer_path: JsString,
    pub packet: Option<String>,
    pub step: Option<JsString>,
    pub topic: Option<JsString>,
    pub spec_hash: Option<String>,
    pub answered_by: Option<JsString>,
    /// When, as the record says.
    pub answered_at: Option<JsString>,
    /// Whether the record was valid for what was asked; whether a standing question can be asked, and a packet be read.
    pub valid: bool,
    pub sha256: String,
    pub bytes: u64,
    /// For a restored record, and for what a packet's old text took the place of: the [id](HistoryEntry::id) of the entry whose
    /// bytes were put back; for a repaired record: of what it replaced.
    pub of: Option<String>,
}

impl HistoryEntry {
    /// What people and commands call it, in the whole project: `<8 digits of the gate>-<milliseconds>[-<n>]`.
    pub fn id(&self) -> String {
        self.id.clone()
    }

    pub fn time(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(u64::try_from(self.made).unwrap_or_default())
    }

    /// When it was made, RFC 3339.
    pub fn at(&self) -> String {
        rfc3339_millis(self.time())
    }

    /// What it is dated by: a record that was only found, by its answer; else what happened.
    pub fn date(&self) -> SystemTime {
        let answered = self.answered_at.as_ref().and_then(|at| time_of(at.as_str()?));
        answered.filter(|_| self.reason == Reason::Seen).unwrap_or_else(|| self.time())
    }

    /// Whether it is no record, but answers that sent the step back.
    pub fn is_refusal(&self) -> bool {
        self.reason == Reason::SentBack
    }

    pub fn kind(&self) -> EntryKind {
        EntryKind::of(self.reason, &self.answer_path, self.packet.as_deref().map(Path::new))
    }

    /// What it is called in a list: its step, else its place; of a file that is no record the last part.
    pub fn name(&self) -> JsString {
        let place = self.answer_path.lossy();
        let last = place.rsplit('/').next().filter(|_| self.kind().is_file()).map(JsString::from);
        self.step.clone().or(last).unwrap_or_else(|| self.answer_path.clone())
    }

    /// Whether it is a record that was not valid.
    pub fn is_bad(&self) -> bool {
        self.kind() == EntryKind::Record && !self.valid
    }

    /// What happened and who had answered, in words; of what is no record, what it is.
    pub fn event(&self, lang: Lang) -> String {
        let says = match (self.kind(), self.reason) {
            (EntryKind::Question, Reason::Redone) => say("removed question", "移除的提问"),
            (EntryKind::Question, _) => say("question put back", "放回的提问"),
            (EntryKind::Packet, _) if self.of.is_none() => say("packet before mending", "修补前的指令包"),
            (EntryKind::Packet, _) => say("packet before putting back", "放回旧文之前的指令包"),
            _ => {
                let by = self.answered_by.as_ref().map(JsString::display);
                return self.reason.text(by.as_deref(), lang);
            }
        };
        says.text(lang).to_owned()
    }

    /// The text of a file that is shown as it is; nothing of what says answers.
    pub fn text(&self) -> Option<String> {
        let bytes = self.kind().is_file().then(|| self.state.tolerate(self.bytes())).flatten()?;
        let text = decode(&bytes).map(|(text, _)| text);
        Some(text.unwrap_or_else(|| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// When it was made, for exports: `2026-02-27 10:12:34Z`.
    pub fn utc_time(&self) -> String {
        let at = self.at();
        let seconds = at.split('.').next().unwrap_or_default().trim_end_matches('Z');
        format!("{}Z", seconds.replacen('T', " ", 1))
    }

    /// The record's exact bytes; an error too where they are gone, or not what the entry says.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        let sql = "SELECT record FROM records WHERE seq = ?1";
        let found = self.state.read(|state| state.query_row(sql, [self.seq], |row| row.get(0)).optional())?;
        let bytes: Vec<u8> = found.flatten().ok_or_else(|| no_entry(&self.id))?;
        if sha256(&bytes) == self.sha256 {
            return Ok(bytes);
        }
        let sentence = say(
            "{0} is damaged: it is not what was put into the history.",
            "{0} 已损坏：与当初存入历史的内容不符。",
        );
        Err(Error::new(ExitCode::Failed, "history-damaged", sentence, &[&self.id]))
    }

    pub fn asked(&self) -> Option<QuestionSpec> {
        decode_spec(self.novel_ask()?.as_bytes()).ok()
    }

    /// The same exactly as it was written: JSON on one line.
    pub fn novel_ask(&self) -> Option<String> {
        let sql = "SELECT novel_ask FROM records WHERE seq = ?1";
        let found = self.state.read(|state| state.query_row(sql, [self.seq], |row| row.get(0)).optional());
        self.state.tolerate(found)???
    }

    /// What was answered, exactly, valid or not; nothing of a record that is no JSON.
    pub fn answers(&self) -> AnswerValues {
        self.state.tolerate(self.bytes()).map(|bytes| read_answers(&bytes)).unwrap_or_default()
    }

    /// What was written beside the answers; nothing of a record that is no JSON.
    pub fn notes(&self) -> Notes {
        self.state.tolerate(self.bytes()).map(|bytes| read_notes(&bytes)).unwrap_or_default()
    }

    /// Both, read once.
    pub fn said(&self) -> (AnswerValues, Notes) {
        let bytes = self.state.tolerate(self.bytes());
        bytes.map(|bytes| (read_answers(&bytes), read_notes(&bytes))).unwrap_or_default()
    }

    /// The entry of the same gate before this one.
    pub fn earlier(&self) -> Option<HistoryEntry> {
        let before = "gate = ?1 AND seq < ?2 ORDER BY seq DESC LIMIT 1";
        let found = self.state.read(|state| select(&self.state, state, before, (&self.gate, self.seq)));
        self.state.tolerate(found)??.pop()
    }

    /// The same, or nothing of a damaged row, which is said.
    pub(super) fn read_if_sound(state: &StateDir, row: &Row<'_>) -> Option<HistoryEntry> {
        let entry = HistoryEntry::read(state, row);
        if entry.is_err() {
            let name = row.get(1).or_else(|_| row.get::<_, i64>(0).map(|seq| format!("#{seq}")));
            let sentence = say(
                "The entry {0} of the history is damaged and cannot be shown.",
                "历史条目 {0} 已损坏，无法显示。",
            );
            state.notify(Message::new(sentence, &[&name.unwrap_or_default()]));
        }
        entry.ok()
    }

    pub(super) fn read(state: &StateDir, row: &Row<'_>) -> rusqlite::Result<HistoryEntry> {
        Ok(HistoryEntry {
            state: state.clone(),
            seq: row.get(0)?,
            id: row.get(1)?,
            gate: row.get(2)?,
            made: row.get(3)?,
            reason: row.get(4)?,
            answer_path: row.get(5)?,
            packet: row.get(6)?,
            step: row.get(7)?,
            topic: row.get(8)?,
            spec_hash: row.get(9)?,
            answered_by: row.get(10)?,
            answered_at: row.get(11)?,
            valid: row.get(12)?,
            sha256: row.get(13)?,
            bytes: u64::try_from(row.get::<_, i64>(14)?).unwrap_or_default(),
            of: row.get(15)?,
        })
    }
}

/// What [`HistoryEntry::read`] reads.
pub(super) const COLUMNS: &str = "seq, id, gate, made, reason, answer_path, packet, step, topic, spec_hash, answered_by, \
                                  answered_at, valid, sha256, bytes, of";

/// The entries of which a condition holds, but for damaged ones.
pub(super) fn select(
    state: &StateDir,
    connection: &Connection,
    condition: &str,
    parameters: impl Params,
) -> rusqlite::Result<Vec<HistoryEntry>> {
    let sql = format!("SELECT {COLUMNS} FROM entries WHERE {condition}");
    let mut statement = connection.prepare_cached(&sql)?;
    let rows = statement.query_map(parameters, |row| Ok(HistoryEntry::read_if_sound(state, row)))?;
    rows.filter_map(Result::transpose).collect()
}

/// As text, or as its JSON in a blob where a lone surrogate keeps it from being text.
impl ToSql for JsString {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.as_str() {
            Some(text) => text.into(),
            None => serde_json::to_vec(self).unwrap_or_default().into(),
        })
    }
}

impl FromSql for JsString {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<JsString> {
        match value {
            ValueRef::Blob(json) => serde_json::from_slice(json).map_err(|_| FromSqlError::InvalidType),
            text => Ok(text.as_str()?.into()),
        }
    }
}

/// The history of the gate with an answer path, oldest first; an error if one of them is damaged: what came last, and what was
/// put back, is not known then.
pub fn entries(state: &StateDir, answer_path: &JsString) -> Result<Vec<HistoryEntry>, Error> {
    let gate = state.gate_key(answer_path);
    let sql = format!("SELECT {COLUMNS} FROM entries WHERE gate = ?1 ORDER BY seq");
    let found = state.read(|connection| {
        let mut statement = connection.prepare_cached(&sql)?;
        statement.query_map([&gate], |row| HistoryEntry::read(state, row))?.collect()
    })?;
    Ok(found.unwrap_or_default())
}

/// The newest entry of a gate of which something holds.
pub fn newest(
    state: &StateDir,
    answer_path: &JsString,
    wanted: impl Fn(&HistoryEntry) -> bool,
) -> Result<Option<HistoryEntry>, Error> {
    Ok(entries(state, answer_path)?.into_iter().rev().find(wanted))
}

/// The entry with this [id](HistoryEntry::id).
pub fn find(state: &StateDir, id: &str) -> Result<HistoryEntry, Error> {
    let found = state.read(|connection| select(state, connection, "id = ?1", [id]))?;
    found.and_then(|mut found| found.pop()).ok_or_else(|| no_entry(id))
}

fn no_entry(id: &str) -> Error {
    let sentence = say("There is no entry {0} in the history.", "历史中没有条目 {0}。");
    Error::new(ExitCode::Failed, "no-entry", sentence, &[id])
        .hint(say("novel-gate history lists them.", "用 novel-gate history 列出。"), &[])
}
