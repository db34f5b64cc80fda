//! What may be typed behind `themes` and `completions`.
//!
//! Responsible for their types and help lines. Not responsible for the other commands (`cli`).

#![allow(clippy::doc_markdown, reason = "help lines are shown as they stand")]

use clap::{Args, ValueEnum};
use std::ffi::OsString;

/// `themes`
#[derive(Args, Debug)]
pub struct Themes {
    /// Print the text of this one, to start your own from
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

/// `completions`
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
