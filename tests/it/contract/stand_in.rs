//! Names in the place of what differs from run to run: paths, times, hashes, the version.
//!
//! Responsible for the words of the contracts. Times and hashes that a scenario itself fixes stay as they are.

use novel_gate::platform::paths::Shown as _;
use std::path::Path;

/// Times of the book, which never change, begin with this.
const FIXED: &str = "2026-02-27";

/// The text with names in the place of what differs; `top` is the directory around the project.
pub(super) fn put(text: &str, top: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_novel-gate"));
    let mut text = text.replace(&top.shown().to_string(), "<top>");
    // Another system may have built it, which knows of no drive.
    for path in [&std::path::absolute(program).expect("a path"), program] {
        text = text.replace(&path.shown().to_string(), "<program>");
    }
    let text = text.replace(novel_gate::cli::VERSION, "<version>");
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    let mut behind_word = false;
    while let Some(first) = rest.chars().next() {
        let found =
            if behind_word { None } else { time(rest).or_else(|| hash(rest)).or_else(|| entry(rest)) };
        let (length, shown) = found.unwrap_or((first.len_utf8(), &rest[..first.len_utf8()]));
        out.push_str(shown);
        behind_word = first.is_ascii_alphanumeric() && found.is_none();
        rest = &rest[length..];
    }
    out
}

/// The same with values of the right form in the place of the names, for programs.
pub(super) fn take(text: &str) -> String {
    let sample = [
        ("<time>", "2026-02-27T10:12:34.056Z"),
        ("<sha256>", &"0".repeat(64)),
        ("<hash>", &"0".repeat(32)),
        ("<entry>", "00000000-1772187154056"),
    ];
    sample.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
}

/// A time of a run in UTC, or any time as people say it; its length and its name.
fn time(text: &str) -> Option<(usize, &'static str)> {
    const UTC: [&str; 2] = ["####-##-##T##:##:##.###Z", "####-##-## ##:##:##Z"];
    const LOCAL: [&str; 8] = [
        "today ##:##",
        "yesterday ##:##",
        "## Feb ##:##",
        "## Feb #### ##:##",
        "今天 ##:##",
        "昨天 ##:##",
        "# 月 ## 日 ##:##",
        "#### 年 # 月 ## 日 ##:##",
    ];
    let utc = UTC.into_iter().filter(|_| !text.starts_with(FIXED));
    let form = utc.chain(LOCAL).find(|form| matches(form, text))?;
    Some((form.len(), "<time>"))
}

/// An entry of the history, or its file; its length and its name.
fn entry(text: &str) -> Option<(usize, &'static str)> {
    const FORMS: [&str; 4] =
        ["hhhhhhhh-#############-#", "hhhhhhhh-#############", "###############-####", "###############"];
    let form = FORMS.into_iter().find(|form| matches(form, text))?;
    Some((form.len(), "<entry>"))
}

fn matches(form: &str, text: &str) -> bool {
    let fits = |(form, byte): (u8, u8)| match form {
        b'#' => byte.is_ascii_digit(),
        b'h' => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
        form => form == byte,
    };
    text.len() >= form.len() && form.bytes().zip(text.bytes()).all(fits)
}

/// A hash in hexadecimal digits; its length and its name.
fn hash(text: &str) -> Option<(usize, &'static str)> {
    let length = text.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
    let is_whole = !text[length..].starts_with(|c: char| c.is_ascii_alphanumeric());
    let name = match length {
        64 => "<sha256>",
        32 => "<hash>",
        _ => return None,
    };
    is_whole.then_some((length, name))
}

#[test]
fn what_differs_has_a_name() {
    let text = format!(
        "/tmp/x/book {} 2026-11-22T06:51:02.123Z 2026-02-27T10:00:00.000Z abc {} today 10:12",
        "a1".repeat(32),
        "0f".repeat(16)
    );
    assert_eq!(
        put(&text, Path::new("/tmp/x")),
        "<top>/book <sha256> <time> 2026-02-27T10:00:00.000Z abc <hash> <time>"
    );
}

#[test]
fn a_hash_that_begins_with_digits_only_is_no_entry() {
    let hash = format!("{}{}", "0123456789012345", "ab".repeat(24));
    assert_eq!(put(&format!("{hash} 001772187154056-0000"), Path::new("/tmp/x")), "<sha256> <entry>");
}
