//! The terminal's bytes as reports: keys, pastes, clicks, the place of the cursor.
//!
//! Bytes may come cut anywhere; what is not whole waits. What is broken is left out, and ends where the next character or
//! escape sequence begins: half a character in front of a paste must not turn its text into keys. The terminal library's own
//! reader takes the escape character for the rest of that half.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

const ESC: u8 = 0x1B;
const PASTE: &[u8] = b"\x1b[200~";
const PASTE_END: &[u8] = b"\x1b[201~";

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Report {
    Event(Event),
    /// In which column the cursor stands, counted from 0.
    CursorIn(u16),
}

#[derive(Default)]
pub(super) struct Decoder {
    /// What is not whole.
    waiting: Vec<u8>,
    /// So many bytes of a paste hold no end.
    searched: usize,
}

/// What stands at the front: how many bytes it takes, and what it reports, if anything.
type Front = (usize, Option<Report>);

impl Decoder {
    /// Takes what was read, and gives what is whole now.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Report> {
        self.waiting.extend_from_slice(bytes);
        let mut reports = Vec::new();
        let mut from = 0;
        while let Some((length, report)) = self.front(from) {
            (from, self.searched) = (from + length, 0);
            reports.extend(report);
        }
        self.waiting.drain(..from);
        reports
    }

    /// Whether it may be a key that waits, or the beginning of more.
    pub(super) fn is_undecided(&self) -> bool {
        matches!(*self.waiting, [ESC] | [ESC, b'[' | b'O'])
    }

    /// Nothing more has come: it was a key.
    pub(super) fn decide(&mut self) -> Option<Report> {
        let waiting = std::mem::take(&mut self.waiting);
        match *waiting {
            [ESC] => Some(key(KeyCode::Esc)),
            [ESC, other] => Some(pressed(KeyCode::Char(other.into()), KeyModifiers::ALT)),
            _ => None,
        }
    }

    /// What stands at this place; nothing if more must come first.
    fn front(&mut self, from: usize) -> Option<Front> {
        let bytes = &self.waiting[from..];
        match *bytes {
            [] | [ESC] | [ESC, b'O'] => None,
            [ESC, ESC, ..] => Some((1, Some(key(KeyCode::Esc)))),
            [ESC, b'[', ..] if bytes.starts_with(PASTE) => {
                let text = &bytes[PASTE.len()..];
                let Some(end) = text[self.searched..].windows(PASTE_END.len()).position(|w| w == PASTE_END)
                else {
                    self.searched = text.len().saturating_sub(PASTE_END.len() - 1);
                    return None;
                };
                let text = &text[..self.searched + end];
                let pasted = Event::Paste(String::from_utf8_lossy(text).into_owned());
                Some((PASTE.len() + text.len() + PASTE_END.len(), Some(Report::Event(pasted))))
            }
            [ESC, b'[', ..] => sequence(bytes),
            [ESC, b'O', last, ..] => match cursor_key(last) {
                Some(code) => Some((3, Some(key(code)))),
                None => Some((2, Some(pressed(KeyCode::Char('O'), KeyModifiers::ALT)))),
            },
            [ESC, ..] => {
                let (length, report) = character(&bytes[1..])?;
                let Some(Report::Event(Event::Key(event))) = report else { return Some((1, None)) };
                Some((1 + length, Some(pressed(event.code, event.modifiers | KeyModifiers::ALT))))
            }
            _ => character(bytes),
        }
    }
}

fn key(code: KeyCode) -> Report {
    pressed(code, KeyModifiers::NONE)
}

fn pressed(code: KeyCode, modifiers: KeyModifiers) -> Report {
    Report::Event(Event::Key(KeyEvent::new(code, modifiers)))
}

/// A character, or a key that sends a control code. The codes have the names that the terminal library gives them.
fn character(bytes: &[u8]) -> Option<Front> {
    let control = |c: u8, from: u8, first: u8| {
        pressed(KeyCode::Char(char::from(c - from + first)), KeyModifiers::CONTROL)
    };
    let report = match bytes[0] {
        b'\r' => key(KeyCode::Enter),
        b'\t' => key(KeyCode::Tab),
        0x7F => key(KeyCode::Backspace),
        0 => pressed(KeyCode::Char(' '), KeyModifiers::CONTROL),
        c @ 0x01..=0x1A => control(c, 0x01, b'a'),
        c @ 0x1C..=0x1F => control(c, 0x1C, b'4'),
        _ => return text(&bytes[..bytes.len().min(4)]),
    };
    Some((1, Some(report)))
}

fn text(bytes: &[u8]) -> Option<Front> {
    let whole = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if error.valid_up_to() > 0 => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default()
        }
        // The beginning of a character, or what can be none.
        Err(error) => return error.error_len().map(|length| (length, None)),
    };
    let c = whole.chars().next()?;
    let shift = if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
    Some((c.len_utf8(), Some(pressed(KeyCode::Char(c), shift))))
}

/// A control sequence: `ESC [`, parameters, one last byte.
fn sequence(bytes: &[u8]) -> Option<Front> {
    match *bytes {
        // The function keys of the Linux console.
        [_, _, b'[', last @ b'A'..=b'E', ..] => return Some((4, Some(key(KeyCode::F(1 + last - b'A'))))),
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
        last @ 0x40..=0x7E => Some((3 + length, meaning(parameters, last))),
        // It is broken off, and something else begins.
        _ => Some((2 + length, None)),
    }
}

fn meaning(parameters: &str, last: u8) -> Option<Report> {
    let (places, pointed) = parameters.strip_prefix('<').map_or((parameters, false), |places| (places, true));
    // A number may have others behind colons.
    let mut numbers = places.split(';').map(|part| {
        let mut parts = part.split(':').map(|number| number.parse::<u32>().ok());
        (parts.next().flatten(), parts.next().flatten())
    });
    let (first, _) = numbers.next().unwrap_or_default();
    let (second, kind) = numbers.next().unwrap_or_default();
    let small = |number: Option<u32>| number.and_then(|number| u16::try_from(number).ok());
    let code = match last {
        b'I' if parameters.is_empty() => return Some(Report::Event(Event::FocusGained)),
        b'O' if parameters.is_empty() => return Some(Report::Event(Event::FocusLost)),
        b'R' => return Some(Report::CursorIn(small(second)?.saturating_sub(1))),
        b'M' | b'm' => {
            let button = small(first)?;
            // Without the sign before them the numbers are those of the old terminals.
            let button = if pointed { button } else { button.saturating_sub(32) };
            return mouse([button, small(second)?, small(numbers.next()?.0)?], last == b'M');
        }
        b'Z' => return Some(pressed(KeyCode::BackTab, KeyModifiers::SHIFT)),
        b'~' => numbered_key(first?)?,
        b'u' => match char::from_u32(first?)? {
            '\u{1b}' => KeyCode::Esc,
            '\r' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '\u{7f}' => KeyCode::Backspace,
            // Keys that have no character.
            '\u{e000}'..='\u{f8ff}' => return None,
            c => KeyCode::Char(c),
        },
        last => cursor_key(last)?,
    };
    let kind = match kind {
        Some(2) => KeyEventKind::Repeat,
        Some(3) => KeyEventKind::Release,
        _ => KeyEventKind::Press,
    };
    let event = KeyEvent::new_with_kind(code, modifiers(second.unwrap_or(1)), kind);
    Some(Report::Event(Event::Key(event)))
}

fn modifiers(number: u32) -> KeyModifiers {
    use KeyModifiers as K;
    let bits = number.saturating_sub(1);
    let held = [K::SHIFT, K::ALT, K::CONTROL, K::SUPER, K::HYPER, K::META].into_iter().enumerate();
    held.filter(|(bit, _)| bits >> bit & 1 == 1).fold(K::NONE, |all, (_, one)| all | one)
}

fn cursor_key(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'P'..=b'S' => KeyCode::F(1 + last - b'P'),
        _ => return None,
    })
}

fn numbered_key(number: u32) -> Option<KeyCode> {
    let number = u8::try_from(number).ok()?;
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(number - 10),
        17..=21 => KeyCode::F(number - 11),
        23..=26 => KeyCode::F(number - 12),
        28..=29 => KeyCode::F(number - 15),
        31..=34 => KeyCode::F(number - 17),
        _ => return None,
    })
}

/// Button, column and row, counted from 1. Of the buttons the left one alone and the wheel are of use, when they go down: with
/// Ctrl it is another button for some, and with Shift the terminal's own.
fn mouse([button, column, row]: [u16; 3], down: bool) -> Option<Report> {
    // The wheel turns with Shift, Alt and Ctrl too.
    let kind = match (button, button & !0b1_1100) {
        (0, _) if down => MouseEventKind::Down(MouseButton::Left),
        (_, 64) => MouseEventKind::ScrollUp,
        (_, 65) => MouseEventKind::ScrollDown,
        _ => return None,
    };
    let (column, row) = (column.saturating_sub(1), row.saturating_sub(1));
    Some(Report::Event(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::input::key::KeyPress;

    /// What these bytes mean, one word for each report.
    fn shown(reports: Vec<Report>) -> String {
        let word = |report| match report {
            Report::Event(Event::Key(event)) if event.kind == KeyEventKind::Release => "up".to_owned(),
            Report::Event(Event::Key(event)) => {
                KeyPress::from_terminal(event).map_or("?".to_owned(), |press| press.to_string())
            }
            Report::Event(Event::Paste(text)) => format!("paste:{}", text.escape_debug()),
            Report::Event(Event::Mouse(MouseEvent { kind, column, row, .. })) => {
                format!("{kind:?}:{column},{row}")
            }
            Report::Event(event) => format!("{event:?}"),
            Report::CursorIn(column) => format!("column:{column}"),
        };
        reports.into_iter().map(word).collect::<Vec<_>>().join(" ")
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
        (b"\x1b[97;1:3u\x1b[98;1:2u", "up b"),
        (b"\x1bx\x1b\r\x1b\xe8\xb5\xb7", "Alt+x Alt+Enter Alt+起"),
        (b"\x1b\x1b[A", "Esc ↑"),
        (b"\x1b[I\x1b[O\x1b[1;2R\x1b[?62;4c\x1b[?0u", "FocusGained FocusLost column:1"),
        (
            b"\x1b[<0;8;4M\x1b[<0;8;4m\x1b[<64;1;1M\x1b[<81;3;2M\x1b[<2;1;1M",
            "Down(Left):7,3 ScrollUp:0,0 ScrollDown:2,1",
        ),
        (b"\x1b[M \x28\x24\x1b[32;8;4M\x1b[M\xff\xff\xff", "Down(Left):7,3 Down(Left):7,3"),
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
            assert_eq!(shown(Decoder::default().take(bytes)), *meaning, "{bytes:?}");
            for cut in 0..bytes.len() {
                let mut decoder = Decoder::default();
                let mut reports = decoder.take(&bytes[..cut]);
                reports.extend(decoder.take(&bytes[cut..]));
                assert_eq!(shown(reports), *meaning, "{bytes:?} cut at {cut}");
            }
            let mut decoder = Decoder::default();
            let reports = bytes.iter().flat_map(|byte| decoder.take(&[*byte])).collect();
            assert_eq!(shown(reports), *meaning, "{bytes:?} one by one");
        }
    }

    #[test]
    fn an_escape_alone_is_a_key_when_nothing_follows() {
        for (bytes, meaning) in [(&b"\x1b"[..], "Esc"), (b"\x1b[", "Alt+["), (b"\x1bO", "Alt+O")] {
            let mut decoder = Decoder::default();
            assert_eq!(shown(decoder.take(bytes)), "");
            assert!(decoder.is_undecided());
            assert_eq!(shown(decoder.decide().into_iter().collect()), meaning);
            assert_eq!(shown(decoder.take(b"a")), "a", "nothing of it is left");
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
        let reports: Vec<Report> = bytes.chunks(1000).flat_map(|piece| decoder.take(piece)).collect();
        assert_eq!(reports, [Report::Event(Event::Paste(text))]);
    }
}
