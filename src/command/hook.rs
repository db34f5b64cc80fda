//! `hook`: the program behind Claude Code's `PreToolUse` hook. It reads one JSON object and prints a decision or nothing.
//! Nothing, with exit 0, means that Claude Code goes on as if there were no hook: no failure here breaks a session.
//!
//! It refuses to let an executor write a record by hand if that would leave the step blocked or overwrite answers. What a
//! shell command writes, no hook sees. The questions that Claude Code asks are in `relay`.
//!
//! The shapes are those of `PreToolUseHookInput` and `SyncHookJSONOutput` in the published types of
//! `@anthropic-ai/claude-agent-sdk`.

use super::{Session, harmless, input, lines};
use crate::ask::json::{Item, Json, Kind};
use crate::ask::{JsString, Problem, check_record, object, to_line};
use crate::cli::{HookArgs, HookName};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::gate::{self, Loaded};
use crate::store::relay::sweep;
use crate::store::{Project, collision, safe_path};
use crate::text::say;
use serde::Serialize;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use strum::EnumString;

mod relay;

/// The hook's answer to a call.
enum Verdict {
    /// No decision.
    None,
    /// The call goes on, or does not.
    Said(Decision),
    /// No decision: a signal ends the process.
    Signal(u8),
}

/// Whether a call goes on, and the reason for it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Decision {
    hook_event_name: &'static str,
    #[serde(rename = "permissionDecision")]
    verdict: &'static str,
    #[serde(rename = "permissionDecisionReason")]
    reason: String,
    /// The tool's input with the author's answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<String>,
}

/// A call that Claude Code is about to make.
struct Call<'c> {
    project: Arc<Project>,
    /// The directory that paths are relative to.
    cwd: PathBuf,
    tool: Tool,
    input: Item<'c>,
    /// All of the hook's input.
    whole: Item<'c>,
}

/// The tools that the hook decides about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
enum Tool {
    #[strum(serialize = "AskUserQuestion")]
    Ask,
    Write,
    Edit,
    MultiEdit,
}

/// Reads a call and prints the decision; an error only if it was called by hand.
pub fn run(session: &mut Session<'_>, arguments: HookArgs) -> Result<ExitCode, Error> {
    let HookName::ClaudeCode = arguments.executor;
    // Standard output belongs to the protocol.
    session.global.json = false;
    if session.environment.input_is_terminal {
        let sentence = say(
            "This is for Claude Code, which gives the call on standard input; init shows how to wire it.",
            "此命令供 Claude Code 使用，它把调用放在标准输入中；接入方法见 init。",
        );
        return Err(Error::new(ExitCode::Usage, "no-call", sentence, &[]));
    }
    match consider(session, arguments) {
        Ok(Verdict::None) => Ok(ExitCode::Done),
        Ok(Verdict::Signal(number)) => Ok(ExitCode::Signal(number)),
        Ok(Verdict::Said(decision)) => {
            let output = object([("hookSpecificOutput", decision)]);
            session.exact((to_line(&output) + "\n").as_bytes())?;
            Ok(ExitCode::Done)
        }
        Err(error) => {
            session.warn(&[error.text(session.lang)]);
            Ok(ExitCode::Done)
        }
    }
}

fn consider(session: &mut Session<'_>, arguments: HookArgs) -> Result<Verdict, Error> {
    let bytes = input::standard(session).map_err(|fault| input::unusable(Path::new("-"), fault))?;
    let json = Json::parse(&bytes).map_err(|_| no_call())?;
    let Some(call) = Call::read(session, json.root())? else { return Ok(Verdict::None) };
    if let Ok(state) = session.state(&call.project) {
        sweep(&call.project, &state, session.clock.now());
    }
    match call.tool {
        Tool::Ask => relay::ask(session, &call, arguments.always),
        Tool::Write | Tool::Edit | Tool::MultiEdit => {
            let denied = refusal(session, &call).map(|reason| Decision::new("deny", &reason));
            Ok(denied.map_or(Verdict::None, Verdict::Said))
        }
    }
}

impl<'c> Call<'c> {
    /// A call; `None` for one that the hook does not decide about.
    fn read(session: &Session<'_>, whole: Item<'c>) -> Result<Option<Call<'c>>, Error> {
        let text = |key: &str| whole.get(key).and_then(Item::string);
        let (Some(event), Some(name)) = (text("hook_event_name"), text("tool_name")) else {
            return Err(no_call());
        };
        let tool = name.as_str().and_then(|name| name.parse().ok());
        let Some(tool) = tool.filter(|_| event == "PreToolUse") else { return Ok(None) };
        let (Some(input), Some(cwd)) = (whole.get("tool_input"), text("cwd")) else { return Err(no_call()) };
        let cwd = session.environment.cwd.join(&*cwd.lossy());
        let project = Arc::new(Project::find(session.global.project.as_deref(), &cwd)?);
        Ok(Some(Call { project, cwd, tool, input, whole }))
    }

    /// A text beside the call.
    fn word(&self, key: &str) -> JsString {
        self.whole.get(key).and_then(Item::string).unwrap_or_default()
    }
}

impl Decision {
    fn new(verdict: &'static str, reason: &str) -> Decision {
        Decision {
            hook_event_name: "PreToolUse",
            verdict,
            reason: reason.to_owned(),
            updated_input: None,
            additional_context: None,
        }
    }
}

fn no_call() -> Error {
    let sentence = say(
        "Standard input is not a PreToolUse call; the hook says nothing about it.",
        "标准输入不是 PreToolUse hook 的调用；不作表态。",
    );
    Error::new(ExitCode::Usage, "no-call", sentence, &[])
}

/// Why a call may not write a file; the reason is shown to people too.
fn refusal(session: &Session<'_>, call: &Call<'_>) -> Option<String> {
    let path = call.input.get("file_path").and_then(Item::string)?;
    let place = safe_path::place_of(&call.project, &call.cwd.join(&*path.lossy()))?;
    let packets = collision::packets_of(&call.project, &place, session.clock.now());
    let load = |packet| gate::load(&call.project, &call.project.root().join(packet)).ok();
    let gates: Vec<Loaded> = packets.iter().filter_map(load).collect();
    let first = gates.first()?;
    let current = String::from_utf8_lossy(&first.record.bytes);
    let text = text_after(call.tool, call.input, &current)?;
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
        "Do not write records by hand, and do not answer for the author. Ask with novel-gate next {0} --for claude-code \
         --replies FILE --write, or hand the author's answers to novel-gate answer {0}.",
        "不要手写记录，也不要替作者回答。请用 novel-gate next {0} --for claude-code --replies FILE --write 提问，\
         或把作者的回答交给 novel-gate answer {0}。",
    );
    let packet = packet(call, loaded);
    let mut lines = vec![sentence.fill(session.lang, &[&packet])];
    lines.extend(lines::problems(problems, session.lang));
    lines.push(advice.fill(session.lang, &[&packet]));
    lines
}

/// The text after a call; `None` if the call would fail or does not show it.
fn text_after(tool: Tool, input: Item<'_>, current: &str) -> Option<String> {
    match tool {
        Tool::Ask => None,
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
}
