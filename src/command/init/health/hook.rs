//! The hook of a client, in whichever of its files it stands; the skill, and what an entry runs.

use super::findings::{Health, Installed, Kind, Obstacle, Places, Settings, parts, state_dir, wiring};
use crate::command::init::client::Content;
use crate::command::init::edit::{Action, PROGRAM};
use crate::command::init::json_file::{Entry, Found, member};
use crate::store::file;
use crate::text::{Lang, say};
use jsonc_parser::cst::{CstNode, CstObjectProp};
use std::path::{Path, PathBuf};

/// Where a hook was found.
pub(super) struct Hook<'s> {
    pub(super) settings: &'s Settings,
    pub(super) found: Found,
}

/// The hook before calls in the first of these files that has it whole, else in the first that has it at all.
pub(super) fn find<'s>(files: &'s [Settings], entry: &Entry) -> Option<Hook<'s>> {
    let all = files.iter().flat_map(|settings| {
        let found = settings.root.as_ref().map(|root| entry.find(root)).unwrap_or_default();
        found.into_iter().filter(|found| found.is_ours).map(move |found| Hook { settings, found })
    });
    let all: Vec<Hook<'_>> = all.collect();
    let whole = all.iter().position(|hook| hook.found.is_enough).unwrap_or(0);
    all.into_iter().nth(whole)
}

/// Says of a hook what it is and what is wrong with it.
pub(super) fn judge(
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
        health.obstacles.push(Obstacle::init(code, at, what, client));
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
        health.obstacles.push(Obstacle::init("older", Some(at.clone()), what, client));
    }
    if member(&found.node, "if").is_some() {
        let what =
            say("The entry has an `if`, so most calls pass it by.", "这一项带有 if，多数调用因此不经过它。");
        let remedy = say("Take the `if` out.", "请去掉 if。");
        health.obstacles.push(Obstacle::new("filtered", Some(at), (what, &[]), (remedy, &[])));
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

/// Notes an entry, and whether its program is there.
pub(super) fn install(health: &mut Health, places: &Places<'_>, kind: Kind, at: String, words: &[String]) {
    let called = words.first().map_or(PROGRAM, String::as_str);
    let path = Path::new(called);
    let program = match path.is_absolute() {
        true => Some(path.to_owned()).filter(|path| file::is_program(path)),
        false if called.contains(['/', '$']) => None,
        false => file::find_program(called, places.path.as_deref()),
    };
    let is_known = path.is_absolute() || !called.contains(['/', '$']);
    if program.is_none() && is_known && health.obstacles.iter().all(|obstacle| obstacle.code != "no-program")
    {
        let what = say("{0} is not found, so nothing runs.", "找不到 {0}，什么也不会运行。");
        let remedy = say(
            "Put it into PATH, or run init --absolute --write.",
            "请把它放入 PATH，或运行 init --absolute --write。",
        );
        health.obstacles.push(Obstacle::new(
            "no-program",
            Some(at.clone()),
            (what, &[called]),
            (remedy, &[]),
        ));
    }
    let real = program.as_deref().and_then(|path| path.canonicalize().ok());
    let is_this = real.zip(places.program.as_ref()).map(|(real, own)| real == *own);
    let runs = words.join(" ");
    health.installed.push(Installed { kind, at, runs: Some(runs), program, is_this });
}

/// The skill and, of Codex, the rule: files of ours that are as `init` writes them in either language, or not.
pub(super) fn judge_texts(health: &mut Health, places: &Places<'_>, words: Option<&[String]>) {
    let client = health.client;
    for part in parts(client).filter(|part| matches!(part.content, Content::Skill | Content::Rule)) {
        let bytes = places.own(part.path);
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
            let at = part.path.to_owned();
            health.installed.push(Installed { kind, at, runs: None, program: None, is_this: None });
        }
        let at = Some(part.path.to_owned());
        if is_older {
            let what = say("It is not what this novel-gate writes.", "它与这个 novel-gate 所写的不同。");
            health.obstacles.push(Obstacle::init("older", at, what, client));
        } else if !is_current && is_skill {
            let what = say(
                "The skill is not there: the executor has not read how to wait for you.",
                "没有 skill：执行器没有读过怎样等你回答。",
            );
            health.obstacles.push(Obstacle::init("no-skill", at, what, client));
        }
    }
}

/// The entry of the MCP server, in a file that is not dropped.
pub(super) fn judge_server(health: &mut Health, places: &Places<'_>, words: Option<&[String]>, lang: Lang) {
    for part in parts(health.client).filter(|part| part.content == Content::Server) {
        let Some(bytes) = places.own(part.path) else { continue };
        let settings = Settings::of(part.path.to_owned(), &bytes, None);
        let Some(root) = &settings.root else {
            let is_ours = String::from_utf8_lossy(&bytes).contains(PROGRAM);
            health.obstacles.extend(settings.obstacle.filter(|_| is_ours));
            continue;
        };
        let entries = part.entries(&wiring(lang, words));
        for found in entries.iter().flat_map(|entry| entry.find(root)).filter(|found| found.is_ours) {
            let at = settings.at(&found.node);
            let value = found.node.as_object_prop().and_then(|prop| prop.value());
            let enabled =
                value.and_then(|value| member(&value, "enabled")).and_then(|on| on.to_serde_value());
            if enabled == Some(false.into()) {
                let what = say(
                    "The server is switched off: \"enabled\" is false.",
                    "服务器已关闭：\"enabled\" 为 false。",
                );
                let remedy = say("Set it to true.", "请改为 true。");
                health.obstacles.push(Obstacle::new(
                    "server-off",
                    Some(at.clone()),
                    (what, &[]),
                    (remedy, &[]),
                ));
            }
            install(health, places, Kind::Server, at, &found.words);
        }
    }
}
