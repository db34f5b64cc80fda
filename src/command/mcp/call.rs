//! The calls: what is listed, asked and waited for. Those that wait for the author have a slice of time, progress, and an end.

use super::form;
use super::gate::{End, Place, Target, no_root};
use super::message::{Caller, Fault, Id, Line, answer, notification, request};
use super::tool::{self, Arguments, failure, success};
use crate::ask::QuestionSpec;
use crate::ask::json::{Item, Kind};
use crate::ask::problem::shorten;
use crate::command::Session;
use crate::command::wait::Gates;
use crate::error::Error;
use crate::store::gate::Status;
use crate::store::watch::{StoreEvent, Watch};
use crate::text::say;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// How long a question stays after its call was cancelled: the client may ask again.
const TO_RETURN: Duration = Duration::from_mins(1);
/// The name of the one form that a call shows.
const FORM: &str = "author";
/// How often a client that wants to know is told that the call goes on: some give a call up after a minute without a word.
const PROGRESS: Duration = Duration::from_secs(25);

/// A call that waits for the author.
pub(super) struct Call {
    id: Id,
    caller: Caller,
    pub(super) target: Target,
    /// What was asked; `None` if it only waits for a gate.
    asked: Option<QuestionSpec>,
    slice: Duration,
    /// When its slice is over. It begins when the form that the client shows is done with: `None` until then.
    end: Option<Instant>,
    progress: Option<Progress>,
}

struct Progress {
    token: Id,
    told: u32,
    next: Instant,
}

/// The question of a call that was cancelled.
pub(super) struct Left {
    target: Target,
    /// When it goes.
    until: Instant,
}

impl Call {
    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.end.is_some_and(|end| end <= now)
    }

    /// The form that the client shows for it, by the id of the request.
    fn form(&self) -> Option<Id> {
        self.end.is_none().then(|| Id::from(self.target.call))
    }
}

/// What wakes the server.
pub(super) enum Event {
    Line(Line),
    /// The input has ended.
    Gone,
    /// The watch with this number has found something.
    Store(u64, StoreEvent),
}

pub(super) struct Server<'s> {
    pub(super) place: Place<'s>,
    output: Box<dyn Write + 's>,
    /// Sends to the server itself.
    events: Sender<Event>,
    /// Who shook hands.
    pub(super) client: Option<Caller>,
    /// Those that wait for the author.
    pub(super) calls: Vec<Call>,
    left: Vec<Left>,
    /// What the calls wait for.
    pub(super) gates: Option<Gates>,
    /// Watches the gates; `None` until it knows all of them.
    watch: Option<Watch>,
    /// How many watches there were.
    pub(super) watches: u64,
    /// Whether the client is gone.
    pub(super) is_gone: bool,
}

impl<'s> Server<'s> {
    pub(super) fn new(session: Session<'s>, output: impl Write + 's, events: Sender<Event>) -> Server<'s> {
        Server {
            place: Place::new(session),
            output: Box::new(output),
            events,
            client: None,
            calls: Vec::new(),
            left: Vec::new(),
            gates: None,
            watch: None,
            watches: 0,
            is_gone: false,
        }
    }

    /// Writes a line; who cannot read it is gone.
    pub(super) fn say(&mut self, line: &str) {
        let written = self.output.write_all(line.as_bytes()).and_then(|()| self.output.flush());
        self.is_gone |= written.is_err();
    }

    /// Begins a call; its result, or `None` if it waits for the author.
    pub(super) fn call(
        &mut self,
        id: &Id,
        caller: &Caller,
        params: Option<Item<'_>>,
        now: Instant,
    ) -> Result<Option<Value>, Fault> {
        let member =
            |name| params.and_then(|params| params.get(name)).filter(|item| item.kind() != Kind::Null);
        let arguments = member("arguments");
        let is_object = arguments.is_none_or(|arguments| arguments.kind() == Kind::Object);
        let Some(name) = member("name").and_then(Item::string).filter(|_| is_object) else {
            return Err(Fault::params(
                "tools/call wants params with the name of a tool, and its arguments, if any, as an object",
            ));
        };
        let arguments = Arguments::new(arguments);
        let done = match &*name.lossy() {
            tool::LIST_GATES => {
                arguments.listing().and_then(|listing| Ok(Some(success(&self.place.list(&listing)?))))
            }
            tool::ASK_AUTHOR => self.ask_author(id, caller, &arguments, params, now),
            tool::WAIT_GATE => self.wait_gate(id, caller, &arguments, params, now),
            name => {
                let sentence = say(
                    "There is no tool {0}; the tools are list_gates, ask_author and wait_gate.",
                    "没有工具 {0}；可用的工具是 list_gates、ask_author、wait_gate。",
                );
                return Err(Fault::params(sentence.fill(self.place.session.lang, &[&shorten(name)])));
            }
        };
        let result = done.unwrap_or_else(|error| Some(failure(&error.text(self.place.session.lang))));
        Ok(result.map(|result| caller.result(result)))
    }

    fn ask_author(
        &mut self,
        id: &Id,
        caller: &Caller,
        arguments: &Arguments,
        params: Option<Item<'_>>,
        now: Instant,
    ) -> Result<Option<Value>, Error> {
        let (spec, slice) = arguments.asking()?;
        let (target, is_alone) = self.place.ask(&spec, &caller.name)?;
        let responses = params.and_then(|params| params.get("inputResponses"));
        let asks = is_alone && responses.is_none() && caller.shows_forms;
        let form = asks.then(|| form::of(&spec, &caller.name, self.place.session.lang)).flatten();
        if let Some(form) = form.as_ref().filter(|_| caller.is_stateless) {
            let asked = json!({FORM: {"method": form::METHOD, "params": form}});
            return Ok(Some(json!({"resultType": "input_required", "inputRequests": asked})));
        }
        let filled = responses.and_then(|all| all.get(FORM));
        if let Some(draft) = filled.and_then(|filled| form::draft(&spec, filled)) {
            self.place.submit(&target, &spec, &draft)?;
        }
        if let Some(form) = &form {
            self.say(&request(&Id::from(target.call), form::METHOD, form));
        }
        let end = form.is_none().then(|| now + slice);
        let progress = progress(params, now);
        let (id, caller, asked) = (id.clone(), caller.clone(), Some(spec));
        self.wait(Call { id, caller, target, asked, slice, end, progress });
        Ok(None)
    }

    fn wait_gate(
        &mut self,
        id: &Id,
        caller: &Caller,
        arguments: &Arguments,
        params: Option<Item<'_>>,
        now: Instant,
    ) -> Result<Option<Value>, Error> {
        let (gate, slice) = arguments.gate()?;
        let target = self.place.find(&gate)?;
        let (end, progress) = (Some(now + slice), progress(params, now));
        let (id, caller) = (id.clone(), caller.clone());
        self.wait(Call { id, caller, target, asked: None, slice, end, progress });
        Ok(None)
    }

    /// What became of a form.
    pub(super) fn take_form(&mut self, id: &Id, result: Option<Item<'_>>, now: Instant) {
        let shown = self.calls.iter().position(|call| call.form().as_ref() == Some(id));
        let Some(place) = shown else { return };
        let call = &mut self.calls[place];
        call.end = Some(now + call.slice);
        let filled = call.asked.as_ref().zip(result);
        let Some((spec, draft)) = filled.and_then(|(spec, filled)| Some((spec, form::draft(spec, filled)?)))
        else {
            return;
        };
        let (spec, target) = (spec.clone(), call.target.clone());
        if let Err(error) = self.place.submit(&target, &spec, &draft) {
            let call = self.calls.remove(place);
            self.answer_call(&call, failure(&error.text(self.place.session.lang)));
        }
    }

    /// Nothing is said of a call that was cancelled. Its question goes, once the client has had time to ask again.
    pub(super) fn cancel(&mut self, id: Option<&Id>, now: Instant) {
        let Some(place) = self.calls.iter().position(|call| Some(&call.id) == id) else { return };
        let call = self.calls.remove(place);
        self.take_form_away(&call);
        if call.asked.is_some() {
            self.left.push(Left { target: call.target, until: now + TO_RETURN });
        }
    }

    /// When something is to be done, though no event comes.
    pub(super) fn due(&self) -> Option<Instant> {
        let gates = self.gates.as_ref();
        // A slice does not end before the first look.
        let ends =
            self.calls.iter().filter(|_| gates.is_some_and(Gates::is_known)).filter_map(|call| call.end);
        let beats = self.calls.iter().filter_map(|call| Some(call.progress.as_ref()?.next));
        let left = self.left.iter().map(|left| left.until);
        ends.chain(beats).chain(left).chain(gates.and_then(Gates::due)).min()
    }

    /// Does what is due by now.
    pub(super) fn pass(&mut self, now: Instant) {
        for left in self.left.extract_if(.., |left| left.until <= now).collect::<Vec<_>>() {
            // A console that has it open can still answer it.
            if !self.place.withdraw(&left.target) {
                self.left.push(Left { until: now + TO_RETURN, ..left });
            }
        }
        let is_due = |gates: &Gates| {
            gates.due().is_some_and(|due| due <= now)
                || gates.is_known() && (self.is_gone || self.calls.iter().any(|call| call.is_over(now)))
        };
        if self.gates.as_ref().is_some_and(is_due) {
            self.judge(now);
        }
        self.tidy_gates();
        let says = say("The author has not answered yet.", "作者尚未回答。").text(self.place.session.lang);
        let mut lines = Vec::new();
        for progress in self.calls.iter_mut().filter_map(|call| call.progress.as_mut()) {
            if progress.next <= now {
                progress.told += 1;
                progress.next = now + PROGRESS;
                let params = json!({"progressToken": progress.token.raw(), "progress": progress.told, "message": says});
                lines.push(notification("notifications/progress", &params));
            }
        }
        for line in &lines {
            self.say(line);
        }
    }

    /// Waits for the author on behalf of a call, which is answered when its gate is open or never will be, or its time is over.
    pub(super) fn wait(&mut self, call: Call) {
        let project = Arc::clone(&call.target.project);
        if self.gates.as_ref().is_some_and(|gates| gates.project.root() != project.root()) {
            self.end_all(&no_root(&project));
        }
        let gates = self.gates.get_or_insert_with(|| Gates::new(project, Vec::new()));
        let path = call.target.path();
        if gates.targets.iter().all(|gate| gate.path != path) {
            gates.add(path);
            // The watch knows nothing of this gate, and what it says no longer counts.
            self.watch = None;
            self.watches += 1;
        }
        self.calls.push(call);
    }

    /// Takes what the watch has found.
    pub(super) fn look_at(&mut self, event: StoreEvent, now: Instant) {
        let Some(gates) = &mut self.gates else { return };
        if matches!(event, StoreEvent::RootGone) {
            let error = no_root(&gates.project);
            return self.end_all(&error);
        }
        if gates.take(event) {
            self.judge(now);
        }
    }

    /// Looks at every gate that is waited for, and ends the calls whose wait is done or whose time is over.
    pub(super) fn judge(&mut self, now: Instant) {
        let Some(gates) = &mut self.gates else { return };
        let found = gates.look();
        let paths: Vec<PathBuf> = gates.targets.iter().map(|target| target.path.clone()).collect();
        for (place, finding) in found.into_iter().enumerate() {
            let waits = self.calls.iter().find(|call| call.target.path() == paths[place]);
            let Some(target) = waits.map(|call| call.target.clone()) else { continue };
            let Some(gates) = &self.gates else { return };
            if let Some(end) = self.place.end(&target, &gates.targets[place], finding) {
                self.end_calls(&target.packet, &end);
            }
        }
        let Some(gates) = self.gates.as_ref().filter(|gates| gates.is_known()) else { return };
        let is_gone = self.is_gone;
        let over: Vec<Call> = self.calls.extract_if(.., |call| is_gone || call.is_over(now)).collect();
        let state = |call: &Call| {
            let gate = gates.targets.iter().find(|gate| gate.path == call.target.path());
            let waiting = End { status: Some(Status::Waiting), ..End::default() };
            let loaded = gate.and_then(|gate| gate.loaded.as_ref());
            loaded.map_or(waiting, |loaded| End::of(loaded, &call.target.packet))
        };
        let ends: Vec<End> = over.iter().map(state).collect();
        for (call, end) in over.iter().zip(ends) {
            self.end_call(call, &Ok(end));
        }
    }

    /// Watches what the calls wait for, all of it. A watch is started when there is nothing else to do, once for all gates that
    /// came meanwhile.
    pub(super) fn watch_gates(&mut self) {
        let (Some(gates), None) = (&self.gates, &self.watch) else { return };
        self.watches += 1;
        let (number, events) = (self.watches, self.events.clone());
        match gates.watch(move |event| drop(events.send(Event::Store(number, event)))) {
            Ok(watch) => self.watch = Some(watch),
            Err(error) => self.end_all(&error),
        }
    }

    /// Forgets the gates that no call waits for.
    pub(super) fn tidy_gates(&mut self) {
        let Some(gates) = &mut self.gates else { return };
        gates.targets.retain(|gate| self.calls.iter().any(|call| gate.path == call.target.path()));
        if gates.targets.is_empty() {
            (self.gates, self.watch) = (None, None);
        }
    }

    /// Ends every call on this packet.
    pub(super) fn end_calls(&mut self, packet: &Path, end: &Result<End, Error>) {
        let ended: Vec<Call> = self.calls.extract_if(.., |call| call.target.packet == packet).collect();
        for call in &ended {
            self.end_call(call, end);
        }
    }

    /// Ends every call: the project has gone, or cannot be watched.
    pub(super) fn end_all(&mut self, error: &Error) {
        for call in std::mem::take(&mut self.calls) {
            self.answer_call(&call, failure(&error.text(self.place.session.lang)));
        }
        self.tidy_gates();
    }

    pub(super) fn end_call(&mut self, call: &Call, end: &Result<End, Error>) {
        let result = end.as_ref().map_err(Error::clone).and_then(|end| match call.asked {
            Some(_) => Ok(self.place.asked(&call.target, end)),
            None => self.place.waited(&call.target, end),
        });
        let result = result.unwrap_or_else(|error| failure(&error.text(self.place.session.lang)));
        self.answer_call(call, result);
    }

    fn answer_call(&mut self, call: &Call, result: Value) {
        self.take_form_away(call);
        self.say(&answer(Some(&call.id), Ok(call.caller.result(result))));
    }

    fn take_form_away(&mut self, call: &Call) {
        if let Some(form) = call.form() {
            self.say(&notification("notifications/cancelled", &json!({"requestId": form.raw()})));
        }
    }
}

/// Only who gives a token is told of progress.
fn progress(params: Option<Item<'_>>, now: Instant) -> Option<Progress> {
    let token = params?.get("_meta")?.get("progressToken").and_then(Id::of)?;
    Some(Progress { token, told: 0, next: now + PROGRESS })
}
