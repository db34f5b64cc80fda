//! A history as it was found, and where the author is in it.

use crate::ask::compare::Comparison;
use crate::ask::{JsString, QuestionSpec};
use crate::console::draw::scroll::Scroll;
use crate::console::inbox::ListFilter;
use crate::store::hearing::Hearing;
use crate::store::history::{Found, HistoryEntry};
use crate::store::returned::Why;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A history and the place of the author in it.
#[derive(Clone, Debug)]
pub struct HistoryView {
    pub found: HistoryFound,
    /// The selected entry with what it says, once it was read.
    pub detail: Option<EntryDetail>,
    pub filter: Option<ListFilter>,
    /// The gate that was shown before what is typed was looked for in the whole project.
    pub(super) gate: Option<Scope>,
    /// The entry under the cursor when all were shown last.
    pub(super) from: Option<String>,
    pub row: usize,
    pub list: Scroll,
    pub scroll: Scroll,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    Gate {
        /// The packet's file, relative to the root; it may be gone.
        packet: PathBuf,
        /// Where its answers go, once that is known.
        answer_path: Option<JsString>,
    },
    Project,
}

#[derive(Clone, Debug)]
pub struct HistoryFound {
    pub scope: Scope,
    /// The words that were searched for; empty for everything.
    pub words: String,
    /// Those that were read, the first page at least.
    pub rows: Vec<Arc<HistoryEntry>>,
    /// Those that were not read yet.
    pub(super) rest: Found,
    /// How many both are.
    pub hits: usize,
    /// One reading; what comes late belongs to another.
    pub(super) reading: Arc<()>,
    /// What is known of those near the ones that are shown, by their ids.
    pub known: HashMap<String, Known>,
    /// How many entries there are.
    pub all: usize,
    /// Changes when entries come or go; `None` if that is not certain.
    pub stamp: Option<u128>,
}

#[derive(Clone, Debug)]
pub struct Known {
    /// What it says, from where the words stand.
    pub texts: Vec<String>,
    /// Whether the record that lies there now is this entry.
    pub is_there: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct EntryDetail {
    pub entry: Arc<HistoryEntry>,
    /// What was asked, as far as it is known.
    pub asked: Option<QuestionSpec>,
    /// The ids of the questions whose defaults it has.
    pub defaults: Vec<String>,
    /// Its answers beside those of the entry before it; the first one beside itself.
    pub since: Comparison,
    pub first: bool,
    /// The text of a file that is no record.
    pub text: Option<String>,
    /// Why the step was sent back; of no other entry.
    pub why: Option<Why>,
    /// Whether its record has reached who does the step.
    pub hearing: Option<Hearing>,
}

impl Scope {
    pub fn packet(&self) -> Option<&Path> {
        match self {
            Scope::Gate { packet, .. } => Some(packet),
            Scope::Project => None,
        }
    }
}
