//! `paths`: the version, every path in use, and what else a bug report needs.
//!
//! Responsible for saying where this program looks and writes, and on what it runs. Makes nothing, and does not fail: that
//! there is no project, or that the settings are wrong, is what a report is about.

use super::{Session, report};
use crate::ask::Object;
use crate::environment::Environment;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::watch::{self, Mode};
use crate::store::{StateDir, config};
use crate::text::{Lang, Sentence, say};
use std::path::{Path, PathBuf};

/// What was found.
struct Found {
    root: Result<PathBuf, Error>,
    state: Result<PathBuf, Error>,
    config: Option<PathBuf>,
    config_problem: Option<Error>,
    themes: Option<PathBuf>,
    /// Of a project only.
    watch: Option<Mode>,
    terminal: String,
    /// Columns and rows.
    size: Option<(u16, u16)>,
}

/// Runs it.
///
/// # Errors
/// The result cannot be printed.
pub fn run(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let found = look(session);
    if session.global.json {
        session.json(json(&found, session))?;
    } else {
        session.say(&lines(&found, session))?;
    }
    Ok(ExitCode::Done)
}

fn look(session: &Session<'_>) -> Found {
    let environment = &session.environment;
    let project = session.project();
    let given = session.global.state_dir.as_ref().map(|dir| environment.cwd.join(dir));
    let base = StateDir::base(given, environment.xdg_state_home.clone(), environment.home.clone());
    let state = base.map(|base| match &project {
        Ok(project) => StateDir::new(&base, project).path().to_path_buf(),
        Err(_) => base,
    });
    let settings = config::default_dir(environment.xdg_config_home.clone(), environment.home.clone());
    let named = session.global.config.as_ref().map(|path| environment.cwd.join(path));
    Found {
        watch: project.as_ref().ok().map(watch::probe),
        root: project.map(|project| project.root().to_path_buf()),
        state,
        config_problem: config::read(session.global.config.as_deref(), settings.as_deref()).err(),
        config: named.or_else(|| settings.as_ref().map(|dir| dir.join("config.toml"))),
        themes: settings.map(|dir| dir.join("themes")),
        terminal: terminal(environment),
        size: size(environment),
    }
}

fn size(environment: &Environment) -> Option<(u16, u16)> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    size.filter(|_| environment.output_is_terminal).map(|size| (size.ws_col, size.ws_row))
}

/// What the terminal calls itself; empty if it does not.
fn terminal(environment: &Environment) -> String {
    let names = [&environment.terminal, &environment.terminal_program];
    names.into_iter().flatten().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn json(found: &Found, session: &Session<'_>) -> Object {
    let lang = session.lang;
    let environment = &session.environment;
    let problem = |result: &Result<PathBuf, Error>| result.as_ref().err().map(|error| error.text(lang));
    let path = |path: Option<&PathBuf>| path.map(|path| path.to_string_lossy().into_owned());
    let (mode, reason) = watching(found.watch.as_ref());
    let watch = Object::new()
        .text_or_null("mode", mode)
        .text_or_null("reason", reason.map(watch::Why::code))
        .text_or_null("message", reason.map(|why| why.text(lang)).as_deref());
    let terminal = Object::new()
        .text_or_null("name", Some(found.terminal.as_str()).filter(|name| !name.is_empty()))
        .boolean("input", environment.input_is_terminal)
        .boolean("output", environment.output_is_terminal);
    let terminal = match found.size {
        Some((columns, rows)) => terminal.number("columns", columns.into()).number("rows", rows.into()),
        None => terminal.raw("columns", "null").raw("rows", "null"),
    };
    let message = say("Paths in use.", "正在使用的路径。").text(lang);
    let config_problem = found.config_problem.as_ref().map(|error| error.text(lang));
    report::head("ok", ExitCode::Done, "paths", message)
        .text("version", env!("CARGO_PKG_VERSION"))
        .text("platform", &platform())
        .text_or_null("root", path(found.root.as_ref().ok()).as_deref())
        .text_or_null("root_problem", problem(&found.root).as_deref())
        .text_or_null("state", path(found.state.as_ref().ok()).as_deref())
        .text_or_null("state_problem", problem(&found.state).as_deref())
        .text_or_null("config", path(found.config.as_ref()).as_deref())
        .text_or_null("config_problem", config_problem.as_deref())
        .text_or_null("themes", path(found.themes.as_ref()).as_deref())
        .raw("watch", &watch.finish())
        .text("lang", lang.tag())
        .text("locale", &environment.locale)
        .raw("terminal", &terminal.finish())
}

fn lines(found: &Found, session: &Session<'_>) -> Vec<String> {
    let lang = session.lang;
    let path = |path: Option<&Path>| match path {
        None => say("none", "无").text(lang).to_owned(),
        Some(path) if path.exists() => path.to_string_lossy().into_owned(),
        Some(path) => say("{0} (not there)", "{0}（不存在）").fill(lang, &[&path.to_string_lossy()]),
    };
    let or_why = |result: &Result<PathBuf, Error>| match result {
        Ok(found) => path(Some(found)),
        Err(error) => error.text(lang),
    };
    let watching = match (&found.watch, watching(found.watch.as_ref()).1) {
        (None, _) => path(None),
        (_, None) => say("the system tells of changes", "由系统通知变化").text(lang).to_owned(),
        (_, Some(why)) => why.text(lang),
    };
    let mut lines = vec![
        line(say("Version", "版本"), env!("CARGO_PKG_VERSION"), lang),
        line(say("Platform", "平台"), &platform(), lang),
        line(say("Project", "项目"), &or_why(&found.root), lang),
        line(say("State", "状态"), &or_why(&found.state), lang),
        line(say("Settings", "设置"), &path(found.config.as_deref()), lang),
    ];
    lines.extend(found.config_problem.as_ref().map(|error| format!("  {}", error.text(lang))));
    lines.push(line(say("Themes", "主题"), &path(found.themes.as_deref()), lang));
    lines.push(line(say("Watching", "监视"), &watching, lang));
    lines.push(line(say("Language", "语言"), &language(session), lang));
    let size = found.size.map(|(columns, rows)| format!("{columns}x{rows}"));
    let terminal = [Some(found.terminal.clone()).filter(|name| !name.is_empty()), size];
    let terminal = terminal.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let terminal = if terminal.is_empty() { path(None) } else { terminal };
    lines.push(line(say("Terminal", "终端"), &terminal, lang));
    lines
}

fn line(name: Sentence, value: &str, lang: Lang) -> String {
    say("{0}: {1}", "{0}：{1}").fill(lang, &[name.text(lang), value])
}

fn language(session: &Session<'_>) -> String {
    let locale = &session.environment.locale;
    let tag = session.lang.tag();
    if locale.is_empty() { tag.to_owned() } else { format!("{tag} ({locale})") }
}

fn platform() -> String {
    let kernel = rustix::system::uname();
    let release = kernel.release().to_string_lossy();
    format!("{} {} {release}", std::env::consts::OS, std::env::consts::ARCH)
}

/// The stable name of how changes are seen, and why not better.
fn watching(mode: Option<&Mode>) -> (Option<&'static str>, Option<&watch::Why>) {
    match mode {
        None => (None, None),
        Some(Mode::Native) => (Some("native"), None),
        Some(Mode::Polling(why)) => (Some("polling"), Some(why)),
    }
}
