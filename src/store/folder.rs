//! The files below a directory that an operator names.
//!
//! Responsible for finding them. Not responsible for packets of a project (`scan`) nor for what the files say.

use std::fs;
use std::path::{Path, PathBuf};

/// No project nests deeper.
const DEPTH: usize = 32;

/// The `*.json` files below a directory, by path; links below it are not followed. Nothing if it is no directory.
pub fn json_files_below(dir: &Path) -> Option<Vec<PathBuf>> {
    if !dir.is_dir() {
        return None;
    }
    let mut files = Vec::new();
    collect(dir, DEPTH, &mut files);
    files.sort();
    Some(files)
}

/// The one path of a file whatever links lead to it; as it is given if there is no such file.
pub fn real_path(path: PathBuf) -> PathBuf {
    path.canonicalize().unwrap_or(path)
}

fn collect(dir: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        if kind.is_dir() && depth > 0 {
            collect(&path, depth - 1, files);
        } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
}
