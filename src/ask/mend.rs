//! Makes JSON of what is nearly JSON, as models, editors and other programs write it.
//!
//! It never gives a verdict: what it finds names a slip, fills a form, or is shown to the author. All else of the text stays as
//! it is, byte for byte; the result is JSON, or there is none. One pass, whatever the depth.

use super::problem::shorten;
use super::syntax::{SyntaxError, SyntaxKind as Slip, line_and_column};
use crate::text::encoding;
use crate::text::markdown::is_fence;
use literal::is_key;
use mark::{half, is_quote, trim};
use scan::{Edit, Scan};
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::mem::discriminant;
use std::ops::Range;
pub(super) use whole::sides;
use whole::{Whole, whole};

mod literal;
mod mark;
mod scan;
mod whole;

/// What was meant by a text that is no JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mending {
    /// JSON.
    pub text: String,
    /// What was changed first, in the order of the text.
    pub changes: Vec<Change>,
    /// How much was changed.
    pub count: usize,
    /// Whether nothing else can have been meant.
    pub is_certain: bool,
    /// Where the text stops inside a value: a value of the result that reaches so far may go on.
    pub cut: Option<usize>,
    /// The values that stand in it in place of another, or of none.
    pub(super) put: Vec<String>,
    /// All objects and lists in the text, in its order, as JSON: nothing for what is no JSON.
    pub(super) all: Vec<Option<String>>,
}

/// One change, where it was made; what it took away and put there is shortened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub slip: SyntaxError,
    pub old: String,
    pub new: String,
    /// How often it is made, where it is told once for all.
    pub times: usize,
}

/// How many changes are told one by one.
const TOLD: usize = 200;
/// How much is looked at behind a place to understand it, in bytes.
const NEAR: usize = 1 << 16;
/// From so few characters that are not ASCII nobody can tell one Chinese encoding from another.
const SURE: usize = 48;
/// So many of them are shown.
const SAMPLE: usize = 16;
/// In so many envelopes a text may be.
const WRAPPED: usize = 4;

/// What is meant by a file that is no JSON, or whose one value is a string that holds it; nothing for other JSON, and where no
/// reading is found.
pub fn mend(bytes: &[u8]) -> Option<Mending> {
    if let Some((text, name)) = encoding::decode(bytes) {
        return reencoded(text, name);
    }
    let text = String::from_utf8_lossy(bytes);
    let is_fit = is_json(&text) && !trim(&text).starts_with('"');
    if is_fit {
        return None;
    }
    // What the bytes said that are no characters, nobody knows.
    let is_whole = matches!(text, Cow::Borrowed(_));
    mend_text(&text, WRAPPED).map(|mending| Mending { is_certain: mending.is_certain && is_whole, ..mending })
}

/// A file as far as it can be understood: what is shown of it, and never judged.
pub fn legible(bytes: &[u8]) -> Cow<'_, [u8]> {
    mend(bytes).map_or(Cow::Borrowed(bytes), |mending| Cow::Owned(mending.text.into_bytes()))
}

/// What a text says that was in another encoding.
fn reencoded(text: String, name: &'static str) -> Option<Mending> {
    // Who reads it sees whether these are his words.
    let sample: String = text.chars().filter(|c| !c.is_ascii()).take(SAMPLE).collect();
    let change = change(Slip::Encoding(name), name, 0..name.len(), &format!("UTF-8 “{sample}”"), (1, 1));
    let is_sure = name.starts_with("UTF-") || text.chars().filter(|c| !c.is_ascii()).count() >= SURE;
    if is_json(&text) {
        let all = vec![Some(text.clone())];
        return Some(Mending {
            text,
            changes: vec![change],
            count: 1,
            is_certain: is_sure,
            cut: None,
            put: Vec::new(),
            all,
        });
    }
    let mut mended = mend_text(&text, WRAPPED)?;
    mended.changes.insert(0, change);
    // Half a character at the end is of a text that went on.
    let is_certain = is_sure && mended.is_certain && !text.ends_with('\u{fffd}');
    Some(Mending { count: mended.count + 1, is_certain, ..mended })
}

fn mend_text(text: &str, deep: usize) -> Option<Mending> {
    if let Some(Whole { slip, at, inner, is_certain }) = whole(text) {
        return unpacked((slip, text, at), inner?, is_certain, deep);
    }
    let (scan, is_read) = read(text);
    let mended = is_read.then(|| apply(text, &scan.edits)).filter(|mended| is_json(mended))?;
    let is_certain = scan.doubt.is_none() && scan.doubled.is_none();
    if trim(&mended).starts_with('"') {
        let inner = serde_json::from_str(&mended).ok().filter(|inner: &String| opens(inner))?;
        return unpacked((Slip::Escaped, text, 0), inner, is_certain, deep);
    }
    let (changes, count) = (changes(text, &scan.edits), scan.edits.len());
    let cut = cut(&scan.edits, mended.len());
    let mut all = values(&text[..scan.value.start]);
    all.push(Some(mended.clone()));
    all.extend(values(&text[scan.value.end..]));
    let values =
        scan.edits.iter().filter(|edit| matches!(edit.slip, Slip::Word(..) | Slip::Number)).take(TOLD);
    let put = values.map(|edit| edit.new.to_string()).collect();
    Some(Mending { text: mended, changes, count, is_certain, cut, put, all })
}

/// Where what was read of a text that stops ends in the mended one. What was taken away there had begun behind a whole value.
fn cut(edits: &[Edit], length: usize) -> Option<usize> {
    let last = edits.iter().rfind(|edit| edit.slip == Slip::End)?;
    let put: usize = edits.iter().filter(|edit| edit.slip == Slip::End).map(|edit| edit.new.len()).sum();
    Some(length - put + usize::from(!last.at.is_empty()))
}

/// The objects and lists in a text with sentences between them; nothing for one that cannot be read.
fn values(text: &str) -> Vec<Option<String>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(more) = next_value(&text[at..]) {
        let rest = &text[at + more..];
        let mut scan = Scan::new(rest);
        let is_read = scan.read().is_some();
        let mended = is_read.then(|| apply(&rest[..scan.at], &scan.edits)).filter(|mended| is_json(mended));
        found.push(mended);
        at += more + scan.at.max(1);
    }
    found
}

/// Where an object or a list begins in a text with sentences before it: with a key, a string or another of them.
fn next_value(text: &str) -> Option<usize> {
    let is_value = |at: &usize| {
        let opened = &text[*at..];
        let inside = opened[opened.chars().next().map_or(0, char::len_utf8)..].trim_start();
        inside.starts_with(is_quote) || !opened.starts_with('[') && is_key(inside)
    };
    text.match_indices(['{', '｛', '[']).map(|(at, _)| at).find(is_value)
}

/// The slip of a text that is no JSON for which it is left at this place, and where it stands: the one in doubt, if there is one,
/// else the first. Where slips of its kind stand before it, the first of these: who mends them comes to it.
pub(super) fn first_slip(text: &str, refused: usize) -> Option<(usize, Slip)> {
    if let Some(Whole { slip, at, .. }) = whole(text) {
        return Some((at, slip));
    }
    // What stands far behind does not matter.
    let near = text.floor_char_boundary(refused.saturating_add(NEAR).min(text.len()));
    let (scan, is_read) = read(&text[..near]);
    let in_doubt = scan.doubt.filter(|(_, slip)| is_read && *slip != Slip::End).map(|(at, slip)| {
        let alike = scan.edits.iter().find(|edit| edit.at.start < at && is_alike(edit.slip, slip));
        alike.map_or((at, slip), |edit| (edit.at.start, edit.slip))
    });
    let here = || scan.edits.iter().find(|edit| edit.at.start == refused);
    let first = || here().or_else(|| scan.edits.first().filter(|edit| edit.at.start < refused));
    let (at, slip) = in_doubt.or_else(|| first().map(|edit| (edit.at.start, edit.slip)))?;
    // A text of which nothing else is JSON has no comments.
    let is_of_json = scan.has_begun() || matches!(slip, Slip::ByteOrderMark | Slip::Nul);
    (is_of_json && slip != Slip::End).then_some((at, slip))
}

fn is_alike(before: Slip, slip: Slip) -> bool {
    let is_around = slip == Slip::Prose && matches!(before, Slip::Fence | Slip::Thoughts);
    is_around || discriminant(&before) == discriminant(&slip)
}

/// The first key in a text that is no JSON that its object has already.
pub(super) fn doubled_key(bytes: &[u8]) -> Option<SyntaxError> {
    let text = encoding::text_of(bytes);
    let at = whole(&text).is_none().then(|| read(&text).0.doubled)??;
    Some(SyntaxError::at(&text, (at, Slip::DoubledKey)))
}

/// The slips of a text that is no JSON, and whether it could be read to its end.
fn read(text: &str) -> (Scan<'_>, bool) {
    let mut scan = Scan::new(text);
    if text.starts_with('\u{feff}') {
        scan.at = '\u{feff}'.len_utf8();
        scan.put(Slip::ByteOrderMark, 0..scan.at, "");
    }
    scan.space();
    let is_read =
        before(&mut scan).and_then(|()| value(&mut scan)).and_then(|()| behind(&mut scan)).is_some();
    (scan, is_read)
}

fn value(scan: &mut Scan<'_>) -> Option<()> {
    scan.value.start = scan.at;
    let is_read = scan.read();
    scan.value.end = scan.at;
    is_read
}

/// Passes over what stands before the JSON.
fn before(scan: &mut Scan<'_>) -> Option<()> {
    let rest = scan.rest();
    let quoted = rest.strip_prefix(is_quote).is_some_and(opens);
    if opens(rest) || quoted || rest.is_empty() {
        return Some(());
    }
    let is_thought =
        rest.starts_with("<think") || rest.find("</think").is_some_and(|end| !rest[..end].contains('{'));
    let thoughts = is_thought.then(|| rest.find("</think")).flatten();
    let from = thoughts.map_or(0, |end| rest[end..].find('>').map_or(rest.len(), |more| end + more + 1));
    let tail = &rest[from..];
    let start = from + json_in(tail)?;
    let slip = match rest {
        _ if is_thought => Slip::Thoughts,
        _ if is_fence(rest) => Slip::Fence,
        _ => Slip::Prose,
    };
    let at = scan.at..scan.at + start;
    scan.at = at.end;
    scan.put_if(!rest[from..start].contains('{'), slip, at, "");
    Some(())
}

/// Where an object begins in a text with sentences before it: in a code block, else on a line of its own, else anywhere.
fn json_in(text: &str) -> Option<usize> {
    let offset = |part: &str| text.len() - part.len();
    let first = text.trim_start();
    if opens(first) {
        return Some(offset(first));
    }
    let in_fence = |(fence, _): (usize, &str)| {
        let line = fence + text[fence..].find('\n')?;
        let inside = text[line..].trim_start();
        opens(inside).then(|| offset(inside))
    };
    let own_line = |(end, _): (usize, &str)| {
        let line = text[end + 1..].trim_start_matches([' ', '\t']);
        line.starts_with(['{', '｛']).then(|| offset(line))
    };
    let fences = ["```", "~~~"].into_iter().flat_map(|mark| text.match_indices(mark));
    { fences }
        .find_map(in_fence)
        .or_else(|| text.match_indices('\n').find_map(own_line))
        .or_else(|| text.find(['{', '｛']))
}

/// Passes over what stands behind the JSON.
fn behind(scan: &mut Scan<'_>) -> Option<()> {
    loop {
        scan.space();
        let (start, rest) = (scan.at, scan.rest());
        let Some(c) = scan.peek() else { return Some(()) };
        let (slip, length) = if is_fence(rest) {
            (Slip::Fence, rest.find('\n').unwrap_or(rest.len()))
        } else {
            match half(c) {
                Some('{' | '[') => (Slip::SecondValue, rest.len()),
                Some('}' | ']') => (Slip::Bracket, c.len_utf8()),
                Some(',') if matches!(c, ';' | '；') => (Slip::Semicolon, c.len_utf8()),
                Some(',') => (Slip::ExtraComma, c.len_utf8()),
                _ => (Slip::Prose, next_value(rest).unwrap_or(rest.len())),
            }
        };
        scan.at += length;
        let is_lost = matches!(slip, Slip::SecondValue | Slip::Bracket)
            || slip == Slip::Prose && rest[..length].contains(['{', '}', '[', ']', '"']);
        scan.put_if(!is_lost, slip, start..scan.at, "");
        if scan.is_full() {
            return None;
        }
    }
}

/// What is held in an envelope: JSON, or what is nearly JSON.
fn unpacked(
    (slip, text, at): (Slip, &str, usize),
    inner: String,
    is_certain: bool,
    deep: usize,
) -> Option<Mending> {
    let mended = if is_json(&inner) && !trim(&inner).starts_with('"') {
        let all = vec![Some(inner.clone())];
        Mending {
            text: inner,
            changes: Vec::new(),
            count: 0,
            is_certain: true,
            cut: None,
            put: Vec::new(),
            all,
        }
    } else {
        mend_text(&inner, deep.checked_sub(1)?)?
    };
    let times = match slip {
        Slip::LineNumber | Slip::LineMark => text.lines().filter(|line| !line.trim().is_empty()).count(),
        Slip::Entity => text.matches('&').count(),
        _ => 1,
    };
    let change = change(slip, text, 0..text.len(), &mended.text, line_and_column(&text[..at]));
    let changes = vec![Change { times, ..change }];
    Some(Mending { changes, count: 1, is_certain: is_certain && mended.is_certain, ..mended })
}

fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for Edit { at, new, .. } in edits {
        out.push_str(text.get(done..at.start).unwrap_or_default());
        out.push_str(new);
        done = done.max(at.end);
    }
    out.push_str(&text[done..]);
    out
}

fn changes(text: &str, edits: &[Edit]) -> Vec<Change> {
    let (mut done, mut line, mut column) = (0, 1, 1);
    let told = edits.iter().take(TOLD).map(|Edit { slip, at, new }| {
        let (lines, columns) = line_and_column(&text[done..at.start]);
        column = if lines > 1 { columns } else { column + columns - 1 };
        (done, line) = (at.start, line + lines - 1);
        change(*slip, text, at.clone(), new, (line, column))
    });
    told.collect()
}

fn change(kind: Slip, text: &str, at: Range<usize>, new: &str, (line, column): (usize, usize)) -> Change {
    let slip = SyntaxError { line, column, kind };
    Change { slip, old: shorten(&text[at]), new: shorten(new), times: 1 }
}

/// Whether a text begins as an object or a list does.
fn opens(text: &str) -> bool {
    text.trim_start().chars().next().is_some_and(|c| matches!(half(c), Some('{' | '[')))
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

#[cfg(test)]
mod tests;
