//! A server for tests, within the program. It uses the real protocol.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::sync::watch;

use super::server_config::{InProcess, Link, ServerConfig};
use crate::mutex::lock;
use onionskin_core::ToolOutput;

/// An MCP server within a test: its tools are closures, and it fails on demand.
///
/// Agents and [`McpServer`](crate::McpServer) take its [`config`](Self::config) as for any server, and speak the protocol
/// with it: filters, time limits, restarts, hooks and checks of results work as with real servers. No process is started.
/// With tokio's paused clock, an agent's time limits pass at once.
///
/// ```
/// use std::time::Duration;
/// use onionskin::testing::{FakeAnswer, FakeServer};
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
/// use serde_json::json;
///
/// agent! {
///     Clock {
///         instruction: "Tell the time.",
///         servers: [time],
///         tools: { time: ["get_*"] },
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(async {
/// let time = FakeServer::new()
///     .tool(json!({"name": "get_time", "description": "Tells the time."}), |args| {
///         format!("noon in {}", args["zone"].as_str().unwrap_or("UTC")).into()
///     })
///     .tool(json!({"name": "get_moon", "description": "Tells its phase."}), |_| FakeAnswer::silence());
/// let model = ScriptedModel::turns([
///     ScriptedTurn::call("time__get_time", json!({"zone": "Rome"})).and_call("time__get_moon", json!({})),
///     ScriptedTurn::say("Noon."),
/// ]);
/// let clock = Clock::builder().model(model).server("time", time.config()).build().await?;
/// let output = clock.run("What time is it?").await?;
///
/// let told: Vec<_> = output.tool_calls.iter().map(|call| call.to_text()).collect();
/// assert_eq!(told[0], "noon in Rome");
/// assert!(told[1].contains("did not answer within 60s"), "{}", told[1]);
/// assert_eq!(time.calls(), [("get_time".to_owned(), json!({"zone": "Rome"})), ("get_moon".to_owned(), json!({}))]);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Default)]
pub struct FakeServer(Arc<Inner>);

#[derive(Default)]
struct Inner {
    tools: Mutex<Vec<Tool>>,
    /// Counts the changes of the tools.
    changed: watch::Sender<u64>,
    calls: Mutex<Vec<(String, Value)>>,
    starts: AtomicUsize,
    cancelled: AtomicUsize,
}

#[derive(Clone)]
struct Tool {
    description: Value,
    answer: Arc<dyn Fn(&Value) -> FakeAnswer + Send + Sync>,
}

impl Tool {
    fn is_called(&self, name: &str) -> bool {
        self.description["name"].as_str() == Some(name)
    }
}

/// The answer of a [`FakeServer`] to a call of one of its tools.
///
/// `into()` makes a result of a text, a value or a [`ToolOutput`]: a value is structured content with its JSON as text beside it.
///
/// ```
/// use std::time::Duration;
/// use onionskin::testing::{FakeAnswer, FakeServer};
/// use serde_json::json;
///
/// let stock = FakeServer::new().tool(json!({"name": "count"}), |args| match args["what"].as_str() {
///     Some("lamps") => FakeAnswer::from("3"),
///     Some(_) => FakeAnswer::error("not in stock").after(Duration::from_secs(1)),
///     None => FakeAnswer::death(),
/// });
/// ```
#[derive(Clone, Debug)]
pub struct FakeAnswer {
    delay: Duration,
    kind: Behaviour,
}

#[derive(Clone, Debug)]
enum Behaviour {
    Result(Value),
    Refusal(String),
    Silence,
    Death,
}

impl FakeAnswer {
    fn new(kind: Behaviour) -> Self {
        Self { delay: Duration::ZERO, kind }
    }

    /// Makes an answer of this result as the server sends it, valid or not: `{"content": [..], ..}`.
    pub fn result(result: Value) -> Self {
        Self::new(Behaviour::Result(result))
    }

    /// Makes an error of the tool: a result with `isError`.
    pub fn error(text: impl Into<String>) -> Self {
        Self::result(json!({ "content": [{ "type": "text", "text": text.into() }], "isError": true }))
    }

    /// Makes an error of the protocol: the server refuses the call.
    pub fn refusal(message: impl Into<String>) -> Self {
        Self::new(Behaviour::Refusal(message.into()))
    }

    /// Makes no answer: the call ends at its time limit.
    pub fn silence() -> Self {
        Self::new(Behaviour::Silence)
    }

    /// Makes the server die at the call. The next call starts it again.
    pub fn death() -> Self {
        Self::new(Behaviour::Death)
    }

    /// Delays the answer by this time.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }
}

impl From<ToolOutput> for FakeAnswer {
    fn from(output: ToolOutput) -> Self {
        let mut result = json!({ "content": output.content() });
        if let Some(structured) = output.structured_content() {
            result["structuredContent"] = structured.into_owned();
        }
        if let Some(meta) = output.remote_meta() {
            result["_meta"] = meta.clone();
        }
        Self::result(result)
    }
}

impl From<Value> for FakeAnswer {
    fn from(value: Value) -> Self {
        ToolOutput::structured(value).into()
    }
}

impl From<String> for FakeAnswer {
    fn from(text: String) -> Self {
        ToolOutput::text(text).into()
    }
}

impl From<&str> for FakeAnswer {
    fn from(text: &str) -> Self {
        ToolOutput::text(text).into()
    }
}

impl FakeServer {
    /// Makes a server without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool: what the server says of it, as in MCP's `tools/list`, and what it answers to arguments. A description
    /// without `inputSchema` takes any object.
    #[must_use]
    pub fn tool(
        self,
        description: Value,
        answer: impl Fn(&Value) -> FakeAnswer + Send + Sync + 'static,
    ) -> Self {
        self.add_tool(description, answer);
        self
    }

    /// Adds a tool as [`Self::tool`] does, also while the server runs: it announces the change. A tool of the same name is replaced.
    pub fn add_tool(
        &self,
        mut description: Value,
        answer: impl Fn(&Value) -> FakeAnswer + Send + Sync + 'static,
    ) {
        if let Some(fields) = description.as_object_mut() {
            fields.entry("inputSchema").or_insert_with(|| json!({ "type": "object" }));
        }
        if let Some(name) = description["name"].as_str() {
            lock(&self.0.tools).retain(|tool| !tool.is_called(name));
        }
        lock(&self.0.tools).push(Tool { description, answer: Arc::new(answer) });
        self.0.changed.send_modify(|changes| *changes += 1);
    }

    /// Removes a tool, also while the server runs: it announces the change.
    pub fn remove_tool(&self, name: &str) {
        lock(&self.0.tools).retain(|tool| !tool.is_called(name));
        self.0.changed.send_modify(|changes| *changes += 1);
    }

    /// The configuration with which agents reach it. Its time limits can be set like the limits of any server.
    pub fn config(&self) -> ServerConfig {
        let mut config = ServerConfig::stdio("a fake server of this program");
        config.link = Link::InProcess(Arc::new(self.clone()));
        config
    }

    /// The calls that reached it, in order: the server's own name of the tool, and the arguments.
    pub fn calls(&self) -> Vec<(String, Value)> {
        lock(&self.0.calls).clone()
    }

    /// The number of starts.
    pub fn starts(&self) -> usize {
        self.0.starts.load(Ordering::Relaxed)
    }

    /// The number of cancelled calls: at their time limits, or because the caller was dropped.
    pub fn cancelled(&self) -> usize {
        self.0.cancelled.load(Ordering::Relaxed)
    }

    fn answer(&self, call: &Value) -> FakeAnswer {
        let name = call["name"].as_str().unwrap_or_default();
        let arguments = if call["arguments"].is_null() { json!({}) } else { call["arguments"].clone() };
        let tool = lock(&self.0.tools).iter().find(|tool| tool.is_called(name)).cloned();
        lock(&self.0.calls).push((name.to_owned(), arguments.clone()));
        match tool {
            Some(tool) => (tool.answer)(&arguments),
            None => FakeAnswer::refusal(format!("there is no tool `{name}`")),
        }
    }

    fn reply(&self, method: &str, id: &Value) -> Option<Value> {
        let result = match method {
            "initialize" => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "tools": { "listChanged": true } },
                "serverInfo": { "name": "fake", "version": env!("CARGO_PKG_VERSION") },
            }),
            "tools/list" => {
                let tools: Vec<_> = lock(&self.0.tools).iter().map(|tool| tool.description.clone()).collect();
                json!({ "tools": tools })
            }
            _ => return None,
        };
        Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
    }
}

impl InProcess for FakeServer {
    fn serve(
        self: Arc<Self>,
        input: DuplexStream,
        mut output: DuplexStream,
    ) -> BoxFuture<'static, &'static str> {
        Box::pin(async move {
            self.0.starts.fetch_add(1, Ordering::Relaxed);
            let mut lines = BufReader::new(input).lines();
            let mut changed = self.0.changed.subscribe();
            let mut calls = FuturesUnordered::new();
            // The calls that run, by the text of their ids.
            let mut running = BTreeSet::new();
            loop {
                let message = tokio::select! {
                    // A change that a tool makes is announced before the tool's answer.
                    biased;
                    Ok(()) = changed.changed() => {
                        Some(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }))
                    }
                    line = lines.next_line() => match line {
                        Ok(Some(line)) => {
                            let message: Value = serde_json::from_str(&line).unwrap_or_default();
                            match message["method"].as_str() {
                                Some("tools/call") => {
                                    let answer = self.answer(&message["params"]);
                                    let id = message["id"].clone();
                                    running.insert(id.to_string());
                                    calls.push(async move {
                                        tokio::time::sleep(answer.delay).await;
                                        (id, answer.kind)
                                    });
                                    None
                                }
                                Some("notifications/cancelled") => {
                                    running.remove(&message["params"]["requestId"].to_string());
                                    self.0.cancelled.fetch_add(1, Ordering::Relaxed);
                                    None
                                }
                                Some(method) => self.reply(method, &message["id"]),
                                None => None,
                            }
                        }
                        _ => return "exit status: 0",
                    },
                    Some((id, kind)) = calls.next() => match (running.remove(&id.to_string()), kind) {
                        (_, Behaviour::Death) => return "exit status: 1",
                        (false, _) | (_, Behaviour::Silence) => None,
                        (true, Behaviour::Result(result)) => Some(json!({ "jsonrpc": "2.0", "id": id, "result": result })),
                        (true, Behaviour::Refusal(message)) => {
                            let error = json!({ "code": -32603, "message": message });
                            Some(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
                        }
                    },
                };
                if let Some(message) = message
                    && output.write_all(format!("{message}\n").as_bytes()).await.is_err()
                {
                    return "exit status: 0";
                }
            }
        })
    }
}

impl fmt::Debug for FakeServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tools = lock(&self.0.tools);
        f.debug_struct("FakeServer")
            .field("tools", &tools.iter().map(|tool| &tool.description["name"]).collect::<Vec<_>>())
            .field("starts", &self.starts())
            .finish_non_exhaustive()
    }
}
