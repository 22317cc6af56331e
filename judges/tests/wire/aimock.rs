//! Whole agent runs over the wire, against aimock in strict mode: it answers nothing that the fixtures in
//! `fixtures/` do not foresee, so a run that ends well has said every part of the protocol rightly.

use std::time::{Duration, Instant};

use crate::mock::Mock;
use crate::protocol::{self, ALL, Protocol};
use onionskin::declaration::{AgentDeclaration, Limits};
use onionskin::event::{CallOutcome, EventKind};
use onionskin::model::{Message, Model, ModelError, ModelRequest};
use onionskin::{
    Agent, AgentHandle, Args, ErrorKind, Exit, RunError, RunOutput, Tool, ToolContext, ToolDefinition,
    ToolOutput, ToolResult,
};

// ---- the agent ----------------------------------------------------------------------------------

struct GetWeather(ToolDefinition);

impl Tool for GetWeather {
    const NAME: &'static str = "get_weather";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    async fn run(&self, _: &ToolContext, args: &mut Args) -> ToolResult {
        match args["city"].as_str() {
            Some("Paris") => Ok(ToolOutput::text("Paris has 21 degrees")),
            Some("London") => Ok(ToolOutput::text("London has 14 degrees")),
            _ => Err(Exit::tool("there is no city in this call")),
        }
    }
}

struct Forecaster;

impl Agent for Forecaster {
    const NAME: &'static str = "forecaster";
    type State = ();

    fn declare() -> AgentDeclaration {
        let schema = serde_json::json!({"type": "object", "required": ["city"], "additionalProperties": false,
            "properties": {"city": {"type": "string"}}});
        let definition =
            ToolDefinition::new("get_weather", "The weather in a city.").with_input_schema(schema);
        AgentDeclaration::new().instruction("Tell the weather.").tool(GetWeather(definition))
    }
}

async fn agent(mock: &Mock, protocol: Protocol, limits: Limits) -> AgentHandle {
    let model = protocol::model("some-model", &mock.address, protocol);
    Forecaster::builder().model(model).limits(limits).build().await.unwrap()
}

async fn run(mock: &Mock, protocol: Protocol, input: &str) -> RunOutput {
    let agent = agent(mock, protocol, Limits::default()).await;
    let output = tokio::time::timeout(Duration::from_secs(30), agent.run(input)).await.expect("it hangs");
    output.unwrap_or_else(|error| panic!("{protocol:?}: {error}"))
}

/// The model's error, which must come soon.
async fn failure(mock: &Mock, protocol: Protocol, input: &str) -> ModelError {
    let mut limits = Limits::default();
    limits.model_retries = 0;
    limits.model_timeout = Duration::from_secs(2);
    let agent = agent(mock, protocol, limits).await;
    let started = Instant::now();
    let result = tokio::time::timeout(Duration::from_secs(10), agent.run(input)).await.expect("it hangs");
    assert!(started.elapsed() < Duration::from_secs(5), "{protocol:?}: {:?}", started.elapsed());
    match result {
        Err(RunError::Model { source, .. }) => source,
        other => panic!("{protocol:?}: {other:?}"),
    }
}

/// The model's error, which must match a pattern.
macro_rules! fails_with {
    ($mock:ident, $protocol:ident, $input:expr, $pattern:pat $(if $guard:expr)?) => {{
        let error = failure(&$mock, $protocol, $input).await;
        assert!(matches!(&error, $pattern $(if $guard)?), "{:?}, {}: {error:?}", $protocol, $input);
        error
    }};
}

fn arguments(output: &RunOutput) -> Vec<&str> {
    output.tool_calls.iter().map(|call| &*call.arguments).collect()
}

// ---- what goes well -----------------------------------------------------------------------------

#[tokio::test]
async fn o3_a_whole_run_with_two_tool_calls_in_every_protocol() {
    let mock = Mock::new();
    for protocol in ALL {
        let output = run(&mock, protocol, "one after the other").await;
        assert_eq!(output.text, "Paris has 21 degrees, London has 14.", "{protocol:?}");
        let calls: Vec<_> = output.tool_calls.iter().map(|call| (&*call.tool, call.outcome)).collect();
        assert_eq!(calls, [("get_weather", Some(CallOutcome::Ok)); 2], "{protocol:?}");
        let cities: Vec<serde_json::Value> =
            arguments(&output).iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        assert_eq!(cities, [serde_json::json!({"city": "Paris"}), serde_json::json!({"city": "London"})]);
    }
}

#[tokio::test]
async fn o3_two_calls_in_one_answer_in_every_protocol() {
    let mock = Mock::new();
    for protocol in ALL {
        let output = run(&mock, protocol, "both at once").await;
        assert_eq!((&*output.text, output.tool_calls.len()), ("Paris is warmer.", 2), "{protocol:?}");
        let ids: Vec<_> = output.tool_calls.iter().map(|call| &call.call_id).collect();
        assert_ne!(ids[0], ids[1], "{protocol:?}");
    }
}

#[tokio::test]
async fn o3_a_stream_keeps_the_argument_text() {
    // Anthropic's side of aimock writes arguments anew, and answers that are not streamed hold values.
    let mock = Mock::new();
    let output = run(&mock, Protocol::OpenAiSse, "one after the other").await;
    assert_eq!(arguments(&output), ["{\"city\": \"Paris\"}", "{\"city\": \"London\"}"]);
}

#[tokio::test]
async fn o3_text_arrives_in_pieces() {
    let mock = Mock::new();
    for protocol in [Protocol::OpenAiSse, Protocol::AnthropicSse] {
        let mut stream = agent(&mock, protocol, Limits::default()).await.stream("both at once");
        let mut pieces = Vec::new();
        while let Some(event) = stream.next().await {
            if let EventKind::TextDelta { text, .. } = event.kind {
                pieces.push(text);
            }
        }
        assert_eq!(pieces.concat(), "Paris is warmer.", "{protocol:?}");
    }
}

#[tokio::test]
async fn o3_reasoning_with_a_signature_goes_through_a_tool_call() {
    let mock = Mock::new();
    for protocol in [Protocol::Anthropic, Protocol::AnthropicSse] {
        let output = run(&mock, protocol, "think first").await;
        assert_eq!(output.text, "21 degrees.", "{protocol:?}");
    }
}

#[tokio::test]
async fn t11_a_tool_error_reaches_the_model_and_the_run_goes_on() {
    let mock = Mock::new();
    for protocol in ALL {
        let output = run(&mock, protocol, "stumble").await;
        assert_eq!(output.text, "I stumbled.", "{protocol:?}");
        assert_eq!(
            output.tool_calls[0].outcome,
            Some(CallOutcome::Error(ErrorKind::Arguments)),
            "{protocol:?}"
        );
    }
}

// ---- what goes wrong ----------------------------------------------------------------------------

#[tokio::test]
async fn o3_malformed_answers_are_malformed() {
    let mock = Mock::new();
    for protocol in ALL {
        fails_with!(mock, protocol, "malformed", ModelError::Malformed(_));
    }
}

#[tokio::test]
async fn o3_dropped_and_refused_requests_have_their_status() {
    let mock = Mock::new();
    for protocol in ALL {
        fails_with!(mock, protocol, "dropped", ModelError::Status { status: 500, .. });
        let said = "This model is overloaded";
        fails_with!(mock, protocol, "refused", ModelError::Status { status: 529, message, .. } if message == said);
        let wait = Some(Duration::from_secs(1));
        let error = fails_with!(
            mock, protocol, "too often",
            ModelError::Status { status: 429, retry_after, .. } if *retry_after == wait
        );
        assert!(error.is_transient());
    }
}

#[tokio::test]
async fn o3_a_broken_connection_is_a_transport_error() {
    let mock = Mock::new();
    for protocol in ALL {
        fails_with!(mock, protocol, "disconnected", ModelError::Transport(_));
    }
}

#[tokio::test]
async fn o3_half_a_stream_is_never_an_answer() {
    let mock = Mock::new();
    for protocol in [Protocol::OpenAiSse, Protocol::ResponsesSse, Protocol::AnthropicSse] {
        for input in ["half an answer", "half a call"] {
            fails_with!(mock, protocol, input, ModelError::Transport(_));
        }
    }
}

#[tokio::test]
async fn o3_a_sleeping_server_ends_in_a_timeout() {
    let mock = Mock::new();
    for protocol in [Protocol::OpenAiSse, Protocol::Anthropic] {
        let error = failure(&mock, protocol, "asleep").await;
        assert_eq!(error, ModelError::Timeout(Duration::from_secs(2)), "{protocol:?}");
    }
}

#[tokio::test]
async fn o3_what_no_fixture_foresees_is_refused() {
    let mock = Mock::new();
    for protocol in ALL {
        fails_with!(mock, protocol, "something else", ModelError::Status { .. });
    }
}

#[tokio::test]
async fn o4_an_answer_has_the_model_and_the_id_that_the_provider_gives() {
    let mock = Mock::new();
    for protocol in ALL {
        let model = protocol::model("some-model", &mock.address, protocol);
        let answer = model.respond(&ModelRequest::new([Message::user("who are you")]), &mut |_| {}).await;
        let answer = answer.unwrap_or_else(|error| panic!("{protocol:?}: {error}"));
        assert_eq!(answer.model.as_deref(), Some("some-model"), "{protocol:?}");
        assert!(answer.id.is_some_and(|id| !id.is_empty()), "{protocol:?}");
    }
}
