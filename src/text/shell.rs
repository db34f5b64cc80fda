//! Names for a shell.

use crate::text::Safe;
use crate::text::sanitize::is_hidden;
use std::path::Path;
use unicode_normalization::char::is_combining_mark;

/// Whether every shell takes a name as it is, and no command takes it for a flag: letters of any script with their marks, digits,
/// and a few signs.
pub fn is_plain(name: &str) -> bool {
    let is_letter = |c: char| (c.is_alphanumeric() || is_combining_mark(c)) && !is_hidden(c);
    let is_plain = |c: char| is_letter(c) || "_./:+-".contains(c);
    !name.starts_with('-') && name.chars().all(is_plain)
}

/// A name as a shell takes it.
pub fn shell_word(name: &str) -> String {
    if is_plain(name) {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\'', "'\\''"))
}

/// A path in a command that somebody is told: harmless, and one word.
pub fn shell_path(path: &Path) -> String {
    shell_word(&Safe::line(&path.to_string_lossy()))
}
