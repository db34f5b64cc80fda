//! Entries of ours in a JSON file of a client's: a hook, a permission, a server. Comments and commas behind a last entry may stand
//! in it, and stay.
//!
//! An object or a list that was there, empty, gets a blank behind its bracket when something goes in. So [`remove`] knows
//! that it is not to go with that.

use super::edit::{Action, Edit, LONGEST, PROGRAM};
use crate::platform::paths::Shown as _;
use crate::store::Project;
use crate::store::file_snapshot::FileSnapshot;
use crate::text::shell::program_name;
use crate::text::{Message, say};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstContainerNode, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;
use std::cmp::Reverse;
use std::path::Path;

const HOOKS: &str = "hooks";

/// How long an author may take, in seconds: a day.
pub(super) const TIMEOUT: u64 = 86_400;

/// An entry that belongs into a file.
pub(super) struct Entry {
    /// The objects around it, from the root; around what has no name, the last is a list.
    pub(super) keys: &'static [&'static str],
    pub(super) name: Option<&'static str>,
    pub(super) value: CstInputValue,
    /// The tools that a hook is run for.
    pub(super) tools: Option<&'static str>,
    /// All the words of a permission: one with others means something else.
    pub(super) whole: Option<Vec<String>>,
    /// An older init put it in, and it goes.
    pub(super) is_old: bool,
    /// What stands behind the program and its flags.
    pub(super) purpose: Vec<String>,
    /// Words that must stand in an entry that is there already.
    pub(super) asked: Vec<String>,
    /// The paths of this program.
    pub(super) own: Vec<String>,
}

/// A place in a file that runs the program for an entry's purpose, or has its name.
pub(super) struct Found {
    pub(super) node: CstNode,
    pub(super) is_ours: bool,
    /// Whether it calls the program as init does: by its name alone, or by an absolute path.
    is_inits: bool,
    /// Whether it does all that the entry does, for all its tools and long enough.
    pub(super) is_enough: bool,
    pub(super) words: Vec<String>,
}

/// A file of a client's, be it TOML, as JSON; nothing where it cannot be read.
pub(super) fn read(project: &Project, path: &str) -> String {
    let bytes = FileSnapshot::look(project, path).ok().and_then(|snapshot| snapshot.bytes);
    let bytes = bytes.filter(|bytes| bytes.len() <= LONGEST);
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    from_toml(text.trim_start_matches('\u{feff}'))
}

/// JSON is no TOML, and stays.
pub(super) fn from_toml(text: &str) -> String {
    let table = toml::from_str::<toml::Table>(text).ok().and_then(|table| serde_json::to_string(&table).ok());
    table.unwrap_or_else(|| text.to_owned())
}

/// A new file.
pub(super) fn fresh(mut entries: Vec<Entry>) -> String {
    entries.retain(|entry| !entry.is_old);
    let made = parse("{}\n").and_then(|root| append_all(&root, entries).map(|_| root.to_string()));
    made.unwrap_or_default()
}

/// Puts in the entries that are not there, and renews those that are not whole; an entry may be spelled in whatever way the author
/// likes.
pub(super) fn insert(text: &str, entries: Vec<Entry>) -> Result<Option<Edit>, Message> {
    let root = parse(if text.trim().is_empty() { "{}\n" } else { text })?;
    let is_bare = root.value().is_none_or(|value| is_empty(&value));
    let (mut missing, mut renewed, mut action) = (Vec::new(), Vec::new(), Action::Insert);
    let mut is_narrowed = false;
    for entry in entries {
        let mut found = entry.find(&root);
        if entry.is_old {
            found.retain(|found| found.is_inits);
            is_narrowed |= !found.is_empty();
            take_all_out(found);
            continue;
        }
        if found.iter().any(|found| found.is_enough) {
            continue;
        }
        if found.iter().any(|found| !found.is_ours) {
            return Err(another());
        }
        let old = found.into_iter().find(|found| found.is_inits);
        action = if old.is_some() { Action::Update } else { action };
        match old.and_then(|old| entry.renew(old.node)) {
            Some(group) => renewed.push(group),
            None => missing.push(entry),
        }
    }
    action = if is_narrowed { Action::Update } else { action };
    let (mut made, filled) = append_all(&root, missing)?;
    made.append(&mut renewed);
    if made.is_empty() && !is_narrowed {
        return Ok(None);
    }
    made.sort_by_key(start);
    let before = text;
    let text = made.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    // What is empty because an old entry was taken out is not the author's.
    let filled = filled.iter().filter(|_| action == Action::Insert);
    let mut brackets: Vec<usize> = filled.map(|node| start(node) + 1).collect();
    brackets.sort_unstable();
    let whole = brackets.into_iter().rfold(root.to_string(), |mut whole, at| {
        whole.insert(at, ' ');
        whole
    });
    let whole = if is_bare { whole } else { in_its_lines(before, whole) };
    Ok(Some(Edit { action, whole, text }))
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
    let left = (!others.is_empty()).then(not_inits);
    if own.is_empty() {
        return Ok((None, left));
    }
    take_all_out(own);
    let whole = root.to_string();
    let is_over = whole.trim() == "{}" && !text.trim_start().starts_with("{ ");
    let action = if is_over { Action::Delete } else { Action::Remove };
    let whole = in_its_lines(text, whole);
    Ok((Some(Edit { action, whole, text: String::new() }), left))
}

/// A file that was one line stays one: every line end in it now is the library's. None becomes a blank behind a bracket, which would
/// say that what was made there had been there before.
fn in_its_lines(before: &str, whole: String) -> String {
    if before.trim_end().contains('\n') {
        return whole;
    }
    let body = whole.trim_end();
    let mut line = String::new();
    for part in body.lines() {
        line += if line.ends_with(',') { " " } else { "" };
        line += part.trim_start();
    }
    line + &whole[body.len()..]
}

/// Whether an entry is in a file, with all that is asked for.
pub(super) fn has(text: &str, entry: &Entry) -> bool {
    parse(text).is_ok_and(|root| entry.find(&root).iter().any(|found| found.is_enough))
}

/// Whether an entry of init's is in a file.
pub(super) fn has_inits(text: &str, entry: &Entry) -> bool {
    parse(text).is_ok_and(|root| entry.find(&root).iter().any(|found| found.is_inits))
}

impl Entry {
    pub(super) fn find(&self, root: &CstRootNode) -> Vec<Found> {
        let place = self.keys.iter().try_fold(root.value(), |at, key| Some(member(&at?, key))).flatten();
        place.map(|place| self.find_in(&place)).unwrap_or_default()
    }

    /// The same in a list of its kind.
    pub(super) fn find_in(&self, place: &CstNode) -> Vec<Found> {
        let mut nodes = elements(place);
        if self.tools.is_some() {
            let hooks = nodes.iter().filter_map(|group| member(group, HOOKS));
            nodes = hooks.flat_map(|hooks| elements(&hooks)).collect();
        }
        nodes.into_iter().filter_map(|node| self.judge(node)).collect()
    }

    /// Goes by the words of what is run, and nothing else.
    fn judge(&self, node: CstNode) -> Option<Found> {
        let value: Value = node.to_serde_value()?;
        let words = words(&value);
        let program = words.first().map(String::as_str).unwrap_or_default();
        let is_program =
            program_name(program) == PROGRAM || self.own.iter().any(|own| *own == Path::new(program).shown());
        let name = node.as_object_prop().and_then(|prop| prop.decoded_name());
        let has_name = name.is_some() && name.as_deref() == self.name;
        let is_ours = is_program && (has_name || behind_flags(&words).starts_with(&self.purpose));
        let is_inits =
            is_ours && (program == PROGRAM || program.starts_with('/') || Path::new(program).is_absolute());
        let is_whole = self.tools.is_none_or(|tools| {
            let matcher = group_of(&node).and_then(|group| member(&group, "matcher")?.to_serde_value());
            let matcher = matcher.unwrap_or(Value::Null);
            value["timeout"].as_u64() >= Some(TIMEOUT) && covers(matcher.as_str().unwrap_or_default(), tools)
        });
        let is_whole = is_whole && self.whole.as_ref().is_none_or(|whole| *whole == words);
        let is_enough = is_ours && is_whole && self.asked.iter().all(|word| words.contains(word));
        (has_name || is_ours).then_some(Found { node, is_ours, is_inits, is_enough, words })
    }

    /// Makes a hook that is alone in its group what it should be, and gives the group; what cannot be made so is taken out.
    fn renew(&self, old: CstNode) -> Option<CstNode> {
        let group = group_of(&old).filter(|group| {
            member(group, HOOKS).is_some_and(|hooks| elements(&hooks).len() == 1) && self.tools.is_some()
        });
        if let (Some(hook), Some(around)) = (old.as_object(), group.as_ref().and_then(CstNode::as_object)) {
            set(&around, "matcher", self.tools?.into());
            set(&hook, "timeout", TIMEOUT.into());
        }
        if self.judge(old.clone()).is_some_and(|now| now.is_enough) {
            return group;
        }
        take_out(old);
        None
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

/// Whether a hook with this matcher is run for all the tools of another one: it takes everything, or names the same alternatives.
fn covers(matcher: &str, tools: &str) -> bool {
    let names = |matcher: &str| -> Vec<String> {
        let all =
            matcher.split(['|', ',']).map(|name| name.trim_matches([' ', '^', '$', '(', ')']).to_owned());
        all.collect()
    };
    let own = names(matcher);
    ["", "*", ".*"].contains(&matcher) || names(tools).iter().all(|name| own.contains(name))
}

/// The words of a line for a shell, the program spelled with `/`.
pub(super) fn words_of(line: &str) -> Option<Vec<String>> {
    let mut words = shlex::split(line)?;
    if let Some(program) = words.first_mut() {
        *program = Path::new(program).shown().into_owned();
    }
    Some(words)
}

/// The words of what is run: of a permission, of a line for a shell, or of a program with its arguments.
fn words(entry: &Value) -> Vec<String> {
    let permission = entry.as_str().and_then(|rule| rule.strip_prefix("Bash(")?.strip_suffix(')'));
    let line = permission.map(|rule| rule.replace(":*", " *"));
    let line =
        line.or_else(|| entry["command"].as_str().filter(|_| entry["args"].is_null()).map(str::to_owned));
    if let Some(line) = line {
        return words_of(&line).unwrap_or_default();
    }
    let parts = [&entry["command"], &entry["args"]].into_iter();
    let words = parts.flat_map(|part| part.as_array().map_or(std::slice::from_ref(part), Vec::as_slice));
    words.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The words behind the program and the flags that every command takes.
fn behind_flags(words: &[String]) -> &[String] {
    let mut rest = words.get(1..).unwrap_or_default();
    while let [flag, behind @ ..] = rest
        && flag.starts_with("--")
    {
        let has_value = flag != "--json" && !flag.contains('=');
        rest = behind.get(usize::from(has_value)..).unwrap_or_default();
    }
    rest
}

/// What went in, and what it has filled.
fn append_all(root: &CstRootNode, entries: Vec<Entry>) -> Result<(Vec<CstNode>, Vec<CstNode>), Message> {
    let parts: Result<Vec<_>, Message> = entries.into_iter().map(|entry| entry.append(root)).collect();
    let (made, filled): (Vec<_>, Vec<_>) = parts?.into_iter().unzip();
    Ok((made, filled.into_iter().flatten().collect()))
}

/// Takes nodes out, the last ones first: no blank is left behind a bracket, which would say that what was made there had been there.
fn take_all_out(mut all: Vec<Found>) {
    all.sort_by_key(|found| Reverse(start(&found.node)));
    for found in all {
        take_out(found.node);
    }
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

pub(super) fn elements(container: &CstNode) -> Vec<CstNode> {
    container.children_exclude_trivia_and_tokens()
}

/// The object around a hook, with its matcher.
pub(super) fn group_of(hook: &CstNode) -> Option<CstNode> {
    Some(hook.parent()?.parent()?.parent()?.into())
}

fn set(object: &CstObject, name: &str, value: CstInputValue) {
    match object.get(name) {
        Some(prop) => prop.set_value(value),
        None => drop(object.append(name, value)),
    }
}

pub(super) fn parse(text: &str) -> Result<CstRootNode, Message> {
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

/// Something else has the name of ours.
pub(super) fn another() -> Message {
    let sentence = say(
        "Its server {0} runs something else. Give that one another name, then run init again.",
        "其中名为 {0} 的服务器运行的是别的命令。请给它换个名字，再运行 init。",
    );
    Message::new(sentence, &[PROGRAM])
}

pub(super) fn not_inits() -> Message {
    say(
        "It runs novel-gate otherwise than init writes it, too; that stays.",
        "其中还有与 init 写法不同的 novel-gate 条目，予以保留。",
    )
    .into()
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
pub(super) fn member(object: &CstNode, name: &str) -> Option<CstNode> {
    let all = object.as_object()?.properties();
    all.iter().rfind(|one| one.decoded_name().as_deref() == Some(name))?.value()
}

pub(super) fn start(node: &CstNode) -> usize {
    let before: usize = node.previous_siblings().map(|one| one.to_string().len()).sum();
    before + node.parent().map_or(0, |around| start(&around.into()))
}

#[cfg(test)]
mod tests;
