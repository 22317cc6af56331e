//! The client: the card of the agent, its messages, its tasks.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use onionskin_core::Secret;
use onionskin_core::text::{short, visible};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, StatusCode, Url};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::RemoteError;
use super::events::{Events, MAX_EVENT};
use super::progress::{Progress, Reply};
use crate::wire::{
    CARD_PATH, Card, EVENT_STREAM, Message, SendParams, StreamResponse, Task, TaskParams, VERSION,
    VERSION_HEADER, is_spoken,
};

/// The bytes of a card.
const MAX_CARD: usize = 256 << 10;
/// The characters of a text of the server in an error.
const ERROR_CHARS: usize = 300;
const CONNECT: Duration = Duration::from_secs(10);
/// The time for the cancellation of a task, and for the card.
const SHORT: Duration = Duration::from_secs(15);
/// The pause before a task that works is read again, if the server has no stream of it.
const PAUSE: Duration = Duration::from_secs(1);

/// Where an agent is, and what its requests have.
#[derive(Clone)]
pub(super) struct Settings {
    url: Url,
    headers: HeaderMap,
    secrets: Vec<Arc<Secret<String>>>,
    pub(super) limit: Duration,
    pub(super) max_bytes: usize,
}

impl Settings {
    pub(super) fn new(text: &str) -> Result<Self, RemoteError> {
        let wrong = || RemoteError::Url { url: text.split('?').next().unwrap_or_default().to_owned() };
        let url = Url::parse(text).map_err(|_| wrong())?;
        let is_plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() || !is_plain {
            // The address may have a password.
            return Err(if is_plain { wrong() } else { RemoteError::Url { url: "..".to_owned() } });
        }
        let (limit, max_bytes) = (Duration::from_mins(10), 1 << 20);
        Ok(Self { url, headers: HeaderMap::new(), secrets: Vec::new(), limit, max_bytes })
    }

    pub(super) fn add_header(&mut self, name: &str, value: Secret<String>) -> Result<(), RemoteError> {
        let wrong = || RemoteError::Header { name: name.to_owned() };
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        let mut sent = HeaderValue::from_str(value.expose()).map_err(|_| wrong())?;
        sent.set_sensitive(true);
        self.headers.insert(header, sent);
        // A text can have the credentials without their scheme.
        if let Some((_, credentials)) = value.expose().split_once(' ') {
            self.secrets.push(Arc::new(Secret::new(credentials.to_owned())));
        }
        self.secrets.push(Arc::new(value));
        Ok(())
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").field("url", &self.url.as_str()).finish_non_exhaustive()
    }
}

/// A client of one agent. Cheap to clone.
#[derive(Clone)]
pub(super) struct Client(Arc<Inner>);

struct Inner {
    settings: Settings,
    target: OnceCell<Target>,
}

/// What the card says of the agent.
struct Target {
    http: reqwest::Client,
    url: Url,
    tenant: Option<String>,
    has_streams: bool,
}

/// Cancels the task of an exchange that is dropped before its end.
struct Dropped<'c>(&'c Client, Progress);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        if let Some(task) = self.1.unfinished().map(str::to_owned)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let client = self.0.clone();
            runtime.spawn(async move { client.cancel(&task).await });
        }
    }
}

/// An answer in JSON-RPC.
#[derive(Deserialize)]
struct Answer {
    result: Option<Value>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    message: String,
}

impl Client {
    pub(super) fn new(settings: Settings) -> Self {
        Self(Arc::new(Inner { settings, target: OnceCell::new() }))
    }

    pub(super) fn secrets(&self) -> &[Arc<Secret<String>>] {
        &self.0.settings.secrets
    }

    /// Sends a message, and waits until the agent has answered or asks.
    pub(super) async fn exchange(&self, message: Message) -> Result<Reply, RemoteError> {
        let limit = self.0.settings.limit;
        let exchange = tokio::time::timeout(limit, self.exchange_in_time(message)).await;
        exchange.unwrap_or(Err(RemoteError::TimedOut { limit }))
    }

    async fn exchange_in_time(&self, mut message: Message) -> Result<Reply, RemoteError> {
        let target = self.target().await?;
        message.id = new_id()?;
        let params =
            SendParams { message: Some(message), configuration: None, tenant: target.tenant.clone() };
        let mut exchange = Dropped(self, Progress::default());
        let method = if target.has_streams { "SendStreamingMessage" } else { "SendMessage" };
        let response = self.post(target, method, &json!(params)).await?;
        if content_type(&response) == EVENT_STREAM {
            let mut events = Events::new(response);
            while !exchange.1.is_at_rest() {
                match events.next().await {
                    Ok(Some(event)) => exchange.1.add(read_answer(&event)?)?,
                    // The task goes on without the stream.
                    Ok(None) | Err(RemoteError::Unreachable { .. }) if exchange.1.unfinished().is_some() => {
                        break;
                    }
                    Ok(None) => {
                        return Err(RemoteError::Protocol { reason: "the stream ended early".to_owned() });
                    }
                    Err(error) => return Err(error),
                }
            }
        } else {
            exchange.1.add(read_answer(&body(response, MAX_EVENT).await?)?)?;
        }
        while let Some(task) = exchange.1.unfinished() {
            let params =
                TaskParams { id: task.to_owned(), tenant: target.tenant.clone(), history_length: Some(0) };
            tokio::time::sleep(PAUSE).await;
            let response = self.post(target, "GetTask", &json!(params)).await?;
            let task: Task = read_answer(&body(response, MAX_EVENT).await?)?;
            exchange.1.add(StreamResponse { task: Some(task), ..StreamResponse::default() })?;
        }
        std::mem::take(&mut exchange.1).into_reply(self.0.settings.max_bytes)
    }

    /// Cancels a task, as far as the server does it.
    pub(super) async fn cancel(&self, task: &str) {
        let cancel = async {
            let target = self.target().await?;
            let params =
                TaskParams { id: task.to_owned(), tenant: target.tenant.clone(), history_length: None };
            self.post(target, "CancelTask", &json!(params)).await.map(drop)
        };
        match tokio::time::timeout(SHORT, cancel).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(task, %error, "the task of a remote agent was not canceled"),
            Err(_) => tracing::warn!(task, "the task of a remote agent was not canceled in time"),
        }
    }

    async fn post(&self, target: &Target, method: &str, params: &Value) -> Result<Response, RemoteError> {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let response = target
            .http
            .post(target.url.clone())
            .headers(self.0.settings.headers.clone())
            .header(VERSION_HEADER, VERSION)
            .header(ACCEPT, format!("application/json, {EVENT_STREAM}"))
            .header(CONTENT_TYPE, "application/json")
            .body(request.to_string());
        successful(response.send().await.map_err(unreachable)?).await
    }

    async fn target(&self) -> Result<&Target, RemoteError> {
        let target = || async {
            let target = tokio::time::timeout(SHORT, self.0.settings.discover()).await;
            target.unwrap_or(Err(RemoteError::TimedOut { limit: SHORT }))
        };
        self.0.target.get_or_try_init(target).await
    }
}

impl Settings {
    /// Reads the card, and checks what it says.
    async fn discover(&self) -> Result<Target, RemoteError> {
        let failed = |reason: String| RemoteError::Unreachable { reason };
        let http = onionskin_tls::http_client(&self.url).map_err(|error| failed(error.to_string()))?;
        let http = http.connect_timeout(CONNECT).build().map_err(unreachable)?;
        let wrong = |reason: &str| RemoteError::Card { reason: reason.to_owned() };
        let address = format!("{}{CARD_PATH}", self.url.as_str().trim_end_matches('/'));
        let address = Url::parse(&address).map_err(|_| wrong("its address is wrong"))?;
        let request = http.get(address).headers(self.headers.clone()).header(VERSION_HEADER, VERSION);
        let response = successful(request.send().await.map_err(unreachable)?).await?;
        let card: Card = serde_json::from_slice(&body(response, MAX_CARD).await?)
            .map_err(|error| RemoteError::Card { reason: visible(&error.to_string()).into_owned() })?;
        let interface = card.supported_interfaces.into_iter().find(|interface| {
            interface.protocol_binding == "JSONRPC" && is_spoken(&interface.protocol_version)
        });
        let interface = interface.ok_or_else(|| wrong("it has no JSON-RPC interface of A2A 1"))?;
        let url = Url::parse(&interface.url).map_err(|_| wrong("the address of its interface is wrong"))?;
        if url.origin() != self.url.origin() {
            return Err(wrong(
                "its interface is on another host, and the headers of this one must not go there",
            ));
        }
        let tenant = interface.tenant.filter(|tenant| !tenant.is_empty());
        Ok(Target { http, url, tenant, has_streams: card.capabilities.streaming })
    }
}

/// The result in an answer.
fn read_answer<T: for<'de> Deserialize<'de>>(body: &[u8]) -> Result<T, RemoteError> {
    let wrong =
        |error: serde_json::Error| RemoteError::Protocol { reason: visible(&error.to_string()).into_owned() };
    let answer: Answer = serde_json::from_slice(body).map_err(wrong)?;
    if let Some(Refusal { code, message }) = answer.error {
        return Err(RemoteError::Refused {
            code,
            message: visible(&short(&message, ERROR_CHARS)).into_owned(),
        });
    }
    serde_json::from_value(answer.result.unwrap_or_default()).map_err(wrong)
}

fn content_type(response: &Response) -> String {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

async fn successful(response: Response) -> Result<Response, RemoteError> {
    let status = response.status();
    if status == StatusCode::OK {
        return Ok(response);
    }
    let body = body(response, MAX_CARD).await.unwrap_or_default();
    let message = visible(&short(String::from_utf8_lossy(&body).trim(), ERROR_CHARS)).into_owned();
    Err(RemoteError::Status { status: status.as_u16(), message })
}

async fn body(mut response: Response, most: usize) -> Result<Vec<u8>, RemoteError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if bytes.len() + chunk.len() > most {
            return Err(RemoteError::TooLong { most });
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// An error of a connection.
pub(super) fn unreachable(error: reqwest::Error) -> RemoteError {
    RemoteError::Unreachable { reason: visible(&onionskin_tls::cause(error)).into_owned() }
}

fn new_id() -> Result<String, RemoteError> {
    crate::wire::new_id()
        .ok_or_else(|| RemoteError::Unreachable { reason: "there are no random numbers".to_owned() })
}
