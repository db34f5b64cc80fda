//! What became of a record that was to be removed or put back.

use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::record;
use crate::store::safe_path::Refusal;
use crate::text::say;
use std::path::PathBuf;

/// A record that was removed, or put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Where it lay, or lies, relative to the root.
    pub path: PathBuf,
    /// Of its bytes, hexadecimal.
    pub sha256: String,
    /// How many bytes.
    pub bytes: usize,
    /// Whether the system confirmed that the change is on the disk.
    pub durable: bool,
    /// Why the history could not note that it was put back; the record is there all the same.
    pub unnoted: Option<Error>,
}

/// Why a record was not removed or not put back; nothing is lost either way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveError {
    /// There is no record (exit 3).
    NoRecord,
    /// Nothing was removed, so there is nothing to put back (exit 3).
    NothingToUndo,
    /// It is no record of ours to touch (exit 5).
    Refused(Refusal),
    /// It changed since it was looked at (exit 6).
    Changed,
    /// A record is there already (exit 6).
    Exists,
    /// The system refused (exit 1).
    Failed(Error),
}

impl MoveError {
    /// As an error for operators.
    pub fn error(&self) -> Error {
        match self {
            MoveError::NoRecord => Error::new(
                ExitCode::Waiting,
                "no-record",
                say("There is no record; the gate is waiting.", "没有记录；门控正在等待回答。"),
                &[],
            ),
            MoveError::NothingToUndo => Error::new(
                ExitCode::Waiting,
                "nothing-to-undo",
                say("There is no removed record in the history.", "历史中没有被移走的记录。"),
                &[],
            ),
            MoveError::Refused(refusal) => record::refused(*refusal),
            MoveError::Changed => Error::new(
                ExitCode::Exists,
                "record-changed",
                say(
                    "The record changed since it was looked at; it is untouched.",
                    "记录在查看之后发生了变化，未作改动。",
                ),
                &[],
            ),
            MoveError::Exists => Error::new(
                ExitCode::Exists,
                "record-exists",
                say("A record is already there; it is untouched.", "记录已经存在，未作改动。"),
                &[],
            ),
            MoveError::Failed(error) => error.clone(),
        }
    }
}
