//! A server over HTTP that misbehaves, in each way that is known: each has its error within the time of a request.

use std::time::{Duration, Instant};

use onionskin::mcp::{McpServer, ServerConfig};
use serde_json::json;

use crate::server::{Reply, Request, Server, current, earlier, error, result, said};
use crate::sessions::called;

/// The time of one request.
const TIME: Duration = Duration::from_millis(700);
/// A test machine may be slow.
const SLACK: Duration = Duration::from_secs(8);

/// What comes of it.
enum Expected {
    /// The call has its result.
    Works,
    /// The call of `read` ends with an error that says this.
    Call(&'static str),
    /// The server cannot be used, and the error says this.
    Start(&'static str),
}
use Expected::{Call, Start, Works};

const SECRET: &str = "s3cret-of-the-header";

fn event(text: &str) -> String {
    format!("data: {text}\n\n")
}

/// A behaviour: its name, what the server answers to the message, and what comes of it.
struct Behaviour {
    name: &'static str,
    message: &'static str,
    reply: fn(&Request) -> Reply,
    expected: Expected,
}

impl Behaviour {
    fn time(&self) -> Duration {
        // Many bytes take their time in a test.
        if self.name.ends_with("than are read") { SLACK } else { TIME }
    }
}

macro_rules! behaviours {
    ($($name:literal $message:literal $reply:expr => $expected:expr;)*) => {
        vec![$(Behaviour { name: $name, message: $message, reply: $reply, expected: $expected }),*]
    };
}

#[rustfmt::skip]
fn behaviours() -> Vec<Behaviour> {
    behaviours! {
        // Statuses.
        "401 with a challenge" "tools/call" |_| Reply::text(401, "www-authenticate: Bearer realm=\"x\"\r\n", "") => Call("it requires authorization (status 401); the call did not run");
        "401 without one" "tools/call" |_| Reply::text(401, "", "no") => Call("it requires authorization (status 401)");
        "401 with a JSON-RPC error" "tools/call" |r| Reply::json(401, &error(r, -32001, "log in")) => Call("it requires authorization (status 401)");
        "403 with a scope" "tools/call" |_| Reply::text(403, "www-authenticate: Bearer scope=\"admin\"\r\n", "") => Call("its authorization does not allow this (status 403)");
        "500 to the discovery" "server/discover" |_| Reply::text(500, "", "") => Start("it answered with the status 500");
        "400 with a text" "tools/call" |_| Reply::text(400, "content-type: text/plain\r\n", "what is this?") => Call("it answered with the status 400: what is this?; the call was refused");
        "400 with a JSON-RPC error" "tools/call" |r| Reply::json(400, &error(r, -32602, "bad value")) => Call("refused the call: bad value");
        "404 with a JSON-RPC error" "tools/call" |r| Reply::json(404, &error(r, -32601, "no such method")) => Call("refused the call: no such method");
        "405" "tools/call" |_| Reply::text(405, "", "") => Call("it answered with the status 405");
        "413" "tools/call" |_| Reply::text(413, "", "") => Call("it answered with the status 413");
        "422 with a page" "tools/call" |_| Reply::text(422, "content-type: text/html\r\n", "<html>secret page</html>") => Call("it answered with the status 422; the call was refused");
        "429 with seconds" "tools/call" |_| Reply::text(429, "retry-after: 7\r\n", "") => Call("it answered with the status 429; it asks to wait 7 s");
        "429 with a date of the past" "tools/call" |_| Reply::text(429, "retry-after: Wed, 21 Oct 2015 07:28:00 GMT\r\n", "") => Call("it answered with the status 429; the call was refused");
        "429 with a year" "tools/call" |_| Reply::text(429, "retry-after: 99999999999\r\n", "") => Call("it asks to wait 86400 s");
        "500 with a page" "tools/call" |_| Reply::text(500, "content-type: text/html\r\n", "<html></html>") => Call("it answered with the status 500; whether the call took effect is not known");
        "500 with a JSON-RPC error" "tools/call" |r| Reply::json(500, &error(r, -32603, "broken inside")) => Call("refused the call: broken inside");
        "503 with a wait" "tools/call" |_| Reply::text(503, "retry-after: 2\r\n", "") => Call("it answered with the status 503; it asks to wait 2 s");
        "a status that repeats the header" "tools/call" |r| Reply::text(418, "content-type: text/plain\r\n", &r.headers["x-key"]) => Call("status 418: [x-key]; the");
        "an endless body of an error" "tools/call" |_| Reply::bytes("HTTP/1.1 502 X\r\ncontent-type: text/plain\r\n\r\nno").then(Duration::ZERO, vec![b'x'; 4096]).repeating() => Call("status 502: no");
        // Redirects.
        "to another host" "tools/call" |_| Reply::text(307, "location: http://other.example/mcp?token=abc\r\n", "") => Call("it redirects to `http://other.example/mcp`, which is not followed");
        "to a private address" "tools/call" |_| Reply::text(307, "location: http://169.254.169.254/latest/meta-data\r\n", "") => Call("it redirects to `http://169.254.169.254/latest/meta-data`");
        "to another port" "tools/call" |_| Reply::text(308, "location: http://127.0.0.1:1/\r\n", "") => Call("it redirects to `http://127.0.0.1:1/`");
        "in a circle" "tools/call" |_| Reply::text(307, "location: /mcp\r\n", "") => Call("it redirects in a circle, to `http://127.0.0.1:");
        "that loses the message" "tools/call" |_| Reply::text(302, "location: /login\r\n", "") => Call("/login`, which is not followed");
        "to a file" "tools/call" |_| Reply::text(307, "location: file:///etc/passwd\r\n", "") => Call("it redirects to `file:///etc/passwd`");
        "to nothing" "tools/call" |_| Reply::text(307, "", "") => Call("it answered with the status 307");
        "to what is no address" "tools/call" |_| Reply::text(307, "location: http://[\r\n", "") => Call("it redirects to `http://[`");
        // Bodies.
        "nothing" "tools/call" |_| Reply::text(200, "", "") => Call("it answered with no content type, which is not MCP");
        "a page" "tools/call" |_| Reply::text(200, "content-type: text/html\r\n", "<html></html>") => Call("it answered with `text/html`, which is not MCP");
        "a page as JSON" "tools/call" |_| Reply::text(200, "content-type: application/json\r\n", "<html></html>") => Call("gave an answer that cannot be read: it does not answer the request");
        "half of a JSON text" "tools/call" |_| Reply::text(200, "content-type: application/json\r\n", r#"{"jsonrpc":"2.0","id":3,"result":{"content":["#) => Call("gave an answer that cannot be read");
        "another id" "tools/call" |_| Reply::json(200, &json!({"jsonrpc": "2.0", "id": 999, "result": {}})) => Call("it does not answer the request");
        "no id" "tools/call" |_| Reply::json(200, &json!({"jsonrpc": "2.0", "result": {}})) => Call("it has no id");
        "an id as text" "tools/call" |r| { let mut a = said(r, "done"); a["id"] = a["id"].to_string().into(); Reply::json(200, &a) } => Works;
        "a result and an error" "tools/call" |r| { let mut a = said(r, "done"); a["error"] = json!({"code": 1, "message": "x"}); Reply::json(200, &a) } => Call("both `result` and `error`");
        "a batch" "tools/call" |r| Reply::json(200, &json!([{"jsonrpc": "2.0", "method": "notifications/message", "params": {}}, said(r, "done")])) => Works;
        "no tool result" "tools/call" |r| Reply::json(200, &result(r, &json!({"strange": 1}))) => Call("an answer that is not a tool result");
        "a result that is a list" "tools/call" |r| Reply::json(200, &result(r, &json!([1]))) => Call("an answer that is not a tool result");
        "a request for input" "tools/call" |r| Reply::json(200, &result(r, &json!({"resultType": "input_required", "inputRequests": {}}))) => Call("asks for a person's input");
        "more values than are read" "tools/call" |r| Reply::json(200, &result(r, &json!({"content": [], "structuredContent": vec![0; 1_000_001]}))) => Call("it has more than 1000000 values");
        "more bytes than are read" "tools/call" |r| Reply::json(200, &said(r, &"x".repeat(17 << 20))) => Call("it is longer than 16 MiB");
        "compressed bytes" "tools/call" |_| Reply::text(200, "content-type: application/json\r\ncontent-encoding: gzip\r\n", "x") => Call("it answered with `Content-Encoding: gzip`");
        "a media type with parameters" "tools/call" |r| Reply::text(200, "content-type: Application/JSON; charset=utf-8\r\n", &said(r, "done").to_string()) => Works;
        "bytes that are no text" "tools/call" |_| Reply::bytes(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n{\"jsonrpc\":\"\xff\"}".to_vec()) => Call("it contains bytes that are not UTF-8");
        "an accepted call without an answer" "tools/call" |_| Reply::text(202, "", "") => Call("did not answer within 700ms");
        // Connections.
        "no byte" "tools/call" |_| Reply::default() => Call("the connection ended before the answer");
        "half of a head" "tools/call" |_| Reply::bytes("HTTP/1.1 200") => Call("the connection ended before the answer");
        "no HTTP" "tools/call" |_| Reply::bytes("SSH-2.0-OpenSSH_9.6\r\n") => Call("the connection ended before the answer");
        "an endless head" "tools/call" |_| Reply::bytes("HTTP/1.1 200 OK\r\n").then(Duration::ZERO, b"x: y\r\n".repeat(4096)).repeating() => Call("the connection ended before the answer");
        "a shorter body than announced" "tools/call" |_| Reply::bytes("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9000\r\nconnection: close\r\n\r\n{") .then(Duration::ZERO, "x") => Call("the connection ended before the answer");
        "broken chunks" "tools/call" |_| Reply::bytes("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n") => Call("the connection ended before the answer");
        "a silence before the head" "tools/call" |_| Reply::default().stalling() => Call("did not answer within 700ms");
        "a silence within the body" "tools/call" |_| Reply::bytes("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n{").stalling() => Call("did not answer within 700ms");
        "a byte from time to time" "tools/call" |_| Reply::bytes("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n").then(Duration::ZERO, " ").repeating() => Call("did not answer within 700ms");
        // Streams of events.
        "a stream without an event" "tools/call" |_| Reply::stream("") => Call("the connection ended before the answer: its stream of events ended");
        "a stream with another id" "tools/call" |_| Reply::events([r#"{"jsonrpc":"2.0","id":999,"result":{}}"#]) => Call("its stream of events ended");
        "an event that is no JSON" "tools/call" |_| Reply::events([r#"{"jsonrpc": "2.0", "id""#]) => Call("gave an answer that cannot be read");
        "a stream of comments" "tools/call" |_| Reply::stream("").then(Duration::ZERO, ": still here\n\n").repeating() => Call("did not answer within 700ms");
        "an event without an end" "tools/call" |_| Reply::stream("data: ").then(Duration::ZERO, vec![b'x'; 1 << 20]).repeating() => Call("did not answer within 700ms");
        "an event with more bytes than are read" "tools/call" |_| Reply::stream("data: ").then(Duration::ZERO, vec![b'x'; 17 << 20]).then(Duration::ZERO, "\n\n").stalling() => Call("it is longer than 16 MiB");
        "an event over several lines" "tools/call" |r| Reply::stream(&said(r, "done").to_string().replace(",\"", ",\r\ndata: \"").replacen('{', "data: {", 1)).then(Duration::ZERO, "\r\n\r\n") => Works;
        "a flood before the answer" "tools/call" |r| Reply::events((0..400).map(|_| r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#.to_owned()).chain([said(r, "done").to_string()])) => Works;
        "an answer, and then an open stream" "tools/call" |r| Reply::stream(&event(&said(r, "done").to_string())).stalling() => Works;
        // The handshake.
        "a page" "server/discover" |_| Reply::text(200, "content-type: text/html\r\n", "<html></html>") => Start("it answered with `text/html`, which is not MCP\nCheck the path of its address");
        "an error" "initialize" |r| Reply::json(200, &error(r, -32000, "not today")) => Start("the handshake failed");
        "another protocol" "initialize" |r| Reply::json(200, &result(r, &json!({"protocolVersion": "1999-01-01", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}))) => Works;
        "no result of a handshake" "initialize" |r| Reply::json(200, &result(r, &json!({"strange": 1}))) => Start("the handshake failed");
        "a silence" "initialize" |_| Reply::default().stalling() => Start("it did not complete the handshake within 700ms");
        "a login" "server/discover" |_| Reply::text(401, "", "") => Start("it requires authorization (status 401)\nGive it credentials");
        "a redirect to another host" "server/discover" |_| Reply::text(301, "location: https://elsewhere.example/mcp\r\n", "") => Start("it redirects to `https://elsewhere.example/mcp`");
        // Lists.
        "a list that is none" "tools/list" |r| Reply::json(200, &result(r, &json!({"tools": 7}))) => Start("could not be listed");
        "a list that never comes" "tools/list" |_| Reply::default().stalling() => Start("could not be listed");
        "a list behind a login" "tools/list" |_| Reply::text(403, "", "") => Start("could not be listed: its authorization does not allow this (status 403)");
    }
}

async fn come_of(behaviour: &Behaviour, url: String) -> Result<String, String> {
    let config = ServerConfig::http(url).header("X-Key", SECRET.to_owned()).timeout(behaviour.time());
    let starts = if let Start(_) = behaviour.expected { behaviour.time() } else { Duration::from_secs(5) };
    let web =
        McpServer::start("web", config.start_timeout(starts)).await.map_err(|error| error.to_string())?;
    called(&web, "read").await.map_err(|exit| exit.to_string())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a4_each_misbehaviour_over_http_is_an_error_that_says_it_in_time() {
    let all = behaviours();
    assert!(all.len() >= 60, "{}", all.len());
    let mut wrong = Vec::new();
    for behaviour in &all {
        for (generation, base) in [("2025", earlier as fn(&Request) -> Reply), ("2026", current)] {
            // Each generation has a handshake of its own.
            let is_other = match behaviour.message {
                "initialize" => generation == "2026",
                "server/discover" => generation == "2025",
                _ => false,
            };
            if is_other || (behaviour.name.starts_with("404 with") && generation == "2025") {
                continue;
            }
            let (message, reply) = (behaviour.message, behaviour.reply);
            let server =
                Server::start(
                    move |request| if request.asks() == message { reply(request) } else { base(request) },
                )
                .await;
            let begun = Instant::now();
            let outcome = come_of(behaviour, server.url()).await;
            let took = begun.elapsed();
            let is_right = match (&behaviour.expected, &outcome) {
                (Works, Ok(text)) => text == "done",
                (Call(expected) | Start(expected), Err(error)) => {
                    error.contains(expected) && !error.contains(SECRET)
                }
                _ => false,
            };
            if !is_right || took > TIME + SLACK {
                wrong.push(format!(
                    "{} of {} ({generation}), after {took:?}: {outcome:?}",
                    behaviour.name, behaviour.message
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} behaviours:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn a4_a_server_that_asks_and_takes_no_answers_is_left() {
    let server = Server::start(|request| match request.asks() {
        "tools/call" => {
            let pings = (0..600)
                .map(|id| json!({"jsonrpc": "2.0", "id": format!("x{id}"), "method": "ping"}).to_string());
            Reply::events(pings).stalling()
        }
        // An answer to a ping.
        "" if request.method == "POST" => Reply::default().stalling(),
        _ => earlier(request),
    })
    .await;
    let web = McpServer::start("web", ServerConfig::http(server.url()).timeout(Duration::from_secs(20)))
        .await
        .unwrap();
    let error = called(&web, "read").await.unwrap_err().to_string();
    assert!(
        error.contains(
            "lost its connection during the call (256 answers to its own requests waited, and it was left)"
        ),
        "{error}"
    );
}

#[tokio::test]
async fn a4_a_server_that_cannot_be_reached_says_why() {
    let closed = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap().local_addr().unwrap();
    let plain = Server::start(current).await;
    for (url, expected) in [
        (format!("http://{closed}/mcp"), "it cannot be reached: Connection refused"),
        ("http://no-such-host.invalid/mcp".to_owned(), "it cannot be reached"),
        (format!("https://{}/mcp", plain.address), "it cannot be reached"),
    ] {
        let error = McpServer::start("web", ServerConfig::http(&*url)).await.unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(&format!("(`{url}`)")), "{error}");
    }
}
