//! Both generations of the protocol, sessions, headers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use onionskin::mcp::{HttpError, McpError, McpServer, ServerConfig};
use onionskin::{Exit, call};

use crate::server::{Reply, Request, Server, current, earlier, error, said};

/// The text that a tool gives.
pub(crate) async fn called(web: &McpServer, tool: &str) -> Result<String, Exit> {
    let tool = web.tool(tool).unwrap();
    call!(tool).await.map(|result| result.as_str().map_or_else(|| result.to_string(), str::to_owned))
}

async fn used(config: ServerConfig) -> String {
    let web = McpServer::start("web", config).await.unwrap_or_else(|error| panic!("{error}"));
    called(&web, "read").await.unwrap()
}

#[tokio::test]
async fn a4_a_server_with_sessions_is_used_over_http() {
    let server = Server::start(earlier).await;
    let config = ServerConfig::http(server.url()).header("Authorization", "Bearer s3cret-token".to_owned());
    let web = McpServer::start("web", config).await.unwrap();
    assert_eq!(called(&web, "read").await.unwrap(), "done");
    let begun = std::time::Instant::now();
    web.shutdown().await;
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    let requests = server.requests();
    let of = |method: &str| requests.iter().find(|request| request.asks() == method).unwrap().clone();
    let call = of("tools/call");
    assert_eq!(call.path, "/mcp");
    assert_eq!(call.headers["mcp-session-id"], "s-1");
    assert_eq!(call.headers["mcp-protocol-version"], "2025-11-25");
    assert_eq!(call.headers["accept"], "application/json, text/event-stream");
    assert!(requests.iter().all(|request| request.headers["authorization"] == "Bearer s3cret-token"));
    assert!(!of("initialize").headers.contains_key("mcp-session-id"));
    let last = requests.last().unwrap();
    assert_eq!((last.method.as_str(), last.headers["mcp-session-id"].as_str()), ("DELETE", "s-1"));
}

#[tokio::test]
async fn a4_a_server_without_sessions_is_used_over_http() {
    let server = Server::start(current).await;
    assert_eq!(used(ServerConfig::http(server.url())).await, "done");
    let requests = server.requests();
    let call = requests.iter().find(|request| request.asks() == "tools/call").unwrap();
    assert_eq!(call.headers["mcp-protocol-version"], "2026-07-28");
    assert_eq!(
        (call.headers["mcp-method"].as_str(), call.headers["mcp-name"].as_str()),
        ("tools/call", "read")
    );
    assert!(requests.iter().all(|request| request.asks() != "initialize" && request.method != "GET"));
}

#[tokio::test]
async fn a4_a_server_that_answers_what_it_does_not_know_with_nothing_is_an_earlier_one() {
    let server = Server::start(|request| match request.asks() {
        "server/discover" => Reply::json(200, &crate::server::result(request, &serde_json::json!({}))),
        _ => earlier(request),
    })
    .await;
    assert_eq!(used(ServerConfig::http(server.url())).await, "done");
    assert!(server.requests().iter().any(|request| request.asks() == "initialize"));
}

/// A server that forgets its first session after the start.
fn forgetful(request: &Request, sessions: &AtomicUsize) -> Reply {
    if request.asks() == "initialize" {
        sessions.fetch_add(1, Ordering::Relaxed);
    }
    if request.asks() == "tools/call" && sessions.load(Ordering::Relaxed) == 1 {
        return Reply::json(404, &error(request, -32001, "Session not found"));
    }
    earlier(request)
}

#[tokio::test]
async fn a4_a_lost_session_is_replaced_and_a_call_that_may_be_repeated_is() {
    let sessions = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sessions);
    let server = Server::start(move |request| forgetful(request, &counted)).await;
    assert_eq!(used(ServerConfig::http(server.url())).await, "done");
    assert_eq!((sessions.load(Ordering::Relaxed), server.calls("read")), (2, 2));
}

#[tokio::test]
async fn a4_a_call_that_takes_effect_once_is_not_repeated_in_a_new_session() {
    let sessions = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sessions);
    let server = Server::start(move |request| forgetful(request, &counted)).await;
    let web = McpServer::start("web", ServerConfig::http(server.url())).await.unwrap();
    let text = called(&web, "write").await.unwrap_err().to_string();
    assert!(text.contains("it no longer knows the session; the call was refused"), "{text}");
    assert_eq!(server.calls("write"), 1);
    assert_eq!(called(&web, "write").await.unwrap(), "done");
    assert_eq!((sessions.load(Ordering::Relaxed), server.calls("write")), (2, 2));
}

/// How servers say in other ways that they do not know the session of a request.
#[tokio::test]
async fn a4_a_session_is_lost_in_whatever_words_its_server_says_so() {
    let json = "content-type: application/json\r\n";
    for (headers, body) in [
        (
            json,
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}"#,
        ),
        (
            json,
            r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}"#,
        ),
        (json, r#"{"error":"Invalid or missing session ID"}"#),
        ("content-type: text/plain; charset=utf-8\r\n", "Invalid session ID\n"),
        ("", "Session expired"),
    ] {
        let sessions = AtomicUsize::new(0);
        let server = Server::start(move |request| {
            if request.asks() == "initialize" {
                sessions.fetch_add(1, Ordering::Relaxed);
            }
            if request.asks() == "tools/call" && sessions.load(Ordering::Relaxed) == 1 {
                return Reply::text(400, headers, body);
            }
            earlier(request)
        })
        .await;
        let web = McpServer::start("web", ServerConfig::http(server.url())).await.unwrap();
        assert_eq!(called(&web, "read").await.unwrap_or_else(|error| panic!("{body}: {error}")), "done");
        assert_eq!(server.calls("read"), 2, "{body}");
    }
}

#[tokio::test]
async fn a4_a_refused_call_that_speaks_of_a_session_of_its_own_ends_no_session() {
    let server = Server::start(|request| match request.asks() {
        "tools/call" => Reply::json(400, &error(request, -32602, "the field `when` is missing")),
        _ => earlier(request),
    })
    .await;
    let web = McpServer::start("web", ServerConfig::http(server.url())).await.unwrap();
    assert!(called(&web, "read").await.is_err());
    assert_eq!(server.requests().iter().filter(|request| request.asks() == "initialize").count(), 1);
}

/// A server need not have a stream of the session, and says so in several ways.
#[tokio::test]
async fn a4_a_session_without_a_stream_of_its_own_is_used() {
    for status in [400, 404, 405, 406, 500, 501] {
        let server = Server::start(move |request| match request.method.as_str() {
            "GET" => Reply::text(status, "content-type: text/html\r\n", "<pre>Cannot GET /mcp</pre>"),
            _ => earlier(request),
        })
        .await;
        let web = McpServer::start("web", ServerConfig::http(server.url())).await.unwrap();
        let asked =
            |method: &str| server.requests().iter().filter(|request| request.method == method).count();
        tokio::time::timeout(Duration::from_secs(5), async {
            while asked("GET") == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await
        .unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        for tool in ["write", "read"] {
            assert_eq!(called(&web, tool).await.unwrap_or_else(|error| panic!("{status}: {error}")), "done");
        }
        let sessions = server.requests().iter().filter(|request| request.asks() == "initialize").count();
        assert_eq!((sessions, asked("GET")), (1, 1), "{status}");
    }
}

#[tokio::test]
async fn a4_a_stream_of_a_session_that_is_gone_ends_the_session() {
    let (sessions, streams) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let server = Server::start(move |request| match (request.method.as_str(), request.asks()) {
        ("POST", "initialize") => {
            sessions.fetch_add(1, Ordering::Relaxed);
            earlier(request)
        }
        ("GET", _) if sessions.load(Ordering::Relaxed) == 1 => {
            match streams.fetch_add(1, Ordering::Relaxed) {
                0 => Reply::stream("retry: 10\n\n"),
                _ => Reply::json(404, &error(request, -32001, "Session not found")),
            }
        }
        _ => earlier(request),
    })
    .await;
    let web = McpServer::start("web", ServerConfig::http(server.url())).await.unwrap();
    tokio::time::timeout(Duration::from_secs(5), async {
        while server.requests().iter().filter(|request| request.method == "GET").count() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    // No call has to find it out.
    assert_eq!(called(&web, "write").await.unwrap(), "done");
    assert_eq!(server.requests().iter().filter(|request| request.asks() == "initialize").count(), 2);
}

#[tokio::test]
async fn a4_a_redirect_on_the_same_host_keeps_the_credentials() {
    let server = Server::start(|request| match request.path.as_str() {
        "/mcp" => Reply::text(308, "location: /v2/mcp\r\n", ""),
        _ => current(request),
    })
    .await;
    let config = ServerConfig::http(server.url()).header("X-Api-Key", "k3y-value".to_owned());
    assert_eq!(used(config).await, "done");
    assert!(server.requests().iter().all(|request| request.headers["x-api-key"] == "k3y-value"));
}

#[tokio::test]
async fn a4_a_stream_that_breaks_off_goes_on_behind_its_last_event() {
    let server = Server::start(|request| match (request.method.as_str(), request.asks()) {
        ("POST", "tools/call") => {
            let progress = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
            Reply::stream(&format!("id: e-7\nretry: 10\ndata: {progress}\n\n"))
        }
        ("GET", _) if request.headers.get("last-event-id").is_some_and(|id| id == "e-7") => {
            // The requests of the tests are counted from 0: discovery, handshake, list, call.
            Reply::events([
                r#"{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"later"}]}}"#,
            ])
            .stalling()
        }
        _ => earlier(request),
    })
    .await;
    assert_eq!(used(ServerConfig::http(server.url())).await, "later");
    assert_eq!(server.calls("read"), 1);
}

#[tokio::test]
async fn a4_requests_of_a_server_are_answered_and_notifications_are_no_answers() {
    let server = Server::start(|request| match request.asks() {
        "tools/call" => Reply::events([
            r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#.to_owned(),
            said(request, "done").to_string(),
        ]),
        _ => earlier(request),
    })
    .await;
    let web = McpServer::start("web", ServerConfig::http(server.url())).await.unwrap();
    assert_eq!(called(&web, "read").await.unwrap(), "done");
    tokio::time::timeout(Duration::from_secs(5), async {
        loop {
            let replies: Vec<_> =
                server.requests().into_iter().filter(|request| request.asks().is_empty()).collect();
            let of = |id: &str| replies.iter().find(|reply| reply.body["id"] == id).cloned();
            if let (Some(ping), Some(sampling)) = (of("p"), of("q")) {
                assert!(ping.body["result"].is_object());
                assert_eq!(sampling.body["error"]["code"], -32601);
                assert_eq!(sampling.headers["mcp-session-id"], "s-1");
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn a4_settings_of_another_kind_of_server_are_errors() {
    for (config, expected) in [
        (
            ServerConfig::http("https://example.com/mcp").arg("x"),
            "`.args(..)` has no effect on the MCP server `web`: it is reached by address",
        ),
        (ServerConfig::http("https://example.com/mcp").env("A", "b"), "`.env(..)` has no effect"),
        (
            ServerConfig::stdio("x").header("A", "b".to_owned()),
            "`.header(..)` has no effect on the MCP server `web`: it is for a server that is reached by address",
        ),
        (
            ServerConfig::stdio("x").header_for_run("A", |_| Ok("b".to_owned().into())),
            "`.header_for_run(..)` has no effect on the MCP server `web`: it is for a server that is reached by address",
        ),
        (
            ServerConfig::http("example.com/mcp"),
            "the address of the MCP server `web` cannot be used: expected an address",
        ),
        (
            ServerConfig::http("https://u:p@example.com/"),
            "an address with a user name or a password would be in logs",
        ),
        (ServerConfig::http("file:///etc/passwd"), "expected an address"),
        (
            ServerConfig::http("https://a.example/").header("Host", "b".to_owned()),
            "the header `host` of the MCP server `web` cannot be used: this header is set by the client itself",
        ),
        (
            ServerConfig::http("https://a.example/").header("X", "a\nb".to_owned()),
            "its value has characters that no header can have",
        ),
        (
            ServerConfig::http("https://a.example/").header("a b", "c".to_owned()),
            "this is not the name of a header",
        ),
    ] {
        let error = McpServer::start("web", config).await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a4_a_login_that_is_missing_is_a_typed_error_with_its_challenge() {
    let challenge = r#"Bearer resource_metadata="https://a.example/meta""#;
    let server =
        Server::start(move |_| Reply::text(401, &format!("www-authenticate: {challenge}\r\n"), "")).await;
    let Err(McpError::Start(failure)) = McpServer::start("web", ServerConfig::http(server.url())).await
    else {
        panic!("it started");
    };
    assert!(
        failure.to_string().contains("it requires authorization (status 401)\nGive it credentials"),
        "{failure}"
    );
    let Some(HttpError::Unauthorized { challenge: Some(found), .. }) = failure.http else {
        panic!("{failure:?}")
    };
    assert_eq!(found, challenge);
}
