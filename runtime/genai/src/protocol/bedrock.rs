//! Converse of Bedrock, without a stream: the frames of its streams are binary, and an answer in one piece is as complete.

use serde_json::{Map, Value, json};

use onionskin_core::model::{ModelError, Usage};

use super::anthropic::NO_TOOL;
use super::content::{Part, Said, Turn, in_order};
use super::{Choice, Flow, Protocol, ProviderRequest, anthropic, count, list, object, text, unless_empty};
use crate::answer::{Answer, Stop, unread};
use crate::tools::WireTool;

pub(super) fn body(request: &ProviderRequest<'_>) -> Map<String, Value> {
    let params = request.params();
    let messages: Vec<Value> = request.turns(Protocol::Bedrock).into_iter().map(message).collect();
    let choice = request.choice();
    // It has no choice without tools, but the model cannot call what it does not see.
    let mut tools: Vec<Value> =
        request.tools.iter().filter(|_| choice != Some(Choice::None)).map(tool).collect();
    for name in request.called() {
        let schema = json!({ "json": { "type": "object" } });
        let spec = json!({ "name": name, "description": NO_TOOL, "inputSchema": schema });
        tools.push(json!({ "toolSpec": spec }));
    }
    let choice = choice.and_then(|choice| match choice {
        Choice::None => None,
        Choice::Required => Some(json!({ "any": {} })),
        Choice::Tool(name) => Some(json!({ "tool": { "name": name } })),
    });
    let tools = (!tools.is_empty()).then(|| object(json!({ "tools": tools, "toolChoice": choice })));
    object(json!({
        "system": request.system().map(|system| json!([{ "text": system }])),
        "messages": messages,
        "toolConfig": tools,
        "inferenceConfig": object(json!({
            "maxTokens": params.max_tokens.unwrap_or_else(|| most_tokens(request.name)),
            "temperature": params.temperature,
            "topP": params.top_p,
            "stopSequences": unless_empty(params.stop_sequences.clone()),
        })),
    }))
}

/// The most tokens of an answer by the maker of the model: the protocol's own default is short.
fn most_tokens(name: &str) -> u32 {
    if let Some((_, claude)) = name.split_once("anthropic.") {
        return anthropic::most_tokens(claude);
    }
    match name.split('.').find(|part| matches!(*part, "amazon" | "openai")) {
        Some("amazon") => 5_000,
        Some(_) => 16_384,
        None => 4_096,
    }
}

fn message(turn: Turn<'_>) -> Value {
    match turn {
        Turn::User(parts) => {
            // A text of blanks is refused.
            let said =
                parts.iter().filter(|part| !matches!(part, Part::Text(text) if text.trim().is_empty()));
            let parts = said.map(|part| match part {
                Part::Text(text) => json!({ "text": text }),
                Part::File { mime_type, data, .. } => {
                    let format = mime_type.strip_prefix("image/");
                    json!({ "image": { "format": format, "source": { "bytes": data } } })
                }
            });
            json!({ "role": "user", "content": parts.collect::<Vec<_>>() })
        }
        Turn::Assistant { text, calls, carried } => {
            let content: Vec<_> = in_order(text, calls, *carried).into_iter().filter_map(said).collect();
            json!({ "role": "assistant", "content": content })
        }
        Turn::Results(results) => {
            let results = results.into_iter().map(|result| {
                // A text of blanks is refused.
                let text = if result.text.trim().is_empty() { "[no output]" } else { &result.text };
                json!({ "toolResult": {
                    "toolUseId": result.id,
                    "content": [{ "text": text }],
                    "status": if result.is_error { "error" } else { "success" },
                } })
            });
            json!({ "role": "user", "content": results.collect::<Vec<_>>() })
        }
    }
}

/// A part of an answer; `None` for a text of blanks, which is refused.
fn said(part: Said<'_>) -> Option<Value> {
    Some(match part {
        Said::Block(block) => block,
        Said::Text(text) | Said::Phased(text, _) if text.trim().is_empty() => return None,
        Said::Text(text) | Said::Phased(text, _) => json!({ "text": text }),
        Said::Call(call) => {
            json!({ "toolUse": { "toolUseId": call.id, "name": call.name, "input": call.arguments } })
        }
    })
}

fn tool(tool: &WireTool) -> Value {
    json!({ "toolSpec": { "name": tool.name, "description": tool.description, "inputSchema": { "json": tool.schema } } })
}

pub(super) fn document(answer: &mut Answer<'_>, document: &Value) -> Result<Flow, ModelError> {
    if document.get("output").is_none() && document.get("stopReason").is_none() {
        return Ok(Flow::Unknown);
    }
    for block in list(document, "/output/message/content") {
        if let Some(kind) =
            ["image", "audio", "video", "document"].iter().find(|kind| block.get(**kind).is_some())
        {
            return Err(unread(&format!("a block of the kind `{kind}`")));
        }
        answer.text(text(block, "/text"))?;
        if let Some(call) = block.get("toolUse") {
            answer.call(text(call, "/toolUseId"), text(call, "/name"), call.get("input"))?;
        }
        if let Some(reasoning) = block.get("reasoningContent") {
            answer.reasoning(text(reasoning, "/reasoningText/text"))?;
            let signed = reasoning.pointer("/reasoningText/signature").is_some();
            if signed || reasoning.get("redactedContent").is_some() {
                answer.grow(block.to_string().len())?;
                answer.block(block.clone())?;
            }
        }
    }
    // Cached input is counted beside the rest.
    let cached = count(document, "/usage/cacheReadInputTokens");
    let written = count(document, "/usage/cacheWriteInputTokens");
    let input = count(document, "/usage/inputTokens").saturating_add(cached).saturating_add(written);
    answer.usage = Usage::new(input, count(document, "/usage/outputTokens"));
    (answer.usage.cached_input_tokens, answer.usage.cache_write_tokens) = (cached, written);
    answer.stop(match text(document, "/stopReason") {
        "end_turn" | "stop_sequence" | "" => Stop::Done,
        "tool_use" => Stop::Calls,
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "guardrail_intervened" | "content_filtered" => Stop::Filter,
        reason @ ("malformed_tool_use" | "malformed_model_output") => {
            return Err(ModelError::Incomplete(format!("the model stopped with `{reason}`")));
        }
        other => Stop::other(other),
    });
    Ok(Flow::End)
}
