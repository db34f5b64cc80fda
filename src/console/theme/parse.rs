//! Reading a theme from TOML, collecting every problem.
//!
//! Each entry is read by itself: an author who edits colours wants to see all mistakes at once, each with its line.

use ratatui::style::{Color, Modifier, Style};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::roles::{COLOURS, ROLES, SWITCHES, Theme};
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
            let modifier = switch(name)?;
            value.as_bool().map(|on| if on { style.add_modifier(modifier) } else { style })
        }
    }
}

fn switch(name: &str) -> Option<Modifier> {
    SWITCHES.iter().find(|(switch, ..)| *switch == name).map(|(_, modifier, _)| *modifier)
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
pub(super) fn read(file: &str, text: &str, mut theme: Theme) -> (Theme, Vec<ConfigProblem>) {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut problems = Vec::new();
    let mut problem = |at: usize, key: &str, sentence, parts: &[&str]| {
        let place = Some(Position::new(file, text, at));
        problems.push(ConfigProblem { place, key: key.to_owned(), what: Message::new(sentence, parts) });
    };
    let written = |value: &Spanned<_>| text.get(value.span()).unwrap_or("?");
    for error in &errors {
        problem(error.span().map_or(0, |span| span.start), "", SYNTAX, &[error.message()]);
    }
    for (name, value) in root.get_ref() {
        let role = name.get_ref().as_ref();
        let Some(place) = ROLES.iter().position(|known| *known == role) else {
            problem(name.span().start, role, UNKNOWN_ROLE, &[role, &ROLES.join(", ")]);
            continue;
        };
        let Some(table) = value.get_ref().as_table() else {
            problem(value.span().start, role, NOT_A_TABLE, &[role, written(value)]);
            continue;
        };
        let mut style = Some(Style::new());
        for (name, value) in table {
            let entry = name.get_ref().as_ref();
            let with = with(style.unwrap_or_default(), entry, value.get_ref());
            if with.is_none() {
                let key = format!("{role}.{entry}");
                let (at, sentence) = match entry {
                    "fg" | "bg" => (value.span(), NOT_A_COLOUR),
                    entry if switch(entry).is_some() => (value.span(), NOT_A_SWITCH),
                    _ => (name.span(), UNKNOWN_KEY),
                };
                let colours = COLOURS.map(|(colour, _)| colour).join(", ");
                problem(at.start, &key, sentence, &[&key, written(value), &colours]);
            }
            style = style.and(with);
        }
        theme.0[place] = style.unwrap_or(theme.0[place]);
    }
    // What a broken line swallowed is not missing.
    for role in ROLES.iter().filter(|role| errors.is_empty() && !root.get_ref().contains_key(**role)) {
        problem(text.len(), role, MISSING_ROLE, &[role]);
    }
    problems.sort_by_key(|problem| problem.place.as_ref().map(|place| (place.line, place.column)));
    (theme, problems)
}
