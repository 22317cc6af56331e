//! The suite for models, on `GenaiModel` against aimock, in each protocol. A relay in between shows the suite the requests.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::mock::Mock;
use crate::protocol::{self, ALL, Protocol};
use crate::relay;
use onionskin::genai::GenaiModel;
use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestOption};
use onionskin::testing::{Reply, Scenario, model_suite};
use serde_json::{Value, json};

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
    fn new(scenario: &Scenario, streams: bool) -> Self {
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
struct MockedModel {
    model: GenaiModel,
    _mock: Mock,
}

impl Model for MockedModel {
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

async fn mocked_model(scenario: Scenario, protocol: Protocol) -> MockedModel {
    let streams = !matches!(protocol, Protocol::OpenAi | Protocol::Anthropic);
    let fixtures = Fixtures::new(&scenario, streams);
    let mock = Mock::start(&fixtures.0);
    let address = relay::start(&mock, move |_, body| scenario.receive(body)).await;
    MockedModel { model: protocol::model("some-model", &address, protocol), _mock: mock }
}

/// What has no place in a protocol, or was switched off. The model has a name of its own here.
fn not_shown(protocol: Protocol) -> Vec<&'static str> {
    let of_anthropic = matches!(protocol, Protocol::Anthropic | Protocol::AnthropicSse);
    let is_whole = matches!(protocol, Protocol::OpenAi | Protocol::Anthropic);
    let missing = [
        ("streaming", is_whole),
        ("streamed_calls", is_whole),
        ("model_name", true),
        ("result_errors", !of_anthropic),
        ("result_names", true),
        ("response_schema_name", of_anthropic),
    ];
    missing.into_iter().filter(|(_, missing)| *missing).map(|(name, _)| name).collect()
}

#[tokio::test]
async fn o3_genai_passes_the_suite_in_every_protocol() {
    let mut failed = Vec::new();
    for protocol in ALL {
        let report = model_suite(|scenario| mocked_model(scenario, protocol)).await;
        println!("{protocol:?}\n{report}");
        failed.extend(report.failed().into_iter().map(|case| format!("{protocol:?} {case}")));
        // What has no field in the protocol.
        let refused: &[_] = match protocol {
            Protocol::OpenAi | Protocol::OpenAiSse => &[],
            Protocol::ResponsesSse => &[RequestOption::StopSequences, RequestOption::Seed],
            Protocol::Anthropic | Protocol::AnthropicSse => &[RequestOption::Seed, RequestOption::Verbosity],
        };
        assert_eq!(report.refused(), refused, "{protocol:?}: {report}");
        assert_eq!(report.not_shown(), not_shown(protocol), "{protocol:?}: {report}");
    }
    assert!(failed.is_empty(), "{failed:?}");
}
