//! The write protocol, step by step.

use super::{Receipt, Record, WriteError, open_parent, read, read_bytes};
use crate::ask::{Gate, check_record};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::disk::Disk;
use crate::store::file::Read;
use crate::store::project::Project;
use crate::store::safe_path::{self, Spot};
use crate::store::sha256;
use crate::text::say;
use cap_std::fs::Dir;
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Names of our temporary files: `.novel-gate-<16 hexadecimal digits>.tmp`.
const TEMP: (&str, &str) = (".novel-gate-", ".tmp");
/// A temporary file older than this belongs to nobody any more.
const STALE: Duration = Duration::from_hours(1);

/// Writes a record, given as its exact bytes, where none is: either the complete record is there afterwards, or nothing has
/// changed.
pub(in crate::store) fn write_bytes(
    disk: &dyn Disk,
    project: &Project,
    gate: &Gate,
    bytes: &[u8],
) -> Result<Receipt, WriteError> {
    // The bytes are judged, not the value they were made of: this is what the executor will read.
    let record = check_record(&gate.spec, bytes).map_err(WriteError::Invalid)?;
    let spot = safe_path::spot(project, &gate.answer_path).map_err(WriteError::Refused)?;
    let path = spot.path();
    let shown = path.to_string_lossy();
    let durable = match place(disk, project, &spot, bytes) {
        Ok(durable) => durable,
        // Somebody was first; what they wrote may even be gone again.
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
            let winner = read(project, gate).unwrap_or_else(|_| Record::absent());
            return Err(WriteError::Exists(Box::new(winner)));
        }
        Err(cause) => {
            let sentence = say("Cannot write {0}; nothing was written.", "无法写入 {0}；没有写入任何内容。");
            return Err(WriteError::Failed(Error::io("write-failed", sentence, &[&shown], &cause)));
        }
    };
    let receipt = Receipt {
        path: path.clone(),
        sha256: sha256(bytes),
        bytes: bytes.len(),
        answered_at: record.answered_at.lossy().into_owned(),
        durable,
    };
    // A disk that fails once is asked a second time: the record is there, and only its proof is missing.
    match verify_on(disk, project, &receipt).or_else(|_| verify_on(disk, project, &receipt)) {
        Ok(true) => Ok(receipt),
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
pub fn verify(project: &Project, receipt: &Receipt) -> Result<bool, Error> {
    verify_on(project.disk(), project, receipt).map_err(|cause| {
        let shown = receipt.path.to_string_lossy();
        Error::io("not-verified", say("Cannot read {0} back.", "无法重新读取 {0}。"), &[&shown], &cause)
    })
}

fn verify_on(disk: &dyn Disk, project: &Project, receipt: &Receipt) -> io::Result<bool> {
    match read_bytes(disk, project, &project.root().join(&receipt.path)) {
        Ok(Read::Bytes(bytes, _)) => Ok(sha256(&bytes) == receipt.sha256),
        Ok(_) => Ok(false),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(cause) => Err(cause),
    }
}

/// Puts exact bytes back where nothing is, by the same protocol; used to undo a removal.
pub(in crate::store) fn place(
    disk: &dyn Disk,
    project: &Project,
    spot: &Spot,
    bytes: &[u8],
) -> io::Result<bool> {
    let dir = make_parents(disk, project, spot)?;
    let fill = |file: &mut File| {
        disk.write(file, bytes)?;
        disk.sync(file)
    };
    drop(write_temp(disk, &dir, fill, |temp| commit(disk, &dir, temp, &spot.name))?);
    Ok(disk.sync_dir(&dir).or_else(|_| disk.sync_dir(&dir)).is_ok())
}

/// Fills a temporary file and gives it its name; if that fails, nothing of it stays. What a crash left there goes first.
pub(in crate::store) fn write_temp(
    disk: &dyn Disk,
    dir: &Dir,
    write: impl FnOnce(&mut File) -> io::Result<()>,
    give_name: impl FnOnce(&OsStr) -> io::Result<()>,
) -> io::Result<File> {
    sweep(disk, dir);
    let temp = temp_name()?;
    let mut file = disk.create(dir, &temp)?;
    match write(&mut file).and_then(|()| give_name(&temp)) {
        Ok(()) => Ok(file),
        Err(cause) => {
            discard(disk, dir, &temp);
            Err(cause)
        }
    }
}

/// Opens the directory the file goes into, making what is missing.
fn make_parents(disk: &dyn Disk, project: &Project, spot: &Spot) -> io::Result<Dir> {
    let mut dir = open_parent(disk, project, &spot.parent)?;
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
        dir = next;
    }
    Ok(dir)
}

/// Gives the finished file its name, never over another one.
pub(in crate::store) fn commit(disk: &dyn Disk, dir: &Dir, temp: &OsStr, name: &OsStr) -> io::Result<()> {
    let unsupported = |cause: &io::Error| {
        matches!(
            cause.raw_os_error().map(Errno::from_raw_os_error),
            Some(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::PERM)
        )
    };
    match disk.rename_new(dir, temp, name) {
        Err(cause) if unsupported(&cause) => {}
        done => return done,
    }
    match disk.link(dir, temp, name) {
        Ok(()) => {
            discard(disk, dir, temp);
            return Ok(());
        }
        Err(cause) if unsupported(&cause) || cause.raw_os_error() == Some(Errno::MLINK.raw_os_error()) => {}
        Err(cause) => return Err(cause),
    }
    // A file system with neither: look, then rename. The gap between the two is the best there is.
    match dir.symlink_metadata(name) {
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => disk.rename(dir, temp, name),
        Err(cause) => Err(cause),
    }
}

/// Removes our temporary file; tries twice, because a disk that failed may fail again.
fn discard(disk: &dyn Disk, dir: &Dir, temp: &OsStr) {
    let _ = disk.unlink(dir, temp).or_else(|_| disk.unlink(dir, temp));
}

pub(in crate::store) fn temp_name() -> io::Result<OsString> {
    let mut random = [0_u8; 8];
    rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())?;
    Ok(OsString::from(format!("{}{:016x}{}", TEMP.0, u64::from_ne_bytes(random), TEMP.1)))
}

/// Whether a name is one of our temporary files.
pub(in crate::store) fn is_temp(name: &OsStr) -> bool {
    name.to_str()
        .and_then(|name| name.strip_prefix(TEMP.0)?.strip_suffix(TEMP.1))
        .is_some_and(|middle| middle.len() == 16 && middle.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Removes temporary files that a crash left in this directory.
fn sweep(disk: &dyn Disk, dir: &Dir) {
    let Ok(entries) = dir.entries() else { return };
    for entry in entries.flatten().filter(|entry| is_temp(&entry.file_name())) {
        let old = entry
            .metadata()
            .ok()
            .filter(cap_std::fs::Metadata::is_file)
            .and_then(|meta| disk.now().duration_since(meta.modified().ok()?.into_std()).ok());
        if old.is_some_and(|age| age > STALE) {
            let _ = disk.unlink(dir, &entry.file_name());
        }
    }
}
