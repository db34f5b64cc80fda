//! `keys`: the whole key table of the console.

use super::Session;
use super::output::{Head, Output, form};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::width::{cells, pad};
use crate::text::{Lang, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) const OUTPUT: Output = Output::new(
    "keys-output",
    "What keys --json prints: the whole key table of the console.",
    &[form::<KeysOutput>(&["ok"], &[0], &["keys"])],
);

/// Every key of the console.
#[derive(Serialize, JsonSchema)]
struct KeysOutput {
    /// The rows, screen by screen.
    bindings: Vec<KeyBinding>,
}

/// One thing that keys do on one screen.
#[derive(Serialize, JsonSchema)]
struct KeyBinding {
    /// The screen, or a part of it; stable.
    context: &'static str,
    /// What the keys do, in a word; stable.
    action: &'static str,
    /// The keys; the first one works with an input method on.
    keys: &'static [&'static str],
    /// What they do, in the language of --lang.
    description: &'static str,
}

/// A screen, or a part of one, with the keys that work there.
pub struct Screen {
    /// Stable name.
    pub name: &'static str,
    /// What people call it.
    pub title: Sentence,
    /// Its keys in the order of the table.
    pub rows: Vec<Row>,
}

/// One thing that keys do.
pub struct Row {
    /// What the settings call it: screen and action.
    pub name: String,
    /// Stable name of what they do.
    pub action: &'static str,
    /// The keys, the one for an input method first.
    pub keys: &'static [&'static str],
    /// The keys as people are shown them.
    pub shown: String,
    /// What they do.
    pub says: Sentence,
}

/// Prints the table.
pub fn run(session: &mut Session<'_>, screens: &[Screen]) -> Result<ExitCode, Error> {
    let lang = session.lang;
    let bindings = screens.iter().flat_map(|screen| {
        screen.rows.iter().map(move |row| KeyBinding {
            context: screen.name,
            action: row.action,
            keys: row.keys,
            description: row.says.text(lang),
        })
    });
    let head = Head::ok("keys", say("The keys of the console.", "控制台的按键。").text(lang));
    session.output(head, KeysOutput { bindings: bindings.collect() }, &lines(screens, lang))
}

/// Screen by screen: keys, what the settings call it, what it does; in the same columns from the first screen to the last.
fn lines(screens: &[Screen], lang: Lang) -> Vec<String> {
    let rows = || screens.iter().flat_map(|screen| &screen.rows);
    let keys = rows().map(|row| cells(&row.shown)).max().unwrap_or_default() + 3;
    let names = rows().map(|row| cells(&row.name)).max().unwrap_or_default() + 3;
    let mut lines = Vec::new();
    for screen in screens {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(screen.title.text(lang).to_owned());
        let line = |row: &Row| {
            format!("  {}{}{}", pad(&row.shown, keys), pad(&row.name, names), row.says.text(lang))
        };
        lines.extend(screen.rows.iter().map(line));
    }
    lines
}
