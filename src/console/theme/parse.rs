//! Reading a theme from TOML, collecting every problem.
//!
//! Responsible for what a theme file may say and for the sentences about what it may not. A derived deserialiser would
//! stop at the first problem; an author who edits colours wants to see all of them, each with its line.

use std::ops::Range;

use ratatui::style::{Color, Modifier, Style};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{ROLES, Theme};
use crate::text::lang::{Lang, Sentence, say};

const NAMED: [(&str, Color); 16] = [
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

const MODIFIERS: [(&str, Modifier); 5] = [
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underline", Modifier::UNDERLINED),
    ("reverse", Modifier::REVERSED),
];

const PLACE: Sentence = say("{0}, line {1}, column {2}: {3}", "{0} 第 {1} 行第 {2} 列：{3}");
const SYNTAX: Sentence = say("this is not TOML ({0})", "这里不是合法的 TOML（{0}）");
const UNKNOWN_NAME: Sentence =
    say("there is no theme called `{0}`; the built-in ones are {1}", "没有名为 `{0}` 的主题；内置主题有 {1}");
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

/// One thing a theme says that it may not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeProblem {
    /// The file as the caller named it; `None` when the problem is the theme's name itself.
    pub file: Option<String>,
    /// The line, counted from 1.
    pub line: usize,
    /// The character of the line, counted from 1.
    pub column: usize,
    /// The key, as `waiting.fg`; empty when the text is not TOML at all.
    pub key: String,
    sentence: Sentence,
    parts: Vec<String>,
}

impl ThemeProblem {
    /// The whole sentence: file, line, key, what was found and what was expected.
    pub fn say(&self, lang: Lang) -> String {
        let what = self.what(lang);
        match &self.file {
            Some(file) => PLACE.fill(lang, &[file, &self.line.to_string(), &self.column.to_string(), &what]),
            None => what,
        }
    }

    /// The same without file, line and column.
    pub fn what(&self, lang: Lang) -> String {
        let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
        self.sentence.fill(lang, &parts)
    }

    /// The problem of a name that no theme has.
    pub(super) fn unknown_name(name: &str) -> ThemeProblem {
        let names: Vec<&str> = Theme::names().collect();
        ThemeProblem {
            file: None,
            line: 1,
            column: 1,
            key: name.to_owned(),
            sentence: UNKNOWN_NAME,
            parts: vec![name.to_owned(), names.join(", ")],
        }
    }
}

/// Reads a theme; see [`Theme::parse`].
pub(super) fn parse(file: &str, text: &str) -> Result<Theme, Vec<ThemeProblem>> {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { file, text, theme: Theme::default(), problems: Vec::new() };
    for error in &errors {
        let at = error.span().unwrap_or(0..0);
        reader.problem(&at, "", SYNTAX, vec![error.message().to_owned()]);
    }
    for (role, value) in root.get_ref() {
        reader.role(role.get_ref(), &role.span(), value);
    }
    // What a broken line swallowed is not missing.
    if errors.is_empty() {
        reader.missing(root.get_ref());
    }
    let Reader { theme, mut problems, .. } = reader;
    problems.sort_by_key(|problem| (problem.line, problem.column));
    if problems.is_empty() { Ok(theme) } else { Err(problems) }
}

/// The theme that has been read so far.
struct Reader<'t> {
    file: &'t str,
    text: &'t str,
    theme: Theme,
    problems: Vec<ThemeProblem>,
}

impl Reader<'_> {
    fn problem(&mut self, at: &Range<usize>, key: &str, sentence: Sentence, parts: Vec<String>) {
        let before = self.text.get(..at.start).unwrap_or_default();
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.rsplit('\n').next().map_or(0, |start| start.chars().count());
        self.problems.push(ThemeProblem {
            file: Some(self.file.to_owned()),
            line,
            column,
            key: key.to_owned(),
            sentence,
            parts,
        });
    }

    /// The value as the file writes it.
    fn written(&self, value: &Spanned<DeValue<'_>>) -> String {
        self.text.get(value.span()).unwrap_or("?").to_owned()
    }

    fn missing(&mut self, root: &DeTable<'_>) {
        let end = self.text.len()..self.text.len();
        for role in ROLES {
            if !root.iter().any(|(name, _)| name.get_ref() == role) {
                self.problem(&end, role, MISSING_ROLE, vec![role.to_owned()]);
            }
        }
    }

    fn role(&mut self, role: &str, at: &Range<usize>, value: &Spanned<DeValue<'_>>) {
        if !ROLES.contains(&role) {
            return self.problem(at, role, UNKNOWN_ROLE, vec![role.to_owned(), ROLES.join(", ")]);
        }
        let Some(table) = value.get_ref().as_table() else {
            let parts = vec![role.to_owned(), self.written(value)];
            return self.problem(&value.span(), role, NOT_A_TABLE, parts);
        };
        let mut style = Style::new();
        for (name, value) in table {
            let key = format!("{role}.{}", name.get_ref());
            match name.get_ref().as_ref() {
                "fg" => style.fg = self.colour(&key, value),
                "bg" => style.bg = self.colour(&key, value),
                other => match MODIFIERS.iter().find(|(name, _)| *name == other) {
                    Some(&(_, modifier)) if self.switch(&key, value) => style = style.add_modifier(modifier),
                    Some(_) => {}
                    None => self.problem(&name.span(), &key, UNKNOWN_KEY, vec![key.clone()]),
                },
            }
        }
        if let Some(slot) = self.theme.role_mut(role) {
            *slot = style;
        }
    }

    fn switch(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> bool {
        value.get_ref().as_bool().unwrap_or_else(|| {
            let parts = vec![key.to_owned(), self.written(value)];
            self.problem(&value.span(), key, NOT_A_SWITCH, parts);
            false
        })
    }

    fn colour(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Color> {
        let colour = match value.get_ref() {
            DeValue::Integer(number) => {
                u8::from_str_radix(number.as_str(), number.radix()).ok().map(Color::Indexed)
            }
            DeValue::String(name) => colour_named(name),
            _ => None,
        };
        if colour.is_none() {
            let names: Vec<&str> = NAMED.iter().map(|(name, _)| *name).collect();
            let parts = vec![key.to_owned(), self.written(value), names.join(", ")];
            self.problem(&value.span(), key, NOT_A_COLOUR, parts);
        }
        colour
    }
}

/// One of the sixteen names, or `#rrggbb`.
fn colour_named(name: &str) -> Option<Color> {
    if let Some(hex) = name.strip_prefix('#') {
        // `from_str_radix` alone would take a sign.
        let plain = hex.len() == 6 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        let [_, red, green, blue] = u32::from_str_radix(hex, 16).ok().filter(|_| plain)?.to_be_bytes();
        return Some(Color::Rgb(red, green, blue));
    }
    NAMED.iter().find(|(known, _)| *known == name).map(|&(_, colour)| colour)
}
