//! The author's settings: `config.toml` and theme files. They are read and never written. Each entry is read by itself, so that
//! one mistake costs one entry, and every problem is named.

use super::file::read_small;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::files::names_in;
use crate::platform::paths::CONFIG_BELOW_HOME;
use crate::platform::paths::Shown as _;
use crate::text::encoding::decode;
use crate::text::{Lang, Message, Sentence, say};
use serde::Deserialize;
use serde::de::IntoDeserializer as _;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const PLACE: Sentence = say("{0}, line {1}, column {2}: {3}", "{0} 第 {1} 行第 {2} 列：{3}");
const SYNTAX: Sentence = say("this is not TOML ({0})", "这里不是合法的 TOML（{0}）");
const UNKNOWN: Sentence =
    say("`{0}` is not a setting; the settings are {1}", "`{0}` 不是设置项；可用的设置有 {1}");
const NOT_EXPECTED: Sentence = say("`{0}` is {1}, but {2} is expected", "`{0}` 的值是 {1}，这里应当是{3}");

const SETTINGS: &str = "lang, theme, mouse, clipboard, ambiguous_width, notify, keys";
const NOTIFY: &str = "notify.bell, notify.desktop, notify.command";

const LANG: Sentence = say("\"en\", \"zh-CN\" or \"auto\"", " \"en\"、\"zh-CN\" 或 \"auto\"");
const TEXT: Sentence = say("a name between quotes", "引号中的名称");
const SWITCH: Sentence = say("true or false", " true 或 false");
const CELLS: Sentence = say("1 or 2", " 1 或 2");
const DESKTOP: Sentence = say("\"osc9\" or \"osc777\"", " \"osc9\" 或 \"osc777\"");
const COMMAND: Sentence = say(
    "a list of a program and its arguments, such as [\"notify-send\", \"{title}\"],",
    "程序名和参数的列表，例如 [\"notify-send\", \"{title}\"]",
);
const KEYS: Sentence = say("a list of keys, such as [\"F8\", \"x\"],", "按键的列表，例如 [\"F8\", \"x\"]");
const TABLE: Sentence = say("a table", "一个表");

/// What the author has set; everything is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// The console's language; `auto` unless set.
    pub lang: Option<LangName>,
    /// Name of a built-in theme or of a file in `themes/`, a path, or `auto`.
    pub theme: Option<String>,
    pub theme_place: Option<Position>,
    /// How the author is told of a gate that needs him.
    pub notify: Notify,
    /// Take clicks and the wheel. On unless set; the terminal's own selection then needs Shift.
    pub mouse: Option<bool>,
    /// Let the terminal copy text. On unless set.
    pub clipboard: Option<bool>,
    /// How many cells a character of ambiguous width takes: 1 or 2. The terminal is asked unless it is set.
    pub ambiguous_width: Option<AmbiguousWidth>,
    /// Keys in the place of the built-in ones.
    pub keys: Vec<KeySetting>,
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
    /// The keys, the one shown in hints first.
    pub keys: Vec<String>,
    pub place: Position,
}

/// How many cells the terminal gives `“ ” … ●` and their like: 1 or 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "i64")]
pub struct AmbiguousWidth(pub usize);

impl TryFrom<i64> for AmbiguousWidth {
    type Error = &'static str;

    fn try_from(cells: i64) -> Result<AmbiguousWidth, &'static str> {
        let cells = usize::try_from(cells).ok().filter(|cells| [1, 2].contains(cells));
        cells.map(AmbiguousWidth).ok_or("neither 1 nor 2")
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
pub struct Position {
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
    pub place: Option<Position>,
    /// The key, as `waiting.fg`; empty when the text is not TOML at all, or cannot be read.
    pub key: String,
    /// What was found and what was expected.
    pub what: Message,
}

impl Position {
    /// The place of a byte of the file's text.
    pub fn new(file: &str, text: &str, at: usize) -> Position {
        let before = text.get(..at).unwrap_or_default();
        Position {
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
            Some(Position { file, line, column }) => {
                PLACE.fill(lang, &[file, &line.to_string(), &column.to_string(), &what])
            }
            None => what,
        }
    }

    /// The same in both languages.
    pub fn message(&self) -> Message {
        Message::new(say("{0}", "{1}"), &[&self.text(Lang::En), &self.text(Lang::ZhCn)])
    }

    /// Whether the file, or a line of it, could not be read, so that nobody knows which settings stand there.
    pub fn is_unread(&self) -> bool {
        self.key.is_empty()
    }
}

/// `$XDG_CONFIG_HOME/novel-gate`, by default `~/.config/novel-gate`; on Windows below `%APPDATA%`.
pub fn default_dir(xdg_config_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute = |value: OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    let base =
        xdg_config_home.and_then(absolute).or_else(|| Some(absolute(home?)?.join(CONFIG_BELOW_HOME)))?;
    Some(base.join("novel-gate"))
}

/// Reads the settings and finds every mistake in them; what is wrong counts as not set. A file that was named must be
/// there; the usual one may be missing.
pub fn read(named: Option<&Path>, usual: Option<&Path>) -> Result<(Config, Vec<ConfigProblem>), Error> {
    let Some(path) = named.map(Path::to_path_buf).or_else(|| Some(usual?.join("config.toml"))) else {
        return Ok(Default::default());
    };
    let problem = match read_small(&path) {
        Ok(bytes) => match utf8(&path, bytes) {
            Ok(text) => return Ok(parse(&path.shown(), &text)),
            Err(problem) => problem,
        },
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            return if named.is_some() { Err(unreadable(&path, &cause)) } else { Ok(Default::default()) };
        }
        Err(cause) => {
            let what = unreadable(&path, &cause).whole();
            ConfigProblem { place: None, key: String::new(), what }
        }
    };
    Ok((Config::default(), vec![problem]))
}

const NOT_UTF8: Sentence =
    say("this is not UTF-8; the whole file is ignored", "这里不是 UTF-8 编码，整个文件不起作用");
const LOOKS_LIKE: Sentence = say(
    "this is not UTF-8; it looks like {0}, and the whole file is ignored: save it as UTF-8",
    "这里不是 UTF-8 编码，看起来是 {0}，整个文件不起作用：请另存为 UTF-8",
);

/// The text in a file, or where it is none.
fn utf8(path: &Path, bytes: Vec<u8>) -> Result<String, ConfigProblem> {
    let encoding = decode(&bytes).map(|(_, name)| name);
    let (bytes, at) = match String::from_utf8(bytes) {
        Ok(text) if encoding.is_none() => return Ok(text),
        Ok(text) => (text.into_bytes(), 0),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            (error.into_bytes(), at)
        }
    };
    let place = Position::new(&path.shown(), &String::from_utf8_lossy(&bytes[..at]), at);
    let what = encoding.map_or(NOT_UTF8.into(), |name| Message::new(LOOKS_LIKE, &[name]));
    Err(ConfigProblem { place: Some(place), key: String::new(), what })
}

/// Reads a theme file: a path, which has a `/`, or a name in the `themes/` of the settings directory. `None` if there is none.
pub fn read_theme(name: &str, dir: Option<&Path>) -> Result<Option<(PathBuf, String)>, Error> {
    // What lies under a name in the directory that he works in is not the author's: a project may have brought it along.
    let is_path = name.contains(std::path::is_separator);
    let path = Some(PathBuf::from(name)).filter(|_| is_path);
    let path = path.or_else(|| Some(dir?.join("themes").join(format!("{name}.toml"))));
    let Some(path) = path else { return Ok(None) };
    match read_small(&path) {
        Ok(bytes) => {
            let text = utf8(&path, bytes)
                .map_err(|problem| Error::of(ExitCode::Failed, "config-unreadable", problem.message()))?;
            Ok(Some((path, text)))
        }
        Err(cause) if matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::IsADirectory) => {
            Ok(None)
        }
        Err(cause) => Err(unreadable(&path, &cause)),
    }
}

/// The author's own themes, by name: every `*.toml` in the `themes/` of the settings directory. None if there is no such
/// directory.
pub fn own_themes(dir: Option<&Path>) -> Vec<(String, PathBuf)> {
    let Some(dir) = dir.map(|dir| dir.join("themes")) else { return Vec::new() };
    let files = names_in(&dir).into_iter().flatten().flatten();
    let paths = files.map(|file| dir.join(file));
    let is_theme = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "toml") && path.is_file();
    let named = |path: PathBuf| Some((path.file_stem()?.to_str()?.to_owned(), path));
    let mut themes: Vec<_> = paths.filter(is_theme).filter_map(named).collect();
    themes.sort();
    themes
}

fn unreadable(path: &Path, cause: &io::Error) -> Error {
    let sentence = say("Cannot read {0}.", "无法读取 {0}。");
    Error::io("config-unreadable", sentence, &[&path.shown()], cause)
}

type Value<'t> = Spanned<DeValue<'t>>;

fn parse(file: &str, text: &str) -> (Config, Vec<ConfigProblem>) {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { file, text, config: Config::default(), problems: Vec::new() };
    for error in &errors {
        reader.problem(error.span().map_or(0, |span| span.start), "", SYNTAX, &[error.message()]);
    }
    reader.settings("", root.get_ref());
    let Reader { config, mut problems, .. } = reader;
    // A line that is not TOML is named once, not for its value too.
    let line = |problem: &ConfigProblem| problem.place.as_ref().map(|place| place.line);
    let broken: Vec<_> = problems.iter().filter(|problem| problem.key.is_empty()).map(line).collect();
    problems.retain(|problem| problem.key.is_empty() || !broken.contains(&line(problem)));
    problems.sort_by_key(|problem| problem.place.as_ref().map(|place| (place.line, place.column)));
    (config, problems)
}

struct Reader<'t> {
    file: &'t str,
    text: &'t str,
    config: Config,
    problems: Vec<ConfigProblem>,
}

impl Reader<'_> {
    fn problem(&mut self, at: usize, key: &str, sentence: Sentence, parts: &[&str]) {
        let place = Some(self.place(at));
        self.problems.push(ConfigProblem { place, key: key.to_owned(), what: Message::new(sentence, parts) });
    }

    fn place(&self, at: usize) -> Position {
        Position::new(self.file, self.text, at)
    }

    /// Reads a table of settings whose names begin like this.
    fn settings(&mut self, before: &str, table: &DeTable<'_>) {
        for (key, value) in table {
            let name = format!("{before}{}", key.get_ref());
            let at = key.span().start;
            match name.as_str() {
                "lang" => self.config.lang = self.read(&name, value, LANG),
                "theme" => {
                    self.config.theme = self.read(&name, value, TEXT);
                    self.config.theme_place = Some(self.place(value.span().start));
                }
                "mouse" => self.config.mouse = self.read(&name, value, SWITCH),
                "clipboard" => self.config.clipboard = self.read(&name, value, SWITCH),
                "ambiguous_width" => self.config.ambiguous_width = self.read(&name, value, CELLS),
                "notify" | "keys" => match value.get_ref().as_table() {
                    Some(table) => self.settings(&format!("{name}."), table),
                    None => self.unexpected(&name, value, TABLE),
                },
                "notify.bell" => {
                    self.config.notify.bell = self.read(&name, value, SWITCH).unwrap_or_default();
                }
                "notify.desktop" => self.config.notify.desktop = self.read(&name, value, DESKTOP),
                "notify.command" => {
                    self.config.notify.command = self.read(&name, value, COMMAND).unwrap_or_default();
                }
                _ => match (name.strip_prefix("keys."), value.get_ref().as_table()) {
                    // A table for a screen.
                    (Some(_), Some(table)) if before == "keys." => self.settings(&format!("{name}."), table),
                    (Some(key), _) => {
                        if let Some(keys) = self.read(&name, value, KEYS) {
                            let (name, place) = (key.to_owned(), self.place(at));
                            self.config.keys.push(KeySetting { name, keys, place });
                        }
                    }
                    (None, _) => {
                        let known = if before.is_empty() { SETTINGS } else { NOTIFY };
                        self.problem(at, &name, UNKNOWN, &[&name, known]);
                    }
                },
            }
        }
    }

    fn read<'v, T: Deserialize<'v>>(
        &mut self,
        key: &str,
        value: &Value<'v>,
        expected: Sentence,
    ) -> Option<T> {
        let read: Result<T, toml::de::Error> = T::deserialize(value.clone().into_deserializer());
        if read.is_err() {
            self.unexpected(key, value, expected);
        }
        read.ok()
    }

    fn unexpected(&mut self, key: &str, value: &Value<'_>, expected: Sentence) {
        let written = self.text.get(value.span()).unwrap_or("?").lines().next().unwrap_or("?");
        self.problem(value.span().start, key, NOT_EXPECTED, &[key, written, expected.en, expected.zh]);
    }
}

#[cfg(test)]
mod tests;
