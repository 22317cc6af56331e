//! An answer of genai becomes one of ours here.

use std::collections::HashMap;

use genai::chat::{ChatResponse, ContentPart, MessageContent, StreamEnd};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use onionskin_core::model::{ModelError, ModelResponse, StopReason, ToolCall, ToolCallDelta, Usage};

use crate::parts::{argument_text, numbered_id};
use crate::pieces::CallPieces;

/// The data that the provider must get back in the next turn: [`ModelResponse::provider_data`].
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Carried {
    /// The protocol that it belongs to: another provider would refuse the signatures.
    pub(super) adapter: String,
    /// Signed or encrypted reasoning, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<ContentPart>,
    /// The signatures of each tool call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) signatures: Vec<Vec<String>>,
}

/// An answer while it comes.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) text: String,
    pub(super) reasoning: String,
    /// The argument text of each call so far, by the call's id.
    arguments: HashMap<String, String>,
    pieces: CallPieces,
    calls: bool,
}

impl Answer {
    /// Pieces of a call hold the text of its arguments from the start on; whole calls hold a value. Returns the piece to pass on.
    pub(super) fn note_call(&mut self, call: genai::chat::ToolCall) -> Option<ToolCallDelta> {
        self.calls = true;
        let piece = self.pieces.next(&call);
        if let Value::String(text) = call.fn_arguments {
            self.arguments.insert(call.call_id, text);
        }
        piece
    }

    /// The whole answer, and the rests of the calls that were passed on in pieces.
    pub(super) fn finish(
        self,
        end: StreamEnd,
        adapter: &str,
    ) -> Result<(ModelResponse, Vec<ToolCallDelta>), ModelError> {
        // genai makes up the end event of some protocols when the connection closes, and some proxies do when
        // their provider fails. The answer is complete only if it has a reason to stop.
        let Some(stop) = end.captured_stop_reason else { return Err(self.broken_off()) };
        let content = end.captured_content.unwrap_or_default();
        let reasoning = end.captured_reasoning_content.or(Some(self.reasoning));
        let usage = end.captured_usage.unwrap_or_default();
        let (calls, carried) = take_apart(content, &self.arguments, reasoning.as_deref(), adapter)?;
        let mut answer = whole(self.text, reasoning, calls, &usage, Some(&stop), carried);
        // genai reads no model from a stream.
        answer.id = end.captured_response_id;
        let rests = self.pieces.rests(&answer.tool_calls);
        Ok((answer, rests))
    }

    /// The error for a stream that ended too early.
    pub(super) fn broken_off(&self) -> ModelError {
        if self.text.is_empty() && self.reasoning.is_empty() && !self.calls {
            return ModelError::Malformed(
                "it holds no event of the expected protocol; check the base URL and the adapter".to_owned(),
            );
        }
        ModelError::Transport(format!(
            "the stream ended before the answer did, after {} characters of text{}",
            self.text.chars().count(),
            if self.calls { " and the beginning of a tool call" } else { "" }
        ))
    }
}

/// An answer that was not streamed.
pub(super) fn of_response(response: ChatResponse, adapter: &str) -> Result<ModelResponse, ModelError> {
    let text = response.content.texts().concat();
    let reasoning = response.reasoning_content;
    let (calls, carried) = take_apart(response.content, &HashMap::new(), reasoning.as_deref(), adapter)?;
    if text.is_empty() && calls.is_empty() && response.stop_reason.is_none() {
        return Err(ModelError::Malformed("it holds no text, no tool call and no reason to stop".to_owned()));
    }
    let mut answer = whole(text, reasoning, calls, &response.usage, response.stop_reason.as_ref(), carried);
    // genai writes the model that was asked if the provider names none.
    answer.model = Some(response.provider_model_iden.model_name.to_string());
    answer.id = response.response_id;
    Ok(answer)
}

fn whole(
    text: String,
    reasoning: Option<String>,
    tool_calls: Vec<ToolCall>,
    usage: &genai::chat::Usage,
    stop: Option<&genai::chat::StopReason>,
    carried: Option<Value>,
) -> ModelResponse {
    let tokens = |count: Option<i32>| count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
    let mut answer = ModelResponse::text(text);
    answer.reasoning = reasoning.filter(|reasoning| !reasoning.is_empty());
    answer.stop = stop_reason(stop, !tool_calls.is_empty());
    answer.tool_calls = tool_calls;
    answer.usage = Usage::new(tokens(usage.prompt_tokens), tokens(usage.completion_tokens));
    answer.provider_data = carried;
    answer
}

fn stop_reason(reason: Option<&genai::chat::StopReason>, calls: bool) -> StopReason {
    use genai::chat::StopReason as Theirs;
    match reason {
        Some(Theirs::MaxTokens(_)) => StopReason::Length,
        Some(Theirs::ContentFilter(_)) => StopReason::ContentFilter,
        // Some servers say "stop" although they call tools.
        _ if calls => StopReason::ToolCalls,
        Some(Theirs::Completed(_) | Theirs::StopSequence(_)) | None => StopReason::Done,
        _ => StopReason::Other,
    }
}

/// The tool calls, and what must go back to the provider.
fn take_apart(
    content: MessageContent,
    written: &HashMap<String, String>,
    reasoning: Option<&str>,
    adapter: &str,
) -> Result<(Vec<ToolCall>, Option<Value>), ModelError> {
    let mut carried = Carried { adapter: adapter.to_owned(), ..Carried::default() };
    let mut found: Vec<genai::chat::ToolCall> = Vec::new();
    for part in content.into_parts() {
        match part {
            ContentPart::ToolCall(call) => {
                // genai fills gaps in a stream's numbering with copies: one streamed id is one call.
                let copy = found
                    .iter_mut()
                    .find(|other| other.call_id == call.call_id && written.contains_key(&call.call_id));
                match copy {
                    Some(copy) => *copy = call,
                    None => found.push(call),
                }
            }
            part @ (ContentPart::ThoughtSignature(_)
            | ContentPart::ReasoningContent(_)
            | ContentPart::Custom(_)) => carried.parts.push(part),
            // The text was taken already; a provider's files and pictures have no place in an answer yet.
            _ => {}
        }
    }
    let mut calls: Vec<ToolCall> = Vec::with_capacity(found.len());
    for (number, call) in found.into_iter().enumerate() {
        if call.fn_name.is_empty() {
            return Err(ModelError::Malformed(format!("its tool call {} has no name", number + 1)));
        }
        let arguments = argument_text(&call.fn_arguments, written.get(&call.call_id));
        let mut id = call.call_id;
        // Only the id distinguishes results.
        if id.is_empty() || calls.iter().any(|other| *other.id == *id) {
            id = numbered_id(&id, number + 1);
        }
        carried.signatures.push(call.thought_signatures.unwrap_or_default());
        calls.push(ToolCall::new(id, call.fn_name, arguments));
    }
    if carried.signatures.iter().all(Vec::is_empty) {
        carried.signatures.clear();
    }
    // DeepSeek, Kimi and others want their open reasoning back while tools are being called.
    let has_reasoning = carried.parts.iter().any(ContentPart::is_reasoning_content);
    if let Some(reasoning) = reasoning.filter(|text| !text.is_empty() && !has_reasoning && !calls.is_empty())
    {
        carried.parts.push(ContentPart::ReasoningContent(reasoning.to_owned()));
    }
    let empty = carried.parts.is_empty() && carried.signatures.is_empty();
    let carried = (!empty).then(|| serde_json::to_value(carried)).transpose();
    Ok((calls, carried.map_err(|error| ModelError::Malformed(error.to_string()))?))
}

#[cfg(test)]
mod tests {
    use genai::chat::ToolCall as Theirs;
    use serde_json::json;

    use super::*;

    fn call(id: &str, name: &str, arguments: Value) -> Theirs {
        Theirs {
            call_id: id.to_owned(),
            fn_name: name.to_owned(),
            fn_arguments: arguments,
            thought_signatures: None,
        }
    }

    fn end(calls: Vec<Theirs>) -> StreamEnd {
        StreamEnd {
            captured_content: Some(MessageContent::from_tool_calls(calls)),
            captured_stop_reason: Some("tool_calls".to_owned().into()),
            ..StreamEnd::default()
        }
    }

    fn arguments(answer: Answer, calls: Vec<Theirs>) -> Vec<String> {
        let response = answer.finish(end(calls), "openai").unwrap().0;
        response.tool_calls.iter().map(|call| call.arguments.to_string()).collect()
    }

    #[test]
    fn o3_argument_text_is_kept_as_the_model_wrote_it() {
        let mut answer = Answer::default();
        answer.note_call(call("a", "f", json!("{\"y\" : 1,")));
        answer.note_call(call("a", "f", json!("{\"y\" : 1,  \"x\":2.0}")));
        let texts = arguments(answer, vec![call("a", "f", json!({"y": 1, "x": 2.0}))]);
        assert_eq!(texts, ["{\"y\" : 1,  \"x\":2.0}"]);
    }

    #[test]
    fn o3_broken_argument_text_neither_panics_nor_vanishes() {
        let mut answer = Answer::default();
        answer.note_call(call("a", "f", json!("{\"x\": ")));
        assert_eq!(arguments(answer, vec![call("a", "f", json!("{\"x\": "))]), ["{\"x\": "]);
        assert_eq!(arguments(Answer::default(), vec![call("a", "f", json!("no json"))]), ["no json"]);
    }

    #[test]
    fn o3_values_become_text_and_missing_arguments_an_object() {
        let calls =
            vec![call("a", "f", json!({"x": 1})), call("b", "f", json!("")), call("c", "f", json!(null))];
        assert_eq!(arguments(Answer::default(), calls), [r#"{"x":1}"#, "{}", "{}"]);
    }

    #[test]
    fn o3_every_call_has_an_id_of_its_own() {
        let calls =
            vec![call("", "f", json!({})), call("same", "f", json!({})), call("same", "g", json!({}))];
        let response = Answer::default().finish(end(calls), "gemini").unwrap().0;
        let ids: Vec<_> = response.tool_calls.iter().map(|call| &*call.id).collect();
        assert_eq!(ids, ["_1", "same", "same_3"]);
    }

    #[test]
    fn o3_copies_of_a_streamed_call_are_one_call() {
        let mut answer = Answer::default();
        answer.note_call(call("a", "f", json!("{\"x\": 1}")));
        let calls = vec![call("a", "f", json!("{\"x\"")), call("a", "f", json!({"x": 1}))];
        assert_eq!(arguments(answer, calls), ["{\"x\": 1}"]);
    }

    #[test]
    fn o3_an_end_without_a_reason_to_stop_is_no_end() {
        let mut answer = Answer { text: "half".to_owned(), ..Answer::default() };
        let made_up = || StreamEnd { captured_stop_reason: None, ..end(Vec::new()) };
        answer.note_call(call("a", "f", json!({})));
        let error = answer.finish(made_up(), "gemini").unwrap_err();
        assert!(matches!(&error, ModelError::Transport(text) if text.contains("a tool call")), "{error:?}");
        let error = Answer::default().finish(made_up(), "gemini").unwrap_err();
        assert!(matches!(error, ModelError::Malformed(_)), "{error:?}");
    }

    #[test]
    fn o3_a_call_without_a_name_is_malformed() {
        let error = Answer::default().finish(end(vec![call("a", "", json!({}))]), "openai").unwrap_err();
        assert!(matches!(error, ModelError::Malformed(_)), "{error}");
    }
}
