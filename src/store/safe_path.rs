//! Where an `answer_path` leads.
//!
//! Two different questions are answered here. *Does the executor accept it?* is answered exactly as novel-writer-cli
//! 0.5.0 does ([`resolve`]). *Would we write there?* is stricter ([`refusal`]): a record may only become a plain file
//! beneath the root that is nobody else's. What can be seen in the text alone is checked by `ask::decode_packet`.

mod refusal;

pub use refusal::Refusal;

use super::file::{is_packet_name, outside, read_file, special_file_kind};
use super::project::Project;
use crate::ask::windows_name::is_path_on_windows;
use crate::ask::{JsString, Problem, looks_like_gate};
use crate::platform::files::{is_barred, look_at};
use crate::platform::paths::{Shown as _, TAKES_EVERY_NAME, canonicalize};
use crate::platform::{Cause, Failure};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, MAIN_SEPARATOR_STR, Path, PathBuf, is_separator};
use unicode_normalization::UnicodeNormalization;

/// So many bytes of a path the system takes.
const PATH_LIMIT: usize = 4_095;

/// The place a record is written to: all links resolved, beneath the root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The deepest directory that exists, relative to the root; may be empty.
    pub parent: PathBuf,
    /// Directories still to be made below it, in order.
    pub missing: Vec<OsString>,
    /// The file's name.
    pub name: OsString,
}

impl Spot {
    /// The whole path, relative to the root.
    pub fn path(&self) -> PathBuf {
        let mut path = self.parent.clone();
        path.extend(&self.missing);
        path.join(&self.name)
    }
}

/// The reference's verdict on a path whose form is already known to be legal: where what lies there really is, or nothing. In
/// rare tangles of links the system finds it outside the root where the executor does not: then it must not be opened.
///
/// Like the reference, whatever cannot be looked at counts as missing: no permission, a file in the middle, a loop, a
/// name that is too long, a NUL. An error if it leads out of the project through a link.
pub fn resolve(project: &Project, answer_path: &JsString) -> Result<Option<PathBuf>, Box<Problem>> {
    let root = project.root();
    let shown = answer_path.lossy();
    // There the executor takes both signs for separators.
    if !TAKES_EVERY_NAME && !is_path_on_windows(&shown.replace('\\', "/")) {
        return Ok(None);
    }
    let target = join(root, &shown);
    for path in target.ancestors().take_while(|path| path.starts_with(root)) {
        match look(root, path) {
            Ok(Some(real)) if path == target => return Ok(Some(real)),
            Ok(Some(_)) => break,
            Ok(None) => return Err(outside(answer_path).at("/answer_path").into()),
            // The directory above it shows where it would lead.
            Err(_) => {}
        }
    }
    Ok(None)
}

/// Where a path beneath the root leads, if not out of it. An error if nothing can be seen there, or no longer: it may vanish
/// between two steps of one look.
fn look(root: &Path, path: &Path) -> io::Result<Option<PathBuf>> {
    const TRIES: usize = 20;
    let is_gone = |cause: &io::Error| matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    for _ in 0..TRIES {
        fs::metadata(path)?;
        match canonicalize(path) {
            // Without links on the way Node and the system agree.
            Ok(real) if real == path => return Ok(Some(real)),
            Ok(real) => match node_realpath(root, path) {
                Ok(found) if found.starts_with(root) => return Ok(Some(real)),
                // It has vanished, or only Node does not find it: then that stays so.
                Err(cause) if is_gone(&cause) => {}
                _ => break,
            },
            Err(cause) if is_gone(&cause) => return Err(cause),
            Err(_) => break,
        }
    }
    Ok(None)
}

/// Joins as Node's `path.join` does: `.` and doubled slashes vanish, a slash at the end stays.
pub(super) fn join(root: &Path, relative: &str) -> PathBuf {
    let mut out = root.as_os_str().to_owned();
    // One after the other and not as a path: none of these names is a drive.
    for name in relative.split(is_separator).filter(|name| !matches!(*name, "" | "." | "..")) {
        if !out.is_empty() && !out.as_encoded_bytes().ends_with(b"/") {
            out.push(MAIN_SEPARATOR_STR);
        }
        out.push(name);
    }
    if relative.ends_with(is_separator) {
        out.push(MAIN_SEPARATOR_STR);
    }
    out.into()
}

/// Node's own `realpath`, which takes `..` in a link's target by its letters instead of by the directories.
fn node_realpath(root: &Path, path: &Path) -> io::Result<PathBuf> {
    const LINKS: usize = 4_096;
    let names = |path: &Path| path.iter().map(OsStr::to_owned).collect::<VecDeque<OsString>>();
    let mut done = root.to_path_buf();
    let mut rest = names(path.strip_prefix(root).unwrap_or(path));
    let mut links = 0;
    while let Some(name) = rest.pop_front() {
        let here = done.join(&name);
        if !fs::symlink_metadata(&here)?.is_symlink() {
            done = here;
            continue;
        }
        links += 1;
        if links > LINKS {
            return Err(Failure::LINK_LOOP.into());
        }
        fs::metadata(&here)?;
        let target = flatten(&done.join(fs::read_link(&here)?));
        let top = target.ancestors().last().unwrap_or(&target);
        let mut ahead = names(target.strip_prefix(top).unwrap_or(&target));
        ahead.append(&mut rest);
        rest = ahead;
        done = top.to_path_buf();
    }
    Ok(done)
}

/// Takes `.` and `..` out of an absolute path by its letters.
fn flatten(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

/// Why no record may be written there; `None` if it may, or if a record is there already and could be replaced.
///
/// `packet` is the packet's own file; `known` is what lies at the answer path, if it has just been read.
pub fn refusal(
    project: &Project,
    answer_path: &JsString,
    packet: &Path,
    known: Option<&[u8]>,
) -> Option<Refusal> {
    spot(project, answer_path).map_or_else(Some, |spot| {
        let id = |path: &Path| look_at(path).ok().map(|facts| facts.id);
        let place = project.root().join(spot.path());
        let there = id(&place)?;
        let is_packet = || match known {
            Some(bytes) => is_packet(&spot.path(), bytes),
            None => read_file(&place).is_ok_and(|bytes| is_packet(&spot.path(), &bytes)),
        };
        (id(packet) == Some(there) || is_packet()).then_some(Refusal::Packet)
    })
}

/// Whether what lies at a path relative to the root is an instruction packet: below `staging/` others than `*.packet.json` are
/// packets too if they ask something.
pub(super) fn is_packet(path: &Path, bytes: &[u8]) -> bool {
    let is_json = path.extension().is_some_and(|ending| ending == "json");
    is_json && path.starts_with("staging") && looks_like_gate(bytes)
}

/// The place a record is written to.
pub fn spot(project: &Project, answer_path: &JsString) -> Result<Spot, Refusal> {
    let (spot, refusal) = spot_to_read(project, answer_path)?;
    refusal.map_or(Ok(spot), Err)
}

/// The same, and why nothing can be written there, which keeps nobody from reading.
pub(super) fn spot_to_read(
    project: &Project,
    answer_path: &JsString,
) -> Result<(Spot, Option<Refusal>), Refusal> {
    let root = project.root();
    let target = target(root, answer_path)?;
    let directory = Directory::of(target.parent().unwrap_or(root));
    let name = target.file_name().unwrap_or_default();
    let spot = directory.spot(root, name)?;
    if spot.missing.is_empty() {
        leaf(root, &directory.real.join(name))?;
    }
    Ok((spot, directory.refusal))
}

/// Why no record may be written where nothing is yet.
pub(super) fn refusal_of_missing(
    root: &Path,
    answer_path: &JsString,
    directory: &Directory,
) -> Option<Refusal> {
    let target = target(root, answer_path);
    let spot = target.and_then(|target| directory.spot(root, target.file_name().unwrap_or_default()));
    spot.map_or_else(Some, |_| directory.refusal)
}

/// The absolute path of a record, if its text alone forbids nothing.
fn target(root: &Path, answer_path: &JsString) -> Result<PathBuf, Refusal> {
    const NAME_LIMIT: usize = 255;
    let shown = answer_path.lossy();
    let target = join(root, &shown);
    if shown.contains('\0') {
        Err(Refusal::Nul)
    } else if !TAKES_EVERY_NAME && !is_path_on_windows(&shown) {
        Err(Refusal::WindowsName)
    } else if target.iter().any(|name| name.len() > NAME_LIMIT) {
        Err(Refusal::NameTooLong)
    } else if target.as_os_str().len() > PATH_LIMIT {
        Err(Refusal::PathTooLong)
    } else if target == root {
        Err(Refusal::Directory)
    } else if shown.ends_with('/') {
        Err(if fs::metadata(&target).is_ok() { Refusal::Directory } else { Refusal::TrailingSlash })
    } else {
        Ok(target)
    }
}

/// Where an answer path leads, relative to the root: the same for every spelling of one place, links resolved, whether
/// anything is there or not. What cannot be resolved stays as it is spelled.
pub fn real_place(project: &Project, answer_path: &JsString) -> PathBuf {
    let shown = answer_path.lossy();
    let target = join(project.root(), shown.trim_end_matches('/'));
    let (Some(above), Some(name)) = (target.parent(), target.file_name()) else { return PathBuf::new() };
    place_in(project.root(), &Directory::of(above).path(), name)
}

/// The same of a name in a resolved directory.
pub(super) fn place_in(root: &Path, dir: &Path, name: &OsStr) -> PathBuf {
    let place = dir.join(name);
    let place = if is_link(&place) { canonicalize(&place).unwrap_or(place) } else { place };
    place.strip_prefix(root).map(Path::to_path_buf).unwrap_or(place)
}

/// The place of a record in its directory, relative to the root: the same for every spelling and through links to its
/// directories. A link in the last place is a thing of its own: it can be moved away without what it leads to.
pub(super) fn named_place(root: &Path, answer_path: &JsString) -> PathBuf {
    let shown = answer_path.lossy();
    let spelled = join(Path::new(""), shown.trim_end_matches('/'));
    let (Some(above), Some(name)) = (spelled.parent(), spelled.file_name()) else { return spelled };
    match Directory::of(&root.join(above)).path().strip_prefix(root) {
        Ok(below) => below.join(name),
        // It leads out of the project, where nothing is ever written.
        Err(_) => spelled,
    }
}

/// A path, the same for one that differs only in the case of letters or in how an accent is composed: on some disks it is one name.
pub(super) fn folded(path: &Path) -> String {
    path.shown().nfc().flat_map(char::to_lowercase).nfc().collect()
}

/// The last name of a path, [folded].
pub(super) fn folded_name(path: &Path) -> Option<String> {
    path.file_name().map(|name| folded(Path::new(name)))
}

/// The places that a write or a removal at an absolute path may touch, spelled by somebody else, links of its directories
/// resolved, whether anything is there or not: a link, and what it leads to. `..` is taken by its letters, as Node's
/// `path.resolve` does.
pub fn places_of(path: &Path) -> Vec<PathBuf> {
    const LINKS: usize = 40;
    let (mut path, mut places) = (flatten(path), Vec::new());
    while let (Some(above), Some(name)) = (path.parent(), path.file_name()) {
        if path.as_os_str().len() > PATH_LIMIT {
            break;
        }
        let place = Directory::of(above).path().join(name);
        let target = fs::read_link(&place).ok().filter(|_| places.len() < LINKS);
        path = target.as_ref().map(|target| place.with_file_name(target)).unwrap_or_default();
        places.push(place);
    }
    places
}

/// A directory with all links resolved.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    /// What exists of it; all of it, as it is spelled, where that cannot be told.
    real: PathBuf,
    missing: Vec<OsString>,
    /// Why nothing can be written in it.
    refusal: Option<Refusal>,
}

impl Directory {
    pub(super) fn of(path: &Path) -> Directory {
        let unknown =
            |refusal| Directory { real: path.to_path_buf(), missing: Vec::new(), refusal: Some(refusal) };
        let mut missing = Vec::new();
        for dir in path.ancestors() {
            let real = |meta: fs::Metadata| {
                if meta.is_dir() { canonicalize(dir) } else { Err(Failure::NOT_A_DIRECTORY.into()) }
            };
            // It may vanish between the two steps: then it is missing like any other.
            match fs::metadata(dir).and_then(real) {
                Ok(real) => {
                    missing.reverse();
                    let refusal = is_barred(&real).then_some(Refusal::ParentReadOnly);
                    return Directory { real, missing, refusal };
                }
                Err(cause) if cause.kind() != ErrorKind::NotFound => return unknown(path_refusal(&cause)),
                Err(_) if is_link(dir) => return unknown(Refusal::DanglingLink),
                Err(_) => missing.extend(dir.file_name().map(OsStr::to_owned)),
            }
        }
        unknown(Refusal::ParentUnreadable)
    }

    /// The whole path; what is missing is appended as it is spelled.
    pub(super) fn path(&self) -> PathBuf {
        self.real.iter().chain(self.missing.iter().map(|name| &**name)).collect()
    }

    /// The place of a file in it that is nobody else's by its name.
    fn spot(&self, root: &Path, name: &OsStr) -> Result<Spot, Refusal> {
        if let Some(refusal) = self.refusal.filter(|refusal| *refusal != Refusal::ParentReadOnly) {
            return Err(refusal);
        }
        let parent = self.real.strip_prefix(root).map_err(|_| Refusal::Outside)?.to_path_buf();
        let spot = Spot { parent, missing: self.missing.clone(), name: name.to_owned() };
        reserved(&spot.path()).map(|()| spot)
    }
}

fn path_refusal(cause: &io::Error) -> Refusal {
    match Cause::of(cause) {
        Some(Cause::NotADirectory) => Refusal::ParentIsFile,
        Some(Cause::LinkLoop) => Refusal::LinkLoop,
        Some(Cause::NameTooLong) => Refusal::PathTooLong,
        _ => Refusal::ParentUnreadable,
    }
}

/// Names, in a path relative to the root, that are somebody else's.
fn reserved(path: &Path) -> Result<(), Refusal> {
    match path.iter().next().map(plain_name).as_deref() {
        // The second is the short name that Windows gives the first.
        _ if path.iter().any(|name| matches!(&*plain_name(name), ".git" | "git~1")) => Err(Refusal::Git),
        Some(".novel.lock") => Err(Refusal::Lock),
        Some(".checkpoint.json") => Err(Refusal::Checkpoint),
        _ if path.file_name().is_some_and(|name| is_packet_name(Path::new(&plain_name(name)))) => {
            Err(Refusal::Packet)
        }
        _ => Ok(()),
    }
}

/// A name as a disk may take it that tells no cases apart, drops dots and blanks at the end, or ignores characters that are
/// not seen.
fn plain_name(name: &OsStr) -> String {
    let unseen = |c: char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let name = name.shown().replace(unseen, "").to_lowercase();
    name.trim_end_matches(['.', ' ']).to_owned()
}

/// Whether a link stands here. What was missing a moment ago and is there now has been made meanwhile; it is no link
/// that leads nowhere.
fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink())
}

/// What already has the file's name.
fn leaf(root: &Path, path: &Path) -> Result<(), Refusal> {
    // It may vanish between the two steps: then there is nothing.
    let real = |path: &Path| if is_link(path) { canonicalize(path) } else { Ok(path.to_path_buf()) };
    let looked = fs::metadata(path).and_then(|meta| Ok((meta, real(path)?)));
    let (meta, real) = match looked {
        Ok(found) => found,
        Err(cause) if cause.kind() != ErrorKind::NotFound => return Err(path_refusal(&cause)),
        Err(_) if is_link(path) => return Err(Refusal::DanglingLink),
        Err(_) => return Ok(()),
    };
    let rest = real.strip_prefix(root).map_err(|_| Refusal::Outside)?;
    match special_file_kind(&meta) {
        // A link to somebody else's file is that file.
        None => reserved(rest),
        Some("directory") => Err(Refusal::Directory),
        Some("fifo") => Err(Refusal::Fifo),
        Some("socket") => Err(Refusal::Socket),
        Some(_) => Err(Refusal::Device),
    }
}

#[cfg(test)]
mod tests;
