//! The system's numbers of failures.

use crate::platform::cause::{Cause, Failure};
use std::io;

impl Cause {
    /// That of an error, if it came from the system and is one of these.
    pub fn of(error: &io::Error) -> Option<Cause> {
        Failure::of(error)?.cause()
    }
}

impl Failure {
    pub const NOT_FOUND: Failure = Failure(2);
    pub const NOT_A_DIRECTORY: Failure = Failure(267);
    pub const LINK_LOOP: Failure = Failure(1921);
    pub const SIZE_LIMIT: Failure = Failure(223);
    pub const NO_LOCKS: Failure = Failure(36);
    pub const DEVICE: Failure = Failure(1117);
    pub(super) const BARRED: Failure = Failure(5);
    pub(super) const UNSUPPORTED: Failure = Failure(50);

    pub fn cause(self) -> Option<Cause> {
        Some(match self.0 {
            2 | 3 => Cause::NotFound,
            267 => Cause::NotADirectory,
            1921 => Cause::LinkLoop,
            206 => Cause::NameTooLong,
            5 => Cause::Barred,
            1314 => Cause::NotPermitted,
            19 => Cause::ReadOnly,
            1117 => Cause::Device,
            223 => Cause::SizeLimit,
            32 | 33 => Cause::Held,
            36 => Cause::NoLocks,
            4 => Cause::TooManyFiles,
            1 | 50 | 120 => Cause::Unsupported,
            87 => Cause::Invalid,
            _ => return None,
        })
    }
}

impl From<io::Error> for Failure {
    /// What is refused before the system is asked, because it leads out of a directory, is barred.
    fn from(error: io::Error) -> Failure {
        Failure::of(&error).unwrap_or(Failure::BARRED)
    }
}
