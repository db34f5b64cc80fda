//! `history`: what was asked and answered, by whom and when; puts an entry back, erases entries.

use super::Session;
use super::input::{Gone, Resolved, is_known};
use super::kept::{self, PrintedDraft};
use super::output::{Head, Output, WrittenFile, form};
use crate::ask::JsString;
use crate::cli::HistoryArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::drafts::Drafts;
use crate::store::drafts::kept::KeptDraft;
use crate::store::gate::Loaded;
use crate::store::hearing::HistoryHearings;
use crate::store::history::{self, Found, History, HistoryEntry, Over, Search};
use crate::store::{Project, StateDir, record, scan};
use crate::text::lang::plural;
use crate::text::{Lang, say};
use entries::{PrintedEntries, PrintedEntry};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

pub(super) mod entries;
mod export;

pub(super) const OUTPUT: Output = Output::new(
    "history-output",
    "What history --json prints: entries, or with --restore, --export and --forget what came of it.",
    &[
        form::<HistoryOutput<'_>>(&["ok", "error"], &[0, 1], &["history", "history-damaged"]),
        form::<HistoryRestored>(&["restored"], &[0], &["restored"]),
        form::<export::HistoryExported<'_>>(&["exported"], &[0], &["exported"]),
        form::<HistoryErased>(&["erased"], &[0], &["erased"]),
    ],
);

/// So many entries share their columns, and so many of them are printed in one piece.
const IN_COLUMNS: usize = 1_000;
const AT_ONCE: usize = 50;

/// The entries that were asked for.
#[derive(Serialize, JsonSchema)]
struct HistoryOutput<'e> {
    /// How many.
    count: usize,
    /// The newest first.
    #[schemars(with = "Vec<PrintedEntry>")]
    entries: PrintedEntries<'e>,
    /// Drafts without their gates, the newest first.
    kept_drafts: Vec<PrintedDraft>,
}

/// The entries, and behind them what came of it: that is known once they were read.
#[derive(Serialize)]
struct Listing<'e> {
    #[serde(flatten)]
    output: HistoryOutput<'e>,
    #[serde(flatten)]
    head: LateHead<'e>,
}

struct LateHead<'e> {
    head: Head,
    fault: &'e RefCell<Option<Error>>,
    lang: Lang,
}

impl Serialize for LateHead<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &*self.fault.borrow() {
            None => self.head.serialize(serializer),
            Some(error) => {
                Head::new("error", error.kind, "history-damaged", error.text(self.lang)).serialize(serializer)
            }
        }
    }
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
    /// Drafts without their gates.
    kept_drafts: usize,
}

pub fn run(session: &mut Session<'_>, arguments: &HistoryArgs) -> Result<ExitCode, Error> {
    let project = session.project()?;
    let state = session.state(&project)?;
    if let Some(id) = &arguments.show {
        let entry = history::find(&state, id)?;
        if arguments.raw && !session.global.json {
            session.document(&entry.bytes()?)?;
            return Ok(ExitCode::Done);
        }
        if !session.global.json {
            let lines = entries::whole(&entry, &project, &session.clock.local_now(), session.lang);
            session.print(&lines)?;
            return Ok(ExitCode::Done);
        }
        let mut found = Found::default();
        found.add(&entry);
        return print(session, (&project, &state), &found, &[], true);
    }
    if let Some(id) = &arguments.restore {
        let entry = history::find(&state, id)?;
        return restore(session, &project, &state, &entry, arguments.replace.as_deref());
    }
    let project = Arc::new(project);
    let (scope, loaded, kept) = scope(session, &project, &state, arguments.packet.as_deref())?;
    if arguments.forget {
        return forget(session, &state, scope.as_ref(), &kept);
    }
    let (now, local_now) = (session.clock.now(), session.clock.local_now());
    // What somebody else has written is noted first; a failure to do so is no failure of the command.
    if let Some(loaded) = loaded {
        state.tolerate(History { project: &project, state: &state, now }.see(&loaded));
    } else if arguments.packet.is_none() {
        let (entries, history) =
            (scan::look(&project, now).entries(), History { project: &project, state: &state, now });
        while state.tolerate(history.see_gates(&entries)) == Some(true) {}
    }
    let search = Search {
        text: arguments.search.clone(),
        question: arguments.question.clone(),
        since: arguments.since.map(|since| since.start(&local_now)),
        until: arguments.until.map(|until| until.end(&local_now)),
        ..scope.clone().unwrap_or_default()
    };
    let found = if scope.is_some() { history::search(&state, &search)? } else { Found::default() };
    let kept: Vec<KeptDraft> = kept.into_iter().filter(|kept| kept.is_found_by(&search)).collect();
    if let Some(file) = &arguments.export {
        return export::write(session, file, (&found, &state), &kept);
    }
    let full = arguments.packet.is_some() || arguments.search.is_some() || arguments.question.is_some();
    print(session, (&project, &state), &found, &kept, full)
}

/// What a name means, all without one: entries, if it means any; its gate, if its packet is there; and what is kept of it
/// without a gate.
type Scope = (Option<Search>, Option<Box<Loaded>>, Vec<KeptDraft>);

fn scope(
    session: &Session<'_>,
    project: &Arc<Project>,
    state: &StateDir,
    name: Option<&Path>,
) -> Result<Scope, Error> {
    let Some(name) = name else {
        let look = || scan::look(project, session.clock.now()).entries();
        return Ok((Some(Search::default()), None, kept::all(session, project, look).unwrap_or_default()));
    };
    let scope = scope_of_name(session, project, state, name);
    let loaded = scope.as_ref().ok().and_then(|(_, loaded)| loaded.as_deref());
    let packet = loaded.map(|loaded| project.relative(&loaded.path));
    let step = loaded.and_then(|loaded| loaded.packet.step.as_ref());
    let kept = kept::named(session, project, name, (packet, step));
    match scope {
        Ok((search, loaded)) => Ok((Some(search), loaded, kept)),
        Err(error) if kept.is_empty() => Err(error),
        Err(_) => Ok((None, None, kept)),
    }
}

/// Which entries a name means; and its gate, if its packet is there.
fn scope_of_name(
    session: &Session<'_>,
    project: &Project,
    state: &StateDir,
    name: &Path,
) -> Result<(Search, Option<Box<Loaded>>), Error> {
    let of_gate = |path: JsString| Search { answer_path: Some(path), ..Search::default() };
    let search = match Resolved::of(session, project, name)? {
        Resolved::Gate(loaded) => {
            let answer_path = loaded.gate().ok_or_else(record::no_gate)?.answer_path.clone();
            let packet = JsString::from(&*project.relative(&loaded.path).shown());
            return Ok((Search { packet: Some(packet), ..of_gate(answer_path) }, Some(loaded)));
        }
        Resolved::File(path) => {
            let known = history::answer_path_of(project, &path).filter(|path| is_known(state, path));
            of_gate(known.ok_or_else(record::no_gate)?)
        }
        Resolved::Missing(error) => match Gone::find(session, project, state, name) {
            Some(Gone::Record(path)) => of_gate(path),
            Some(Gone::Step(step, _)) => Search { step: Some(step), ..Search::default() },
            None => return Err(error),
        },
    };
    Ok((search, None))
}

fn print(
    session: &mut Session<'_>,
    (project, state): (&Project, &StateDir),
    found: &Found,
    kept: &[KeptDraft],
    full: bool,
) -> Result<ExitCode, Error> {
    let lang = session.lang;
    let count = [plural(found.len(), "entry", "entries").into_owned(), found.len().to_string()];
    let mut message = say("{0}.", "{1} 条。").fill(lang, &[&count[0], &count[1]]);
    let (mut status, mut exit, mut code) = ("ok", ExitCode::Done, "history");
    if !kept.is_empty() {
        let more = say(" Kept drafts: {0}.", "留存的草稿：{0} 份。");
        message.push_str(&more.fill(session.lang, &[&kept.len().to_string()]));
    }
    if found.damaged > 0 {
        let more = say(" {0} more cannot be read.", "另有 {0} 条无法读取。");
        message.push_str(&more.fill(session.lang, &[&found.damaged.to_string()]));
        (status, exit, code) = ("error", ExitCode::Failed, "history-damaged");
    }
    let fault = RefCell::default();
    if session.global.json {
        let entries = PrintedEntries { found, project, state, fault: &fault };
        let kept_drafts = kept.iter().map(|kept| PrintedDraft::of(kept, session.lang)).collect();
        let output = HistoryOutput { count: found.len(), entries, kept_drafts };
        let head = Head::new(status, exit, code, message);
        let printed = session.object(&Listing { output, head: LateHead { head, fault: &fault, lang } });
        return printed.map(|()| fault.take().map_or(exit, |error| error.kind));
    }
    let now = session.clock.local_now();
    let mut hearings = HistoryHearings::new(project);
    let mut entries = found.entries(state);
    loop {
        let sound = |entry: Result<_, _>| entry.map_err(|error| fault.replace(Some(error))).ok();
        let some: Vec<HistoryEntry> = entries.by_ref().take(IN_COLUMNS).map_while(sound).collect();
        if some.is_empty() {
            break;
        }
        let mut columns = entries::columns(&some, &now, session.lang);
        for some in some.chunks(AT_ONCE) {
            let rows = some.iter().zip(&mut columns).flat_map(|(entry, line)| {
                entries::rows(entry, line, hearings.of(entry).as_ref(), full.then_some(&now), session.lang)
            });
            let rows: Vec<String> = rows.collect();
            session.print(&rows)?;
            if session.closed {
                return Ok(exit);
            }
        }
    }
    fault.take().map_or(Ok(()), Err)?;
    let mut lines = kept::table(kept, full, &now, session.lang);
    lines.push(message);
    session.print(&lines)?;
    Ok(exit)
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
    entry: &HistoryEntry,
    replace: Option<&str>,
) -> Result<ExitCode, Error> {
    let moved = History { project, state, now: session.clock.now() }
        .restore_entry(entry, over(replace))
        .map_err(|fault| fault.error())?;
    if let Some(unnoted) = &moved.unnoted {
        session.warn(&[unnoted.text(session.lang)]);
    }
    let shown = moved.file.path.shown();
    let sentence = say("{0} is back as it was in entry {1}.", "{0} 已放回，与条目 {1} 相同。");
    let message = sentence.fill(session.lang, &[&shown, &entry.id()]);
    let head = Head::new("restored", ExitCode::Done, "restored", message);
    session.confirm(head, HistoryRestored { entry: entry.id(), file: (&moved.file).into() })
}

/// Erases the entries, and what is kept without a gate; a draft whose gate may be there is no history, nor is one that another
/// console has open.
fn forget(
    session: &mut Session<'_>,
    state: &StateDir,
    scope: Option<&Search>,
    kept: &[KeptDraft],
) -> Result<ExitCode, Error> {
    let mut erased = history::Erased::default();
    let drafts = Drafts::new(state);
    let mut kept_drafts = 0;
    for kept in kept.iter().filter(|kept| !kept.why.is_doubtful()) {
        kept_drafts += usize::from(drafts.drop_kept(kept)?.is_some());
    }
    let left = kept.len() - kept_drafts;
    if let Some(scope) = scope.filter(|scope| scope.step.is_some()) {
        let found = history::search(state, scope)?;
        let mut seen = BTreeSet::new();
        for entry in found.entries(state) {
            let entry = entry?;
            if !seen.insert(entry.gate.clone()) {
                continue;
            }
            let of_gate = history::forget(state, Some(&entry.answer_path))?;
            erased.entries += of_gate.entries;
            erased.removed_records += of_gate.removed_records;
        }
    } else if let Some(scope) = scope {
        erased = history::forget(state, scope.answer_path.as_ref())?;
        if let Some(packet) = &scope.packet {
            erased.entries += history::forget(state, Some(packet))?.entries;
        }
    }
    if kept_drafts > 0 {
        state.wipe()?;
    }
    state.shrink();
    let count = [plural(erased.entries, "entry", "entries").into_owned(), erased.entries.to_string()];
    let mut message = say("{0} erased.", "已清除 {1} 条。").fill(session.lang, &[&count[0], &count[1]]);
    if erased.removed_records > 0 {
        let more = say(
            " Removed records among them: {0}; they can no longer be restored.",
            "其中有 {0} 份移走的记录，已无法再放回。",
        );
        message.push_str(&more.fill(session.lang, &[&erased.removed_records.to_string()]));
    }
    if kept_drafts > 0 {
        let more = say(" Kept drafts erased: {0}.", "另清除 {0} 份留存的草稿。");
        message.push_str(&more.fill(session.lang, &[&kept_drafts.to_string()]));
    }
    if left > 0 {
        let more = say(
            " Drafts not erased: {0}; another console has them open, or their packets may still be there.",
            "另有 {0} 份草稿未清除：另一个控制台正打开着，或其指令包可能还在。",
        );
        message.push_str(&more.fill(session.lang, &[&left.to_string()]));
    }
    let head = Head::new("erased", ExitCode::Done, "erased", message);
    let (entries, removed_records) = (erased.entries, erased.removed_records);
    session.confirm(head, HistoryErased { entries, removed_records, kept_drafts })
}
