//! The whole program where the system fails: one call at a time (`injected`, `reads`) or because all descriptors are in use (`descriptors`), and the file of drafts and history (`state`).
//!
//! What each call of the store does is tried beside the code, without a system that can be made to fail.

#[cfg(target_os = "linux")]
mod descriptors;
#[cfg(unix)]
mod injected;
#[cfg(unix)]
mod reads;
#[cfg(unix)]
mod scene;
#[cfg(target_os = "linux")]
mod size;
#[cfg(unix)]
mod state;

/// Says that a test did not run, where it is seen. Not every system lets a user mount or trace.
pub(crate) fn skip(what: &str, why: &str) {
    use std::io::Write as _;
    // Past the harness, which keeps what passing tests print to itself.
    let _ = writeln!(std::io::stderr(), "SKIPPED {what}: {why}");
}
