//! The HTTP+JSON binding.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::request::Parts;
use axum::http::{Method, Response, StatusCode};
use serde_json::{Map, Value, json};

use super::rpc::{read_params, to_value};
use super::{Inner, http};
use crate::wire::{Fault, ListParams, Reason, StreamResponse, TaskParams};

/// What a path and a method ask for.
enum Call {
    Send,
    SendStreaming,
    List,
    Get(String),
    Cancel(String),
    Subscribe(String),
    Push,
    ExtendedCard,
}

pub(super) async fn serve(
    State(server): State<Arc<Inner>>,
    Path(path): Path<String>,
    request: Request,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    match answer(&server, &path, &parts, body).await {
        Ok(response) => response,
        Err(fault) => {
            let status = StatusCode::from_u16(fault.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
            http::json(status, &fault.rest())
        }
    }
}

/// Reads a path. The router has decoded it.
fn read(method: &Method, path: &str) -> Option<Call> {
    let is_post = method == Method::POST;
    let is_get = method == Method::GET;
    let segments: Vec<_> = path.trim_end_matches('/').split('/').collect();
    match segments[..] {
        ["message:send"] if is_post => Some(Call::Send),
        ["message:stream"] if is_post => Some(Call::SendStreaming),
        ["tasks"] if is_get => Some(Call::List),
        ["extendedAgentCard"] if is_get => Some(Call::ExtendedCard),
        ["tasks", _, "pushNotificationConfigs"] | ["tasks", _, "pushNotificationConfigs", _] => {
            Some(Call::Push)
        }
        ["tasks", task] => match task.rsplit_once(':') {
            Some((id, "cancel")) if is_post => Some(Call::Cancel(id.to_owned())),
            Some((id, "subscribe")) if is_post || is_get => Some(Call::Subscribe(id.to_owned())),
            None if is_get => Some(Call::Get(task.to_owned())),
            _ => None,
        },
        _ => None,
    }
}

async fn answer(server: &Arc<Inner>, path: &str, parts: &Parts, body: Body) -> Result<Response<Body>, Fault> {
    http::check_version(&parts.headers, &parts.uri)?;
    let owner = http::owner(&parts.extensions)?;
    let call = read(&parts.method, path);
    let call = call.ok_or_else(|| Fault::new(Reason::MethodNotFound, "A2A 1 has no such method and path"))?;
    let params = |id| TaskParams { id, ..TaskParams::default() };
    let result = match call {
        Call::Send => {
            let params = read_params(body_value(server, parts, body).await?)?;
            to_value(&server.send(&owner, params).await?)
        }
        Call::SendStreaming => {
            let params = read_params(body_value(server, parts, body).await?)?;
            return Ok(http::events(server.send_streaming(&owner, params)?, event));
        }
        Call::Subscribe(id) => {
            http::whole_body(server, body).await?;
            return Ok(http::events(server.subscribe(&owner, &params(id))?, event));
        }
        Call::Cancel(id) => {
            http::whole_body(server, body).await?;
            to_value(&server.cancel(&owner, &params(id))?)
        }
        Call::Get(id) => {
            let history_length = query(parts)?.remove("historyLength").as_ref().and_then(Value::as_i64);
            to_value(&server.get(&owner, &TaskParams { history_length, ..params(id) })?)
        }
        Call::List => {
            let params: ListParams = read_params(Value::Object(query(parts)?))?;
            to_value(&server.list(&owner, &params)?)
        }
        Call::Push => {
            return Err(Fault::new(
                Reason::PushNotificationNotSupported,
                "push notifications are not supported",
            ));
        }
        Call::ExtendedCard => {
            return Err(Fault::unsupported("the agent has no extended card"));
        }
    };
    Ok(http::json(StatusCode::OK, &result?))
}

async fn body_value(server: &Inner, parts: &Parts, body: Body) -> Result<Value, Fault> {
    let body = http::json_body(server, &parts.headers, body).await?;
    serde_json::from_slice(&body)
        .map_err(|_| Fault::new(Reason::ParseError, "the body of the request is not JSON"))
}

fn event(event: &StreamResponse) -> Value {
    json!(event)
}

/// The query as the parameters of a method.
fn query(parts: &Parts) -> Result<Map<String, Value>, Fault> {
    let mut params = Map::new();
    for (name, text) in http::query(&parts.uri) {
        let value = match &*name {
            "historyLength" | "pageSize" => Value::from(
                text.parse::<i64>()
                    .map_err(|_| Fault::param("historyLength, pageSize", "expected a number"))?,
            ),
            "includeArtifacts" => Value::Bool(text == "true"),
            _ => Value::String(text),
        };
        params.insert(name, value);
    }
    Ok(params)
}
