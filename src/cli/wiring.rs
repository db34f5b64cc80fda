//! What may be typed behind the commands that wire the program into executors: `hook`, `init`.
//!
//! Responsible for their types and help lines. Not responsible for the other commands (`cli`).

#![allow(clippy::doc_markdown, reason = "help lines are shown as they stand")]

use super::SkillName;
use clap::{Args, ValueEnum};

/// `hook`
#[derive(Args, Clone, Copy, Debug)]
pub struct Hook {
    /// Whose hook this is
    #[arg(value_enum, value_name = "EXECUTOR")]
    pub executor: HookName,
    /// Take questions over although no console is open to answer them
    #[arg(long)]
    pub always: bool,
}

/// An executor with hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HookName {
    /// Claude Code's PreToolUse.
    ClaudeCode,
}

/// `init`
#[derive(Args, Clone, Debug)]
pub struct Init {
    /// For which executor; repeat for several [default: all]
    #[arg(long = "for", value_enum, value_name = "EXECUTOR", value_delimiter = ',')]
    pub executors: Vec<SkillName>,
    /// Write the files instead of showing them
    #[arg(long)]
    pub write: bool,
}
