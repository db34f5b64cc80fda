//! `history`: what was asked and answered, by whom and when; puts an entry back, erases entries.

use super::Session;
use super::input::{Gone, Resolved, is_known};
use super::output::{Head, Output, WrittenFile, form};
use crate::ask::JsString;
use crate::cli::History;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::gate;
use crate::store::history::{self, Entry, Over, Search};
use crate::store::{Project, StateDir, record, scan};
use crate::text::lang::plural;
use crate::text::say;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

mod entries;
mod export;

pub(super) const OUTPUT: Output = Output::new(
    "history-output",
    "What history --json prints: entries, or with --compare, --restore, --export and --forget what came of it.",
    &[
        form::<HistoryOutput>(&["ok"], &[0], &["history"]),
        form::<entries::HistoryCompared>(&["ok"], &[0], &["compared"]),
        form::<HistoryRestored>(&["restored"], &[0], &["restored"]),
        form::<export::HistoryExported<'_>>(&["exported"], &[0], &["exported"]),
        form::<HistoryErased>(&["erased"], &[0], &["erased"]),
    ],
);

/// The entries that were asked for.
#[derive(Serialize, JsonSchema)]
struct HistoryOutput {
    /// How many.
    count: usize,
    /// The newest first.
    entries: Vec<entries::HistoryEntry>,
}

/// --restore: the record is as it was in the entry.
#[derive(Serialize, JsonSchema)]
struct HistoryRestored {
    /// The entry.
    entry: String,
    #[serde(flatten)]
    file: WrittenFile,
}

/// --forget: entries were erased.
#[derive(Serialize, JsonSchema)]
struct HistoryErased {
    /// How many entries.
    entries: usize,
    /// Records among them that were removed and cannot be put back any more.
    removed_records: usize,
}

/// Prints entries, or does with them what the flags say.
///
/// # Errors
/// There is no project, no such packet or entry; the history cannot be read; a record is in the way.
pub fn run(session: &mut Session<'_>, arguments: &History) -> Result<ExitCode, Error> {
    let project = session.project()?;
    let state = session.state(&project)?;
    if let [before, after] = arguments.compare.as_slice() {
        let pair = [history::find(&state, before)?, history::find(&state, after)?];
        return entries::print_compared(session, &project, &pair);
    }
    if let Some(id) = &arguments.show {
        let entry = history::find(&state, id)?;
        if arguments.raw && !session.global.json {
            session.exact(&entry.bytes()?)?;
            return Ok(ExitCode::Done);
        }
        return print(session, &project, (&[entry], true));
    }
    if let Some(id) = &arguments.restore {
        let entry = history::find(&state, id)?;
        return restore(session, &project, &state, (&entry, arguments.replace.as_deref()));
    }
    let scope = scope(session, &project, &state, arguments.packet.as_deref())?;
    if arguments.forget {
        return forget(session, &state, &scope);
    }
    let project = Arc::new(project);
    see(session, &project, &state, &scope);
    let found = history::search(&state, &search(session, arguments, &scope))?;
    if let Some(file) = &arguments.export {
        return export::write(session, file, &found);
    }
    let full = arguments.packet.is_some() || arguments.search.is_some() || arguments.question.is_some();
    print(session, &project, (&found, full))
}

/// Which entries are meant.
enum Scope {
    All,
    /// The gate with this answer path; its packet, if there is one.
    Gate(JsString, Option<Box<gate::Loaded>>),
    /// A step whose packet is gone.
    Step(JsString),
}

fn scope(
    session: &Session<'_>,
    project: &Project,
    state: &StateDir,
    name: Option<&Path>,
) -> Result<Scope, Error> {
    let Some(name) = name else { return Ok(Scope::All) };
    match Resolved::of(session, project, name)? {
        Resolved::Gate(loaded) => {
            let answer_path = loaded.gate().ok_or_else(record::no_gate)?.answer_path.clone();
            Ok(Scope::Gate(answer_path, Some(loaded)))
        }
        Resolved::File(path) => {
            let known = history::answer_path_of(project, &path).filter(|path| is_known(state, path));
            known.map(|path| Scope::Gate(path, None)).ok_or_else(record::no_gate)
        }
        Resolved::Missing(error) => match Gone::find(session, (project, state), name) {
            Some(Gone::Record(path)) => Ok(Scope::Gate(path, None)),
            Some(Gone::Step(step, _)) => Ok(Scope::Step(step)),
            None => Err(error),
        },
    }
}

/// Notes records that somebody else has written; a failure to do so is no failure of the command.
fn see(session: &Session<'_>, project: &Arc<Project>, state: &StateDir, scope: &Scope) {
    let now = session.clock.now();
    match scope {
        Scope::Gate(_, Some(loaded)) => drop(history::see(state, loaded, now)),
        Scope::Gate(_, None) | Scope::Step(_) => {}
        Scope::All => {
            let _ = history::see_gates(project, state, &scan::entries(project, now), now);
        }
    }
}

fn search(session: &Session<'_>, arguments: &History, scope: &Scope) -> Search {
    let now = session.clock.local_now();
    let (answer_path, step) = match scope {
        Scope::All => (None, None),
        Scope::Gate(path, _) => (Some(path.clone()), None),
        Scope::Step(step) => (None, Some(step.clone())),
    };
    Search {
        answer_path,
        text: arguments.search.clone(),
        question: arguments.question.clone(),
        step,
        since: arguments.since.map(|since| since.start(&now)),
        until: arguments.until.map(|until| until.end(&now)),
    }
}

fn print(
    session: &mut Session<'_>,
    project: &Project,
    (found, full): (&[Entry], bool),
) -> Result<ExitCode, Error> {
    let count = [plural(found.len(), "entry", "entries").into_owned(), found.len().to_string()];
    let message = say("{0}.", "{1} 条。").fill(session.lang, &[&count[0], &count[1]]);
    if session.global.json {
        let entries = found.iter().map(|entry| entries::HistoryEntry::of(entry, project)).collect();
        return session.json(Head::ok("history", message), HistoryOutput { count: found.len(), entries });
    }
    let mut lines = entries::table(found, full, &session.clock.local_now(), session.lang);
    lines.push(message);
    session.print(&lines)?;
    Ok(ExitCode::Done)
}

/// Which record `--replace` lets go: any if it names no hash.
pub(super) fn over(replace: Option<&str>) -> Over<'_> {
    match replace {
        None => Over::Nothing,
        Some("") => Over::Any,
        Some(hash) => Over::Hash(hash),
    }
}

fn restore(
    session: &mut Session<'_>,
    project: &Project,
    state: &StateDir,
    (entry, replace): (&Entry, Option<&str>),
) -> Result<ExitCode, Error> {
    let moved = history::restore_entry(project, state, entry, over(replace), session.clock.now())
        .map_err(|fault| fault.error())?;
    if let Some(unnoted) = &moved.unnoted {
        session.warn(&[unnoted.text(session.lang)]);
    }
    let shown = moved.path.to_string_lossy();
    let sentence = say("{0} is back as it was in entry {1}.", "{0} 已恢复为条目 {1} 中的样子。");
    let message = sentence.fill(session.lang, &[&shown, &entry.id()]);
    let head = Head::new("restored", ExitCode::Done, "restored", message);
    session.confirm(head, HistoryRestored { entry: entry.id(), file: (&moved).into() })
}

fn forget(session: &mut Session<'_>, state: &StateDir, scope: &Scope) -> Result<ExitCode, Error> {
    let erased = match scope {
        Scope::All => history::forget(state, None)?,
        Scope::Gate(path, _) => history::forget(state, Some(path))?,
        Scope::Step(step) => {
            let of_step = Search { step: Some(step.clone()), ..Search::default() };
            let entries = history::search(state, &of_step)?;
            let mut seen = BTreeSet::new();
            let mut sum = history::Erased::default();
            for entry in entries.iter().filter(|entry| seen.insert(entry.key().to_owned())) {
                let erased = history::forget(state, Some(&entry.answer_path))?;
                sum.entries += erased.entries;
                sum.removed_records += erased.removed_records;
            }
            sum
        }
    };
    let count = [plural(erased.entries, "entry", "entries").into_owned(), erased.entries.to_string()];
    let mut message = say("{0} erased.", "已清除 {1} 条。").fill(session.lang, &[&count[0], &count[1]]);
    if erased.removed_records > 0 {
        let more = say(
            " Removed records among them: {0}; they can no longer be restored.",
            "其中有 {0} 份移走的记录，已无法再放回。",
        );
        message.push_str(&more.fill(session.lang, &[&erased.removed_records.to_string()]));
    }
    let head = Head::new("erased", ExitCode::Done, "erased", message);
    let (entries, removed_records) = (erased.entries, erased.removed_records);
    session.confirm(head, HistoryErased { entries, removed_records })
}
