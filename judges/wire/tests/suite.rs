//! The suite for models, on `GenaiModel` against aimock, in each protocol. A relay in between shows the suite what is sent.
#![allow(clippy::unwrap_used)]

mod mock;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mock::{ALL, Mock, Protocol};
use onionskin::genai::GenaiModel;
use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestOption};
use onionskin::testing::{Reply, Scenario, model_suite};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What aimock does with the request of this number.
fn fixture(number: usize, reply: &Reply, streams: bool) -> Value {
    let found = json!({ "sequenceIndex": number });
    match reply {
        Reply::Answer(answer) => {
            let (input, output) = (answer.usage.input_tokens, answer.usage.output_tokens);
            let usage = json!({ "prompt_tokens": input, "completion_tokens": output, "input_tokens": input, "output_tokens": output });
            let mut response = json!({ "usage": usage });
            if !answer.text.is_empty() {
                response["content"] = json!(answer.text);
            }
            let calls = answer.tool_calls.iter();
            let calls: Vec<_> =
                calls.map(|call| json!({ "name": call.name, "arguments": call.arguments })).collect();
            if !calls.is_empty() {
                response["toolCalls"] = calls.into();
            }
            json!({ "match": found, "chunkSize": 3, "response": response })
        }
        Reply::Status { status, message, retry_after, .. } => {
            let mut response = json!({ "status": status, "error": { "message": message, "type": "error" } });
            if let Some(pause) = retry_after {
                response["retryAfter"] = json!(pause.as_secs());
            }
            json!({ "match": found, "response": response })
        }
        // aimock cuts streams only; another answer breaks before it begins.
        Reply::Break(_) if !streams => {
            json!({ "match": found, "chaos": { "disconnectRate": 1 }, "response": { "content": "never seen" } })
        }
        Reply::Break(text) => {
            let response = json!({ "content": format!("{text}{}", "more ".repeat(50)) });
            json!({ "match": found, "chunkSize": 4, "truncateAfterChunks": 4, "response": response })
        }
        _ => json!({ "match": found, "latency": 600_000, "response": { "content": "much too late" } }),
    }
}

/// A folder of fixtures that is removed with its test.
struct Fixtures(PathBuf);

impl Fixtures {
    fn of(scenario: &Scenario, streams: bool) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("onionskin-suite-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let fixtures: Vec<_> = scenario
            .replies()
            .iter()
            .enumerate()
            .map(|(number, reply)| fixture(number, reply, streams))
            .collect();
        fs::write(folder.join("suite.json"), json!({ "fixtures": fixtures }).to_string()).unwrap();
        Self(folder)
    }
}

impl Drop for Fixtures {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A model, and the mock that it asks.
struct Asked {
    model: GenaiModel,
    _mock: Mock,
}

impl Model for Asked {
    async fn respond(
        &self,
        request: &ModelRequest,
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.model.respond(request, deltas).await
    }

    fn supports(&self, option: RequestOption) -> bool {
        self.model.supports(option)
    }
}

async fn asked(scenario: Scenario, protocol: Protocol) -> Asked {
    let streams = !matches!(protocol, Protocol::OpenAi | Protocol::Anthropic);
    let fixtures = Fixtures::of(&scenario, streams);
    let mock = Mock::start(&fixtures.0);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let target: Arc<str> = mock.address.strip_prefix("http://").unwrap().into();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(relay(client, Arc::clone(&target), scenario.clone()));
        }
    });
    Asked { model: mock::model(&address, protocol), _mock: mock }
}

/// Passes one request on, and its answer back, until either side closes its connection.
async fn relay(mut client: TcpStream, target: Arc<str>, scenario: Scenario) {
    let mut bytes = Vec::new();
    let Some(end) = read_head(&mut client, &mut bytes).await else { return };
    let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
    while bytes.len() < end + 4 + length {
        if client.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return;
        }
    }
    let exchange = scenario.receive(std::str::from_utf8(&bytes[end + 4..]).unwrap());
    let mut server = TcpStream::connect(&*target).await.unwrap();
    // One request on each connection.
    bytes.splice(end..end, *b"\r\nconnection: close");
    server.write_all(&bytes).await.unwrap();
    let (mut from_client, mut to_client) = client.split();
    let answer = async {
        let mut bytes = Vec::new();
        if let Some(end) = read_head(&mut server, &mut bytes).await {
            let head =
                String::from_utf8_lossy(&bytes[..end]).replace("Connection: keep-alive", "Connection: close");
            bytes.splice(..end, head.into_bytes());
        }
        // The client may be gone.
        let _ = to_client.write_all(&bytes).await;
        let _ = tokio::io::copy(&mut server, &mut to_client).await;
    };
    let mut nothing = [0; 1];
    tokio::select! {
        () = answer => {}
        _ = from_client.read(&mut nothing) => {}
    }
    drop(exchange);
}

/// Reads the head of a message and returns its length; `None` if the connection ends before.
async fn read_head(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<usize> {
    loop {
        if stream.read_buf(bytes).await.unwrap_or(0) == 0 {
            return None;
        }
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            return Some(end);
        }
    }
}

#[tokio::test]
async fn o3_genai_passes_the_suite_in_every_protocol() {
    let mut failed = Vec::new();
    for protocol in ALL {
        let report = model_suite(|scenario| asked(scenario, protocol)).await;
        println!("{protocol:?}\n{report}");
        failed.extend(report.failed().into_iter().map(|case| format!("{protocol:?} {case}")));
        assert!(report.refused().is_empty(), "{protocol:?}: {report}");
    }
    assert!(failed.is_empty(), "{failed:?}");
}
