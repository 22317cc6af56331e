//! Servers over standard streams: a message on each line.

use std::io;
use std::sync::Arc;

use rmcp::model::{
    ClientJsonRpcMessage, ErrorCode, ErrorData, JsonRpcError, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, serve_server};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;

use crate::error::ServeError;
use crate::mcp::Handler;
use crate::server::Server;

/// The maximum number of bytes of a line.
const MAX_LINE: usize = 16 * 1024 * 1024;

impl Server {
    /// Serves the client at the program's standard streams, until it closes them. Nothing else may write to the standard output; logs
    /// belong to the standard error.
    ///
    /// Cancel safety: dropping the future ends the server and its calls.
    ///
    /// # Errors
    /// Returns an error if the client breaks the protocol before it is ready.
    pub async fn serve_stdio(&self) -> Result<(), ServeError> {
        self.serve_streams(tokio::io::stdin(), tokio::io::stdout()).await
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
        let lines = Lines { read: BufReader::new(read), write: Arc::new(Mutex::new(write)) };
        let handler = Handler::new(Arc::clone(&self.0));
        let running = serve_server(handler, lines).await;
        let running = running.map_err(|error| ServeError::Connection(error.to_string()))?;
        running.waiting().await.map_err(|error| ServeError::Connection(error.to_string()))?;
        Ok(())
    }
}

/// Streams of lines. A line that is no message is answered here, and the next one is read.
struct Lines<R, W> {
    read: BufReader<R>,
    write: Arc<Mutex<W>>,
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, item: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = Arc::clone(&self.write);
        async move { send(&write, &item).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let mut line = Vec::new();
        loop {
            let problem = match read_line(&mut self.read, &mut line).await {
                Ok(Line::End) | Err(_) => return None,
                Ok(Line::TooLong) => error(None, ErrorCode::INVALID_REQUEST, "the message is too long"),
                Ok(Line::Whole) if line.trim_ascii().is_empty() => continue,
                Ok(Line::Whole) => match message(&line) {
                    Ok(message) => return Some(message),
                    Err(problem) => problem,
                },
            };
            send(&self.write, &ServerJsonRpcMessage::Error(*problem)).await.ok()?;
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

/// How a line was read.
enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads a line without its end. A line that is too long is read to its end and dropped.
async fn read_line<R: AsyncBufRead + Unpin>(read: &mut R, line: &mut Vec<u8>) -> io::Result<Line> {
    line.clear();
    let mut is_too_long = false;
    loop {
        let bytes = read.fill_buf().await?;
        if bytes.is_empty() {
            // A message without a line end at the end of the stream is one too.
            return Ok(if line.is_empty() { Line::End } else { Line::Whole });
        }
        let (taken, is_end) = match bytes.iter().position(|byte| *byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (bytes.len(), false),
        };
        if line.len() + taken > MAX_LINE {
            is_too_long = true;
            line.clear();
        }
        if !is_too_long {
            line.extend_from_slice(&bytes[..taken]);
        }
        read.consume(taken);
        if is_end {
            return Ok(if is_too_long { Line::TooLong } else { Line::Whole });
        }
    }
}

/// The message of a line, or the answer to a line that is none.
fn message(line: &[u8]) -> Result<ClientJsonRpcMessage, Box<JsonRpcError>> {
    let value: Value = serde_json::from_slice(line)
        .map_err(|_| error(None, ErrorCode::PARSE_ERROR, "the message is not JSON"))?;
    if value.is_array() {
        return Err(error(
            None,
            ErrorCode::INVALID_REQUEST,
            "batches of messages are not part of the protocol",
        ));
    }
    let id = value.get("id").and_then(|id| serde_json::from_value::<RequestId>(id.clone()).ok());
    let is_request = value.get("method").is_some_and(Value::is_string);
    serde_json::from_value::<JsonRpcMessage<_, _, _>>(value).map_err(|_| {
        if is_request && id.is_some() {
            error(id, ErrorCode::INVALID_PARAMS, "the parameters do not fit the method")
        } else {
            error(id, ErrorCode::INVALID_REQUEST, "the message is not one of JSON-RPC 2.0")
        }
    })
}

fn error(id: Option<RequestId>, code: ErrorCode, message: &'static str) -> Box<JsonRpcError> {
    Box::new(JsonRpcError::new(id, ErrorData::new(code, message, None)))
}
