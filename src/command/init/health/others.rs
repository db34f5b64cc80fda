//! Clients without a hook: their server, and the skill that they share with Codex.

use super::findings::{Health, Places};
use super::hook::{judge_server, judge_texts};
use crate::cli::ClientName;
use crate::command::init::edit::PROGRAM;
use crate::text::Lang;

pub(super) fn health(client: ClientName, places: &Places<'_>, lang: Lang) -> Health {
    let mut health = Health::new(client, None);
    judge_server(&mut health, places, None, lang);
    let words = health.installed.first().and_then(|server| server.runs.as_deref()).and_then(shlex::split);
    let words =
        words.filter(|words| words.first().is_some_and(|word| word.rsplit('/').next() == Some(PROGRAM)));
    // Where Codex is wired, the skill is its.
    let is_codexs = places.own(".codex/hooks.json").is_some();
    if health.is_wired() || !health.obstacles.is_empty() || !is_codexs {
        judge_texts(&mut health, places, words.as_deref());
    }
    health
}
