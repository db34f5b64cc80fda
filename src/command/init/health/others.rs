//! Clients without a hook: their server, and the skill that they share with Codex.

use super::findings::{Health, Places};
use super::hook::{judge_server, judge_texts};
use crate::cli::ClientName;
use crate::text::Lang;

pub(super) fn health(client: ClientName, places: &Places<'_>, lang: Lang) -> Health {
    let (installed, obstacles) = (Vec::new(), Vec::new());
    let mut health = Health { client, installed, obstacles, trusted: None, state_dir: None };
    judge_server(&mut health, places, None, lang);
    let words = health.installed.first().and_then(|server| server.runs.as_deref()).and_then(shlex::split);
    // Where Codex is wired, the skill is its.
    let is_codexs = places.own(".codex/hooks.json").is_some();
    if health.is_wired() || !health.obstacles.is_empty() || !is_codexs {
        judge_texts(&mut health, places, words.as_deref());
    }
    health
}
