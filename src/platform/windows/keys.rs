//! What the console tells of keys, the mouse and the keyboard's focus, as the bytes that a terminal elsewhere sends for it, so that
//! there is one reader of keys.
//!
//! The console's own records are read and not the terminal library's events: those lose the characters of pastes that come as
//! Alt and a number, and the escape characters of what a terminal answers.

use crossterm_winapi::{
    ButtonState, ControlKeyState, EventFlags, InputRecord, KeyEventRecord, MouseEvent, ScreenBuffer,
};
use std::mem;

#[cfg(test)]
mod tests;

/// What is held down, as the parameter of an escape sequence counts it.
const SHIFT: u8 = 1;
const ALT: u8 = 2;
const CTRL: u8 = 4;
/// The same, as the console counts it: any of two keys.
const HELD: [(u32, u8); 3] = [(0x10, SHIFT), (0x03, ALT), (0x0C, CTRL)];
/// The keys with a number of their own that matter here.
const RETURN: u16 = 0x0D;
const MENU: u16 = 0x12;
const NUMBER_PAD: std::ops::RangeInclusive<u16> = 0x60..=0x69;
/// No key was held so long that it counts more often at once.
const MOST: u16 = 256;
/// Nobody types so many characters and a line end in the moment between two looks.
const PASTED: usize = 3;
const PASTE: &str = "\x1b[200~";
const PASTE_END: &str = "\x1b[201~";

/// A key that goes down or up.
#[derive(Clone, Copy, Debug)]
struct Stroke {
    is_down: bool,
    /// How often, where it is held.
    count: u16,
    key: u16,
    /// The character of it, or half of one; 0 if it has none.
    unit: u16,
    held: u8,
}

/// What was sent last came out of a paste, or did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pasting {
    No,
    /// The terminal has marked where it begins, and not yet where it ends.
    Marked,
    /// The terminal does not mark it.
    Unmarked,
}

/// Makes the bytes; remembers what is not whole yet.
#[derive(Debug)]
pub(super) struct Keys {
    sent: String,
    /// The first half of a character.
    half: Option<u16>,
    is_pressed: bool,
    /// Enter with Ctrl was pressed, or a line feed pasted.
    is_fed: bool,
    /// What was sent last, as far as it may be the beginning of a mark.
    tail: String,
    pasting: Pasting,
    /// What is to be read.
    left: Vec<u8>,
}

impl Keys {
    pub(super) const fn new() -> Keys {
        Keys {
            sent: String::new(),
            half: None,
            is_pressed: false,
            is_fed: false,
            tail: String::new(),
            pasting: Pasting::No,
            left: Vec::new(),
        }
    }

    /// Whether bytes are to be read.
    pub(super) fn is_left(&self) -> bool {
        !self.left.is_empty()
    }

    /// Whether more of a paste may come, without a mark.
    pub(super) fn is_burst(&self) -> bool {
        self.pasting == Pasting::Unmarked
    }

    /// What comes now comes by itself.
    pub(super) fn end_burst(&mut self) {
        if self.is_burst() {
            self.pasting = Pasting::No;
        }
    }

    /// Gives the next bytes, as far as there is room.
    pub(super) fn hand_over(&mut self, bytes: &mut [u8]) -> usize {
        let count = self.left.len().min(bytes.len());
        bytes[..count].copy_from_slice(&self.left[..count]);
        self.left.drain(..count);
        count
    }

    /// Takes what the console has told at once.
    pub(super) fn take(&mut self, records: Vec<InputRecord>) {
        for record in records {
            match record {
                InputRecord::KeyEvent(key) => self.press(Stroke::of(&key)),
                InputRecord::MouseEvent(event) => {
                    let MouseEvent { mouse_position: at, button_state, event_flags, .. } = event;
                    let held = held(event.control_key_state);
                    self.point((at.x, at.y - top()), button_state, event_flags, held);
                }
                InputRecord::FocusEvent(focus) => {
                    self.sent.push_str(if focus.set_focus { "\x1b[I" } else { "\x1b[O" });
                }
                InputRecord::WindowBufferSizeEvent(_) | InputRecord::MenuEvent(_) => {}
            }
        }
        let all = self.all();
        self.left.extend_from_slice(all.as_bytes());
    }

    /// The bytes, marked as a paste if they must be one: the console does not tell, and the last line end of one is not the key.
    fn all(&mut self) -> String {
        let mut sent = mem::take(&mut self.sent);
        if mem::take(&mut self.is_fed) && sent == "\n" && !self.is_burst() {
            sent = coded('\r', CTRL);
        }
        if sent.is_empty() {
            return sent;
        }
        let line_ends = sent.matches(['\r', '\n']).count();
        let is_long = line_ends > 0 && sent.chars().count() - line_ends >= PASTED;
        let is_plain = sent.chars().all(|c| !c.is_control() || matches!(c, '\r' | '\n' | '\t'));
        self.tail.push_str(&sent);
        let (begin, end) = (self.tail.rfind(PASTE), self.tail.rfind(PASTE_END));
        let is_begun =
            |length: &usize| [PASTE, PASTE_END].iter().any(|mark| self.tail.ends_with(&mark[..*length]));
        let begun = (1..PASTE.len()).rev().find(is_begun).unwrap_or(0);
        self.tail.drain(..self.tail.len() - begun);
        let was = self.pasting;
        self.pasting = match was {
            _ if begin > end => Pasting::Marked,
            Pasting::Marked if end.is_none() => Pasting::Marked,
            Pasting::No | Pasting::Unmarked if is_plain && (is_long || was == Pasting::Unmarked) => {
                Pasting::Unmarked
            }
            _ => Pasting::No,
        };
        if self.is_burst() { format!("{PASTE}{sent}{PASTE_END}") } else { sent }
    }

    fn press(&mut self, stroke: Stroke) {
        let Stroke { key, unit, held, .. } = stroke;
        // A character that is typed by its number comes when Alt is let go; pastes hold such.
        let by_number = key == MENU && unit != 0;
        if stroke.is_down == by_number {
            return;
        }
        let is_printed = unit >= 0x20 && unit != 0x7F;
        let held = match held {
            _ if by_number => 0,
            // AltGr is both, and what has a character with it is typed.
            held if is_printed && held & (ALT | CTRL) == ALT | CTRL => 0,
            held => held,
        };
        if held & (ALT | CTRL) == ALT && NUMBER_PAD.contains(&key) {
            return;
        }
        // So a line feed comes out of a paste too, where this key must not be pressed.
        if (key, unit, held) == (RETURN, 0x0A, CTRL) {
            self.is_fed = true;
            self.sent.push('\n');
            return;
        }
        for _ in 0..stroke.count.clamp(1, MOST) {
            match named(key, held) {
                Some(sent) if !by_number => self.sent.push_str(&sent),
                _ => self.write(key, unit, held),
            }
        }
    }

    /// A key with a character, or with a letter that has none because it is held with others.
    fn write(&mut self, key: u16, unit: u16, held: u8) {
        let high = self.half.take();
        let c = match (unit, u8::try_from(key)) {
            (0xD800..=0xDBFF, _) => {
                self.half = Some(unit);
                return;
            }
            (0, Ok(letter @ b'A'..=b'Z')) if held & CTRL != 0 => char::from(letter & 0x1F),
            (0, Ok(sign @ (b'0'..=b'9' | b' '))) if held & CTRL != 0 => char::from(sign),
            (0, _) => return,
            _ => match char::decode_utf16(high.into_iter().chain([unit])).next() {
                Some(Ok(c)) => c,
                _ => return,
            },
        };
        if held & CTRL != 0 && c > ' ' && c != '\x7f' {
            self.sent.push_str(&coded(c, held));
            return;
        }
        if held & ALT != 0 {
            self.sent.push('\x1b');
        }
        self.sent.push(if held & CTRL != 0 && c == ' ' { '\0' } else { c });
    }

    /// Presses of the left button and the wheel.
    fn point(&mut self, (column, row): (i16, i16), buttons: ButtonState, what: EventFlags, held: u8) {
        let was_pressed = mem::replace(&mut self.is_pressed, buttons.left_button());
        let button = match what {
            EventFlags::PressOrRelease | EventFlags::DoubleClick if self.is_pressed && !was_pressed => 0,
            EventFlags::MouseWheeled => 64 + u8::from(buttons.scroll_down()),
            _ => return,
        };
        self.sent.push_str(&format!("\x1b[<{};{};{}M", button | held << 2, column + 1, row + 1));
    }
}

impl Stroke {
    fn of(record: &KeyEventRecord) -> Stroke {
        Stroke {
            is_down: record.key_down,
            count: record.repeat_count,
            key: record.virtual_key_code,
            unit: record.u_char,
            held: held(record.control_key_state),
        }
    }
}

fn held(state: ControlKeyState) -> u8 {
    HELD.iter().filter(|(keys, _)| state.has_state(*keys)).fold(0, |all, (_, held)| all | held)
}

/// The row of the buffer that the window begins with.
fn top() -> i16 {
    let window = ScreenBuffer::current().and_then(|buffer| buffer.info());
    window.map_or(0, |info| info.terminal_window().top)
}

fn coded(c: char, held: u8) -> String {
    format!("\x1b[{};{}u", u32::from(c), held + 1)
}

/// What a terminal sends for a key that is no character.
fn named(key: u16, held: u8) -> Option<String> {
    let coded = |c: char| if held == 0 { c.to_string() } else { coded(c, held) };
    let lettered =
        |last: char| if held == 0 { format!("\x1b[{last}") } else { format!("\x1b[1;{}{last}", held + 1) };
    let numbered = |number: u16| match held {
        0 => format!("\x1b[{number}~"),
        _ => format!("\x1b[{number};{}~", held + 1),
    };
    Some(match key {
        0x08 => coded('\x7f'),
        0x09 if held == SHIFT => "\x1b[Z".to_owned(),
        0x09 => coded('\t'),
        RETURN => coded('\r'),
        0x1B => coded('\x1b'),
        0x21 => numbered(5),
        0x22 => numbered(6),
        0x23 => lettered('F'),
        0x24 => lettered('H'),
        0x25 => lettered('D'),
        0x26 => lettered('A'),
        0x27 => lettered('C'),
        0x28 => lettered('B'),
        0x2D => numbered(2),
        0x2E => numbered(3),
        0x70..=0x74 => numbered(11 + key - 0x70),
        0x75..=0x79 => numbered(17 + key - 0x75),
        0x7A..=0x7B => numbered(23 + key - 0x7A),
        _ => return None,
    })
}
