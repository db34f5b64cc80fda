//! Paths, which the system spells with `\`.

use std::borrow::Cow;
use std::ffi::OsStr;

/// With `/`, which the system takes as well, and without the prefix of paths that it is to take by the letter.
pub(in crate::platform) fn shown(path: &OsStr) -> Cow<'_, str> {
    let path = path.to_string_lossy();
    let shown = match path.strip_prefix(r"\\?\") {
        Some(rest) => rest.strip_prefix(r"UNC\").map_or_else(|| rest.to_owned(), |rest| format!(r"\\{rest}")),
        None if path.contains('\\') => path.into_owned(),
        None => return path,
    };
    Cow::Owned(shown.replace('\\', "/"))
}

/// A path as a shell spells it: Git Bash names a drive `/c`.
pub fn of_shell(path: &str) -> Cow<'_, str> {
    let mut letters = path.strip_prefix('/').unwrap_or_default().chars();
    match (letters.next(), letters.next()) {
        (Some(drive), None | Some('/')) if drive.is_ascii_alphabetic() => {
            format!("{drive}:/{}", letters.as_str()).into()
        }
        _ => path.into(),
    }
}

/// What a program's name may end with in a directory of `PATH`, in the order in which shells look.
pub const PROGRAM_ENDINGS: [&str; 5] = ["", ".com", ".exe", ".bat", ".cmd"];
/// Where programs keep what is theirs, and their settings, if no variable says it.
pub const STATE_BELOW_HOME: &str = "AppData/Local";
pub const CONFIG_BELOW_HOME: &str = "AppData/Roaming";
/// Where an organisation puts its settings of Claude Code.
pub const CLAUDE_CODE_MANAGED: &str = "C:/Program Files/ClaudeCode";

/// Whether every name can be a file's, as it is spelled.
pub const TAKES_EVERY_NAME: bool = false;
