//! The author's settings: `config.toml` and theme files. They are read and never written.

mod read;

use super::state::Retention;
use crate::error::Error;
use crate::text::{Lang, Message, Sentence, say};
use serde::Deserialize;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const PLACE: Sentence = say("{0}, line {1}, column {2}: {3}", "{0} 第 {1} 行第 {2} 列：{3}");

/// What the author has set; everything is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The console's language; `auto` unless set.
    pub lang: Option<LangName>,
    /// Name of a built-in theme or of a file in `themes/`, a path, or `auto`.
    pub theme: Option<String>,
    /// Where the theme is named.
    pub theme_place: Option<Place>,
    /// How the author is told of a gate that needs him.
    pub notify: Notify,
    /// Which signs the console draws; unless set, ASCII where the locale is not UTF-8.
    pub signs: Option<Signs>,
    /// Take clicks and the wheel. On unless set; the terminal's own selection then needs Shift.
    pub mouse: Option<bool>,
    /// How many cells a character of ambiguous width takes: 1 or 2. The terminal is asked unless it is set.
    pub ambiguous_width: Option<AmbiguousWidth>,
    /// How many entries of a gate's history stay; 20 unless set.
    pub history_entries: Option<usize>,
    /// How many days they stay; 365 unless set.
    pub history_days: Option<u32>,
    /// Keys in the place of the built-in ones.
    pub keys: Vec<KeySetting>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Signs {
    #[default]
    Unicode,
    Ascii,
}

/// What a notice of a new gate does, apart from the sentence on the screen. All off unless set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notify {
    pub bell: bool,
    /// Let the terminal show a notice on the desktop.
    pub desktop: Option<Desktop>,
    /// Run this program with these arguments; `{title}` and `{body}` in them are filled.
    pub command: Vec<String>,
}

/// The escape sequence by which a terminal shows a notice on the desktop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Desktop {
    /// Such as iTerm2, kitty and foot.
    Osc9,
    /// Such as urxvt and foot.
    Osc777,
}

/// The keys of one action on one screen, instead of the built-in ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySetting {
    /// Screen and action, such as `inbox.redo`.
    pub name: String,
    /// The keys, the one shown in hints first; none: no key does it.
    pub keys: Vec<String>,
    pub place: Place,
}

/// How many cells the terminal gives `“ ” … ●` and their like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "i64")]
pub struct AmbiguousWidth(usize);

impl AmbiguousWidth {
    pub fn cells(self) -> usize {
        self.0
    }
}

impl TryFrom<i64> for AmbiguousWidth {
    type Error = String;

    fn try_from(cells: i64) -> Result<AmbiguousWidth, String> {
        match cells {
            1 => Ok(AmbiguousWidth(1)),
            2 => Ok(AmbiguousWidth(2)),
            _ => Err(format!("invalid value: integer `{cells}`, expected 1 or 2")),
        }
    }
}

/// What a language is called in the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum LangName {
    /// What the locale says.
    #[serde(rename = "auto")]
    Auto,
    #[serde(rename = "en")]
    En,
    #[serde(rename = "zh-CN", alias = "zh")]
    ZhCn,
}

/// A place in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file as it was named.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The character of the line, counted from 1.
    pub column: usize,
}

/// One thing a settings file says that it may not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// None if the file cannot be read at all.
    pub place: Option<Place>,
    /// The key, as `waiting.fg`; empty when the text is not TOML at all.
    pub key: String,
    /// What was found and what was expected.
    pub what: Message,
}

impl Config {
    /// Where a mistake hides how long the history stays, nothing of it goes.
    fn keeping_history(self) -> Config {
        let (entries, days) =
            (self.history_entries.unwrap_or(usize::MAX), self.history_days.unwrap_or(u32::MAX));
        Config { history_entries: Some(entries), history_days: Some(days), ..self }
    }

    /// How long entries of the history stay.
    pub fn retention(&self) -> Retention {
        let usual = Retention::default();
        Retention {
            entries: self.history_entries.unwrap_or(usual.entries),
            days: self.history_days.unwrap_or(usual.days),
        }
    }
}

impl Place {
    /// The place of a byte of the file's text.
    pub fn new(file: &str, text: &str, at: usize) -> Place {
        let before = text.get(..at).unwrap_or_default();
        Place {
            file: file.to_owned(),
            line: 1 + before.matches('\n').count(),
            column: 1 + before.rsplit('\n').next().map_or(0, |start| start.chars().count()),
        }
    }
}

impl ConfigProblem {
    /// The whole sentence: file, line, key, what was found and what was expected.
    pub fn text(&self, lang: Lang) -> String {
        let what = self.what.text(lang);
        match &self.place {
            Some(Place { file, line, column }) => {
                PLACE.fill(lang, &[file, &line.to_string(), &column.to_string(), &what])
            }
            None => what,
        }
    }

    /// The same in both languages.
    pub fn message(&self) -> Message {
        Message::new(say("{0}", "{1}"), &[&self.text(Lang::En), &self.text(Lang::ZhCn)])
    }
}

/// `$XDG_CONFIG_HOME/novel-gate`, by default `~/.config/novel-gate`.
pub fn default_dir(xdg_config_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute = |value: OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    let base = xdg_config_home.and_then(absolute).or_else(|| Some(absolute(home?)?.join(".config")))?;
    Some(base.join("novel-gate"))
}

/// Reads the settings and finds every mistake in them; what is wrong counts as not set. A file that was named must be
/// there; the usual one may be missing.
pub fn read(named: Option<&Path>, usual: Option<&Path>) -> Result<(Config, Vec<ConfigProblem>), Error> {
    let Some(path) = named.map(Path::to_path_buf).or_else(|| Some(usual?.join("config.toml"))) else {
        return Ok(Default::default());
    };
    match fs::read_to_string(&path) {
        Ok(text) => Ok(read::parse(&path.to_string_lossy(), &text)),
        Err(cause) if named.is_some() => Err(unreadable(&path, &cause)),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(Default::default()),
        Err(cause) => {
            let error = unreadable(&path, &cause);
            let problem = ConfigProblem { place: None, key: String::new(), what: error.whole() };
            Ok((Config::default().keeping_history(), vec![problem]))
        }
    }
}

/// Reads a theme file: a path, or a name in the `themes/` of the settings directory. `None` if it is neither.
pub fn read_theme(name: &str, dir: Option<&Path>) -> Result<Option<(PathBuf, String)>, Error> {
    let named = dir.map(|dir| dir.join("themes").join(format!("{name}.toml")));
    for path in [Some(PathBuf::from(name)), named].into_iter().flatten() {
        match fs::read_to_string(&path) {
            Ok(text) => return Ok(Some((path, text))),
            // A folder of that name beside the author is not what is meant.
            Err(cause) if matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::IsADirectory) => {}
            Err(cause) => return Err(unreadable(&path, &cause)),
        }
    }
    Ok(None)
}

/// The author's own themes, by name: every `*.toml` in the `themes/` of the settings directory. None if there is no such
/// directory.
pub fn own_themes(dir: Option<&Path>) -> Vec<(String, PathBuf)> {
    let files = dir.and_then(|dir| fs::read_dir(dir.join("themes")).ok());
    let paths = files.into_iter().flatten().flatten().map(|file| file.path());
    let is_theme = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "toml") && path.is_file();
    let named = |path: PathBuf| Some((path.file_stem()?.to_str()?.to_owned(), path));
    let mut themes: Vec<_> = paths.filter(is_theme).filter_map(named).collect();
    themes.sort();
    themes
}

fn unreadable(path: &Path, cause: &io::Error) -> Error {
    let sentence = say("Cannot read {0}.", "无法读取 {0}。");
    Error::io("config-unreadable", sentence, &[&path.to_string_lossy()], cause)
}

#[cfg(test)]
mod tests;
