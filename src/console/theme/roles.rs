//! The roles that a piece of text can play, the names in theme files, and a theme: a style for each role.

use ratatui::style::{Color, Modifier, Style};
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

/// The terminal's own colours by the names that theme files give them, in the order of ECMA-48. What that calls white is a grey
/// to ratatui.
pub(super) const COLOURS: [(&str, Color); 16] = [
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("bright-black", Color::DarkGray),
    ("bright-red", Color::LightRed),
    ("bright-green", Color::LightGreen),
    ("bright-yellow", Color::LightYellow),
    ("bright-blue", Color::LightBlue),
    ("bright-magenta", Color::LightMagenta),
    ("bright-cyan", Color::LightCyan),
    ("bright-white", Color::White),
];

/// What can be switched on in a theme file, with its number in ECMA-48.
pub(super) const SWITCHES: [(&str, Modifier, &str); 5] = [
    ("bold", Modifier::BOLD, "1"),
    ("dim", Modifier::DIM, "2"),
    ("italic", Modifier::ITALIC, "3"),
    ("underline", Modifier::UNDERLINED, "4"),
    ("reverse", Modifier::REVERSED, "7"),
];

/// One style for each role, in the order of [`Role`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Theme(pub(super) [Style; ROLES.len()]);

impl Index<Role> for Theme {
    type Output = Style;

    fn index(&self, role: Role) -> &Style {
        &self.0[role as usize]
    }
}
