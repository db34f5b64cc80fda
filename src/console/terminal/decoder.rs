//! The terminal's bytes as inputs: keys, pastes, clicks; and the place of the cursor.
//!
//! Bytes may come cut anywhere; what is not whole waits. What is broken is left out, and ends where the next character or
//! escape sequence begins: half a character in front of a paste must not turn its text into keys. The terminal library's own
//! reader takes the escape character for the rest of that half.

use crate::console::input::key::{Key, KeyPress};
use crate::console::terminal::event::Input;

const ESC: u8 = 0x1B;
const PASTE: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

#[derive(Default)]
pub(super) struct Decoder {
    /// What is not whole.
    waiting: Vec<u8>,
    /// So many bytes of a paste hold no end.
    searched: usize,
    /// In which column the cursor stands, counted from 0, as the terminal has answered.
    pub(super) cursor: Option<u16>,
}

/// What stands at the front: how many bytes it takes, and what it means, if anything.
type Front = (usize, Option<Input>);

impl Decoder {
    /// Takes what was read, and gives what is whole now.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Input> {
        self.waiting.extend_from_slice(bytes);
        let mut inputs = Vec::new();
        let mut from = 0;
        while let Some((length, input)) = self.front(from) {
            (from, self.searched) = (from + length, 0);
            inputs.extend(input);
        }
        self.waiting.drain(..from);
        inputs
    }

    /// Whether it may be a key that waits, or the beginning of more.
    pub(super) fn is_undecided(&self) -> bool {
        matches!(*self.waiting, [ESC] | [ESC, b'[' | b'O'])
    }

    /// Nothing more has come: it was a key.
    pub(super) fn decide(&mut self) -> Option<Input> {
        match *std::mem::take(&mut self.waiting) {
            [ESC] => Some(plain(Key::Esc)),
            [ESC, other] => Some(alt(KeyPress::plain(Key::Char(other.into())))),
            _ => None,
        }
    }

    /// What stands at this place; nothing if more must come first.
    fn front(&mut self, from: usize) -> Option<Front> {
        let bytes = &self.waiting[from..];
        match *bytes {
            [] | [ESC] | [ESC, b'O'] => None,
            [ESC, ESC, ..] => Some((1, Some(plain(Key::Esc)))),
            [ESC, b'[', ..] if bytes.starts_with(PASTE) => {
                let text = &bytes[PASTE.len()..];
                let Some(end) = text[self.searched..].windows(PASTE_END.len()).position(|w| w == PASTE_END)
                else {
                    self.searched = text.len().saturating_sub(PASTE_END.len() - 1);
                    return None;
                };
                let text = &text[..self.searched + end];
                let pasted = Input::Paste(String::from_utf8_lossy(text).into_owned());
                Some((PASTE.len() + text.len() + PASTE_END.len(), Some(pasted)))
            }
            [ESC, b'[', ..] => self.sequence(from),
            [ESC, b'O', last, ..] => match cursor_key(last) {
                Some(key) => Some((3, Some(plain(key)))),
                None => Some((2, Some(alt(KeyPress::plain(Key::Char('O')))))),
            },
            [ESC, ..] => {
                let (length, press) = character(&bytes[1..])?;
                Some(press.map_or((1, None), |press| (1 + length, Some(alt(press)))))
            }
            _ => character(bytes).map(|(length, press)| (length, press.map(Input::Key))),
        }
    }

    /// A control sequence: `ESC [`, parameters, one last byte.
    fn sequence(&mut self, from: usize) -> Option<Front> {
        let bytes = &self.waiting[from..];
        match *bytes {
            // The function keys of the Linux console.
            [_, _, b'[', last @ b'A'..=b'E', ..] => return Some((4, Some(plain(Key::F(1 + last - b'A'))))),
            // A click as old terminals report it: three bytes, whatever they are.
            [_, _, b'M', button, column, row, ..] => {
                let places = [button, column, row].map(|byte| u16::from(byte).saturating_sub(32));
                return Some((6, mouse(places, true)));
            }
            [_, _, b'['] | [_, _, b'M', ..] => return None,
            _ => {}
        }
        let length = bytes[2..].iter().position(|byte| !(0x20..=0x3F).contains(byte))?;
        let parameters = std::str::from_utf8(&bytes[2..2 + length]).unwrap_or_default();
        match bytes[2 + length] {
            b'R' => {
                let column = parameters.split(';').nth(1).and_then(|column| column.parse::<u16>().ok());
                self.cursor = self.cursor.or(column.map(|column| column.saturating_sub(1)));
                Some((3 + length, None))
            }
            last @ 0x40..=0x7E => Some((3 + length, meaning(parameters, last))),
            // It is broken off, and something else begins.
            _ => Some((2 + length, None)),
        }
    }
}

fn plain(key: Key) -> Input {
    Input::Key(KeyPress::plain(key))
}

fn alt(press: KeyPress) -> Input {
    Input::Key(KeyPress { alt: true, ..press })
}

/// A character, or a key that sends a control code.
fn character(bytes: &[u8]) -> Option<(usize, Option<KeyPress>)> {
    let ctrl = |c| KeyPress { ctrl: true, ..KeyPress::plain(Key::Char(c)) };
    let press = match bytes[0] {
        b'\r' => KeyPress::plain(Key::Enter),
        b'\t' => KeyPress::plain(Key::Tab),
        0x7F | 0x08 => KeyPress::plain(Key::Backspace),
        0 => ctrl(' '),
        // The code is that of the capital letter, or of the sign behind them, without one bit.
        code @ (0x01..=0x1A | 0x1C..=0x1F) => ctrl(char::from(code | 0x40).to_ascii_lowercase()),
        _ => return text(&bytes[..bytes.len().min(4)]),
    };
    Some((1, Some(press)))
}

fn text(bytes: &[u8]) -> Option<(usize, Option<KeyPress>)> {
    let whole = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        // The beginning of a character, or what can be none.
        Err(error) => return error.error_len().map(|length| (length, None)),
    };
    let c = whole.chars().next()?;
    Some((c.len_utf8(), Some(KeyPress::plain(Key::Char(c)))))
}

fn meaning(parameters: &str, last: u8) -> Option<Input> {
    let (places, pointed) = parameters.strip_prefix('<').map_or((parameters, false), |places| (places, true));
    // A number may have others behind colons.
    let mut numbers = places.split(';').map(|part| {
        let mut parts = part.split(':').map(|number| number.parse::<u32>().ok());
        (parts.next().flatten(), parts.next().flatten())
    });
    let (first, _) = numbers.next().unwrap_or_default();
    let (second, kind) = numbers.next().unwrap_or_default();
    let small = |number: Option<u32>| number.and_then(|number| u16::try_from(number).ok());
    let key = match last {
        b'I' if parameters.is_empty() => return Some(Input::FocusGained),
        b'O' if parameters.is_empty() => return Some(Input::FocusLost),
        b'M' | b'm' => {
            let button = small(first)?;
            // Without the sign before them the numbers are those of the old terminals.
            let button = if pointed { button } else { button.saturating_sub(32) };
            return mouse([button, small(second)?, small(numbers.next()?.0)?], last == b'M');
        }
        b'Z' => return Some(plain(Key::BackTab)),
        b'~' => numbered_key(first?)?,
        b'u' => match char::from_u32(first?)? {
            '\u{1b}' => Key::Esc,
            '\r' => Key::Enter,
            '\t' => Key::Tab,
            '\u{7f}' => Key::Backspace,
            // Keys that have no character.
            '\u{e000}'..='\u{f8ff}' => return None,
            c => Key::Char(c),
        },
        last => cursor_key(last)?,
    };
    // The third kind is letting go of the key.
    let modifiers = second.unwrap_or(1).saturating_sub(1);
    KeyPress::reported(key, modifiers).filter(|_| kind != Some(3)).map(Input::Key)
}

fn cursor_key(last: u8) -> Option<Key> {
    Some(match last {
        b'A' => Key::Up,
        b'B' => Key::Down,
        b'C' => Key::Right,
        b'D' => Key::Left,
        b'F' => Key::End,
        b'H' => Key::Home,
        b'P'..=b'S' => Key::F(1 + last - b'P'),
        _ => return None,
    })
}

fn numbered_key(number: u32) -> Option<Key> {
    let number = u8::try_from(number).ok()?;
    Some(match number {
        1 | 7 => Key::Home,
        2 => Key::Insert,
        3 => Key::Delete,
        4 | 8 => Key::End,
        5 => Key::PageUp,
        6 => Key::PageDown,
        11..=15 => Key::F(number - 10),
        17..=21 => Key::F(number - 11),
        23..=26 => Key::F(number - 12),
        28..=29 => Key::F(number - 15),
        31..=34 => Key::F(number - 17),
        _ => return None,
    })
}

/// Button, column and row, counted from 1. Of the buttons the left one alone and the wheel are of use, when they go down: with
/// Ctrl it is another button for some, and with Shift the terminal's own.
fn mouse([button, column, row]: [u16; 3], down: bool) -> Option<Input> {
    let (column, row) = (column.saturating_sub(1), row.saturating_sub(1));
    // The wheel turns with Shift, Alt and Ctrl too.
    match (button, button & !0b1_1100) {
        (0, _) if down => Some(Input::Click { column, row }),
        (_, 64) => Some(Input::ScrollUp),
        (_, 65) => Some(Input::ScrollDown),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What these inputs are, one word for each.
    fn words(inputs: &[Input]) -> String {
        let word = |input: &Input| match input {
            Input::Key(press) => press.to_string(),
            Input::Paste(text) => format!("paste:{}", text.escape_debug()),
            Input::Click { column, row } => format!("click:{column},{row}"),
            input => format!("{input:?}"),
        };
        inputs.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    /// The same, and behind it the place of the cursor.
    fn shown(decoder: &Decoder, inputs: &[Input]) -> String {
        let column = decoder.cursor.map(|column| format!(" column:{column}")).unwrap_or_default();
        words(inputs) + &column
    }

    const ROWS: &[(&[u8], &str)] = &[
        (b"aG1 ?", "a G 1 Space ?"),
        ("起𠀀é".as_bytes(), "起 𠀀 é"),
        (
            b"\r\n\t\x7f\x08\x00\x03\x13\x1f",
            "Enter Ctrl+J Tab Backspace Backspace Ctrl+Space Ctrl+C Ctrl+S Ctrl+_",
        ),
        (b"\x1b[A\x1b[B\x1b[C\x1b[D\x1b[H\x1b[F", "↑ ↓ → ← Home End"),
        (b"\x1bOA\x1bOP\x1bOS\x1b[[A\x1b[[E", "↑ F1 F4 F1 F5"),
        (b"\x1b[1;5A\x1b[1;2H\x1b[1;3D\x1b[1;5P", "Ctrl+↑ Shift+Home Alt+← Ctrl+F1"),
        (
            b"\x1b[1~\x1b[2~\x1b[3~\x1b[4~\x1b[5~\x1b[6~\x1b[3;5~",
            "Home Insert Delete End PgUp PgDn Ctrl+Delete",
        ),
        (b"\x1b[11~\x1b[15~\x1b[17~\x1b[21~\x1b[23~\x1b[24~\x1b[34~", "F1 F5 F6 F10 F11 F12 F17"),
        (
            b"\x1b[Z\x1b[13;5u\x1b[97;5u\x1b[27u\x1b[9;2u\x1b[57399u",
            "Shift+Tab Ctrl+Enter Ctrl+A Esc Shift+Tab",
        ),
        (b"\x1b[97;1:3u\x1b[98;1:2u", "b"),
        (b"\x1bx\x1b\r\x1b\xe8\xb5\xb7", "Alt+x Alt+Enter Alt+起"),
        (b"\x1b\x1b[A", "Esc ↑"),
        (b"\x1b[I\x1b[O\x1b[1;2R\x1b[?62;4c\x1b[?0u", "FocusGained FocusLost column:1"),
        (b"\x1b[<0;8;4M\x1b[<0;8;4m\x1b[<64;1;1M\x1b[<81;3;2M\x1b[<2;1;1M", "click:7,3 ScrollUp ScrollDown"),
        (b"\x1b[M \x28\x24\x1b[32;8;4M\x1b[M\xff\xff\xff", "click:7,3 click:7,3"),
        (b"\x1b[200~a\r\x03\x13\x1b[A\xe8\xb5\xb7\x1b[201~b", "paste:a\\r\\u{3}\\u{13}\\u{1b}[A起 b"),
        (b"\x1b[200~\x1b[201~\x1b[200~x\x1b[201~", "paste: paste:x"),
        (b"\x1b[<4;8;4M\x1b[<8;8;4M\x1b[<16;8;4M\x1b[<28;8;4Mx", "x"),
        // Broken, and then something whole.
        (b"\xc3\x1b[200~a\x03\x13\x1b[201~b", "paste:a\\u{3}\\u{13} b"),
        (b"\xe8\xb5\x1b[200~a\x03\x1b[201~", "paste:a\\u{3}"),
        (b"\xf0\x9f\x98\x1b[A\xff\xfe\x1b[B\x80\xc0x", "↑ ↓ x"),
        (b"\xc3\xe8\xb5\xb7\xc3\x03", "起 Ctrl+C"),
        (b"\x1b[12\x1b[200~a\x03\x1b[201~\x1b[1;\xc3\x1b[A\x1b[3\x13", "paste:a\\u{3} ↑ Ctrl+S"),
        (b"\x1b\xc3\x1b[A\x1bO\x1b[B", "↑ Alt+O ↓"),
    ];

    #[test]
    fn bytes_mean_the_same_wherever_they_are_cut() {
        for (bytes, meaning) in ROWS {
            let mut decoder = Decoder::default();
            let inputs = decoder.take(bytes);
            assert_eq!(shown(&decoder, &inputs), *meaning, "{bytes:?}");
            for cut in 0..bytes.len() {
                let mut decoder = Decoder::default();
                let mut inputs = decoder.take(&bytes[..cut]);
                inputs.extend(decoder.take(&bytes[cut..]));
                assert_eq!(shown(&decoder, &inputs), *meaning, "{bytes:?} cut at {cut}");
            }
            let mut decoder = Decoder::default();
            let inputs: Vec<Input> = bytes.iter().flat_map(|byte| decoder.take(&[*byte])).collect();
            assert_eq!(shown(&decoder, &inputs), *meaning, "{bytes:?} one by one");
        }
    }

    #[test]
    fn an_escape_alone_is_a_key_when_nothing_follows() {
        for (bytes, meaning) in [(&b"\x1b"[..], "Esc"), (b"\x1b[", "Alt+["), (b"\x1bO", "Alt+O")] {
            let mut decoder = Decoder::default();
            assert_eq!(words(&decoder.take(bytes)), "");
            assert!(decoder.is_undecided());
            assert_eq!(words(decoder.decide().as_slice()), meaning);
            assert_eq!(words(&decoder.take(b"a")), "a", "nothing of it is left");
        }
        let mut decoder = Decoder::default();
        decoder.take(b"\x1b[200~a");
        assert!(!decoder.is_undecided(), "a paste is waited for");
    }

    #[test]
    fn a_paste_of_five_megabytes_in_small_pieces_takes_no_time() {
        let mut decoder = Decoder::default();
        let text = "起承转合".repeat(420_000);
        let bytes = [PASTE, text.as_bytes(), PASTE_END].concat();
        let inputs: Vec<Input> = bytes.chunks(1000).flat_map(|piece| decoder.take(piece)).collect();
        assert_eq!(inputs, [Input::Paste(text)]);
    }
}
