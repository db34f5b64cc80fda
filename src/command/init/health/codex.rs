//! Codex: its hooks in JSON, or in TOML of the author's own; what its user has trusted.

use super::findings::{Health, Kind, Obstacle, Places, Settings, line_with, parts, wiring};
use super::hook::{find, judge, judge_server, judge_texts};
use crate::cli::ClientName;
use crate::command::init::edit::PROGRAM;
use crate::command::init::json_file::{elements, group_of, start};
use crate::command::init::shape::CODEX;
use crate::text::{Lang, say};
use jsonc_parser::cst::CstNode;
use serde_json::Value;
use std::path::Path;

const HOOKS: &str = ".codex/hooks.json";
const CONFIG: &str = ".codex/config.toml";

pub(super) fn health(places: &Places<'_>, lang: Lang) -> Health {
    let dir = places.codex_dir.clone().or_else(|| Some(places.home.as_ref()?.join(".codex")));
    let users = dir.map(|dir| places.users(&dir.join("config.toml"), None));
    let trusted = users.as_ref().and_then(|users| trusted(places, &users.json()));
    let mut health = Health::new(ClientName::Codex, trusted);
    let files = [(HOOKS, Some(&CODEX)), (CONFIG, None)];
    let files: Vec<Settings> =
        files.into_iter().filter_map(|(path, shape)| places.settings(path, shape)).collect();
    let part = parts(ClientName::Codex).find(|part| part.elsewhere().is_some());
    let entries = part.map(|part| part.entries(&wiring(lang, None))).unwrap_or_default();
    let Some(entry) = entries.first() else { return health };
    let hook = find(&files, entry);
    let words = hook.as_ref().map(|hook| hook.found.words.clone());
    judge_texts(&mut health, places, words.as_deref());
    let mut dropped = files.iter().filter(|file| file.obstacle.is_some()).peekable();
    if hook.is_some() || dropped.peek().is_none() {
        judge(&mut health, places, &files, entry, hook.as_ref());
    } else if let Some(file) = dropped.find(|file| file.text.contains(PROGRAM)) {
        health.note(Kind::Hook, file.shown.clone());
    }
    if let (Some(hook), Some(users)) = (hook.as_ref().filter(|hook| hook.settings.shown == HOOKS), &users) {
        trusted_hook(&mut health, places, &hook.found.node, users);
    }
    for file in files.iter().chain(&users) {
        file.obstacle.iter().cloned().for_each(|obstacle| health.hinder(obstacle));
        switched_off(&mut health, file);
    }
    judge_server(&mut health, places, words.as_deref(), lang);
    if let (Some(false), Some(users)) = (health.trusted, users) {
        let what = say(
            "Codex does not trust this project, and leaves all of .codex/ aside.",
            "Codex 不信任这个项目，不理会 .codex/ 中的一切。",
        );
        let remedy = say("Start codex here, and trust the project.", "请在这里启动 codex 并信任该项目。");
        health.hinder(Obstacle::new("untrusted", Some(users.shown), (what, &[]), (remedy, &[])));
    }
    health
}

fn trusted(places: &Places<'_>, users: &Value) -> Option<bool> {
    places.said_of_root(|path| Some(users["projects"][path]["trust_level"].as_str()? == "trusted"))
}

/// Hooks are a feature that can be switched off, by either of its names.
fn switched_off(health: &mut Health, config: &Settings) {
    let features = &config.json()["features"];
    let off = ["hooks", "codex_hooks"].into_iter().find(|name| features[name] == Value::Bool(false));
    if let Some(name) = off {
        let what =
            say("The feature {0} is off, so Codex runs no hook.", "功能 {0} 已关闭，Codex 不运行任何 hook。");
        let remedy = say("Take the line out, or set it to true.", "请去掉这一行，或改为 true。");
        let at = Some(format!("{}:{}", config.shown, line_with(&config.text, name)));
        health.hinder(Obstacle::new("hooks-off", at, (what, &[name]), (remedy, &[])));
    }
}

/// Codex knows a hook by its file and place, and runs it once its user has trusted it as it is; whether it has changed since, no file
/// says.
fn trusted_hook(health: &mut Health, places: &Places<'_>, hook: &CstNode, users: &Settings) {
    // Nobody knows what it would say.
    if users.obstacle.is_some() {
        return;
    }
    let place = |node: &CstNode| {
        node.parent().map(|around| {
            elements(&around.into()).iter().position(|one| start(one) == start(node)).unwrap_or(0)
        })
    };
    let group = group_of(hook);
    let (Some(at), Some(group)) = (place(hook), group.as_ref().and_then(place)) else { return };
    let ending = format!(":pre_tool_use:{group}:{at}");
    let file = places.project.root().join(HOOKS).canonicalize().ok();
    let is_it = |key: &str| {
        let path = key.strip_suffix(&ending).map(|path| Path::new(path).canonicalize().ok());
        path.is_some_and(|path| path.is_some() && path == file)
    };
    let said = users.json();
    let states = said["hooks"]["state"].as_object();
    let state = states.and_then(|states| states.iter().find(|(key, _)| is_it(key))).map(|(_, state)| state);
    let is_off = state.is_some_and(|state| state["enabled"] == Value::Bool(false));
    let is_trusted = state.is_some_and(|state| state["trusted_hash"].is_string());
    let remedy =
        say("Enter /hooks in Codex, and trust the hook.", "请在 Codex 中输入 /hooks 并信任这个 hook。");
    let (code, what) = match (is_off, is_trusted) {
        (true, _) => ("hook-off", say("The hook is switched off there.", "hook 在那里被关闭了。")),
        (_, false) => (
            "hook-untrusted",
            say(
                "Nothing there trusts the hook: Codex skips it without a word.",
                "那里没有信任这个 hook：Codex 会一声不响地跳过它。",
            ),
        ),
        _ => return,
    };
    health.hinder(Obstacle::new(code, Some(users.shown.clone()), (what, &[]), (remedy, &[])));
}
