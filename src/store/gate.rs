//! A gate as it stands on disk: its packet, its record, whether a record may be written.

use super::attach::{self, Applied, Asked};
use super::checkpoint;
use super::clock::time_of;
pub use super::entry::Status;
pub use super::file::{LoadFault, read_any, read_file};
use super::file::{is_relay, read_with_time};
use super::project::Project;
use super::questions::{self, Questions};
use super::record::{self, Record, RecordState};
use super::reply::{self, Reply};
use super::safe_path::{self, Refusal};
use super::sha256;
use crate::ask::standing::{Span, Standing};
use crate::ask::step::Step;
use crate::ask::{
    Gate, JsString, Loss, Packet, Problem, QuestionSpec, answered_at, decode_packet_as_written, to_line,
};
use crate::error::{Error, Message};
use crate::exit::ExitCode;
use crate::text::{Sentence, say};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// File systems may keep whole seconds only.
pub const COARSE: Duration = Duration::from_secs(1);

/// A packet that can be used, and the state of its gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The packet's file, absolute.
    pub path: PathBuf,
    pub modified: Option<SystemTime>,
    pub packet: Packet,
    /// Its questions exactly as its file spells them. Nothing without a gate.
    pub novel_ask: Option<String>,
    /// What lies at its answer path; absent if it carries no gate.
    pub record: Record,
    pub refusal: Option<Refusal>,
    /// What the author gave in place of an answer, while what he refused is as it was. Nothing beside a record.
    pub sent_back: Option<Reply>,
    /// What a record of a verdict has approved is another by now.
    pub is_outdated: bool,
    /// The standing question that its gate is of.
    pub asked: Option<Asked>,
    /// Its file does not say so yet: somebody has to attach it.
    pub is_unattached: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    pub path: JsString,
    pub required: bool,
    /// When it was last written; `None` if it is not there or leads out of the project.
    pub modified: Option<SystemTime>,
}

impl Loaded {
    pub fn gate(&self) -> Option<&Gate> {
        self.packet.gate.as_ref()
    }

    pub fn status(&self) -> Status {
        match (&self.packet.gate, &self.record.state) {
            (None, _) => Status::NoGate,
            (_, RecordState::Absent) if self.sent_back.is_some() => Status::SentBack,
            (_, RecordState::Absent) => Status::Waiting,
            (_, RecordState::Invalid(_)) => Status::Blocked,
            (_, RecordState::Valid(_)) => Status::Answered,
        }
    }

    /// It is meant to have a gate, and the executor sees none.
    pub fn is_unseen(&self) -> bool {
        self.packet.gate.is_none() && !self.packet.misspelt.is_empty()
    }

    /// Those of its record, or of what is meant for a gate.
    pub fn problems(&self) -> &[Problem] {
        match &self.record.state {
            RecordState::Invalid(problems) => problems,
            RecordState::Absent | RecordState::Valid(_) => &self.packet.misspelt,
        }
    }

    /// What of the packet, or of a valid record, is lost.
    pub fn loss(&self) -> Option<Loss> {
        let of_record = || self.record.valid().and_then(|_| Loss::of_valid_record(&self.record.bytes));
        self.packet.loss.clone().or_else(of_record)
    }

    /// Hash of what is asked; empty without a gate.
    pub fn spec_hash(&self) -> String {
        self.gate().map(|gate| spec_hash(&gate.spec)).unwrap_or_default()
    }

    /// The files the step is to make, without the gate's own record.
    pub fn outputs(&self, project: &Project) -> Vec<Output> {
        outputs(project, &self.packet)
    }

    /// Those that were made of the answers. What is older than these was not made from them; a record that was put back, or spoilt
    /// since, has a newer file than answers.
    pub fn made(&self, project: &Project) -> Vec<Output> {
        let answered = answered_at(&self.record.bytes).and_then(|at| time_of(at.as_str()?));
        let since = [answered, self.record.modified].into_iter().flatten().min();
        let since = since.and_then(|since| since.checked_sub(COARSE));
        let mut outputs = self.outputs(project);
        outputs.retain(|output| output.modified.is_some() && output.modified >= since);
        outputs
    }
}

/// The files that a packet's step is to make, without the gate's own record.
pub fn outputs(project: &Project, packet: &Packet) -> Vec<Output> {
    let place = |path: &JsString| safe_path::named_place(project.root(), path);
    let own = packet.gate.as_ref().map(|gate| place(&gate.answer_path));
    let modified = |path: &str| Some(project.dir().metadata(path).ok()?.modified().ok()?.into_std());
    packet
        .products()
        .filter(|output| own.as_ref() != Some(&place(&output.path)))
        .map(|output| Output {
            path: output.path.clone(),
            required: output.required,
            modified: modified(&output.path.lossy()),
        })
        .collect()
}

/// Hash of a question spec: equal for two packets exactly when they ask the same.
pub fn spec_hash(spec: &QuestionSpec) -> String {
    sha256(spec.canonical().as_bytes())
}

/// Reads a packet and looks at its record. What [`ahead_path`](questions::ahead_path) names counts as the packet that the step is to get.
pub fn load(project: &Project, path: &Path) -> Result<Loaded, LoadFault> {
    if let Some((name, step)) = questions::ahead_of(project, path) {
        return ahead(project, path, &name, step);
    }
    let problems = questions::problems_of(project, path);
    if !problems.is_empty() {
        return Err(LoadFault::Malformed(problems));
    }
    decode(project, path, &read_with_time(path, project.relative(path))?)
}

/// A packet with another question of its step in place of its gate.
///
/// # Errors
/// Its record leads out of the project.
pub fn carrying(
    project: &Project,
    loaded: Loaded,
    standing: &Standing,
    span: Span,
) -> Result<Loaded, Box<Problem>> {
    let gate = attach::gate_of(project, standing, span);
    let record = record::read(project, &gate)?;
    let (asked, mut packet) = (Some(Asked::of(standing, span)), loaded.packet);
    let own = packet.gate.replace(gate).map(|own| own.answer_path);
    packet.expected_outputs.retain(|output| Some(&output.path) != own.as_ref());
    let (sent_back, is_outdated) = (None, false);
    Ok(Loaded { packet, novel_ask: None, record, asked, sent_back, is_outdated, ..loaded })
}

/// A question before a step that has no packet yet.
fn ahead(project: &Project, path: &Path, name: &str, step: Step) -> Result<Loaded, LoadFault> {
    let questions = Questions::read(project);
    let found = questions.standing(name);
    let Some((found, span)) = found.and_then(|it| Some((it, it.span(step, checkpoint::volume(project))?)))
    else {
        let file = questions.files.into_iter().find(|file| file.name == name);
        let problems = file.map(|file| file.problems).unwrap_or_default();
        return Err(if problems.is_empty() {
            LoadFault::Unreadable(no_question(name, step))
        } else {
            LoadFault::Malformed(problems)
        });
    };
    let gate = attach::gate_of(project, found, span);
    let record = record::read(project, &gate).map_err(|problem| LoadFault::Malformed(vec![*problem]))?;
    // What is answered can still be seen and taken back.
    if !record.exists() && !found.rules.is_enabled {
        return Err(LoadFault::Unreadable(question_off(name)));
    }
    if !record.exists() && found.spec.is_verdict() {
        return Err(LoadFault::Unreadable(no_verdict_ahead(name)));
    }
    if !record.exists() && questions::is_behind(checkpoint::now(project), span) {
        return Err(LoadFault::Unreadable(step_passed(step)));
    }
    let known = Some(&*record.bytes).filter(|bytes| !bytes.is_empty());
    Ok(Loaded {
        path: path.to_path_buf(),
        modified: None,
        novel_ask: Some(to_line(&*gate.spec)),
        refusal: safe_path::refusal(project, &gate.answer_path, path, known),
        packet: Packet {
            step: Some(step.to_string().as_str().into()),
            gate: Some(gate),
            ..Packet::default()
        },
        record,
        sent_back: None,
        is_outdated: false,
        asked: Some(Asked::of(found, span)),
        is_unattached: false,
    })
}

/// The error where no question of this name is asked before a step.
pub fn no_question(name: &str, step: Step) -> Error {
    let sentence = say(
        "No standing question {0} is asked before {1}. Those that there are: novel-gate questions",
        "{1} 之前没有常设提问 {0}。查看现有的：novel-gate questions",
    );
    Error::new(ExitCode::Usage, "no-question", sentence, &[name, &step.to_string()]).at(name)
}

/// The error where a question is not asked because it is off.
pub fn question_off(name: &str) -> Error {
    let sentence = say(
        "{0} is off. To ask it: novel-gate questions on {0}",
        "{0} 关着。要提问：novel-gate questions on {0}",
    );
    Error::new(ExitCode::Usage, "question-off", sentence, &[name]).at(name)
}

/// The error where a verdict is wanted of what is not there yet.
pub fn no_verdict_ahead(name: &str) -> Error {
    let sentence = say(
        "{0} is a verdict on what the step has made: nobody can give it ahead.",
        "{0} 是对这一步产出的裁决，不能提前给出。",
    );
    Error::new(ExitCode::Usage, "verdict", sentence, &[name]).at(name)
}

/// The error where a step asks nothing any more.
pub fn step_passed(step: Step) -> Error {
    Error::new(ExitCode::Usage, "passed", STEP_PASSED, &[]).at(&step.to_string())
}

/// Looks at the record of a packet whose file has been read, with the time of its last change.
pub(super) fn decode(
    project: &Project,
    path: &Path,
    (bytes, modified): &(Vec<u8>, Option<SystemTime>),
) -> Result<Loaded, LoadFault> {
    let (mut packet, mut novel_ask) = decode_packet_as_written(bytes).map_err(LoadFault::Malformed)?;
    packet.caller.take_if(|_| !is_relay(project.relative(path)));
    let Applied { asked, is_unattached } = attach::apply(project, path, *modified, &mut packet);
    if is_unattached {
        novel_ask = packet.gate.as_ref().map(|gate| to_line(&*gate.spec));
    }
    let mut loaded = Loaded {
        path: path.to_path_buf(),
        modified: *modified,
        packet,
        novel_ask,
        record: Record::absent(),
        refusal: None,
        sent_back: None,
        is_outdated: false,
        asked,
        is_unattached,
    };
    if let Some(gate) = &loaded.packet.gate {
        loaded.record =
            record::read(project, gate).map_err(|problem| LoadFault::Malformed(vec![*problem]))?;
        let known = Some(&*loaded.record.bytes).filter(|bytes| !bytes.is_empty());
        let unattachable = || is_unattached.then(|| attach::refusal_of(path, bytes)).flatten();
        if !loaded.record.exists() {
            let proposing = loaded.asked.as_ref().map(|asked| &*asked.proposing).unwrap_or_default();
            loaded.sent_back = reply::open(project, path, (&loaded.packet, bytes), proposing);
        } else if loaded.record.valid().is_some()
            && gate.spec.is_verdict()
            && !loaded.packet.step.as_ref().is_some_and(|step| checkpoint::has_passed(project, step))
        {
            loaded.is_outdated = reply::is_outdated(project, &loaded.packet, bytes, &loaded.record.sha256());
        }
        loaded.refusal = safe_path::refusal(project, &gate.answer_path, path, known).or_else(unattachable);
    }
    Ok(loaded)
}

pub const STEP_PASSED: Sentence = say("The checkpoint has passed this step.", "检查点已越过这一步。");
/// A console has seen the record before the packet asked for it.
pub const OLDER: Sentence = say(
    "The record was there before the packet asked for it: nobody may have answered this question.",
    "指令包提问之前，记录就已经在那里：这个问题可能没有人回答过。",
);
/// Its questions were put for an executor that has gone.
pub const ORPHANED: Sentence = say(
    "Nobody waits for the answers, unless the same is asked again.",
    "已无人等待回答，除非再次问到同样的问题。",
);

/// A message for people about a state, in one line; of a packet without a gate, whether it is meant to have one.
pub fn verdict(status: Status, is_unseen: bool) -> Message {
    Message::from(match status {
        Status::NoGate if is_unseen => say(
            "Open: the packet has a gate that the executor does not see.",
            "已放行：这个指令包里有门控，但执行器看不到。",
        ),
        Status::NoGate => say("Open: the packet carries no gate.", "已放行：这个指令包没有门控。"),
        Status::Answered => say("Open: there is a valid record.", "已放行：记录有效。"),
        Status::Waiting => say("Waiting: no record yet.", "等待回答：还没有记录。"),
        Status::Blocked => say("Blocked: the record is invalid.", "受阻：记录无效。"),
        Status::SentBack => say("Sent back: the author refuses what is there.", "已退回：作者没有通过。"),
        Status::Malformed => say("Malformed: the packet cannot be used.", "指令包有误，无法使用。"),
    })
}

#[cfg(test)]
mod tests;
