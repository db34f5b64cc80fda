//! `hook`: the program behind the `PreToolUse` and `SubagentStart` hooks of Claude Code and of Codex. It reads one JSON object and
//! prints a decision or nothing. Nothing, with exit 0, means that the executor goes on as if there were no hook: no failure here
//! breaks a session, and only `--strict` forbids what the hook fails to judge.
//!
//! It lets no agent start on a step whose gate is held up (`dispatch`), tells the others what the author decided (`tell`), lets no
//! executor touch a record (`records`), and lets no shell command go past such a gate in plain words (`commands`). What else a shell
//! command does, no hook sees. The questions that an executor asks are in `relay`.
//!
//! The shapes are those of `PreToolUseHookInput` and `SyncHookJSONOutput` in the published types of
//! `@anthropic-ai/claude-agent-sdk`, and of the `PreToolUse` hooks in Codex's source, which are the same as far as they are
//! used here.

use self::call::{BEFORE, Call, Decision, START, TOOLS, Tool, Verdict, no_call, project_of};
use super::{Session, input};
use crate::adapter::profile::Executor;
use crate::ask::json::{Item, Json};
use crate::ask::{object, to_line};
use crate::cli::HookArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::{Shown as _, of_shell};
use crate::store::contact::{self, Way};
use crate::store::relay::sweep;
use crate::text::say;
use std::path::Path;
use std::sync::Arc;

/// Of a tool's input, what says what the call is about.
const ABOUT: [&str; 6] = ["file_path", "notebook_path", "command", "subagent_type", "agent_type", "skill"];

mod advances;
mod agents;
pub(super) mod call;
mod commands;
mod dispatch;
mod held;
mod named;
mod packets;
mod records;
mod relay;
mod shell;
mod tell;

/// Reads a call and prints the decision; an error only if it was called by hand.
pub fn run(session: &mut Session<'_>, arguments: HookArgs) -> Result<ExitCode, Error> {
    // Standard output belongs to the protocol.
    session.global.json = false;
    if session.environment.input_is_terminal {
        let sentence = say(
            "This is for {0}, which gives the call on standard input; init shows how to wire it.",
            "此命令供 {0} 使用，它把调用放在标准输入中；接入方法见 init。",
        );
        let executor = arguments.executor.title();
        return Err(Error::new(ExitCode::Usage, "no-call", sentence, &[executor]));
    }
    let verdict = consider(session, arguments).unwrap_or_else(|error| {
        let why = error.text(session.lang);
        session.warn(std::slice::from_ref(&why));
        if !arguments.strict {
            return Verdict::None;
        }
        let sentence = say(
            "The hook of novel-gate could not judge this call, and with --strict it forbids what it cannot judge. {0}",
            "novel-gate 的 hook 无法判断这次调用；在 --strict 下，凡无法判断的一律拒绝。{0}",
        );
        Verdict::Said(Decision::deny(&[sentence.fill(session.lang, &[&why])]))
    });
    match verdict {
        Verdict::None => {}
        Verdict::Signal(number) => return Ok(ExitCode::Signal(number)),
        Verdict::Said(mut decision) => {
            let (heard, refused) = (decision.heard.take(), std::mem::take(&mut decision.refused));
            let output = object([("hookSpecificOutput", decision)]);
            session.exact((to_line(&output) + "\n").as_bytes())?;
            if let Some(heard) = heard.filter(|_| !session.closed) {
                heard.note(session);
            }
            for refused in refused {
                if !session.closed {
                    refused.note(session);
                }
            }
        }
    }
    Ok(ExitCode::Done)
}

/// An error where the hook fails to judge a call that it guards.
fn consider(session: &mut Session<'_>, arguments: HookArgs) -> Result<Verdict, Error> {
    let bytes = input::standard(session).map_err(|_| no_call())?;
    let json = Json::parse(&bytes).map_err(|_| no_call())?;
    hear(session, arguments.executor, json.root());
    if json.root().text("hook_event_name").is_some_and(|event| event == *START) {
        return start(session, arguments.executor, json.root());
    }
    let Some(tool) = tool(arguments.executor, json.root())? else { return Ok(Verdict::None) };
    // Most commands concern nobody: no project is looked for.
    if tool == Tool::Shell {
        return commands::judge(session, arguments.executor, json.root());
    }
    decide(session, arguments, tool, json.root()).or_else(|error| {
        // The executor asks in its own dialog: the author is asked all the same.
        if matches!(tool, Tool::Ask { .. }) {
            session.warn(&[error.text(session.lang)]);
            return Ok(Verdict::None);
        }
        Err(error)
    })
}

/// Notes that the client has asked, and what about: the one sign that its hook is alive. It is looked for where it was made, as cheaply
/// as can be.
fn hear(session: &Session<'_>, executor: Executor, whole: Item<'_>) {
    let text = |of: Option<Item<'_>>, key: &str| Some(of?.text(key)?.lossy().into_owned());
    let cwd = text(Some(whole), "cwd").unwrap_or_default();
    let cwd = session.environment.cwd.join(&*of_shell(&cwd));
    let Ok(project) = project_of(session, executor, &[], &cwd) else { return };
    let input = whole.object("tool_input");
    let about = ABOUT.iter().find_map(|key| text(input, key)).or_else(|| text(Some(whole), "agent_type"));
    let tool = text(Some(whole), "tool_name").or_else(|| text(Some(whole), "hook_event_name"));
    let about = about.map(|path| {
        let beneath = Path::new(&path).strip_prefix(project.root()).map(|path| path.shown().into_owned());
        beneath.unwrap_or(path)
    });
    let id = text(Some(whole), "session_id");
    let call = contact::Call::new(&tool.unwrap_or_default(), about.as_deref(), id.as_deref());
    session.hear(&project, executor.name(), Way::Hook, &call);
}

/// The tool of a call; `None` for one that the hook does not decide about.
fn tool(executor: Executor, whole: Item<'_>) -> Result<Option<Tool>, Error> {
    let text = |key: &str| whole.text(key).ok_or_else(no_call);
    if text("hook_event_name")? != BEFORE {
        return Ok(None);
    }
    let name = text("tool_name")?;
    let name = name.lossy();
    let is_mcp = name.starts_with("mcp__");
    // The server of such a tool knows nothing of answers in its input.
    if executor == Executor::ClaudeCode && is_mcp {
        return Ok(name.ends_with("__AskUserQuestion").then_some(Tool::Ask { takes_answers: false }));
    }
    // Where the tool stands in a namespace, Codex gives the hook both names as one word.
    let is_it = |known: &str| name == known || known == "spawn_agent" && name.ends_with(known) && !is_mcp;
    let known = TOOLS.iter().find(|(whose, known, _)| *whose == executor && is_it(known));
    Ok(known.map(|(_, _, tool)| *tool))
}

fn decide(
    session: &mut Session<'_>,
    arguments: HookArgs,
    tool: Tool,
    whole: Item<'_>,
) -> Result<Verdict, Error> {
    let call = read(session, arguments.executor, tool, whole)?;
    if let Ok(state) = session.state(&call.project) {
        sweep(&call.project, &state, session.clock.now());
    }
    let refusal = match tool {
        Tool::Ask { .. } => return relay::ask(session, &call, arguments.always),
        Tool::Dispatch | Tool::Workflow | Tool::Skill => return dispatch::judge(session, &call),
        Tool::Shell => None,
        Tool::Write(_) | Tool::Patch => records::refusal(session, &call)?,
    };
    Ok(refusal.map_or(Verdict::None, |reason| Verdict::Said(Decision::deny(&reason))))
}

/// An agent has started: it can only be told something, and where that fails it goes on without.
fn start(session: &mut Session<'_>, executor: Executor, whole: Item<'_>) -> Result<Verdict, Error> {
    let cwd = whole.text("cwd").ok_or_else(no_call)?;
    let cwd = session.environment.cwd.join(&*of_shell(&cwd.lossy()));
    let project = Arc::new(project_of(session, executor, &[], &cwd)?.patient());
    Ok(tell::at_start(session, executor, &project, whole).map_or(Verdict::None, Verdict::Said))
}

/// The call that the hook's input holds.
fn read<'c>(
    session: &Session<'_>,
    executor: Executor,
    tool: Tool,
    whole: Item<'c>,
) -> Result<Call<'c>, Error> {
    let (Some(input), Some(cwd)) = (whole.object("tool_input"), whole.text("cwd")) else {
        return Err(no_call());
    };
    let cwd = session.environment.cwd.join(&*of_shell(&cwd.lossy()));
    let files = records::files(tool, input, &cwd, session.environment.home.as_deref().map(Path::new))?;
    let project = Arc::new(project_of(session, executor, &files, &cwd)?.patient());
    Ok(Call { project, cwd, executor, tool, input, files, whole })
}
