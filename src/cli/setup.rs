//! The arguments of the commands that set the program up: `hook`, `init`, `themes`, `completions`.

#![allow(clippy::doc_markdown, reason = "help lines are shown as they stand")]

use super::SkillName;
use clap::{Args, ValueEnum};
use std::ffi::OsString;

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

#[derive(Args, Clone, Debug)]
pub struct Init {
    /// For which executor; repeat for several [default: all]
    #[arg(long = "for", value_enum, value_name = "EXECUTOR", value_delimiter = ',')]
    pub executors: Vec<SkillName>,
    /// Write the files instead of showing them
    #[arg(long)]
    pub write: bool,
}

#[derive(Args, Debug)]
pub struct Themes {
    /// Print the text of this one, to start your own from
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

#[derive(Args, Debug)]
pub struct Completions {
    /// For which shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
    /// For the script itself: the line as far as the cursor
    #[arg(value_name = "LINE", last = true, hide = true)]
    pub line: Vec<OsString>,
}

/// A shell that completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// GNU Bash.
    Bash,
    /// Z shell.
    Zsh,
    /// Friendly interactive shell.
    Fish,
    /// PowerShell.
    #[value(name = "powershell", aliases = ["pwsh"])]
    PowerShell,
}
