//! The protocols of the providers, and models that speak them.

use onionskin::genai::GenaiModel;

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Protocol {
    OpenAi,
    OpenAiSse,
    ResponsesSse,
    Anthropic,
    AnthropicSse,
}

pub const ALL: [Protocol; 5] = [
    Protocol::OpenAi,
    Protocol::OpenAiSse,
    Protocol::ResponsesSse,
    Protocol::Anthropic,
    Protocol::AnthropicSse,
];

/// The model of this name, at the server with this address.
pub fn model(name: &str, address: &str, protocol: Protocol) -> GenaiModel {
    let (adapter, stream) = match protocol {
        Protocol::OpenAi => ("openai", false),
        Protocol::OpenAiSse => ("openai", true),
        Protocol::ResponsesSse => ("openai_resp", true),
        Protocol::Anthropic => ("anthropic", false),
        Protocol::AnthropicSse => ("anthropic", true),
    };
    GenaiModel::new(name)
        .base_url(format!("{address}/v1"))
        .api_key("some-key")
        .adapter(adapter)
        .stream(stream)
}
