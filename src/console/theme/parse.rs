//! Reading a theme from TOML, collecting every problem.
//!
//! serde says what one entry may be. Each entry is read by itself: an author who edits colours wants to see all mistakes at
//! once, each with its line.

use std::iter;
use std::ops::Range;

use ratatui::style::{Color, Modifier, Style};
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{Deserialize, Deserializer, Error as _};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{ROLES, Theme};
use crate::store::config::{ConfigProblem, Position};
use crate::text::Message;
use crate::text::lang::{Sentence, say};

/// The names of the terminal's own colours; with `bright-` before them the other eight.
const NAMES: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

const SYNTAX: Sentence = say("this is not TOML ({0})", "这里不是合法的 TOML（{0}）");
const UNKNOWN_ROLE: Sentence =
    say("`{0}` is not a role; the roles are {1}", "`{0}` 不是可设置的角色；可用的角色有 {1}");
const MISSING_ROLE: Sentence = say(
    "the role `{0}` is missing; write `{0} = {}` to leave it plain",
    "缺少角色 `{0}`；不需要样式时写 `{0} = {}`",
);
const NOT_A_TABLE: Sentence = say(
    "`{0}` is {1}, but a table is expected, such as `{0} = { fg = \"cyan\", bold = true }`",
    "`{0}` 的值是 {1}，这里应当是一个表，例如 `{0} = { fg = \"cyan\", bold = true }`",
);
const UNKNOWN_KEY: Sentence = say(
    "`{0}` is not known; expected fg, bg, bold, dim, italic, underline or reverse",
    "不认识 `{0}`；可以写 fg、bg、bold、dim、italic、underline 或 reverse",
);
const NOT_A_SWITCH: Sentence =
    say("`{0}` is {1}, but true or false is expected", "`{0}` 的值是 {1}，这里应当是 true 或 false");
const NOT_A_COLOUR: Sentence = say(
    "`{0}` is {1}, which is no colour; expected one of the 16 names ({2}), a number from 0 to 255 or \"#rrggbb\"",
    "`{0}` 的值是 {1}，这不是颜色；应当是 16 个颜色名之一（{2}）、0 到 255 的数字，或者 \"#rrggbb\"",
);

/// What one entry of a role's table sets.
#[derive(serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Setting {
    #[serde(deserialize_with = "colour")]
    Fg(Color),
    #[serde(deserialize_with = "colour")]
    Bg(Color),
    Bold(bool),
    Dim(bool),
    Italic(bool),
    Underline(bool),
    Reverse(bool),
}

impl Setting {
    fn style(self) -> Style {
        let (modifier, on) = match self {
            Setting::Fg(colour) => return Style::new().fg(colour),
            Setting::Bg(colour) => return Style::new().bg(colour),
            Setting::Bold(on) => (Modifier::BOLD, on),
            Setting::Dim(on) => (Modifier::DIM, on),
            Setting::Italic(on) => (Modifier::ITALIC, on),
            Setting::Underline(on) => (Modifier::UNDERLINED, on),
            Setting::Reverse(on) => (Modifier::REVERSED, on),
        };
        Style::new().add_modifier(if on { modifier } else { Modifier::empty() })
    }
}

/// One of the sixteen names, a number of the palette, or `#rrggbb`.
fn colour<'de, D: Deserializer<'de>>(value: D) -> Result<Color, D::Error> {
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(u8),
        Name(String),
    }
    let name = match Written::deserialize(value)? {
        Written::Number(number) => return Ok(Color::Indexed(number)),
        Written::Name(name) => name,
    };
    // ratatui takes more spellings, and a sign in a hexadecimal number; its `white` is the bright one.
    let hex = name.strip_prefix('#').is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    match name.as_str() {
        "white" => Ok(Color::Gray),
        name if hex || NAMES.contains(&name.strip_prefix("bright-").unwrap_or(name)) => {
            name.parse().map_err(D::Error::custom)
        }
        _ => Err(D::Error::custom("no colour")),
    }
}

/// Reads a theme; see [`Theme::read`].
pub(super) fn read(file: &str, text: &str, base: Theme) -> (Theme, Vec<ConfigProblem>) {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { file, text, theme: base, problems: Vec::new() };
    for error in &errors {
        reader.problem(&error.span().unwrap_or(0..0), "", SYNTAX, &[error.message()]);
    }
    for (role, value) in root.get_ref() {
        reader.role(role.get_ref(), &role.span(), value);
    }
    // What a broken line swallowed is not missing.
    let missing = ROLES.iter().filter(|role| errors.is_empty() && !root.get_ref().contains_key(**role));
    for role in missing {
        reader.problem(&(text.len()..text.len()), role, MISSING_ROLE, &[role]);
    }
    let Reader { theme, mut problems, .. } = reader;
    problems.sort_by_key(|problem| problem.place.as_ref().map(|place| (place.line, place.column)));
    (theme, problems)
}

/// The theme that has been read so far.
struct Reader<'t> {
    file: &'t str,
    text: &'t str,
    theme: Theme,
    problems: Vec<ConfigProblem>,
}

impl Reader<'_> {
    fn problem(&mut self, at: &Range<usize>, key: &str, sentence: Sentence, parts: &[&str]) {
        self.problems.push(ConfigProblem {
            place: Some(Position::new(self.file, self.text, at.start)),
            key: key.to_owned(),
            what: Message::new(sentence, parts),
        });
    }

    fn role(&mut self, role: &str, at: &Range<usize>, value: &Spanned<DeValue<'_>>) {
        let Some(place) = ROLES.iter().position(|known| *known == role) else {
            return self.problem(at, role, UNKNOWN_ROLE, &[role, &ROLES.join(", ")]);
        };
        let text = self.text;
        let written = |value: &Spanned<_>| text.get(value.span()).unwrap_or("?");
        let Some(table) = value.get_ref().as_table() else {
            return self.problem(&value.span(), role, NOT_A_TABLE, &[role, written(value)]);
        };
        let before = self.problems.len();
        let mut style = Style::new();
        for (name, value) in table {
            let entry = MapDeserializer::<_, toml::de::Error>::new(iter::once((
                name.get_ref().as_ref(),
                value.clone(),
            )));
            if let Ok(setting) = Setting::deserialize(MapAccessDeserializer::new(entry)) {
                style = style.patch(setting.style());
                continue;
            }
            let key = format!("{role}.{}", name.get_ref());
            let (at, sentence) = match name.get_ref().as_ref() {
                "fg" | "bg" => (value.span(), NOT_A_COLOUR),
                "bold" | "dim" | "italic" | "underline" | "reverse" => (value.span(), NOT_A_SWITCH),
                _ => (name.span(), UNKNOWN_KEY),
            };
            let colours = format!("{}, bright-{}", NAMES.join(", "), NAMES.join(", bright-"));
            self.problem(&at, &key, sentence, &[&key, written(value), &colours]);
        }
        if self.problems.len() == before {
            self.theme.0[place] = style;
        }
    }
}
