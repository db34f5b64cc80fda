//! `answer`: answers a gate without the console.
//!
//! Responsible for where answers come from (a file, flags, defaults, or one question after another on a terminal) and
//! for saying what became of them. Not responsible for whether they are valid (`ask`) nor for the write (`store`).

use super::output::{
    AnswerPath, Head, Output, PacketPath, Problems, RecordHash, RecordOutput, WrittenFile, form, head,
};
use super::{Session, report};
use crate::ask::{AnswerSpec, Draft, JsString, Notes, QuestionSpec, check_notes};
use crate::cli::Answer;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::rfc3339_millis;
use crate::store::drafts::Drafts;
use crate::store::gate::{self, Loaded, Submission};
use crate::store::{Project, Receipt, Record, Refusal, WriteError, collision, history, record};
use crate::text::{Lang, say};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod given;
mod interview;

pub(super) const OUTPUT: Output = Output::new(
    "answer-output",
    "What answer --json prints. Exit 0 written or valid, 4 invalid answers, 5 malformed or refused, 6 a record is there.",
    &[
        form::<AnswerWritten>,
        form::<AnswerValid>,
        form::<AnswerInvalid>,
        form::<AnswerRefused>,
        form::<AnswerConflict>,
        form::<AnswerExists>,
    ],
);

/// The record was written and read again; the gate is open.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(&["written"], &[0], &["written"]))]
struct AnswerWritten {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    signed: Signed,
    #[serde(flatten)]
    file: WrittenFile,
    /// The record.
    #[schemars(with = "RecordOutput")]
    record: Box<RawValue>,
}

/// --dry-run: the answers are valid, and nothing was written.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(&["valid"], &[0], &["valid"]))]
struct AnswerValid {
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    signed: Signed,
    /// The record.
    #[schemars(with = "RecordOutput")]
    record: Box<RawValue>,
}

#[derive(Serialize, JsonSchema)]
struct Signed {
    packet: PacketPath,
    answer_path: AnswerPath,
    /// Who answered.
    answered_by: JsString,
    /// When.
    #[schemars(extend("format" = "date-time"))]
    answered_at: JsString,
}

/// Nothing was written: the answers or the packet break rules, or the packet has changed meanwhile.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(
    &["invalid", "malformed", "stale"],
    &[4, 5, 6],
    &["invalid-answers", "malformed", "stale"],
))]
struct AnswerInvalid {
    #[serde(flatten)]
    head: Head,
    packet: PacketPath,
    problems: Problems,
}

/// Nothing was written: no record may be written there.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(&["refused"], &[5], &["refused"]))]
struct AnswerRefused {
    #[serde(flatten)]
    head: Head,
    packet: PacketPath,
    /// Why no record may be written there.
    refusal: Refusal,
    problems: Problems,
}

/// Nothing was written: other packets want different answers in the same place, and the record leaves them blocked.
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(&["conflict"], &[5], &["conflict"]))]
struct AnswerConflict {
    #[serde(flatten)]
    head: Head,
    packet: PacketPath,
    /// The packets that would be left blocked.
    conflicts: Vec<String>,
    problems: Problems,
}

/// Nothing was written: a record is there (exists), or not the one that --replace=SHA256 names (changed).
#[derive(Serialize, JsonSchema)]
#[schemars(transform = head(&["exists", "changed"], &[6], &["record-exists", "record-changed"]))]
struct AnswerExists {
    #[serde(flatten)]
    head: Head,
    packet: PacketPath,
    /// Whether the record that is there is valid.
    valid: bool,
    sha256: RecordHash,
    /// Who answered, if a valid record is there.
    answered_by: Option<JsString>,
    /// When, as the record spells it.
    answered_at: Option<JsString>,
    /// Other packets that want different answers in the same place.
    conflicts: Vec<String>,
    problems: Problems,
}

/// Answers a gate.
///
/// # Errors
/// Nothing has been written.
pub fn run(session: &mut Session<'_>, arguments: &Answer) -> Result<ExitCode, Error> {
    let answered_by = answered_by(session, arguments)?;
    let project = session.project()?;
    let path = session.packet(&project, &arguments.packet)?;
    let rivals = rivals(session, &path);
    match write(
        session,
        &project,
        &Order { path: &path, answered_by: &answered_by, rivals: &rivals },
        arguments,
    ) {
        Ok(written) => tell(session, &project, &path, &written),
        Err(Failure::Error(error)) => Err(error),
        Err(Failure::Unwritten(fault)) => {
            let seen = arguments.replace.as_deref().is_some_and(|seen| !seen.is_empty());
            tell_unwritten(session, &project, (&path, &rivals), (seen, &fault))
        }
    }
}

/// Packets that want other answers in the same place.
fn rivals(session: &Session<'_>, path: &Path) -> Vec<PathBuf> {
    let Ok(project) = session.project().map(Arc::new) else { return Vec::new() };
    let Ok(loaded) = gate::load(&project, path) else { return Vec::new() };
    let rivals = |gate| collision::rivals(&project, path, gate, session.clock.now());
    loaded.gate().map(rivals).unwrap_or_default()
}

/// What they are, for people.
fn rival_lines(rivals: &[PathBuf], lang: Lang) -> Vec<String> {
    let named = rivals.iter().map(|path| (path.to_string_lossy().into_owned(), false));
    report::other_lines(named, lang).map(|line| line.trim().to_owned()).collect()
}

/// Nobody signs for the author: only on a terminal is it known that a human answers.
fn answered_by(session: &Session<'_>, arguments: &Answer) -> Result<JsString, Error> {
    let usage = |code, sentence| Err(Error::new(ExitCode::Usage, code, sentence, &[]));
    match &arguments.by {
        Some(name) if JsString::from(name.as_str()).is_blank() => {
            usage("blank-by", say("--by needs a name.", "--by 需要一个名字。"))
        }
        Some(name) => Ok(name.as_str().into()),
        None if session.environment.input_is_terminal => Ok("human".into()),
        None => usage(
            "no-by",
            say(
                "Say who answers with --by NAME; without a terminal nobody signs for the author.",
                "请用 --by NAME 说明由谁回答；不在终端上时，没有人替作者署名。",
            ),
        ),
    }
}

/// What is to be answered, and by whom.
struct Order<'o> {
    path: &'o Path,
    answered_by: &'o JsString,
    /// Packets that want other answers in the same place.
    rivals: &'o [PathBuf],
}

/// What was written, or would have been.
struct Written {
    loaded: Loaded,
    record: AnswerSpec,
    /// `None` after a dry run.
    receipt: Option<Receipt>,
    /// That the history could not be kept.
    trouble: Option<Error>,
}

enum Failure {
    Error(Error),
    Unwritten(Box<WriteError>),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Error(error)
    }
}

impl From<WriteError> for Failure {
    fn from(fault: WriteError) -> Failure {
        match fault {
            WriteError::Packet(gate::LoadFault::Unreadable(error)) | WriteError::Failed(error) => {
                Failure::Error(error)
            }
            WriteError::NoGate => Failure::Error(record::no_gate()),
            fault => Failure::Unwritten(Box::new(fault)),
        }
    }
}

fn write(
    session: &mut Session<'_>,
    project: &Project,
    order: &Order<'_>,
    arguments: &Answer,
) -> Result<Written, Failure> {
    let &Order { path, answered_by, rivals } = order;
    let loaded = gate::load(project, path).map_err(WriteError::Packet)?;
    let gate = loaded.gate().ok_or(WriteError::NoGate)?;
    if let Some(refusal) = loaded.refusal {
        return Err(WriteError::Refused(refusal).into());
    }
    let seen = arguments.replace.clone();
    if stands_in_the_way(&loaded.record, seen.as_deref()) {
        return Err(WriteError::Exists(Box::new(loaded.record)).into());
    }
    // Nobody is asked for answers that could not be written.
    gate::conflict(project, path, gate, collision::irreconcilable(project, gate, rivals))?;
    let interviewed = arguments.is_empty();
    if interviewed && !rivals.is_empty() {
        for line in rival_lines(rivals, session.lang) {
            session.warn(&[line]);
        }
    }
    let draft = draft(session, project, &loaded, arguments)?;
    let at = rfc3339_millis(session.clock.now());
    let record = draft.record(&gate.spec, &at, answered_by);
    let blocked = collision::left_blocked(project, gate, rivals, record.to_json().as_bytes());
    gate::conflict(project, path, gate, blocked)?;
    let mut written = Written { loaded, record, receipt: None, trouble: None };
    if !arguments.dry_run {
        commit(session, project, (&mut written, rivals), seen.as_deref())?;
        if let (true, Some(gate), Ok(state)) = (interviewed, written.loaded.gate(), session.state(project)) {
            // The answers are in the record now. A draft that stays behind is offered again, never sent.
            let _ = Drafts::new(&state).remove(&gate.answer_path);
        }
    }
    Ok(written)
}

/// Whether there is a record that may not be replaced, or not the one that was to be.
fn stands_in_the_way(record: &Record, seen: Option<&str>) -> bool {
    match seen {
        None => record.exists(),
        Some("") => false,
        Some(seen) => !record.exists() || seen != record.sha256(),
    }
}

/// The answers, wherever they come from.
fn draft(
    session: &mut Session<'_>,
    project: &Project,
    loaded: &Loaded,
    arguments: &Answer,
) -> Result<Draft, Failure> {
    let gate = loaded.gate().ok_or(WriteError::NoGate)?;
    let notes = given::notes(&arguments.notes)?;
    if !arguments.is_empty() {
        let answers = given::collect(session, gate, arguments, &notes)?;
        let mut draft = Draft::blank(&gate.spec);
        put_notes(&mut draft, &gate.spec, notes);
        for (id, answer) in answers {
            if let Some((place, question)) = gate.spec.find(&id) {
                draft.replies[place].set(question, answer);
            }
        }
        return Ok(draft);
    }
    // Who sends the output elsewhere does not sit before the questions.
    if session.environment.input_is_terminal && session.environment.output_is_terminal {
        let problems = check_notes(&gate.spec, &notes);
        if !problems.is_empty() {
            return Err(WriteError::Invalid(problems).into());
        }
        let mut draft = interview::ask(session, project, loaded)?;
        put_notes(&mut draft, &gate.spec, notes);
        return Ok(draft);
    }
    Err(Failure::Error(Error::new(
        ExitCode::Usage,
        "no-answers",
        say("Give answers with --from, --set or --defaults.", "请用 --from、--set 或 --defaults 给出回答。"),
        &[],
    )))
}

fn put_notes(draft: &mut Draft, spec: &QuestionSpec, notes: Notes) {
    for (id, note) in notes {
        if let Some(place) = spec.place_of(&id) {
            draft.replies[place].note = note;
        }
    }
}

fn commit(
    session: &Session<'_>,
    project: &Project,
    (written, rivals): (&mut Written, &[PathBuf]),
    seen: Option<&str>,
) -> Result<(), Failure> {
    let asked = written.loaded.spec_hash();
    let packet = written.loaded.path.as_path();
    let submission = Submission { packet, asked: &asked, record: &written.record, rivals };
    let now = session.clock.now();
    let receipt = match seen {
        None => gate::submit(project, &submission),
        Some(seen) => {
            let seen = Some(seen).filter(|seen| !seen.is_empty());
            gate::replace(project, &session.state(project)?, &submission, seen, now)
        }
    }?;
    written.receipt = Some(receipt);
    let noted = session
        .state(project)
        .and_then(|state| history::note_answer(&state, &written.loaded, &written.record, now));
    written.trouble = noted.err();
    Ok(())
}

fn tell(
    session: &mut Session<'_>,
    project: &Project,
    path: &Path,
    written: &Written,
) -> Result<ExitCode, Error> {
    let (status, message) = match &written.receipt {
        Some(receipt) => (
            "written",
            say("{0} is written; the gate is open.", "{0} 已写入，门控已放行。")
                .fill(session.lang, &[&receipt.path.to_string_lossy()]),
        ),
        None => (
            "valid",
            say("These answers are valid; nothing was written.", "这些回答有效；没有写入任何内容。")
                .text(session.lang)
                .to_owned(),
        ),
    };
    if let Some(trouble) = &written.trouble {
        session.warn(&[trouble.text(session.lang)]);
    }
    if !session.global.json {
        if written.receipt.is_none() {
            session.exact(written.record.to_json().as_bytes())?;
        } else {
            session.say(&[message])?;
        }
        return Ok(ExitCode::Done);
    }
    let head = Head::new(status, ExitCode::Done, status, message);
    let signed = Signed {
        packet: PacketPath(project.relative(path).to_string_lossy().into_owned()),
        answer_path: AnswerPath::of(written.loaded.gate()),
        answered_by: written.record.answered_by.clone(),
        answered_at: written.record.answered_at.clone(),
    };
    let record = RecordOutput::as_written(&written.record);
    match &written.receipt {
        Some(receipt) => session.json(AnswerWritten { head, signed, file: receipt.into(), record })?,
        None => session.json(AnswerValid { head, signed, record })?,
    }
    Ok(ExitCode::Done)
}

fn tell_unwritten(
    session: &mut Session<'_>,
    project: &Project,
    (path, rivals): (&Path, &[PathBuf]),
    (seen, fault): (bool, &WriteError),
) -> Result<ExitCode, Error> {
    let lang = session.lang;
    let error = match fault {
        WriteError::Exists(record) if seen => not_as_seen(record),
        _ => fault.error(),
    };
    let (status, problems) = match fault {
        WriteError::Invalid(problems) => ("invalid", problems.as_slice()),
        WriteError::Packet(gate::LoadFault::Malformed(problems)) => ("malformed", problems.as_slice()),
        WriteError::Exists(_) if seen => ("changed", &[][..]),
        WriteError::Exists(_) => ("exists", &[][..]),
        WriteError::Refused(_) => ("refused", &[][..]),
        WriteError::Conflict(_) => ("conflict", &[][..]),
        _ => ("stale", &[][..]),
    };
    if !session.global.json {
        // The error itself names the first problem; where all follow, its message is enough.
        let mut lines = match problems {
            [] => vec![error.text(lang)],
            _ if status == "malformed" => vec![gate::verdict(gate::Status::Malformed).text(lang)],
            _ => vec![error.message.text(lang)],
        };
        lines.extend(report::problem_lines(problems, lang));
        if matches!(fault, WriteError::Exists(_)) {
            // Perhaps it is the other one's.
            lines.extend(rival_lines(rivals, lang));
        }
        session.warn(&lines);
        return Ok(error.kind);
    }
    let head = Head::new(status, error.kind, error.code, error.text(lang));
    let packet = PacketPath(project.relative(path).to_string_lossy().into_owned());
    let problems = Problems::of(problems, lang);
    match fault {
        WriteError::Exists(record) => {
            let valid = record.valid();
            session.json(AnswerExists {
                head,
                packet,
                valid: valid.is_some(),
                sha256: RecordHash::of(Some(record)),
                answered_by: valid.map(|record| record.answered_by.clone()),
                answered_at: valid.map(|record| record.answered_at.clone()),
                conflicts: shown_paths(rivals),
                problems,
            })
        }
        WriteError::Refused(refusal) => {
            session.json(AnswerRefused { head, packet, refusal: *refusal, problems })
        }
        WriteError::Conflict(conflict) => {
            let conflicts = shown_paths(&conflict.blocked);
            session.json(AnswerConflict { head, packet, conflicts, problems })
        }
        _ => session.json(AnswerInvalid { head, packet, problems }),
    }?;
    Ok(error.kind)
}

fn shown_paths(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

/// The record with the hash that was given is there no more.
fn not_as_seen(record: &Record) -> Error {
    let sentence = if record.exists() {
        say(
            "The record changed since it was looked at; it is untouched.",
            "记录在查看之后发生了变化，未作改动。",
        )
    } else {
        say(
            "The record that was looked at is gone; nothing was written.",
            "查看过的那份记录已经不在；没有写入任何内容。",
        )
    };
    Error::new(ExitCode::Exists, "record-changed", sentence, &[])
}
