//! The command line: its types and every help line; the Chinese ones in `chinese`.
//!
//! Responsible for what may be typed. Not responsible for doing it (`command`, `console`).

#![allow(clippy::doc_markdown, reason = "help lines are shown as they stand")]

use crate::text::Lang;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

mod adapters;
pub mod chinese;
pub mod examples;
mod history;
mod shell;
pub mod usage;
mod wiring;

pub use history::{History, When};
pub use shell::{Completions, Shell, Themes};

pub use adapters::{
    Compile, ExecutorName, Limits, Lint, Next, Plan, PolicyName, Schema, SchemaName, Skill, SkillName,
    TargetName,
};
pub use wiring::{Hook, HookName, Init};

/// Answer the questions that hold up a novel's steps.
#[derive(Debug, Parser)]
#[command(name = "novel-gate", version, max_term_width = 100)]
#[command(disable_help_subcommand = true)]
pub struct Cli {
    /// Flags of every command.
    #[command(flatten)]
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
    /// Where drafts and history are kept [default: $XDG_STATE_HOME/novel-gate]
    #[arg(long, global = true, value_name = "DIR")]
    pub state_dir: Option<PathBuf>,
    /// Settings to use [default: $XDG_CONFIG_HOME/novel-gate/config.toml]
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

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Answer gates in the full-screen console (the default)
    Console(Console),
    /// Try the console on a throw-away sample project
    Demo,
    /// List every gate with its state
    List(List),
    /// Show one gate: questions, record, problems, expected outputs
    Show(OnePacket),
    /// Give the verdict on one gate: exit 0 open, 3 waiting, 4 blocked, 5 malformed
    Check(OnePacket),
    /// Sleep until gates are open
    Wait(Wait),
    /// Answer a gate without the console
    Answer(Answer),
    /// Remove a record into history, so that its gate waits again
    Redo(Redo),
    /// Show what was asked and answered, by whom and when; compare, restore, export or erase it
    History(Box<History>),
    /// Find every problem in packets, QuestionSpecs, records and Canonical Prompt documents
    Lint(Lint),
    /// Print the JSON Schema of a format
    Schema(Schema),
    /// Ask a gate through an executor's own dialogs: print the next call, take the reply, write the record
    Next(Box<Next>),
    /// Print how a gate is asked by an executor, without asking
    Compile(Compile),
    /// Show gates, or an executor's tasks, as the plan that an executor is to show
    Plan(Plan),
    /// Print what an executor must know to ask a gate's questions
    Skill(Skill),
    /// Be an executor's hook: show its questions in the console, keep it from spoiling records
    Hook(Hook),
    /// Show what wires this program into a project's executors; --write writes it
    Init(Init),
    /// Show every key of the console
    Keys,
    /// List the themes, or print the text of one
    Themes(Themes),
    /// Print the version, every path in use and what else a bug report needs
    Paths,
    /// Print a shell's script that completes commands, flags and packets
    Completions(Completions),
    /// Print the manual page
    Man,
}

/// `console`
#[derive(Args, Debug, Default)]
pub struct Console {
    /// Open this gate's form at once
    #[arg(value_name = "PACKET")]
    pub packet: Option<PathBuf>,
}

/// One packet.
#[derive(Args, Debug)]
pub struct OnePacket {
    /// A path, a file name without its ending, or a step id
    #[arg(value_name = "PACKET")]
    pub packet: PathBuf,
}

/// `list`
#[derive(Args, Debug, Default)]
pub struct List {
    /// Only these states
    #[arg(long, value_enum, value_name = "STATUS", value_delimiter = ',')]
    pub status: Vec<StatusName>,
    /// Packets without a gate too
    #[arg(long)]
    pub all: bool,
    /// Stay, and print a line for every change
    #[arg(long)]
    pub watch: bool,
}

/// A state as `list --status` spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatusName {
    /// Has a valid record, or no gate.
    #[value(aliases = ["answered"])]
    Open,
    /// Has no record.
    Waiting,
    /// Has an invalid record.
    Blocked,
    /// Cannot be used.
    Malformed,
}

/// `wait`
#[derive(Args, Debug)]
pub struct Wait {
    /// Paths, file names without their ending, or step ids
    #[arg(value_name = "PACKET", required = true)]
    pub packets: Vec<PathBuf>,
    /// Give up after this long: 500ms, 90, 90s, 5m, 2h
    #[arg(long, value_name = "D", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Until one is open, instead of all
    #[arg(long)]
    pub any: bool,
}

/// `answer`
#[derive(Args, Debug)]
pub struct Answer {
    /// A path, a file name without its ending, or a step id
    #[arg(value_name = "PACKET")]
    pub packet: PathBuf,
    /// A JSON file with an `answers` object; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// One answer, exactly as given; repeat for several entries; overrides --from
    #[arg(long = "set", value_name = "ID=VALUE")]
    pub set: Vec<String>,
    /// Take the default of every question not answered otherwise
    #[arg(long)]
    pub defaults: bool,
    /// A note on the answer to a question, kept in the record; repeat for several
    #[arg(long = "note", value_name = "ID=TEXT")]
    pub notes: Vec<String>,
    /// Who answers (or --answered-by); needed off a terminal
    #[arg(long, alias = "answered-by", value_name = "NAME")]
    pub by: Option<String>,
    /// Move the record that is there to history first; with SHA256, only if it is that one
    #[arg(long, value_name = "SHA256", num_args = 0..=1, require_equals = true, default_missing_value = ANY_RECORD, value_parser = seen)]
    pub replace: Option<String>,
    /// Check the answers and print the record, but write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `redo`
#[derive(Args, Debug)]
pub struct Redo {
    /// A packet, or the record itself
    #[arg(value_name = "PACKET|RECORD")]
    pub target: PathBuf,
    /// Put the record that was removed last back, byte for byte
    #[arg(long)]
    pub undo: bool,
}

impl Answer {
    /// Whether no answers are given.
    pub fn is_empty(&self) -> bool {
        self.from.is_none() && self.set.is_empty() && !self.defaults
    }
}

/// What `--replace` without a hash stands for.
const ANY_RECORD: &str = "*";

/// Reads the hash of the record that was looked at; empty if any may be replaced. A hash that is written out and empty,
/// as from a variable that was never set, is not that.
///
/// # Errors
/// It is no hash.
pub fn seen(text: &str) -> Result<String, String> {
    let is_hash = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match text {
        ANY_RECORD => Ok(String::new()),
        _ if is_hash => Ok(text.to_ascii_lowercase()),
        _ => Err("expected 64 hexadecimal digits, the sha256 of the record that was looked at".to_owned()),
    }
}

/// Reads `500ms`, `90`, `90s`, `5m`, `2h`.
///
/// # Errors
/// It is none of these.
pub fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let millis = match unit {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return Err("expected a number with ms, s, m or h, such as 90s".to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| "expected a number first, such as 90s".to_owned())?;
    number.checked_mul(millis).map(Duration::from_millis).ok_or_else(|| "too long".to_owned())
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

/// The command line with its help in a language.
pub fn command(lang: Lang) -> clap::Command {
    let command = examples::append(<Cli as clap::CommandFactory>::command(), lang);
    match lang {
        Lang::En => command,
        Lang::ZhCn => chinese::help(command),
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
        assert_eq!(names.len(), 22, "no subcommand of the library's own");
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
            ("novel-gate --json --json", "--json 只能给出一次"),
            ("novel-gate answer p --dry-run=1", "--dry-run 不接受值 1"),
            ("novel-gate history --compare a", "--compare <A> <B> 需要 2 个值，而不是 1 个"),
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
    fn durations_carry_units() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("2h"), Ok(Duration::from_hours(2)));
        for bad in ["", "s", "-1", "1d", "1.5s", "99999999999999999999"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }
}
