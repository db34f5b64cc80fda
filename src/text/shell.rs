//! Names for a shell.

use crate::text::Safe;
use crate::text::sanitize::is_hidden;
use unicode_normalization::char::is_combining_mark;

/// Whether every shell takes a name as it is, and no command takes it for a flag: letters of any script with their marks, digits,
/// and a few signs.
pub fn is_plain(name: &str) -> bool {
    let is_letter = |c: char| (c.is_alphanumeric() || is_combining_mark(c)) && !is_hidden(c);
    let is_plain = |c: char| is_letter(c) || "_./:+-".contains(c);
    !name.starts_with('-') && name.chars().all(is_plain)
}

/// The name of a program that a command calls: without its directory, and without the ending that Windows gives it.
pub fn program_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
    [".exe", ".cmd", ".ps1"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// A program in front of its arguments, as a shell takes it. A path that begins with a drive is spelled as cmd, PowerShell and Git
/// Bash all take it: with `\\`, for `/` begins a flag in the first and `\` is a sign of the last; and bare, for quotes make it a
/// text in PowerShell, so they only stand where they must.
pub fn program_word(program: &str) -> String {
    if program.get(1..3) != Some(":/") {
        return shell_word(program);
    }
    let word = program.replace('/', r"\\");
    if is_plain(program) { word } else { format!("\"{word}\"") }
}

/// A name as a shell takes it.
pub fn shell_word(name: &str) -> String {
    if is_plain(name) {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\'', "'\\''"))
}

/// A path in a command that somebody is told: harmless, and one word.
pub fn shell_path(path: &str) -> String {
    shell_word(&Safe::line(path))
}
