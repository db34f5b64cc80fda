//! The calls: what is listed, asked and waited for.

use super::arguments::{Arguments, Asking};
use super::gate::{End, Question};
use super::outcome::{self, AskOutput, Given, WaitOutput};
use super::waiting::{Place, Turn};
use super::{Handler, Server, call, form};
use crate::ask::Gate;
use crate::cli::ListArgs;
use crate::command::list;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::gate::{self, Status};
use crate::store::lock::console_is_open;
use crate::store::relay::is_relay;
use crate::text::say;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CallToolResult, InputRequest, InputRequiredResult, InputResponses, ProtocolVersion,
};
use rmcp::service::RequestContext;
use std::future::ready;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// How long a question stays after its call was cancelled: the client may ask again.
const TO_RETURN: Duration = Duration::from_mins(1);
/// The name of the one form that a call shows.
const FORM: &str = "author";

impl Handler {
    pub(super) async fn list_gates(&self, arguments: Arguments) -> Result<CallToolResult, Error> {
        let status = arguments.status()?.into_iter().collect();
        let server = Arc::clone(&self.0);
        let printed = call::on_thread(move || {
            let arguments = ListArgs { status, ..ListArgs::default() };
            let (listed, printed) = server.with_session(|session| list::run(session, &arguments));
            listed.map(|_| String::from_utf8_lossy(&printed).trim_end().to_owned())
        });
        Ok(outcome::printed(&printed.await?))
    }

    pub(super) async fn ask_author(
        &self,
        arguments: Arguments,
        responses: Option<InputResponses>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Error> {
        let Asking { spec, slice } = arguments.asking()?;
        let spec = Arc::new(spec);
        let client = context.client_info().map(|client| client.name).unwrap_or_default();
        let (server, asked, named) = (Arc::clone(&self.0), Arc::clone(&spec), client.clone());
        let Question { place, turn, is_alone } = call::on_thread(move || server.ask(&asked, &named)).await?;
        let asks = is_alone && responses.is_none() && form::is_declared(context);
        let form = asks.then(|| form::of(&spec, &client, self.0.lang)).flatten();
        // Since this revision a server asks in its answer, and the client calls again with the form.
        let asks_in_answer =
            context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        let form = match form {
            Some(form) if asks_in_answer => {
                let requests = [(FORM.to_owned(), InputRequest::Elicitation(form))].into();
                return Ok(InputRequiredResult::from_input_requests(requests).into());
            }
            form => form,
        };
        let filled = responses.and_then(|mut all| serde_json::from_value(all.remove(FORM)?).ok());
        let (server, at, packet) = (Arc::clone(&self.0), place.clone(), turn.packet.clone());
        let asking = async {
            let filled = match form {
                Some(form) => form::show(&context.peer, form).await,
                None => filled,
            };
            let Some(draft) = filled.and_then(|filled| form::draft(&spec, &filled)) else { return Ok(()) };
            let (server, at, packet, spec) =
                (Arc::clone(&server), at.clone(), packet.clone(), Arc::clone(&spec));
            call::on_thread(move || server.submit(&at, &packet, &spec, &draft)).await
        };
        let (waiter, at, packet) = (Arc::clone(&server), at.clone(), packet.clone());
        let work = move |wake, wakes| waiter.wait(&at, &packet, &wake, &wakes);
        let Some(end) = call::wait(&self.0, context, slice, asking, work).await else {
            tokio::spawn(withdraw(Arc::clone(&self.0), place, turn));
            return Ok(self.cancelled().into());
        };
        Ok(self.answer(&place, &turn.packet, end?).into())
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
        let waited = call::wait(&self.0, context, slice, ready(Ok(())), move |wake, wakes| {
            server.wait(&at, &packet, &wake, &wakes)
        });
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
        let message = match status {
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
        outcome::success(&AskOutput { status, message, gate, given: given.unwrap_or_default() })
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
        let message = if is_waiting { self.waiting(place) } else { gate::verdict(status).text(lang) };
        // The record of a question goes to the history when the answers are handed over.
        let stays = loaded
            .filter(|loaded| status != Status::Answered || !is_relay(place.project.relative(&loaded.path)));
        let path = |gate: &Gate| gate.answer_path.lossy().into_owned();
        let output = WaitOutput {
            status: status.name(),
            message,
            record_path: stays.as_ref().and_then(|loaded| loaded.gate()).map(path),
            given: given.unwrap_or_default(),
            problems: outcome::problems(&problems, lang),
        };
        Ok(outcome::success(&output))
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
