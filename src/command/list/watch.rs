//! `list --watch`: every gate with its state, and from then on a line for every change.

use super::super::Session;
use super::super::heard::Heard;
use super::super::output::{Head, Output, PacketPath, form};
use super::super::wake::{self, Wake};
use super::gate::{Beside, Counts, Facts, is_chosen, note_seen, table};
use crate::cli::ListArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::entry::Entry;
use crate::store::hearing::{self, Hearing, HearingCache};
use crate::store::watch::{Mode, Options, StoreEvent};
use crate::store::{Project, Status};
use crate::text::{Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;

pub(super) const OUTPUT: Output = Output::new(
    "list-watch-output",
    "What list --watch --json prints: one of these objects on each line.",
    &[
        form::<WatchedGate>(
            &["open", "waiting", "blocked", "malformed", "sent-back", "gone"],
            &[0, 1, 3, 4, 5],
            &["open", "no-gate", "waiting", "blocked", "malformed", "sent-back", "no-packet"],
        ),
        form::<WatchReady>(&["ok"], &[0], &["ready"]),
        form::<WatchProject>(&["ok", "error"], &[0, 2], &["project-gone", "project-back"]),
        form::<WatchEnd>(&["interrupted"], &[129, 130, 143], &["signal"]),
    ],
);

/// A gate. status, exit and code are what check says of it now; a packet that is gone has gone, 1, no-packet.
#[derive(Serialize, JsonSchema)]
struct WatchedGate {
    /// What happened to it.
    event: WatchEvent,
    /// The state before, if it was told.
    #[schemars(extend("enum" = ["open", "waiting", "blocked", "malformed", "sent-back", null]))]
    previous: Option<&'static str>,
    packet: PacketPath,
    #[serde(flatten)]
    heard: Heard,
    #[serde(flatten)]
    facts: Facts,
}

/// Every gate has been told; from here on come changes. The counts are of all gates.
#[derive(Serialize, JsonSchema)]
struct WatchReady {
    /// What this line tells of.
    #[schemars(extend("enum" = ["ready"]))]
    event: &'static str,
    #[serde(flatten)]
    counts: Counts,
}

/// The project's directory is gone, or back. The watch goes on.
#[derive(Serialize, JsonSchema)]
struct WatchProject {
    /// What this line tells of.
    #[schemars(extend("enum" = ["project-gone", "project-back"]))]
    event: &'static str,
}

/// A signal has ended the watch; the last line.
#[derive(Serialize, JsonSchema)]
struct WatchEnd {
    /// What this line tells of.
    #[schemars(extend("enum" = ["end"]))]
    event: &'static str,
}

/// What a line tells of a gate.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
enum WatchEvent {
    /// It was there when the watch began.
    Present,
    /// It is new, or has come into a state that was asked for.
    Appeared,
    /// It was told before, and differs.
    Changed,
    /// It is in no state that was asked for any more.
    Left,
    /// Its packet is no longer there.
    Gone,
}

/// So many lists may wait to be printed.
const AT_ONCE: usize = 16;

/// Prints changes until a signal comes or nobody reads any more.
pub(super) fn run(
    session: &mut Session<'_>,
    project: &Arc<Project>,
    arguments: &ListArgs,
) -> Result<ExitCode, Error> {
    let (wake, wakes) = mpsc::channel();
    wake::on_signal(&wake)?;
    wake::on_output_closed(&wake, Wake::Closed)?;
    // A reader that takes nothing more must not let the lists pile up.
    let (slot, slots) = mpsc::sync_channel(AT_ONCE);
    let tell = wake::on_change(&wake);
    let report = move |event| {
        let _ = slot.send(());
        tell(event);
    };
    let _watch = wake::watch(project, Options::inbox(), report)?;
    let mut watcher = Watcher {
        project: Arc::clone(project),
        arguments,
        known: None,
        entries: Vec::new(),
        hearings: HearingCache::default(),
        is_gone: false,
        is_polling: false,
    };
    while let Ok(wake) = wakes.recv() {
        match wake {
            Wake::Store(event) => {
                watcher.take(session, event)?;
                let _ = slots.try_recv();
                session.print_notices(None);
            }
            Wake::Signal(number) => return print_end(session, number),
            Wake::Closed => break,
        }
        if session.closed {
            break;
        }
    }
    Ok(ExitCode::Done)
}

/// What was printed so far.
struct Watcher<'w> {
    project: Arc<Project>,
    arguments: &'w ListArgs,
    /// The gates in the states that were asked for, as they were printed last; `None` before the first listing.
    known: Option<BTreeMap<Arc<Path>, Printed>>,
    /// The list as it came last: who was told what is in none of its files.
    entries: Vec<Arc<Entry>>,
    hearings: HearingCache,
    /// Whether the project's directory is away.
    is_gone: bool,
    /// Whether it was said that the system reports no changes.
    is_polling: bool,
}

/// A gate as it was printed.
#[derive(Clone, PartialEq)]
struct Printed {
    entry: Arc<Entry>,
    hearing: Option<Hearing>,
    is_outdated: bool,
}

impl Watcher<'_> {
    fn take(&mut self, session: &mut Session<'_>, event: StoreEvent) -> Result<(), Error> {
        match event {
            StoreEvent::Watching(Mode::Native) | StoreEvent::Unread(None) => {}
            StoreEvent::Entries { entries, cut, .. } => {
                self.set_gone(session, false)?;
                note_seen(session, &self.project, &entries);
                match self.known.take() {
                    None => self.list(session, &entries, cut)?,
                    Some(known) => self.compare(session, known, &entries)?,
                }
                self.entries = entries;
            }
            StoreEvent::Looked => {
                self.set_gone(session, false)?;
                if let Some(known) = self.known.take() {
                    let entries = std::mem::take(&mut self.entries);
                    self.compare(session, known, &entries)?;
                    self.entries = entries;
                }
            }
            StoreEvent::Watching(Mode::Polling(why)) => {
                if !std::mem::replace(&mut self.is_polling, true) {
                    session.warn(&[why.text(session.lang)]);
                }
            }
            StoreEvent::Unread(Some(trouble)) => session.warn(&[trouble.text(session.lang)]),
            StoreEvent::Reopened(project) => self.project = project,
            StoreEvent::RootGone => self.set_gone(session, true)?,
        }
        Ok(())
    }

    /// Prints that the project's directory is gone, or back.
    fn set_gone(&mut self, session: &mut Session<'_>, is_gone: bool) -> Result<(), Error> {
        if std::mem::replace(&mut self.is_gone, is_gone) == is_gone {
            return Ok(());
        }
        let (status, exit, event, sentence) = if is_gone {
            let sentence = say("The project's directory is gone.", "项目目录不见了。");
            ("error", ExitCode::Usage, "project-gone", sentence)
        } else {
            let sentence = say("The project's directory is back.", "项目目录回来了。");
            ("ok", ExitCode::Done, "project-back", sentence)
        };
        let message = sentence.text(session.lang);
        session.confirm(Head::new(status, exit, event, message), WatchProject { event }).map(drop)
    }

    /// Gives what is known of each gate of a list.
    fn printer(&mut self, entries: &[Arc<Entry>]) -> impl FnMut(&Arc<Entry>) -> Printed + use<> {
        let mut hearings = self.hearings.hearings(&self.project, hearing::asked_after(entries));
        let outdated = self.hearings.outdated();
        move |entry| Printed {
            entry: Arc::clone(entry),
            hearing: hearings.remove(&*entry.path),
            is_outdated: outdated.contains(&*entry.path),
        }
    }

    /// Prints every gate, and that this was all.
    fn list(&mut self, session: &mut Session<'_>, entries: &[Arc<Entry>], cut: bool) -> Result<(), Error> {
        let chosen: Vec<&Arc<Entry>> =
            entries.iter().filter(|entry| is_chosen(entry, self.arguments)).collect();
        let counts = Counts::of(entries, cut, entries.iter().any(|entry| entry.being_written));
        let mut print = self.printer(entries);
        let known: BTreeMap<_, _> =
            chosen.iter().map(|entry| (Arc::clone(&entry.path), print(entry))).collect();
        if session.global.json {
            for entry in &chosen {
                print_change(session, WatchEvent::Present, &known[&entry.path], None)?;
            }
            let head = Head::ok("ready", counts.summary(session.lang));
            session.json(head, WatchReady { event: "ready", counts })?;
        } else {
            let shown: Vec<&Entry> = chosen.iter().map(|entry| &***entry).collect();
            let beside = Beside::of(session, &self.project, entries);
            // What is being written comes as a change.
            let counts = Counts { pending: false, ..counts }.sentences(session.lang);
            let now = session.clock.local_now();
            session.print(table(&shown, &beside, &now, session.lang).chain(counts))?;
        }
        self.known = Some(known);
        Ok(())
    }

    /// Prints what differs: first what went, then what came and changed, in the order of the inbox.
    fn compare(
        &mut self,
        session: &mut Session<'_>,
        mut old: BTreeMap<Arc<Path>, Printed>,
        entries: &[Arc<Entry>],
    ) -> Result<(), Error> {
        let (mut known, mut changes) = (BTreeMap::new(), Vec::new());
        let mut print = self.printer(entries);
        for entry in entries {
            let now = print(entry);
            let (before, is_chosen) = (old.remove(&entry.path), is_chosen(entry, self.arguments));
            let event = match &before {
                None if !is_chosen => continue,
                None => Some(WatchEvent::Appeared),
                Some(_) if !is_chosen => Some(WatchEvent::Left),
                // Until it is written, the state before holds.
                Some(before) if entry.being_written || *before == now => None,
                Some(_) => Some(WatchEvent::Changed),
            };
            let previous = before.as_ref().map(|before| before.entry.status);
            changes.extend(event.map(|event| (event, now.clone(), previous)));
            if is_chosen {
                let printed = before.filter(|_| event.is_none()).unwrap_or(now);
                known.insert(Arc::clone(&entry.path), printed);
            }
        }
        self.known = Some(known);
        for gone in old.values() {
            print_change(session, WatchEvent::Gone, gone, Some(gone.entry.status))?;
        }
        changes.iter().try_for_each(|(event, now, previous)| print_change(session, *event, now, *previous))
    }
}

impl WatchEvent {
    /// In a word, for people.
    fn word(self) -> Sentence {
        match self {
            WatchEvent::Present => say("present", "现有"),
            WatchEvent::Appeared => say("appeared", "出现"),
            WatchEvent::Changed => say("changed", "变化"),
            WatchEvent::Left => say("left", "移出"),
            WatchEvent::Gone => say("gone", "消失"),
        }
    }
}

fn print_change(
    session: &mut Session<'_>,
    event: WatchEvent,
    Printed { entry, hearing, is_outdated }: &Printed,
    previous: Option<Status>,
) -> Result<(), Error> {
    let lang = session.lang;
    if session.global.json {
        let head = if event == WatchEvent::Gone {
            let message = say("The packet is no longer there.", "指令包已不存在。").text(lang);
            Head::new("gone", ExitCode::Failed, "no-packet", message)
        } else {
            Head::of_packet(entry.status, entry.is_unseen(), entry.status.exit(), lang)
        };
        let packet = PacketPath(entry.path.shown().into_owned());
        let previous = previous.map(Status::name);
        let gate = WatchedGate {
            event,
            previous,
            packet,
            heard: Heard::of(hearing.as_ref(), *is_outdated),
            facts: Facts::of(entry, lang),
        };
        return session.json(head, gate).map(drop);
    }
    let hearing = hearing.iter().map(|hearing| (entry.path.to_path_buf(), hearing.clone()));
    let outdated = is_outdated.then(|| entry.path.to_path_buf()).into_iter().collect();
    let beside = Beside { hearings: hearing.collect(), outdated, ..Beside::default() };
    let now = session.clock.local_now();
    let mut lines: Vec<String> = table(&[entry], &beside, &now, lang).collect();
    if event == WatchEvent::Gone {
        // What was wrong with it is nobody's concern any more.
        lines.truncate(1);
    }
    if let Some(first) = lines.first_mut() {
        let change = event.word().text(lang);
        *first = match previous.filter(|previous| *previous != entry.status) {
            Some(previous) => say("{0}: {1} -> {2}", "{0}：{1} -> {2}")
                .fill(lang, &[change, previous.word().text(lang), first]),
            None => say("{0}: {1}", "{0}：{1}").fill(lang, &[change, first]),
        };
    }
    session.print(&lines)
}

fn print_end(session: &mut Session<'_>, number: u8) -> Result<ExitCode, Error> {
    let (exit, message) = (ExitCode::Signal(number), wake::signal_sentence(session.lang, number));
    if session.global.json {
        return session.json(Head::new("interrupted", exit, "signal", message), WatchEnd { event: "end" });
    }
    session.warn(&[message]);
    Ok(exit)
}
