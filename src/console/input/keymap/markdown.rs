//! The key table for `docs/keys.md`.

use super::{Context, Keymap};
use crate::text::{Lang, say};
use strum::VariantArray;

/// The key table as Markdown.
pub fn markdown(lang: Lang) -> String {
    let keymap = Keymap::default();
    let mut out = String::new();
    let has_rows = |context: &&Context| keymap.rows(**context).next().is_some();
    for &context in Context::VARIANTS.iter().filter(has_rows) {
        out.push_str(&format!("\n**{}**\n\n", context.says().text(lang)));
        out.push_str(say("| keys | do |\n|---|---|\n", "| 按键 | 作用 |\n|---|---|\n").text(lang));
        for binding in keymap.rows(context) {
            let keys: Vec<String> =
                binding.keys_text().split("  ").map(|key| format!("`{}`", key.replace('|', "\\|"))).collect();
            out.push_str(&format!("| {} | {} |\n", keys.join(" "), binding.says.text(lang)));
        }
    }
    out
}
