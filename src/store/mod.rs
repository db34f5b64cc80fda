//! Files: the project root, confined paths, packets and records on disk, the write protocol, drafts, history.

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub mod attach;
pub mod batch;
pub mod checkpoint;
pub mod clock;
pub mod collision;
pub mod config;
pub mod contact;
pub mod copies;
pub mod decided;
pub mod disk;
pub mod drafts;
pub mod entry;
pub mod file;
pub mod file_snapshot;
pub mod gate;
pub mod hearing;
pub mod history;
pub mod json_lines;
pub mod later;
pub mod locate;
pub mod lock;
pub mod note;
pub mod older;
pub mod pickup;
pub mod project;
pub mod proposals;
pub mod questions;
pub mod record;
pub mod relay;
pub mod reply;
pub mod returned;
pub mod rounds;
pub mod safe_path;
pub mod scan;
pub mod shelf;
pub mod state;
pub mod story;
pub mod submission;
pub mod submit;
pub mod temporary;
pub mod transcript;
pub mod watch;

pub use clock::{Clock, FixedClock, SystemClock};
pub use gate::{LoadFault, Loaded, Output, Status};
pub use pickup::Consequences;
pub use project::{Project, RootState};
pub use record::{Receipt, Record, RecordState, WriteError};
pub use safe_path::Refusal;
pub use state::StateDir;

use sha2::{Digest, Sha256};

/// Files above this size, in bytes, are not read: 64 MiB.
pub const SIZE_LIMIT: u64 = 64 << 20;

/// SHA-256 as lower-case hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}
