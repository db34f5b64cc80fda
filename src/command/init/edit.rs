//! What becomes of a file, and how the files call this program.

use crate::text::{Message, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;

/// The program, and its MCP server.
pub(super) const PROGRAM: &str = "novel-gate";

/// What is to be done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(super) enum Action {
    Create,
    Insert,
    Update,
    /// With `--undo`: what was put in is taken out.
    Remove,
    /// With `--undo`: nothing else is in it, and it goes.
    Delete,
    Unchanged,
    Refused,
}

/// What becomes of a file that is not as it should be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub action: Action,
    /// The whole new content.
    pub whole: String,
    /// What is made, goes in or goes out, and the line where it begins, from 1.
    pub text: String,
    pub line: Option<usize>,
}

impl Edit {
    pub(super) fn created(text: String) -> Edit {
        Edit { action: Action::Create, whole: text.clone(), text, line: None }
    }
}

/// Why a file is not touched, and what to add by hand.
pub(super) type Refused = (Message, String);

impl Action {
    pub(super) fn sentence(self, written: bool) -> Sentence {
        match (self, written) {
            (Action::Create, false) => say("{0}: would be created:", "{0}：将新建："),
            (Action::Create, true) => say("{0}: created.", "{0}：已新建。"),
            (Action::Insert, false) => {
                say("{0}: this would be inserted at line {1}:", "{0}：将在第 {1} 行插入：")
            }
            (Action::Insert, true) => say("{0}: inserted at line {1}.", "{0}：已在第 {1} 行插入。"),
            (Action::Update, false) => {
                say("{0}: the marked part would become:", "{0}：标记之间的部分将变为：")
            }
            (Action::Update, true) => say("{0}: the marked part is updated.", "{0}：标记之间的部分已更新。"),
            (Action::Remove, false) => {
                say("{0}: this would be taken out at line {1}:", "{0}：将移除第 {1} 行起的以下内容：")
            }
            (Action::Remove, true) => say("{0}: taken out at line {1}.", "{0}：已移除第 {1} 行起的内容。"),
            (Action::Delete, false) => {
                say("{0}: would be deleted; all there is in it is:", "{0}：将删除；其中只有：")
            }
            (Action::Delete, true) => say("{0}: deleted.", "{0}：已删除。"),
            (Action::Unchanged, _) => say("{0}: already up to date.", "{0}：已符合要求。"),
            (Action::Refused, _) => say("{0}: refused.", "{0}：拒绝改动。"),
        }
    }
}

pub(super) fn altered() -> Message {
    say(
        "What it says of novel-gate is not as init writes it; remove that by hand.",
        "其中关于 novel-gate 的内容与 init 写入的不同；请手动移除。",
    )
    .into()
}

/// A program as a shell reads it.
pub(super) fn shell_word(program: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if program.chars().all(plain) {
        program.to_owned()
    } else {
        format!("'{}'", program.replace('\'', r"'\''"))
    }
}

/// The program that a word of a shell means.
pub(super) fn unquoted(word: &str) -> String {
    match word.strip_prefix('\'').and_then(|word| word.strip_suffix('\'')) {
        Some(inner) => inner.replace(r"'\''", "'"),
        None => word.to_owned(),
    }
}
