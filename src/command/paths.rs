//! `paths`: the version, every path in use, and what else a bug report needs.
//!
//! It makes nothing and does not fail: a missing project or wrong settings are what a report is about.

use super::Session;
use super::output::{Head, Output, form, lossy};
use crate::environment::Environment;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::watch::{self, Mode};
use crate::store::{StateDir, config};
use crate::text::{Lang, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

pub(super) const OUTPUT: Output = Output::new(
    "paths-output",
    "What paths --json prints: the version, every path in use and what else a bug report needs.",
    &[form::<PathsOutput>(&["ok"], &[0], &["paths"])],
);

/// Where novel-gate looks and writes.
#[derive(Serialize, JsonSchema)]
struct PathsOutput {
    /// The version of novel-gate.
    version: &'static str,
    /// Operating system, processor and kernel.
    platform: String,
    /// The project's root; null if there is no project.
    #[serde(serialize_with = "lossy")]
    #[schemars(with = "Option<String>")]
    root: Option<PathBuf>,
    /// Why there is no project.
    root_problem: Option<String>,
    /// Where drafts, history and locks of this project are kept; without a project, of all.
    #[serde(serialize_with = "lossy")]
    #[schemars(with = "Option<String>")]
    state: Option<PathBuf>,
    /// Why there is no such place.
    state_problem: Option<String>,
    /// The settings, whether they are there or not.
    #[serde(serialize_with = "lossy")]
    #[schemars(with = "Option<String>")]
    config: Option<PathBuf>,
    /// What is wrong with the settings, a sentence each.
    config_problems: Vec<String>,
    /// The directory of own themes.
    #[serde(serialize_with = "lossy")]
    #[schemars(with = "Option<String>")]
    themes: Option<PathBuf>,
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

pub fn run(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let output = PathsOutput::of(session);
    let head = Head::ok("paths", say("Paths in use.", "正在使用的路径。").text(session.lang));
    let lines = lines(&output, session.lang);
    session.output(head, output, &lines)
}

impl PathsOutput {
    fn of(session: &Session<'_>) -> PathsOutput {
        let (lang, environment, global) = (session.lang, &session.environment, &session.global);
        let project = session.project();
        let given = global.state_dir.as_ref().map(|dir| environment.cwd.join(dir));
        let base = StateDir::base(given, environment.xdg_state_home.clone(), environment.home.clone());
        let state = base.map(|base| match &project {
            Ok(project) => StateDir::new(&base, project).path().to_path_buf(),
            Err(_) => base,
        });
        let settings = config::default_dir(environment.xdg_config_home.clone(), environment.home.clone());
        let named = global.config.as_ref().map(|path| environment.cwd.join(path));
        let config_problems = match config::read(global.config.as_deref(), settings.as_deref()) {
            Ok((_, problems)) => problems.iter().map(|problem| problem.text(lang)).collect(),
            Err(error) => vec![error.text(lang)],
        };
        let watch = project.as_ref().ok().map(watch::probe);
        let root = project.map(|project| project.root().to_path_buf());
        PathsOutput {
            version: env!("CARGO_PKG_VERSION"),
            platform: platform(),
            root_problem: root.as_ref().err().map(|error| error.text(lang)),
            root: root.ok(),
            state_problem: state.as_ref().err().map(|error| error.text(lang)),
            state: state.ok(),
            config: named.or_else(|| settings.as_ref().map(|dir| dir.join("config.toml"))),
            config_problems,
            themes: settings.map(|dir| dir.join("themes")),
            watch: WatchMode::of(watch.as_ref(), lang),
            lang: lang.tag(),
            locale: environment.locale.clone(),
            terminal: TerminalFacts::of(environment),
        }
    }
}

impl WatchMode {
    /// Without a mode there is no project.
    fn of(mode: Option<&Mode>, lang: Lang) -> WatchMode {
        let (mode, why) = match mode {
            None => (None, None),
            Some(Mode::Native) => (Some("native"), None),
            Some(Mode::Polling(why)) => (Some("polling"), Some(why)),
        };
        WatchMode { mode, reason: why.map(watch::Why::code), message: why.map(|why| why.text(lang)) }
    }
}

impl TerminalFacts {
    fn of(environment: &Environment) -> TerminalFacts {
        let names = [environment.terminal.as_deref(), environment.terminal_program.as_deref()];
        let name = names.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
        let size = size.filter(|_| environment.output_is_terminal);
        TerminalFacts {
            name: Some(name).filter(|name| !name.is_empty()),
            input: environment.input_is_terminal,
            output: environment.output_is_terminal,
            columns: size.map(|size| size.ws_col),
            rows: size.map(|size| size.ws_row),
        }
    }
}

fn lines(output: &PathsOutput, lang: Lang) -> Vec<String> {
    let none = || say("none", "无").text(lang).to_owned();
    let path = |path: &Option<PathBuf>| match path {
        None => none(),
        Some(path) if path.exists() => path.to_string_lossy().into_owned(),
        Some(path) => say("{0} (not there)", "{0}（不存在）").fill(lang, &[&path.to_string_lossy()]),
    };
    let or_why = |found, problem: &Option<String>| problem.clone().unwrap_or_else(|| path(found));
    let watching = match (output.watch.mode, &output.watch.message) {
        (None, _) => none(),
        (_, None) => say("the system tells of changes", "由系统通知变化").text(lang).to_owned(),
        (_, Some(why)) => why.clone(),
    };
    let language = match &*output.locale {
        "" => output.lang.to_owned(),
        locale => format!("{} ({locale})", output.lang),
    };
    let size = output.terminal.columns.zip(output.terminal.rows);
    let size = size.map(|(columns, rows)| format!("{columns}x{rows}"));
    let terminal: Vec<String> = output.terminal.name.clone().into_iter().chain(size).collect();
    let line =
        |name: Sentence, value: &str| say("{0}: {1}", "{0}：{1}").fill(lang, &[name.text(lang), value]);
    let mut lines = vec![
        line(say("Version", "版本"), output.version),
        line(say("Platform", "平台"), &output.platform),
        line(say("Project", "项目"), &or_why(&output.root, &output.root_problem)),
        line(say("State", "状态"), &or_why(&output.state, &output.state_problem)),
        line(say("Settings", "设置"), &path(&output.config)),
    ];
    lines.extend(output.config_problems.iter().map(|problem| format!("  {problem}")));
    lines.extend([
        line(say("Themes", "主题"), &path(&output.themes)),
        line(say("Watching", "监视"), &watching),
        line(say("Language", "语言"), &language),
        line(say("Terminal", "终端"), &if terminal.is_empty() { none() } else { terminal.join(", ") }),
    ]);
    lines
}

fn platform() -> String {
    let kernel = rustix::system::uname();
    let release = kernel.release().to_string_lossy();
    format!("{} {} {release}", std::env::consts::OS, std::env::consts::ARCH)
}
