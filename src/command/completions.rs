//! `completions`: a shell's script. The library `clap_complete` writes it and, when the script calls the program, completes the
//! line.

use super::Session;
use super::output::{Head, Output, TextOutput, form};
use crate::cli::{self, CompletionsArgs};
use crate::environment::Environment;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::{Project, SystemClock, clock::Clock as _, scan};
use crate::text::{Lang, Safe, say};
use clap_complete::engine::ValueCompleter as _;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter};
use clap_complete::env::{CompleteEnv, Shells};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) const OUTPUT: Output = Output::new(
    "completions-output",
    "What completions --json prints: the script of a shell.",
    &[form::<TextOutput>(&["ok"], &[0], &["completions", "man"])],
);

/// The variable by which a script says that it wants a line completed.
const VARIABLE: &str = "NOVEL_GATE_COMPLETE";

/// Prints the script.
pub fn run(session: &mut Session<'_>, arguments: &CompletionsArgs) -> Result<ExitCode, Error> {
    let (name, mut script) = ("novel-gate", Vec::new());
    if let Some(shell) = Shells::builtins().completer(&arguments.shell) {
        // Writing to memory does not fail.
        let _ = shell.write_registration(VARIABLE, name, name, name, &mut script);
    }
    let head = Head::ok("completions", say("The script.", "脚本。").text(session.lang));
    let text = String::from_utf8_lossy(&script);
    session.output_exactly(head, TextOutput { text: &text }, &script)
}

/// Completes the line of a shell, if a script asks for that; `themes` are the names that `--theme` takes.
pub fn complete(arguments: &[OsString], environment: &Environment, themes: fn() -> Vec<String>) -> bool {
    let lang = Lang::from_locale(&environment.locale);
    let names = move || themes().into_iter().map(CompletionCandidate::new).collect::<Vec<_>>();
    let mut pairs = arguments.iter().zip(arguments.iter().skip(1));
    let project = pairs.find(|(flag, _)| *flag == "--project").map(|(_, dir)| PathBuf::from(dir));
    let cwd = environment.cwd.clone();
    let packets = move |current: &OsStr| packets(project.as_deref(), &cwd, current);
    let command = || {
        let whole = cli::command(lang).mut_arg("theme", |arg| arg.add(ArgValueCandidates::new(names)));
        let themes = |sub: clap::Command| sub.mut_arg("name", |arg| arg.add(ArgValueCandidates::new(names)));
        whole.mut_subcommand("themes", themes).mut_subcommands(|sub| {
            sub.mut_args(|arg| {
                let name = arg.get_value_names().and_then(<[_]>::first).map(clap::builder::Str::as_str);
                let is_packet = matches!(name, Some("PACKET" | "PACKET|RECORD"));
                if is_packet { arg.add(ArgValueCompleter::new(packets.clone())) } else { arg }
            })
        })
    };
    // The variable alone must not keep a command from what it does: a gate would seem to be open.
    if arguments.get(1).is_none_or(|first| first != "--") {
        return false;
    }
    let engine = CompleteEnv::with_factory(command).var(VARIABLE);
    // A line that cannot be completed is no reason to speak while somebody types.
    engine.try_complete(arguments, Some(&environment.cwd)).unwrap_or(true)
}

/// The packets of the project that is named, or of the one around a directory, by the names of their files, each with its step; else paths. Step ids are no
/// candidates: shells cut words at a `:`.
fn packets(project: Option<&Path>, cwd: &Path, current: &OsStr) -> Vec<CompletionCandidate> {
    let project = Project::find(project, cwd).map(Arc::new);
    let entries = project.map(|project| scan::entries(&project, SystemClock::default().now()));
    let typed = current.to_string_lossy();
    let names = entries.iter().flatten().map(|entry| (entry.stem(), entry.title()));
    let fit = names.filter(|(stem, _)| stem.starts_with(&*typed) && Safe::line(stem).as_str() == stem);
    let found: Vec<_> = fit
        .map(|(stem, title)| {
            CompletionCandidate::new(&*stem).help(Some(Safe::line(&title).into_string().into()))
        })
        .collect();
    if found.is_empty() { PathCompleter::any().complete(current) } else { found }
}
