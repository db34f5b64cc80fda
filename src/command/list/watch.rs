//! `list --watch`: every gate with its state, and from then on a line for every change.

use super::super::output::{Head, Output, PacketPath, form, head};
use super::super::{Session, ending};
use super::{CUT, Counts, Facts, is_chosen, note_seen, table, word};
use crate::cli::List;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::entry::Entry;
use crate::store::watch::{Mode, Options, StoreEvent, Watch, Why};
use crate::store::{Project, Status, SystemClock};
use crate::text::{Lang, Sentence, say};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;

pub(super) const OUTPUT: Output = Output::new(
    "list-watch-output",
    "What list --watch --json prints: one of these objects on each line.",
    &[form::<WatchedGate>, form::<WatchReady>, form::<WatchProject>, form::<WatchEnd>],
);

/// A gate. status, exit and code are what check says of it now; a packet that is gone has gone, 1, no-packet.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(
    &["open", "waiting", "blocked", "malformed", "gone"],
    &[0, 1, 3, 4, 5],
    &["open", "no-gate", "waiting", "blocked", "malformed", "no-packet"],
))]
struct WatchedGate {
    #[serde(flatten)]
    head: Head,
    /// What happened to it.
    event: WatchEvent,
    /// The state before, if it was told.
    #[schemars(extend("enum" = ["open", "waiting", "blocked", "malformed", null]))]
    previous: Option<&'static str>,
    packet: PacketPath,
    #[serde(flatten)]
    facts: Facts,
}

/// Every gate has been told; from here on come changes. The counts are of all gates.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(&["ok"], &[0], &["ready"]))]
struct WatchReady {
    #[serde(flatten)]
    head: Head,
    /// What this line tells of.
    #[schemars(extend("enum" = ["ready"]))]
    event: &'static str,
    #[serde(flatten)]
    counts: Counts,
}

/// The project's directory is gone, or back. The watch goes on.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(&["ok", "error"], &[0, 2], &["project-gone", "project-back"]))]
struct WatchProject {
    #[serde(flatten)]
    head: Head,
    /// What this line tells of.
    #[schemars(extend("enum" = ["project-gone", "project-back"]))]
    event: &'static str,
}

/// A signal has ended the watch; the last line.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(&["interrupted"], &[129, 130, 143], &["signal"]))]
struct WatchEnd {
    #[serde(flatten)]
    head: Head,
    /// What this line tells of.
    #[schemars(extend("enum" = ["end"]))]
    event: &'static str,
}

/// What ends the wait for the next line.
enum Wake {
    Store(StoreEvent),
    /// The process is to end.
    Signal(u8),
    /// Nobody reads any more.
    Closed,
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

/// Runs it until it is told to end or nobody reads any more.
///
/// # Errors
/// The system gives no thread, or standard output cannot be written.
pub(super) fn run(
    session: &mut Session<'_>,
    project: &Arc<Project>,
    arguments: &List,
) -> Result<ExitCode, Error> {
    let (wake, wakes) = mpsc::channel();
    ending::on_signal(&wake, Wake::Signal)?;
    ending::on_output_closed(&wake, Wake::Closed)?;
    let send = move |event| drop(wake.send(Wake::Store(event)));
    let watch = Watch::start(Arc::clone(project), Arc::new(SystemClock), Options::inbox(), send);
    let _watch = watch.map_err(|cause| ending::no_thread(&cause))?;
    let mut told = Told { project: Arc::clone(project), arguments, known: None, gone: false, polling: false };
    while let Ok(wake) = wakes.recv() {
        match wake {
            Wake::Store(event) => told.take(session, event)?,
            Wake::Signal(number) => return tell_end(session, number),
            Wake::Closed => break,
        }
        if session.closed {
            break;
        }
    }
    Ok(ExitCode::Done)
}

/// What has been told so far.
struct Told<'t> {
    project: Arc<Project>,
    arguments: &'t List,
    /// The gates in the states that were asked for, as they were told last; `None` before the first listing.
    known: Option<BTreeMap<Arc<Path>, Arc<Entry>>>,
    /// Whether the project's directory is away.
    gone: bool,
    /// Whether it was said that nothing tells of changes.
    polling: bool,
}

impl Told<'_> {
    fn take(&mut self, session: &mut Session<'_>, event: StoreEvent) -> Result<(), Error> {
        match event {
            StoreEvent::Entries { complete: false, .. } | StoreEvent::Watching(Mode::Native) => {}
            StoreEvent::Entries { entries, cut, .. } => {
                self.tell_back(session)?;
                note_seen(session, &self.project, &entries);
                match self.known.take() {
                    None => self.list(session, &entries, cut)?,
                    Some(known) => self.compare(session, known, &entries)?,
                }
            }
            StoreEvent::Looked => self.tell_back(session)?,
            StoreEvent::Watching(Mode::Polling(why)) => self.say_polling(session, &why),
            StoreEvent::Reopened(project) => self.project = project,
            StoreEvent::RootGone => {
                self.gone = true;
                let message = say("The project's directory is gone.", "项目目录不见了。").text(session.lang);
                tell_project(session, "project-gone", ("error", ExitCode::Usage), message)?;
            }
        }
        Ok(())
    }

    fn tell_back(&mut self, session: &mut Session<'_>) -> Result<(), Error> {
        if !std::mem::take(&mut self.gone) {
            return Ok(());
        }
        let message = say("The project's directory is back.", "项目目录回来了。").text(session.lang);
        tell_project(session, "project-back", ("ok", ExitCode::Done), message)
    }

    fn say_polling(&mut self, session: &mut Session<'_>, why: &Why) {
        if !std::mem::replace(&mut self.polling, true) {
            session.warn(&[why.text(session.lang)]);
        }
    }

    /// Tells every gate, and that this was all.
    fn list(&mut self, session: &mut Session<'_>, entries: &[Arc<Entry>], cut: bool) -> Result<(), Error> {
        let chosen: Vec<&Arc<Entry>> =
            entries.iter().filter(|entry| is_chosen(entry, self.arguments)).collect();
        let pending = entries.iter().any(|entry| entry.being_written);
        let counts = Counts::of(entries, cut, pending);
        let message = counts.summary(session.lang);
        if session.global.json {
            for entry in &chosen {
                session.json(line(WatchEvent::Present, entry, None, session.lang))?;
            }
            let head = Head::new("ok", ExitCode::Done, "ready", message);
            session.json(WatchReady { head, event: "ready", counts })?;
        } else {
            let shown: Vec<&Entry> = chosen.iter().map(|entry| &***entry).collect();
            let mut lines = table(&shown, session.lang);
            lines.push(message);
            lines.extend(cut.then(|| CUT.text(session.lang).to_owned()));
            session.print(&lines)?;
        }
        self.known =
            Some(chosen.into_iter().map(|entry| (Arc::clone(&entry.path), Arc::clone(entry))).collect());
        Ok(())
    }

    /// Tells what differs: first what went, then what came and changed, in the order of the inbox.
    fn compare(
        &mut self,
        session: &mut Session<'_>,
        mut known: BTreeMap<Arc<Path>, Arc<Entry>>,
        entries: &[Arc<Entry>],
    ) -> Result<(), Error> {
        let there: BTreeSet<Arc<Path>> = entries.iter().map(|entry| Arc::clone(&entry.path)).collect();
        let gone: Vec<Arc<Path>> = known.keys().filter(|path| !there.contains(*path)).cloned().collect();
        for entry in gone.iter().filter_map(|path| known.remove(path)) {
            tell(session, WatchEvent::Gone, &entry, Some(entry.status))?;
        }
        for entry in entries {
            let path = Arc::clone(&entry.path);
            let before = known.get(&path);
            let previous = before.map(|before| before.status);
            let change = match (before, is_chosen(entry, self.arguments)) {
                (None, false) => continue,
                // Until it is written, the state before holds.
                (Some(_), true) if entry.being_written => continue,
                (Some(before), true) if before == entry => continue,
                (Some(_), true) => WatchEvent::Changed,
                (Some(_), false) => WatchEvent::Left,
                (None, true) => WatchEvent::Appeared,
            };
            tell(session, change, entry, previous)?;
            if change == WatchEvent::Left {
                known.remove(&path);
            } else {
                known.insert(path, Arc::clone(entry));
            }
        }
        self.known = Some(known);
        Ok(())
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

fn tell(
    session: &mut Session<'_>,
    change: WatchEvent,
    entry: &Arc<Entry>,
    previous: Option<Status>,
) -> Result<(), Error> {
    let lang = session.lang;
    if session.global.json {
        return session.json(line(change, entry, previous, lang));
    }
    let mut lines = table(&[entry], lang);
    if change == WatchEvent::Gone {
        // What was wrong with it is nobody's concern any more.
        lines.truncate(1);
    }
    if let Some(first) = lines.first_mut() {
        let change = change.word().text(lang);
        *first = match previous.filter(|previous| *previous != entry.status) {
            Some(previous) => say("{0}: {1} -> {2}", "{0}：{1} -> {2}")
                .fill(lang, &[change, word(previous).text(lang), first]),
            None => say("{0}: {1}", "{0}：{1}").fill(lang, &[change, first]),
        };
    }
    session.print(&lines)
}

fn line(event: WatchEvent, entry: &Entry, previous: Option<Status>, lang: Lang) -> WatchedGate {
    let head = if event == WatchEvent::Gone {
        let message = say("The packet is no longer there.", "指令包已不存在。").text(lang);
        Head::new("gone", ExitCode::Failed, "no-packet", message)
    } else {
        Head::of_state(entry.status, entry.status.exit(), lang)
    };
    let packet = PacketPath(entry.path.to_string_lossy().into_owned());
    WatchedGate { head, event, previous: previous.map(Status::name), packet, facts: Facts::of(entry, lang) }
}

fn tell_project(
    session: &mut Session<'_>,
    event: &'static str,
    (status, exit): (&'static str, ExitCode),
    message: &str,
) -> Result<(), Error> {
    if session.global.json {
        return session.json(WatchProject { head: Head::new(status, exit, event, message), event });
    }
    session.print(&[message.to_owned()])
}

fn tell_end(session: &mut Session<'_>, number: u8) -> Result<ExitCode, Error> {
    let (exit, message) = (ExitCode::Signal(number), ending::sentence(session.lang, number));
    if session.global.json {
        session.json(WatchEnd { head: Head::new("interrupted", exit, "signal", message), event: "end" })?;
    } else {
        session.warn(&[message]);
    }
    Ok(exit)
}
