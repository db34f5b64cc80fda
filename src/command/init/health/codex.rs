//! Codex: its hooks in JSON, or in TOML of the author's own; what its user has trusted.

use super::findings::{Health, Installed, Kind, Obstacle, Places, Settings, line_with, parts, wiring};
use super::hook::{find, install, judge, judge_texts};
use crate::cli::ClientName;
use crate::command::init::edit::{LONGEST, PROGRAM};
use crate::command::init::json_file::{elements, from_toml, group_of, start};
use crate::command::init::shape::CODEX;
use crate::text::{Lang, say};
use jsonc_parser::cst::CstNode;
use serde_json::Value;
use std::path::Path;

const HOOKS: &str = ".codex/hooks.json";
const CONFIG: &str = ".codex/config.toml";

/// A file of TOML.
struct Config {
    shown: String,
    text: String,
    value: Value,
}

impl Config {
    fn of(shown: String, bytes: &[u8]) -> Option<Config> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let value = serde_json::from_str(&from_toml(&text)).ok()?;
        Some(Config { shown, text, value })
    }
}

pub(super) fn health(places: &Places<'_>, lang: Lang) -> Health {
    let users = places.codex_dir.clone().or_else(|| Some(places.home.as_ref()?.join(".codex")));
    let users = users.and_then(|dir| places.users(&dir.join("config.toml"), LONGEST));
    let users = users.and_then(|(shown, bytes)| Config::of(shown, &bytes));
    let own = places.own(CONFIG).and_then(|bytes| Config::of(CONFIG.to_owned(), &bytes));
    let trusted = users.as_ref().and_then(|users| trusted(places, users));
    let (installed, obstacles) = (Vec::new(), Vec::new());
    let mut health = Health { client: ClientName::Codex, installed, obstacles, trusted, state_dir: None };
    let mut files: Vec<Settings> = Vec::new();
    files.extend(places.own(HOOKS).map(|bytes| Settings::of(HOOKS.to_owned(), &bytes, Some(&CODEX))));
    let toml = own.iter().map(|own| Settings::of(own.shown.clone(), own.value.to_string().as_bytes(), None));
    files.extend(toml);
    let part = parts(ClientName::Codex).find(|part| part.elsewhere().is_some());
    let entries = part.map(|part| part.entries(&wiring(lang, None))).unwrap_or_default();
    let Some(entry) = entries.first() else { return health };
    let hook = find(&files, entry);
    let words = hook.as_ref().map(|hook| hook.found.words.clone());
    judge_texts(&mut health, places, words.as_deref());
    let is_dropped = files.first().is_some_and(|file| file.obstacle.is_some()) && hook.is_none();
    if let Some(obstacle) = files.iter_mut().find_map(|file| file.obstacle.take()).filter(|_| is_dropped) {
        let at = HOOKS.to_owned();
        health.installed.push(Installed { kind: Kind::Hook, at, runs: None, program: None, is_this: None });
        health.obstacles.push(obstacle);
    } else {
        let hook = find(&files, entry);
        judge(&mut health, places, &files, entry, hook.as_ref());
        if let (Some(hook), Some(users)) = (hook.as_ref().filter(|hook| hook.settings.shown == HOOKS), &users)
        {
            trusted_hook(&mut health, places, &hook.found.node, users);
        }
    }
    server(&mut health, places, own.as_ref());
    for config in [own.as_ref(), users.as_ref()].into_iter().flatten() {
        switched_off(&mut health, config);
    }
    if health.trusted == Some(false) {
        let what = say(
            "Codex does not trust this project, and leaves all of .codex/ aside.",
            "Codex 不信任这个项目，不理会 .codex/ 中的一切。",
        );
        let remedy = say("Start codex here, and trust the project.", "请在这里启动 codex 并信任该项目。");
        health.obstacles.push(Obstacle::new("untrusted", None, (what, &[]), (remedy, &[])));
    }
    health
}

fn trusted(places: &Places<'_>, users: &Config) -> Option<bool> {
    places.said_of_root(|path| Some(users.value["projects"][path]["trust_level"].as_str()? == "trusted"))
}

fn server(health: &mut Health, places: &Places<'_>, own: Option<&Config>) {
    let Some(own) = own.filter(|own| own.value["mcp_servers"][PROGRAM].is_object()) else { return };
    let entry = &own.value["mcp_servers"][PROGRAM];
    let words = [&entry["command"]].into_iter().chain(entry["args"].as_array().into_iter().flatten());
    let words: Vec<String> = words.filter_map(|word| Some(word.as_str()?.to_owned())).collect();
    let line = line_with(&own.text, &format!("[mcp_servers.{PROGRAM}]"));
    install(health, places, Kind::Server, format!("{}:{line}", own.shown), &words);
}

/// Hooks are a feature that can be switched off, by either of its names.
fn switched_off(health: &mut Health, config: &Config) {
    let off = ["hooks", "codex_hooks"]
        .into_iter()
        .find(|name| config.value["features"][name] == Value::Bool(false));
    if let Some(name) = off {
        let what =
            say("The feature {0} is off, so Codex runs no hook.", "功能 {0} 已关闭，Codex 不运行任何 hook。");
        let remedy = say("Take the line out, or set it to true.", "请去掉这一行，或改为 true。");
        let at = Some(format!("{}:{}", config.shown, line_with(&config.text, name)));
        health.obstacles.push(Obstacle::new("hooks-off", at, (what, &[name]), (remedy, &[])));
    }
}

/// Codex knows a hook by its file and place, and runs it once its user has trusted it as it is; whether it has changed since, no file
/// says.
fn trusted_hook(health: &mut Health, places: &Places<'_>, hook: &CstNode, users: &Config) {
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
    let states = users.value["hooks"]["state"].as_object();
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
    health.obstacles.push(Obstacle::new(code, Some(users.shown.clone()), (what, &[]), (remedy, &[])));
}
