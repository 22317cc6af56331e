//! The JSON-RPC binding.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::ALLOW;
use axum::http::request::Parts;
use axum::http::{Method, Response, StatusCode};
use onionskin_core::text::{short, visible};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::limits::ID_BYTES;
use super::operations::Stream;
use super::store::Owner;
use super::{Inner, http};
use crate::wire::{Fault, Reason};

/// The characters of the reason why parameters cannot be read: it quotes them.
const REASON: usize = 200;

/// A request that was read.
struct Call {
    id: Value,
    method: String,
    params: Value,
}

/// What a method answers.
enum Answer {
    Value(Value),
    Events(Box<Stream>),
}

pub(super) async fn serve(State(server): State<Arc<Inner>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    if parts.method != Method::POST {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
        response.headers_mut().insert(ALLOW, http::static_value("POST"));
        return response;
    }
    let call = match read(&server, &parts, body).await {
        Ok(call) => call,
        Err((id, fault)) => return refused(&id, &fault),
    };
    let id = call.id.clone();
    match answer(&server, &parts, call).await {
        Ok(Answer::Value(result)) => {
            http::json(StatusCode::OK, &json!({ "jsonrpc": "2.0", "id": id, "result": result }))
        }
        Ok(Answer::Events(stream)) => {
            http::events(*stream, move |event| json!({ "jsonrpc": "2.0", "id": id, "result": event }))
        }
        Err(fault) => refused(&id, &fault),
    }
}

/// All errors have the status 200, but for those of HTTP itself.
fn refused(id: &Value, fault: &Fault) -> Response<Body> {
    let status = match fault.reason {
        Reason::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Reason::ContentTypeNotSupported => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Reason::TaskNotFound
        | Reason::TaskNotCancelable
        | Reason::PushNotificationNotSupported
        | Reason::UnsupportedOperation
        | Reason::VersionNotSupported
        | Reason::ParseError
        | Reason::InvalidRequest
        | Reason::MethodNotFound
        | Reason::InvalidParams
        | Reason::Internal
        | Reason::Busy => StatusCode::OK,
    };
    http::json(status, &json!({ "jsonrpc": "2.0", "id": id, "error": fault.rpc() }))
}

async fn read(server: &Inner, parts: &Parts, body: Body) -> Result<Call, (Value, Fault)> {
    let unread = |fault| (Value::Null, fault);
    let body = http::json_body(server, &parts.headers, body).await.map_err(unread)?;
    let mut request: Value = serde_json::from_slice(&body)
        .map_err(|_| unread(Fault::new(Reason::ParseError, "the body of the request is not JSON")))?;
    let invalid = |message: &'static str| Fault::new(Reason::InvalidRequest, message);
    let Some(fields) = request.as_object_mut() else {
        return Err(unread(invalid("expected one JSON-RPC request, as an object")));
    };
    let id = match fields.remove("id") {
        // Each event of a stream has it.
        Some(Value::String(id)) if id.len() > ID_BYTES => {
            return Err(unread(invalid("expected an `id` of at most 100 bytes")));
        }
        Some(id @ (Value::String(_) | Value::Number(_) | Value::Null)) => id,
        Some(_) => return Err(unread(invalid("expected a string or a number as `id`"))),
        None => return Err(unread(invalid("the request has no `id`"))),
    };
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err((id, invalid("expected `\"jsonrpc\": \"2.0\"`")));
    }
    let Some(method) = fields.get("method").and_then(Value::as_str).map(str::to_owned) else {
        return Err((id, invalid("the request has no `method`")));
    };
    let params = match fields.remove("params") {
        None | Some(Value::Null) => json!({}),
        Some(params @ Value::Object(_)) => params,
        Some(_) => return Err((id, Fault::param("params", "expected an object"))),
    };
    Ok(Call { id, method, params })
}

async fn answer(server: &Arc<Inner>, parts: &Parts, call: Call) -> Result<Answer, Fault> {
    http::check_version(&parts.headers, &parts.uri)?;
    let owner: Owner = http::owner(&parts.extensions)?;
    let params = call.params;
    match &*call.method {
        "SendMessage" => value(&server.send(&owner, read_params(params)?).await?),
        "SendStreamingMessage" => server.send_streaming(&owner, read_params(params)?).map(events),
        "GetTask" => value(&server.get(&owner, &read_params(params)?)?),
        "ListTasks" => value(&server.list(&owner, &read_params(params)?)?),
        "CancelTask" => value(&server.cancel(&owner, &read_params(params)?)?),
        "SubscribeToTask" => server.subscribe(&owner, &read_params(params)?).map(events),
        "CreateTaskPushNotificationConfig"
        | "GetTaskPushNotificationConfig"
        | "ListTaskPushNotificationConfigs"
        | "DeleteTaskPushNotificationConfig" => {
            Err(Fault::new(Reason::PushNotificationNotSupported, "push notifications are not supported"))
        }
        "GetExtendedAgentCard" => Err(Fault::unsupported("the agent has no extended card")),
        _ => Err(Fault::new(Reason::MethodNotFound, "A2A 1 has no such method")),
    }
}

fn events(stream: Stream) -> Answer {
    Answer::Events(Box::new(stream))
}

fn value(result: &impl Serialize) -> Result<Answer, Fault> {
    to_value(result).map(Answer::Value)
}

/// An answer as JSON.
pub(super) fn to_value(result: &impl Serialize) -> Result<Value, Fault> {
    serde_json::to_value(result).map_err(|error| {
        tracing::error!(%error, "an A2A answer cannot be written");
        Fault::new(Reason::Internal, "the answer cannot be written")
    })
}

pub(super) fn read_params<T: DeserializeOwned>(params: Value) -> Result<T, Fault> {
    let wrong = |error: serde_json::Error| {
        let reason = error.to_string();
        Fault::param("params", visible(&short(&reason, REASON)).into_owned())
    };
    serde_json::from_value(params).map_err(wrong)
}
