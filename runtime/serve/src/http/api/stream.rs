//! Runs as streams of events (SSE).

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use onionskin_core::event::{Event, EventKind};
use onionskin_core::run::{RunRequest, ToolCallStream};
use onionskin_core::{AgentHandle, CancellationToken, ToolOutput};
use serde_json::Value;

use super::super::responses::{Refusal, unavailable};
use super::{Api, runs};
use crate::calls::RunningCall;
use crate::parts::Parts;
use crate::user::User;

/// The header with the id of the run, by which it can be cancelled.
const RUN: HeaderName = HeaderName::from_static("run-id");
/// The pause after which a comment shows that the connection lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A run in progress. Dropping it ends the run.
struct Running {
    stream: Option<ToolCallStream>,
    agent: AgentHandle,
    parts: Arc<Parts>,
    user: Option<User>,
    id: String,
    _call: RunningCall,
    _listed: Listed,
}

/// The entry of a run among those that can be cancelled, until it is dropped.
struct Listed {
    api: Arc<Api>,
    id: String,
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.api.running().remove(&self.id);
    }
}

/// Answers with the events of a run, and its end as the last event, `run` or `problem`.
///
/// # Errors
/// Returns a refusal if there are too many runs.
pub(super) fn answer(
    api: &Arc<Api>,
    agent: &AgentHandle,
    request: RunRequest<ToolOutput>,
    id: &str,
    user: Option<User>,
) -> Result<Response, Refusal> {
    let call = api.calls.begin(user.as_ref().map(User::id));
    let Some(call) = call else { return Err(unavailable("the server has too many calls, or ends")) };
    let token: CancellationToken = api.ended.child_token();
    api.running().insert(id.to_owned(), (user.clone(), token.clone()));
    let running = Running {
        stream: Some(request.cancellation(token).stream()),
        agent: agent.clone(),
        parts: Arc::clone(&api.parts),
        user,
        id: id.to_owned(),
        _call: call,
        _listed: Listed { api: Arc::clone(api), id: id.to_owned() },
    };
    let pieces = stream::unfold(running, |mut running| async move {
        let piece = running.next().await?;
        Some((Ok::<_, std::convert::Infallible>(piece), running))
    });
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (RUN, HeaderValue::from_str(id).unwrap_or_else(|_| HeaderValue::from_static(""))),
    ];
    Ok((headers, Body::from_stream(pieces)).into_response())
}

impl Running {
    /// The next piece of the stream; `None` after the end.
    async fn next(&mut self) -> Option<Bytes> {
        let stream = self.stream.as_mut()?;
        match tokio::time::timeout(KEEP_ALIVE, stream.next()).await {
            Err(_) => Some(Bytes::from_static(b": alive\n\n")),
            Ok(Some(event)) => Some(piece(&kind(&event), &public(event))),
            Ok(None) => {
                let ended = self.stream.take()?.output().await;
                let end = runs::end(&self.parts, &self.agent, self.user.as_ref(), &self.id, ended);
                Some(match end {
                    Ok((_, run)) => piece("run", &run),
                    Err(refusal) => piece("problem", &refusal.problem()),
                })
            }
        }
    }
}

/// The name of an event, as its JSON has it.
fn kind(event: &Event) -> String {
    let kind = serde_json::to_value(&event.kind).unwrap_or_default();
    kind["type"].as_str().unwrap_or_default().to_owned()
}

/// The event without what is of the inside: the texts of errors.
#[expect(clippy::wildcard_enum_match_arm, reason = "only these have texts of errors")]
fn public(mut event: Event) -> Value {
    match &mut event.kind {
        EventKind::RunFailed { error, .. } => "the run failed".clone_into(error),
        EventKind::ToolFinished { error_chain, .. } => error_chain.clear(),
        _ => {}
    }
    serde_json::to_value(&event).unwrap_or_default()
}

fn piece(name: &str, data: &Value) -> Bytes {
    format!("event: {name}\ndata: {data}\n\n").into()
}
