//! Opens the console: joins flags, settings file and environment into its settings, makes the throw-away project of `demo`,
//! and hands the console's key table to the command `keys`.

use crate::cli::Global;
use crate::command::about::{self, KeyBinding};
use crate::command::{Session, author_lang};
use crate::console::input::keymap::{Context, Keymap};
use crate::console::input::settings;
use crate::console::{self, Settings, sample};
use crate::environment::Environment;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::config::{self, AmbiguousWidth, ConfigProblem};
use crate::store::temporary::unpack;
use crate::store::{Project, StateDir, SystemClock, locate};
use crate::text::Lang;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use strum::VariantArray as _;

/// The name of the sample project's directory, and so its title.
const SAMPLE: &str = "雨停之前";

/// Opens the console on the author's project, at a packet's form if one is named.
///
/// # Errors
/// There is no project, no terminal, no such packet, or a setting is wrong.
pub(super) fn open(global: &Global, environment: &Environment, packet: Option<&Path>) -> Result<i32, Error> {
    let project = Project::find(global.project.as_deref(), &environment.cwd)?;
    let packet = packet.map(|name| locate::packet(&project, name, &environment.cwd)).transpose()?;
    let given = global.state_dir.as_ref().map(|dir| environment.cwd.join(dir));
    let base = StateDir::base(given, environment.xdg_state_home.clone(), environment.home.clone())?;
    let state = StateDir::new(&base, &project);
    console::run(settings(global, environment, project, state, packet)?)
}

/// Opens the console on a copy of the sample project, gone when the console ends.
///
/// # Errors
/// There is no terminal, no room for the copy, or a setting is wrong.
pub(super) fn demo(global: &Global, environment: &Environment) -> Result<i32, Error> {
    let file = |(path, bytes, minutes): &(&str, &'static [u8], u64)| {
        (format!("{SAMPLE}/{path}"), *bytes, Duration::from_mins(*minutes))
    };
    let files: Vec<(String, &[u8], Duration)> = sample::FILES.iter().map(file).collect();
    let copy = unpack(&files)?;
    let kept = unpack(&[])?;
    let project = Project::open(&copy.path().join(SAMPLE))?;
    let state = StateDir::new(kept.path(), &project);
    console::run(settings(global, environment, project, state, None)?)
}

fn settings(
    global: &Global,
    environment: &Environment,
    project: Project,
    state: StateDir,
    packet: Option<PathBuf>,
) -> Result<Settings, Error> {
    let dir = config::default_dir(environment.xdg_config_home.clone(), environment.home.clone());
    let (config, problems) = config::read(global.config.as_deref(), dir.as_deref())?;
    let (look, more) = super::theme::load(global, &config, environment, dir.as_deref())?;
    let (keymap, keys) = settings::apply(&config.keys);
    let problems: Vec<_> = [problems, more, keys].concat();
    Ok(Settings {
        lang: author_lang(global, &config, environment),
        look,
        keymap,
        problems: problems.iter().map(ConfigProblem::message).collect(),
        mouse: config.mouse.unwrap_or(true),
        clipboard: config.clipboard.unwrap_or(true),
        ambiguous_cells: config.ambiguous_width.map(|AmbiguousWidth(cells)| cells),
        notify: config.notify.clone(),
        clock: Arc::new(SystemClock(environment.zone.clone())),
        state,
        project,
        packet,
    })
}

/// Prints the keys in use, and what is wrong with those of the settings.
///
/// # Errors
/// The file that `--config` names cannot be read, or the table cannot be printed.
pub(super) fn keys(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let environment = &session.environment;
    let dir = config::default_dir(environment.xdg_config_home.clone(), environment.home.clone());
    let (config, mut problems) = config::read(session.global.config.as_deref(), dir.as_deref())?;
    problems.retain(ConfigProblem::is_unread);
    let (keymap, keys) = settings::apply(&config.keys);
    problems.extend(keys);
    let lang = session.lang;
    let done = about::keys(session, &bindings(&keymap, lang))?;
    if !problems.is_empty() {
        session.warn(&problems.iter().map(|problem| problem.text(lang)).collect::<Vec<_>>());
    }
    Ok(done)
}

/// The keys of every screen, in the order of help.
fn bindings(keymap: &Keymap, lang: Lang) -> Vec<KeyBinding> {
    let of_screen = |&context: &Context| {
        keymap.rows(context).map(move |binding| KeyBinding {
            context: context.name(),
            action: binding.action.name(),
            keys: binding.keys.clone(),
            description: binding.says.text(lang),
            title: context.says().text(lang),
            name: binding.name(),
            shown: binding.keys_text(),
        })
    };
    Context::VARIANTS.iter().flat_map(of_screen).collect()
}
