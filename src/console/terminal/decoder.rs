//! The terminal's bytes as inputs: keys, pastes, clicks; and what the terminal tells of itself.
//!
//! Bytes may come cut anywhere; what is not whole waits. What is broken is left out, and ends where the next character or
//! escape sequence begins: half a character in front of a paste must not turn its text into keys. The terminal library's own
//! reader takes the escape character for the rest of that half.
//!
//! Terminals answer what they are asked, some of it late and asked by other programs. An answer is swallowed whole. It begins
//! like a key with Alt, and how it goes on tells: a key stands alone, or what comes behind it looks like no answer. Half an answer
//! waits for the other half, but no longer than its reader lets it, and only if that comes at once: what comes in its stead are
//! keys, and none is lost.

#[cfg(test)]
mod tests;

use crate::console::input::key::{Key, KeyPress};
use crate::console::terminal::event::Input;
use crate::console::terminal::ground::Ground;

const BEL: u8 = 0x07;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1A;
const ESC: u8 = 0x1B;
/// The first of two bytes of a control character that terminals take for an escape character and the letter 0x40 below it.
const C1: u8 = 0xC2;
/// What begins and ends a paste, the begin without the two bytes of its escape sequence.
const PASTE: &[u8] = b"200~";
const PASTE_END: &[u8] = b"\x1b[201~";
/// No terminal sends a longer string than this: a clipboard is the longest.
const LONGEST: usize = 1 << 20;
/// So many parameters of a control sequence are none.
const MOST: usize = 256;

#[derive(Default)]
pub(super) struct Decoder {
    /// What is not whole.
    waiting: Vec<u8>,
    /// So many bytes of a paste or of a string hold no end.
    searched: usize,
    /// So many bytes are half of what a terminal sends, and nothing more came for a moment.
    half: usize,
    /// What the terminal has told.
    pub(super) told: Vec<Told>,
}

/// What a terminal tells of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// In which column the cursor stands, counted from 0.
    Cursor(u16),
    Ground(Ground),
    /// Its colours have changed, and are for this ground now.
    Scheme(Ground),
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
            (from, self.searched, self.half) = (from + length, 0, 0);
            inputs.extend(input);
        }
        self.waiting.drain(..from);
        inputs
    }

    /// Whether it may be a key that waits, or the beginning of more.
    pub(super) fn is_undecided(&self) -> bool {
        let is_begun = match opened(&self.waiting) {
            None => *self.waiting == [ESC],
            Some(b'[') => !self.waiting[2..].starts_with(PASTE),
            Some(code) => code == b'O' || is_string(code),
        };
        is_begun && self.waiting.len() > self.half
    }

    /// Nothing more has come for a moment: it was a key, if it is not half of what a terminal sends.
    pub(super) fn decide(&mut self) -> Vec<Input> {
        let mut inputs = Vec::new();
        while self.is_undecided() {
            let (length, input) = match *self.waiting {
                // It was half of something, and what has come since is something else.
                _ if self.half > 0 => (self.half, None),
                [ESC] => (1, Some(plain(Key::Esc))),
                _ if is_sent(&self.waiting) => {
                    self.half = self.waiting.len();
                    break;
                }
                _ => (2, with_alt(&self.waiting)),
            };
            self.waiting.drain(..length);
            (self.searched, self.half) = (0, 0);
            inputs.extend(input);
            inputs.append(&mut self.take(&[]));
        }
        inputs
    }

    /// Whether half of what a terminal sends is waiting for the rest.
    pub(super) fn is_half(&self) -> bool {
        self.half > 0
    }

    /// The rest has not come in time. Nothing but the half is waiting.
    pub(super) fn forget_half(&mut self) {
        self.waiting.drain(..self.half);
        (self.searched, self.half) = (0, 0);
    }

    /// What stands at this place; nothing if more must come first.
    fn front(&mut self, from: usize) -> Option<Front> {
        let bytes = &self.waiting[from..];
        let Some(code) = opened(bytes) else {
            return match *bytes {
                [] | [ESC] => None,
                _ => character(bytes).map(|(length, press)| (length, press.map(Input::Key))),
            };
        };
        match code {
            ESC => Some((1, Some(plain(Key::Esc)))),
            b'[' if bytes[2..].starts_with(PASTE) => {
                let text = &bytes[2 + PASTE.len()..];
                let Some(end) = text[self.searched..].windows(PASTE_END.len()).position(|w| w == PASTE_END)
                else {
                    self.searched = text.len().saturating_sub(PASTE_END.len() - 1);
                    return None;
                };
                let text = &text[..self.searched + end];
                let pasted = Input::Paste(String::from_utf8_lossy(text).into_owned());
                Some((2 + PASTE.len() + text.len() + PASTE_END.len(), Some(pasted)))
            }
            b'[' => self.sequence(from),
            b'O' => match cursor_key(*bytes.get(2)?) {
                Some(key) => Some((3, Some(plain(key)))),
                None => Some((2, with_alt(bytes))),
            },
            code if is_string(code) => self.string(from),
            // No key sends it.
            _ if bytes[0] == C1 => Some((2, None)),
            _ => {
                let (length, press) = character(&bytes[1..])?;
                Some(press.map_or((1, None), |press| (1 + length, Some(alt(press)))))
            }
        }
    }

    /// A string, up to BEL or ST.
    fn string(&mut self, from: usize) -> Option<Front> {
        let bytes = &self.waiting[from..];
        for at in self.searched.max(2)..bytes.len().min(LONGEST) {
            let length = match bytes[at..] {
                [BEL, ..] => at + 1,
                [ESC, b'\\', ..] => at + 2,
                // The single byte of eight-bit terminals, unless it is part of a character.
                [0x9C, ..] if bytes[at - 1].is_ascii() || bytes[at - 1] == C1 => at + 1,
                [ESC] => {
                    self.searched = at;
                    return None;
                }
                // Another sequence begins, or a key that ends this one.
                [ESC | CAN | SUB, ..] => return Some(self.broken(from, at)),
                // A key: no answer holds it. In a string of another kind it may be a line end.
                [0..0x20 | 0x7F, ..] if is_answer(&bytes[..at]) => return Some(self.broken(from, at)),
                _ => continue,
            };
            let words = bytes[2..at].strip_suffix(&[C1]).unwrap_or(&bytes[2..at]);
            let ground = Ground::answered(words).filter(|_| opened(bytes) == Some(b']'));
            self.told.extend(ground.map(Told::Ground));
            return Some((length, None));
        }
        if bytes.len() >= LONGEST {
            return Some(self.broken(from, LONGEST));
        }
        self.searched = bytes.len();
        None
    }

    /// So many bytes of a string are there, and its end will not come.
    fn broken(&self, from: usize, length: usize) -> Front {
        let bytes = &self.waiting[from..from + length];
        match self.half {
            _ if !is_sent(bytes) => (2, with_alt(bytes)),
            0 => (length, None),
            half => (half, None),
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
        let Some(length) = bytes[2..].iter().take(MOST).position(|byte| !(0x20..=0x3F).contains(byte)) else {
            return (bytes.len() > 2 + MOST).then(|| (2, with_alt(bytes)));
        };
        let parameters = std::str::from_utf8(&bytes[2..2 + length]).unwrap_or_default();
        match bytes[2 + length] {
            b'R' => {
                let place = parameters.split_once(';');
                let place =
                    place.and_then(|(row, column)| row.parse::<u16>().ok().zip(column.parse::<u16>().ok()));
                self.told.extend(place.map(|(_, column)| Told::Cursor(column.saturating_sub(1))));
                Some((3 + length, None))
            }
            b'n' => {
                self.told.extend(Ground::reported(parameters).map(Told::Scheme));
                Some((3 + length, None))
            }
            last @ 0x40..=0x7E => Some((3 + length, meaning(parameters, last))),
            // It is broken off, and something else begins.
            _ => Some((2 + length, None)),
        }
    }
}

/// What begins here, if it is begun by an escape character or by the control character that stands for one.
fn opened(bytes: &[u8]) -> Option<u8> {
    match *bytes {
        [ESC, code, ..] => Some(code),
        [C1, code @ 0x80..=0x9F, ..] => Some(code - 0x40),
        _ => None,
    }
}

/// Whether a string begins so: OSC, DCS, PM, APC or SOS.
fn is_string(code: u8) -> bool {
    matches!(code, b']' | b'P' | b'^' | b'_' | b'X')
}

/// Whether a terminal has sent these bytes, of which the end is not there: no hand types them at once.
fn is_sent(bytes: &[u8]) -> bool {
    matches!(*bytes, [C1, _]) || is_answer(bytes)
}

/// Whether these bytes begin as the answers of terminals do, and not like a key with Alt and others behind it.
fn is_answer(bytes: &[u8]) -> bool {
    let words = bytes.get(2..).unwrap_or_default();
    let behind = |is_number: fn(&u8) -> bool| words.iter().find(|byte| !is_number(byte));
    match opened(bytes) {
        Some(b'[') => !words.is_empty(),
        Some(b']') => words.first() != Some(&b';') && behind(u8::is_ascii_digit) == Some(&b';'),
        Some(b'P') => {
            matches!(behind(|byte| matches!(byte, 0x30..=0x3F)), Some(b'!' | b'$' | b'+' | b'|'))
        }
        Some(b'_') => matches!(words, [b'G', b'a'..=b'z', b'=', ..]),
        _ => false,
    }
}

/// The key with Alt that sends the first two bytes.
fn with_alt(bytes: &[u8]) -> Option<Input> {
    (bytes[0] == ESC).then(|| alt(KeyPress::plain(Key::Char(bytes[1].into()))))
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
    // With any sign but that of a click, and with a sign behind the numbers, it is a report.
    let is_key = |c: char| c.is_ascii_digit() || matches!(c, ';' | ':');
    if !places.chars().all(is_key) || pointed && !matches!(last, b'M' | b'm') {
        return None;
    }
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
