//! Claude Code: its settings in four places, of which the nearer win; what it has asked its user.

use super::findings::{Health, Kind, Obstacle, Places, Settings, spelled, wiring};
use super::hook::{judge_hook, judge_server};
use super::rules::{NARROWER, calls, covers};
use crate::cli::ClientName;
use crate::command::init::edit::PROGRAM;
use crate::command::init::shape::CLAUDE_CODE;
use crate::store::file;
use crate::text::{Lang, Message, say};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The user's own file with the projects is no longer, in bytes.
const LONGEST_LIST: usize = 16 << 20;

/// The tools of our server.
const SERVER: &str = "mcp__novel-gate__*";

/// What Claude Code keeps of each directory.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Known {
    has_trust_dialog_accepted: Option<bool>,
    disabled_mcp_servers: Vec<String>,
    disabled_mcpjson_servers: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Users {
    projects: HashMap<String, Known>,
}

pub(super) fn health(places: &Places<'_>, lang: Lang) -> Health {
    let users = users(places).unwrap_or_default();
    let mut health = Health::new(ClientName::ClaudeCode, trusted(places, &users));
    // The nearest first.
    let own = [".claude/settings.local.json", ".claude/settings.json"];
    let mut files: Vec<Settings> =
        own.iter().filter_map(|path| places.settings(path, Some(&CLAUDE_CODE))).collect();
    files.extend(dir(places).map(|dir| places.users(&dir.join("settings.json"), Some(&CLAUDE_CODE))));
    let hook = judge_hook(&mut health, places, &files, lang);
    let words = hook.as_ref().map(|hook| &*hook.found.words);
    permissions(&mut health, &files, words);
    judge_server(&mut health, places, words, lang);
    let managed = places.users(&places.managed.join("managed-settings.json"), None);
    switched_off(&mut health, &files, &managed);
    denied(&mut health, files.iter().chain([&managed]), words);
    servers_off(&mut health, places, files.iter().chain([&managed]), &users);
    if health.trusted == Some(false) {
        let what = say(
            "Its user has not agreed to trust this directory: until then a session runs no hook of the project, and claude -p ignores its permissions.",
            "尚未同意信任此目录：在此之前，会话中不运行项目的 hook，claude -p 也不理会它的权限。",
        );
        let remedy = say("Start claude here once, and agree.", "请在这里启动一次 claude 并同意。");
        let at = list(places).map(|path| places.shown(&path));
        health.hinder(Obstacle::new("untrusted", at, what, remedy));
    }
    health
}

fn dir(places: &Places<'_>) -> Option<PathBuf> {
    places.claude_dir.clone().or_else(|| Some(places.home.as_ref()?.join(".claude")))
}

/// The user's own file with the projects.
fn list(places: &Places<'_>) -> Option<PathBuf> {
    Some(places.claude_dir.as_ref().or(places.home.as_ref())?.join(".claude.json"))
}

fn users(places: &Places<'_>) -> Option<Users> {
    let bytes = file::read_beginning(&list(places)?, LONGEST_LIST).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Whoever trusts a directory trusts those in it.
fn trusted(places: &Places<'_>, users: &Users) -> Option<bool> {
    let said = |dir: &Path| spelled(dir).find_map(|dir| users.projects.get(&dir))?.has_trust_dialog_accepted;
    let all = || places.project.root().ancestors().filter_map(said);
    all().find(|is_trusted| *is_trusted).or_else(|| all().next())
}

/// The first file that says it, the nearest first, decides; the administrator's counts in any case.
fn switched_off(health: &mut Health, files: &[Settings], managed: &Settings) {
    let said = |settings| Some((Settings::truth(settings, "disableAllHooks")?, settings));
    let all = [said(managed), files.iter().find_map(said)];
    if let Some(((_, node), settings)) = all.into_iter().flatten().find(|((is_off, _), _)| *is_off) {
        let what = say(
            "disableAllHooks is true, so Claude Code runs no hook.",
            "disableAllHooks 为 true，Claude Code 不运行任何 hook。",
        );
        let remedy = say("Take it out, or set it to false.", "请去掉它，或改为 false。");
        health.hinder(Obstacle::new("hooks-off", Some(settings.at(&node)), what, remedy));
    }
    if let Some((true, node)) = managed.truth("allowManagedHooksOnly") {
        let what = say(
            "allowManagedHooksOnly is true: Claude Code runs its administrator's hooks, and no others.",
            "allowManagedHooksOnly 为 true：Claude Code 只运行管理员的 hook。",
        );
        let remedy = say("Ask the administrator to allow the hook.", "请让管理员放行这个 hook。");
        health.hinder(Obstacle::new("managed-only", Some(managed.at(&node)), what, remedy));
    }
}

/// How the program is called in the wiring, before the name of a command.
fn called(words: Option<&[String]>) -> String {
    wiring(Lang::En, words).line()
}

/// The rules of ours among those that allow.
fn permissions(health: &mut Health, files: &[Settings], words: Option<&[String]>) {
    let calls = calls(&called(words));
    let ours = |rule: &str| calls.iter().any(|(tool, call)| *tool == "Bash" && covers(rule, tool, call));
    let at = files.iter().find_map(|settings| {
        let mut rules = settings.texts("permissions.allow").into_iter();
        rules.find(|(rule, _)| ours(rule)).map(|(_, node)| settings.at(&node))
    });
    if let Some(at) = at {
        health.note(Kind::Permission, at);
    }
}

/// Rules that forbid what is ours, or have the client ask about it.
fn denied<'s>(health: &mut Health, files: impl Iterator<Item = &'s Settings>, words: Option<&[String]>) {
    let mut calls = calls(&called(words));
    calls.extend(health.has(Kind::Server).then(|| (SERVER, String::new())));
    // A rule of the server's name is about all its tools.
    let covered = |rule: &str| {
        let is_it = |(tool, call): &&(&str, String)| {
            covers(rule, tool, call) || *tool == SERVER && SERVER.strip_suffix("__*") == Some(rule)
        };
        calls.iter().find(is_it).map(|(tool, _)| match *tool {
            "Bash" => say("commands", "命令"),
            "Skill" => say("skill", " skill "),
            _ => say("server", "服务器"),
        })
    };
    for settings in files {
        for (key, code) in [("permissions.deny", "denied"), ("permissions.ask", "asked")] {
            let mut rules = settings.texts(key).into_iter();
            let found = rules.find_map(|(rule, node)| Some((covered(&rule)?, rule, node)));
            let Some((whose, rule, node)) = found else { continue };
            let what = match code {
                "denied" => say(
                    "{0} among the denied permissions forbids novel-gate's {1}.",
                    "拒绝的权限中有 {0}，novel-gate 的{1}因此被禁止。",
                ),
                _ => say(
                    "{0} is among the permissions to ask for, so novel-gate's {1} cannot be used where nobody is there (claude -p).",
                    "{0} 列在要询问的权限中，没有人在场时（claude -p）用不了 novel-gate 的{1}。",
                ),
            };
            let what = Message::in_both(|lang| what.fill(lang, &[&rule, whose.text(lang)]));
            health.hinder(Obstacle::new(code, Some(settings.at(&node)), what, NARROWER));
        }
    }
}

/// Lists of servers that the client does not start: in its settings, and what its user has chosen in this directory.
fn servers_off<'s>(
    health: &mut Health,
    places: &Places<'_>,
    files: impl Iterator<Item = &'s Settings>,
    users: &Users,
) {
    if !health.has(Kind::Server) {
        return;
    }
    for settings in files {
        let named = ["disabledMcpjsonServers", "deniedMcpServers"].map(|key| (settings.naming(key), key));
        let allowed = "allowedMcpServers";
        for (node, key) in named.into_iter().chain([(settings.leaving_out(allowed), allowed)]) {
            if let Some(node) = node {
                health.hinder(Obstacle::listed(settings.at(&node), key));
            }
        }
    }
    let known = spelled(places.project.root()).find_map(|root| users.projects.get(&root));
    let lists = known.map(|known| [&known.disabled_mcpjson_servers, &known.disabled_mcp_servers]);
    if lists.into_iter().flatten().flatten().any(|name| name == PROGRAM) {
        let at = list(places).map(|path| places.shown(&path)).unwrap_or_default();
        health.hinder(Obstacle::listed(at, "disabledMcpServers"));
    }
}
