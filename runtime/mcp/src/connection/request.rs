//! A request, with its progress and the questions of its server. It ends: with an answer, at its time limit, or with the process.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "mcp-http")]
use rmcp::model::ServerResult;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientNotification, ClientRequest, ErrorData,
    ProgressNotificationParam, RequestId,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::{AFTERMATH, Connection};
use crate::client::{OpenCall, ServerQuestion};
use crate::grants::Answer;
#[cfg(feature = "mcp-http")]
use crate::http;
use crate::http_error::HttpError;
#[cfg(feature = "mcp-http")]
use crate::mutex::lock;
use crate::wire::answered;

/// A call with progress reports may last this many times its limit.
const EXTENSIONS: u32 = 10;

/// Why a request has no answer.
pub(crate) enum RequestError {
    /// The process is dead; how it ended.
    Died(Arc<str>),
    /// There was no answer in this time. The request was cancelled.
    Timeout(Duration),
    /// The server answered, and the answer cannot be read.
    Unreadable(String),
    /// The server answered with a protocol error.
    Refused(ErrorData),
    /// The exchange with a server that is reached by address failed.
    Http(HttpError),
    /// The exchange failed.
    Broken(String),
}

impl Connection {
    /// Makes a request, and gives the text of its result. Dropping the future cancels it on the server. Its questions go to `questions`, one
    /// after the other; the time until they are answered does not count.
    pub(crate) async fn request(
        &self,
        request: ClientRequest,
        mut progress: impl FnMut(ProgressNotificationParam),
        questions: Option<&mpsc::Sender<ServerQuestion>>,
    ) -> Result<String, RequestError> {
        let options = match self.logs_by_session() {
            Some(false) => self.log.options(),
            Some(true) | None => PeerRequestOptions::no_options(),
        };
        // A list of tools is requested beside all calls, and no server asks for it.
        let is_list = matches!(request, ClientRequest::ListToolsRequest(_));
        let mut call = (!is_list).then(|| self.listeners.open());
        if let Some(call) = call.as_mut().filter(|_| questions.is_none()) {
            call.take_no_questions();
        }
        let sending = self.peer.send_request_with_option(request, options);
        let mut handle = match sending.await {
            Ok(sent) => sent,
            Err(error) => return Err(self.broken(error).await),
        };
        if let Some(call) = &call {
            call.sent(&handle.id);
        }
        let mut reports = self.listeners.listen(&handle.progress_token);
        let mut open: Option<OpenQuestion> = None;
        let mut cancel = CancelOnDrop::new(self.peer.clone(), handle.id.clone());
        let mut last = after(self.timeout.saturating_mul(EXTENSIONS));
        let mut limit = after(self.timeout);
        let mut done = f64::NEG_INFINITY;
        let answer = loop {
            tokio::select! {
                biased;
                Some(report) = reports.recv() => {
                    limit = after(self.timeout).min(last);
                    // Reports may overtake each other; only an increase counts as progress.
                    if report.progress > done {
                        done = report.progress;
                        progress(report);
                    }
                }
                answer = &mut handle.rx => break answer,
                Some(question) = next(&mut call), if open.is_none() => {
                    let (asked, question) = OpenQuestion::begin(question);
                    if let Some(questions) = questions {
                        let _ = questions.send(asked).await;
                    }
                    open = Some(question);
                }
                since = answered_since(&mut open), if open.is_some() => {
                    open = None;
                    if let Some(call) = &mut call {
                        call.is_asking = false;
                    }
                    last += since.elapsed();
                    limit = after(self.timeout).min(last);
                }
                () = tokio::time::sleep_until(limit), if open.is_none() => {
                    return Err(RequestError::Timeout(self.timeout));
                }
                how = self.process.end() => {
                    // It may have answered before it died.
                    match tokio::time::timeout(AFTERMATH, &mut handle.rx).await {
                        Ok(answer) => break answer,
                        Err(_) => return Err(RequestError::Died(self.fault.how().unwrap_or(how))),
                    }
                }
            }
        };
        cancel.armed = false;
        let answer = match answer {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(self.broken(error).await),
            Err(_) => Err(self.broken(ServiceError::TransportClosed).await),
        };
        let has_ended = match &answer {
            Ok(_) | Err(RequestError::Refused(_)) => true,
            Err(RequestError::Http(error)) => error.is_refusal(),
            Err(_) => false,
        };
        if let Some(call) = call.filter(|_| has_ended) {
            call.end();
        }
        match answer? {
            #[cfg(feature = "mcp-http")]
            ServerResult::ListToolsResult(list) => {
                let foreign = || RequestError::Unreadable("it belongs to another request".to_owned());
                let (text, refused) = http::listed(list).ok_or_else(foreign)?;
                lock(&self.unmirrored).extend(refused);
                Ok(text)
            }
            result => answered(result).map_err(RequestError::Unreadable),
        }
    }

    /// The meaning of an error of the library. A server that closed its streams cannot be used again.
    async fn broken(&self, error: ServiceError) -> RequestError {
        match error {
            ServiceError::McpError(error) => RequestError::Refused(error),
            ServiceError::TransportClosed | ServiceError::TransportSend(_) => {
                #[cfg(feature = "mcp-http")]
                if let Some(error) = http::http_error(&error) {
                    return RequestError::Http(error);
                }
                if self.is_remote && !self.peer.is_transport_closed() {
                    return RequestError::Http(HttpError::no_answer());
                }
                if let Some(how) = self.fault.how() {
                    return RequestError::Died(how);
                }
                if let Ok(how) = tokio::time::timeout(AFTERMATH, self.process.end()).await {
                    return RequestError::Died(how);
                }
                self.process.kill();
                let how = if self.is_remote {
                    "its connection was closed"
                } else {
                    "it closed its standard streams"
                };
                RequestError::Died(how.into())
            }
            other => RequestError::Broken(other.to_string()),
        }
    }
}

/// A question that a person thinks about.
struct OpenQuestion {
    since: Instant,
    answer: oneshot::Receiver<Answer>,
    to_server: Option<oneshot::Sender<Answer>>,
}

impl OpenQuestion {
    /// The question for the person, and the wait for its answer.
    fn begin(question: ServerQuestion) -> (ServerQuestion, Self) {
        let (sender, answer) = oneshot::channel();
        let asked = ServerQuestion { params: question.params, answer: sender };
        (asked, Self { since: Instant::now(), answer, to_server: Some(question.answer) })
    }
}

/// Passes the answer on; says when the question was asked.
async fn answered_since(open: &mut Option<OpenQuestion>) -> Instant {
    let Some(OpenQuestion { since, answer, to_server }) = open else { return pending().await };
    // Without an answer, the sender is dropped with the question.
    if let (Ok(answer), Some(to_server)) = (answer.await, to_server.take()) {
        let _ = to_server.send(answer);
    }
    *since
}

/// The next question of a request.
async fn next(call: &mut Option<OpenCall>) -> Option<ServerQuestion> {
    call.as_mut()?.question().await
}

/// A time from now; never, if it is beyond the clock.
fn after(time: Duration) -> Instant {
    const FAR: Duration = Duration::from_hours(24 * 365 * 30);
    Instant::now() + time.min(FAR)
}

/// Tells the server that a request was cancelled.
struct CancelOnDrop {
    peer: Peer<RoleClient>,
    id: RequestId,
    armed: bool,
}

impl CancelOnDrop {
    fn new(peer: Peer<RoleClient>, id: RequestId) -> Self {
        Self { peer, id, armed: true }
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        // Without a runtime, the server has ended too.
        if self.armed
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (peer, id) = (self.peer.clone(), self.id.clone());
            runtime.spawn(async move {
                let params = CancelledNotificationParam::new(Some(id), Some("the caller gave up".to_owned()));
                let cancelled = CancelledNotification::new(params);
                let _ = peer.send_notification(ClientNotification::CancelledNotification(cancelled)).await;
            });
        }
    }
}
