//! What may travel to a terminal: a list of what is allowed, everything else is a fault.
//!
//! Knows the sequences that the console itself sends. Not responsible for what they look like on a screen.

/// Modes the console switches on and off: cursor, mouse, focus, mouse reports, alternate screen, bracketed paste, whole frames,
/// changes of the colours.
const MODES: [&str; 8] = ["?25", "?1000", "?1004", "?1006", "?1049", "?2004", "?2026", "?2031"];
/// Marks that one character may carry.
const MARKS: usize = 8;
/// Characters that steer, hide or reorder without being seen; first and last of each range.
const UNSEEN: [(char, char); 9] = [
    ('\0', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// The console asks where the cursor stands, to see how wide the terminal draws an ambiguous character.
const QUESTION: &str = "\x1b[1;1H“\x1b[6n";
/// It asks for the colour of the ground, once.
const GROUND: &str = "\x1b]11;?\x1b\\";

/// Everything in the bytes that the console would not send by itself to a terminal of this size.
pub(crate) fn faults(bytes: &[u8], (width, height): (u16, u16)) -> Vec<String> {
    let mut found = Vec::new();
    let text = String::from_utf8_lossy(bytes);
    let text = text.replacen(GROUND, "", 1);
    let mut rest = text.as_str();
    while let Some(start) = rest.find('\x1b') {
        found.extend(text_faults(&rest[..start]));
        rest = &rest[start + 1..];
        let Some(sequence) = rest.strip_prefix('[') else {
            found.push(format!("an escape that is no CSI: {:?}", head(rest)));
            continue;
        };
        let end = sequence.find(|c: char| !matches!(c, ' '..='?')).unwrap_or(sequence.len());
        let (params, tail) = sequence.split_at(end);
        let last = tail.chars().next().unwrap_or('\0');
        if !is_ours(params, last, (width, height)) {
            found.push(format!("CSI {params}{last:?}"));
        }
        rest = &tail[last.len_utf8().min(tail.len())..];
    }
    found.extend(text_faults(rest));
    // Our own, two more where the answer may have come with a key, and one that the library adds when it is asked for it.
    let own = if text.contains(QUESTION) { 4 } else { 0 };
    if text.matches("\x1b[6n").count() > own {
        found.push("more questions for the cursor than our own".to_owned());
    }
    found
}

/// Everything in plain text that a terminal must not get.
pub(crate) fn text_faults(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut marks = 0;
    for c in text.chars() {
        if c == char::REPLACEMENT_CHARACTER || UNSEEN.iter().any(|&(from, to)| (from..=to).contains(&c)) {
            found.push(format!("U+{:04X}", u32::from(c)));
        }
        marks = if ('\u{300}'..='\u{36f}').contains(&c) { marks + 1 } else { 0 };
        if marks == MARKS + 1 {
            found.push("a pile of marks".to_owned());
        }
    }
    found
}

fn is_ours(params: &str, last: char, (width, height): (u16, u16)) -> bool {
    let numbers: Option<Vec<u16>> = params.split(';').map(|part| part.parse().ok()).collect();
    match last {
        'm' => params.chars().all(|c| c.is_ascii_digit() || c == ';'),
        'H' => matches!(numbers.as_deref(), Some([row, column]) if *row <= height && *column <= width),
        'J' => params == "2",
        'n' => params == "6",
        'h' | 'l' => MODES.contains(&params),
        _ => false,
    }
}

fn head(text: &str) -> String {
    text.chars().take(12).collect()
}

#[test]
fn what_a_hostile_text_sends_is_a_fault() {
    let size = (100, 30);
    let good = "\x1b[?1049h\x1b[2J\x1b[3;1H\x1b[1;38;5;4m起点 e\u{301}\x1b[0m\x1b[?1049l";
    assert_eq!(faults(good.as_bytes(), size), Vec::<String>::new());
    for bad in [
        "\x1b]0;title\x07",
        "\x1b]11;?\x1b\\\x1b]11;?\x1b\\",
        "\x1b]11;red\x1b\\",
        "\x1b]8;;http://x\x1b\\",
        "\x1b]52;c;eA==\x07",
        "\x1bPq",
        "\x1bc",
        "\x1b[99;99H",
        "\x1b[3J",
        "\x1b[?1003h",
        "\x1b[6n",
        "\x1b[31",
        "\x1b",
        "\x07",
        "\r",
        "\n",
        "\0",
        "\x7f",
        "\u{9b}31m",
        "\u{202e}",
        "\u{200b}",
        "\u{e0041}",
        "e\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}\u{301}",
    ] {
        assert!(!faults(bad.as_bytes(), size).is_empty(), "{bad:?}");
    }
    assert!(!faults(b"\x9b31m", size).is_empty(), "a lone byte of the C1 range");
}
