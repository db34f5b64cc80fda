//! One entry of a gate's history, on disk.

use crate::ask::object::{js_list, list};
use crate::ask::{AnswerSpec, JsString, Object, QuestionSpec, check_record, json::Json};
use crate::error::Error;
use crate::store::clock::rfc3339_millis;
use crate::store::state::{StateDir, ensure_dir, gate_key, private_file};
use crate::store::{gate::spec_hash, sha256};
use crate::text::say;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The format of entries written by this version.
const FORMAT: u64 = 1;

/// Why an entry was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A record was written.
    Answered,
    /// A record was removed.
    Redo,
    /// A removed record was put back.
    Undo,
}

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
}

/// An entry as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name: `<milliseconds since 1970>-<n>`; names sort by time.
    pub name: String,
    /// Why it was made.
    pub reason: Reason,
    /// When, RFC 3339.
    pub at: String,
    /// The packet's step.
    pub step: Option<JsString>,
    /// Hash of what was asked.
    pub spec_hash: Option<String>,
    /// Who had answered.
    pub answered_by: Option<JsString>,
    /// Hash of the record's bytes.
    pub sha256: String,
    /// For an undo: the entry whose bytes were put back.
    pub of: Option<String>,
    record: PathBuf,
}

impl Reason {
    const ALL: [Reason; 3] = [Reason::Answered, Reason::Redo, Reason::Undo];

    /// As an entry spells it.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Answered => "answered",
            Reason::Redo => "redo",
            Reason::Undo => "undo",
        }
    }
}

impl Entry {
    /// When it was made; nothing if its name does not say so.
    pub fn time(&self) -> Option<SystemTime> {
        let (millis, _) = self.name.split_once('-')?;
        UNIX_EPOCH.checked_add(Duration::from_millis(millis.parse().ok()?))
    }

    /// The record's exact bytes.
    ///
    /// # Errors
    /// They cannot be read, or are not what the entry says.
    pub fn bytes(&self) -> Result<Vec<u8>, Error> {
        let shown = self.record.to_string_lossy().into_owned();
        let bytes = fs::read(&self.record).map_err(|cause| {
            Error::io("history-unreadable", say("Cannot read {0}.", "无法读取 {0}。"), &[&shown], &cause)
        })?;
        if sha256(&bytes) == self.sha256 {
            return Ok(bytes);
        }
        let sentence = say(
            "{0} is damaged: it is not what was put into the history.",
            "{0} 已损坏：与当初存入历史的内容不符。",
        );
        Err(Error::new(crate::exit::ExitCode::Failed, "history-damaged", sentence, &[&shown]))
    }
}

/// Adds an entry with a record's exact bytes; both are on the disk when this returns. The path is the entry's, without
/// an ending.
///
/// # Errors
/// It could not be kept.
pub fn note(
    state: &StateDir,
    story: &Story<'_>,
    reason: Reason,
    bytes: &[u8],
    now: SystemTime,
) -> Result<PathBuf, Error> {
    write(state, story, describe(story, reason, bytes, now), bytes, now)
}

/// Takes an entry back because what it says did not happen.
pub(super) fn forget(stem: &Path) {
    // The description first: bytes without one are harmless.
    let _ = fs::remove_file(stem.with_extension("json"));
    let _ = fs::remove_file(stem.with_extension("record"));
}

pub(super) fn note_undo(
    state: &StateDir,
    story: &Story<'_>,
    of: &str,
    bytes: &[u8],
    now: SystemTime,
) -> Result<PathBuf, Error> {
    write(state, story, describe(story, Reason::Undo, bytes, now).text("of", of), bytes, now)
}

fn describe(story: &Story<'_>, reason: Reason, bytes: &[u8], now: SystemTime) -> Object {
    let record = story.spec.and_then(|spec| check_record(spec, bytes).ok());
    let by = record.map(|record: AnswerSpec| record.answered_by).or_else(|| answered_by(bytes));
    let object = Object::new()
        .number("format", FORMAT)
        .text("reason", reason.name())
        .text("at", &rfc3339_millis(now))
        .js("answer_path", story.answer_path)
        .text_or_null("packet", story.packet.map(Path::to_string_lossy).as_deref())
        .js_or_null("step", story.step)
        .js_or_null("answered_by", by.as_ref())
        .text("sha256", &sha256(bytes))
        .number("bytes", bytes.len() as u64);
    match story.spec {
        Some(spec) => object.text("spec_hash", &spec_hash(spec)).raw("novel_ask", &spec_json(spec)),
        None => object.raw("spec_hash", "null").raw("novel_ask", "null"),
    }
}

fn answered_by(bytes: &[u8]) -> Option<JsString> {
    Json::parse_keeping(bytes, &["answered_by"]).ok()?.root().get("answered_by")?.string()
}

/// A spec as a packet spells it.
fn spec_json(spec: &QuestionSpec) -> String {
    let questions = spec.questions.iter().map(|question| {
        let object = question.object();
        match (question.kind, question.default_labels().next()) {
            (_, None) => object.finish(),
            (crate::ask::Kind::MultiChoice, _) => {
                object.raw("default", &js_list(question.default_labels())).finish()
            }
            (_, Some(label)) => object.js("default", label).finish(),
        }
    });
    Object::new()
        .raw("version", &spec.version.to_string())
        .js("topic", &spec.topic)
        .raw("questions", &list(questions))
        .finish()
}

fn write(
    state: &StateDir,
    story: &Story<'_>,
    object: Object,
    bytes: &[u8],
    now: SystemTime,
) -> Result<PathBuf, Error> {
    let dir = state.history_dir(&gate_key(story.answer_path));
    ensure_dir(&dir)?;
    let mut description = object.finish();
    description.push('\n');
    keep(&dir, description.as_bytes(), bytes, now).map_err(|cause| {
        let shown = dir.to_string_lossy();
        let sentence = say("Cannot keep the history in {0}.", "无法把历史保存到 {0}。");
        Error::io("history-failed", sentence, &[&shown], &cause)
    })
}

/// The record's bytes go first: an entry without them would be a promise that cannot be kept.
fn keep(dir: &Path, description: &[u8], bytes: &[u8], now: SystemTime) -> io::Result<PathBuf> {
    const TRIES: u32 = 10_000;
    let millis = now.duration_since(UNIX_EPOCH).map(|since| since.as_millis()).unwrap_or_default();
    for n in 0..TRIES {
        let stem = dir.join(format!("{millis:015}-{n:04}"));
        let record = stem.with_extension("record");
        match store(&record, bytes) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => continue,
            other => other?,
        }
        let kept = match fs::read(&record) {
            Ok(copy) if copy == bytes => store(&stem.with_extension("json"), description),
            Ok(_) => Err(io::Error::other("the copy differs from what was written")),
            Err(cause) => Err(cause),
        };
        if kept.is_err() {
            let _ = fs::remove_file(&record);
        } else {
            // Not every file system can sync a directory; the files themselves are on the disk.
            let _ = File::open(dir).and_then(|dir| dir.sync_all());
        }
        return kept.map(|()| stem);
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn store(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = private_file().open(path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}

/// The history of one gate, oldest first. What cannot be understood is left out, and left alone.
///
/// # Errors
/// The directory cannot be read.
pub fn entries(state: &StateDir, key: &str) -> Result<Vec<Entry>, Error> {
    let dir = state.history_dir(key);
    let listing = match fs::read_dir(&dir) {
        Ok(listing) => listing,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => {
            let shown = dir.to_string_lossy();
            let sentence = say("Cannot read the history in {0}.", "无法读取 {0} 中的历史。");
            return Err(Error::io("history-unreadable", sentence, &[&shown], &cause));
        }
    };
    let files = listing.flatten().map(|file| file.path());
    let mut out: Vec<Entry> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .filter_map(|path| read(&path))
        .collect();
    out.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(out)
}

fn read(path: &Path) -> Option<Entry> {
    let bytes = fs::read(path).ok()?;
    let json = Json::parse(&bytes).ok()?;
    let root = json.root();
    let js = |key: &str| root.get(key).and_then(crate::ask::json::Item::string);
    let text = |key: &str| js(key).map(|text| text.lossy().into_owned());
    #[expect(clippy::cast_precision_loss, reason = "a small constant")]
    let known = root.get("format")?.number()? <= FORMAT as f64;
    let reason = text("reason")?;
    let entry = Entry {
        name: path.file_stem()?.to_str()?.to_owned(),
        reason: Reason::ALL.into_iter().find(|known| known.name() == reason)?,
        at: text("at")?,
        step: js("step"),
        spec_hash: text("spec_hash"),
        answered_by: js("answered_by"),
        sha256: text("sha256")?,
        of: text("of"),
        record: path.with_extension("record"),
    };
    known.then_some(entry)
}
