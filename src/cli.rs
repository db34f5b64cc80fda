//! The command line: its types and every help line; the Chinese ones in `chinese`.
//!
//! Responsible for what may be typed. Not responsible for doing it (`command`, `console`).

#![allow(clippy::doc_markdown, reason = "help lines are shown as they stand")]

use crate::text::Lang;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

pub mod chinese;
pub mod quick;

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
    /// Print the version and every path in use
    Paths,
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
    /// Who answers (or --answered-by); needed off a terminal
    #[arg(long, alias = "answered-by", value_name = "NAME")]
    pub by: Option<String>,
    /// Move the record that is there to history first; with SHA256, only if it is that one
    #[arg(long, value_name = "SHA256", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub replace: Option<String>,
    /// Check the answers and print the record, but write nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// `next`
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("said").multiple(false))]
pub struct Next {
    /// A packet, a bare QuestionSpec or a canonical prompt document; - reads standard input
    #[arg(value_name = "PACKET")]
    pub packet: PathBuf,
    /// Whose dialogs ask
    #[arg(long = "for", value_enum, value_name = "EXECUTOR")]
    pub executor: ExecutorName,
    /// The dialogue's replies so far, one JSON line each; made with the first
    #[arg(long, value_name = "FILE")]
    pub replies: PathBuf,
    /// One more reply: an object with "call" and "output", "text", "escape" or "unavailable"; - reads standard input
    #[arg(long, value_name = "JSON|-", group = "said")]
    pub reply: Option<String>,
    /// The call that --answer, --none, --text, --output, --escape or --unavailable replies to
    #[arg(long, value_name = "CALL", requires = "said", conflicts_with = "reply")]
    pub call: Option<String>,
    /// What was picked or typed, for a question by its id; repeat for several
    #[arg(long, value_name = "ID=VALUE", group = "said", requires = "call")]
    pub answer: Vec<String>,
    /// The message that came back; - reads standard input
    #[arg(long, value_name = "TEXT|-", group = "said", requires = "call", allow_hyphen_values = true)]
    pub text: Option<String>,
    /// The tool's output as JSON, as it came; - reads standard input
    #[arg(long, value_name = "JSON|-", group = "said", requires = "call")]
    pub output: Option<String>,
    /// None of the questions asked got an answer
    #[arg(long, group = "said", requires = "call")]
    pub none: bool,
    /// The author pressed Esc, or the call was cancelled, declined or timed out
    #[arg(long, group = "said", requires = "call")]
    pub escape: bool,
    /// The tool cannot be called here: what is left is asked by JSON contract
    #[arg(long, group = "said", requires = "call")]
    pub unavailable: bool,
    /// Go on although the author escaped or stopped: the last reply is taken back
    #[arg(long)]
    pub resume: bool,
    /// Write the record when everything is answered
    #[arg(long)]
    pub write: bool,
    /// When it was answered [default: now]
    #[arg(long, value_name = "RFC3339")]
    pub answered_at: Option<String>,
    /// Who answers (or --answered-by) [default: claude_code, codex, human]
    #[arg(long, alias = "answered-by", value_name = "NAME")]
    pub by: Option<String>,
    /// What the dialogs can do
    #[command(flatten)]
    pub limits: Limits,
}

/// `compile`
#[derive(Args, Debug)]
pub struct Compile {
    /// A packet, a bare QuestionSpec, an AskUserQuestion input or a protocol file; - reads standard input
    #[arg(value_name = "PACKET")]
    pub packet: PathBuf,
    /// For whom
    #[arg(long = "for", value_enum, value_name = "TARGET")]
    pub target: TargetName,
    /// What the dialogs can do
    #[command(flatten)]
    pub limits: Limits,
    /// The document that the questions come from, for a canonical document; ends in .md
    #[arg(long, value_name = "FILE.md")]
    pub source: Option<String>,
    /// The protocol's name, for a canonical document
    #[arg(long, value_name = "NAME")]
    pub protocol: Option<String>,
}

/// What an executor's dialogs can do.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Questions in one call: 1 to 4 for claude-code, 1 to 3 for codex
    #[arg(long, value_name = "N")]
    pub max_questions: Option<usize>,
    /// Exactly so many options on every screen: 2 to 9, codex only
    #[arg(long, value_name = "N")]
    pub exact_options: Option<usize>,
    /// What Esc does [default: terminate]
    #[arg(long, value_enum, value_name = "POLICY")]
    pub on_escape: Option<PolicyName>,
}

/// An executor as the command line spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExecutorName {
    /// `AskUserQuestion`.
    ClaudeCode,
    /// `request_user_input`.
    Codex,
    /// One strict JSON reply.
    JsonContract,
}

/// What a gate is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TargetName {
    /// `AskUserQuestion`.
    ClaudeCode,
    /// `request_user_input`.
    Codex,
    /// A canonical prompt document.
    Canonical,
    /// One strict JSON reply.
    JsonContract,
}

/// What Esc does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum PolicyName {
    /// Ends the dialogue.
    #[default]
    Terminate,
    /// Goes back to before the last reply that changed something.
    ReturnPrevious,
    /// Asks the questions of the call last.
    Defer,
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

/// `plan`
#[derive(Args, Debug)]
pub struct Plan {
    /// Paths, file names without their ending, or step ids; - reads a packet from standard input
    #[arg(value_name = "PACKET", required_unless_present = "events")]
    pub packets: Vec<PathBuf>,
    /// Task events instead, one JSON object a line; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "packets")]
    pub events: Option<PathBuf>,
    /// Follow the task rules of this canonical document
    #[arg(long, value_name = "DOC", requires = "events", conflicts_with = "packets")]
    pub canonical: Option<PathBuf>,
    /// No plan can be shown here: keep the state only
    #[arg(long, requires = "events", conflicts_with = "packets")]
    pub no_update_plan: bool,
}

/// `skill`
#[derive(Args, Debug)]
pub struct Skill {
    /// For which executor
    #[arg(value_enum, value_name = "EXECUTOR")]
    pub executor: SkillName,
}

/// An executor with instructions of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SkillName {
    /// Claude Code with `AskUserQuestion`.
    ClaudeCode,
    /// Codex with `request_user_input`.
    Codex,
}

/// `lint`
#[derive(Args, Debug)]
pub struct Lint {
    /// Files to look at; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// `schema`
#[derive(Args, Debug)]
pub struct Schema {
    /// The format
    #[arg(value_name = "NAME", value_enum)]
    pub name: SchemaName,
}

/// A format with a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaName {
    /// Canonical Prompt documents.
    CanonicalPrompt,
}

impl Answer {
    /// Whether no answers are given.
    pub fn is_empty(&self) -> bool {
        self.from.is_none() && self.set.is_empty() && !self.defaults
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

/// The command line with its help in a language.
pub fn command(lang: Lang) -> clap::Command {
    let command = <Cli as clap::CommandFactory>::command();
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
        assert_eq!(names.len(), 15, "no subcommand of the library's own");
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
            ("novel-gate wait p --timeout 5x", "--timeout <D> 的值 5x 不可用"),
            ("novel-gate --json --json", "--json 只能给出一次"),
            ("novel-gate answer p --dry-run=1", "--dry-run 不接受值 1"),
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
