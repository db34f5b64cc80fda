//! Hands the console's key table to the command `keys`: commands and console do not know each other.

use crate::command::Session;
use crate::command::keys::{self, KeyBinding};
use crate::console::input::keymap::{Context, Keymap};
use crate::console::input::settings;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::config::{self, ConfigProblem};
use crate::text::Lang;
use strum::VariantArray as _;

/// Prints the keys in use, and what is wrong with those of the settings.
///
/// # Errors
/// The file that `--config` names cannot be read, or the table cannot be printed.
pub(super) fn keys(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let environment = &session.environment;
    let dir = config::default_dir(environment.xdg_config_home.clone(), environment.home.clone());
    let (config, _) = config::read(session.global.config.as_deref(), dir.as_deref())?;
    let (keymap, problems) = settings::apply(&config.keys);
    let lang = session.lang;
    let done = keys::run(session, &bindings(&keymap, lang))?;
    if !problems.is_empty() {
        session.warn(&problems.iter().map(|problem: &ConfigProblem| problem.text(lang)).collect::<Vec<_>>());
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
