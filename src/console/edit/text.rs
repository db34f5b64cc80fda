//! The text of a record that the author edits, and what was found of it.

use crate::ask::{JsString, Problem};
use crate::text::Message;
use std::path::PathBuf;

/// A record's text in the author's own editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditedRecord {
    pub path: PathBuf,
    /// Where its text is kept, whatever becomes of the packet.
    pub answer_path: JsString,
    /// Whether the text is on the disk too.
    pub kept: bool,
    /// Hash of the questions that it is checked against.
    pub spec_hash: String,
    /// Hash of the record's bytes when the editor got the text; `None` if none was there any more.
    pub seen: Option<String>,
    /// The text of the record that others have written meanwhile; empty if it is gone.
    pub theirs: Option<String>,
    /// The text as the editor got it, then as it came back.
    pub text: String,
    /// The record's own text, to tell whether anything was changed.
    pub original: String,
    /// Whether what lies there is plainly another document.
    pub foreign: bool,
}

/// What became of a record that the author has edited.
#[derive(Clone, Debug, PartialEq)]
pub enum EditVerdict {
    /// As it was.
    Unchanged,
    /// It would open the gate.
    Valid,
    /// It would not.
    Invalid(Vec<Problem>),
    /// It cannot be written as things stand, and why.
    Refused(Message),
}
