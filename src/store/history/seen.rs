//! Records that somebody else has written, noted when they are first seen.
//!
//! Responsible for noting each of them once, cheaply enough for every look at the inbox. Not responsible for finding
//! gates (`scan`).

use super::entry::{Story, entries};
use super::erase::is_forgotten;
use super::note::{self, Note};
use super::reason::Reason;
use crate::error::Error;
use crate::store::entry::Entry as Line;
use crate::store::gate::{self, Loaded, Status};
use crate::store::project::Project;
use crate::store::state::{StateDir, ensure_dir, private_file};
use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Larger files are no answers of anybody's and are not copied, in bytes: 4 MiB.
const LIMIT: usize = 4 << 20;

/// Notes the record of a gate if the history does not know it yet; true if it was noted.
///
/// # Errors
/// It could not be kept.
pub fn see(state: &StateDir, loaded: &Loaded, now: SystemTime) -> Result<bool, Error> {
    let record = &loaded.record;
    let Some(gate) = loaded.gate() else { return Ok(false) };
    if !record.exists() || !record.is_read() || record.bytes.len() > LIMIT {
        return Ok(false);
    }
    let hash = record.sha256();
    let all = entries(state, &gate.answer_path)?;
    let known = all.last().is_some_and(|last| last.sha256 == hash && !last.reason.is_removal());
    if known || is_forgotten(state, &hash) {
        return Ok(false);
    }
    let story: Story<'_> = loaded.story(gate);
    let note = Note { reason: Reason::Seen, of: None, bytes: &record.bytes };
    note::add(state, &story, &note, now).map(|_| true)
}

/// Most records copied in one look: an old project with tens of thousands of them is not copied whole.
const MOST_AT_ONCE: usize = 500;

/// Of these, how many are copied before whoever looks can do something else.
const BATCH: usize = 100;

/// What came of looking at the records of many gates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// How many were noted.
    pub noted: usize,
    /// Whether there are more to look at.
    pub more: bool,
}

/// Notes the records of many gates, as a scan has found them; reads only those whose time differs from when it was last
/// called, and of very many only the 500 newest. How many were noted.
///
/// # Errors
/// One could not be kept; the others may have been.
pub fn see_gates(
    project: &Project,
    state: &StateDir,
    lines: &[Arc<Line>],
    now: SystemTime,
) -> Result<usize, Error> {
    let looked = see_at_most((MOST_AT_ONCE, MOST_AT_ONCE), (project, state), lines, now);
    looked.map(|looked| looked.noted)
}

/// The same for a hundred of them; to be called again while there are more.
///
/// # Errors
/// One could not be kept; the others may have been.
pub fn see_some_gates(
    project: &Project,
    state: &StateDir,
    lines: &[Arc<Line>],
    now: SystemTime,
) -> Result<Looked, Error> {
    see_at_most((MOST_AT_ONCE, BATCH), (project, state), lines, now)
}

pub(super) fn see_at_most(
    (most, batch): (usize, usize),
    (project, state): (&Project, &StateDir),
    lines: &[Arc<Line>],
    now: SystemTime,
) -> Result<Looked, Error> {
    let is_answered =
        |line: &&Arc<Line>| matches!(line.status, Status::Answered | Status::Blocked) && !line.being_written;
    let (mut marks, mut names) = (Marks::read(state), state.gate_names());
    let mut new: Vec<(SystemTime, String, &Arc<Line>)> = lines
        .iter()
        .filter(is_answered)
        .filter_map(|line| Some((line.answered?, names.key(line.answer_path.as_ref()?), line)))
        .filter(|(answered, key, _)| marks.of_gate.get(key) != Some(&nanoseconds(*answered)))
        .collect();
    // The newest first; of what lay there before the project was ever looked at, the oldest is only marked.
    new.sort_by(|(a, x, _), (b, y, _)| b.cmp(a).then_with(|| x.cmp(y)));
    let rest = new.len() > batch && batch < most;
    let mut looked = Looked::default();
    for (place, (answered, key, line)) in new.into_iter().enumerate() {
        if (batch..most).contains(&place) {
            continue;
        }
        if place < most {
            let Ok(loaded) = gate::load(project, &project.root().join(&line.path)) else { continue };
            // Where none of them can be looked at, trying at once again is no use.
            looked.more = rest;
            match see(state, &loaded, now) {
                Ok(noted) => looked.noted += usize::from(noted),
                Err(error) => {
                    marks.write(state);
                    return Err(error);
                }
            }
        }
        marks.of_gate.insert(key, nanoseconds(answered));
        marks.changed = true;
    }
    marks.write(state);
    Ok(looked)
}

fn nanoseconds(time: SystemTime) -> u128 {
    time.duration_since(UNIX_EPOCH).map(|since| since.as_nanos()).unwrap_or_default()
}

/// When the record of each gate was last written, as of the last look: `<gate> <nanoseconds>` a line. Losing it costs
/// only another look.
struct Marks {
    of_gate: HashMap<String, u128>,
    changed: bool,
}

impl Marks {
    fn read(state: &StateDir) -> Marks {
        let text = fs::read_to_string(state.histories_dir().join("seen")).unwrap_or_default();
        let mark = |line: &str| {
            let (key, mark) = line.split_once(' ')?;
            Some((key.to_owned(), mark.parse().ok()?))
        };
        Marks { of_gate: text.lines().filter_map(mark).collect(), changed: false }
    }

    fn write(&self, state: &StateDir) {
        if !self.changed {
            return;
        }
        let mut lines: Vec<String> =
            self.of_gate.iter().map(|(key, mark)| format!("{key} {mark}\n")).collect();
        lines.sort();
        replace_file(state, "seen", lines.concat().as_bytes());
    }
}

/// Two threads must not write one temporary file.
static NUMBER: AtomicU32 = AtomicU32::new(0);

/// Puts a file of the history's own in the place of the one before; that it fails is no loss.
pub(super) fn replace_file(state: &StateDir, name: &str, bytes: &[u8]) {
    let dir = state.histories_dir();
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let temp = dir.join(format!("{name}.{}.{number}.tmp", std::process::id()));
    let write = || {
        // What a process of the same number left behind.
        let _ = fs::remove_file(&temp);
        private_file().open(&temp)?.write_all(bytes)?;
        fs::rename(&temp, dir.join(name))
    };
    if ensure_dir(&dir).is_ok() && write().is_err() {
        let _ = fs::remove_file(&temp);
    }
}
