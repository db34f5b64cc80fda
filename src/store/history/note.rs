//! Adding an entry to a gate's history, and erasing entries.
use super::entry::{HistoryEntry, Reason, Story, select};
use super::search::Words;
use crate::ask::json::{Item, Json};
use crate::ask::{JsString, check_record, check_record_alone, to_line};
use crate::error::Error;
use crate::store::clock::rfc3339_millis;
use crate::store::gate::spec_hash;
use crate::store::sha256;
use crate::store::state::StateDir;
use rusqlite::{Connection, params};
use std::collections::HashSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Two programs that note one record do so within this time.
const ECHO: Duration = Duration::from_secs(10);

/// What happened to a record.
#[derive(Clone, Copy, Debug)]
pub struct Note<'n> {
    pub reason: Reason,
    /// The id of the entry that this one follows from: see [`HistoryEntry::of`].
    pub of: Option<&'n str>,
    pub bytes: &'n [u8],
}

/// Adds an entry; it is on the disk when this returns.
pub fn add(
    state: &StateDir,
    story: &Story<'_>,
    note: &Note<'_>,
    now: SystemTime,
) -> Result<HistoryEntry, Error> {
    let fresh = Fresh::new(state, story, note, now);
    state.write(|connection| fresh.insert(connection))
}

/// An entry that is about to be added.
pub(super) struct Fresh<'n> {
    entry: HistoryEntry,
    novel_ask: Option<String>,
    words: Words,
    bytes: &'n [u8],
}

impl<'n> Fresh<'n> {
    pub(super) fn new(state: &StateDir, story: &Story<'_>, note: &Note<'n>, now: SystemTime) -> Fresh<'n> {
        let record = Json::parse_keeping(note.bytes, &["answered_by", "answered_at"]).ok();
        let member =
            |key: &str| record.as_ref().and_then(|record| record.root().get(key).and_then(Item::string));
        let valid = match story.spec {
            Some(spec) => check_record(spec, note.bytes).is_ok(),
            None => check_record_alone(note.bytes).is_ok(),
        };
        let made = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        let entry = HistoryEntry {
            state: state.clone(),
            seq: 0,
            id: String::new(),
            gate: state.gate_key(story.answer_path),
            made: i64::try_from(made).unwrap_or(i64::MAX),
            reason: note.reason,
            at: rfc3339_millis(now),
            answer_path: story.answer_path.clone(),
            packet: story.packet.map(|packet| packet.to_string_lossy().into_owned()),
            step: story.step.cloned(),
            topic: story.spec.map(|spec| spec.topic.clone()),
            spec_hash: story.spec.map(spec_hash),
            answered_by: member("answered_by"),
            answered_at: member("answered_at"),
            valid,
            sha256: sha256(note.bytes),
            bytes: note.bytes.len() as u64,
            of: note.of.map(str::to_owned),
        };
        let written = |spec| story.novel_ask.map_or_else(|| to_line(spec), str::to_owned);
        let novel_ask = story.spec.map(written);
        let (topic, step, by) = (entry.topic.as_ref(), entry.step.as_ref(), entry.answered_by.as_ref());
        let known = [topic, step, by, Some(&entry.answer_path)];
        let words = Words::of(&known, novel_ask.as_deref(), note.bytes);
        Fresh { entry, novel_ask, words, bytes: note.bytes }
    }

    pub(super) fn insert(&self, connection: &Connection) -> rusqlite::Result<HistoryEntry> {
        let entry = &self.entry;
        let base = format!("{}-{}", &entry.gate[..8], entry.made);
        let mut taken = connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM entries WHERE id = ?1)")?;
        let mut id = base.clone();
        let mut number = 0;
        while taken.query_row([&id], |row| row.get(0))? {
            number += 1;
            id = format!("{base}-{number}");
        }
        // A clock that was put back does not change the order within a gate.
        let sql = "INSERT INTO entries (id, gate, made, placed, reason, answer_path, packet, step, topic, spec_hash,
            answered_by, answered_at, valid, sha256, bytes, of)
            VALUES (?1, ?2, ?3, max(?3, coalesce((SELECT max(placed) FROM entries WHERE gate = ?2), ?3)),
            ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
        let bytes = i64::try_from(entry.bytes).unwrap_or(i64::MAX);
        let values = params![
            id,
            entry.gate,
            entry.made,
            entry.reason.name(),
            entry.answer_path,
            entry.packet,
            entry.step,
            entry.topic,
            entry.spec_hash,
            entry.answered_by,
            entry.answered_at,
            entry.valid,
            entry.sha256,
            bytes,
            entry.of
        ];
        connection.prepare_cached(sql)?.execute(values)?;
        let seq = connection.last_insert_rowid();
        let sql = "INSERT INTO records (seq, record, novel_ask) VALUES (?1, ?2, ?3)";
        connection.prepare_cached(sql)?.execute(params![seq, self.bytes, self.novel_ask])?;
        let sql = "INSERT INTO words (seq, ids, words) VALUES (?1, ?2, ?3)";
        connection.prepare_cached(sql)?.execute(params![seq, self.words.ids, self.words.words])?;
        drop_echo(&entry.state, connection, &entry.gate)?;
        Ok(HistoryEntry { seq, id, ..entry.clone() })
    }
}

/// Takes an entry back because what it says did not happen.
pub(super) fn take_back(entry: &HistoryEntry) {
    // One that stays is a copy too many, no loss.
    let _ = entry.state.write(|connection| delete(connection, entry));
}

pub(super) fn delete(connection: &Connection, entry: &HistoryEntry) -> rusqlite::Result<()> {
    connection.prepare_cached("DELETE FROM entries WHERE seq = ?1")?.execute([entry.seq]).map(drop)
}

/// Erases one of the two newest entries if both are of one record and it was only seen. A console may see a record in the
/// moment between its being written and its being noted by whoever wrote it; each of the two looks here after its own entry.
fn drop_echo(state: &StateDir, connection: &Connection, gate: &str) -> rusqlite::Result<()> {
    let newest = select(state, connection, "gate = ?1 ORDER BY seq DESC LIMIT 2", [gate])?;
    let [b, a] = &newest[..] else { return Ok(()) };
    let apart = b.time().duration_since(a.time()).unwrap_or_default();
    if a.sha256 != b.sha256 || a.reason.is_removal() || b.reason.is_removal() || apart > ECHO {
        return Ok(());
    }
    [b, a]
        .into_iter()
        .find(|entry| entry.reason == Reason::Seen)
        .map_or(Ok(()), |echo| delete(connection, echo))
}

/// The ids of the entries whose bytes were put back.
pub(super) fn restored(all: &[HistoryEntry]) -> impl Iterator<Item = &str> {
    all.iter().filter(|entry| entry.reason == Reason::Restored).filter_map(|entry| entry.of.as_deref())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    pub entries: usize,
    /// How many of them were records that had been taken away and not put back.
    pub removed_records: usize,
}

/// Erases the history of one gate, or of all: unpublished text is the author's, and no word of it is in any file afterwards.
/// Only the hashes of the records stay, so that a record that is still there is not noted again.
pub fn forget(state: &StateDir, answer_path: Option<&JsString>) -> Result<Erased, Error> {
    let gate = answer_path.map(|path| state.gate_key(path));
    let all = |connection: &Connection| select(state, connection, "gate = coalesce(?1, gate)", [&gate]);
    if state.read(all)?.is_none() {
        return Ok(Erased::default());
    }
    let erased = state.write(|connection| {
        let removed_records = last_copies(&all(connection)?);
        // Damaged ones, too.
        let sql = "INSERT OR IGNORE INTO forgotten SELECT sha256 FROM entries
            WHERE gate = coalesce(?1, gate) AND typeof(sha256) = 'text'";
        connection.execute(sql, [&gate])?;
        let entries = connection.execute("DELETE FROM entries WHERE gate = coalesce(?1, gate)", [&gate])?;
        Ok(Erased { entries, removed_records })
    })?;
    // Also if there was nothing: an earlier call may have been cut off here.
    state.wipe()?;
    Ok(erased)
}

fn last_copies(all: &[HistoryEntry]) -> usize {
    let back: HashSet<&str> = restored(all).collect();
    all.iter().filter(|entry| entry.reason.is_removal() && !back.contains(entry.id.as_str())).count()
}

#[cfg(test)]
mod tests;
