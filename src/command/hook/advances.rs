//! The steps that a shell command would advance or commit with novel-writer-cli 0.5.0, as far as its text tells. Nothing comes of a
//! call that the executor would refuse, or that changes nothing; nor of one that only running it could make out.

use super::shell::{HOLE, Place, commands, is_assignment, named_from};
use crate::ask::js_string::trim_js;
use crate::ask::step::{CHAPTER, Step, chapter_number};
use crate::text::shell::program_name;
use std::path::is_separator;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// No command hands another one on more often.
const DEPTH: usize = 8;
/// The program, as its package calls it and itself.
const PROGRAMS: [&str; 2] = ["novel", "novel-writer-cli"];
/// Its file.
const SCRIPT: &str = "novel-writer-cli/dist/cli.js";
const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];

/// Commands that run what stands behind them; the options that take the next word for their value; and how many words come before
/// the command.
const RUNNERS: [(&str, &str, usize); 23] = [
    ("env", "-u --unset -C --chdir -S --split-string", 0),
    ("time", "-f --format -o --output", 0),
    ("timeout", "-k --kill-after -s --signal", 1),
    ("nohup", "", 0),
    ("nice", "-n --adjustment", 0),
    ("ionice", "-c --class -n --classdata", 0),
    ("setsid", "", 0),
    ("stdbuf", "-i --input -o --output -e --error", 0),
    ("command", "", 0),
    ("builtin", "", 0),
    // The shell's own, and what package managers call so.
    ("exec", "-a -p --package -w --workspace", 0),
    ("sudo", "-u --user -g --group -h --host -p --prompt -C -D --chdir -R -T -r -t -U", 0),
    ("xargs", "-I -E -L -n -P -s -d -a --arg-file --delimiter --max-args --max-lines --max-procs", 0),
    ("npx", "-p --package -w --workspace", 0),
    ("bunx", "-p --package", 0),
    ("npm", "--prefix -w --workspace", 0),
    ("pnpm", "-C --dir --filter", 0),
    ("yarn", "--cwd", 0),
    ("bun", "--cwd", 0),
    ("dlx", "-p --package", 0),
    ("run", "", 0),
    ("x", "-p --package", 0),
    ("node", "-r --require --import --loader --env-file -C --conditions", 0),
];

/// A step that would be advanced or committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Advance {
    pub(super) step: Step,
    /// Where the command is run.
    pub(super) dir: Rc<Path>,
    /// The project that it names.
    pub(super) project: Option<PathBuf>,
}

/// Those of a text for a shell.
pub(super) fn of_text(text: &str, place: &Place<'_>) -> Vec<Advance> {
    let mut found = Vec::new();
    read_text(text, place, DEPTH, &mut found);
    found
}

/// Those of a command in words.
pub(super) fn of_words(words: &[String], place: &Place<'_>) -> Vec<Advance> {
    let mut found = Vec::new();
    read_words(words, place, DEPTH, &mut found);
    found
}

fn read_text(text: &str, place: &Place<'_>, depth: usize, found: &mut Vec<Advance>) {
    // Most commands are about something else, however their words are quoted.
    let bare = text.replace(['\'', '"', '\\'], "");
    if depth == 0 || !bare.contains("novel") || !["advance", "commit"].iter().any(|it| bare.contains(it)) {
        return;
    }
    let home = place.home;
    commands(text, place, &mut |words, dir| {
        read_words(words, &Place { dir: Rc::clone(dir), home }, depth - 1, found);
    });
}

fn read_words(words: &[String], place: &Place<'_>, depth: usize, found: &mut Vec<Advance>) {
    let words = handed_on(words);
    let Some((program, arguments)) = words.split_first() else { return };
    if is_novel(program) {
        found.extend(advance(arguments, place));
        return;
    }
    let script = match program_name(program) {
        "eval" => Some(arguments.join(" ")),
        shell if SHELLS.contains(&shell) => script(arguments).map(str::to_owned),
        _ => None,
    };
    if let Some(script) = script {
        read_text(&script, place, depth, found);
    }
}

/// A command without what only hands it on.
fn handed_on(mut words: &[String]) -> &[String] {
    while let Some((first, rest)) = words.split_first() {
        let name = program_name(first);
        if is_assignment(first) {
            words = rest;
            continue;
        }
        let Some((_, valued, operands)) = RUNNERS.iter().find(|(known, ..)| *known == name) else { break };
        let is_asked = name == "command" && rest.first().is_some_and(|word| ["-v", "-V"].contains(&&**word));
        let behind = if is_asked { None } else { behind_options(rest, valued).get(*operands..) };
        words = behind.unwrap_or_default();
    }
    words
}

/// The words behind the options of a command.
fn behind_options<'w>(mut words: &'w [String], valued: &str) -> &'w [String] {
    while let Some((option, rest)) = words.split_first().filter(|(word, _)| word.starts_with('-')) {
        // Of letters in one word the last may take a value.
        let last = option.chars().last().filter(|_| !option.starts_with("--"));
        let takes_value = valued.split(' ').any(|known| {
            known == option
                || last.is_some_and(|last| known.strip_prefix('-') == Some(last.encode_utf8(&mut [0; 4])))
        });
        words = rest.get(usize::from(takes_value)..).unwrap_or_default();
        if option == "--" {
            break;
        }
    }
    words
}

/// The text that a shell is given to run.
fn script(arguments: &[String]) -> Option<&str> {
    let mut is_command = false;
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let Some(letters) = word.strip_prefix(['-', '+']) else { return is_command.then_some(word) };
        is_command |= !letters.starts_with('-') && letters.contains('c');
        if letters.ends_with(['o', 'O']) || ["-rcfile", "-init-file"].contains(&letters) {
            words.next();
        }
    }
    None
}

fn is_novel(program: &str) -> bool {
    let name = program_name(program).split('@').next().unwrap_or_default();
    let is_script =
        program.strip_suffix(SCRIPT).is_some_and(|dir| dir.is_empty() || dir.ends_with(is_separator));
    PROGRAMS.contains(&name) || is_script
}

/// What a call with these arguments advances: options stand anywhere, those of a command behind its name.
fn advance(arguments: &[String], place: &Place<'_>) -> Option<Advance> {
    let (mut operands, mut project, mut chapter, mut volume) = (Vec::new(), None, None, None);
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let (name, own) = word.split_once('=').filter(|_| word.starts_with("--")).unzip();
        let value = match name.unwrap_or(word) {
            "--project" => &mut project,
            "--chapter" if operands == ["commit"] => &mut chapter,
            "--volume" if operands == ["commit"] => &mut volume,
            "--json" if own.is_none() => continue,
            "--" => {
                operands.extend(words);
                break;
            }
            // A dry run, a call for help, or one that is refused.
            _ if word.len() > 1 && word.starts_with('-') => return None,
            _ => {
                operands.push(word);
                continue;
            }
        };
        *value = Some(own.or_else(|| words.next())?);
    }
    let step = match (operands.as_slice(), chapter, volume) {
        (["advance", step], None, None) => Step::parse(step).filter(is_advanced)?,
        (["commit"], Some(chapter), None) => Step::parse(&format!("{CHAPTER}:{}:commit", number(chapter)?))?,
        (["commit"], None, Some(volume)) => number(volume).and_then(|_| Step::parse("volume:commit"))?,
        _ => return None,
    };
    if project.is_some_and(|project| project.split(['/', '\\']).any(|part| part == "..")) {
        return None;
    }
    // Where a hole leads cannot be told: most likely nowhere else.
    let project = project.filter(|project| !project.is_empty() && !project.contains(HOLE));
    let project = project.map(|project| named_from(&place.dir, place.home, project));
    Some(Advance { step, dir: Rc::clone(&place.dir), project })
}

/// Whether `advance` takes a step.
fn is_advanced(step: &Step) -> bool {
    step.stage != "commit" && (step.kind != CHAPTER || step.stage != "review")
}

/// A number as JavaScript finds it at the beginning of a text.
fn number(text: &str) -> Option<u64> {
    let text = trim_js(text);
    let text = text.strip_prefix('+').unwrap_or(text);
    chapter_number(&text[..text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len()])
}

#[cfg(test)]
mod tests;
