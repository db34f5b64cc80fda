//! Entries of ours in a JSON file of a client's: a hook, a permission, a server. Comments and commas behind a last entry may stand
//! in it, and stay.
//!
//! An object or a list that was there, empty, gets a blank behind its bracket when something goes in. So [`remove`] knows
//! that it is not to go with that.

use super::edit::{Action, Edit, PROGRAM, not_as_asked, not_inits};
use crate::command::hook::shell_word;
use crate::store::Project;
use crate::store::file_snapshot::FileSnapshot;
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
    /// The paths of this program.
    pub(super) own: Vec<String>,
}

/// A place in a file that runs the program, or has its name.
struct Found {
    node: CstNode,
    /// The program with its arguments.
    line: String,
    /// What it is run for, of a hook.
    matcher: Option<String>,
    is_ours: bool,
    /// Whether it calls the program as init does: by its name alone, or by an absolute path.
    is_inits: bool,
}

/// A file of a client's, be it TOML, as JSON; nothing where it cannot be read.
pub(super) fn read(project: &Project, path: &str) -> String {
    let bytes = FileSnapshot::read(project, path).ok().and_then(|snapshot| snapshot.bytes);
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    from_toml(text.trim_start_matches('\u{feff}'))
}

/// JSON is no TOML, and stays.
pub(super) fn from_toml(text: &str) -> String {
    let table = toml::from_str::<toml::Table>(text).ok().and_then(|table| serde_json::to_string(&table).ok());
    table.unwrap_or_else(|| text.to_owned())
}

/// A new file.
pub(super) fn fresh(entries: Vec<Entry>) -> String {
    let made = parse("{}\n").and_then(|root| append_all(&root, entries).map(|_| root.to_string()));
    made.unwrap_or_default()
}

/// Puts in the entries that are not there; an entry may be spelled in whatever way the author likes.
pub(super) fn insert(path: &str, text: &str, entries: Vec<Entry>) -> Result<Option<Edit>, Message> {
    let root = parse(if text.trim().is_empty() { "{}\n" } else { text })?;
    let mut missing = Vec::new();
    for entry in entries {
        if !entry.is_in(&root, path)? {
            missing.push(entry);
        }
    }
    let (mut made, filled) = append_all(&root, missing)?;
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
        entries.iter().flat_map(|entry| entry.find(&root)).partition(|found| found.is_inits);
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
    parse(text).map_or(Ok(false), |root| entry.is_in(&root, path))
}

/// Which of these tools no hook of ours in a file is for, going by its matcher; nothing where none is there.
pub(super) fn unmatched(text: &str, entry: &Entry, tools: &[&'static str]) -> Option<Vec<&'static str>> {
    let found = entry.find(&parse(text).ok()?);
    let is_for = |tool: &str, matcher: &str| {
        // What a pattern with such a sign in it matches is not judged.
        matcher.is_empty() || matcher.contains(['.', '*', '[']) || matcher.contains(tool)
    };
    let runs =
        |tool: &str| found.iter().any(|found| found.matcher.as_deref().is_none_or(|one| is_for(tool, one)));
    (!found.is_empty()).then(|| tools.iter().copied().filter(|tool| !runs(tool)).collect())
}

impl Entry {
    /// Whether it is there, with all that was asked for; an error if something else has its name.
    fn is_in(&self, root: &CstRootNode, path: &str) -> Result<bool, Message> {
        let (ours, foreign): (Vec<_>, Vec<_>) = self.find(root).into_iter().partition(|found| found.is_ours);
        if ours.is_empty() && !foreign.is_empty() {
            let sentence = say(
                "Its server {0} runs another program. Give that one another name, then run init again.",
                "其中名为 {0} 的服务器运行的是别的程序。请给它换个名字，再运行 init。",
            );
            return Err(Message::new(sentence, &[PROGRAM]));
        }
        let lacks = |line: &str, word: &str| !line.contains(word) && !line.contains(&shell_word(word));
        let missing = ours.iter().find_map(|found| self.asked.iter().find(|word| lacks(&found.line, word)));
        missing.map_or(Ok(!ours.is_empty()), |word| Err(not_as_asked(path, word)))
    }

    fn find(&self, root: &CstRootNode) -> Vec<Found> {
        let place = self.keys.iter().try_fold(root.value(), |at, key| Some(member(&at?, key))).flatten();
        let Some(place) = place else { return Vec::new() };
        let mut nodes: Vec<(CstNode, Option<String>)> =
            place.children_exclude_trivia_and_tokens().into_iter().map(|node| (node, None)).collect();
        if self.keys.first() == Some(&HOOKS) {
            let hooks = nodes.iter().filter_map(|(group, _)| {
                let matcher = member(group, "matcher").and_then(|matcher| matcher.to_serde_value());
                let matcher = matcher.and_then(|matcher: Value| matcher.as_str().map(str::to_owned));
                let hooks = member(group, HOOKS)?.children_exclude_trivia_and_tokens();
                Some(hooks.into_iter().map(move |hook| (hook, matcher.clone())))
            });
            nodes = hooks.flatten().collect();
        }
        let found = nodes.into_iter().filter_map(|(node, matcher)| {
            let line = command_line(&node.to_serde_value()?);
            let (program, rest) = split_program(&line);
            let has_name = self.name.is_some()
                && node.as_object_prop().and_then(|prop| prop.decoded_name()).as_deref() == self.name;
            let is_program = program.rsplit('/').next() == Some(PROGRAM) || self.own.contains(&program);
            let is_ours = is_program && (has_name || rest.contains(&self.purpose));
            let is_called_so = program == PROGRAM || program.starts_with('/');
            let is_inits = is_ours && is_called_so && (self.purpose != "*)" || rest == " *)");
            (has_name || is_ours).then_some(Found { node, line, matcher, is_ours, is_inits })
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

/// The program that a shell would run for a line, and the rest of the line.
fn split_program(line: &str) -> (String, &str) {
    let (mut program, mut quote, mut is_escaped) = (String::new(), None, false);
    for (at, c) in line.char_indices() {
        match quote {
            _ if is_escaped => is_escaped = false,
            None if c.is_ascii_whitespace() => return (program, &line[at..]),
            None if "'\"".contains(c) => {
                quote = Some(c);
                continue;
            }
            Some(open) if open == c => {
                quote = None;
                continue;
            }
            None | Some('"') if c == '\\' => {
                is_escaped = true;
                continue;
            }
            _ => {}
        }
        program.push(c);
    }
    (program, "")
}

/// The command and its arguments, be they one text or several, as a shell takes them.
fn command_line(entry: &Value) -> String {
    if let Some(permission) = entry.as_str() {
        return permission.strip_prefix("Bash(").unwrap_or_default().replace(":*)", " :*)");
    }
    if let (Some(line), Value::Null) = (entry["command"].as_str(), &entry["args"]) {
        return line.to_owned();
    }
    let parts = [&entry["command"], &entry["args"]].into_iter();
    let words = parts.flat_map(|part| part.as_array().map_or(slice::from_ref(part), Vec::as_slice));
    words.filter_map(Value::as_str).map(shell_word).collect::<Vec<_>>().join(" ")
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
