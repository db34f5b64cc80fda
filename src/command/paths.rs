//! `paths`: the version and every path in use.
//!
//! Responsible for saying where this program looks and writes. Makes nothing.

use super::{Session, report};
use crate::ask::Object;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::config;
use crate::store::watch::{self, Mode};
use crate::text::say;
use std::path::{Path, PathBuf};

/// Runs it.
///
/// # Errors
/// There is no project, or no place for its state.
pub fn run(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let project = session.project()?;
    let state = session.state(&project)?;
    let lang = session.lang;
    let environment = &session.environment;
    let settings = config::default_dir(environment.xdg_config_home.clone(), environment.home.clone());
    let named = session.global.config.as_ref().map(|path| environment.cwd.join(path));
    let config = named.or_else(|| settings.as_ref().map(|dir| dir.join("config.toml")));
    let themes = settings.map(|dir| dir.join("themes"));
    let mode = watch::probe(&project);
    let (watching, reason) = match &mode {
        Mode::Native => ("native", None),
        Mode::Polling(why) => ("polling", Some(why)),
    };
    let version = env!("CARGO_PKG_VERSION");
    if session.global.json {
        let shown = |path: Option<&PathBuf>| path.map(|path| path.to_string_lossy().into_owned());
        let watch = Object::new()
            .text("mode", watching)
            .text_or_null("reason", reason.map(watch::Why::code))
            .text_or_null("message", reason.map(|why| why.text(lang)).as_deref());
        let message = say("Paths in use.", "正在使用的路径。").text(lang);
        let object = report::head("ok", ExitCode::Done, "paths", message)
            .text("version", version)
            .text("root", &project.root().to_string_lossy())
            .text("state", &state.path().to_string_lossy())
            .text_or_null("config", shown(config.as_ref()).as_deref())
            .text_or_null("themes", shown(themes.as_ref()).as_deref())
            .raw("watch", &watch.finish());
        session.json(object)?;
        return Ok(ExitCode::Done);
    }
    let shown = |path: Option<&Path>| match path {
        None => say("none", "无").text(lang).to_owned(),
        Some(path) if path.exists() => path.to_string_lossy().into_owned(),
        Some(path) => say("{0} (not there)", "{0}（不存在）").fill(lang, &[&path.to_string_lossy()]),
    };
    let watching = match reason {
        None => say("the system tells of changes", "由系统通知变化").text(lang).to_owned(),
        Some(why) => why.text(lang),
    };
    let line = |name: crate::text::Sentence, value: &str| {
        say("{0}: {1}", "{0}：{1}").fill(lang, &[name.text(lang), value])
    };
    session.say(&[
        line(say("Version", "版本"), version),
        line(say("Project", "项目"), &shown(Some(project.root()))),
        line(say("State", "状态"), &shown(Some(state.path()))),
        line(say("Settings", "设置"), &shown(config.as_deref())),
        line(say("Themes", "主题"), &shown(themes.as_deref())),
        line(say("Watching", "监视"), &watching),
    ])?;
    Ok(ExitCode::Done)
}
