//! The hook of a client, in whichever of its files it stands; the skill, and the entry of the server.

use super::findings::{Health, Kind, Obstacle, Places, Settings, init_line, parts, state_dir, wiring};
use super::program::install;
use crate::cli::ClientName;
use crate::command::init::client::Content;
use crate::command::init::edit::{Action, PROGRAM};
use crate::command::init::json_file::{Entry, Found, member};
use crate::command::init::shape::{MCP, server_fault};
use crate::text::{Lang, Message, say};
use jsonc_parser::cst::{CstNode, CstObjectProp};
use serde_json::Value;
use std::path::PathBuf;

/// Where a hook was found.
pub(super) struct Hook<'s> {
    pub(super) settings: &'s Settings,
    pub(super) found: Found,
}

/// Says of a client's hook, and of the files in which it may stand, the nearest first, what they are and what is wrong with them.
pub(super) fn judge_hook<'s>(
    health: &mut Health,
    places: &Places<'_>,
    files: &'s [Settings],
    lang: Lang,
) -> Option<Hook<'s>> {
    let part = parts(health.client).find(|part| part.elsewhere().is_some())?;
    let entry = part.entries(&wiring(lang, None)).into_iter().next()?;
    let hook = find(files, &entry);
    judge_texts(health, places, hook.as_ref().map(|hook| &*hook.found.words));
    let mut is_said = false;
    for (settings, obstacle) in files.iter().filter_map(|file| Some((file, file.obstacle.as_ref()?))) {
        // In a file that is dropped it is there.
        let is_ours = settings.text.contains(PROGRAM);
        if is_ours && hook.is_none() {
            health.note(Kind::Hook, settings.shown.clone());
        }
        let is_needed = is_ours || hook.is_none() && settings.shown == part.path;
        if is_needed || obstacle.code == "unreadable" || health.client == ClientName::Codex {
            health.hinder(obstacle.clone());
            is_said = true;
        }
    }
    if hook.is_some() || !is_said {
        judge(health, places, files, &entry, hook.as_ref());
    }
    hook
}

/// The hook before calls in the first of these files that has it whole, else in the first that has it at all.
fn find<'s>(files: &'s [Settings], entry: &Entry) -> Option<Hook<'s>> {
    let all = files.iter().flat_map(|settings| {
        let found = settings.root.as_ref().map(|root| entry.find(root)).unwrap_or_default();
        found.into_iter().filter(|found| found.is_ours).map(move |found| Hook { settings, found })
    });
    let all: Vec<Hook<'_>> = all.collect();
    let whole = all.iter().position(|hook| hook.found.is_enough).unwrap_or(0);
    all.into_iter().nth(whole)
}

fn judge(
    health: &mut Health,
    places: &Places<'_>,
    files: &[Settings],
    entry: &Entry,
    hook: Option<&Hook<'_>>,
) {
    let client = health.client;
    let Some(Hook { settings, found }) = hook else {
        let elsewhere =
            files.iter().find_map(|settings| Some((settings, in_another_event(settings, entry)?)));
        let (code, at, what) = match elsewhere {
            Some((settings, node)) => (
                "other-event",
                Some(settings.at(&node)),
                say(
                    "The hook stands under another event than PreToolUse, where it decides nothing.",
                    "hook 写在 PreToolUse 以外的事件下，什么也决定不了。",
                ),
            ),
            None => (
                "no-hook",
                None,
                say(
                    "No hook is there: nothing holds an agent back, and no question comes to the console.",
                    "没有 hook：拦不住任何代理，提问也不会出现在控制台中。",
                ),
            ),
        };
        health.hinder(Obstacle::init(code, at, what, client));
        return;
    };
    let at = settings.at(&found.node);
    health.state_dir = state_dir(&found.words).map(PathBuf::from);
    install(health, places, Kind::Hook, at.clone(), &found.words);
    if !found.is_enough {
        let what = say(
            "The entry is an older one: it leaves tools out, or gives you less than a day.",
            "这一项是旧的：漏了工具，或者给你的时间不到一天。",
        );
        health.hinder(Obstacle::init("older", Some(at.clone()), what, client));
    }
    weakened(health, &at, &found.node);
}

/// Says what in a hook keeps it from calls, or from being waited for. Codex reads only `async` of it.
fn weakened(health: &mut Health, at: &str, hook: &CstNode) {
    let unwaited = say("so nothing waits for it, and nobody is held back.", "没有人等它，因此谁也拦不住。");
    let all = [
        ("async", "async", unwaited),
        ("if", "filtered", say("so most calls pass it by.", "多数调用因此不经过它。")),
        ("asyncRewake", "async", unwaited),
    ];
    let read = if health.client == ClientName::Codex { &all[..1] } else { &all };
    for (name, code, why) in read {
        let value = member(hook, name).and_then(|value| value.to_serde_value());
        if value.is_none_or(|value| value == Value::Bool(false) || value.is_null()) {
            continue;
        }
        let what = say("The entry has `{0}`, {1}", "这一项带有 {0}，{1}");
        let what = Message::in_both(|lang| what.fill(lang, &[name, why.text(lang)]));
        health.hinder(Obstacle::new(code, Some(at.to_owned()), what, say("Take it out.", "请去掉它。")));
    }
}

fn in_another_event(settings: &Settings, entry: &Entry) -> Option<CstNode> {
    let hooks = member(&settings.value()?, "hooks")?;
    let all = hooks.as_object()?.properties();
    // In these, init writes entries of its own.
    let is_other = |event: &&CstObjectProp| {
        let name = event.name().and_then(|name| name.decoded_value().ok());
        !name.is_some_and(|name| matches!(&*name, "PreToolUse" | "SubagentStart"))
    };
    let events = all.iter().filter(is_other).filter_map(CstObjectProp::value);
    let found = events.flat_map(|event| entry.find_in(&event));
    found.filter(|found| found.is_ours).map(|found| found.node).next()
}

/// The skill and, of Codex, the rule: files of ours that are as `init` writes them in either language, or not.
pub(super) fn judge_texts(health: &mut Health, places: &Places<'_>, words: Option<&[String]>) {
    let client = health.client;
    for part in parts(client).filter(|part| matches!(part.content, Content::Skill | Content::Rule)) {
        let bytes = match places.own(part.path) {
            Ok(bytes) => bytes,
            Err(obstacle) => {
                health.hinder(*obstacle);
                continue;
            }
        };
        if let Some(obstacle) = bytes.as_ref().and_then(|bytes| Obstacle::encoded(part.path, bytes)) {
            health.hinder(obstacle);
            continue;
        }
        let text = bytes.as_ref().map(|bytes| String::from_utf8_lossy(bytes));
        let edit = |lang: Lang| part.wire(text.as_deref(), Vec::new(), &wiring(lang, words));
        let edits = [edit(Lang::En), edit(Lang::ZhCn)];
        let is_current = edits.iter().any(|edit| matches!(edit, Ok(None)));
        // Which state directory it should name, the hook alone says.
        let names_state = |text: &str| text.contains("--state-dir");
        let is_known = text.as_deref().is_some_and(names_state) == words.and_then(state_dir).is_some();
        let is_current = is_current || !is_known && text.is_some();
        let is_older = !is_current
            && edits.iter().any(|edit| matches!(edit, Ok(Some(edit)) if edit.action == Action::Update));
        let is_skill = part.content == Content::Skill;
        let kind = if is_skill { Kind::Skill } else { Kind::Permission };
        if is_current || is_older {
            health.note(kind, part.path.to_owned());
        }
        let at = Some(part.path.to_owned());
        if text.is_some() && !is_known && words.is_some() {
            let what = say(
                "Of it and of what else wires the client, one names a state directory and the other does not.",
                "它与客户端的其余接入，一个写明了状态目录，另一个没有。",
            );
            let remedy = say(
                "Run {0} with the --state-dir of your console, or take that out of all.",
                "请加上控制台所用的 --state-dir 运行 {0}，或把各处的都去掉。",
            );
            health.hinder(Obstacle::new(
                "other-state",
                at.clone(),
                what,
                Message::new(remedy, &[&init_line(client, kind)]),
            ));
        }
        if is_older {
            let what = say("It is not what this novel-gate writes.", "它与这个 novel-gate 所写的不同。");
            health.hinder(Obstacle::init("older", at, what, client));
        } else if !is_current && is_skill {
            let what = say(
                "The skill is not there: the executor has not read how to wait for you.",
                "没有 skill：执行器没有读过怎样等你回答。",
            );
            health.hinder(Obstacle::init("no-skill", at, what, client));
        }
    }
}

/// The entry of the MCP server, or that its file is dropped.
pub(super) fn judge_server(health: &mut Health, places: &Places<'_>, words: Option<&[String]>, lang: Lang) {
    let client = health.client;
    let shape = (client == ClientName::ClaudeCode).then_some(&MCP);
    for part in parts(client).filter(|part| part.is_server()) {
        let Some(settings) = places.settings(part.path, shape) else { continue };
        if let Some(obstacle) = &settings.obstacle {
            let is_ours = settings.text.contains(PROGRAM);
            if is_ours && client != ClientName::Codex {
                health.note(Kind::Server, settings.shown.clone());
            }
            // Of the others it is the file of all settings.
            if is_ours || client != ClientName::ClaudeCode || obstacle.code == "unreadable" {
                health.hinder(obstacle.clone());
            }
        }
        let Some(root) = &settings.root else { continue };
        for found in part.entries(&wiring(lang, words)).iter().flat_map(|entry| entry.find(root)) {
            server(health, places, &settings, &found);
        }
    }
}

fn server(health: &mut Health, places: &Places<'_>, settings: &Settings, found: &Found) {
    let (client, at) = (health.client, settings.at(&found.node));
    let Some(prop) = found.node.as_object_prop() else { return };
    let (name, value) = (prop.decoded_name().unwrap_or_default(), prop.value());
    let name = format!("{}.{name}", if client == ClientName::Opencode { "mcp" } else { "mcpServers" });
    let fault = value.as_ref().and_then(|entry| server_fault(client, &name, entry));
    if let Some(fault) = fault {
        let at = settings.at(&fault.node);
        health.note(Kind::Server, at.clone());
        let remedy = say("Take the entry out, then run {0}.", "请去掉这一项，再运行 {0}。");
        let remedy = Message::new(remedy, &[&init_line(client, Kind::Server)]);
        health.hinder(Obstacle::new("broken-entry", Some(at), fault.message(), remedy));
        return;
    }
    // The others read no such member.
    let value = value.filter(|_| matches!(client, ClientName::Codex | ClientName::Opencode));
    let enabled = value.and_then(|value| member(&value, "enabled")).and_then(|on| on.to_serde_value());
    if enabled == Some(false.into()) {
        let what =
            say("The server is switched off: \"enabled\" is false.", "服务器已关闭：\"enabled\" 为 false。");
        let remedy = say("Set it to true.", "请改为 true。");
        health.hinder(Obstacle::new("server-off", Some(at.clone()), what, remedy));
    }
    install(health, places, Kind::Server, at, &found.words);
}
