//! Answers of Chat Completions.

use serde_json::{Map, Value};

use onionskin_core::model::{ModelError, Usage};

use super::{Flow, count, list, text};
use crate::answer::{Answer, Stop, unread};
use crate::calls::Piece;

/// A chunk of a stream.
pub(super) fn event(answer: &mut Answer<'_>, event: &Value) -> Result<Flow, ModelError> {
    choice(answer, event, "delta")
}

pub(super) fn document(answer: &mut Answer<'_>, document: &Value) -> Result<Flow, ModelError> {
    choice(answer, document, "message")
}

/// The first choice of a chunk or an answer. Some servers write whole messages into a stream.
fn choice(answer: &mut Answer<'_>, event: &Value, place: &str) -> Result<Flow, ModelError> {
    let usage = ["/usage", "/x_groq/usage"]
        .iter()
        .find_map(|path| event.pointer(path))
        .filter(|usage| usage.is_object());
    if event.get("choices").is_none() && usage.is_none() {
        return Ok(Flow::Unknown);
    }
    if let Some(usage) = usage {
        answer.usage = tokens(usage);
    }
    let name = |field: &str| Some(text(event, field).to_owned()).filter(|name| !name.is_empty());
    answer.model = answer.model.take().or_else(|| name("/model"));
    answer.id = answer.id.take().or_else(|| name("/id"));
    // The request asks for one choice.
    let choices = list(event, "/choices").iter();
    for choice in choices.filter(|choice| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0) {
        let message = [place, "delta", "message"]
            .iter()
            .find_map(|place| choice.get(place))
            .filter(|it| it.is_object());
        if let Some(said) = message {
            message_of(answer, said)?;
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str).filter(|it| !it.is_empty())
        {
            answer.stop(stop(reason, text(choice, "/error/message"))?);
        }
    }
    Ok(Flow::Part)
}

fn message_of(answer: &mut Answer<'_>, said: &Value) -> Result<(), ModelError> {
    // OpenRouter sends both fields with the same text, and some servers leave one of them empty.
    if let Some(field) = ["reasoning_content", "reasoning"]
        .into_iter()
        .find(|field| !text(said, &format!("/{field}")).is_empty())
    {
        answer.reason(field, text(said, &format!("/{field}")))?;
    }
    for detail in list(said, "/reasoning_details").iter().filter(|detail| detail.is_object()) {
        answer.grow(size(detail))?;
        merge_detail(answer, detail)?;
    }
    match said.get("content") {
        Some(Value::String(piece)) => answer.text(piece)?,
        // Mistral's models that reason write a list of parts.
        Some(Value::Array(parts)) => {
            for part in parts {
                match text(part, "/type") {
                    "thinking" => match part.get("thinking") {
                        Some(Value::String(thought)) => answer.reason("reasoning_content", thought)?,
                        _ => {
                            for thought in list(part, "/thinking") {
                                answer.reason("reasoning_content", text(thought, "/text"))?;
                            }
                        }
                    },
                    "image_url" => return Err(unread("a picture")),
                    "refusal" => answer.refusal(text(part, "/refusal"))?,
                    _ => answer.text(text(part, "/text"))?,
                }
            }
        }
        _ => {}
    }
    answer.refusal(text(said, "/refusal"))?;
    if !list(said, "/images").is_empty() {
        return Err(unread("a picture"));
    }
    // The words of a sound are the text.
    answer.text(text(said, "/audio/transcript"))?;
    let calls = list(said, "/tool_calls");
    for (place, call) in calls.iter().enumerate() {
        let arguments = answer.argument_text(call.pointer("/function/arguments"))?;
        let at = answer.piece(&Piece {
            key: call.get("index").filter(|index| !index.is_null()).map(Value::to_string),
            place: (calls.len() > 1).then_some(place),
            id: text(call, "/id"),
            name: text(call, "/function/name"),
            arguments: &arguments,
        })?;
        let extra = extra_of(call);
        if !extra.is_empty() {
            let extra = Value::Object(extra);
            answer.grow(size(&extra))?;
            answer.calls().sign(at, extra);
        }
    }
    if let Some(call) = said.get("function_call").filter(|call| call.is_object()) {
        let arguments = answer.argument_text(call.get("arguments"))?;
        let key = Some("function_call".to_owned());
        answer.piece(&Piece {
            key,
            place: None,
            id: "",
            name: text(call, "/name"),
            arguments: &arguments,
        })?;
    }
    Ok(())
}

/// The fields of a call that its server wants back: servers before Gemini have the signature of its thoughts in one of them.
fn extra_of(call: &Value) -> Map<String, Value> {
    let of = |value: &Value| -> Map<String, Value> {
        let fields = ["extra_content", "provider_specific_fields", "thought_signature"].into_iter();
        let given = fields.filter_map(|field| Some((field, value.get(field).filter(|it| !it.is_null())?)));
        given.map(|(field, value)| (field.to_owned(), value.clone())).collect()
    };
    let mut extra = of(call);
    let function = call.get("function").map(of).unwrap_or_default();
    if !function.is_empty() {
        extra.insert("function".to_owned(), function.into());
    }
    extra
}

/// A stream has the reasoning of a gateway in pieces: those of one block have the same index and kind.
fn merge_detail(answer: &mut Answer<'_>, detail: &Value) -> Result<(), ModelError> {
    let same = |last: &&mut Value| {
        detail.get("index").is_some()
            && last.get("index") == detail.get("index")
            && last.get("type") == detail.get("type")
    };
    let Some(Value::Object(last)) = answer.carried.blocks.last_mut().filter(same) else {
        return answer.block(detail.clone());
    };
    for (field, value) in detail.as_object().into_iter().flatten() {
        match (last.get_mut(field), value) {
            (Some(Value::String(text)), Value::String(piece))
                if matches!(&**field, "text" | "summary" | "data") =>
            {
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
        "tool_calls" | "function_call" | "tool_use" => Stop::Calls,
        "length" | "max_tokens" | "model_length" => Stop::Length,
        "content_filter" | "sensitive" => Stop::Filter,
        "refusal" => Stop::Refusal,
        "error" | "network_error" => {
            let words: String = words.chars().take(500).collect();
            return Err(ModelError::Incomplete(format!("the provider stopped with an error: {words}")));
        }
        "insufficient_system_resource" => Stop::Early(reason.to_owned()),
        other => Stop::Other(other.chars().take(80).collect()),
    })
}

/// xAI counts reasoning beside the completion.
fn tokens(usage: &Value) -> Usage {
    let (input, output) = (count(usage, "/prompt_tokens"), count(usage, "/completion_tokens"));
    let reasoning = count(usage, "/completion_tokens_details/reasoning_tokens");
    let beside = input.saturating_add(output).saturating_add(reasoning) == count(usage, "/total_tokens");
    Usage::new(input, if beside { output.saturating_add(reasoning) } else { output })
}
