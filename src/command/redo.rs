//! `redo`: removes a record into history at once, so that its gate waits again; `--undo` puts it back.

use super::Session;
use super::input::{Gone, Resolved};
use super::output::{Head, Output, WrittenFile, form};
use crate::ask::JsString;
use crate::ask::json::Json;
use crate::ask::step::Step;
use crate::cli::RedoArgs;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::decided::{self, Decided, Said};
use crate::store::file::is_packet_name;
use crate::store::gate::{self, LoadFault, Loaded};
use crate::store::history::{self, History, Moved, Story};
use crate::store::questions::{Questions, planned};
use crate::store::{Consequences, Project, Record, StateDir, checkpoint, collision, record};
use crate::text::say;
use crate::text::shell::shell_path;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

pub(super) const OUTPUT: Output = Output::new(
    "redo-output",
    "What redo --json prints. Exit 0, 3 no record (or none to put back), 6 a record is in the way.",
    &[form::<RedoOutput<'_>>(&["removed", "restored"], &[0], &["removed", "restored"])],
);

/// The record was moved into the history (removed), or put back byte for byte (restored).
#[derive(Serialize, JsonSchema)]
struct RedoOutput<'a> {
    #[serde(flatten)]
    file: WrittenFile,
    /// Files that the step has made from the record; they stay.
    outputs: Vec<JsString>,
    /// Whether the checkpoint has passed the step.
    passed: bool,
    /// Other packets, with other questions in the same place, that the record had opened.
    also_opened: Vec<String>,
    /// What follows from that, in sentences.
    warnings: &'a [String],
}

/// Removes a record, or puts it back; after an error it is as it was.
pub fn run(session: &mut Session<'_>, arguments: &RedoArgs) -> Result<ExitCode, Error> {
    let project = Arc::new(session.project()?);
    let state = session.state(&project)?;
    let target = target(session, &project, &state, arguments)?;
    let now = session.clock.now();
    let consequences = match &target {
        Target::Gate(loaded) if !arguments.undo => {
            Consequences { opened: opened(&project, loaded, now), ..Consequences::of(&project, loaded) }
        }
        Target::Gate(_) | Target::Record(_) => Consequences::default(),
    };
    let history = History { project: &project, state: &state, now };
    let moved = match (&target, arguments.undo) {
        (Target::Gate(loaded), false) => {
            history.redo(loaded).map_err(|error| with_refusal(&project, loaded, error))
        }
        (Target::Gate(loaded), true) => history.undo(loaded),
        (Target::Record(answer_path), undo) => {
            let story = Story { answer_path, packet: None, step: None, spec: None, novel_ask: None };
            let moved = if undo { history.restore(&story) } else { history.remove(&story, None) };
            moved.map_err(|fault| fault.error())
        }
    }?;
    print_moved(session, &moved, arguments.undo, &consequences)
}

/// The error of a gate without a record, with what takes back what was sent back.
fn with_refusal(project: &Project, loaded: &Loaded, error: Error) -> Error {
    if error.code != "no-record" || loaded.sent_back.is_none() {
        return error;
    }
    let sentence = say(
        "There is no record: the step is sent back. To take that back: novel-gate answer {0} --take-back",
        "没有记录：这一步已退回。要收回退回：novel-gate answer {0} --take-back",
    );
    let packet = shell_path(&project.relative(&loaded.path).shown());
    Error::new(ExitCode::Waiting, "no-record", sentence, &[&packet])
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

/// What is to be removed or put back.
enum Target {
    /// The record of a gate.
    Gate(Box<Loaded>),
    /// A record that no packet asks for; it may be gone if it is to be put back.
    Record(JsString),
}

fn target(
    session: &Session<'_>,
    project: &Project,
    state: &StateDir,
    arguments: &RedoArgs,
) -> Result<Target, Error> {
    if let Some(name) = &arguments.question {
        return standing(session, project, &arguments.target, name);
    }
    let resolved = Resolved::of(session, project, &arguments.target);
    let missing = match resolved.map_err(|error| with_answers(session, project, &arguments.target, error))? {
        Resolved::Gate(loaded) => return Ok(Target::Gate(loaded)),
        Resolved::File(path) => return loose_record(project, &path),
        Resolved::Missing(error) => error,
    };
    match Gone::find(session, project, state, &arguments.target).filter(|_| arguments.undo) {
        Some(Gone::Record(answer_path)) => Ok(Target::Record(answer_path)),
        Some(Gone::Step(_, entries)) if entries.iter().all(|entry| entry.gate == entries[0].gate) => {
            Ok(Target::Record(entries[0].answer_path.clone()))
        }
        _ => Err(with_ahead(project, &arguments.target, missing)),
    }
}

/// The error of a packet without a gate, with the standing questions whose answers hold for its step.
fn with_answers(session: &Session<'_>, project: &Project, target: &Path, error: Error) -> Error {
    let loaded = session.packet(project, target).ok().and_then(|path| gate::load(project, &path).ok());
    let Some(loaded) = loaded.filter(|_| error.code == "no-gate") else { return error };
    let decided = decided::of_packet(project, &loaded);
    let questions = Questions::read(project);
    let name = |decided: &Decided| Some(questions.owner(&decided.answer_path.lossy())?.name.clone());
    let answered = decided.iter().filter(|decided| matches!(decided.said, Said::Answers(..)));
    naming(&answered.filter_map(name).collect::<Vec<_>>(), error)
}

/// The error of a step without a packet, with the standing questions that have a record ahead of it, a bad one too.
fn with_ahead(project: &Project, target: &Path, error: Error) -> Error {
    let Some(step) = target.to_str().and_then(Step::parse) else { return error };
    let questions = Questions::read(project);
    let (mut planned, _) = planned(project, &questions, step);
    planned.retain(|one| one.record.as_ref().is_some_and(Record::exists));
    naming(&planned.iter().map(|one| one.standing.name.clone()).collect::<Vec<_>>(), error)
}

/// An error with how to take back an answer to one of these questions.
fn naming(names: &[String], error: Error) -> Error {
    if names.is_empty() {
        return error;
    }
    let hint = say(
        "To take back the answer to a standing question, add --question with its name: {0}",
        "要收回对常设提问的回答，请用 --question 加上它的名字：{1}",
    );
    error.hint(hint, &[&names.join(", "), &names.join("、")])
}

/// The answer to a standing question that holds for a step, whatever its packet carries.
fn standing(session: &Session<'_>, project: &Project, target: &Path, name: &str) -> Result<Target, Error> {
    let packet = session.packet(project, target);
    let loaded = packet.as_ref().ok().and_then(|path| gate::load(project, path).ok());
    let id = loaded.as_ref().map(|loaded| loaded.packet.step.as_ref().map(|step| step.lossy().into_owned()));
    let id = id.unwrap_or_else(|| target.to_str().map(str::to_owned));
    let Some(step) = id.as_deref().and_then(Step::parse) else {
        let unknown =
            say("{0} is no step that a standing question can be about.", "{0} 不是常设提问能针对的步骤。");
        return Err(packet
            .err()
            .unwrap_or_else(|| Error::new(ExitCode::Usage, "no-step", unknown, &[&target.shown()])));
    };
    let questions = Questions::read(project);
    let volume = checkpoint::volume(project);
    let span = questions
        .standing(name)
        .and_then(|found| Some((found, found.told(step, volume).into_iter().next()?)));
    let Some((found, span)) = span else {
        let sentence = say(
            "No standing question {0} holds for {1}. Those that there are: novel-gate questions",
            "没有针对 {1} 的常设提问 {0}。查看现有的：novel-gate questions",
        );
        return Err(Error::new(ExitCode::Usage, "no-question", sentence, &[name, &step.to_string()]));
    };
    match loaded {
        Some(loaded) if loaded.gate().is_none_or(|gate| gate.answer_path != *span.place(name)) => {
            let carrying = gate::carrying(project, loaded, found, span);
            let carrying = carrying.map_err(|problem| LoadFault::Malformed(vec![*problem]).error())?;
            Ok(Target::Gate(Box::new(carrying)))
        }
        Some(loaded) => Ok(Target::Gate(Box::new(loaded))),
        None => Ok(Target::Record(span.place(name).into())),
    }
}

/// A file that no packet asks for. It is only ours to remove if it is plainly a record, or lies where one of a standing question does.
fn loose_record(project: &Project, path: &Path) -> Result<Target, Error> {
    let bytes = gate::read_file(path).map_err(|fault| fault.error())?;
    let is_place = |path: &JsString| Questions::read(project).owner(&path.lossy()).is_some();
    match history::answer_path_of(project, path) {
        Some(answer_path) if looks_like_record(&bytes) || is_place(&answer_path) => {
            Ok(Target::Record(answer_path))
        }
        _ => match gate::load(project, path) {
            Ok(_) => Err(record::no_gate()),
            Err(_) if !is_packet_name(path) => {
                let sentence = say(
                    "{0} is neither a packet nor a record; it is untouched.",
                    "{0} 既不是指令包，也不是答案记录；未作改动。",
                );
                let shown = project.relative(path).shown();
                Err(Error::new(ExitCode::Malformed, "malformed", sentence, &[&shown]).at(&shown))
            }
            Err(fault) => Err(fault.error()),
        },
    }
}

fn looks_like_record(bytes: &[u8]) -> bool {
    Json::parse_keeping(bytes, &["answers", "answered_by"]).is_ok_and(|json| {
        let root = json.root();
        root.object("answers").is_some() && root.get("answered_by").is_some()
    })
}

fn print_moved(
    session: &mut Session<'_>,
    moved: &Moved,
    undo: bool,
    consequences: &Consequences,
) -> Result<ExitCode, Error> {
    let shown = moved.file.path.shown();
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
    let opened = consequences.opened.iter().map(|path| path.shown().into_owned());
    let output = RedoOutput {
        file: (&moved.file).into(),
        outputs: consequences.outputs.iter().map(|output| output.path.clone()).collect(),
        passed: consequences.passed,
        also_opened: opened.collect(),
        warnings: &warnings,
    };
    let exit = session.confirm(Head::new(status, ExitCode::Done, status, message), output)?;
    if !session.global.json {
        for warning in warnings {
            session.warn(&[warning]);
        }
    }
    Ok(exit)
}
