//! `skill`: what an executor must know to ask a gate's questions.
//!
//! The words are the Markdown files beside this one, the same for every executor.

use super::Session;
use super::output::{Head, Output, form};
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
    /// The instructions, in Markdown.
    text: &'static str,
}

pub fn text(lang: Lang) -> &'static str {
    match lang {
        Lang::En => include_str!("skill/gates.md"),
        Lang::ZhCn => include_str!("skill/gates.zh.md"),
    }
}

pub fn run(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let text = text(session.lang);
    let message = say("Instructions for executors.", "给执行器的说明。").text(session.lang);
    session.output_exactly(Head::ok("skill", message.to_owned()), SkillOutput { text }, text.as_bytes())
}
