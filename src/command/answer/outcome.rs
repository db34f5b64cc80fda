//! What `answer` prints: what was written, or why nothing was.

use super::order::{Order, WrittenRecord};
use crate::ask::{AnswerSpec, JsString};
use crate::command::input::NamedPacket;
use crate::command::output::{
    AnswerPath, Head, Others, Output, PacketPath, Problems, RecordHash, WrittenFile, as_written, form,
};
use crate::command::sent_back::SentBackOutput;
use crate::command::{Session, lines};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::gate;
use crate::store::questions::ahead_of;
use crate::store::reply::Reply;
use crate::store::returned::{Returned, Why};
use crate::store::{Record, Refusal, WriteError};
use crate::text::{Lang, say};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use std::path::PathBuf;

pub(in crate::command) const OUTPUT: Output = Output::new(
    "answer-output",
    "What answer --json prints. Exit 0 written or valid, 4 invalid answers, 5 malformed or refused, 6 a record is there.",
    &[
        form::<AnswerWritten>(&["written"], &[0], &["written"]),
        form::<AnswerValid>(&["valid"], &[0], &["valid"]),
        form::<AnswerInvalid>(
            &["invalid", "malformed", "stale"],
            &[4, 5, 6],
            &["invalid-answers", "malformed", "stale"],
        ),
        form::<AnswerRefused>(&["refused"], &[5], &["refused"]),
        form::<AnswerSentBack>(&["sent-back"], &[0], &["sent-back"]),
        form::<AnswerRefusing>(&["valid"], &[0], &["would-send-back"]),
        form::<AnswerTakenBack>(&["taken-back"], &[0], &["taken-back"]),
        form::<AnswerConflict>(&["conflict"], &[5], &["conflict"]),
        form::<AnswerExists>(&["exists", "changed"], &[6], &["record-exists", "record-changed"]),
    ],
);

/// The record was written and read again; the gate is open.
#[derive(Serialize, JsonSchema)]
struct AnswerWritten {
    #[serde(flatten)]
    signed: Signed,
    #[serde(flatten)]
    file: WrittenFile,
    /// The record.
    #[schemars(with = "AnswerSpec")]
    record: Box<RawValue>,
    /// The standing question that the step asks next; null if nothing else holds it up.
    next_question: Option<String>,
}

/// The step was sent back; no record was written, and one that was there is in the history.
#[derive(Serialize, JsonSchema)]
struct AnswerSentBack {
    packet: PacketPath,
    answer_path: AnswerPath,
    /// What whoever waits for it is told.
    sent_back: SentBackOutput,
    /// The hash of the record that went into the history; null if none was there.
    removed: Option<String>,
}

/// --dry-run: these answers would send the step back, and nothing was written.
#[derive(Serialize, JsonSchema)]
struct AnswerRefusing {
    packet: PacketPath,
    answer_path: AnswerPath,
    /// The label of a verdict that is chosen.
    choice: Option<JsString>,
    /// What is said beside it.
    reason: JsString,
}

/// --take-back: the gate waits again.
#[derive(Serialize, JsonSchema)]
struct AnswerTakenBack {
    packet: PacketPath,
    answer_path: AnswerPath,
    /// What was taken back.
    taken_back: SentBackOutput,
}

/// --dry-run: the answers are valid, and nothing was written.
#[derive(Serialize, JsonSchema)]
struct AnswerValid {
    #[serde(flatten)]
    signed: Signed,
    /// The record.
    #[schemars(with = "AnswerSpec")]
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
struct AnswerInvalid {
    packet: PacketPath,
    problems: Problems,
}

/// Nothing was written: no record may be written there.
#[derive(Serialize, JsonSchema)]
struct AnswerRefused {
    packet: PacketPath,
    /// Why no record may be written there.
    refusal: Refusal,
    problems: Problems,
}

/// Nothing was written: other packets want different answers in the same place, and the record leaves them blocked.
#[derive(Serialize, JsonSchema)]
struct AnswerConflict {
    packet: PacketPath,
    /// The packets that would be left blocked.
    conflicts: Vec<String>,
    problems: Problems,
}

/// Nothing was written: a record is there (exists), or not the one that --replace=SHA256 names (changed).
#[derive(Serialize, JsonSchema)]
struct AnswerExists {
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

/// Packets that want other answers in the same place, for people.
pub(super) fn rival_lines(rivals: &[PathBuf], lang: Lang) -> Vec<String> {
    let rivals = Others::of(rivals.iter().map(|path| (path, false)));
    lines::others(&rivals, lang).map(|line| line.trim().to_owned()).collect()
}

pub(super) fn print(
    session: &mut Session<'_>,
    order: &Order<'_>,
    written: &WrittenRecord,
) -> Result<ExitCode, Error> {
    let lang = session.lang;
    if let Some(trouble) = &written.trouble {
        session.warn(&[trouble.text(lang)]);
    }
    let signed = Signed {
        packet: PacketPath(order.packet.shown.clone()),
        answer_path: AnswerPath::of(order.packet.gate()),
        answered_by: written.record.answered_by.clone(),
        answered_at: written.record.answered_at.clone(),
    };
    let record = as_written(&written.record);
    if let Some(receipt) = &written.receipt {
        let is_ahead = ahead_of(order.project, &order.packet.path).is_some();
        let sentence = match written.next {
            None if is_ahead => say(
                "{0} is written; nothing is asked there when the packet comes.",
                "{0} 已写入；指令包到来时不会再问。",
            ),
            Some(_) if is_ahead => {
                say("{0} is written. Next to decide: {1}.", "{0} 已写入。接着可以决定：{1}。")
            }
            None => say("{0} is written; the gate is open.", "{0} 已写入，门控已放行。"),
            Some(_) => say("{0} is written. The step asks {1} next.", "{0} 已写入。这一步接着要问 {1}。"),
        };
        let next = written.next.as_deref().unwrap_or_default();
        let message = sentence.fill(lang, &[&receipt.path.shown(), next]);
        let head = Head::new("written", ExitCode::Done, "written", message);
        let next_question = written.next.clone();
        return session.confirm(head, AnswerWritten { signed, file: receipt.into(), record, next_question });
    }
    let sentence = say("These answers are valid; nothing was written.", "这些回答有效；没有写入任何内容。");
    let head = Head::new("valid", ExitCode::Done, "valid", sentence.text(lang));
    let json = written.record.to_json();
    session.output_exactly(head, AnswerValid { signed, record }, json.as_bytes())
}

pub(super) fn print_sent_back(
    session: &mut Session<'_>,
    order: &Order<'_>,
    returned: &Returned,
) -> Result<ExitCode, Error> {
    let lang = session.lang;
    if let Some(trouble) = &returned.unnoted {
        session.warn(&[trouble.text(lang)]);
    }
    let sentence = match &returned.removed {
        None => say(
            "{0} is sent back; whoever waits for it is told why.",
            "{0} 已退回；等待它的执行器会收到理由。",
        ),
        Some(_) => say(
            "{0} is sent back; whoever waits for it is told why. The record that was there is in the history.",
            "{0} 已退回；等待它的执行器会收到理由。原有的记录已移入历史。",
        ),
    };
    let head =
        Head::new("sent-back", ExitCode::Done, "sent-back", sentence.fill(lang, &[&order.packet.shown]));
    let output = AnswerSentBack {
        packet: PacketPath(order.packet.shown.clone()),
        answer_path: AnswerPath::of(order.packet.gate()),
        sent_back: SentBackOutput::of(&returned.sent, &[]),
        removed: returned.removed.as_ref().map(|receipt| receipt.sha256.clone()),
    };
    session.confirm(head, output)
}

pub(super) fn print_refusing(
    session: &mut Session<'_>,
    order: &Order<'_>,
    why: &Why,
) -> Result<ExitCode, Error> {
    let choice = why.choice.as_ref().map(JsString::display).unwrap_or_default();
    let sentence = say(
        "These answers would send {0} back ({1}): no record would be written. Nothing was sent.",
        "这些回答会退回 {0}（{1}），不会写入记录。现在什么都没有做。",
    );
    let message = sentence.fill(session.lang, &[&order.packet.shown, &choice]);
    let output = AnswerRefusing {
        packet: PacketPath(order.packet.shown.clone()),
        answer_path: AnswerPath::of(order.packet.gate()),
        choice: why.choice.clone(),
        reason: why.reason.clone(),
    };
    session.confirm(Head::new("valid", ExitCode::Done, "would-send-back", message), output)
}

pub(super) fn print_taken_back(
    session: &mut Session<'_>,
    packet: &NamedPacket,
    reply: &Reply,
) -> Result<ExitCode, Error> {
    let sentence = say("{0} is no longer sent back; it waits again.", "{0} 的退回已收回，重新等待回答。");
    let message = sentence.fill(session.lang, &[&packet.shown]);
    let output = AnswerTakenBack {
        packet: PacketPath(packet.shown.clone()),
        answer_path: AnswerPath::of(packet.gate()),
        taken_back: SentBackOutput::of(&reply.sent, &reply.delivered),
    };
    session.confirm(Head::new("taken-back", ExitCode::Done, "taken-back", message), output)
}

pub(super) fn print_unwritten(
    session: &mut Session<'_>,
    order: &Order<'_>,
    seen: bool,
    fault: &WriteError,
) -> Result<ExitCode, Error> {
    let lang = session.lang;
    let error = match fault {
        WriteError::Exists(record) if seen => not_as_seen(record),
        WriteError::Exists(_) => there(order, fault),
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
            _ if status == "malformed" => vec![gate::verdict(gate::Status::Malformed, false).text(lang)],
            _ => vec![error.message.text(lang)],
        };
        lines.extend(lines::problems(problems, lang));
        if matches!(fault, WriteError::Exists(_)) {
            // The record may answer one of them.
            lines.extend(rival_lines(order.rivals, lang));
        }
        session.warn(&lines);
        return Ok(error.kind);
    }
    let head = Head::new(status, error.kind, error.code, error.text(lang));
    let packet = PacketPath(order.packet.shown.clone());
    let problems = Problems::of(problems, lang);
    match fault {
        WriteError::Exists(record) => {
            let valid = record.valid();
            let output = AnswerExists {
                packet,
                valid: valid.is_some(),
                sha256: RecordHash::of(Some(record)),
                answered_by: valid.map(|record| record.answered_by.clone()),
                answered_at: valid.map(|record| record.answered_at.clone()),
                conflicts: shown_paths(order.rivals),
                problems,
            };
            session.json(head, output)
        }
        &WriteError::Refused(refusal) => session.json(head, AnswerRefused { packet, refusal, problems }),
        WriteError::Conflict(conflict) => {
            let conflicts = shown_paths(&conflict.blocked);
            session.json(head, AnswerConflict { packet, conflicts, problems })
        }
        _ => session.json(head, AnswerInvalid { packet, problems }),
    }
}

fn shown_paths(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.shown().into_owned()).collect()
}

/// A record is there; ahead of a packet it takes more to name it.
fn there(order: &Order<'_>, fault: &WriteError) -> Error {
    let Some((name, step)) = ahead_of(order.project, &order.packet.path) else { return fault.error() };
    let hint = say(
        "To answer again, first: novel-gate redo {0} --question {1}",
        "如需重新作答，请先运行：novel-gate redo {0} --question {1}",
    );
    fault.error().hint(hint, &[&step.to_string(), &name])
}

/// The record with the hash that was given is there no more.
fn not_as_seen(record: &Record) -> Error {
    if record.exists() {
        return WriteError::Changed.error();
    }
    let sentence = say(
        "The record you looked at is gone; nothing was written.",
        "查看过的那份记录已经不在；没有写入任何内容。",
    );
    Error::new(ExitCode::Exists, "record-changed", sentence, &[])
}
