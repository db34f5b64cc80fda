//! `schema`: the JSON Schema of a format, for editors and other programs.

use super::input::{Source, Unusable, usage};
use super::output::{Head, Output, form, raw};
use super::{Session, lines};
use super::{
    about, answer, attach, check, compile, decisions, doctor, history, init, lint, list, next, plan, propose,
    questions, redo, show, skill, themes, wait,
};
use crate::adapter::canonical;
use crate::ask::json::compact;
use crate::ask::schema;
use crate::cli::SchemaArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::record::no_gate;
use crate::text::say;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::path::Path;

/// Every output with a schema.
pub const OUTPUTS: &[&Output] = &[
    &check::OUTPUT,
    &attach::OUTPUT,
    &decisions::OUTPUT,
    &propose::OUTPUT,
    &questions::OUTPUT,
    &list::OUTPUT,
    &list::WATCH_OUTPUT,
    &show::OUTPUT,
    &wait::OUTPUT,
    &answer::OUTPUT,
    &redo::OUTPUT,
    &history::OUTPUT,
    &lint::OUTPUT,
    &next::output::OUTPUT,
    &compile::OUTPUT,
    &plan::OUTPUT,
    &skill::OUTPUT,
    &doctor::OUTPUT,
    &init::OUTPUT,
    &OUTPUT,
    &about::KEYS_OUTPUT,
    &themes::OUTPUT,
    &about::PATHS_OUTPUT,
    &about::COMPLETIONS_OUTPUT,
    &about::MAN_OUTPUT,
    &Output::new("error-output", "What every command prints with --json when it fails.", &[]),
];

const OUTPUT: Output = Output::new(
    "schema-output",
    "What schema --json prints. Without --json the schema alone is printed.",
    &[form::<SchemaOutput>(&["ok"], &[0], &["schema"])],
);

/// A schema.
#[derive(Serialize, JsonSchema)]
struct SchemaOutput {
    /// The JSON Schema (2020-12).
    #[schemars(with = "Map<String, Value>")]
    schema: Box<RawValue>,
}

/// Prints a schema. The schema itself is what is printed; with `--json` it is the member `schema`.
pub fn run(session: &mut Session<'_>, arguments: &SchemaArgs) -> Result<ExitCode, Error> {
    let text = match &arguments.packet {
        None => text(&arguments.name),
        Some(packet) if arguments.name == "answer-spec" => match of_gate(session, packet)? {
            Ok(text) => Cow::Owned(text),
            Err(exit) => return Ok(exit),
        },
        Some(_) => {
            return Err(usage(say("--for is for answer-spec.", "--for 只用于 answer-spec。")));
        }
    };
    let head = Head::ok("schema", say("The schema.", "格式的 JSON Schema。").text(session.lang));
    session.output_exactly(head, SchemaOutput { schema: raw(compact(&text)) }, text.as_bytes())
}

/// The schema with this name: a whole file of JSON.
fn text(name: &str) -> Cow<'static, str> {
    match name {
        "question-spec" => Cow::Borrowed(schema::QUESTION_SPEC),
        "standing-question" => Cow::Borrowed(schema::STANDING_QUESTION),
        "answer-spec" => Cow::Borrowed(schema::ANSWER_SPEC),
        "packet" => Cow::Borrowed(schema::PACKET),
        "canonical-prompt" => Cow::Borrowed(canonical::SCHEMA),
        name => {
            let output = OUTPUTS.iter().find(|output| output.name == name);
            Cow::Owned(output.map(|output| output.schema()).unwrap_or_default())
        }
    }
}

/// The schema of the records of one gate; if the packet has no legal gate, that is printed, and its exit code is returned.
fn of_gate(session: &mut Session<'_>, packet: &Path) -> Result<Result<String, ExitCode>, Error> {
    match Source::open(session, packet)?.questions() {
        Ok(questions) => Ok(Ok(schema::records_of(&questions.spec))),
        Err(unusable) if session.global.json => unusable.print(session).map(Err),
        Err(Unusable::Error(_)) => Err(no_gate()),
        Err(Unusable::Broken(_, problems)) => {
            let sentence = say("{0} is malformed:", "{0} 有误：");
            let mut lines = vec![sentence.fill(session.lang, &[&packet.shown()])];
            lines.extend(lines::problems(&problems, session.lang));
            session.warn(&lines);
            Ok(Err(ExitCode::Malformed))
        }
    }
}
