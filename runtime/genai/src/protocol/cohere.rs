//! The second version of Cohere's chat.

use serde_json::{Map, Value, json};

use onionskin_core::model::{ModelError, Usage};

use super::content::Turn;
use super::{
    Choice, Flow, Protocol, ProviderRequest, chat, count, failed, list, named, object, text, unless_empty,
};
use crate::answer::{Answer, Stop};

/// The type and the field of open reasoning.
const THINKING: &str = "thinking";

pub(super) fn body(request: &ProviderRequest<'_>) -> Map<String, Value> {
    let params = request.params();
    let mut messages = request.system_message();
    for turn in request.turns(Protocol::Cohere) {
        match turn {
            Turn::User(parts) => messages.push(chat::user(&parts)),
            Turn::Assistant { text, calls, carried } => messages.push(Value::Object(object(json!({
                "role": "assistant",
                "content": content(text, calls.is_empty(), carried.reasoning.get(THINKING)),
                // What the model says before calls has a field of its own.
                "tool_plan": (!text.is_empty() && !calls.is_empty()).then_some(text),
                "tool_calls": unless_empty(calls.iter().map(chat::call).collect()),
            })))),
            Turn::Results(results) => {
                messages.extend(results.into_iter().map(
                    |result| json!({ "role": "tool", "tool_call_id": result.id, "content": result.text }),
                ));
            }
        }
    }
    let choice = request.choice();
    // It has no choice of one tool, but the model cannot call a tool that it does not see.
    let offered = request.tools.iter().filter(|tool| match choice {
        Some(Choice::Tool(name)) => *tool.name == *name,
        Some(Choice::None | Choice::Required) | None => true,
    });
    object(json!({
        "model": request.name,
        "stream": request.stream,
        "tools": unless_empty(offered.map(chat::tool).collect()),
        "tool_choice": choice.map(|choice| if choice == Choice::None { "NONE" } else { "REQUIRED" }),
        "messages": messages,
        "response_format": request.schema(None).map(|(_, schema, _)| json!({ "type": "json_object", "json_schema": schema })),
        "temperature": params.temperature,
        "p": params.top_p,
        "max_tokens": params.max_tokens,
        "seed": params.seed,
        "stop_sequences": unless_empty(params.stop_sequences.clone()),
    }))
}

/// What the model thought before it called tools, or the text of an answer without calls.
fn content(text: &str, is_last: bool, thought: Option<&Value>) -> Option<Value> {
    match thought {
        Some(thought) if !is_last => Some(json!([{ "type": THINKING, "thinking": thought }])),
        _ => (!text.is_empty() && is_last).then(|| text.into()),
    }
}

/// An event of a stream.
pub(super) fn event(answer: &mut Answer<'_>, event: &Value) -> Result<Flow, ModelError> {
    let message = event.pointer("/delta/message").unwrap_or(&Value::Null);
    let key = || event.get("index").map_or_else(String::new, Value::to_string);
    match text(event, "/type") {
        "message-start" => answer.id = named(event, "/id"),
        "content-start" | "content-delta" => {
            answer.reason(THINKING, text(message, "/content/thinking"))?;
            answer.text(text(message, "/content/text"))?;
        }
        "tool-plan-delta" => answer.text(text(message, "/tool_plan"))?,
        "tool-call-start" => {
            let call = message.get("tool_calls").unwrap_or(&Value::Null);
            let at = answer.begin(Some(&key()), text(call, "/id"), text(call, "/function/name"), true)?;
            let arguments = answer.argument_text(call.pointer("/function/arguments"))?;
            answer.add(at, "", "", &arguments)?;
        }
        "tool-call-delta" => {
            let at = match answer.calls().at(&key()) {
                Some(at) => at,
                None => answer.begin(Some(&key()), "", "", true)?,
            };
            let arguments = answer.argument_text(message.pointer("/tool_calls/function/arguments"))?;
            answer.add(at, "", "", &arguments)?;
        }
        "tool-call-end" => answer.calls().close_at(&key()),
        "message-end" => {
            answer.usage = tokens(event, "/delta/usage");
            let words = text(event, "/delta/error");
            answer.stop(stop(text(event, "/delta/finish_reason"), words)?);
            return Ok(Flow::End);
        }
        "content-end" | "citation-start" | "citation-end" | "debug" => {}
        _ => return Ok(Flow::Unknown),
    }
    Ok(Flow::Part)
}

pub(super) fn document(answer: &mut Answer<'_>, document: &Value) -> Result<Flow, ModelError> {
    let Some(message) = document.get("message").filter(|message| message.is_object()) else {
        return Ok(Flow::Unknown);
    };
    answer.id = named(document, "/id");
    answer.text(text(message, "/tool_plan"))?;
    for part in list(message, "/content") {
        answer.reason(THINKING, text(part, "/thinking"))?;
        answer.text(text(part, "/text"))?;
    }
    for call in list(message, "/tool_calls") {
        answer.call(text(call, "/id"), text(call, "/function/name"), call.pointer("/function/arguments"))?;
    }
    answer.usage = tokens(document, "/usage");
    answer.stop(stop(text(document, "/finish_reason"), "")?);
    Ok(Flow::End)
}

fn tokens(event: &Value, place: &str) -> Usage {
    // `tokens` has prompts of the provider too, which nobody pays for.
    let tokens = |field: &str| {
        let billed = format!("{place}/billed_units/{field}");
        let is_billed = event.pointer(&billed).is_some_and(Value::is_number);
        count(event, &if is_billed { billed } else { format!("{place}/tokens/{field}") })
    };
    let mut usage = Usage::new(tokens("input_tokens"), tokens("output_tokens"));
    usage.cached_input_tokens = count(event, &format!("{place}/cached_tokens"));
    usage
}

fn stop(reason: &str, words: &str) -> Result<Stop, ModelError> {
    Ok(match reason {
        "COMPLETE" | "STOP_SEQUENCE" | "" => Stop::Done,
        "TOOL_CALL" => Stop::Calls,
        "MAX_TOKENS" => Stop::Length,
        "ERROR" | "TIMEOUT" | "ERROR_TOXIC" | "ERROR_LIMIT" => {
            return Err(failed(&format!("the provider stopped with `{reason}`"), words));
        }
        other => Stop::other(other),
    })
}
