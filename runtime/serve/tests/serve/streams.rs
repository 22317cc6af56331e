//! Streams of sessions: connections that break off, logs, and several connections of one session.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use onionskin::serve::Server;
use onionskin::{Provided, ScriptedModel, ToolContext, agent, tool};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

use crate::desk::Ledger;
use crate::http::{initialize, post_old};
use crate::lines::call;
use crate::site::{Site, header};

/// Works for some time.
#[tool]
async fn work(cx: &ToolContext, ledger: Provided<Ledger>, milliseconds: u64) -> String {
    ledger.begun.fetch_add(1, Ordering::SeqCst);
    cx.emit("shelf 1").unwrap();
    tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    ledger.ended.fetch_add(1, Ordering::SeqCst);
    "worked".to_owned()
}

agent! { Worker { instruction: "Work.", function_tools: [work, recite] } }

/// A session of a server.
struct Session {
    site: Site,
    server: Server,
    id: String,
}

impl Session {
    async fn begin() -> Self {
        let ledger = Arc::<Ledger>::default();
        let worker = Worker::builder().model(ScriptedModel::new()).provide_shared(Arc::clone(&ledger));
        let worker = worker.build().await.unwrap();
        let server = Server::builder("worker", "1.0.0").tools_of(&worker).build().await.unwrap();
        let site = Site::with(&server, ledger, |http| http).await;
        let (_, answer) = site.answer(&post_old(&initialize(), "")).await;
        let id = header(&answer, "mcp-session-id").unwrap().to_owned();
        let session = Self { site, server, id };
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        session.site.answer(&session.post(&initialized)).await;
        session
    }

    fn post(&self, message: &Value) -> String {
        post_old(message, &format!("Mcp-Session-Id: {}\r\nMCP-Protocol-Version: 2025-11-25\r\n", self.id))
    }

    fn work(&self, milliseconds: u64) -> String {
        let params = call("work", json!({ "milliseconds": milliseconds }));
        self.post(&json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params }))
    }

    /// A request without a body.
    fn request(&self, method: &str, headers: &str) -> String {
        format!(
            "{method} /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAccept: text/event-stream\r\nMcp-Session-Id: \
             {}\r\n{headers}\r\n",
            self.id
        )
    }
}

/// Reads until a text is there.
async fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let (mut read, begin) = (String::new(), Instant::now());
    while !read.contains(text) {
        let mut bytes = [0; 1024];
        let length = tokio::time::timeout(Duration::from_secs(10), stream.read(&mut bytes)).await;
        let length = length.unwrap_or_else(|_| panic!("no `{text}` after {:?}: {read}", begin.elapsed()));
        let length = length.unwrap();
        assert!(length > 0, "the stream has ended: {read}");
        read.push_str(&String::from_utf8_lossy(&bytes[..length]));
    }
    read
}

/// The id of the last event.
fn last_id(events: &str) -> String {
    events.lines().rev().find_map(|line| line.strip_prefix("id:")).unwrap().trim().to_owned()
}

#[tokio::test]
async fn o2_an_answer_whose_connection_broke_off_is_there_for_its_client() {
    let session = Session::begin().await;
    let mut broken = session.site.send(&session.work(600)).await;
    let last = last_id(&read_until(&mut broken, "shelf 1").await);
    drop(broken);
    while session.site.ledger.ended.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    let again = session.request("GET", &format!("Last-Event-ID: {last}\r\n"));
    // The stream of another session is not known.
    let (_, begun) = session.site.answer(&post_old(&initialize(), "")).await;
    let other = again.replace(&session.id, header(&begun, "mcp-session-id").unwrap());
    let (status, nothing) = session.site.answer(&other).await;
    assert!(status == 200 && !nothing.contains("worked"), "{nothing}");
    let (status, rest) = session.site.answer(&again).await;
    assert_eq!(status, 200, "{rest}");
    assert!(rest.contains(r#""id":7"#) && rest.contains("worked") && !rest.contains("shelf 1"), "{rest}");
}

#[tokio::test]
async fn o2_a_call_whose_connection_broke_off_goes_on_for_its_client() {
    let session = Session::begin().await;
    let mut broken = session.site.send(&session.work(900)).await;
    let last = last_id(&read_until(&mut broken, "shelf 1").await);
    drop(broken);
    let again = session.request("GET", &format!("Last-Event-ID: {last}\r\n"));
    let (_, rest) = session.site.answer(&again).await;
    assert!(rest.contains(r#""id":7"#) && rest.contains("worked"), "{rest}");
}

/// Recites a long list.
#[tool]
fn recite(cx: &ToolContext) -> String {
    for line in 0..500 {
        cx.emit(format!("line {line}.")).unwrap();
    }
    "recited".to_owned()
}

#[tokio::test]
async fn o2_a_client_that_reads_gets_each_log_in_order() {
    let session = Session::begin().await;
    let params =
        json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call("recite", json!({})) });
    let (_, events) = session.site.answer(&session.post(&params)).await;
    let lines: Vec<_> = events.matches("\"line ").collect();
    assert_eq!(lines.len(), 500);
    let places = (0..500).map(|line| events.find(&format!("\"line {line}.\"")).unwrap());
    assert!(places.is_sorted() && events.find("recited") > events.find("\"line 499.\""));
}

#[tokio::test]
async fn o2_the_logs_of_a_call_are_in_its_stream() {
    let session = Session::begin().await;
    let (_, events) = session.site.answer(&session.work(0)).await;
    let (log, answer) = (events.find("notifications/message").unwrap(), events.find("worked").unwrap());
    assert!(log < answer, "{events}");
}

#[tokio::test]
async fn o2_the_newest_stream_of_a_session_gets_what_is_for_no_call() {
    let session = Session::begin().await;
    session.server.tools_changed();
    let mut first = session.site.send(&session.request("GET", "")).await;
    let begun = read_until(&mut first, "tools/list_changed").await;
    let mut second = session.site.send(&session.request("GET", "")).await;
    read_until(&mut second, "HTTP/1.1 200").await;
    session.server.prompts_changed();
    read_until(&mut second, "prompts/list_changed").await;
    let mut rest = String::new();
    first.read_to_string(&mut rest).await.unwrap();
    assert!(!rest.contains("prompts/list_changed"), "each message is for one stream: {rest}");
    // What came after the event that the client names.
    let again = session.request("GET", &format!("Last-Event-ID: {}\r\n", last_id(&begun)));
    let mut third = session.site.send(&again).await;
    read_until(&mut third, "prompts/list_changed").await;
}

#[tokio::test]
async fn o2_a_session_that_its_client_ends_ends_its_calls() {
    let session = Session::begin().await;
    let mut stream = session.site.send(&session.work(60_000)).await;
    read_until(&mut stream, "shelf 1").await;
    let begin = Instant::now();
    // One that is refused ends nothing.
    let refused = session.request("DELETE", "MCP-Protocol-Version: 2026-07-28\r\n");
    assert_eq!(session.site.answer(&refused).await.0, 405);
    assert!(tokio::time::timeout(Duration::from_millis(300), stream.read_u8()).await.is_err());
    assert_eq!(session.site.answer(&session.request("DELETE", "")).await.0, 204);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).await.unwrap();
    assert!(begin.elapsed() < Duration::from_secs(3), "{:?}", begin.elapsed());
    let (status, answer) = session.site.answer(&session.work(0)).await;
    assert!(status == 404 && answer.contains("-32001"), "{answer}");
}
