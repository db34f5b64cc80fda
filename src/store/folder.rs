//! The files below a directory that an operator names; the packets of a project are found by `scan`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// No project nests deeper.
const DEPTH: usize = 32;

/// What was found below a directory.
#[derive(Debug, Default)]
pub struct Below {
    /// The `*.json` files, by path.
    pub files: Vec<PathBuf>,
    /// Directories that cannot be looked into.
    pub unreadable: Vec<(PathBuf, io::Error)>,
}

/// Whether a path leads to a directory.
pub fn is_directory(path: &Path) -> bool {
    path.is_dir()
}

/// The one path of a file whatever links lead to it; as it is given if there is no such file.
pub fn real_path(path: PathBuf) -> PathBuf {
    path.canonicalize().unwrap_or(path)
}

/// The `*.json` files below a directory; links are not followed, hidden directories and `node_modules` are not entered.
pub fn json_files_below(dir: &Path) -> Below {
    let mut below = Below::default();
    collect(dir, DEPTH, &mut below);
    below.files.sort();
    below.unreadable.sort_by(|a, b| a.0.cmp(&b.0));
    below
}

fn collect(dir: &Path, depth: usize, below: &mut Below) {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(cause) => return below.unreadable.push((dir.to_path_buf(), cause)),
    };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        let name = entry.file_name();
        let is_foreign = name.as_encoded_bytes().starts_with(b".") || name == "node_modules";
        if kind.is_dir() && depth > 0 && !is_foreign {
            collect(&path, depth - 1, below);
        } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "json") {
            below.files.push(path);
        }
    }
}
