//! A part of the inbox that is looked at because events have named it.

use crate::ask::JsString;
use crate::store::project::Project;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(super) struct Scope {
    /// Where names may have come or gone, relative to the root.
    directories: HashSet<PathBuf>,
    /// A file is known by its name alone: links may lead to it from elsewhere.
    names: HashSet<OsString>,
}

impl Scope {
    /// The scope of these absolute paths; `None` if one of them is, or was, a directory, or lies elsewhere.
    pub(super) fn of(project: &Project, known: &[&Path], paths: &HashSet<PathBuf>) -> Option<Scope> {
        let mut scope = Scope { directories: HashSet::new(), names: HashSet::new() };
        for path in paths {
            let below = path.strip_prefix(project.root()).ok()?;
            if known.contains(&below) || path.is_dir() {
                return None;
            }
            scope.directories.insert(below.parent()?.to_path_buf());
            scope.names.insert(below.file_name()?.to_owned());
        }
        Some(scope)
    }

    pub(super) fn lists(&self, directory: &Path) -> bool {
        self.directories.contains(directory)
    }

    /// Whether a file, or its record, has a name that was told of.
    pub(super) fn names(&self, file: &Path, answer_path: Option<&JsString>) -> bool {
        let has = |name: Option<&OsStr>| name.is_some_and(|name| self.names.contains(name));
        has(file.file_name()) || answer_path.is_some_and(|path| has(Path::new(&*path.lossy()).file_name()))
    }
}
