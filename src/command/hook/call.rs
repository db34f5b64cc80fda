//! A call that an executor is about to make, as the hook reads it, and the hook's answer.

use crate::adapter::profile::Executor;
use crate::ask::JsString;
use crate::ask::json::Item;
use crate::command::decisions::{self, Told};
use crate::command::{Session, harmless, sent_back};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::safe_path::places_of;
use crate::store::scan::Scanner;
use crate::store::{Loaded, Project};
use crate::text::shell::shell_path;
use crate::text::{Safe, say};
use serde::Serialize;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// So much of a text is searched for names, in bytes.
pub(super) const SEARCHED: usize = 1 << 20;
/// So many files of one call are looked at; no patch of a novel has more.
pub(super) const MOST: usize = 1_000;
/// So many columns of a name are shown: a reason that is too long is not shown at all.
pub(super) const SHOWN: usize = 200;

/// The event before a call.
pub(super) const BEFORE: &str = "PreToolUse";
/// That of an agent that starts.
pub(super) const START: &str = "SubagentStart";

/// The tools that the hook decides about, and whose they are.
pub(in crate::command) const TOOLS: [(Executor, &str, Tool); 14] = [
    (Executor::ClaudeCode, "AskUserQuestion", Tool::Ask { takes_answers: true }),
    (Executor::ClaudeCode, "Agent", Tool::Dispatch),
    (Executor::ClaudeCode, "Task", Tool::Dispatch),
    (Executor::ClaudeCode, "Workflow", Tool::Workflow),
    (Executor::ClaudeCode, "Skill", Tool::Skill),
    (Executor::ClaudeCode, "Write", Tool::Write("file_path")),
    (Executor::ClaudeCode, "Edit", Tool::Write("file_path")),
    (Executor::ClaudeCode, "MultiEdit", Tool::Write("file_path")),
    (Executor::ClaudeCode, "NotebookEdit", Tool::Write("notebook_path")),
    (Executor::ClaudeCode, "Bash", Tool::Shell),
    (Executor::Codex, "spawn_agent", Tool::Dispatch),
    (Executor::Codex, "request_user_input", Tool::Ask { takes_answers: false }),
    (Executor::Codex, "apply_patch", Tool::Patch),
    (Executor::Codex, "Bash", Tool::Shell),
];

/// The hook's answer to a call.
pub(super) enum Verdict {
    /// No decision.
    None,
    /// The call goes on, or does not.
    Said(Decision),
    /// No decision: a signal ends the process.
    Signal(u8),
}

/// Whether a call goes on, and the reason for it; nothing of both leaves that to the executor.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Decision {
    pub(super) hook_event_name: &'static str,
    #[serde(rename = "permissionDecision", skip_serializing_if = "Option::is_none")]
    pub(super) verdict: Option<&'static str>,
    #[serde(rename = "permissionDecisionReason", skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// The tool's input with the author's answers, or with what its agent is to be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) updated_input: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<String>,
    /// Who is told what was decided, once the executor has it.
    #[serde(skip)]
    pub(super) heard: Option<Box<Heard>>,
    /// What the author has sent back, which the executor then knows.
    #[serde(skip)]
    pub(super) refused: Vec<Refused>,
}

/// A packet whose step was sent back, and who is told.
pub(super) struct Refused {
    pub(super) project: Arc<Project>,
    pub(super) loaded: Loaded,
    pub(super) by: &'static str,
}

impl Refused {
    pub(super) fn note(&self, session: &mut Session<'_>) {
        if let Some(reply) = &self.loaded.sent_back {
            sent_back::note(session, &self.project, &self.loaded, reply, self.by);
        }
    }
}

/// An agent, the packet of its step, and what it is told.
pub(super) struct Heard {
    pub(super) project: Arc<Project>,
    pub(super) packet: PathBuf,
    pub(super) told: Told,
    /// What it is called.
    pub(super) agent: String,
    pub(super) by: &'static str,
}

/// A call that an executor is about to make.
pub(super) struct Call<'c> {
    pub(super) project: Arc<Project>,
    /// The directory that paths are relative to.
    pub(super) cwd: PathBuf,
    pub(super) executor: Executor,
    pub(super) tool: Tool,
    pub(super) input: Item<'c>,
    /// The files that it writes, moves or deletes.
    pub(super) files: Vec<PathBuf>,
    /// All of the hook's input.
    pub(super) whole: Item<'c>,
}

/// What a tool does that the hook decides about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::command) enum Tool {
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
    /// It runs a command.
    Shell,
}

impl Call<'_> {
    /// A text of the tool's input; `None` if it is not there.
    pub(super) fn text(&self, key: &str) -> Result<Option<JsString>, Error> {
        self.input.given(key).map(|item| item.string().ok_or_else(no_call)).transpose()
    }

    /// A packet, or a record's place, as a command takes it where the call is made: whole, or the command would find nothing.
    pub(super) fn words_for(&self, project: &Project, place: &Path) -> String {
        shell_path(&place.shown()) + &self.elsewhere(project)
    }

    /// What a command needs besides where the call is made.
    pub(super) fn elsewhere(&self, project: &Project) -> String {
        if places_of(&self.cwd).iter().any(|place| place.starts_with(project.root())) {
            return String::new();
        }
        format!(" --project {}", shell_path(&project.root().shown()))
    }
}

/// The project that the file with these places lies in.
pub(super) fn own_project(places: &[PathBuf]) -> Option<Project> {
    Project::find(None, places.last()?.parent()?).ok()
}

/// The project that a call is made in: that of the directory which the client names, for a session may go elsewhere; else that
/// of a file that the call is about; else that of the directory where the call is made, or the hook was started.
pub(super) fn project_of(
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

/// An error if not everything could be looked at.
pub(super) fn check_whole(scanner: &Scanner) -> Result<(), Error> {
    if !scanner.is_cut() {
        return Ok(());
    }
    let sentence = say(
        "Not all of staging/ can be looked at, so there may be a gate that forbids this call.",
        "staging/ 无法全部查看，其中可能有禁止这次调用的门控。",
    );
    Err(Error::new(ExitCode::Failed, "unseen", sentence, &[]))
}

impl Heard {
    /// `agent` is what the executor calls it, if it says that.
    pub(super) fn of(
        project: &Arc<Project>,
        loaded: &Loaded,
        told: Told,
        agent: Option<String>,
        by: &'static str,
    ) -> Heard {
        let own = || loaded.packet.agent.as_ref().map(|agent| shown(&agent.lossy()));
        let agent = agent.or_else(own).unwrap_or_else(|| "agent".to_owned());
        Heard { project: Arc::clone(project), packet: loaded.path.clone(), told, agent, by }
    }

    pub(super) fn note(self, session: &mut Session<'_>) {
        let Heard { project, packet, told, agent, by } = self;
        decisions::note(session, &project, &packet, &told, Some(&agent), by);
    }
}

impl Decision {
    pub(super) fn new(verdict: &'static str, reason: &str) -> Decision {
        Decision {
            hook_event_name: BEFORE,
            verdict: Some(verdict),
            reason: Some(reason.to_owned()),
            ..Decision::default()
        }
    }

    /// Lines of a reason that people see too, so that they can do nothing to a terminal.
    pub(super) fn deny(lines: &[String]) -> Decision {
        Decision::new("deny", harmless(lines).trim_end_matches('\n'))
    }
}

/// So much of a text as is searched for names.
pub(super) fn searched(text: &str) -> &str {
    &text[..text.floor_char_boundary(SEARCHED)]
}

/// A name as a reason shows it.
pub(super) fn shown(text: &str) -> String {
    Safe::line(text).fit(SHOWN).into_string()
}

pub(super) fn no_call() -> Error {
    let sentence = say(
        "Standard input is no PreToolUse call that the hook can read.",
        "标准输入不是 hook 能读懂的 PreToolUse 调用。",
    );
    Error::new(ExitCode::Usage, "no-call", sentence, &[])
}
