//! Requests of Chat Completions.

use genai::adapter::AdapterKind;
use serde_json::{Map, Value, json};

use onionskin_core::export::Dialect;

use super::content::{FileKind, Part, SentCall, Turn, data_url, file_kind, only_text};
use super::{Choice, Protocol, ProviderRequest, object, unless_empty};
use crate::carried::wants_all_reasoning;
use crate::names::{base, host, reasons};
use crate::tools::WireTool;

pub(super) fn body(request: &ProviderRequest<'_>) -> Map<String, Value> {
    let params = request.params();
    let mut messages = request.system_message();
    let is_mistral = request.kind == AdapterKind::Mistral;
    // The older models of Moonshot do not reason.
    let wants_all = wants_all_reasoning(request.kind.as_lower_str(), request.endpoint)
        && !base(request.name).starts_with("moonshot");
    for turn in request.turns(Protocol::Chat) {
        match turn {
            Turn::User(parts) => {
                // It refuses a message of the user behind results: pictures of results, and the input after a run that ended there.
                if is_mistral && messages.last().is_some_and(|last| last["role"] == "tool") {
                    messages.push(json!({ "role": "assistant", "content": "I have the results." }));
                }
                messages.push(user(&parts));
            }
            Turn::Assistant { text, calls, carried } => {
                let mut message = object(json!({
                    "role": "assistant",
                    "tool_calls": unless_empty(calls.iter().map(call).collect()),
                    "reasoning_details": unless_empty(carried.blocks),
                }));
                // Gateways make an empty text of an empty one, which their provider refuses. `OpenAI` writes null too.
                let said = (!text.trim().is_empty()).then_some(text);
                message.insert("content".to_owned(), said.into());
                if is_mistral {
                    // It takes reasoning back as a part of the content only.
                    if let Some(reasoning) = carried.reasoning.values().next() {
                        let thinking = json!({ "type": "thinking", "thinking": [{ "type": "text", "text": reasoning }] });
                        let said = said.map(|text| json!({ "type": "text", "text": text }));
                        message.insert(
                            "content".to_owned(),
                            [Some(thinking), said].into_iter().flatten().collect(),
                        );
                    }
                } else if request.kind != AdapterKind::Groq {
                    // Groq refuses the field that it writes.
                    message.extend(carried.reasoning);
                }
                // The answers of other models have none, and Kimi takes an empty text for none.
                if wants_all {
                    message.entry("reasoning_content").or_insert_with(|| " ".into());
                }
                messages.push(Value::Object(message));
            }
            Turn::Results(results) => {
                messages.extend(results.into_iter().map(
                    |result| json!({ "role": "tool", "content": result.text, "tool_call_id": result.id }),
                ));
            }
        }
    }
    let format = request.schema(Some(&Dialect::OPENAI)).map(|(name, schema, strict)| {
        json!({ "type": "json_schema", "json_schema": { "name": name, "strict": strict, "schema": schema } })
    });
    let name = model_name(request);
    let mut body = object(json!({
        "model": name,
        "stream": request.stream,
        // Mistral sends the usage unasked.
        "stream_options": (request.stream && !is_mistral).then(|| json!({ "include_usage": true })),
        "tools": unless_empty(request.tools.iter().map(tool).collect()),
        "tool_choice": request.choice().map(choice),
        "messages": messages,
        "response_format": format,
        "temperature": params.temperature,
        "top_p": params.top_p,
        "stop": unless_empty(params.stop_sequences.clone()),
    }));
    if let Some(most) = params.max_tokens.or_else(|| default_max_tokens(request)) {
        let field = if counts_completion(request) { "max_completion_tokens" } else { "max_tokens" };
        body.insert(field.to_owned(), most.into());
    }
    if let Some(seed) = params.seed {
        let field = if is_mistral { "random_seed" } else { "seed" };
        body.insert(field.to_owned(), seed.into());
    }
    body
}

fn model_name(request: &ProviderRequest<'_>) -> String {
    if request.kind == AdapterKind::Fireworks && !request.name.contains('/') {
        return format!("accounts/fireworks/models/{}", request.name);
    }
    request.name.to_owned()
}

/// Whether the limit of tokens has its newer name, without which models that reason refuse it. Deployments of Azure have any name.
fn counts_completion(request: &ProviderRequest<'_>) -> bool {
    let host = host(request.endpoint);
    let is_older = || ["gpt-3", "gpt-4", "chatgpt"].iter().any(|begin| base(request.name).starts_with(begin));
    reasons(request.name) || ((host == "api.openai.com" || host.ends_with(".azure.com")) && !is_older())
}

/// Fireworks ends an answer early without a limit, and refuses more tokens in one that is not streamed.
fn default_max_tokens(request: &ProviderRequest<'_>) -> Option<u32> {
    let most = match (request.stream, request.name.contains("muse-glimmer-30b")) {
        (false, _) => 4_096,
        (true, true) => 68_000,
        (true, false) => 512_000,
    };
    (request.kind == AdapterKind::Fireworks).then_some(most)
}

/// A message of the user. Cohere has the same form.
pub(super) fn user(parts: &[Part<'_>]) -> Value {
    if let Some(text) = only_text(parts) {
        return json!({ "role": "user", "content": text });
    }
    let part = |part: &Part<'_>| match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::File { mime_type, data, name } => match file_kind(mime_type) {
            FileKind::Image => {
                json!({ "type": "image_url", "image_url": { "url": data_url(mime_type, data) } })
            }
            FileKind::Audio(format) => {
                json!({ "type": "input_audio", "input_audio": { "data": data, "format": format } })
            }
            FileKind::Other => {
                json!({ "type": "file", "file": { "filename": name, "file_data": data_url(mime_type, data) } })
            }
        },
    };
    json!({ "role": "user", "content": parts.iter().map(part).collect::<Vec<_>>() })
}

/// A call. Cohere has the same form.
pub(super) fn call(call: &SentCall<'_>) -> Value {
    let mut sent = json!({
        "type": "function", "id": call.id, "function": { "name": call.name, "arguments": call.text() },
    });
    for (field, value) in call.signature.iter().filter_map(Value::as_object).flatten() {
        match (sent.get_mut(field), value) {
            (Some(Value::Object(own)), Value::Object(more)) => own.extend(more.clone()),
            _ => sent[field] = value.clone(),
        }
    }
    sent
}

/// A tool. Cohere and Ollama have the same form.
pub(super) fn tool(tool: &WireTool) -> Value {
    let function = object(json!({
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        "strict": tool.strict,
    }));
    json!({ "type": "function", "function": function })
}

fn choice(choice: Choice<'_>) -> Value {
    match choice {
        Choice::None => json!("none"),
        Choice::Required => json!("required"),
        Choice::Tool(name) => json!({ "type": "function", "function": { "name": name } }),
    }
}
