//! Paths, which are spelled with `/`.

use std::borrow::Cow;
use std::ffi::OsStr;

pub(in crate::platform) fn shown(path: &OsStr) -> Cow<'_, str> {
    path.to_string_lossy()
}

/// A path as a shell spells it.
pub fn of_shell(path: &str) -> Cow<'_, str> {
    path.into()
}

/// What a program's name may end with in a directory of `PATH`, in the order in which shells look.
pub const PROGRAM_ENDINGS: [&str; 1] = [""];
/// Where programs keep what is theirs, and their settings, if no variable says it.
pub const STATE_BELOW_HOME: &str = ".local/state";
pub const CONFIG_BELOW_HOME: &str = ".config";
/// Where an organisation puts its settings of Claude Code.
pub const CLAUDE_CODE_MANAGED: &str =
    if cfg!(target_os = "macos") { "/Library/Application Support/ClaudeCode" } else { "/etc/claude-code" };

/// Whether every name can be a file's, as it is spelled.
pub const TAKES_EVERY_NAME: bool = true;
