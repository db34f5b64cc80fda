//! What the files of `init` have in common: how the program is called, and what becomes of a file.

use crate::text::shell::{program_word, shell_word};
use crate::text::{Lang, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;

/// The program, and its MCP server.
pub(super) const PROGRAM: &str = "novel-gate";

/// No file of a client's is longer, in bytes: to take one apart needs a hundred times as much memory.
pub(super) const LONGEST: usize = 1 << 20;

/// What goes in: in which language, and how the program is called.
pub(super) struct Wiring {
    pub(super) lang: Lang,
    pub(super) program: String,
    /// The paths of this program: as it was called, and resolved.
    pub(super) own: Vec<String>,
    /// That of `--state-dir`, as an absolute path.
    pub(super) state_dir: Option<String>,
}

/// What is to be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum Action {
    Create,
    Insert,
    Update,
    /// What was put in is taken out.
    Remove,
    /// Nothing else is in it, and it goes.
    Delete,
    Unchanged,
    Refused,
}

/// What becomes of a file that is not as it should be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) action: Action,
    /// The whole new content.
    pub(super) whole: String,
    /// What is made or goes in.
    pub(super) text: String,
}

impl Wiring {
    /// The program with its flags, as a shell takes them.
    pub(super) fn line(&self) -> String {
        let program = program_word(&self.program);
        let dir = self.state_dir.as_ref().map(|dir| format!("{program} --state-dir {}", shell_word(dir)));
        dir.unwrap_or(program)
    }

    /// What the program is called with, as its MCP server.
    pub(super) fn arguments(&self) -> Vec<String> {
        self.flags().chain(["mcp"]).map(str::to_owned).collect()
    }

    pub(super) fn flags(&self) -> impl Iterator<Item = &str> {
        self.state_dir.iter().flat_map(|dir| ["--state-dir", dir.as_str()])
    }
}

impl Action {
    /// True before it is done, and after.
    pub(super) fn sentence(self) -> Sentence {
        match self {
            Action::Create => say("{0}: a new file", "{0}：新文件"),
            Action::Insert => say("{0}: novel-gate's part is added", "{0}：加入 novel-gate 的部分"),
            Action::Update => say("{0}: novel-gate's part is renewed", "{0}：更新 novel-gate 的部分"),
            Action::Remove => say("{0}: novel-gate's part goes", "{0}：移除 novel-gate 的部分"),
            Action::Delete => say("{0}: the whole file goes", "{0}：删除整个文件"),
            Action::Unchanged => say("{0}: nothing to do", "{0}：无需改动"),
            Action::Refused => say("{0}: refused", "{0}：拒绝改动"),
        }
    }
}
