//! Records that an executor is about to write by hand, as far as the call shows the text that would lie there.

use super::{Call, Tool, harmless, lines, no_call};
use crate::ask::json::{Item, Kind};
use crate::ask::{Problem, check_record};
use crate::command::Session;
use crate::error::Error;
use crate::store::gate::{self, Loaded};
use crate::store::{collision, safe_path};
use crate::text::say;
use std::path::PathBuf;

/// Why a call may not write its files; the reason is shown to people too.
pub(super) fn refusal(session: &Session<'_>, call: &Call<'_>) -> Result<Option<String>, Error> {
    let is_patch = call.tool == Tool::Patch;
    let word = call.text(if is_patch { "command" } else { "file_path" })?.ok_or_else(no_call)?;
    let word = word.lossy();
    let files: Vec<(&str, Option<String>)> = if is_patch {
        added_files(&word).into_iter().map(|(path, text)| (path, Some(text))).collect()
    } else {
        vec![(&word, None)]
    };
    let place = |path: &str| safe_path::place_of(&call.project, &call.cwd.join(path));
    let places: Vec<_> = files.into_iter().filter_map(|(path, text)| Some((place(path)?, text))).collect();
    if places.is_empty() {
        return Ok(None);
    }
    let packets = call.packets(session);
    packets.settle(places.into_iter().find_map(|(place, text)| {
        let after = |current: &str| text.or_else(|| text_after(call.tool, call.input, current));
        judge(session, call, &collision::packets_of(&packets.entries, &place), after)
    }))
}

/// Why a text may not lie where these packets want their records; it is made of what lies there now.
fn judge(
    session: &Session<'_>,
    call: &Call<'_>,
    packets: &[PathBuf],
    after: impl FnOnce(&str) -> Option<String>,
) -> Option<String> {
    let load = |packet: &PathBuf| gate::load(&call.project, &call.project.root().join(packet)).ok();
    let gates: Vec<Loaded> = packets.iter().filter_map(load).collect();
    let first = gates.first()?;
    let current = String::from_utf8_lossy(&first.record.bytes);
    let text = after(&current)?;
    let overwritten =
        |loaded: &&Loaded| loaded.record.valid().is_some() && loaded.record.bytes != text.as_bytes();
    let lines = if let Some(loaded) = gates.iter().find(overwritten) {
        vec![overwrites(session, call, loaded)]
    } else {
        // Where several gates want their record here, it is for one of them.
        let faults =
            |loaded: &Loaded| loaded.gate().and_then(|gate| check_record(&gate.spec, text.as_bytes()).err());
        let wrong: Vec<Vec<Problem>> = gates.iter().map_while(faults).collect();
        invalid(session, call, first, wrong.first().filter(|_| wrong.len() == gates.len())?)
    };
    Some(harmless(&lines).trim_end_matches('\n').to_owned())
}

fn packet(call: &Call<'_>, loaded: &Loaded) -> String {
    call.project.relative(&loaded.path).to_string_lossy().into_owned()
}

fn overwrites(session: &Session<'_>, call: &Call<'_>, loaded: &Loaded) -> String {
    let by = loaded.record.valid().map(|record| record.answered_by.display()).unwrap_or_default();
    let sentence = say(
        "A valid record is there already, answered by {1}; the gate of {0} is open, and its answers are not overwritten. \
         Read the record and go on. Only if the author wants to answer anew: novel-gate redo {0}",
        "这里已有一份有效的记录，由 {1} 作答；{0} 的门控已放行，其中的回答不会被覆盖。请读取记录并继续。\
         只有作者想重新作答时，才运行：novel-gate redo {0}",
    );
    sentence.fill(session.lang, &[&packet(call, loaded), &by])
}

fn invalid(session: &Session<'_>, call: &Call<'_>, loaded: &Loaded, problems: &[Problem]) -> Vec<String> {
    let sentence = say(
        "This is not a valid record for the gate of {0}; its step would be blocked:",
        "对 {0} 的门控来说，这不是有效的记录；它的步骤会受阻：",
    );
    let advice = say(
        "Do not write records by hand, and do not answer for the author. Ask with novel-gate next {0} --for {1} \
         --replies FILE --write, or hand the author's answers to novel-gate answer {0}.",
        "不要手写记录，也不要替作者回答。请用 novel-gate next {0} --for {1} --replies FILE --write 提问，\
         或把作者的回答交给 novel-gate answer {0}。",
    );
    let packet = packet(call, loaded);
    let mut lines = vec![sentence.fill(session.lang, &[&packet])];
    lines.extend(lines::problems(problems, session.lang));
    lines.push(advice.fill(session.lang, &[&packet, call.executor.name()]));
    lines
}

/// The text after a call; `None` if the call would fail or does not show it.
fn text_after(tool: Tool, input: Item<'_>, current: &str) -> Option<String> {
    match tool {
        Tool::Ask(_) | Tool::Dispatch | Tool::Patch => None,
        Tool::Write => text(input, "content"),
        Tool::Edit => edited(current, input),
        Tool::MultiEdit => {
            let edits = input.get("edits").filter(|edits| edits.kind() == Kind::Array)?;
            edits.elements().try_fold(current.to_owned(), |text, edit| edited(&text, edit))
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

/// The files that a patch makes whole, with their texts, as Codex reads them. What it changes inside a file is found by its
/// surroundings and not shown here.
fn added_files(patch: &str) -> Vec<(&str, String)> {
    let (mut files, mut is_inside) = (Vec::<(&str, String)>::new(), false);
    for line in patch.lines() {
        if let Some(path) = line.trim_start().strip_prefix("*** Add File: ") {
            files.push((path.trim(), String::new()));
            is_inside = true;
        } else if let (true, Some(text), Some((_, file))) =
            (is_inside, line.strip_prefix('+'), files.last_mut())
        {
            file.push_str(text);
            file.push('\n');
        } else {
            is_inside = false;
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::json::Json;

    fn after(tool: Tool, input: &str, current: &str) -> Option<String> {
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
            assert_eq!(after(Tool::Edit, &input, current).as_deref(), after_it, "{input} {current}");
            let many = format!(r#"{{"edits": [{input}]}}"#);
            assert_eq!(after(Tool::MultiEdit, &many, current).as_deref(), after_it, "{input} {current}");
        }
        let two = format!(r#"{{"edits": [{}, {}]}}"#, edit("a", "b", false), edit("b", "c", false));
        assert_eq!(after(Tool::MultiEdit, &two, "a").as_deref(), Some("c"));
        assert_eq!(after(Tool::Write, r#"{"content": "x\n"}"#, "old").as_deref(), Some("x\n"));
        assert_eq!(after(Tool::Edit, &edit("", "made", false), "").as_deref(), Some("made"));
        for wrong in ["{}", "[]", r#"{"content": 1}"#, r#"{"edits": {}}"#] {
            for tool in [Tool::Write, Tool::Edit, Tool::MultiEdit] {
                assert_eq!(after(tool, wrong, "a"), None, "{tool:?} {wrong}");
            }
        }
    }

    #[test]
    fn a_patch_shows_the_files_that_it_makes() {
        let patch = "*** Begin Patch\n*** Add File: a b.json\n+{\n+*** Add File: x\n+\n*** Update File: c\n@@\n+d\n \
                     *** Add File: e\n*** End Patch";
        let files = [("a b.json", "{\n*** Add File: x\n\n".to_owned()), ("e", String::new())];
        assert_eq!(added_files(patch), files);
        assert_eq!(added_files(""), []);
        assert_eq!(added_files("+a\n*** Delete File: b\n+c"), []);
    }
}
