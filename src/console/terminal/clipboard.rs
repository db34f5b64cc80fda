//! Copies text through the terminal (OSC 52), also from within tmux and GNU screen.

use crate::console::terminal::output;
use crate::text::Safe;
use std::env;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};
use std::thread;

/// Bytes of a piece: GNU screen drops a string that is longer than 256 bytes in old versions.
const PIECE: usize = 240;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Between {
    Nothing,
    Tmux,
    Screen,
}

pub(in crate::console) fn copy(text: &Safe) {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    match (is_set("TMUX"), is_set("STY")) {
        (true, _) => copy_in_tmux(text.as_str().to_owned()),
        (_, true) => output::write(sequence(text, Between::Screen).as_bytes()),
        _ => output::write(sequence(text, Between::Nothing).as_bytes()),
    }
}

/// tmux drops the sequence unless its settings allow it, so its own command copies, to the terminal outside too. Where that
/// fails, as before tmux 3.2, the sequence is sent.
fn copy_in_tmux(text: String) {
    let work = move || {
        if !load_buffer(&text).unwrap_or(false) {
            output::write(sequence(&text, Between::Tmux).as_bytes());
        }
    };
    // Without a thread nothing is copied; the screen shows the text.
    drop(thread::Builder::new().name("clipboard".to_owned()).spawn(work));
}

fn load_buffer(text: &str) -> io::Result<bool> {
    let mut command = Command::new("tmux");
    command.args(["load-buffer", "-w", "-"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    let written = child.stdin.take().map_or(Ok(()), |mut pipe| pipe.write_all(text.as_bytes()));
    let ended = child.wait()?;
    Ok(written.is_ok() && ended.success())
}

fn sequence(text: &str, between: Between) -> String {
    let copy = format!("\x1b]52;c;{}\x07", base64(text.as_bytes()));
    match between {
        Between::Nothing => copy,
        // With `set-clipboard on` it takes the plain one, with `allow-passthrough on` it hands the other to the terminal.
        Between::Tmux => format!("{copy}\x1bPtmux;{}\x1b\\", copy.replace('\x1b', "\x1b\x1b")),
        Between::Screen => copy.as_bytes().chunks(PIECE).fold(String::new(), |mut out, piece| {
            let _ = write!(out, "\x1bP{}\x1b\\", String::from_utf8_lossy(piece));
            out
        }),
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |three: &[u8]| {
        let number = (0..3).fold(0, |number, at| number << 8 | usize::from(*three.get(at).unwrap_or(&0)));
        let digit = move |at: usize| char::from(DIGITS[number >> (18 - 6 * at) & 63]);
        let count = three.len() + 1;
        (0..4).map(move |at| if at < count { digit(at) } else { '=' }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("雨停之前?>", "6Zuo5YGc5LmL5YmNPz4="),
        ] {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn screen_gets_short_pieces_that_make_the_whole() {
        let whole = sequence(&"字".repeat(500), Between::Nothing);
        let wrapped = sequence(&"字".repeat(500), Between::Screen);
        let pieces: Vec<&str> = wrapped.split_terminator("\x1b\\").collect();
        assert!(pieces.len() > 8 && pieces.iter().all(|piece| piece.len() <= PIECE + 2));
        let joined: String =
            pieces.iter().map(|piece| piece.strip_prefix("\x1bP").expect("wrapped")).collect();
        assert_eq!(joined, whole);
    }

    #[test]
    fn tmux_gets_it_plain_and_to_pass_on() {
        let copy = "\x1b]52;c;Zm9v\x07";
        assert_eq!(sequence("foo", Between::Tmux), format!("{copy}\x1bPtmux;\x1b{copy}\x1b\\"));
    }
}
