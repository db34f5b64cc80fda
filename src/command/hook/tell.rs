//! What the author decided, for agents that may start: it goes behind the prompt of one that is about to start, or, where that cannot
//! be changed, beside the prompt of one that has started.
//!
//! Tried on 2026-11-27 with Claude Code 2.1.330 and Codex 0.169.0:
//!
//! * Claude Code takes `updatedInput` without a decision about permission: its own prompts stay as they are. What is put behind a
//!   prompt arrives whole.
//! * Codex takes `updatedInput` only with `allow`. Where a task has a name, its message is encrypted and is not touched.
//! * `additionalContext` before a call reaches whoever starts the agent, and not the agent.
//! * Agents of a workflow, and Codex's with a named task, are told when they start: up to 10,000 UTF-16 units in Claude Code, 10,000
//!   bytes in Codex. An agent that was told behind its prompt is not told again.

use super::agents::{Agents, forms, of_name};
use super::call::{BEFORE, Call, Decision, START, Tool, shown};
use super::named::is_named;
use crate::adapter::profile::Executor;
use crate::ask::decision::{AMPLE, Limit};
use crate::ask::json::{Item, Kind};
use crate::ask::{object, raw, to_line, to_raw};
use crate::command::{Session, decisions};
use crate::store::Project;
use crate::store::entry::Entry;
use crate::store::gate::{self, Loaded, Status};
use crate::store::relay::is_relay;
use crate::store::scan::{self, Scanner, Wanted};
use crate::store::transcript::{task_name, workflow_label};
use crate::text::{Sentence, say};
use serde_json::json;
use serde_json::value::RawValue;
use std::path::Path;
use std::sync::Arc;

/// Which step it is cannot be told.
struct Unclear;

/// What a call's agents are told, which may start: nothing if nothing was decided for their step, or they have it already.
pub(super) fn before(
    session: &mut Session<'_>,
    call: &Call<'_>,
    scanner: &Scanner,
    agents: &Agents,
    prompt: &str,
) -> Option<Decision> {
    let is_codex = call.executor == Executor::Codex;
    let place = match call.tool {
        // A message with a task's name is encrypted.
        Tool::Dispatch if is_codex && call.input.given("task_name").is_some() => return None,
        Tool::Dispatch if is_codex && call.input.text("message").is_none() => "items",
        Tool::Dispatch if is_codex => "message",
        Tool::Dispatch => "prompt",
        Tool::Skill => "args",
        Tool::Ask { .. } | Tool::Workflow | Tool::Write(_) | Tool::Patch => return None,
    };
    let found = decided(session, &call.project, scanner, agents, |entry| is_named(prompt, entry));
    let Ok(loaded) = found else { return Some(advice(session, unclear().text(session.lang))) };
    let loaded = loaded?;
    let text = decisions::text(&call.project, &loaded, AMPLE, session.lang)?;
    if !words(prompt).contains(&words(&text)) {
        let Some(input) = with_more(call.input, place, &text).filter(|_| agents.takes_more) else {
            return Some(unheard(session, &loaded));
        };
        note(session, call.executor, &call.project, &loaded, agent_of(call));
        let reason = say("The author's decisions stand behind the message.", "作者的决定已附在消息后面。");
        let allow = Decision::new("allow", reason.text(session.lang));
        let silent = Decision { hook_event_name: BEFORE, ..Decision::default() };
        return Some(Decision { updated_input: Some(input), ..if is_codex { allow } else { silent } });
    }
    note(session, call.executor, &call.project, &loaded, agent_of(call));
    None
}

/// What an agent is told that has just started, where nothing could be put behind its prompt.
pub(super) fn at_start(
    session: &mut Session<'_>,
    executor: Executor,
    project: &Arc<Project>,
    whole: Item<'_>,
) -> Option<Decision> {
    let text = |key| whole.text(key).map(|text| text.lossy().into_owned());
    let (agent, transcript) = (whole.text("agent_type"), text("transcript_path")?);
    let transcript = Path::new(&transcript);
    let (about, limit) = match executor {
        Executor::Codex => (task_name(transcript)?, Limit::Bytes(10_000)),
        Executor::ClaudeCode => (workflow_label(transcript, &text("agent_id")?)?, Limit::Units(10_000)),
        Executor::JsonContract => return None,
    };
    let task = forms(&about).next();
    let is_task = |name: &str| task.is_some() && forms(name).next() == task;
    let is_it = |entry: &Entry| is_named(&about, entry) || is_task(&entry.title()) || is_task(&entry.stem());
    let scanner = scan::look_for(project, Wanted::told(&about), session.clock.now());
    let agents = of_name(executor, agent.as_ref());
    let Ok(loaded) = decided(session, project, &scanner, &agents, is_it) else {
        session.warn(&[unclear().text(session.lang).to_owned()]);
        return None;
    };
    let loaded = loaded?;
    let told = decisions::text(project, &loaded, limit, session.lang)?;
    note(session, executor, project, &loaded, agent.map(|agent| shown(&agent.lossy())));
    Some(Decision { hook_event_name: START, additional_context: Some(told), ..Decision::default() })
}

/// The packet with the decisions for these agents, as it is now.
fn decided(
    session: &Session<'_>,
    project: &Project,
    scanner: &Scanner,
    agents: &Agents,
    is_named: impl Fn(&Entry) -> bool,
) -> Result<Option<Loaded>, Unclear> {
    let entries = scanner.entries();
    let now = session.clock.now();
    let entry = packet_of(&entries, agents, is_named, |entry| scanner.is_live(entry, now))?;
    let entry = entry.filter(|entry| entry.status == Status::Answered);
    Ok(entry.and_then(|entry| gate::load(project, &project.root().join(&entry.path)).ok()))
}

/// The packet of the step that agents are for: the one that is named, if it is theirs or they have none of their own; else the only
/// live one that is theirs. A step that is held up is not what they start for.
fn packet_of<'e>(
    entries: &'e [Arc<Entry>],
    agents: &Agents,
    is_named: impl Fn(&Entry) -> bool,
    is_live: impl Fn(&Entry) -> bool,
) -> Result<Option<&'e Entry>, Unclear> {
    let is_theirs = |entry: &Entry| agents.include(entry);
    let is_open = |entry: &Entry| matches!(entry.status, Status::Answered | Status::NoGate);
    let all = || entries.iter().map(|entry| &**entry).filter(|entry| !is_relay(&entry.path));
    let named: Vec<&Entry> = all().filter(|entry| is_named(entry)).collect();
    let own: Vec<&Entry> =
        all().filter(|entry| is_theirs(entry) && is_live(entry) && is_open(entry)).collect();
    let only = |found: Vec<&'e Entry>| match found[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        // Where none of them has an answer, there is nothing to be told.
        _ if found.iter().all(|entry| entry.status != Status::Answered) => Ok(None),
        _ => Err(Unclear),
    };
    let among = |wanted: &dyn Fn(&Entry) -> bool| {
        named.iter().copied().filter(|entry| wanted(entry)).collect::<Vec<_>>()
    };
    if named.is_empty() {
        return only(own);
    }
    let theirs = among(&|entry| is_theirs(entry) && is_live(entry));
    if !theirs.is_empty() {
        return only(theirs);
    }
    if !own.is_empty() {
        return only([named, own].concat());
    }
    let theirs = among(&is_theirs);
    let live = among(&is_live);
    only([theirs, live, named].into_iter().find(|found| !found.is_empty()).unwrap_or_default())
}

/// The input of a call with more behind one of its texts; `None` if that is not there, or is no text.
fn with_more(input: Item<'_>, place: &str, more: &str) -> Option<Box<RawValue>> {
    let longer = match input.given(place) {
        None if place == "args" => to_raw(more),
        Some(items) if place == "items" && items.kind() == Kind::Array => {
            let more = to_raw(&json!({"type": "text", "text": more}));
            to_raw(
                &items.elements().map(|item| raw(item.source().to_owned())).chain([more]).collect::<Vec<_>>(),
            )
        }
        // Byte for byte, whatever a text of another language holds.
        Some(text) if text.kind() == Kind::String => {
            let (before, behind) = (text.source().strip_suffix('"')?, to_line(&format!("\n\n{more}")));
            raw(format!("{before}{}", behind.strip_prefix('"')?))
        }
        Some(_) | None => return None,
    };
    let mut members: Vec<_> =
        input.entries().into_iter().map(|(key, item)| (key, raw(item.source().to_owned()))).collect();
    match members.iter_mut().find(|(key, _)| key.as_str() == Some(place)) {
        Some((_, value)) => *value = longer,
        None => members.push((place.into(), longer)),
    }
    Some(object(members))
}

/// A text without regard to how it is broken into lines.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the executor calls the agent that it starts.
fn agent_of(call: &Call<'_>) -> Option<String> {
    let name = ["subagent_type", "agent_type", "skill"].iter().find_map(|key| call.input.text(key));
    name.map(|name| shown(&name.lossy()))
}

fn note(
    session: &mut Session<'_>,
    executor: Executor,
    project: &Project,
    loaded: &Loaded,
    agent: Option<String>,
) {
    let own = || loaded.packet.agent.as_ref().map(|agent| shown(&agent.lossy()));
    let agent = agent.or_else(own).unwrap_or_else(|| "agent".to_owned());
    decisions::note(session, project, loaded, Some(agent), executor.into());
}

fn unclear() -> Sentence {
    say(
        "Which step this agent is for cannot be told, so it was not told what the author decided. Give it the words of novel-gate decisions \
         STEP, or start it again with the step in its prompt.",
        "看不出这个代理做的是哪一步，所以没有把作者的决定告诉它。请把 novel-gate decisions STEP 的内容交给它，或在提示词中写明步骤后重新启动它。",
    )
}

fn unheard(session: &mut Session<'_>, loaded: &Loaded) -> Decision {
    let sentence = say(
        "{0} is answered, and nothing can be put behind what this call tells its agent: give it the words of novel-gate decisions.",
        "{0} 已有回答，但这次调用给代理的话后面无法附加内容：请把 novel-gate decisions 的内容交给它。",
    );
    let name = loaded.path.file_name().unwrap_or_default().to_string_lossy();
    let words = sentence.fill(session.lang, &[&shown(&name)]);
    advice(session, &words)
}

/// What the one who starts an agent is told: no client shows it what a hook writes to standard error.
fn advice(session: &mut Session<'_>, words: &str) -> Decision {
    session.warn(&[words.to_owned()]);
    Decision { hook_event_name: BEFORE, additional_context: Some(words.to_owned()), ..Decision::default() }
}
