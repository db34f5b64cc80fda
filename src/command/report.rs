//! The shape of what commands say, for programs and for people.
//!
//! Responsible for the members every JSON answer has and for the pieces several commands share. Not responsible for
//! printing (`Session`).

use crate::ask::object::list;
use crate::ask::{Gate, Object, Problem};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::Refusal;
use crate::text::Lang;

/// The members every JSON answer begins with.
pub fn head(status: &str, exit: ExitCode, code: &str, message: &str) -> Object {
    let number = u64::try_from(exit.number()).unwrap_or_default();
    Object::new().text("status", status).number("exit", number).text("code", code).text("message", message)
}

/// A command that failed.
pub fn failure(error: &Error, lang: Lang) -> Object {
    head("error", error.kind, error.code, &error.text(lang))
}

/// Where a record goes, and whether it may be written there.
pub fn place(object: Object, gate: Option<&Gate>, refusal: Option<Refusal>) -> Object {
    object
        .js_or_null("answer_path", gate.map(|gate| &gate.answer_path))
        .boolean("writable", gate.is_some() && refusal.is_none())
        .text_or_null("refusal", refusal.map(Refusal::code))
}

/// The member `problems`.
pub fn problems(object: Object, problems: &[Problem], lang: Lang) -> Object {
    object.raw("problems", &list(problems.iter().map(|problem| problem_json(problem, lang))))
}

fn problem_json(problem: &Problem, lang: Lang) -> String {
    self::problem(Object::new(), problem, lang).finish()
}

/// The members of one problem.
pub fn problem(object: Object, problem: &Problem, lang: Lang) -> Object {
    object
        .text("pointer", &problem.pointer)
        .text("found", &problem.found(lang))
        .text("expected", &problem.expected(lang))
        .text_or_null("hint", problem.hint(lang).as_deref())
}

/// Problems for people, one a line.
pub fn problem_lines(problems: &[Problem], lang: Lang) -> impl Iterator<Item = String> {
    problems.iter().map(move |problem| format!("  {}", problem.sentence(lang)))
}
