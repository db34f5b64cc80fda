//! The command line: what may be typed, with every help line; the Chinese ones are in `chinese`.

#![allow(clippy::doc_markdown, reason = "help lines are shown as they stand")]

use crate::text::Lang;
use clap::error::{ContextKind, ContextValue};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

pub mod chinese;
pub mod examples;
mod executors;
mod gates;
mod questions;

pub use executors::{
    ClientName, CompileArgs, CompletionsArgs, HookArgs, InitArgs, Limits, LintArgs, NextArgs, PlanArgs,
    SchemaArgs, TargetName, ThemesArgs,
};
pub use gates::{
    AnswerArgs, ConsoleArgs, HistoryArgs, ListArgs, PacketArgs, ProposeArgs, RedoArgs, StatusName, WaitArgs,
    When,
};
pub use questions::{QuestionsAction, QuestionsArgs};

/// The version and where the program comes from: a release says commit and day, set when it is built.
pub const VERSION: &str = match option_env!("NOVEL_GATE_VERSION") {
    Some(version) => version,
    None if cfg!(debug_assertions) => concat!(env!("CARGO_PKG_VERSION"), " (built from source, debug)"),
    None => concat!(env!("CARGO_PKG_VERSION"), " (built from source)"),
};

/// Answer the questions that the next steps of a novel wait for.
#[derive(Debug, Parser)]
#[command(name = "novel-gate", bin_name = "novel-gate", version = VERSION, max_term_width = 100)]
#[command(disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten, next_display_order = 100)]
    pub global: Global,
    /// What to do; the console if nothing is named.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Flags that stand before or after the command.
#[derive(Args, Clone, Debug, Default)]
pub struct Global {
    /// The novel's directory [default: nearest with .checkpoint.json, else with staging/]
    #[arg(long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Where drafts and history are kept [default: see novel-gate paths]
    #[arg(long, global = true, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// Settings to use [default: see novel-gate paths]
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Language
    #[arg(long, global = true, value_enum, value_name = "LANG", default_value = "auto")]
    pub lang: LangChoice,
    /// Theme of the console: a name or a file
    #[arg(long, global = true, value_name = "NAME|PATH")]
    pub theme: Option<String>,
    /// Colour
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
    /// Print one JSON object
    #[arg(long, global = true)]
    pub json: bool,
}

/// Which language to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LangChoice {
    /// What `LC_ALL`, `LC_MESSAGES` and `LANG` say.
    #[default]
    Auto,
    /// English.
    En,
    /// Simplified Chinese.
    #[value(name = "zh-CN", aliases = ["zh", "zh-cn"])]
    ZhCn,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands. Only the one that is named builds its flags; their structs say nothing of themselves, because that
/// would replace what is said here.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Answer gates in the full-screen console (the default)
    Console(ConsoleArgs),
    /// Try the console on a throw-away sample project
    Demo,
    /// List every gate with its state
    List(ListArgs),
    /// Show one gate: questions, record, problems, expected outputs
    Show(PacketArgs),
    /// Give the verdict on one gate: exit 0 open, 3 waiting, 4 blocked, 5 malformed
    Check(PacketArgs),
    /// Put the standing question into a packet that is to be asked before its step
    Attach(PacketArgs),
    /// Propose options to a question that wants them from its executor
    Propose(ProposeArgs),
    /// Print what the agent of a step is to be told of the author's decisions
    Decisions(PacketArgs),
    /// List what is asked before which steps of the whole book; add, switch, remove, preview such questions
    Questions(QuestionsArgs),
    /// Sleep until gates are open, then print their records
    Wait(WaitArgs),
    /// Answer a gate without the console
    Answer(AnswerArgs),
    /// Move a record to the history, so that its gate waits again
    Redo(RedoArgs),
    /// Show what was asked and answered, by whom and when; restore, export or erase it
    History(Box<HistoryArgs>),
    /// Find every problem in packets, QuestionSpecs, records and Canonical Prompt documents
    Lint(LintArgs),
    /// Print the JSON Schema of a format
    Schema(SchemaArgs),
    /// Ask a gate through an executor's own dialogs: print the next call, take the reply, write the record
    Next(Box<NextArgs>),
    /// Print how a gate is asked by an executor, without asking
    Compile(CompileArgs),
    /// Turn gates, or an executor's tasks, into the input of its plan tool
    Plan(PlanArgs),
    /// Print what an executor must know to ask a gate's questions
    Skill,
    /// Serve as an executor's hook: bring its questions to the console, hold back agents and records
    Hook(HookArgs),
    /// Serve MCP clients on standard input and output: bring their questions to the console
    Mcp,
    /// Show what wires this program into a project's executors; --write writes it
    Init(InitArgs),
    /// Say whether the executors are connected, and what stands in the way: exit 3 if anything does
    Doctor,
    /// Show every key of the console
    Keys,
    /// List the themes, or print the text of one
    Themes(ThemesArgs),
    /// Print where project, state, settings and themes are
    Paths,
    /// Print a shell's script that completes commands, flags and packets
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

impl LangChoice {
    /// The language, given the locale that the environment names.
    pub fn lang(self, locale: &str) -> Lang {
        match self {
            LangChoice::Auto => Lang::from_locale(locale),
            LangChoice::En => Lang::En,
            LangChoice::ZhCn => Lang::ZhCn,
        }
    }
}

impl ColorChoice {
    /// Whether to paint what goes to a stream; the flag wins over `NO_COLOR`.
    pub fn paints(self, is_terminal: bool, no_color: bool) -> bool {
        match self {
            ColorChoice::Auto => is_terminal && !no_color,
            ColorChoice::Always => true,
            ColorChoice::Never => false,
        }
    }
}

/// The whole command line with its help in a language.
pub fn command(lang: Lang) -> clap::Command {
    let mut built = <Cli as clap::CommandFactory>::command();
    built.build();
    let whole = |sub: clap::Command| match built.find_subcommand(sub.get_name()) {
        Some(built) => {
            let own = |arg: &&clap::Arg| !arg.is_global_set() && arg.get_id() != "help";
            let args = built.get_arguments().filter(own).cloned();
            sub.defer(|sub| sub).args(args).groups(built.get_groups().cloned())
        }
        None => sub,
    };
    let command = <Cli as clap::CommandFactory>::command().mut_subcommands(whole);
    let command = examples::append(command, lang);
    let command = match lang {
        Lang::En => command,
        Lang::ZhCn => chinese::help(command),
    };
    // The demo has a project and a state directory of its own, and prints nothing.
    let unused = |arg: &&clap::Arg| matches!(arg.get_id().as_str(), "project" | "state_dir" | "json");
    let unused: Vec<_> = command.get_arguments().filter(unused).map(|arg| arg.clone().hide(true)).collect();
    command.mut_subcommand("demo", |demo| demo.args(unused))
}

/// The argument that is wrong, without the name of its value: `--lang`, `<PACKET>`, `lsit`.
pub fn culprit(error: &clap::Error) -> Option<String> {
    let whole = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
    let whole = whole.into_iter().find_map(|kind| best(error, kind))?;
    let word = whole.split(' ').next().unwrap_or_default();
    // A flag whose value may be left out is named as --replace[=<SHA256>].
    let word = word.split_once("[=").map_or(word, |(flag, _)| flag);
    Some(word.split('=').next().unwrap_or_default().trim_end_matches("...").to_owned())
}

/// What was probably meant: commands, flags or values.
pub fn meant(error: &clap::Error) -> Option<String> {
    let kinds = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    kinds.into_iter().find_map(|kind| best(error, kind))
}

fn best(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        // The library puts the closest one last.
        ContextValue::Strings(texts) => texts.last().cloned(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_command_line_is_sound_in_both_languages() {
        command(Lang::En).debug_assert();
        command(Lang::ZhCn).debug_assert();
    }

    #[test]
    fn every_help_line_has_a_chinese_one() {
        let english = command(Lang::En);
        let chinese = command(Lang::ZhCn);
        let lines = |command: &clap::Command| -> BTreeMap<String, String> {
            let args = |name: &str, command: &clap::Command| -> Vec<(String, String)> {
                let args = command.get_arguments();
                args.map(|arg| (format!("{name} {}", arg.get_id()), format!("{:?}", arg.get_help())))
                    .collect()
            };
            let subs = command.get_subcommands().flat_map(|sub| {
                let about = (sub.get_name().to_owned(), format!("{:?}", sub.get_about()));
                std::iter::once(about).chain(args(sub.get_name(), sub)).collect::<Vec<_>>()
            });
            args("", command).into_iter().chain(subs).collect()
        };
        let chinese = lines(&chinese);
        for (name, line) in lines(&english) {
            assert_ne!(chinese.get(&name), Some(&line), "{name}");
            assert!(chinese.contains_key(&name), "{name}");
        }
    }

    #[test]
    fn chinese_help_has_no_english_headings() {
        let mut command = command(Lang::ZhCn);
        command.build();
        let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
        assert_eq!(names.len(), 28, "no subcommand of the library's own");
        let mut helps = vec![command.render_long_help().to_string()];
        for name in &names {
            helps.extend(command.find_subcommand_mut(name).map(|sub| sub.render_long_help().to_string()));
        }
        for help in helps {
            for english in [
                "Usage",
                "Commands",
                "Arguments:",
                "Options:",
                "Print",
                "ossible values",
                "default:",
                "alias",
            ] {
                assert!(!help.contains(english), "{english}: {help}");
            }
        }
    }

    #[test]
    fn what_a_command_takes_stands_before_what_every_command_takes() {
        for lang in [Lang::En, Lang::ZhCn] {
            let mut command = command(lang);
            command.build();
            for sub in command.get_subcommands_mut() {
                let help = sub.render_long_help().to_string();
                let flags = help.lines().filter_map(|line| line.trim_start().strip_prefix("--"));
                // The demo neither takes a project nor prints.
                let (first, count) = if sub.get_name() == "demo" { ("config ", 4) } else { ("project ", 7) };
                let behind: Vec<&str> = flags.skip_while(|flag| !flag.starts_with(first)).collect();
                assert_eq!(behind.len(), count, "{help}");
            }
        }
    }

    #[test]
    fn usage_errors_are_said_in_chinese() {
        for (line, words) in [
            ("novel-gate nonsense", "没有命令 nonsense"),
            ("novel-gate list --nonsense", "没有参数 --nonsense"),
            ("novel-gate check", "缺少参数 <PACKET>"),
            ("novel-gate --lang", "--lang <LANG> 需要一个值"),
            ("novel-gate --lang fr list", "--lang <LANG> 的值 fr 不可用；可用的有 auto, en, zh-CN"),
            (
                "novel-gate wait p --timeout 5x",
                "--timeout <D> 的值 5x 不可用；应为一个数，可带 ms、s、m 或 h，例如 90s",
            ),
            ("novel-gate wait --test --any", "--test 不能与 --any 同时给出"),
            ("novel-gate --json --json", "--json 只能给出一次"),
            ("novel-gate answer p --dry-run=1", "--dry-run 不接受值 1"),
            (
                "novel-gate answer p --replace=0",
                "--replace[=<SHA256>] 的值 0 不可用；应为所看到的记录的 sha256，64 个十六进制数字",
            ),
            (
                "novel-gate history --since soon",
                "--since <D> 的值 soon 不可用；应为一天（如 2026-02-27）、带时区的时刻，或多久以前（7d、12h、30m）",
            ),
        ] {
            let error = command(Lang::ZhCn).try_get_matches_from(line.split(' ')).expect_err(line);
            assert_eq!(chinese::usage(&error), words);
        }
    }

    #[test]
    fn global_flags_stand_before_and_after_the_command() {
        for line in ["novel-gate --json check p", "novel-gate check p --json"] {
            let cli = Cli::try_parse_from(line.split(' ')).expect("legal");
            assert!(cli.global.json && matches!(cli.command, Some(Command::Check(_))));
        }
    }

    #[test]
    fn the_wrong_argument_is_named_and_the_one_that_was_meant() {
        for (line, at, other) in [
            ("novel-gate lsit", Some("lsit"), Some("list")),
            ("novel-gate list --stauts waiting", Some("--stauts"), Some("--status")),
            ("novel-gate list --lang fr", Some("--lang"), None),
            ("novel-gate list --status wating", Some("--status"), Some("waiting")),
            ("novel-gate check", Some("<PACKET>"), None),
            ("novel-gate wait", Some("<PACKET>"), None),
            ("novel-gate answer a --dry-run=yes", Some("--dry-run"), None),
            ("novel-gate answer a --replace x", Some("x"), None),
            ("novel-gate answer a --replace=x", Some("--replace"), None),
            ("novel-gate history --restore a --replace=", Some("--replace"), None),
        ] {
            let error = command(Lang::En).try_get_matches_from(line.split(' ')).expect_err(line);
            assert_eq!(culprit(&error).as_deref(), at, "{line}");
            assert_eq!(meant(&error).as_deref(), other, "{line}");
        }
    }
}
