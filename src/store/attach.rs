//! The one way in which a standing question gets into a packet, and out of it.
//!
//! What a packet is to carry depends on the packet, the files of the questions and the records alone; so whoever attaches at the same
//! time writes the same bytes. Whoever only reads counts a packet as what it would be.

use super::checkpoint::{self, Checkpoint};
use super::file::{Read, read_open, real_path};
use super::project::Project;
use super::questions::{Questions, gate_at};
use super::record;
use super::rounds;
use super::safe_path::Refusal;
use crate::ask::proposal::with_rounds;
use crate::ask::splice::{GateText, with_gate};
use crate::ask::standing::{Proposing, Span, Standing};
use crate::ask::step::Step;
use crate::ask::{ExpectedOutput, Gate, JsString, Packet, QuestionSpec, decode_packet};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::files::{look_at, open_read};
use crate::platform::paths::Shown as _;
use crate::text::say;
pub(super) use exchange::{Fault, Rewriting, exchange};
use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

mod exchange;

/// How often to begin anew while others write the packet.
const TRIES: usize = 20;

/// The standing question that a gate is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    pub name: String,
    /// What the answer holds for.
    pub span: Span,
    /// Why one wants to be asked this.
    pub why: Option<JsString>,
    /// What executors are to propose to it.
    pub proposing: Vec<Proposing>,
}

/// What decides about packets, as it is at one moment.
pub(super) struct Situation<'s> {
    pub(super) project: &'s Project,
    pub(super) questions: &'s Questions,
    pub(super) checkpoint: Checkpoint,
    pub(super) now: SystemTime,
}

/// What a packet is to carry.
enum Carry<'s> {
    /// What it does.
    AsIs,
    Question(&'s Standing, Span),
    Nothing,
}

/// What a packet counts as.
#[derive(Debug, Default)]
pub(super) struct Applied {
    pub(super) asked: Option<Asked>,
    /// Its file says something else.
    pub(super) is_unattached: bool,
}

/// The gate of a standing question, with what was proposed to it.
pub fn gate_of(project: &Project, standing: &Standing, span: Span) -> Gate {
    let answer_path = span.place(&standing.name).into();
    let spec = Arc::clone(&with_proposals(project, standing, &answer_path).spec);
    Gate { spec, answer_path }
}

/// A question as it is asked in a place, with what was proposed there.
fn with_proposals<'s>(
    project: &Project,
    standing: &'s Standing,
    answer_path: &JsString,
) -> Cow<'s, Standing> {
    if standing.proposing.is_empty() {
        return Cow::Borrowed(standing);
    }
    let rounds = rounds::proposed(&rounds::events(project, answer_path));
    with_rounds(standing, &rounds).map_or(Cow::Borrowed(standing), Cow::Owned)
}

impl<'s> Situation<'s> {
    /// Whether a packet of this step may get a question.
    pub(super) fn is_live(&self, packet: &Path, step: Option<&JsString>, modified: SystemTime) -> bool {
        !self.questions.is_empty() && self.checkpoint.is_live(packet, step, modified, self.now)
    }

    /// Makes a packet carry what it is to carry; its path is relative to the root.
    pub(super) fn apply(&self, path: &Path, modified: SystemTime, packet: &mut Packet) -> Applied {
        let step = packet.step.as_ref().and_then(|step| Step::parse(step.as_str()?));
        // Another question would hide that the packet's own is not seen.
        let is_free = packet.misspelt.is_empty() && self.is_live(path, packet.step.as_ref(), modified);
        let Some(step) = step.filter(|_| is_free) else { return Applied::default() };
        match self.carry(step, packet.gate.as_ref()) {
            Carry::AsIs => {
                let place = packet.gate.as_ref().map(|gate| gate.answer_path.lossy());
                let all = self.questions.asked_before(step, self.checkpoint.volume());
                let own = place.and_then(|place| {
                    all.into_iter().find(|(standing, span)| span.place(&standing.name) == place)
                });
                Applied { asked: own.map(|(standing, span)| Asked::of(standing, span)), is_unattached: false }
            }
            Carry::Question(standing, span) => {
                let gate = gate_of(self.project, standing, span);
                drop_output(packet);
                let path = gate.answer_path.clone();
                packet.expected_outputs.insert(0, ExpectedOutput { path, required: true });
                packet.gate = Some(gate);
                Applied { asked: Some(Asked::of(standing, span)), is_unattached: true }
            }
            Carry::Nothing => {
                drop_output(packet);
                packet.gate = None;
                Applied { asked: None, is_unattached: true }
            }
        }
    }

    /// What a step's packet is to carry: what it does, if that is a gate of its own, or a question that still waits; else the first
    /// question without an answer.
    fn carry(&self, step: Step, carried: Option<&Gate>) -> Carry<'_> {
        let volume = self.checkpoint.volume();
        let due = |place: Option<&str>| {
            let all =
                self.questions.asked_before(step, volume).filter(|(standing, _)| standing.rules.is_enabled);
            let mut others = all.filter(|(standing, span)| Some(&*span.place(&standing.name)) != place);
            others.find(|(standing, span)| !self.is_answered(&gate_at(standing, &span.place(&standing.name))))
        };
        let found =
            |due: Option<(&'s Standing, Span)>| due.map(|(standing, span)| Carry::Question(standing, span));
        let Some(gate) = carried else { return found(due(None)).unwrap_or(Carry::AsIs) };
        let place = gate.answer_path.lossy();
        let Some(own) = self.questions.owner(&place) else { return Carry::AsIs };
        if self.is_answered(gate) {
            return found(due(Some(&place))).unwrap_or(Carry::AsIs);
        }
        // What cannot be asked as it is now stays as it was.
        let Some(standing) = &own.standing else { return Carry::AsIs };
        let span = standing.span(step, volume).filter(|_| standing.rules.is_enabled);
        match span.filter(|span| span.place(&own.name) == place) {
            Some(span) if gate_of(self.project, standing, span).spec == gate.spec => Carry::AsIs,
            Some(span) => Carry::Question(standing, span),
            None => found(due(None)).unwrap_or(Carry::Nothing),
        }
    }

    fn is_answered(&self, gate: &Gate) -> bool {
        record::read(self.project, gate).is_ok_and(|record| record.valid().is_some())
    }
}

/// Takes the record's line from what the step is to make.
fn drop_output(packet: &mut Packet) {
    let Some(gate) = &packet.gate else { return };
    if packet.expected_outputs.first().is_some_and(|first| first.path == gate.answer_path) {
        packet.expected_outputs.remove(0);
    }
}

impl Asked {
    pub(super) fn of(standing: &Standing, span: Span) -> Asked {
        let (name, why) = (standing.name.clone(), standing.rules.why.clone());
        Asked { name, span, why, proposing: standing.proposing.clone() }
    }

    /// The questions of these to which options are to be proposed, by their ids, each with its newest round.
    pub fn rounds(&self, spec: &QuestionSpec) -> Vec<(String, usize)> {
        let rounds = |it: &Proposing| Some((it.question.clone(), spec.find(&it.question)?.1.newest_round()));
        self.proposing.iter().filter_map(rounds).collect()
    }
}

/// What a packet counts as now. Without questions this costs one failed look.
pub(super) fn apply(
    project: &Project,
    path: &Path,
    modified: Option<SystemTime>,
    packet: &mut Packet,
) -> Applied {
    let questions = Questions::read(project);
    let (false, Some(modified)) = (questions.is_empty(), modified) else { return Applied::default() };
    let now = project.disk().now();
    let situation = Situation { project, questions: &questions, checkpoint: checkpoint::now(project), now };
    situation.apply(&place_of(project, path), modified, packet)
}

/// Where a packet lies, relative to the root, links of its directories resolved.
pub(super) fn place_of(project: &Project, path: &Path) -> PathBuf {
    let real = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real_path(parent.to_path_buf()).join(name),
        _ => path.to_path_buf(),
    };
    real.strip_prefix(project.root()).map(Path::to_path_buf).unwrap_or(real)
}

/// Why no question can be put into a packet's file; `None` if one can.
pub(super) fn refusal(path: &Path) -> Option<Refusal> {
    let meta = fs::symlink_metadata(path).ok()?;
    if meta.is_symlink() {
        return Some(Refusal::PacketLinked);
    }
    (look_at(path).ok()?.links > 1)
        .then_some(Refusal::PacketShared)
        .or_else(|| meta.permissions().readonly().then_some(Refusal::PacketReadOnly))
}

/// The same of a file with these bytes.
pub(super) fn refusal_of(path: &Path, bytes: &[u8]) -> Option<Refusal> {
    refusal(path).or_else(|| std::str::from_utf8(bytes).is_err().then_some(Refusal::PacketEncoding))
}

/// A packet's file as it is to be, if it is not so.
pub fn as_to_be(project: &Project, path: &Path) -> Option<Vec<u8>> {
    let found = wanted(project, path, &place_of(project, path)).ok().flatten();
    found.map(|rewriting| rewriting.new)
}

/// Makes a packet's file carry what it is to carry; true if it was changed. What others write at the same time is not lost.
///
/// # Errors
/// Its file cannot be changed; it is as it was, or the error says where what was written last lies.
pub fn attach(project: &Project, path: &Path) -> Result<bool, Error> {
    let place = place_of(project, path);
    let shown = place.shown();
    let failed = |cause: &io::Error| {
        if cause.kind() == io::ErrorKind::InvalidData {
            return record::refused(Refusal::PacketEncoding);
        }
        let sentence =
            say("Cannot attach a question to {0}; it is untouched.", "无法把提问挂到 {0}；未作改动。");
        Error::io("attach-failed", sentence, &[&shown], cause)
    };
    for _ in 0..TRIES {
        let Some(new) = wanted(project, path, &place).map_err(|cause| failed(&cause))? else {
            return Ok(false);
        };
        if let Some(refusal) = refusal(path) {
            return Err(record::refused(refusal));
        }
        match exchange(project, &place, &new) {
            Ok(true) => return Ok(true),
            // Somebody has written it meanwhile.
            Ok(false) => {}
            Err(Fault::Untouched(cause)) => return Err(failed(&cause)),
            Err(Fault::Aside(name)) => {
                let sentence = say(
                    "{0} was written while a question was attached; what was written lies beside it as {1}.",
                    "挂提问时 {0} 被改写；改写的内容在同一目录的 {1}。",
                );
                let parts = [&*shown, &name.shown()];
                let hint = say("Give it its name back.", "请把它改回原名。");
                return Err(Error::new(ExitCode::Failed, "moved-aside", sentence, &parts).hint(hint, &[]));
            }
        }
    }
    let sentence =
        say("Cannot attach a question to {0}: it keeps changing.", "无法把提问挂到 {0}：它一直在变化。");
    Err(Error::new(ExitCode::Failed, "attach-failed", sentence, &[&shown]))
}

/// What to make of a packet's file; `None` if it is to stay as it is.
fn wanted(project: &Project, path: &Path, place: &Path) -> io::Result<Option<Rewriting>> {
    let questions = Questions::read(project);
    if questions.is_empty() {
        return Ok(None);
    }
    let read = match open_read(path).and_then(read_open) {
        Ok(Read::Bytes(bytes, meta)) => Some((bytes, meta)),
        Ok(Read::Odd(..) | Read::Changed) => None,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => None,
        Err(cause) => return Err(cause),
    };
    let Some((old, meta)) = read else { return Ok(None) };
    let Ok(mut packet) = decode_packet(&old) else { return Ok(None) };
    let now = project.disk().now();
    let situation = Situation { project, questions: &questions, checkpoint: checkpoint::now(project), now };
    if !situation.apply(place, meta.modified()?.into_std(), &mut packet).is_unattached {
        return Ok(None);
    }
    let gate = packet.gate.map(|gate| gate.answer_path.lossy().into_owned());
    let asked = gate.as_ref().and_then(|place| questions.owner(place)?.standing.as_ref().zip(Some(place)));
    let asked = asked.map(|(standing, place)| with_proposals(project, standing, &place.as_str().into()));
    let text = gate
        .as_ref()
        .zip(asked.as_ref())
        .map(|(answer_path, asked)| GateText { members: &asked.members, answer_path });
    let Some(new) = with_gate(&old, text) else { return Err(io::ErrorKind::InvalidData.into()) };
    Ok(Some(Rewriting { old, meta, new }))
}

#[cfg(test)]
mod tests;
