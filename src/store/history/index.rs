//! The words of all entries in one file, so that a search opens none of them.
//!
//! Responsible for bringing `history/index` up to date before it is used: a gate whose directory has not changed is taken
//! as it stands. The index can be lost or damaged at any time; it is made anew. Not responsible for what a search looks
//! for (`search`).

use super::entry::{Entry, names};
use super::note;
use super::seen::replace_file;
use crate::ask::compare::read_answers;
use crate::ask::json::{Item, Json};
use crate::ask::{JsString, Object};
use crate::error::Error;
use crate::store::clock::{Clock, SystemClock};
use crate::store::state::StateDir;
use crate::text::say;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// Its name below `history/`.
pub(super) const FILE: &str = "index";
/// The first line; another one belongs to another version.
const FIRST_LINE: &str = "novel-gate history index 1";
/// The last line: without it the file was cut off.
const LAST_LINE: &str = "end";
/// A directory changed this short a time ago may change again without a trace.
const COARSE: Duration = Duration::from_secs(2);
/// Of the words of one entry, no more are searched than about this many bytes: 1 MiB, several hundred thousand
/// characters.
const WORDS_LIMIT: usize = 1 << 20;
/// Of a record that is no JSON, this many bytes are searched.
const RAW_LIMIT: usize = 64 << 10;

/// Every entry, a line each.
pub(super) struct Index {
    text: String,
    folders: BTreeMap<String, Folder>,
    dir: PathBuf,
}

/// The entries of one gate.
#[derive(Clone, Default, PartialEq, Eq)]
struct Folder {
    /// When its directory was last changed, in nanoseconds; 0 if that is not to be relied on.
    mark: u128,
    /// Lines of the text, by name.
    lines: Vec<Range<usize>>,
}

/// One entry, as far as a search looks at it.
#[derive(Clone, Copy)]
pub(super) struct Line<'i> {
    /// The entry's name.
    pub(super) name: &'i str,
    /// Its step as JSON spells it; empty without one.
    pub(super) step: &'i str,
    /// The ids of its questions and answers, a space before and behind each.
    pub(super) ids: &'i str,
    /// Its words, [folded](fold).
    pub(super) words: &'i str,
    /// Its description without the questions, JSON.
    description: &'i str,
}

impl<'i> Line<'i> {
    fn read(line: &'i str) -> Option<Line<'i>> {
        let mut parts = line.splitn(5, '\t');
        let mut next = || parts.next();
        Some(Line { name: next()?, step: next()?, ids: next()?, words: next()?, description: next()? })
    }
}

impl Index {
    /// The index as the entries are now.
    ///
    /// # Errors
    /// The history cannot be read.
    pub(super) fn open(state: &StateDir) -> Result<Index, Error> {
        let dir = state.histories_dir();
        let mut index = Index::load(&dir).unwrap_or_default();
        index.dir.clone_from(&dir);
        let mut known = std::mem::take(&mut index.folders);
        let mut changed = false;
        for key in keys(state)? {
            let old = known.remove(&key);
            let mark = mark(&dir.join(&key));
            let is_current = old.as_ref().is_some_and(|old| mark.is_some() && mark == Some(old.mark));
            let folder = match old {
                Some(old) if is_current => old,
                old => {
                    let folder = index.look(&key, old.clone().unwrap_or_default())?;
                    changed |= old.as_ref() != Some(&folder);
                    folder
                }
            };
            index.folders.insert(key, folder);
        }
        if changed || !known.is_empty() {
            replace_file(state, FILE, index.written().as_bytes());
        }
        Ok(index)
    }

    /// The entries of the gate with these names, or of all; within a gate the oldest first.
    pub(super) fn lines(&self, keys: Option<&[String]>) -> impl Iterator<Item = (&str, Line<'_>)> {
        let chosen = self.folders.iter().filter(move |(name, _)| keys.is_none_or(|keys| keys.contains(name)));
        chosen.flat_map(move |(key, folder)| {
            let lines = folder.lines.iter();
            lines.filter_map(move |line| Some((key.as_str(), Line::read(&self.text[line.clone()])?)))
        })
    }

    /// How many entries the gate with these names has, or all have.
    pub(super) fn count(&self, keys: Option<&[String]>) -> usize {
        let chosen = self.folders.iter().filter(|(name, _)| keys.is_none_or(|keys| keys.contains(name)));
        chosen.map(|(_, folder)| folder.lines.len()).sum()
    }

    /// The entry behind a line.
    pub(super) fn entry(&self, key: &str, line: Line<'_>) -> Option<Entry> {
        let stem = self.dir.join(key).join(line.name);
        let json = Json::parse(line.description.as_bytes()).ok()?;
        Entry::decode(stem, json.root())
    }

    fn load(dir: &Path) -> Option<Index> {
        let text = fs::read_to_string(dir.join(FILE)).ok()?;
        let mut folders = BTreeMap::new();
        let mut lines = text.split_inclusive('\n');
        let first = lines.next().filter(|line| line.trim_end() == FIRST_LINE)?;
        let mut at = first.len();
        let mut open: Option<(String, Folder)> = None;
        let mut whole = false;
        for line in lines {
            let range = at..at + line.len() - 1;
            at += line.len();
            whole = line.trim_end() == LAST_LINE;
            if whole {
                continue;
            }
            if let Some(head) = line.strip_prefix("gate ") {
                folders.extend(open.take());
                let (key, mark) = head.trim_end().split_once(' ')?;
                open = Some((key.to_owned(), Folder { mark: mark.parse().ok()?, lines: Vec::new() }));
            } else {
                open.as_mut()?.1.lines.push(range);
            }
        }
        folders.extend(open);
        whole.then_some(Index { text, folders, dir: PathBuf::new() })
    }

    /// Brings one gate up to date: reads what is new, drops what is gone.
    fn look(&mut self, key: &str, old: Folder) -> Result<Folder, Error> {
        let dir = self.dir.join(key);
        // What comes while we look makes it look again, and so does what may still be in the making.
        let settled = note::sweep(&dir, SystemClock.now());
        let mark = mark(&dir).filter(|_| settled).unwrap_or(0);
        let known: HashMap<String, Range<usize>> = old
            .lines
            .into_iter()
            .filter_map(|line| Some((Line::read(&self.text[line.clone()])?.name.to_owned(), line)))
            .collect();
        let mut names = names(&dir)?;
        names.sort_unstable();
        let mut lines = Vec::with_capacity(names.len());
        for name in names {
            if let Some(line) = known.get(&name) {
                lines.push(line.clone());
            } else if let Some(line) = describe(&dir, &name) {
                let start = self.text.len();
                self.text.push_str(&line);
                lines.push(start..self.text.len());
            }
        }
        Ok(Folder { mark, lines })
    }

    fn written(&self) -> String {
        let mut out = String::with_capacity(self.text.len() + 4096);
        out.push_str(FIRST_LINE);
        out.push('\n');
        for (key, folder) in &self.folders {
            out.push_str(&format!("gate {key} {}\n", folder.mark));
            for line in &folder.lines {
                out.push_str(&self.text[line.clone()]);
                out.push('\n');
            }
        }
        out.push_str(LAST_LINE);
        out.push('\n');
        out
    }
}

impl Default for Index {
    fn default() -> Index {
        Index { text: String::new(), folders: BTreeMap::new(), dir: PathBuf::new() }
    }
}

/// The names of all gates that have a history.
///
/// # Errors
/// The directory cannot be read.
pub(super) fn keys(state: &StateDir) -> Result<Vec<String>, Error> {
    let dir = state.histories_dir();
    let listing = match fs::read_dir(&dir) {
        Ok(listing) => listing,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => {
            let shown = dir.to_string_lossy();
            let sentence = say("Cannot read the history in {0}.", "无法读取 {0} 中的历史。");
            return Err(Error::io("history-unreadable", sentence, &[&shown], &cause));
        }
    };
    let is_dir = |file: &fs::DirEntry| file.file_type().is_ok_and(|kind| kind.is_dir());
    Ok(listing.flatten().filter(is_dir).filter_map(|file| file.file_name().into_string().ok()).collect())
}

/// A number that changes when entries of the gate with these [names](StateDir::gate_keys), or of any gate, come or go;
/// nothing if that cannot be relied on yet.
pub fn stamp(state: &StateDir, names: Option<&[String]>) -> Option<u128> {
    let mut names = match names {
        Some(names) => names.to_vec(),
        None => keys(state).ok()?,
    };
    names.sort_unstable();
    let mut marks = names
        .iter()
        .map(|name| state.history_dir(name))
        .map(|dir| if dir.exists() { mark(&dir) } else { Some(0) });
    marks.try_fold(names.len() as u128, |sum, mark| Some(sum.wrapping_mul(31).wrapping_add(mark?)))
}

/// When a directory was last changed; nothing if it may change again without a trace.
fn mark(dir: &Path) -> Option<u128> {
    let modified = fs::metadata(dir).and_then(|meta| meta.modified()).ok()?;
    let age = SystemClock.now().duration_since(modified).ok()?;
    (age >= COARSE).then(|| modified.duration_since(UNIX_EPOCH).map(|since| since.as_nanos()).ok())?
}

/// An entry's line, read from its files; nothing if it cannot be understood.
fn describe(dir: &Path, name: &str) -> Option<String> {
    let path = dir.join(name).with_extension("json");
    let bytes = fs::read(&path).ok()?;
    let json = Json::parse(&bytes).ok()?;
    let root = json.root();
    let entry = Entry::decode(dir.join(name), root)?;
    let record = fs::read(entry.record_path()).unwrap_or_default();
    let answers = read_answers(&record);
    let asked = root.get("novel_ask").and_then(|spec| spec.get("questions"));
    let questions: Vec<Item<'_>> = asked.into_iter().flat_map(Item::elements).collect();

    let mut ids = String::from(" ");
    let mut words = String::new();
    let mut add = |text: &str| {
        let left = WORDS_LIMIT.saturating_sub(words.len());
        fold_into(&text[..text.floor_char_boundary(left)], &mut words);
        words.push('\u{1f}');
    };
    for text in [&entry.topic, &entry.step, &entry.answered_by, &Some(entry.answer_path.clone())] {
        add(&text.as_ref().map(JsString::lossy).unwrap_or_default());
    }
    for question in &questions {
        for key in ["header", "question"] {
            add(&question.get(key).and_then(Item::string).unwrap_or_default().lossy());
        }
        push_id(&mut ids, &question.get("id").and_then(Item::string).unwrap_or_default());
    }
    for (id, value) in &answers {
        push_id(&mut ids, id);
        value.strings().iter().for_each(|text| add(&text.lossy()));
    }
    if answers.is_empty() {
        add(&String::from_utf8_lossy(&record[..record.len().min(RAW_LIMIT)]));
    }
    let step = entry.step.as_ref().map(json_of).unwrap_or_default();
    let members = root.entries().into_iter().filter(|(key, _)| *key != "novel_ask");
    let described = members.fold(Object::new(), |object, (key, value)| {
        object.js_key(&key, |out| out.push_str(&value.compact()))
    });
    Some([name, &step, &ids, &words, &described.finish()].join("\t"))
}

fn push_id(ids: &mut String, id: &JsString) {
    if let Some(id) = id.as_str().filter(|id| !id.is_empty() && !id.contains(char::is_whitespace)) {
        let id = format!("{id} ");
        if !ids.contains(&format!(" {id}")) {
            ids.push_str(&id);
        }
    }
}

/// A string as JSON spells it: no line end or tab stays.
pub(super) fn json_of(text: &JsString) -> String {
    let mut out = String::new();
    text.write_json(&mut out);
    out
}

/// Words as they are compared: lower case, full-width forms as half-width ones, each run of white space and control
/// characters as one space.
pub(super) fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

fn fold_into(text: &str, out: &mut String) {
    let mut blank = false;
    for c in text.trim().chars() {
        if c.is_whitespace() || c.is_control() {
            blank = true;
            continue;
        }
        if std::mem::take(&mut blank) {
            out.push(' ');
        }
        match c {
            '\u{ff01}'..='\u{ff5e}' => {
                let narrow = char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c);
                out.push(narrow.to_ascii_lowercase());
            }
            c => out.extend(c.to_lowercase()),
        }
    }
}
