//! Why nothing came of a job.

use crate::error::{Error, Message, io_cause};
use crate::exit::ExitCode;
use crate::platform::Failure;
use crate::platform::paths::Shown as _;
use crate::platform::processes::has_size_limit;
use crate::text::{Sentence, say};
use rusqlite::{ErrorCode, ffi};
use std::io;
use std::path::Path;

pub(in crate::store::state) enum Fault {
    Error(Error),
    Io(io::Error),
    /// Its directory cannot be made.
    Dir(io::Error),
    Sqlite(rusqlite::Error),
    /// What is in the file contradicts itself.
    Damage,
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        Fault::Sqlite(error)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::Io(error)
    }
}

impl Fault {
    fn code(&self) -> Option<ErrorCode> {
        match self {
            Fault::Sqlite(error) => error.sqlite_error_code(),
            Fault::Error(_) | Fault::Io(_) | Fault::Dir(_) | Fault::Damage => None,
        }
    }

    /// Whether the file may be damaged; no job of ours breaks a constraint of a sound one.
    pub(super) fn may_be_damage(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::ConstraintViolation)) || self.seems_unreadable()
    }

    /// Whether `SQLite` takes the file for damaged; a read that fails looks the same to it.
    pub(super) fn seems_unreadable(&self) -> bool {
        matches!(self, Fault::Damage)
            || matches!(self.code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
    }

    /// Whether a lock could not be had.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::DatabaseBusy))
    }

    /// Whether a file or its directory may not be written.
    pub(super) fn is_read_only(&self) -> bool {
        use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        let kind = if let Fault::Io(error) | Fault::Dir(error) = self { Some(error.kind()) } else { None };
        matches!(kind, Some(PermissionDenied | ReadOnlyFilesystem))
            || matches!(self.code(), Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen))
    }

    /// The error for people of what was tried with the file at this path.
    pub(in crate::store::state) fn error(self, path: &Path, code: &'static str, sentence: Sentence) -> Error {
        let is_place_at_fault = self.is_read_only() || matches!(self, Fault::Io(_) | Fault::Dir(_));
        let cause = match self {
            Fault::Error(error) => return error,
            Fault::Dir(error) => {
                let dir = path.parent().unwrap_or(path).shown();
                let sentence = say("Cannot create the directory {0}.", "无法创建目录 {0}。");
                return Error::io("state-dir", sentence, &[&dir], &error).hint(ELSEWHERE, &[]);
            }
            Fault::Io(error) => io_cause(&error),
            Fault::Sqlite(error) => cause(&error),
            Fault::Damage => Message::from(DAMAGED),
        };
        let error = Error::new(ExitCode::Failed, code, sentence, &[&path.shown()]);
        let error = Error { cause: Some(Box::new(cause)), ..error };
        if is_place_at_fault { error.hint(ELSEWHERE, &[]) } else { error }
    }
}

const ELSEWHERE: Sentence = say(
    "See that it is yours to read and write, or choose another place with --state-dir.",
    "请确保你可以读写它，或用 --state-dir 指定其他位置。",
);

const DAMAGED: Sentence = say("it is damaged", "已损坏");

fn is_write(error: &rusqlite::Error) -> bool {
    use ffi::{SQLITE_IOERR_SHMSIZE, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_WRITE};
    let code = error.sqlite_error().map(|error| error.extended_code);
    matches!(code, Some(SQLITE_IOERR_WRITE | SQLITE_IOERR_TRUNCATE | SQLITE_IOERR_SHMSIZE))
}

/// In plain words, without a full stop.
fn cause(error: &rusqlite::Error) -> Message {
    Message::from(match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => return io_cause(&io::ErrorKind::StorageFull.into()),
        Some(ErrorCode::PermissionDenied) => return io_cause(&io::ErrorKind::PermissionDenied.into()),
        // SQLite tells the two apart no more than this.
        Some(ErrorCode::SystemIoFailure) if is_write(error) && has_size_limit() => {
            return io_cause(&Failure::SIZE_LIMIT.into());
        }
        Some(ErrorCode::SystemIoFailure) => return io_cause(&Failure::DEVICE.into()),
        Some(ErrorCode::ReadOnly) => say("it cannot be written", "不可写"),
        Some(ErrorCode::CannotOpen) => say("it cannot be opened", "无法打开"),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            say("another program is writing there", "其他程序正在写入")
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => DAMAGED,
        // Without the statement, which is of no use to anybody who writes a novel.
        _ => match error {
            rusqlite::Error::InvalidColumnType(_, column, _) => {
                return Message::new(
                    say("a row is damaged in the column {0}", "有一行的 {0} 列已损坏"),
                    &[column],
                );
            }
            rusqlite::Error::FromSqlConversionFailure(..) => say("a row is damaged", "有一行已损坏"),
            rusqlite::Error::SqlInputError { msg, .. } | rusqlite::Error::SqliteFailure(_, Some(msg)) => {
                return Message::verbatim(msg.clone());
            }
            _ => return Message::verbatim(error.to_string()),
        },
    })
}
