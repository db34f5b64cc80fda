//! The bytes of a file that the command line names; `-` is standard input.

use super::Session;
use crate::error::Error;
use crate::store::SIZE_LIMIT;
use crate::store::file::too_large;
use crate::store::gate::{LoadFault, read_any};
use crate::text::{Lang, say};
use std::io::Read;
use std::path::Path;

/// Whether a name means standard input.
pub(super) fn is_standard(name: &Path) -> bool {
    name.as_os_str() == "-"
}

/// All of a named file, pipes such as `<(…)` included, or of standard input.
///
/// # Errors
/// It is missing or unreadable, a directory, or over 64 MiB.
pub(super) fn read(session: &mut Session<'_>, name: &Path) -> Result<Vec<u8>, LoadFault> {
    if is_standard(name) { standard(session) } else { read_any(&session.environment.cwd.join(name)) }
}

/// All of standard input.
///
/// # Errors
/// It cannot be read, or is over 64 MiB.
pub(super) fn standard(session: &mut Session<'_>) -> Result<Vec<u8>, LoadFault> {
    let mut bytes = Vec::new();
    let read = session.streams.input.take(SIZE_LIMIT + 1).read_to_end(&mut bytes);
    read.map_err(|cause| {
        let sentence = say("Cannot read standard input.", "无法读取标准输入。");
        LoadFault::Unreadable(Error::io("unreadable", sentence, &[], &cause))
    })?;
    let length = bytes.len() as u64;
    if length > SIZE_LIMIT {
        return Err(LoadFault::Malformed(vec![too_large(length)]));
    }
    Ok(bytes)
}

/// An input that cannot be used, for commands that have no place for problems.
pub(super) fn unusable(name: &Path, fault: LoadFault) -> Error {
    let problems = match fault {
        LoadFault::Unreadable(error) => return Error { code: "unreadable", ..error },
        LoadFault::Malformed(problems) => problems,
    };
    let told = |lang| problems.first().map(|problem| problem.sentence(lang)).unwrap_or_default();
    let parts = [name.to_string_lossy().into_owned(), told(Lang::En), told(Lang::ZhCn)];
    let sentence = say("Cannot read {0}. {1}", "无法读取 {0}。{2}");
    Error::new(crate::exit::ExitCode::Failed, "unreadable", sentence, &[&parts[0], &parts[1], &parts[2]])
}
