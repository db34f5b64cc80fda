//! The author's settings: `config.toml` and theme files. Read, never written.
//!
//! Responsible for finding and reading them and for every mistake in them. Not responsible for what a setting does.

use super::state::Retention;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;
use serde::Deserialize;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the author has set; everything is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The console's language; `auto` unless set.
    pub lang: Option<LangName>,
    /// Name of a built-in theme or of a file in `themes/`, a path, or `auto`.
    pub theme: Option<String>,
    /// Which signs the console draws; unless set, ASCII where the locale is not UTF-8.
    pub signs: Option<Signs>,
    /// Ring the terminal's bell when a new gate waits. Off unless set.
    #[serde(default)]
    pub bell: bool,
    /// Take clicks and the wheel. On unless set; the terminal's own selection then needs Shift.
    pub mouse: Option<bool>,
    /// How many entries of a gate's history stay; 20 unless set.
    pub history_entries: Option<usize>,
    /// How many days they stay; 365 unless set.
    pub history_days: Option<u32>,
}

/// The signs that the console draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Signs {
    #[default]
    Unicode,
    Ascii,
}

/// What a language is called in the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum LangName {
    /// What the locale says.
    Auto,
    /// English.
    En,
    /// Simplified Chinese.
    ZhCn,
}

impl TryFrom<String> for LangName {
    type Error = String;

    fn try_from(name: String) -> Result<LangName, String> {
        match name.as_str() {
            "auto" => Ok(LangName::Auto),
            "en" => Ok(LangName::En),
            "zh-CN" | "zh" => Ok(LangName::ZhCn),
            _ => Err(format!("invalid value: string \"{name}\", expected en, zh-CN or auto")),
        }
    }
}

impl Config {
    /// How long entries of the history stay.
    pub fn retention(&self) -> Retention {
        let usual = Retention::default();
        Retention {
            entries: self.history_entries.unwrap_or(usual.entries),
            days: self.history_days.unwrap_or(usual.days),
        }
    }
}

/// `$XDG_CONFIG_HOME/novel-gate`, by default `~/.config/novel-gate`.
pub fn default_dir(xdg_config_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute = |value: OsString| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
    let base = xdg_config_home.and_then(absolute).or_else(|| Some(absolute(home?)?.join(".config")))?;
    Some(base.join("novel-gate"))
}

/// Reads the settings. A file that was named must be there; the usual one may be missing.
///
/// # Errors
/// It cannot be read (exit 1) or has a mistake (exit 2, with line and column).
pub fn read(named: Option<&Path>, usual: Option<&Path>) -> Result<Config, Error> {
    let Some(path) = named.map(Path::to_path_buf).or_else(|| Some(usual?.join("config.toml"))) else {
        return Ok(Config::default());
    };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(cause) if named.is_none() && cause.kind() == io::ErrorKind::NotFound => {
            return Ok(Config::default());
        }
        Err(cause) => return Err(unreadable(&path, &cause)),
    };
    toml::from_str(&text).map_err(|fault| {
        let before = &text[..fault.span().map_or(0, |span| span.start.min(text.len()))];
        let line = (before.matches('\n').count() + 1).to_string();
        let start = before.rsplit('\n').next().map_or(0, |start| start.chars().count());
        let column = (start + 1).to_string();
        let sentence = say("{0}, line {1}, column {2}: {3}.", "{0} 第 {1} 行第 {2} 列：{3}。");
        let shown = path.to_string_lossy();
        let parts: [&str; 4] = [&shown, &line, &column, fault.message().trim_end_matches('.')];
        Error::new(ExitCode::Usage, "bad-config", sentence, &parts).hint(
            say(
                "The settings are lang, theme, signs, bell, mouse, history_entries and history_days.",
                "可用的设置有 lang、theme、signs、bell、mouse、history_entries 和 history_days。",
            ),
            &[],
        )
    })
}

/// Reads a theme file: a path, or a name in the `themes/` of the settings directory. `None` if it is neither.
///
/// # Errors
/// It is there and cannot be read.
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
    Error::io(
        "config-unreadable",
        say("Cannot read {0}.", "无法读取 {0}。"),
        &[&path.to_string_lossy()],
        cause,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_no_error_unless_it_was_named() {
        let dir = tempfile::tempdir().expect("a directory");
        assert_eq!(read(None, Some(dir.path())), Ok(Config::default()));
        assert_eq!(read(Some(&dir.path().join("x.toml")), None).expect_err("missing").kind, ExitCode::Failed);
    }

    #[test]
    fn a_mistake_is_named_with_its_line() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("config.toml"), "lang = \"zh-CN\"\nbel = true\n").expect("written");
        let error = read(None, Some(dir.path())).expect_err("a mistake");
        assert_eq!(error.kind, ExitCode::Usage);
        assert!(
            error.to_string().contains("line 2, column 1:") && error.to_string().contains("bel"),
            "{error}"
        );
    }

    #[test]
    fn a_language_that_is_none_is_a_mistake_like_any_other() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("config.toml"), "bell = true\nlang = \"fr\"\n").expect("written");
        let error = read(None, Some(dir.path())).expect_err("a mistake").to_string();
        assert!(error.contains("line 2, column 8:") && error.contains("zh-CN"), "{error}");
        for (name, lang) in [("auto", LangName::Auto), ("en", LangName::En), ("zh-CN", LangName::ZhCn)] {
            fs::write(dir.path().join("config.toml"), format!("lang = \"{name}\"")).expect("written");
            assert_eq!(read(None, Some(dir.path())).expect("settings").lang, Some(lang));
        }
    }

    #[test]
    fn settings_are_read() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("config.toml"), "theme = \"mono\"\nmouse = false\nhistory_days = 30\n")
            .expect("written");
        let config = read(None, Some(dir.path())).expect("settings");
        assert_eq!((config.theme.as_deref(), config.mouse, config.bell), (Some("mono"), Some(false), false));
        assert_eq!(config.retention(), Retention { entries: 20, days: 30 });
    }
}
