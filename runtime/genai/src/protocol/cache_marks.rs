//! Marks in the part of a request that the next one repeats. Anthropic and Bedrock cache a prompt up to a mark; the others cache without one.

use serde_json::{Map, Value, json};

use super::Protocol;
use crate::names::host;

/// The models of Bedrock that have a cache, by a part of their names: Converse refuses a mark for others.
const CACHING: [&str; 6] =
    ["claude-3-7-", "claude-opus-", "claude-sonnet-", "claude-haiku-", "claude-fable-", "claude-mythos-"];

/// The field of a mark in each protocol, for a program that sets its own.
const MARKS: [&str; 2] = ["cache_control", "cachePoint"];

/// Whether requests are marked if the program does not say it: where the provider is known to take marks.
pub(crate) fn is_usual(protocol: Protocol, endpoint: &str, name: &str) -> bool {
    match protocol {
        Protocol::Anthropic => host(endpoint) == "api.anthropic.com",
        Protocol::Bedrock => {
            host(endpoint).ends_with(".amazonaws.com") && CACHING.iter().any(|family| name.contains(family))
        }
        Protocol::Chat | Protocol::Responses | Protocol::Gemini | Protocol::Ollama | Protocol::Cohere => {
            false
        }
    }
}

/// Marks the ends of the tools, of the system prompt and of the last two messages of the user, at most four places. The end of the
/// message before is where the previous request was marked, so the provider finds it however long an answer is.
///
/// A request without tools at the beginning of a conversation may be the only one, so it is not marked: writing into the cache has a
/// price. If `extra_body` has marks, the program sets its own.
pub(crate) fn mark(protocol: Protocol, body: &mut Map<String, Value>, extra_body: &Map<String, Value>) {
    let is_own = |(name, value): (&String, &Value)| {
        MARKS.iter().any(|mark| name == mark || value.to_string().contains(mark))
    };
    if extra_body.iter().any(is_own) {
        return;
    }
    let has_tools = body.contains_key("tools") || body.contains_key("toolConfig");
    if !has_tools && body.get("messages").and_then(Value::as_array).is_none_or(|messages| messages.len() < 2)
    {
        return;
    }
    match protocol {
        Protocol::Anthropic => anthropic(body),
        Protocol::Bedrock => bedrock(body),
        Protocol::Chat | Protocol::Responses | Protocol::Gemini | Protocol::Ollama | Protocol::Cohere => {}
    }
}

fn anthropic(body: &mut Map<String, Value>) {
    let mark = |block: Option<&mut Value>| {
        if let Some(Value::Object(block)) = block {
            block.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
        }
    };
    mark(body.get_mut("tools").and_then(Value::as_array_mut).and_then(|tools| tools.last_mut()));
    if let Some(system) = body.get_mut("system") {
        into_blocks(system);
        mark(system.as_array_mut().and_then(|blocks| blocks.last_mut()));
    }
    // All of them, so that a message has the same form when it is not the last one any more.
    let mut said: Vec<&mut Value> = user_contents(body).collect();
    for content in &mut said {
        into_blocks(content);
    }
    for content in said.into_iter().rev().take(2) {
        mark(content.as_array_mut().and_then(|blocks| blocks.last_mut()));
    }
}

/// A text as a list of one block, which can have a mark. A text of blanks cannot.
fn into_blocks(content: &mut Value) {
    if let Some(text) = content.as_str().filter(|text| !text.trim().is_empty()) {
        *content = json!([{ "type": "text", "text": text }]);
    }
}

fn bedrock(body: &mut Map<String, Value>) {
    let mark = |list: Option<&mut Value>| {
        if let Some(Value::Array(list)) = list.filter(|list| !list.as_array().is_none_or(Vec::is_empty)) {
            list.push(json!({ "cachePoint": { "type": "default" } }));
        }
    };
    mark(body.get_mut("toolConfig").and_then(|config| config.get_mut("tools")));
    mark(body.get_mut("system"));
    let said: Vec<&mut Value> = user_contents(body).collect();
    said.into_iter().rev().take(2).for_each(|content| mark(Some(content)));
}

/// The contents of the messages of the user, with those that have results.
fn user_contents(body: &mut Map<String, Value>) -> impl Iterator<Item = &mut Value> {
    let messages = body.get_mut("messages").and_then(Value::as_array_mut).into_iter().flatten();
    messages.filter(|message| message["role"] == "user").filter_map(|message| message.get_mut("content"))
}
