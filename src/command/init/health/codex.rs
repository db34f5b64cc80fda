//! Codex: its hooks in JSON, or in TOML of the author's own; what its user has trusted.

use super::findings::{Health, Obstacle, Places, Settings, line_with, spelled};
use super::hook::{Hook, judge_hook, judge_server};
use crate::cli::ClientName;
use crate::command::init::json_file::{elements, group_of, member, start};
use crate::command::init::shape::CODEX;
use crate::platform::paths::canonicalize;
use crate::store::sha256;
use crate::text::{Lang, Message, say};
use jsonc_parser::cst::CstNode;
use serde_json::{Value, json};
use std::path::Path;

const HOOKS: &str = ".codex/hooks.json";
const CONFIG: &str = ".codex/config.toml";

pub(super) fn health(places: &Places<'_>, lang: Lang) -> Health {
    let dir = places.codex_dir.clone().or_else(|| Some(places.home.as_ref()?.join(".codex")));
    let users = dir.map(|dir| places.users(&dir.join("config.toml"), None));
    let trusted = users.as_ref().and_then(|users| trusted(places.project.root(), users));
    let mut health = Health::new(ClientName::Codex, trusted);
    // The nearest first.
    let files = [(HOOKS, Some(&CODEX)), (CONFIG, None)];
    let files: Vec<Settings> =
        files.into_iter().filter_map(|(path, shape)| places.settings(path, shape)).collect();
    let hook = judge_hook(&mut health, places, &files, lang);
    let words = hook.as_ref().map(|hook| &*hook.found.words);
    if let (Some(hook), Some(users)) = (&hook, &users) {
        trusted_hook(&mut health, places, hook, users);
    }
    users.iter().filter_map(|users| users.obstacle.clone()).for_each(|obstacle| health.hinder(obstacle));
    switched_off(&mut health, &files.iter().chain(&users).collect::<Vec<_>>());
    judge_server(&mut health, places, words, lang);
    if let (Some(false), Some(users)) = (health.trusted, users) {
        let what = say(
            "Codex does not trust this project, and leaves all of .codex/ aside.",
            "Codex 不信任这个项目，不理会 .codex/ 中的一切。",
        );
        let remedy = say("Start codex here, and trust the project.", "请在这里启动 codex 并信任该项目。");
        health.hinder(Obstacle::new("untrusted", Some(users.shown), what, remedy));
    }
    health
}

/// Codex asks for the directory itself, then for the one with the repository around it, and trusts no other. A worktree's is elsewhere.
fn trusted(root: &Path, users: &Settings) -> Option<bool> {
    let projects = &users.json()["projects"];
    let said =
        |dir: &Path| Some(spelled(dir).find_map(|dir| projects[&dir]["trust_level"].as_str())? == "trusted");
    let repository = root.ancestors().map(|dir| dir.join(".git")).find(|git| git.exists());
    let around = repository.as_deref().and_then(Path::parent);
    let is_known = users.obstacle.is_none() && !repository.as_ref().is_some_and(|git| git.is_file());
    said(root).or_else(|| said(around?)).or(is_known.then_some(false))
}

/// Hooks are a feature that can be switched off, by an older name too, which goes behind the newer; the nearer file decides.
fn switched_off(health: &mut Health, files: &[&Settings]) {
    let by =
        |name| files.iter().find_map(|file| Some((file, name, file.json()["features"][name].as_bool()?)));
    if let Some((file, name, false)) = by("hooks").or_else(|| by("codex_hooks")) {
        let what =
            say("The feature {0} is off, so Codex runs no hook.", "功能 {0} 已关闭，Codex 不运行任何 hook。");
        let remedy = say("Take the line out, or set it to true.", "请去掉这一行，或改为 true。");
        let at = Some(format!("{}:{}", file.shown, line_with(&file.text, name)));
        health.hinder(Obstacle::new("hooks-off", at, Message::new(what, &[name]), remedy));
    }
}

/// Codex knows a hook by its file and place, and runs it once its user has trusted it as it is.
fn trusted_hook(health: &mut Health, places: &Places<'_>, hook: &Hook<'_>, users: &Settings) {
    // Nobody knows what it would say.
    if users.obstacle.is_some() {
        return;
    }
    let place = |node: &CstNode| {
        node.parent().map(|around| {
            elements(&around.into()).iter().position(|one| start(one) == start(node)).unwrap_or(0)
        })
    };
    let (node, file) = (&hook.found.node, places.project.root().join(&hook.settings.shown));
    let group = group_of(node);
    let (Some(at), Some(group), file) = (place(node), group, canonicalize(file).ok()) else { return };
    let ending = format!(":pre_tool_use:{}:{at}", place(&group).unwrap_or(0));
    let is_it = |key: &str| {
        let path = key.strip_suffix(&ending).map(|path| canonicalize(path).ok());
        path.is_some_and(|path| path.is_some() && path == file)
    };
    let said = users.json();
    let states = said["hooks"]["state"].as_object();
    let state = states.and_then(|states| states.iter().find(|(key, _)| is_it(key))).map(|(_, state)| state);
    let is_off = state.is_some_and(|state| state["enabled"] == Value::Bool(false));
    let trusted = state.and_then(|state| state["trusted_hash"].as_str());
    let remedy =
        say("Enter /hooks in Codex, and trust the hook.", "请在 Codex 中输入 /hooks 并信任这个 hook。");
    let (code, what) = match trusted {
        _ if is_off => ("hook-off", say("The hook is switched off there.", "hook 在那里被关闭了。")),
        None => (
            "hook-untrusted",
            say(
                "Nothing there trusts the hook: Codex skips it without a word.",
                "那里没有信任这个 hook：Codex 会一声不响地跳过它。",
            ),
        ),
        Some(trusted) if trusted != hash(&group, node) => (
            "hook-untrusted",
            say(
                "The hook is not what was trusted there: Codex skips it without a word.",
                "hook 与那里信任的不同：Codex 会一声不响地跳过它。",
            ),
        ),
        Some(_) => return,
    };
    health.hinder(Obstacle::new(code, Some(users.shown.clone()), what, remedy));
}

/// By which Codex knows that a hook is still the one that was trusted: of what it has read of it, with the names in their order.
fn hash(group: &CstNode, hook: &CstNode) -> String {
    let read =
        |node: &CstNode, name| member(node, name).and_then(|it| it.to_serde_value()).unwrap_or_default();
    let timeout = read(hook, "timeout").as_u64().unwrap_or(600).max(1);
    let all = json!({
        "additionalContextLimit": read(hook, "additionalContextLimit"),
        "async": read(hook, "async") == true,
        "command": read(hook, "command"),
        "statusMessage": read(hook, "statusMessage"),
        "timeout": timeout,
        "type": "command",
    });
    let matcher = read(group, "matcher");
    let whole = json!({"event_name": "pre_tool_use", "hooks": [without_nulls(all)], "matcher": matcher});
    format!("sha256:{}", sha256(without_nulls(whole).to_string().as_bytes()))
}

fn without_nulls(mut object: Value) -> Value {
    object.as_object_mut().into_iter().for_each(|it| it.retain(|_, value| !value.is_null()));
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_directory_is_trusted_by_its_own_entry_or_that_of_its_repository() {
        let top = tempfile::tempdir().unwrap();
        let (top, book) = (top.path(), top.path().join("a/book"));
        fs::create_dir_all(&book).unwrap();
        let said = |said: &[(&Path, &str)]| {
            let lines =
                said.iter().map(|(dir, level)| format!("[projects.{dir:?}]\ntrust_level = {level:?}\n"));
            trusted(&book, &Settings::of("config.toml".into(), lines.collect::<String>().as_bytes(), None))
        };
        assert_eq!(said(&[(&book, "trusted")]), Some(true));
        assert_eq!(said(&[(top, "trusted")]), Some(false));
        fs::create_dir(top.join(".git")).unwrap();
        assert_eq!(said(&[(top, "trusted")]), Some(true));
        assert_eq!(said(&[(top, "untrusted"), (&book, "trusted")]), Some(true));
        assert_eq!(said(&[(top, "trusted"), (&book, "untrusted")]), Some(false));
        assert_eq!(said(&[(&top.join("a"), "trusted")]), Some(false));
        // A worktree: what is said of its repository, which lies elsewhere.
        fs::write(book.join(".git"), "gitdir: /elsewhere\n").unwrap();
        assert_eq!((said(&[(top, "trusted")]), said(&[(&book, "untrusted")])), (None, Some(false)));
    }
}
