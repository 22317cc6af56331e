//! Cases in which the provider answers.

use std::sync::Arc;

use serde_json::{Value, json};

use super::probe::{Check, Failure, Probe, ensure};
use super::scenario::Reply;
use onionskin_definitions::content::ContentBlock;
use onionskin_definitions::definition::{ToolDeclaration, ToolDefinition};
use onionskin_tools::model::{
    History, Message, Model, ModelRequest, ModelResponse, StopReason, ToolCall, ToolResultMessage, Usage,
};

/// Quotes, line breaks, a backslash, letters beyond ASCII and beyond 16 bits.
pub(super) const NON_ASCII: &str = "Grüße aus \"Köln\"\n\\ 東京 🦀 é";

pub(super) fn hello() -> ModelRequest {
    ModelRequest::new([Message::user("How warm is it?")])
}

pub(super) fn answer(text: &str) -> Reply {
    let mut answer = ModelResponse::text(text);
    answer.usage = Usage::new(4, 3);
    Reply::Answer(answer)
}

pub(super) fn says(response: &ModelResponse, text: &str) -> Check {
    ensure(response.text == text, || format!("the text is {:?}, not {text:?}", response.text))
}

/// The tool that the cases offer.
pub(super) fn add_one() -> ToolDeclaration {
    let schema = json!({
        "type": "object",
        "properties": { "number": { "type": "integer" } },
        "required": ["number"],
        "additionalProperties": false,
    });
    ToolDeclaration::new("add_one", &ToolDefinition::new("add_one", "Adds one.").with_input_schema(schema))
}

fn call(id: &str, number: u32) -> ToolCall {
    ToolCall::new(id, "add_one", json!({ "number": number }).to_string())
}

pub(super) fn calls(numbers: &[u32]) -> Reply {
    let calls = numbers.iter().zip(1..).map(|(number, id)| call(&format!("call_{id}"), *number));
    let mut answer = ModelResponse::tool_calls(calls);
    answer.usage = Usage::new(4, 3);
    Reply::Answer(answer)
}

pub(super) async fn text<M: Model>(probe: &Probe<'_, M>) -> Check {
    let response = probe.ask(&hello()).await?;
    says(&response, "It is warm.")?;
    ensure(response.tool_calls.is_empty(), || format!("there are calls: {:?}", response.tool_calls))?;
    stops(&response, StopReason::Done)?;
    probe.requests(1)?;
    probe.sent(0)?.has("message", &["How warm is it?"])
}

fn stops(response: &ModelResponse, stop: StopReason) -> Check {
    ensure(response.stop == stop, || format!("the reason to stop is {:?}, not {stop:?}", response.stop))
}

/// The tokens of the two answers of the case `usage`. A script counts words.
pub(super) fn answers_with_usage() -> Vec<Reply> {
    let mut second = ModelResponse::text("Still warm.");
    second.usage = Usage::new(9, 2);
    vec![answer("It is warm."), Reply::Answer(second)]
}

pub(super) async fn usage<M: Model>(probe: &Probe<'_, M>) -> Check {
    let mut request = hello();
    let first = probe.ask(&request).await?;
    used(&first, 4, 3)?;
    request.messages.push(first.into());
    request.messages.push(Message::user("And now?"));
    used(&probe.ask(&request).await?, 9, 2)
}

fn used(response: &ModelResponse, input: u64, output: u64) -> Check {
    let Usage { input_tokens, output_tokens, .. } = response.usage;
    ensure((input_tokens, output_tokens) == (input, output), || {
        format!(
            "the usage is {input_tokens} input and {output_tokens} output tokens, not {input} and {output}"
        )
    })
}

pub(super) async fn streaming<M: Model>(probe: &Probe<'_, M>) -> Check {
    let (_, pieces) = probe.ask_in_pieces(&hello()).await?;
    if pieces.text.is_empty() {
        return Err(Failure::NotShown("the model passes no piece of its answer to `deltas`"));
    }
    Ok(())
}

pub(super) async fn system<M: Model>(probe: &Probe<'_, M>) -> Check {
    probe.ask(&hello().with_system("Answer as a pirate.")).await?;
    probe.sent(0)?.has("system prompt", &["Answer as a pirate."])
}

pub(super) async fn non_ascii<M: Model>(probe: &Probe<'_, M>) -> Check {
    let (user, system) = (format!("User: {NON_ASCII}"), format!("System: {NON_ASCII}"));
    let request = ModelRequest::new([Message::user(&*user)]).with_system(&*system);
    says(&probe.ask(&request).await?, NON_ASCII)?;
    probe.sent(0)?.has("text", &[&user, &system])
}

pub(super) async fn long_history<M: Model>(probe: &Probe<'_, M>) -> Check {
    let mut history = History::new();
    let mut texts = Vec::new();
    for number in 0..150 {
        for message in
            [Message::user(format!("question {number}.")), Message::assistant(format!("answer {number}."))]
        {
            texts.push(message.to_text().into_owned());
            history.push(message);
        }
    }
    history.push(Message::user("How warm is it?"));
    texts.push("How warm is it?".to_owned());
    says(&probe.ask(&ModelRequest::new(history)).await?, "It is warm.")?;
    probe.sent(0)?.has_in_order("message", &texts)
}

pub(super) async fn tool_call<M: Model>(probe: &Probe<'_, M>) -> Check {
    let mut request = ModelRequest::new([Message::user("Add one to 41.")]).with_tools([add_one()]);
    let response = probe.ask(&request).await?;
    probe.sent(0)?.has("part of the tool", &["add_one", "Adds one.", "number"])?;
    stops(&response, StopReason::ToolCalls)?;
    is_called(&response, &[41])?;
    let id = follow(&mut request, response, &[("42 it is", false)]).remove(0);
    says(&probe.ask(&request).await?, "It is 42.")?;
    let sent = probe.sent(1)?;
    sent.has(
        "result of the call, or the id or the arguments of the call,",
        &["42 it is", &id, "add_one", "number"],
    )?;
    sent.has_number("argument of the call", 41.0)?;
    probe.requests(2)
}

/// A request whose answer has two calls.
pub(super) fn add_numbers() -> ModelRequest {
    ModelRequest::new([Message::user("Add one to 1 and to 2.")]).with_tools([add_one()])
}

pub(super) async fn two_tool_calls<M: Model>(probe: &Probe<'_, M>) -> Check {
    let mut request = add_numbers();
    let response = probe.ask(&request).await?;
    stops(&response, StopReason::ToolCalls)?;
    is_called(&response, &[1, 2])?;
    let ids = follow(&mut request, response, &[("2 it is", false), ("too large", true)]);
    ensure(ids[0] != ids[1], || format!("both calls have the id {:?}", ids[0]))?;
    probe.ask(&request).await?;
    let sent = probe.sent(1)?;
    sent.has("result", &["2 it is", "too large"])?;
    sent.has("id", &[&ids[0], &ids[1]])
}

/// Checks that the calls of an answer are calls of `add_one` with these numbers.
fn is_called(response: &ModelResponse, numbers: &[u32]) -> Check {
    let calls = &response.tool_calls;
    ensure(calls.len() == numbers.len(), || {
        format!("there are {} calls, not {}", calls.len(), numbers.len())
    })?;
    for (call, number) in calls.iter().zip(numbers) {
        ensure(!call.id.is_empty(), || "a call has no id".to_owned())?;
        ensure(&*call.name == "add_one", || format!("the tool `{}` is called, not `add_one`", call.name))?;
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        ensure(arguments == json!({ "number": number }), || {
            format!("the arguments are {:?}, not {{\"number\":{number}}}", call.arguments)
        })?;
    }
    Ok(())
}

/// Appends an answer and the results of its calls to the conversation, and returns the ids of the calls.
pub(super) fn follow(
    request: &mut ModelRequest,
    response: ModelResponse,
    results: &[(&str, bool)],
) -> Vec<Arc<str>> {
    let ids: Vec<_> = response.tool_calls.iter().map(|call| Arc::clone(&call.id)).collect();
    let results = response.tool_calls.iter().zip(results).map(|(call, (text, is_error))| {
        let content = [ContentBlock::text(*text)];
        let mut result = ToolResultMessage::new(Arc::clone(&call.id), Arc::clone(&call.name), content);
        result.is_error = *is_error;
        result
    });
    let results = Message::tool(results);
    request.messages.push(response.into());
    request.messages.push(results);
    ids
}
