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
use super::call::{BEFORE, Call, Decision, Heard, START, Tool, searched, shown};
use super::named::{is_named, names_another};
use crate::adapter::profile::Executor;
use crate::ask::decision::{AMPLE, BEGIN, Limit};
use crate::ask::json::{Item, Kind};
use crate::ask::{object, raw, to_line, to_raw};
use crate::command::Session;
use crate::command::decisions::{self, Told};
use crate::store::Project;
use crate::store::entry::{Entry, stem};
use crate::store::file::is_relay;
use crate::store::gate::{self, Loaded, Status};
use crate::store::scan::{self, Scanner, Wanted};
use crate::store::transcript::{task_name, workflow_label};
use crate::text::{Sentence, say};
use serde_json::json;
use serde_json::value::RawValue;
use std::path::Path;
use std::sync::Arc;

/// More packets that may be meant are not looked into.
const MANY: usize = 16;

/// The packets that may be meant, for one of which something is decided.
struct Unclear<'e>(Vec<&'e Entry>);

/// What is known of the step that an agent is to do.
struct About<F> {
    /// Whether it is the step of an entry.
    is_named: F,
    /// It may be a step that none of the entries has.
    may_be_another: bool,
}

/// What a call's agents are told, which may start: nothing if nothing was decided for their step, or they have it already. `prompt`
/// is what they are told without that, and `whole` with it.
pub(super) fn before(
    session: &mut Session<'_>,
    call: &Call<'_>,
    scanner: &Scanner,
    agents: &Agents,
    (prompt, whole): (&str, &str),
) -> Option<Decision> {
    let is_codex = call.executor == Executor::Codex;
    let place = match call.tool {
        // A message with a task's name is encrypted.
        Tool::Dispatch if is_codex && call.input.given("task_name").is_some() => return None,
        Tool::Dispatch if is_codex && call.input.text("message").is_none() => "items",
        Tool::Dispatch if is_codex => "message",
        Tool::Dispatch => "prompt",
        Tool::Skill => "args",
        Tool::Ask { .. } | Tool::Workflow | Tool::Write(_) | Tool::Patch | Tool::Shell => return None,
    };
    let entries = scanner.entries();
    let searched = searched(prompt);
    let about = About {
        is_named: |entry: &Entry| is_named(searched, entry),
        may_be_another: searched.len() < prompt.len() || names_another(searched, &entries),
    };
    let load = |entry: &Entry| gate::load(&call.project, &call.project.root().join(&entry.path)).ok();
    let told = |entry: &Entry| {
        let loaded = load(entry)?;
        decisions::of_packet(&call.project, &loaded, AMPLE, session.lang).map(|told| (loaded, told))
    };
    let there = is_there(whole);
    let is_live = |entry: &Entry| scanner.is_live(entry, session.clock.now());
    let (found, is_clear) = match packet_of(&entries, agents, about, is_live, |entry| told(entry).is_some()) {
        Ok(found) => (found.into_iter().collect(), true),
        Err(Unclear(found)) => (found, false),
    };
    let found: Vec<(Loaded, Told)> = found.into_iter().take(MANY).filter_map(told).collect();
    let heard =
        |loaded: &Loaded, told| Heard::of(&call.project, loaded, told, agent_of(call), call.executor.into());
    if found.iter().all(|(_, told)| there(&told.text)) {
        for (loaded, told) in found {
            heard(&loaded, told).note(session);
        }
        return None;
    }
    if !is_clear {
        return Some(advice(session, unclear().text(session.lang)));
    }
    let (loaded, told) = found.into_iter().next()?;
    let before = whole.contains(BEGIN).then(|| format!("{}\n", LATEST.text(session.lang)));
    let text = before.unwrap_or_default() + &told.text;
    let Some(input) = with_more(call.input, place, &text).filter(|_| agents.takes_more) else {
        return Some(unheard(session, &loaded));
    };
    let reason = say("The author's decisions stand behind the message.", "作者的决定已附在消息后面。");
    let allow = Decision::new("allow", reason.text(session.lang));
    let silent = Decision { hook_event_name: BEFORE, ..Decision::default() };
    let said = if is_codex { allow } else { silent };
    Some(Decision { updated_input: Some(input), heard: Some(Box::new(heard(&loaded, told))), ..said })
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
    let entries = scanner.entries();
    let about = About { may_be_another: names_another(&about, &entries), is_named: is_it };
    let told = |entry: &Entry| {
        let loaded = gate::load(project, &project.root().join(&entry.path)).ok()?;
        decisions::of_packet(project, &loaded, limit, session.lang).map(|told| (loaded, told))
    };
    let is_live = |entry: &Entry| scanner.is_live(entry, session.clock.now());
    let found = packet_of(&entries, &agents, about, is_live, |entry| told(entry).is_some());
    let Ok(found) = found else {
        session.warn(&[unclear().text(session.lang).to_owned()]);
        return None;
    };
    let (loaded, told) = found.filter(|entry| is_open(entry)).and_then(told)?;
    let agent = agent.map(|agent| shown(&agent.lossy()));
    let text = told.text.clone();
    let heard = Heard::of(project, &loaded, told, agent, executor.into());
    Some(Decision {
        hook_event_name: START,
        additional_context: Some(text),
        heard: Some(Box::new(heard)),
        ..Decision::default()
    })
}

/// The packet of the step that agents are for: the one that is named, if it is theirs or they have none of their own; else the only
/// live one that is theirs. A step that is held up is not what they start for.
fn packet_of<'e>(
    entries: &'e [Arc<Entry>],
    agents: &Agents,
    About { is_named, may_be_another }: About<impl Fn(&Entry) -> bool>,
    is_live: impl Fn(&Entry) -> bool,
    is_decided: impl Fn(&Entry) -> bool,
) -> Result<Option<&'e Entry>, Unclear<'e>> {
    let is_theirs = |entry: &Entry| agents.include(entry);
    let is_any_decided = |found: &[&Entry]| found.iter().take(MANY).any(|entry| is_decided(entry));
    let all = || entries.iter().map(|entry| &**entry).filter(|entry| !is_relay(&entry.path));
    let named: Vec<&Entry> = all().filter(|entry| is_named(entry)).collect();
    let own: Vec<&Entry> =
        all().filter(|entry| is_theirs(entry) && is_live(entry) && is_open(entry)).collect();
    let only = |found: Vec<&'e Entry>| match found[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        // Where nothing is decided for any of them, there is nothing to be told.
        _ if !is_any_decided(&found) => Ok(None),
        _ => Err(Unclear(found)),
    };
    let among = |wanted: &dyn Fn(&Entry) -> bool| {
        named.iter().copied().filter(|entry| wanted(entry)).collect::<Vec<_>>()
    };
    if named.is_empty() && may_be_another && is_any_decided(&own) {
        return Err(Unclear(own));
    }
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

/// Whether nothing holds a step up.
fn is_open(entry: &Entry) -> bool {
    matches!(entry.status, Status::Answered | Status::NoGate)
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

/// Finds texts in another one, without regard to how both are broken into lines.
fn is_there(whole: &str) -> impl Fn(&str) -> bool {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    // Most prompts have none.
    let whole = if whole.contains(BEGIN) { words(whole) } else { String::new() };
    move |text| !whole.is_empty() && whole.contains(&words(text))
}

/// What the executor calls the agent that it starts.
fn agent_of(call: &Call<'_>) -> Option<String> {
    let name = ["subagent_type", "agent_type", "skill"].iter().find_map(|key| call.input.text(key));
    name.map(|name| shown(&name.lossy()))
}

/// Before a text in a prompt that has others of its kind.
const LATEST: Sentence = say(
    "What follows is the author's latest word and replaces earlier decisions above.",
    "以下是作者最新的决定，取代上文中先前的决定。",
);

fn unclear() -> Sentence {
    say(
        "It is not clear which step this agent is for, so it was given none of the author's decisions. Give it what this prints: novel-gate \
         decisions STEP; or start it again with the step in its prompt.",
        "看不出这个代理做的是哪一步，所以没有把作者的决定交给它。请把 novel-gate decisions STEP 打印的内容交给它，或在提示词中写明步骤后重新启动它。",
    )
}

fn unheard(session: &mut Session<'_>, loaded: &Loaded) -> Decision {
    let sentence = say(
        "The author has answered for {0}, but this call has no text to which that could be added. Give the agent what this prints: \
         novel-gate decisions {0}",
        "作者已为 {0} 作出回答，但这次调用里没有可以附上它的文字。请把这条命令打印的内容交给代理：novel-gate decisions {0}",
    );
    let words = sentence.fill(session.lang, &[&shown(&stem(&loaded.path))]);
    advice(session, &words)
}

/// What the one who starts an agent is told: no client shows it what a hook writes to standard error.
fn advice(session: &mut Session<'_>, words: &str) -> Decision {
    session.warn(&[words.to_owned()]);
    Decision { hook_event_name: BEFORE, additional_context: Some(words.to_owned()), ..Decision::default() }
}
