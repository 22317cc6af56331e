//! Servers over standard streams: a message on each line.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;

use onionskin_lines::{Line, Lines, standard_streams};
use rmcp::model::{
    ClientJsonRpcMessage, ErrorCode, JsonRpcError, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, serve_server};
use rmcp::transport::Transport;
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Mutex, Semaphore};
use tokio::time::sleep;

use crate::calls::Calls;
use crate::error::ServeError;
use crate::mcp::Handler;
use crate::server::Server;
use crate::wire;

/// The maximum number of bytes of a line.
const MAX_LINE: usize = 16 * 1024 * 1024;
/// The time of calls in progress after the client has closed its stream. The protocol library waits a second more.
const LAST_CALLS: Duration = Duration::from_secs(4);
/// The maximum number of answers to lines that are no message, which wait to be written. Then reading pauses.
const MAX_PROBLEMS: usize = 16;

impl Server {
    /// Serves the client at the program's standard streams, until it closes them.
    ///
    /// From this call on, what the program and its tools print to standard output goes to standard error instead (Unix), because other
    /// texts would break the protocol. Standard input is empty for them, and for the processes that they start. Elsewhere, nothing else
    /// may write to the standard output.
    ///
    /// Cancel safety: dropping the future ends the server and its calls.
    ///
    /// # Errors
    /// Returns an error if a standard stream is closed, or if the client breaks the protocol before it is ready.
    pub async fn serve_stdio(&self) -> Result<(), ServeError> {
        let closed = |error| ServeError::Connection(format!("a standard stream cannot be used: {error}"));
        let (input, output) = standard_streams().map_err(closed)?;
        Box::pin(self.serve_streams(input, output)).await
    }

    /// As [`Self::serve_stdio`], for other streams, such as a socket or a pair in memory.
    ///
    /// ```
    /// use onionskin::serve::Server;
    /// use onionskin::tool;
    /// use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    ///
    /// /// Adds one.
    /// #[tool]
    /// fn add_one(x: i64) -> i64 {
    ///     x + 1
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = Server::builder("sums", "1.0.0").tool(add_one::spec()).build().await.unwrap();
    /// let (mut client, (read, write)) = { let (a, b) = tokio::io::duplex(65536); (a, tokio::io::split(b)) };
    /// tokio::spawn(async move { server.serve_streams(read, write).await });
    ///
    /// let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    /// client.write_all(format!("{initialize}\n").as_bytes()).await.unwrap();
    /// let mut line = String::new();
    /// BufReader::new(&mut client).read_line(&mut line).await.unwrap();
    /// assert!(line.contains("sums"));
    /// # });
    /// ```
    ///
    /// Cancel safety: as [`Self::serve_stdio`].
    ///
    /// # Errors
    /// As [`Self::serve_stdio`].
    pub async fn serve_streams(
        &self,
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<(), ServeError> {
        let calls = Arc::<Calls>::default();
        let lines = Messages::new(read, write, Arc::clone(&calls));
        let handler = Handler::new(Arc::clone(&self.0), calls);
        let running = serve_server(handler, lines).await;
        // The library's error has the whole message of the client.
        let broken = |_| {
            ServeError::Connection(
                "the client did not begin with `initialize`, or closed its stream".to_owned(),
            )
        };
        let running = running.map_err(broken)?;
        running.waiting().await.map_err(|error| ServeError::Connection(error.to_string()))?;
        Ok(())
    }
}

/// Messages as lines. A line that is no message is answered here, and the next one is read.
struct Messages<R, W> {
    lines: Lines<R>,
    /// Whether a request has come. Before it, there is nothing to notify of.
    has_begun: bool,
    write: Arc<Mutex<W>>,
    /// The requests without an answer.
    open: Arc<OpenIds>,
    /// The permits of answers that wait to be written.
    problems: Arc<Semaphore>,
    calls: Arc<Calls>,
}

/// The part of a cancellation that names the request.
#[derive(Deserialize)]
struct Cancelled {
    params: CancelledParams,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CancelledParams {
    request_id: RequestId,
}

type OpenIds = StdMutex<HashSet<RequestId>>;

impl<R: AsyncRead + Unpin, W: AsyncWrite + Send + Unpin + 'static> Messages<R, W> {
    fn new(read: R, write: W, calls: Arc<Calls>) -> Self {
        Self {
            lines: Lines::new(read, MAX_LINE),
            has_begun: false,
            write: Arc::new(Mutex::new(write)),
            open: Arc::default(),
            problems: Arc::new(Semaphore::new(MAX_PROBLEMS)),
            calls,
        }
    }

    /// Gives the calls in progress some time, because a client can have closed its stream and read on. Then each of them gets an error.
    fn end_calls(&self) {
        let calls = Arc::clone(&self.calls);
        tokio::spawn(async move {
            sleep(LAST_CALLS).await;
            calls.abort();
        });
    }

    /// The message of a line; `None` for an empty line or a message that has no effect.
    fn message(&mut self, line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Box<JsonRpcError>> {
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        let envelope = wire::check(line)?;
        if let Some(id) = envelope.request_id() {
            self.has_begun = true;
            if !self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone()) {
                let id = Some(id.clone());
                return Err(wire::problem(id, ErrorCode::INVALID_REQUEST, "the id of the request is in use"));
            }
        } else if !self.has_begun {
            return Ok(None);
        } else if envelope.method.as_deref() == Some("notifications/cancelled") {
            // It gets no answer.
            let id =
                serde_json::from_slice::<Cancelled>(line).ok().map(|cancelled| cancelled.params.request_id);
            id.map(|id| self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&id));
        }
        serde_json::from_slice(line).map(Some).map_err(|_| {
            // The request has its answer.
            if let Some(id) = &envelope.id {
                self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
            }
            wire::unreadable(line)
        })
    }
}

impl<R, W> Transport<RoleServer> for Messages<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let id = match &item {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        if let Some(id) = id {
            self.open.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
        }
        let write = Arc::clone(&self.write);
        async move { send(&write, &item).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // Answers are written by tasks, because this future can be dropped between two of their bytes.
            let permit = Arc::clone(&self.problems).acquire_owned().await.ok()?;
            let message = match self.lines.next().await {
                Ok(Some(Line::Whole(line) | Line::Rest(line))) => self.message(&line),
                Ok(Some(Line::TooLong(..))) => {
                    Err(wire::problem(None, ErrorCode::INVALID_REQUEST, "the message is too long"))
                }
                Ok(Some(Line::Endless) | None) | Err(_) => {
                    self.end_calls();
                    return None;
                }
            };
            match message {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(problem) => {
                    let write = Arc::clone(&self.write);
                    tokio::spawn(async move {
                        let _permit = permit;
                        send(&write, &ServerJsonRpcMessage::Error(*problem)).await
                    });
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.shutdown().await
    }
}

async fn send<W: AsyncWrite + Unpin>(write: &Mutex<W>, message: &ServerJsonRpcMessage) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut write = write.lock().await;
    write.write_all(&line).await?;
    write.flush().await
}
