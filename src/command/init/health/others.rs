//! Clients without a hook: their server, the skill that they share with Codex, and what switches either off.

use super::findings::{Health, Kind, Obstacle, Places, Settings};
use super::hook::{judge_server, judge_texts};
use super::rules::{NARROWER, calls, matches};
use crate::cli::ClientName;
use crate::command::init::edit::PROGRAM;
use crate::command::init::json_file::elements;
use crate::platform::paths::canonicalize;
use crate::text::shell::program_name;
use crate::text::{Lang, Message, say};
use serde_json::{Map, Value};
use std::path::Path;

pub(super) fn health(client: ClientName, places: &Places<'_>, lang: Lang) -> Health {
    let mut health = Health::new(client, None);
    judge_server(&mut health, places, None, lang);
    let words = health.installed.first().and_then(|server| server.runs.as_deref()).and_then(shlex::split);
    let is_ours = |words: &Vec<String>| words.first().is_some_and(|word| program_name(word) == PROGRAM);
    let words = words.filter(is_ours);
    // Where Codex is wired, the skill is its.
    let is_codexs = matches!(places.own(".codex/hooks.json"), Ok(Some(_)));
    if health.is_wired() || !health.obstacles.is_empty() || !is_codexs {
        judge_texts(&mut health, places, words.as_deref());
    }
    match client {
        ClientName::Gemini => gemini(&mut health, places),
        _ => opencode(&mut health, places),
    }
    health
}

/// The user's files of a client, and the project's settings.
fn files(places: &Places<'_>, users: &[&str], own: &str) -> Vec<Settings> {
    let users = users.iter().filter_map(|path| Some(places.users(&places.home.as_ref()?.join(path), None)));
    users.chain(places.settings(own, None)).collect()
}

fn gemini(health: &mut Health, places: &Places<'_>) {
    let users =
        [".gemini/trustedFolders.json", ".gemini/mcp-server-enablement.json", ".gemini/settings.json"];
    let files = files(places, &users, ".gemini/settings.json");
    let [trust, enablement, settings, ..] = &files[..] else { return };
    if health.has(Kind::Server) {
        for settings in &files[2..] {
            let left_out = settings.leaving_out("mcp.allowed").filter(|list| !elements(list).is_empty());
            let all = [(settings.naming("mcp.excluded"), "mcp.excluded"), (left_out, "mcp.allowed")];
            for (node, key) in all {
                if let Some(node) = node {
                    health.hinder(Obstacle::listed(settings.at(&node), key));
                }
            }
        }
        if enablement.json()[PROGRAM]["enabled"] == Value::Bool(false) {
            health.hinder(Obstacle::listed(enablement.shown.clone(), "enabled: false"));
        }
    }
    let is_asked = settings.json()["security"]["folderTrust"]["enabled"] != Value::Bool(false);
    health.trusted = if is_asked { trusted(places, &trust.json()) } else { Some(true) };
    if health.trusted == Some(false) {
        let what = say(
            "Gemini CLI does not trust this directory, and uses none of its skills and servers.",
            "Gemini CLI 不信任此目录，不用其中的 skill 和服务器。",
        );
        let remedy = say(
            "Enter /permissions in it, and trust the directory.",
            "请在其中输入 /permissions 并信任该目录。",
        );
        health.hinder(Obstacle::new("untrusted", Some(trust.shown.clone()), what, remedy));
    }
}

/// The rule with the longest path decides, be it about the directory around that.
fn trusted(places: &Places<'_>, rules: &Value) -> Option<bool> {
    let real = |path: &Path| canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let root = real(places.project.root());
    let is_around = |(path, level): &(&String, &Value)| {
        let path = Path::new(path);
        let of_parent = path.parent().filter(|_| *level == "TRUST_PARENT");
        root.starts_with(real(of_parent.unwrap_or(path)))
    };
    let nearest = rules.as_object()?.iter().filter(is_around).max_by_key(|(path, _)| path.len());
    nearest.map(|(_, level)| level != "DO_NOT_TRUST")
}

/// Rules of opencode, of which the last that fits decides: the user's, then the project's. A tool that is off is denied.
fn opencode(health: &mut Health, places: &Places<'_>) {
    let mut needed: Vec<(String, String)> =
        calls(PROGRAM).into_iter().map(|(tool, call)| (tool.to_lowercase(), call)).collect();
    needed.extend(health.has(Kind::Server).then(|| (format!("{PROGRAM}_wait"), "*".to_owned())));
    // What is said without a name is said of all.
    let each = |value: &Value| {
        value.as_object().cloned().unwrap_or_else(|| Map::from_iter([("*".to_owned(), value.clone())]))
    };
    let files = files(places, &[".config/opencode/opencode.json"], "opencode.json");
    let mut rules: Vec<(String, String, bool, &str)> = Vec::new();
    for settings in &files {
        let json = settings.json();
        for (tool, value) in each(&json["tools"]).into_iter().chain(each(&json["permission"])) {
            for (pattern, action) in each(&value).into_iter().filter(|(_, action)| !action.is_null()) {
                let is_denied = action == "deny" || action == Value::Bool(false);
                rules.push((tool.clone(), pattern, is_denied, &settings.shown));
            }
        }
    }
    let denied = needed.iter().find_map(|(tool, call)| {
        let fits = |(name, pattern, ..): &&(String, String, bool, &str)| {
            matches(name, tool) && (matches(pattern, call) || matches(pattern, &format!("{call} ")))
        };
        rules.iter().rfind(fits).filter(|(_, _, is_denied, _)| *is_denied)
    });
    if let Some((name, pattern, _, shown)) = denied {
        let what = say(
            "The permission of {0} for {1} is denied, and with it what the skill needs.",
            "{0} 对 {1} 的权限被拒绝，skill 所需的也在其中。",
        );
        let at = Some((*shown).to_owned());
        health.hinder(Obstacle::new("denied", at, Message::new(what, &[name, pattern]), NARROWER));
    }
}
