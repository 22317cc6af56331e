//! The description of the interface (`OpenAPI` 3.1), made of the declarations of the agents.

use serde_json::{Map, Value, json};

use crate::parts::Parts;

/// The document.
pub(super) fn document(parts: &Parts, has_tokens: bool) -> Value {
    let mut paths = Map::from_iter([
        (
            "/agents".to_owned(),
            json!({ "get": {
                "operationId": "list_agents", "summary": "Lists the agents.",
                "responses": responses("The agents.", &json!({ "type": "object", "required": ["agents"], "properties": {
                    "agents": { "type": "array", "items": reference("Agent") },
                }}), &[]),
            }}),
        ),
        (
            "/runs/{run}".to_owned(),
            json!({ "delete": {
                "operationId": "cancel_run", "summary": "Cancels a run that streams its events.",
                "parameters": [{ "name": "run", "in": "path", "required": true, "schema": { "type": "string" } }],
                "responses": { "204": { "description": "The run ends." }, "404": problem(), "default": problem() },
            }}),
        ),
    ]);
    for agent in parts.offer.agents() {
        let definition = agent.definition();
        let name = agent.name();
        let input = match definition.input_schema["properties"].get("input") {
            Some(input)
                if definition.input_schema["properties"].as_object().is_some_and(|all| all.len() == 1) =>
            {
                json!({ "anyOf": [input, *definition.input_schema] })
            }
            _ => (*definition.input_schema).clone(),
        };
        let body = json!({
            "type": "object", "required": ["input"], "additionalProperties": false,
            "properties": { "input": input, "session": { "type": ["string", "null"] } },
        });
        paths.insert(
            format!("/agents/{name}/runs"),
            json!({ "post": {
                "operationId": format!("run_{name}"), "summary": definition.description,
                "requestBody": content(&body),
                "responses": run_responses(definition.output_schema.as_deref()),
            }}),
        );
        let body = json!({
            "type": "object", "required": ["state", "answers"], "additionalProperties": false,
            "properties": {
                "state": { "type": "string" },
                "answers": { "type": "object", "additionalProperties": reference("Answer") },
                "session": { "type": ["string", "null"] },
            },
        });
        paths.insert(
            format!("/agents/{name}/answers"),
            json!({ "post": {
                "operationId": format!("answer_{name}"), "summary": "Continues a run that waits.",
                "requestBody": content(&body),
                "responses": run_responses(definition.output_schema.as_deref()),
            }}),
        );
        paths.insert(format!("/agents/{name}/sessions/{{session}}"), json!({ "get": {
            "operationId": format!("session_{name}"), "summary": "A stored session.",
            "parameters": [{ "name": "session", "in": "path", "required": true, "schema": { "type": "string" } }],
            "responses": responses("The session.", &reference("Session"), &["404", "422"]),
        }}));
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": { "title": parts.implementation.name, "version": parts.implementation.version },
        "paths": paths,
        "components": { "schemas": schemas() },
    });
    if has_tokens {
        document["components"]["securitySchemes"] =
            json!({ "token": { "type": "http", "scheme": "bearer" } });
        document["security"] = json!([{ "token": [] }]);
    }
    document
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn content(schema: &Value) -> Value {
    json!({ "required": true, "content": { "application/json": { "schema": schema } } })
}

fn problem() -> Value {
    json!({ "description": "A problem.", "content": { "application/problem+json": { "schema": reference("Problem") } } })
}

fn responses(description: &str, schema: &Value, problems: &[&str]) -> Value {
    let mut responses = json!({
        "200": { "description": description, "content": { "application/json": { "schema": schema } } },
        "default": problem(),
    });
    for status in problems {
        responses[*status] = problem();
    }
    responses
}

fn run_responses(output: Option<&Value>) -> Value {
    let mut run = reference("Run");
    if let Some(output) = output {
        run = json!({ "allOf": [run, { "properties": { "structured": output } }] });
    }
    let mut responses = responses("The run, or its events.", &run, &["404", "409", "415", "422"]);
    responses["200"]["content"]["text/event-stream"] = json!({ "schema": { "type": "string" } });
    responses
}

fn schemas() -> Value {
    let text = || json!({ "type": "string" });
    json!({
        "Agent": { "type": "object", "required": ["name", "description", "input_schema"], "properties": {
            "name": text(), "description": text(), "input_schema": { "type": "object" }, "output_schema": { "type": "object" },
        }},
        "Run": { "type": "object", "required": ["id", "status"], "properties": {
            "id": text(),
            "status": { "enum": ["completed", "waiting"] },
            "text": text(),
            "structured": true,
            "questions": { "type": "array", "items": reference("Question") },
            "state": text(),
        }},
        "Question": { "type": "object", "required": ["name", "kind", "tool", "arguments", "answer_schema"], "properties": {
            "name": text(),
            "kind": { "enum": ["approval", "question", "external", "component", "caller"] },
            "tool": text(),
            "agents": { "type": "array", "items": text() },
            "arguments": true,
            "answer_schema": true,
            "message": text(),
            "component": text(),
            "payload": true,
        }},
        "Answer": { "oneOf": [
            { "type": "object", "required": ["approval"], "properties": { "approval": true }, "additionalProperties": false },
            { "type": "object", "required": ["value"], "properties": { "value": true }, "additionalProperties": false },
            { "type": "object", "required": ["declined"], "properties": { "declined": { "type": ["string", "null"] } }, "additionalProperties": false },
        ]},
        "Session": { "type": "object", "required": ["id", "messages"], "properties": {
            "id": text(), "messages": { "type": "array", "items": reference("Message") }, "waiting": reference("Run"),
        }},
        "Message": { "type": "object", "required": ["role", "text"], "properties": {
            "role": { "enum": ["user", "assistant"] }, "text": text(),
        }},
        "Problem": { "type": "object", "required": ["title", "status", "detail"], "properties": {
            "type": text(), "title": text(), "status": { "type": "integer" }, "detail": text(),
        }},
    })
}
