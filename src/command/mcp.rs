//! `mcp`: a server of the Model Context Protocol on standard input and output, through which any client reaches the author.
//!
//! Here is the asynchronous edge: messages, timers, cancelling. What reads files or waits for the author runs on threads
//! (`gate`). Nobody answers for the author here; a gate's packet is the handle that outlives every call and this process.

use super::{Session, Streams};
use crate::ask::problem::shorten;
use crate::cli::Global;
use crate::environment::Environment;
use crate::error::Error;
use crate::exit::ExitCode;
use crate::store::{Clock, Project, StateDir};
use crate::text::{Lang, say};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, Implementation,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use tokio::runtime::Builder;
use tokio::sync::watch;

mod call;
mod form;
mod gate;
mod lines;
mod list;
mod tool;

#[cfg(test)]
mod tests;

/// What every call works with.
struct Server {
    global: Global,
    lang: Lang,
    environment: Environment,
    clock: Arc<dyn Clock>,
    states: Arc<Mutex<Vec<StateDir>>>,
    /// The project that the last call was about.
    place: Mutex<Option<(Arc<Project>, StateDir)>>,
    /// The packets that this process waits for, by their paths, relative to the root.
    held: Mutex<HashMap<PathBuf, gate::Held>>,
    /// How many calls there were.
    calls: AtomicU64,
    /// Whether the client is gone.
    gone: watch::Receiver<bool>,
}

/// The server as the library calls it.
#[derive(Clone)]
struct Handler(Arc<Server>);

/// Serves until the client is gone.
pub fn run(session: &mut Session<'_>) -> Result<ExitCode, Error> {
    // Standard output belongs to the protocol.
    session.global.json = false;
    let no_client = || {
        let sentence = say(
            "This is for an MCP client, which starts it and speaks JSON-RPC on standard input; init shows how to wire it.",
            "此命令由 MCP 客户端启动，并在标准输入上用 JSON-RPC 与它对话；接入方法见 init。",
        );
        Error::new(ExitCode::Usage, "no-client", sentence, &[])
    };
    if session.environment.input_is_terminal {
        return Err(no_client());
    }
    let failed = |cause: &io::Error| {
        Error::io("streams", say("Cannot use the standard streams.", "无法使用标准输入输出。"), &[], cause)
    };
    // The session holds the streams themselves; these are other handles of the same files.
    let input = io::stdin().as_fd().try_clone_to_owned().map_err(|cause| failed(&cause))?;
    let output = io::stdout().as_fd().try_clone_to_owned().map_err(|cause| failed(&cause))?;
    let runtime = Builder::new_current_thread().enable_time().build().map_err(|cause| failed(&cause))?;
    let (sender, gone) = watch::channel(false);
    let server = Server {
        global: Global { json: true, ..session.global.clone() },
        lang: session.lang,
        environment: session.environment.clone(),
        clock: Arc::clone(&session.clock),
        states: Arc::clone(&session.states),
        place: Mutex::default(),
        held: Mutex::default(),
        calls: AtomicU64::default(),
        gone,
    };
    let is_client = runtime.block_on(serve(server, sender, File::from(input), File::from(output)));
    if is_client { Ok(ExitCode::Done) } else { Err(no_client()) }
}

/// Serves on these streams until the input ends; false if no client ever came.
async fn serve(
    server: Server,
    gone: watch::Sender<bool>,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> bool {
    let handler = Handler(Arc::new(server));
    let lines = lines::Lines::new(input, output, gone);
    loop {
        match Box::pin(handler.clone().serve(lines.clone())).await {
            Ok(running) => {
                let _ = running.waiting().await;
                break;
            }
            Err(
                ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::TransportError { .. },
            ) => {
                break;
            }
            // A client that began with something else may begin again.
            Err(_) => {}
        }
    }
    lines.has_heard()
}

impl Server {
    /// Runs a command as if it were called with `--json`; gives what it printed, too.
    fn with_session<T>(&self, work: impl FnOnce(&mut Session<'_>) -> T) -> (T, Vec<u8>) {
        let (mut input, mut out, mut err) = (io::empty(), Vec::new(), io::sink());
        let mut session = Session {
            global: self.global.clone(),
            lang: self.lang,
            environment: self.environment.clone(),
            clock: Arc::clone(&self.clock),
            streams: Streams { input: &mut input, out: &mut out, err: &mut err },
            closed: false,
            states: Arc::clone(&self.states),
        };
        let done = work(&mut session);
        (done, out)
    }
}

impl ServerHandler for Handler {
    /// The library takes a call for something unknown if its params are not those of one.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method == lines::CALL {
            return Err(ErrorData::invalid_params(lines::NO_TOOL, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None))
    }

    /// All but the one revision whose servers have to take batches; no client is known to send any.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let known = ProtocolVersion::KNOWN_VERSIONS.iter();
        known.filter(|version| **version != ProtocolVersion::V_2025_03_26).cloned().collect()
    }

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("novel-gate", env!("CARGO_PKG_VERSION")))
            .with_instructions(tool::INSTRUCTIONS.text(self.0.lang))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tool::all(self.0.lang)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = tool::Arguments::new(request.arguments);
        let done = match &*request.name {
            tool::LIST_GATES => self.list_gates(arguments).await.map(CallToolResponse::from),
            tool::ASK_AUTHOR => self.ask_author(arguments, request.input_responses, &context).await,
            tool::WAIT_GATE => self.wait_gate(arguments, &context).await.map(CallToolResponse::from),
            name => {
                let sentence = say(
                    "There is no tool {0}; the tools are list_gates, ask_author and wait_gate.",
                    "没有工具 {0}；可用的工具是 list_gates、ask_author、wait_gate。",
                );
                return Err(ErrorData::invalid_params(sentence.fill(self.0.lang, &[&shorten(name)]), None));
            }
        };
        Ok(done.unwrap_or_else(|error| tool::failure(&error.text(self.0.lang)).into()))
    }
}
