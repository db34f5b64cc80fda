//! Claude Code: its settings in four places, of which the nearer win; what it has asked its user.

use super::findings::{Health, Kind, Obstacle, Places, Settings, parts, wiring};
use super::hook::{find, judge, judge_server, judge_texts};
use crate::cli::ClientName;
use crate::command::init::client::COMMANDS;
use crate::command::init::edit::PROGRAM;
use crate::command::init::shape::CLAUDE_CODE;
use crate::store::file;
use crate::text::{Lang, say};
use jsonc_parser::cst::CstNode;
use serde::Deserialize;
use std::collections::HashMap;
use std::path::PathBuf;

/// The user's own file with the projects is no longer, in bytes.
const LONGEST_LIST: usize = 16 << 20;

/// What Claude Code keeps of each directory.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Known {
    has_trust_dialog_accepted: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Users {
    projects: HashMap<String, Known>,
}

pub(super) fn health(places: &Places<'_>, lang: Lang) -> Health {
    let mut health = Health::new(ClientName::ClaudeCode, trusted(places));
    // The nearest first.
    let own = [".claude/settings.local.json", ".claude/settings.json"];
    let mut files: Vec<Settings> =
        own.iter().filter_map(|path| places.settings(path, Some(&CLAUDE_CODE))).collect();
    files.extend(dir(places).map(|dir| places.users(&dir.join("settings.json"), Some(&CLAUDE_CODE))));
    let part = parts(ClientName::ClaudeCode).find(|part| part.elsewhere().is_some());
    let entries = part.map(|part| part.entries(&wiring(lang, None))).unwrap_or_default();
    let hook = entries.first().and_then(|entry| find(&files, entry));
    let words = hook.as_ref().map(|hook| hook.found.words.clone());
    judge_texts(&mut health, places, words.as_deref());
    dropped(&mut health, &files, hook.is_some());
    if let Some(entry) = entries.first() {
        // In a file that is dropped it is there, and that is said.
        if hook.is_some()
            || !health.obstacles.iter().any(|it| matches!(it.code, "dropped-file" | "unreadable"))
        {
            judge(&mut health, places, &files, entry, hook.as_ref());
        }
    }
    permissions(&mut health, &files, words.as_deref());
    judge_server(&mut health, places, words.as_deref(), lang);
    let managed = places.users(&places.managed.join("managed-settings.json"), None);
    switched_off(&mut health, &files, &managed);
    denied(&mut health, files.iter().chain([&managed]), words.as_deref());
    if health.trusted == Some(false) {
        let what = say(
            "Its user has not agreed to trust this directory: until then a session runs no hook of the project, and claude -p ignores its permissions.",
            "尚未同意信任此目录：在此之前，会话中不运行项目的 hook，claude -p 也不理会它的权限。",
        );
        let remedy = say("Start claude here once, and agree.", "请在这里启动一次 claude 并同意。");
        let at = list(places).map(|path| places.shown(&path));
        health.hinder(Obstacle::new("untrusted", at, (what, &[]), (remedy, &[])));
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

/// Whoever trusts a directory trusts those in it.
fn trusted(places: &Places<'_>) -> Option<bool> {
    let bytes = file::read_beginning(&list(places)?, LONGEST_LIST).ok()?;
    let users: Users = serde_json::from_slice(&bytes).ok()?;
    let said = |path: &str| users.projects.get(path)?.has_trust_dialog_accepted;
    places
        .said_of_root(|path| said(path).filter(|is_trusted| *is_trusted))
        .or_else(|| places.said_of_root(said))
}

/// The files that the client drops, or nobody can read: those of ours, and any in which the hook may stand.
fn dropped(health: &mut Health, files: &[Settings], has_hook: bool) {
    for settings in files {
        let Some(obstacle) = &settings.obstacle else { continue };
        let is_ours = settings.text.contains(PROGRAM);
        if is_ours {
            health.note(Kind::Hook, settings.shown.clone());
        }
        if is_ours || obstacle.code == "unreadable" || !has_hook && settings.shown == ".claude/settings.json"
        {
            health.hinder(obstacle.clone());
        }
    }
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
        health.hinder(Obstacle::new("hooks-off", Some(settings.at(&node)), (what, &[]), (remedy, &[])));
    }
    if let Some((true, node)) = managed.truth("allowManagedHooksOnly") {
        let what = say(
            "allowManagedHooksOnly is true: Claude Code runs its administrator's hooks, and no others.",
            "allowManagedHooksOnly 为 true：Claude Code 只运行管理员的 hook。",
        );
        let remedy = say("Ask the administrator to allow the hook.", "请让管理员放行这个 hook。");
        health.hinder(Obstacle::new("managed-only", Some(managed.at(&node)), (what, &[]), (remedy, &[])));
    }
}

/// How the program is called in the wiring, before the name of a command.
fn called(words: Option<&[String]>) -> String {
    let words: Vec<&str> =
        words.into_iter().flatten().take_while(|word| *word != "hook").map(String::as_str).collect();
    if words.is_empty() { PROGRAM.to_owned() } else { words.join(" ") }
}

/// The rules of ours among those that allow.
fn permissions(health: &mut Health, files: &[Settings], words: Option<&[String]>) {
    let line = called(words);
    let ours = |(rule, node): (String, CstNode), settings: &Settings| {
        COMMANDS
            .iter()
            .any(|command| covers(&rule, &format!("{line} {command} x")))
            .then(|| settings.at(&node))
    };
    let at = files.iter().find_map(|settings| {
        settings.texts(["permissions", "allow"]).into_iter().find_map(|rule| ours(rule, settings))
    });
    at.into_iter().for_each(|at| health.note(Kind::Permission, at));
}

/// Rules that forbid a command of ours, or have the client ask about it.
fn denied<'s>(health: &mut Health, files: impl Iterator<Item = &'s Settings>, words: Option<&[String]>) {
    let line = called(words);
    let covered = |rule: &str| COMMANDS.iter().any(|command| covers(rule, &format!("{line} {command} x")));
    for settings in files {
        for (key, code) in [("deny", "denied"), ("ask", "asked")] {
            let rules = settings.texts(["permissions", key]).into_iter();
            let Some((rule, node)) = rules.into_iter().find(|(rule, _)| covered(rule)) else { continue };
            let what = match code {
                "denied" => say(
                    "{0} among the denied permissions forbids the commands of novel-gate.",
                    "拒绝的权限中有 {0}，novel-gate 的命令因此被禁止。",
                ),
                _ => say(
                    "{0} is among the permissions to ask for, so the commands of novel-gate fail where nobody is there (claude -p).",
                    "{0} 列在要询问的权限中，没有人在场时（claude -p）novel-gate 的命令会失败。",
                ),
            };
            let remedy = say("Take it out, or make it narrower.", "请去掉它，或把范围收窄。");
            health.hinder(Obstacle::new(code, Some(settings.at(&node)), (what, &[&rule]), (remedy, &[])));
        }
    }
}

/// Whether a rule is about a command: a prefix that ends in `:*`, else words in which `*` stands for anything.
fn covers(rule: &str, command: &str) -> bool {
    let Some(words) = rule.strip_prefix("Bash(").and_then(|rest| rest.strip_suffix(')')) else {
        return matches!(rule, "Bash" | "*");
    };
    if let Some(prefix) = words.strip_suffix(":*") {
        return command.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    }
    let mut parts = words.split('*');
    let Some(mut rest) = parts.next().and_then(|first| command.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_about_the_commands_that_its_words_take_in() {
        for (rule, is_about) in [
            ("Bash", true),
            ("*", true),
            ("Bash(*)", true),
            ("Bash(novel-gate:*)", true),
            ("Bash(novel-gate *)", true),
            ("Bash(novel-gate wait:*)", true),
            ("Bash(nov*)", true),
            ("Bash(*gate wait*)", true),
            ("Bash(novel:*)", false),
            ("Bash(novel-gate)", false),
            ("Bash(novel-gate answer *)", false),
            ("Bash(*gate list*)", false),
            ("Write", false),
            ("Bash(", false),
        ] {
            assert_eq!(covers(rule, "novel-gate wait x"), is_about, "{rule}");
        }
    }
}
