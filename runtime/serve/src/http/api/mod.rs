//! Agents over plain HTTP, for programs without MCP: runs as JSON or as a stream of events, questions and their answers, sessions.

mod accept;
mod events;
mod forms;
mod input;
mod openapi;
mod problems;
mod runs;
mod schemas;
mod stream;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{FromRequestParts as _, Path, Request, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{delete, get, post};
use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderValue};
use onionskin_core::json::json_values;
use onionskin_core::text::short;
use onionskin_core::{AgentHandle, CancellationToken};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::admission::{preflight, share_with};
use super::door::Door;
use super::responses::Refusal;
use crate::calls::Calls;
use crate::parts::Parts;
use crate::user::User;
use crate::wire::MAX_VALUES;
use problems::Problem;

/// What the handlers share.
pub(super) struct Api {
    parts: Arc<Parts>,
    door: Arc<Door>,
    calls: Arc<Calls>,
    /// The streams in progress, which another request can cancel.
    running: Mutex<HashMap<String, (Option<User>, CancellationToken)>>,
    ended: CancellationToken,
}

/// Adds the routes.
pub(super) fn add_to(
    router: Router,
    parts: &Arc<Parts>,
    door: Arc<Door>,
    calls: Arc<Calls>,
    ended: CancellationToken,
) -> Router {
    let api = Arc::new(Api { parts: Arc::clone(parts), door, calls, running: Mutex::default(), ended });
    let routes = Router::new()
        .route("/openapi.json", get(describe))
        .route("/agents", get(list))
        .route("/agents/{agent}/runs", post(run))
        .route("/agents/{agent}/answers", post(answer))
        .route("/agents/{agent}/sessions/{session}", get(session))
        .route("/runs/{run}", delete(cancel))
        .method_not_allowed_fallback(other_method)
        .fallback(other_path)
        .with_state(api);
    router.merge(routes)
}

/// A request that passed the door: its user, and its body.
struct Entered {
    user: Option<User>,
    head: http::request::Parts,
    body: axum::body::Bytes,
}

impl Entered {
    /// The parameters of the path.
    async fn path<T: DeserializeOwned + Send>(&mut self) -> Result<T, Refusal> {
        let path = Path::<T>::from_request_parts(&mut self.head, &()).await;
        path.map(|Path(path)| path).map_err(|_| Problem::Malformed.refuse("the path is not UTF-8"))
    }
}

impl Api {
    /// Runs a handler behind the door. A refusal is a problem (RFC 9457).
    async fn behind_door<F, Fut>(&self, request: Request, handler: F) -> Response
    where
        F: FnOnce(Entered) -> Fut,
        Fut: Future<Output = Result<Response, Refusal>>,
    {
        let (head, body) = request.into_parts();
        let origin = match self.door.admit(&head) {
            Ok(origin) => origin,
            Err(refusal) => return refusal.into_problem().map(axum::body::Body::new),
        };
        let answered = async {
            if let (Some(preflight), Some(_)) = (preflight(&head), &origin) {
                return Ok(preflight.map(axum::body::Body::new));
            }
            let user = self.door.user(&head).await?;
            let (body, _permit) = self.door.bodies.read(body).await?;
            handler(Entered { user, head, body }).await
        };
        let mut answer =
            answered.await.unwrap_or_else(|refusal| refusal.into_problem().map(axum::body::Body::new));
        if let Some(origin) = origin {
            share_with(answer.headers_mut(), origin);
        }
        answer
    }

    /// The agent with this name.
    fn agent(&self, name: &str) -> Result<AgentHandle, Refusal> {
        let found = self.parts.offer().agents().find(|agent| agent.name() == name).cloned();
        let missing = || format!("there is no agent `{}`: `GET /agents` lists them", short(name, 200));
        found.ok_or_else(|| Problem::NotFound.refuse(missing()))
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashMap<String, (Option<User>, CancellationToken)>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer of JSON.
fn json_answer(status: StatusCode, body: &impl Serialize) -> Response {
    let text = serde_json::to_string(body).unwrap_or_default();
    let kind = (CONTENT_TYPE, HeaderValue::from_static("application/json"));
    (status, [kind], text).into_response()
}

/// The body of a request.
fn read<T: DeserializeOwned>(entered: &Entered) -> Result<T, Refusal> {
    let kind = entered.head.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
        let message = "the body is JSON: send `content-type: application/json`";
        return Err(Problem::OtherMediaType.refuse(message));
    }
    if json_values(&entered.body) >= MAX_VALUES {
        return Err(Problem::TooLong.refuse("the body has too many values"));
    }
    // Serde reads a list as fields in their order.
    if entered.body.trim_ascii_start().starts_with(b"[") {
        return Err(Problem::Invalid.refuse("the body does not fit: expected an object"));
    }
    serde_json::from_slice(&entered.body).map_err(|error| {
        Problem::Invalid.refuse(format!("the body does not fit: {}", short(&error.to_string(), 300)))
    })
}

type Shared = State<Arc<Api>>;

/// All preflights come here too, and get their answer at the door.
async fn other_method(State(api): Shared, request: Request) -> Response {
    let message = "this path has no such method: `GET /openapi.json` lists them";
    api.behind_door(request, async |_| Err(Problem::OtherMethod.refuse(message))).await
}

async fn other_path(State(api): Shared, request: Request) -> Response {
    let message = "there is no such path: `GET /openapi.json` lists them";
    api.behind_door(request, async |_| Err(Problem::NotFound.refuse(message))).await
}

async fn describe(State(api): Shared, request: Request) -> Response {
    let document = || openapi::document(&api.parts, api.door.gate.is_closed());
    api.behind_door(request, async |_| Ok(json_answer(StatusCode::OK, &document()))).await
}

async fn list(State(api): Shared, request: Request) -> Response {
    let agents = || -> Vec<Value> { api.parts.offer().agents().map(forms::agent).collect() };
    api.behind_door(request, async |_| Ok(json_answer(StatusCode::OK, &json!({ "agents": agents() })))).await
}

async fn run(State(api): Shared, request: Request) -> Response {
    api.behind_door(request, async |mut entered| {
        let agent: String = entered.path().await?;
        runs::run(&api, &agent, entered).await
    })
    .await
}

async fn answer(State(api): Shared, request: Request) -> Response {
    api.behind_door(request, async |mut entered| {
        let agent: String = entered.path().await?;
        runs::answer(&api, &agent, entered).await
    })
    .await
}

async fn session(State(api): Shared, request: Request) -> Response {
    api.behind_door(request, async |mut entered| {
        let (agent, session): (String, String) = entered.path().await?;
        runs::session(&api, &agent, &session, &entered).await
    })
    .await
}

async fn cancel(State(api): Shared, request: Request) -> Response {
    api.behind_door(request, async |mut entered| {
        let run: String = entered.path().await?;
        let running = api.running();
        match running.get(&run) {
            Some((user, token)) if *user == entered.user => {
                token.cancel();
                Ok(StatusCode::NO_CONTENT.into_response())
            }
            _ => Err(Problem::NotFound.refuse("there is no such run in progress")),
        }
    })
    .await
}
