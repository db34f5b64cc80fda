//! Key names as the bytes that a terminal sends. Nothing else.

/// What an xterm sends for a key.
pub(crate) fn key_bytes(key: &str) -> Vec<u8> {
    if let Some(rest) = key.strip_prefix("alt+") {
        return [b"\x1b".to_vec(), key_bytes(rest)].concat();
    }
    if let Some(letter) = key.strip_prefix("ctrl+").filter(|letter| letter.len() == 1) {
        return vec![letter.as_bytes()[0].to_ascii_uppercase() & 0x1f];
    }
    let text = match key {
        "enter" => "\r",
        "esc" => "\x1b",
        "tab" => "\t",
        "shift+tab" => "\x1b[Z",
        "backspace" => "\x7f",
        "delete" => "\x1b[3~",
        "up" => "\x1b[A",
        "down" => "\x1b[B",
        "right" => "\x1b[C",
        "left" => "\x1b[D",
        "home" => "\x1b[H",
        "end" => "\x1b[F",
        "pageup" => "\x1b[5~",
        "pagedown" => "\x1b[6~",
        "space" => " ",
        "f1" => "\x1bOP",
        "f2" => "\x1bOQ",
        "f3" => "\x1bOR",
        "f4" => "\x1bOS",
        "f5" => "\x1b[15~",
        "f6" => "\x1b[17~",
        "f7" => "\x1b[18~",
        "f8" => "\x1b[19~",
        "f9" => "\x1b[20~",
        "f10" => "\x1b[21~",
        "f12" => "\x1b[24~",
        one if one.chars().count() == 1 => one,
        other => panic!("no key {other:?}"),
    };
    text.as_bytes().to_vec()
}
