//! `man`: the whole program as one manual page, in English, by `clap_mangen`; examples and exit codes from their tables.

use super::Session;
use super::output::{Head, Output, TextOutput, form};
use crate::cli::{self, examples};
use crate::error::Error;
use crate::exit::{ExitCode, MEANINGS};
use crate::text::{Lang, say};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};
use std::io::{self, Write};

pub(super) const OUTPUT: Output = Output::new(
    "man-output",
    "What man --json prints: the manual page in the language of roff.",
    &[form::<TextOutput>(&["ok"], &[0], &["completions", "man"])],
);

const DESCRIPTION: &str = "\
A novel is written by AI executors that follow instruction packets. Some packets carry a gate: questions for the author (novel_ask) \
and a place for the answers (answer_path). The step may not run until a valid answer record lies there. novel-gate watches staging/, \
shows every gate that waits, asks its questions and writes one validated record that any executor picks up.

Without a command the full-screen console opens. PACKET is a path, a file name without its ending, or a step id such as \
chapter:048:draft. With --json a command prints one JSON object with status, exit, code and message.";

#[rustfmt::skip]
const FILES: &[(&str, &str)] = &[
    ("staging/**/*.packet.json", "The packets; read."),
    ("staging/novel-ask/relay/", "Questions of an executor while its hook waits; written and removed."),
    (".checkpoint.json", "Marks the novel's directory and says how far it has come; read."),
    ("$XDG_STATE_HOME/novel-gate/", "Drafts, history and locks, readable by their owner alone. Default: ~/.local/state/novel-gate/."),
    ("$XDG_CONFIG_HOME/novel-gate/config.toml", "Settings; read. Default: ~/.config/novel-gate/config.toml."),
    ("$XDG_CONFIG_HOME/novel-gate/themes/*.toml", "Your own themes; read."),
];

#[rustfmt::skip]
const ENVIRONMENT: &[(&str, &str)] = &[
    ("LC_ALL, LC_MESSAGES, LANG", "The language, where `--lang` and the settings say auto: any Chinese locale is Simplified Chinese, any other English."),
    ("NO_COLOR", "If it is set and not empty, no colour is used, unless `--color always` is given."),
    ("COLORFGBG", "The terminal's background, for `--theme auto`."),
    ("VISUAL, EDITOR", "The editor for long texts and records."),
    ("XDG_STATE_HOME, XDG_CONFIG_HOME, HOME", "Where drafts, history and settings lie."),
];

pub fn run(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let page = page();
    let head = Head::ok("man", say("The manual page.", "手册页。").text(session.lang));
    session.output_exactly(head, TextOutput { text: &page }, page.as_bytes())
}

/// The page in the language of roff.
pub fn page() -> String {
    let mut command = cli::command(Lang::En).long_about(DESCRIPTION);
    command.build();
    // Without it a line that cannot be broken is stretched by holes between the words.
    let mut out = rendered(&command, Man::render_title) + ".ad l\n.nh\n";
    let sections = [
        Man::render_name_section,
        Man::render_synopsis_section,
        Man::render_description_section,
        Man::render_options_section,
    ];
    out.extend(sections.map(|section| rendered(&command, section)));
    out += ".SH COMMANDS\n";
    out.extend(command.get_subcommands().map(subcommand));
    let mut page = Roff::new();
    page.control("SH", ["EXIT STATUS"]);
    for (number, meaning) in MEANINGS {
        entry(&mut page, bold(*number), meaning.text(Lang::En));
    }
    page.control("SH", ["FILES"]);
    for (path, words) in FILES {
        entry(&mut page, italic(*path), words);
    }
    page.control("SH", ["ENVIRONMENT"]);
    for (name, words) in ENVIRONMENT {
        entry(&mut page, bold(*name), words);
    }
    page.control("SH", ["EXAMPLES"]);
    shown_examples(&mut page, "");
    out + &page.to_roff()
}

fn rendered(command: &Command, section: fn(&Man, &mut dyn Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    // Writing to memory does not fail.
    let _ = section(&Man::new(command.clone()), &mut out);
    String::from_utf8(out).unwrap_or_default()
}

/// A name and, between backticks in bold, what is said of it.
fn entry(page: &mut Roff, name: Inline, words: &str) {
    page.control("TP", []);
    page.text([name]);
    let parts = words.split('`').enumerate();
    page.text(parts.map(|(i, part)| if i % 2 == 1 { bold(part) } else { roman(part) }).collect::<Vec<_>>());
}

/// A command: how it is typed, what it does, its own arguments and flags, its examples.
fn subcommand(command: &Command) -> String {
    let mut own = command.clone().mut_args(|arg| {
        let is_shared = arg.is_global_set() || arg.get_id() == "help";
        if is_shared { arg.hide(true) } else { arg }
    });
    let mut page = Roff::new();
    page.control("SS", [own.get_name()]);
    page.text([bold(own.render_usage().to_string().trim_start_matches("Usage: "))]);
    page.control("PP", []);
    page.text([roman(own.get_about().map(ToString::to_string).unwrap_or_default())]);
    let options = rendered(&own, Man::render_options_section).replace(".SH OPTIONS\n", "");
    let mut examples = Roff::new();
    examples.control("PP", []);
    examples.text([roman("Examples:")]);
    shown_examples(&mut examples, own.get_name());
    page.to_roff() + &options + &examples.to_roff()
}

fn shown_examples(page: &mut Roff, command: &str) {
    for example in examples::of(command) {
        entry(page, bold(example.line), example.says.text(Lang::En));
    }
}
