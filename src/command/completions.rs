//! `completions`: a shell's script, and what the script asks for while the author types.
//!
//! The script passes the line as far as the cursor. The first line of the answer names what the shell completes by itself
//! (`files`, `directories` or `none`); each further line is a candidate and, after a tab, its description. Where there is no
//! project or no such packet, there is nothing to complete and nothing to report.

use super::output::{Head, Output, TextOutput, form};
use super::{Session, list};
use crate::ask::{Gate, JsString, decode_packet};
use crate::cli::{self, CompletionsArgs, Shell};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::entry::Entry;
use crate::store::{Project, Status, gate, locate, scan};
use crate::text::{Lang, Safe, say};
use clap::{Arg, ArgAction};
use line::{At, Cursor};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod line;

pub(super) const OUTPUT: Output = Output::new(
    "completions-output",
    "What completions --json prints: the script of a shell.",
    &[form::<TextOutput>(&["ok"], &[0], &["completions", "man"])],
);

fn script(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("completions/novel-gate.bash"),
        Shell::Zsh => include_str!("completions/novel-gate.zsh"),
        Shell::Fish => include_str!("completions/novel-gate.fish"),
        Shell::PowerShell => include_str!("completions/novel-gate.ps1"),
    }
}

/// Prints the script, or what completes a line; `themes` are the names that `--theme` takes.
pub fn run(
    session: &mut Session<'_>,
    arguments: &CompletionsArgs,
    themes: &[String],
) -> Result<ExitCode, Error> {
    if arguments.line.is_empty() {
        let text = script(arguments.shell);
        let head = Head::ok("completions", say("The script.", "脚本。").text(session.lang));
        return session.output_exactly(head, TextOutput { text }, text.as_bytes());
    }
    let line: Vec<String> = arguments.line.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let offer = match arguments.shell {
        Shell::Bash => in_bash(session, &line, themes),
        _ => after_words(session, &line, themes),
    };
    let mut out = String::from(match offer {
        Offer::Candidates(_) => "none\n",
        Offer::Files => "files\n",
        Offer::Directories => "directories\n",
    });
    if let Offer::Candidates(candidates) = offer {
        for Candidate { value, says } in candidates {
            let says = Safe::line(&says).into_string();
            out.push_str(&format!("{value}\t{says}\n"));
        }
    }
    session.exact(out.as_bytes())?;
    Ok(ExitCode::Done)
}

/// Words that the shell has cut and unquoted. The last one carries a `=`: some shells drop an argument that is empty.
fn after_words(session: &Session<'_>, line: &[String], themes: &[String]) -> Offer {
    let Some((last, before)) = line.split_last() else { return Offer::Candidates(Vec::new()) };
    offer(session, before, last.strip_prefix('=').unwrap_or(last), themes)
}

/// The line, and the characters at which Bash cuts words.
fn in_bash(session: &Session<'_>, line: &[String], themes: &[String]) -> Offer {
    let breaks = line.get(1).map_or("", String::as_str);
    let typed = line::read(line.first().map_or("", String::as_str), breaks);
    if typed.is_redirection {
        return Offer::Files;
    }
    // The first word is the program.
    let offer = offer(session, typed.words.get(1..).unwrap_or_default(), &typed.current, themes);
    let Offer::Candidates(candidates) = offer else { return offer };
    Offer::Candidates(
        candidates
            .into_iter()
            .filter_map(|candidate| Some(Candidate { value: typed.written(&candidate.value)?, ..candidate }))
            .collect(),
    )
}

fn offer(session: &Session<'_>, before: &[String], current: &str, themes: &[String]) -> Offer {
    let mut command = cli::command(session.lang);
    command.build();
    let cursor = line::find(&command, before, current);
    fitting(session, &cursor, themes)
}

/// One word to offer.
#[derive(Debug, PartialEq, Eq)]
struct Candidate {
    /// The whole word.
    value: String,
    /// What it means; may be empty.
    says: String,
}

/// What completes a word.
#[derive(Debug)]
enum Offer {
    Candidates(Vec<Candidate>),
    /// The shell's own files.
    Files,
    /// The shell's own directories.
    Directories,
}

/// The word that stands for an argument's value in the help: what the argument takes.
fn value_name(arg: &Arg) -> Option<&str> {
    arg.get_value_names().and_then(<[_]>::first).map(clap::builder::Str::as_str)
}

fn takes_packet(arg: &Arg) -> bool {
    matches!(value_name(arg), Some("PACKET" | "PACKET|RECORD"))
}

/// Everything that fits; `themes` are the names that `--theme` takes.
fn fitting(session: &Session<'_>, cursor: &Cursor<'_>, themes: &[String]) -> Offer {
    match &cursor.at {
        At::Flag => Offer::Candidates(flags(cursor)),
        At::Value { arg, flag } => attached(value(session, cursor, arg, themes), flag),
        At::Word { arg } => {
            let commands = commands(cursor);
            let offer = match arg {
                Some(arg) => value(session, cursor, arg, themes),
                None if commands.is_empty() && cursor.current.is_empty() => Offer::Candidates(flags(cursor)),
                None => Offer::Candidates(commands),
            };
            // A lone dash may be standard input, or a flag to come.
            match offer {
                Offer::Candidates(found) if found.is_empty() && cursor.current == "-" => {
                    Offer::Candidates(flags(cursor))
                }
                offer => offer,
            }
        }
    }
}

fn attached(offer: Offer, flag: &str) -> Offer {
    match offer {
        Offer::Candidates(found) => Offer::Candidates(
            found.into_iter().map(|one| Candidate { value: format!("{flag}{}", one.value), ..one }).collect(),
        ),
        offer => offer,
    }
}

fn commands(cursor: &Cursor<'_>) -> Vec<Candidate> {
    let all = cursor.command.get_subcommands().filter(|sub| !sub.is_hide_set());
    let named = all.map(|sub| candidate(sub.get_name(), sub.get_about()));
    named.filter(|one| one.value.starts_with(&cursor.current)).collect()
}

/// Flags that go on with what is typed, without those that may stand only once and already do.
fn flags(cursor: &Cursor<'_>) -> Vec<Candidate> {
    let again = |arg: &Arg| matches!(arg.get_action(), ArgAction::Append | ArgAction::Count);
    let stands = |arg: &Arg| cursor.given.iter().any(|(given, _)| given.get_id() == arg.get_id());
    let wanted = |arg: &&Arg| !arg.is_hide_set() && (again(arg) || !stands(arg));
    let all = cursor.command.get_arguments().filter(wanted);
    let named = all.filter_map(|arg| Some(candidate(&format!("--{}", arg.get_long()?), arg.get_help())));
    named.filter(|one| one.value.starts_with(&cursor.current)).collect()
}

fn candidate(value: &str, says: Option<&clap::builder::StyledStr>) -> Candidate {
    Candidate { value: value.to_owned(), says: says.map(ToString::to_string).unwrap_or_default() }
}

fn value(session: &Session<'_>, cursor: &Cursor<'_>, arg: &Arg, themes: &[String]) -> Offer {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        let (before, typed) = listed(&cursor.current, arg.get_value_delimiter());
        let shown =
            possible.iter().filter(|value| !value.is_hide_set() && value.get_name().starts_with(typed));
        // Their meanings are said in English only.
        let says = |value: &clap::builder::PossibleValue| {
            value.get_help().filter(|_| session.lang == Lang::En).cloned()
        };
        let all =
            shown.map(|value| candidate(&format!("{before}{}", value.get_name()), says(value).as_ref()));
        return Offer::Candidates(all.collect());
    }
    match value_name(arg) {
        _ if takes_packet(arg) => packets(session, cursor),
        Some("ID=VALUE") => Offer::Candidates(answers(session, cursor).unwrap_or_default()),
        Some(name) if name == "NAME|PATH" || name == "NAME" && arg.get_id() == "name" => {
            let named = themes.iter().filter(|name| name.starts_with(&cursor.current));
            some_or(named.map(|name| candidate(name, None)).collect(), Offer::Files)
        }
        Some("FILE" | "FILE.md" | "DOC") => Offer::Files,
        Some("DIR") => Offer::Directories,
        _ => Offer::Candidates(Vec::new()),
    }
}

/// A list as far as its last item, and what is typed of that.
fn listed(current: &str, delimiter: Option<char>) -> (&str, &str) {
    let at = delimiter.and_then(|c| Some(current.rfind(c)? + c.len_utf8()));
    current.split_at(at.unwrap_or(0))
}

fn some_or(found: Vec<Candidate>, otherwise: Offer) -> Offer {
    if found.is_empty() { otherwise } else { Offer::Candidates(found) }
}

/// The project that the line means.
fn project(session: &Session<'_>, cursor: &Cursor<'_>) -> Option<Project> {
    let named = cursor.given.iter().rev().find(|(arg, _)| arg.get_id() == "project");
    let named = named.map(|(_, path)| at_home(session, path));
    let named = named.or_else(|| session.global.project.clone());
    Project::find(named.as_deref(), &session.environment.cwd).ok()
}

/// A path as the shell would have given it: `~/` is the author's home.
fn at_home(session: &Session<'_>, path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), &session.environment.home) {
        (Some(rest), Some(home)) => Path::new(home).join(rest),
        _ => PathBuf::from(path),
    }
}

/// Packets by their step ids: those with a gate, else the others; else by their file's stem; else any file.
fn packets(session: &Session<'_>, cursor: &Cursor<'_>) -> Offer {
    let Some(project) = project(session, cursor).filter(|_| !cursor.current.contains('/')) else {
        return Offer::Files;
    };
    let entries = scan::entries(&Arc::new(project), session.clock.now());
    let named = |name: &dyn Fn(&Entry) -> Option<String>, wanted: &dyn Fn(&Entry) -> bool| {
        let fit = entries.iter().filter(|entry| wanted(entry.as_ref()));
        let all = fit.filter_map(|entry| {
            let value = name(entry).filter(|name| is_plain(name) && name.starts_with(&cursor.current))?;
            let given = cursor.given.iter().any(|(_, given)| *given == value);
            (!given).then(|| Candidate { value, says: says(entry, session) })
        });
        let mut all: Vec<Candidate> = all.collect();
        // One name for several packets is no name.
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for one in &all {
            *times.entry(one.value.clone()).or_default() += 1;
        }
        all.retain(|one| times.get(&one.value) == Some(&1));
        all
    };
    let step_id = |entry: &Entry| entry.step.as_ref()?.as_str().map(str::to_owned);
    let file_stem = |entry: &Entry| Some(entry.stem().into_owned());
    let has_gate = |entry: &Entry| entry.status != Status::NoGate;
    let tiers = [named(&step_id, &has_gate), named(&step_id, &|_| true), named(&file_stem, &|_| true)];
    let found = tiers.into_iter().find(|tier| !tier.is_empty()).unwrap_or_default();
    some_or(found, Offer::Files)
}

/// Whether a name can be drawn, typed and sent on a line.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && Safe::line(name).as_str() == name
}

fn says(entry: &Entry, session: &Session<'_>) -> String {
    let state = list::word(entry.status).text(session.lang);
    match entry.topic.as_ref().map(JsString::display) {
        Some(topic) => format!("{state} · {topic}"),
        None => state.to_owned(),
    }
}

/// `id=` for each question of the packet that stands on the line; behind the `=`, its options.
fn answers(session: &Session<'_>, cursor: &Cursor<'_>) -> Option<Vec<Candidate>> {
    let project = project(session, cursor)?;
    let (_, packet) = cursor.given.iter().find(|(arg, _)| takes_packet(arg))?;
    let path = locate::packet(&project, &at_home(session, packet), &session.environment.cwd).ok()?;
    let Gate { spec, .. } = decode_packet(&gate::read_file(&path).ok()?).ok()?.gate?;
    let shown = |text: &JsString| text.lossy().into_owned();
    let Some((id, typed)) = cursor.current.split_once('=') else {
        let all = spec.questions.iter().filter(|question| question.id.starts_with(&cursor.current));
        let all = all.map(|one| Candidate { value: format!("{}=", one.id), says: shown(&one.question) });
        return Some(all.collect());
    };
    let options = &spec.questions.iter().find(|question| question.id == id)?.options;
    let fit = options.iter().filter_map(|option| {
        let label = option.label.as_str().filter(|label| is_plain(label) && label.starts_with(typed))?;
        Some(Candidate { value: format!("{id}={label}"), says: shown(&option.description) })
    });
    Some(fit.collect())
}
