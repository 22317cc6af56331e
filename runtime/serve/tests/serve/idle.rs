//! Sessions in which nothing is said for a while. The time of these tests is not the real one.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use axum::routing::RouterIntoService;
use onionskin::serve::Server;
use serde_json::{Value, json};
use tower_service::Service as _;

use crate::desk::{Ledger, builder};
use crate::lines::call;

async fn post(
    endpoint: &mut RouterIntoService<Body>,
    session: Option<&str>,
    message: &Value,
) -> Response<Body> {
    let request =
        Request::post("/mcp").header("host", "localhost").header("content-type", "application/json");
    let request = request.header("accept", "application/json, text/event-stream");
    let request = match session {
        Some(session) => request.header("mcp-session-id", session),
        None => request,
    };
    endpoint.call(request.body(Body::from(message.to_string())).unwrap()).await.unwrap()
}

/// The status of a call after a silence.
async fn status_after(server: &Server, silence: Duration) -> u16 {
    let mut endpoint = server.http().router().into_service();
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    let initialize = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let answer = post(&mut endpoint, None, &initialize).await;
    let session = answer.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(post(&mut endpoint, Some(&session), &initialized).await.status(), 202);
    tokio::time::sleep(silence).await;
    let params = call("add_one", json!({ "x": 1 }));
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
    post(&mut endpoint, Some(&session), &call).await.status().as_u16()
}

#[tokio::test(start_paused = true)]
async fn o2_a_session_lasts_while_a_person_thinks_about_a_question() {
    let ledger = std::sync::Arc::<Ledger>::default();
    let server = builder(&ledger).await.question_timeout(Duration::from_mins(30)).build().await.unwrap();
    assert_eq!(status_after(&server, Duration::from_mins(29)).await, 200);
    assert_eq!(status_after(&server, Duration::from_mins(36)).await, 404);
}
