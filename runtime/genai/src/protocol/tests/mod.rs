//! What the protocols send, and what they make of answers.

mod answers;
mod back;
mod prefix;
mod reasoning;
mod requests;
mod tuning;

use genai::adapter::AdapterKind;
use serde_json::Value;

use super::{Protocol, ProviderRequest};
use crate::tools::WireTool;
use onionskin_core::model::{Message, ModelRequest};

const KINDS: [AdapterKind; 7] = [
    AdapterKind::OpenAI,
    AdapterKind::OpenAIResp,
    AdapterKind::Anthropic,
    AdapterKind::Gemini,
    AdapterKind::Ollama,
    AdapterKind::Cohere,
    AdapterKind::BedrockApi,
];

fn request(messages: Vec<Message>) -> ModelRequest {
    let mut request = ModelRequest::new([Message::user("")]).with_agent("a");
    request.messages = messages.into();
    request
}

fn sent_with(request: &ModelRequest, kind: AdapterKind, tools: &[WireTool]) -> Value {
    let request = ProviderRequest {
        model_request: request,
        kind,
        endpoint: "",
        name: "some-model",
        tools,
        stream: true,
    };
    Value::Object(Protocol::new(kind, "some-model").unwrap().body(&request).unwrap())
}

fn sent(request: &ModelRequest, kind: AdapterKind) -> Value {
    sent_with(request, kind, &[])
}
