//! Agents that are about to be started: none on a step whose gate is held up, or whose packet cannot be used.
//!
//! A packet names its agent, a call the agents that it starts (`agents`), and its prompt may name packets (`named`).

use super::agents::{self, Agents};
use super::call::{Call, SEARCHED, Tool, Verdict, check_whole, searched, shown};
use super::held::{self, Reason, attach_all, is_held};
use super::named::is_named;
use super::tell;
use crate::ask::decision::without_told;
use crate::ask::json::{Item, Kind};
use crate::ask::step::Step;
use crate::command::Session;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::entry::{Entry, Note};
use crate::store::gate::Status;
use crate::store::scan::{self, Scanner, Wanted};
use crate::text::say;
use std::sync::Arc;

/// Why a call is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// Its prompt names the steps.
    Prompt,
    /// They are its agent's.
    Agent,
}

/// Whether a call may start its agents, and what they are told then.
pub(super) fn judge(session: &mut Session<'_>, call: &Call<'_>) -> Result<Verdict, Error> {
    let named = if call.tool == Tool::Skill {
        call.text("skill")?
    } else {
        call.text("subagent_type")?.or(call.text("agent_type")?)
    };
    let mut whole = prompt(call.input);
    let agents = match call.tool {
        Tool::Workflow => agents::of_workflow(session, call, &mut whole),
        Tool::Skill => match named.and_then(|name| agents::of_skill(session, call, &name, &mut whole)) {
            Some(agents) => agents,
            // Whatever it is about: the model itself follows it, or a plugin's agent, which cannot be told.
            None => return Ok(Verdict::None),
        },
        Tool::Ask { .. } | Tool::Dispatch | Tool::Write(_) | Tool::Patch | Tool::Shell => {
            agents::of_name(call.executor, named.as_ref())
        }
    };
    // What the author has said names no step that is to be run.
    let prompt = without_told(&whole);
    let wanted = Wanted::told(searched(&prompt));
    let scanner = scan::look_for(&call.project, wanted, session.clock.now());
    attach_all(session, call, &scanner);
    warn(session, &scanner, &agents, &prompt);
    if let Some(reason) = refusal(session, call, &scanner, &agents, &prompt)? {
        return Ok(reason.deny(call));
    }
    let told = tell::before(session, call, &scanner, &agents, (&prompt, &whole));
    Ok(told.map_or(Verdict::None, Verdict::Said))
}

/// A gate that the executor cannot see holds nobody up; it is said that nobody was asked. And why steps that are done may be held up.
fn warn(session: &mut Session<'_>, scanner: &Scanner, agents: &Agents, prompt: &str) {
    let entries = scanner.entries();
    let is_meant = |entry: &Entry| agents.include(entry) || is_named(searched(prompt), entry);
    let is_said = |entry: &&Arc<Entry>| match entry.note {
        Some(Note::Misspelt | Note::Misnamed) => !entry.past && is_meant(entry),
        Some(Note::Checkpoint) => true,
        Some(Note::Copy) | None => false,
    };
    for entry in entries.iter().filter(is_said) {
        let sentence = entry.first_problem.as_ref().map(|problem| problem.sentence(session.lang));
        session.warn(&[format!("{}: {}", entry.path.shown(), sentence.unwrap_or_default())]);
    }
}

/// Why a call may not start its agents.
fn refusal(
    session: &Session<'_>,
    call: &Call<'_>,
    scanner: &Scanner,
    agents: &Agents,
    prompt: &str,
) -> Result<Option<Reason>, Error> {
    let entries = scanner.entries();
    if !entries.iter().any(|entry| is_held(entry)) && !scanner.is_cut() {
        return Ok(None);
    }
    let is_whole = prompt.len() <= SEARCHED;
    let prompt = searched(prompt);
    // What a skill is told matters only if it tells an agent.
    let is_told = call.tool != Tool::Skill || !agents.names.is_empty();
    if let Some((cause, held)) = held_up(&entries, agents, prompt).filter(|_| is_told) {
        return Ok(Some(reason(session, call, cause, &held)));
    }
    check_whole(scanner)?;
    let unjudged = |sentence| Err(Error::new(ExitCode::Failed, "unseen", sentence, &[]));
    if agents.is_unread {
        return unjudged(say(
            "It cannot be told what this call starts: there are more skills, commands or workflows than are looked at, or the one \
             that is meant leads out of the project or cannot be read. Some gates hold agents up.",
            "看不出这次调用会启动什么：skill、命令或工作流多得无法全部查看，或所指的那一个通到项目之外，或无法读取；而此时有门控拦着代理。",
        ));
    }
    if agents.is_open {
        return unjudged(say(
            "The call does not say which agents this workflow starts, and some gates hold agents up.",
            "从调用中看不出这个工作流会启动哪些代理，而此时有门控拦着代理。",
        ));
    }
    if !is_whole {
        return unjudged(say(
            "The prompt is longer than 1 MiB; only its beginning was searched for steps that are held up.",
            "提示词超过 1 MiB，只在它的开头查找了未放行的步骤。",
        ));
    }
    Ok(None)
}

/// What the agents are told: every text of the call, as `prompt` and `description` of Claude Code, and `message` or `items` of
/// Codex.
fn prompt(input: Item<'_>) -> String {
    let items = input.get("items").into_iter().flat_map(Item::elements);
    let parts = items.flat_map(|item| ["text", "path"].map(|key| item.get(key))).flatten();
    let mut prompt = String::new();
    for part in input.members().map(|(_, part)| part).chain(parts).filter_map(Item::string) {
        prompt.push_str(&part.lossy());
        prompt.push('\n');
    }
    // What a workflow is given is JSON of its own; names stand in it between quotes.
    if let Some(arguments) = input.get("args").filter(|item| item.kind() != Kind::String) {
        prompt.push_str(arguments.source());
    }
    prompt
}

/// The gates that forbid a call, and why: those held up that its prompt names, whoever is started; else those of its agents,
/// unless it names an open step.
fn held_up<'e>(entries: &'e [Arc<Entry>], agents: &Agents, prompt: &str) -> Option<(Cause, Vec<&'e Entry>)> {
    let held = || entries.iter().map(|entry| &**entry).filter(|entry| is_held(entry));
    let is_open = |entry: &Entry| entry.past || matches!(entry.status, Status::Answered | Status::NoGate);
    let is_anothers = || entries.iter().any(|entry| is_open(entry) && agents.include(entry));
    // No agent commits: whoever has a step of his own may be told what its author says of the chapter.
    let is_meant = |entry: &Entry| !is_commit(entry) || agents.include(entry) || !is_anothers();
    let named: Vec<&Entry> = held().filter(|entry| is_named(prompt, entry) && is_meant(entry)).collect();
    if !named.is_empty() {
        return Some((Cause::Prompt, named));
    }
    let theirs: Vec<&Entry> = held().filter(|entry| agents.include(entry)).collect();
    let is_elsewhere = || entries.iter().any(|entry| is_open(entry) && is_named(prompt, entry));
    (!theirs.is_empty() && !is_elsewhere()).then_some((Cause::Agent, theirs))
}

fn is_commit(entry: &Entry) -> bool {
    entry
        .step
        .as_ref()
        .and_then(|step| Step::parse(step.as_str()?))
        .is_some_and(|step| step.stage == "commit")
}

fn reason(session: &Session<'_>, call: &Call<'_>, cause: Cause, held: &[&Entry]) -> Reason {
    let lang = session.lang;
    let (whose, way) = match cause {
        Cause::Agent => (
            say("{0} may not start: ", "{0} 不能启动："),
            say("name that step or its packet in the prompt.", "请在提示词中写明那个步骤或它的指令包。"),
        ),
        Cause::Prompt => (
            say("The prompt names a step that may not run: ", "提示词写明的步骤不能执行："),
            say("leave this one out of the prompt.", "请不要在提示词中提到这一步。"),
        ),
    };
    let agent = |entry: &Entry| entry.agent.as_ref().map(|agent| shown(&agent.lossy())).unwrap_or_default();
    let mut reason = held::reason(lang, call, held, |entry| whose.fill(lang, &[&agent(entry)]));
    let last = say(
        "Then start it again. Do not answer for the author, and do not write the record by hand. If it is to work on another step, {0}",
        "之后再启动。不要替作者回答，也不要手写记录。如果要执行的是别的步骤，{0}",
    );
    reason.lines.push(last.fill(lang, &[way.text(lang)]));
    reason
}
