//! `list`: every gate with its state.
//!
//! Responsible for choosing lines of the inbox and laying them out for people and programs. Not responsible for
//! finding them (`store::scan`) nor for what `--watch` tells of changes (`watch`).

use super::{Session, report};
use crate::ask::object::list;
use crate::ask::{JsString, Object};
use crate::cli::{List, StatusName};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::rfc3339_millis;
use crate::store::entry::Entry;
use crate::store::scan::{PACKET_PATIENCE, RECORD_PATIENCE, Scanner};
use crate::store::{Project, Status, history};
use crate::text::width::{cells, pad};
use crate::text::{Lang, Safe, Sentence, say};
use std::sync::Arc;
use std::thread;

mod watch;

/// A step or topic is shown up to this many cells.
const COLUMN: usize = 32;

const CUT: Sentence = say(
    "Not everything was looked at: a directory cannot be read or is too deep, or there are too many files.",
    "没有全部检查：有目录无法读取或过深，或文件过多。",
);

/// Runs it.
///
/// # Errors
/// There is no project.
pub fn run(session: &mut Session<'_>, arguments: &List) -> Result<ExitCode, Error> {
    let project = Arc::new(session.project()?);
    if arguments.watch {
        return watch::run(session, &project, arguments);
    }
    // A command cannot wait as long as a console for a file that is being written.
    let mut scanner = Scanner::new(Arc::clone(&project)).patience(RECORD_PATIENCE);
    let start = session.clock.now();
    let mut outcome = scanner.look(start, &mut |_| {});
    while let Some(next) = outcome.next.filter(|next| outcome.pending && *next < start + PACKET_PATIENCE) {
        thread::sleep(next.duration_since(session.clock.now()).unwrap_or_default());
        outcome = scanner.look(session.clock.now().max(next), &mut |_| {});
    }
    let all = scanner.entries();
    tell(session, arguments, (&all, outcome.pending, scanner.is_cut()))?;
    // Nobody waits for it.
    note_seen(session, &project, &all);
    Ok(ExitCode::Done)
}

fn tell(
    session: &mut Session<'_>,
    arguments: &List,
    (all, pending, is_cut): (&[Arc<Entry>], bool, bool),
) -> Result<(), Error> {
    let chosen: Vec<&Entry> =
        all.iter().map(Arc::as_ref).filter(|entry| is_chosen(entry, arguments)).collect();
    let message = summary(all, session.lang);
    if session.global.json {
        let object = report::head("ok", ExitCode::Done, "listed", &message);
        let object = counts(all).into_iter().fold(object, |object, (key, number)| object.number(key, number));
        let lang = session.lang;
        let object = object
            .boolean("truncated", is_cut)
            .boolean("pending", pending)
            .raw("gates", &list(chosen.into_iter().map(|entry| entry_json(entry, lang))));
        session.json(object)
    } else {
        let mut lines = table(&chosen, session.lang);
        lines.push(message);
        lines.extend(is_cut.then(|| CUT.text(session.lang).to_owned()));
        if pending {
            let sentence = say(
                "Something is still being written; look again in a moment.",
                "还有文件正在写入，请稍后再看。",
            );
            lines.push(sentence.text(session.lang).to_owned());
        }
        session.say(&lines)
    }
}

/// Lets the history know of records that somebody else may have written. That one cannot be noted is no failure of a
/// command that only looks.
fn note_seen(session: &Session<'_>, project: &Project, entries: &[Arc<Entry>]) {
    if let Ok(state) = session.state(project) {
        let _ = history::see_gates(project, &state, entries, session.clock.now());
    }
}

fn is_chosen(entry: &Entry, arguments: &List) -> bool {
    let name = match entry.status {
        Status::NoGate if !arguments.all => return false,
        Status::NoGate | Status::Answered => StatusName::Open,
        Status::Waiting => StatusName::Waiting,
        Status::Blocked => StatusName::Blocked,
        Status::Malformed => StatusName::Malformed,
    };
    arguments.status.is_empty() || arguments.status.contains(&name)
}

/// How many gates are in each state; packets that are one gate count once.
fn counts(entries: &[Arc<Entry>]) -> [(&'static str, u64); 4] {
    let states = [Status::Waiting, Status::Blocked, Status::Malformed, Status::Answered];
    let counted = || entries.iter().filter(|entry| !entry.is_repeated());
    let count = |status| counted().filter(|entry| entry.status == status).count();
    let [waiting, blocked, malformed, answered] =
        states.map(|status| u64::try_from(count(status)).unwrap_or(u64::MAX));
    [("waiting", waiting), ("blocked", blocked), ("malformed", malformed), ("answered", answered)]
}

fn summary(entries: &[Arc<Entry>], lang: Lang) -> String {
    let numbers = counts(entries).map(|(_, number)| number.to_string());
    say(
        "{0} waiting, {1} blocked, {2} malformed, {3} answered.",
        "等待 {0}，受阻 {1}，指令包有误 {2}，已回答 {3}。",
    )
    .fill(lang, &[&numbers[0], &numbers[1], &numbers[2], &numbers[3]])
}

fn entry_json(entry: &Entry, lang: Lang) -> String {
    let object =
        Object::new().text("packet", &entry.path.to_string_lossy()).text("status", entry.status.name());
    members(object, entry, lang).finish()
}

/// What is known of a gate besides its packet and its state.
fn members(object: Object, entry: &Entry, lang: Lang) -> Object {
    let gate = entry.answer_path.as_ref().filter(|_| entry.status != Status::Malformed);
    let object = object
        .boolean("gate", entry.status != Status::NoGate)
        .js_or_null("step", entry.step.as_ref())
        .js_or_null("agent", entry.agent.as_ref())
        .js_or_null("topic", entry.topic.as_ref())
        .js_or_null("answer_path", entry.answer_path.as_ref())
        .boolean("writable", gate.is_some() && entry.refusal.is_none())
        .text_or_null("refusal", entry.refusal.map(crate::store::Refusal::code))
        .number("questions", entry.questions as u64)
        .number("problem_count", entry.problems as u64)
        .text_or_null("problem", problem(entry, lang).as_deref());
    let others = entry.others().map(|(path, agrees)| (path.to_string_lossy().into_owned(), agrees));
    report::others(object, others)
        .boolean("past", entry.past)
        .boolean("being_written", entry.being_written)
        .text("modified", &rfc3339_millis(entry.modified))
        .text_or_null("record_modified", entry.answered.map(rfc3339_millis).as_deref())
        .js_or_null("answered_by", entry.answered_by.as_ref())
}

fn problem(entry: &Entry, lang: Lang) -> Option<String> {
    entry.first_problem.as_ref().map(|problem| problem.sentence(lang))
}

/// The state in one word.
pub(super) fn word(status: Status) -> Sentence {
    match status {
        Status::Waiting => say("waiting", "等待"),
        Status::Blocked => say("blocked", "受阻"),
        Status::Malformed => say("malformed", "指令包有误"),
        Status::Answered => say("answered", "已回答"),
        Status::NoGate => say("no gate", "无门控"),
    }
}

/// State, step, topic and packet in columns, and beneath it what is wrong.
fn table(entries: &[&Entry], lang: Lang) -> Vec<String> {
    let clean = |text: Option<std::borrow::Cow<'_, str>>| {
        Safe::line(text.as_deref().unwrap_or_default()).fit(COLUMN).into_string()
    };
    let rows: Vec<[String; 3]> = entries
        .iter()
        .map(|entry| {
            let topic = entry.topic.as_ref().map(JsString::display);
            [word(entry.status).text(lang).to_owned(), clean(Some(entry.title())), clean(topic)]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| cells(&row[column])).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    let mut lines = Vec::with_capacity(rows.len() + 2);
    for (entry, row) in entries.iter().zip(&rows) {
        let mut line = String::new();
        for (text, width) in row.iter().zip(widths).filter(|(_, width)| *width > 0) {
            line.push_str(&pad(text, width));
            line.push_str("  ");
        }
        line.push_str(&entry.path.to_string_lossy());
        for note in notes(entry) {
            line.push_str(note.text(lang));
        }
        lines.push(line);
        lines.extend(problem(entry, lang).map(|sentence| format!("  {sentence}")));
        let others = entry.others().map(|(path, agrees)| (path.to_string_lossy().into_owned(), agrees));
        lines.extend(report::other_lines(others, lang));
        if let Some(refusal) = entry.refusal {
            let warning = say("  No record can be written: {0}", "  无法写入记录：{0}");
            lines.push(warning.fill(lang, &[refusal.text(lang)]));
        }
    }
    lines
}

fn notes(entry: &Entry) -> impl Iterator<Item = Sentence> {
    let past = entry.past.then(|| say(" (behind the checkpoint)", "（检查点之前）"));
    let writing = entry.being_written.then(|| say(" (being written)", "（正在写入）"));
    past.into_iter().chain(writing)
}
