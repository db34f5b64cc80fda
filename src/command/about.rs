//! What the program says of itself: `keys`, `paths`, `completions`, `man`.

use super::Session;
use super::output::{Head, Output, TextOutput, form};
use crate::cli::{self, CompletionsArgs, examples};
use crate::environment::Environment;
use crate::error::Error;
use crate::exit::{ExitCode, MEANINGS};
use crate::platform::paths::Shown as _;
use crate::store::{Project, SystemClock, clock::Clock as _, config, scan};
use crate::text::shell::is_plain;
use crate::text::width::{cells, pad};
use crate::text::{Lang, Safe, say};
use clap::builder::ValueHint;
use clap::{Arg, Command};
use clap_complete::engine::ValueCompleter as _;
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter};
use clap_complete::env::{CompleteEnv, Shells};
use clap_mangen::Man;
use clap_mangen::roff::{Inline, Roff, bold, italic, roman};
use schemars::JsonSchema;
use serde::Serialize;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) const KEYS_OUTPUT: Output = Output::new(
    "keys-output",
    "What keys --json prints: the whole key table of the console.",
    &[form::<KeysOutput>(&["ok"], &[0], &["keys"])],
);

/// Every key of the console.
#[derive(Serialize, JsonSchema)]
struct KeysOutput<'b> {
    /// The rows, screen by screen.
    bindings: &'b [KeyBinding],
}

/// One thing that keys do on one screen.
#[derive(Serialize, JsonSchema)]
pub struct KeyBinding {
    /// The screen, or a part of it; stable.
    pub context: &'static str,
    /// What the keys do, in a word; stable.
    pub action: &'static str,
    /// The keys; the first one works with an input method on.
    pub keys: Vec<String>,
    /// What they do, in the language of --lang.
    pub description: &'static str,
    /// What people call the screen.
    #[serde(skip)]
    pub title: &'static str,
    /// What the settings call it: screen and action.
    #[serde(skip)]
    pub name: String,
    /// The keys as people are shown them.
    #[serde(skip)]
    pub shown: String,
}

/// Prints the table; the bindings of one screen stand together.
pub fn keys(session: &mut Session<'_>, bindings: &[KeyBinding]) -> Result<ExitCode, Error> {
    let head = Head::ok("keys", say("The keys of the console.", "控制台的按键。").text(session.lang));
    session.output(head, KeysOutput { bindings }, &key_lines(bindings))
}

/// Screen by screen: keys, what the settings call it, what it does; in the same columns from the first screen to the last.
fn key_lines(bindings: &[KeyBinding]) -> Vec<String> {
    let keys = bindings.iter().map(|binding| cells(&binding.shown)).max().unwrap_or_default() + 3;
    let names = bindings.iter().map(|binding| cells(&binding.name)).max().unwrap_or_default() + 3;
    let mut lines = Vec::new();
    for screen in bindings.chunk_by(|one, next| one.context == next.context) {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(screen[0].title.to_owned());
        let line = |one: &KeyBinding| {
            format!("  {}{}{}", pad(&one.shown, keys), pad(&one.name, names), one.description)
        };
        lines.extend(screen.iter().map(line));
    }
    lines
}

pub(super) const PATHS_OUTPUT: Output = Output::new(
    "paths-output",
    "What paths --json prints: where project, state, settings and themes are, whether they are there or not.",
    &[form::<PathsOutput>(&["ok"], &[0], &["paths"])],
);

/// Where novel-gate looks and writes; null where there is no such place.
#[derive(Serialize, JsonSchema)]
struct PathsOutput {
    /// The project's root.
    root: Option<String>,
    /// The directory of the project's drafts, history and locks.
    state: Option<String>,
    /// The file in it that holds drafts and history.
    database: Option<String>,
    /// The settings.
    config: Option<String>,
    /// The directory of own themes.
    themes: Option<String>,
}

/// Prints where things are. It makes nothing, and a missing project is no failure.
pub fn paths(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let (environment, lang) = (&session.environment, session.lang);
    let project = session.project().ok();
    let state = project.as_ref().and_then(|project| session.state(project).ok());
    let settings = config::default_dir(environment.xdg_config_home.clone(), environment.home.clone());
    let named = session.global.config.as_ref().map(|path| environment.cwd.join(path));
    let text = |path: &Path| path.shown().into_owned();
    let output = PathsOutput {
        root: project.as_ref().map(|project| text(project.root())),
        state: state.as_ref().map(|state| text(state.path())),
        database: state.as_ref().map(|state| text(state.database())),
        config: named.or_else(|| Some(settings.as_ref()?.join("config.toml"))).map(|path| text(&path)),
        themes: settings.map(|dir| text(&dir.join("themes"))),
    };
    let line = |name: &str, path: &Option<String>| {
        let path = path.as_deref().unwrap_or(say("none", "无").text(lang));
        say("{0}: {1}", "{0}：{1}").fill(lang, &[name, path])
    };
    let lines = [
        line(say("Project", "项目").text(lang), &output.root),
        line(say("State", "状态").text(lang), &output.state),
        line(say("Database", "数据库").text(lang), &output.database),
        line(say("Settings", "设置").text(lang), &output.config),
        line(say("Themes", "主题").text(lang), &output.themes),
    ];
    session.output(Head::ok("paths", say("Paths in use.", "正在使用的路径。").text(lang)), output, &lines)
}

pub(super) const COMPLETIONS_OUTPUT: Output = Output::new(
    "completions-output",
    "What completions --json prints: the script of a shell.",
    &[form::<TextOutput>(&["ok"], &[0], &["completions", "man"])],
);

/// The variable by which a script says that it wants a line completed.
const VARIABLE: &str = "NOVEL_GATE_COMPLETE";

/// Prints a shell's script. The library `clap_complete` writes it and, when the script calls the program, completes the line.
pub fn completions(session: &mut Session<'_>, arguments: &CompletionsArgs) -> Result<ExitCode, Error> {
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
        let themes = |sub: Command| sub.mut_arg("name", |arg| arg.add(ArgValueCandidates::new(names)));
        let complete = |arg: Arg| {
            let name = arg.get_value_names().and_then(<[_]>::first).map(clap::builder::Str::as_str);
            match name {
                Some("PACKET" | "PACKET|RECORD") => arg.add(ArgValueCompleter::new(packets.clone())),
                // The library would offer any path.
                _ if arg.get_value_hint() == ValueHint::AnyPath => {
                    arg.add(ArgValueCompleter::new(plain_paths))
                }
                _ => arg,
            }
        };
        whole
            .mut_subcommand("themes", themes)
            .mut_args(complete)
            .mut_subcommands(|sub| sub.mut_args(complete))
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
    let entries = project.map(|project| scan::look(&project, SystemClock::default().now()).entries());
    let typed = current.shown();
    let names = entries.iter().flatten().map(|entry| (entry.stem(), entry.title()));
    let fit = names.filter(|(stem, _)| stem.starts_with(&*typed) && is_plain(stem));
    // It is only shown, but a script of some shell may still read it.
    let meaning = |title: &str| {
        let meaning = Safe::line(title).into_string();
        meaning.split(|c: char| c == ' ' || !c.is_ascii()).all(is_plain).then_some(meaning)
    };
    let found: Vec<_> = fit
        .map(|(stem, title)| CompletionCandidate::new(stem).help(meaning(&title).map(Into::into)))
        .collect();
    if found.is_empty() { plain_paths(current) } else { found }
}

/// The paths that begin as what is typed. The shells put a candidate on the line as it is, and what stands there is run: a name
/// that says anything to a shell is no candidate.
fn plain_paths(current: &OsStr) -> Vec<CompletionCandidate> {
    let home = |path: &OsStr| path.as_encoded_bytes().starts_with(b"~/");
    let is_fit = |candidate: &CompletionCandidate| {
        let path = candidate.get_value();
        let below = path.to_str().filter(|_| home(path) && home(current)).and_then(|path| path.get(2..));
        below.or(path.to_str()).is_some_and(|path| path.is_empty() || is_plain(path))
    };
    PathCompleter::any().complete(current).into_iter().filter(is_fit).collect()
}

pub(super) const MAN_OUTPUT: Output = Output::new(
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
    ("COLORFGBG", "The terminal's background, for `--theme auto` in a terminal that does not tell it."),
    ("VISUAL, EDITOR", "The editor for long texts and records."),
    ("XDG_STATE_HOME, XDG_CONFIG_HOME, HOME", "Where drafts, history and settings lie."),
];

/// Prints the whole program as one manual page, in English; examples and exit codes come from their tables.
pub fn man(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    let page = manual_page();
    let head = Head::ok("man", say("The manual page.", "手册页。").text(session.lang));
    session.output_exactly(head, TextOutput { text: &page }, page.as_bytes())
}

/// The page in the language of roff.
pub fn manual_page() -> String {
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
