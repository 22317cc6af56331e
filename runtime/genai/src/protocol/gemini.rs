//! Requests of Gemini's `generateContent`.

use genai::adapter::AdapterKind;
use serde_json::{Map, Value, json};

use super::content::{Part, Turn};
use super::{Choice, Protocol, ProviderRequest, object, unless_empty};
use crate::names::{thinks, wants_signatures};
use crate::tools::WireTool;

/// What newer models accept in the place of the signature that the first call of a turn must have.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

pub(super) fn body(request: &ProviderRequest<'_>) -> Map<String, Value> {
    let params = request.params();
    let newest = wants_signatures(request.name);
    // Vertex has no such field.
    let has_ids = request.kind != AdapterKind::Vertex;
    let contents: Vec<Value> =
        request.turns(Protocol::Gemini).into_iter().map(|turn| content(turn, newest, has_ids)).collect();
    let mut generation = object(json!({
        "temperature": params.temperature,
        "topP": params.top_p,
        "maxOutputTokens": params.max_tokens,
        "seed": params.seed,
        "stopSequences": unless_empty(params.stop_sequences.clone()),
    }));
    if thinks(request.name) {
        generation.insert("thinkingConfig".to_owned(), json!({ "includeThoughts": true }));
    }
    if let Some((_, schema, _)) = request.schema(None) {
        generation.insert("responseMimeType".to_owned(), "application/json".into());
        generation.insert("responseJsonSchema".to_owned(), schema);
    }
    let tools: Vec<Value> = request.tools.iter().map(tool).collect();
    object(json!({
        "systemInstruction": request.system().map(|system| json!({ "parts": [{ "text": system }] })),
        "tools": (!tools.is_empty()).then(|| json!([{ "functionDeclarations": tools }])),
        "toolConfig": request.choice().map(choice),
        "contents": contents,
        "generationConfig": (!generation.is_empty()).then_some(generation),
    }))
}

fn content(turn: Turn<'_>, newest: bool, has_ids: bool) -> Value {
    let own_id = |id: &str| own_id(id).filter(|_| has_ids).map(str::to_owned);
    match turn {
        Turn::User(parts) => {
            let parts = parts.iter().map(|part| match part {
                Part::Text(text) => json!({ "text": text }),
                Part::File { mime_type, data, .. } => {
                    json!({ "inlineData": { "mimeType": mime_type, "data": data } })
                }
            });
            json!({ "role": "user", "parts": parts.collect::<Vec<_>>() })
        }
        Turn::Assistant { text, calls, carried } => {
            let mut parts: Vec<Value> = Vec::new();
            if !text.is_empty() {
                let signature = carried.blocks.first();
                parts.push(Value::Object(object(json!({ "text": text, "thoughtSignature": signature }))));
            }
            for (at, call) in calls.into_iter().enumerate() {
                let signature = call.signature.or_else(|| (newest && at == 0).then(|| NO_SIGNATURE.into()));
                let function =
                    object(json!({ "id": own_id(&call.id), "name": call.name, "args": call.arguments }));
                parts.push(Value::Object(object(
                    json!({ "functionCall": function, "thoughtSignature": signature }),
                )));
            }
            json!({ "role": "model", "parts": parts })
        }
        Turn::Results(results) => {
            let results = results.into_iter().map(|result| {
                let field = if result.is_error { "error" } else { "output" };
                let function = object(json!({
                    "id": own_id(&result.id), "name": result.name, "response": { field: result.text },
                }));
                json!({ "functionResponse": function })
            });
            json!({ "role": "user", "parts": results.collect::<Vec<_>>() })
        }
    }
}

/// The id, unless it was made because the provider gave none: not every server of this protocol knows the field.
fn own_id(id: &str) -> Option<&str> {
    (!id.starts_with('_')).then_some(id)
}

fn tool(tool: &WireTool) -> Value {
    Value::Object(object(json!({
        "name": tool.name,
        "description": tool.description,
        "parametersJsonSchema": tool.schema,
    })))
}

fn choice(choice: Choice<'_>) -> Value {
    let config = match choice {
        Choice::None => json!({ "mode": "NONE" }),
        Choice::Required => json!({ "mode": "ANY" }),
        Choice::Tool(name) => json!({ "mode": "ANY", "allowedFunctionNames": [name] }),
    };
    json!({ "functionCallingConfig": config })
}
