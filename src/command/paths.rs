//! `paths`: the version, every path in use, and what else a bug report needs.
//!
//! It makes nothing and does not fail: a missing project or wrong settings are what a report is about.

use super::Session;
use super::output::{Head, Output, form, head};
use crate::environment::Environment;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::config::ConfigProblem;
use crate::store::watch::{self, Mode};
use crate::store::{StateDir, config};
use crate::text::{Lang, Message, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};

pub(super) const OUTPUT: Output = Output::new(
    "paths-output",
    "What paths --json prints: the version, every path in use and what else a bug report needs.",
    &[form::<PathsOutput>],
);

/// Where novel-gate looks and writes.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(&["ok"], &[0], &["paths"]))]
struct PathsOutput {
    #[serde(flatten)]
    head: Head,
    /// The version of novel-gate.
    version: &'static str,
    /// Operating system, processor and kernel.
    platform: String,
    /// The project's root; null if there is no project.
    root: Option<String>,
    /// Why there is no project.
    root_problem: Option<String>,
    /// Where drafts, history and locks of this project are kept; without a project, of all.
    state: Option<String>,
    /// Why there is no such place.
    state_problem: Option<String>,
    /// The settings, whether they are there or not.
    config: Option<String>,
    /// What is wrong with the settings, a sentence each.
    config_problems: Vec<String>,
    /// The directory of own themes.
    themes: Option<String>,
    /// How changes are noticed.
    watch: WatchMode,
    /// The language of every sentence.
    #[schemars(extend("enum" = ["en", "zh-CN"]))]
    lang: &'static str,
    /// What the environment says of the language; may be empty.
    locale: String,
    /// The terminal, if there is one.
    terminal: TerminalFacts,
}

/// How changes of the project's files are noticed.
#[derive(Serialize, JsonSchema)]
struct WatchMode {
    /// Whether the system tells, or novel-gate looks again and again; null without a project.
    #[schemars(extend("enum" = ["native", "polling", null]))]
    mode: Option<&'static str>,
    /// Why it looks again and again.
    #[schemars(extend("enum" = ["asked", "no-watches", "no-instances", "unsupported", "network", "other", null]))]
    reason: Option<&'static str>,
    /// The same in a sentence.
    message: Option<String>,
}

/// What is known of the terminal.
#[derive(Serialize, JsonSchema)]
struct TerminalFacts {
    /// `TERM`, and `TERM_PROGRAM` where it is set.
    name: Option<String>,
    /// Whether standard input is a terminal.
    input: bool,
    /// Whether standard output is one.
    output: bool,
    /// Its width, if standard output is one.
    columns: Option<u16>,
    /// Its height.
    rows: Option<u16>,
}

/// What was found.
struct Found {
    root: Result<PathBuf, Error>,
    state: Result<PathBuf, Error>,
    config: Option<PathBuf>,
    config_problems: Vec<Message>,
    themes: Option<PathBuf>,
    /// Of a project only.
    watch: Option<Mode>,
    terminal: String,
    /// Columns and rows.
    size: Option<(u16, u16)>,
}

/// Prints them.
///
/// # Errors
/// The result cannot be printed.
pub fn run(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let found = look(session);
    if session.global.json {
        session.json(PathsOutput::of(&found, session))?;
    } else {
        session.print(&lines(&found, session))?;
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
        config_problems: match config::read(session.global.config.as_deref(), settings.as_deref()) {
            Ok((_, problems)) => problems.iter().map(ConfigProblem::message).collect(),
            Err(error) => vec![error.whole()],
        },
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

impl PathsOutput {
    fn of(found: &Found, session: &Session<'_>) -> PathsOutput {
        let lang = session.lang;
        let environment = &session.environment;
        let problem = |result: &Result<PathBuf, Error>| result.as_ref().err().map(|error| error.text(lang));
        let path = |path: Option<&PathBuf>| path.map(|path| path.to_string_lossy().into_owned());
        let (mode, reason) = watching(found.watch.as_ref());
        let message = say("Paths in use.", "正在使用的路径。").text(lang);
        PathsOutput {
            head: Head::new("ok", ExitCode::Done, "paths", message),
            version: env!("CARGO_PKG_VERSION"),
            platform: platform(),
            root: path(found.root.as_ref().ok()),
            root_problem: problem(&found.root),
            state: path(found.state.as_ref().ok()),
            state_problem: problem(&found.state),
            config: path(found.config.as_ref()),
            config_problems: found.config_problems.iter().map(|problem| problem.text(lang)).collect(),
            themes: path(found.themes.as_ref()),
            watch: WatchMode {
                mode,
                reason: reason.map(watch::Why::code),
                message: reason.map(|why| why.text(lang)),
            },
            lang: lang.tag(),
            locale: environment.locale.clone(),
            terminal: TerminalFacts {
                name: Some(found.terminal.clone()).filter(|name| !name.is_empty()),
                input: environment.input_is_terminal,
                output: environment.output_is_terminal,
                columns: found.size.map(|(columns, _)| columns),
                rows: found.size.map(|(_, rows)| rows),
            },
        }
    }
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
    lines.extend(found.config_problems.iter().map(|problem| format!("  {}", problem.text(lang))));
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
