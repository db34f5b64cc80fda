//! `skill`: what an executor must know to ask a gate's questions.
//!
//! The words are the Markdown files beside this one, ready to be pasted into a skill or an `AGENTS.md`.

use super::Session;
use super::output::{Head, Output, form, head};
use crate::cli::{self, SkillName};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::{Lang, say};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) const OUTPUT: Output = Output::new(
    "skill-output",
    "What skill --json prints. Without --json the text alone is printed.",
    &[form::<SkillOutput>],
);

/// What an executor must know.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(&["ok"], &[0], &["skill"]))]
struct SkillOutput {
    #[serde(flatten)]
    head: Head,
    /// For whom.
    #[schemars(extend("enum" = ["claude-code", "codex"]))]
    executor: &'static str,
    /// The instructions, in Markdown.
    text: &'static str,
}

/// The instructions for an executor.
pub fn text(executor: SkillName, lang: Lang) -> &'static str {
    match (executor, lang) {
        (SkillName::ClaudeCode, Lang::En) => include_str!("skill/claude-code.md"),
        (SkillName::ClaudeCode, Lang::ZhCn) => include_str!("skill/claude-code.zh.md"),
        (SkillName::Codex, Lang::En) => include_str!("skill/codex.md"),
        (SkillName::Codex, Lang::ZhCn) => include_str!("skill/codex.zh.md"),
    }
}

/// Prints the instructions.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(session: &mut Session<'_>, arguments: &cli::Skill) -> Result<ExitCode, Error> {
    let text = text(arguments.executor, session.lang);
    if session.global.json {
        let name = match arguments.executor {
            SkillName::ClaudeCode => "claude-code",
            SkillName::Codex => "codex",
        };
        let message = say("Instructions for {0}.", "给 {0} 的说明。").fill(session.lang, &[name]);
        let head = Head::new("ok", ExitCode::Done, "skill", message);
        session.json(SkillOutput { head, executor: name, text })?;
    } else {
        session.exact(text.as_bytes())?;
    }
    Ok(ExitCode::Done)
}
