//! One server of a program across all of its processes: its tools, its restarts, its news.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all};
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ProgressNotificationParam};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::time::Instant;

#[cfg(feature = "mcp-auth")]
use super::auth::OAuth;
use super::client::ServerQuestion;
use super::connection::{Connection, RequestError};
use super::endpoint::{self, Mistake};
use super::error::McpError;
use super::http_error::{HttpError, UNKNOWN};
use super::input_required::{self, Called, Input};
use super::list_tools::{LeftOut, ListError, Listed};
use super::order::Order;
use super::pool::{Credentials, Pool};
use super::restart::{Absence, NotStarted, Restart, Restarts};
use super::secrets::Secrets;
use super::server_config::{Link, ServerConfig};
use super::server_data::{Data, Operation, Reader};
use super::snapshot::{ServerDrift, SnapshotTool};
use super::visible::{name, visible};
use super::{convert, file, list_tools, relist, unconnected};
use crate::mutex::lock;
use onionskin_core::servers::{RunHeader, ToolFilter};
use onionskin_core::{ErrorKind, Exit, ToolError, ToolResult};
use onionskin_core::{RunContext, ToolDefinition};

/// Up to this number, tools that are left out or rewritten are reported one by one.
const MAX_REPORTED_TOOLS: usize = 8;
/// How long a turn waits for a list that the server announced before it.
const LIST_WAIT: Duration = Duration::from_secs(5);
/// A report of changed tools names so many of each kind.
const MAX_NAMED_CHANGES: usize = 8;
/// Only the latest news are kept, up to this number.
const NEWS: usize = 64;

/// A server that agents share.
pub(super) struct Server {
    pub(super) name: Arc<str>,
    pub(super) config: ServerConfig,
    pub(super) secrets: Secrets,
    /// Those that results must not show.
    pub(super) result_secrets: Secrets,
    /// The calls of each run that wait for each other.
    pub(super) order: Order,
    live: Mutex<Option<Arc<Connection>>>,
    restarts: Restarts,
    tools: Mutex<Arc<[RemoteTool]>>,
    /// The tools of the last list that no agent gets.
    left_out: Mutex<Arc<[LeftOut]>>,
    generation: AtomicU64,
    /// What was reported of single tools of the last list.
    odd: Mutex<Vec<String>>,
    news: Mutex<News>,
    closed: AtomicBool,
    /// The connections with credentials of runs.
    pool: Pool<Self>,
    /// Why its tools could not be listed without a run.
    unlisted: Mutex<Option<McpError>>,
}

/// A tool as its server lists it.
#[derive(Clone)]
pub(super) struct RemoteTool {
    /// The server's own name for it.
    pub(super) name: Arc<str>,
    /// Under the name that hooks see: `server__tool`.
    pub(super) definition: ToolDefinition,
    /// Whether the configuration asks for approval of its calls.
    pub(super) asks: bool,
    /// That it tries to give the model other instructions, for people. Agents get it only if they have locked it.
    pub(super) instructs: Option<Arc<str>>,
    /// For a tool of ours that reads data of the server. `None` for its own tools.
    pub(super) reader: Option<Reader>,
}

/// The tools of a lock file.
#[derive(Default)]
pub(super) struct LockedTools {
    pub(super) listed: Vec<RemoteTool>,
    pub(super) left_out: Vec<LeftOut>,
}

/// News for people, numbered, so that each agent reports each of them once.
#[derive(Default)]
struct News {
    texts: VecDeque<String>,
    /// The number of the first text.
    first: u64,
}

impl News {
    fn add(&mut self, text: String) {
        self.texts.push_back(text);
        if self.texts.len() > NEWS {
            self.texts.pop_front();
            self.first += 1;
        }
    }
}

impl Server {
    pub(super) fn new(name: &str, config: ServerConfig) -> Arc<Self> {
        let unread = config.unread.clone();
        let server = Arc::new(Self {
            name: name.into(),
            secrets: Secrets::all(&config),
            result_secrets: Secrets::for_results(&config),
            config,
            order: Order::default(),
            live: Mutex::default(),
            restarts: Restarts::default(),
            tools: Mutex::new(Arc::new([])),
            left_out: Mutex::new(Arc::new([])),
            generation: AtomicU64::new(0),
            odd: Mutex::default(),
            news: Mutex::default(),
            closed: AtomicBool::new(false),
            pool: Pool::default(),
            unlisted: Mutex::default(),
        });
        for text in unread {
            server.report(text);
        }
        server
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    pub(super) fn tools(&self) -> Arc<[RemoteTool]> {
        Arc::clone(&lock(&self.tools))
    }

    /// The tools of the last list that no agent gets.
    pub(super) fn left_out(&self) -> Arc<[LeftOut]> {
        Arc::clone(&lock(&self.left_out))
    }

    /// The news since this number, which is updated.
    pub(super) fn news(&self, reported: &mut u64) -> Vec<String> {
        let news = lock(&self.news);
        let skip = usize::try_from(reported.saturating_sub(news.first)).unwrap_or(usize::MAX);
        *reported = news.first + news.texts.len() as u64;
        news.texts.iter().skip(skip).cloned().collect()
    }

    /// The server with the credentials of a run: the values of these headers, and its user.
    ///
    /// # Errors
    /// Returns an error for the model if the run has none, or if too many connections are in use.
    pub(super) fn for_run(
        self: &Arc<Self>,
        run: &RunContext,
        headers: &[RunHeader],
    ) -> Result<Arc<Self>, Exit> {
        if !self.config.depends_on_run(headers) {
            return Ok(Arc::clone(self));
        }
        if self.closed.load(Ordering::Acquire) {
            return Err(remote(format!("the MCP server `{}` was shut down", self.name), ErrorKind::Remote));
        }
        let mut credentials = Credentials::default();
        for header in headers {
            let name = header.name();
            let value = header.value(run).map_err(|error| {
                let text = format!(
                    "the call was not sent to the MCP server `{}`: its header `{name}` has no value in this run: {error}",
                    self.name
                );
                Exit::Tool(ToolError::new(run.hide_text(text).into_owned()).with_kind(ErrorKind::Denied).with_source(error))
            })?;
            credentials.headers.insert(name.to_owned(), value.expose().clone());
        }
        if let Err(Mistake::Address(reason) | Mistake::Header(_, reason)) =
            endpoint::check(&self.config.command.value, &credentials.headers)
        {
            let text = format!(
                "the call was not sent to the MCP server `{}`: a header of this run cannot be used: {reason}",
                self.name
            );
            return Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Denied)));
        }
        #[cfg(feature = "mcp-auth")]
        if self.config.oauth.as_ref().is_some_and(OAuth::is_for_users) {
            let user = run.user().filter(|user| !user.is_empty());
            credentials.user = Some(user.map(str::to_owned).ok_or_else(|| {
                let text = format!(
                    "the call was not sent to the MCP server `{}`: each user logs in to it, and the run has no user",
                    self.name
                );
                Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Denied))
            })?);
        }
        let make = || {
            let mut config = self.config.clone();
            config.run_headers.clear();
            config.unread.clear();
            config.headers.extend(credentials.headers.clone());
            #[cfg(feature = "mcp-auth")]
            if let Some(user) = &credentials.user {
                config.oauth = config.oauth.map(|oauth| oauth.with_user(user.clone()));
            }
            Self::new(&self.name, config)
        };
        // Its session on the server ends too.
        let close = |server: Arc<Self>| drop(tokio::spawn(async move { server.end().await }));
        let server = self.pool.get(credentials.clone(), make, close).map_err(|most| {
            let text = format!(
                "the MCP server `{}` has {most} connections, and all are in use; try again later",
                self.name
            );
            remote(text, ErrorKind::Limit)
        })?;
        // A shutdown may have come while the values were made.
        if self.closed.load(Ordering::Acquire) {
            self.kill();
        }
        Ok(server)
    }

    /// The tools of a lock file, without those that the configuration takes away. `None` if the server has listed its own.
    ///
    /// # Errors
    /// Returns why they could not be listed, if there is no lock file or calls with these headers of runs have no other credentials, or
    /// which of the file cannot be read.
    pub(super) fn locked(
        &self,
        locked: Option<&[SnapshotTool]>,
        headers: &[RunHeader],
    ) -> Result<Option<LockedTools>, McpError> {
        let Some(error) = lock(&self.unlisted).clone() else { return Ok(None) };
        if !self.config.depends_on_run(headers) {
            return Err(error);
        }
        let Some(locked) = locked else { return Err(error.not_locked()) };
        let mut tools = LockedTools::default();
        for tool in locked {
            if let Some(field) = self.config.rules.removed_by(&self.name, tool.name()) {
                tools.left_out.push(removed(tool.name(), field));
                continue;
            }
            let read = unconnected::read(Value::Object(tool.fields())).map_err(|error| McpError::List {
                server: self.name.to_string(),
                reason: format!(
                    "the tool `{}` of `{}` cannot be used: {error}",
                    name(tool.name()),
                    file::LOCK_FILE
                ),
                http: None,
            })?;
            tools.listed.push(self.tool(read));
        }
        Ok(Some(tools))
    }

    /// A tool as the server describes it.
    pub(super) fn tool(&self, tool: rmcp::model::Tool) -> RemoteTool {
        let name: Arc<str> = (&*tool.name).into();
        let mut definition =
            self.result_secrets.definition(convert::definition(&format!("{}__{name}", self.name), tool));
        if self.config.asks {
            definition = definition.asks();
        }
        let asks = self.config.rules.asks(&self.name, &name);
        RemoteTool { name, definition, asks, instructs: None, reader: None }
    }

    /// The tools that read such data, as far as the filter takes it.
    ///
    /// # Errors
    /// Returns a reason if the server declares no such data, or if its configuration takes one of the tools away.
    pub(super) fn readers(&self, data: Data, filter: &ToolFilter) -> Result<[RemoteTool; 2], String> {
        if self.living().is_some_and(|connection| !connection.declares(data)) {
            return Err(format!("it declares no {}", data.word()));
        }
        let readers = Reader::both(data, filter);
        if let Some((tool, field)) = readers.iter().find_map(|reader| {
            Some((reader.name(), self.config.rules.removed_by(&self.name, reader.name())?))
        }) {
            return Err(format!("`{field}` in the configuration of the server takes `{tool}` away"));
        }
        Ok(readers.map(|reader| {
            let mut definition = reader.definition(&self.name);
            if self.config.asks {
                definition = definition.asks();
            }
            let asks = self.config.rules.asks(&self.name, reader.name());
            RemoteTool { name: reader.name().into(), definition, asks, instructs: None, reader: Some(reader) }
        }))
    }

    /// Takes a list of tools, without those that the configuration takes away. Reports what people should know of it: the tools that
    /// are left out and those whose schemas were rewritten, unless the previous list had the same, and what changed.
    fn take(&self, mut listed: Listed) {
        listed.tools.retain(|tool| {
            // Its name would be in each request, in filters and in lists for people.
            let is_secret = self.result_secrets.hide(&*tool.name) != *tool.name;
            if is_secret {
                let reason =
                    "a tool is left out: its name contains the value of a secret variable".to_owned();
                listed.refused.push(LeftOut { name: None, reason });
            }
            !is_secret
        });
        for notice in listed.cleaned {
            self.note(&format!("the MCP server `{}`: {notice}", self.name));
        }
        let names: Vec<_> = listed.tools.iter().map(|tool| &*tool.name).collect();
        for notice in self.config.rules.notices(&self.name, &names) {
            self.note(&notice);
        }
        let is_undeclared = listed.is_undeclared;
        let mut left_out = listed.refused;
        let mut odd: Vec<_> =
            left_out.iter().map(|tool| tool.reason.clone()).chain(listed.rewritten).collect();
        let mut tools = Vec::new();
        for tool in listed.tools {
            if let Some(field) = self.config.rules.removed_by(&self.name, &tool.name) {
                left_out.push(removed(&tool.name, field));
                continue;
            }
            let place = listed.instructing.get(&*tool.name);
            let instructs = place.map(|place| instructs(&tool.name, place));
            odd.extend(instructs.clone());
            tools.push(RemoteTool { instructs: instructs.map(Into::into), ..self.tool(tool) });
        }
        let known = std::mem::replace(&mut *lock(&self.odd), odd.clone());
        if known != odd {
            self.report_odd(&odd);
        }
        *lock(&self.left_out) = left_out.into();
        let tools: Arc<[RemoteTool]> = tools.into();
        if is_undeclared {
            self.report_undeclared(tools.len());
        }
        let before = std::mem::replace(&mut *lock(&self.tools), Arc::clone(&tools));
        let is_first = self.generation.fetch_add(1, Ordering::Release) == 0;
        let snapshot = |tools: &[RemoteTool]| {
            tools.iter().map(|tool| SnapshotTool::new(&tool.name, &tool.definition)).collect::<Vec<_>>()
        };
        if !is_first
            && let Some(drift) = ServerDrift::between(&self.name, &snapshot(&before), &snapshot(&tools))
        {
            let changes = self.secrets.hide(drift.changes(MAX_NAMED_CHANGES));
            self.report(format!("the MCP server `{}` changed its tools: {changes}", self.name));
        }
    }

    /// Starts the server for agents. If it wants credentials, a run may have them: [`Self::locked`] says whether.
    ///
    /// # Errors
    /// Returns an error if the server does not start for another reason.
    pub(super) async fn start_for_agents(self: &Arc<Self>) -> Result<(), McpError> {
        match self.start().await {
            Err(error) if error.needs_credentials() => {
                *lock(&self.unlisted) = Some(error);
                Ok(())
            }
            started => started,
        }
    }

    /// Starts the server without an agent.
    ///
    /// # Errors
    /// Returns an error if it does not start, or its tools cannot be listed without a run.
    pub(super) async fn start_alone(self: &Arc<Self>) -> Result<(), McpError> {
        self.start_for_agents().await?;
        let headers = self.config.headers_of_agent(&self.name, &[])?;
        self.locked(None, &headers).map(drop)
    }

    /// Waits for a list that was announced and not given yet, within a limit; `None` if there is none.
    pub(super) fn pending_list(&self) -> Option<BoxFuture<'_, ()>> {
        let connection = self.living().filter(|connection| connection.changes().are_pending())?;
        Some(Box::pin(async move {
            if connection.listed(LIST_WAIT).await || !connection.is_alive() {
                return;
            }
            let why = if connection.changes().are_held() {
                format!(
                    "announces other tools too often, and is not asked for them more than {} times a minute",
                    relist::HURRIES
                )
            } else {
                format!("announced other tools and did not list them within {LIST_WAIT:?}")
            };
            self.report_once(&format!(
                "the MCP server `{}` {why}; the tools that it had are used",
                self.name
            ));
        }))
    }

    /// Reports that the server does not declare what it has.
    fn report_undeclared(&self, tools: usize) {
        self.report_once(&match tools {
            0 => format!("the MCP server `{}` declares no tools, and lists none", self.name),
            _ => format!(
                "the MCP server `{}` lists tools and does not declare that it has some; they are used",
                self.name
            ),
        });
    }

    /// Reports that a changed list could not be read, unless the previous report says the same.
    fn report_unlisted(&self, reason: String, reported: &mut Option<String>) {
        let reason = self.secrets.hide(reason);
        if reported.as_ref() != Some(&reason) {
            self.report(format!(
                "the MCP server `{}` changed its tools and could not list them: {reason}; the tools that it had are kept",
                self.name
            ));
            *reported = Some(reason);
        }
    }

    fn report_odd(&self, odd: &[String]) {
        for text in odd.iter().take(MAX_REPORTED_TOOLS) {
            self.report(format!("the MCP server `{}`: {}", self.name, self.secrets.hide(text)));
        }
        if let Some(more) = odd.len().checked_sub(MAX_REPORTED_TOOLS).filter(|more| *more > 0) {
            self.report(format!(
                "the MCP server `{}`: {more} more tools are left out or rewritten",
                self.name
            ));
        }
    }

    /// Calls a tool, once more if the server has lost the session and the call may be repeated. The answer is for [`read`](Self::read). What the
    /// server asks meanwhile goes to `questions`.
    pub(super) async fn call(
        self: &Arc<Self>,
        connection: &Connection,
        tool: &RemoteTool,
        sent: (Map<String, Value>, Input),
        mut progress: impl FnMut(ProgressNotificationParam),
        questions: Option<&mpsc::Sender<ServerQuestion>>,
    ) -> Result<Called, Exit> {
        match self.call_once(connection, tool, sent.clone(), &mut progress, questions).await {
            // The server says that the call did not run, but it also lost what it knew.
            Err(exit) if is_session_lost(&exit) && tool.definition.effect.is_repeatable() => {
                let connection = self.connection().await?;
                self.call_once(&connection, tool, sent, &mut progress, questions).await
            }
            called => called,
        }
    }

    async fn call_once(
        &self,
        connection: &Connection,
        tool: &RemoteTool,
        (arguments, input): (Map<String, Value>, Input),
        progress: &mut impl FnMut(ProgressNotificationParam),
        questions: Option<&mpsc::Sender<ServerQuestion>>,
    ) -> Result<Called, Exit> {
        let failed = |error| self.failed(error, tool.reader.is_some());
        let request = match &tool.reader {
            None => {
                let mut params = CallToolRequestParams::new(tool.name.to_string()).with_arguments(arguments);
                params.input_responses = (!input.responses.is_empty()).then_some(input.responses);
                params.request_state = input.state;
                ClientRequest::CallToolRequest(CallToolRequest::new(params))
            }
            Some(reader) => match reader.operation {
                Operation::List => {
                    let listed = reader.list(&self.name, connection, &arguments).await;
                    return listed.map(Called::Answer).map_err(failed);
                }
                Operation::Read => reader.request(&self.name, arguments, input)?,
            },
        };
        let report = |mut report: ProgressNotificationParam| {
            report.message = report.message.map(|message| self.result_secrets.hide(message));
            progress(report);
        };
        match connection.request(request, report, questions).await {
            Ok(answer) => match input_required::read(&self.name, &answer)? {
                Some(required) => Ok(Called::Required(required)),
                None => Ok(Called::Answer(answer)),
            },
            Err(RequestError::Refused(error)) => match input_required::refused(&error) {
                Some(required) if questions.is_some() => Ok(Called::Required(required)),
                _ => Err(failed(RequestError::Refused(error))),
            },
            Err(error) => Err(failed(error)),
        }
    }

    /// The result that an answer to a call of a tool holds.
    pub(super) fn read(&self, tool: &RemoteTool, answer: &str) -> ToolResult {
        let result = match &tool.reader {
            None => convert::result(&self.name, answer),
            Some(reader) => {
                reader.output(answer).map_err(|reason| self.failed(RequestError::Unreadable(reason), true))
            }
        };
        self.result_secrets.result(result)
    }

    /// The error that the model gets for a call without an answer.
    ///
    /// `only_reads` says that the call has no effect in any case.
    fn failed(&self, error: RequestError, only_reads: bool) -> Exit {
        let name = &self.name;
        let unknown = if only_reads { String::new() } else { format!("; {UNKNOWN}") };
        let (kind, text) = match error {
            // The standard error is left out, because it may concern the calls of others.
            RequestError::Died(how) => {
                let text = format!(
                    "the MCP server `{name}` {} during the call ({how}){unknown}. The next call {}",
                    self.config.link.died(),
                    match self.config.link {
                        Link::Process | Link::InProcess(_) => "starts the server again",
                        Link::Http(_) => "begins a new connection",
                    }
                );
                (ErrorKind::Remote, text)
            }
            RequestError::Http(error) => {
                let effect = if only_reads { String::new() } else { format!("; {}", error.effect()) };
                let text = format!("the call to the MCP server `{name}` failed: {error}{effect}");
                let error = error.map_texts(|text| self.secrets.hide(text));
                return Exit::Tool(
                    ToolError::new(self.secrets.hide(text)).with_kind(ErrorKind::Remote).with_source(error),
                );
            }
            RequestError::Timeout(limit) => {
                let text = format!(
                    "the MCP server `{name}` did not answer within {limit:?}; the call was cancelled{unknown}"
                );
                (ErrorKind::Timeout, text)
            }
            RequestError::Unreadable(reason) if only_reads => {
                let text = format!("the MCP server `{name}` gave an answer that cannot be read: {reason}");
                (ErrorKind::Unreadable, text)
            }
            RequestError::Unreadable(reason) => (ErrorKind::Unreadable, convert::unreadable(name, &reason)),
            RequestError::Refused(error) => {
                let data = error.data.filter(|data| !data.is_null());
                let data = data.map(|data| format!(" ({})", visible(&data.to_string()))).unwrap_or_default();
                let message = visible(&error.message);
                (ErrorKind::Remote, format!("the MCP server `{name}` refused the call: {message}{data}"))
            }
            RequestError::Broken(reason) => {
                (ErrorKind::Remote, format!("the call to the MCP server `{name}` was interrupted: {reason}"))
            }
        };
        remote(self.secrets.hide(text), kind)
    }

    /// Reports a message for people, unless they have it.
    fn note(&self, text: &str) {
        let text = self.secrets.hide(text);
        if self.report_once(&text) {
            tracing::warn!(server = &*self.name, "{text}");
        }
    }

    /// Adds a message for users to the server's news, unless they have it. Returns whether it is new.
    pub(super) fn report_once(&self, text: &str) -> bool {
        let mut news = lock(&self.news);
        let is_new = !news.texts.iter().any(|known| known == text);
        if is_new {
            news.add(text.to_owned());
        }
        is_new
    }

    fn living(&self) -> Option<Arc<Connection>> {
        lock(&self.live).as_ref().filter(|connection| connection.is_alive()).cloned()
    }

    /// The connection; a server that died is started again, a few times a minute.
    pub(super) async fn connection(self: &Arc<Self>) -> Result<Arc<Connection>, Exit> {
        loop {
            if let Some(living) = self.living() {
                return Ok(living);
            }
            let started = self.restarts.join(self).map_err(|text| remote(text, ErrorKind::Remote))?;
            match started.ended().await {
                Some(Ok(())) => {
                    return self.living().ok_or_else(|| {
                        let text = format!(
                            "the MCP server `{}` was {} again and {} at once",
                            self.name,
                            self.config.link.started(),
                            self.config.link.died()
                        );
                        remote(text, ErrorKind::Remote)
                    });
                }
                Some(Err(NotStarted { text, http })) => {
                    let error = ToolError::new(text.to_string()).with_kind(ErrorKind::Remote);
                    return Err(Exit::Tool(match http {
                        Some(http) => error.with_source(http),
                        None => error,
                    }));
                }
                // The runtime of the start ended.
                None => {}
            }
        }
    }

    /// Ends the process: closes its input, waits, asks, kills. Later calls are refused.
    pub(super) async fn shutdown(&self) {
        let others = self.pool.take();
        let others = join_all(others.iter().map(|server| server.end()));
        tokio::join!(self.end(), others);
        // Calls may have opened some meanwhile.
        self.kill();
    }

    /// Ends its own connection.
    pub(super) async fn end(&self) {
        self.closed.store(true, Ordering::Release);
        self.restarts.stop();
        let live = lock(&self.live).take();
        if let Some(connection) = live {
            connection.close().await;
        }
    }

    /// Kills the process. Later calls are refused.
    pub(super) fn kill(&self) {
        self.closed.store(true, Ordering::Release);
        self.restarts.stop();
        if let Some(connection) = lock(&self.live).take() {
            connection.kill();
        }
        for server in self.pool.take() {
            server.kill();
        }
    }
}

impl Restart for Server {
    fn name(&self) -> &str {
        &self.name
    }

    fn link(&self) -> &Link {
        &self.config.link
    }

    fn is_alive(&self) -> bool {
        self.living().is_some()
    }

    fn absence(&self) -> Absence {
        if self.closed.load(Ordering::Acquire) {
            return Absence::ShutDown;
        }
        let live = lock(&self.live);
        if live.is_none() && self.generation() == 0 {
            return Absence::New;
        }
        let how = live.as_ref().and_then(|last| last.ended());
        Absence::Died(how.unwrap_or_else(|| "it does not run".into()))
    }

    /// Starts the process, shakes hands and lists the tools, within the start timeout.
    async fn start(self: &Arc<Self>) -> Result<(), McpError> {
        let begun = Instant::now();
        let opened = Connection::open(&self.name, &self.config, &self.secrets).await;
        let connection = match opened {
            Ok(connection) => Arc::new(connection),
            Err(failure) => return Err(McpError::Start(failure)),
        };
        let left = self.config.start_timeout.saturating_sub(begun.elapsed());
        let listed = match tokio::time::timeout(left, list_tools::all(&connection)).await {
            Ok(listed) => listed,
            Err(_) => Err(format!("it did not list them within {:?}", self.config.start_timeout).into()),
        };
        let tools = match listed {
            Ok(tools) => tools,
            Err(ListError { reason, http }) => {
                return Err(McpError::List {
                    server: self.name.to_string(),
                    reason: self.secrets.hide(reason),
                    http: http.map(|http| http.map_texts(|text| self.secrets.hide(text))),
                });
            }
        };
        self.take(tools);
        *lock(&self.live) = Some(Arc::clone(&connection));
        // A shutdown may have come while the process started.
        if self.closed.load(Ordering::Acquire) {
            self.kill();
        }
        connection.set_log_level();
        let (server, mut reported) = (Arc::downgrade(self), None);
        let changes = connection.changes().clone();
        tokio::spawn(relist::follow(Arc::downgrade(&connection), changes, move |listed| {
            let Some(server) = server.upgrade() else { return ControlFlow::Break(()) };
            match listed {
                Ok(tools) => {
                    reported = None;
                    server.take(tools);
                }
                Err(reason) => server.report_unlisted(reason, &mut reported),
            }
            ControlFlow::Continue(())
        }));
        Ok(())
    }

    fn report(&self, text: String) {
        tracing::warn!(server = &*self.name, "{text}");
        lock(&self.news).add(text);
    }
}

fn is_session_lost(exit: &Exit) -> bool {
    let error = exit.as_tool_error();
    error.is_some_and(|error| {
        error.causes().any(|cause| matches!(cause.downcast_ref(), Some(HttpError::SessionLost)))
    })
}

/// A tool that the configuration takes away.
fn removed(tool: &str, field: &str) -> LeftOut {
    let reason = format!(
        "the tool `{}` is left out: `{field}` in the configuration of the server takes it away",
        name(tool)
    );
    LeftOut { name: Some(tool.to_owned()), reason }
}

/// The message about a tool with other instructions at this place.
fn instructs(tool: &str, place: &str) -> String {
    format!(
        "the tool `{}` tries to give the model other instructions, in {place}. Agents get it only if `{}` has it as it is: \
         read it with `onionskin mcp list --json`, and keep it with `onionskin mcp lock`",
        name(tool),
        file::LOCK_FILE
    )
}

fn remote(text: String, kind: ErrorKind) -> Exit {
    Exit::Tool(ToolError::new(text).with_kind(kind))
}
