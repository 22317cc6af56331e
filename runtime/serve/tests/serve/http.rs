//! Servers over HTTP: hosts, origins, tokens, sessions, lengths and times.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use onionskin::question::SealKey;
use onionskin::serve::{ResourceMetadata, ServeError, Server};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

use crate::desk::{Ledger, builder, server, waiter};
use crate::lines::{NEW, call};
use crate::site::{Site, header, tokens};

impl Site {
    /// A request of 2026-07-28 with further headers.
    async fn post(&self, method: &str, params: Value, headers: &str) -> (u16, String) {
        self.answer(&post(method, params, headers)).await
    }
}

pub(crate) fn post(method: &str, mut params: Value, headers: &str) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().map(|name| format!("Mcp-Name: {name}\r\n")).unwrap_or_default();
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
    let host = if headers.contains("Host:") { "" } else { "Host: localhost\r\n" };
    format!(
        "POST /mcp HTTP/1.1\r\n{host}Connection: close\r\nContent-Type: application/json\r\nAccept: application/json, \
         text/event-stream\r\nMCP-Protocol-Version: {NEW}\r\nMcp-Method: {method}\r\n{name}{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A request of 2025-11-25.
pub(crate) fn post_old(body: &Value, headers: &str) -> String {
    let body = body.to_string();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, \
         text/event-stream\r\n{headers}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

pub(crate) fn initialize() -> Value {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

#[tokio::test]
async fn o2_other_hosts_and_origins_are_refused() {
    let site =
        Site::new(|http| tokens(http.host("desk.example.com").origin("https://app.example.com"))).await;
    let ada = "Authorization: Bearer ada-token\r\n";
    for (headers, status) in [
        ("", 200),
        ("Host: 127.0.0.1:9\r\n", 200),
        ("Host: desk.example.com\r\n", 200),
        ("Host: evil.example.com\r\n", 403),
        ("Origin: http://localhost:3000\r\n", 200),
        ("Origin: https://evil.example.com\r\n", 403),
        ("Origin: null\r\n", 403),
        ("Origin: https://app.example.com\r\n", 200),
    ] {
        let headers = format!("{headers}{ada}");
        assert_eq!(site.post("tools/list", json!({}), &headers).await.0, status, "{headers}");
    }
    let (_, answer) = site.post("tools/list", json!({}), "Origin: https://app.example.com\r\n").await;
    assert_eq!(
        header(&answer, "access-control-allow-origin"),
        Some("https://app.example.com"),
        "also for errors"
    );
    for origin in ["https://app.example.com", "http://localhost:6274"] {
        let preflight = format!(
            "OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nOrigin: {origin}\r\nAccess-Control-Request-Method: \
             POST\r\nAccess-Control-Request-Headers: content-type\r\n\r\n"
        );
        let (status, answer) = site.answer(&preflight).await;
        assert_eq!((status, header(&answer, "access-control-allow-headers")), (204, Some("content-type")));
        assert_eq!(header(&answer, "access-control-allow-origin"), Some(origin));
    }
}

#[tokio::test]
async fn o2_a_token_is_required_and_names_the_user() {
    let metadata = ResourceMetadata::new("https://desk.example.com/mcp", ["https://login.example.com"]);
    let site = Site::new(|http| tokens(http).resource_metadata(metadata)).await;
    let (status, answer) = site.post("tools/list", json!({}), "").await;
    assert_eq!(status, 401);
    let challenge = header(&answer, "www-authenticate").unwrap();
    assert_eq!(
        challenge,
        "Bearer resource_metadata=\"https://desk.example.com/.well-known/oauth-protected-resource/mcp\""
    );
    let (status, answer) = site.post("tools/list", json!({}), "Authorization: Bearer nothing\r\n").await;
    assert_eq!(status, 401);
    assert!(header(&answer, "www-authenticate").unwrap().contains("invalid_token"));
    let (status, answer) =
        site.post("tools/call", call("whoami", json!({})), "Authorization: bearer ada-token\r\n").await;
    assert_eq!(status, 200);
    assert!(answer.contains("ada with no credentials"), "{answer}");
    let request = "GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let (status, answer) = site.answer(request).await;
    assert_eq!(status, 200);
    assert!(answer.contains(r#""authorization_servers":["https://login.example.com"]"#), "{answer}");
}

#[tokio::test]
async fn o2_an_open_address_needs_a_token() {
    let (server, _) = server().await;
    let everywhere: SocketAddr = ([0, 0, 0, 0], 0).into();
    let refused = server.http().listen(everywhere).await.unwrap_err();
    assert!(matches!(refused, ServeError::Open { .. }), "{refused}");
    let behind_a_proxy =
        server.http().host("desk.example.com").listen(([127, 0, 0, 1], 0).into()).await.unwrap_err();
    assert!(matches!(behind_a_proxy, ServeError::Open { .. }), "{behind_a_proxy}");
    assert!(tokens(server.http()).listen(everywhere).await.is_ok());
    let no_host = server.http().host("https://desk.example.com").listen(everywhere).await.unwrap_err();
    assert!(matches!(&no_host, ServeError::Host { host, .. } if host.starts_with("https:")), "{no_host}");
}

#[tokio::test]
async fn o2_a_session_belongs_to_its_user() {
    let site = Site::new(tokens).await;
    let ada = "Authorization: Bearer ada-token\r\n";
    let (status, answer) = site.answer(&post_old(&initialize(), ada)).await;
    assert_eq!(status, 200, "{answer}");
    let session = header(&answer, "mcp-session-id").unwrap().to_owned();
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" });
    let own = format!("{ada}Mcp-Session-Id: {session}\r\n");
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(site.answer(&post_old(&initialized, &own)).await.0, 202);
    assert_eq!(site.answer(&post_old(&list, &own)).await.0, 200);
    let bob = format!("Authorization: Bearer bob-token\r\nMcp-Session-Id: {session}\r\n");
    assert_eq!(site.answer(&post_old(&list, &bob)).await.0, 404);
    for method in ["GET", "DELETE"] {
        let request = format!(
            "{method} /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nConnection: close\r\n{bob}\r\n"
        );
        assert_eq!(site.answer(&request).await.0, 404, "{method}");
    }
    let inner = session.split('.').next().unwrap();
    let without_proof = format!("{ada}Mcp-Session-Id: {inner}\r\n");
    assert_eq!(site.answer(&post_old(&list, &without_proof)).await.0, 404);
    assert_eq!(site.answer(&post_old(&list, &own)).await.0, 200);
}

#[tokio::test]
async fn o2_a_session_goes_on_in_another_process_with_the_same_key() {
    let mut sites = Vec::new();
    for key in [7, 7, 8] {
        let ledger = Arc::default();
        let server = builder(&ledger).await.key(SealKey::new([key; 32]).unwrap()).build().await.unwrap();
        sites.push(Site::with(&server, ledger, |http| tokens(http).max_sessions(4)).await);
    }
    let ada = "Authorization: Bearer ada-token\r\n";
    let (_, answer) = sites[0].answer(&post_old(&initialize(), ada)).await;
    let session = header(&answer, "mcp-session-id").unwrap();
    let own = format!("{ada}Mcp-Session-Id: {session}\r\n");
    let params = call("add_one", json!({ "x": 1 }));
    let add = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
    let (status, answer) = sites[1].answer(&post_old(&add, &own)).await;
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("[marked]"), "{answer}");
    assert_eq!(sites[2].answer(&post_old(&add, &own)).await.0, 404, "another key");
    let bob = format!("Authorization: Bearer bob-token\r\nMcp-Session-Id: {session}\r\n");
    assert_eq!(sites[1].answer(&post_old(&add, &bob)).await.0, 404, "another user");

    let delete = format!("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{own}\r\n");
    assert_eq!(sites[0].answer(&delete).await.0, 204);
    assert_eq!(sites[0].answer(&post_old(&add, &own)).await.0, 404, "its client has ended it");
    let (_, answer) = sites[0].answer(&post_old(&initialize(), ada)).await;
    let second = format!("{ada}Mcp-Session-Id: {}\r\n", header(&answer, "mcp-session-id").unwrap());
    let (status, answer) = sites[1].answer(&post_old(&add, &second)).await;
    assert_eq!(status, 503, "a user has a quarter of the sessions of a process: {answer}");
}

#[tokio::test]
async fn o2_long_and_slow_requests_end_and_others_are_served() {
    let site = Site::new(|http| http.max_body_bytes(10_000).patience(Duration::from_millis(700))).await;
    let (status, _) = site.post("tools/list", json!({ "cursor": "x".repeat(20_000) }), "").await;
    assert_eq!(status, 413);
    let endless = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let mut slow_bodies = Vec::new();
    for _ in 0..50 {
        slow_bodies.push(site.send(endless).await);
        slow_bodies.push(site.send("POST /mcp HTTP/1.1\r\nHost: loc").await);
        slow_bodies.push(TcpStream::connect(site.address).await.unwrap());
    }
    let begin = Instant::now();
    assert_eq!(site.post("tools/list", json!({}), "").await.0, 200);
    assert!(begin.elapsed() < Duration::from_millis(600), "{:?}", begin.elapsed());
    for mut stream in slow_bodies {
        let mut answer = Vec::new();
        tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut answer))
            .await
            .unwrap()
            .unwrap();
    }
}

#[tokio::test]
async fn o2_more_connections_than_allowed_wait() {
    let site = Site::new(|http| http.max_connections(2).patience(Duration::from_millis(500))).await;
    let idle =
        [TcpStream::connect(site.address).await.unwrap(), TcpStream::connect(site.address).await.unwrap()];
    assert_eq!(site.post("tools/list", json!({}), "").await.0, 200);
    drop(idle);
}

#[tokio::test]
async fn o2_sessions_and_streams_are_bounded() {
    let site = Site::new(|http| http.max_sessions(3).max_connections(40)).await;
    let mut statuses = Vec::new();
    for _ in 0..5 {
        statuses.push(site.answer(&post_old(&initialize(), "")).await.0);
    }
    assert_eq!(statuses, [200, 200, 200, 503, 503]);
    let mut streams = Vec::new();
    for _ in 0..20 {
        let listen =
            post("subscriptions/listen", json!({ "notifications": { "toolsListChanged": true } }), "");
        let mut stream = site.send(&listen).await;
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 200");
        streams.push(stream);
    }
    let listen = json!({ "notifications": { "toolsListChanged": true } });
    assert_eq!(site.post("subscriptions/listen", listen, "").await.0, 503);
    assert_eq!(site.post("tools/list", json!({}), "").await.0, 200);
}

#[tokio::test]
async fn o2_the_requests_of_a_minute_are_bounded() {
    let site = Site::new(|http| http.max_requests_per_minute(2.try_into().unwrap())).await;
    for _ in 0..2 {
        assert_eq!(site.post("tools/list", json!({}), "").await.0, 200);
    }
    let (status, answer) = site.post("tools/list", json!({}), "").await;
    let wait: u32 = header(&answer, "retry-after").unwrap().parse().unwrap();
    assert!(status == 429 && (1..=30).contains(&wait), "{answer}");
}

#[tokio::test]
async fn o2_bad_requests_over_http_get_errors_of_the_protocol() {
    let site = Site::new(|http| http).await;
    let listen = json!({ "notifications": { "resourceSubscriptions": vec!["desk://rules"; 5_000] } });
    for (request, code) in [
        (post("subscriptions/listen", listen, ""), -32602),
        (post("tools/call", json!({ "name": 5 }), ""), -32602),
        (post("no/such", json!({}), ""), -32601),
    ] {
        let (_, answer) = site.answer(&request).await;
        assert!(answer.contains(&format!("\"code\":{code}")), "{answer}");
    }
    for body in ["not json", "[]", r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#] {
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: \
             application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let (status, answer) = site.answer(&request).await;
        assert_eq!(status, 400, "{answer}");
        assert!(answer.contains("\"jsonrpc\":\"2.0\""), "{answer}");
    }
    // Numbers and escapes that no value has.
    for value in ["1e999", r#""\ud800""#] {
        let good = post("tools/call", call("add_one", json!({ "x": 1 })), "");
        let bad = good.replace(r#""x":1"#, &format!(r#""x":{value}"#));
        let length =
            |request: &str| format!("Content-Length: {}", request.split("\r\n\r\n").nth(1).unwrap().len());
        let bad = bad.replace(&length(&good), &length(&bad));
        let (status, answer) = site.answer(&bad).await;
        assert!(status == 400 && answer.contains("-32700"), "{answer}");
    }
    // What the protocol library takes for no message, or for one without parameters.
    let with_meta = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/list", "params": { "_meta": 5 } });
    let null = json!({ "jsonrpc": "2.0", "id": null, "method": "ping" });
    let initialize = json!({ "jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {} });
    for (message, code) in [(with_meta, -32602), (null, -32600), (initialize, -32602)] {
        let (status, answer) = site.answer(&post_old(&message, "")).await;
        assert!(status == 400 && answer.contains(&format!("\"code\":{code}")), "{answer}");
    }
    let (status, answer) = site.post("logging/setLevel", json!({ "level": "info" }), "").await;
    assert!(status == 404 && answer.contains("-32601"), "2026-07-28 has no such method: {answer}");
    let (status, answer) =
        site.answer(&post_old(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }), "")).await;
    assert!(status >= 400 && answer.contains("\"jsonrpc\":\"2.0\""), "{answer}");
}

#[tokio::test]
async fn o2_a_dropped_connection_ends_its_call() {
    let site = Site::new(|http| http).await;
    let stream = site.send(&post("tools/call", call("slow", json!({})), "")).await;
    while site.ledger.begun.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(stream);
    tokio::time::sleep(Duration::from_millis(1300)).await;
    assert_eq!(site.ledger.ended.load(Ordering::SeqCst), 0, "the call goes on");
}

#[tokio::test]
async fn o2_a_server_that_ends_lets_calls_end() {
    let mut site = Site::new(|http| http).await;
    let request = post("tools/call", call("slow", json!({})), "");
    let mut stream = site.send(&request).await;
    while site.ledger.begun.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    site.end.take().unwrap().send(()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("slept"), "{answer}");
    tokio::time::timeout(Duration::from_secs(5), &mut site.ended).await.unwrap().unwrap();
    assert!(TcpStream::connect(site.address).await.is_err());
}

#[tokio::test]
async fn o2_a_server_that_ends_cancels_calls_after_its_grace() {
    let mut site = Site::new(|http| http.grace(Duration::from_millis(100))).await;
    let mut stream = site.send(&post("tools/call", call("slow", json!({})), "")).await;
    while site.ledger.begun.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    site.end.take().unwrap().send(()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains(r#""id":1"#) && answer.contains("-32603"), "each call gets an answer: {answer}");
    tokio::time::timeout(Duration::from_secs(5), &mut site.ended).await.unwrap().unwrap();
    tokio::time::sleep(Duration::from_millis(1200)).await;
    assert_eq!(site.ledger.ended.load(Ordering::SeqCst), 0, "the call goes on");
}

#[tokio::test]
async fn o2_a_server_that_ends_stops_agents_between_two_turns() {
    let ledger: Arc<Ledger> = Arc::default();
    let server = Server::builder("desk", "1.0.0").agent(&waiter(&ledger).await).build().await.unwrap();
    let mut site = Site::with(&server, Arc::clone(&ledger), |http| http).await;
    let mut stream = site.send(&post("tools/call", call("Waiter", json!({ "input": "Wait." })), "")).await;
    while ledger.begun.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    site.end.take().unwrap().send(()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(
        answer.contains("whether it took effect is not known") && !answer.contains("I waited."),
        "{answer}"
    );
    assert_eq!(ledger.ended.load(Ordering::SeqCst), 1, "its call ends");
    tokio::time::timeout(Duration::from_secs(5), &mut site.ended).await.unwrap().unwrap();
}

#[tokio::test]
async fn o2_a_quick_answer_is_json_and_others_are_streams() {
    let site = Site::new(|http| http).await;
    let kind = |answer: &str| header(answer, "content-type").unwrap().to_owned();
    let (_, begun) = site.answer(&post_old(&initialize(), "")).await;
    assert_eq!(kind(&begun), "application/json", "{begun}");
    let own = format!("Mcp-Session-Id: {}\r\n", header(&begun, "mcp-session-id").unwrap());
    let old = |id: u32, name: &str, arguments: Value, meta: Value| {
        let mut params = call(name, arguments);
        params["_meta"] = meta;
        post_old(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }), &own)
    };
    let (_, quick) = site.answer(&old(1, "add_one", json!({ "x": 1 }), json!({}))).await;
    assert_eq!((kind(&quick).as_str(), header(&quick, "cache-control")), ("application/json", None));
    assert!(quick.ends_with('}') && quick.contains(r#""text":"2""#), "one piece, with its length: {quick}");
    // One that takes its time, and one that reports.
    let (_, late) = site.answer(&old(2, "slow", json!({ "steps": 8 }), json!({}))).await;
    assert!(kind(&late) == "text/event-stream" && late.contains("slept"), "{late}");
    let (_, reports) =
        site.answer(&old(3, "slow", json!({ "steps": 1 }), json!({ "progressToken": 7 }))).await;
    assert!(kind(&reports) == "text/event-stream" && reports.contains("shelf 1"), "{reports}");
    assert!(reports.contains("slept"), "{reports}");
    let new = post("tools/call", call("add_one", json!({ "x": 1 })), "");
    for accept in ["application/json, text/event-stream", "*/*"] {
        let (_, new) = site.answer(&new.replace("application/json, text/event-stream", accept)).await;
        assert_eq!(kind(&new), "application/json", "{new}");
    }
}

#[tokio::test]
async fn o2_the_id_of_a_call_whose_client_went_away_is_in_use_until_the_call_ends() {
    let site = Site::new(|http| http).await;
    let (_, begun) = site.answer(&post_old(&initialize(), "")).await;
    let own = format!("Mcp-Session-Id: {}\r\n", header(&begun, "mcp-session-id").unwrap());
    let slow = |steps: u32| {
        let params = call("slow", json!({ "steps": steps }));
        post_old(&json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params }), &own)
    };
    let stream = site.send(&slow(20)).await;
    while site.ledger.begun.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(stream);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let (_, answer) = site.answer(&slow(2)).await;
    assert!(answer.contains("the id of the request is in use"), "{answer}");
    while site.ledger.ended.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let (status, answer) = site.answer(&slow(2)).await;
    assert!(status == 200 && answer.contains("slept"), "{answer}");
    assert_eq!(site.ledger.begun.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn o2_each_loopback_address_is_a_host_of_this_machine() {
    let site = Site::new(|http| http).await;
    for (host, expected) in [
        ("127.0.0.2", 200),
        ("[::1]:80", 200),
        ("LocalHost", 200),
        ("128.0.0.1", 403),
        ("127.0.0.1.evil.example", 403),
    ] {
        let (status, answer) = site.post("tools/list", json!({}), &format!("Host: {host}\r\n")).await;
        assert_eq!(status, expected, "{host}: {answer}");
    }
}
