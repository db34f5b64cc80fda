//! `hook`: the program behind Claude Code's `PreToolUse` hook. It reads one JSON object and prints a decision or nothing.
//! Nothing, with exit 0, means that Claude Code goes on as if there were no hook: no failure here breaks a session.
//!
//! The shapes are those of `PreToolUseHookInput` and `SyncHookJSONOutput` in the published types of
//! `@anthropic-ai/claude-agent-sdk`.

use super::{Session, input};
use crate::ask::json::{Item, Json};
use crate::ask::{JsString, to_line};
use crate::cli::{Hook, HookName};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::Project;
use crate::store::relay::sweep;
use crate::text::say;
use serde::Serialize;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod edit;
mod guard;
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

/// What the hook prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HookOutput {
    hook_specific_output: Decision,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tool {
    Ask,
    Write,
    Edit,
    MultiEdit,
}

/// Reads a call and prints the decision.
///
/// # Errors
/// It was called by hand.
pub fn run(session: &mut Session<'_>, arguments: Hook) -> Result<ExitCode, Error> {
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
            session.exact((to_line(&HookOutput { hook_specific_output: decision }) + "\n").as_bytes())?;
            Ok(ExitCode::Done)
        }
        Err(error) => {
            session.warn(&[error.text(session.lang)]);
            Ok(ExitCode::Done)
        }
    }
}

fn consider(session: &mut Session<'_>, arguments: Hook) -> Result<Verdict, Error> {
    let bytes = input::standard(session).map_err(|fault| input::unusable(Path::new("-"), fault))?;
    let json = Json::parse(&bytes).map_err(|_| no_call())?;
    let Some(call) = Call::read(session, json.root())? else { return Ok(Verdict::None) };
    if let Ok(state) = session.state(&call.project) {
        sweep(&call.project, &state, session.clock.now());
    }
    match call.tool {
        Tool::Ask => relay::ask(session, &call, arguments.always),
        Tool::Write | Tool::Edit | Tool::MultiEdit => Ok(guard::judge(session, &call)),
    }
}

impl<'c> Call<'c> {
    /// A call; `None` for one that the hook does not decide about.
    fn read(session: &Session<'_>, whole: Item<'c>) -> Result<Option<Call<'c>>, Error> {
        let text = |key: &str| whole.get(key).and_then(Item::string);
        let (Some(event), Some(name)) = (text("hook_event_name"), text("tool_name")) else {
            return Err(no_call());
        };
        let Some(tool) = Tool::called(&name).filter(|_| event == "PreToolUse") else { return Ok(None) };
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

impl Tool {
    fn called(name: &JsString) -> Option<Tool> {
        let tools = [
            ("AskUserQuestion", Tool::Ask),
            ("Write", Tool::Write),
            ("Edit", Tool::Edit),
            ("MultiEdit", Tool::MultiEdit),
        ];
        tools.into_iter().find(|(known, _)| *name == *known).map(|(_, tool)| tool)
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
