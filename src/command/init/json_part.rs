//! An entry of ours in a JSON file of a client's: a hook, or a server. Comments and commas behind a last entry may stand in it.

use super::client::TIMEOUT;
use super::{Action, Content, Edit, PROGRAM, Part, Wiring, altered};
use crate::ask::to_line;
use crate::cli::SkillName;
use crate::command::hook::shell_word;
use crate::text::{Lang, Message, Sentence, say};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstComment, CstContainerNode, CstNode, CstRootNode};
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Value, json};
use std::slice;

const HOOKS: &str = "hooks";
/// The tools that Claude Code's hook is asked about. With a sign of a regular expression in it, it is one, and unanchored.
pub(super) const CLAUDE_CODE_TOOLS: &str =
    "^(AskUserQuestion|Agent|Task|Workflow|Skill|Write|Edit|NotebookEdit|mcp__.+__AskUserQuestion)$";
/// Codex's; a tool of a namespace has the namespace's name in front of its own.
pub(super) const CODEX_TOOLS: &str = "spawn_agent$|^request_user_input$|^apply_patch$";
/// What the client shows while the hook waits.
const STATUS: Sentence =
    say("novel-gate (questions wait in its console)", "novel-gate（提问在它的控制台中等待回答）");

impl Part {
    /// The objects around the entry, from the root; around a hook the last is a list.
    fn keys(&self) -> &'static [&'static str] {
        match (self.content, self.client) {
            (Content::Hook, _) => &[HOOKS, "PreToolUse"],
            (_, SkillName::Opencode) => &["mcp"],
            _ => &["mcpServers"],
        }
    }

    /// What the program is called with.
    fn words(&self) -> String {
        if self.content == Content::Hook { format!("hook {}", self.client.name()) } else { "mcp".to_owned() }
    }

    fn entry(&self, program: &str, lang: Lang) -> Value {
        match (self.content, self.client) {
            (Content::Hook, client) => {
                let hook = json!({
                    "type": "command",
                    "command": format!("{} {}", shell_word(program), self.words()),
                    "timeout": TIMEOUT,
                    "statusMessage": STATUS.text(lang),
                });
                let tools = if client == SkillName::Codex { CODEX_TOOLS } else { CLAUDE_CODE_TOOLS };
                json!({"matcher": tools, "hooks": [hook]})
            }
            (_, SkillName::Opencode) => {
                json!({"type": "local", "command": [program, "mcp"], "enabled": true})
            }
            // Its tools answer nothing by themselves; without trust each call is asked about, and refused where nobody is there.
            (_, SkillName::Gemini) => {
                json!({"command": program, "args": ["mcp"], "timeout": TIMEOUT * 1000, "trust": true})
            }
            _ => json!({"command": program, "args": ["mcp"]}),
        }
    }

    /// A new file.
    pub(super) fn entry_file(&self, program: &str, lang: Lang) -> String {
        let mut root = self.nested(0, program, lang);
        if self.path == "opencode.json" {
            // opencode writes the schema's address into a file that lacks it.
            root = json!({"$schema": "https://opencode.ai/config.json", "mcp": root["mcp"]});
        }
        format!("{root:#}\n")
    }

    /// What goes into the object that lacks the key at `depth`.
    fn nested(&self, depth: usize, program: &str, lang: Lang) -> Value {
        let entry = self.entry(program, lang);
        let entry = if self.content == Content::Hook { json!([entry]) } else { json!({PROGRAM: entry}) };
        self.keys()[depth..].iter().rfold(entry, |inner, key| json!({(*key): inner}))
    }

    /// Puts the entry in, unless one runs the program already.
    pub(super) fn insert_entry(&self, text: &str, wiring: &Wiring) -> Result<Option<Edit>, Message> {
        let (root, program, lang) = (parse(text)?, &wiring.program, wiring.lang);
        if text.trim().is_empty() {
            // It ends with a blank, by which `remove_entry` knows that the file was there.
            let whole = self.entry_file(program, lang).trim_end().to_owned() + " ";
            return Ok(Some(inserted(whole.clone(), 0, whole)));
        }
        let mut container = root.value().unwrap_or_else(|| root.clone().into());
        of_kind("", &container, false)?;
        let (keys, is_hook) = (self.keys(), self.content == Content::Hook);
        for (depth, key) in keys.iter().enumerate() {
            let Some(next) = member(&container, key) else {
                return Ok(Some(append(text, &container, Some(key), &self.nested(depth + 1, program, lang))));
            };
            of_kind(&keys[..=depth].join("."), &next, is_hook && depth + 1 == keys.len())?;
            container = next;
        }
        if !self.own(&container).is_empty() {
            return Ok(None);
        }
        Ok(Some(append(text, &container, (!is_hook).then_some(PROGRAM), &self.entry(program, lang))))
    }

    /// Takes the entry out, if it is as [`Part::insert_entry`] makes it, and what was made around it; the file goes if nothing
    /// is left.
    pub(super) fn remove_entry(&self, text: &str) -> Result<Option<Edit>, Message> {
        let root = match parse(text) {
            Err(_) if !text.contains(PROGRAM) => return Ok(None),
            root => root?,
        };
        let place = self.keys().iter().try_fold(root.value(), |at, key| Some(member(&at?, key)));
        let own = place.flatten().map_or(Vec::new(), |container| self.own(&container));
        if own.is_empty() {
            return Ok(None);
        }
        let made = own.into_iter().find_map(|entry| self.maker(&entry).map(|maker| (entry, maker)));
        let Some((entry, (program, lang))) = made else { return Err(altered()) };
        if text.trim_end() == self.entry_file(&program, lang).trim_end() && !text.ends_with('}') {
            let action = if text.ends_with(' ') { Action::Remove } else { Action::Delete };
            let text = text.trim_end().to_owned();
            return Ok(Some(Edit { action, whole: String::new(), text, line: Some(1) }));
        }
        Ok(Some(take_out(text, entry)))
    }

    /// The entries of a list or an object that run the program, in whatever way the author has spelled them, or bear its name.
    fn own(&self, container: &CstNode) -> Vec<CstNode> {
        let mut entries = container.children_exclude_trivia_and_tokens();
        entries.retain(|entry| {
            let value = entry.to_serde_value().unwrap_or_default();
            if self.content == Content::Hook {
                return value[HOOKS].as_array().into_iter().flatten().any(|hook| self.is_run_by(hook));
            }
            let key = entry.as_object_prop().and_then(|member| member.decoded_name());
            key.as_deref() == Some(PROGRAM) || self.is_run_by(&value)
        });
        entries
    }

    fn is_run_by(&self, entry: &Value) -> bool {
        let line = command_line(entry);
        line.split_once(PROGRAM).is_some_and(|(_, rest)| rest.contains(&self.words()))
    }

    /// For which program and in which language [`Part::insert_entry`] has made an entry, if it has.
    fn maker(&self, entry: &CstNode) -> Option<(String, Lang)> {
        let found = entry.to_serde_value()?;
        let line = command_line(found.pointer("/hooks/0").unwrap_or(&found));
        let program = unquoted(line.strip_suffix(&self.words())?.strip_suffix(' ')?);
        if program != PROGRAM && !program.starts_with('/') {
            return None;
        }
        let mut langs = [Lang::En, Lang::ZhCn].into_iter();
        let lang = langs.find(|&lang| self.entry(&program, lang) == found)?;
        Some((program, lang))
    }
}

/// The command and its arguments, be they one text or several.
fn command_line(entry: &Value) -> String {
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

fn of_kind(name: &str, node: &CstNode, is_list: bool) -> Result<(), Message> {
    let sentence = match name {
        _ if if is_list { node.as_array().is_some() } else { node.as_object().is_some() } => return Ok(()),
        "" => say("It is not a JSON object.", "它不是 JSON 对象。"),
        _ if is_list => say("Its {0} is not a list.", "其中的 {0} 不是列表。"),
        _ => say("Its {0} is not an object.", "其中的 {0} 不是对象。"),
    };
    Err(Message::new(sentence, &[name]))
}

/// The value of a key; of equal keys the last counts.
fn member(object: &CstNode, name: &str) -> Option<CstNode> {
    let all = object.as_object()?.properties();
    all.iter().rfind(|one| one.decoded_name().as_deref() == Some(name))?.value()
}

/// Puts one more child into a value, behind its last one and the comment there, laid out as its neighbours are. Into an empty
/// value it goes with one blank on each side, by which [`take_out`] knows later that the value was there before.
fn append(text: &str, into: &CstNode, key: Option<&str>, child: &Value) -> Edit {
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let unit = into.root_node().and_then(|root| root.single_indent_text()).unwrap_or_else(|| "  ".to_owned());
    let named = key.map(|key| format!("\"{key}\": ")).unwrap_or_default();
    let laid_out =
        |indent: &str| named.clone() + &indented(child, &unit).replace('\n', &format!("{eol}{indent}"));
    let all = into.children_exclude_trivia_and_tokens();
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        let at = start(into) + 1;
        let base = into.parent().and_then(|around| around.indent_text()).unwrap_or_default();
        let piece = laid_out(&base);
        return inserted(format!("{} {piece} {}", &text[..at], &text[at..]), at + 1, piece);
    };
    let comma = last.trailing_comma();
    let behind = comma.clone().map_or_else(|| last.clone(), CstNode::from);
    let same_line = behind.next_siblings().take_while(|node| node.is_trivia() && !node.is_newline());
    let comment = same_line.filter_map(|node| node.as_comment()).last();
    let indent = first.indent_text();
    let is_apart = indent.is_some() || comment.as_ref().is_some_and(CstComment::is_line_comment);
    let gap = if is_apart { eol } else { " " };
    let piece = match &indent {
        Some(indent) => indent.clone() + &laid_out(indent),
        None => named + &to_line(child),
    };
    let (end, at) = (end(last), end(&comment.map_or(behind, CstNode::from)));
    let (before, after) = if comma.is_some() { ("", ",") } else { (",", "") };
    let front = format!("{}{before}{}{gap}", &text[..end], &text[end..at]);
    inserted(format!("{front}{piece}{after}{}", &text[at..]), front.len(), piece)
}

fn inserted(whole: String, at: usize, text: String) -> Edit {
    let line = Some(line_at(&whole, at));
    Edit { action: Action::Insert, whole, text, line }
}

/// Takes an entry out, and each container that was made for it: one that holds nothing else, not even a comment.
fn take_out(text: &str, mut node: CstNode) -> Edit {
    let is_bare = |around: &CstContainerNode| !around.children().iter().any(CstNode::is_comment);
    // Around a list or an object stands its key, around that the next object; around the outermost one the file.
    while let Some((around, outer)) = node.parent().and_then(|it| Some((it.clone(), it.parent()?))) {
        let (open, from, to) = (start(&around.clone().into()) + 1, start(&node), end(&node));
        let is_alone = around.children_exclude_trivia_and_tokens().len() == 1;
        let was_empty = is_alone && &text[open..from] == " " && text[to..].starts_with(' ');
        if was_empty || !is_alone || !is_bare(&around) || !is_bare(&outer) {
            let emptied = || format!("{}{}", &text[..open], &text[to + 1..]);
            let whole = if was_empty { emptied() } else { without(text, &node) };
            let line = Some(line_at(text, from));
            return Edit { action: Action::Remove, whole, text: node.to_string(), line };
        }
        node = if outer.is_root() { around.into() } else { outer.into() };
    }
    Edit { action: Action::Delete, whole: String::new(), text: node.to_string(), line: Some(1) }
}

/// A text without a child and the comma that stands only for it; comments stay, with the end of their line.
fn without(text: &str, child: &CstNode) -> String {
    let (from, to, comma) = (start(child), end(child), child.trailing_comma());
    let before = child.previous_siblings().find(|node| !node.is_whitespace() && !node.is_newline());
    let comment = before.and_then(|node| node.as_comment()).filter(CstComment::is_line_comment);
    let ends_line = text[to..].trim_start_matches([' ', '\t', ',']).starts_with(['\r', '\n']);
    let is_blank = |c: char| c == ' ' || c == '\t' || "\r\n".contains(c) && (comment.is_none() || ends_line);
    let from = text[..from].trim_end_matches(is_blank).len();
    let lone = child.previous_siblings().find(CstNode::is_comma).filter(|_| comma.is_none());
    let mut out = text.to_owned();
    out.replace_range(from..comma.map_or(to, |comma| end(&comma.into())), "");
    if let Some(comma) = lone {
        out.remove(start(&comma));
    }
    out
}

fn start(node: &CstNode) -> usize {
    let before: usize = node.previous_siblings().map(|one| one.to_string().len()).sum();
    before + node.parent().map_or(0, |around| start(&around.into()))
}

fn end(node: &CstNode) -> usize {
    start(node) + node.to_string().len()
}

fn line_at(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn indented(value: &Value, unit: &str) -> String {
    let mut out = Vec::new();
    let layout = PrettyFormatter::with_indent(unit.as_bytes());
    // Writing to memory does not fail, and what is written is UTF-8.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut out, layout));
    String::from_utf8(out).unwrap_or_default()
}

/// The program that a word of a shell means.
pub(super) fn unquoted(word: &str) -> String {
    match word.strip_prefix('\'').and_then(|word| word.strip_suffix('\'')) {
        Some(inner) => inner.replace(r"'\''", "'"),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests;
