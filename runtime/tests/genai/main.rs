//! The genai adapter against a server on the loopback that says exactly what each test wants.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests say what they expect")]

#[macro_use]
#[path = "../shared/by_hand.rs"]
mod by_hand;
mod hostile;
mod reasoning;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use onionskin::content::ContentBlock;
use onionskin::declaration::{AgentDeclaration, Limits};
use onionskin::genai::GenaiModel;
use onionskin::model::{
    Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, ReasoningEffort, RequestOption,
    RequestParams, ResponseSchema, ServiceTier, StopReason, ToolCallDelta, ToolChoice, ToolDeclaration,
    Usage, Verbosity,
};
use onionskin::{
    Agent, AgentHandle, BuildError, RunError, ToolContext, ToolDefinition, ToolOutput, ToolResult,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

// ---- the server ---------------------------------------------------------------------------------

/// What the server does with one connection.
#[derive(Clone)]
enum Reply {
    /// Writes this and closes.
    Raw(String),
    /// Writes this and then says nothing more.
    Hang(String),
}

#[derive(Clone, Default)]
struct Requests(Arc<Mutex<Vec<(String, Value)>>>);

impl Requests {
    fn heads(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().map(|(head, _)| head.clone()).collect()
    }

    fn bodies(&self) -> Vec<Value> {
        self.0.lock().unwrap().iter().map(|(_, body)| body.clone()).collect()
    }
}

/// Answers one connection after another; gives the base URL and what was asked.
async fn serve(replies: Vec<Reply>) -> (String, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let seen = Requests::default();
    let notes = seen.clone();
    tokio::spawn(async move {
        for reply in replies {
            let (mut stream, _) = listener.accept().await.unwrap();
            let asked = read_request(&mut stream).await;
            notes.0.lock().unwrap().push(asked);
            match reply {
                Reply::Raw(text) => {
                    stream.write_all(text.as_bytes()).await.unwrap();
                    stream.shutdown().await.unwrap();
                }
                Reply::Hang(text) => {
                    stream.write_all(text.as_bytes()).await.unwrap();
                    tokio::spawn(async move {
                        tokio::time::sleep(Duration::from_mins(10)).await;
                        drop(stream);
                    });
                }
            }
        }
    });
    (url, seen)
}

async fn read_request(stream: &mut TcpStream) -> (String, Value) {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "the request broke off");
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap().to_ascii_lowercase();
    let length: usize = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .map_or(0, |length| length.trim().parse().unwrap());
    while bytes.len() < head_end + length {
        assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "the request broke off");
    }
    (head, serde_json::from_slice(&bytes[head_end..]).unwrap())
}

fn http(status: &str, kind: &str, headers: &str, body: &str) -> Reply {
    Reply::Raw(format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    ))
}

fn sse(body: &str) -> Reply {
    http("200 OK", "text/event-stream", "", body)
}

const OPEN_STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

// ---- what providers say -------------------------------------------------------------------------

fn openai(chunks: &[Value]) -> String {
    let chunks: Vec<_> = chunks.iter().map(ToString::to_string).collect();
    format!("data: {}\n\ndata: [DONE]\n\n", chunks.join("\n\ndata: "))
}

fn delta(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}],
           "usage": {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}})
}

fn openai_says(text: &str) -> Reply {
    sse(&openai(&[delta(&json!({"content": text})), finish("stop")]))
}

/// Two calls in one answer, their arguments in pieces.
fn openai_calls() -> Reply {
    let call = |index: u32, id: &str, arguments: &str| {
        delta(&json!({"tool_calls": [{"index": index, "id": id, "type": "function",
                                      "function": {"name": "echo", "arguments": arguments}}]}))
    };
    let more = |index: u32, arguments: &str| {
        delta(&json!({"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}))
    };
    sse(&openai(&[
        delta(&json!({"role": "assistant", "content": "Let me "})),
        delta(&json!({"content": "look."})),
        call(0, "call_a", ""),
        more(0, "{\"text\" :"),
        more(0, "  \"one\"}"),
        call(1, "call_b", "{\"text\": \"two\"}"),
        finish("tool_calls"),
    ]))
}

fn anthropic(events: &[Value]) -> Reply {
    let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    let body = events.iter().map(event).collect::<Vec<_>>().concat();
    sse(&body)
}

fn anthropic_thinks_and_calls() -> Reply {
    anthropic(&[
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "c2ln"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1,
               "content_block": {"type": "tool_use", "id": "toolu_1", "name": "echo", "input": {}}}),
        json!({"type": "content_block_delta", "index": 1,
               "delta": {"type": "input_json_delta", "partial_json": "{\"text\":"}}),
        json!({"type": "content_block_delta", "index": 1,
               "delta": {"type": "input_json_delta", "partial_json": " \"one\" }"}}),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ])
}

fn anthropic_says(text: &str) -> Reply {
    anthropic(&[
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}),
        json!({"type": "message_stop"}),
    ])
}

// ---- an agent -----------------------------------------------------------------------------------

struct Echo(ToolDefinition);

tool_by_hand! {
    Echo "echo", self.0;

    async fn run(&self, _: &ToolContext, args: &mut onionskin::Args) -> ToolResult {
        let text = args.as_object().map_err(Clone::clone)?;
        Ok(ToolOutput::text(format!("heard {}", text["text"])))
    }
}

struct Listener;

impl Agent for Listener {
    const NAME: &'static str = "listener";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new()
            .description("Helps.")
            .instruction("Listen.")
            .tool(Echo(ToolDefinition::new("echo", "Says it again.")))
    }
}

async fn agent(model: GenaiModel, change: impl FnOnce(&mut Limits)) -> AgentHandle {
    let mut limits = Limits::default();
    change(&mut limits);
    Listener::builder().model(model).limits(limits).build().await.unwrap()
}

fn model(url: &str) -> GenaiModel {
    GenaiModel::new("some-model").base_url(url)
}

async fn ask(model: &GenaiModel) -> (Result<ModelResponse, ModelError>, Vec<ModelDelta>) {
    let mut deltas = Vec::new();
    let echo = ToolDeclaration::new("echo", &ToolDefinition::new("echo", "Says it again."));
    let request = ModelRequest::new([Message::user("hello")]).with_agent("listener").with_tools([echo]);
    let mut note = |delta| deltas.push(delta);
    let answer = tokio::time::timeout(Duration::from_secs(20), model.respond(&request, &mut note));
    let answer = answer.await.expect("it hangs");
    (answer, deltas)
}

async fn error_of(replies: Vec<Reply>) -> ModelError {
    let (url, _) = serve(replies).await;
    ask(&model(&url)).await.0.expect_err("an error")
}

// ---- what goes well -----------------------------------------------------------------------------

#[tokio::test]
async fn o3_an_openai_stream_becomes_one_answer_with_its_argument_text() {
    let (url, seen) = serve(vec![openai_calls()]).await;
    let (answer, deltas) = ask(&model(&url).api_key("key-1")).await;
    let answer = answer.unwrap();
    assert_eq!(answer.text, "Let me look.");
    let text = |text: &str| ModelDelta::Text(text.to_owned());
    let piece = |id: &str, text: &str| ModelDelta::ToolCall(ToolCallDelta::new(id, "echo", text));
    let pieces = [
        text("Let me "),
        text("look."),
        piece("call_a", ""),
        piece("call_a", "{\"text\" :"),
        piece("call_a", "  \"one\"}"),
        piece("call_b", "{\"text\": \"two\"}"),
        ModelDelta::Usage(Usage::new(11, 5)),
    ];
    assert_eq!(deltas, pieces);
    let calls: Vec<_> = answer.tool_calls.iter().map(|call| (&*call.id, &*call.arguments)).collect();
    assert_eq!(calls, [("call_a", "{\"text\" :  \"one\"}"), ("call_b", "{\"text\": \"two\"}")]);
    assert_eq!((answer.usage.input_tokens, answer.usage.output_tokens), (11, 5));
    assert_eq!(answer.stop, StopReason::ToolCalls);
    let head = &seen.heads()[0];
    assert!(head.starts_with("post /v1/chat/completions "), "{head}");
    assert!(head.contains("authorization: bearer key-1\r\n"), "{head}");
    let body = &seen.bodies()[0];
    assert_eq!((&body["model"], &body["stream"]), (&json!("some-model"), &json!(true)));
}

/// The answer `["ebb", "tide"]` as a call, in pieces.
fn answers_by_call(adapter: &str) -> Reply {
    let pieces = ["", "{\"result\": [\"e", "bb\", \"ti", "de\"]}"];
    if adapter == "openai" {
        let call = |piece| json!({"index": 0, "function": {"arguments": piece}});
        let mut calls: Vec<_> = pieces.iter().map(call).collect();
        calls[0] = json!({"index": 0, "id": "call_a", "type": "function",
                          "function": {"name": "final_answer", "arguments": ""}});
        let mut chunks: Vec<_> = calls.iter().map(|call| delta(&json!({"tool_calls": [call]}))).collect();
        chunks.push(finish("tool_calls"));
        return sse(&openai(&chunks));
    }
    let mut events = vec![
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0,
               "content_block": {"type": "tool_use", "id": "toolu_1", "name": "final_answer", "input": {}}}),
    ];
    events.extend(pieces.map(|piece| {
        json!({"type": "content_block_delta", "index": 0,
               "delta": {"type": "input_json_delta", "partial_json": piece}})
    }));
    events.extend([
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ]);
    anthropic(&events)
}

#[tokio::test]
async fn a8_an_answer_that_is_a_call_is_shown_while_it_comes() {
    // Both are without structured output: an older model, and a type without a form in OpenAI's rules.
    for (adapter, name) in [("openai", "gpt-3.5-turbo"), ("anthropic", "claude-3-5-haiku-latest")] {
        let (url, _) = serve(vec![answers_by_call(adapter)]).await;
        let model = GenaiModel::new(name).base_url(&url).adapter(adapter).api_key("key");
        let listener = agent(model, |_| {}).await;
        let mut run = listener.request("The tide?").stream_as::<Vec<String>>();
        let mut partial = Vec::new();
        while run.next().await.is_some() {
            partial.extend(run.partial());
        }
        partial.dedup();
        let shown = [json!(["e"]), json!(["ebb", "ti"]), json!(["ebb", "tide"])];
        assert_eq!(partial, shown, "{adapter}");
        assert_eq!(run.output().await.unwrap().answer, ["ebb", "tide"], "{adapter}");
    }
}

onionskin::agent! {
    /// Shares its conversation with its child, both ways.
    Sharer { name: "sharer", instruction: "Ask.", agents: [Listener], history_merge_target: orchestrator }
}

/// Providers that take the last words of a model for an answer that was begun refuse a request that ends with them.
#[tokio::test]
async fn a5_a_request_after_a_merge_ends_with_a_user_on_every_wire() {
    let openai_asks = sse(&openai(&[
        delta(&json!({"tool_calls": [{"index": 0, "id": "call_a", "type": "function",
            "function": {"name": "agent__listener", "arguments": "{\"input\":\"hear\"}"}}]})),
        finish("tool_calls"),
    ]));
    let anthropic_asks = anthropic(&[
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0,
               "content_block": {"type": "tool_use", "id": "toolu_1", "name": "agent__listener", "input": {}}}),
        json!({"type": "content_block_delta", "index": 0,
               "delta": {"type": "input_json_delta", "partial_json": "{\"input\":\"hear\"}"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ]);
    for (adapter, asks, says) in [
        ("openai", openai_asks, [openai_says("heard"), openai_says("done")]),
        ("anthropic", anthropic_asks, [anthropic_says("heard"), anthropic_says("done")]),
    ] {
        let [heard, done] = says;
        let (url, seen) = serve(vec![asks, heard, done]).await;
        let model = model(&url).adapter(adapter).api_key("key");
        let agent = Sharer::builder().model(model).build().await.unwrap();
        let output = tokio::time::timeout(Duration::from_secs(20), agent.run("go")).await.expect("it hangs");
        assert_eq!(output.unwrap().text, "done", "{adapter}");
        let bodies = seen.bodies();
        let messages = bodies[2]["messages"].as_array().unwrap();
        let last = messages.last().unwrap();
        assert_eq!(last["role"], "user", "{adapter}: {messages:#?}");
        assert!(last.to_string().contains("Go on with your own task"), "{adapter}: {last}");
        let told = Value::Array(messages.clone()).to_string();
        assert!(told.contains("hear") && told.contains("heard"), "{adapter}: {told}");
    }
}

#[tokio::test]
async fn o3_a_whole_run_over_openai_gives_every_call_its_result() {
    let (url, seen) = serve(vec![openai_calls(), openai_says("One and two.")]).await;
    let agent = agent(model(&url), |_| {}).await;
    let output = agent.run("hello").await.unwrap();
    assert_eq!(output.text, "One and two.");
    assert_eq!(output.tool_calls.len(), 2);
    let messages = &seen.bodies()[1]["messages"];
    assert_eq!(messages[0], json!({"role": "system", "content": "Helps.\n\nListen."}));
    assert_eq!(messages[2]["tool_calls"][0]["id"], "call_a");
    assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], r#"{"text":"one"}"#);
    assert_eq!(
        (&messages[3]["tool_call_id"], &messages[3]["content"]),
        (&json!("call_a"), &json!("heard \"one\""))
    );
    assert_eq!(
        (&messages[4]["tool_call_id"], &messages[4]["content"]),
        (&json!("call_b"), &json!("heard \"two\""))
    );
}

#[tokio::test]
async fn o3_signed_reasoning_goes_back_to_anthropic_unchanged() {
    let (url, seen) = serve(vec![anthropic_thinks_and_calls(), anthropic_says("Heard.")]).await;
    let agent = agent(model(&url).adapter("anthropic").api_key("key-2"), |_| {}).await;
    let output = agent.run("hello").await.unwrap();
    assert_eq!(output.text, "Heard.");
    assert_eq!(&*output.tool_calls[0].arguments, "{\"text\": \"one\" }");
    let head = &seen.heads()[0];
    assert!(head.starts_with("post /v1/messages "), "{head}");
    assert!(head.contains("x-api-key: key-2\r\n"), "{head}");
    let turn = &seen.bodies()[1]["messages"][1];
    assert_eq!(turn["content"][0], json!({"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}));
    assert_eq!(turn["content"][1]["input"], json!({"text": "one"}));
}

/// A part of an answer in which the provider searches: the texts before and behind the search, and why it stops.
fn anthropic_searches(before: &str, id: &str, behind: &str, stop: &str) -> Reply {
    let block =
        |at: u8, block: Value| json!({"type": "content_block_start", "index": at, "content_block": block});
    let ends = |at: u8| json!({"type": "content_block_stop", "index": at});
    let texts = |at, text| [block(at, json!({"type": "text", "text": text})), ends(at)];
    let search = json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": {}});
    let input = json!({"type": "input_json_delta", "partial_json": "{\"query\":\"crabs\"}"});
    let mut events =
        vec![json!({"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}})];
    events.extend(Some(before).filter(|text| !text.is_empty()).into_iter().flat_map(|text| texts(0, text)));
    if !id.is_empty() {
        events.extend([
            block(1, search),
            json!({"type": "content_block_delta", "index": 1, "delta": input}),
            ends(1),
        ]);
    }
    events.extend(Some(behind).filter(|text| !text.is_empty()).into_iter().flat_map(|text| texts(2, text)));
    events.push(
        json!({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 3}}),
    );
    events.push(json!({"type": "message_stop"}));
    anthropic(&events)
}

#[tokio::test]
async fn o3_an_answer_that_pauses_goes_on() {
    let replies = vec![
        anthropic_searches("I search. ", "srv_1", "", "pause_turn"),
        anthropic_searches("", "srv_2", "", "pause_turn"),
        anthropic_searches("Found: ", "", "crabs.", "end_turn"),
        anthropic_says("Once more."),
    ];
    let (url, seen) = serve(replies).await;
    let agent = agent(model(&url).adapter("anthropic").api_key("key-2"), |_| {}).await;
    let session = agent.session();
    let output = agent.request("hello").session(&session).run().await.unwrap();
    assert_eq!((&*output.text, output.turns), ("I search. Found: crabs.", 1));
    assert_eq!((output.usage.input_tokens, output.usage.output_tokens), (21, 9));
    assert_eq!(agent.request("again").session(&session).run().await.unwrap().text, "Once more.");
    let bodies = seen.bodies();
    let search = |id: &str| json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "crabs"}});
    let text = |text: &str| json!({"type": "text", "text": text});
    let first = json!({"role": "assistant", "content": [text("I search. "), search("srv_1")]});
    assert_eq!(bodies[1]["messages"][1], first);
    let parts = json!([text("I search. "), search("srv_1"), search("srv_2")]);
    assert_eq!(bodies[2]["messages"][1]["content"], parts);
    assert_eq!(bodies[2]["messages"].as_array().unwrap().len(), 2);
    // The next run has the whole answer in its order.
    let whole = json!([text("I search. "), search("srv_1"), search("srv_2"), text("Found: crabs.")]);
    assert_eq!(bodies[3]["messages"][1]["content"], whole);
}

#[tokio::test]
async fn o3_a_part_that_fails_is_asked_for_again_without_those_before_it() {
    let replies = vec![
        anthropic_searches("I search. ", "srv_1", "", "pause_turn"),
        http("503 Busy", "application/json", "", "{}"),
        anthropic_searches("Crabs.", "", "", "end_turn"),
    ];
    let (url, seen) = serve(replies).await;
    let (answer, _) = ask(&model(&url).adapter("anthropic").api_key("key-2")).await;
    let answer = answer.unwrap();
    assert_eq!((&*answer.text, answer.usage.input_tokens), ("I search. Crabs.", 14));
    let bodies = seen.bodies();
    assert_eq!(bodies.len(), 3);
    assert_eq!(bodies[1]["messages"], bodies[2]["messages"]);
}

#[tokio::test]
async fn o3_an_answer_that_pauses_for_ever_is_incomplete() {
    let (url, seen) = serve(vec![anthropic_searches("Hm. ", "srv_1", "", "pause_turn"); 11]).await;
    let (answer, _) = ask(&model(&url).adapter("anthropic").api_key("key-2")).await;
    let answer = answer.unwrap();
    assert_eq!((answer.stop, answer.text), (StopReason::Incomplete, "Hm. ".repeat(10)));
    assert_eq!(seen.bodies().len(), 10);
}

// ---- strict tools -------------------------------------------------------------------------------

/// An agent with strict tools that Anthropic cannot take so: the second is recursive.
struct Climber;

impl Agent for Climber {
    const NAME: &'static str = "climber";
    type State = ();

    fn declare() -> AgentDeclaration {
        let tree = json!({
            "type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}, "additionalProperties": false,
        });
        let schema = json!({
            "type": "object", "properties": {"tree": {"$ref": "#/$defs/Tree"}}, "required": ["tree"],
            "additionalProperties": false, "$defs": {"Tree": tree},
        });
        let text =
            json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
        let strict = |name: &'static str, schema: Value| {
            ToolDefinition::new(name, "Says it again.").with_input_schema(schema).with_strict(true).unwrap()
        };
        AgentDeclaration::new()
            .instruction("Climb.")
            .tool(Echo(strict("echo", text)))
            .tool(Climb(strict("climb", schema)))
    }
}

struct Climb(ToolDefinition);

tool_by_hand! {
    Climb "climb", self.0;

    async fn run(&self, _: &ToolContext, _: &mut onionskin::Args) -> ToolResult {
        Ok(ToolOutput::text("up"))
    }
}

async fn climber(model: GenaiModel) -> AgentHandle {
    let model = model.adapter("anthropic").api_key("key");
    Climber::builder().model(model).build().await.unwrap()
}

#[tokio::test]
async fn s3_what_cannot_be_sent_strictly_ends_the_run_before_the_request() {
    let (url, seen) = serve(vec![anthropic_says("Up.")]).await;
    let error = climber(model(&url)).await.run("hello").await.unwrap_err();
    assert!(
        matches!(&error, RunError::Model { source: ModelError::Tools(errors), .. } if errors.len() == 1),
        "{error:?}"
    );
    let text = error.to_string();
    for part in ["`climb`", "Anthropic", "`$.tree", "recursive", "strict_where_taken"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(seen.bodies().len(), 0);
}

/// Keeps warnings, each with how many requests there had been.
struct Warnings(Requests, Arc<Mutex<Vec<(usize, String)>>>);

struct Text(String);

impl tracing::field::Visit for Text {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0.push_str(&format!("{field}={value:?} "));
    }
}

impl tracing::Subscriber for Warnings {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::WARN && metadata.target().starts_with("onionskin")
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        self.1.lock().unwrap().push((self.0.bodies().len(), text.0));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[tokio::test]
async fn s3_where_it_is_asked_for_a_tool_goes_without_strict_and_is_named_once() {
    let turns = || [anthropic_thinks_and_calls(), anthropic_says("Up.")];
    let (url, seen) = serve(turns().into_iter().chain(turns()).chain(turns()).collect()).await;
    let warnings = Arc::default();
    let _guard = tracing::subscriber::set_default(Warnings(seen.clone(), Arc::clone(&warnings)));
    let model = model(&url).strict_where_taken();
    let agent = climber(model.clone()).await;
    for _ in 0..2 {
        assert_eq!(agent.run("hello").await.unwrap().text, "Up.");
    }
    let other = climber(model).await;
    other.run("hello").await.unwrap();
    let bodies = seen.bodies();
    assert_eq!(bodies.len(), 6);
    for body in bodies {
        assert_eq!((&body["tools"][0]["name"], &body["tools"][0]["strict"]), (&json!("echo"), &json!(true)));
        assert_eq!((&body["tools"][1]["name"], &body["tools"][1]["strict"]), (&json!("climb"), &Value::Null));
    }
    let warnings = warnings.lock().unwrap();
    // For each agent before its first request, and not at every turn.
    assert_eq!(warnings.iter().map(|(requests, _)| *requests).collect::<Vec<_>>(), [0, 4], "{warnings:?}");
    for part in ["climb", "Anthropic", "`$.tree", "recursive"] {
        assert!(warnings.iter().all(|(_, text)| text.contains(part)), "{part}: {warnings:?}");
    }
    assert!(!warnings[0].1.contains("echo"), "{warnings:?}");
}

#[tokio::test]
async fn o3_an_answer_that_is_not_streamed() {
    let body = json!({"model": "some-model-2026-05-01", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant",
        "content": "So.", "tool_calls": [{"id": "call_a", "type": "function",
        "function": {"name": "echo", "arguments": "{\"text\":\"one\"}"}}]}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}});
    let (url, seen) = serve(vec![http("200 OK", "application/json", "", &body.to_string())]).await;
    let (answer, deltas) = ask(&model(&url).stream(false)).await;
    let answer = answer.unwrap();
    assert_eq!((&*answer.text, deltas), ("So.", vec![ModelDelta::Usage(Usage::new(3, 4))]));
    assert_eq!(&*answer.tool_calls[0].arguments, r#"{"text":"one"}"#);
    assert_eq!(answer.usage.total(), 7);
    assert_eq!(answer.model.as_deref(), Some("some-model-2026-05-01"));
    assert_ne!(seen.bodies()[0]["stream"], json!(true));
}

#[tokio::test]
async fn t11_broken_arguments_are_a_tool_error_and_the_run_goes_on() {
    let broken = delta(&json!({"tool_calls": [{"index": 0, "id": "call_a", "type": "function",
        "function": {"name": "echo", "arguments": "{\"text\": one"}}]}));
    let (url, seen) = serve(vec![sse(&openai(&[broken, finish("tool_calls")])), openai_says("Sorry.")]).await;
    let output = agent(model(&url), |_| {}).await.run("hello").await.unwrap();
    assert_eq!(output.text, "Sorry.");
    assert_eq!(&*output.tool_calls[0].arguments, "{\"text\": one");
    let told = seen.bodies()[1]["messages"][3]["content"].as_str().unwrap().to_owned();
    assert!(told.contains("not one JSON object"), "{told}");
}

// ---- what goes wrong ----------------------------------------------------------------------------

#[tokio::test]
async fn o3_malformed_events_are_malformed() {
    let error = error_of(vec![sse("data: {\"choices\": [\n\ndata: [DONE]\n\n")]).await;
    assert!(matches!(error, ModelError::Malformed(_)), "{error:?}");
    let error = error_of(vec![http("200 OK", "text/html", "", "<html>Sign in</html>")]).await;
    assert!(matches!(&error, ModelError::Malformed(text) if text.contains("base URL")), "{error:?}");
    assert!(!error.is_transient());
    let bytes = format!("{OPEN_STREAM}data: {}\n\n", delta(&json!({"content": "x"})));
    let (url, _) = serve(vec![Reply::Raw(bytes)]).await;
    let (answer, _) = ask(&model(&url).adapter("anthropic")).await;
    assert!(answer.is_err(), "an OpenAI stream is no Anthropic answer: {answer:?}");
}

#[tokio::test]
async fn o3_a_stream_without_its_end_is_no_answer() {
    let half = format!("data: {}\n\n", delta(&json!({"content": "The answer is"})));
    // The connection closes in order, but no end event came.
    let error = error_of(vec![Reply::Raw(format!("{OPEN_STREAM}{half}"))]).await;
    assert!(matches!(&error, ModelError::Transport(text) if text.contains("13 characters")), "{error:?}");
    // The connection closes within the promised length.
    let head = OPEN_STREAM.replace("\r\n\r\n", "\r\ncontent-length: 100000\r\n\r\n");
    let error = error_of(vec![Reply::Raw(format!("{head}{half}"))]).await;
    assert!(matches!(error, ModelError::Transport(_)), "{error:?}");
    assert!(error.is_transient());
    // The connection closes without a word.
    let error = error_of(vec![Reply::Raw(String::new())]).await;
    assert!(matches!(error, ModelError::Transport(_)), "{error:?}");
}

#[tokio::test]
async fn o3_an_error_inside_a_stream_has_its_status() {
    let error = |kind| json!({"error": {"type": kind, "message": "Too much"}});
    let body = format!("data: {}\n\n", error("rate_limit_error"));
    let told = error_of(vec![sse(&body)]).await;
    assert!(
        matches!(&told, ModelError::Status { status: 429, message, .. } if message == "Too much"),
        "{told:?}"
    );
    let told = error_of(vec![sse(&format!("data: {}\n\n", error("odd")))]).await;
    assert!(matches!(&told, ModelError::Transport(text) if text.contains("Too much")), "{told:?}");
}

#[tokio::test]
async fn o3_a_refusal_says_how_long_to_wait() {
    let body = json!({"error": {"message": "Slow down"}}).to_string();
    let limited =
        |wait: &str| http("429 Too Many Requests", "application/json", &format!("{wait}\r\n"), &body);
    let error = error_of(vec![limited("retry-after: 7")]).await;
    let wanted = |wait| ModelError::status(429, "Slow down", Some(wait));
    assert_eq!(error, wanted(Duration::from_secs(7)));
    assert_eq!(error_of(vec![limited("retry-after-ms: 250")]).await, wanted(Duration::from_millis(250)));
    let (url, seen) = serve(vec![limited("retry-after: 0"), openai_says("Now.")]).await;
    let output = agent(model(&url), |_| {}).await.run("hello").await.unwrap();
    assert_eq!((&*output.text, seen.bodies().len()), ("Now.", 2));
}

#[tokio::test]
async fn o3_what_does_not_pass_is_not_asked_again() {
    let body = json!({"error": {"message": "No money", "code": "insufficient_quota"}}).to_string();
    let event = format!("data: {body}\n\n");
    let no_money = || http("429 Too Many Requests", "application/json", "", &body);
    let in_stream = || sse(&event);
    let refused = || http("503 Busy", "application/json", "x-should-retry: false\r\n", "{}");
    for reply in [no_money(), in_stream(), refused()] {
        let (url, seen) = serve(vec![reply, openai_says("Again.")]).await;
        let error = agent(model(&url), |_| {}).await.run("hello").await.unwrap_err();
        assert!(matches!(error, RunError::Model { source: ModelError::Status { .. }, .. }), "{error:?}");
        assert_eq!(seen.bodies().len(), 1, "{error}");
    }
}

#[tokio::test]
async fn a12_attempts_that_fail_count_in_the_usage() {
    // Each is billed: an empty answer, streamed and whole, and one that breaks off behind its usage.
    let usage = json!({"prompt_tokens": 1000, "completion_tokens": 500});
    let empty = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": usage});
    let whole = json!({"choices": [{"message": {"content": ""}, "finish_reason": "stop"}], "usage": usage});
    let broken = json!({"choices": [], "usage": usage});
    let empty = || sse(&format!("data: {empty}\n\ndata: [DONE]\n\n"));
    let whole = || http("200 OK", "application/json", "", &whole.to_string());
    let broken = || sse(&format!("data: {broken}\n\n"));
    for reply in [empty(), whole(), broken()] {
        let (url, seen) = serve(vec![reply, openai_says("Fine.")]).await;
        let output = agent(model(&url), |_| {}).await.run("hello").await.unwrap();
        assert_eq!((&*output.text, seen.bodies().len()), ("Fine.", 2));
        assert_eq!((output.usage.input_tokens, output.usage.output_tokens), (1011, 505));
    }
}

#[tokio::test]
async fn o3_a_slow_server_ends_in_a_timeout() {
    let half = format!("{OPEN_STREAM}data: {}\n\n", delta(&json!({"content": "The"})));
    for reply in [Reply::Hang(String::new()), Reply::Hang(half)] {
        let (url, _) = serve(vec![reply]).await;
        let timeout = Duration::from_millis(300);
        let agent = agent(model(&url), |limits| {
            limits.model_timeout = timeout;
            limits.model_retries = 0;
        })
        .await;
        let started = Instant::now();
        let error = agent.run("hello").await.unwrap_err();
        assert!(
            matches!(&error, RunError::Model { source: ModelError::Timeout(after), .. } if *after == timeout),
            "{error:?}"
        );
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }
}

#[tokio::test]
async fn o3_nobody_at_the_address_is_a_transport_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://user:secret-word@{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let error = ask(&model(&url)).await.0.unwrap_err();
    assert!(matches!(&error, ModelError::Transport(text) if text.contains("refused")), "{error:?}");
    assert!(!format!("{error:?}").contains("secret-word"), "{error:?}");
}

#[tokio::test]
async fn o3_a_missing_key_names_its_variable() {
    let missing = GenaiModel::new("gpt-4o").api_key_env("ONIONSKIN_TEST_NO_SUCH_KEY");
    let names_it = |error: &ModelError| {
        matches!(error, ModelError::NoKey { model, variable, .. }
            if model == "gpt-4o" && variable == "ONIONSKIN_TEST_NO_SUCH_KEY")
    };
    let error = ask(&missing).await.0.unwrap_err();
    assert!(names_it(&error), "{error:?}");
    // The agent is not built, also if the model asks what the agent names.
    onionskin::agent! { Poet { instruction: "Answer.", model: "gpt-4o" } }
    for missing in [missing, GenaiModel::from_env().api_key_env("ONIONSKIN_TEST_NO_SUCH_KEY")] {
        let error = Poet::builder().model(missing).build().await.unwrap_err();
        assert!(matches!(&error, BuildError::Model { source, .. } if names_it(source)), "{error:?}");
    }
    // A server without a key.
    let local = GenaiModel::new("gpt-4o").base_url("http://127.0.0.1:1/v1");
    Poet::builder().model(local).build().await.unwrap();
    let error = ask(&GenaiModel::from_env()).await.0.unwrap_err();
    assert!(matches!(&error, ModelError::Setup(text) if text.contains("names no model")), "{error:?}");
}

#[tokio::test]
async fn o3_an_unknown_adapter_is_reported_with_near_names() {
    let error = ask(&GenaiModel::new("x").adapter("antropic")).await.0.unwrap_err();
    assert!(matches!(&error, ModelError::Setup(text) if text.contains("`anthropic`?")), "{error:?}");
}

#[tokio::test]
async fn o3_the_key_shows_nowhere() {
    let echo = json!({"error": {"message": "Incorrect API key provided: key-3-very-secret"}}).to_string();
    let (url, _) = serve(vec![http("401 Unauthorized", "application/json", "", &echo)]).await;
    let model = model(&url).api_key("key-3-very-secret");
    let error = ask(&model).await.0.unwrap_err();
    assert!(matches!(&error, ModelError::Status { status: 401, message, .. } if message.ends_with(": ***")));
    for text in [format!("{error:?}"), error.to_string(), format!("{model:?}")] {
        assert!(!text.contains("key-3-very-secret"), "{text}");
    }
    let model = GenaiModel::new("x").base_url("http://me:key-3-very-secret@localhost/v1");
    assert!(!format!("{model:?}").contains("key-3-very-secret"), "{model:?}");
}

#[tokio::test]
async fn o3_a_redirect_is_not_followed_with_the_key() {
    let (elsewhere, seen) = serve(vec![openai_says("mine now")]).await;
    let to = format!("location: {elsewhere}/chat/completions\r\n");
    let (url, _) = serve(vec![http("307 Temporary Redirect", "text/plain", &to, "")]).await;
    let error = ask(&model(&url).api_key("key-4")).await.0.unwrap_err();
    assert!(matches!(error, ModelError::Status { status: 307, .. }), "{error:?}");
    assert!(seen.heads().is_empty());
}

#[tokio::test]
async fn o3_a_name_of_another_provider_still_reaches_the_own_address() {
    let (url, seen) = serve(vec![openai_says("hi")]).await;
    let mut request = ModelRequest::new([Message::user("hello")]).with_agent("listener");
    request.model = Some("agents-choice".into());
    request.messages.push(Message::user_content([ContentBlock::text("there")]));
    let named = GenaiModel::from_env().base_url(&*url);
    assert_eq!(named.respond(&request, &mut |_| {}).await.unwrap().text, "hi");
    assert_eq!(seen.bodies()[0]["model"], "agents-choice");
    assert_eq!(GenaiModel::new("claude-x").provider(), "anthropic");
    // Spans name the model that answers.
    let of_agent = GenaiModel::from_env().identity(Some("gemini-x"));
    assert_eq!((of_agent.provider(), of_agent.model()), ("gcp.gemini", Some("gemini-x")));
    assert_eq!(GenaiModel::new("claude-x").identity(Some("gemini-x")).model(), Some("claude-x"));
    assert_eq!(model(&url).provider(), "openai");
}

// ---- options that not every protocol has ----------------------------------------------------------

/// The names of all protocols, from the error that lists them.
async fn protocols() -> Vec<String> {
    let model = GenaiModel::new("some-model").adapter("none");
    let error = model.respond(&ModelRequest::new([Message::user("hi")]), &mut |_| {}).await.unwrap_err();
    let text = error.to_string();
    text.split_once("There are: ").unwrap().1.split(", ").map(str::to_owned).collect()
}

#[tokio::test]
async fn o3_each_protocol_sends_an_option_or_refuses_it() {
    let schema = json!({"type": "object", "properties": {"degrees_of_warmth": {"type": "integer"}},
        "required": ["degrees_of_warmth"], "additionalProperties": false});
    let mut choice = RequestParams::default();
    choice.tool_choice = ToolChoice::tool("echo_once");
    let mut form = RequestParams::default();
    let described = ResponseSchema::new("weather", schema).unwrap().with_description("How warm it feels.");
    form.response_schema = Some(described);
    let mut extra = RequestParams::default();
    extra.extra_body.insert("some_field".to_owned(), json!(1));
    let mut stop = RequestParams::default();
    stop.stop_sequences = vec!["that is all".to_owned()];
    let with = |set: fn(&mut RequestParams)| {
        let mut params = RequestParams::default();
        set(&mut params);
        params
    };
    let options = [
        (RequestOption::Seed, with(|params| params.seed = Some(424_242)), "424242"),
        (
            RequestOption::ReasoningEffort,
            with(|params| params.reasoning_effort = Some(ReasoningEffort::High)),
            "\"high\"",
        ),
        (RequestOption::Verbosity, with(|params| params.verbosity = Some(Verbosity::High)), "\"high\""),
        (
            RequestOption::ServiceTier,
            with(|params| params.service_tier = Some(ServiceTier::Standard)),
            "ier\":",
        ),
        (
            RequestOption::ParallelToolCalls,
            with(|params| params.parallel_tool_calls = Some(false)),
            "parallel_tool",
        ),
        (RequestOption::ToolChoice, choice, "echo_once"),
        (RequestOption::ResponseSchema, form, "degrees_of_warmth"),
        (RequestOption::ExtraBody, extra, "some_field"),
        (RequestOption::StopSequences, stop, "that is all"),
    ];
    let (mut sent, mut refused) = (0, Vec::new());
    // Refused by name.
    let spoken = |protocol: &String| protocol != "gemini_ix";
    for protocol in protocols().await.into_iter().filter(spoken) {
        for (option, params, sign) in &options {
            let (url, seen) = serve(vec![http("500 No", "application/json", "", "{}")]).await;
            // The protocols for several providers look at the name.
            let name = match &*protocol {
                "vertex" => "gemini-3-pro",
                "github_copilot" => "openai/gpt-5",
                _ => "some-model",
            };
            let model = GenaiModel::new(name).adapter(&*protocol).base_url(&url).api_key("key").stream(false);
            // Cohere names no tool, but sends only the chosen one.
            let tools = ["echo_once", "echo_twice"]
                .map(|name| ToolDeclaration::new(name, &ToolDefinition::new(name, "Says it again.")));
            let request =
                ModelRequest::new([Message::user("hi")]).with_tools(tools).with_params(params.clone());
            let error = model.respond(&request, &mut |_| {}).await.unwrap_err();
            let bodies = seen.bodies();
            match error {
                ModelError::Unsupported { option: refuses, .. } => {
                    assert_eq!(refuses, *option, "{protocol}");
                    assert!(bodies.is_empty() && !model.supports(*option), "{protocol}");
                    refused.push(format!("{protocol} {option}"));
                }
                error => {
                    let body = bodies.first().unwrap_or_else(|| panic!("{protocol} {option}: {error}"));
                    assert!(body.to_string().contains(sign), "{protocol} leaves `{option}` out: {body}");
                    let described = body.to_string().contains("How warm it feels.");
                    assert_eq!(described, *option == RequestOption::ResponseSchema, "{protocol}: {body}");
                    assert!(model.supports(*option), "{protocol}");
                    sent += 1;
                }
            }
        }
    }
    let mut not: Vec<String> = Vec::new();
    for (protocols, options) in [
        ("openai_resp", "seed stop_sequences"),
        ("anthropic minimax", "seed verbosity"),
        ("gemini vertex", "verbosity parallel_tool_calls"),
        ("ollama ollama_cloud", "verbosity service_tier parallel_tool_calls tool_choice"),
        ("cohere", "reasoning_effort verbosity service_tier parallel_tool_calls"),
        ("bedrock_api", "seed reasoning_effort verbosity parallel_tool_calls response_schema"),
    ] {
        for protocol in protocols.split(' ') {
            not.extend(options.split(' ').map(|option| format!("{protocol} {option}")));
        }
    }
    refused.sort();
    not.sort();
    assert_eq!(refused, not);
    assert!(sent > 60, "{sent}");
}

#[tokio::test]
async fn o3_choice_form_and_extra_fields_are_sent_in_the_providers_words() {
    let (url, seen) = serve(vec![openai_says("{}"), openai_says("{}")]).await;
    let mut params = RequestParams::default();
    params.tool_choice = ToolChoice::Required;
    let schema = json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
    params.response_schema = Some(ResponseSchema::new("weather", schema.clone()).unwrap());
    params.extra_body.insert("reasoning_effort".to_owned(), json!("low"));
    let request = ModelRequest::new([Message::user("hi")]).with_params(params);
    model(&url).respond(&request, &mut |_| {}).await.unwrap();
    let plain = ModelRequest::new([Message::user("hi")]);
    model(&url).respond(&plain, &mut |_| {}).await.unwrap();
    let [with, without] = &seen.bodies()[..] else { panic!("two requests") };
    assert_eq!((&with["tool_choice"], &with["reasoning_effort"]), (&json!("required"), &json!("low")));
    assert_eq!(with["response_format"]["json_schema"]["name"], "weather");
    assert_eq!(with["response_format"]["json_schema"]["schema"], schema);
    assert_eq!((&without["tool_choice"], &without["response_format"]), (&Value::Null, &Value::Null));
    let named_by_the_agent = GenaiModel::from_env();
    assert!(named_by_the_agent.supports(RequestOption::ToolChoice));
}

onionskin::agent! {
    Meter { instruction: "Listen." }
}

/// How warm it is.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Warmth {
    degrees: i64,
    wind: Option<u32>,
}

#[tokio::test]
async fn a8_the_schema_of_an_answer_is_in_the_providers_own_field_and_rules() {
    let protocols = [
        ("some-model", "openai", "/response_format/json_schema/schema", json!(["degrees", "wind"])),
        ("some-model", "openai_resp", "/text/format/schema", json!(["degrees", "wind"])),
        ("claude-sonnet-4-5", "anthropic", "/output_config/format/schema", json!(["degrees"])),
        ("gemini-2.5-pro", "gemini", "/generationConfig/responseJsonSchema", json!(["degrees"])),
    ];
    for (name, adapter, place, required) in protocols {
        let (url, seen) = serve(vec![http("400 No", "application/json", "", "{}")]).await;
        let model = GenaiModel::new(name).adapter(adapter).base_url(&url).api_key("key").stream(false);
        let meter = Meter::builder().model(model).build().await.unwrap();
        meter.run_as::<Warmth>("hi").await.unwrap_err();
        let body = seen.bodies().remove(0);
        let schema = body.pointer(place).unwrap_or_else(|| panic!("{adapter}: {body}"));
        assert_eq!(
            (&schema["required"], &schema["additionalProperties"]),
            (&required, &json!(false)),
            "{adapter}"
        );
        assert!(body.get("tools").is_none(), "{adapter}: {body}");
    }
}

#[tokio::test]
async fn a8_a_model_without_structured_output_gets_a_tool_and_has_to_call_it() {
    let protocols = [
        ("gpt-4", "openai", "/tools/0/function/name", "/tool_choice", json!("required")),
        ("claude-3-5-haiku-latest", "anthropic", "/tools/0/name", "/tool_choice/type", json!("any")),
        ("deepseek-chat", "deepseek", "/tools/0/function/name", "/tool_choice", json!("required")),
    ];
    for (name, adapter, place, choice, forced) in protocols {
        let (url, seen) = serve(vec![http("400 No", "application/json", "", "{}")]).await;
        let model = GenaiModel::new(name).adapter(adapter).base_url(&url).api_key("key").stream(false);
        let meter = Meter::builder().model(model).build().await.unwrap();
        meter.run_as::<Warmth>("hi").await.unwrap_err();
        let body = seen.bodies().remove(0);
        assert_eq!(body.pointer(place), Some(&json!("final_answer")), "{adapter}: {body}");
        assert_eq!(body.pointer(choice), Some(&forced), "{adapter}: {body}");
    }
}

onionskin::agent! {
    Thinker {
        instruction: "Listen.",
        request_params: {
            extra_body: serde_json::Map::from_iter([(
                "thinking".to_owned(),
                json!({"type": "enabled", "budget_tokens": 1024}),
            )]),
        },
    }
}

/// Anthropic and others refuse a forced call while the model thinks.
#[tokio::test]
async fn a8_an_answer_that_is_a_call_is_not_forced_beside_thinking() {
    let (url, seen) = serve(vec![http("400 No", "application/json", "", "{}")]).await;
    let model = GenaiModel::new("claude-3-7-sonnet-latest").adapter("anthropic").base_url(&url).stream(false);
    let thinker = Thinker::builder().model(model).build().await.unwrap();
    thinker.run_as::<Warmth>("hi").await.unwrap_err();
    let body = seen.bodies().remove(0);
    assert_eq!(body["tools"][0]["name"], "final_answer", "{body}");
    assert_eq!((&body["thinking"]["type"], body.get("tool_choice")), (&json!("enabled"), None), "{body}");
}
