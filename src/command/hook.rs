//! `hook`: the program behind the `PreToolUse` hook of Claude Code and of Codex. It reads one JSON object and prints a
//! decision or nothing. Nothing, with exit 0, means that the executor goes on as if there were no hook: no failure here
//! breaks a session, and only `--strict` forbids what the hook fails to judge.
//!
//! It lets no agent start on a step whose gate is held up (`dispatch`), and no executor touch a
//! record (`records`). What a shell command does, no hook sees. The questions that an executor asks are in `relay`.
//!
//! The shapes are those of `PreToolUseHookInput` and `SyncHookJSONOutput` in the published types of
//! `@anthropic-ai/claude-agent-sdk`, and of the `PreToolUse` hooks in Codex's source, which are the same as far as they are
//! used here.

use super::{Session, harmless, input};
use crate::adapter::profile::Executor;
use crate::ask::json::{Item, Json, Kind};
use crate::ask::{JsString, object, to_line};
use crate::cli::HookArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::Project;
use crate::store::relay::sweep;
use crate::store::safe_path::places_of;
use crate::store::scan::Scanner;
use crate::text::sanitize::is_hidden;
use crate::text::{Safe, say};
use serde::Serialize;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use unicode_normalization::char::is_combining_mark;

mod agents;
mod dispatch;
mod packets;
mod records;
mod relay;

/// So much of a text is searched for names, in bytes.
const SEARCHED: usize = 1 << 20;
/// So many files of one call are looked at; no patch of a novel has more.
const MOST: usize = 1_000;
/// So many columns of a name are shown: a reason that is too long is not shown at all.
const SHOWN: usize = 200;

/// The tools that the hook decides about, and whose they are.
pub(super) const TOOLS: [(Executor, &str, Tool); 12] = [
    (Executor::ClaudeCode, "AskUserQuestion", Tool::Ask { takes_answers: true }),
    (Executor::ClaudeCode, "Agent", Tool::Dispatch),
    (Executor::ClaudeCode, "Task", Tool::Dispatch),
    (Executor::ClaudeCode, "Workflow", Tool::Workflow),
    (Executor::ClaudeCode, "Skill", Tool::Skill),
    (Executor::ClaudeCode, "Write", Tool::Write("file_path")),
    (Executor::ClaudeCode, "Edit", Tool::Write("file_path")),
    (Executor::ClaudeCode, "MultiEdit", Tool::Write("file_path")),
    (Executor::ClaudeCode, "NotebookEdit", Tool::Write("notebook_path")),
    (Executor::Codex, "spawn_agent", Tool::Dispatch),
    (Executor::Codex, "request_user_input", Tool::Ask { takes_answers: false }),
    (Executor::Codex, "apply_patch", Tool::Patch),
];

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

/// A call that an executor is about to make.
struct Call<'c> {
    project: Arc<Project>,
    /// The directory that paths are relative to.
    cwd: PathBuf,
    executor: Executor,
    tool: Tool,
    input: Item<'c>,
    /// The files that it writes, moves or deletes.
    files: Vec<PathBuf>,
    /// All of the hook's input.
    whole: Item<'c>,
}

/// What a tool does that the hook decides about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    /// It asks the author. Where it takes answers in its own input, the call goes on and returns them; else the call is denied,
    /// and the reason holds them.
    Ask { takes_answers: bool },
    /// It starts an agent.
    Dispatch,
    /// It runs a script that starts agents.
    Workflow,
    /// It follows a file, which may be an agent's.
    Skill,
    /// It writes the file that this member of its input names.
    Write(&'static str),
    /// It makes, changes, moves and deletes the files that a patch names.
    Patch,
}

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
        let reason = harmless([sentence.fill(session.lang, &[&why])]);
        Verdict::Said(Decision::new("deny", reason.trim_end()))
    });
    match verdict {
        Verdict::None => {}
        Verdict::Signal(number) => return Ok(ExitCode::Signal(number)),
        Verdict::Said(decision) => {
            let output = object([("hookSpecificOutput", decision)]);
            session.exact((to_line(&output) + "\n").as_bytes())?;
        }
    }
    Ok(ExitCode::Done)
}

/// An error where the hook fails to judge a call that it guards.
fn consider(session: &mut Session<'_>, arguments: HookArgs) -> Result<Verdict, Error> {
    let bytes = input::standard(session).map_err(|_| no_call())?;
    let json = Json::parse(&bytes).map_err(|_| no_call())?;
    let Some(tool) = tool(arguments.executor, json.root())? else { return Ok(Verdict::None) };
    decide(session, arguments, tool, json.root()).or_else(|error| {
        // The executor asks in its own dialog: the author is asked all the same.
        if matches!(tool, Tool::Ask { .. }) {
            session.warn(&[error.text(session.lang)]);
            return Ok(Verdict::None);
        }
        Err(error)
    })
}

/// The tool of a call; `None` for one that the hook does not decide about.
fn tool(executor: Executor, whole: Item<'_>) -> Result<Option<Tool>, Error> {
    let text = |key: &str| whole.get(key).and_then(Item::string).ok_or_else(no_call);
    if text("hook_event_name")? != "PreToolUse" {
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
    let call = Call::read(session, arguments.executor, tool, whole)?;
    if let Ok(state) = session.state(&call.project) {
        sweep(&call.project, &state, session.clock.now());
    }
    let refusal = match tool {
        Tool::Ask { .. } => return relay::ask(session, &call, arguments.always),
        Tool::Dispatch | Tool::Workflow | Tool::Skill => dispatch::refusal(session, &call)?,
        Tool::Write(_) | Tool::Patch => records::refusal(session, &call)?,
    };
    Ok(refusal.map_or(Verdict::None, |reason| Verdict::Said(Decision::new("deny", &reason))))
}

impl<'c> Call<'c> {
    fn read(
        session: &Session<'_>,
        executor: Executor,
        tool: Tool,
        whole: Item<'c>,
    ) -> Result<Call<'c>, Error> {
        let cwd = whole.get("cwd").and_then(Item::string);
        let input = whole.get("tool_input").filter(|input| input.kind() == Kind::Object);
        let (Some(input), Some(cwd)) = (input, cwd) else { return Err(no_call()) };
        let cwd = session.environment.cwd.join(&*cwd.lossy());
        let files = records::files(tool, input, &cwd, session.environment.home.as_deref().map(Path::new))?;
        let project = Arc::new(project_of(session, executor, &files, &cwd)?);
        Ok(Call { project, cwd, executor, tool, input, files, whole })
    }

    /// A text beside the call.
    fn word(&self, key: &str) -> JsString {
        self.whole.get(key).and_then(Item::string).unwrap_or_default()
    }

    /// A text of the tool's input; `None` if it is not there.
    fn text(&self, key: &str) -> Result<Option<JsString>, Error> {
        let item = self.input.get(key).filter(|item| item.kind() != Kind::Null);
        item.map(|item| item.string().ok_or_else(no_call)).transpose()
    }

    /// A packet as a command takes it where the call is made: whole, or the command would find nothing.
    fn words_for(&self, project: &Project, packet: &Path) -> String {
        let word = |path: &Path| shell_word(&Safe::line(&path.to_string_lossy()));
        if places_of(&self.cwd).iter().any(|place| place.starts_with(project.root())) {
            return word(packet);
        }
        format!("{} --project {}", word(packet), word(project.root()))
    }
}

/// The project that a call is made in: that of the directory which the client names, for a session may go elsewhere; else that
/// of a file that the call is about; else that of the directory where the call is made, or the hook was started.
fn project_of(
    session: &Session<'_>,
    executor: Executor,
    files: &[PathBuf],
    cwd: &Path,
) -> Result<Project, Error> {
    let (explicit, environment) = (session.global.project.as_deref(), &session.environment);
    let named = environment.claude_project_dir.as_deref().filter(|_| executor == Executor::ClaudeCode);
    if explicit.is_some() {
        return Project::find(explicit, named.unwrap_or(cwd));
    }
    let find = |dir: &Path| Project::find(None, dir).ok();
    let found = named.and_then(find).or_else(|| files.iter().find_map(|file| own_project(&places_of(file))));
    found.map_or_else(|| Project::find(None, cwd), Ok).or_else(|error| find(&environment.cwd).ok_or(error))
}

/// The project that the file with these places lies in.
fn own_project(places: &[PathBuf]) -> Option<Project> {
    Project::find(None, places.last()?.parent()?).ok()
}

/// An error if not everything could be looked at.
fn check_whole(scanner: &Scanner) -> Result<(), Error> {
    if !scanner.is_cut() {
        return Ok(());
    }
    let sentence = say(
        "Not all of staging/ can be looked at, so there may be a gate that forbids this call.",
        "staging/ 无法全部查看，其中可能有禁止这次调用的门控。",
    );
    Err(Error::new(ExitCode::Failed, "unseen", sentence, &[]))
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

/// So much of a text as is searched for names.
fn searched(text: &str) -> &str {
    &text[..text.floor_char_boundary(SEARCHED)]
}

/// A name as a reason shows it.
fn shown(text: &str) -> String {
    Safe::line(text).fit(SHOWN).into_string()
}

/// Whether every shell takes a name as it is, and no command takes it for a flag: letters of any script with their marks, digits,
/// and a few signs.
pub(super) fn is_plain(name: &str) -> bool {
    let is_letter = |c: char| (c.is_alphanumeric() || is_combining_mark(c)) && !is_hidden(c);
    let is_plain = |c: char| is_letter(c) || "_./:+-".contains(c);
    !name.starts_with('-') && name.chars().all(is_plain)
}

/// A name as a shell takes it.
pub(super) fn shell_word(name: &str) -> String {
    if is_plain(name) {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\'', "'\\''"))
}

fn no_call() -> Error {
    let sentence = say(
        "Standard input is no PreToolUse call that the hook can read.",
        "标准输入不是 hook 能读懂的 PreToolUse 调用。",
    );
    Error::new(ExitCode::Usage, "no-call", sentence, &[])
}
