//! What the process says to whoever called it.
//!
//! Responsible for the numbers and their meaning. Not responsible for choosing one (`error`, `command`).

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// 0: done; for `check`, the gate is open.
    Done,
    /// 1: input or output failed, or a named file is not there.
    Failed,
    /// 2: wrong usage, no project, no terminal where one is needed, no gate where one is needed.
    Usage,
    /// 3: no record yet.
    Waiting,
    /// 4: the record, or the given answers, are invalid.
    Blocked,
    /// 5: the packet is malformed, its `answer_path` is unsafe or cannot be written, or another packet wants different answers
    /// there and would be left blocked.
    Malformed,
    /// 6: a record is already there, or came first, or has changed since it was looked at.
    Exists,
    /// 7: `wait --timeout` ran out.
    TimedOut,
    /// 101: a bug.
    Bug,
    /// 128 + n: ended by signal n.
    Signal(u8),
}

impl ExitCode {
    /// The code with a number that the console's loop gave: 0, 101 or 128 + n; any other is a failure.
    pub fn from_number(number: i32) -> ExitCode {
        match (number, u8::try_from(number - 128)) {
            (0, _) => ExitCode::Done,
            (101, _) => ExitCode::Bug,
            (_, Ok(signal)) => ExitCode::Signal(signal),
            _ => ExitCode::Failed,
        }
    }

    /// The number the process ends with.
    pub fn number(self) -> i32 {
        match self {
            ExitCode::Done => 0,
            ExitCode::Failed => 1,
            ExitCode::Usage => 2,
            ExitCode::Waiting => 3,
            ExitCode::Blocked => 4,
            ExitCode::Malformed => 5,
            ExitCode::Exists => 6,
            ExitCode::TimedOut => 7,
            ExitCode::Bug => 101,
            ExitCode::Signal(signal) => 128 + i32::from(signal),
        }
    }
}
