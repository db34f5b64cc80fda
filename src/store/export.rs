//! Files that the author names for something to be written to: one is written whole and never over another.

use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

/// Writes a new file.
///
/// # Errors
/// A file is there already (exit 6), or it cannot be written; then none is left behind.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let shown = path.to_string_lossy();
    let fail = |cause: io::Error| {
        Error::io("not-written", say("Cannot write {0}.", "无法写入 {0}。"), &[&shown], &cause)
    };
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => file,
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {
            let sentence = say("{0} is already there; it is untouched.", "{0} 已经存在，未作改动。");
            return Err(Error::new(ExitCode::Exists, "file-exists", sentence, &[&shown]));
        }
        Err(cause) => return Err(fail(cause)),
    };
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    written.map_err(|cause| {
        let _ = fs::remove_file(path);
        fail(cause)
    })
}
