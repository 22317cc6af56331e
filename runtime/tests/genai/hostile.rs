//! Servers that send too much, for ever, or what nobody asked for: each ends in a typed error, and a time limit ends what does not.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Command;
use std::time::Duration;

use onionskin::genai::GenaiModel;
use onionskin::model::{Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, Usage};
use serde_json::json;

const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
const JSON: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";

/// A server in a thread of its own: it answers one request with a head and then with what `more` gives, for ever or until it is `None`.
fn serve(head: &'static str, mut more: impl FnMut(u64) -> Option<Vec<u8>> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let Ok((mut stream, _)) = listener.accept() else { return };
        read_request(&mut stream);
        let mut open = stream.write_all(head.as_bytes()).is_ok();
        let mut round = 0;
        while open {
            let Some(bytes) = more(round) else { break };
            open = stream.write_all(&bytes).is_ok();
            round += 1;
        }
        let _ = stream.shutdown(Shutdown::Write);
        // The client closes first.
        let _ = stream.read(&mut [0; 1]);
    });
    url
}

fn read_request(stream: &mut TcpStream) -> String {
    let (mut bytes, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
            if body.len() >= length.map_or(0, |length| length.trim().parse().unwrap()) {
                return text;
            }
        }
        match stream.read(&mut part) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&part[..count]),
            _ => return text,
        }
    }
}

fn once(text: impl Into<Vec<u8>>) -> impl FnMut(u64) -> Option<Vec<u8>> + Send {
    let mut text = Some(text.into());
    move |_| text.take()
}

async fn ask(model: GenaiModel) -> Result<ModelResponse, ModelError> {
    let request = ModelRequest::new([Message::user("hello")]).with_agent("listener");
    let mut note = |_| {};
    let answer = tokio::time::timeout(Duration::from_mins(2), model.respond(&request, &mut note));
    answer.await.expect("it hangs")
}

fn model(url: &str) -> GenaiModel {
    GenaiModel::new("some-model").base_url(url)
}

fn event(delta: &serde_json::Value) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}]}))
}

fn piece(index: u64, id: &str, arguments: &str) -> String {
    let function = json!({"name": "echo", "arguments": arguments});
    event(&json!({"tool_calls": [{"index": index, "id": id, "function": function}]}))
}

const FINISH: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n";

#[track_caller]
fn assert_malformed(answer: Result<ModelResponse, ModelError>, part: &str) {
    match answer {
        Err(error @ ModelError::Malformed(_)) => assert!(error.to_string().contains(part), "{error}"),
        other => panic!("{part}: {other:?}"),
    }
}

#[tokio::test]
async fn o3_a_very_large_index_is_a_call_as_any_other() {
    let url = serve(STREAM, once(format!("{}{FINISH}", piece(4_000_000_000, "a", "{}"))));
    assert_eq!(ask(model(&url)).await.unwrap().tool_calls.len(), 1);
}

#[tokio::test]
async fn o3_calls_without_end_exceed_their_bound() {
    let url = serve(STREAM, |round| Some(piece(round, &format!("c{round}"), "{}").into()));
    assert_malformed(ask(model(&url)).await, "512 tool calls");
}

#[tokio::test]
async fn o3_arguments_without_end_exceed_their_bound() {
    let more = "x".repeat(64 << 10);
    let url = serve(STREAM, move |_| Some(piece(0, "a", &more).into()));
    assert_malformed(ask(model(&url)).await, "16 MiB");
}

#[tokio::test]
async fn o3_a_line_and_an_event_without_end_exceed_their_bounds() {
    let url = serve(STREAM, |_| Some(vec![b'x'; 64 << 10]));
    assert_malformed(ask(model(&url)).await, "8 MiB");
    for line in [format!("data: {}\n", "x".repeat(64 << 10)), ": a comment\n\n".repeat(4_000)] {
        let url = serve(STREAM, move |_| Some(line.clone().into()));
        assert_malformed(ask(model(&url)).await, "8 MiB");
    }
    let url = serve(STREAM, |_| Some(vec![b'x'; 64 << 10]));
    assert_malformed(ask(model(&url).adapter("ollama")).await, "8 MiB");
}

#[tokio::test]
async fn o3_a_very_large_answer_exceeds_its_bound() {
    // A document in the place of a stream begins as a line of it.
    for (stream, bound) in [(true, "8 MiB"), (false, "16 MiB")] {
        let url =
            serve(JSON, |round| Some(if round == 0 { b"{\"a\": \"".to_vec() } else { vec![b'x'; 64 << 10] }));
        assert_malformed(ask(model(&url).stream(stream)).await, bound);
    }
}

#[tokio::test]
async fn o3_an_answer_of_too_many_values_is_not_read() {
    let junk = format!("[{}0]", "[0],".repeat(600_000));
    let text = format!(
        "{{\"choices\":[{{\"index\":0,\"message\":{{\"content\":\"hi\"}},\"finish_reason\":\"stop\"}}],\"junk\":{junk}}}"
    );
    assert_malformed(ask(model(&serve(JSON, once(text.clone()))).stream(false)).await, "1000000 JSON values");
    assert_malformed(
        ask(model(&serve(STREAM, once(format!("data: {text}\n\n"))))).await,
        "1000000 JSON values",
    );
}

#[tokio::test]
async fn o3_an_error_without_end_is_read_in_part() {
    let head = "HTTP/1.1 500 No\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n";
    let url = serve(head, |_| Some(vec![b'x'; 64 << 10]));
    match ask(model(&url)).await {
        Err(ModelError::Status { status: 500, message, .. }) => {
            assert!(message.len() < 3_000, "{}", message.len());
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn o3_an_answer_is_not_unpacked() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n";
    let url = serve(head, once("\u{1f}x"));
    assert_malformed(ask(model(&url).stream(false)).await, "compressed (`gzip`)");
}

/// Nothing of it is ever too large, so only the time ends it: on one thread, which the reader has to share.
#[tokio::test]
async fn o3_a_time_limit_ends_a_stream_that_never_pauses() {
    let endless = [":\n\n".repeat(4_000), event(&json!({"content": ""})).repeat(100)];
    for text in endless {
        let url = serve(STREAM, move |_| Some(text.clone().into()));
        let request = ModelRequest::new([Message::user("hello")]).with_agent("listener");
        let mut note = |_| {};
        let model = model(&url);
        let answer =
            tokio::time::timeout(Duration::from_millis(200), model.respond(&request, &mut note)).await;
        assert!(answer.is_err(), "{answer:?}");
    }
}

#[tokio::test]
async fn o3_an_answer_is_complete_without_a_last_word() {
    let text = format!("{}{FINISH}", piece(0, "a", "{}"));
    // The connection closes, breaks within its length, or stays open.
    let closes = serve(STREAM, once(text.clone()));
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 100000\r\n\r\n";
    let breaks = serve(head, once(text.clone()));
    let stays = serve(STREAM, move |round| match round {
        0 => Some(text.clone().into()),
        _ => {
            std::thread::sleep(Duration::from_mins(10));
            None
        }
    });
    for url in [closes, breaks, stays] {
        assert_eq!(ask(model(&url)).await.unwrap().tool_calls.len(), 1);
    }
    // Gemini can say more after a reason to stop, but not for ever.
    let part = json!({"candidates": [{"content": {"parts": [{"text": "Fine."}]}, "finishReason": "STOP"}]});
    let stays = serve(STREAM, move |round| match round {
        0 => Some(format!("data: {part}\n\n").into()),
        _ => {
            std::thread::sleep(Duration::from_mins(10));
            None
        }
    });
    assert_eq!(ask(model(&stays).adapter("gemini")).await.unwrap().text, "Fine.");
}

/// Some servers write a reason to stop with each call, and take their time for the next one.
#[tokio::test]
async fn o3_a_call_long_behind_a_reason_to_stop_is_in_the_answer() {
    let with_reason = |at: u64, id: &str| {
        let function = json!({"name": "echo", "arguments": "{}"});
        let delta = json!({"tool_calls": [{"index": at, "id": id, "function": function}]});
        let choice = json!({"index": 0, "delta": delta, "finish_reason": "tool_calls"});
        format!("data: {}\n\n", json!({"choices": [choice]}))
    };
    let (first, second) = (with_reason(0, "a"), with_reason(1, "b"));
    let ends = serve(STREAM, {
        let (first, second) = (first.clone(), second);
        move |round| match round {
            0 => Some(first.clone().into()),
            1 => {
                std::thread::sleep(Duration::from_secs(7));
                Some(second.clone().into())
            }
            _ => None,
        }
    });
    assert_eq!(ask(model(&ends)).await.unwrap().tool_calls.len(), 2);
    // The connection breaks before the second one.
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 100000\r\n\r\n";
    let broken = ask(model(&serve(head, once(first)))).await;
    assert!(matches!(broken, Err(ModelError::Transport(_))), "{broken:?}");
}

#[tokio::test]
async fn o3_what_a_server_says_instead_of_an_answer_is_reported() {
    let key = "key-5-very-secret";
    let cases: [(&str, &str, &str); 6] = [
        (
            JSON,
            "{\"error\": {\"message\": \"no key key-5-very-secret\", \"type\": \"authentication_error\"}}",
            "401: no key ***",
        ),
        (JSON, "{\"error\": \"the model is gone\"}", "the model is gone"),
        (JSON, "[{\"error\": {\"code\": 429, \"message\": \"too fast\"}}]", "429: too fast"),
        (
            JSON,
            "{\"message\": \"wrong door, key-5-very-secret\"}",
            "check the base URL and the adapter; the server said: wrong door, ***",
        ),
        (STREAM, "upstream key-5-very-secret died\n\n", "the server said: upstream *** died"),
        (
            STREAM,
            "data: {\"error\": {\"message\": \"Overloaded\", \"type\": \"overloaded_error\"}}\n\n",
            "529: Overloaded",
        ),
    ];
    for (head, text, told) in cases {
        for stream in [true, false] {
            if head == STREAM && !stream {
                continue;
            }
            let url = serve(head, once(text));
            let error = ask(model(&url).api_key(key).stream(stream)).await.unwrap_err();
            let shown = error.to_string();
            assert!(shown.contains(told) && !shown.contains(key), "{text}: {shown}");
        }
    }
    let answer =
        json!({"choices": [{"message": {"content": "Hello."}, "finish_reason": "stop"}]}).to_string();
    assert_eq!(ask(model(&serve(JSON, once(answer)))).await.unwrap().text, "Hello.");
    // The directory takes this name for one of Gemini's Interactions.
    for model in [GenaiModel::new("gemini-4-argon"), GenaiModel::new("gemini-4-argon").adapter("gemini_ix")] {
        let error = ask(model.api_key("key")).await.unwrap_err();
        let told = "`gemini_ix` (Gemini's Interactions), which is not supported: write `gemini::gemini-4-argon` for the";
        assert!(matches!(&error, ModelError::Setup(text) if text.contains(told)), "{error}");
    }
}

/// The name of the variable with the address that the process of the test asks.
const ASKED: &str = "ONIONSKIN_TEST_ASKED";

/// The variables of a process cannot be changed safely while it runs, so the test runs itself again with them.
#[tokio::test]
async fn o3_a_server_on_this_machine_is_asked_without_a_proxy() {
    if let Ok(url) = std::env::var(ASKED) {
        println!("said {}", ask(model(&url).api_key("key-6-secret")).await.unwrap().text);
        return;
    }
    let text = format!(
        "{}data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}\n\n",
        event(&json!({"content": "here"}))
    );
    let url = serve(STREAM, once(text));
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let proxy_url = format!("http://{}", proxy.local_addr().unwrap());
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "hostile::o3_a_server_on_this_machine_is_asked_without_a_proxy", "--nocapture"]);
    for name in ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
        again.env(name, &proxy_url);
    }
    let output = again.env_remove("NO_PROXY").env_remove("no_proxy").env(ASKED, url).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && shown.contains("said here"), "{shown}");
    assert!(proxy.accept().is_err(), "the proxy was asked");
}

#[tokio::test]
async fn o3_a_count_of_tokens_has_a_bound() {
    let most = 1_000_000_000;
    let usage = json!({"prompt_tokens": u64::MAX, "completion_tokens": 4_000_000_000_u64});
    let document =
        json!({"choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}], "usage": usage});
    let answer = ask(model(&serve(JSON, once(document.to_string()))).stream(false)).await.unwrap();
    assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (most, most));

    let usage = json!({"input_tokens": 1, "server_tool_use": {"web_search_requests": u64::MAX}});
    let document =
        json!({"content": [{"type": "text", "text": "Hi."}], "stop_reason": "end_turn", "usage": usage});
    let model = model(&serve(JSON, once(document.to_string()))).adapter("anthropic").stream(false);
    assert_eq!(ask(model).await.unwrap().usage.server_tool_uses, most);
}

#[tokio::test]
async fn o3_counts_that_go_back_to_zero_are_no_sign_of_a_wait() {
    let event = |event: serde_json::Value| format!("data: {event}\n\n");
    let counts = [1, 0, 1, 0, 2].map(|count| event(json!({"usageMetadata": {"promptTokenCount": count}})));
    let content = json!({"parts": [{"text": "Hi."}]});
    let end = event(json!({"candidates": [{"content": content, "finishReason": "STOP"}]}));
    let url = serve(STREAM, once(counts.concat() + end.as_str()));
    let request = ModelRequest::new([Message::user("hello")]).with_agent("listener");
    let mut reported = Vec::new();
    let mut note = |delta| {
        if let ModelDelta::Usage(usage) = delta {
            reported.push(usage);
        }
    };
    model(&url).adapter("gemini").respond(&request, &mut note).await.unwrap();
    assert_eq!(reported, [Usage::new(1, 0), Usage::new(2, 0)]);
}
