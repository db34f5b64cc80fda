//! The look of the console: one style for each role a piece of text can play.
//!
//! Responsible for the roles, the built-in themes and the theme without colours. Reading a theme's text is in `theme/parse.rs`,
//! showing one outside the console in `theme/paint.rs`.
//! Not responsible for files (the caller brings the text) nor for which role a thing has: that is the view's business, as
//! are the signs that carry every state without colour.

mod paint;
mod parse;
#[cfg(test)]
mod tests;

use ratatui::style::{Modifier, Style};

pub use parse::ThemeProblem;

/// A built-in theme: its name and its text.
struct BuiltIn {
    name: &'static str,
    text: &'static str,
}

const BUILT_IN: [BuiltIn; 5] = [
    BuiltIn { name: "dark", text: include_str!("../../themes/dark.toml") },
    BuiltIn { name: "light", text: include_str!("../../themes/light.toml") },
    BuiltIn { name: "high-contrast", text: include_str!("../../themes/high-contrast.toml") },
    BuiltIn { name: "mono", text: include_str!("../../themes/mono.toml") },
    BuiltIn { name: "ansi", text: include_str!("../../themes/ansi.toml") },
];

/// The names of the roles as theme files spell them, in the order of the fields of [`Theme`].
pub const ROLES: [&str; 16] = [
    "text",
    "dim",
    "accent",
    "selection",
    "key",
    "title",
    "rule",
    "field",
    "waiting",
    "blocked",
    "malformed",
    "answered",
    "past",
    "good",
    "bad",
    "warn",
];

/// One style for each role.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    /// Body text, and the ground of the whole screen.
    pub text: Style,
    /// What is secondary: descriptions of rows that are not selected, hints, times.
    pub dim: Style,
    /// The one colour that leads the eye: the cursor's mark, the current chip.
    pub accent: Style,
    /// The row under the cursor.
    pub selection: Style,
    /// The name of a key in footer and help.
    pub key: Style,
    /// What is asked; headings.
    pub title: Style,
    /// Lines between panes.
    pub rule: Style,
    /// The inside of a text field.
    pub field: Style,
    /// The sign of a waiting gate.
    pub waiting: Style,
    /// The sign of a blocked gate.
    pub blocked: Style,
    /// The sign of a malformed packet.
    pub malformed: Style,
    /// The sign of an answered gate.
    pub answered: Style,
    /// A gate behind the checkpoint.
    pub past: Style,
    /// A success.
    pub good: Style,
    /// A failure.
    pub bad: Style,
    /// Something to look at before going on.
    pub warn: Style,
}

impl Theme {
    /// The names of the built-in themes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|theme| theme.name)
    }

    /// The built-in theme called `name`.
    pub fn built_in(name: &str) -> Option<Theme> {
        let theme = BUILT_IN.iter().find(|theme| theme.name == name)?;
        // The tests read every built-in text, so the theme without colours never has to stand in.
        Some(parse::parse(theme.name, theme.text).unwrap_or_else(|_| Theme::plain()))
    }

    /// The text of the built-in theme called `name`: the thing to start an own theme from.
    pub fn source(name: &str) -> Option<&'static str> {
        BUILT_IN.iter().find(|theme| theme.name == name).map(|theme| theme.text)
    }

    /// A built-in theme by its name, or else a theme from TOML text.
    ///
    /// # Errors
    /// Every problem that can be found at once; an unknown name is one problem.
    pub fn load(name_or_text: &str) -> Result<Theme, Vec<ThemeProblem>> {
        if let Some(theme) = Theme::built_in(name_or_text) {
            return Ok(theme);
        }
        if name_or_text.contains(['=', '\n']) {
            return Theme::parse("theme", name_or_text);
        }
        Err(vec![ThemeProblem::unknown_name(name_or_text)])
    }

    /// A theme from the TOML text of the file `file`, which is only named in problems.
    ///
    /// # Errors
    /// Every problem that can be found at once, from the top of the file to its end.
    pub fn parse(file: &str, text: &str) -> Result<Theme, Vec<ThemeProblem>> {
        parse::parse(file, text)
    }

    /// The theme for `NO_COLOR` and `--color never`: weight, underline and reverse video, no colour.
    pub fn plain() -> Theme {
        let style = |modifier| Style::new().add_modifier(modifier);
        let bold = style(Modifier::BOLD);
        let dim = style(Modifier::DIM);
        let underlined = style(Modifier::UNDERLINED);
        let loud = style(Modifier::BOLD.union(Modifier::UNDERLINED));
        Theme {
            text: Style::new(),
            dim,
            accent: bold,
            selection: style(Modifier::REVERSED),
            key: bold,
            title: loud,
            rule: dim,
            field: underlined,
            waiting: bold,
            blocked: loud,
            malformed: underlined,
            answered: Style::new(),
            past: dim,
            good: Style::new(),
            bad: loud,
            warn: underlined,
        }
    }

    /// The style of the role called `role` in theme files.
    fn role_mut(&mut self, role: &str) -> Option<&mut Style> {
        Some(match role {
            "text" => &mut self.text,
            "dim" => &mut self.dim,
            "accent" => &mut self.accent,
            "selection" => &mut self.selection,
            "key" => &mut self.key,
            "title" => &mut self.title,
            "rule" => &mut self.rule,
            "field" => &mut self.field,
            "waiting" => &mut self.waiting,
            "blocked" => &mut self.blocked,
            "malformed" => &mut self.malformed,
            "answered" => &mut self.answered,
            "past" => &mut self.past,
            "good" => &mut self.good,
            "bad" => &mut self.bad,
            "warn" => &mut self.warn,
            _ => return None,
        })
    }
}
