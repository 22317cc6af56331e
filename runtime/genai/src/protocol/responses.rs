//! Requests of Responses.

use serde_json::{Map, Value, json};

use onionskin_core::export::Dialect;

use super::content::{FileKind, Part, Said, Turn, data_url, file_kind, in_order, only_text};
use super::{Choice, Protocol, ProviderRequest, object, unless_empty};
use crate::names::reasons;
use crate::tools::WireTool;

pub(super) fn body(request: &ProviderRequest<'_>) -> Map<String, Value> {
    let params = request.params();
    let mut input: Vec<Value> = Vec::new();
    for turn in request.turns(Protocol::Responses) {
        match turn {
            Turn::User(parts) => input.push(user(&parts)),
            Turn::Assistant { text, calls, carried } => {
                input.extend(in_order(text, calls, *carried).into_iter().map(said));
            }
            Turn::Results(results) => input.extend(results.into_iter().map(
                |result| json!({ "type": "function_call_output", "call_id": result.id, "output": result.text }),
            )),
        }
    }
    let format = request.schema(Some(&Dialect::OPENAI)).map(|(name, schema, strict)| {
        json!({ "format": { "type": "json_schema", "name": name, "strict": strict, "schema": schema } })
    });
    object(json!({
        "model": request.name,
        "stream": request.stream,
        // The conversation is sent with each request, so the provider need not keep it.
        "store": false,
        "instructions": request.system(),
        // Other models refuse it. A summary of the reasoning is for organisations that are verified, so `extra_body` asks for it.
        "include": reasons(request.name).then(|| json!(["reasoning.encrypted_content"])),
        "tools": unless_empty(request.tools.iter().map(tool).collect()),
        "tool_choice": request.choice().map(choice),
        "input": input,
        "text": format,
        "temperature": params.temperature,
        "top_p": params.top_p,
        "max_output_tokens": params.max_tokens,
    }))
}

fn said(part: Said<'_>) -> Value {
    match part {
        Said::Block(block) => block,
        Said::Text(text) => message(text, None),
        Said::Phased(text, phase) => message(text, Some(&phase)),
        Said::Call(call) => {
            json!({
                "type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.text(),
            })
        }
    }
}

fn message(text: &str, phase: Option<&str>) -> Value {
    let content = [json!({ "type": "output_text", "text": text })];
    let message = json!({ "type": "message", "role": "assistant", "phase": phase, "content": content });
    Value::Object(object(message))
}

fn user(parts: &[Part<'_>]) -> Value {
    if let Some(text) = only_text(parts) {
        return json!({ "role": "user", "content": text });
    }
    let part = |(at, part): (usize, &Part<'_>)| match part {
        Part::Text(text) => json!({ "type": "input_text", "text": text }),
        Part::File { mime_type, data, name } => {
            let url = data_url(mime_type, data);
            match file_kind(mime_type) {
                FileKind::Image => json!({ "type": "input_image", "detail": "auto", "image_url": url }),
                FileKind::Audio(_) | FileKind::Other => {
                    let name = name.map_or_else(|| format!("file-{}", at + 1), str::to_owned);
                    json!({ "type": "input_file", "filename": name, "file_data": url })
                }
            }
        }
    };
    json!({ "role": "user", "content": parts.iter().enumerate().map(part).collect::<Vec<_>>() })
}

fn tool(tool: &WireTool) -> Value {
    Value::Object(object(json!({
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.schema,
        "strict": tool.strict,
    })))
}

fn choice(choice: Choice<'_>) -> Value {
    match choice {
        Choice::None => json!("none"),
        Choice::Required => json!("required"),
        Choice::Tool(name) => json!({ "type": "function", "name": name }),
    }
}
