//! `paths`: where things are. It makes nothing, and a missing project is no failure.

use super::Session;
use super::output::{Head, Output, form};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::config;
use crate::text::say;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

pub(super) const OUTPUT: Output = Output::new(
    "paths-output",
    "What paths --json prints: where project, state, settings and themes are, whether they are there or not.",
    &[form::<PathsOutput>(&["ok"], &[0], &["paths"])],
);

/// Where novel-gate looks and writes; null where there is no such place.
#[derive(Serialize, JsonSchema)]
struct PathsOutput {
    /// The project's root.
    root: Option<String>,
    /// The directory of the project's drafts, history and locks.
    state: Option<String>,
    /// The file in it that holds drafts and history.
    database: Option<String>,
    /// The settings.
    config: Option<String>,
    /// The directory of own themes.
    themes: Option<String>,
}

pub fn run(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let (environment, lang) = (&session.environment, session.lang);
    let project = session.project().ok();
    let state = project.as_ref().and_then(|project| session.state(project).ok());
    let settings = config::default_dir(environment.xdg_config_home.clone(), environment.home.clone());
    let named = session.global.config.as_ref().map(|path| environment.cwd.join(path));
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let output = PathsOutput {
        root: project.as_ref().map(|project| text(project.root())),
        state: state.as_ref().map(|state| text(state.path())),
        database: state.as_ref().map(|state| text(state.database())),
        config: named.or_else(|| Some(settings.as_ref()?.join("config.toml"))).map(|path| text(&path)),
        themes: settings.map(|dir| text(&dir.join("themes"))),
    };
    let line = |name: &str, path: &Option<String>| {
        let path = path.as_deref().unwrap_or(say("none", "无").text(lang));
        say("{0}: {1}", "{0}：{1}").fill(lang, &[name, path])
    };
    let lines = [
        line(say("Project", "项目").text(lang), &output.root),
        line(say("State", "状态").text(lang), &output.state),
        line(say("Database", "数据库").text(lang), &output.database),
        line(say("Settings", "设置").text(lang), &output.config),
        line(say("Themes", "主题").text(lang), &output.themes),
    ];
    session.output(Head::ok("paths", say("Paths in use.", "正在使用的路径。").text(lang)), output, &lines)
}
