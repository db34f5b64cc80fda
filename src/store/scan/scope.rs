//! A part of the inbox that is looked at because events have named it.
//!
//! What an event names is a name, and not what it leads to: a directory or a link that came or went may concern any gate, and so
//! may a file with two names. Then everything is looked at.

use super::file::{is_json, name_of};
use crate::ask::JsString;
use crate::store::project::Project;
use rustix::fs::{AtFlags, FileType};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What events have told since the last look.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Where something has happened; absolute.
    pub paths: HashSet<PathBuf>,
    /// What was written to, so that it was a plain file, whatever has become of it. Kept until everything is looked at.
    pub files: HashSet<PathBuf>,
}

#[derive(Debug)]
pub(super) struct Scope {
    /// Relative to the root, and whether something is there.
    paths: Vec<(PathBuf, bool)>,
    /// A record is known by its name alone: links may lead to it from elsewhere.
    /// Sorted: they are few, and each gate is compared with them.
    names: Vec<Vec<u8>>,
}

impl Scope {
    /// The scope of what was told; `None` if it may concern more than plain files and their records. `is_known` says whether a path
    /// relative to the root is that of a file or a record which was there.
    pub(super) fn of(project: &Project, told: &Told, is_known: impl Fn(&Path) -> bool) -> Option<Scope> {
        let mut scope = Scope { paths: Vec::new(), names: Vec::new() };
        for path in &told.paths {
            let below = path.strip_prefix(project.root()).ok()?;
            let is_there = match rustix::fs::statat(project.dir(), below, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat)
                    if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile
                        && stat.st_nlink == 1 =>
                {
                    true
                }
                Err(rustix::io::Errno::NOENT) if told.files.contains(path) || is_known(below) => false,
                _ => return None,
            };
            scope.names.push(name_of(below).as_bytes().to_vec());
            scope.paths.push((below.to_path_buf(), is_there));
        }
        scope.names.sort_unstable();
        Some(scope)
    }

    /// Whether the list of a directory is not what is known of it: a file that may be a packet has come, or one that is known has
    /// gone, perhaps to another name.
    pub(super) fn lists(&self, directory: &Path, is_known: impl Fn(&OsStr) -> bool) -> bool {
        let here = self.paths.iter().filter(|(path, _)| path.parent() == Some(directory));
        here.map(|(path, is_there)| (name_of(path), is_there))
            .any(|(name, is_there)| is_json(name) && is_known(name) != *is_there)
    }

    /// Whether a file, or anything on the way to its record, is named.
    pub(super) fn names(&self, file: &Path, answer_path: Option<&JsString>) -> bool {
        let has = |name: &[u8]| self.names.binary_search_by(|named| (**named).cmp(name)).is_ok();
        let leads = |path: &JsString| path.lossy().split('/').any(|name| has(name.as_bytes()));
        !self.names.is_empty() && (has(name_of(file).as_bytes()) || answer_path.is_some_and(leads))
    }
}
