//! An HTTP server of these tests. It answers as a closure says, down to the bytes.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A request as it arrived. Names of headers are in lower case.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Value,
}

impl Request {
    /// The method of the message in it.
    pub(crate) fn asks(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    pub(crate) fn tool(&self) -> &str {
        self.body["params"]["name"].as_str().unwrap_or_default()
    }
}

/// What is written: pieces, each after a pause.
#[derive(Clone, Default)]
pub(crate) struct Reply {
    pieces: Vec<(Duration, Vec<u8>)>,
    /// Makes the last piece of the requests that arrived; `None` as long as it waits for one.
    last: Option<Arc<LastPiece>>,
    /// Whether the last piece is written again and again.
    repeats: bool,
    /// Whether the connection stays open without a further byte.
    stalls: bool,
}

type LastPiece = dyn Fn(&[Request]) -> Option<String> + Send + Sync;

impl Reply {
    pub(crate) fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self { pieces: vec![(Duration::ZERO, bytes.into())], ..Self::default() }
    }

    pub(crate) fn text(status: u16, headers: &str, body: &str) -> Self {
        Self::bytes(format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n{body}", body.len()))
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, "content-type: application/json\r\n", &body.to_string())
    }

    /// A stream of these events, which ends with the connection.
    pub(crate) fn events(events: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let events: Vec<_> =
            events.into_iter().map(|event| format!("data: {}\n\n", event.as_ref())).collect();
        Self::stream(&events.concat())
    }

    pub(crate) fn stream(text: &str) -> Self {
        Self::bytes(format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{text}"
        ))
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.pieces.into_iter().flat_map(|(_, bytes)| bytes).collect()
    }

    pub(crate) fn then(mut self, pause: Duration, bytes: impl Into<Vec<u8>>) -> Self {
        self.pieces.push((pause, bytes.into()));
        self
    }

    /// Writes an event when the requests that arrived make it.
    pub(crate) fn then_event(
        mut self,
        event: impl Fn(&[Request]) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        self.last = Some(Arc::new(move |requests| event(requests).map(|event| format!("data: {event}\n\n"))));
        self
    }

    pub(crate) fn repeating(mut self) -> Self {
        self.repeats = true;
        self
    }

    pub(crate) fn stalling(mut self) -> Self {
        self.stalls = true;
        self
    }
}

type Answer = dyn Fn(&Request) -> Reply + Send + Sync;

/// A running server. It ends with the runtime of its test.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub(crate) async fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let server = Self { address: listener.local_addr().unwrap(), requests: Arc::default() };
        let (requests, answer): (_, Arc<Answer>) = (Arc::clone(&server.requests), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&requests), Arc::clone(&answer)));
            }
        });
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The calls of a tool that arrived.
    pub(crate) fn calls(&self, tool: &str) -> usize {
        self.requests()
            .iter()
            .filter(|request| request.asks() == "tools/call" && request.tool() == tool)
            .count()
    }
}

async fn serve(stream: TcpStream, requests: Arc<Mutex<Vec<Request>>>, answer: Arc<Answer>) {
    let (read, mut write) = stream.into_split();
    let mut read = BufReader::new(read);
    while let Some(request) = receive(&mut read).await {
        requests.lock().unwrap().push(request.clone());
        let reply = answer(&request);
        let mut last = Vec::new();
        for (pause, bytes) in reply.pieces {
            tokio::time::sleep(pause).await;
            if write.write_all(&bytes).await.is_err() {
                return;
            }
            last = bytes;
        }
        if let Some(make) = reply.last {
            loop {
                let piece = make(&requests.lock().unwrap());
                if let Some(piece) = piece {
                    let _ = write.write_all(piece.as_bytes()).await;
                    return;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        if reply.repeats {
            while write.write_all(&last).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            return;
        }
        if reply.stalls {
            // Until the client leaves.
            let _ = read.read(&mut [0]).await;
            return;
        }
        let is_framed = String::from_utf8_lossy(&last).contains("content-length:");
        if !is_framed {
            return;
        }
    }
}

async fn receive(read: &mut (impl AsyncBufReadExt + Unpin)) -> Option<Request> {
    let mut first = String::new();
    read.read_line(&mut first).await.ok()?;
    let mut words = first.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        read.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    read.read_exact(&mut body).await.ok()?;
    // Forms are texts.
    let body =
        serde_json::from_slice(&body).unwrap_or_else(|_| String::from_utf8_lossy(&body).into_owned().into());
    Some(Request { method, path, headers, body })
}

/// The result to a request's message.
pub(crate) fn result(request: &Request, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": request.body["id"], "result": result })
}

pub(crate) fn error(request: &Request, code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": request.body["id"], "error": { "code": code, "message": message } })
}

/// The result of a tool that is a text.
pub(crate) fn said(request: &Request, text: &str) -> Value {
    result(request, &json!({ "content": [{ "type": "text", "text": text }], "resultType": "complete" }))
}

fn tools() -> Value {
    json!({ "resultType": "complete", "tools": [
        { "name": "read", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true } },
        { "name": "write", "inputSchema": { "type": "object" } },
    ] })
}

/// A server of the protocol of 2025, with a session.
pub(crate) fn earlier(request: &Request) -> Reply {
    let text = |status, body: &Value| {
        Reply::text(status, "content-type: application/json\r\nmcp-session-id: s-1\r\n", &body.to_string())
    };
    match (request.method.as_str(), request.asks()) {
        ("POST", "server/discover") => Reply::json(400, &error(request, -32601, "unknown method")),
        ("POST", "initialize") => {
            let answer = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "tools": { "listChanged": true } },
                "serverInfo": { "name": "test", "version": "1" },
            });
            text(200, &result(request, &answer))
        }
        ("POST", "tools/list") => text(200, &result(request, &tools())),
        ("POST", "tools/call") => text(200, &said(request, "done")),
        ("POST", _) => Reply::text(202, "", ""),
        ("DELETE", _) => Reply::text(200, "", ""),
        _ => Reply::text(405, "", ""),
    }
}

/// A server of the protocol of 2026, without sessions.
pub(crate) fn current(request: &Request) -> Reply {
    match (request.method.as_str(), request.asks()) {
        ("POST", "server/discover") => {
            let answer = json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": {} },
                "ttlMs": 0,
                "cacheScope": "private",
            });
            Reply::json(200, &result(request, &answer))
        }
        ("POST", "tools/list") => Reply::json(200, &result(request, &tools())),
        ("POST", "tools/call") => Reply::json(200, &said(request, "done")),
        ("POST", _) => Reply::text(202, "", ""),
        _ => Reply::text(405, "", ""),
    }
}
