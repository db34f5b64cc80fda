//! Files that are no packets: events, documents.
//!
//! Responsible for reading one whole, pipes included, and for refusing what is too large. Not responsible for what it
//! says nor for standard input (`source`).

use crate::ask::{Problem, ProblemKind};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::SIZE_LIMIT;
use crate::store::gate::{self, LoadFault};
use crate::text::{Lang, say};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// All of a file; a pipe such as `<(…)` is read to its end.
///
/// # Errors
/// It is missing or unreadable, a directory, or over 64 MiB.
pub fn file(path: &Path) -> Result<Vec<u8>, Error> {
    let problems = match gate::read_file(path) {
        Ok(read) => return Ok(read.bytes),
        Err(LoadFault::Unreadable(error)) => return Err(Error { code: "unreadable", ..error }),
        Err(LoadFault::Malformed(problems)) => problems,
    };
    match problems.first().map(|first| &first.kind) {
        Some(ProblemKind::NotAFile("fifo" | "device")) => pipe(path),
        _ => Err(unusable(path, &problems)),
    }
}

fn pipe(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SIZE_LIMIT + 1).read_to_end(&mut bytes));
    let length = read.map_err(|cause| {
        let sentence = say("Cannot read {0}.", "无法读取 {0}。");
        Error::io("unreadable", sentence, &[&path.to_string_lossy()], &cause)
    })? as u64;
    if length > SIZE_LIMIT {
        return Err(unusable(path, &[Problem::new("", ProblemKind::TooLarge(length))]));
    }
    Ok(bytes)
}

fn unusable(path: &Path, problems: &[Problem]) -> Error {
    let told = |lang| problems.first().map(|problem| problem.sentence(lang)).unwrap_or_default();
    let parts = [path.to_string_lossy().into_owned(), told(Lang::En), told(Lang::ZhCn)];
    let sentence = say("Cannot read {0}. {1}", "无法读取 {0}。{2}");
    Error::new(ExitCode::Failed, "unreadable", sentence, &[&parts[0], &parts[1], &parts[2]])
}
