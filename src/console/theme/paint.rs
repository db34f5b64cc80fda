//! A theme's own words in its own colours, for a terminal that is not the console's.
//!
//! Styles become the escape sequences that every terminal of the ECMA-48 family reads; the caller knows whether colours are
//! wanted.

use super::{ROLES, Role, Theme};
use ratatui::style::{Color, Modifier, Style};

/// The foreground's number of each modifier.
const SWITCHES: [(Modifier, &str); 5] = [
    (Modifier::BOLD, "1"),
    (Modifier::DIM, "2"),
    (Modifier::ITALIC, "3"),
    (Modifier::UNDERLINED, "4"),
    (Modifier::REVERSED, "7"),
];

/// The roles whose names a sample leaves out.
const LEFT_OUT: [&str; 6] = ["rule", "field", "past", "good", "bad", "warn"];

impl Theme {
    /// Ten of the roles, each as its own name in its own style, on one line of 70 cells.
    pub fn sample(&self) -> String {
        let shown = ROLES.iter().zip(self.0).filter(|(role, _)| !LEFT_OUT.contains(role));
        let words: Vec<String> =
            shown.map(|(role, style)| painted(role, self[Role::Text].patch(style))).collect();
        words.join(&painted(" ", self[Role::Text]))
    }
}

/// Text in a style; as it is if the style says nothing.
fn painted(text: &str, style: Style) -> String {
    let on = |(modifier, code): &(Modifier, &str)| {
        style.add_modifier.contains(*modifier).then(|| (*code).to_owned())
    };
    let mut codes: Vec<String> = SWITCHES.iter().filter_map(on).collect();
    codes.extend(style.fg.and_then(|colour| code(colour, 30)));
    codes.extend(style.bg.and_then(|colour| code(colour, 40)));
    if codes.is_empty() { text.to_owned() } else { format!("\x1b[{}m{text}\x1b[0m", codes.join(";")) }
}

/// The code of a colour; `first` is 30 in front and 40 behind. The terminal's own colour needs none.
fn code(colour: Color, first: u8) -> Option<String> {
    let (offset, bright) = match colour {
        Color::Reset => return None,
        Color::Black => (0, false),
        Color::Red => (1, false),
        Color::Green => (2, false),
        Color::Yellow => (3, false),
        Color::Blue => (4, false),
        Color::Magenta => (5, false),
        Color::Cyan => (6, false),
        Color::Gray => (7, false),
        Color::DarkGray => (0, true),
        Color::LightRed => (1, true),
        Color::LightGreen => (2, true),
        Color::LightYellow => (3, true),
        Color::LightBlue => (4, true),
        Color::LightMagenta => (5, true),
        Color::LightCyan => (6, true),
        Color::White => (7, true),
        Color::Indexed(number) => return Some(format!("{};5;{number}", first + 8)),
        Color::Rgb(red, green, blue) => return Some(format!("{};2;{red};{green};{blue}", first + 8)),
    };
    Some((first + offset + if bright { 60 } else { 0 }).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_become_the_codes_of_ecma_48() {
        let loud = Style::new().fg(Color::Indexed(117)).bg(Color::Rgb(1, 2, 3)).add_modifier(Modifier::BOLD);
        assert_eq!(painted("x", loud), "\x1b[1;38;5;117;48;2;1;2;3mx\x1b[0m");
        let named = Style::new().fg(Color::LightYellow).bg(Color::Gray);
        assert_eq!(painted("x", named), "\x1b[93;47mx\x1b[0m");
        assert_eq!(painted("x", Style::new().fg(Color::Reset)), "x");
    }

    #[test]
    fn a_sample_has_its_words_and_without_colours_no_colour() {
        let plain = Theme::plain().sample();
        assert!(plain.contains("selection") && !plain.contains("38;") && !plain.contains("[3"), "{plain:?}");
        for name in Theme::names() {
            let theme = Theme::built_in(name).expect("a built-in theme");
            assert!(theme.sample().contains("waiting"), "{name}");
        }
    }
}
