//! What the protocols send for reasoning effort, verbosity, tier and parallel calls.

use genai::adapter::AdapterKind;
use serde_json::{Value, json};

use super::request;
use crate::protocol::{Protocol, ProviderRequest};
use crate::tools::WireTool;
use onionskin_core::model::{
    Message, ModelError, ReasoningEffort, RequestParams, ServiceTier, ToolChoice, Verbosity,
};

/// What the body has for parameters, or the error.
fn tuned(kind: AdapterKind, name: &str, set: impl FnOnce(&mut RequestParams)) -> Result<Value, ModelError> {
    let mut request = request(vec![Message::user("hi")]);
    set(&mut request.params);
    let tools = [WireTool {
        name: "look".into(),
        description: "Looks.".into(),
        schema: json!({ "type": "object" }),
        strict: None,
    }];
    let request = ProviderRequest {
        model_request: &request,
        kind,
        endpoint: "localhost",
        name,
        tools: &tools,
        stream: false,
    };
    Protocol::new(kind, name).unwrap().body(&request).map(Value::Object)
}

#[test]
fn o3_each_protocol_has_words_of_its_own_or_refuses() {
    use AdapterKind as Kind;
    use ReasoningEffort as Effort;
    let check = |sent: Result<Value, ModelError>, place: &str, expected: Option<Value>| match (sent, expected)
    {
        (Ok(body), Some(expected)) => assert_eq!(body.pointer(place), Some(&expected), "{place}: {body}"),
        (Err(error), None) => assert!(matches!(error, ModelError::Unsupported { .. }), "{error}"),
        (sent, _) => panic!("{place}: {sent:?}"),
    };
    let word = |word: &str| Some(json!(word));
    for (kind, effort, place, expected) in [
        (Kind::OpenAI, Effort::XHigh, "/reasoning_effort", word("xhigh")),
        (Kind::OpenAIResp, Effort::None, "/reasoning/effort", word("none")),
        (Kind::Anthropic, Effort::Max, "/output_config/effort", word("max")),
        (Kind::Anthropic, Effort::None, "/thinking/type", word("disabled")),
        (Kind::Anthropic, Effort::Minimal, "", None),
        (Kind::Gemini, Effort::Minimal, "/generationConfig/thinkingConfig/thinkingLevel", word("minimal")),
        (Kind::Gemini, Effort::Max, "", None),
        (Kind::Ollama, Effort::None, "/think", Some(json!(false))),
        (Kind::Ollama, Effort::Low, "/think", word("low")),
        (Kind::Ollama, Effort::Max, "", None),
        (Kind::Cohere, Effort::Low, "", None),
        (Kind::BedrockApi, Effort::Low, "", None),
    ] {
        check(tuned(kind, "some-model", |params| params.reasoning_effort = Some(effort)), place, expected);
    }
    let older = tuned(Kind::Gemini, "gemini-2.5-pro", |params| params.reasoning_effort = Some(Effort::Low));
    let error = older.unwrap_err().to_string();
    assert!(error.contains("the protocol `gemini` has no form for `reasoning_effort: low`"), "{error}");
    for (kind, tier, place, expected) in [
        (Kind::OpenAI, ServiceTier::Flex, "/service_tier", word("flex")),
        (Kind::OpenAIResp, ServiceTier::Priority, "/service_tier", word("priority")),
        (Kind::Anthropic, ServiceTier::Auto, "/service_tier", word("auto")),
        (Kind::Anthropic, ServiceTier::Standard, "/service_tier", word("standard_only")),
        (Kind::Anthropic, ServiceTier::Flex, "", None),
        (Kind::Gemini, ServiceTier::Standard, "/service_tier", word("standard")),
        (Kind::Gemini, ServiceTier::Auto, "", None),
        (Kind::BedrockApi, ServiceTier::Flex, "/serviceTier/type", word("flex")),
        (Kind::BedrockApi, ServiceTier::Auto, "", None),
        (Kind::Ollama, ServiceTier::Standard, "", None),
        (Kind::Cohere, ServiceTier::Standard, "", None),
    ] {
        check(tuned(kind, "some-model", |params| params.service_tier = Some(tier)), place, expected);
    }
    for (kind, place, expected) in [
        (Kind::OpenAI, "/verbosity", word("low")),
        (Kind::OpenAIResp, "/text/verbosity", word("low")),
        (Kind::Anthropic, "", None),
        (Kind::Gemini, "", None),
        (Kind::Ollama, "", None),
        (Kind::Cohere, "", None),
        (Kind::BedrockApi, "", None),
    ] {
        check(tuned(kind, "some-model", |params| params.verbosity = Some(Verbosity::Low)), place, expected);
    }
    for (kind, place, expected) in [
        (Kind::OpenAI, "/parallel_tool_calls", Some(json!(false))),
        (Kind::OpenAIResp, "/parallel_tool_calls", Some(json!(false))),
        (Kind::Anthropic, "/tool_choice", Some(json!({ "type": "auto", "disable_parallel_tool_use": true }))),
        (Kind::Gemini, "", None),
        (Kind::Ollama, "", None),
        (Kind::Cohere, "", None),
        (Kind::BedrockApi, "", None),
    ] {
        check(tuned(kind, "some-model", |params| params.parallel_tool_calls = Some(false)), place, expected);
    }
    let forced = tuned(Kind::Anthropic, "some-model", |params| {
        (params.parallel_tool_calls, params.tool_choice) = (Some(false), ToolChoice::Required);
    });
    check(forced, "/tool_choice", Some(json!({ "type": "any", "disable_parallel_tool_use": true })));
    let none = tuned(Kind::Anthropic, "some-model", |params| {
        (params.parallel_tool_calls, params.tool_choice) = (Some(false), ToolChoice::None);
    });
    check(none, "/tool_choice", Some(json!({ "type": "none" })));
}
