//! Names in directories: listing, making, giving and taking them. Nothing here follows a link in the last place.

use super::files::{kind, patient, whole};
use crate::platform::cause::Failure;
use crate::platform::facts::FileKind;
use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, OpenOptions};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;

/// The number of what permissions forbid, and of a name whose file is just being removed or is open without leave to take its name.
const BARRED: [i32; 1] = [5];

pub fn make_dir(dir: &Dir, name: &OsStr) -> io::Result<()> {
    dir.create_dir(name)
}

/// Makes a directory and its parents. They have the permissions of what they lie in: a profile is its owner's only.
pub fn make_private_dirs(dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir).map_err(|cause| match cause.kind() {
        // A file lies there.
        io::ErrorKind::AlreadyExists => Failure::NOT_A_DIRECTORY.into(),
        _ => cause,
    })
}

/// Makes a file for writing, unless its name is taken.
pub fn create(dir: &Dir, name: &OsStr) -> io::Result<File> {
    Ok(patient(&BARRED, || dir.open_with(name, OpenOptions::new().write(true).create_new(true)))?.into_std())
}

/// Opens a file for reading without ever waiting for a writer.
pub fn open_in(dir: &Dir, name: &OsStr) -> io::Result<File> {
    let open = || dir.open_with(name, OpenOptions::new().read(true).follow(FollowSymlinks::No));
    whole(patient(&[], open)?.into_std(), || Ok(dir.open(name)?.into_std()))
}

/// There is no such step: a file is given a second name, and loses its first.
pub fn rename_new(_: &Dir, _: &OsStr, _: &OsStr) -> io::Result<()> {
    Err(Failure::UNSUPPORTED.into())
}

/// Renames, whatever is there.
pub fn rename(dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
    patient(&BARRED, || dir.rename(from, dir, to))
}

/// There is no such step.
pub fn exchange(_: &Dir, _: &OsStr, _: &OsStr) -> io::Result<()> {
    Err(Failure::UNSUPPORTED.into())
}

/// Gives a file a second name unless that is taken.
pub fn link(dir: &Dir, from: &OsStr, to: &OsStr) -> io::Result<()> {
    patient(&BARRED, || dir.hard_link(from, dir, to))
}

/// Removes a name, also of a file that may not be written to: whether it goes is for the directory to say, as elsewhere.
pub fn unlink(dir: &Dir, name: &OsStr) -> io::Result<()> {
    patient(&BARRED, || dir.remove_file(name).or_else(|cause| remove_marked(dir, name, cause)))
}

/// Takes the mark away that keeps a file from being removed, and removes it.
fn remove_marked(dir: &Dir, name: &OsStr, cause: io::Error) -> io::Result<()> {
    let mut permissions = dir.symlink_metadata(name)?.permissions();
    if !permissions.readonly() {
        return Err(cause);
    }
    permissions.set_readonly(false);
    dir.set_permissions(name, permissions)?;
    dir.remove_file(name)
}

/// The system has no call for it, and needs none: its file systems keep a log of names.
pub fn sync_dir(_: &Dir) -> io::Result<()> {
    Ok(())
}

/// The same of a directory by its path.
pub fn sync_dir_at(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Another handle of a directory.
pub fn open_to_list(dir: &Dir) -> io::Result<File> {
    Ok(dir.try_clone()?.into_std_file())
}

/// A name in a directory.
pub struct Listed {
    entry: DirEntry,
    name: OsString,
}

impl Listed {
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// What has this name.
    pub fn kind(&self) -> io::Result<Option<FileKind>> {
        Ok(Some(kind(self.entry.file_type()?)))
    }
}

/// The names in an open directory.
pub fn list(dir: &File) -> io::Result<impl Iterator<Item = io::Result<Listed>>> {
    let entries = Dir::from_std_file(dir.try_clone()?).entries()?;
    Ok(entries.map(|entry| entry.map(|entry| Listed { name: entry.file_name(), entry })))
}

/// The names in a directory.
pub fn names_in(dir: &Path) -> io::Result<impl Iterator<Item = io::Result<OsString>> + use<>> {
    let entries = Dir::open_ambient_dir(dir, ambient_authority())?.entries()?;
    Ok(entries.map(|entry| Ok(entry?.file_name())))
}
