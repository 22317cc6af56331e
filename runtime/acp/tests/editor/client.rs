//! An editor: a client that writes and reads lines of JSON.

use std::time::Duration;

use onionskin::AgentHandle;
use onionskin::acp::{AcpError, AcpServer};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex,
    split,
};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Longer than anything takes.
const LATE: Duration = Duration::from_secs(30);

pub(crate) struct Editor {
    output: WriteHalf<DuplexStream>,
    input: Lines<BufReader<ReadHalf<DuplexStream>>>,
    requests: u64,
    served: JoinHandle<Result<(), AcpError>>,
    /// The notifications so far: sessions with their updates.
    updates: Vec<(String, Value)>,
}

impl Editor {
    /// An editor that is connected with an agent, before its first message.
    pub(crate) fn connect(server: AcpServer) -> Self {
        let (editor, agent) = duplex(1 << 16);
        let (agent_input, agent_output) = split(agent);
        let served = tokio::spawn(server.serve(agent_input, agent_output));
        let (input, output) = split(editor);
        Self { output, input: BufReader::new(input).lines(), requests: 0, served, updates: Vec::new() }
    }

    /// An editor after the handshake. Its capabilities are these.
    pub(crate) async fn with(agent: &AgentHandle, capabilities: Value) -> Self {
        let mut editor = Self::connect(AcpServer::new(agent));
        editor.initialize(capabilities).await;
        editor
    }

    pub(crate) async fn open(agent: &AgentHandle) -> Self {
        Self::with(agent, json!({})).await
    }

    pub(crate) async fn initialize(&mut self, capabilities: Value) -> Value {
        let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        self.call("initialize", params).await.unwrap()
    }

    /// Writes a part of a line.
    pub(crate) async fn write_piece(&mut self, piece: &[u8]) {
        self.output.write_all(piece).await.unwrap();
    }

    pub(crate) async fn write(&mut self, line: &[u8]) {
        self.output.write_all(line).await.unwrap();
        self.output.write_all(b"\n").await.unwrap();
    }

    async fn send(&mut self, message: Value) {
        self.write(message.to_string().as_bytes()).await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    /// Sends a request, and gives its id.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = json!(self.requests);
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    /// The next message that is not a notification.
    pub(crate) async fn message(&mut self) -> Value {
        loop {
            let line = timeout(LATE, self.input.next_line()).await.expect("a message").unwrap();
            let message: Value = serde_json::from_str(&line.expect("the agent is there")).unwrap();
            assert_eq!(message["jsonrpc"], "2.0");
            if message["method"] != "session/update" {
                return message;
            }
            let params = &message["params"];
            let session = params["sessionId"].as_str().unwrap().to_owned();
            self.updates.push((session, params["update"].clone()));
        }
    }

    /// The answer to a request: its result, or its error.
    pub(crate) async fn answer(&mut self, id: &Value) -> Result<Value, Value> {
        let message = self.message().await;
        assert_eq!(&message["id"], id, "{message}");
        message.get("result").cloned().ok_or_else(|| message["error"].clone())
    }

    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.request(method, params).await;
        self.answer(&id).await
    }

    /// A request of the agent: its id and its parameters.
    pub(crate) async fn agent_request(&mut self, method: &str) -> (Value, Value) {
        let message = self.message().await;
        assert_eq!(message["method"], method, "{message}");
        (message["id"].clone(), message["params"].clone())
    }

    pub(crate) async fn reply(&mut self, id: &Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "result": result })).await;
    }

    /// Selects an option of a request for permission.
    pub(crate) async fn select(&mut self, id: &Value, option: &str) {
        self.reply(id, json!({ "outcome": { "outcome": "selected", "optionId": option } })).await;
    }

    pub(crate) async fn session(&mut self) -> String {
        let result = self.call("session/new", json!({ "cwd": "/", "mcpServers": [] })).await.unwrap();
        result["sessionId"].as_str().unwrap().to_owned()
    }

    /// Sends a prompt, and gives the id of the request.
    pub(crate) async fn begin(&mut self, session: &str, text: &str) -> Value {
        let prompt = json!([{ "type": "text", "text": text }]);
        self.request("session/prompt", json!({ "sessionId": session, "prompt": prompt })).await
    }

    /// The reason why a prompt ended.
    pub(crate) async fn stop(&mut self, id: &Value) -> String {
        self.answer(id).await.unwrap()["stopReason"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn prompt(&mut self, session: &str, text: &str) -> String {
        let id = self.begin(session, text).await;
        self.stop(&id).await
    }

    pub(crate) async fn cancel(&mut self, session: &str) {
        self.notify("session/cancel", json!({ "sessionId": session })).await;
    }

    /// The updates of a session of this kind, and forgets none.
    pub(crate) fn updates(&self, session: &str, kind: &str) -> Vec<&Value> {
        let updates =
            self.updates.iter().filter(|(id, update)| id == session && update["sessionUpdate"] == kind);
        updates.map(|(_, update)| update).collect()
    }

    /// The texts of a session's chunks of this kind.
    pub(crate) fn texts(&self, session: &str, kind: &str) -> String {
        self.updates(session, kind).iter().filter_map(|update| update["content"]["text"].as_str()).collect()
    }

    /// What the agent has said in a session.
    pub(crate) fn said(&self, session: &str) -> String {
        self.texts(session, "agent_message_chunk")
    }

    pub(crate) fn forget(&mut self) {
        self.updates.clear();
    }

    /// Closes the agent's input. Gives the result of the server.
    pub(crate) async fn leave(mut self) -> Result<(), AcpError> {
        self.output.shutdown().await.unwrap();
        let (mut input, served) = (self.input, self.served);
        while let Ok(Some(_)) = input.next_line().await {}
        timeout(LATE, served).await.expect("the server ends").unwrap()
    }
}
