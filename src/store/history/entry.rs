//! One entry of a gate's history, as it is kept.
//!
//! Responsible for what an entry says and for reading it back, with the record's exact bytes and the questions as they
//! were. Not responsible for adding one (`note`) nor for finding many (`search`).

use super::reason::Reason;
use crate::ask::compare::{Given, read_answers};
use crate::ask::json::{Item, Json, Kind};
use crate::ask::{JsString, QuestionSpec, decode_spec};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::sha256;
use crate::store::state::StateDir;
use crate::text::say;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The format of entries written by this version.
pub(super) const FORMAT: u64 = 1;

/// What an entry is about.
#[derive(Clone, Copy, Debug)]
pub struct Story<'a> {
    /// The gate's answer path.
    pub answer_path: &'a JsString,
    /// The packet's file, if one is known.
    pub packet: Option<&'a Path>,
    /// The packet's step.
    pub step: Option<&'a JsString>,
    /// What was asked.
    pub spec: Option<&'a QuestionSpec>,
    /// The same exactly as it is written, JSON on one line; where it is not known, the spec is written anew.
    pub novel_ask: Option<&'a str>,
}

/// An entry as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name in its gate: `<milliseconds since 1970>-<n>`; names sort by time.
    pub name: String,
    /// Why it was made.
    pub reason: Reason,
    /// When, RFC 3339.
    pub at: String,
    /// The gate's answer path.
    pub answer_path: JsString,
    /// The packet's file.
    pub packet: Option<String>,
    /// The packet's step.
    pub step: Option<JsString>,
    /// The topic of what was asked.
    pub topic: Option<JsString>,
    /// Hash of what was asked.
    pub spec_hash: Option<String>,
    /// Who had answered.
    pub answered_by: Option<JsString>,
    /// When, as the record says.
    pub answered_at: Option<JsString>,
    /// Whether the record was valid for what was asked.
    pub valid: bool,
    /// Hash of the record's bytes.
    pub sha256: String,
    /// How many bytes the record has.
    pub bytes: u64,
    /// For a restored record: the name of the entry whose bytes were put back; for a repaired one: of what it replaced.
    pub of: Option<String>,
    /// Without an ending.
    stem: PathBuf,
}

impl Entry {
    /// What people and commands call it, in the whole project: `<8 digits of the gate>-<milliseconds>[-<n>]`.
    pub fn id(&self) -> String {
        id_of(self.key(), &self.name)
    }

    /// The [id](Entry::id) of the entry that this one follows from.
    pub fn of_id(&self) -> Option<String> {
        self.of.as_ref().map(|name| id_of(self.key(), name))
    }

    /// The gate's name in the state directory.
    pub fn key(&self) -> &str {
        let dir = self.stem.parent().and_then(Path::file_name);
        dir.and_then(std::ffi::OsStr::to_str).unwrap_or_default()
    }

    /// When it was made.
    pub fn time(&self) -> SystemTime {
        time_of(&self.name).unwrap_or(UNIX_EPOCH)
    }

    /// When it was made, for people: `2026-02-27 10:12:34Z`.
    pub fn shown_time(&self) -> String {
        let seconds = self.at.split('.').next().unwrap_or_default().trim_end_matches('Z');
        format!("{}Z", seconds.replacen('T', " ", 1))
    }

    /// Where the record's exact bytes lie.
    pub fn record_path(&self) -> PathBuf {
        self.stem.with_extension("record")
    }

    pub(super) fn json_path(&self) -> PathBuf {
        self.stem.with_extension("json")
    }

    /// The record's exact bytes.
    ///
    /// # Errors
    /// They cannot be read, or are not what the entry says.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        let path = self.record_path();
        let shown = path.to_string_lossy().into_owned();
        let bytes = fs::read(&path).map_err(|cause| {
            Error::io("history-unreadable", say("Cannot read {0}.", "无法读取 {0}。"), &[&shown], &cause)
        })?;
        if sha256(&bytes) == self.sha256 {
            return Ok(bytes);
        }
        let sentence = say(
            "{0} is damaged: it is not what was put into the history.",
            "{0} 已损坏：与当初存入历史的内容不符。",
        );
        Err(Error::new(ExitCode::Failed, "history-damaged", sentence, &[&shown]))
    }

    /// What was asked, as it was.
    pub fn asked(&self) -> Option<QuestionSpec> {
        decode_spec(self.novel_ask()?.as_bytes()).ok()
    }

    /// The same exactly as it was written: JSON on one line.
    pub fn novel_ask(&self) -> Option<String> {
        let bytes = fs::read(self.json_path()).ok()?;
        let json = Json::parse_keeping(&bytes, &["novel_ask"]).ok()?;
        let asked = json.root().get("novel_ask").filter(|asked| asked.kind() == Kind::Object)?;
        Some(asked.source().to_owned())
    }

    /// What was answered, exactly, valid or not; nothing of a record that is no JSON.
    pub fn answers(&self) -> Given {
        self.bytes().map(|bytes| read_answers(&bytes)).unwrap_or_default()
    }

    /// The entry of the same gate before this one.
    pub fn earlier(&self) -> Option<Entry> {
        let dir = self.stem.parent()?;
        newest_of(dir, |name| name < self.name.as_str(), |_| true).ok()?
    }

    /// From its description; `stem` is its file without an ending.
    pub(super) fn decode(stem: PathBuf, description: Item<'_>) -> Option<Entry> {
        let (mut format, mut reason, mut at, mut answer_path, mut hash) = (None, None, None, None, None);
        let mut entry = Entry::named(stem.file_name()?.to_str()?.to_owned(), stem);
        let text = |value: Item<'_>| value.string().map(|text| text.lossy().into_owned());
        // One pass: a search may find thousands.
        for (key, value) in description.members() {
            match key.source().trim_matches('"') {
                "format" => format = value.number(),
                "reason" => reason = value.string(),
                "at" => at = text(value),
                "answer_path" => answer_path = value.string(),
                "sha256" => hash = text(value),
                "packet" => entry.packet = text(value),
                "step" => entry.step = value.string(),
                "topic" => entry.topic = value.string(),
                "spec_hash" => entry.spec_hash = text(value),
                "answered_by" => entry.answered_by = value.string(),
                "answered_at" => entry.answered_at = value.string(),
                "valid" => entry.valid = value.boolean().unwrap_or(true),
                "bytes" => entry.bytes = value.number().map_or(0, whole),
                "of" => entry.of = text(value),
                _ => {}
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "a small constant")]
        let known = format? <= FORMAT as f64;
        entry.reason = Reason::from_name(reason?.as_str()?)?;
        (entry.at, entry.answer_path, entry.sha256) = (at?, answer_path?, hash?);
        known.then_some(entry)
    }

    fn named(name: String, stem: PathBuf) -> Entry {
        Entry {
            name,
            reason: Reason::Seen,
            at: String::new(),
            answer_path: JsString::default(),
            packet: None,
            step: None,
            topic: None,
            spec_hash: None,
            answered_by: None,
            answered_at: None,
            valid: true,
            sha256: String::new(),
            bytes: 0,
            of: None,
            stem,
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count of bytes, written by us"
)]
fn whole(number: f64) -> u64 {
    number as u64
}

fn id_of(key: &str, name: &str) -> String {
    let (millis, n) = name.split_once('-').unwrap_or((name, ""));
    let (millis, n) = (millis.trim_start_matches('0'), n.trim_start_matches('0'));
    // A directory that somebody has put there may have any name.
    let key = &key[..key.floor_char_boundary(8)];
    if n.is_empty() { format!("{key}-{millis}") } else { format!("{key}-{millis}-{n}") }
}

/// When an entry of this name was made.
pub(super) fn time_of(name: &str) -> Option<SystemTime> {
    let millis = name.split_once('-').map_or(name, |(millis, _)| millis).parse().ok()?;
    UNIX_EPOCH.checked_add(Duration::from_millis(millis))
}

/// The history of the gate with an answer path, oldest first. What cannot be understood is left out, and left alone.
///
/// # Errors
/// A directory cannot be read.
pub fn entries(state: &StateDir, answer_path: &JsString) -> Result<Vec<Entry>, Error> {
    entries_under(state, &state.gate_keys(answer_path))
}

/// The same by the [names](StateDir::gate_keys) of the gate.
pub(super) fn entries_under(state: &StateDir, keys: &[String]) -> Result<Vec<Entry>, Error> {
    let mut out = Vec::new();
    for key in keys {
        let dir = state.history_dir(key);
        out.extend(names(&dir)?.iter().filter_map(|name| read(&dir.join(name).with_extension("json"))));
    }
    out.sort_by(|a: &Entry, b| a.name.cmp(&b.name));
    Ok(out)
}

/// The newest entry of a gate of which something holds; older ones are not opened.
///
/// # Errors
/// The directory cannot be read.
pub fn newest(
    state: &StateDir,
    answer_path: &JsString,
    wanted: impl Fn(&Entry) -> bool,
) -> Result<Option<Entry>, Error> {
    let mut newest: Option<Entry> = None;
    for key in state.gate_keys(answer_path) {
        let found = newest_of(&state.history_dir(&key), |_| true, &wanted)?;
        newest = found.into_iter().chain(newest).max_by(|a, b| a.name.cmp(&b.name));
    }
    Ok(newest)
}

fn newest_of(
    dir: &Path,
    older: impl Fn(&str) -> bool,
    wanted: impl Fn(&Entry) -> bool,
) -> Result<Option<Entry>, Error> {
    let mut names = names(dir)?;
    names.retain(|name| older(name));
    names.sort_unstable_by(|a, b| b.cmp(a));
    let mut all = names.iter().filter_map(|name| read(&dir.join(name).with_extension("json")));
    Ok(all.find(|entry| wanted(entry)))
}

/// The names of a gate's entries, in no particular order.
pub(super) fn names(dir: &Path) -> Result<Vec<String>, Error> {
    let listing = match fs::read_dir(dir) {
        Ok(listing) => listing,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => {
            let shown = dir.to_string_lossy();
            let sentence = say("Cannot read the history in {0}.", "无法读取 {0} 中的历史。");
            return Err(Error::io("history-unreadable", sentence, &[&shown], &cause));
        }
    };
    let name = |file: fs::DirEntry| Some(file.file_name().to_str()?.strip_suffix(".json")?.to_owned());
    Ok(listing.flatten().filter_map(name).collect())
}

pub(super) fn read(path: &Path) -> Option<Entry> {
    let bytes = fs::read(path).ok()?;
    let json = Json::parse(&bytes).ok()?;
    Entry::decode(path.with_extension(""), json.root())
}
