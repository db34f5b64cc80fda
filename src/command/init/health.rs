//! Whether what wires a client is there and can work, as far as its files say.

use crate::cli::ClientName;
use crate::text::Lang;
pub(in crate::command) use findings::{Health, Installed, Kind, Obstacle, Places, init_line};

mod claude_code;
mod codex;
mod findings;
mod hook;
mod others;
mod program;
mod rules;

/// What is known of a client.
pub(in crate::command) fn of(client: ClientName, places: &Places<'_>, lang: Lang) -> Health {
    match client {
        ClientName::ClaudeCode => claude_code::health(places, lang),
        ClientName::Codex => codex::health(places, lang),
        ClientName::Gemini | ClientName::Opencode => others::health(client, places, lang),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::paths::Shown as _;
    use crate::platform::testing::{give_up_privileges, set_mode};
    use crate::store::Project;
    use clap::ValueEnum as _;
    use std::fs;

    fn places(project: &Project) -> Places<'_> {
        let managed = project.root().join("nowhere");
        Places { project, home: None, claude_dir: None, codex_dir: None, managed, path: None, program: None }
    }

    #[test]
    #[cfg_attr(windows, ignore = "permissions are another thing there")]
    fn a_wiring_in_a_project_that_cannot_be_written_is_found() {
        let top = tempfile::tempdir().unwrap();
        let hook = r#"{"type": "command", "command": "novel-gate hook claude-code"}"#;
        let text = format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{hook}]}}]}}}}"#);
        fs::create_dir_all(top.path().join(".claude")).unwrap();
        fs::write(top.path().join(".claude/settings.json"), text).unwrap();
        give_up_privileges();
        let project = Project::open(top.path()).unwrap();
        let set = |mode| {
            for dir in [top.path(), &top.path().join(".claude")] {
                set_mode(dir, mode);
            }
        };
        set(0o555);
        let found =
            ClientName::value_variants().iter().map(|&client| of(client, &places(&project), Lang::En));
        let found: Vec<Health> = found.collect();
        set(0o755);
        assert!(found[0].has(Kind::Hook));
        let unread = found.iter().flat_map(|health| &health.obstacles).find(|it| it.code == "unreadable");
        assert!(unread.is_none(), "{:?}", unread.map(|it| &it.at));
    }

    #[test]
    fn what_an_administrator_has_set_counts_whatever_the_project_says() {
        let top = tempfile::tempdir().unwrap();
        let book = top.path().join("book");
        fs::create_dir_all(book.join(".claude")).unwrap();
        fs::write(book.join(".claude/settings.local.json"), "{\"disableAllHooks\": false}").unwrap();
        let project = Project::open(&book).unwrap();
        let managed = top.path().join("etc");
        fs::create_dir_all(&managed).unwrap();
        let places = Places { managed: managed.clone(), ..places(&project) };
        for (text, code) in [
            ("{\"disableAllHooks\": true}", "hooks-off"),
            ("{\"allowManagedHooksOnly\": true}", "managed-only"),
            ("{\"permissions\": {\"deny\": [\"Bash(novel-gate wait:*)\"]}}", "denied"),
        ] {
            fs::write(managed.join("managed-settings.json"), text).unwrap();
            let found = of(ClientName::ClaudeCode, &places, Lang::En).obstacles;
            let place = managed.join("managed-settings.json:1").shown().into_owned();
            let is_it = |it: &&Obstacle| it.code == code && it.at.as_deref() == Some(&place) && it.defeats();
            assert_eq!(found.iter().filter(is_it).count(), 1, "{text}");
        }
    }
}
