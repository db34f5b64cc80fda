//! What several commands print: lines for people, and why an input cannot be used.

use super::Session;
use super::output::ErrorOutput;
use super::source::Unusable;
use crate::adapter::fault::{Fault, INVALID_JSON, INVALID_REPLY};
use crate::ask::Problem;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::text::{Lang, say};

/// Other packets whose answers go to the same place, and whether each asks the same: for people, one a line.
pub fn other_lines(others: impl Iterator<Item = (String, bool)>, lang: Lang) -> impl Iterator<Item = String> {
    others.map(move |(path, agrees)| {
        let sentence = if agrees {
            say("  Same gate as {0}: it asks exactly the same questions.", "  与 {0} 同属一个门控：问题完全相同。")
        } else {
            say(
                "  Conflict with {0}: it wants different answers in the same place; one record cannot answer both.",
                "  与 {0} 冲突：同一位置，问题不同；一份记录无法同时回答两者。",
            )
        };
        sentence.fill(lang, &[&path])
    })
}

/// Problems for people, one a line.
pub fn problem_lines(problems: &[Problem], lang: Lang) -> impl Iterator<Item = String> {
    problems.iter().map(move |problem| format!("  {}", problem.sentence(lang)))
}

/// Prints a fault of a machine's input; `place` is where the input itself stands, such as a file and a line.
///
/// # Errors
/// It cannot be printed.
pub(super) fn fault(
    session: &mut Session<'_>,
    fault: &Fault,
    place: Option<&str>,
) -> Result<ExitCode, Error> {
    let inside = fault.at.as_ref().map(ToString::to_string);
    let at = match (place, inside) {
        (Some(place), Some(inside)) if inside.is_empty() => Some(place.to_owned()),
        (Some(place), Some(inside)) => Some(format!("{place} {inside}")),
        (place, inside) => inside.or(place.map(str::to_owned)),
    };
    let mut message = fault.message.text(session.lang);
    if let Some(place) = place {
        let way_on = match fault.code {
            INVALID_JSON | INVALID_REPLY => say(
                " It is at {0}: ask the author to fix or remove that line, or to name another file with \
                 --replies, so that everything is asked again.",
                "它在 {0}：请让作者改好或删掉这一行，或用 --replies 另指一个文件，从头再问。",
            ),
            _ => say(
                " It is at {0}: go on with the packet and the flags as they were, or name another file \
                 with --replies, so that everything is asked again.",
                "它在 {0}：请用原来的指令包和参数继续，或用 --replies 另指一个文件，从头再问。",
            ),
        };
        message.push_str(&way_on.fill(session.lang, &[place]));
    }
    session.json(ErrorOutput::new(ExitCode::Usage, fault.code, message, at))?;
    Ok(ExitCode::Usage)
}

/// Prints why a file asks nothing.
///
/// # Errors
/// It cannot be printed.
pub(super) fn unusable(session: &mut Session<'_>, unusable: &Unusable) -> Result<ExitCode, Error> {
    let lang = session.lang;
    let error = match unusable {
        Unusable::NoGate => {
            let message = say("This packet carries no gate.", "这个指令包没有门控。").text(lang);
            ErrorOutput::new(ExitCode::Usage, "no_gate", message.to_owned(), None)
        }
        Unusable::Problems(code, problems) => {
            let first = problems.first();
            let message = first.map(|problem| problem.sentence(lang)).unwrap_or_default();
            let at = first.map(|problem| problem.pointer.clone());
            ErrorOutput::new(ExitCode::Malformed, code, message, at).with_problems(problems, lang)
        }
    };
    let exit = if matches!(unusable, Unusable::NoGate) { ExitCode::Usage } else { ExitCode::Malformed };
    session.json(error)?;
    Ok(exit)
}
