//! The examples below each command's help: the command line reads every one, and every one runs in the sample project.

use std::path::Path;

use novel_gate::cli::{self, examples};
use novel_gate::text::Lang;

use crate::sandbox::{Running, Sandbox};

/// The words of each call of the program on a line, as a shell cuts it. Quotes are only single ones.
fn calls(line: &str) -> Vec<Vec<String>> {
    let (mut calls, mut words, mut word, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    for c in line.chars().chain([' ']) {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => {
                let word = std::mem::take(&mut word);
                match word.as_str() {
                    "" => {}
                    "|" | "&&" => calls.push(std::mem::take(&mut words)),
                    _ => words.push(word),
                }
            }
            c => word.push(c),
        }
    }
    calls.push(words);
    calls.retain(|words| words.first().is_some_and(|first| first == "novel-gate"));
    for words in &mut calls {
        words.truncate(words.iter().position(|word| word == ">").unwrap_or(words.len()));
    }
    calls
}

#[test]
fn every_example_is_a_legal_line_of_its_command() {
    for example in examples::EXAMPLES {
        let calls = calls(example.line);
        assert!(!calls.is_empty(), "{}", example.line);
        for words in calls {
            let matches = cli::command(Lang::En).try_get_matches_from(&words);
            let matches = matches.unwrap_or_else(|error| panic!("{}: {error}", example.line));
            let command = matches.subcommand_name();
            let fits =
                command == Some(example.command) || (example.command == "console" && command.is_none());
            assert!(fits || example.command.is_empty(), "{} below {}", example.line, example.command);
        }
    }
}

#[test]
fn every_command_has_an_example_in_both_languages() {
    for lang in [Lang::En, Lang::ZhCn] {
        let mut command = cli::command(lang);
        command.build();
        let heading = if lang == Lang::En { "Examples:" } else { "示例：" };
        assert!(command.render_help().to_string().contains(heading));
        for sub in command.get_subcommands_mut() {
            let first = examples::of(sub.get_name()).next().unwrap_or_else(|| panic!("{}", sub.get_name()));
            for help in [sub.render_help().to_string(), sub.render_long_help().to_string()] {
                assert!(help.contains(heading) && help.contains(first.line), "{help}");
                assert!(help.contains(first.says.text(lang)), "{help}");
            }
        }
    }
}

/// What a line ends with in the sample project; most are done.
fn expected(line: &str) -> i32 {
    match line {
        "novel-gate" => 2, // No terminal.
        line if line.starts_with("novel-gate demo") || line.starts_with("novel-gate console") => 2,
        line if line.starts_with("novel-gate --theme") => 2,
        line if line.starts_with("novel-gate mcp") => 2, // No client.
        line if line.starts_with("novel-gate propose") => 2, // No question there wants options.
        line if line.starts_with("novel-gate check chapter:013:draft") => 3,
        "novel-gate doctor" => 3, // Nobody is wired.
        line if line.starts_with("novel-gate wait") => 7,
        _ => 0,
    }
}

#[test]
#[cfg_attr(windows, ignore = "its script is one of a Unix shell")]
fn every_example_runs_in_the_sample_project() {
    for example in examples::EXAMPLES {
        let book = Sandbox::sample();
        let canonical = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-packets/canonical/genre.json");
        book.put("canonical/genre.json", std::fs::read(canonical).expect("a sample"));
        // Nobody answers here.
        let line = example.line.replace("--timeout 30m", "--timeout 1ms");
        let is_endless = line.starts_with("novel-gate wait") && !line.contains("--timeout");
        let line = if is_endless { line + " --timeout 1ms" } else { line };
        // It ends when nobody reads any more.
        let line = if line.contains("--watch") { line + " | head -n 1" } else { line };
        let ran = Running::start(book.system("bash").args(["-c", &line])).wait();
        assert_eq!(ran.code, Some(expected(&line)), "{line}\n{}{}", ran.stdout, ran.stderr);
    }
}
