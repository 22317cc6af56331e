//! Answers of Chat Completions.

use std::borrow::Cow;

use serde_json::{Map, Value};

use onionskin_core::model::{ModelError, Usage};

use super::{Flow, count, failed, list, named, text};
use crate::answer::{Answer, Stop, unread};
use crate::calls::{OLD_FORM, Piece};

/// A mark: a delta has said something, so a message behind it says the whole of it again.
const DELTAS: &str = "deltas";

/// The first choice of a chunk or an answer, which has its words in the field `place`. Some servers write messages into a stream: in pieces,
/// or a whole one behind its deltas.
pub(super) fn choice(answer: &mut Answer<'_>, event: &Value, place: &str) -> Result<Flow, ModelError> {
    let usage = ["/usage", "/x_groq/usage"]
        .iter()
        .find_map(|path| event.pointer(path))
        .filter(|usage| usage.is_object());
    if event.get("choices").is_none() && usage.is_none() {
        return Ok(Flow::Unknown);
    }
    // Some servers write zeros into the events before or behind the one that counts.
    if let Some(tokens) = usage.map(tokens).filter(|tokens| *tokens != Usage::default()) {
        answer.usage = tokens;
    }
    answer.model = answer.model.take().or_else(|| named(event, "/model"));
    answer.id = answer.id.take().or_else(|| named(event, "/id"));
    let mut flow = Flow::Part;
    // The request asks for one choice.
    let choices = list(event, "/choices").iter();
    for choice in choices.filter(|choice| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0) {
        let says =
            |place: &&str| choice.get(place).and_then(Value::as_object).is_some_and(|it| !it.is_empty());
        if let Some(place) = [place, "delta", "message"].into_iter().find(says) {
            let again = place == "message" && answer.places.contains_key(DELTAS);
            let before = answer.size();
            if message_of(answer, &choice[place], again)? {
                flow = Flow::Call;
            }
            if place == "delta" && answer.size() > before && !answer.places.contains_key(DELTAS) {
                answer.places.insert(DELTAS.to_owned(), 0);
            }
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str).filter(|it| !it.is_empty())
        {
            answer.stop(stop(reason, text(choice, "/error/message"))?);
        }
    }
    Ok(flow)
}

/// Reads a message or a piece of one. `again` says that its pieces came before. True if it has a call, or a piece of one.
fn message_of(answer: &mut Answer<'_>, said: &Value, again: bool) -> Result<bool, ModelError> {
    let knows_reasoning = again && answer.has_reasoning();
    // OpenRouter sends both fields with the same text, and some servers leave one of them empty.
    if let Some(field) = ["reasoning_content", "reasoning"]
        .into_iter()
        .find(|field| !text(said, &format!("/{field}")).is_empty())
        .filter(|_| !knows_reasoning)
    {
        answer.reason(field, text(said, &format!("/{field}")))?;
    }
    let knows_details = again && !answer.carried.blocks.is_empty();
    let details = list(said, "/reasoning_details").iter().filter(|_| !knows_details);
    for detail in details.filter(|detail| detail.is_object()) {
        answer.grow(size(detail))?;
        merge_detail(answer, detail)?;
    }
    let mut whole = String::new();
    match said.get("content") {
        Some(Value::String(piece)) => whole.push_str(piece),
        // Mistral's models that reason write a list of parts.
        Some(Value::Array(parts)) => {
            for part in parts {
                match text(part, "/type") {
                    "thinking" if knows_reasoning => {}
                    "thinking" => match part.get("thinking") {
                        Some(Value::String(thought)) => answer.reason("reasoning_content", thought)?,
                        _ => {
                            for thought in list(part, "/thinking") {
                                answer.reason("reasoning_content", text(thought, "/text"))?;
                            }
                        }
                    },
                    "image_url" => return Err(unread("a picture")),
                    "refusal" => {
                        let refusal = text(part, "/refusal");
                        answer.refuses(refusal);
                        whole.push_str(refusal);
                    }
                    _ => whole.push_str(text(part, "/text")),
                }
            }
        }
        _ => {}
    }
    let refusal = text(said, "/refusal");
    answer.refuses(refusal);
    whole.push_str(refusal);
    if !list(said, "/images").is_empty() {
        return Err(unread("a picture"));
    }
    // The words of a sound are the text.
    whole.push_str(text(said, "/audio/transcript"));
    if again && !whole.is_empty() {
        answer.whole_text(&whole)?;
    } else {
        answer.text(&whole)?;
    }
    let mut calls = Vec::new();
    for call in list(said, "/tool_calls") {
        let piece = Piece {
            key: call.get("index").filter(|index| !index.is_null()).map(Value::to_string),
            id: id_of(call),
            name: text(call, "/function/name"),
            arguments: answer.argument_text(call.pointer("/function/arguments"))?,
        };
        let extra = extra_of(call);
        calls.push((piece, (!extra.is_empty()).then(|| Value::Object(extra))));
    }
    // The form of older servers.
    let mut old = Vec::new();
    if let Some(call) = said.get("function_call").filter(|call| call.is_object()) {
        let piece = Piece {
            key: Some(OLD_FORM.to_owned()),
            id: "".into(),
            name: text(call, "/name"),
            arguments: answer.argument_text(call.get("arguments"))?,
        };
        old.push((piece, None));
    }
    let has_call = !calls.is_empty() || !old.is_empty();
    answer.pieces(calls)?;
    answer.pieces(old)?;
    Ok(has_call)
}

/// The id of a call, which some servers write as a number.
fn id_of(call: &Value) -> Cow<'_, str> {
    match call.get("id") {
        Some(Value::String(id)) => id.into(),
        Some(Value::Number(id)) => id.to_string().into(),
        _ => "".into(),
    }
}

/// The fields of a call that its server wants back: servers before Gemini have the signature of its thoughts in one of them.
fn extra_of(call: &Value) -> Map<String, Value> {
    let of = |value: &Value| -> Map<String, Value> {
        let fields = ["extra_content", "provider_specific_fields", "thought_signature"].into_iter();
        let present = fields.filter_map(|field| Some((field, value.get(field).filter(|it| !it.is_null())?)));
        present.map(|(field, value)| (field.to_owned(), value.clone())).collect()
    };
    let mut extra = of(call);
    let function = call.get("function").map(of).unwrap_or_default();
    if !function.is_empty() {
        extra.insert("function".to_owned(), function.into());
    }
    extra
}

/// A stream has the reasoning of a gateway in pieces: the pieces of one block have the same index and kind, and at most one id. What is encrypted comes
/// whole.
fn merge_detail(answer: &mut Answer<'_>, detail: &Value) -> Result<(), ModelError> {
    let same = |last: &&mut Value| {
        let ids = [last.get("id"), detail.get("id")].map(|id| id.filter(|id| !id.is_null()));
        detail.get("index").is_some()
            && last.get("index") == detail.get("index")
            && last.get("type") == detail.get("type")
            && !matches!(ids, [Some(one), Some(other)] if one != other)
            && [&**last, detail].into_iter().all(|block| text(block, "/data").is_empty())
    };
    let Some(Value::Object(last)) = answer.carried.blocks.last_mut().filter(same) else {
        return answer.block(detail.clone());
    };
    for (field, value) in detail.as_object().into_iter().flatten() {
        match (last.get_mut(field), value) {
            (Some(Value::String(text)), Value::String(piece)) if matches!(&**field, "text" | "summary") => {
                text.push_str(piece);
            }
            (_, Value::Null) => {}
            _ => {
                last.insert(field.clone(), value.clone());
            }
        }
    }
    Ok(())
}

fn size(value: &Value) -> usize {
    value.to_string().len()
}

fn stop(reason: &str, words: &str) -> Result<Stop, ModelError> {
    // Some servers write it in capitals.
    Ok(match &*reason.to_ascii_lowercase() {
        "stop" | "eos" | "end_turn" | "stop_sequence" => Stop::Done,
        "tool_calls" | "tool-calls" | "tool_call" | "function_call" | "tool_use" => Stop::Calls,
        "length" | "max_tokens" | "model_length" => Stop::Length,
        "content_filter" | "sensitive" => Stop::Filter,
        "refusal" => Stop::Refusal,
        "error" | "network_error" => return Err(failed("the provider stopped with an error:", words)),
        "insufficient_system_resource" => Stop::Early(reason.to_owned()),
        other => Stop::other(other),
    })
}

/// xAI counts reasoning beside the completion, and some gateways count cached input beside the rest.
fn tokens(usage: &Value) -> Usage {
    let most = |paths: &[&str]| paths.iter().map(|path| count(usage, path)).max().unwrap_or_default();
    // The names of `OpenAI`'s newer protocol are those of some servers here too.
    let (input, output) =
        (most(&["/prompt_tokens", "/input_tokens"]), most(&["/completion_tokens", "/output_tokens"]));
    let reasoning = count(usage, "/completion_tokens_details/reasoning_tokens");
    let beside = input.saturating_add(output).saturating_add(reasoning) == count(usage, "/total_tokens");
    // `OpenAI`'s place, those of DeepSeek and Kimi, and that of gateways before Anthropic.
    let cached = most(&[
        "/prompt_tokens_details/cached_tokens",
        "/prompt_cache_hit_tokens",
        "/cached_tokens",
        "/cache_read_input_tokens",
    ]);
    let written = most(&[
        "/prompt_tokens_details/cache_write_tokens",
        "/prompt_tokens_details/cache_creation_tokens",
        "/cache_creation_input_tokens",
    ]);
    let parts = cached.saturating_add(written);
    let mut tokens = Usage::new(
        if parts > input { input.saturating_add(parts) } else { input },
        if beside { output.saturating_add(reasoning) } else { output },
    );
    tokens.reasoning_tokens = reasoning;
    (tokens.cached_input_tokens, tokens.cache_write_tokens) = (cached, written);
    // OpenRouter's.
    tokens.server_tool_uses = count(usage, "/server_tool_use/web_search_requests");
    tokens
}
