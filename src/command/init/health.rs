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
    use crate::store::Project;
    use std::fs;

    #[test]
    fn what_an_administrator_has_set_counts_whatever_the_project_says() {
        let top = tempfile::tempdir().unwrap();
        let book = top.path().join("book");
        fs::create_dir_all(book.join(".claude")).unwrap();
        fs::write(book.join(".claude/settings.local.json"), "{\"disableAllHooks\": false}").unwrap();
        let project = Project::open(&book).unwrap();
        let managed = top.path().join("etc");
        fs::create_dir_all(&managed).unwrap();
        let places = Places {
            project: &project,
            home: None,
            claude_dir: None,
            codex_dir: None,
            managed: managed.clone(),
            path: None,
            program: None,
        };
        for (text, code) in [
            ("{\"disableAllHooks\": true}", "hooks-off"),
            ("{\"allowManagedHooksOnly\": true}", "managed-only"),
            ("{\"permissions\": {\"deny\": [\"Bash(novel-gate wait:*)\"]}}", "denied"),
        ] {
            fs::write(managed.join("managed-settings.json"), text).unwrap();
            let found = of(ClientName::ClaudeCode, &places, Lang::En).obstacles;
            let place = managed.join("managed-settings.json:1").display().to_string();
            let is_it = |it: &&Obstacle| it.code == code && it.at.as_deref() == Some(&place) && it.defeats();
            assert_eq!(found.iter().filter(is_it).count(), 1, "{text}");
        }
    }
}
