//! What programs do to a text as a whole: an envelope around all of it, a mark on each of its lines, or another language in its stead.

use super::mark::trim;
use crate::ask::syntax::SyntaxKind as Slip;
use crate::text::markdown::is_fence;

/// What was done, where it begins, and the text without it; nothing where no text can be had, or several.
pub(super) struct Whole {
    pub(super) slip: Slip,
    pub(super) at: usize,
    pub(super) inner: Option<String>,
    pub(super) is_certain: bool,
}

type Reading = fn(&str) -> Option<(usize, Option<String>)>;

const WHOLE: [(Slip, Reading); 7] = [
    (Slip::Escaped, |text| Some((blank(text), Some(unescaped(text)?)))),
    (Slip::Conflict, |text| Some((conflict(text)?, None))),
    (Slip::Page, |text| is_page(trim(text)).then(|| (blank(text), in_page(text)))),
    (Slip::Entity, |text| Some((text.find('&')?, Some(without_entities(text)?)))),
    (Slip::LineNumber, |text| {
        let (bare, is_whole) = without_numbers(text)?;
        Some((blank(text), is_whole.then_some(bare)))
    }),
    (Slip::LineMark, |text| Some((blank(text), Some(without_marks(text)?)))),
    (Slip::Yaml, |text| is_yaml(text).then(|| (blank(text), None))),
];

pub(super) fn whole(text: &str) -> Option<Whole> {
    WHOLE.into_iter().find_map(|(slip, reading)| {
        let (at, inner) = reading(text)?;
        let is_certain = slip != Slip::Page && (slip != Slip::Entity || !has_bare(text));
        Some(Whole { slip, at, inner, is_certain })
    })
}

/// The white space in front.
fn blank(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// What a text says whose quotation marks and line ends are all escaped, as if it were the content of a string.
fn unescaped(text: &str) -> Option<String> {
    let text = trim(text);
    let inside = text.strip_prefix(['{', '['])?;
    if !inside.trim_start().starts_with('\\') {
        return None;
    }
    serde_json::from_str(&format!("\"{text}\"")).ok()
}

/// Where git has left two texts for the author to choose from.
fn conflict(text: &str) -> Option<usize> {
    let begins = |mark: &str, from: usize| {
        let at = from + text[from..].find(mark)?;
        (at == 0 || text[..at].ends_with('\n')).then_some(at)
    };
    let at = begins("<<<<<<<", 0)?;
    begins(">>>>>>>", begins("=======", at)?).map(|_| at)
}

/// The two texts of a file in which git has left a conflict.
pub(in crate::ask) fn sides(text: &str) -> Option<[String; 2]> {
    conflict(text)?;
    let mut sides = [String::new(), String::new()];
    let mut of: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        of = match (line.get(..7), of) {
            (Some("<<<<<<<"), None) => Some(0),
            // What both had before belongs to neither.
            (Some("|||||||"), Some(_)) => Some(sides.len()),
            (Some("======="), Some(_)) => Some(1),
            (Some(">>>>>>>"), Some(_)) => None,
            _ => {
                let wanted = sides.iter_mut().enumerate().filter(|(side, _)| of.is_none_or(|of| of == *side));
                wanted.for_each(|(_, side)| side.push_str(line));
                of
            }
        };
    }
    Some(sides)
}

/// What the one element of a page says that holds JSON and nothing else.
fn in_page(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('<').collect();
    let mut held = parts.windows(2).filter_map(|pair| {
        let (tag, inside) = pair[0].split_once('>')?;
        let name = tag.split_whitespace().next()?;
        let is_whole = pair[1].strip_prefix('/').is_some_and(|end| end.starts_with(name));
        (is_whole && inside.trim_start().starts_with(['{', '['])).then(|| decoded(trim(inside)))
    });
    held.next().filter(|_| held.next().is_none())
}

fn is_page(text: &str) -> bool {
    let head: String = text.chars().take(16).flat_map(char::to_lowercase).collect();
    ["<!doctype", "<html", "<head", "<body", "<?xml"].iter().any(|tag| head.starts_with(tag))
}

const ENTITIES: [(&str, &str); 8] = [
    ("&quot;", "\""),
    ("&#34;", "\""),
    ("&#x22;", "\""),
    ("&#39;", "'"),
    ("&apos;", "'"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&amp;", "&"),
];

/// Whether something stands there that the same program would have written as an entity.
fn has_bare(text: &str) -> bool {
    let mut ampersands = text.match_indices('&');
    text.contains('"')
        || ampersands.any(|(at, _)| !ENTITIES.iter().any(|(name, _)| text[at..].starts_with(name)))
}

/// What a text says whose quotation marks are all entities of HTML.
fn without_entities(text: &str) -> Option<String> {
    let inside = trim(text).strip_prefix(['{', '['])?.trim_start();
    if !ENTITIES[..3].iter().any(|(name, _)| inside.trim_start_matches(['{', '[']).starts_with(name)) {
        return None;
    }
    Some(decoded(text))
}

fn decoded(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('&') {
        let found = ENTITIES.iter().find(|(name, _)| rest[at..].starts_with(name));
        let (length, new) = found.map_or((1, "&"), |(name, new)| (name.len(), *new));
        out.extend([&rest[..at], new]);
        rest = &rest[at + length..];
    }
    out + rest
}

/// A text whose lines are numbered, without their numbers, and whether no line is missing.
fn without_numbers(text: &str) -> Option<(String, bool)> {
    let mut next: Option<u64> = None;
    let mut is_whole = true;
    let bare = |line: &str| -> Option<String> {
        let start = line.trim_start();
        let rest = start.trim_start_matches(|c: char| c.is_ascii_digit());
        let number: u64 = start[..start.len() - rest.len()].parse().ok()?;
        let is_behind = next.is_none_or(|next| next <= number);
        is_whole &= next.is_none_or(|next| next == number);
        next = number.checked_add(1);
        let is_apart = rest.trim().is_empty() || rest.starts_with(['→', '|', '│', ':', '\t', ' ', '.', ')']);
        let mark = rest.trim_start_matches(' ').strip_prefix(['→', '|', '│', ':', '.', ')']);
        (is_behind && is_apart).then(|| mark.unwrap_or(rest).to_owned())
    };
    let text = without(text, bare)?;
    Some((text, is_whole))
}

/// A text whose lines all begin with the mark of a quotation, a table or an addition, without it.
fn without_marks(text: &str) -> Option<String> {
    let mark = trim(text).chars().next().filter(|c| matches!(c, '>' | '|' | '│' | '+'))?;
    without(text, |line| {
        Some(line.trim_start().strip_prefix(mark)?.trim_start_matches([mark, ' ']).to_owned())
    })
}

/// The lines of a text as they are without something that each has but a blank one.
fn without(text: &str, mut bare: impl FnMut(&str) -> Option<String>) -> Option<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        lines.push(if line.trim().is_empty() { String::new() } else { bare(line)? });
    }
    (lines.len() > 1).then(|| lines.join("\n"))
}

fn is_yaml(text: &str) -> bool {
    let is_said = |line: &&str| !line.trim().is_empty() && !line.starts_with(['#', '-']);
    let is_member = |line: &str| {
        let name = line.trim_start().find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
        let behind = name.filter(|at| *at > 0).and_then(|at| line.trim_start()[at..].strip_prefix(':'));
        behind.is_some_and(|behind| behind.is_empty() || behind.starts_with([' ', '\r']))
    };
    let mut said = text.lines().filter(is_said);
    let is_first = said.next().is_some_and(|line| is_member(line) && !line.starts_with(' '));
    let is_second = said.next().is_some_and(is_member);
    let is_json = |line: &str| is_fence(line) || line.trim_start().starts_with(['{', '"']);
    is_first && is_second && !text.lines().any(is_json)
}
