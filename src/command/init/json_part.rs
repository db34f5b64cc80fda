//! An entry of ours in a JSON file of a client's: a hook, or a server. Every other byte of the file is kept.

use super::edit::{Action, Edit, PROGRAM, altered, unquoted};
use crate::ask::json::{Item, Json, Kind};
use crate::ask::to_line;
use crate::text::{Lang, Message, say};
use serde_json::{Map, Value, json};
use std::ops::Range;

/// Where the entry stands, and what it says.
#[derive(Debug)]
pub(super) struct JsonPart {
    /// The objects around it, from the root; the last may be a list.
    keys: &'static [&'static str],
    /// Its own key; `None` in a list.
    name: Option<&'static str>,
    /// What a new file begins with: the address of its schema.
    schema: Option<&'static str>,
    /// What the program is called with.
    words: &'static str,
    /// The entry for a program.
    value: fn(&str, Lang) -> Value,
}

const SCHEMA: &str = "$schema";
const HOOKS: &str = "hooks";
const UNIT: &str = "  ";

impl JsonPart {
    pub(super) const fn hook(words: &'static str, value: fn(&str, Lang) -> Value) -> JsonPart {
        JsonPart { keys: &[HOOKS, "PreToolUse"], name: None, schema: None, words, value }
    }

    pub(super) const fn server(
        keys: &'static [&'static str],
        schema: Option<&'static str>,
        value: fn(&str, Lang) -> Value,
    ) -> JsonPart {
        JsonPart { keys, name: Some(PROGRAM), schema, words: "mcp", value }
    }

    /// A new file.
    pub(super) fn fresh(&self, program: &str, lang: Lang) -> String {
        let mut root = Map::new();
        root.extend(self.schema.map(|schema| (SCHEMA.to_owned(), json!(schema))));
        root.insert(self.keys[0].to_owned(), self.nested(0, program, lang));
        indented(&Value::Object(root), UNIT) + "\n"
    }

    /// The value of the key at `depth` where it is missing.
    fn nested(&self, depth: usize, program: &str, lang: Lang) -> Value {
        match (self.keys.get(depth + 1), self.name) {
            (Some(key), _) => json!({(*key): self.nested(depth + 1, program, lang)}),
            (None, Some(name)) => json!({(name): (self.value)(program, lang)}),
            (None, None) => json!([(self.value)(program, lang)]),
        }
    }

    /// Puts the entry in, unless one runs the program already.
    pub(super) fn insert(&self, text: &str, program: &str, lang: Lang) -> Result<Option<Edit>, Message> {
        let json = parse(text)?;
        let root = json.root();
        of_kind("", root, Kind::Object)?;
        let mut container = root;
        for (depth, key) in self.keys.iter().enumerate() {
            let Some(next) = container.get(key) else {
                let child = self.nested(depth, program, lang);
                return Ok(Some(insert(text, root, container, Some(key), &child)));
            };
            let is_list = self.name.is_none() && depth + 1 == self.keys.len();
            of_kind(&self.keys[..=depth].join("."), next, if is_list { Kind::Array } else { Kind::Object })?;
            container = next;
        }
        if self.own(container).next().is_some() {
            return Ok(None);
        }
        Ok(Some(insert(text, root, container, self.name, &(self.value)(program, lang))))
    }

    /// Takes the entry out, if it is as [`JsonPart::insert`] makes it, and what was made around it; the file goes if nothing is
    /// left.
    pub(super) fn remove(&self, text: &str) -> Result<Option<Edit>, Message> {
        let json = match parse(text) {
            Err(_) if !text.contains(PROGRAM) => return Ok(None),
            json => json?,
        };
        let mut around = vec![json.root()];
        for key in self.keys {
            let Some(next) = around[around.len() - 1].get(key) else { return Ok(None) };
            around.push(next);
        }
        let own: Vec<Item<'_>> = self.own(around[around.len() - 1]).collect();
        if own.is_empty() {
            return Ok(None);
        }
        let made = own.iter().find_map(|entry| Some((*entry, self.maker(*entry)?)));
        let Some((entry, (program, lang))) = made else { return Err(altered()) };
        if text == self.fresh(&program, lang) {
            return Ok(Some(Edit { action: Action::Delete, ..removal(text, 0..text.len()) }));
        }
        let mut value = entry;
        while let Some(container) = around.pop() {
            let cut = cut(text, container, value);
            if let Some(cut) = cut {
                return Ok(Some(removal(text, cut)));
            }
            value = container;
        }
        Ok(Some(Edit { action: Action::Delete, ..removal(text, 0..text.len()) }))
    }

    /// The entries of a list or an object that run the program, in whatever way the author has spelled them, or bear its name.
    fn own<'j>(&self, container: Item<'j>) -> impl Iterator<Item = Item<'j>> {
        let named = container.members().filter(|(key, value)| {
            self.name.is_some_and(|name| key.is_string(name) || self.is_run_by(*value))
        });
        let hook = |entry: &Item<'j>| {
            entry.get(HOOKS).into_iter().flat_map(Item::elements).any(|hook| self.is_run_by(hook))
        };
        let values: Vec<Item<'j>> =
            named.map(|(_, value)| value).chain(container.elements().filter(hook)).collect();
        values.into_iter()
    }

    fn is_run_by(&self, entry: Item<'_>) -> bool {
        let line = command_line(entry);
        line.split_once(PROGRAM).is_some_and(|(_, rest)| rest.contains(self.words))
    }

    /// For which program and in which language [`JsonPart::insert`] has made an entry, if it has.
    fn maker(&self, entry: Item<'_>) -> Option<(String, Lang)> {
        let found: Value = serde_json::from_str(entry.source()).ok()?;
        let hook = entry.get(HOOKS).and_then(|hooks| hooks.elements().next());
        let line = command_line(hook.unwrap_or(entry));
        let program = line.strip_suffix(self.words)?.strip_suffix(' ')?;
        let program = unquoted(program);
        if program != PROGRAM && !program.starts_with('/') {
            return None;
        }
        let langs = [Lang::En, Lang::ZhCn].into_iter();
        let lang = langs.into_iter().find(|&lang| (self.value)(&program, lang) == found)?;
        Some((program, lang))
    }
}

/// The command and its arguments, be they one text or several.
fn command_line(entry: Item<'_>) -> String {
    let mut words = Vec::new();
    for part in [entry.get("command"), entry.get("args")].into_iter().flatten() {
        words.extend(part.string());
        words.extend(part.elements().filter_map(Item::string));
    }
    words.iter().map(|word| word.lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

fn parse(text: &str) -> Result<Json<'_>, Message> {
    Json::parse(text.as_bytes()).map_err(|error| {
        let sentence =
            say("It is not JSON: see line {0}, column {1}.", "它不是 JSON：见第 {0} 行第 {1} 列。");
        Message::new(sentence, &[&error.line.to_string(), &error.column.to_string()])
    })
}

fn of_kind(name: &str, item: Item<'_>, kind: Kind) -> Result<(), Message> {
    let sentence = match (name, kind) {
        _ if item.kind() == kind => return Ok(()),
        ("", _) => say("It is not a JSON object.", "它不是 JSON 对象。"),
        (_, Kind::Array) => say("Its {0} is not a list.", "其中的 {0} 不是列表。"),
        _ => say("Its {0} is not an object.", "其中的 {0} 不是对象。"),
    };
    Err(Message::new(sentence, &[name]))
}

/// Puts one more child into a value, behind its last one, laid out as its neighbours are. Into an empty value it goes with one
/// blank on each side, by which [`cut`] knows later that the value was there before.
fn insert(text: &str, root: Item<'_>, into: Item<'_>, key: Option<&str>, child: &Value) -> Edit {
    let unit = children(root).first().and_then(|(start, _)| indent_of(text, *start)).unwrap_or(UNIT);
    let unit = if unit.is_empty() { UNIT } else { unit };
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let laid_out = |indent: &str| {
        let named = key.map(|key| format!("\"{key}\": ")).unwrap_or_default();
        format!("{named}{}", indented(child, unit)).replace('\n', &format!("{eol}{indent}"))
    };
    let all = children(into);
    let (at, piece) = if let (Some((first, _)), Some((_, end))) = (all.first(), all.last()) {
        let piece = match indent_of(text, *first) {
            Some(indent) => format!(",{eol}{indent}{}", laid_out(indent)),
            None => format!(", {}", one_line(key, child)),
        };
        (*end, piece)
    } else {
        let line = line_of(text, into.offset());
        let base = &line[..line.len() - line.trim_start().len()];
        (into.offset() + 1, format!(" {} ", laid_out(base)))
    };
    let whole = format!("{}{piece}{}", &text[..at], &text[at..]);
    let skipped = piece.len() - piece.trim_start_matches([',', '\r', '\n', ' ', '\t']).len();
    let line = whole[..at + skipped].matches('\n').count() + 1;
    let shown = piece.strip_prefix(", ").unwrap_or(&piece).trim_start_matches([',', '\r', '\n']);
    let shown = if all.is_empty() { shown.trim() } else { shown };
    Edit { action: Action::Insert, whole, text: shown.to_owned(), line: Some(line) }
}

/// The bytes to take out so that a container loses one of its values; nothing if the container goes as well, because it was made
/// for that value.
fn cut(text: &str, container: Item<'_>, value: Item<'_>) -> Option<Range<usize>> {
    let all = children(container);
    let end = value.offset() + value.source().len();
    let at = all.iter().position(|(_, other)| *other == end)?;
    let start = all[at].0;
    match (at.checked_sub(1).map(|before| all[before].1), all.get(at + 1)) {
        (Some(before), _) => Some(before..end),
        (None, Some((next, _))) => Some(start..*next),
        (None, None) => {
            let front = container.offset() + 1;
            let was_there = &text[front..start] == " " && text[end..].starts_with(' ');
            was_there.then_some(front..end + 1)
        }
    }
}

fn removal(text: &str, cut: Range<usize>) -> Edit {
    let whole = format!("{}{}", &text[..cut.start], &text[cut.end..]);
    let piece = &text[cut.clone()];
    let shown = piece.trim_matches([',', '\r', '\n', ' ', '\t']);
    let skipped = piece.find(shown).unwrap_or(0);
    let line = text[..cut.start + skipped].matches('\n').count() + 1;
    Edit { action: Action::Remove, whole, text: shown.to_owned(), line: Some(line) }
}

/// Start and end of each child.
fn children(item: Item<'_>) -> Vec<(usize, usize)> {
    let end = |value: Item<'_>| value.offset() + value.source().len();
    let members = item.members().map(|(key, value)| (key.offset(), end(value)));
    members.chain(item.elements().map(|value| (value.offset(), end(value)))).collect()
}

/// The white space in front of a value that begins its line.
fn indent_of(text: &str, start: usize) -> Option<&str> {
    let line = &text[text[..start].rfind('\n')? + 1..start];
    line.trim().is_empty().then_some(line)
}

fn line_of(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    &text[start..end]
}

fn one_line(key: Option<&str>, child: &Value) -> String {
    key.map(|key| format!("\"{key}\": ")).unwrap_or_default() + &to_line(child)
}

fn indented(value: &Value, unit: &str) -> String {
    let laid_out = format!("{value:#}");
    let line = |line: &str| {
        let inner = line.trim_start_matches(' ');
        unit.repeat((line.len() - inner.len()) / UNIT.len()) + inner
    };
    laid_out.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
