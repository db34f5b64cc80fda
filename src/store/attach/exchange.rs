//! A packet's file changes places with a new one, in one step; what was there is looked at afterwards, and what somebody wrote in the
//! last moment goes back.

use crate::platform::Cause;
use crate::platform::files::{Facts, FileId, open_to_list};
use crate::store::disk::Disk;
use crate::store::file::{Read, read_open};
use crate::store::project::Project;
use crate::store::record::{discard, is_unsupported, open_parent, sync_dir, write_temp};
use cap_std::fs::{Dir, Metadata};
use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// So often, and so long apart, whoever else exchanges files in a directory is waited for.
const WAITS: u32 = 200;
const WAIT: Duration = Duration::from_millis(1);

/// A packet's file as it was read, and as it is to be.
pub(in crate::store) struct Rewriting {
    pub(in crate::store) old: Vec<u8>,
    pub(in crate::store) meta: Metadata,
    pub(in crate::store) new: Vec<u8>,
}

/// Why a packet was not exchanged.
pub(in crate::store) enum Fault {
    Untouched(io::Error),
    /// What was written last lies beside it by this name.
    Aside(OsString),
}

/// Of a file by its name: what stays the same when it is renamed, and differs once it is written.
type Identity = (FileId, u64, (i64, u64));

/// The new file, which lies beside the packet.
struct Swap<'s> {
    disk: &'static dyn Disk,
    dir: &'s Dir,
    temp: &'s OsStr,
    name: &'s OsStr,
}

/// Puts the new content in the place of the old one; false if that was not there any more, and what is there stays.
pub(in crate::store) fn exchange(
    project: &Project,
    place: &Path,
    rewriting: &Rewriting,
) -> Result<bool, Fault> {
    let Rewriting { meta, new, .. } = rewriting;
    let (disk, name) = (project.disk(), place.file_name().unwrap_or_default());
    let fill = |file: &mut File| {
        disk.write(file, new)?;
        file.set_permissions(meta.permissions().into_std(file)?)?;
        // By its time a packet belongs to the step that the book is at.
        file.set_modified(meta.modified()?.into_std())?;
        disk.sync(file)
    };
    let dir = open_parent(project, place.parent().unwrap_or(Path::new(""))).map_err(Fault::Untouched)?;
    let (_, temp) = write_temp(disk, &dir, fill, |_| Ok(())).map_err(Fault::Untouched)?;
    let swap = Swap { disk, dir: &dir, temp: &temp, name };
    let held = hold(&dir);
    let done = match swap.run(rewriting) {
        Err(Fault::Aside(temp)) => return Err(swap.set_aside(temp)),
        // It is gone.
        Err(Fault::Untouched(cause)) if Cause::of(&cause) == Some(Cause::NotFound) => Ok(false),
        done => done,
    };
    discard(disk, &dir, &temp);
    drop(held);
    sync_dir(disk, &dir);
    done
}

impl Swap<'_> {
    /// Exchanges the two, and again until what was written last has the packet's name.
    fn run(&self, Rewriting { old, meta, .. }: &Rewriting) -> Result<bool, Fault> {
        let swap = || self.disk.exchange(self.dir, self.temp, self.name);
        let mut put = self.identity();
        match swap() {
            Err(cause) if is_unsupported(&cause) => return self.replace(old).map_err(Fault::Untouched),
            done => done.map_err(Fault::Untouched)?,
        }
        let mut taken = self.identity();
        let is_old = match self.read(self.temp) {
            Some(there) => there == *old,
            None => taken == Some(identity(meta)),
        };
        if is_old {
            return Ok(true);
        }
        loop {
            // A disk that fails once is asked a second time.
            match swap().or_else(|_| swap()) {
                // Whoever was here last has removed it.
                Err(cause) if Cause::of(&cause) == Some(Cause::NotFound) => return Ok(false),
                done => done.map_err(|_| Fault::Aside(self.temp.to_owned()))?,
            }
            let there = self.identity();
            if there == put {
                return Ok(false);
            }
            (put, taken) = (taken, there);
        }
    }

    /// The same where the file system cannot exchange two files. Between the look and the renaming somebody may come; no more can be
    /// had here.
    fn replace(&self, old: &[u8]) -> io::Result<bool> {
        let is_same = self.read(self.name).is_some_and(|there| there == old);
        if is_same {
            self.disk.rename(self.dir, self.temp, self.name)?;
        }
        Ok(is_same)
    }

    fn read(&self, name: &OsStr) -> Option<Vec<u8>> {
        let read = || self.disk.open(self.dir, name).and_then(read_open);
        match read().or_else(|_| read()) {
            Ok(Read::Bytes(bytes, _)) => Some(bytes),
            Ok(Read::Odd(..) | Read::Changed) | Err(_) => None,
        }
    }

    /// That of the file beside the packet.
    fn identity(&self) -> Option<Identity> {
        self.dir.symlink_metadata(self.temp).ok().map(|meta| identity(&meta))
    }

    /// Gives what was written last a name that says of what it is, and that nobody sweeps.
    fn set_aside(&self, temp: OsString) -> Fault {
        let mut aside = self.name.to_owned();
        aside.push(".aside");
        let is_named = self.disk.rename_new(self.dir, &temp, &aside).is_ok();
        Fault::Aside(if is_named { aside } else { temp })
    }
}

fn identity(meta: &Metadata) -> Identity {
    let facts = Facts::from(meta);
    (facts.id, facts.size, facts.modified)
}

/// Keeps others of us from exchanging files in the same directory: what one puts back for a moment would look new to another. Nobody
/// is waited for very long, and where there are no locks, not at all.
fn hold(dir: &Dir) -> Option<File> {
    let open = open_to_list(dir).ok()?;
    for _ in 0..WAITS {
        match open.try_lock() {
            Ok(()) => return Some(open),
            Err(TryLockError::WouldBlock) => thread::sleep(WAIT),
            Err(TryLockError::Error(_)) => return None,
        }
    }
    None
}
