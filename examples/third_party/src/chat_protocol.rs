//! The chat protocol: the body of a request, and an answer while it comes.

use onionskin_core::content::ContentBlock;
use onionskin_core::model::{
    Message, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestParams, StopReason, ToolCall,
    ToolCallDelta, ToolChoice, ToolDeclaration, Usage,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The body of a request to the model of this name.
pub(crate) fn body(name: &str, request: &ModelRequest) -> Value {
    let system = request.system.as_deref().map(|text| json!({ "role": "system", "content": text }));
    let messages: Vec<_> = system.into_iter().chain(request.messages.iter().flat_map(messages)).collect();
    let mut body = Map::new();
    let mut set = |name: &str, value: Value| {
        if !value.is_null() {
            body.insert(name.to_owned(), value);
        }
    };
    set("model", json!(name));
    set("messages", json!(messages));
    set("stream", json!(true));
    set("stream_options", json!({ "include_usage": true }));
    set("user", json!(request.user()));
    if !request.tools.is_empty() {
        set("tools", request.tools.iter().map(tool).collect());
    }
    let RequestParams { temperature, top_p, max_tokens, seed, stop_sequences, .. } = &request.params;
    set("temperature", json!(temperature));
    set("top_p", json!(top_p));
    set("max_tokens", json!(max_tokens));
    set("seed", json!(seed));
    if !stop_sequences.is_empty() {
        set("stop", json!(stop_sequences));
    }
    set("tool_choice", tool_choice(&request.params.tool_choice));
    if let Some(schema) = &request.params.response_schema {
        let named =
            json!({ "name": schema.name(), "description": schema.description(), "schema": schema.schema() });
        set("response_format", json!({ "type": "json_schema", "json_schema": named }));
    }
    body.extend(request.params.extra_body.clone());
    Value::Object(body)
}

fn tool_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) => json!({ "type": "function", "function": { "name": name } }),
        // The server's default is `auto`.
        ToolChoice::Auto => Value::Null,
    }
}

fn tool(tool: &ToolDeclaration) -> Value {
    let ToolDeclaration { name, description, input_schema, .. } = tool;
    json!({ "type": "function", "function": { "name": name, "description": description, "parameters": input_schema } })
}

/// A message in the protocol's form. Each result of a call is a message there.
fn messages(message: &Message) -> Vec<Value> {
    match message {
        Message::Assistant { text, tool_calls, .. } => {
            let calls = tool_calls.iter().map(|call| {
                let function = json!({ "name": call.name, "arguments": call.arguments });
                json!({ "id": call.id, "type": "function", "function": function })
            });
            let calls: Vec<_> = calls.collect();
            let mut message = json!({ "role": "assistant", "content": text });
            if !calls.is_empty() {
                message["tool_calls"] = calls.into();
            }
            vec![message]
        }
        Message::Tool { results, .. } => {
            let message = |call_id: &str, content: &[ContentBlock]| json!({ "role": "tool", "tool_call_id": call_id, "content": text(content) });
            results.iter().map(|result| message(&result.call_id, &result.content)).collect()
        }
        user @ Message::User { .. } => vec![json!({ "role": "user", "content": user.to_text() })],
    }
}

/// The protocol has only text in results. Other content is shown as JSON.
fn text(content: &[ContentBlock]) -> String {
    let blocks = content.iter().map(|block| match block {
        ContentBlock::Text(text) => text.clone(),
        other => json!(other).to_string(),
    });
    blocks.collect::<Vec<_>>().join("\n")
}

/// One line of the stream.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Chunk {
    choices: Vec<Choice>,
    usage: Option<Tokens>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Choice {
    delta: Delta,
    finish_reason: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Delta {
    content: Option<String>,
    tool_calls: Vec<CallPart>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CallPart {
    index: usize,
    id: Option<String>,
    function: FunctionPart,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct FunctionPart {
    name: Option<String>,
    arguments: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Tokens {
    prompt_tokens: u64,
    completion_tokens: u64,
}

/// An answer while it comes.
#[derive(Default)]
pub(crate) struct Answer {
    text: String,
    /// The calls by their index in the stream: id, name, arguments.
    calls: Vec<(String, String, String)>,
    usage: Usage,
    stop: Option<StopReason>,
}

impl Answer {
    /// Reads a line of the stream, and passes on the pieces in it.
    pub(crate) fn read(
        &mut self,
        line: &[u8],
        deltas: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<(), ModelError> {
        let data = line.strip_prefix(b"data:").map(<[u8]>::trim_ascii);
        let Some(data) = data.filter(|data| *data != b"[DONE]") else { return Ok(()) };
        let chunk: Chunk =
            serde_json::from_slice(data).map_err(|error| ModelError::Malformed(error.to_string()))?;
        if let Some(Tokens { prompt_tokens, completion_tokens }) = chunk.usage {
            self.usage = Usage::new(prompt_tokens, completion_tokens);
        }
        let Some(Choice { delta, finish_reason }) = chunk.choices.into_iter().next() else { return Ok(()) };
        for part in delta.tool_calls {
            if let Some(piece) = self.add(part) {
                deltas(ModelDelta::ToolCall(piece));
            }
        }
        self.stop = finish_reason.as_deref().map(stop_reason).or(self.stop);
        let text = delta.content.unwrap_or_default();
        if !text.is_empty() {
            self.text.push_str(&text);
            deltas(ModelDelta::Text(text));
        }
        Ok(())
    }

    /// Adds a part to its call. The first part of a call has its id and its name.
    fn add(&mut self, part: CallPart) -> Option<ToolCallDelta> {
        while self.calls.len() <= part.index.min(1000) {
            self.calls.push(Default::default());
        }
        let (id, name, arguments) = self.calls.get_mut(part.index)?;
        id.push_str(&part.id.unwrap_or_default());
        name.push_str(&part.function.name.unwrap_or_default());
        arguments.push_str(&part.function.arguments);
        Some(ToolCallDelta::new(id.as_str(), name.as_str(), part.function.arguments))
    }

    /// The whole answer. It is whole if the server said why it stopped.
    pub(crate) fn finish(self) -> Result<ModelResponse, ModelError> {
        let Some(stop) = self.stop else {
            let read = self.text.chars().count();
            return Err(ModelError::Transport(format!(
                "the stream ended after {read} characters, before the answer did"
            )));
        };
        let calls = self.calls.into_iter().map(|(id, name, arguments)| ToolCall::new(id, name, arguments));
        let mut answer = ModelResponse::tool_calls(calls);
        (answer.text, answer.usage, answer.stop) = (self.text, self.usage, stop);
        Ok(answer)
    }
}

fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "stop" => StopReason::Done,
        "tool_calls" => StopReason::ToolCalls,
        "length" => StopReason::Length,
        "content_filter" => StopReason::ContentFilter,
        _ => StopReason::Other,
    }
}
