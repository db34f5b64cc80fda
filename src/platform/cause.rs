//! Why a call of the system fails.

use std::io;

/// The causes that the program tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    NotFound,
    NotADirectory,
    LinkLoop,
    NameTooLong,
    /// Permissions forbid it.
    Barred,
    /// It is allowed to nobody here, or only to the superuser.
    NotPermitted,
    ReadOnly,
    /// The device reports an error.
    Device,
    TooManyFiles,
    /// Files may not become so large here.
    SizeLimit,
    /// Another program has the file for itself.
    Held,
    /// There are no locks here, or none left.
    NoLocks,
    /// The system or the file system has no such call.
    Unsupported,
    /// It has the call, but not so.
    Invalid,
}

/// A failure by the system's number: small, and equal to another of the same cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure(pub(super) i32);

impl Failure {
    /// That of an error, if it came from the system.
    pub fn of(error: &io::Error) -> Option<Failure> {
        error.raw_os_error().map(Failure)
    }

    pub fn number(self) -> u32 {
        self.0.unsigned_abs()
    }
}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> io::Error {
        io::Error::from_raw_os_error(failure.0)
    }
}
