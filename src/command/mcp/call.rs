//! The calls: what is listed, asked and waited for. Those that wait for the author have a slice of time, progress, and an end.

use super::backlog::{Backlog, Share};
use super::form;
use super::gate::{End, Form, Place, TO_RETURN, Target, no_root};
use super::message::{Caller, Fault, Id, Line, answer, ask, notification};
use super::tool::{self, Arguments, failure, success};
use crate::ask::QuestionSpec;
use crate::ask::json::{Item, Kind};
use crate::ask::problem::shorten;
use crate::command::Session;
use crate::command::wait::Gates;
use crate::error::Error;
use crate::platform::paths::Shown as _;
use crate::store::contact::{self, Way};
use crate::store::gate::{Loaded, Status, verdict};
use crate::store::watch::{StoreEvent, Watch};
use crate::text::say;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// The name of the one form that a call shows.
const FORM: &str = "author";
/// About what a list of gates costs, in bytes.
const LIST: usize = 4 << 10;
/// So many calls may wait at once; a client that has more of them open has lost count.
const MOST: usize = 10_000;
/// How often a client that wants to know is told that the call goes on: some give a call up after a minute without a word.
const PROGRESS: Duration = Duration::from_secs(25);

/// What stands in the name that a client gives itself, and how `init` calls it.
const CLIENTS: [(&str, &str); 4] =
    [("claude", "claude-code"), ("codex", "codex"), ("gemini", "gemini"), ("opencode", "opencode")];

/// A call of a tool, as it comes.
pub(super) struct Request<'r> {
    pub(super) id: Id,
    pub(super) caller: Caller,
    pub(super) params: Option<Item<'r>>,
    pub(super) now: Instant,
}

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
    form: Option<Form>,
    progress: Option<Progress>,
}

struct Progress {
    token: Id,
    told: u32,
    next: Instant,
}

impl<'r> Request<'r> {
    /// A member of its params; null counts as nothing.
    fn member(&self, name: &str) -> Option<Item<'r>> {
        self.params?.given(name)
    }
}

impl Call {
    fn new(request: &Request<'_>, target: Target, asked: Option<QuestionSpec>, slice: Duration) -> Call {
        // Only who gives a token is told of progress.
        let token = request.params.and_then(|params| Id::of(params.get("_meta")?.get("progressToken")?));
        Call {
            id: request.id.clone(),
            caller: request.caller.clone(),
            target,
            asked,
            slice,
            end: Some(request.now + slice),
            form: None,
            progress: token.map(|token| Progress { token, told: 0, next: request.now + PROGRESS }),
        }
    }

    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.end.is_some_and(|end| end <= now)
    }

    /// The form that the client shows for it now, by the id of the request.
    fn shown(&self) -> Option<Id> {
        self.end.is_none().then(|| Id::from(self.target.call))
    }
}

/// What wakes the server.
pub(super) enum Event {
    Line(Line, Share),
    /// The client has closed its end of the input or the output.
    Gone,
    /// The watch with this number has found something.
    Store(u64, StoreEvent, Share),
}

pub(super) struct Server<'s> {
    pub(super) place: Place<'s>,
    output: Box<dyn Write + 's>,
    /// Sends to the server itself, as far as there is room.
    events: (Sender<Event>, Arc<Backlog>),
    /// Who shook hands.
    pub(super) client: Option<Caller>,
    /// Those that wait for the author.
    pub(super) calls: Vec<Call>,
    /// The packets whose questions a client was given as a form in an answer.
    shown: HashSet<PathBuf>,
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
    pub(super) fn new(
        session: Session<'s>,
        output: impl Write + 's,
        events: (Sender<Event>, Arc<Backlog>),
    ) -> Server<'s> {
        Server {
            place: Place::new(session),
            output: Box::new(output),
            events,
            client: None,
            calls: Vec::new(),
            shown: HashSet::new(),
            gates: None,
            watch: None,
            watches: 0,
            is_gone: false,
        }
    }

    /// Writes a line; who cannot read it is gone, and it counts as not said.
    pub(super) fn say(&mut self, line: &str) -> bool {
        let written = self.output.write_all(line.as_bytes()).and_then(|()| self.output.flush());
        self.is_gone |= written.is_err();
        written.is_ok()
    }

    /// Begins a call, unless too many wait; its result, or `None` if it waits for the author.
    pub(super) fn call(&mut self, request: &Request<'_>) -> Result<Option<Value>, Fault> {
        if self.calls.len() >= MOST {
            let sentence = say(
                "{0} calls wait for the author; cancel some first.",
                "已有 {0} 个调用在等待作者；请先取消一些。",
            );
            return Err(Fault::params(sentence.fill(self.place.session.lang, &[&MOST.to_string()])));
        }
        let arguments = request.member("arguments");
        let is_object = arguments.is_none_or(|arguments| arguments.kind() == Kind::Object);
        let Some(name) = request.member("name").and_then(Item::string).filter(|_| is_object) else {
            return Err(Fault::params(
                "tools/call wants params with the name of a tool, and its arguments, if any, as an object",
            ));
        };
        self.note_call(&request.caller, &name.lossy());
        let arguments = Arguments::new(arguments);
        let done = match &*name.lossy() {
            tool::LIST_GATES => {
                arguments.listing().and_then(|listing| Ok(Some(success(&self.place.list(&listing)?))))
            }
            tool::ASK_AUTHOR => {
                let filled = self.filled(request)?;
                self.ask_author(request, &arguments, filled)
            }
            tool::WAIT_GATE => self.wait_gate(request, &arguments),
            tool::PROPOSE => {
                arguments.proposal().and_then(|offer| Ok(Some(success(&self.place.propose(&offer)?))))
            }
            name => {
                let sentence = say(
                    "There is no tool {0}; the tools are list_gates, ask_author, wait_gate and propose_options.",
                    "没有工具 {0}；可用的工具是 list_gates、ask_author、wait_gate、propose_options。",
                );
                return Err(Fault::params(sentence.fill(self.place.session.lang, &[&shorten(name)])));
            }
        };
        let result = done.unwrap_or_else(|error| Some(failure(&error.text(self.place.session.lang))));
        Ok(result.map(|result| request.caller.result(result)))
    }

    /// Notes that a client has called, if it is one that can be wired.
    fn note_call(&self, caller: &Caller, tool: &str) {
        let name = caller.name.to_ascii_lowercase();
        let client = CLIENTS.iter().find(|(word, _)| name.contains(word));
        if let (Some((_, client)), Ok(project)) = (client, self.place.session.project()) {
            self.place.session.hear(&project, client, Way::Mcp, &contact::Call::new(tool, None, None));
        }
    }

    /// What a client says of a form that it was given in an answer, and the packet of its questions.
    fn filled<'r>(&self, request: &Request<'r>) -> Result<Option<(PathBuf, Item<'r>)>, Fault> {
        let Some(responses) = request.member("inputResponses") else { return Ok(None) };
        let state = request.member("requestState").and_then(Item::string);
        let packet = state.map(|state| PathBuf::from(&*state.lossy()));
        let shown = packet.filter(|packet| self.shown.contains(packet)).zip(responses.get(FORM));
        let fault = || Fault::params("inputResponses and requestState answer no form that was shown");
        shown.map(Some).ok_or_else(fault)
    }

    fn ask_author(
        &mut self,
        request: &Request<'_>,
        arguments: &Arguments,
        filled: Option<(PathBuf, Item<'_>)>,
    ) -> Result<Option<Value>, Error> {
        let (spec, slice) = arguments.asking()?;
        let caller = &request.caller;
        let (target, filled) = match filled {
            // It is for the packet that was asked then, whatever has become of it.
            Some((packet, filled)) => (self.place.rejoin(packet)?, Some(filled)),
            None => (self.place.ask(&spec, &caller.name)?, None),
        };
        let shows = caller.shows_forms && filled.is_none() && !slice.is_zero() && target.is_alone();
        let form = shows.then(|| form::of(&spec, &caller.name, self.place.session.lang)).flatten();
        if let Some(form) = form.as_ref().filter(|_| caller.is_stateless) {
            let state = target.packet.shown();
            let asked = json!({FORM: {"method": form::METHOD, "params": form}});
            let result =
                json!({"resultType": "input_required", "inputRequests": asked, "requestState": state});
            self.shown.insert(target.packet);
            return Ok(Some(result));
        }
        if let Some(form) = &form {
            self.say(&ask(&Id::from(target.call), form::METHOD, form));
        }
        let taken = filled.map(|filled| self.place.take_form(&target, &spec, filled)).transpose()?;
        let end = form.is_none().then(|| request.now + slice);
        self.wait(Call { end, form: taken, ..Call::new(request, target, Some(spec), slice) });
        Ok(None)
    }

    fn wait_gate(&mut self, request: &Request<'_>, arguments: &Arguments) -> Result<Option<Value>, Error> {
        let (gate, slice) = arguments.gate()?;
        let target = self.place.find(Path::new(&gate))?;
        self.wait(Call::new(request, target, None, slice));
        Ok(None)
    }

    /// What became of a form.
    pub(super) fn take_form(&mut self, id: &Id, result: Option<Item<'_>>, now: Instant) {
        let shown = self.calls.iter().position(|call| call.shown().as_ref() == Some(id));
        let Some(place) = shown else { return };
        let call = &mut self.calls[place];
        call.end = Some(now + call.slice);
        let (Some(spec), Some(filled)) = (&call.asked, result) else { return };
        match self.place.take_form(&call.target, spec, filled) {
            Ok(form) => call.form = Some(form),
            Err(error) => {
                let call = self.calls.remove(place);
                self.answer_call(&call, failure(&error.text(self.place.session.lang)));
            }
        }
    }

    /// Nothing is said of a call that was cancelled. Its question goes, once the client has had time to ask again.
    pub(super) fn cancel(&mut self, id: Option<&Id>, now: Instant) {
        let Some(place) = self.calls.iter().position(|call| Some(&call.id) == id) else { return };
        let call = self.calls.remove(place);
        self.take_form_away(&call);
        match self.calls.iter().find(|other| other.target.packet == call.target.packet) {
            Some(other) => self.place.pass_on(&call.target, &other.target),
            None if call.asked.is_some() => self.place.leave(&call.target, now + TO_RETURN),
            None => {}
        }
    }

    /// When something is to be done, though no event comes.
    pub(super) fn due(&self) -> Option<Instant> {
        let gates = self.gates.as_ref();
        // A slice does not end before the first look.
        let ends =
            self.calls.iter().filter(|_| gates.is_some_and(Gates::is_known)).filter_map(|call| call.end);
        let beats = self.calls.iter().filter_map(|call| Some(call.progress.as_ref()?.next));
        ends.chain(beats).chain(self.place.due()).chain(gates.and_then(Gates::due)).min()
    }

    /// Does what is due by now.
    pub(super) fn pass(&mut self, now: Instant) {
        self.place.pass(now);
        let is_due = |gates: &Gates| {
            gates.due().is_some_and(|due| due <= now)
                || gates.is_known() && (self.is_gone || self.calls.iter().any(|call| call.is_over(now)))
        };
        if self.gates.as_ref().is_some_and(is_due) {
            self.judge(now);
        }
        self.tidy_gates();
        let lang = self.place.session.lang;
        let mut lines = Vec::new();
        for call in &mut self.calls {
            let Some(progress) = call.progress.as_mut().filter(|progress| progress.next <= now) else {
                continue;
            };
            progress.told += 1;
            progress.next = now + PROGRESS;
            let mut gates = self.gates.iter().flat_map(|gates| &gates.targets);
            let gate =
                gates.find(|gate| gate.path == call.target.path()).and_then(|gate| gate.loaded.as_ref());
            let says =
                verdict(gate.map_or(Status::Waiting, Loaded::status), gate.is_some_and(Loaded::is_unseen))
                    .text(lang);
            let params =
                json!({"progressToken": progress.token.raw(), "progress": progress.told, "message": says});
            lines.push(notification("notifications/progress", &params));
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
        let mut ends = Vec::new();
        for (gate, finding) in gates.targets.iter().zip(found) {
            let call = self.calls.iter().find(|call| call.target.path() == gate.path);
            ends.extend(
                call.and_then(|call| {
                    Some((call.target.clone(), self.place.end(&call.target, gate, finding)?))
                }),
            );
        }
        for (target, end) in ends {
            self.end_calls(&target, &end);
        }
        let Some(gates) = self.gates.as_ref().filter(|gates| gates.is_known()) else { return };
        let is_gone = self.is_gone;
        let mut over = Vec::new();
        for call in self.calls.extract_if(.., |call| is_gone || call.is_over(now)) {
            let gate = gates.targets.iter().find(|gate| gate.path == call.target.path());
            over.extend(gate.map(|gate| (End::so_far(&call.target, gate), call)));
        }
        for (end, call) in over {
            self.end_call(&call, &end);
        }
    }

    /// Watches what the calls wait for, all of it. A watch is started when there is nothing else to do, once for all gates that
    /// came meanwhile.
    pub(super) fn watch_gates(&mut self) {
        let (Some(gates), None) = (&self.gates, &self.watch) else { return };
        self.watches += 1;
        let (number, (events, backlog)) = (self.watches, self.events.clone());
        let tell = move |event| drop(events.send(Event::Store(number, event, backlog.take(LIST))));
        match gates.watch(tell) {
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

    /// Ends every call on this packet. Answers that reach nobody stay where they are.
    fn end_calls(&mut self, target: &Target, end: &Result<End, Error>) {
        let ended: Vec<Call> =
            self.calls.extract_if(.., |call| call.target.packet == target.packet).collect();
        let told = ended.iter().filter(|call| self.end_call(call, end)).count();
        if let Some(loaded) = end.as_ref().ok().and_then(End::given).filter(|_| told > 0) {
            self.place.hand_over(target, loaded);
        }
    }

    /// Ends every call: the project has gone, or cannot be watched.
    pub(super) fn end_all(&mut self, error: &Error) {
        for call in std::mem::take(&mut self.calls) {
            self.answer_call(&call, failure(&error.text(self.place.session.lang)));
        }
        self.tidy_gates();
    }

    /// Whether the client could be told.
    fn end_call(&mut self, call: &Call, end: &Result<End, Error>) -> bool {
        let result = match end {
            Ok(end) => self.place.tell(&call.target, call.form, call.asked.is_some(), end),
            Err(error) => failure(&error.text(self.place.session.lang)),
        };
        self.answer_call(call, result)
    }

    fn answer_call(&mut self, call: &Call, result: Value) -> bool {
        self.take_form_away(call);
        self.say(&answer(Some(&call.id), Ok(call.caller.result(result))))
    }

    fn take_form_away(&mut self, call: &Call) {
        if let Some(form) = call.shown() {
            self.say(&notification("notifications/cancelled", &json!({"requestId": form.raw()})));
        }
    }
}
