//! Adding an entry to a gate's history.
//!
//! Responsible for its description and for keeping it with the record's exact bytes, both on the disk before anything
//! relies on them. Not responsible for reading them back (`entry`) nor for how long they stay (`retention`).

use super::entry::{Entry, FORMAT, Story, names};
use super::reason::Reason;
use super::retention;
use crate::ask::json::{Item, Json};
use crate::ask::{Object, QuestionSpec, check_record, check_record_alone, to_line};
use crate::error::Error;
use crate::store::clock::{Clock, SystemClock, rfc3339_millis};
use crate::store::gate::spec_hash;
use crate::store::sha256;
use crate::store::state::{StateDir, ensure_dir, private_file};
use crate::text::say;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// By how much a clock may have been put back for entries to keep their order.
const PUT_BACK: Duration = Duration::from_hours(1);

/// What happened to a record.
#[derive(Clone, Copy, Debug)]
pub struct Note<'n> {
    /// Why it is noted.
    pub reason: Reason,
    /// The entry that this one follows from: see [`Entry::of`].
    pub of: Option<&'n str>,
    /// The record's exact bytes.
    pub bytes: &'n [u8],
}

/// Adds an entry; it and the bytes are on the disk when this returns, except those of a record that was only seen: they
/// lie in the project. Entries that are kept no longer go.
///
/// # Errors
/// It could not be kept.
pub fn add(state: &StateDir, story: &Story<'_>, note: &Note<'_>, now: SystemTime) -> Result<Entry, Error> {
    let dir = state.history_dir(&state.gate_key(story.answer_path));
    ensure_dir(&dir)?;
    let mut description = describe(story, note, now).finish();
    description.push('\n');
    let sync = note.reason != Reason::Seen;
    let fail = |cause: &io::Error| {
        let shown = dir.to_string_lossy();
        let sentence = say("Cannot keep the history in {0}.", "无法把历史保存到 {0}。");
        Error::io("history-failed", sentence, &[&shown], cause)
    };
    let (stem, others) =
        keep(&dir, (description.as_bytes(), note.bytes), now, sync).map_err(|cause| fail(&cause))?;
    let json = Json::parse(description.as_bytes()).ok();
    let entry = json.and_then(|json| Entry::decode(stem, json.root()));
    let entry = entry.ok_or_else(|| fail(&io::ErrorKind::InvalidData.into()))?;
    // The first look at a project adds hundreds of first entries.
    if others {
        retention::prune(state, story.answer_path, now);
        sweep(&dir, SystemClock.now());
    }
    Ok(entry)
}

/// Bytes without a description are older than this when nobody is about to write it.
const ORPHAN: Duration = Duration::from_hours(1);

/// Removes from a gate's directory the bytes that a crash left without a description: nothing tells of them, and the
/// record itself was not touched yet. False if some may still be in the making.
pub(super) fn sweep(dir: &Path, now: SystemTime) -> bool {
    let listing: Vec<PathBuf> =
        fs::read_dir(dir).into_iter().flatten().flatten().map(|file| file.path()).collect();
    let having = |ending: &'static str| {
        let has = move |path: &&PathBuf| path.extension() == Some(ending.as_ref());
        listing.iter().filter(has)
    };
    let described: HashSet<&OsStr> = having("json").filter_map(|path| path.file_stem()).collect();
    let mut settled = true;
    for path in having("record").filter(|path| path.file_stem().is_some_and(|name| !described.contains(name)))
    {
        // When it came here: a copy of the directory in the making keeps the times of the contents.
        let came = path.symlink_metadata().ok().and_then(|meta| u64::try_from(meta.ctime()).ok());
        let came = came.and_then(|seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds)));
        if came.is_some_and(|at| now.duration_since(at).is_ok_and(|age| age >= ORPHAN)) {
            // It is in nobody's way; another time it may go.
            let _ = fs::remove_file(path);
        } else {
            settled = false;
        }
    }
    settled
}

/// Takes an entry back because what it says did not happen.
pub(super) fn take_back(entry: &Entry) {
    // The description first: bytes without one are harmless.
    let _ = fs::remove_file(entry.json_path());
    let _ = fs::remove_file(entry.record_path());
}

fn describe(story: &Story<'_>, note: &Note<'_>, now: SystemTime) -> Object {
    let record = Json::parse_keeping(note.bytes, &["answered_by", "answered_at"]).ok();
    let member = |key: &str| record.as_ref().and_then(|record| record.root().get(key).and_then(Item::string));
    let valid = match story.spec {
        Some(spec) => check_record(spec, note.bytes).is_ok(),
        None => check_record_alone(note.bytes).is_ok(),
    };
    let object = Object::new()
        .number("format", FORMAT)
        .text("reason", note.reason.name())
        .text("at", &rfc3339_millis(now))
        .js("answer_path", story.answer_path)
        .text_or_null("packet", story.packet.map(Path::to_string_lossy).as_deref())
        .js_or_null("step", story.step)
        .js_or_null("topic", story.spec.map(|spec| &spec.topic))
        .js_or_null("answered_by", member("answered_by").as_ref())
        .js_or_null("answered_at", member("answered_at").as_ref())
        .boolean("valid", valid)
        .text("sha256", &sha256(note.bytes))
        .number("bytes", note.bytes.len() as u64)
        .text_or_null("of", note.of);
    match story.spec {
        Some(spec) => {
            let asked = story.novel_ask.map_or_else(|| spec_json(spec), str::to_owned);
            object.text("spec_hash", &spec_hash(spec)).raw("novel_ask", &asked)
        }
        None => object.raw("spec_hash", "null").raw("novel_ask", "null"),
    }
}

/// A spec as a packet spells it.
pub fn spec_json(spec: &QuestionSpec) -> String {
    to_line(spec)
}

/// The record's bytes go first: an entry without them would be a promise that cannot be kept. Gives where they lie, without
/// an ending, and whether the gate has other entries.
fn keep(
    dir: &Path,
    (description, bytes): (&[u8], &[u8]),
    now: SystemTime,
    sync: bool,
) -> io::Result<(PathBuf, bool)> {
    const TRIES: u32 = 9_999;
    let (millis, first, others) = next_name(dir, now);
    for n in first..first.saturating_add(TRIES) {
        let stem = dir.join(format!("{millis:015}-{n:04}"));
        let record = stem.with_extension("record");
        match store(&record, bytes, sync) {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => continue,
            other => other?,
        }
        // What was only seen lies in the project too, and stays there.
        let copied = if sync { is_copy(&record, bytes) } else { Ok(()) };
        let kept = copied.and_then(|()| store(&stem.with_extension("json"), description, sync));
        if kept.is_err() {
            let _ = fs::remove_file(&record);
        } else if sync {
            // Not every file system can sync a directory; the files themselves are on the disk.
            let _ = File::open(dir).and_then(|dir| dir.sync_all());
        }
        return kept.map(|()| (stem, others));
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn is_copy(record: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::read(record)? == bytes {
        return Ok(());
    }
    Err(io::Error::other("the copy differs from what was written"))
}

/// Milliseconds and number of the next entry, and whether there are others: names sort in the order in which entries came, also when several come in
/// one millisecond or the clock was put back a little.
fn next_name(dir: &Path, now: SystemTime) -> (u128, u32, bool) {
    let millis = now.duration_since(UNIX_EPOCH).map(|since| since.as_millis()).unwrap_or_default();
    let parts = |name: &String| {
        let (millis, n) = name.split_once('-')?;
        Some((millis.parse::<u128>().ok()?, n.parse::<u32>().ok()?))
    };
    let near = |(last, _): &(u128, u32)| *last < millis + PUT_BACK.as_millis();
    // What cannot be listed may be there.
    let names = names(dir).ok();
    let others = names.as_ref().is_none_or(|names| !names.is_empty());
    let last = names.unwrap_or_default().iter().filter_map(parts).filter(near).max();
    match last {
        Some((last, n)) if last >= millis => (last, n.saturating_add(1), others),
        _ => (millis, 0, others),
    }
}

fn store(path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
    let mut file = private_file().open(path)?;
    let written = file.write_all(bytes).and_then(|()| if sync { file.sync_all() } else { Ok(()) });
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written
}
