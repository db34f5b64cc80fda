//! What the cursor of the inbox is on, and the drafts without gates among it.

use crate::store::drafts::kept::{Dropped, KeptDraft, KeptId};
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selected {
    /// By its packet.
    Gate(PathBuf),
    /// A draft without a gate, and the packet of that gate.
    Kept(KeptId, Option<PathBuf>),
}

/// What is kept without a gate, and what was dropped from it here.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// The newest first.
    pub drafts: Vec<Arc<KeptDraft>>,
    /// As of the last look.
    pub stamp: Option<[i64; 4]>,
    /// What was dropped since the program began, the last one last, each with what it is called.
    pub dropped: Vec<(String, Arc<Dropped>)>,
    /// Where that has left the cursor: there the key for undo is about it.
    pub dropped_on: Option<Selected>,
}
