//! One call: its work on a thread, its slice of time, its progress, its end.

use super::Server;
use crate::command::wake::Wake;
use crate::error::Error;
use crate::text::say;
use rmcp::RoleServer;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, oneshot};
use tokio::time::{Instant, interval_at, sleep};

/// How often a client that wants to know is told that the call goes on: some give a call up after a minute without a word.
const PROGRESS: Duration = Duration::from_secs(25);

/// So many calls wait for the author on threads of their own, each with a watch; the others wait for one of these, or for the
/// end of their slice, which brings them a look.
static WAITING: Semaphore = Semaphore::const_new(32);
/// So many calls read files at a time.
static READING: Semaphore = Semaphore::const_new(8);

/// Runs what reads files on a thread.
pub(super) async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let _room = READING.acquire().await;
    spawned(work).await
}

async fn spawned<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let (sender, done) = oneshot::channel();
    let spawned = thread::Builder::new().spawn(move || sender.send(work()).is_ok());
    spawned.map_err(|cause| {
        Error::io("threads", say("Cannot start a thread.", "无法启动线程。"), &[], &cause)
    })?;
    done.await.unwrap_or_else(|_| Err(crashed()))
}

/// Runs work that waits for the author on a thread: until it is done, and tells it when the slice is over or the client has
/// gone. The slice begins when the form that the client shows is done with. `None` if the client has cancelled the
/// call.
pub(super) async fn wait<T: Send + 'static>(
    server: &Server,
    context: &RequestContext<RoleServer>,
    slice: Duration,
    form: impl Future<Output = Result<(), Error>> + Send,
    work: impl FnOnce(Sender<Wake>, Receiver<Wake>) -> Result<T, Error> + Send + 'static,
) -> Option<Result<T, Error>> {
    let (wake, wakes) = mpsc::channel();
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
        spawned(move || work(wake, wakes)).await
    });
    let mut form = std::pin::pin!(form);
    let mut has_form = true;
    let mut end = std::pin::pin!(sleep(slice));
    let mut gone = server.gone.clone();
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
                let says = say("The author has not answered yet.", "作者尚未回答。").text(server.lang);
                let progress = ProgressNotificationParam::new(token, told).with_message(says);
                let _ = context.peer.notify_progress(progress).await;
            }
        }
    }
}

fn crashed() -> Error {
    let sentence = say("The call has failed; this is a bug.", "调用失败；这是程序错误。");
    Error::io("bug", sentence, &[], &io::Error::other("panic"))
}
