//! The command line of one command, read on its own.
//!
//! Responsible for the plain case: a command first, then its own arguments and the flags of every command. Executors
//! run such lines before every step, and to build all the other commands for them would take longer than the work.
//! Not responsible for help or for what is wrong with a line: then the whole command line has to judge.

use super::{Cli, Command, Global};
use clap::{Args, FromArgMatches};
use std::ffi::OsString;

/// Reads a line whose first argument is a command, if all of it is plain; `None` says nothing about the line.
pub fn read(arguments: &[OsString]) -> Option<Cli> {
    let line = arguments.get(1..)?;
    let (global, command) = match line.first()?.to_str()? {
        "check" => alone(line, Command::Check)?,
        "next" => alone(line, |next| Command::Next(Box::new(next)))?,
        "list" => alone(line, Command::List)?,
        "show" => alone(line, Command::Show)?,
        "wait" => alone(line, Command::Wait)?,
        "hook" => alone(line, Command::Hook)?,
        _ => return None,
    };
    Some(Cli { global, command: Some(command) })
}

/// Reads the line of one command; `line` begins with its name.
fn alone<A: Args>(line: &[OsString], command: impl Fn(A) -> Command) -> Option<(Global, Command)> {
    let bare = clap::Command::new("command").disable_help_flag(true).disable_version_flag(true);
    let matches = A::augment_args(Global::augment_args(bare)).try_get_matches_from(line).ok()?;
    Some((Global::from_arg_matches(&matches).ok()?, command(A::from_arg_matches(&matches).ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_plain_line_is_read_as_the_whole_command_line_reads_it() {
        for line in [
            "novel-gate check a.packet.json",
            "novel-gate check --json --project dir a",
            "novel-gate check a --lang=zh --color never --state-dir s --config c --theme t",
            "novel-gate check --lang zh-CN -- --a",
            "novel-gate show chapter:048:draft",
            "novel-gate list",
            "novel-gate list --all --json --status open,waiting --project p",
            "novel-gate list --watch --json",
            "novel-gate wait a b --any --timeout 5m",
            "novel-gate hook claude-code",
            "novel-gate hook claude-code --always --state-dir s",
            "novel-gate next a --for codex --replies r --write --project p",
            "novel-gate next a --for claude-code --replies r --call c --answer a=b --answer c=d --resume",
            "novel-gate next a --for codex --replies r --reply - --exact-options 3 --on-escape return_previous",
            "novel-gate next a --for codex --replies r --call c --text -x --by me --answered-at t",
        ] {
            let whole = Cli::try_parse_from(words(line)).expect(line);
            let quick = read(&words(line)).expect(line);
            assert_eq!(format!("{quick:?}"), format!("{whole:?}"), "{line}");
        }
    }

    #[test]
    fn every_other_line_is_left_to_the_whole_command_line() {
        for line in [
            "novel-gate",
            "novel-gate --json check a",
            "novel-gate --project p check a",
            "novel-gate check",
            "novel-gate check a b",
            "novel-gate check --help",
            "novel-gate check -h",
            "novel-gate check --version",
            "novel-gate check --jso a",
            "novel-gate check --lang fr a",
            "novel-gate check a --json --json",
            "novel-gate chec a",
            "novel-gate list --status none",
            "novel-gate wait --timeout soon a",
            "novel-gate help check",
            "novel-gate demo",
            "novel-gate hook",
            "novel-gate hook codex",
            "novel-gate next a --for codex",
            "novel-gate next a --for nobody --replies r",
            "novel-gate next a --for codex --replies r --escape",
            "novel-gate next a --for codex --replies r --call c --escape --unavailable",
            "novel-gate next a --for codex --replies r --call c --reply {}",
        ] {
            assert!(read(&words(line)).is_none(), "{line}");
        }
        assert!(read(&[]).is_none());
    }
}
