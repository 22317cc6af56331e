//! The schemas of the document.

use onionskin_core::schema::format_bounds;
use serde_json::{Map, Value, json};

/// The maximum number of characters of the id of a session.
pub(super) const MAX_SESSION_ID: usize = 100;

/// A reference to a schema of the document.
pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Any text.
pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

/// The id of a run.
pub(super) fn run_id() -> Value {
    json!({ "type": "string", "pattern": "^[0-9a-f]{32}$" })
}

/// The id of a session.
pub(super) fn session_id() -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": MAX_SESSION_ID, "pattern": "^[!-~]+$" })
}

/// The state of a run that waits.
pub(super) fn state() -> Value {
    json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]+$", "description": "What belongs to the answers of a run that waits." })
}

/// A schema of an agent as a component of the document. References to its own parts become references to parts of the component, and integers
/// get the bounds of their format, which clients need not know.
pub(super) fn component(schema: &Value, name: &str) -> Value {
    match schema {
        Value::Object(fields) => {
            let changed = |(key, value): (&String, &Value)| {
                let local = value.as_str().and_then(|target| target.strip_prefix('#'));
                let value = match local {
                    Some(pointer) if key == "$ref" => format!("#/components/schemas/{name}{pointer}").into(),
                    _ => component(value, name),
                };
                (key.clone(), value)
            };
            let mut changed: Map<String, Value> = fields.iter().map(changed).collect();
            if let Some([least, most]) = fields.get("format").and_then(format_bounds) {
                changed.entry("minimum").or_insert_with(|| i64::try_from(least).ok().into());
                changed.entry("maximum").or_insert_with(|| u64::try_from(most).ok().into());
            }
            Value::Object(changed)
        }
        Value::Array(items) => items.iter().map(|item| component(item, name)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

/// The schemas that others refer to.
pub(super) fn components() -> Value {
    json!({
        "Agent": agent(),
        "Run": run(),
        "Question": question(),
        "Answer": answer(),
        "Approval": approval(),
        "Session": session(),
        "Message": message(),
        "Event": event(),
        "Problem": problem(),
    })
}

fn agent() -> Value {
    json!({
        "type": "object",
        "required": ["name", "description", "input_schema"],
        "properties": {
            "name": text(),
            "description": text(),
            "input_schema": { "type": "object" },
            "output_schema": { "type": "object" },
        },
    })
}

fn run() -> Value {
    let completed = json!({
        "title": "A run that has ended",
        "type": "object",
        "required": ["id", "status", "text"],
        "properties": {
            "id": run_id(),
            "status": { "const": "completed" },
            "text": text(),
            "structured": { "description": "The answer of an agent with a type." },
        },
    });
    let waiting = json!({
        "title": "A run that waits for answers",
        "type": "object",
        "required": ["id", "status", "questions", "state"],
        "properties": {
            "id": run_id(),
            "status": { "const": "waiting" },
            "questions": { "type": "array", "minItems": 1, "items": reference("Question") },
            "state": state(),
        },
    });
    json!({ "oneOf": [completed, waiting] })
}

fn question() -> Value {
    json!({
        "type": "object",
        "required": ["name", "kind", "tool", "agents", "arguments", "answer_schema"],
        "properties": {
            "name": { "type": "string", "description": "The key of the answer." },
            "kind": { "enum": ["approval", "question", "external", "component", "caller"] },
            "tool": text(),
            "agents": { "type": "array", "items": text() },
            "arguments": { "description": "The arguments of the call." },
            "answer_schema": { "description": "The JSON Schema of the answer's `value`." },
            "message": text(),
            "component": { "type": "string", "description": "The component that shows the payload." },
            "payload": { "description": "What the component shows." },
        },
    })
}

/// An object with one field.
fn only(field: &str, schema: &Value) -> Value {
    json!({ "type": "object", "required": [field], "properties": { field: schema }, "additionalProperties": false })
}

fn answer() -> Value {
    let reason = json!({ "type": ["string", "null"], "description": "The reason." });
    let value = json!({ "description": "What fits the question's `answer_schema`." });
    json!({ "oneOf": [
        only("approval", &reference("Approval")),
        only("value", &value),
        only("declined", &reason),
    ]})
}

fn approval() -> Value {
    let always = json!({ "enum": ["arguments", "tool"], "description": "Which later calls of the session need no approval." });
    let arguments = json!({ "type": "object", "description": "The arguments to use." });
    let reason = json!({ "type": ["string", "null"], "description": "The reason." });
    json!({ "oneOf": [
        { "const": "allow" },
        only("allow_always", &always),
        only("allow_with", &arguments),
        only("deny", &reason),
    ]})
}

fn session() -> Value {
    json!({
        "type": "object",
        "required": ["id", "messages"],
        "properties": {
            "id": text(),
            "messages": { "type": "array", "items": reference("Message") },
            "waiting": reference("Run"),
        },
    })
}

fn message() -> Value {
    json!({
        "type": "object",
        "required": ["role", "text"],
        "properties": { "role": { "enum": ["user", "assistant"] }, "text": text() },
    })
}

/// An event of a stream: its name, and its data as JSON.
fn event() -> Value {
    let data = |properties: Value| {
        let required: Vec<_> =
            properties.as_object().into_iter().flat_map(|all| all.keys().cloned()).collect();
        json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
    };
    let call = |further: Value| {
        let mut properties = json!({ "agent": text(), "call_id": text() });
        properties
            .as_object_mut()
            .into_iter()
            .for_each(|all| all.extend(further.as_object().cloned().unwrap_or_default()));
        data(properties)
    };
    let number = || json!({ "type": ["number", "null"] });
    let events = [
        ("text_delta", data(json!({ "text": text() }))),
        ("turn_restarted", data(json!({ "turn": { "type": "integer" } }))),
        ("tool_started", call(json!({ "tool": text() }))),
        ("tool_finished", call(json!({ "tool": text(), "failed": { "type": "boolean" } }))),
        (
            "progress",
            call(json!({ "done": number(), "total": number(), "message": { "type": ["string", "null"] } })),
        ),
        ("user", call(json!({ "value": {} }))),
        ("run", reference("Run")),
        ("problem", reference("Problem")),
    ];
    let one = |(name, data): (&str, Value)| {
        let data = json!({ "type": "string", "contentMediaType": "application/json", "contentSchema": data });
        json!({
            "type": "object",
            "required": ["event", "data"],
            "properties": { "event": { "const": name }, "data": data },
        })
    };
    json!({ "oneOf": events.map(one) })
}

fn problem() -> Value {
    json!({
        "type": "object",
        "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": { "type": "string", "format": "uri-reference" },
            "title": text(),
            "status": { "type": "integer" },
            "detail": { "type": "string", "description": "What is wrong, and what to send." },
        },
    })
}
