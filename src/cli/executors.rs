//! The arguments of the commands for executors and formats, `next`, `compile`, `plan`, `skill`, `lint`, `schema`, and of those
//! that set the program up: `hook`, `init`, `themes`, `completions`.

use crate::adapter::profile::{Executor, OnEscape};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use strum::{IntoStaticStr, VariantArray};

/// `next`
#[allow(clippy::struct_excessive_bools, reason = "each is a flag")]
#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("said").multiple(false))]
pub struct NextArgs {
    /// A packet, a bare QuestionSpec or a canonical prompt document; - reads standard input
    #[arg(value_name = "PACKET")]
    pub packet: PathBuf,
    /// Whose dialogs ask
    #[arg(long = "for", value_enum, value_name = "EXECUTOR")]
    pub executor: Executor,
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

#[derive(Args, Debug)]
pub struct CompileArgs {
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
    pub on_escape: Option<OnEscape>,
}

impl ValueEnum for Executor {
    fn value_variants<'a>() -> &'a [Executor] {
        Executor::VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Executor::ClaudeCode => "`AskUserQuestion`",
            Executor::Codex => "`request_user_input`",
            Executor::JsonContract => "One strict JSON reply, of anything that can only talk",
        };
        Some(PossibleValue::new(<&str>::from(*self)).help(help))
    }
}

impl ValueEnum for OnEscape {
    fn value_variants<'a>() -> &'a [OnEscape] {
        OnEscape::VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            OnEscape::Terminate => "Ends the dialogue; it can be resumed from the same call",
            OnEscape::ReturnPrevious => "Goes back to before the last reply that changed something",
            OnEscape::Defer => {
                "Asks the questions of the call last; ends the dialogue when all of them were put off before"
            }
        };
        Some(PossibleValue::new(<&str>::from(*self)).help(help))
    }
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

#[derive(Args, Debug)]
pub struct PlanArgs {
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

/// An executor that `init` wires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, ValueEnum)]
#[strum(serialize_all = "kebab-case")]
pub enum ClientName {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
}

#[derive(Args, Debug)]
pub struct LintArgs {
    /// Files or directories to look at, AskUserQuestion inputs and protocol files too; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

#[derive(Args, Debug)]
pub struct SchemaArgs {
    /// The format: question-spec, what a gate asks; standing-question, a file in questions/; answer-spec, a record; packet; canonical-prompt, a document; check-output, what check --json prints, and so on; error-output, what is printed instead where a command fails
    #[arg(value_name = "NAME", value_parser = SCHEMAS)]
    pub name: String,
    /// Of answer-spec: only the records that open the gate of this packet or QuestionSpec
    #[arg(long = "for", value_name = "PACKET")]
    pub packet: Option<PathBuf>,
}

/// The formats with a schema; `check-output` is what `check --json` prints.
#[rustfmt::skip]
const SCHEMAS: [&str; 31] = [
    "question-spec", "answer-spec", "standing-question", "packet", "canonical-prompt", "check-output", "attach-output", "decisions-output", "propose-output", "questions-output", "list-output", "list-watch-output",
    "show-output", "wait-output", "answer-output", "redo-output", "history-output", "lint-output", "next-output",
    "compile-output", "plan-output", "skill-output", "doctor-output", "init-output", "schema-output", "keys-output", "themes-output",
    "paths-output", "completions-output", "man-output", "error-output",
];

#[derive(Args, Clone, Copy, Debug)]
pub struct HookArgs {
    /// Whose hook this is
    #[arg(value_name = "EXECUTOR", value_parser = with_hooks())]
    pub executor: Executor,
    /// Take questions over although no console is open to answer them
    #[arg(long)]
    pub always: bool,
    /// Forbid what the hook fails to judge, instead of letting it pass
    #[arg(long)]
    pub strict: bool,
}

/// The executors with hooks.
fn with_hooks() -> impl TypedValueParser<Value = Executor> {
    PossibleValuesParser::new(["claude-code", "codex"]).try_map(|name| Executor::from_str(&name, false))
}

#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
#[derive(Args, Clone, Debug)]
pub struct InitArgs {
    /// For which executor; repeat for several [default: claude-code and codex; with --undo all]
    #[arg(long = "for", value_enum, value_name = "EXECUTOR", value_delimiter = ',')]
    pub executors: Vec<ClientName>,
    /// The entry of the MCP server too
    #[arg(long, conflicts_with = "undo")]
    pub mcp: bool,
    /// Name this program by its path, where it is not in PATH
    #[arg(long, conflicts_with = "undo")]
    pub absolute: bool,
    /// Take out what init has put in, and nothing else
    #[arg(long)]
    pub undo: bool,
    /// Write the files instead of showing them
    #[arg(long)]
    pub write: bool,
}

#[derive(Args, Debug)]
pub struct ThemesArgs {
    /// Print the text of this one, to start your own from
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// For which shell
    #[arg(value_name = "SHELL", value_parser = ["bash", "zsh", "fish", "powershell"])]
    pub shell: String,
}
