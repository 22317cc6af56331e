//! A server that asks a person during its calls. The argument `params` of a call is what it asks.

use serde_json::{Value, json};

use crate::raw::say;

/// The tools. Each asks, then says what was answered.
pub(crate) fn tools() -> String {
    let tool = |name: &str, hints: Value| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": hints});
    json!([
        tool("ask", json!({})),
        tool("ask_again", json!({})),
        tool("ask_and_die", json!({})),
        tool("ask_for_model", json!({})),
        tool("ask_for_folders", json!({})),
        tool("ask_idempotent", json!({"idempotentHint": true})),
        tool("ask_read_only", json!({"readOnlyHint": true})),
        tool("wait", json!({"readOnlyHint": true})),
        tool("echo", json!({})),
    ])
    .to_string()
}

/// Asks, with an id by which the answer finds the call.
fn ask(method: &str, name: &str, call: &Value, params: &Value) {
    let id = format!("{name} {call}");
    say(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string().as_bytes());
}

pub(crate) fn call(name: &str, message: &Value) {
    let params = &message["params"]["arguments"]["params"];
    match name {
        "ask_for_model" => {
            ask("sampling/createMessage", name, &message["id"], &json!({"messages": [], "maxTokens": 1}));
        }
        "ask_for_folders" => ask("roots/list", name, &message["id"], &Value::Null),
        "echo" => done(&message["id"], "echo"),
        "wait" => {}
        _ => ask("elicitation/create", name, &message["id"], params),
    }
    if name == "ask_and_die" {
        std::process::exit(7);
    }
}

/// Takes the answer to a question.
pub(crate) fn answered(message: &Value) {
    let Some((name, call)) = message["id"].as_str().and_then(|id| id.split_once(' ')) else { return };
    let Ok(call) = serde_json::from_str(call) else { return };
    if name == "ask_again" && message["error"].is_null() {
        return ask(
            "elicitation/create",
            name,
            &call,
            &json!({"message": "Again?", "requestedSchema": {"properties": {}}}),
        );
    }
    let answer = if message["error"].is_null() { &message["result"] } else { &message["error"] };
    done(&call, &answer.to_string());
}

fn done(call: &Value, text: &str) {
    let result = json!({"content": [{"type": "text", "text": text}]});
    say(json!({"jsonrpc": "2.0", "id": call, "result": result}).to_string().as_bytes());
}
