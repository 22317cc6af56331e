//! Requests of Anthropic's Messages.

use genai::adapter::AdapterKind;
use serde_json::{Map, Value, json};

use onionskin_core::export::Dialect;

use super::content::{FileKind, Part, Said, Turn, file_kind, in_order, only_text};
use super::{Choice, Protocol, ProviderRequest, object, unless_empty};
use crate::tools::WireTool;

/// What is said of a tool that the conversation has calls of, and that is not offered any more.
pub(super) const NO_TOOL: &str = "No longer available.";

pub(super) fn body(request: &ProviderRequest<'_>) -> Map<String, Value> {
    let params = request.params();
    let mut messages: Vec<Value> = Vec::new();
    for turn in request.turns(Protocol::Anthropic) {
        match turn {
            Turn::User(parts) => messages.push(json!({ "role": "user", "content": user(&parts) })),
            Turn::Assistant { text, calls, carried } => {
                let content = in_order(text, calls, *carried).into_iter().filter_map(said);
                let content: Vec<_> = content.collect();
                messages.push(json!({ "role": "assistant", "content": content }));
            }
            Turn::Results(results) => {
                let results = results.into_iter().map(|result| {
                    Value::Object(object(json!({
                        "type": "tool_result",
                        "tool_use_id": result.id,
                        "content": Some(&result.text).filter(|text| !text.trim().is_empty()),
                        "is_error": result.is_error.then_some(true),
                    })))
                });
                messages.push(json!({ "role": "user", "content": results.collect::<Vec<_>>() }));
            }
        }
    }
    let format = request
        .schema(Some(&Dialect::ANTHROPIC))
        .map(|(_, schema, _)| json!({ "format": { "type": "json_schema", "schema": schema } }));
    let vertex = request.kind == AdapterKind::Vertex;
    let mut tools: Vec<_> = request.tools.iter().map(tool).collect();
    let mut choice = request.choice().map(choice);
    for name in request.called() {
        tools.push(json!({ "name": name, "description": NO_TOOL, "input_schema": { "type": "object" } }));
        choice = Some(json!({ "type": "none" }));
    }
    object(json!({
        "model": (!vertex).then_some(request.name),
        "anthropic_version": vertex.then_some("vertex-2023-10-16"),
        "stream": request.stream,
        "max_tokens": params.max_tokens.unwrap_or_else(|| most_tokens(request.name)),
        "system": request.system(),
        "tools": unless_empty(tools),
        "tool_choice": choice,
        "messages": messages,
        "output_config": format,
        "temperature": params.temperature,
        "top_p": params.top_p,
        "stop_sequences": unless_empty(params.stop_sequences.clone()),
    }))
}

/// A part of an answer; `None` for a text of blanks, which is refused.
fn said(part: Said<'_>) -> Option<Value> {
    Some(match part {
        Said::Block(block) => block,
        Said::Text(text) | Said::Phased(text, _) if text.trim().is_empty() => return None,
        Said::Text(text) | Said::Phased(text, _) => json!({ "type": "text", "text": text }),
        Said::Call(call) => {
            json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments })
        }
    })
}

fn user(parts: &[Part<'_>]) -> Value {
    if let Some(text) = only_text(parts) {
        return text.into();
    }
    // A text of blanks is refused.
    let parts = parts.iter().filter(|part| !matches!(part, Part::Text(text) if text.trim().is_empty()));
    let part = |part: &Part<'_>| match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::File { mime_type, data, .. } => {
            let kind = match file_kind(mime_type) {
                FileKind::Image => "image",
                FileKind::Audio(_) | FileKind::Other => "document",
            };
            json!({ "type": kind, "source": { "type": "base64", "media_type": mime_type, "data": data } })
        }
    };
    parts.map(part).collect()
}

fn tool(tool: &WireTool) -> Value {
    Value::Object(object(json!({
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.schema,
        "strict": tool.strict,
    })))
}

fn choice(choice: Choice<'_>) -> Value {
    match choice {
        Choice::None => json!({ "type": "none" }),
        Choice::Required => json!({ "type": "any" }),
        Choice::Tool(name) => json!({ "type": "tool", "name": name }),
    }
}

/// The most tokens that a model writes. The protocol wants a number, and a model refuses one that is too large.
pub(super) fn most_tokens(name: &str) -> u32 {
    let words: Vec<&str> = name.split('-').collect();
    let versions = |family: &str| -> Option<Vec<u32>> {
        let at = words.iter().position(|word| *word == family)?;
        let numbers =
            words[at + 1..].iter().map_while(|word| word.parse().ok().filter(|number| *number < 100));
        Some(numbers.collect())
    };
    if name.contains("claude-2")
        || name.contains("3-opus")
        || name.contains("3-haiku")
        || name.contains("3-sonnet")
    {
        return 4_096;
    }
    if name.contains("claude-3-5") {
        return 8_192;
    }
    if words.iter().any(|word| matches!(*word, "fable" | "mythos")) {
        return 128_000;
    }
    match (versions("opus"), versions("haiku")) {
        (Some(opus), _) if opus >= vec![4, 8] => 128_000,
        (Some(opus), _) if opus >= vec![4, 5] => 64_000,
        (Some(opus), _) if opus >= vec![4] => 32_000,
        (_, Some(haiku)) if haiku >= vec![5] => 128_000,
        _ => 64_000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o3_each_model_of_anthropic_gets_a_limit_that_it_takes() {
        for (name, most) in [
            ("claude-3-haiku-20240307", 4_096),
            ("claude-3-5-haiku-latest", 8_192),
            ("claude-3-7-sonnet-latest", 64_000),
            ("claude-opus-4-20250514", 32_000),
            ("claude-opus-4-1", 32_000),
            ("claude-opus-4-5", 64_000),
            ("claude-opus-4-8", 128_000),
            ("claude-opus-5", 128_000),
            ("claude-haiku-4-5", 64_000),
            ("claude-haiku-5", 128_000),
            ("claude-sonnet-4-5", 64_000),
            ("MiniMax-M2", 64_000),
        ] {
            assert_eq!(most_tokens(name), most, "{name}");
        }
    }
}
