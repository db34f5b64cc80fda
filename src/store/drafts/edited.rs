//! The text of a record that the author has edited and that is not good yet.
//!
//! One file per gate beside its draft: exactly what the editor left. It goes once the record is written or the author
//! lets it go.

use super::{Drafts, TEMP_PREFIX, TEMP_SUFFIX, ignore_missing};
use crate::ask::JsString;
use crate::store::state::make_private_dir;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

impl Drafts {
    /// Its own place first, then the one that an earlier version gave it.
    fn edited_paths(&self, answer_path: &JsString) -> Vec<PathBuf> {
        self.paths(answer_path, ".edited")
    }

    /// Keeps the text of an edited record. Returns when it is on the disk.
    ///
    /// # Errors
    /// The system's; the text that was kept before is still there.
    pub fn keep_edited(&self, answer_path: &JsString, text: &str) -> io::Result<()> {
        make_private_dir(&self.dir)?;
        let mut temp =
            tempfile::Builder::new().prefix(TEMP_PREFIX).suffix(TEMP_SUFFIX).tempfile_in(&self.dir)?;
        temp.write_all(text.as_bytes())?;
        temp.as_file().sync_all()?;
        temp.persist(self.path_with(answer_path, ".edited")).map_err(|failed| failed.error)?;
        fs::File::open(&self.dir)?.sync_all()
    }

    /// The text of an edited record that was kept.
    pub fn edited(&self, answer_path: &JsString) -> Option<String> {
        self.edited_paths(answer_path).into_iter().find_map(|path| fs::read_to_string(path).ok())
    }

    /// Whether the text of an edited record is kept.
    pub fn has_edited(&self, answer_path: &JsString) -> bool {
        self.edited_paths(answer_path).iter().any(|path| path.exists())
    }

    /// Lets the text of an edited record go; nothing there is fine.
    ///
    /// # Errors
    /// The system's.
    pub fn forget_edited(&self, answer_path: &JsString) -> io::Result<()> {
        let mut paths = self.edited_paths(answer_path).into_iter();
        paths.try_for_each(|path| ignore_missing(fs::remove_file(path)))
    }
}
