//! `keys`: the whole key table of the console.
//!
//! Responsible for laying it out for people and programs. Not responsible for the table: the caller brings its rows.

use super::{Session, report};
use crate::ask::Object;
use crate::ask::object::{js_list, list};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::width::{cells, pad};
use crate::text::{Lang, Sentence, say};

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
    /// Stable name of what they do.
    pub action: &'static str,
    /// The keys, the one for an input method first.
    pub keys: &'static [&'static str],
    /// The keys as people are shown them.
    pub shown: String,
    /// What they do.
    pub says: Sentence,
}

/// Runs it.
///
/// # Errors
/// The result cannot be printed.
pub fn run(session: &mut Session<'_>, screens: &[Screen]) -> Result<ExitCode, Error> {
    if session.global.json {
        session.json(json(screens, session.lang))?;
    } else {
        session.say(&lines(screens, session.lang))?;
    }
    Ok(ExitCode::Done)
}

fn json(screens: &[Screen], lang: Lang) -> Object {
    let bindings = screens.iter().flat_map(|screen| screen.rows.iter().map(move |row| (screen, row)));
    let bindings = bindings.map(|(screen, row)| {
        let keys: Vec<_> = row.keys.iter().map(|&key| key.into()).collect();
        Object::new()
            .text("context", screen.name)
            .text("action", row.action)
            .raw("keys", &js_list(&keys))
            .text("description", row.says.text(lang))
            .finish()
    });
    let message = say("The keys of the console.", "控制台的按键。").text(lang);
    report::head("ok", ExitCode::Done, "keys", message).raw("bindings", &list(bindings))
}

/// Screen by screen; what the keys do begins in one column from the first screen to the last.
fn lines(screens: &[Screen], lang: Lang) -> Vec<String> {
    let shown = screens.iter().flat_map(|screen| &screen.rows).map(|row| cells(&row.shown));
    let column = shown.max().unwrap_or_default() + 3;
    let mut lines = Vec::new();
    for screen in screens {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(screen.title.text(lang).to_owned());
        let rows = screen.rows.iter();
        lines.extend(rows.map(|row| format!("  {}{}", pad(&row.shown, column), row.says.text(lang))));
    }
    lines
}
