//! One key press as the author meant it, its text form, and its folding for list views.
//!
//! What the terminal reports becomes one canonical [`KeyPress`]; `keymap` says what it does.

use std::fmt;

use crate::text::width::narrow;
/// A key on its own, without modifiers.
pub use crossterm::event::KeyCode as Key;

/// One key press in canonical form: equal presses are equal values, whichever way the terminal reported them.
///
/// * A character carries its own case, so `shift` is never set beside [`Key::Char`].
/// * With `ctrl`, a character is in lower case.
/// * Shift+Tab is [`Key::BackTab`] without `shift`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyPress {
    pub key: Key,
    pub ctrl: bool,
    pub alt: bool,
    pub shift: bool,
}

/// The names of each key in settings, in any case; hints show the first one.
const NAMES: &[(Key, &[&str])] = &[
    (Key::Enter, &["Enter", "Return"]),
    (Key::Esc, &["Esc", "Escape"]),
    (Key::Tab, &["Tab"]),
    (Key::BackTab, &["Shift+Tab", "BackTab"]),
    (Key::Backspace, &["Backspace"]),
    (Key::Delete, &["Delete", "Del"]),
    (Key::Insert, &["Insert", "Ins"]),
    (Key::Up, &["↑", "Up"]),
    (Key::Down, &["↓", "Down"]),
    (Key::Left, &["←", "Left"]),
    (Key::Right, &["→", "Right"]),
    (Key::Home, &["Home"]),
    (Key::End, &["End"]),
    (Key::PageUp, &["PgUp", "PageUp"]),
    (Key::PageDown, &["PgDn", "PageDown"]),
    (Key::Char(' '), &["Space"]),
];

impl KeyPress {
    pub const fn plain(key: Key) -> KeyPress {
        KeyPress { key, ctrl: false, alt: false, shift: false }
    }

    /// Reads `ctrl+s`, `f8`, `shift+tab`, `alt+enter`, `space`, `?`, `1`, `+`, `ctrl++`. Names and modifiers may
    /// be in any case; a single character is taken as it is. `None` for anything else.
    pub fn parse(text: &str) -> Option<KeyPress> {
        let mut press = KeyPress::plain(Key::Esc);
        let mut rest = text;
        // A `+` that ends the text is the key itself, not a separator.
        while let Some((modifier, tail)) =
            rest.split_once('+').filter(|(head, tail)| !head.is_empty() && !tail.is_empty())
        {
            let slot = match modifier.to_ascii_lowercase().as_str() {
                "ctrl" => &mut press.ctrl,
                "alt" => &mut press.alt,
                "shift" => &mut press.shift,
                _ => return None,
            };
            if std::mem::replace(slot, true) {
                return None;
            }
            rest = tail;
        }
        press.key = parse_key(rest)?;
        Some(press.canonical())
    }

    /// A key as terminals report it: of its modifiers bit 0 is Shift, bit 1 Alt, bit 2 Ctrl. `None` with Super, Hyper or
    /// Meta, the next three: the window system's keys are not ours.
    pub fn reported(key: Key, modifiers: u32) -> Option<KeyPress> {
        let held = |bit: u32| modifiers >> bit & 1 == 1;
        let press = KeyPress { key, ctrl: held(2), alt: held(1), shift: held(0) };
        (modifiers & 0b11_1000 == 0).then(|| press.undo_control_codes().canonical())
    }

    /// For list views: a full-width form (`／`, `？`, `ａ`) and the ideographic space become the ASCII key, so that
    /// the keys work with the input method left on; a line feed becomes Enter. `、` is what the `/` key gives under Chinese
    /// punctuation. A wide digit (`１`) stays text: an input method that sends one is writing, as `第１章`, and what it writes
    /// ticks nothing. Never apply this to text that is being written.
    #[must_use]
    pub fn fold(self) -> KeyPress {
        let Key::Char(c) = self.key else { return self };
        // Enter pressed before the terminal was taken: the system has made a line feed of it.
        if c == 'j' && self.ctrl && !self.alt {
            return KeyPress::plain(Key::Enter);
        }
        let folded = match c {
            '、' => '/',
            '０'..='９' => c,
            c => narrow(c),
        };
        KeyPress { key: Key::Char(folded), ..self }.canonical()
    }

    /// The character that this press writes into a text field, if it writes one.
    pub fn text(self) -> Option<char> {
        match self.key {
            Key::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }

    /// Whether a terminal in its classic mode can tell it from every other key: Ctrl+H is Backspace there, Ctrl+I Tab.
    pub fn arrives(self) -> bool {
        let code = self.ctrl && matches!(self.key, Key::Char('i' | 'm' | '['));
        !code && self.undo_control_codes() == self
    }

    fn canonical(mut self) -> KeyPress {
        match self.key {
            Key::Char(c) => {
                self.shift = false;
                if self.ctrl {
                    self.key = Key::Char(c.to_lowercase().next().unwrap_or(c));
                }
            }
            Key::Tab if self.shift => {
                self.key = Key::BackTab;
                self.shift = false;
            }
            Key::BackTab => self.shift = false,
            _ => {}
        }
        self
    }

    /// A terminal in its classic mode sends one control code for several keys. The author pressed the punctuation key and
    /// not the digit; Ctrl+H is Backspace, and in every text field of this trade both erase.
    fn undo_control_codes(mut self) -> KeyPress {
        if let (true, Key::Char(c)) = (self.ctrl, self.key) {
            match c {
                '4' => self.key = Key::Char('\\'),
                '5' => self.key = Key::Char(']'),
                '6' => self.key = Key::Char('^'),
                '7' => self.key = Key::Char('_'),
                'h' | 'H' => (self.key, self.ctrl) = (Key::Backspace, false),
                _ => {}
            }
        }
        self
    }
}

fn parse_key(text: &str) -> Option<Key> {
    let mut chars = text.chars();
    if let (Some(only), None) = (chars.next(), chars.next())
        && !matches!(only, '↑' | '↓' | '←' | '→')
    {
        return Some(Key::Char(only));
    }
    if let Some(number) = text.strip_prefix(['f', 'F']) {
        return number.parse().ok().filter(|n| (1..=24).contains(n)).map(Key::F);
    }
    let named = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(text));
    NAMES.iter().find(|(_, names)| named(names)).map(|(key, _)| *key)
}

impl fmt::Display for KeyPress {
    /// The form for hints: `Ctrl+S`, `F8`, `Shift+Tab`, `Space`, `↑`, `g`, `G`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, name) in [(self.ctrl, "Ctrl+"), (self.alt, "Alt+"), (self.shift, "Shift+")] {
            if held {
                f.write_str(name)?;
            }
        }
        match self.key {
            Key::F(n) => write!(f, "F{n}"),
            Key::Char(c) if c != ' ' && self.ctrl => write!(f, "{}", c.to_uppercase()),
            Key::Char(c) if c != ' ' => write!(f, "{c}"),
            key => {
                f.write_str(NAMES.iter().find(|(named, _)| *named == key).map_or("?", |(_, names)| names[0]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(text: &str) -> KeyPress {
        KeyPress::parse(text).unwrap_or_else(|| panic!("{text} is not a key"))
    }

    #[test]
    fn text_form_is_read_and_shown() {
        let rows = [
            ("ctrl+s", "Ctrl+S"),
            ("CTRL+S", "Ctrl+S"),
            ("f8", "F8"),
            ("F12", "F12"),
            ("shift+tab", "Shift+Tab"),
            ("backtab", "Shift+Tab"),
            ("alt+enter", "Alt+Enter"),
            ("ctrl+alt+shift+up", "Ctrl+Alt+Shift+↑"),
            ("↓", "↓"),
            ("space", "Space"),
            (" ", "Space"),
            ("ctrl+space", "Ctrl+Space"),
            ("ctrl+_", "Ctrl+_"),
            ("?", "?"),
            ("/", "/"),
            ("1", "1"),
            ("f", "f"),
            ("g", "g"),
            ("G", "G"),
            ("+", "+"),
            ("ctrl++", "Ctrl++"),
            ("pageup", "PgUp"),
            ("del", "Delete"),
            ("起", "起"),
        ];
        for (text, shown) in rows {
            assert_eq!(press(text).to_string(), shown, "{text}");
            assert_eq!(press(shown), press(text), "{shown} reads back");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "ctrl+", "ctrl+ctrl+s", "hyper+s", "f0", "f25", "fx", "enterr", "ctrl+shift", "ab"] {
            assert_eq!(KeyPress::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_same_press_is_the_same_value() {
        let (none, shift, alt, ctrl) = (0, 1, 2, 4);
        let rows = [
            (Key::Char('G'), shift, "G"),
            (Key::Char('?'), shift, "?"),
            (Key::Char('S'), ctrl | shift, "ctrl+s"),
            (Key::Char('s'), ctrl, "ctrl+s"),
            (Key::Char('7'), ctrl, "ctrl+_"),
            (Key::Char('4'), ctrl, "ctrl+\\"),
            (Key::Char('5'), ctrl, "ctrl+]"),
            (Key::Char('6'), ctrl, "ctrl+^"),
            (Key::Char(' '), ctrl, "ctrl+space"),
            (Key::Char('h'), ctrl, "backspace"),
            (Key::Char('j'), ctrl, "ctrl+j"),
            (Key::BackTab, shift, "shift+tab"),
            (Key::Tab, shift, "shift+tab"),
            (Key::Tab, none, "tab"),
            (Key::Up, shift, "shift+up"),
            (Key::Enter, alt, "alt+enter"),
            (Key::F(10), none, "f10"),
        ];
        for (key, modifiers, text) in rows {
            assert_eq!(KeyPress::reported(key, modifiers), Some(press(text)), "{key:?} {modifiers:?}");
        }
    }

    #[test]
    fn keys_of_the_window_system_are_dropped() {
        for modifiers in [8, 9, 16, 32] {
            assert_eq!(KeyPress::reported(Key::Char('q'), modifiers), None);
        }
        assert!(KeyPress::reported(Key::Char('q'), 64).is_some(), "a lock is no modifier");
    }

    #[test]
    fn full_width_keys_fold_to_ascii() {
        for (wide, narrow) in [("／", "/"), ("？", "?"), ("ａ", "a"), ("ｚ", "z"), ("、", "/")] {
            assert_eq!(press(wide).fold(), press(narrow), "{wide}");
        }
        assert_eq!(press("\u{3000}").fold(), press("space"));
        for kept in ["起", "a", "1", "１", "９", "enter", "ctrl+s", "。"] {
            assert_eq!(press(kept).fold(), press(kept), "{kept}");
        }
    }

    #[test]
    fn only_bare_characters_are_text() {
        assert_eq!(press("起").text(), Some('起'));
        assert_eq!(press("G").text(), Some('G'));
        assert_eq!(press("space").text(), Some(' '));
        for other in ["ctrl+s", "alt+x", "enter", "f1"] {
            assert_eq!(press(other).text(), None, "{other}");
        }
    }
}
