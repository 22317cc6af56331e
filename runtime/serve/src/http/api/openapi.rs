//! The description of the interface (`OpenAPI` 3.1), made of the declarations of the agents.

use serde_json::{Map, Value, json};

use super::input;
use super::problems::Problem;
use super::schemas::{component, components, reference, run_id, session_id, state};
use crate::parts::Parts;

/// The document.
pub(super) fn document(parts: &Parts, has_tokens: bool) -> Value {
    let operation = |id: String, summary: &str, success: Value, problems: &[Problem]| {
        let common = Problem::COMMON.iter().chain(has_tokens.then_some(&Problem::Unauthorized));
        let mut responses: Map<_, _> = common.chain(problems).map(|problem| problem.response()).collect();
        responses.extend(success.as_object().cloned().unwrap_or_default());
        json!({ "operationId": id, "summary": summary, "responses": responses })
    };
    let agents = json!({
        "type": "object",
        "required": ["agents"],
        "properties": { "agents": { "type": "array", "items": reference("Agent") } },
    });
    let document = json!({ "type": "object", "required": ["openapi", "info", "paths"] });
    let mut cancel = operation(
        "cancel_run".to_owned(),
        "Cancels a run that streams its events.",
        json!({ "204": { "description": "The run ends." } }),
        &[Problem::NotFound],
    );
    cancel["parameters"] = json!([in_path("run", &run_id())]);
    let mut paths = Map::from_iter([
        (
            "/openapi.json".to_owned(),
            json!({ "get": operation("describe".to_owned(), "Describes the interface.", answer("The description.", &document), &[]) }),
        ),
        (
            "/agents".to_owned(),
            json!({ "get": operation("list_agents".to_owned(), "Lists the agents.", answer("The agents.", &agents), &[]) }),
        ),
        ("/runs/{run}".to_owned(), json!({ "delete": cancel })),
    ]);
    let mut schemas = components();
    for agent in parts.offer().agents() {
        let (definition, name) = (agent.definition(), agent.name());
        let (input_name, output_name) = (format!("{name}Input"), format!("{name}Output"));
        let has_sessions = agent.sessions().is_some();
        schemas[&input_name] = component(&input::schema(&definition), &input_name);
        let run = definition.output_schema.as_deref().map_or_else(
            || reference("Run"),
            |schema| {
                schemas[&output_name] = component(schema, &output_name);
                json!({ "allOf": [reference("Run"), { "properties": { "structured": reference(&output_name) } }] })
            },
        );
        let mut started =
            operation(format!("run_{name}"), &definition.description, run_answer(&run), &Problem::RUN);
        started["requestBody"] = run_body(&input_name, has_sessions);
        let mut continued = operation(
            format!("answer_{name}"),
            "Continues a run that waits.",
            run_answer(&run),
            &Problem::RUN,
        );
        continued["requestBody"] = answer_body(has_sessions);
        paths.insert(format!("/agents/{name}/runs"), json!({ "post": started }));
        paths.insert(format!("/agents/{name}/answers"), json!({ "post": continued }));
        if has_sessions {
            let mut session = operation(
                format!("session_{name}"),
                "A stored session.",
                answer("The session.", &reference("Session")),
                &Problem::SESSION,
            );
            session["parameters"] = json!([in_path("session", &session_id())]);
            paths.insert(format!("/agents/{name}/sessions/{{session}}"), json!({ "get": session }));
        }
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": { "title": parts.implementation.name, "version": parts.implementation.version },
        "paths": paths,
        "components": { "schemas": schemas, "responses": Problem::responses() },
    });
    if has_tokens {
        document["components"]["securitySchemes"] =
            json!({ "token": { "type": "http", "scheme": "bearer" } });
        document["security"] = json!([{ "token": [] }]);
    }
    document
}

fn in_path(name: &str, schema: &Value) -> Value {
    json!({ "name": name, "in": "path", "required": true, "schema": schema })
}

fn run_body(input: &str, has_sessions: bool) -> Value {
    body(json!({ "input": reference(input) }), has_sessions)
}

fn answer_body(has_sessions: bool) -> Value {
    let answers = json!({
        "type": "object",
        "description": "Answers by the names of the questions.",
        "additionalProperties": reference("Answer"),
    });
    body(json!({ "state": state(), "answers": answers }), has_sessions)
}

/// A body with these fields, and the session of an agent that has any.
fn body(mut fields: Value, has_sessions: bool) -> Value {
    let required: Vec<_> = fields.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    if has_sessions {
        fields["session"] = json!({
            "anyOf": [session_id(), { "type": "null" }],
            "description": "The stored session to continue or to begin.",
        });
    }
    let schema = json!({
        "type": "object", "required": required, "properties": fields, "additionalProperties": false,
    });
    json!({ "required": true, "content": { "application/json": { "schema": schema } } })
}

fn answer(description: &str, schema: &Value) -> Value {
    json!({ "200": { "description": description, "content": { "application/json": { "schema": schema } } } })
}

fn run_answer(run: &Value) -> Value {
    let mut answer = answer("The run, or its events.", run);
    // Before OpenAPI 3.2, the schema of a stream is that of each event.
    answer["200"]["content"]["text/event-stream"] = json!({ "schema": reference("Event") });
    answer["200"]["headers"] = json!({ "run-id": {
        "description": "The id of a run whose events are streamed.", "schema": run_id(),
    }});
    answer
}
