//! Runs as streams of events (SSE).

use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use onionskin_core::run::{RunRequest, ToolCallStream};
use onionskin_core::{AgentHandle, CancellationToken, ToolOutput};
use serde_json::Value;

use super::super::responses::Refusal;
use super::events::public;
use super::problems::Problem;
use super::{Api, runs};
use crate::calls::RunningCall;
use crate::user::User;

/// The header with the id of the run, by which it can be cancelled.
const RUN: HeaderName = HeaderName::from_static("run-id");
/// The pause after which a comment shows that the connection lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A run in progress. Dropping it ends the run.
struct Running {
    stream: Option<ToolCallStream>,
    agent: AgentHandle,
    api: Arc<Api>,
    user: Option<User>,
    id: String,
    _call: RunningCall,
    /// Until the run has ended: then its client may continue it, before this stream is gone.
    listed: Option<Listed>,
}

/// The entry of a run among those that can be cancelled, until it is dropped.
struct Listed {
    api: Arc<Api>,
    id: String,
}

impl Listed {
    /// Lists a run; `None` if it is in progress.
    fn new(api: &Arc<Api>, id: &str, user: Option<&User>, token: &CancellationToken) -> Option<Self> {
        match api.running().entry(id.to_owned()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(place) => {
                place.insert((user.cloned(), token.clone()));
                Some(Self { api: Arc::clone(api), id: id.to_owned() })
            }
        }
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.api.running().remove(&self.id);
    }
}

/// Answers with the events of a run, and its end as the last event, `run` or `problem`.
///
/// # Errors
/// Returns a refusal if the run is in progress.
pub(super) fn answer(
    api: &Arc<Api>,
    agent: &AgentHandle,
    request: RunRequest<ToolOutput>,
    id: &str,
    user: Option<User>,
    call: RunningCall,
) -> Result<Response, Refusal> {
    let token: CancellationToken = api.ended.child_token();
    let listed = Listed::new(api, id, user.as_ref(), &token)
        .ok_or_else(|| Problem::Conflict.refuse("the run is in progress"))?;
    let running = Running {
        stream: Some(request.cancellation(token).stream()),
        agent: agent.clone(),
        api: Arc::clone(api),
        user,
        id: id.to_owned(),
        _call: call,
        listed: Some(listed),
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
        let public = async {
            while let Some(event) = stream.next().await {
                if let Some(event) = public(event) {
                    return Some(event);
                }
            }
            None
        };
        match tokio::time::timeout(KEEP_ALIVE, public).await {
            Err(_) => Some(Bytes::from_static(b": alive\n\n")),
            Ok(Some((name, data))) => Some(piece(name, &data)),
            Ok(None) => {
                let ended = self.stream.take()?.output().await;
                self.listed = None;
                let end = runs::end(&self.api, &self.agent, self.user.as_ref(), &self.id, ended);
                Some(match end {
                    Ok((_, run)) => piece("run", &run),
                    Err(refusal) => piece("problem", &refusal.problem()),
                })
            }
        }
    }
}

fn piece(name: &str, data: &Value) -> Bytes {
    format!("event: {name}\ndata: {data}\n\n").into()
}
