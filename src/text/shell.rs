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

/// Whether the path of a program, with `/` between its names, begins with a drive of Windows.
pub fn is_on_drive(program: &str) -> bool {
    program.get(1..3) == Some(":/")
}

/// A program in front of its arguments, as a shell takes it. A path that begins with a drive is spelled as cmd, PowerShell and Git
/// Bash all take it: with `\\`, for `/` begins a flag in the first and `\` is a sign of the last; and bare, for quotes make it a
/// text in PowerShell, so they only stand where they must.
pub fn program_word(program: &str) -> String {
    if !is_on_drive(program) {
        return shell_word(program);
    }
    let word = program.replace('/', r"\\");
    // npm puts programs below a directory with this sign.
    if is_plain(&program.replace('@', "")) { word } else { format!("\"{word}\"") }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_on_a_drive_is_a_word_in_every_shell_of_windows() {
        for (program, word) in [
            ("novel-gate", "novel-gate"),
            ("/opt/a b/novel-gate", "'/opt/a b/novel-gate'"),
            ("C:/bin/novel-gate.exe", r"C:\\bin\\novel-gate.exe"),
            (
                "C:/npm/@novel-gate/win32-x64/novel-gate.exe",
                r"C:\\npm\\@novel-gate\\win32-x64\\novel-gate.exe",
            ),
            ("C:/Users/张 三/novel-gate.exe", r#""C:\\Users\\张 三\\novel-gate.exe""#),
        ] {
            assert_eq!(program_word(program), word);
            let words = shlex::split(word).unwrap_or_default();
            assert_eq!(words.iter().map(|word| word.replace('\\', "/")).collect::<Vec<_>>(), [program]);
        }
    }

    #[test]
    fn a_program_is_known_by_its_name_however_it_is_called() {
        for word in ["novel", "./bin/novel", r"C:\npm\novel.cmd", "C:/npm/novel.exe", "/c/npm/novel.ps1"] {
            assert_eq!(program_name(word), "novel", "{word}");
        }
        assert_eq!(program_name("novel.exe.bak"), "novel.exe.bak");
    }
}
