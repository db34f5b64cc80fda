//! Claude Code's settings with our hook in them. Every other byte is kept.

use super::{Action, Edit};
use crate::ask::json::{Item, Json, Kind};
use crate::ask::to_line;
use crate::text::{Lang, Message, Sentence, say};
use serde_json::{Value, json};

/// The hook's command.
pub(super) const COMMAND: &str = "novel-gate hook claude-code";
/// The tools that it is asked about.
pub(super) const MATCHER: &str = "AskUserQuestion|Write|Edit|MultiEdit";
/// What Claude Code shows while the hook waits.
const STATUS: Sentence =
    say("novel-gate (questions wait in its console)", "novel-gate（提问在它的控制台中等待回答）");
/// How long an author may take, in seconds: a day.
const TIMEOUT: u64 = 86_400;
const HOOKS: &str = "hooks";
const EVENT: &str = "PreToolUse";
const UNIT: &str = "  ";

/// New settings.
pub(super) fn fresh(lang: Lang) -> String {
    indented(&json!({(HOOKS): {(EVENT): [entry(lang)]}}), UNIT) + "\n"
}

fn entry(lang: Lang) -> Value {
    let hook = json!({
        "type": "command",
        "command": COMMAND,
        "timeout": TIMEOUT,
        "statusMessage": STATUS.text(lang),
    });
    json!({"matcher": MATCHER, (HOOKS): [hook]})
}

/// Puts the hook into settings.
pub(super) fn plan(bytes: &[u8], lang: Lang) -> Result<Option<Edit>, Message> {
    let text =
        std::str::from_utf8(bytes).map_err(|_| Message::from(say("It is not UTF-8.", "它不是 UTF-8。")))?;
    let json = Json::parse(bytes).map_err(|error| {
        let sentence =
            say("It is not JSON: see line {0}, column {1}.", "它不是 JSON：见第 {0} 行第 {1} 列。");
        Message::new(sentence, &[&error.line.to_string(), &error.column.to_string()])
    })?;
    let root = json.root();
    of_kind("", root, Kind::Object)?;
    let Some(hooks) = root.get(HOOKS) else {
        return Ok(Some(insert(text, root, root, Some(HOOKS), &json!({(EVENT): [entry(lang)]}))));
    };
    of_kind(HOOKS, hooks, Kind::Object)?;
    let Some(event) = hooks.get(EVENT) else {
        return Ok(Some(insert(text, root, hooks, Some(EVENT), &json!([entry(lang)]))));
    };
    of_kind("hooks.PreToolUse", event, Kind::Array)?;
    if event.elements().any(runs_it) {
        return Ok(None);
    }
    Ok(Some(insert(text, root, event, None, &entry(lang))))
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

/// Whether one entry of the list runs our hook, in whatever way the author has spelled it.
fn runs_it(entry: Item<'_>) -> bool {
    let hooks = entry.get(HOOKS).into_iter().flat_map(Item::elements);
    let commands = hooks.filter_map(|hook| hook.get("command").and_then(Item::string));
    commands.into_iter().any(|command| {
        let command = command.lossy();
        command.split_once("novel-gate").is_some_and(|(_, rest)| rest.contains("hook claude-code"))
    })
}

/// Puts one more child into a value, behind its last one, laid out as its neighbours are.
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
        let start = into.offset();
        let line = line_of(text, start);
        let base = &line[..line.len() - line.trim_start().len()];
        let inner = format!("{base}{unit}");
        let inside = &into.source()[1..into.source().len() - 1];
        let close = if inside.contains('\n') { String::new() } else { format!("{eol}{base}") };
        (start + 1, format!("{eol}{inner}{}{close}", laid_out(&inner)))
    };
    let whole = format!("{}{piece}{}", &text[..at], &text[at..]);
    let skipped = piece.len() - piece.trim_start_matches([',', '\r', '\n', ' ', '\t']).len();
    let line = whole[..at + skipped].matches('\n').count() + 1;
    let shown = piece.strip_prefix(", ").unwrap_or(&piece).trim_start_matches([',', '\r', '\n']);
    Edit { action: Action::Insert, whole, text: shown.to_owned(), line: Some(line) }
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
mod tests {
    use super::*;

    fn inserted(before: &str) -> (String, String, usize) {
        match plan(before.as_bytes(), Lang::En) {
            Ok(Some(Edit { action: Action::Insert, whole, text, line: Some(line) })) => (whole, text, line),
            other => panic!("{before}: {other:?}"),
        }
    }

    /// Taking the piece out again gives what was there.
    fn assert_only_added(before: &str, after: &str) {
        let front = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        let back = before.len() - front;
        assert!(after.ends_with(&before[before.len() - back..]), "{before:?} {after:?}");
        assert!(after.len() > before.len());
    }

    #[test]
    fn new_settings_are_wired() {
        assert_eq!(plan(fresh(Lang::ZhCn).as_bytes(), Lang::En), Ok(None));
        let value: Value = serde_json::from_str(&fresh(Lang::En)).expect("JSON");
        let entry = &value["hooks"]["PreToolUse"][0];
        assert_eq!(entry["matcher"], MATCHER);
        let status = "novel-gate (questions wait in its console)";
        let hook = json!({"type": "command", "command": COMMAND, "timeout": 86400, "statusMessage": status});
        assert_eq!(entry["hooks"], json!([hook]));
    }

    #[test]
    fn everything_else_stays_byte_for_byte() {
        for before in [
            "{}",
            "{ }",
            "{\n}\n",
            "{\"model\":\"x\"}",
            "{\n  \"model\": \"x\"\n}\n",
            "{\n\t\"model\": \"\\u4e2d\",\n\t\"hooks\": {}\n}",
            "{\r\n    \"hooks\": {\r\n        \"Stop\": []\r\n    },\r\n    \"z\": 1.50\r\n}\r\n",
            "{\"hooks\": {\"PreToolUse\": []}}",
            "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": []}\n    ]\n  }\n}\n",
            "{\"hooks\": {\"PreToolUse\": [1, {\"hooks\": [{\"command\": \"novel-gate paths\"}]}]}}",
            "\n\n  {\"a\": {\"hooks\": {\"PreToolUse\": []}}}",
            "{\"hooks\": 1, \"hooks\": {}}",
        ] {
            let (after, piece, line) = inserted(before);
            assert_only_added(before, &after);
            assert!(after.contains(&piece));
            assert_eq!(plan(after.as_bytes(), Lang::En), Ok(None), "{after}");
            let old: Value = serde_json::from_str(before).expect("JSON");
            let new: Value = serde_json::from_str(&after).expect("JSON");
            let list = new["hooks"]["PreToolUse"].as_array().expect("a list");
            assert_eq!(list.last().map(|entry| &entry["matcher"]), Some(&json!(MATCHER)), "{after}");
            let there = old["hooks"]["PreToolUse"].as_array().map_or(0, Vec::len);
            assert_eq!(list.len(), there + 1);
            let first = piece.lines().next().expect("a line").trim();
            assert!(after.lines().nth(line - 1).expect("the line").contains(first), "{line}: {after}");
            assert_eq!(after.contains("\r\n"), before.contains("\r\n"));
            let ends = after.matches('\n').count();
            assert!(!before.contains("\r\n") || ends == after.matches("\r\n").count(), "{after:?}");
        }
    }

    #[test]
    fn what_goes_in_is_laid_out_as_its_neighbours_are() {
        let (after, ..) = inserted("{\n    \"hooks\": {\n        \"Stop\": []\n    }\n}\n");
        assert!(after.contains(
            "\"Stop\": [],\n        \"PreToolUse\": [\n            {\n                \"matcher\""
        ));
        assert!(after.ends_with("\n            }\n        ]\n    }\n}\n"), "{after}");
        let (after, ..) = inserted("{\n\t\"a\": 1\n}");
        assert!(after.contains("\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"PreToolUse\": [\n\t\t\t{"), "{after}");
        let (after, _, line) = inserted("{\n  \"hooks\": {}\n}\n");
        assert!(after.starts_with("{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n"), "{after}");
        assert!(after.ends_with("\n    ]\n  }\n}\n"), "{after}");
        assert_eq!(line, 3);
    }

    #[test]
    fn a_hook_that_runs_it_already_is_enough() {
        for command in [
            "novel-gate hook claude-code",
            "/opt/bin/novel-gate --state-dir s hook claude-code --always",
            "\\\"$HOME/novel-gate\\\" hook claude-code",
        ] {
            let text = format!(
                r#"{{"hooks": {{"PreToolUse": [{{}}, {{"matcher": "*", "hooks": [{{"command": "{command}"}}]}}]}}}}"#
            );
            assert_eq!(plan(text.as_bytes(), Lang::En), Ok(None), "{command}");
        }
    }

    #[test]
    fn settings_that_are_none_are_refused() {
        for (bytes, words) in [
            (b"".as_slice(), "not JSON: see line 1, column 1"),
            (b"{\n  // a comment\n}", "line 2, column 3"),
            (b"\xef\xbb\xbf{}", "not JSON"),
            (b"{\"a\": \"\xff\"}", "not UTF-8"),
            (b"[]", "not a JSON object"),
            (b"{\"hooks\": []}", "Its hooks is not an object"),
            (b"{\"hooks\": null}", "Its hooks is not an object"),
            (b"{\"hooks\": {\"PreToolUse\": {}}}", "Its hooks.PreToolUse is not a list"),
        ] {
            let message = plan(bytes, Lang::En).expect_err("no settings").text(Lang::En);
            assert!(message.contains(words), "{message}");
        }
    }
}
