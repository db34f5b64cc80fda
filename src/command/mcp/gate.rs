//! What a call does with a gate, on a thread of its own: puts it into the project, finds it, waits for it.

use super::Server;
use super::waiting::{Place, Turn};
use crate::ask::{AnswerSpec, Draft, JsString, Problem, QuestionSpec, object, to_line};
use crate::command::wait::{Finding, Gates};
use crate::command::wake::{self, Wake};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::rfc3339_millis;
use crate::store::gate::{self, Loaded, spec_hash};
use crate::store::history::Over;
use crate::store::lock::console_is_open;
use crate::store::record::no_gate;
use crate::store::relay::{self, Asked, Relay, is_relay};
use crate::store::submit::{Submission, submit};
use crate::store::watch::StoreEvent;
use crate::store::{RootState, WriteError};
use crate::text::say;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, PoisonError};

/// So much of a client's name is shown.
const NAME: usize = 64;

/// Questions that were asked.
pub(super) struct Question {
    pub(super) place: Place,
    pub(super) turn: Turn,
    /// Whether there are no answers yet, and no console in which they could be given.
    pub(super) is_alone: bool,
}

/// How a wait has ended.
pub(super) enum End {
    Open(Box<Loaded>),
    /// The time is over.
    Over(Option<Box<Loaded>>),
    Malformed(Vec<Problem>),
    /// The packet of a question is gone, and was answered before.
    Answered(AnswerSpec),
    /// The packet of a question is gone.
    Gone,
}

impl Server {
    fn place(&self) -> Result<Place, Error> {
        let (place, _) = self.with_session(|session| {
            let project = session.project()?;
            let mut known = self.place.lock().unwrap_or_else(PoisonError::into_inner);
            // Calls that wait share their handles, unless the directory is another one by now.
            let same = known.as_ref().filter(|place| {
                place.project.root() == project.root() && place.project.root_state() == RootState::There
            });
            if let Some(place) = same {
                return Ok(place.clone());
            }
            let place = Place { state: session.state(&project)?, project: Arc::new(project) };
            *known = Some(place.clone());
            Ok(place)
        });
        place
    }

    /// Puts questions into the project, or finds them there.
    pub(super) fn ask(&self, spec: &QuestionSpec, client: &str) -> Result<Question, Error> {
        let number = self.waiting.begin();
        let place = self.place()?;
        let client = Some(JsString::from(client).head(NAME)).filter(|name| !name.is_blank());
        let client = client.unwrap_or_else(|| "mcp".into()).display().into_owned();
        let about = to_line(&object([("server", "mcp".into()), ("since", rfc3339_millis(self.clock.now()))]));
        let asked = Asked { agent: &client, spec, call: &about };
        let relay = Relay::ask(&place.project, &place.state, &asked)?;
        let packet = place.project.root().join(relay.packet());
        let is_answered = gate::load(&place.project, &packet).is_ok_and(|loaded| loaded.record.exists());
        let is_alone = !is_answered && !console_is_open(&place.state);
        Ok(Question { turn: self.waiting.hold(relay, number), place, is_alone })
    }

    /// The packet of a gate.
    pub(super) fn find(&self, gate: &str) -> Result<(Place, PathBuf), Error> {
        let number = self.waiting.begin();
        let place = self.place()?;
        let (found, _) = self.with_session(|session| session.packet(&place.project, Path::new(gate)));
        let packet = match found {
            Ok(packet) => place.project.relative(&packet).to_path_buf(),
            // What was handed over is known by its path alone.
            Err(_) if relay::answered(&place.state, Path::new(gate)).is_some() => gate.into(),
            Err(error) => return Err(error),
        };
        if let Some(relay) = Relay::join(&place.project, &packet) {
            self.waiting.hold(relay, number);
        }
        Ok((place, packet))
    }

    /// Writes what the author has answered in a form. Who was first in another place stays.
    pub(super) fn submit(
        &self,
        place: &Place,
        packet: &Path,
        spec: &QuestionSpec,
        draft: &Draft,
    ) -> Result<(), Error> {
        let packet = place.project.root().join(packet);
        let loaded = gate::load(&place.project, &packet).map_err(|fault| fault.error())?;
        let gate = loaded.gate().ok_or_else(no_gate)?;
        let now = self.clock.now();
        let json = draft.record(spec, &rfc3339_millis(now), &"human".into()).to_json();
        let submission = Submission {
            packet: &packet,
            answer_path: &gate.answer_path,
            asked: &spec_hash(spec),
            bytes: json.as_bytes(),
            rivals: &[],
            over: Over::Nothing,
        };
        match submit(&place.project, Ok(&place.state), &submission, now) {
            Ok(_) | Err(WriteError::Exists(_)) => Ok(()),
            Err(fault) => Err(fault.error()),
        }
    }

    /// Sleeps until a gate is open or never will be, or the time is over. The answers to a question are handed over.
    pub(super) fn wait(
        &self,
        place: &Place,
        packet: &Path,
        wake: &Sender<Wake>,
        wakes: &Receiver<Wake>,
    ) -> Result<End, Error> {
        let end = sleep_until_open(place, packet, wake, wakes)?;
        match &end {
            End::Open(loaded) => {
                self.waiting.hand_over(place, packet, &loaded.record, self.clock.now());
                self.with_session(|session| session.note_seen(&place.project, loaded));
            }
            End::Gone | End::Answered(_) => self.waiting.forget(packet),
            End::Over(_) | End::Malformed(_) => {}
        }
        Ok(end)
    }
}

fn sleep_until_open(
    place: &Place,
    packet: &Path,
    wake: &Sender<Wake>,
    wakes: &Receiver<Wake>,
) -> Result<End, Error> {
    let path = place.project.root().join(packet);
    let is_gone = || is_relay(packet) && path.symlink_metadata().is_err();
    let mut gates = Gates::new(Arc::clone(&place.project), vec![path.clone()]);
    let _watch = gates.watch(wake)?;
    let mut is_over = false;
    loop {
        let is_due = match wake::next(wakes, gates.due()) {
            Some(Wake::Store(StoreEvent::RootGone)) => return Err(no_root(place)),
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
                Finding::Malformed(problems) => return Ok(End::Malformed(problems)),
                Finding::Lost(error) => return Err(error),
                Finding::Nothing | Finding::Blocked(_) => {}
            }
        }
        let target = &mut gates.targets[0];
        match target.loaded.take_if(|_| target.open) {
            Some(loaded) => return Ok(End::Open(Box::new(loaded))),
            // With its project, nobody has taken it back.
            None if is_gone() && place.project.root_state() != RootState::There => {
                return Err(no_root(place));
            }
            None if is_gone() => {
                return Ok(relay::answered(&place.state, packet).map_or(End::Gone, End::Answered));
            }
            None => {}
        }
        if is_over && gates.is_known() {
            return Ok(End::Over(gates.targets.remove(0).loaded.map(Box::new)));
        }
    }
}

fn no_root(place: &Place) -> Error {
    let sentence = say("The project's directory {0} is gone.", "项目目录 {0} 不见了。");
    Error::new(ExitCode::Usage, "no-project", sentence, &[&place.project.root().to_string_lossy()])
}
