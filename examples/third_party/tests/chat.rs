//! A model over HTTP, with a server on this machine that plays its provider.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::sync::{Arc, Mutex};

use onionskin_core::model::{
    BoxModel, Message, Model, ModelError, ModelRequest, ModelResponse, RequestOption, ToolCall,
};
use onionskin_core::secret::Secret;
use onionskin_core::{ToolSpec, agent};
use onionskin_testing::{Reply, Scenario, model_suite};
use onionskin_third_party::ChatModel;
use reqwest::Url;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const KEY: &str = "key-of-the-chat";

/// A request as the server got it: its head in small letters, and its body.
async fn read(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize = length.map_or(0, |length| length.parse().unwrap());
        if bytes.len() >= end + 4 + length {
            return Some((head, String::from_utf8(bytes[end + 4..].to_vec()).unwrap()));
        }
    }
}

fn event(delta: &Value) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] }))
}

/// An answer in the protocol: the text letter by letter, the arguments of calls in two pieces.
fn stream_of(answer: &ModelResponse) -> String {
    let mut text: String = answer.text.chars().map(|piece| event(&json!({ "content": piece }))).collect();
    for (index, call) in answer.tool_calls.iter().enumerate() {
        let (begin, end) = call.arguments.split_at(call.arguments.len() / 2);
        let first = json!({ "index": index, "id": call.id, "type": "function", "function": { "name": call.name, "arguments": begin } });
        let second = json!({ "index": index, "function": { "arguments": end } });
        text.push_str(&event(&json!({ "tool_calls": [first] })));
        text.push_str(&event(&json!({ "tool_calls": [second] })));
    }
    let reason = if answer.tool_calls.is_empty() { "stop" } else { "tool_calls" };
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] });
    let usage = json!({ "prompt_tokens": answer.usage.input_tokens, "completion_tokens": answer.usage.output_tokens });
    let usage = json!({ "choices": [], "usage": usage });
    format!("{text}data: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
}

const OPEN: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// Plays one exchange of a scenario on a connection.
async fn play(mut stream: TcpStream, scenario: Scenario) {
    let Some((_, body)) = read(&mut stream).await else { return };
    let exchange = scenario.receive(&body);
    let answer = match exchange.reply() {
        Reply::Answer(answer) => format!("{OPEN}{}", stream_of(answer)),
        Reply::Break(text) => format!("{OPEN}{}data: {{\"cho", event(&json!({ "content": text }))),
        Reply::Status { status, message, retry_after, .. } => {
            let pause =
                retry_after.map(|pause| format!("retry-after: {}\r\n", pause.as_secs())).unwrap_or_default();
            let body = json!({ "error": { "message": message } }).to_string();
            let length = body.len();
            format!(
                "HTTP/1.1 {status} No\r\n{pause}connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
            )
        }
        _ => {
            // Nothing more comes until the model closes the connection.
            let _ = read(&mut stream).await;
            return;
        }
    };
    // In small parts, so that lines and letters are cut.
    for part in answer.as_bytes().chunks(7) {
        if stream.write_all(part).await.is_err() {
            return;
        }
    }
    let _ = stream.shutdown().await;
}

/// A server that gives each connection to `answer`.
async fn serve<F: Future<Output = ()> + Send + 'static>(
    answer: impl Fn(TcpStream) -> F + Send + 'static,
) -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1/", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream));
        }
    });
    base
}

#[tokio::test]
async fn o3_a_model_over_http_by_hand_passes_the_suite() {
    let make = async |scenario: Scenario| {
        let base = serve(move |stream| play(stream, scenario.clone())).await;
        ChatModel::new(&base, "some-model").unwrap()
    };
    let report = model_suite(make).await;
    report.assert_passed();
    let refused = [
        RequestOption::ReasoningEffort,
        RequestOption::Verbosity,
        RequestOption::ServiceTier,
        RequestOption::ParallelToolCalls,
    ];
    assert_eq!(report.refused(), refused, "{report}");
    // The protocol has no place in a result for the tool's name, and none that says that the call failed.
    assert_eq!(report.not_shown(), ["result_errors", "result_names"], "{report}");
}

#[tokio::test]
async fn o3_a_model_by_hand_says_for_whom_it_asks() {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    let base = serve(move |mut stream| {
        let seen = Arc::clone(&seen);
        async move {
            let request = read(&mut stream).await.unwrap();
            seen.lock().unwrap().push(request);
            let body = format!("{{\"error\":{{\"message\":\"what is {KEY}?\"}}}}");
            let length = body.len();
            let answer =
                format!("HTTP/1.1 401 No\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    })
    .await;
    let model = ChatModel::new(&base, "some-model").unwrap().api_key(Secret::new(KEY.to_owned()));
    let request = ModelRequest::new([Message::user("hi")]).with_correlation_id("trace-7").with_user("ada");
    let error = model.respond(&request, &mut |_| {}).await.unwrap_err();
    assert_eq!(error, ModelError::status(401, "what is ***?", None));
    let (head, body) = heads.lock().unwrap().remove(0);
    assert!(head.contains("x-correlation-id: trace-7"), "{head}");
    assert!(head.contains(&format!("authorization: bearer {KEY}")), "{head}");
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&body["user"], &body["model"]), (&json!("ada"), &json!("some-model")));
    assert!(!format!("{model:?}").contains(KEY));
}

#[test]
fn o4_a_model_by_hand_names_the_model_that_it_asks() {
    let model = ChatModel::new(&"http://127.0.0.1:1/v1/".parse().unwrap(), "some-model").unwrap();
    let own = BoxModel::new(model.clone()).identity(None);
    assert_eq!((own.provider(), own.model()), ("chat", Some("some-model")));
    assert_eq!(model.identity(Some("of-the-agent")).model(), Some("of-the-agent"));
}

agent! {
    Clerk { crate: onionskin_core, instruction: "List them." }
}

/// Answers in the form that the request asks for.
async fn answer_in_form(mut stream: TcpStream) {
    let (_, body) = read(&mut stream).await.unwrap();
    let body: Value = serde_json::from_str(&body).unwrap();
    let numbers = json!({ "result": [1, 2] }).to_string();
    let answer =
        if body["response_format"]["json_schema"]["schema"]["properties"]["result"]["type"] == "array" {
            ModelResponse::text(numbers)
        } else {
            let names: Vec<_> =
                body["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]["name"]).collect();
            assert_eq!(names, ["final_answer", "look"]);
            ModelResponse::tool_calls([ToolCall::new("call-1", "final_answer", numbers)])
        };
    let answer = format!("{OPEN}{}", stream_of(&answer));
    stream.write_all(answer.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
}

#[tokio::test]
async fn a8_a_model_by_hand_says_when_it_takes_the_schema_of_an_answer() {
    let model = ChatModel::new(&serve(answer_in_form).await, "some-model").unwrap();
    let look = ToolSpec::from_fn("look", "Looks.", |(): (), _| async { Ok(1) });
    for builder in [Clerk::builder(), Clerk::builder().tool(look)] {
        let clerk = builder.model(model.clone()).build().await.unwrap();
        assert_eq!(clerk.run_as::<Vec<u32>>("Which?").await.unwrap().answer, [1, 2]);
    }
}
