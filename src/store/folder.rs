//! The files below a directory that an operator names.
//!
//! Responsible for finding them. Not responsible for packets of a project (`scan`) nor for what the files say.

use std::fs;
use std::path::{Path, PathBuf};

/// No project nests deeper.
const DEPTH: usize = 32;

/// The `*.json` files below a directory, by path; links are not followed.
pub fn json_files_below(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(dir, DEPTH, &mut files);
    files.sort();
    files
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
