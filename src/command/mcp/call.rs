//! The calls: what is listed, asked and waited for. Each has its work on threads, its slice of time, its progress, its end.

use super::gate::{End, Target};
use super::tool::{Arguments, AskOutput, WaitOutput, failure, success};
use super::{Handler, Server, form};
use crate::command::output::Problems;
use crate::command::wake::Wake;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::gate::{self, Status};
use crate::store::lock::console_is_open;
use crate::text::say;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, CallToolResult, InputRequest, InputRequiredResult, InputResponses,
    ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::RequestContext;
use std::future::ready;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, oneshot};
use tokio::time::{Instant, interval_at, sleep};

/// How long a question stays after its call was cancelled: the client may ask again.
const TO_RETURN: Duration = Duration::from_mins(1);
/// The name of the one form that a call shows.
const FORM: &str = "author";
/// How often a client that wants to know is told that the call goes on: some give a call up after a minute without a word.
const PROGRESS: Duration = Duration::from_secs(25);

/// So many calls wait for the author on threads of their own, each with a watch; the others wait for one of these, or for the
/// end of their slice, which brings them a look.
static WAITING: Semaphore = Semaphore::const_new(32);
/// So many calls read files at a time.
static READING: Semaphore = Semaphore::const_new(8);

impl Handler {
    pub(super) async fn list_gates(&self, arguments: Arguments) -> Result<CallToolResult, Error> {
        let listing = arguments.listing()?;
        Ok(success(&self.on_thread(move |server| server.list(&listing)).await?))
    }

    pub(super) async fn ask_author(
        &self,
        arguments: Arguments,
        responses: Option<InputResponses>,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Error> {
        let (spec, slice) = arguments.asking()?;
        let spec = Arc::new(spec);
        let client = context.client_info().map(|client| client.name).unwrap_or_default();
        let (asked, named) = (Arc::clone(&spec), client.clone());
        let (target, is_alone) = self.on_thread(move |server| server.ask(&asked, &named)).await?;
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
        let at = target.clone();
        let asking = async {
            let filled = match form {
                Some(form) => form::show(&context.peer, form).await,
                None => filled,
            };
            let Some(draft) = filled.and_then(|filled| form::draft(&spec, &filled)) else { return Ok(()) };
            let spec = Arc::clone(&spec);
            self.on_thread(move |server| server.submit(&at, &spec, &draft)).await
        };
        let Some(end) = self.wait(context, slice, asking, target.clone()).await else {
            tokio::spawn(self.clone().withdraw(target));
            return Ok(self.cancelled().into());
        };
        let End { status, given, .. } = end?;
        let (status, message) = match status {
            Some(Status::NoGate | Status::Answered) => {
                ("answered", say("The author has answered.", "作者已回答。").text(self.0.lang).to_owned())
            }
            Some(Status::Waiting | Status::Blocked) => ("waiting", self.waiting(&target)),
            Some(Status::Malformed) | None => {
                let declined = say(
                    "The author wants to answer this in your own conversation: ask there.",
                    "作者想在你的对话里回答：请在那里提问。",
                );
                ("declined", declined.text(self.0.lang).to_owned())
            }
        };
        let gate = target.packet.to_string_lossy().into_owned();
        Ok(success(&AskOutput { status, message, gate, given }).into())
    }

    pub(super) async fn wait_gate(
        &self,
        arguments: Arguments,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, Error> {
        let (gate, slice) = arguments.gate()?;
        let target = self.on_thread(move |server| server.find(&gate)).await?;
        let Some(end) = self.wait(context, slice, ready(Ok(())), target.clone()).await else {
            return Ok(self.cancelled());
        };
        let (lang, End { status, record_path, given, problems }) = (self.0.lang, end?);
        let status = status.ok_or_else(|| {
            let sentence = say(
                "The question was taken back in the project; if it still matters, ask the author in your own conversation.",
                "项目中的提问已被撤下；如仍需要，请在你的对话里问作者。",
            );
            Error::new(ExitCode::Failed, "no-packet", sentence, &[])
        })?;
        let is_waiting = status == Status::Waiting;
        let message = if is_waiting { self.waiting(&target) } else { gate::verdict(status).text(lang) };
        let problems = (!problems.is_empty()).then(|| Problems::of(&problems, lang));
        Ok(success(&WaitOutput { status: status.name(), message, record_path, given, problems }))
    }

    /// Nobody reads it.
    fn cancelled(&self) -> CallToolResult {
        failure(say("The call was cancelled.", "调用已取消。").text(self.0.lang))
    }

    fn waiting(&self, target: &Target) -> String {
        let lang = self.0.lang;
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

    /// Takes the question of a cancelled call back, once the client has had time to ask again and no console has it open.
    async fn withdraw(self, target: Target) {
        loop {
            sleep(TO_RETURN).await;
            let target = target.clone();
            if self.on_thread(move |server| Ok(server.withdraw(&target))).await.unwrap_or(true) {
                return;
            }
        }
    }

    /// Runs what reads files on a thread.
    async fn on_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Server) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let _room = READING.acquire().await;
        self.spawned(work).await
    }

    async fn spawned<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Server) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (sender, done) = oneshot::channel();
        let server = Arc::clone(&self.0);
        let spawned = thread::Builder::new().spawn(move || sender.send(work(&server)).is_ok());
        spawned.map_err(|cause| Error::no_thread(&cause))?;
        done.await.unwrap_or_else(|_| {
            let sentence = say("The call has failed; this is a bug.", "调用失败；这是程序错误。");
            Err(Error::io("bug", sentence, &[], &io::Error::other("panic")))
        })
    }

    /// Waits for the author on a thread: until the wait is done, and tells it when the slice is over or the client has gone.
    /// The slice begins when the form that the client shows is done with. `None` if the client has cancelled the call.
    async fn wait(
        &self,
        context: &RequestContext<RoleServer>,
        slice: Duration,
        form: impl Future<Output = Result<(), Error>> + Send,
        target: Target,
    ) -> Option<Result<End, Error>> {
        let (wake, wakes): (Sender<Wake>, Receiver<Wake>) = mpsc::channel();
        let stop = wake.clone();
        let over = Notify::new();
        // The thread has the word that it is over even if it begins after that.
        let close = || {
            over.notify_one();
            stop.send(Wake::Closed).is_ok()
        };
        let mut done = std::pin::pin!(async {
            let _room = tokio::select! {
                room = WAITING.acquire() => room,
                () = over.notified() => READING.acquire().await,
            };
            self.spawned(move |server| server.wait(&target, &wake, &wakes)).await
        });
        let mut form = std::pin::pin!(form);
        let mut has_form = true;
        let mut end = std::pin::pin!(sleep(slice));
        let mut gone = self.0.gone.clone();
        let mut gone = std::pin::pin!(async move { drop(gone.wait_for(|gone| *gone).await) });
        let mut beats = interval_at(Instant::now() + PROGRESS, PROGRESS);
        let token = context.meta.get_progress_token();
        let mut told = 0.0;
        let mut is_over = false;
        loop {
            tokio::select! {
                biased;
                done = &mut done => return Some(done),
                () = context.ct.cancelled() => {
                    close();
                    return None;
                }
                filled = &mut form, if has_form => {
                    has_form = false;
                    end.as_mut().reset(Instant::now() + slice);
                    if let Err(error) = filled {
                        return Some(Err(error));
                    }
                }
                () = &mut end, if !has_form && !is_over => is_over = close(),
                () = &mut gone, if !is_over => is_over = close(),
                _ = beats.tick(), if token.is_some() && !is_over => {
                    told += 1.0;
                    let Some(token) = token.clone() else { continue };
                    let says = say("The author has not answered yet.", "作者尚未回答。").text(self.0.lang);
                    let progress = ProgressNotificationParam::new(token, told).with_message(says);
                    let _ = context.peer.notify_progress(progress).await;
                }
            }
        }
    }
}
