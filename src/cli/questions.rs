//! The arguments of `questions`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args, Debug, Default)]
pub struct QuestionsArgs {
    /// What to do; if nothing is named, the standing questions of the book are listed
    #[arg(value_enum, value_name = "ACTION")]
    pub action: Option<QuestionsAction>,
    /// What with: add TEMPLATE|FILE, on|off|remove NAME, set light|steady|close, preview STEP
    #[arg(value_name = "NAME", requires = "action")]
    pub name: Option<PathBuf>,
    /// With add: the steps before which it is asked, such as chapter:*:draft; repeat for several
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub steps: Vec<String>,
    /// With add: how often it is asked: once per step, chapter, volume or book, or per so many chapters
    #[arg(long, value_name = "SPAN")]
    pub once_per: Option<String>,
}

/// What to do with standing questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum QuestionsAction {
    /// List what can be added.
    Templates,
    /// Put a template or a file of your own into the book.
    Add,
    /// Ask it.
    On,
    /// Keep it, but do not ask it.
    Off,
    /// Move its file to the history.
    Remove,
    /// Ask the questions of a set, and no other templates.
    Set,
    /// Show what a step will ask, and what its agent is told.
    Preview,
}
