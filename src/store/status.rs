//! The state of a gate.

use crate::exit::ExitCode;

/// The state of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// The packet carries no gate: the step is free to run.
    NoGate,
    /// No record yet.
    Waiting,
    /// A record is there and is invalid.
    Blocked,
    /// The packet itself cannot be used.
    Malformed,
    /// A valid record is there.
    Answered,
}

impl Status {
    /// Stable name for programs: `open` for an open step, with and without a gate.
    pub fn name(self) -> &'static str {
        match self {
            Status::NoGate | Status::Answered => "open",
            Status::Waiting => "waiting",
            Status::Blocked => "blocked",
            Status::Malformed => "malformed",
        }
    }

    /// What `check` ends with.
    pub fn exit(self) -> ExitCode {
        match self {
            Status::NoGate | Status::Answered => ExitCode::Done,
            Status::Waiting => ExitCode::Waiting,
            Status::Blocked => ExitCode::Blocked,
            Status::Malformed => ExitCode::Malformed,
        }
    }
}
