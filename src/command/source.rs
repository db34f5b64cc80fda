//! What an adapter works on: a packet's gate, a bare QuestionSpec, or another document.
//!
//! Responsible for finding and reading the file and for telling the kinds apart. Not responsible for what is done with
//! it (`next`, `compile`).

use super::{Session, input};
use crate::ask::json::{Json, Kind};
use crate::ask::{Gate, JsString, Problem, QuestionSpec, decode_packet, decode_spec};
use crate::error::Error;
use crate::store::Project;
use crate::store::gate::{self, LoadFault};
use std::path::{Path, PathBuf};

/// A file and what it is.
pub(super) struct Source {
    /// Its path, absolute; none for standard input.
    pub(super) path: Option<PathBuf>,
    /// The project around it, if there is one.
    pub(super) project: Option<Project>,
    /// All of it.
    pub(super) bytes: Vec<u8>,
}

/// The kinds of files that ask something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// An instruction packet; also what is nothing else.
    Packet,
    /// A bare QuestionSpec.
    Spec,
    /// A canonical prompt document.
    Canonical,
    /// A protocol file.
    Protocol,
    /// An `AskUserQuestion` input.
    Questions,
}

/// Questions, and where their record goes if they come from a packet.
pub(super) struct Questions {
    pub(super) spec: QuestionSpec,
    pub(super) answer_path: Option<JsString>,
}

/// Why a file asks nothing.
pub(super) enum Unusable {
    /// It breaks the rules.
    Problems(&'static str, Vec<Problem>),
    /// It carries no gate.
    NoGate,
}

impl Source {
    /// Reads a file by its name; `-` is standard input. A project is needed only where `--project` names one.
    pub(super) fn open(session: &mut Session<'_>, name: &Path) -> Result<Source, Error> {
        let project = match session.project() {
            Ok(project) => Some(project),
            Err(error) if session.global.project.is_some() => return Err(error),
            Err(_) => None,
        };
        if input::is_standard(name) {
            let bytes = input::standard(session).map_err(|fault| input::unusable(name, fault))?;
            return Ok(Source { path: None, project, bytes });
        }
        let path = match &project {
            Some(project) => session.packet(project, name)?,
            None => session.environment.cwd.join(name),
        };
        match gate::read_file(&path) {
            Ok(file) => Ok(Source { path: Some(path), project, bytes: file.bytes }),
            Err(fault @ (LoadFault::Unreadable(_) | LoadFault::Malformed(_))) => Err(fault.error()),
        }
    }

    /// What it is, by the members that only one kind has.
    pub(super) fn shape(&self) -> Shape {
        let keys =
            ["novel_ask", "answer_path", "step", "steps", "source_prompts", "stages", "questions", "topic"];
        let Ok(json) = Json::parse_keeping(&self.bytes, &keys) else { return Shape::Packet };
        let root = json.root();
        let has = |key: &str| root.get(key).is_some();
        let is_list = |key: &str| root.get(key).is_some_and(|value| value.kind() == Kind::Array);
        match () {
            () if has("novel_ask") || has("answer_path") || has("step") => Shape::Packet,
            () if has("source_prompts") || has("steps") => Shape::Canonical,
            () if is_list("stages") => Shape::Protocol,
            () if has("topic") => Shape::Spec,
            () if is_list("questions") => {
                let native = root.get("questions").and_then(|list| list.elements().next());
                let native = native.is_some_and(|question| question.get("kind").is_none());
                if native { Shape::Questions } else { Shape::Spec }
            }
            () => Shape::Packet,
        }
    }

    /// The questions of a packet or a bare spec.
    pub(super) fn questions(&self) -> Result<Questions, Unusable> {
        if self.shape() == Shape::Spec {
            let spec =
                decode_spec(&self.bytes).map_err(|problems| Unusable::Problems("invalid_spec", problems))?;
            return Ok(Questions { spec, answer_path: None });
        }
        let packet =
            decode_packet(&self.bytes).map_err(|problems| Unusable::Problems("invalid_packet", problems))?;
        let gate: Gate = packet.gate.ok_or(Unusable::NoGate)?;
        Ok(Questions { spec: gate.spec, answer_path: Some(gate.answer_path) })
    }
}
