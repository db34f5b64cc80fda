//! The look of the console: one style for each role a piece of text can play.
//!
//! The view decides which role a text has; its signs carry every state without colour.

mod paint;
mod parse;
#[cfg(test)]
mod tests;

use crate::store::config::ConfigProblem;
use ratatui::style::{Modifier, Style};
use std::ops::Index;
use strum::VariantNames;

/// The part a piece of text plays; a theme has one style for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Role {
    /// Body text, and the ground of the whole screen.
    Text,
    /// What is secondary: descriptions of rows that are not selected, hints, times.
    Dim,
    /// The one colour that leads the eye: the cursor's mark, the current chip.
    Accent,
    /// The row under the cursor.
    Selection,
    /// The name of a key in footer and help.
    Key,
    /// What is asked; headings.
    Title,
    /// Lines between panes.
    Rule,
    /// The inside of a text field.
    Field,
    /// The sign of a waiting gate.
    Waiting,
    /// The sign of a blocked gate.
    Blocked,
    /// The sign of a malformed packet.
    Malformed,
    /// The sign of an answered gate.
    Answered,
    /// A gate behind the checkpoint.
    Past,
    /// A success.
    Good,
    /// A failure.
    Bad,
    /// Something to look at before going on.
    Warn,
    /// The part of a row that a filter has found.
    Match,
}

/// The names of the roles as theme files spell them, in the order of [`Role`].
pub const ROLES: &[&str] = Role::VARIANTS;

const BUILT_IN: [(&str, &str); 7] = [
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("high-contrast", include_str!("../../themes/high-contrast.toml")),
    ("mono", include_str!("../../themes/mono.toml")),
    ("ansi", include_str!("../../themes/ansi.toml")),
    ("gruvbox", include_str!("../../themes/gruvbox.toml")),
    ("catppuccin", include_str!("../../themes/catppuccin.toml")),
];

/// One style for each role, in the order of [`Role`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Theme([Style; ROLES.len()]);

impl Index<Role> for Theme {
    type Output = Style;

    fn index(&self, role: Role) -> &Style {
        &self.0[role as usize]
    }
}

impl Theme {
    /// The names of the built-in themes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The built-in theme called `name`.
    pub fn built_in(name: &str) -> Option<Theme> {
        // The tests read every built-in text, so the plain theme is never used here.
        Some(Theme::parse(name, Theme::source(name)?).unwrap_or_else(|_| Theme::plain()))
    }

    /// The text of the built-in theme called `name`: the thing to start an own theme from.
    pub fn source(name: &str) -> Option<&'static str> {
        BUILT_IN.iter().find(|theme| theme.0 == name).map(|theme| theme.1)
    }

    /// A theme from the TOML text of the file `file`, which is only named in problems.
    ///
    /// # Errors
    /// Every problem that can be found at once, from the top of the file to its end.
    pub fn parse(file: &str, text: &str) -> Result<Theme, Vec<ConfigProblem>> {
        let (theme, problems) = Theme::read(file, text, Theme::default());
        if problems.is_empty() { Ok(theme) } else { Err(problems) }
    }

    /// The same with every problem; a role that is missing or wrong looks as in `base`.
    pub fn read(file: &str, text: &str, base: Theme) -> (Theme, Vec<ConfigProblem>) {
        parse::read(file, text, base)
    }

    /// The theme for `NO_COLOR` and `--color never`: weight, underline and reverse video, no colour.
    pub fn plain() -> Theme {
        let (bold, dim, underlined) = (Modifier::BOLD, Modifier::DIM, Modifier::UNDERLINED);
        let mut theme = Theme::default();
        for (role, modifier) in [
            (Role::Dim, dim),
            (Role::Accent, bold),
            (Role::Selection, Modifier::REVERSED),
            (Role::Key, bold),
            (Role::Title, bold | underlined),
            (Role::Rule, dim),
            (Role::Field, underlined),
            (Role::Waiting, bold),
            (Role::Blocked, bold | underlined),
            (Role::Malformed, underlined),
            (Role::Past, dim),
            (Role::Bad, bold | underlined),
            (Role::Warn, underlined),
            (Role::Match, bold | underlined),
        ] {
            theme.0[role as usize] = Style::new().add_modifier(modifier);
        }
        theme
    }
}
