//! A part of the inbox that is looked at because events have named it.

use super::file::{is_json, name_of};
use crate::ask::JsString;
use crate::store::project::Project;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(super) struct Scope {
    /// Relative to the root.
    paths: HashSet<PathBuf>,
    /// A record is known by its name alone: links may lead to it from elsewhere.
    names: HashSet<Vec<u8>>,
}

impl Scope {
    /// The scope of these absolute paths; `None` if one of them is, or was, a directory, or lies elsewhere.
    pub(super) fn of(project: &Project, known: &[&Path], paths: &HashSet<PathBuf>) -> Option<Scope> {
        let mut scope = Scope { paths: HashSet::new(), names: HashSet::new() };
        for path in paths {
            let below = path.strip_prefix(project.root()).ok()?;
            if known.contains(&below) || path.is_dir() {
                return None;
            }
            scope.names.insert(name_of(below).as_bytes().to_vec());
            scope.paths.insert(below.to_path_buf());
        }
        Some(scope)
    }

    /// Whether a file that may be a packet has come into a directory.
    pub(super) fn has_new(&self, directory: &Path, is_known: impl Fn(&OsStr) -> bool) -> bool {
        let mut names =
            self.paths.iter().filter(|path| path.parent() == Some(directory)).map(|path| name_of(path));
        names.any(|name| is_json(name) && !is_known(name))
    }

    /// Whether a file, or its record, is named.
    pub(super) fn names(&self, file: &Path, answer_path: Option<&JsString>) -> bool {
        let has = |name: &[u8]| self.names.contains(name);
        let is_record =
            |path: &JsString| path.lossy().rsplit('/').next().is_some_and(|name| has(name.as_bytes()));
        !self.names.is_empty() && (has(name_of(file).as_bytes()) || answer_path.is_some_and(is_record))
    }
}
