//! One entry of a gate's history: why it was made, what it says, the record's exact bytes, and the questions as they were.

use crate::ask::compare::{AnswerValues, read_answers, read_notes};
use crate::ask::standing::ENDING;
use crate::ask::{Gate, JsString, Notes, QuestionSpec, SIGNATURE, decode_spec};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::{rfc3339_millis, time_of};
use crate::store::file::QUESTIONS;
use crate::store::gate::Loaded;
use crate::store::project::Project;
use crate::store::record::hash_at;
use crate::store::sha256;
use crate::store::state::StateDir;
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

/// Why an entry was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum Reason {
    /// A record was written by novel-gate.
    Answered,
    /// The same in place of a record that was invalid.
    Repaired,
    /// A record was removed so that its gate waits again.
    Redone,
    /// A record was removed to make room for another one.
    Replaced,
    /// A record of the history was put back.
    Restored,
    /// A record was found that somebody else had written.
    Seen,
    /// Answers that sent the step back, and no record.
    SentBack,
}

impl Reason {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// For people: what happened, and who had answered, if that is known; the author is spoken to.
    pub fn text(self, by: Option<&str>, lang: Lang) -> String {
        let [alone, signed, yours] = match self {
            Reason::Answered => [
                say("answered", "回答"),
                say("answered by {0}", "由 {0} 回答"),
                say("your answers", "你的回答"),
            ],
            Reason::Repaired => [
                say("repaired", "修复"),
                say("repaired by {0}", "由 {0} 修复"),
                say("your answers, repaired", "你修复的回答"),
            ],
            Reason::Redone => [
                say("taken back", "收回"),
                say("taken back (answered by {0})", "收回（原由 {0} 回答）"),
                say("your answers, taken back", "已收回你的回答"),
            ],
            Reason::Replaced => [
                say("replaced", "被替换"),
                say("replaced (answered by {0})", "被替换（原由 {0} 回答）"),
                say("your answers, replaced", "你的回答被替换"),
            ],
            Reason::Restored => [
                say("put back", "放回"),
                say("put back (answered by {0})", "放回（由 {0} 回答）"),
                say("your answers, put back", "已放回你的回答"),
            ],
            Reason::SentBack => [
                say("sent back", "退回"),
                say("sent back by {0}", "由 {0} 退回"),
                say("sent back by you", "你退回了这一步"),
            ],
            Reason::Seen => [
                say("found on disk", "外部写入"),
                say("found on disk ({0})", "外部写入（{0}）"),
                say("found on disk, signed as yours", "外部写入，署你的名"),
            ],
        };
        match by {
            None => alone.text(lang).to_owned(),
            Some(SIGNATURE) => yours.text(lang).to_owned(),
            Some(by) => signed.fill(lang, &[by]),
        }
    }

    /// Whether the record was taken away from its place; otherwise it was put or found there.
    pub fn is_removal(self) -> bool {
        matches!(self, Reason::Redone | Reason::Replaced)
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
    /// Whether the record was valid for what was asked; of a standing question, whether it can be asked.
    pub valid: bool,
    pub sha256: String,
    pub bytes: u64,
    /// For a restored record: the [id](HistoryEntry::id) of the entry whose bytes were put back; for a repaired one: of what it
    /// replaced.
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

    /// Whether it is no record, but the file of a standing question.
    pub fn is_question(&self) -> bool {
        is_question(&self.answer_path)
    }

    /// Whether it is no record, but the old text of a packet that was mended.
    pub fn is_packet(&self) -> bool {
        self.packet.as_ref().is_some_and(|packet| self.answer_path == *packet.as_str())
    }

    /// What happened and who had answered, in words.
    pub fn event(&self, lang: Lang) -> String {
        if self.is_question() && self.reason == Reason::Redone {
            return say("removed", "移除").text(lang).to_owned();
        }
        let by = self.answered_by.as_ref().map(JsString::display);
        self.reason.text(by.as_deref(), lang)
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

/// Whether a path is that of a standing question's file.
pub(super) fn is_question(path: &JsString) -> bool {
    let path = path.lossy();
    path.ends_with(ENDING) && Path::new(&*path).parent() == Some(Path::new(QUESTIONS))
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

impl FromSql for Reason {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Reason> {
        value.as_str()?.parse().map_err(|_| FromSqlError::InvalidType)
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
