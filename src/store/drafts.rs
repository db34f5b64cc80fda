//! Half-made answers, kept between sessions in the state directory.
//!
//! There is one draft per gate and process. It is saved, brought back for a spec that may have changed, and removed once the
//! record is safe, but for what stands in no record; so is the text of a record that the author has edited and that is not good yet. `autosave` does it on a
//! thread of its own.

use self::writer::Writer;
use super::entry::Entry;
use super::gate::spec_hash;
use super::state::StateDir;
use crate::ask::draft::{CarriedOver, DraftProgress, Orphan};
use crate::ask::{Draft, JsString, QuestionSpec, decode_spec, to_line};
use crate::error::{Error, Message};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

pub mod autosave;
pub mod kept;
pub mod loan;
mod rescue;
mod writer;

#[derive(Clone, Debug)]
pub struct Drafts {
    state: StateDir,
}

/// Everything that goes into one draft.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftJob {
    /// The packet, as it is shown to people.
    pub packet: String,
    pub step: Option<JsString>,
    pub answer_path: JsString,
    pub spec: Arc<QuestionSpec>,
    pub draft: Draft,
    /// What no longer fitted when the draft was loaded; kept until the author has dealt with it.
    pub orphans: Vec<Orphan>,
    /// Index of the question the author is at; always one of the spec's.
    pub at: usize,
    /// RFC 3339, UTC.
    pub saved_at: String,
}

/// A draft that came back, for the questions as they are now.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedDraft {
    pub job: DraftJob,
    /// Questions whose answers did not fit before and do again.
    pub again: Vec<String>,
    /// The questions it was made for, where they are others.
    pub asked: Option<QuestionSpec>,
}

impl DraftJob {
    /// The draft as if it came back from the disk, for the questions as they are now.
    pub fn restored(self, spec: &Arc<QuestionSpec>) -> SavedDraft {
        let CarriedOver { draft, orphans, again } = self.draft.carried_over(&self.spec, spec, self.orphans);
        let asked = (spec_hash(&self.spec) != spec_hash(spec)).then(|| (*self.spec).clone());
        let at = self.at.min(spec.questions.len().saturating_sub(1));
        SavedDraft { job: DraftJob { spec: Arc::clone(spec), draft, orphans, at, ..self }, again, asked }
    }

    /// Puts what another draft of the same gate says beside what this one says.
    fn join(&mut self, other: DraftJob) {
        self.draft.fill_from(&other.draft);
        self.orphans.extend(other.orphans);
        let pairs = self.draft.replies.iter_mut().zip(other.draft.replies).zip(&self.spec.questions);
        for ((own, theirs), question) in pairs {
            if !theirs.note.is_blank() && theirs.note != own.note {
                self.orphans.push(Orphan { id: question.id.as_str().into(), words: theirs.note.clone() });
            }
            own.put_words_aside(theirs.other.clone());
            own.spare(&theirs);
            if !own.says_as(&theirs) {
                own.put_aside(theirs);
            }
        }
        let words = other.draft.reason.words;
        if !words.is_blank() && words != self.draft.reason.words {
            self.orphans.push(Orphan { id: JsString::EMPTY, words });
        }
        let mut seen = std::collections::HashSet::new();
        self.orphans.retain(|orphan| seen.insert((orphan.id.clone(), orphan.words.clone())));
    }

    fn orphans(&self) -> Vec<(JsString, JsString)> {
        self.orphans.iter().map(|orphan| (orphan.id.clone(), orphan.words.clone())).collect()
    }

    fn replies(&self) -> String {
        let mut replies = String::new();
        self.draft.write_json(&self.spec, &mut replies);
        replies
    }
}

impl Drafts {
    /// The drafts in a project's state directory. Nothing is made until something is saved.
    pub fn new(state: &StateDir) -> Drafts {
        Drafts { state: state.clone() }
    }

    /// Keeps a draft in the place of the one that this process kept before. It is on the disk when this returns.
    /// Where it fails, the draft from before is still there.
    pub fn save(&self, job: &DraftJob) -> Result<(), Error> {
        self.save_of(job, &Writer::this_process())
    }

    /// The same in the place of what another process has kept, unless that is newer: a file that outlived its words holds older
    /// ones.
    fn save_of(&self, job: &DraftJob, writer: &Writer) -> Result<(), Error> {
        let gate = self.state.gate_key(&job.answer_path);
        let is_ours = *writer == Writer::this_process();
        let sql = "SELECT EXISTS (SELECT 1 FROM drafts WHERE gate = ?1 AND host = ?2 AND pid = ?3 AND saved_at > ?4)";
        self.state.write(|state| {
            let values = params![gate, writer.host, writer.pid, job.saved_at];
            if !is_ours && state.query_row(sql, values, |row| row.get(0))? {
                return Ok(());
            }
            insert(state, &gate, job, writer)
        })
    }

    /// Brings back the newest draft of a gate. What processes that have ended left beside it is put within reach, so that no
    /// words are lost when two consoles were on one gate; all of it belongs to this process from now on.
    pub fn load(
        &self,
        answer_path: &JsString,
        spec: &Arc<QuestionSpec>,
    ) -> Result<Option<SavedDraft>, Error> {
        self.bring_back(answer_path, spec, |_| true)
    }

    fn bring_back(
        &self,
        answer_path: &JsString,
        spec: &Arc<QuestionSpec>,
        counts: impl Fn(&Writer) -> bool,
    ) -> Result<Option<SavedDraft>, Error> {
        let mut found = self.find(answer_path, spec)?;
        found.retain(|(_, writer, _)| counts(writer));
        let ended: Vec<i64> =
            found.iter().filter(|(_, writer, _)| !writer.is_running()).map(|(seq, ..)| *seq).collect();
        let mut found = found.into_iter();
        let Some((seq, writer, mut saved)) = found.next() else { return Ok(None) };
        let is_alone = found.len() == 0;
        for (_, _, left) in found.filter(|(seq, ..)| ended.contains(seq)) {
            saved.job.join(left.job);
        }
        // Where that cannot be written, all is as it was and is put together another time.
        if ended.is_empty() || is_alone && writer == Writer::this_process() {
            return Ok(Some(saved));
        }
        let gate = self.state.gate_key(answer_path);
        let _ = self.state.write(|state| {
            let us = Writer::this_process();
            if is_alone {
                let sql = "UPDATE drafts SET host = ?1, pid = ?2 WHERE seq = ?3";
                return state.execute(sql, params![us.host, us.pid, seq]).map(drop);
            }
            ended.iter().try_for_each(|seq| delete(state, *seq))?;
            insert(state, &gate, &saved.job, &us)
        });
        Ok(Some(saved))
    }

    /// The newest draft of a gate as it lies there; it stays with whoever kept it.
    pub fn peek(&self, answer_path: &JsString, spec: &Arc<QuestionSpec>) -> Option<SavedDraft> {
        self.state.tolerate(self.find(answer_path, spec))?.into_iter().next().map(|(.., saved)| saved)
    }

    /// How far the newest draft of each of these gates is, by packet. Without any draft nothing is looked at.
    pub fn progress(&self, entries: &[Arc<Entry>]) -> HashMap<PathBuf, DraftProgress> {
        let found = self.state.read(|state| {
            let mut statement = state.prepare("SELECT gate, replies FROM drafts ORDER BY seq")?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<Vec<_>, _>>()
        });
        // Who only looks does not fail for it.
        let found: Vec<(String, String)> = self.state.tolerate(found).flatten().unwrap_or_default();
        let read = |(gate, replies): (String, String)| Some((gate, DraftProgress::of_kept(&replies)?));
        let drafts: HashMap<String, DraftProgress> = found.into_iter().filter_map(read).collect();
        if drafts.is_empty() {
            return HashMap::new();
        }
        let mut key = self.state.gate_keys();
        let of = |entry: &Arc<Entry>| {
            let progress = drafts.get(&key(entry.answer_path.as_ref()?))?;
            Some((entry.path.to_path_buf(), *progress))
        };
        entries.iter().filter_map(of).collect()
    }

    /// Every draft of a gate, the newest first.
    fn find(
        &self,
        answer_path: &JsString,
        spec: &Arc<QuestionSpec>,
    ) -> Result<Vec<(i64, Writer, SavedDraft)>, Error> {
        let gate = self.state.gate_key(answer_path);
        let found = self.state.read(|state| {
            let step = if has_places(state)? { "step" } else { "NULL" };
            let sql = format!(
                "SELECT seq, host, pid, packet, spec_hash, saved_at, at, novel_ask, replies, orphans, {step} FROM drafts
                WHERE gate = ?1 ORDER BY seq DESC"
            );
            let kept = |row: &Row<'_>| Ok((row.get(0)?, Writer::read(row)?, SavedDraft::read(row, answer_path, spec)?));
            state.prepare_cached(&sql)?.query_map([&gate], kept)?.collect()
        })?;
        Ok(found.unwrap_or_default())
    }

    /// Whether another console that still runs has a draft of this gate too.
    pub fn is_shared(&self, answer_path: &JsString) -> bool {
        let gate = self.state.gate_key(answer_path);
        let found = self.state.read(|state| writers(state, &gate));
        // Whoever only asks does not fail for it.
        found.ok().flatten().unwrap_or_default().iter().any(|(_, writer)| writer.is_running())
    }

    /// Keeps of the draft of a gate what its author has written beside the answers: these are in a record now. The words of
    /// another process that still runs are not.
    pub fn settle(&self, answer_path: &JsString, spec: &Arc<QuestionSpec>) -> Result<(), Error> {
        let mine = self.bring_back(answer_path, spec, |writer| !writer.is_running())?;
        let Some(mut saved) = mine else { return Ok(()) };
        saved.job.draft = saved.job.draft.beside_answers();
        if saved.is_authors() { self.save(&saved.job) } else { self.remove(answer_path) }
    }

    /// Removes what this process has kept of a gate, and nothing of any other.
    pub fn leave(&self, answer_path: &JsString) -> Result<(), Error> {
        let (gate, us) = (self.state.gate_key(answer_path), Writer::this_process());
        let sql = "DELETE FROM drafts WHERE gate = ?1 AND host = ?2 AND pid = ?3";
        self.state.write(|state| state.execute(sql, params![gate, us.host, us.pid])).map(drop)
    }

    /// Removes the draft of a gate; nothing there is fine. What another process that still runs has kept there stays: its
    /// author's words are in no record.
    pub fn remove(&self, answer_path: &JsString) -> Result<(), Error> {
        let gate = self.state.gate_key(answer_path);
        if self.state.read(|state| writers(state, &gate))?.is_none_or(|found| found.is_empty()) {
            return Ok(());
        }
        self.state.write(|state| {
            let mut ours = writers(state, &gate)?;
            ours.retain(|(_, writer)| !writer.is_running());
            ours.iter().try_for_each(|(seq, _)| delete(state, *seq))
        })
    }

    /// Keeps the text of an edited record, exactly as the editor left it, or lets the one go that was kept; nothing there is
    /// fine. Where it fails, the text that was kept before is still there.
    pub fn set_edited(&self, answer_path: &JsString, text: Option<&str>) -> Result<(), Error> {
        if text.is_none() && self.find_edited(answer_path)?.is_none() {
            return Ok(());
        }
        let gate = self.state.gate_key(answer_path);
        let done = self.state.write(|state| match text {
            Some(text) => {
                state.execute("INSERT OR REPLACE INTO edited (gate, text) VALUES (?1, ?2)", [&gate, text])
            }
            None => state.execute("DELETE FROM edited WHERE gate = ?1", [&gate]),
        });
        done.map(drop)
    }

    /// The text of an edited record that was kept.
    pub fn edited(&self, answer_path: &JsString) -> Option<String> {
        self.state.tolerate(self.find_edited(answer_path))?
    }

    /// The hash of the file with which the edit of its text began; `new` if it begins now. Nothing if nobody has noted it.
    pub fn base_of_edited(&self, path: &JsString, new: Option<&str>) -> Option<String> {
        let gate = self.state.gate_key(path);
        let noted = self.state.write(|state| {
            // Older programs have made files without it.
            state.execute_batch(
                "CREATE TABLE IF NOT EXISTS bases (gate TEXT PRIMARY KEY, sha256 TEXT NOT NULL)",
            )?;
            if let Some(new) = new {
                state.execute("INSERT OR REPLACE INTO bases VALUES (?1, ?2)", [&*gate, new])?;
            }
            state.query_row("SELECT sha256 FROM bases WHERE gate = ?1", [&gate], |row| row.get(0)).optional()
        });
        noted.ok().flatten()
    }

    fn find_edited(&self, answer_path: &JsString) -> Result<Option<String>, Error> {
        let gate = self.state.gate_key(answer_path);
        let found = self.state.read(|state| {
            state.query_row("SELECT text FROM edited WHERE gate = ?1", [&gate], |row| row.get(0)).optional()
        });
        found.map(Option::flatten)
    }
}

impl SavedDraft {
    /// Whether there is anything of the author's in it.
    pub fn is_authors(&self) -> bool {
        self.job.draft.is_authors() || !self.job.orphans.is_empty()
    }

    /// A draft as it is kept, for the questions as they are now.
    fn read(row: &Row<'_>, answer_path: &JsString, spec: &Arc<QuestionSpec>) -> rusqlite::Result<SavedDraft> {
        let text = |column| row.get::<_, String>(column);
        let orphans = serde_json::from_str(&text(9)?).unwrap_or_default();
        let CarriedOver { draft, orphans, again } = replies_from(&text(8)?, orphans, spec);
        let at = usize::try_from(row.get::<_, i64>(6)?).unwrap_or_default();
        let job = DraftJob {
            packet: text(3)?,
            step: row.get(10)?,
            answer_path: answer_path.clone(),
            spec: Arc::clone(spec),
            draft,
            orphans,
            at: at.min(spec.questions.len().saturating_sub(1)),
            saved_at: text(5)?,
        };
        let asked = if text(4)? == spec_hash(spec) { None } else { decode_spec(text(7)?.as_bytes()).ok() };
        Ok(SavedDraft { job, again, asked })
    }
}

fn insert(state: &Connection, gate: &str, job: &DraftJob, writer: &Writer) -> rusqlite::Result<()> {
    if !has_places(state)? {
        state.execute_batch(
            "ALTER TABLE drafts ADD COLUMN answer_path; ALTER TABLE drafts ADD COLUMN step;",
        )?;
    }
    let orphans = serde_json::to_string(&job.orphans()).unwrap_or_default();
    let sql = "INSERT OR REPLACE INTO drafts
        (gate, host, pid, packet, spec_hash, saved_at, at, novel_ask, replies, orphans, answer_path, step)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let values = params![
        gate,
        writer.host,
        writer.pid,
        job.packet,
        spec_hash(&job.spec),
        job.saved_at,
        i64::try_from(job.at).unwrap_or_default(),
        to_line(&*job.spec),
        job.replies(),
        orphans,
        job.answer_path,
        job.step
    ];
    state.prepare_cached(sql)?.execute(values).map(drop)
}

/// Whether drafts say where they are from: those of older programs do not.
fn has_places(state: &Connection) -> rusqlite::Result<bool> {
    // What rusqlite knows of columns may be from before another process made them.
    let sql = "SELECT EXISTS (SELECT 1 FROM pragma_table_info('drafts') WHERE name = 'answer_path')";
    state.prepare_cached(sql)?.query_row([], |row| row.get(0))
}

fn delete(state: &Connection, seq: i64) -> rusqlite::Result<()> {
    state.execute("DELETE FROM drafts WHERE seq = ?1", [seq]).map(drop)
}

/// Who has kept drafts of a gate.
fn writers(state: &Connection, gate: &str) -> rusqlite::Result<Vec<(i64, Writer)>> {
    let mut statement = state.prepare_cached("SELECT seq, host, pid FROM drafts WHERE gate = ?1")?;
    statement.query_map([gate], |row| Ok((row.get(0)?, Writer::read(row)?)))?.collect()
}

/// Replies as they were kept, with what fitted no more, for the questions of now.
fn replies_from(replies: &str, orphans: Vec<(JsString, JsString)>, spec: &QuestionSpec) -> CarriedOver {
    let orphans: Vec<Orphan> = orphans.into_iter().map(|(id, words)| Orphan { id, words }).collect();
    Draft::read_json(spec, replies, orphans)
}

/// Why something could not be kept, in plain words without a full stop.
pub fn reason(error: Error) -> Message {
    error.cause.map_or(error.message, |cause| *cause)
}

#[cfg(test)]
mod tests;
