//! The transport below the protocol library. It passes on only readable answers to our own requests.
//!
//! The library's own transport leaves answers that it cannot read to time limits, keeps every request of a server as a
//! task until it is answered, and reads a result five times into trees to see which kind it is. Here a line that
//! cannot be read fails the call that it answers; the server's requests are answered in place; and the result of a
//! request stays text until the caller reads it.

mod fault;
mod message;
mod outbox;
mod pace;
mod pending;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use onionskin_lines::{Line, Lines};
use rmcp::model::{
    ClientNotification, ClientRequest, CustomResult, ErrorData, JsonRpcMessage, RequestId, ServerResult,
};
use rmcp::service::{RoleClient, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

pub(super) use fault::Fault;
#[cfg(feature = "mcp-http")]
pub(super) use message::as_number;
pub(super) use message::{Incoming, reason};
#[cfg(any(test, feature = "mcp-http"))]
pub(super) use message::{read, read_ends};
use outbox::Outbox;
pub(super) use pace::Pace;
use pending::Pending;

use super::client::{Reply, Unasked};
use super::grants::Answer;
use super::visible::visible;

/// A longer message is not kept. As long as the library's own limit.
pub(crate) const LONGEST_LINE: usize = 16 << 20;
/// A server that takes nothing for this long is stuck, if its requests have no longer limit.
const PATIENCE: Duration = Duration::from_secs(30);

/// The streams of a server.
pub(super) struct Wire<R> {
    lines: Lines<R>,
    outbox: Option<Outbox>,
    pending: Pending,
    unasked: Unasked,
    pace: Pace,
    /// The next messages for the library.
    ready: VecDeque<RxJsonRpcMessage<RoleClient>>,
    fault: Fault,
}

impl<R: AsyncRead + Send + Unpin> Wire<R> {
    /// `timeout` is that of one request.
    pub(super) fn new(
        read: R,
        write: impl AsyncWrite + Send + Unpin + 'static,
        unasked: Unasked,
        timeout: Duration,
        fault: Fault,
    ) -> Self {
        let pending = Pending::default();
        Self {
            lines: Lines::new(read, LONGEST_LINE),
            outbox: Some(Outbox::new(write, timeout.max(PATIENCE), pending.clone(), fault.clone())),
            pending,
            unasked,
            pace: Pace::new(),
            ready: VecDeque::new(),
            fault,
        }
    }

    async fn line(&mut self) -> Option<Line> {
        if let Some(pause) = self.pace.pause() {
            tokio::time::sleep_until(pause).await;
        }
        tokio::select! {
            biased;
            () = self.fault.raised() => None,
            // A stream that fails counts as ended.
            line = self.lines.next() => line.unwrap_or_default(),
        }
    }

    fn take(&mut self, incoming: Incoming<'_>) {
        match incoming {
            Incoming::Answer(id, result) => {
                // The request was given up in the meantime.
                if let Some((id, handshake)) = self.pending.take(&id) {
                    self.ready.push_back(if handshake { shaken(id, result) } else { answer(id, Ok(result)) });
                }
            }
            Incoming::Refusal(Some(id), error) => {
                if let Some((id, _)) = self.pending.take(&id) {
                    self.ready.push_back(JsonRpcMessage::error(error, Some(id)));
                }
            }
            Incoming::Refusal(None, error) => match self.pending.take_only() {
                Some((id, _)) => self.ready.push_back(JsonRpcMessage::error(error, Some(id))),
                None => {
                    let reason = format!("it is an error without an id: {}", visible(&error.message));
                    self.take(Incoming::Unreadable(None, reason.into()));
                }
            },
            Incoming::Unreadable(Some(id), reason) => {
                if let Some((id, handshake)) = self.pending.take(&id) {
                    self.ready.push_back(unreadable(id, handshake, &reason));
                }
            }
            // It answers one of them, which will get no other answer.
            Incoming::Unreadable(None, reason) => {
                let all = self.pending.take_all();
                let reason = match all.len() {
                    0 | 1 => reason,
                    calls => format!("{reason}; it does not say to which of {calls} calls it belongs").into(),
                };
                let answers = all.into_iter().map(|(id, handshake)| unreadable(id, handshake, &reason));
                self.ready.extend(answers);
            }
            Incoming::Request(id, method, params) => self.reply(id, &method, params),
            Incoming::Progress(report) => {
                self.pace.count();
                self.unasked.progress(report);
            }
            Incoming::ToolsChanged => {
                self.pace.count();
                self.unasked.tools_changed();
            }
            Incoming::Log(params) => {
                self.pace.count();
                self.unasked.log(params);
            }
            Incoming::Other | Incoming::Foreign => self.pace.count(),
        }
    }

    /// Answers a request of the server, which does not say to which call it belongs.
    fn reply(&mut self, id: RequestId, method: &str, params: Option<&str>) {
        self.pace.count();
        let Some(outbox) = &self.outbox else { return };
        match self.unasked.request(None, method, params) {
            Reply::Now(answer) => outbox.reply(line(reply(&id, answer).to_string())),
            later @ Reply::Later(_) => {
                let outbox = outbox.downgrade();
                tokio::spawn(async move {
                    let answer = later.answer().await;
                    if let Some(outbox) = outbox.upgrade() {
                        outbox.reply(line(reply(&id, answer).to_string()));
                    }
                });
            }
        }
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleClient> for Wire<R> {
    type Error = io::Error;

    fn name() -> Cow<'static, str> {
        "stdio".into()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let mut request = None;
        let mut handshake = false;
        match &item {
            JsonRpcMessage::Request(sent) => {
                handshake = matches!(sent.request, ClientRequest::InitializeRequest(_));
                self.pending.add(sent.id.clone(), handshake);
                request = Some(sent.id.clone());
            }
            JsonRpcMessage::Notification(sent) => {
                if let ClientNotification::CancelledNotification(cancelled) = &sent.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.pending.take(id);
                }
            }
            _ => {}
        }
        let text = serde_json::to_string(&item).map_err(io::Error::other);
        let sending = match (text, &self.outbox) {
            (Ok(text), Some(outbox)) => Ok(outbox.send(line(text), request)),
            (Ok(_), None) => Err(io::ErrorKind::NotConnected.into()),
            (Err(error), _) => Err(error),
        };
        async move {
            match sending?.await {
                // The output of a server before it ended is the better reason.
                Err(_) if handshake => Ok(()),
                sent => sent,
            }
        }
    }

    // It may be dropped at every wait: nothing is taken out before it is given back.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            match self.line().await? {
                Line::Whole(line) => {
                    for incoming in message::read(&line) {
                        self.take(incoming);
                    }
                }
                // What is cut off is no message: how the process ended says more.
                Line::Rest(line) => {
                    let whole = message::read(&line).into_iter();
                    for incoming in whole.filter(|incoming| !matches!(incoming, Incoming::Unreadable(..))) {
                        self.take(incoming);
                    }
                }
                Line::TooLong(beginning, end) => self.take(message::read_ends(&beginning, &end)),
                Line::Endless => {
                    self.fault.end("it wrote a line without end, and was ended".to_owned());
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outbox = None;
        Ok(())
    }
}

/// The message with the answer to a request of the server.
pub(super) fn reply(id: &RequestId, answer: Answer) -> Value {
    match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
    }
}

fn line(mut text: String) -> Vec<u8> {
    text.push('\n');
    text.into_bytes()
}

/// The server's end of the handshake, which the library reads itself.
fn shaken(id: RequestId, result: &str) -> RxJsonRpcMessage<RoleClient> {
    match serde_json::from_str(result) {
        Ok(result) => JsonRpcMessage::response(ServerResult::InitializeResult(result), id),
        Err(error) => unreadable(id, true, &reason(&error)),
    }
}

pub(super) fn unreadable(id: RequestId, handshake: bool, reason: &str) -> RxJsonRpcMessage<RoleClient> {
    if handshake {
        let text = format!("its answer cannot be read: {reason}");
        return JsonRpcMessage::error(ErrorData::internal_error(text, None), Some(id));
    }
    answer(id, Err(reason))
}

/// The mark of a text that is a result, and of one that says why there is none.
const RESULT: char = '=';
const NO_RESULT: char = '!';

/// An answer as the library hands it on without looking into it: a text with the result, or with the reason why it cannot be read.
/// [`answered`] takes it out.
pub(super) fn answer(id: RequestId, result: Result<&str, &str>) -> RxJsonRpcMessage<RoleClient> {
    let text = match result {
        Ok(text) => format!("{RESULT}{text}"),
        Err(reason) => format!("{NO_RESULT}{reason}"),
    };
    JsonRpcMessage::response(ServerResult::CustomResult(CustomResult(Value::String(text))), id)
}

/// The text of a result, or why it cannot be read.
pub(super) fn answered(result: ServerResult) -> Result<String, String> {
    let foreign = || "it belongs to another request".to_owned();
    let ServerResult::CustomResult(CustomResult(Value::String(mut text))) = result else {
        return Err(foreign());
    };
    let mark = if text.is_empty() { None } else { Some(text.remove(0)) };
    match mark {
        Some(RESULT) => Ok(text),
        Some(NO_RESULT) => Err(text),
        _ => Err(foreign()),
    }
}
