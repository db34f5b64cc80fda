//! The write protocol, step by step.

use super::{Receipt, Record, WriteError, open_parent, read, read_bytes};
use crate::ask::{Gate, check_record};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::Cause;
use crate::platform::files::Facts;
use crate::platform::paths::Shown as _;
use crate::store::disk::Disk;
use crate::store::file::Read;
use crate::store::project::Project;
use crate::store::safe_path::{self, Spot};
use crate::store::sha256;
use crate::text::say;
use cap_std::fs::{Dir, Metadata};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Names of our temporary files: `.novel-gate-<16 hexadecimal digits>.tmp`.
const TEMP: (&str, &str) = (".novel-gate-", ".tmp");
/// A temporary file older than this belongs to nobody any more.
const STALE: Duration = Duration::from_hours(1);

/// Writes a record, given as its exact bytes, where none is: either the complete record is there afterwards, or nothing has
/// changed. Whether it can be read back is for [`prove`].
pub(in crate::store) fn write_bytes(
    project: &Project,
    gate: &Gate,
    bytes: &[u8],
) -> Result<Receipt, WriteError> {
    // The bytes are judged, not the value they were made of: this is what the executor will read.
    check_record(&gate.spec, bytes).map_err(WriteError::Invalid)?;
    let spot = safe_path::spot(project, &gate.answer_path).map_err(WriteError::Refused)?;
    let durable = place(project, &spot, bytes).map_err(|cause| {
        if cause.kind() == io::ErrorKind::AlreadyExists {
            // Somebody was first; what they wrote may even be gone again.
            let winner = read(project, gate).unwrap_or_else(|_| Record::absent());
            return WriteError::Exists(Box::new(winner));
        }
        let sentence = say("Cannot write {0}; nothing was written.", "无法写入 {0}；没有写入任何内容。");
        WriteError::Failed(Error::io("write-failed", sentence, &[&spot.path().shown()], &cause))
    })?;
    Ok(Receipt::of(spot.path(), bytes, durable))
}

/// Reads a record back that was written.
pub(in crate::store) fn prove(project: &Project, receipt: &Receipt) -> Result<(), WriteError> {
    let shown = receipt.path.shown();
    // A disk that fails once is asked a second time: the record is there, and only its proof is missing.
    match verify(project, receipt).or_else(|_| verify(project, receipt)) {
        Ok(true) => Ok(()),
        Ok(false) => {
            let sentence = say(
                "{0} was written, but another program changed or removed it at once.",
                "{0} 已写入，但立刻被其他程序改动或删除。",
            );
            Err(WriteError::Failed(Error::new(ExitCode::Failed, "changed", sentence, &[&shown])))
        }
        Err(cause) => {
            let sentence =
                say("{0} was written, but could not be read back.", "{0} 已写入，但无法重新读取。");
            let hint = say("Look at it with check before going on.", "继续之前请用 check 查看。");
            let error = Error::io("not-verified", sentence, &[&shown], &cause).hint(hint, &[]);
            Err(WriteError::Failed(error))
        }
    }
}

/// Whether the record a receipt is for still lies there, byte for byte.
pub fn verify(project: &Project, receipt: &Receipt) -> io::Result<bool> {
    match read_bytes(project, &project.root().join(&receipt.path)) {
        Ok(Read::Bytes(bytes, _)) => Ok(sha256(&bytes) == receipt.sha256),
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => Err(cause),
        _ => Ok(false),
    }
}

/// Puts exact bytes where nothing is; whether the system confirmed it.
pub(in crate::store) fn place(project: &Project, spot: &Spot, bytes: &[u8]) -> io::Result<bool> {
    let disk = project.disk();
    let (dir, is_parent_durable) = make_parents(project, spot)?;
    let fill = |file: &mut File| disk.write(file, bytes).and_then(|()| disk.sync(file));
    write_temp(disk, &dir, fill, |temp| commit(disk, &dir, temp, &spot.name))?;
    Ok(sync_dir(disk, &dir) && is_parent_durable)
}

/// Brings a directory's names to the disk; whether the system confirmed it. A disk that fails once is asked a second time.
pub(in crate::store) fn sync_dir(disk: &dyn Disk, dir: &Dir) -> bool {
    disk.sync_dir(dir).or_else(|_| disk.sync_dir(dir)).is_ok()
}

/// Fills a temporary file and gives it its name; if that fails, nothing of it stays. The file, and what it was called first. What
/// a crash left there goes before.
pub(in crate::store) fn write_temp(
    disk: &dyn Disk,
    dir: &Dir,
    write: impl FnOnce(&mut File) -> io::Result<()>,
    give_name: impl FnOnce(&OsStr) -> io::Result<()>,
) -> io::Result<(File, OsString)> {
    sweep(disk, dir, disk.now());
    let temp = temp_name()?;
    let mut file = disk.create(dir, &temp)?;
    let named = write(&mut file).and_then(|()| give_name(&temp));
    named.inspect_err(|_| discard(disk, dir, &temp))?;
    Ok((file, temp))
}

/// Opens the directory the file goes into, making what is missing; whether that is on the disk.
fn make_parents(project: &Project, spot: &Spot) -> io::Result<(Dir, bool)> {
    let disk = project.disk();
    let mut is_durable = true;
    let mut dir = open_parent(project, &spot.parent)?;
    for name in &spot.missing {
        let make = || match disk.make_dir(&dir, name) {
            Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => Err(cause),
            _ => disk.open_dir(&dir, Path::new(name)),
        };
        // Somebody may remove it between the two steps.
        let next = match make() {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => make()?,
            other => other?,
        };
        is_durable &= sync_dir(disk, &dir);
        dir = next;
    }
    Ok((dir, is_durable))
}

/// Gives the finished file its name, never over another one.
pub(in crate::store) fn commit(disk: &dyn Disk, dir: &Dir, temp: &OsStr, name: &OsStr) -> io::Result<()> {
    match disk.rename_new(dir, temp, name) {
        Err(cause) if is_unsupported(&cause) => {}
        done => return done,
    }
    match disk.link(dir, temp, name) {
        Err(cause) if is_unsupported(&cause) || cause.kind() == io::ErrorKind::TooManyLinks => {}
        done => return done.map(|()| discard(disk, dir, temp)),
    }
    // A file system with neither: look, then rename. The gap between the two is the best there is.
    match dir.symlink_metadata(name) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => disk.rename(dir, temp, name),
        Err(cause) => Err(cause),
    }
}

/// Whether a file system cannot do this at all.
pub(in crate::store) fn is_unsupported(cause: &io::Error) -> bool {
    matches!(Cause::of(cause), Some(Cause::Invalid | Cause::Unsupported | Cause::NotPermitted))
}

/// Removes our temporary file; tries twice, because a disk that failed may fail again.
pub(in crate::store) fn discard(disk: &dyn Disk, dir: &Dir, temp: &OsStr) {
    let _ = disk.unlink(dir, temp).or_else(|_| disk.unlink(dir, temp));
}

pub(in crate::store) fn temp_name() -> io::Result<OsString> {
    Ok(OsString::from(format!("{}{:016x}{}", TEMP.0, getrandom::u64()?, TEMP.1)))
}

/// Whether a name is one of our temporary files.
pub(in crate::store) fn is_temp(name: &OsStr) -> bool {
    name.to_str()
        .and_then(|name| name.strip_prefix(TEMP.0)?.strip_suffix(TEMP.1))
        .is_some_and(|middle| middle.len() == 16 && middle.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Removes temporary files that a crash left in this directory.
pub(super) fn sweep(disk: &dyn Disk, dir: &Dir, now: SystemTime) {
    for name in stale(dir, now, is_temp) {
        let _ = disk.unlink(dir, &name);
    }
}

/// The files with a name of ours in this directory that belong to nobody any more.
pub(in crate::store) fn stale(dir: &Dir, now: SystemTime, is_ours: fn(&OsStr) -> bool) -> Vec<OsString> {
    let is_stale = |meta: &Metadata| {
        // A record that was moved under such a name may have been written long ago.
        let moved =
            UNIX_EPOCH + Duration::from_secs(u64::try_from(Facts::from(meta).changed.0).unwrap_or_default());
        meta.is_file() && now.duration_since(moved).is_ok_and(|age| age > STALE)
    };
    let entries = dir.entries().into_iter().flatten().flatten();
    let ours = entries.filter(|entry| is_ours(&entry.file_name()));
    // Not what the list says of it: there Windows leaves out which file it is.
    let names = ours.map(|entry| entry.file_name());
    names.filter(|name| dir.symlink_metadata(name).is_ok_and(|meta| is_stale(&meta))).collect()
}
