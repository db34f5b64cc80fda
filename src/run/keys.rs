//! Hands the console's key table to the command `keys`: commands and console do not know each other.

use crate::command::keys::{Row, Screen};
use crate::console::keymap::{Context, rows};

/// Every screen with its keys, in the order of help.
pub(super) fn screens() -> Vec<Screen> {
    let screen = |context: Context| Screen {
        name: context.name(),
        title: context.says(),
        rows: rows(context)
            .map(|binding| Row {
                action: binding.action.name(),
                keys: binding.keys,
                shown: binding.keys_text(),
                says: binding.says,
            })
            .collect(),
    };
    Context::ALL.into_iter().map(screen).collect()
}
