//! What the files of `init` have in common: how the program is called, and what becomes of a file.

use crate::command::hook::shell_word;
use crate::text::{Lang, Message, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;

/// The program, and its MCP server.
pub(super) const PROGRAM: &str = "novel-gate";

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
    /// What is made or goes in, and the line where something goes in or out, from 1.
    pub(super) text: String,
    pub(super) line: Option<usize>,
}

impl Wiring {
    /// The program with its flags, as a shell takes them.
    pub(super) fn line(&self) -> String {
        let program = shell_word(&self.program);
        let dir = self.state_dir.as_ref().map(|dir| format!("{program} --state-dir {}", shell_word(dir)));
        dir.unwrap_or(program)
    }

    /// What the program is called with, as its MCP server.
    pub(super) fn arguments(&self) -> Vec<String> {
        let flag = self.state_dir.iter().flat_map(|dir| ["--state-dir", dir]);
        flag.chain(["mcp"]).map(str::to_owned).collect()
    }

    /// What was asked for and must stand in an entry.
    pub(super) fn asked(&self) -> Vec<String> {
        let program = Some(&self.program).filter(|program| *program != PROGRAM);
        program.into_iter().chain(&self.state_dir).cloned().collect()
    }
}

impl Action {
    pub(super) fn sentence(self, written: bool) -> Sentence {
        match (self, written) {
            (Action::Create, false) => say("{0}: would be created:", "{0}：将新建："),
            (Action::Create, true) => say("{0}: created.", "{0}：已新建。"),
            (Action::Insert, false) => {
                say("{0}: this would be inserted from line {1} on:", "{0}：将从第 {1} 行起插入：")
            }
            (Action::Insert, true) => say("{0}: inserted from line {1} on.", "{0}：已从第 {1} 行起插入。"),
            (Action::Update, false) => {
                say("{0}: the marked part would become:", "{0}：标记之间的部分将变为：")
            }
            (Action::Update, true) => say("{0}: the marked part is updated.", "{0}：标记之间的部分已更新。"),
            (Action::Remove, false) => say(
                "{0}: what is novel-gate's from line {1} on would be taken out.",
                "{0}：将移除第 {1} 行起属于 novel-gate 的内容。",
            ),
            (Action::Remove, true) => say(
                "{0}: what was novel-gate's from line {1} on is taken out.",
                "{0}：已移除第 {1} 行起属于 novel-gate 的内容。",
            ),
            (Action::Delete, false) => say("{0}: would be deleted.", "{0}：将删除。"),
            (Action::Delete, true) => say("{0}: deleted.", "{0}：已删除。"),
            (Action::Unchanged, _) => say("{0}: already up to date.", "{0}：已符合要求。"),
            (Action::Refused, _) => say("{0}: refused.", "{0}：拒绝改动。"),
        }
    }
}

pub(super) fn not_inits(line: usize) -> Message {
    let sentence = say(
        "What line {0} says of novel-gate is not as init writes it, and stays.",
        "第 {0} 行关于 novel-gate 的内容与 init 写入的不同，予以保留。",
    );
    Message::new(sentence, &[&line.to_string()])
}

pub(super) fn not_as_asked(path: &str, word: &str) -> Message {
    let sentence = say(
        "{0} runs novel-gate already, but without {1}. Take that out with init --undo --write, or by hand, then run init again.",
        "{0} 已经运行 novel-gate，但没有 {1}。请先用 init --undo --write 或手动移除，再运行 init。",
    );
    Message::new(sentence, &[path, word])
}
