//! Files that a client keeps in a directory of its own, such as skills and commands. A project brings them along, so there is an end
//! to how much of them is looked at: each directory is entered once, whatever links lead to it, no link is followed out of the
//! directory around the client's, and one file is read at a time.

use super::file::read_beginning;
use crate::platform::files::{FileId, look_at, names_in};
use crate::platform::paths::canonicalize;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// So many names are looked at.
const NAMES: usize = 10_000;
/// So many bytes are read.
const BYTES: usize = 16 << 20;
/// In a directory with this file, the directory's name is what it is called by.
const SKILL: &str = "SKILL.md";

/// What was found, before it is read.
#[derive(Debug, Default)]
pub struct Shelf {
    pub files: Vec<ShelfFile>,
    /// There is more than is looked at, or something leads out of where all of it could lie.
    pub is_cut: bool,
    names: usize,
    bytes: usize,
}

/// A file, or a link that leads out and may be one.
#[derive(Debug)]
pub struct ShelfFile {
    path: PathBuf,
    /// What it is called by its place.
    pub names: Vec<OsString>,
    is_outside: bool,
}

/// A directory that is still to be entered.
struct Open {
    dir: PathBuf,
    depth: usize,
    /// The directory that no link may lead out of.
    around: Option<PathBuf>,
}

impl Shelf {
    /// Finds the files with this ending in `own` of each directory, and down to `depth` below it. No link leads out of such a
    /// directory, unless it is `free`.
    pub fn gather(&mut self, around: &[(&Path, bool)], own: &str, depth: usize, ending: &str) {
        let mut open = VecDeque::new();
        for (base, is_free) in around {
            let dir = base.join(own);
            let around = canonicalize(base).ok().filter(|_| !is_free);
            if canonicalize(&dir).is_ok_and(|real| is_outside(&real, around.as_deref())) {
                self.is_cut = true;
            } else {
                open.push_back(Open { dir, depth, around });
            }
        }
        // By levels: where several ways lead to a directory, the shortest shows most of what is below it.
        let mut entered = HashMap::new();
        while let Some(next) = open.pop_front().filter(|_| self.names <= NAMES) {
            self.enter(next, ending, &mut entered, &mut open);
        }
    }

    /// Looks at the names in a directory. Of each that was entered, the table knows which file is its skill.
    fn enter(
        &mut self,
        Open { dir, depth, around }: Open,
        ending: &str,
        entered: &mut HashMap<FileId, Option<usize>>,
        open: &mut VecDeque<Open>,
    ) {
        let Ok(facts) = look_at(&dir) else { return };
        let own = dir.file_name().unwrap_or_default().to_owned();
        let skill = match entered.entry(facts.id) {
            Entry::Vacant(new) => new.insert(None),
            Entry::Occupied(known) => {
                if let Some(skill) = known.get().and_then(|at| self.files.get_mut(at)) {
                    skill.names.push(own);
                }
                return;
            }
        };
        for name in names_in(&dir).into_iter().flatten() {
            self.names += 1;
            let Some(name) = name.ok().filter(|_| self.names <= NAMES) else {
                self.is_cut = true;
                return;
            };
            let path = dir.join(&name);
            let is_skill = name == SKILL;
            let has_ending = path.extension().is_some_and(|own| own == ending);
            let link = path.is_symlink().then(|| canonicalize(&path).ok()).flatten();
            let is_outside = link.is_some_and(|real| is_outside(&real, around.as_deref()));
            if !is_outside && path.is_dir() {
                let depth = depth.checked_sub(1);
                open.extend(depth.map(|depth| Open { dir: path, depth, around: around.clone() }));
            } else if is_outside || has_ending {
                *skill = skill.or(is_skill.then_some(self.files.len()));
                let stem = path.file_stem().filter(|_| has_ending).unwrap_or(&name);
                let called = if is_skill { own.clone() } else { stem.to_owned() };
                self.files.push(ShelfFile { path, names: vec![called], is_outside });
            }
        }
    }

    /// The text of a file, as far as `most` bytes; `None` if it cannot be read, or too much was read before.
    pub fn read(&mut self, file: &ShelfFile, most: usize) -> Option<String> {
        if file.is_outside || self.bytes > BYTES {
            return None;
        }
        let bytes = read_beginning(&file.path, most).ok()?;
        self.bytes += bytes.len();
        self.is_cut |= self.bytes > BYTES;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn is_outside(real: &Path, around: Option<&Path>) -> bool {
    around.is_some_and(|around| !real.starts_with(around))
}
