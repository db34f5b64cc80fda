//! Reading a theme from TOML, collecting every problem.
//!
//! Each entry is read by itself: an author who edits colours wants to see all mistakes at once, each with its line.

use std::ops::Range;

use ratatui::style::{Color, Style};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{COLOURS, ROLES, SWITCHES, Theme};
use crate::store::config::{ConfigProblem, Position};
use crate::text::Message;
use crate::text::lang::{Sentence, say};

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

/// The style with one entry of a role's table; `None` if its value is wrong.
fn with(style: Style, name: &str, value: &DeValue<'_>) -> Option<Style> {
    match name {
        "fg" => Some(style.fg(colour(value)?)),
        "bg" => Some(style.bg(colour(value)?)),
        name => {
            let (_, modifier, _) = SWITCHES.iter().find(|(switch, ..)| *switch == name)?;
            value.as_bool().map(|on| if on { style.add_modifier(*modifier) } else { style })
        }
    }
}

/// One of the sixteen names, a number of the palette, or `#rrggbb`.
fn colour(value: &DeValue<'_>) -> Option<Color> {
    if let Some(number) = value.as_integer() {
        return u8::from_str_radix(number.as_str(), number.radix()).ok().map(Color::Indexed);
    }
    let name = value.as_str()?;
    // ratatui takes more spellings, and a sign in a hexadecimal number.
    let is_hex = name.strip_prefix('#').is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let named = COLOURS.iter().find(|(colour, _)| *colour == name).map(|(_, colour)| *colour);
    named.or_else(|| name.parse().ok().filter(|_| is_hex))
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
            if let Some(with) = with(style, name.get_ref(), value.get_ref()) {
                style = with;
                continue;
            }
            let key = format!("{role}.{}", name.get_ref());
            let (at, sentence) = match name.get_ref().as_ref() {
                "fg" | "bg" => (value.span(), NOT_A_COLOUR),
                name if SWITCHES.iter().any(|(switch, ..)| *switch == name) => (value.span(), NOT_A_SWITCH),
                _ => (name.span(), UNKNOWN_KEY),
            };
            let colours = COLOURS.map(|(colour, _)| colour).join(", ");
            self.problem(&at, &key, sentence, &[&key, written(value), &colours]);
        }
        if self.problems.len() == before {
            self.theme.0[place] = style;
        }
    }
}
