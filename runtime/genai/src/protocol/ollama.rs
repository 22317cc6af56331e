//! Ollama's own protocol: each line of a stream is a document.

use serde_json::{Map, Value, json};

use onionskin_core::model::{ModelError, Usage};

use super::content::{Part, Turn};
use super::{Flow, Protocol, ProviderRequest, chat, count, list, named, object, text, unless_empty};
use crate::answer::{Answer, Stop, unread};

pub(super) fn body(request: &ProviderRequest<'_>) -> Map<String, Value> {
    let params = request.params();
    let mut messages = request.system_message();
    for turn in request.turns(Protocol::Ollama) {
        match turn {
            Turn::User(parts) => messages.push(user(&parts)),
            Turn::Assistant { text, calls, carried } => {
                let calls = calls.into_iter().map(|call| {
                    json!({ "id": call.id, "function": { "name": call.name, "arguments": call.arguments } })
                });
                let mut message = object(json!({
                    "role": "assistant", "content": text, "tool_calls": unless_empty(calls.collect()),
                }));
                message.extend(carried.reasoning);
                messages.push(Value::Object(message));
            }
            // One message for each result.
            Turn::Results(results) => messages.extend(results.into_iter().map(|result| {
                json!({
                    "role": "tool", "content": result.text, "tool_name": result.name, "tool_call_id": result.id,
                })
            })),
        }
    }
    let options = object(json!({
        "temperature": params.temperature,
        "top_p": params.top_p,
        "num_predict": params.max_tokens,
        "seed": params.seed,
        "stop": unless_empty(params.stop_sequences.clone()),
    }));
    object(json!({
        "model": request.name,
        "stream": request.stream,
        "tools": unless_empty(request.tools.iter().map(chat::tool).collect()),
        "messages": messages,
        "format": request.schema(None).map(|(_, schema, _)| schema),
        "options": (!options.is_empty()).then_some(options),
    }))
}

fn user(parts: &[Part<'_>]) -> Value {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for part in parts {
        match part {
            Part::Text(text) => texts.push(&**text),
            Part::File { data, .. } => images.push(*data),
        }
    }
    Value::Object(object(
        json!({ "role": "user", "content": texts.join("\n\n"), "images": unless_empty(images) }),
    ))
}

/// A line of a stream, or a whole answer.
pub(super) fn event(answer: &mut Answer<'_>, event: &Value) -> Result<Flow, ModelError> {
    let done = event.get("done").and_then(Value::as_bool) == Some(true);
    if !event.get("message").is_some_and(Value::is_object) && !done {
        return Ok(Flow::Unknown);
    }
    answer.reason("thinking", text(event, "/message/thinking"))?;
    if !list(event, "/message/images").is_empty() {
        return Err(unread("a picture"));
    }
    answer.text(text(event, "/message/content"))?;
    for call in list(event, "/message/tool_calls") {
        answer.call(text(call, "/id"), text(call, "/function/name"), call.pointer("/function/arguments"))?;
    }
    if !done {
        return Ok(Flow::Part);
    }
    answer.model = named(event, "/model");
    answer.usage = Usage::new(count(event, "/prompt_eval_count"), count(event, "/eval_count"));
    answer.stop(match text(event, "/done_reason") {
        // Older servers give no reason.
        "stop" | "" => Stop::Done,
        "length" => Stop::Length,
        "tool_calls" => Stop::Calls,
        other => Stop::other(other),
    });
    Ok(Flow::End)
}
