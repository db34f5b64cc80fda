//! The calls: what is listed, asked and waited for.

use super::arguments::Arguments;
use super::outcome::{self, AskOutput, Given, WaitOutput};
use super::waiting::{Place, Turn};
use super::{Handler, Server, call};
use crate::ask::json::Json;
use crate::ask::{AnswerSpec, Gate, JsString, Problem, QuestionSpec, object, to_line};
use crate::cli::ListArgs;
use crate::command::list;
use crate::command::wait::{Finding, Gates};
use crate::command::wake::{self, Wake};
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::clock::rfc3339_millis;
use crate::store::gate::{self, Loaded, Status};
use crate::store::lock::console_is_open;
use crate::store::relay::{self, Asked, Relay, is_relay};
use crate::store::watch::StoreEvent;
use crate::text::say;
use rmcp::RoleServer;
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;
use tokio::time::sleep;

/// How long a question stays after its call was cancelled: the client may ask again.
const TO_RETURN: Duration = Duration::from_mins(1);
/// So much of a client's name is shown.
const NAME: usize = 64;

/// How a wait has ended.
enum End {
    Open(Box<Loaded>),
    /// The time is over.
    Over(Option<Box<Loaded>>),
    Malformed(Vec<Problem>),
    /// The packet of a question is gone, and was answered before.
    Answered(AnswerSpec),
    /// The packet of a question is gone.
    Gone,
}

impl Handler {
    pub(super) async fn list_gates(&self, arguments: Arguments) -> Result<CallToolResult, Error> {
        let status = arguments.status()?.into_iter().collect();
        let server = Arc::clone(&self.0);
        let printed = call::on_thread(move || {
            let arguments = ListArgs { status, ..ListArgs::default() };
            let (listed, printed) = server.with_session(|session| list::run(session, &arguments));
            listed.map(|_| String::from_utf8_lossy(&printed).trim_end().to_owned())
        });
        let line = printed.await?;
        let message = Json::parse(line.as_bytes()).ok().and_then(|json| json.root().get("message")?.string());
        Ok(outcome::printed(&message.unwrap_or_default().lossy(), &line))
    }

    pub(super) async fn ask_author(
        &self,
        arguments: Arguments,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, Error> {
        let asking = arguments.asking()?;
        let client = context.client_info().map(|client| client.name).unwrap_or_default();
        let server = Arc::clone(&self.0);
        let (place, turn) = call::on_thread(move || server.ask(&asking.spec, &client)).await?;
        let (server, at, packet) = (Arc::clone(&self.0), place.clone(), turn.packet.clone());
        let waited = call::wait(&self.0, context, asking.slice, move |wake, wakes| {
            server.wait(&at, &packet, &wake, &wakes)
        });
        let Some(end) = waited.await else {
            tokio::spawn(withdraw(Arc::clone(&self.0), place, turn));
            return Ok(self.cancelled());
        };
        Ok(self.answer(&place, &turn.packet, end?))
    }

    pub(super) async fn wait_gate(
        &self,
        arguments: Arguments,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, Error> {
        let (gate, slice) = arguments.gate()?;
        let server = Arc::clone(&self.0);
        let (place, packet) = call::on_thread(move || server.find(&gate)).await?;
        let (server, at) = (Arc::clone(&self.0), place.clone());
        let waited =
            call::wait(&self.0, context, slice, move |wake, wakes| server.wait(&at, &packet, &wake, &wakes));
        let Some(end) = waited.await else { return Ok(self.cancelled()) };
        self.verdict(&place, end?)
    }

    /// Nobody reads it.
    fn cancelled(&self) -> CallToolResult {
        outcome::failure(say("The call was cancelled.", "调用已取消。").text(self.0.lang))
    }

    /// What `ask_author` gives.
    fn answer(&self, place: &Place, packet: &Path, end: End) -> CallToolResult {
        let (status, given) = match end {
            End::Open(loaded) => ("answered", loaded.record.valid().map(Given::of)),
            End::Answered(record) => ("answered", Some(Given::of(&record))),
            End::Over(_) => ("waiting", None),
            End::Malformed(_) | End::Gone => ("declined", None),
        };
        let sentence = match status {
            "answered" => say("The author has answered.", "作者已回答。").text(self.0.lang).to_owned(),
            "waiting" => self.waiting(place),
            _ => say(
                "The author wants to answer this in your own conversation: ask there.",
                "作者想在你的对话里回答：请在那里提问。",
            )
            .text(self.0.lang)
            .to_owned(),
        };
        let gate = packet.to_string_lossy().into_owned();
        outcome::success(&sentence, &AskOutput { status, gate, given: given.unwrap_or_default() })
    }

    /// What `wait_gate` gives.
    fn verdict(&self, place: &Place, end: End) -> Result<CallToolResult, Error> {
        let lang = self.0.lang;
        let (status, loaded, given, problems) = match end {
            End::Open(loaded) => {
                let given = loaded.record.valid().map(Given::of);
                (loaded.status(), Some(loaded), given, Vec::new())
            }
            End::Answered(record) => (Status::Answered, None, Some(Given::of(&record)), Vec::new()),
            End::Over(loaded) => {
                let status = loaded.as_ref().map_or(Status::Waiting, |loaded| loaded.status());
                let problems = loaded.as_ref().map(|loaded| loaded.problems().to_vec());
                (status, loaded, None, problems.unwrap_or_default())
            }
            End::Malformed(problems) => (Status::Malformed, None, None, problems),
            End::Gone => {
                let sentence = say(
                    "The question was taken back in the project; if it still matters, ask the author in your own conversation.",
                    "项目中的提问已被撤下；如仍需要，请在你的对话里问作者。",
                );
                return Err(Error::new(ExitCode::Failed, "no-packet", sentence, &[]));
            }
        };
        let is_waiting = status == Status::Waiting;
        let sentence = if is_waiting { self.waiting(place) } else { gate::verdict(status).text(lang) };
        // The record of a question goes to the history when the answers are handed over.
        let stays = loaded
            .filter(|loaded| status != Status::Answered || !is_relay(place.project.relative(&loaded.path)));
        let path = |gate: &Gate| gate.answer_path.lossy().into_owned();
        let output = WaitOutput {
            status: status.name(),
            record_path: stays.as_ref().and_then(|loaded| loaded.gate()).map(path),
            given: given.unwrap_or_default(),
            problems: outcome::problems(&problems, lang),
        };
        Ok(outcome::success(&sentence, &output))
    }

    fn waiting(&self, place: &Place) -> String {
        let lang = self.0.lang;
        let wait = say(
            "The author has not answered yet. This is no failure: call wait_gate again.",
            "作者尚未回答。这不是失败：请再次调用 wait_gate。",
        );
        if console_is_open(&place.state) {
            return wait.text(lang).to_owned();
        }
        let alone = say(
            "{0} No console is open on this project: tell the author to run novel-gate in {1}.",
            "{0}这个项目没有打开控制台：请告诉作者在 {1} 中运行 novel-gate。",
        );
        alone.fill(lang, &[wait.text(lang), &place.project.root().to_string_lossy()])
    }
}

/// Takes the question of a cancelled call back, once the client has had time to ask again and no console has it open.
async fn withdraw(server: Arc<Server>, place: Place, turn: Turn) {
    loop {
        sleep(TO_RETURN).await;
        let (server, place, turn) = (Arc::clone(&server), place.clone(), turn.clone());
        let withdrawn = move || Ok(server.waiting.withdraw(&place, &turn, server.clock.now()));
        if call::on_thread(withdrawn).await.unwrap_or(true) {
            return;
        }
    }
}

/// On a thread.
impl Server {
    fn place(&self) -> Result<Place, Error> {
        let (place, _) = self.with_session(|session| {
            let project = Arc::new(session.project()?);
            Ok(Place { state: session.state(&project)?, project })
        });
        place
    }

    /// Puts questions into the project, or finds them there.
    fn ask(&self, spec: &QuestionSpec, client: &str) -> Result<(Place, Turn), Error> {
        let place = self.place()?;
        let client = Some(JsString::from(client).head(NAME)).filter(|name| !name.is_blank());
        let client = client.unwrap_or_else(|| "mcp".into()).display().into_owned();
        let about = to_line(&object([("server", "mcp".into()), ("since", rfc3339_millis(self.clock.now()))]));
        let asked = Asked { agent: &client, spec, call: &about };
        let relay = Relay::ask(&place.project, &place.state, &asked)?;
        Ok((place, self.waiting.hold(relay)))
    }

    /// The packet of a gate.
    fn find(&self, gate: &str) -> Result<(Place, PathBuf), Error> {
        let place = self.place()?;
        if is_relay(Path::new(gate)) && relay::answered(&place.state, Path::new(gate)).is_some() {
            return Ok((place, gate.into()));
        }
        let (found, _) = self.with_session(|session| session.packet(&place.project, Path::new(gate)));
        let packet = place.project.relative(&found?).to_path_buf();
        if let Some(relay) = Relay::join(&place.project, &packet) {
            self.waiting.hold(relay);
        }
        Ok((place, packet))
    }

    /// Sleeps until a gate is open or never will be, or the time is over. The answers to a question are handed over.
    fn wait(
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
            Some(Wake::Closed | Wake::Signal(_)) => {
                is_over = true;
                false
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
