//! JSON-RPC, one message a line. A line that cannot be used gets an error where its sender may wait for an answer, and the
//! next line is read.

use crate::ask::json::{Item, Json};
use rmcp::model::{ErrorCode, JsonRpcError, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleServer};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::thread;
use tokio::sync::{Mutex, mpsc, watch};

/// A longer message is not read.
const LONGEST: u64 = 16 << 20;
/// So many lines may wait to be handled.
const QUEUE: usize = 16;

pub(super) const CALL: &str = "tools/call";
/// What is wrong with one that names no tool.
pub(super) const NO_TOOL: &str =
    "tools/call wants params with the name of a tool, and its arguments, if any, as an object";

/// `None`: it was too long.
type Line = Option<Vec<u8>>;
type Output = Arc<std::sync::Mutex<Box<dyn Write + Send>>>;

/// Both directions; a clone goes on where the other one stopped.
#[derive(Clone)]
pub(super) struct Lines {
    input: Arc<Mutex<mpsc::Receiver<Line>>>,
    output: Output,
    /// Whether anything was said at all.
    heard: Arc<AtomicBool>,
}

impl Lines {
    /// Reads on a thread of its own, and tells `gone` when the input has ended.
    pub(super) fn new(
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
        gone: watch::Sender<bool>,
    ) -> Lines {
        let (sender, receiver) = mpsc::channel(QUEUE);
        thread::spawn(move || {
            let mut input = BufReader::new(input);
            while let Ok(Some(line)) = read(&mut input)
                && sender.blocking_send(line).is_ok()
            {}
            let _ = gone.send(true);
        });
        Lines {
            input: Arc::new(Mutex::new(receiver)),
            output: Arc::new(std::sync::Mutex::new(Box::new(output))),
            heard: Arc::default(),
        }
    }

    /// Whether there was a client.
    pub(super) fn has_heard(&self) -> bool {
        self.heard.load(Ordering::Relaxed)
    }
}

/// The next line; `None` at the end.
fn read(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    input.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
    if line.len() as u64 == LONGEST && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
        return Ok(Some(None));
    }
    Ok((!line.is_empty()).then_some(Some(line)))
}

/// The message in a line; an error is what to answer, if anything.
fn message(line: &Line) -> Result<RxJsonRpcMessage<RoleServer>, Option<Box<JsonRpcError>>> {
    let invalid = |id, text: String| {
        Some(Box::new(JsonRpcError::new(id, ErrorData::new(ErrorCode::INVALID_REQUEST, text, None))))
    };
    let Some(line) = line else {
        return Err(invalid(None, format!("the message is longer than {LONGEST} bytes")));
    };
    let fault = match serde_json::from_slice(line) {
        Ok(message) => return Ok(message),
        _ if line.trim_ascii().is_empty() => return Err(None),
        Err(fault) => fault,
    };
    let Ok(json) = Json::parse(line) else {
        let error = ErrorData::new(ErrorCode::PARSE_ERROR, format!("the line is not JSON: {fault}"), None);
        return Err(Some(Box::new(JsonRpcError::new(None, error))));
    };
    let id = json.root().get("id").and_then(|id| serde_json::from_str(id.source()).ok());
    // Nobody waits for an answer to a notification.
    if id.is_none() && json.root().get("method").is_some() {
        return Err(None);
    }
    let is_call = json.root().get("method").and_then(Item::string).is_some_and(|method| method == CALL);
    if is_call && id.is_some() && json.root().get("params").is_none() {
        return Err(Some(Box::new(JsonRpcError::new(id, ErrorData::invalid_params(NO_TOOL, None)))));
    }
    Err(invalid(id, format!("the message cannot be used: {fault}")))
}

fn write(output: &Output, message: &ServerJsonRpcMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    output.write_all(&line)?;
    output.flush()
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        std::future::ready(write(&self.output, &item))
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let line = self.input.lock().await.recv().await?;
            self.heard.store(true, Ordering::Relaxed);
            match message(&line) {
                Ok(message) => return Some(message),
                Err(answer) => {
                    let answer = answer.map(|error| ServerJsonRpcMessage::Error(*error));
                    answer.map(|answer| write(&self.output, &answer)).transpose().ok()?;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}
