//! What is wrong with a packet or a record, on a page.

use crate::ask::Problem;
use crate::ask::cause::Cause;
use crate::console::draw::sheet::Sheet;
use crate::console::sentences as s;
use crate::console::theme::Role;
use crate::error::Message;
use crate::text::{Lang, say};

/// Every problem, what happened to the whole first.
pub(crate) fn write_problems(problems: &[Problem], causes: &[Cause], sheet: &mut Sheet<'_>) {
    let lang = sheet.lang;
    sheet.blank();
    write_whole(causes, sheet);
    sheet.text(Role::Dim, &s::counted(problems.len(), s::PROBLEMS_ONE, s::PROBLEMS_MANY, lang), 0);
    write_each(problems, causes, (Role::Bad, "✕ "), sheet);
}

pub(crate) fn write_each(problems: &[Problem], causes: &[Cause], sign: (Role, &str), sheet: &mut Sheet<'_>) {
    for problem in problems {
        sheet.marked(sign.0, sign.1, Role::Text, &place(problem, sheet.lang));
        write_problem(problem, causes, true, sheet);
    }
}

pub(crate) fn place(problem: &Problem, lang: Lang) -> String {
    if problem.pointer.is_empty() { s::WHOLE_FILE.text(lang).to_owned() } else { problem.place(lang) }
}

pub(crate) fn write_whole(causes: &[Cause], sheet: &mut Sheet<'_>) {
    for cause in causes.iter().filter(|cause| cause.pointer.is_empty()) {
        sheet.marked(Role::Warn, "▲ ", Role::Text, &cause.text(sheet.lang));
    }
}

/// What was found, unless that stands there already, what was expected, and why it came to that or what to do.
pub(crate) fn write_problem(problem: &Problem, causes: &[Cause], found: bool, sheet: &mut Sheet<'_>) {
    let lang = sheet.lang;
    let own = |cause: &&Cause| !cause.pointer.is_empty() && cause.pointer == problem.pointer;
    let cause = causes.iter().find(own).map(|cause| cause.text(lang));
    let hint = problem.hint.as_ref().filter(|_| cause.is_none()).map(|hint| hint.text(lang));
    let parts = [
        (say("found", "现状"), found.then(|| problem.found.text(lang))),
        (say("expected", "应为"), Some(problem.expected.text(lang))),
        (say("cause", "原因"), cause),
        (say("hint", "提示"), hint),
    ];
    let rows: Vec<_> = parts.iter().filter_map(|(label, part)| Some((*label, part.as_deref()?))).collect();
    sheet.labelled(2, &rows);
}

pub(crate) fn write_refusal(refusal: &Message, sheet: &mut Sheet<'_>) {
    let lang = sheet.lang;
    let words = s::CANNOT_WRITE.fill(lang, &[&refusal.text(lang)]);
    sheet.marked(Role::Bad, "✕ ", Role::Bad, &words);
}
