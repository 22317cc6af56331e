//! Answers of a type over the wire: as the structured output of OpenAI and Anthropic, and as the call of a tool. The fixtures
//! answer a request with the tool `final_answer` by its call, and all others by text.

use crate::mock::Mock;
use crate::protocol::{self, ALL, Protocol};
use onionskin::declaration::Limits;
use onionskin::event::EventKind;
use onionskin::{AgentHandle, RunError, ToolSpec, agent};

/// The weather of a city.
#[derive(Debug, PartialEq, serde::Deserialize, schemars::JsonSchema)]
struct Weather {
    city: String,
    degrees: i64,
    wind: Option<u32>,
}

fn paris() -> Weather {
    Weather { city: "Paris".to_owned(), degrees: 21, wind: None }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct City {
    city: String,
}

agent! {
    Forecaster { instruction: "Tell the weather.", output: Weather }
}

/// A model with structured output, or one from before it.
fn name(protocol: Protocol, native: bool) -> &'static str {
    match (native, protocol) {
        (true, _) => "some-model",
        (false, Protocol::Anthropic | Protocol::AnthropicSse) => "claude-3-5-haiku-latest",
        (false, _) => "gpt-4",
    }
}

async fn agent(mock: &Mock, protocol: Protocol, native: bool) -> AgentHandle {
    let mut limits = Limits::default();
    limits.output_retries = 3;
    let model = protocol::model(name(protocol, native), &mock.address, protocol);
    Forecaster::builder().model(model).limits(limits).build().await.unwrap()
}

/// Each protocol, with and without structured output.
fn forms() -> impl Iterator<Item = (Protocol, bool)> {
    ALL.into_iter().flat_map(|protocol| [(protocol, true), (protocol, false)])
}

/// The agent answers this input in every form after so many turns.
async fn answers_after(input: &str, turns: u32) {
    let mock = Mock::new();
    for (protocol, native) in forms() {
        let run = agent(&mock, protocol, native).await.run_as::<Weather>(input).await;
        let run = run.unwrap_or_else(|error| panic!("{protocol:?}, native: {native}: {error}"));
        assert_eq!((run.answer, run.output.turns), (paris(), turns), "{protocol:?}, native: {native}");
    }
}

#[tokio::test]
async fn a8_an_answer_of_a_type_in_every_protocol() {
    answers_after("straight away", 1).await;
}

#[tokio::test]
async fn a8_three_wrong_answers_and_then_a_right_one() {
    answers_after("three times wrong", 4).await;
}

#[tokio::test]
async fn a8_an_answer_that_is_never_right() {
    let mock = Mock::new();
    for (protocol, native) in forms() {
        let error = agent(&mock, protocol, native).await.run_as::<Weather>("never right").await.unwrap_err();
        let RunError::WrongAnswer { answers, problems, .. } = &error else {
            panic!("{protocol:?}, native: {native}: {error}")
        };
        assert_eq!((*answers, &**problems), (4, "`degrees`: expected an integer, found the string \"hot\""));
    }
}

#[tokio::test]
async fn a8_a_tool_runs_before_the_answer() {
    let mock = Mock::new();
    for (protocol, native) in forms() {
        let look =
            ToolSpec::from_fn("get_weather", "The weather in a city.", |City { city }, _| async move {
                Ok(format!("{city} has 21 degrees"))
            });
        let model = protocol::model(name(protocol, native), &mock.address, protocol);
        let run = Forecaster::builder().model(model).tool(look).run_typed("look first").await;
        let run = run.unwrap_or_else(|error| panic!("{protocol:?}, native: {native}: {error}"));
        assert_eq!((run.answer, run.output.tool_calls.len()), (paris(), 1), "{protocol:?}, native: {native}");
    }
}

#[tokio::test]
async fn a8_a_streamed_answer_arrives_in_pieces_and_has_its_type() {
    let mock = Mock::new();
    for protocol in [Protocol::OpenAiSse, Protocol::ResponsesSse, Protocol::AnthropicSse] {
        let mut run = agent(&mock, protocol, true).await.request("three times wrong").stream_as::<Weather>();
        let mut pieces = vec![String::new()];
        while let Some(event) = run.next().await {
            match event.kind {
                EventKind::TextDelta { text, .. } => pieces.last_mut().unwrap().push_str(&text),
                EventKind::TurnFinished { .. } => pieces.push(String::new()),
                _ => {}
            }
        }
        assert_eq!(
            pieces[3], r#"{"city": "Paris", "degrees": 21, "wind": null}"#,
            "{protocol:?}: {pieces:?}"
        );
        assert_eq!(run.output().await.unwrap().answer, paris(), "{protocol:?}");
    }
}

#[tokio::test]
async fn a8_a_streamed_answer_is_shown_so_far_in_both_forms() {
    let mock = Mock::new();
    for protocol in [Protocol::OpenAiSse, Protocol::ResponsesSse, Protocol::AnthropicSse] {
        for native in [true, false] {
            let mut run =
                agent(&mock, protocol, native).await.request("three times wrong").stream_as::<Weather>();
            let mut partial = Vec::new();
            while run.next().await.is_some() {
                partial.extend(run.partial());
            }
            partial.dedup();
            let of = format!("{protocol:?}, native: {native}: {partial:?}");
            let (begun, last) = (serde_json::json!({ "city": "Paris" }), partial.last().unwrap());
            assert_eq!((&last["city"], &last["degrees"]), (&"Paris".into(), &21.into()), "{of}");
            assert!(partial.contains(&begun), "{of}");
            assert_eq!(run.output().await.unwrap().answer, paris(), "{of}");
        }
    }
}
