//! Entries of ours in a JSON file of a client's: a hook, a permission, a server. Comments and commas behind a last entry may stand
//! in it, and stay.
//!
//! An object or a list that was there, empty, gets a blank behind its bracket when something goes in. So [`remove`] knows
//! that it is not to go with that.

use super::edit::{Action, Edit, PROGRAM, not_as_asked, not_inits};
use crate::command::hook::shell_word;
use crate::text::{Message, say};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstContainerNode, CstInputValue, CstNode, CstRootNode};
use serde_json::Value;
use std::slice;

const HOOKS: &str = "hooks";

/// An entry that belongs into a file.
pub(super) struct Entry {
    /// The objects around it, from the root; around what has no name, the last is a list.
    pub(super) keys: &'static [&'static str],
    pub(super) name: Option<&'static str>,
    pub(super) value: CstInputValue,
    /// With what the program is run.
    pub(super) purpose: String,
    /// Words that must stand in an entry that is there already.
    pub(super) asked: Vec<String>,
}

/// A place in a file that runs the program.
struct Found {
    node: CstNode,
    /// The program with its arguments.
    line: String,
}

/// A new file.
pub(super) fn fresh(entries: Vec<Entry>) -> String {
    let made = parse("{}\n").and_then(|root| append_all(&root, entries).map(|_| root.to_string()));
    made.unwrap_or_default()
}

/// Puts in the entries that are not there; an entry may be spelled in whatever way the author likes.
pub(super) fn insert(path: &str, text: &str, mut entries: Vec<Entry>) -> Result<Option<Edit>, Message> {
    let root = parse(if text.trim().is_empty() { "{}\n" } else { text })?;
    for (entry, found) in entries.iter().map(|entry| (entry, entry.find(&root))) {
        for found in found {
            entry.check(path, &found.line)?;
        }
    }
    entries.retain(|entry| entry.find(&root).is_empty());
    let (mut made, filled) = append_all(&root, entries)?;
    made.sort_by_key(start);
    let whole = root.to_string();
    let Some(first) = made.first() else { return Ok(None) };
    let line = Some(line_at(&whole, start(first)));
    let text = made.iter().map(shown).collect::<Vec<_>>().join("\n");
    let mut brackets: Vec<usize> = filled.iter().map(|node| start(node) + 1).collect();
    brackets.sort_unstable();
    let whole = brackets.into_iter().rfold(whole, |mut whole, at| {
        whole.insert(at, ' ');
        whole
    });
    Ok(Some(Edit { action: Action::Insert, whole, text, line }))
}

/// Takes out what [`insert`] has put in, be it changed since, and what was made around it; the file goes if nothing is left. What
/// runs the program and is not init's is named.
pub(super) fn remove(text: &str, entries: &[Entry]) -> Result<(Option<Edit>, Option<Message>), Message> {
    let root = match parse(text) {
        Err(_) if !text.contains(PROGRAM) => return Ok((None, None)),
        root => root?,
    };
    let (own, others): (Vec<Found>, Vec<Found>) =
        entries.iter().flat_map(|entry| entry.find(&root)).partition(|found| is_inits(&found.line));
    let left = others.first().map(|found| not_inits(line_at(text, start(&found.node))));
    let Some(first) = own.iter().map(|found| start(&found.node)).min() else { return Ok((None, left)) };
    let line = Some(line_at(text, first));
    for found in own {
        take_out(found.node);
    }
    let whole = root.to_string();
    let action = if whole.trim() == "{}" && !text.trim_start().starts_with("{ ") {
        Action::Delete
    } else {
        Action::Remove
    };
    Ok((Some(Edit { action, whole, text: String::new(), line }), left))
}

/// Whether an entry is in a file, and has all that was asked for.
pub(super) fn has(text: &str, entry: &Entry, path: &str) -> Result<bool, Message> {
    let Ok(root) = parse(text) else { return Ok(false) };
    let found = entry.find(&root);
    found.iter().try_for_each(|found| entry.check(path, &found.line))?;
    Ok(!found.is_empty())
}

impl Entry {
    /// Whether a command that is there already has all that was asked for.
    fn check(&self, path: &str, line: &str) -> Result<(), Message> {
        let missing =
            self.asked.iter().find(|word| !line.contains(*word) && !line.contains(&shell_word(word)));
        missing.map_or(Ok(()), |word| Err(not_as_asked(path, word)))
    }

    fn runs(&self, line: &str) -> bool {
        line.split_once(PROGRAM).is_some_and(|(_, rest)| rest.contains(&self.purpose))
    }

    fn find(&self, root: &CstRootNode) -> Vec<Found> {
        let place = self.keys.iter().try_fold(root.value(), |at, key| Some(member(&at?, key))).flatten();
        let Some(place) = place else { return Vec::new() };
        let mut nodes = place.children_exclude_trivia_and_tokens();
        if self.keys.first() == Some(&HOOKS) {
            let hooks = nodes.iter().filter_map(|group| member(group, HOOKS));
            nodes = hooks.flat_map(|hooks| hooks.children_exclude_trivia_and_tokens()).collect();
        }
        let found = nodes.into_iter().filter_map(|node| {
            let line = command_line(&node.to_serde_value()?);
            let has_name = self.name.is_some()
                && node.as_object_prop().and_then(|prop| prop.decoded_name()).as_deref() == self.name;
            (has_name || self.runs(&line)).then_some(Found { node, line })
        });
        found.collect()
    }

    /// Puts it in, with what is to be around it; what went in, and what was there, empty, and is so no longer.
    fn append(self, root: &CstRootNode) -> Result<(CstNode, Option<CstNode>), Message> {
        let mut container = root.value().filter(|value| value.as_object().is_some()).ok_or_else(no_object)?;
        let mut depth = 0;
        while let Some(next) = self.keys.get(depth).and_then(|key| member(&container, key)) {
            depth += 1;
            of_kind(&self.keys[..depth].join("."), &next, self.name.is_none() && depth == self.keys.len())?;
            container = next;
        }
        let filled = is_empty(&container).then(|| container.clone());
        let inner = match self.name {
            Some(name) => CstInputValue::Object(vec![(name.to_owned(), self.value.clone())]),
            None => CstInputValue::Array(vec![self.value.clone()]),
        };
        let nested = |from: usize| {
            let around = self.keys[from..].iter();
            around.rfold(inner.clone(), |inner, key| CstInputValue::Object(vec![((*key).to_owned(), inner)]))
        };
        let node = match (container.as_object(), self.keys.get(depth), self.name) {
            (Some(object), Some(key), _) => object.append(key, nested(depth + 1)).into(),
            (Some(object), None, Some(name)) => object.append(name, self.value).into(),
            _ => container.as_array().ok_or_else(no_object)?.append(self.value),
        };
        Ok((node, filled))
    }
}

/// What went in, and what it has filled.
fn append_all(root: &CstRootNode, entries: Vec<Entry>) -> Result<(Vec<CstNode>, Vec<CstNode>), Message> {
    let parts: Result<Vec<_>, Message> = entries.into_iter().map(|entry| entry.append(root)).collect();
    let (made, filled): (Vec<_>, Vec<_>) = parts?.into_iter().unzip();
    Ok((made, filled.into_iter().flatten().collect()))
}

/// What went in, and into which list or object.
fn shown(node: &CstNode) -> String {
    let props = node.ancestors().filter_map(|around| match around {
        CstContainerNode::ObjectProp(prop) => prop.decoded_name(),
        _ => None,
    });
    let names: Vec<String> = props.collect();
    let place = names.iter().rev().map(String::as_str).collect::<Vec<_>>().join(".");
    if place.is_empty() { node.to_string() } else { format!("{place}: {node}") }
}

/// Takes a node out, and what was made around it and holds nothing else, not even a comment.
fn take_out(mut node: CstNode) {
    while let Some(around) = node.parent() {
        let around = CstNode::from(around);
        let was_there = around.to_string()[1..].starts_with(' ');
        node.remove();
        if was_there || !is_empty(&around) {
            return;
        }
        let Some(CstContainerNode::ObjectProp(prop)) = around.parent() else { return };
        // A group of hooks without a hook runs nothing.
        let group = prop.parent().filter(|group| group.parent().is_some_and(|list| list.is_array()));
        node = group.map_or_else(|| prop.into(), CstNode::from);
    }
}

/// Whether a value holds nothing, not even a comment.
fn is_empty(container: &CstNode) -> bool {
    container.children().iter().all(|child| child.is_token() || child.is_trivia() && !child.is_comment())
}

/// Whether a command runs the program as init calls it: by its name alone, or by an absolute path.
fn is_inits(line: &str) -> bool {
    let (line, is_permission) = line.strip_prefix("Bash(").map_or((line, false), |line| (line, true));
    line.trim_start_matches('\'').split_once(PROGRAM).is_some_and(|(path, rest)| {
        (path.is_empty() || path.starts_with('/') && path.ends_with('/'))
            && (!is_permission || rest.trim_start_matches('\'') == " *)")
    })
}

/// The command and its arguments, be they one text or several.
fn command_line(entry: &Value) -> String {
    if let Some(text) = entry.as_str() {
        return text.to_owned();
    }
    let parts = [&entry["command"], &entry["args"]].into_iter();
    let words = parts.flat_map(|part| part.as_array().map_or(slice::from_ref(part), Vec::as_slice));
    words.filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
}

fn parse(text: &str) -> Result<CstRootNode, Message> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    CstRootNode::parse(text, &options).map_err(|error| {
        let sentence =
            say("It is not JSON: see line {0}, column {1}.", "它不是 JSON：见第 {0} 行第 {1} 列。");
        Message::new(sentence, &[&error.line_display().to_string(), &error.column_display().to_string()])
    })
}

fn no_object() -> Message {
    say("It is not a JSON object.", "它不是 JSON 对象。").into()
}

fn of_kind(name: &str, node: &CstNode, is_list: bool) -> Result<(), Message> {
    let sentence = match is_list {
        true if node.as_array().is_none() => say("Its {0} is not a list.", "其中的 {0} 不是列表。"),
        false if node.as_object().is_none() => say("Its {0} is not an object.", "其中的 {0} 不是对象。"),
        _ => return Ok(()),
    };
    Err(Message::new(sentence, &[name]))
}

/// The value of a key; of equal keys the last counts.
fn member(object: &CstNode, name: &str) -> Option<CstNode> {
    let all = object.as_object()?.properties();
    all.iter().rfind(|one| one.decoded_name().as_deref() == Some(name))?.value()
}

fn start(node: &CstNode) -> usize {
    let before: usize = node.previous_siblings().map(|one| one.to_string().len()).sum();
    before + node.parent().map_or(0, |around| start(&around.into()))
}

pub(super) fn line_at(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

#[cfg(test)]
mod tests;
