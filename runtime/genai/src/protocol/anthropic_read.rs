//! Answers of Anthropic's Messages.

use serde_json::{Value, json};

use onionskin_core::model::{ModelError, Usage};

use super::{Flow, bounded, count, list, named, text};
use crate::answer::{Answer, Stop};

/// An event of a stream. Several blocks can be open at once; each event names its own.
pub(super) fn event(answer: &mut Answer<'_>, event: &Value) -> Result<Flow, ModelError> {
    match text(event, "/type") {
        "message_start" => about(answer, event.get("message").unwrap_or(&Value::Null)),
        "content_block_start" => {
            let block = event.get("content_block").unwrap_or(&Value::Null);
            begins(answer, &key_of(event), block)?;
        }
        "content_block_delta" => delta(answer, &key_of(event), event.get("delta").unwrap_or(&Value::Null))?,
        "content_block_stop" => answer.calls().close_at(&key_of(event)),
        "message_delta" => {
            tokens(answer, event.get("usage"));
            if let Some(reason) = event.pointer("/delta/stop_reason").and_then(Value::as_str) {
                ends(answer, reason);
            }
        }
        "message_stop" => return Ok(Flow::End),
        "ping" => {}
        _ => return Ok(Flow::Unknown),
    }
    Ok(Flow::Part)
}

pub(super) fn document(answer: &mut Answer<'_>, document: &Value) -> Result<Flow, ModelError> {
    if !document.get("content").is_some_and(Value::is_array) {
        return Ok(Flow::Unknown);
    }
    about(answer, document);
    for (at, block) in list(document, "/content").iter().enumerate() {
        let key = at.to_string();
        begins(answer, &key, block)?;
        answer.calls().close_at(&key);
    }
    if let Some(reason) = document.get("stop_reason").and_then(Value::as_str) {
        ends(answer, reason);
    }
    Ok(Flow::End)
}

/// A block, or its beginning.
fn begins(answer: &mut Answer<'_>, key: &str, block: &Value) -> Result<(), ModelError> {
    match text(block, "/type") {
        "text" => answer.text(text(block, "/text"))?,
        "tool_use" => {
            let at = answer.begin(Some(key), text(block, "/id"), text(block, "/name"), true)?;
            // It is an empty object if the input comes in pieces.
            let input =
                block.get("input").filter(|input| input.as_object().is_none_or(|input| !input.is_empty()));
            let input = answer.argument_text(input)?;
            if !input.is_empty() {
                answer.grow(input.len())?;
                answer.calls().offer(at, input);
            }
        }
        "thinking" => {
            answer.reasoning(text(block, "/thinking"))?;
            carry(answer, key, block)?;
        }
        // Reasoning that is hidden, and the provider's own tools with their results: they go back as they are.
        _ => carry(answer, key, block)?,
    }
    Ok(())
}

fn carry(answer: &mut Answer<'_>, key: &str, block: &Value) -> Result<(), ModelError> {
    answer.grow(block.to_string().len())?;
    answer.places.insert(key.to_owned(), answer.carried.blocks.len());
    answer.block(block.clone())
}

fn delta(answer: &mut Answer<'_>, key: &str, delta: &Value) -> Result<(), ModelError> {
    match text(delta, "/type") {
        "text_delta" => answer.text(text(delta, "/text"))?,
        "thinking_delta" => {
            let piece = text(delta, "/thinking");
            answer.reasoning(piece)?;
            append(answer, key, "thinking", piece);
        }
        "signature_delta" => {
            let piece = text(delta, "/signature");
            answer.grow(piece.len())?;
            append(answer, key, "signature", piece);
        }
        "input_json_delta" => {
            let piece = text(delta, "/partial_json");
            match answer.calls().at(key) {
                Some(at) => answer.add(at, "", "", piece)?,
                // The input of one of the provider's own tools.
                None if answer.places.contains_key(key) => {
                    answer.grow(piece.len())?;
                    append(answer, key, "input", piece);
                }
                None => {
                    return Err(ModelError::Incomplete(
                        "it has arguments of a call that did not begin".to_owned(),
                    ));
                }
            }
        }
        // Citations of a text, and what a later version has: they are no part of an answer here.
        _ => {}
    }
    Ok(())
}

/// Appends to a text of a block that goes back.
fn append(answer: &mut Answer<'_>, key: &str, field: &str, piece: &str) {
    let block = answer.places.get(key).and_then(|place| answer.carried.blocks.get_mut(*place));
    if let Some(Value::Object(block)) = block {
        match block.get_mut(field) {
            Some(Value::String(text)) => text.push_str(piece),
            _ => {
                block.insert(field.to_owned(), piece.into());
            }
        }
    }
}

fn about(answer: &mut Answer<'_>, message: &Value) {
    (answer.id, answer.model) = (named(message, "/id"), named(message, "/model"));
    tokens(answer, message.get("usage"));
}

/// The tokens of an event: those that it does not count stay as they were. Cached input is counted beside the rest.
fn tokens(answer: &mut Answer<'_>, usage: Option<&Value>) {
    let Some(usage) = usage else { return };
    let before = answer.usage;
    let latest =
        |path: &str, before: u64| Some(count(usage, path)).filter(|count| *count > 0).unwrap_or(before);
    let cached = latest("/cache_read_input_tokens", before.cached_input_tokens);
    let written = latest("/cache_creation_input_tokens", before.cache_write_tokens);
    let rest = before.input_tokens.saturating_sub(before.cached_input_tokens);
    let rest = rest.saturating_sub(before.cache_write_tokens);
    let mut now = Usage::new(
        latest("/input_tokens", rest).saturating_add(cached).saturating_add(written),
        latest("/output_tokens", before.output_tokens),
    );
    (now.cached_input_tokens, now.cache_write_tokens) = (cached, written);
    now.reasoning_tokens = latest("/output_tokens_details/thinking_tokens", before.reasoning_tokens);
    // One count for each of the provider's tools.
    let uses = usage.get("server_tool_use").and_then(Value::as_object);
    let uses = uses.map_or(0, |uses| uses.values().map(bounded).fold(0, u64::saturating_add));
    now.server_tool_uses = if uses > 0 { uses } else { before.server_tool_uses };
    answer.usage = now;
}

fn key_of(event: &Value) -> String {
    event.get("index").map_or_else(String::new, Value::to_string)
}

fn stop(reason: &str) -> Stop {
    match reason {
        "end_turn" | "stop_sequence" => Stop::Done,
        "tool_use" => Stop::Calls,
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "refusal" => Stop::Refusal,
        "content_filtered" => Stop::Filter,
        "pause_turn" => Stop::Paused,
        other => Stop::other(other),
    }
}

/// The end. The blocks get the form in which they go back: an input that came in pieces is a value again, and reasoning without a
/// signature is left out, because it would be refused.
fn ends(answer: &mut Answer<'_>, reason: &str) {
    answer.carried.change_blocks(|mut block: Value| {
        if text(&block, "/type") == "thinking" && text(&block, "/signature").is_empty() {
            return None;
        }
        let input = block.get("input").and_then(Value::as_str).map(|text| {
            serde_json::from_str::<Value>(text).ok().filter(Value::is_object).unwrap_or_else(|| json!({}))
        });
        if let (Some(input), Value::Object(fields)) = (input, &mut block) {
            fields.insert("input".to_owned(), input);
        }
        Some(block)
    });
    answer.places.clear();
    answer.stop(stop(reason));
}
