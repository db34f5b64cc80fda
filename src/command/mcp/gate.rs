//! What a call does with a gate, on a thread of its own: puts it into the project, finds it, waits for it, takes it back.

use super::Server;
use super::tool::Given;
use crate::ask::{Draft, Gate, JsString, Problem, QuestionSpec, object, to_line};
use crate::command::next;
use crate::command::wait::{Finding, Gates};
use crate::command::wake::{self, Wake};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::rfc3339_millis;
use crate::store::gate::{self, Loaded, Status};
use crate::store::lock::{console_is_open, gate_is_open};
use crate::store::record::no_gate;
use crate::store::relay::{self, Asked, Relay, is_relay};
use crate::store::watch::StoreEvent;
use crate::store::{Project, RootState, StateDir, WriteError};
use crate::text::say;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, MutexGuard, PoisonError};

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
    call: u64,
}

/// A packet that this process waits for, from the call that asks to the one that hands the answers over.
pub(super) struct Held {
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
    fn of(loaded: &Loaded, packet: &Path) -> End {
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

impl Server {
    /// A packet in the project that there is now. Calls share their handles, unless the directory is another one by now.
    fn target(&self, call: u64, packet: PathBuf) -> Result<Target, Error> {
        let (place, _) = self.with_session(|session| {
            let project = session.project()?;
            let mut known = self.place.lock().unwrap_or_else(PoisonError::into_inner);
            let is_same = |place: &&(Arc<Project>, StateDir)| {
                place.0.root() == project.root() && place.0.root_state() == RootState::There
            };
            if let Some(place) = known.as_ref().filter(is_same) {
                return Ok(place.clone());
            }
            let state = session.state(&project)?;
            Ok(known.insert((Arc::new(project), state)).clone())
        });
        let (project, state) = place?;
        Ok(Target { project, state, packet, call })
    }

    /// The number of a call that begins now.
    fn begin(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed)
    }

    fn held(&self) -> MutexGuard<'_, HashMap<PathBuf, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds a packet until its answers are handed over, or it is withdrawn or gone. A call that has begun later may hold it
    /// already, and stays the last one.
    fn hold(&self, relay: Relay, call: u64) {
        let mut held = self.held();
        let last = held.get(&relay.packet()).map_or(call, |held| held.call.max(call));
        held.insert(relay.packet(), Held { relay, call: last });
    }

    /// Puts questions into the project, or finds them there; and whether there are no answers yet, and no console in which
    /// they could be given.
    pub(super) fn ask(&self, spec: &QuestionSpec, client: &str) -> Result<(Target, bool), Error> {
        let mut target = self.target(self.begin(), PathBuf::new())?;
        let client = Some(JsString::from(client).head(NAME)).filter(|name| !name.is_blank());
        let client = client.unwrap_or_else(|| "mcp".into()).display().into_owned();
        let about = to_line(&object([("server", "mcp".into()), ("since", rfc3339_millis(self.clock.now()))]));
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
    pub(super) fn find(&self, gate: &str) -> Result<Target, Error> {
        let mut target = self.target(self.begin(), gate.into())?;
        let (found, _) = self.with_session(|session| session.packet(&target.project, Path::new(gate)));
        match found {
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
        &self,
        target: &Target,
        spec: &Arc<QuestionSpec>,
        draft: &Draft,
    ) -> Result<(), Error> {
        let packet = target.path();
        let loaded = gate::load(&target.project, &packet).map_err(|fault| fault.error())?;
        let answer_path = loaded.gate().ok_or_else(no_gate)?.answer_path.clone();
        let gate = Gate { spec: Arc::clone(spec), answer_path };
        let record = draft.record(spec, &rfc3339_millis(self.clock.now()), &"human".into());
        let (done, _) =
            self.with_session(|session| next::submit(session, &target.project, &packet, &gate, &record));
        match done {
            Ok(_) | Err(WriteError::Exists(_)) => Ok(()),
            Err(fault) => Err(fault.error()),
        }
    }

    /// Sleeps until a gate is open or never will be, or the time is over. The answers to a question are handed over.
    pub(super) fn wait(
        &self,
        target: &Target,
        wake: &Sender<Wake>,
        wakes: &Receiver<Wake>,
    ) -> Result<End, Error> {
        let (project, packet, path) = (&target.project, &target.packet, target.path());
        let is_gone = || is_relay(packet) && path.symlink_metadata().is_err();
        let mut gates = Gates::new(Arc::clone(project), vec![path.clone()]);
        let _watch = gates.watch(wake)?;
        let mut is_over = false;
        loop {
            let is_due = match wake::next(wakes, gates.due()) {
                Some(Wake::Store(StoreEvent::RootGone)) => return Err(no_root(project)),
                Some(Wake::Store(event)) => gates.take(event),
                // A last look: the answers of a form may be there, and the watch not know it yet.
                Some(Wake::Closed | Wake::Signal(_)) => {
                    is_over = true;
                    true
                }
                None => true,
            };
            for finding in is_due.then(|| gates.look()).into_iter().flatten() {
                match finding {
                    Finding::Malformed(problems) => {
                        return Ok(End { status: Some(Status::Malformed), problems, ..End::default() });
                    }
                    Finding::Lost(error) => return Err(error),
                    Finding::Nothing | Finding::Blocked(_) => {}
                }
            }
            let awaited = &gates.targets[0];
            match awaited.loaded.as_ref().filter(|_| awaited.open) {
                Some(loaded) => return Ok(self.hand_over(target, loaded)),
                // With its project, nobody has taken it back.
                None if is_gone() && project.root_state() != RootState::There => {
                    return Err(no_root(project));
                }
                None if is_gone() => {
                    self.held().remove(packet);
                    let answers = relay::answered(&target.state, packet);
                    let status = answers.is_some().then_some(Status::Answered);
                    let given = answers.as_ref().map(Given::of).unwrap_or_default();
                    return Ok(End { status, given, ..End::default() });
                }
                None if is_over && gates.is_known() => {
                    let waiting = End { status: Some(Status::Waiting), ..End::default() };
                    return Ok(awaited.loaded.as_ref().map_or(waiting, |loaded| End::of(loaded, packet)));
                }
                None => {}
            }
        }
    }

    /// The answers of a gate that is open. The packet of a question goes, and its record once that is in the history.
    fn hand_over(&self, target: &Target, loaded: &Loaded) -> End {
        let held = self.held().remove(&target.packet);
        if let Some(Held { relay, .. }) = held {
            relay.settle(&target.state, &loaded.record);
            relay.close(&target.project, &target.state, self.clock.now());
        }
        self.with_session(|session| session.note_seen(&target.project, loaded));
        End::of(loaded, &target.packet)
    }

    /// Takes the packet of a cancelled call away, unless a call has come since or another process waits for it. False if a
    /// console has its form open: that can still be answered.
    pub(super) fn withdraw(&self, target: &Target) -> bool {
        let mut all = self.held();
        let Some(held) = all.get(&target.packet).filter(|held| held.call == target.call) else { return true };
        if gate_is_open(&target.state, &held.relay.answer_path()) {
            return false;
        }
        if let Some(Held { relay, .. }) = all.remove(&target.packet)
            && relay.is_left()
        {
            relay.close(&target.project, &target.state, self.clock.now());
        }
        true
    }
}

impl Target {
    fn path(&self) -> PathBuf {
        self.project.root().join(&self.packet)
    }
}

fn no_root(project: &Project) -> Error {
    let sentence = say("The project's directory {0} is gone.", "项目目录 {0} 不见了。");
    Error::new(ExitCode::Usage, "no-project", sentence, &[&project.root().to_string_lossy()])
}
