//! `skill`: what an executor must know to ask a gate's questions.
//!
//! Responsible for printing it, ready to be pasted into a skill or an `AGENTS.md`. Not responsible for the words, which
//! are the Markdown files beside this one, nor for the dialogue they tell of (`next`).

use super::{Session, report};
use crate::cli::{self, SkillName};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::{Lang, say};

/// The instructions for an executor.
pub fn text(executor: SkillName, lang: Lang) -> &'static str {
    match (executor, lang) {
        (SkillName::ClaudeCode, Lang::En) => include_str!("skill/claude-code.md"),
        (SkillName::ClaudeCode, Lang::ZhCn) => include_str!("skill/claude-code.zh.md"),
        (SkillName::Codex, Lang::En) => include_str!("skill/codex.md"),
        (SkillName::Codex, Lang::ZhCn) => include_str!("skill/codex.zh.md"),
    }
}

/// Runs it.
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
        let object = report::head("ok", ExitCode::Done, "skill", &message);
        session.json(object.text("executor", name).text("text", text))?;
    } else {
        session.exact(text.as_bytes())?;
    }
    Ok(ExitCode::Done)
}
