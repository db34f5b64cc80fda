//! Who has kept a draft.

use crate::platform::processes;
use rusqlite::Row;
use serde::{Deserialize, Serialize};

/// The process that has kept a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Writer {
    pub(super) host: String,
    pub(super) pid: u32,
}

impl Writer {
    pub(super) fn this_process() -> Writer {
        Writer { host: processes::host(), pid: std::process::id() }
    }

    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Writer> {
        Ok(Writer { host: row.get(1)?, pid: row.get(2)? })
    }

    /// Whether it is another process of this machine that still runs. A number that was given to another process since only
    /// means that a draft stays: it is offered again, never sent.
    pub(super) fn is_running(&self) -> bool {
        let us = Writer::this_process();
        self.host == us.host && self.pid != us.pid && processes::is_running(self.pid)
    }
}
