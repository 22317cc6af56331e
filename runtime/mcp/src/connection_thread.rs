//! A thread of its own for the connection of a server, so that calls from anywhere reach it: blocking calls too, and
//! calls from a runtime that is blocked meanwhile.

use std::panic::resume_unwind;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::{AbortHandle, JoinError};
use tokio_util::sync::CancellationToken;

use super::connection::no_thread;
use super::error::{McpError, StartFailure};
use super::server::Server;
use super::server_config::ServerConfig;
use super::untraced_thread::start_runtime;
use onionskin_core::{ErrorKind, Exit, ToolError, ToolResult};

/// The thread that the connection of a server runs on.
pub(super) struct ConnectionThread {
    pub(super) server: Arc<Server>,
    runtime: Handle,
    /// Ends the runtime's thread.
    over: CancellationToken,
}

impl ConnectionThread {
    /// Starts the server on its thread.
    ///
    /// # Errors
    /// Returns an error if a time limit of the configuration is zero, the server does not start, or its tools cannot be
    /// listed.
    pub(super) async fn start(name: &str, config: ServerConfig) -> Result<Arc<Self>, McpError> {
        config.check(name)?;
        let command = config.command_line();
        let server = Server::new(name, config);
        let over = CancellationToken::new();
        let until = over.clone();
        let runtime = start_runtime("onionskin-mcp", move |runtime| {
            runtime.block_on(until.cancelled());
            // Waits for the killed process, so that no zombie is left.
            runtime.block_on(async { tokio::time::sleep(std::time::Duration::from_millis(50)).await });
        });
        let runtime = runtime.map_err(|error| {
            let (reason, next_step) = no_thread(&error);
            McpError::Start(Box::new(StartFailure {
                server: name.to_owned(),
                command,
                reason,
                http: None,
                stdout: None,
                stderr: Vec::new(),
                next_step: next_step.to_owned(),
            }))
        })?;
        // Made first, so that dropping this future ends the thread and the process.
        let thread = Arc::new(Self { server, runtime, over });
        let starting = Arc::clone(&thread.server);
        let start = thread.runtime.spawn(async move { starting.start_alone().await });
        let _abort = AbortOnDrop(start.abort_handle());
        match start.await {
            Ok(started) => started.map(|()| thread),
            Err(error) => Err(McpError::List { server: name.to_owned(), reason: ended(error), http: None }),
        }
    }

    /// Ends the server and waits for its end.
    pub(super) async fn shutdown(&self) {
        let server = Arc::clone(&self.server);
        let _ = self.runtime.spawn(async move { server.shutdown().await }).await;
    }

    /// Makes a call on the thread of the connection. Dropping the future drops the call.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        call: impl Future<Output = ToolResult<T>> + Send + 'static,
    ) -> ToolResult<T> {
        let task = self.runtime.spawn(call);
        let _abort = AbortOnDrop(task.abort_handle());
        task.await.unwrap_or_else(|error| {
            let text = format!("the call of the MCP server `{}` {}", self.server.name, ended(error));
            Err(Exit::Tool(ToolError::new(text).with_kind(ErrorKind::Remote)))
        })
    }
}

impl Drop for ConnectionThread {
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

/// Why a task of the server's thread ended without an answer. Its panic continues here.
fn ended(error: JoinError) -> String {
    match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_) => "ended with its thread".to_owned(),
    }
}
