//! `themes`: which themes there are, where they come from, what is wrong with them; or the text of one.
//!
//! The caller brings the themes: this room does not know the console.

use super::output::{Head, Output, form, lossy};
use super::{Session, harmless};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::text::width::{cells, pad};
use crate::text::{Lang, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

pub(super) const OUTPUT: Output = Output::new(
    "themes-output",
    "What themes --json prints: all themes, or with NAME one with its text.",
    &[form::<Listing>(&["ok"], &[0], &["themes"]), form::<ThemeTextOutput<'_>>(&["ok"], &[0], &["theme"])],
);

/// The built-in themes and the author's own.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ThemesOutput")]
pub struct Listing {
    /// The name of the theme that the console would take; if the terminal chooses, where that does not tell its background.
    pub in_use: Option<String>,
    /// Why that one; no-color: none is in use.
    pub chosen_by: Option<ChosenBy>,
    /// What is wrong with the settings and with that theme, a sentence each.
    pub troubles: Vec<String>,
    /// The built-in ones first.
    pub themes: Vec<Theme>,
}

/// A theme with its text.
#[derive(Serialize, JsonSchema)]
struct ThemeTextOutput<'a> {
    #[serde(flatten)]
    theme: &'a Theme,
    /// The text of its file, as it stands.
    text: &'a str,
}

/// A theme.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ThemeOutput")]
pub struct Theme {
    /// What --theme takes.
    pub name: String,
    /// Where it comes from.
    #[schemars(extend("enum" = ["built-in", "file"]))]
    pub origin: &'static str,
    /// Its file.
    #[serde(serialize_with = "lossy")]
    #[schemars(with = "Option<String>")]
    pub path: Option<PathBuf>,
    /// Whether the console would take it.
    pub in_use: bool,
    /// Whether a built-in theme of that name stands before it.
    pub hidden: bool,
    /// Whether it can be used.
    pub legal: bool,
    /// Everything that is wrong with it.
    pub problems: Vec<ThemeProblem>,
    /// Its colours on one line, as escape sequences; empty if it is not legal.
    #[serde(skip)]
    pub sample: String,
    /// What its file says; empty if that cannot be read.
    #[serde(skip)]
    pub text: String,
}

/// Something that a theme may not say.
#[derive(Serialize, JsonSchema)]
pub struct ThemeProblem {
    /// The line, from 1; null if the file cannot be read.
    pub line: Option<usize>,
    /// The column in characters, from 1.
    pub column: Option<usize>,
    /// The key, such as waiting.fg; may be empty.
    pub key: String,
    /// What is wrong, in a sentence.
    pub message: String,
}

/// At most so many faults of a theme are listed.
const SHOWN: usize = 3;

/// Who chose the theme that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub enum ChosenBy {
    /// `--theme`.
    #[serde(rename = "flag")]
    Flag,
    /// The settings.
    #[serde(rename = "config")]
    Settings,
    /// The terminal, as far as it tells its background.
    #[serde(rename = "auto")]
    Terminal,
    /// `NO_COLOR` or `--color never`: no theme is in use.
    #[serde(rename = "no-color")]
    NoColour,
}

pub fn run(session: &mut Session<'_>, listing: &Listing) -> Result<ExitCode, Error> {
    let lang = session.lang;
    let first = match listing.chosen_by {
        Some(by) => by.says().fill(lang, &[listing.in_use.as_deref().unwrap_or_default()]),
        None => say("The console cannot start.", "控制台无法启动。").text(lang).to_owned(),
    };
    let summary = [&[first], &*listing.troubles].concat();
    let (environment, color) = (&session.environment, session.global.color);
    let colours = color.paints(environment.output_is_terminal, environment.no_color);
    let column = listing.themes.iter().map(|theme| cells(&theme.name)).max().unwrap_or_default() + 2;
    let mut out = String::new();
    for theme in &listing.themes {
        let line = pad(&theme.name, column) + &remarks(theme, lang);
        let faults = theme.problems.iter().take(SHOWN).map(|problem| format!("  {}", problem.text(lang)));
        let more = theme.problems.len().saturating_sub(SHOWN);
        let more = (more > 0).then(|| {
            say("  and {0} more: novel-gate themes {1}", "  还有 {0} 处：novel-gate themes {1}")
                .fill(lang, &[&more.to_string(), &theme.taken_by()])
        });
        out += &harmless(std::iter::once(line).chain(faults).chain(more));
        if colours && !theme.sample.is_empty() {
            // The sample is our own; its escape sequences are meant.
            out.push_str(&format!("  {}\n", theme.sample));
        }
    }
    out += &harmless(&summary);
    if session.global.json {
        return session.json(Head::ok("themes", summary.join("\n")), listing);
    }
    session.exact(out.as_bytes())?;
    Ok(ExitCode::Done)
}

pub fn print(session: &mut Session<'_>, theme: &Theme) -> Result<ExitCode, Error> {
    let faults: Vec<String> = theme.problems.iter().map(|problem| problem.text(session.lang)).collect();
    if !faults.is_empty() && !session.global.json {
        session.warn(&faults);
    }
    let sentence = say("The theme {0}.", "主题 {0}。").fill(session.lang, &[&theme.name]);
    let output = ThemeTextOutput { theme, text: &theme.text };
    session.output_exactly(Head::ok("theme", sentence), output, theme.text.as_bytes())
}

fn remarks(theme: &Theme, lang: Lang) -> String {
    let origin = match &theme.path {
        Some(path) => path.shown().into_owned(),
        None => say("built in", "内置").text(lang).to_owned(),
    };
    let more = [
        (theme.in_use, say("in use", "正在使用")),
        (theme.hidden, say("hidden by the built-in theme of that name", "被同名的内置主题遮住")),
        (!theme.legal, say("cannot be used", "不可用")),
    ];
    let said = more.iter().filter(|(holds, _)| *holds).map(|(_, sentence)| sentence.text(lang));
    let comma = say(", ", "，").text(lang);
    std::iter::once(origin.as_str()).chain(said).collect::<Vec<_>>().join(comma)
}

impl ChosenBy {
    fn says(self) -> Sentence {
        match self {
            ChosenBy::Flag => say("In use: {0}, chosen with --theme.", "正在使用：{0}，由 --theme 指定。"),
            ChosenBy::Settings => say("In use: {0}, chosen in the settings.", "正在使用：{0}，由设置指定。"),
            ChosenBy::Terminal => say(
                "In use: dark or light, if the terminal tells its background, else {0}.",
                "正在使用：终端告知背景色时用 dark 或 light，否则用 {0}。",
            ),
            ChosenBy::NoColour => say(
                "No colours are in use: NO_COLOR or --color never.",
                "不使用颜色：NO_COLOR 或 --color never。",
            ),
        }
    }
}

impl Theme {
    /// What `themes` and `--theme` take for it: its name, or its path if another theme has that name.
    fn taken_by(&self) -> String {
        match &self.path {
            Some(path) if self.hidden => path.shown().into_owned(),
            _ => self.name.clone(),
        }
    }
}

impl ThemeProblem {
    fn text(&self, lang: Lang) -> String {
        let Some((line, column)) = self.line.zip(self.column) else { return self.message.clone() };
        say("line {0}, column {1}: {2}", "第 {0} 行第 {1} 列：{2}")
            .fill(lang, &[&line.to_string(), &column.to_string(), &self.message])
    }
}
