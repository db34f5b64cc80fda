//! The bytes of a file that the command line names.
//!
//! Responsible for `-`, which is standard input, and for pipes such as `/dev/stdin`. Not responsible for what the bytes
//! mean.

use super::Session;
use crate::ask::ProblemKind;
use crate::error::Error;
use crate::store::SIZE_LIMIT;
use crate::store::gate::{self, LoadFault};
use crate::text::say;
use std::io::Read;
use std::path::Path;

/// Reads a named file to its end, at most 64 MiB.
///
/// # Errors
/// It is not there, is no file, or is too large.
pub(super) fn read(session: &mut Session<'_>, file: &Path) -> Result<Vec<u8>, LoadFault> {
    if file.as_os_str() == "-" {
        let mut bytes = Vec::new();
        return match session.streams.input.take(SIZE_LIMIT).read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes),
            Err(cause) => {
                let sentence = say("Cannot read standard input.", "无法读取标准输入。");
                Err(LoadFault::Unreadable(Error::io("unreadable", sentence, &[], &cause)))
            }
        };
    }
    let path = session.environment.cwd.join(file);
    match gate::read_file(&path) {
        Ok(read) => Ok(read.bytes),
        Err(LoadFault::Malformed(problems)) => match problems.first().map(|first| &first.kind) {
            Some(ProblemKind::NotAFile("fifo" | "device")) => read_stream(&path),
            _ => Err(LoadFault::Malformed(problems)),
        },
        Err(fault) => Err(fault),
    }
}

fn read_stream(path: &Path) -> Result<Vec<u8>, LoadFault> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(SIZE_LIMIT).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(bytes),
        Err(cause) => {
            let sentence = say("Cannot read {0}.", "无法读取 {0}。");
            let error = Error::io("unreadable", sentence, &[&path.to_string_lossy()], &cause);
            Err(LoadFault::Unreadable(error))
        }
    }
}
