//! The look of the console: one style for each role a piece of text can play.
//!
//! The view decides which role a text has; its signs carry every state without colour.

mod parse;
mod roles;
#[cfg(test)]
mod tests;

use crate::store::config::ConfigProblem;
use ratatui::style::{Color, Style};
use roles::{COLOURS, SWITCHES};

pub use roles::{ROLES, Role, Theme};

const BUILT_IN: [(&str, &str); 7] = [
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("high-contrast", include_str!("../../themes/high-contrast.toml")),
    ("mono", include_str!("../../themes/mono.toml")),
    ("ansi", include_str!("../../themes/ansi.toml")),
    ("gruvbox", include_str!("../../themes/gruvbox.toml")),
    ("catppuccin", include_str!("../../themes/catppuccin.toml")),
];

/// The roles whose names a sample leaves out.
const LEFT_OUT: [&str; 6] = ["rule", "field", "past", "good", "bad", "warn"];

impl Theme {
    /// The names of the built-in themes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The built-in theme called `name`.
    pub fn built_in(name: &str) -> Option<Theme> {
        // The tests read every built-in text: none has problems.
        Some(Theme::read(name, Theme::source(name)?, Theme::default()).0)
    }

    /// The text of the built-in theme called `name`: the thing to start an own theme from.
    pub fn source(name: &str) -> Option<&'static str> {
        BUILT_IN.iter().find(|theme| theme.0 == name).map(|theme| theme.1)
    }

    /// A theme from the TOML text of the file `file`, which is only named in problems, with every problem that can be found at
    /// once, from the top of the file to its end. A role that is missing or wrong looks as in `base`.
    pub fn read(file: &str, text: &str, base: Theme) -> (Theme, Vec<ConfigProblem>) {
        parse::read(file, text, base)
    }

    /// The theme for `NO_COLOR` and `--color never`: weight, underline and reverse video, no colour.
    pub fn plain() -> Theme {
        Theme::built_in("mono").unwrap_or_default()
    }

    /// Ten of the roles, each as its own name in its own style, on one line of 70 cells, with the escape sequences of ECMA-48 for
    /// a terminal that is not the console's. The caller knows whether colours are wanted.
    pub fn sample(&self) -> String {
        let shown = ROLES.iter().zip(self.0).filter(|(role, _)| !LEFT_OUT.contains(role));
        let words: Vec<String> =
            shown.map(|(role, style)| painted(role, self[Role::Text].patch(style))).collect();
        words.join(&painted(" ", self[Role::Text]))
    }
}

/// Text in a style; as it is if the style says nothing.
fn painted(text: &str, style: Style) -> String {
    let on = SWITCHES.iter().filter(|(_, modifier, _)| style.add_modifier.contains(*modifier));
    let mut codes: Vec<String> = on.map(|(.., code)| (*code).to_owned()).collect();
    codes.extend(style.fg.and_then(|colour| code(colour, 30)));
    codes.extend(style.bg.and_then(|colour| code(colour, 40)));
    if codes.is_empty() { text.to_owned() } else { format!("\x1b[{}m{text}\x1b[0m", codes.join(";")) }
}

/// The code of a colour; `first` is 30 in front and 40 behind. The terminal's own colour needs none.
fn code(colour: Color, first: usize) -> Option<String> {
    match colour {
        Color::Indexed(number) => Some(format!("{};5;{number}", first + 8)),
        Color::Rgb(red, green, blue) => Some(format!("{};2;{red};{green};{blue}", first + 8)),
        named => {
            let at = COLOURS.iter().position(|(_, colour)| *colour == named)?;
            Some((first + if at < 8 { at } else { 52 + at }).to_string())
        }
    }
}
