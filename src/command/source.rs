//! What an adapter works on: a packet's gate, a bare QuestionSpec, or another document.

use super::output::{ErrorOutput, Reply};
use super::{Session, input};
use crate::adapter::document::DocumentKind;
use crate::ask::json::Json;
use crate::ask::{JsString, Problem, QuestionSpec, decode_packet, decode_spec};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::Project;
use crate::store::gate;
use crate::text::{Lang, say};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file and what it is.
pub(super) struct Source {
    /// Its path, absolute; none for standard input.
    pub(super) path: Option<PathBuf>,
    /// The project around it, if there is one.
    pub(super) project: Option<Arc<Project>>,
    /// All of it.
    pub(super) bytes: Vec<u8>,
}

/// Questions, and where their record goes if they come from a packet.
pub(super) struct Questions {
    pub(super) spec: QuestionSpec,
    pub(super) answer_path: Option<JsString>,
}

/// Why nothing can be asked.
pub(super) enum Unusable {
    Error(Error),
    /// The input breaks rules: the code for programs, and all that is wrong.
    Broken(&'static str, Vec<Problem>),
}

impl Source {
    /// Reads a file by its name; `-` is standard input. A project is needed only where `--project` names one.
    pub(super) fn open(session: &mut Session<'_>, name: &Path) -> Result<Source, Error> {
        let project = match session.project() {
            Ok(project) => Some(Arc::new(project)),
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
        let bytes = gate::read_file(&path).map_err(|fault| fault.error())?.bytes;
        Ok(Source { path: Some(path), project, bytes })
    }

    /// What it is; a packet, if it is nothing else.
    pub(super) fn kind(&self) -> DocumentKind {
        let json = Json::parse(&self.bytes).ok();
        json.and_then(|json| DocumentKind::of(json.root())).unwrap_or(DocumentKind::Packet)
    }

    /// The questions of a packet or a bare spec.
    pub(super) fn questions(&self) -> Result<Questions, Unusable> {
        if self.kind() == DocumentKind::QuestionSpec {
            let spec = decode_spec(&self.bytes).map_err(|found| Unusable::Broken("invalid_spec", found))?;
            return Ok(Questions { spec, answer_path: None });
        }
        let packet = decode_packet(&self.bytes).map_err(|found| Unusable::Broken("invalid_packet", found))?;
        let no_gate = say("This packet carries no gate.", "这个指令包没有门控。");
        let gate = packet.gate.ok_or_else(|| Error::new(ExitCode::Usage, "no_gate", no_gate, &[]))?;
        Ok(Questions { spec: gate.spec, answer_path: Some(gate.answer_path) })
    }
}

impl From<Error> for Unusable {
    fn from(error: Error) -> Unusable {
        Unusable::Error(error)
    }
}

impl Unusable {
    /// Prints what is wrong with an input as JSON.
    pub(super) fn print(self, session: &mut Session<'_>) -> Result<ExitCode, Error> {
        let (code, problems) = match self {
            Unusable::Error(error) => return Err(error),
            Unusable::Broken(code, problems) => (code, problems),
        };
        let first = |lang| problems.first().map(|problem| problem.sentence(lang)).unwrap_or_default();
        let parts = [first(Lang::En), first(Lang::ZhCn)];
        let error = Error::new(ExitCode::Malformed, code, say("{0}", "{1}"), &[&parts[0], &parts[1]]);
        let at = problems.first().map(|problem| problem.pointer.as_str().into());
        let Reply { head, body } = ErrorOutput::of(&Error { at, ..error }, Some(&problems), session.lang);
        session.json(head, body)
    }
}
