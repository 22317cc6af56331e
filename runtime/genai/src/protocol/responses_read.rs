//! Answers of Responses.

use serde_json::{Value, json};

use onionskin_core::model::{ModelError, Usage};

use super::{Flow, count, list, text};
use crate::answer::{Answer, Stop};
use crate::calls::argument_text;

/// An event of a stream.
pub(super) fn event(answer: &mut Answer<'_>, event: &Value) -> Result<Flow, ModelError> {
    let key = || key_of(text(event, "/item_id"), event.get("output_index"));
    let key_of_item = |item: &Value| key_of(text(item, "/id"), event.get("output_index"));
    match text(event, "/type") {
        "response.output_text.delta" => {
            answer.first(key());
            answer.text(text(event, "/delta"))?;
        }
        "response.refusal.delta" => {
            answer.first(key());
            answer.refusal(text(event, "/delta"))?;
        }
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
            answer.first(key());
            answer.reasoning(text(event, "/delta"))?;
        }
        "response.output_item.added" => {
            if let Some(item) = event.get("item").filter(|item| text(item, "/type") == "function_call") {
                answer.begin(&key_of_item(item), text(item, "/call_id"), text(item, "/name"), true)?;
            }
        }
        "response.function_call_arguments.delta" => {
            let at = match answer.calls().at(&key()) {
                Some(at) => at,
                None => answer.begin(&key(), "", "", true)?,
            };
            answer.add(at, "", "", text(event, "/delta"))?;
        }
        "response.function_call_arguments.done" => {
            if let Some(at) = answer.calls().at(&key()) {
                ends(answer, at, event.get("arguments"))?;
            }
        }
        "response.output_item.done" => {
            if let Some(item) = event.get("item") {
                item_of(answer, &key_of_item(item), item)?;
            }
        }
        "response.completed" | "response.incomplete" | "response.failed" => {
            document(answer, event.get("response").unwrap_or(&Value::Null))?;
            return Ok(Flow::End);
        }
        kind if kind.starts_with("response.") => {}
        _ => return Ok(Flow::Unknown),
    }
    Ok(Flow::Part)
}

/// A whole answer, alone or at the end of a stream: what the events left out is taken from it.
pub(super) fn document(answer: &mut Answer<'_>, document: &Value) -> Result<Flow, ModelError> {
    if !document.get("output").is_some_and(Value::is_array) && text(document, "/status").is_empty() {
        return Ok(Flow::Unknown);
    }
    for (at, item) in list(document, "/output").iter().enumerate() {
        item_of(answer, &key_of(text(item, "/id"), Some(&at.into())), item)?;
    }
    answer.usage =
        Usage::new(count(document, "/usage/input_tokens"), count(document, "/usage/output_tokens"));
    let name = |path: &str| Some(text(document, path).to_owned()).filter(|name| !name.is_empty());
    (answer.id, answer.model) = (name("/id"), name("/model"));
    answer.stop(match text(document, "/status") {
        "completed" | "" => Stop::Done,
        "incomplete" => match text(document, "/incomplete_details/reason") {
            "max_output_tokens" => Stop::Length,
            "content_filter" => Stop::Filter,
            reason => Stop::Early(format!("incomplete: {}", short(reason))),
        },
        "failed" => {
            let words = short(text(document, "/error/message"));
            return Err(match text(document, "/error/code") {
                "rate_limit_exceeded" => ModelError::status(429, words, None),
                "server_error" => ModelError::status(500, words, None),
                code => {
                    ModelError::Incomplete(format!("the provider failed with `{}`: {words}", short(code)))
                }
            });
        }
        status => Stop::Early(short(status)),
    });
    Ok(Flow::End)
}

/// A whole item of the output, of which pieces can have come before.
fn item_of(answer: &mut Answer<'_>, key: &str, item: &Value) -> Result<(), ModelError> {
    match text(item, "/type") {
        "function_call" => {
            let at = match answer.calls().at(key) {
                Some(at) => at,
                None => answer.begin(key, "", "", true)?,
            };
            let fresh = !answer.calls().is_named(at);
            if fresh {
                answer.add(at, text(item, "/call_id"), text(item, "/name"), "")?;
            }
            ends(answer, at, item.get("arguments"))?;
        }
        "message" => {
            let new = answer.first(key.to_owned());
            for part in list(item, "/content").iter().filter(|_| new) {
                answer.text(text(part, "/text"))?;
                answer.refusal(text(part, "/refusal"))?;
            }
        }
        "reasoning" => {
            let new = answer.first(key.to_owned());
            let parts = list(item, "/summary").iter().chain(list(item, "/content"));
            for part in parts.filter(|_| new) {
                answer.reasoning(text(part, "/text"))?;
            }
            let encrypted = text(item, "/encrypted_content");
            if !encrypted.is_empty() && answer.first(format!("encrypted {encrypted}")) {
                answer.grow(encrypted.len())?;
                let summary = list(item, "/summary");
                answer.block(
                    json!({ "type": "reasoning", "encrypted_content": encrypted, "summary": summary }),
                )?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// A call has ended, with this text.
fn ends(answer: &mut Answer<'_>, at: usize, arguments: Option<&Value>) -> Result<(), ModelError> {
    let whole = argument_text(arguments);
    if answer.calls().has_arguments(at) {
        answer.calls().set_arguments(at, &whole);
    } else {
        answer.add(at, "", "", &whole)?;
    }
    answer.calls().close(at);
    Ok(())
}

/// The key of an item: its id, or its number if it has none.
fn key_of(id: &str, number: Option<&Value>) -> String {
    if id.is_empty() { number.map_or_else(String::new, Value::to_string) } else { format!("id {id}") }
}

fn short(text: &str) -> String {
    text.chars().take(500).collect()
}
