//! `skill`: what an executor must know to ask a gate's questions.
//!
//! The words are the Markdown files beside this one, ready to be pasted into a skill or an `AGENTS.md`.

use super::Session;
use super::output::{Head, Output, form};
use crate::cli::{self, SkillName};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::{Lang, say};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) const OUTPUT: Output = Output::new(
    "skill-output",
    "What skill --json prints. Without --json the text alone is printed.",
    &[form::<SkillOutput>(&["ok"], &[0], &["skill"])],
);

/// What an executor must know.
#[derive(Serialize, JsonSchema)]
struct SkillOutput {
    /// For whom.
    #[schemars(extend("enum" = ["claude-code", "codex", "gemini", "opencode"]))]
    executor: &'static str,
    /// The instructions, in Markdown.
    text: &'static str,
}

pub fn text(executor: SkillName, lang: Lang) -> &'static str {
    match (executor, lang) {
        (SkillName::ClaudeCode, Lang::En) => include_str!("skill/claude-code.md"),
        (SkillName::ClaudeCode, Lang::ZhCn) => include_str!("skill/claude-code.zh.md"),
        (SkillName::Codex, Lang::En) => include_str!("skill/codex.md"),
        (SkillName::Codex, Lang::ZhCn) => include_str!("skill/codex.zh.md"),
        (SkillName::Gemini | SkillName::Opencode, Lang::En) => include_str!("skill/any.md"),
        (SkillName::Gemini | SkillName::Opencode, Lang::ZhCn) => include_str!("skill/any.zh.md"),
    }
}

pub fn run(session: &mut Session<'_>, arguments: &cli::SkillArgs) -> Result<ExitCode, Error> {
    let text = text(arguments.executor, session.lang);
    let executor = arguments.executor.name();
    let message = say("Instructions for {0}.", "给 {0} 的说明。").fill(session.lang, &[executor]);
    session.output_exactly(Head::ok("skill", message), SkillOutput { executor, text }, text.as_bytes())
}
