//! The story files that a packet names in `manifest.paths`, read by windows so that a file of any size is shown at once.
//!
//! A window is cut between lines. A line longer than [`PIECE`] is cut at multiples of it, so that every window cuts it at the
//! same places.

use super::file::{not_a_file, open_beneath, read_file, special_file_kind};
use super::project::Project;
use crate::ask::json::{Item, Json};
use crate::error::io_cause;
use crate::text::{Lang, Message, Safe, say};
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Bytes of a window, about half of them before the place that is asked for.
pub const WINDOW: usize = 128 << 10;
/// Bytes of a line that is not cut.
pub const PIECE: usize = 8 << 10;
/// Bytes that are searched at a time.
const STRIDE: usize = 256 << 10;
/// Names in a manifest that are looked at, and files that are shown.
const NAMES: usize = 1_000;
const FILES: usize = 100;
/// The longest character in UTF-8 goes on for so many bytes.
const REST_OF_CHARACTER: usize = 3;

/// What is to be read of a file; paths as the packet spells them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryRead {
    pub path: String,
    pub wanted: Wanted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// What lies around this byte offset.
    At(u64),
    End,
    /// The next place behind this byte offset where the words stand; behind the last one, the first.
    Words(String, u64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    pub lines: Vec<StoryLine>,
    /// Byte offset behind the last line.
    pub end: u64,
    pub size: u64,
    /// Changes with the file: its number, and seconds and nanoseconds of its last change.
    pub version: (u64, i64, i64),
    /// Where the words that were asked for stand, if they do.
    pub hit: Option<Hit>,
}

/// A line, or a piece of a very long one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryLine {
    /// Byte offset in the file.
    pub at: u64,
    pub text: Safe,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Byte offset in the file.
    pub at: u64,
    /// Byte offset in the text of its line.
    pub column: usize,
}

/// The files that the manifest of a packet names and that are there, in its order, and whether it names more than are
/// looked at. Those that cannot be shown are among them: [`read`] says why.
pub fn files(project: &Project, packet: &Path) -> (Vec<String>, bool) {
    let mut found: Vec<String> = Vec::new();
    let Ok(bytes) = read_file(packet) else { return (found, false) };
    let Ok(json) = Json::parse_keeping(&bytes, &["manifest"]) else { return (found, false) };
    let paths = json.root().get("manifest").and_then(|manifest| manifest.get("paths"));
    let values = paths.into_iter().flat_map(Item::entries).map(|(_, value)| value);
    let strings =
        values.flat_map(|value| value.string().into_iter().chain(value.elements().filter_map(Item::string)));
    let is_missing =
        |cause: io::Error| matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    let mut names = strings.map(|path| path.lossy().into_owned());
    for path in names.by_ref().take(NAMES) {
        if found.contains(&path) || project.dir().metadata(&path).is_err_and(is_missing) {
            continue;
        }
        if found.len() == FILES {
            return (found, true);
        }
        found.push(path);
    }
    (found, names.next().is_some())
}

/// Reads a part of a file beneath the root.
pub fn read(project: &Project, read: &StoryRead) -> Result<Window, Message> {
    let file =
        open_beneath(project.dir(), Path::new(&read.path)).map_err(|cause| not_shown(&io_reason(&cause)))?;
    let io = |cause: io::Error| not_shown(&io_cause(&cause));
    let meta = file.metadata().map_err(io)?;
    if let Some(kind) = special_file_kind(&meta) {
        return Err(not_shown(&not_a_file(kind).found));
    }
    let size = meta.size();
    if size > super::SIZE_LIMIT {
        return Err(not_shown(&Message::new(
            say("it has {0} bytes; files up to 64 MiB are shown", "文件有 {0} 字节，最多显示 64 MiB"),
            &[&size.to_string()],
        )));
    }
    if bytes_at(&file, 0, PIECE).map_err(io)?.contains(&0) {
        return Err(not_shown(&Message::from(say("it is not text", "不是文本文件"))));
    }
    let (offset, words) = match &read.wanted {
        Wanted::At(offset) => (*offset, None),
        Wanted::End => (size, None),
        Wanted::Words(words, from) => {
            let found = find(&file, words.as_bytes(), *from).map_err(io)?;
            (found.unwrap_or(*from), found)
        }
    };
    let base = floor(offset.min(size).saturating_sub(WINDOW as u64 / 2));
    let bytes = bytes_at(&file, base, WINDOW + REST_OF_CHARACTER).map_err(io)?;
    let mut window = cut(&bytes, base, size);
    window.version = (meta.ino(), meta.ctime(), meta.ctime_nsec());
    window.hit = words.map(|at| hit(&window, &bytes, base, at));
    Ok(window)
}

fn not_shown(why: &Message) -> Message {
    let parts = [why.text(Lang::En), why.text(Lang::ZhCn)];
    Message::new(say("Not shown: {0}.", "无法显示：{1}。"), &[&parts[0], &parts[1]])
}

fn io_reason(cause: &io::Error) -> Message {
    // Only cap-std itself refuses without a number: the path leads out.
    if cause.kind() == ErrorKind::PermissionDenied && cause.raw_os_error().is_none() {
        return Message::from(say("it lies outside the project", "位于项目之外"));
    }
    io_cause(cause)
}

fn floor(offset: u64) -> u64 {
    offset - offset % PIECE as u64
}

/// As many bytes as there are, up to `count`.
fn bytes_at(mut file: &File, offset: u64, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(count);
    file.seek(SeekFrom::Start(offset))?;
    file.take(count as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The lines of these bytes, which begin at `base`; without those that are cut off at either end.
fn cut(bytes: &[u8], base: u64, size: u64) -> Window {
    let whole = base + bytes.len() as u64 >= size;
    let mut end = if whole { bytes.len() } else { boundary(bytes, WINDOW.min(bytes.len())) };
    if !whole
        && let Some(last) = bytes[end.saturating_sub(PIECE)..end].iter().rposition(|&byte| byte == b'\n')
    {
        end = end.saturating_sub(PIECE) + last + 1;
    }
    let mut start = if base == 0 { 0 } else { boundary(bytes, 0) };
    if base > 0
        && let Some(first) = bytes[start..end.min(PIECE).max(start)].iter().position(|&byte| byte == b'\n')
    {
        start += first + 1;
    }
    let mut lines = Vec::new();
    while start < end {
        let length = bytes[start..end].iter().position(|&byte| byte == b'\n');
        let stop = length.map_or(end, |length| start + length);
        let is_cut = stop - start > PIECE;
        let mut from = start;
        loop {
            let next = usize::try_from(floor(base + from as u64) + PIECE as u64 - base).unwrap_or(stop);
            let to = if is_cut { boundary(bytes, next).min(stop) } else { stop };
            lines.push(line(bytes, from..to, base));
            if to == stop {
                break;
            }
            from = to;
        }
        start = stop + 1;
    }
    Window { lines, end: base + end as u64, size, version: (0, 0, 0), hit: None }
}

fn line(bytes: &[u8], range: std::ops::Range<usize>, base: u64) -> StoryLine {
    let at = base + range.start as u64;
    StoryLine { at, text: clean(&bytes[range], at) }
}

fn clean(bytes: &[u8], at: u64) -> Safe {
    let text = String::from_utf8_lossy(bytes.strip_suffix(b"\r").unwrap_or(bytes));
    Safe::line(if at == 0 { text.trim_start_matches('\u{feff}') } else { &text })
}

/// The start of the character at or behind a place.
fn boundary(bytes: &[u8], at: usize) -> usize {
    let inside = |place: &usize| bytes.get(*place).is_some_and(|byte| byte & 0xC0 == 0x80);
    at + (at..at + REST_OF_CHARACTER).take_while(inside).count()
}

/// The next place where the words stand, from an offset to the end, then from the start. ASCII letters match in either case.
fn find(file: &File, words: &[u8], from: u64) -> io::Result<Option<u64>> {
    let Some((first, rest)) = words.split_first() else { return Ok(None) };
    let stands_at = |bytes: &[u8], at: usize| {
        bytes[at].eq_ignore_ascii_case(first) && bytes[at + 1..at + words.len()].eq_ignore_ascii_case(rest)
    };
    for (mut offset, until) in [(from, u64::MAX), (0, from)] {
        while offset <= until {
            let bytes = bytes_at(file, offset, STRIDE + words.len())?;
            let places = (bytes.len() + 1).saturating_sub(words.len());
            if let Some(at) = (0..places).find(|&at| stands_at(&bytes, at)) {
                return Ok(Some(offset + at as u64));
            }
            if bytes.len() < STRIDE + words.len() {
                break;
            }
            offset += STRIDE as u64;
        }
    }
    Ok(None)
}

fn hit(window: &Window, bytes: &[u8], base: u64, at: u64) -> Hit {
    let line = window.lines.partition_point(|line| line.at <= at).checked_sub(1);
    let start = line.map_or(at, |line| window.lines[line].at);
    let place = |offset: u64| usize::try_from(offset - base).unwrap_or(bytes.len()).min(bytes.len());
    Hit { at, column: clean(&bytes[place(start)..place(at)], start).len() }
}

#[cfg(test)]
mod tests;
