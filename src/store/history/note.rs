//! Adding entries to the history: for what we do to a record, and once for each record that somebody else has written, when it
//! is first seen. And erasing them.

use super::entry::{History, HistoryEntry, Story, select};
use super::reason::{EntryKind, Reason};
use super::search::words;
use crate::ask::json::{Json, compact};
use crate::ask::standing;
use crate::ask::{JsString, check_record, check_record_alone, decode_packet, to_line};
use crate::error::Error;
use crate::platform::paths::Shown as _;
use crate::store::entry::Entry;
use crate::store::gate::{self, Loaded, Status, spec_hash};
use crate::store::sha256;
use crate::store::state::StateDir;
use rusqlite::{Connection, params};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Two programs that note one record do so within this time.
const ECHO: Duration = Duration::from_secs(10);
/// Larger files that are found are no answers of anybody's and are not copied, in bytes: 4 MiB.
const LIMIT: usize = 4 << 20;
/// Most records copied when many are found: an old project with tens of thousands of them is not copied whole.
const MOST_AT_ONCE: usize = 500;
/// Of these, how many are copied before whoever looks can do something else.
const BATCH: usize = 100;

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
    let entry = entry(state, story, note, now);
    state.write(|connection| insert(connection, story, note, entry.clone()))
}

/// What a note says, before it has its id and place.
fn entry(state: &StateDir, story: &Story<'_>, note: &Note<'_>, now: SystemTime) -> HistoryEntry {
    let record = Json::parse_keeping(note.bytes, &["answered_by", "answered_at"]).ok();
    let member = |key: &str| record.as_ref().and_then(|record| record.root().text(key));
    let valid = match (EntryKind::of(note.reason, story.answer_path, story.packet), story.spec) {
        (EntryKind::SentBack, _) => false,
        (EntryKind::Question, _) => standing::read("a", note.bytes).standing.is_some(),
        (EntryKind::Packet, _) => decode_packet(note.bytes).is_ok(),
        (EntryKind::Record, Some(spec)) => check_record(spec, note.bytes).is_ok(),
        (EntryKind::Record, None) => check_record_alone(note.bytes).is_ok(),
    };
    let made = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    HistoryEntry {
        state: state.clone(),
        seq: 0,
        id: String::new(),
        gate: state.gate_key(story.answer_path),
        made: i64::try_from(made).unwrap_or(i64::MAX),
        reason: note.reason,
        answer_path: story.answer_path.clone(),
        packet: story.packet.map(|packet| packet.shown().into_owned()),
        step: story.step.cloned(),
        topic: story.spec.map(|spec| spec.topic.clone()),
        spec_hash: story.spec.map(spec_hash),
        answered_by: member("answered_by"),
        answered_at: member("answered_at"),
        valid,
        sha256: sha256(note.bytes),
        bytes: note.bytes.len() as u64,
        of: note.of.map(str::to_owned),
    }
}

fn insert(
    connection: &Connection,
    story: &Story<'_>,
    note: &Note<'_>,
    mut entry: HistoryEntry,
) -> rusqlite::Result<HistoryEntry> {
    let base = format!("{}-{}", &entry.gate[..8], entry.made);
    let mut taken = connection.prepare_cached("SELECT EXISTS (SELECT 1 FROM entries WHERE id = ?1)")?;
    entry.id.clone_from(&base);
    for number in 1.. {
        if !taken.query_row([&entry.id], |row| row.get(0))? {
            break;
        }
        entry.id = format!("{base}-{number}");
    }
    // A clock that was put back does not change the order within a gate.
    let sql =
        "INSERT INTO entries (id, gate, made, placed, reason, answer_path, packet, step, topic, spec_hash,
        answered_by, answered_at, valid, sha256, bytes, of)
        VALUES (?1, ?2, ?3, max(?3, coalesce((SELECT max(placed) FROM entries WHERE gate = ?2), ?3)),
        ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
    let values = params![
        entry.id,
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
        i64::try_from(entry.bytes).unwrap_or(i64::MAX),
        entry.of
    ];
    connection.prepare_cached(sql)?.execute(values)?;
    entry.seq = connection.last_insert_rowid();
    let novel_ask = story.spec.map(|spec| story.novel_ask.map_or_else(|| to_line(spec), compact));
    let sql = "INSERT INTO records (seq, record, novel_ask) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(sql)?.execute(params![entry.seq, note.bytes, novel_ask])?;
    let (topic, step, by) = (entry.topic.as_ref(), entry.step.as_ref(), entry.answered_by.as_ref());
    let known = [topic, step, by, Some(&entry.answer_path)];
    let (ids, words) = words(&known, novel_ask.as_deref(), note.bytes);
    let sql = "INSERT INTO words (seq, ids, words) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(sql)?.execute(params![entry.seq, ids, words])?;
    drop_echo(&entry.state, connection, &entry.gate)?;
    Ok(entry)
}

/// Takes an entry back because what it says did not happen.
pub(in crate::store) fn take_back(entry: &HistoryEntry) {
    // One that stays is a copy too many, no loss.
    let _ = entry.state.write(|connection| delete(connection, entry));
}

/// Takes back what was noted before with the same bytes in the same place: of one text of a packet, one row is enough.
pub(super) fn drop_twins(entry: &HistoryEntry) {
    let sql = "DELETE FROM entries WHERE gate = ?1 AND sha256 = ?2 AND seq < ?3";
    let twins = params![entry.gate, entry.sha256, entry.seq];
    // One that stays is a copy too many, no loss.
    let _ = entry.state.write(|connection| connection.prepare_cached(sql)?.execute(twins));
}

fn delete(connection: &Connection, entry: &HistoryEntry) -> rusqlite::Result<()> {
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
    let echo = newest.iter().find(|entry| entry.reason == Reason::Seen);
    echo.map_or(Ok(()), |echo| delete(connection, echo))
}

/// The ids of the entries whose bytes were put back.
pub(super) fn restored(all: &[HistoryEntry]) -> impl Iterator<Item = &str> {
    all.iter().filter(|entry| entry.reason == Reason::Restored).filter_map(|entry| entry.of.as_deref())
}

fn is_answer(Loaded { record, .. }: &Loaded) -> bool {
    record.exists() && record.is_read() && record.bytes.len() <= LIMIT
}

/// Whether a record is the newest that is known of its gate, or is not to be noted at all.
fn is_known(connection: &Connection, state: &StateDir, loaded: &Loaded) -> rusqlite::Result<bool> {
    let Some(gate) = loaded.gate() else { return Ok(true) };
    let (gate, hash) = (state.gate_key(&gate.answer_path), loaded.record.sha256());
    let newest = select(state, connection, "gate = ?1 ORDER BY seq DESC LIMIT 1", [gate])?;
    if newest.first().is_some_and(|last| last.sha256 == hash && !last.reason.is_removal()) {
        return Ok(true);
    }
    let sql = "SELECT EXISTS (SELECT 1 FROM forgotten WHERE sha256 = ?1)";
    connection.prepare_cached(sql)?.query_row([hash], |row| row.get(0))
}

impl History<'_> {
    /// Notes the record of a gate if the history does not know it yet; true if it was noted.
    pub fn see(&self, loaded: &Loaded) -> Result<bool, Error> {
        // Most are known: nothing is locked and nothing is made for them.
        let is_known = || self.state.read(|connection| is_known(connection, self.state, loaded));
        if !is_answer(loaded) || is_known()? == Some(true) {
            return Ok(false);
        }
        self.state.write(|connection| Ok(self.note_seen(connection, &loaded.path)? == Some(true)))
    }

    /// Whether the record of a packet was new and is noted; nothing if the packet cannot be read. It is read here, where no other
    /// program can note: one that was read before may have been replaced, and the newer one noted.
    fn note_seen(&self, connection: &Connection, packet: &Path) -> rusqlite::Result<Option<bool>> {
        let Ok(loaded) = gate::load(self.project, packet) else { return Ok(None) };
        let Some(gate) = loaded.gate().filter(|_| is_answer(&loaded)) else { return Ok(Some(false)) };
        if is_known(connection, self.state, &loaded)? {
            return Ok(Some(false));
        }
        let note = Note { reason: Reason::Seen, of: None, bytes: &loaded.record.bytes };
        let story = Story::of(&loaded, gate);
        insert(connection, &story, &note, entry(self.state, &story, &note, self.now)).map(|_| Some(true))
    }

    /// Notes the records of many gates, as a scan has found them, a hundred at once; reads only those whose time differs from
    /// when they were last looked at, and of very many only the 500 newest. True while there are more.
    pub fn see_gates(&self, lines: &[Arc<Entry>]) -> Result<bool, Error> {
        self.see_at_most(MOST_AT_ONCE, BATCH, lines).map(|(_, more)| more)
    }

    /// How many were noted, and whether there are more to look at.
    pub(super) fn see_at_most(
        &self,
        most: usize,
        batch: usize,
        lines: &[Arc<Entry>],
    ) -> Result<(usize, bool), Error> {
        let History { project, state, .. } = *self;
        let is_answered = |line: &&Arc<Entry>| {
            matches!(line.status, Status::Answered | Status::Blocked) && !line.being_written
        };
        if !lines.iter().any(|line| is_answered(&line)) {
            return Ok((0, false));
        }
        let marks = state.read(|connection| {
            let mut statement = connection.prepare("SELECT gate, modified FROM seen")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<HashMap<String, i64>, _>>()
        })?;
        let (marks, mut key) = (marks.unwrap_or_default(), state.gate_keys());
        let mut new: Vec<(i64, String, &Arc<Entry>)> = lines
            .iter()
            .filter(is_answered)
            .filter_map(|line| {
                Some((nanoseconds(line.record_modified?), key(line.answer_path.as_ref()?), line))
            })
            .filter(|(modified, key, _)| marks.get(key) != Some(modified))
            .collect();
        if new.is_empty() {
            return Ok((0, false));
        }
        // Of what lay there before the project was ever looked at, the oldest is only marked.
        new.sort_by(|(a, x, _), (b, y, _)| b.cmp(a).then_with(|| x.cmp(y)));
        let old = new.split_off(most.min(new.len()));
        // Those of one look have one time: newest first, they are listed by gate, however many are noted at once.
        new.sort_by(|(_, a, _), (_, b, _)| b.cmp(a));
        let rest = new.len() > batch;
        new.truncate(batch);
        let (noted, is_any_read) = state.write(|connection| {
            let (mut noted, mut read) = (0, 0);
            let mut mark = connection.prepare_cached("INSERT OR REPLACE INTO seen VALUES (?1, ?2)")?;
            for (modified, key, line) in &new {
                if let Some(is_new) = self.note_seen(connection, &project.root().join(&line.path))? {
                    (noted, read) = (noted + usize::from(is_new), read + 1);
                    mark.execute(params![key, modified])?;
                }
            }
            for (modified, key, _) in &old {
                mark.execute(params![key, modified])?;
            }
            Ok((noted, read > 0))
        })?;
        // Where none of them can be looked at, trying at once again is no use.
        Ok((noted, rest && is_any_read))
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
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
        let all = all(connection)?;
        let back: HashSet<&str> = restored(&all).collect();
        let is_last_copy = |entry: &&HistoryEntry| {
            entry.reason.is_removal() && !entry.kind().is_file() && !back.contains(entry.id.as_str())
        };
        let removed_records = all.iter().filter(is_last_copy).count();
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

#[cfg(test)]
mod tests;
