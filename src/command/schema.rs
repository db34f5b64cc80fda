//! `schema`: the JSON Schema of a format, for editors and other programs.

use super::{Session, report};
use crate::ask::json::Json;
use crate::cli::{Schema, SchemaName};
use crate::dialogue::canonical;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::say;

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
fn text(name: SchemaName) -> &'static str {
    match name {
        SchemaName::CanonicalPrompt => canonical::SCHEMA,
    }
}
