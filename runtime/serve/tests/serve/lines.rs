//! A client that writes lines, for both generations of the protocol.

use std::time::Duration;

use onionskin::serve::Server;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf, split,
};

pub(crate) const NEW: &str = "2026-07-28";

/// A client at the other end of streams in memory.
pub(crate) struct Lines {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    /// What the client declares; also in each request of the new generation.
    pub(crate) capabilities: Value,
    next_id: u64,
}

impl Lines {
    pub(crate) fn connect(server: &Server) -> Self {
        let (client, served) = tokio::io::duplex(1 << 20);
        let server = server.clone();
        tokio::spawn(async move {
            let (read, write) = split(served);
            Box::pin(server.serve_streams(read, write)).await
        });
        let (read, write) = split(client);
        Self { read: BufReader::new(read), write, capabilities: json!({ "elicitation": {} }), next_id: 1 }
    }

    /// A client of 2025-11-25 that has initialized.
    pub(crate) async fn initialized(server: &Server, capabilities: Value) -> Self {
        let mut lines = Self::connect(server);
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = lines.request("initialize", params).await;
        assert_eq!(answer["result"]["serverInfo"]["version"], "1.2.3", "{answer}");
        lines.write(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        lines
    }

    pub(crate) async fn write(&mut self, message: &Value) {
        self.write_text(&message.to_string()).await;
    }

    pub(crate) async fn write_text(&mut self, line: &str) {
        self.write_bytes(format!("{line}\n").as_bytes()).await;
    }

    pub(crate) async fn write_bytes(&mut self, bytes: &[u8]) {
        self.write.write_all(bytes).await.unwrap();
    }

    /// Closes the stream to the server.
    pub(crate) async fn close(&mut self) {
        self.write.shutdown().await.unwrap();
    }

    pub(crate) async fn read(&mut self) -> Value {
        let mut line = String::new();
        let read = tokio::time::timeout(Duration::from_secs(20), self.read.read_line(&mut line)).await;
        assert!(read.expect("the server answers").unwrap() > 0, "the server has closed its stream");
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request and returns its id.
    pub(crate) async fn send(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    /// The answer to a request, past notifications.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.read().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    /// A request of 2026-07-28, which has all that the server has to know.
    pub(crate) async fn request_new(&mut self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": NEW,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
        });
        self.request(method, params).await
    }
}

/// The parameters of a call.
pub(crate) fn call(tool: &str, arguments: Value) -> Value {
    json!({ "name": tool, "arguments": arguments })
}

/// The texts of a result.
pub(crate) fn texts(answer: &Value) -> Vec<&str> {
    let blocks = answer["result"]["content"].as_array().unwrap_or_else(|| panic!("{answer}"));
    blocks.iter().filter_map(|block| block["text"].as_str()).collect()
}
