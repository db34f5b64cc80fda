//! Files: the project root, confined paths, packets and records on disk, the write protocol, drafts, history.

#[cfg(test)]
mod testing;

pub mod clock;
pub mod collision;
pub mod config;
pub mod consequences;
pub mod disk;
pub mod drafts;
pub mod entry;
pub mod export;
pub mod file_problem;
pub mod file_snapshot;
pub mod folder;
pub mod gate;
pub mod history;
pub mod later;
mod load_fault;
pub mod locate;
pub mod lock;
pub mod pickup;
pub mod project;
pub mod record;
pub mod relay;
pub mod replies;
pub mod safe_path;
pub mod scan;
pub mod state;
pub mod status;
pub mod story;
pub mod submit;
pub mod temporary;
pub mod watch;

pub use clock::{Clock, FixedClock, SystemClock};
pub use consequences::Consequences;
pub use gate::{LoadFault, Loaded, Output, Status};
pub use project::{Project, Standing};
pub use record::{Receipt, Record, RecordState, WriteError};
pub use safe_path::Refusal;
pub use state::StateDir;

use sha2::{Digest, Sha256};

/// Files above this size, in bytes, are not read: 64 MiB.
pub const SIZE_LIMIT: u64 = 64 << 20;

/// SHA-256 as lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        out.push(char::from(b"0123456789abcdef"[usize::from(byte >> 4)]));
        out.push(char::from(b"0123456789abcdef"[usize::from(byte & 15)]));
    }
    out
}
