//! Hands the console's key table to the command `keys`: commands and console do not know each other.

use crate::command::keys::{Row, Screen};
use crate::console::context::Context;
use crate::console::keymap::rows;
use strum::VariantArray;

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
    Context::VARIANTS.iter().copied().map(screen).collect()
}
