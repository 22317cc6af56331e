//! Answers of Gemini's `generateContent`.

use serde_json::Value;

use onionskin_core::model::{ModelError, Usage};

use super::{Flow, count, failed, list, named, text};
use crate::answer::{Answer, Stop, unread};

/// Without `alt=sse`, a stream is one list of its events.
pub(super) fn document(answer: &mut Answer<'_>, document: &Value) -> Result<Flow, ModelError> {
    let Value::Array(events) = document else { return event(answer, document) };
    let mut flow = Flow::Unknown;
    for part in events {
        if event(answer, part)? != Flow::Unknown {
            flow = Flow::End;
        }
    }
    // The list is a stream, and can be cut as one.
    if flow == Flow::End && !answer.has_stopped() {
        return Err(answer.broken_off());
    }
    Ok(flow)
}

/// An event of a stream, or an answer. Parts are whole: a call never comes in pieces.
pub(super) fn event(answer: &mut Answer<'_>, event: &Value) -> Result<Flow, ModelError> {
    let blocked = text(event, "/promptFeedback/blockReason");
    if event.get("candidates").is_none() && event.get("usageMetadata").is_none() && blocked.is_empty() {
        return Ok(Flow::Unknown);
    }
    answer.model = answer.model.take().or_else(|| named(event, "/modelVersion"));
    answer.id = answer.id.take().or_else(|| named(event, "/responseId"));
    if let Some(usage) = event.get("usageMetadata") {
        let input =
            count(usage, "/promptTokenCount").saturating_add(count(usage, "/toolUsePromptTokenCount"));
        let output =
            count(usage, "/candidatesTokenCount").saturating_add(count(usage, "/thoughtsTokenCount"));
        let uses = answer.usage.server_tool_uses;
        answer.usage = Usage::new(input, output);
        answer.usage.cached_input_tokens = count(usage, "/cachedContentTokenCount");
        answer.usage.reasoning_tokens = count(usage, "/thoughtsTokenCount");
        answer.usage.server_tool_uses = uses;
    }
    let searches = list(event, "/candidates/0/groundingMetadata/webSearchQueries").len();
    if searches > 0 {
        answer.usage.server_tool_uses = u64::try_from(searches).unwrap_or(u64::MAX);
    }
    for part in list(event, "/candidates/0/content/parts") {
        part_of(answer, part)?;
    }
    if !blocked.is_empty() {
        answer.stop(Stop::Filter);
    }
    let reason = text(event, "/candidates/0/finishReason");
    if !reason.is_empty() {
        let words = text(event, "/candidates/0/finishMessage");
        answer.stop(stop(reason, words)?);
    }
    Ok(Flow::Part)
}

fn part_of(answer: &mut Answer<'_>, part: &Value) -> Result<(), ModelError> {
    let signature = text(part, "/thoughtSignature");
    answer.grow(signature.len())?;
    if let Some(call) = part.get("functionCall") {
        if call.get("partialArgs").is_some() || call.get("willContinue").is_some_and(|more| *more == true) {
            return Err(unread("a call whose arguments come in parts (`streamFunctionCallArguments`)"));
        }
        let at = answer.call(text(call, "/id"), text(call, "/name"), call.get("args"))?;
        if !signature.is_empty() {
            answer.calls().sign(at, signature.into());
        }
        return Ok(());
    }
    if part.get("thought").and_then(Value::as_bool) == Some(true) {
        return answer.reasoning(text(part, "/text"));
    }
    if let Some(file) = ["inlineData", "fileData"].iter().find_map(|field| part.get(*field)) {
        return Err(unread(&format!("a file of the type `{}`", text(file, "/mimeType"))));
    }
    // The last signature outside of a call belongs to the text.
    if !signature.is_empty() {
        answer.carried.blocks = vec![signature.into()];
    }
    answer.text(text(part, "/text"))
}

fn stop(reason: &str, words: &str) -> Result<Stop, ModelError> {
    Ok(match reason {
        "STOP" => Stop::Done,
        "MAX_TOKENS" => Stop::Length,
        "SAFETY"
        | "BLOCKLIST"
        | "PROHIBITED_CONTENT"
        | "SPII"
        | "IMAGE_SAFETY"
        | "IMAGE_PROHIBITED_CONTENT" => Stop::Filter,
        "MALFORMED_FUNCTION_CALL"
        | "UNEXPECTED_TOOL_CALL"
        | "TOO_MANY_TOOL_CALLS"
        | "MALFORMED_RESPONSE"
        | "MISSING_THOUGHT_SIGNATURE" => {
            return Err(failed(&format!("the model stopped with `{reason}`"), words));
        }
        "RECITATION" | "LANGUAGE" | "OTHER" | "IMAGE_RECITATION" | "IMAGE_OTHER" => {
            Stop::Early(reason.to_owned())
        }
        other => Stop::other(other),
    })
}
