//! `themes`: which themes there are, where they come from, what is wrong with them; or the text of one.
//!
//! The caller brings the themes: this room does not know the console.

use super::Session;
use super::output::{Head, Output, form, head};
use crate::cli::ColorChoice;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::width::{cells, pad};
use crate::text::{Lang, Message, Safe, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

pub(super) const OUTPUT: Output = Output::new(
    "themes-output",
    "What themes --json prints: all themes, or with NAME one with its text.",
    &[form::<ThemesOutput>, form::<ThemeTextOutput>],
);

/// The built-in themes and the author's own.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(&["ok"], &[0], &["themes"]))]
struct ThemesOutput<'a> {
    #[serde(flatten)]
    head: Head,
    /// The name of the theme that the console would take.
    in_use: Option<&'a str>,
    /// Why that one; no-color: none is in use.
    chosen_by: Option<ChosenBy>,
    /// What is wrong with the settings and with that theme, a sentence each.
    troubles: Vec<String>,
    /// The built-in ones first.
    themes: Vec<ThemeOutput<'a>>,
}

/// A theme with its text.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(&["ok"], &[0], &["theme"]))]
struct ThemeTextOutput<'a> {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    theme: ThemeOutput<'a>,
    /// The text of its file, as it stands.
    text: &'a str,
}

/// A theme.
#[derive(Serialize, JsonSchema)]
struct ThemeOutput<'a> {
    /// What --theme takes.
    name: &'a str,
    /// Where it comes from.
    #[schemars(extend("enum" = ["built-in", "file"]))]
    origin: &'static str,
    /// Its file.
    path: Option<String>,
    /// Whether the console would take it.
    in_use: bool,
    /// Whether a built-in theme of that name stands before it.
    hidden: bool,
    /// Whether it can be used.
    legal: bool,
    /// Everything that is wrong with it.
    problems: Vec<ThemeProblem<'a>>,
}

/// Something that a theme may not say.
#[derive(Serialize, JsonSchema)]
struct ThemeProblem<'a> {
    /// The line, from 1; null if the file cannot be read.
    line: Option<usize>,
    /// The column in characters, from 1.
    column: Option<usize>,
    /// The key, such as waiting.fg; may be empty.
    key: &'a str,
    /// What is wrong, in a sentence.
    message: &'a str,
}

/// At most so many faults of a theme are listed.
const SHOWN: usize = 3;

/// A theme.
pub struct Theme {
    /// Its name, or the path it was named by.
    pub name: String,
    /// Its file; none if it is built in.
    pub path: Option<PathBuf>,
    /// A built-in theme of the same name stands before it.
    pub hidden: bool,
    /// Everything that is wrong with it; nothing if it is legal.
    pub faults: Vec<Fault>,
    /// Its colours on one line, as escape sequences; empty if it is not legal.
    pub sample: String,
    /// What its file says; empty if that cannot be read.
    pub text: String,
}

/// Something that a theme's file may not say.
pub struct Fault {
    /// Line and column, from 1; none if the file cannot be read at all.
    pub place: Option<(usize, usize)>,
    /// The key, such as `waiting.fg`; empty if there is none.
    pub key: String,
    /// What is wrong.
    pub what: String,
}

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

/// All themes, and the one in use.
pub struct Listing {
    /// Built-in ones first.
    pub themes: Vec<Theme>,
    /// Which one the console would take; none without colours.
    pub in_use: Option<usize>,
    /// Why that one; none if the console would not start.
    pub chosen_by: Option<ChosenBy>,
    /// What is wrong with the settings and with that theme.
    pub troubles: Vec<Message>,
}

/// Prints the list.
///
/// # Errors
/// It cannot be printed.
pub fn run(session: &mut Session<'_>, listing: &Listing) -> Result<ExitCode, Error> {
    let lang = session.lang;
    if session.global.json {
        let themes = listing.themes.iter().enumerate();
        session.json(ThemesOutput {
            head: Head::new("ok", ExitCode::Done, "themes", summary(listing, lang).join("\n")),
            in_use: listing.in_use.and_then(|i| listing.themes.get(i)).map(|theme| theme.name.as_str()),
            chosen_by: listing.chosen_by,
            troubles: listing.troubles.iter().map(|trouble| trouble.text(lang)).collect(),
            themes: themes.map(|(i, theme)| ThemeOutput::of(theme, listing.in_use == Some(i))).collect(),
        })?;
        return Ok(ExitCode::Done);
    }
    let colours = match session.global.color {
        ColorChoice::Always => true,
        ColorChoice::Auto => session.environment.output_is_terminal && !session.environment.no_color,
        ColorChoice::Never => false,
    };
    let column = listing.themes.iter().map(|theme| cells(&theme.name)).max().unwrap_or_default() + 2;
    let mut out = String::new();
    for (i, theme) in listing.themes.iter().enumerate() {
        let line = pad(&theme.name, column) + &remarks(theme, listing.in_use == Some(i), lang);
        let faults = theme.faults.iter().take(SHOWN).map(|fault| format!("  {}", fault.line(lang)));
        let more = theme.faults.len().saturating_sub(SHOWN);
        let more = (more > 0).then(|| {
            say("  and {0} more: novel-gate themes {1}", "  还有 {0} 处：novel-gate themes {1}")
                .fill(lang, &[&more.to_string(), &theme.taken_by()])
        });
        for line in std::iter::once(line).chain(faults).chain(more) {
            out.push_str(&Safe::line(&line).into_string());
            out.push('\n');
        }
        if colours && !theme.sample.is_empty() {
            // The sample is our own; its escape sequences are meant.
            out.push_str(&format!("  {}\n", theme.sample));
        }
    }
    for line in summary(listing, lang) {
        out.push_str(&Safe::line(&line).into_string());
        out.push('\n');
    }
    session.exact(out.as_bytes())?;
    Ok(ExitCode::Done)
}

/// Prints the text of one, exactly.
///
/// # Errors
/// It cannot be read or printed.
pub fn print(session: &mut Session<'_>, theme: &Theme, in_use: bool) -> Result<ExitCode, Error> {
    if session.global.json {
        let sentence = say("The theme {0}.", "主题 {0}。").fill(session.lang, &[&theme.name]);
        let head = Head::new("ok", ExitCode::Done, "theme", sentence);
        let text = theme.text.as_str();
        session.json(ThemeTextOutput { head, theme: ThemeOutput::of(theme, in_use), text })?;
        return Ok(ExitCode::Done);
    }
    let faults: Vec<String> = theme.faults.iter().map(|fault| fault.line(session.lang)).collect();
    if !faults.is_empty() {
        session.warn(&faults);
    }
    session.exact(theme.text.as_bytes())?;
    Ok(ExitCode::Done)
}

impl<'a> ThemeOutput<'a> {
    fn of(theme: &'a Theme, in_use: bool) -> ThemeOutput<'a> {
        let problem = |fault: &'a Fault| ThemeProblem {
            line: fault.place.map(|(line, _)| line),
            column: fault.place.map(|(_, column)| column),
            key: &fault.key,
            message: &fault.what,
        };
        ThemeOutput {
            name: &theme.name,
            origin: if theme.path.is_some() { "file" } else { "built-in" },
            path: theme.path.as_ref().map(|path| path.to_string_lossy().into_owned()),
            in_use,
            hidden: theme.hidden,
            legal: theme.faults.is_empty(),
            problems: theme.faults.iter().map(problem).collect(),
        }
    }
}

fn remarks(theme: &Theme, in_use: bool, lang: Lang) -> String {
    let origin = match &theme.path {
        Some(path) => path.to_string_lossy().into_owned(),
        None => say("built in", "内置").text(lang).to_owned(),
    };
    let more = [
        (in_use, say("in use", "正在使用")),
        (theme.hidden, say("hidden by the built-in theme of that name", "被同名的内置主题遮住")),
        (!theme.faults.is_empty(), say("cannot be used", "不可用")),
    ];
    let said = more.iter().filter(|(holds, _)| *holds).map(|(_, sentence)| sentence.text(lang));
    let comma = say(", ", "，").text(lang);
    std::iter::once(origin.as_str()).chain(said).collect::<Vec<_>>().join(comma)
}

/// The theme in use and why; then what is wrong.
fn summary(listing: &Listing, lang: Lang) -> Vec<String> {
    let name = listing.in_use.and_then(|i| listing.themes.get(i)).map_or("", |theme| &theme.name);
    let troubles = listing.troubles.iter().map(|trouble| trouble.text(lang));
    let first = match listing.chosen_by {
        Some(by) => by.says().fill(lang, &[name]),
        None => say("The console cannot start.", "控制台无法启动。").text(lang).to_owned(),
    };
    std::iter::once(first).chain(troubles).collect()
}

impl ChosenBy {
    fn says(self) -> Sentence {
        match self {
            ChosenBy::Flag => say("In use: {0}, chosen with --theme.", "正在使用：{0}，由 --theme 指定。"),
            ChosenBy::Settings => say("In use: {0}, chosen in the settings.", "正在使用：{0}，由设置指定。"),
            ChosenBy::Terminal => say("In use: {0}, as suits this terminal.", "正在使用：{0}，按终端选用。"),
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
            Some(path) if self.hidden => path.to_string_lossy().into_owned(),
            _ => self.name.clone(),
        }
    }
}

impl Fault {
    fn line(&self, lang: Lang) -> String {
        let Some((line, column)) = self.place else { return self.what.clone() };
        say("line {0}, column {1}: {2}", "第 {0} 行第 {1} 列：{2}")
            .fill(lang, &[&line.to_string(), &column.to_string(), &self.what])
    }
}
