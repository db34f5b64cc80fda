//! Hands the console's key table to the command `keys`: commands and console do not know each other.

use crate::command::Session;
use crate::command::keys::{self, Row, Screen};
use crate::console::key_settings;
use crate::console::keymap::{Context, Keymap};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::config::{self, ConfigProblem};
use strum::VariantArray as _;

/// Prints the keys in use, and what is wrong with those of the settings.
///
/// # Errors
/// The file that `--config` names cannot be read, or the table cannot be printed.
pub(super) fn keys(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let environment = &session.environment;
    let dir = config::default_dir(environment.xdg_config_home.clone(), environment.home.clone());
    let (config, _) = config::read(session.global.config.as_deref(), dir.as_deref())?;
    let (keymap, problems) = key_settings::apply(&config.keys);
    let lang = session.lang;
    let done = keys::run(session, &screens(&keymap))?;
    if !problems.is_empty() {
        session.warn(&problems.iter().map(|problem: &ConfigProblem| problem.text(lang)).collect::<Vec<_>>());
    }
    Ok(done)
}

/// Every screen with its keys, in the order of help.
fn screens(keymap: &Keymap) -> Vec<Screen> {
    let screen = |&context: &Context| Screen {
        name: context.name(),
        title: context.says(),
        rows: keymap
            .rows(context)
            .map(|binding| Row {
                name: binding.name(),
                action: binding.action.name(),
                keys: binding.keys,
                shown: binding.keys_text(),
                says: binding.says,
            })
            .collect(),
    };
    Context::VARIANTS.iter().map(screen).collect()
}
