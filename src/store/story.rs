//! The story files that a packet names in `manifest.paths`, each read into memory as far as its first 2 MiB.

use super::file::{not_a_file, read_file, special_kind};
use super::project::Project;
use super::reply;
use super::state::StateDir;
use crate::ask::json::{Item, Json};
use crate::ask::{decode_packet, step};
use crate::error::{Error, io_cause};
use crate::platform::files::{FileId, look_at_open, open_beneath};
use crate::platform::paths::Shown as _;
use crate::text::encoding::decode;
use crate::text::markdown::{self, Emphasis, Marked};
use crate::text::query::Word;
use crate::text::{Message, Safe, say};
use rusqlite::{Row, params};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Read as _};
use std::ops::Range;
use std::path::Path;

/// Bytes of a file that are shown.
const SHOWN: usize = 2 << 20;
/// Bytes of a line that is not cut: wrapping a longer one at every key would be felt.
const PIECE: usize = 8 << 10;
/// The author's places; made with the first one, so that a file of an earlier program needs no other format.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS story
    (seq INTEGER PRIMARY KEY, packet TEXT NOT NULL, path TEXT NOT NULL, at INTEGER NOT NULL, row INTEGER NOT NULL, UNIQUE (packet, path))";
/// So many of them are kept.
const PLACES: i64 = 10_000;
/// Names in a manifest that are looked at, and files that are shown.
const NAMES: usize = 1_000;
const FILES: usize = 100;

/// A file as far as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoryText {
    /// Changes with the file: which it is, how long, and seconds and nanoseconds of its last change.
    pub version: (FileId, u64, (i64, u64)),
    /// As it is read: of Markdown, without its marks.
    pub text: String,
    /// Where the file has more, an empty one stands behind the last.
    pub lines: Vec<StoryLine>,
    /// Whether the file has more.
    pub is_cut: bool,
    /// The encoding that it is in, if that is not UTF-8.
    pub encoding: Option<&'static str>,
}

/// A line, or a piece of a very long one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryLine {
    /// Byte offset in the text.
    pub at: usize,
    pub text: Safe,
    pub is_heading: bool,
    pub emphasis: Vec<(Range<usize>, Emphasis)>,
}

/// Words that were found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Where they stand in the text.
    pub place: Range<usize>,
    /// Which of how many places it is, from 1.
    pub number: usize,
    pub count: usize,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoryPlace {
    /// Byte offset of a line.
    pub at: usize,
    /// Which row of the line it is; a narrower pane has more.
    pub row: usize,
}

/// Keeps the author's place in a file that a packet names.
///
/// # Errors
/// It is as it was.
pub fn keep(state: &StateDir, packet: &Path, path: &str, place: StoryPlace) -> Result<(), Error> {
    let number = |number: usize| i64::try_from(number).unwrap_or(i64::MAX);
    let values = params![packet.shown(), path, number(place.at), number(place.row)];
    state.write(|state| {
        state.execute(TABLE, [])?;
        let sql = "INSERT OR REPLACE INTO story (packet, path, at, row) VALUES (?1, ?2, ?3, ?4)";
        state.execute(sql, values)?;
        let old = state.last_insert_rowid() - PLACES;
        state.execute("DELETE FROM story WHERE seq <= ?1", [old]).map(drop)
    })
}

/// The author's places in the files that a packet names, the one of last at the end.
pub fn places(state: &StateDir, packet: &Path) -> Vec<(String, StoryPlace)> {
    let number = |number: i64| usize::try_from(number).unwrap_or_default();
    let found = state.read(|state| {
        if !state.table_exists(None, "story")? {
            return Ok(Vec::new());
        }
        let sql = "SELECT path, at, row FROM story WHERE packet = ?1 ORDER BY seq";
        let place = |row: &Row<'_>| {
            Ok((row.get(0)?, StoryPlace { at: number(row.get(1)?), row: number(row.get(2)?) }))
        };
        state.prepare(sql)?.query_map([packet.shown()], place)?.collect()
    });
    state.tolerate(found).flatten().unwrap_or_default()
}

/// The files that the manifest of a packet names and that are there, in its order, and whether it names more than are
/// looked at; in front of them, what the author is asked to judge. Those that cannot be shown are among them: [`read`] says why.
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
    let is_file = |path: &String| project.dir().metadata(path).is_ok_and(|meta| meta.is_file());
    let mut names =
        judged(&bytes).into_iter().filter(is_file).chain(strings.map(|path| path.lossy().into_owned()));
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

/// The files that a packet's verdict is about.
fn judged(packet: &[u8]) -> BTreeSet<String> {
    let packet = decode_packet(packet).ok();
    let packet = packet.filter(|packet| packet.gate.as_ref().is_some_and(|gate| gate.spec.is_verdict()));
    packet.map(|packet| reply::judged(&packet)).unwrap_or_default()
}

/// Which of the files is the last chapter of the book; chapters lie in a directory of that name.
pub fn last_chapter(paths: &[String]) -> Option<usize> {
    // A chapter moves from `staging/` to its place under the same name.
    let name = |at: &usize| paths[*at].strip_prefix("staging/").unwrap_or(&paths[*at]);
    let chapters =
        (0..paths.len()).filter(|at| name(at).split('/').rev().skip(1).any(|dir| dir == "chapters"));
    chapters.max_by(|a, b| step::compare(name(a), name(b)))
}

/// Reads a file beneath the root.
pub fn read(project: &Project, path: &str) -> Result<StoryText, Message> {
    let file = open_beneath(project.dir(), Path::new(path)).map_err(|cause| not_shown(&io_reason(&cause)))?;
    let io = |cause: io::Error| not_shown(&io_cause(&cause));
    let facts = look_at_open(&file).map_err(|failure| io(failure.into()))?;
    if let Some(kind) = special_kind(facts.kind) {
        return Err(not_shown(&not_a_file(kind).found));
    }
    let mut bytes = Vec::new();
    file.take(SHOWN as u64 + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.iter().take(PIECE).any(|&byte| byte == 0) && decode(&bytes).is_none() {
        return Err(not_shown(&Message::from(say("it is not text", "不是文本文件"))));
    }
    Ok(StoryText {
        version: (facts.id, facts.size, facts.changed),
        ..StoryText::of(bytes, is_markdown(path))
    })
}

impl StoryText {
    fn of(mut bytes: Vec<u8>, is_markdown: bool) -> StoryText {
        let is_cut = bytes.len() > SHOWN;
        if is_cut {
            let is_start = |place: &usize| bytes[*place] & 0xC0 != 0x80;
            bytes.truncate((SHOWN - 3..=SHOWN).rev().find(is_start).unwrap_or(SHOWN));
        }
        let (mut written, encoding) = if let Some((text, name)) = decode(&bytes) {
            (text, Some(name))
        } else {
            let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
            (String::from_utf8_lossy(bytes).into_owned(), None)
        };
        if is_cut && encoding.is_some() {
            // A character may be cut in two.
            written.truncate(written.trim_end_matches('\u{fffd}').len());
        }
        let mut story = StoryText { is_cut, encoding, ..StoryText::default() };
        let mut is_fenced = false;
        let mut is_alone = true;
        let mut lines = written.split_inclusive('\n').peekable();
        while let Some(line) = lines.next() {
            let bare = bare(line);
            let is_fence = markdown::is_fence(bare);
            is_fenced ^= is_fence;
            let is_plain = !is_markdown || is_fenced || is_fence || bare.len() > PIECE;
            let is_title =
                |below: &&str| !is_plain && markdown::is_underlined(bare, self::bare(below), is_alone);
            story.push(&match lines.next_if(is_title) {
                Some(_) => Marked::heading(bare),
                None if is_plain => Marked::plain(bare),
                None => Marked::read(bare),
            });
            is_alone = bare.trim().is_empty();
            if line.ends_with('\n') {
                story.text.push('\n');
            }
        }
        if is_cut {
            story.push(&Marked::default());
        }
        story
    }

    /// Appends a line, in pieces if it is very long.
    fn push(&mut self, line: &Marked) {
        let (mut at, start) = (0, self.text.len());
        loop {
            let to = line.text.floor_char_boundary(at + PIECE);
            let text = Safe::line(&line.text[at..to]);
            // Only of text that is shown as it is do the places hold.
            let is_exact = *text == line.text;
            let emphasis = if is_exact { line.emphasis.clone() } else { Vec::new() };
            self.lines.push(StoryLine { at: start + at, text, is_heading: line.is_heading, emphasis });
            at = to;
            if at == line.text.len() {
                break;
            }
        }
        self.text.push_str(&line.text);
    }

    /// The next place from an offset to the end, then from the start, where the words stand, in whatever case and width.
    pub fn find(&self, words: &str, from: usize) -> Option<Hit> {
        let word = Word::new(words)?;
        let places: Vec<Range<usize>> = word.find_all(&self.text).collect();
        let at = places.partition_point(|place| place.start < from);
        let at = if at == places.len() { 0 } else { at };
        Some(Hit { place: places.get(at)?.clone(), number: at + 1, count: places.len() })
    }
}

/// A line without its end.
fn bare(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

fn is_markdown(path: &str) -> bool {
    let ending = Path::new(path).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("md") || ending.eq_ignore_ascii_case("markdown"))
}

fn not_shown(why: &Message) -> Message {
    Message::with(say("Not shown: {0}.", "无法显示：{1}。"), |lang| why.text(lang))
}

fn io_reason(cause: &io::Error) -> Message {
    // Only cap-std itself refuses without a number: the path leads out.
    if cause.kind() == ErrorKind::PermissionDenied && cause.raw_os_error().is_none() {
        return Message::from(say("it lies outside the project", "位于项目之外"));
    }
    io_cause(cause)
}

#[cfg(test)]
mod tests;
