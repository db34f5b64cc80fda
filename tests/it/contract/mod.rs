//! What every command promises to programs: whole outputs, exit codes, schemas.
//!
//! `tests/contract/*.txt` hold command lines with what they print in both languages, as words and as JSON. Every JSON
//! object is read into a mirror type that knows each of its members, and held against the published schema.
//! `UPDATE_CONTRACTS=1 cargo test --test it contract::` writes the files anew; look at what has changed.

mod book;
mod fields;
mod golden;
mod layout;
mod line;
mod mirror;
mod rules;
mod schemas;
mod scripts;
mod stand_in;
mod watching;

/// The commands whose outputs stand in a file of their name, with every exit code that they can end with.
const COMMANDS: &[(&str, &[i32])] = &[
    ("check", &[0, 1, 2, 3, 4, 5]),
    ("attach", &[0, 1, 2, 5]),
    ("propose", &[0, 1, 2, 3, 5, 6, 8]),
    ("decisions", &[0, 1, 2, 5]),
    ("questions", &[0, 1, 2, 5, 6]),
    ("list", &[0, 2]),
    ("show", &[0, 1, 2, 5]),
    ("wait", &[0, 1, 2, 3, 5, 7, 8, 129, 130, 143]),
    ("answer", &[0, 1, 2, 3, 4, 5, 6]),
    ("redo", &[0, 1, 2, 3, 5, 6]),
    ("history", &[0, 1, 2, 5, 6]),
    ("lint", &[0, 1, 2, 5]),
    ("schema", &[0, 1, 2, 5]),
    ("next", &[0, 1, 2, 3, 4, 5, 8]),
    ("compile", &[0, 1, 2, 5]),
    ("plan", &[0, 1, 2, 5]),
    ("skill", &[0, 2]),
    ("doctor", &[0, 2, 3]),
    ("init", &[0, 2, 5, 6]),
    ("keys", &[0]),
    ("themes", &[0, 2]),
    ("paths", &[0]),
    ("completions", &[0, 2]),
    ("usage", &[2]),
];

/// Runs the scenarios of one file: `CONTRACT=check` alone is enough to see what one command does.
fn holds(name: &str) {
    let (_, exits) = COMMANDS.iter().find(|(command, _)| *command == name).expect("a command of the table");
    golden::File::read(name).holds(exits);
}

macro_rules! contracts {
    ($($name:ident)*) => { $(#[test] fn $name() { holds(stringify!($name)); })* };
}

contracts! { check attach propose decisions questions list show wait answer redo history lint schema next compile plan skill doctor init keys themes paths completions usage }
