//! `schema`: the JSON Schema of a format, for editors and other programs.

use super::output::{OUTPUTS, Output};
use super::{Session, report};
use crate::ask::json::Json;
use crate::cli::{Schema, SchemaName};
use crate::dialogue::canonical;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;
use clap::ValueEnum;
use std::borrow::Cow;

/// Runs it. The schema itself is what is printed; with `--json` it is the member `schema`.
///
/// # Errors
/// It cannot be written.
pub fn run(session: &mut Session<'_>, arguments: &Schema) -> Result<ExitCode, Error> {
    let text = text(arguments.name);
    if session.global.json {
        let schema = Json::parse(text.as_bytes()).map(|json| json.root().compact()).unwrap_or_default();
        let message = say("The schema.", "格式的 JSON Schema。").text(session.lang);
        session.json(report::head("ok", ExitCode::Done, "schema", message).raw("schema", &schema))?;
    } else {
        session.exact(text.as_bytes())?;
    }
    Ok(ExitCode::Done)
}

/// The schema with this name: a whole file of JSON.
fn text(name: SchemaName) -> Cow<'static, str> {
    match name {
        SchemaName::CanonicalPrompt => Cow::Borrowed(canonical::SCHEMA),
        SchemaName::CheckOutput
        | SchemaName::ListOutput
        | SchemaName::ListWatchOutput
        | SchemaName::ShowOutput
        | SchemaName::WaitOutput
        | SchemaName::AnswerOutput
        | SchemaName::RedoOutput
        | SchemaName::HistoryOutput
        | SchemaName::LintOutput
        | SchemaName::NextOutput
        | SchemaName::CompileOutput
        | SchemaName::PlanOutput
        | SchemaName::SkillOutput
        | SchemaName::SchemaOutput
        | SchemaName::PathsOutput
        | SchemaName::ErrorOutput => Cow::Owned(of_output(name)),
    }
}

/// The schema of what a command prints.
fn of_output(name: SchemaName) -> String {
    let spelled = name.to_possible_value();
    let is_it = |output: &&&Output| spelled.as_ref().is_some_and(|spelled| spelled.get_name() == output.name);
    OUTPUTS.iter().find(is_it).map(|output| output.schema()).unwrap_or_default()
}
