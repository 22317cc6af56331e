//! A server of no agent: its connection lives on a thread of its own, so that calls from anywhere reach it, also
//! blocking ones and those from a runtime that stands still meanwhile.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::Arc;

use tokio::runtime::{Builder, Handle};
use tokio::task::{AbortHandle, JoinError};
use tokio_util::sync::CancellationToken;

use super::config::ServerConfig;
use super::description::{self, McpDescription};
use super::error::{McpError, StartFailure};
use super::server::Server;
use super::tool::McpTool;
use onionskin_core::ToolSpec;
use onionskin_core::spec::SpecError;
use onionskin_core::{ErrorKind, Exit, ToolError, ToolResult};

/// A server that runs, and its tools as values. Cheap to clone; the process is killed when the last clone and the last
/// of its tools is dropped.
///
/// ```no_run
/// use onionskin::call;
/// use onionskin::mcp::{McpServer, ServerConfig};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let server = McpServer::start("time", ServerConfig::stdio("mcp-server-time")).await?;
/// let now = server.tool("get_current_time").expect("the server has it");
/// println!("{}", call!(now, timezone = "UTC").await.map_err(|exit| exit.to_string())?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct McpServer(Arc<Home>);

/// Where the connection of a server lives.
pub(super) struct Home {
    server: Arc<Server>,
    runtime: Handle,
    /// Ends the runtime's thread.
    over: CancellationToken,
}

impl McpServer {
    /// Starts the server, shakes hands with it and lists its tools.
    ///
    /// # Errors
    /// If a time limit of it is zero, it does not start, or its tools cannot be listed.
    pub async fn start(name: &str, config: ServerConfig) -> Result<Self, McpError> {
        config.check(name)?;
        let command = config.command_line();
        let server = Server::new(name, config);
        let over = CancellationToken::new();
        let runtime = thread(over.clone()).map_err(|error| {
            McpError::Start(Box::new(StartFailure {
                server: name.to_owned(),
                command,
                reason: format!("there is no thread for it: {error}"),
                stdout: None,
                stderr: Vec::new(),
                next_step: "Let the program have more threads.".to_owned(),
            }))
        })?;
        // Made first, so that dropping this future ends the thread and the process.
        let home = Arc::new(Home { server, runtime, over });
        let starting = Arc::clone(&home.server);
        let start = home.runtime.spawn(async move { starting.start().await });
        let _abort = AbortOnDrop(start.abort_handle());
        match start.await {
            Ok(started) => started.map(|()| Self(home)),
            Err(error) => Err(McpError::List { server: name.to_owned(), reason: ended(error) }),
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0.server.name
    }

    /// All its tools as they are now, called `server__tool` as agents do.
    pub fn tools(&self) -> Vec<ToolSpec> {
        self.0
            .server
            .tools()
            .iter()
            .map(|tool| self.spec(McpTool::new(self.server(), tool.clone())))
            .collect()
    }

    /// One of its tools, by the server's own name for it.
    pub fn tool(&self, name: &str) -> Option<ToolSpec> {
        let tools = self.0.server.tools();
        let tool = tools.iter().find(|tool| &*tool.name == name)?;
        Some(self.spec(McpTool::new(self.server(), tool.clone())))
    }

    /// A tool of this server as somebody else described it, for example in a file. Whether the server has it shows at
    /// the first call.
    ///
    /// # Errors
    /// If that is no description of a tool.
    pub fn import(&self, description: impl McpDescription) -> Result<ToolSpec, SpecError> {
        Ok(self.spec(McpTool::described(self.server(), description::read(description)?)))
    }

    /// Ends the server gracefully. Calls of its tools are refused from then on.
    pub async fn shutdown(self) {
        let server = self.server();
        let _ = self.0.runtime.spawn(async move { server.shutdown().await }).await;
    }

    fn server(&self) -> Arc<Server> {
        Arc::clone(&self.0.server)
    }

    fn spec(&self, tool: McpTool) -> ToolSpec {
        ToolSpec::of_server(Arc::new(tool.at(Arc::clone(&self.0))), Some(self.name()))
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl Home {
    /// Makes a call where the connection lives. Dropping the future drops the call.
    pub(super) async fn run(&self, call: impl Future<Output = ToolResult> + Send + 'static) -> ToolResult {
        let task = self.runtime.spawn(call);
        let _abort = AbortOnDrop(task.abort_handle());
        task.await.unwrap_or_else(|error| {
            let text = format!("the call of the MCP server `{}` {}", self.server.name, ended(error));
            Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Remote)))
        })
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.server.kill();
        self.over.cancel();
    }
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What a task of the server's thread ended with instead of its answer; its panic goes on here.
fn ended(error: JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_) => "ended with its thread".to_owned(),
    }
}

/// Starts a thread with a runtime that runs until `over`.
fn thread(over: CancellationToken) -> std::io::Result<Handle> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    std::thread::Builder::new().name("onionskin-mcp".into()).spawn(move || {
        runtime.block_on(over.cancelled());
        // What was killed is waited for, so that it leaves nothing behind.
        runtime.block_on(async { tokio::time::sleep(std::time::Duration::from_millis(50)).await });
    })?;
    Ok(handle)
}
