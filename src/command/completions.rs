//! `completions`: a shell's script, and what the script asks for while the author types.
//!
//! The script passes the line as far as the cursor. The first line of the answer names what the shell completes by itself
//! (`files`, `directories` or `none`); each further line is a candidate and, after a tab, its description. Where there is no
//! project or no such packet, there is nothing to complete and nothing to report.

use super::Session;
use super::output::{Head, Output, TextOutput, form};
use crate::cli::{self, Completions, Shell};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::{Safe, say};

mod bash;
mod candidates;
mod spot;

use candidates::{Candidate, Offer};

pub(super) const OUTPUT: Output = Output::new(
    "completions-output",
    "What completions --json prints: the script of a shell.",
    &[form::<TextOutput>(&["ok"], &[0], &["completions", "man"])],
);

/// The script of a shell.
fn script(shell: Shell) -> &'static str {
    match shell {
        Shell::Bash => include_str!("completions/novel-gate.bash"),
        Shell::Zsh => include_str!("completions/novel-gate.zsh"),
        Shell::Fish => include_str!("completions/novel-gate.fish"),
        Shell::PowerShell => include_str!("completions/novel-gate.ps1"),
    }
}

/// Prints the script, or what completes a line; `themes` are the names that `--theme` takes.
pub fn run(session: &mut Session<'_>, arguments: &Completions, themes: &[String]) -> Result<ExitCode, Error> {
    if arguments.line.is_empty() {
        let text = script(arguments.shell);
        let head = Head::ok("completions", say("The script.", "脚本。").text(session.lang));
        return session.reply_exactly(head, TextOutput { text }, text.as_bytes());
    }
    let line: Vec<String> = arguments.line.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let offer = match arguments.shell {
        Shell::Bash => in_bash(session, &line, themes),
        _ => after_words(session, &line, themes),
    };
    let mut out = String::from(match offer {
        Offer::Nothing | Offer::Candidates(_) => "none\n",
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
    let Some((last, before)) = line.split_last() else { return Offer::Nothing };
    offer(session, before, last.strip_prefix('=').unwrap_or(last), themes)
}

/// The line, and the characters at which Bash cuts words.
fn in_bash(session: &Session<'_>, line: &[String], themes: &[String]) -> Offer {
    let breaks = line.get(1).map_or("", String::as_str);
    let typed = bash::read(line.first().map_or("", String::as_str), breaks);
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
    let spot = spot::find(&command, before, current);
    candidates::of(session, &spot, themes)
}
