//! Who has kept a draft.

use rusqlite::Row;
use rustix::process::Pid;
use serde::{Deserialize, Serialize};

/// The process that has kept a draft.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Writer {
    pub(super) host: String,
    pub(super) pid: u32,
}

impl Writer {
    pub(super) fn this_process() -> Writer {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        Writer { host, pid: std::process::id() }
    }

    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Writer> {
        Ok(Writer { host: row.get(1)?, pid: row.get(2)? })
    }

    /// Whether it is another process of this machine that still runs. A number that was given to another process since only
    /// means that a draft stays: it is offered again, never sent.
    pub(super) fn is_running(&self) -> bool {
        let us = Writer::this_process();
        let pid = i32::try_from(self.pid).ok().and_then(Pid::from_raw);
        let Some(pid) = pid.filter(|_| self.host == us.host && self.pid != us.pid) else { return false };
        matches!(rustix::process::test_kill_process(pid), Ok(()) | Err(rustix::io::Errno::PERM))
    }
}
