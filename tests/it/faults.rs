//! The whole program where the system fails: one call at a time (`injected`), and the file of drafts and history (`state`).
//!
//! What each call of the store does is tried beside the code, without a system that can be made to fail.

mod injected;
mod scene;
mod state;

/// Says that a test did not run, where it is seen.
fn skip(what: &str, why: &str) {
    use std::io::Write as _;
    assert!(std::env::var_os("CI").is_none(), "{what}: {why}");
    // Past the harness, which keeps what passing tests print to itself.
    let _ = writeln!(std::io::stderr(), "SKIPPED {what}: {why}");
}
