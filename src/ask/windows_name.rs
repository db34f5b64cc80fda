//! Names of files that Windows cannot take, wherever they are judged: a project may move.

/// What names there may not hold: some are signs of paths, others stand for several names.
const SIGNS: &str = "\\:*?\"<>|";
/// What is a device there in every directory, whatever ending follows; some with a digit behind them.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
const NUMBERED: [&str; 2] = ["COM", "LPT"];

/// Whether Windows takes a path, with `/` between its names, for the file that it names elsewhere.
pub fn is_path_on_windows(path: &str) -> bool {
    path.split('/').all(is_name)
}

fn is_name(name: &str) -> bool {
    let is_whole = !name.ends_with([' ', '.']) || name == ".";
    is_whole && !name.contains(|c: char| c < ' ' || SIGNS.contains(c)) && !is_device(name)
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let is_digit = |c: char| matches!(c, '1'..='9' | '¹' | '²' | '³');
    let is_numbered = |device: &&str| {
        stem.strip_prefix(*device).is_some_and(|end| end.chars().count() == 1 && end.contains(is_digit))
    };
    DEVICES.contains(&&*stem) || NUMBERED.iter().any(is_numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_windows_takes_otherwise_or_not_at_all_are_known() {
        let refused = [
            r"C:\x.json",
            "C:x.json",
            r"\\srv\share\x.json",
            "a:b",
            "staging/a.json:stream",
            r"a\b.json",
            "CON",
            "staging/nul.json",
            "COM1.packet.json",
            "lpt³",
            "aux .json",
            "conin$",
            "x.",
            "x ",
            "staging./x.json",
            "a?.json",
            "a*b",
            "<a>",
            "a|b",
            "a\"b",
            "a\nb",
        ];
        for path in refused {
            assert!(!is_path_on_windows(path), "{path}");
        }
        let taken = [
            "staging/gates/chapter-013-draft.answers.json",
            "雨停之前/a.json",
            "./a.json",
            "a//b.json",
            "CONSOLE.json",
            "com10.json",
            "com.json",
            "comé.json",
            ".novel-gate/x",
            "x.CON",
            "a b.json",
            "a'b,c(1)[2]#&%!.json",
        ];
        for path in taken {
            assert!(is_path_on_windows(path), "{path}");
        }
    }
}
