//! The text of a file after `Write`, `Edit` or `MultiEdit`, as far as the call shows it.

use super::Tool;
use crate::ask::json::{Item, Kind};

/// The text after a call; `None` if the call would fail or does not show it.
pub(super) fn text_after(tool: Tool, input: Item<'_>, current: Option<&str>) -> Option<String> {
    match tool {
        Tool::Ask => None,
        Tool::Write => text(input, "content"),
        Tool::Edit => edited(current.unwrap_or_default(), input),
        Tool::MultiEdit => {
            let edits = input.get("edits").filter(|edits| edits.kind() == Kind::Array)?;
            let start = current.unwrap_or_default().to_owned();
            edits.elements().try_fold(start, |text, edit| edited(&text, edit))
        }
    }
}

fn text(input: Item<'_>, key: &str) -> Option<String> {
    Some(input.get(key)?.string()?.lossy().into_owned())
}

fn edited(current: &str, edit: Item<'_>) -> Option<String> {
    let (old, new) = (text(edit, "old_string")?, text(edit, "new_string")?);
    if old.is_empty() {
        // This is how a file is made.
        return current.is_empty().then_some(new);
    }
    let all = edit.get("replace_all").and_then(Item::boolean).unwrap_or(false);
    match (current.matches(&old).count(), all) {
        (0, _) => None,
        (1, _) | (_, true) => Some(current.replace(&old, &new)),
        // The tool asks for a text that stands there once.
        (_, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::json::Json;

    fn after(tool: Tool, input: &str, current: Option<&str>) -> Option<String> {
        text_after(tool, Json::parse(input.as_bytes()).expect("JSON").root(), current)
    }

    #[test]
    fn the_text_is_what_the_tool_would_write() {
        let edit = |old: &str, new: &str, all: bool| {
            format!(r#"{{"old_string": "{old}", "new_string": "{new}", "replace_all": {all}}}"#)
        };
        for (input, current, after_it) in [
            (edit("a", "b", false), "xax", Some("xbx")),
            (edit("a", "b", false), "aa", None),
            (edit("a", "b", true), "aa", Some("bb")),
            (edit("c", "b", true), "aa", None),
            (edit("", "b", false), "", Some("b")),
            (edit("", "b", false), "a", None),
        ] {
            assert_eq!(after(Tool::Edit, &input, Some(current)).as_deref(), after_it, "{input} {current}");
            let many = format!(r#"{{"edits": [{input}]}}"#);
            assert_eq!(
                after(Tool::MultiEdit, &many, Some(current)).as_deref(),
                after_it,
                "{input} {current}"
            );
        }
        let two = format!(r#"{{"edits": [{}, {}]}}"#, edit("a", "b", false), edit("b", "c", false));
        assert_eq!(after(Tool::MultiEdit, &two, Some("a")).as_deref(), Some("c"));
        assert_eq!(after(Tool::Write, r#"{"content": "x\n"}"#, Some("old")).as_deref(), Some("x\n"));
        assert_eq!(after(Tool::Edit, &edit("", "made", false), None).as_deref(), Some("made"));
        for wrong in ["{}", "[]", r#"{"content": 1}"#, r#"{"edits": {}}"#] {
            for tool in [Tool::Write, Tool::Edit, Tool::MultiEdit] {
                assert_eq!(after(tool, wrong, Some("a")), None, "{tool:?} {wrong}");
            }
        }
    }
}
