//! `redo`: removes a record into history at once, so that its gate waits again; `--undo` puts it back.

use super::Session;
use super::output::{Head, Output, WrittenFile, form, head};
use crate::ask::json::{Json, Kind};
use crate::ask::{JsString, looks_like_gate};
use crate::cli::Redo;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::gate::{self, Loaded};
use crate::store::history::{self, Moved, Search, Story};
use crate::store::{Consequences, Project, StateDir, collision, locate, record};
use crate::text::say;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

pub(super) const OUTPUT: Output = Output::new(
    "redo-output",
    "What redo --json prints. Exit 0, 3 no record (or none to put back), 6 a record is in the way.",
    &[form::<RedoOutput>],
);

/// The record was moved into the history (removed), or put back byte for byte (restored).
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(&["removed", "restored"], &[0], &["removed", "restored"]))]
struct RedoOutput {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    file: WrittenFile,
    /// Files that the step has made from the record; they stay.
    outputs: Vec<JsString>,
    /// Whether the checkpoint has passed the step.
    passed: bool,
    /// Other packets, with other questions in the same place, that the record had opened.
    also_opened: Vec<String>,
    /// What follows from that, in sentences.
    warnings: Vec<String>,
}

/// Removes a record, or puts it back.
///
/// # Errors
/// The record is as it was.
pub fn run(session: &mut Session<'_>, arguments: &Redo) -> Result<ExitCode, Error> {
    let project = Arc::new(session.project()?);
    let state = session.state(&project)?;
    let subject = subject(session, (&project, &state), arguments)?;
    let now = session.clock.now();
    let consequences = match &subject {
        Subject::Packet(loaded) if !arguments.undo => {
            Consequences { opened: opened(&project, loaded, now), ..Consequences::of(&project, loaded) }
        }
        _ => Consequences::default(),
    };
    let moved = match (&subject, arguments.undo) {
        (Subject::Packet(loaded), false) => history::redo(&project, &state, loaded, now),
        (Subject::Packet(loaded), true) => history::undo(&project, &state, loaded, now),
        (Subject::Record(answer_path), undo) => {
            let story = Story { answer_path, packet: None, step: None, spec: None, novel_ask: None };
            let moved = if undo {
                history::restore(&project, &state, &story, now)
            } else {
                history::remove(&project, &state, &story, None, now)
            };
            moved.map_err(|fault| fault.error())
        }
    }?;
    tell(session, &moved, (arguments.undo, &consequences))
}

/// Other packets that ask something else and that this very record has opened.
fn opened(project: &Arc<Project>, loaded: &Loaded, now: SystemTime) -> Vec<PathBuf> {
    let Some(gate) = loaded.gate().filter(|_| loaded.record.exists() && loaded.record.is_read()) else {
        return Vec::new();
    };
    let rivals = collision::rivals(project, &loaded.path, gate, now);
    let blocked = collision::left_blocked(project, gate, &rivals, &loaded.record.bytes);
    let held_up = collision::left_blocked(project, gate, &rivals, b"");
    held_up.into_iter().filter(|path| !blocked.contains(path)).collect()
}

/// What is to be redone.
enum Subject {
    /// A gate, named by its packet.
    Packet(Box<Loaded>),
    /// A record, named by its own file; it may be gone if it is to be put back.
    Record(JsString),
}

fn subject(
    session: &Session<'_>,
    (project, state): (&Project, &StateDir),
    arguments: &Redo,
) -> Result<Subject, Error> {
    let below = [session.environment.cwd.join(&arguments.target), project.root().join(&arguments.target)];
    let found = match session.packet(project, &arguments.target) {
        Ok(path) => path,
        // A record that is not there any more is known by the packet that asks for it.
        Err(error) => match below.iter().find_map(|path| locate::packet_asking_for(project, path)) {
            Some(packet) => return load(project, &packet),
            None if arguments.undo => {
                return removed_record((project, state), &below, arguments).ok_or(error);
            }
            None => return Err(error),
        },
    };
    let file = gate::read_file(&found);
    if is_named_packet(&found) && file.as_ref().is_ok_and(|file| looks_like_gate(&file.bytes)) {
        return load(project, &found);
    }
    // What lies in a record's place is that, whatever is in it: a copy of a packet, a directory.
    if let Some(packet) = locate::packet_asking_for(project, &found) {
        return load(project, &packet);
    }
    let bytes = file.map_err(|fault| fault.error())?.bytes;
    if looks_like_gate(&bytes) {
        return load(project, &found);
    }
    // Nothing asks for this file. It is only ours to remove if it is plainly a record.
    match history::answer_path_of(project, &found) {
        Some(answer_path) if looks_like_record(&bytes) => Ok(Subject::Record(answer_path)),
        _ => match gate::load(project, &found) {
            Ok(_) => Err(record::no_gate()),
            Err(_) if !is_named_packet(&found) => Err(no_record(project.relative(&found))),
            Err(fault) => Err(fault.error()),
        },
    }
}

/// Whatever else it is, it stays.
fn no_record(path: &Path) -> Error {
    let sentence = say(
        "{0} is neither a packet nor a record; it is untouched.",
        "{0} 既不是指令包，也不是答案记录；未作改动。",
    );
    let shown = path.to_string_lossy();
    Error::new(ExitCode::Malformed, "malformed", sentence, &[&shown]).at(&shown)
}

fn load(project: &Project, path: &Path) -> Result<Subject, Error> {
    let loaded = gate::load(project, path).map_err(|fault| fault.error())?;
    if loaded.gate().is_none() {
        return Err(record::no_gate());
    }
    Ok(Subject::Packet(Box::new(loaded)))
}

/// A record that is not there any more and that no packet asks for, known to the history by the path it had
/// or by its step.
fn removed_record(
    (project, state): (&Project, &StateDir),
    below: &[PathBuf],
    arguments: &Redo,
) -> Option<Subject> {
    let known = |path: &JsString| history::entries(state, path).is_ok_and(|entries| !entries.is_empty());
    let by_path = below.iter().filter_map(|path| history::answer_path_of(project, path)).find(known);
    let by_step = || {
        let step = Some(arguments.target.to_str()?.into());
        let found = history::search(state, &Search { step, ..Search::default() }).ok()?;
        let newest = found.first()?;
        found.iter().all(|entry| entry.key() == newest.key()).then(|| newest.answer_path.clone())
    };
    by_path.or_else(by_step).map(Subject::Record)
}

fn is_named_packet(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".packet.json")
}

fn looks_like_record(bytes: &[u8]) -> bool {
    Json::parse_keeping(bytes, &["answers", "answered_by"]).is_ok_and(|json| {
        let root = json.root();
        root.get("answers").is_some_and(|answers| answers.kind() == Kind::Object)
            && root.get("answered_by").is_some()
    })
}

fn tell(
    session: &mut Session<'_>,
    moved: &Moved,
    (undo, consequences): (bool, &Consequences),
) -> Result<ExitCode, Error> {
    let shown = moved.path.to_string_lossy();
    let (status, sentence) = if undo {
        ("restored", say("{0} is back, byte for byte.", "{0} 已逐字节放回。"))
    } else {
        (
            "removed",
            say(
                "{0} was moved to the history; the gate waits again. --undo puts it back.",
                "{0} 已移入历史，门控重新等待回答。用 --undo 可以放回。",
            ),
        )
    };
    let message = sentence.fill(session.lang, &[&shown]);
    let mut warnings: Vec<String> =
        consequences.warnings().iter().map(|warning| warning.text(session.lang)).collect();
    warnings.extend(moved.unnoted.as_ref().map(|error| error.text(session.lang)));
    if !session.global.json {
        session.print(&[message])?;
        for warning in &warnings {
            session.warn(std::slice::from_ref(warning));
        }
        return Ok(ExitCode::Done);
    }
    let opened = consequences.opened.iter().map(|path| path.to_string_lossy().into_owned());
    session.json(RedoOutput {
        head: Head::new(status, ExitCode::Done, status, message),
        file: moved.into(),
        outputs: consequences.outputs.iter().map(|output| output.path.clone()).collect(),
        passed: consequences.passed,
        also_opened: opened.collect(),
        warnings,
    })?;
    Ok(ExitCode::Done)
}
