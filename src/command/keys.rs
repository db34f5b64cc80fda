//! `keys`: the whole key table of the console.

use super::Session;
use super::output::{Head, Output, form};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;
use crate::text::width::{cells, pad};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) const OUTPUT: Output = Output::new(
    "keys-output",
    "What keys --json prints: the whole key table of the console.",
    &[form::<KeysOutput>(&["ok"], &[0], &["keys"])],
);

/// Every key of the console.
#[derive(Serialize, JsonSchema)]
struct KeysOutput<'b> {
    /// The rows, screen by screen.
    bindings: &'b [KeyBinding],
}

/// One thing that keys do on one screen.
#[derive(Serialize, JsonSchema)]
pub struct KeyBinding {
    /// The screen, or a part of it; stable.
    pub context: &'static str,
    /// What the keys do, in a word; stable.
    pub action: &'static str,
    /// The keys; the first one works with an input method on.
    pub keys: Vec<String>,
    /// What they do, in the language of --lang.
    pub description: &'static str,
    /// What people call the screen.
    #[serde(skip)]
    pub title: &'static str,
    /// What the settings call it: screen and action.
    #[serde(skip)]
    pub name: String,
    /// The keys as people are shown them.
    #[serde(skip)]
    pub shown: String,
}

/// Prints the table; the bindings of one screen stand together.
pub fn run(session: &mut Session<'_>, bindings: &[KeyBinding]) -> Result<ExitCode, Error> {
    let head = Head::ok("keys", say("The keys of the console.", "控制台的按键。").text(session.lang));
    session.output(head, KeysOutput { bindings }, &lines(bindings))
}

/// Screen by screen: keys, what the settings call it, what it does; in the same columns from the first screen to the last.
fn lines(bindings: &[KeyBinding]) -> Vec<String> {
    let keys = bindings.iter().map(|binding| cells(&binding.shown)).max().unwrap_or_default() + 3;
    let names = bindings.iter().map(|binding| cells(&binding.name)).max().unwrap_or_default() + 3;
    let mut lines = Vec::new();
    for screen in bindings.chunk_by(|one, next| one.context == next.context) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(screen[0].title.to_owned());
        let line = |one: &KeyBinding| {
            format!("  {}{}{}", pad(&one.shown, keys), pad(&one.name, names), one.description)
        };
        lines.extend(screen.iter().map(line));
    }
    lines
}
