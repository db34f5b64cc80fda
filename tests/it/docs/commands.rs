//! The commands and flags that the pages name are those of the program.

use super::{blocks, files, read};
use clap::CommandFactory as _;
use clap::error::{ContextKind, ErrorKind};
use novel_gate::cli::Cli;

/// What is run on a page, in blocks for a shell, and named between backticks, there without the program's name too. A line may
/// go on behind a backslash.
fn commands(page: &str) -> Vec<String> {
    let page = page.replace("\\\n", " ");
    let blocks = blocks(&page).into_iter().filter(|(info, _)| info.is_empty() || info == "sh");
    let lines = blocks.flat_map(|(_, text)| text.lines().map(str::to_owned).collect::<Vec<_>>());
    let in_lines = lines.flat_map(|line| {
        let starts = line.match_indices("novel-gate ").map(|(at, _)| at);
        let is_run = |at: &usize| line[..*at].chars().next_back().is_none_or(|c| " (".contains(c));
        starts.filter(is_run).map(|at| line[at..].to_owned()).collect::<Vec<_>>()
    });
    let program = Cli::command();
    let subs: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
    let prose = page.split("\n```").step_by(2).flat_map(|part| part.split('`').skip(1).step_by(2));
    let in_prose = prose.filter_map(|span| {
        let (first, _) = span.split_once(' ')?;
        let named = subs.contains(&first).then(|| format!("novel-gate {span}"));
        named.or_else(|| (first == "novel-gate").then(|| span.to_owned()))
    });
    // Dots stand for what is left out, and the examples of what fails are not understood.
    let all = in_lines.chain(in_prose).map(|line| line.replace('…', ""));
    all.filter(|line| !line.contains("--status done")).collect()
}

/// The words of the first command of a line, as a shell splits this much of one.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (c, quote) {
            ('#' | '|' | '>' | '<' | ';' | '&' | ')', None) => {
                // What stands before `>` may be the number of a stream.
                words.retain(|word| word != "2");
                break;
            }
            ('\'' | '"', None) => quote = Some(c),
            (' ' | '\n', None) => words.push(String::new()),
            (c, Some(end)) if c == end => quote = None,
            (c, _) => words.last_mut().expect("a word").push(c),
        }
    }
    words.retain(|word| !word.is_empty() && !word.starts_with('$'));
    words
}

/// What is wrong with a command, if anything. One that is only named goes without what it needs, a NAME stands for a value, and
/// in a form with brackets only the flags are looked at.
fn fault(line: &str) -> Option<String> {
    let cut = |c: char| "[]=,.".contains(c) || c.is_whitespace();
    let flags = line.split(cut).filter(|word| word.starts_with("--")).map(|word| &word[2..]);
    if line.contains('[') {
        let sub = line.split_whitespace().nth(1)?;
        let mut command = Cli::command();
        command.build();
        let Some(sub) = command.find_subcommand(sub) else { return Some(format!("{sub}?")) };
        let known: Vec<&str> = sub.get_arguments().filter_map(clap::Arg::get_long).collect();
        return flags.into_iter().find(|flag| !known.contains(flag)).map(str::to_owned);
    }
    let stands_for_a_value = |word: &str| {
        word.split('=').any(|part| part.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()))
    };
    let error = Cli::command().try_get_matches_from(words(line)).err()?;
    let is_named = match error.kind() {
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let has_none =
                error.get(ContextKind::InvalidValue).is_none_or(|value| value.to_string().is_empty());
            has_none || words(line).iter().any(|word| stands_for_a_value(word))
        }
        kind => kind == ErrorKind::MissingRequiredArgument || error.exit_code() == 0,
    };
    (!is_named).then(|| error.to_string())
}

#[test]
fn every_command_on_a_page_is_understood() {
    let of_page = |page: String| commands(&read(&page)).into_iter().map(move |line| (page.clone(), line));
    let all: Vec<(String, String)> = files().flat_map(of_page).collect();
    let wrong: Vec<_> = all.iter().filter_map(|(page, line)| Some((page, line, fault(line)?))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(all.len() > 200, "{}", all.len());
}

/// Flags of other programs that the pages name.
const OF_OTHERS: [&str; 4] = ["add-dir", "bare", "bench", "write-manifest"];

#[test]
fn every_flag_that_a_page_names_is_one() {
    let mut command = Cli::command();
    command.build();
    let with_subs = std::iter::once(&command).chain(command.get_subcommands());
    let known: Vec<&str> =
        with_subs.flat_map(|command| command.get_arguments().filter_map(clap::Arg::get_long)).collect();
    for page in files() {
        let text = read(&page);
        let spans = text.split("\n```").step_by(2).flat_map(|part| part.split('`').skip(1).step_by(2));
        for flag in spans.filter_map(|span| span.trim().strip_prefix("--")) {
            let name = flag.split([' ', '=', '[']).next().unwrap_or_default();
            assert!(known.contains(&name) || OF_OTHERS.contains(&name), "{page}: --{name}");
        }
    }
}
