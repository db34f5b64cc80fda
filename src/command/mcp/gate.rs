//! What a call does with a gate: puts it into the project, finds it, waits for it, takes it back.

mod told;

use super::form;
use crate::ask::json::Item;
use crate::ask::{AnswerSpec, Gate, JsString, Problem, QuestionSpec, SIGNATURE, object, to_line};
use crate::command::Session;
use crate::command::input::names_record;
use crate::command::next;
use crate::command::output::Envelope;
use crate::command::propose::{self, ProposeOutput};
use crate::command::sent_back::{self};
use crate::command::wait::{AwaitedGate, Finding, WAIT_GATE};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::platform::paths::Shown as _;
use crate::store::clock::rfc3339_millis;
use crate::store::file::is_relay;
use crate::store::file::real_path;
use crate::store::gate::{self, LoadFault, Loaded, Status};
use crate::store::lock::{console_is_open, gate_is_open};
use crate::store::proposals::{self, Fault, Offer};
use crate::store::record::no_gate;
use crate::store::relay::{self, Asked, Relay};
use crate::store::submit::Outcome;
use crate::store::{Project, RootState, StateDir, WriteError};
use crate::text::{Sentence, say};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

/// How long a question stays after its call was cancelled: the client may ask again.
pub(super) const TO_RETURN: Duration = Duration::from_mins(1);
/// So much of a client's name is shown.
const NAME: usize = 64;

/// How a client waits.
const AGAIN: Sentence = say("call wait_gate with this gate", "用这个 gate 调用 wait_gate");

/// How it proposes.
fn proposed_by(question: &str) -> String {
    format!("propose_options, question {question}")
}

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
    /// As the last call that was about it knows it.
    target: Target,
    /// When it goes, if that call was cancelled.
    leaves: Option<Instant>,
}

/// What a call finds at its end.
pub(super) enum End {
    /// A packet and its record.
    Found(Box<Loaded>),
    /// Answers that were handed over before.
    Answered(AnswerSpec),
    /// A packet that cannot be used.
    Malformed(Vec<Problem>),
    /// The author has taken the question back.
    Declined,
    /// A packet that is just being written.
    Unread,
}

/// What became of the form that was shown for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Its answers are the record.
    Taken,
    /// Its answers have sent the step back.
    SentBack,
    /// It was closed, or not filled as it must be.
    Unfilled,
    /// The question was answered before.
    Late,
}

/// The project as the calls find it.
pub(super) struct Place<'s> {
    /// Its streams lead nowhere: standard output belongs to the protocol.
    pub(super) session: Session<'s>,
    /// The project that the last call was about.
    project: Option<(Arc<Project>, StateDir)>,
    /// The packets that this process waits for, by their paths, relative to the root; nothing for those that the author has taken
    /// back.
    held: HashMap<PathBuf, Option<Held>>,
    /// How many calls there were.
    begun: u64,
    /// What tells this server from others: a client starts one for each of its sessions.
    id: String,
}

impl<'s> Place<'s> {
    pub(super) fn new(session: Session<'s>) -> Place<'s> {
        let since = session.clock.now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        let id = format!("{}-{since}", std::process::id());
        Place { session, project: None, held: HashMap::new(), begun: 0, id }
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
    fn hold(&mut self, relay: Relay, target: &Target) {
        self.held.insert(relay.packet(), Some(Held { relay, target: target.clone(), leaves: None }));
    }

    /// Puts questions into the project, or finds them there.
    pub(super) fn ask(&mut self, spec: &QuestionSpec, client: &str) -> Result<Target, Error> {
        let mut target = self.target(PathBuf::new())?;
        let client = Some(JsString::from(client).head(NAME)).filter(|name| !name.is_blank());
        let client = client.unwrap_or_else(|| "mcp".into()).display().into_owned();
        let since = rfc3339_millis(self.session.clock.now());
        let about = to_line(&object([("server", "mcp"), ("session_id", &*self.id), ("since", &*since)]));
        let asked = Asked { agent: &client, spec, call: &about, stays: true };
        relay::sweep(&target.project, &target.state, self.session.clock.now());
        // It may be one that another server has left behind.
        let is_same = |packet: &&PathBuf| {
            let loaded = gate::load(&target.project, &target.project.root().join(packet));
            loaded.is_ok_and(|loaded| loaded.gate().is_some_and(|gate| *gate.spec == *spec))
        };
        let held = self.held.iter().filter_map(|(packet, held)| held.as_ref().map(|_| packet));
        if let Some(packet) = held.into_iter().find(is_same) {
            target.packet.clone_from(packet);
            return Ok(self.join(target));
        }
        let relay = Relay::open(&target.project, &target.state, &asked)?;
        target.packet = relay.packet();
        self.hold(relay, &target);
        Ok(target)
    }

    /// The packet of a question whose form comes back; it may be gone.
    pub(super) fn rejoin(&mut self, packet: PathBuf) -> Result<Target, Error> {
        let target = self.target(packet)?;
        Ok(self.join(target))
    }

    fn join(&mut self, target: Target) -> Target {
        if let Some(relay) = Relay::join(&target.project, &target.packet, true) {
            self.hold(relay, &target);
        }
        target
    }

    /// The packet of a gate.
    pub(super) fn find(&mut self, gate: &Path) -> Result<Target, Error> {
        let mut target = self.target(gate.to_path_buf())?;
        match packet_in(&self.session, &target.project, gate) {
            Ok(packet) => target.packet = target.project.relative(&packet).to_path_buf(),
            // What was handed over or taken back is known by its path alone.
            Err(_) if self.held.contains_key(gate) || relay::answered(&target.state, gate).is_some() => {}
            Err(error) if error.code == "no-packet" && is_relay(gate) => return Err(gone(gate)),
            Err(error) => return Err(error),
        }
        Ok(self.join(target))
    }

    /// Puts options to a question.
    pub(super) fn propose(
        &mut self,
        (gate, question, list): &(String, Option<String>, String),
    ) -> Result<Envelope<ProposeOutput>, Error> {
        let target = self.find(Path::new(gate))?;
        let packet = target.path();
        let (question, list, by) = (question.as_deref(), list.as_bytes(), "propose_options");
        let offer = Offer { packet: &packet, question, list, by };
        let made = proposals::propose(&target.project, &offer, self.session.clock.now());
        let made = made.map_err(|fault| match fault {
            Fault::Failed(error) => error,
            Fault::Refused(loaded) => {
                let ways = (AGAIN.text(self.session.lang), proposed_by);
                propose::refused(&mut self.session, &target.project, &loaded, by, ways)
            }
            Fault::Unfit(problems) => propose::unfit(&problems),
        })?;
        let (head, body) = propose::made_output(&target.project, &packet, made, self.session.lang);
        Ok(Envelope { head, body })
    }

    /// Takes what the author has filled in, unless somebody was first in another place.
    pub(super) fn take_form(
        &self,
        target: &Target,
        spec: &QuestionSpec,
        filled: Item<'_>,
    ) -> Result<Form, Error> {
        let Some(draft) = form::draft(spec, filled) else { return Ok(Form::Unfilled) };
        let packet = target.path();
        let loaded = match gate::load(&target.project, &packet) {
            Ok(loaded) => loaded,
            Err(LoadFault::Unreadable(error)) if error.code == "no-packet" => return Ok(Form::Late),
            Err(fault) => return Err(fault.error()),
        };
        let answer_path = loaded.gate().ok_or_else(no_gate)?.answer_path.clone();
        let gate = Gate { spec: Arc::new(spec.clone()), answer_path };
        let record = draft.record(spec, &rfc3339_millis(self.session.clock.now()), &SIGNATURE.into());
        match next::submit(&self.session, &target.project, &packet, &gate, &record) {
            Ok(Outcome::Written(_)) => Ok(Form::Taken),
            Ok(Outcome::SentBack(_)) => Ok(Form::SentBack),
            Err(WriteError::Exists(_)) => Ok(Form::Late),
            Err(fault) => Err(fault.error()),
        }
    }

    /// How the wait for a gate has ended, if it has.
    pub(super) fn end(
        &mut self,
        target: &Target,
        gate: &AwaitedGate,
        finding: Finding,
    ) -> Option<Result<End, Error>> {
        match finding {
            Finding::Malformed(problems) => return Some(Ok(End::Malformed(problems))),
            Finding::Lost(error) if error.code == "no-packet" => return Some(Err(gone(&target.packet))),
            Finding::Lost(error) => return Some(Err(error)),
            Finding::Nothing | Finding::Refused(_) | Finding::Blocked(_) => {}
        }
        if gate.open || gate.refused || gate.wants {
            return Some(Ok(End::of(gate)));
        }
        if !is_relay(&target.packet) || target.is_there() {
            return None;
        }
        // With its project, nobody has taken it back.
        if target.project.root_state() != RootState::There {
            return Some(Err(no_root(&target.project)));
        }
        if let Some(answers) = relay::answered(&target.state, &target.packet) {
            self.held.remove(&target.packet);
            return Some(Ok(End::Answered(answers)));
        }
        // Nor with the folders above it, which may come back.
        let is_taken_back =
            |held: &mut Held| !held.relay.is_there() && target.project.dir().exists("staging");
        let held = self.held.get_mut(&target.packet)?;
        if !held.as_mut().is_none_or(is_taken_back) {
            return None;
        }
        *held = None;
        Some(Ok(End::Declined))
    }

    /// The client has what the author gave. The packet of a question goes, and its record once that is in the history.
    pub(super) fn hand_over(&mut self, target: &Target, loaded: &Loaded) {
        if let Some(Some(Held { relay, .. })) = self.held.remove(&target.packet) {
            relay.settle(&target.state, loaded);
            relay.close(&target.project, &target.state, self.session.clock.now());
        } else if let Some(reply) = &loaded.sent_back {
            sent_back::note(&mut self.session, &target.project, loaded, reply, WAIT_GATE);
        }
        propose::note_requested(&mut self.session, &target.project, loaded, WAIT_GATE);
        self.session.note_seen(&target.project, loaded);
    }

    /// The last call about a packet was cancelled: the client may ask again until then.
    pub(super) fn leave(&mut self, target: &Target, until: Instant) {
        if let Some(held) = self.held_by(target) {
            held.leaves = Some(until);
        }
    }

    /// A call was cancelled, and another one still waits for its packet.
    pub(super) fn pass_on(&mut self, from: &Target, to: &Target) {
        if let Some(held) = self.held_by(from) {
            held.target = to.clone();
        }
    }

    /// The packet of a call, unless a later one was about it.
    fn held_by(&mut self, target: &Target) -> Option<&mut Held> {
        let held = self.held.get_mut(&target.packet)?.as_mut();
        held.filter(|held| held.target.call == target.call)
    }

    /// When the next packet of a cancelled call goes.
    pub(super) fn due(&self) -> Option<Instant> {
        self.held.values().flatten().filter_map(|held| held.leaves).min()
    }

    /// Takes the packets of cancelled calls away, unless they are answered or another process waits for them. One whose form a
    /// console has open can still be answered.
    pub(super) fn pass(&mut self, now: Instant) {
        let is_over = |held: &Held| held.leaves.is_some_and(|leaves| leaves <= now);
        let over = self.held.extract_if(|_, held| held.as_ref().is_some_and(is_over));
        for (packet, held) in over.collect::<Vec<_>>() {
            let Some(Held { relay, target, .. }) = held else { continue };
            if gate_is_open(&target.state, &relay.answer_path()) {
                self.held.insert(packet, Some(Held { relay, target, leaves: Some(now + TO_RETURN) }));
            } else if !target.is_answered() && relay.is_left() {
                relay.close(&target.project, &target.state, self.session.clock.now());
            }
        }
    }
}

impl Target {
    pub(super) fn path(&self) -> PathBuf {
        self.project.root().join(&self.packet)
    }

    fn is_there(&self) -> bool {
        self.path().symlink_metadata().is_ok()
    }

    fn is_answered(&self) -> bool {
        let is_said = |loaded: &Loaded| loaded.record.exists() || loaded.sent_back.is_some();
        gate::load(&self.project, &self.path()).is_ok_and(|loaded| is_said(&loaded))
    }

    /// Whether there are no answers yet, and no console in which they could be given.
    pub(super) fn is_alone(&self) -> bool {
        !self.is_answered() && !console_is_open(&self.state)
    }
}

impl End {
    fn of(gate: &AwaitedGate) -> End {
        gate.loaded.clone().map_or(End::Unread, |loaded| End::Found(Box::new(loaded)))
    }

    /// What there is when the time of a call is over.
    pub(super) fn so_far(target: &Target, gate: &AwaitedGate) -> Result<End, Error> {
        if target.project.root_state() != RootState::There {
            return Err(no_root(&target.project));
        }
        if target.is_there() { Ok(End::of(gate)) } else { Err(gone(&target.packet)) }
    }

    fn loaded(&self) -> Option<&Loaded> {
        let End::Found(loaded) = self else { return None };
        Some(loaded)
    }

    /// A packet with something to hand over: answers, a refusal, or what to propose.
    pub(super) fn given(&self) -> Option<&Loaded> {
        self.loaded().filter(|loaded| !matches!(loaded.status(), Status::Blocked | Status::Malformed))
    }
}

/// The packet that goes by this name; nothing outside the project is read for a client.
pub(super) fn packet_in(session: &Session<'_>, project: &Project, name: &Path) -> Result<PathBuf, Error> {
    let packet = session.packet(project, name)?;
    if real_path(packet.clone()).starts_with(project.root()) {
        let record = names_record(project, &packet);
        return record.map_or(Ok(packet), |told| Err(Error::of(ExitCode::Usage, "record", told)));
    }
    let sentence = say(
        "{0} is not in this project. Give the path of a packet in it, or a step id.",
        "{0} 不在这个项目中。请给出项目内指令包的路径或步骤 id。",
    );
    Err(Error::new(ExitCode::Usage, "outside", sentence, &[&name.shown()]))
}

pub(super) fn no_root(project: &Project) -> Error {
    let sentence = say("The project's directory {0} is gone.", "项目目录 {0} 不见了。");
    Error::new(ExitCode::Usage, "no-project", sentence, &[&project.root().shown()])
}

/// Nobody has answered it, and nobody can.
fn gone(packet: &Path) -> Error {
    let sentence = say(
        "The packet {0} is gone, and the author has not answered it. If the answer is still needed, ask again, or have the \
         packet written again; list_gates shows the gates that there are.",
        "指令包 {0} 不见了，作者没有回答它。如仍需要回答，请重新提问，或让指令包重新写出；list_gates 会列出现有的门控。",
    );
    Error::new(ExitCode::Failed, "no-packet", sentence, &[&packet.shown()])
}
