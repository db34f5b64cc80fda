//! Agents that are about to be started: none on a step whose gate is held up.
//!
//! A packet names its agent, a call the agent that it starts, and its prompt may name packets. The prompt names a packet by
//! its step id, its path, its file's name or that without `.packet.json`, each standing by itself. A name of nothing but
//! letters counts only with its ending: any prompt may hold such a word.

use super::{Call, harmless};
use crate::ask::json::Item;
use crate::command::Session;
use crate::error::Error;
use crate::store::entry::Entry;
use crate::store::gate::Status;
use crate::store::relay::is_relay;
use crate::text::{Safe, say};
use std::sync::Arc;

/// So much of a prompt is searched for names, in bytes.
const SEARCHED: usize = 64 << 10;
/// So many gates are named in a reason.
const NAMED: usize = 3;
/// So many columns of a name are shown: a reason that is too long is not shown at all.
const SHOWN: usize = 200;

/// Why a call may not start its agent.
pub(super) fn refusal(session: &Session<'_>, call: &Call<'_>) -> Result<Option<String>, Error> {
    let named = [call.text("subagent_type")?, call.text("agent_type")?].into_iter().flatten().next();
    let Some(agent) = named else { return Ok(None) };
    let packets = call.packets(session);
    let (agent, prompt) = (agent.lossy(), prompt(call.input));
    let held = held_up(&packets.entries, &agent, &prompt);
    packets.settle((!held.is_empty()).then(|| reason(session, &agent, &held)))
}

/// What the agent is told: `prompt` and `description` of Claude Code, `message` or `items` of Codex.
fn prompt(input: Item<'_>) -> String {
    let items = input.get("items").into_iter().flat_map(Item::elements);
    let parts = ["prompt", "description", "message"].map(|key| input.get(key));
    let parts = parts.into_iter().chain(items.flat_map(|item| ["text", "path"].map(|key| item.get(key))));
    let mut prompt = String::new();
    for part in parts.flatten().filter_map(Item::string) {
        prompt.push_str(&part.lossy());
        prompt.push('\n');
    }
    prompt.truncate(prompt.floor_char_boundary(SEARCHED));
    prompt
}

/// The gates that forbid to start an agent: of those that wait or are blocked and have this agent, the ones that the prompt
/// names; all of them, if it names none and no open step either.
fn held_up<'e>(entries: &'e [Arc<Entry>], agent: &str, prompt: &str) -> Vec<&'e Entry> {
    let is_held = |entry: &&Entry| {
        entry.held_up()
            && !entry.past
            && !is_relay(&entry.path)
            && entry.agent.as_ref().is_some_and(|own| own.lossy() == agent)
    };
    let is_open = |entry: &Entry| entry.past || matches!(entry.status, Status::Answered | Status::NoGate);
    let held: Vec<&Entry> = entries.iter().map(|entry| &**entry).filter(is_held).collect();
    let named: Vec<&Entry> = held.iter().copied().filter(|entry| is_named(prompt, entry)).collect();
    if !named.is_empty() {
        return named;
    }
    let is_elsewhere =
        !held.is_empty() && entries.iter().any(|entry| is_open(entry) && is_named(prompt, entry));
    if is_elsewhere { Vec::new() } else { held }
}

fn is_named(prompt: &str, entry: &Entry) -> bool {
    let (file, name) = (entry.path.file_name().unwrap_or_default().to_string_lossy(), entry.stem());
    let ending = file.strip_prefix(&*name).unwrap_or_default();
    let step = entry.step.as_ref().map(|step| step.lossy());
    let is_file = |at: usize| {
        let behind = prompt[at + name.len()..].strip_prefix(ending);
        behind.is_some_and(|behind| is_apart(behind.chars(), "-."))
            && is_apart(prompt[..at].chars().rev(), "-")
    };
    places(prompt, &name).any(|at| is_file(at) || stands_alone(prompt, at, &name))
        || step.is_some_and(|step| places(prompt, &step).any(|at| stands_alone(prompt, at, &step)))
}

/// Where a name stands in a text; nowhere if it is empty.
fn places<'p>(prompt: &'p str, name: &'p str) -> impl Iterator<Item = usize> {
    prompt.match_indices(name).map(|(at, _)| at).filter(|_| !name.is_empty())
}

fn stands_alone(prompt: &str, at: usize, name: &str) -> bool {
    name.contains(|c: char| !c.is_alphabetic() && !c.is_whitespace())
        && is_apart(prompt[..at].chars().rev(), "-:./")
        && is_apart(prompt[at + name.len()..].chars(), "-:./")
}

/// Whether what stands beside a name is no more of a name: no letter or digit, and none behind one of these signs. Other
/// scripts part words without blanks.
fn is_apart(mut beside: impl Iterator<Item = char>, joints: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match beside.next() {
        Some(c) if joints.contains(c) => !beside.next().is_some_and(is_word),
        next => !next.is_some_and(is_word),
    }
}

fn reason(session: &Session<'_>, agent: &str, held: &[&Entry]) -> String {
    let lang = session.lang;
    let shown = |text: &str| Safe::line(text).fit(SHOWN).into_string();
    let agent = shown(agent);
    let mut lines = Vec::new();
    for entry in held.iter().take(NAMED) {
        let packet = shown(&entry.path.to_string_lossy());
        let answer_path = entry.answer_path.as_ref().map(|path| shown(&path.lossy())).unwrap_or_default();
        let sentence = match entry.status {
            Status::Blocked => say(
                "{0} may not start: the gate of {1} is blocked, the record {2} is not valid.",
                "{0} 不能启动：{1} 的门控受阻，记录 {2} 无效。",
            ),
            _ => say(
                "{0} may not start: the gate of {1} waits for the author, there is no record {2} yet.",
                "{0} 不能启动：{1} 的门控正在等待作者回答，还没有记录 {2}。",
            ),
        };
        let advice = say(
            "To wait for the author: novel-gate wait {0}. To see how it stands: novel-gate check {0}.",
            "等待作者回答：novel-gate wait {0}。查看状态：novel-gate check {0}。",
        );
        lines.push(sentence.fill(lang, &[&agent, &packet, &answer_path]));
        lines.push(advice.fill(lang, &[&shell_word(&packet)]));
    }
    if let Some(more) = held.len().checked_sub(NAMED).filter(|more| *more > 0) {
        let sentence = say("{0} more gates of this agent are held up.", "这个代理还有 {0} 个门控未放行。");
        lines.push(sentence.fill(lang, &[&more.to_string()]));
    }
    let last = say(
        "Start it again once the gate is open. Do not answer for the author, and do not write the record by hand. If it is \
         to work on another step, name that step or its packet in the prompt.",
        "门控放行后再启动它。不要替作者回答，也不要手写记录。如果它要执行别的步骤，请在提示词中写明那个步骤或它的指令包。",
    );
    lines.push(last.text(lang).to_owned());
    harmless(&lines).trim_end_matches('\n').to_owned()
}

/// A name as a shell takes it.
fn shell_word(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_./:-".contains(c);
    if !name.starts_with('-') && name.chars().all(is_plain) {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\'', "'\\''"))
}
