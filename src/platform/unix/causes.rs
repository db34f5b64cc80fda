//! The system's numbers of failures.

use crate::platform::cause::{Cause, Failure};
use rustix::io::Errno;
use std::io;

impl Cause {
    /// That of an error, if it came from the system and is one of these.
    pub fn of(error: &io::Error) -> Option<Cause> {
        Failure::of(error)?.cause()
    }
}

impl Failure {
    pub const NOT_FOUND: Failure = Failure(Errno::NOENT.raw_os_error());
    pub const NOT_A_DIRECTORY: Failure = Failure(Errno::NOTDIR.raw_os_error());
    pub const LINK_LOOP: Failure = Failure(Errno::LOOP.raw_os_error());
    pub const SIZE_LIMIT: Failure = Failure(Errno::FBIG.raw_os_error());
    pub const NO_LOCKS: Failure = Failure(Errno::NOLCK.raw_os_error());
    pub const DEVICE: Failure = Failure(Errno::IO.raw_os_error());

    #[allow(unreachable_patterns, reason = "two numbers of one cause, which are one number on Linux")]
    pub fn cause(self) -> Option<Cause> {
        Some(match Errno::from_raw_os_error(self.0) {
            Errno::NOENT => Cause::NotFound,
            Errno::NOTDIR => Cause::NotADirectory,
            Errno::LOOP => Cause::LinkLoop,
            Errno::NAMETOOLONG => Cause::NameTooLong,
            Errno::ACCESS => Cause::Barred,
            Errno::PERM => Cause::NotPermitted,
            Errno::ROFS => Cause::ReadOnly,
            Errno::IO => Cause::Device,
            Errno::FBIG => Cause::SizeLimit,
            Errno::NOLCK => Cause::NoLocks,
            Errno::MFILE | Errno::NFILE => Cause::TooManyFiles,
            Errno::NOSYS | Errno::OPNOTSUPP | Errno::NOTSUP => Cause::Unsupported,
            Errno::INVAL => Cause::Invalid,
            _ => return None,
        })
    }
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Failure {
        Failure(errno.raw_os_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_system_says_of_a_call_that_it_lacks_is_one_cause() {
        for errno in [Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP] {
            assert_eq!(Failure::from(errno).cause(), Some(Cause::Unsupported), "{errno}");
            assert_eq!(Cause::of(&errno.into()), Some(Cause::Unsupported), "{errno}");
        }
    }
}
