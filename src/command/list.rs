//! `list`: every gate with its state.

use super::Session;
use super::kept::{self, PrintedDraft};
use super::output::{Head, Output, form};
use crate::cli::ListArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::Project;
use crate::store::entry::Entry;
use crate::text::{Lang, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

pub(super) mod gate;
mod watch;

use gate::{Beside, Counts, ListedGate, is_chosen, look, note_seen, table};

pub(super) const OUTPUT: Output = Output::new(
    "list-output",
    "What list --json prints: every gate with its state.",
    &[form::<ListOutput>(&["ok"], &[0], &["listed"])],
);

pub(super) const WATCH_OUTPUT: Output = watch::OUTPUT;

/// The gates that were asked for; the counts are of all gates.
#[derive(Serialize, JsonSchema)]
struct ListOutput {
    #[serde(flatten)]
    counts: Counts,
    /// Waiting, those with a draft first; blocked, malformed, open; the newest first.
    gates: Vec<ListedGate>,
    /// Drafts without their gates, the newest first. Only with --all; null if they cannot be read.
    kept_drafts: Option<Vec<PrintedDraft>>,
}

pub fn run(session: &mut Session<'_>, arguments: &ListArgs) -> Result<ExitCode, Error> {
    let project = Arc::new(session.project()?);
    if arguments.watch {
        return watch::run(session, &project, arguments);
    }
    let (all, counts) = look(session, &project)?;
    let beside = Beside::of(session, &project, &all);
    let exit = print(session, &project, arguments, &all, &beside, counts)?;
    // After the output, so that nobody waits for it.
    note_seen(session, &project, &all);
    Ok(exit)
}

fn print(
    session: &mut Session<'_>,
    project: &Project,
    arguments: &ListArgs,
    all: &[Arc<Entry>],
    beside: &Beside,
    counts: Counts,
) -> Result<ExitCode, Error> {
    let mut chosen: Vec<&Entry> =
        all.iter().map(Arc::as_ref).filter(|entry| is_chosen(entry, arguments)).collect();
    chosen.sort_by_key(|entry| !(entry.waits() && beside.drafts.contains_key(&*entry.path)));
    let lang = session.lang;
    // A draft without a gate is in no state.
    let is_wanted = arguments.status.is_empty();
    let kept =
        kept::all(session, project, || all.to_vec()).map(|kept| if is_wanted { kept } else { Vec::new() });
    if session.global.json {
        let gates = chosen.into_iter().map(|entry| ListedGate::of(entry, beside, lang)).collect();
        let kept = kept.filter(|_| arguments.all);
        let kept_drafts = kept.map(|kept| kept.iter().map(|kept| PrintedDraft::of(kept, lang)).collect());
        let output = ListOutput { counts, gates, kept_drafts };
        return session.json(Head::ok("listed", counts.summary(lang)), output);
    }
    let kept = kept.unwrap_or_default();
    let rows = if arguments.all { &kept[..] } else { &[] };
    let now = session.clock.local_now();
    let rows = kept::table(rows, false, &now, lang);
    let more = (rows.len() < kept.len()).then(|| kept_sentence(kept.len(), lang));
    session
        .print(table(&chosen, beside, &now, lang).chain(rows).chain(counts.sentences(lang)).chain(more))?;
    Ok(ExitCode::Done)
}

fn kept_sentence(count: usize, lang: Lang) -> String {
    let says = say(
        "Drafts without their gates: {0}; --all lists them.",
        "另有 {0} 份草稿没有对应的门控，用 --all 列出。",
    );
    says.fill(lang, &[&count.to_string()])
}
