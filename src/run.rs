//! From the command line to an exit code: reads the arguments, chooses the language and calls one command.

use crate::cli::{self, Cli, ColorChoice, Command, Global, LangChoice};
use crate::command::{self, Session};
use crate::console::theme::Theme;
use crate::environment::Environment;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::processes;
use crate::store::{SystemClock, config};
use crate::text::{Lang, Safe, say};
use clap::error::ContextValue;
use clap::{FromArgMatches, Parser, ValueEnum};
use std::ffi::OsString;
use std::io;
use std::sync::Arc;

mod console;
mod theme;

/// Runs the program on the process's own streams.
pub fn run(arguments: &[OsString], environment: &Environment) -> ExitCode {
    processes::outlive_size_limit();
    let themes = || Theme::names().map(str::to_owned).collect();
    if command::about::complete(arguments, environment, themes) {
        return ExitCode::Done;
    }
    let parsed = parse(arguments, environment);
    // The console has the terminal for itself, so nothing may hold the streams.
    let shown = match &parsed {
        Ok(Cli { global, command: None }) => Some(console::open(global, environment, None)),
        Ok(Cli { global, command: Some(Command::Console(arguments)) }) => {
            Some(console::open(global, environment, arguments.packet.as_deref()))
        }
        Ok(Cli { global, command: Some(Command::Demo) }) => Some(console::demo(global, environment)),
        _ => None,
    };
    // A thread that panics must be able to say so on standard error.
    let (mut input, mut out, mut err) = (io::stdin().lock(), io::stdout().lock(), io::stderr());
    let streams = command::Streams { input: &mut input, out: &mut out, err: &mut err };
    match (shown, parsed) {
        (Some(Ok(code)), _) => ExitCode::from_number(code),
        (Some(Err(error)), Ok(cli)) => session(cli.global, environment, streams).conclude(Err(error)),
        (_, parsed) => on_streams(arguments, parsed, environment, streams),
    }
}

/// Runs the program on any streams. What needs a terminal says so.
pub fn run_on(arguments: &[OsString], environment: &Environment, streams: command::Streams<'_>) -> ExitCode {
    on_streams(arguments, parse(arguments, environment), environment, streams)
}

fn parse(arguments: &[OsString], environment: &Environment) -> Result<Cli, clap::Error> {
    // Only help and errors need the examples and the language of the whole command line.
    if let Ok(cli) = Cli::try_parse_from(arguments) {
        return Ok(cli);
    }
    let lang = early_lang(arguments).lang(&environment.locale);
    let matches = cli::command(lang).try_get_matches_from(arguments)?;
    Cli::from_arg_matches(&matches)
}

fn on_streams(
    arguments: &[OsString],
    parsed: Result<Cli, clap::Error>,
    environment: &Environment,
    streams: command::Streams<'_>,
) -> ExitCode {
    match parsed {
        Ok(cli) => {
            let mut session = session(cli.global, environment, streams);
            warn_of_config(&mut session, cli.command.as_ref());
            let outcome = dispatch(&mut session, cli.command.as_ref());
            session.conclude(outcome)
        }
        Err(error) => {
            let color = early_value(arguments, "--color");
            let color = color.and_then(|value| ColorChoice::from_str(value, false).ok()).unwrap_or_default();
            let lang = early_lang(arguments);
            let global = Global { lang, color, json: wants_json(arguments), ..Global::default() };
            refuse(error, arguments, &mut session(global, environment, streams))
        }
    }
}

fn session<'s>(global: Global, environment: &Environment, streams: command::Streams<'s>) -> Session<'s> {
    let lang = global.lang.lang(&environment.locale);
    let environment = environment.clone();
    let clock = Arc::new(SystemClock(environment.zone.clone()));
    Session { global, lang, environment, clock, streams, closed: false, states: Arc::default() }
}

fn dispatch(session: &mut Session<'_>, command: Option<&Command>) -> Result<ExitCode, Error> {
    match command {
        Some(Command::Check(arguments)) => command::check::run(session, arguments),
        Some(Command::Show(arguments)) => command::show::run(session, arguments),
        Some(Command::Attach(arguments)) => command::attach::run(session, arguments),
        Some(Command::Propose(arguments)) => command::propose::run(session, arguments),
        Some(Command::Decisions(arguments)) => command::decisions::run(session, arguments),
        Some(Command::Questions(arguments)) => command::questions::run(session, arguments),
        Some(Command::Answer(arguments)) => command::answer::run(session, arguments),
        Some(Command::Redo(arguments)) => command::redo::run(session, arguments),
        Some(Command::History(arguments)) => command::history::run(session, arguments),
        Some(Command::List(arguments)) => command::list::run(session, arguments),
        Some(Command::Wait(arguments)) => command::wait::run(session, arguments),
        Some(Command::Lint(arguments)) => command::lint::run(session, arguments),
        Some(Command::Schema(arguments)) => command::schema::run(session, arguments),
        Some(Command::Next(arguments)) => command::next::run(session, arguments),
        Some(Command::Compile(arguments)) => command::compile::run(session, arguments),
        Some(Command::Plan(arguments)) => command::plan::run(session, arguments),
        Some(Command::Skill) => command::skill::run(session),
        Some(Command::Hook(arguments)) => command::hook::run(session, *arguments),
        Some(Command::Mcp) => command::mcp::run(session),
        Some(Command::Init(arguments)) => command::init::run(session, arguments),
        Some(Command::Doctor) => command::doctor::run(session),
        Some(Command::Keys) => console::keys(session),
        Some(Command::Themes(arguments)) => theme::themes(session, arguments),
        Some(Command::Paths) => command::about::paths(session),
        Some(Command::Completions(arguments)) => command::about::completions(session, arguments),
        Some(Command::Man) => command::about::man(session),
        _ => Err(Error::new(
            ExitCode::Usage,
            "no-terminal",
            say("This needs a terminal.", "此命令需要终端。"),
            &[],
        )),
    }
}

/// Says that the settings file that the author names cannot be read. Commands that use the settings say it themselves, `paths` names
/// places whether they are there or not, and the others do not fail for it.
fn warn_of_config(session: &mut Session<'_>, command: Option<&Command>) {
    use Command::{Console, Demo, Keys, Paths, Themes};
    let is_said = command.is_none_or(|it| matches!(it, Console(_) | Demo | Keys | Paths | Themes(_)));
    let Some(path) = session.global.config.as_deref().filter(|_| !is_said) else { return };
    let troubles = match config::read(Some(path), None) {
        Ok((_, problems)) => {
            let unread = problems.iter().filter(|problem| problem.is_unread());
            unread.map(|problem| problem.text(session.lang)).collect()
        }
        Err(error) => vec![error.text(session.lang)],
    };
    if !troubles.is_empty() {
        session.warn(&troubles);
    }
}

fn early_lang(arguments: &[OsString]) -> LangChoice {
    let value = early_value(arguments, "--lang");
    value.and_then(|value| LangChoice::from_str(value, true).ok()).unwrap_or_default()
}

/// The value of a flag, wherever it stands, of arguments that cannot be read as a whole.
fn early_value<'a>(arguments: &'a [OsString], flag: &str) -> Option<&'a str> {
    let words: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    words.iter().enumerate().find_map(|(i, word)| match word.strip_prefix(flag) {
        Some("") => words.get(i + 1).copied(),
        Some(rest) => rest.strip_prefix('='),
        None => None,
    })
}

/// The first argument that is the name of a command.
fn command_of(arguments: &[OsString]) -> Option<&OsString> {
    let whole = cli::command(Lang::En);
    let named = |argument: &&OsString| whole.get_subcommands().any(|command| *argument == command.get_name());
    arguments.iter().skip(1).find(named)
}

/// Whether the answer is one JSON object: asked for, or the only way a command speaks.
fn wants_json(arguments: &[OsString]) -> bool {
    let speaks_json = |command: &OsString| ["next", "compile", "plan"].iter().any(|name| command == name);
    command_of(arguments).is_some_and(speaks_json) || arguments.iter().any(|argument| argument == "--json")
}

/// What a usage error ends with. From an executor's hook, the usual code would mean that the call is forbidden.
fn usage_kind(arguments: &[OsString]) -> ExitCode {
    let is_hook = command_of(arguments).is_some_and(|command| command == "hook");
    if is_hook { ExitCode::Failed } else { ExitCode::Usage }
}

/// Help and version go to standard output; a usage error to standard error, or as JSON to standard output.
fn refuse(mut error: clap::Error, arguments: &[OsString], session: &mut Session<'_>) -> ExitCode {
    let text = error.render().to_string();
    if !error.use_stderr() {
        let printed = session.exact(text.as_bytes());
        return session.conclude(printed.map(|()| ExitCode::Done));
    }
    let kind = usage_kind(arguments);
    if session.global.json || session.lang != Lang::En {
        return session.conclude(Err(usage(&error, kind, &text)));
    }
    // Colours cannot be told from what an argument does.
    let is_plain = |argument: &OsString| Safe::line(&argument.to_string_lossy()).as_str() == argument;
    let text = if session.paints_errors() && arguments.iter().all(is_plain) {
        error.render().ansi().to_string()
    } else {
        clean(&mut error);
        command::harmless(error.render().to_string().lines())
    };
    let _ = session.streams.err.write_all(text.as_bytes());
    kind
}

/// Makes the arguments that an error quotes harmless and visible.
fn clean(error: &mut clap::Error) {
    let clean = |text: &String| Safe::line(text).into_string();
    let cleaned = error.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) => Some((kind, ContextValue::String(clean(text)))),
        ContextValue::Strings(texts) => {
            Some((kind, ContextValue::Strings(texts.iter().map(clean).collect())))
        }
        _ => None,
    });
    for (kind, value) in cleaned.collect::<Vec<_>>() {
        error.insert(kind, value);
    }
}

/// The error, as it is said in JSON and in Chinese.
fn usage(error: &clap::Error, kind: ExitCode, text: &str) -> Error {
    // What is missing, or what would be legal, stands indented below the first line.
    let mut lines = text.lines().take_while(|line| !line.is_empty()).map(str::trim);
    let first = lines.next().unwrap_or_default().trim_start_matches("error: ");
    let first = format!("{first} {}", lines.collect::<Vec<_>>().join(", "));
    let first = first.trim_end().trim_end_matches('.');
    let sentence = say("The command line is not understood: {0}.", "无法理解命令行：{1}。");
    let usage = Error::new(kind, "usage", sentence, &[first, &cli::chinese::usage(error)]);
    let usage = match cli::meant(error) {
        Some(meant) => {
            usage.hint(say("Did you mean {0}? See --help.", "是否指 {0}？参见 --help。"), &[&meant])
        }
        None => usage.hint(say("See --help.", "参见 --help。"), &[]),
    };
    Error { at: cli::culprit(error).map(String::into_boxed_str), ..usage }
}
