//! What a call does with a gate: puts it into the project, finds it, waits for it, takes it back.

use super::tool::{AskOutput, Given, WaitOutput, success};
use crate::ask::{Draft, Gate, JsString, Problem, QuestionSpec, object, to_line};
use crate::command::Session;
use crate::command::next;
use crate::command::output::Problems;
use crate::command::wait::{AwaitedGate, Finding};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::rfc3339_millis;
use crate::store::gate::{self, Loaded, Status};
use crate::store::lock::{console_is_open, gate_is_open};
use crate::store::record::no_gate;
use crate::store::relay::{self, Asked, Relay, is_relay};
use crate::store::{Project, RootState, StateDir, WriteError};
use crate::text::say;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// So much of a client's name is shown.
const NAME: usize = 64;

/// A packet that a call is about.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) project: Arc<Project>,
    pub(super) state: StateDir,
    /// Relative to the root.
    pub(super) packet: PathBuf,
    /// The number of the call.
    pub(super) call: u64,
}

/// A packet that this process waits for, from the call that asks to the one that hands the answers over.
struct Held {
    relay: Relay,
    /// The last call that was about it.
    call: u64,
}

/// How a wait has ended.
#[derive(Default)]
pub(super) struct End {
    /// `None`: the packet of a question was taken away.
    pub(super) status: Option<Status>,
    /// Where the record is, or is to be.
    pub(super) record_path: Option<String>,
    pub(super) given: Given,
    pub(super) problems: Vec<Problem>,
}

impl End {
    pub(super) fn of(loaded: &Loaded, packet: &Path) -> End {
        let status = loaded.status();
        // The record of a question goes to the history when the answers are handed over.
        let stays = status != Status::Answered || !is_relay(packet);
        let gate = loaded.gate().filter(|_| stays);
        End {
            status: Some(status),
            record_path: gate.map(|gate| gate.answer_path.lossy().into_owned()),
            given: loaded.record.valid().map(Given::of).unwrap_or_default(),
            problems: loaded.problems().to_vec(),
        }
    }
}

/// The project as the calls find it.
pub(super) struct Place<'s> {
    /// Its streams lead nowhere: standard output belongs to the protocol.
    pub(super) session: Session<'s>,
    /// The project that the last call was about.
    project: Option<(Arc<Project>, StateDir)>,
    /// The packets that this process waits for, by their paths, relative to the root.
    held: HashMap<PathBuf, Held>,
    /// How many calls there were.
    begun: u64,
}

impl<'s> Place<'s> {
    pub(super) fn new(session: Session<'s>) -> Place<'s> {
        Place { session, project: None, held: HashMap::new(), begun: 0 }
    }

    /// A packet in the project that there is now. Calls share their handles, unless the directory is another one by now.
    fn target(&mut self, packet: PathBuf) -> Result<Target, Error> {
        let project = self.session.project()?;
        let is_same = |known: &&(Arc<Project>, StateDir)| {
            known.0.root() == project.root() && known.0.root_state() == RootState::There
        };
        let (project, state) = if let Some(known) = self.project.as_ref().filter(is_same) {
            known.clone()
        } else {
            let state = self.session.state(&project)?;
            self.project.insert((Arc::new(project), state)).clone()
        };
        self.begun += 1;
        Ok(Target { project, state, packet, call: self.begun })
    }

    /// Holds a packet until its answers are handed over, or it is withdrawn or gone.
    fn hold(&mut self, relay: Relay, call: u64) {
        self.held.insert(relay.packet(), Held { relay, call });
    }

    /// Puts questions into the project, or finds them there; and whether there are no answers yet, and no console in which
    /// they could be given.
    pub(super) fn ask(&mut self, spec: &QuestionSpec, client: &str) -> Result<(Target, bool), Error> {
        let mut target = self.target(PathBuf::new())?;
        let client = Some(JsString::from(client).head(NAME)).filter(|name| !name.is_blank());
        let client = client.unwrap_or_else(|| "mcp".into()).display().into_owned();
        let about =
            to_line(&object([("server", "mcp".into()), ("since", rfc3339_millis(self.session.clock.now()))]));
        let asked = Asked { agent: &client, spec, call: &about, stays: true };
        let relay = Relay::open(&target.project, &target.state, &asked)?;
        target.packet = relay.packet();
        self.hold(relay, target.call);
        let loaded = gate::load(&target.project, &target.path());
        let is_answered = loaded.is_ok_and(|loaded| loaded.record.exists());
        let is_alone = !is_answered && !console_is_open(&target.state);
        Ok((target, is_alone))
    }

    /// The packet of a gate.
    pub(super) fn find(&mut self, gate: &str) -> Result<Target, Error> {
        let mut target = self.target(gate.into())?;
        match self.session.packet(&target.project, Path::new(gate)) {
            Ok(packet) => target.packet = target.project.relative(&packet).to_path_buf(),
            // What was handed over is known by its path alone.
            Err(_) if relay::answered(&target.state, Path::new(gate)).is_some() => {}
            Err(error) => return Err(error),
        }
        if let Some(relay) = Relay::join(&target.project, &target.packet, true) {
            self.hold(relay, target.call);
        }
        Ok(target)
    }

    /// Writes what the author has answered in a form. Who was first in another place stays.
    pub(super) fn submit(
        &mut self,
        target: &Target,
        spec: &QuestionSpec,
        draft: &Draft,
    ) -> Result<(), Error> {
        let packet = target.path();
        let loaded = gate::load(&target.project, &packet).map_err(|fault| fault.error())?;
        let answer_path = loaded.gate().ok_or_else(no_gate)?.answer_path.clone();
        let gate = Gate { spec: Arc::new(spec.clone()), answer_path };
        let record = draft.record(spec, &rfc3339_millis(self.session.clock.now()), &"human".into());
        match next::submit(&self.session, &target.project, &packet, &gate, &record) {
            Ok(_) | Err(WriteError::Exists(_)) => Ok(()),
            Err(fault) => Err(fault.error()),
        }
    }

    /// How the wait for a gate has ended, if it has. The answers to a question are handed over.
    pub(super) fn end(
        &mut self,
        target: &Target,
        gate: &AwaitedGate,
        finding: Finding,
    ) -> Option<Result<End, Error>> {
        match finding {
            Finding::Malformed(problems) => {
                return Some(Ok(End { status: Some(Status::Malformed), problems, ..End::default() }));
            }
            Finding::Lost(error) => return Some(Err(error)),
            Finding::Nothing | Finding::Blocked(_) => {}
        }
        if let Some(loaded) = gate.loaded.as_ref().filter(|_| gate.open) {
            return Some(Ok(self.hand_over(target, loaded)));
        }
        if !is_relay(&target.packet) || target.path().symlink_metadata().is_ok() {
            return None;
        }
        // With its project, nobody has taken it back.
        if target.project.root_state() != RootState::There {
            return Some(Err(no_root(&target.project)));
        }
        self.held.remove(&target.packet);
        let answers = relay::answered(&target.state, &target.packet);
        let status = answers.is_some().then_some(Status::Answered);
        let given = answers.as_ref().map(Given::of).unwrap_or_default();
        Some(Ok(End { status, given, ..End::default() }))
    }

    /// The answers of a gate that is open. The packet of a question goes, and its record once that is in the history.
    fn hand_over(&mut self, target: &Target, loaded: &Loaded) -> End {
        if let Some(Held { relay, .. }) = self.held.remove(&target.packet) {
            relay.settle(&target.state, &loaded.record);
            relay.close(&target.project, &target.state, self.session.clock.now());
        }
        self.session.note_seen(&target.project, loaded);
        End::of(loaded, &target.packet)
    }

    /// Takes the packet of a cancelled call away, unless a call has come since or another process waits for it. False if a
    /// console has its form open: that can still be answered.
    pub(super) fn withdraw(&mut self, target: &Target) -> bool {
        let is_left = |held: &&Held| held.call == target.call;
        let Some(held) = self.held.get(&target.packet).filter(is_left) else { return true };
        if gate_is_open(&target.state, &held.relay.answer_path()) {
            return false;
        }
        if let Some(Held { relay, .. }) = self.held.remove(&target.packet)
            && relay.is_left()
        {
            relay.close(&target.project, &target.state, self.session.clock.now());
        }
        true
    }

    /// What `ask_author` gives at its end.
    pub(super) fn asked(&self, target: &Target, end: &End) -> Value {
        let lang = self.session.lang;
        let (status, message) = match end.status {
            Some(Status::NoGate | Status::Answered) => {
                ("answered", say("The author has answered.", "作者已回答。").text(lang).to_owned())
            }
            Some(Status::Waiting | Status::Blocked) => ("waiting", self.waiting(target)),
            Some(Status::Malformed) | None => {
                let declined = say(
                    "The author wants to answer this in your own conversation: ask there.",
                    "作者想在你的对话里回答：请在那里提问。",
                );
                ("declined", declined.text(lang).to_owned())
            }
        };
        let gate = target.packet.to_string_lossy().into_owned();
        success(&AskOutput { status, message, gate, given: &end.given })
    }

    /// What `wait_gate` gives at its end.
    pub(super) fn waited(&self, target: &Target, end: &End) -> Result<Value, Error> {
        let lang = self.session.lang;
        let status = end.status.ok_or_else(|| {
            let sentence = say(
                "The question was taken back in the project; if it still matters, ask the author in your own conversation.",
                "项目中的提问已被撤下；如仍需要，请在你的对话里问作者。",
            );
            Error::new(ExitCode::Failed, "no-packet", sentence, &[])
        })?;
        let is_waiting = status == Status::Waiting;
        let message = if is_waiting { self.waiting(target) } else { gate::verdict(status).text(lang) };
        let problems = (!end.problems.is_empty()).then(|| Problems::of(&end.problems, lang));
        let (status, record_path, given) = (status.name(), end.record_path.as_deref(), &end.given);
        Ok(success(&WaitOutput { status, message, record_path, given, problems }))
    }

    fn waiting(&self, target: &Target) -> String {
        let lang = self.session.lang;
        let wait = say(
            "The author has not answered yet. This is no failure: call wait_gate again.",
            "作者尚未回答。这不是失败：请再次调用 wait_gate。",
        );
        if console_is_open(&target.state) {
            return wait.text(lang).to_owned();
        }
        let alone = say(
            "{0} No console is open on this project: tell the author to run novel-gate in {1}.",
            "{0}这个项目没有打开控制台：请告诉作者在 {1} 中运行 novel-gate。",
        );
        alone.fill(lang, &[wait.text(lang), &target.project.root().to_string_lossy()])
    }
}

impl Target {
    pub(super) fn path(&self) -> PathBuf {
        self.project.root().join(&self.packet)
    }
}

pub(super) fn no_root(project: &Project) -> Error {
    let sentence = say("The project's directory {0} is gone.", "项目目录 {0} 不见了。");
    Error::new(ExitCode::Usage, "no-project", sentence, &[&project.root().to_string_lossy()])
}
