//! One connection: a process and the protocol over its streams. Every request ends: with an answer, at its
//! time limit, or with the process.

use std::collections::HashSet;
use std::future::pending;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[cfg(feature = "mcp-http")]
use rmcp::model::ServerResult;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientNotification, ClientRequest,
    ProgressNotificationParam, RequestId,
};
use rmcp::service::{
    ClientInitializeError, Peer, PeerRequestOptions, RoleClient, RunningService, ServiceError,
};
use rmcp::{ServiceExt, model::ErrorData};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::announced::Changes;
use super::client::{Client, Listeners, OpenCall, ServerQuestion, Unasked};
#[cfg(not(feature = "mcp-http"))]
use super::endpoint;
use super::error::StartFailure;
use super::grants::{Answer, Grants};
#[cfg(feature = "mcp-http")]
use super::http;
use super::http_error::HttpError;
use super::process::Process;
use super::secrets::Secrets;
use super::server_config::{Link, ServerConfig};
use super::server_data::Data;
use super::server_log::ServerLog;
use super::tap::{Beginning, Tap};
#[cfg(feature = "mcp-http")]
use super::untraced_thread::SharedThread;
use super::untraced_thread::UntracedThread;
use super::visible::visible;
use super::wire::{Fault, Wire, answered};
use crate::mutex::lock;

/// A call with progress reports may last this many times its limit.
const EXTENSIONS: u32 = 10;
/// Maximum time between the end of the process and the end of its answers, in either order.
const AFTERMATH: Duration = Duration::from_millis(500);
/// Maximum time to end a session on a server that is reached by address.
const FAREWELL: Duration = Duration::from_secs(2);

/// A server that runs and has shaken hands. Dropping it kills the process.
pub(super) struct Connection {
    peer: Peer<RoleClient>,
    changes: Changes,
    service: Mutex<Option<RunningService<RoleClient, Client>>>,
    listeners: Listeners,
    timeout: Duration,
    process: Process,
    fault: Fault,
    log: ServerLog,
    /// Whether the server is reached by address.
    is_remote: bool,
    /// The tools whose arguments cannot be mirrored in headers as their schemas say.
    unmirrored: Mutex<HashSet<String>>,
    /// The thread that runs the service.
    _untraced: Arc<UntracedThread>,
}

/// The output of a process: the first line of its standard output that is not MCP, and the last lines of its standard error.
type ProcessOutput = (Option<String>, Vec<String>);

/// Why a request has no answer.
pub(super) enum RequestError {
    /// The process is dead; how it ended.
    Died(Arc<str>),
    /// There was no answer in this time. The request was cancelled.
    Timeout(Duration),
    /// The server answered, and the answer cannot be read.
    Unreadable(String),
    /// The server answered with a protocol error.
    Refused(ErrorData),
    /// The exchange with a server that is reached by address failed.
    Http(HttpError),
    /// The exchange failed.
    Broken(String),
}

impl Connection {
    /// Starts or reaches the server, and shakes hands.
    pub(super) async fn open(
        server: &Arc<str>,
        config: &ServerConfig,
        secrets: &Secrets,
    ) -> Result<Self, Box<StartFailure>> {
        match config.link {
            Link::Process | Link::InProcess(_) => Self::open_process(server, config, secrets).await,
            #[cfg(feature = "mcp-http")]
            Link::Http(ref thread) => Self::open_http(thread, server, config, secrets).await,
            #[cfg(not(feature = "mcp-http"))]
            Link::Http(_) => {
                let reason = (endpoint::NOT_COMPILED.to_owned(), "Add the feature in its `Cargo.toml`.");
                Err(failure(server, config, secrets, reason, ProcessOutput::default()))
            }
        }
    }

    #[cfg(feature = "mcp-http")]
    async fn open_http(
        thread: &SharedThread,
        server: &Arc<str>,
        config: &ServerConfig,
        secrets: &Secrets,
    ) -> Result<Self, Box<StartFailure>> {
        let failed = |reason: String, next_step: &str| {
            failure(server, config, secrets, (reason, next_step), ProcessOutput::default())
        };
        let log = ServerLog::new(server, secrets);
        let process = Process::elsewhere();
        let fault = Fault::new(Arc::clone(&process.kill));
        let (listeners, changes) = (Listeners::default(), Changes::default());
        let unasked = Unasked::new(listeners.clone(), changes.clone(), Grants::new(config), log.clone());
        let untraced = thread.get().map_err(|error| {
            let (reason, next_step) = no_thread(&error);
            failed(reason, next_step)
        })?;
        let hands = untraced.spawning(http::connect(config, unasked, fault.clone()));
        let service = match tokio::time::timeout(config.start_timeout, hands).await {
            Ok(Ok(service)) => service,
            Ok(Err(http::ConnectError::Http(error))) => {
                let failure = failed(error.to_string(), error.next_step());
                return Err(Box::new(StartFailure {
                    http: Some(error.map_texts(|text| secrets.hide(text))),
                    ..*failure
                }));
            }
            Ok(Err(http::ConnectError::Handshake(error))) => {
                return Err(failed(format!("the handshake failed: {}", said(&error)), NOT_MCP_ADDRESS));
            }
            Err(_) => {
                let reason = format!("it did not complete the handshake within {:?}", config.start_timeout);
                return Err(failed(reason, SLOW_ADDRESS));
            }
        };
        let peer = service.peer().clone();
        let service = Mutex::new(Some(service));
        let timeout = config.timeout;
        Ok(Self {
            peer,
            changes,
            service,
            listeners,
            timeout,
            process,
            fault,
            log,
            is_remote: true,
            unmirrored: Mutex::default(),
            _untraced: untraced,
        })
    }

    /// Starts the process and shakes hands.
    async fn open_process(
        server: &Arc<str>,
        config: &ServerConfig,
        secrets: &Secrets,
    ) -> Result<Self, Box<StartFailure>> {
        let failure = |reason: String, next_step: &str, output: ProcessOutput| {
            failure(server, config, secrets, (reason, next_step), output)
        };
        let (process, stdin, stdout) = Process::spawn(server, config, secrets).map_err(|error| {
            let (reason, next_step) = not_spawned(config, &error);
            failure(reason, next_step, ProcessOutput::default())
        })?;
        let log = ServerLog::new(server, secrets);
        let beginning = Beginning::default();
        let listeners = Listeners::default();
        let untraced = UntracedThread::start(matches!(config.link, Link::InProcess(_))).map_err(|error| {
            let (reason, next_step) = no_thread(&error);
            failure(reason, next_step, ProcessOutput::default())
        })?;
        let fault = Fault::new(Arc::clone(&process.kill));
        let stdout = Tap::new(stdout, beginning.clone());
        let changes = Changes::default();
        let unasked = Unasked::new(listeners.clone(), changes.clone(), Grants::new(config), log.clone());
        let hands = untraced.spawning(Box::pin(async {
            let client = unasked.client();
            let wire = Wire::new(stdout, stdin, unasked, config.timeout, fault.clone());
            client.serve(wire).await
        }));
        let died = |how: Arc<str>| format!("it ended before it was ready ({})", fault.how().unwrap_or(how));
        let written = || (beginning.not_mcp(secrets), process.stderr.lines());
        let shaken = {
            let mut hands = pin!(tokio::time::timeout(config.start_timeout, hands));
            tokio::select! {
                biased;
                shaken = &mut hands => shaken,
                how = process.end() => {
                    // Its output may not be read yet.
                    let _ = tokio::time::timeout(AFTERMATH, hands).await;
                    return Err(failure(died(how), ITS_OWN_WORDS, written()));
                }
            }
        };
        let service = match shaken {
            Ok(Ok(service)) => service,
            Ok(Err(error)) => {
                // If it wrote nothing, its exit status may explain more.
                let end = match &error {
                    ClientInitializeError::ConnectionClosed(_)
                    | ClientInitializeError::TransportError { .. } => {
                        tokio::time::timeout(AFTERMATH, process.end()).await.ok()
                    }
                    _ => None,
                };
                let reason = match end {
                    Some(how) => died(how),
                    None => format!("the handshake failed: {}", said(&error)),
                };
                return Err(failure(reason, ITS_OWN_WORDS, written()));
            }
            Err(_) => {
                let written = written();
                let next_step = if written.0.is_some() { NOT_MCP } else { SLOW };
                let reason = format!("it did not complete the handshake within {:?}", config.start_timeout);
                return Err(failure(reason, next_step, written));
            }
        };
        let peer = service.peer().clone();
        let service = Mutex::new(Some(service));
        Ok(Self {
            peer,
            changes,
            service,
            listeners,
            timeout: config.timeout,
            process,
            fault,
            log,
            is_remote: false,
            unmirrored: Mutex::default(),
            _untraced: Arc::new(untraced),
        })
    }

    /// Whether the server declares tools.
    pub(super) fn declares_tools(&self) -> bool {
        self.peer.peer_info().is_none_or(|info| info.capabilities.tools.is_some())
    }

    /// Whether the server declares such data.
    pub(super) fn declares(&self, data: Data) -> bool {
        self.peer.peer_info().is_none_or(|info| match data {
            Data::Resources => info.capabilities.resources.is_some(),
            Data::Prompts => info.capabilities.prompts.is_some(),
        })
    }

    /// The time limit of a request.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The changes of the tools that the server announced.
    pub(super) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Waits for the list of all changes that were announced until now. Whether it came in time, and before the server died.
    pub(super) async fn listed(&self, limit: Duration) -> bool {
        tokio::select! {
            listed = tokio::time::timeout(limit, self.changes.listed()) => listed.is_ok(),
            _ = self.process.end() => false,
        }
    }

    /// Whether the library refuses what the schema of a tool says of headers.
    pub(super) fn is_unmirrored(&self, tool: &str) -> bool {
        lock(&self.unmirrored).contains(tool)
    }

    /// Forgets them before the tools are listed again.
    pub(super) fn forget_unmirrored(&self) {
        lock(&self.unmirrored).clear();
    }

    pub(super) fn is_alive(&self) -> bool {
        self.ended().is_none() && !self.peer.is_transport_closed()
    }

    /// Returns how the process ended, if it has.
    pub(super) fn ended(&self) -> Option<Arc<str>> {
        self.fault.how().or_else(|| self.process.ended())
    }

    /// Makes a request, and gives the text of its result. Dropping the future cancels it on the server. Its questions go to `questions`, one
    /// after the other; the time until they are answered does not count.
    pub(super) async fn request(
        &self,
        request: ClientRequest,
        mut progress: impl FnMut(ProgressNotificationParam),
        questions: Option<&mpsc::Sender<ServerQuestion>>,
    ) -> Result<String, RequestError> {
        let options = match self.logs_by_session() {
            Some(false) => self.log.options(),
            Some(true) | None => PeerRequestOptions::no_options(),
        };
        // A list of tools is requested beside all calls, and no server asks for it.
        let is_list = matches!(request, ClientRequest::ListToolsRequest(_));
        let mut call = (!is_list).then(|| self.listeners.open());
        if let Some(call) = call.as_mut().filter(|_| questions.is_none()) {
            call.take_no_questions();
        }
        let sending = self.peer.send_request_with_option(request, options);
        let mut handle = match sending.await {
            Ok(sent) => sent,
            Err(error) => return Err(self.broken(error).await),
        };
        if let Some(call) = &call {
            call.sent(&handle.id);
        }
        let mut reports = self.listeners.listen(&handle.progress_token);
        let mut open: Option<OpenQuestion> = None;
        let mut cancel = CancelOnDrop::new(self.peer.clone(), handle.id.clone());
        let mut last = after(self.timeout.saturating_mul(EXTENSIONS));
        let mut limit = after(self.timeout);
        let mut done = f64::NEG_INFINITY;
        let answer = loop {
            tokio::select! {
                biased;
                Some(report) = reports.recv() => {
                    limit = after(self.timeout).min(last);
                    // Reports may overtake each other; only an increase counts as progress.
                    if report.progress > done {
                        done = report.progress;
                        progress(report);
                    }
                }
                answer = &mut handle.rx => break answer,
                Some(question) = next(&mut call), if open.is_none() => {
                    let (asked, question) = OpenQuestion::begin(question);
                    if let Some(questions) = questions {
                        let _ = questions.send(asked).await;
                    }
                    open = Some(question);
                }
                since = answered_since(&mut open), if open.is_some() => {
                    open = None;
                    if let Some(call) = &mut call {
                        call.is_asking = false;
                    }
                    last += since.elapsed();
                    limit = after(self.timeout).min(last);
                }
                () = tokio::time::sleep_until(limit), if open.is_none() => {
                    return Err(RequestError::Timeout(self.timeout));
                }
                how = self.process.end() => {
                    // It may have answered before it died.
                    match tokio::time::timeout(AFTERMATH, &mut handle.rx).await {
                        Ok(answer) => break answer,
                        Err(_) => return Err(RequestError::Died(self.fault.how().unwrap_or(how))),
                    }
                }
            }
        };
        cancel.armed = false;
        let answer = match answer {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(self.broken(error).await),
            Err(_) => Err(self.broken(ServiceError::TransportClosed).await),
        };
        let has_ended = match &answer {
            Ok(_) | Err(RequestError::Refused(_)) => true,
            Err(RequestError::Http(error)) => error.is_refusal(),
            Err(_) => false,
        };
        if let Some(call) = call.filter(|_| has_ended) {
            call.end();
        }
        match answer? {
            #[cfg(feature = "mcp-http")]
            ServerResult::ListToolsResult(list) => {
                let foreign = || RequestError::Unreadable("it belongs to another request".to_owned());
                let (text, refused) = http::listed(list).ok_or_else(foreign)?;
                lock(&self.unmirrored).extend(refused);
                Ok(text)
            }
            result => answered(result).map_err(RequestError::Unreadable),
        }
    }

    /// Whether the level of the log is set once, for the session, and not with each request; `None` for a server that does not log.
    fn logs_by_session(&self) -> Option<bool> {
        let info = self.peer.peer_info().filter(|info| info.capabilities.logging.is_some())?;
        Some(info.protocol_version.has_initialize())
    }

    /// Asks the server for the messages that are logged. Nobody waits for its answer.
    pub(super) fn set_log_level(&self) {
        let request = if self.logs_by_session() == Some(true) { self.log.request() } else { None };
        if let Some(request) = request {
            let peer = self.peer.clone();
            tokio::spawn(async move {
                let _ = peer.send_request_with_option(request, PeerRequestOptions::no_options()).await;
            });
        }
    }

    /// The meaning of an error of the library. A server that closed its streams cannot be used again.
    async fn broken(&self, error: ServiceError) -> RequestError {
        match error {
            ServiceError::McpError(error) => RequestError::Refused(error),
            ServiceError::TransportClosed | ServiceError::TransportSend(_) => {
                #[cfg(feature = "mcp-http")]
                if let Some(error) = http::http_error(&error) {
                    return RequestError::Http(error);
                }
                if self.is_remote && !self.peer.is_transport_closed() {
                    return RequestError::Http(HttpError::no_answer());
                }
                if let Some(how) = self.fault.how() {
                    return RequestError::Died(how);
                }
                if let Ok(how) = tokio::time::timeout(AFTERMATH, self.process.end()).await {
                    return RequestError::Died(how);
                }
                self.process.kill();
                let how = if self.is_remote {
                    "its connection was closed"
                } else {
                    "it closed its standard streams"
                };
                RequestError::Died(how.into())
            }
            other => RequestError::Broken(other.to_string()),
        }
    }

    /// Closes the server's input, waits for its end, asks, kills.
    pub(super) async fn close(&self) {
        let service = lock(&self.service).take();
        if let Some(mut service) = service {
            let limit = if self.is_remote { FAREWELL } else { AFTERMATH };
            let _ = service.close_with_timeout(limit).await;
        }
        if self.is_remote {
            self.process.kill();
        }
        self.process.finish().await;
    }

    /// Kills the server at once.
    pub(super) fn kill(&self) {
        self.process.kill();
    }
}

/// A question that a person thinks about.
struct OpenQuestion {
    since: Instant,
    answer: oneshot::Receiver<Answer>,
    to_server: Option<oneshot::Sender<Answer>>,
}

impl OpenQuestion {
    /// The question for the person, and the wait for its answer.
    fn begin(question: ServerQuestion) -> (ServerQuestion, Self) {
        let (sender, answer) = oneshot::channel();
        let asked = ServerQuestion { params: question.params, answer: sender };
        (asked, Self { since: Instant::now(), answer, to_server: Some(question.answer) })
    }
}

/// Passes the answer on; says when the question was asked.
async fn answered_since(open: &mut Option<OpenQuestion>) -> Instant {
    let Some(OpenQuestion { since, answer, to_server }) = open else { return pending().await };
    // Without an answer, the sender is dropped with the question.
    if let (Ok(answer), Some(to_server)) = (answer.await, to_server.take()) {
        let _ = to_server.send(answer);
    }
    *since
}

/// The next question of a request.
async fn next(call: &mut Option<OpenCall>) -> Option<ServerQuestion> {
    call.as_mut()?.question().await
}

/// A time from now; never, if it is beyond the clock.
fn after(time: Duration) -> Instant {
    const FAR: Duration = Duration::from_hours(24 * 365 * 30);
    Instant::now() + time.min(FAR)
}

/// The library's error of a handshake, without the names of its types.
fn said(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::JsonRpcError(error) => visible(&error.message),
        ClientInitializeError::ConnectionClosed(_) => "it closed its standard output".to_owned(),
        ClientInitializeError::ExpectedInitResponse(_) | ClientInitializeError::ExpectedInitResult(_) => {
            "its answer is not the result of one".to_owned()
        }
        ClientInitializeError::ConflictInitResponseId(..)
        | ClientInitializeError::UncorrelatedErrorResponse { .. } => {
            "its answer belongs to another request".to_owned()
        }
        ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
            let versions: Vec<_> = server_supported.iter().map(|version| visible(version.as_str())).collect();
            format!("it speaks only the protocol {}", versions.join(", "))
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => said(fallback),
        other => visible(&other.to_string()),
    }
}

/// The failure of a start: its reason and the next step.
fn failure(
    server: &Arc<str>,
    config: &ServerConfig,
    secrets: &Secrets,
    (reason, next_step): (String, &str),
    (stdout, stderr): ProcessOutput,
) -> Box<StartFailure> {
    let unread = config.unread.iter().map(String::as_str);
    Box::new(StartFailure {
        server: server.to_string(),
        command: config.command_line(),
        reason: secrets.hide(reason),
        http: None,
        stdout,
        stderr,
        next_step: std::iter::once(next_step).chain(unread).collect::<Vec<_>>().join("\n"),
    })
}

#[cfg(feature = "mcp-http")]
const NOT_MCP_ADDRESS: &str = "Check that the address is one of an MCP server.";
#[cfg(feature = "mcp-http")]
const SLOW_ADDRESS: &str =
    "Check that the address is one of an MCP server; if it only needs longer, raise its start timeout.";
const ITS_OWN_WORDS: &str = "Run the command in a shell to see what it says.";
const NOT_MCP: &str = "Check that the command starts an MCP server that speaks over its standard streams, and that it \
                       writes nothing else to its standard output.";
const SLOW: &str = "Check that the command starts an MCP server that speaks over its standard streams; if it only needs \
                    longer, raise its start timeout.";

/// The reason and the next step if there is no thread for a server.
pub(super) fn no_thread(error: &io::Error) -> (String, &'static str) {
    (format!("no thread could be started for it: {error}"), "Let the program have more threads.")
}

fn not_spawned(config: &ServerConfig, error: &io::Error) -> (String, &'static str) {
    // The system says "not found" for both.
    if let Some(cwd) = config.cwd.as_ref().filter(|cwd| !cwd.is_dir()) {
        let next_step = if cwd.starts_with("~") {
            "Write the path of the home directory: `~` is not replaced, and `${HOME}` is."
        } else {
            "Correct its `cwd`."
        };
        return (format!("its working directory `{}` does not exist", cwd.display()), next_step);
    }
    if error.kind() == io::ErrorKind::NotFound && config.command.shown.trim().contains(char::is_whitespace) {
        let next = "`command` is the program only: put the arguments into `args`.";
        return (format!("the command `{}` was not found", config.command.shown), next);
    }
    if error.kind() == io::ErrorKind::NotFound {
        let next = "Install it, or correct `command`; a command without a path is looked up in `PATH`.";
        return (format!("the command `{}` was not found", config.command.shown), next);
    }
    (error.to_string(), "Check that the command is a program that may be run.")
}

/// Tells the server that a request was cancelled.
struct CancelOnDrop {
    peer: Peer<RoleClient>,
    id: RequestId,
    armed: bool,
}

impl CancelOnDrop {
    fn new(peer: Peer<RoleClient>, id: RequestId) -> Self {
        Self { peer, id, armed: true }
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        // Without a runtime, the server has ended too.
        if self.armed
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (peer, id) = (self.peer.clone(), self.id.clone());
            runtime.spawn(async move {
                let params = CancelledNotificationParam::new(Some(id), Some("the caller gave up".to_owned()));
                let cancelled = CancelledNotification::new(params);
                let _ = peer.send_notification(ClientNotification::CancelledNotification(cancelled)).await;
            });
        }
    }
}
