//! Every command with hostile packets and hostile arguments: what it prints is harmless, on and off a terminal, in both
//! languages.

use super::{hostile, wire};
use crate::in_process::call;
use crate::sandbox::Sandbox;
use novel_gate::Environment;
use novel_gate::cli;
use novel_gate::text::Lang;
use std::ffi::OsString;

/// What is left out: these take the terminal for themselves, or never end.
const LEFT_OUT: [&str; 3] = ["console", "demo", "help"];

/// These print JSON or the bytes of files without being asked to.
const PRINT_DOCUMENTS: [&str; 5] = ["next", "compile", "plan", "wait", "schema"];
/// What is no single character, and does nothing.
const UNSEEN: [&str; 1] = ["a pile of marks"];

/// The words behind the program's name that a command is tried with: each argument and flag with a hostile value, each
/// hostile packet, and nothing at all.
fn lines() -> Vec<Vec<String>> {
    // No argument can hold a NUL.
    let hostile = |name: &str| hostile::hostile(name).replace('\0', "");
    let whole = cli::command(Lang::En);
    let mut lines: Vec<Vec<String>> = vec![vec![hostile("command")], vec![hostile("--flag")]];
    for command in whole.get_subcommands().filter(|command| !LEFT_OUT.contains(&command.get_name())) {
        let name = command.get_name().to_owned();
        let mut with = |words: Vec<String>| {
            let end =
                if name == "wait" { vec!["--timeout".to_owned(), "1ms".to_owned()] } else { Vec::new() };
            lines.push([vec![name.clone()], words, end].concat());
        };
        with(Vec::new());
        with(vec![hostile("argument")]);
        with(vec![format!("--{}", hostile("flag"))]);
        for packet in hostile::PACKETS {
            with(vec![packet.to_owned()]);
            with(vec![packet.to_owned(), "--json".to_owned()]);
            with(vec![packet.to_owned(), hostile("second")]);
        }
        for flag in command.get_arguments().chain(whole.get_arguments()).filter_map(|arg| arg.get_long()) {
            // With a value where one is expected, without where none is.
            if flag == "watch" {
                continue;
            }
            for packet in [hostile::PACKETS[0], hostile::PACKETS[3]] {
                with(vec![format!("--{flag}={}", hostile(flag)), packet.to_owned()]);
                with(vec![format!("--{flag}"), packet.to_owned()]);
            }
        }
    }
    lines
}

#[test]
fn no_command_prints_what_a_hostile_project_or_argument_says() {
    let lines = lines();
    assert!(lines.len() > 500, "{}", lines.len());
    let mut faults = Vec::new();
    for (locale, terminal) in [("en_US.UTF-8", true), ("zh_CN.UTF-8", true), ("en_US.UTF-8", false)] {
        for of_one_command in lines.chunk_by(|one, next| one[0] == next[0]) {
            let book = Sandbox::new();
            hostile::fill(&book);
            let environment = Environment {
                cwd: book.root(),
                home: Some(book.path("home").into()),
                locale: locale.to_owned(),
                output_is_terminal: terminal,
                errors_are_terminal: terminal,
                ..Environment::default()
            };
            let place: [OsString; 2] = ["--state-dir".into(), book.state().into()];
            for line in of_one_command {
                let words = line.iter().map(OsString::from).chain(place.clone());
                let called = call(&environment, words, b"");
                // What programs read is exact; what a person sees is harmless.
                let seen = [(&called.out, terminal), (&called.err, true)];
                let seen = seen.into_iter().filter(|(_, is_seen)| *is_seen);
                let is_document =
                    PRINT_DOCUMENTS.contains(&line[0].as_str()) || line.contains(&"--json".to_owned());
                let found = seen.flat_map(|(said, _)| printed_faults(said, is_document));
                let found: Vec<String> = found.collect();
                if !found.is_empty() {
                    let line: String = format!("{line:?}").chars().take(80).collect();
                    faults.push(format!("{locale}, terminal {terminal}, {line}: {found:?}"));
                }
            }
        }
    }
    let first: Vec<_> = faults.iter().take(20).collect();
    assert!(faults.is_empty(), "{} outputs: {first:#?}", faults.len());
}

/// What a terminal must not get, apart from line ends and our own colours. A document may hold what is only unseen.
fn printed_faults(bytes: &[u8], is_document: bool) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).replace('\n', "");
    let mut faults = wire::faults(text.as_bytes(), (200, 60));
    faults.retain(|fault| !is_document || !UNSEEN.contains(&fault.as_str()));
    faults
}
