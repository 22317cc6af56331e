//! The client under test of MCP's conformance kit: it uses the server at the address that is its last argument, as the scenario asks for.
//! The kit looks at what the server gets.

use std::env;
use std::error::Error;

use onionskin::ToolSpec;
use onionskin::mcp::{McpServer, ServerConfig};
use serde_json::{Map, Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = env::args().next_back().unwrap_or_default();
    let context: Value = match env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(context) => serde_json::from_str(&context)?,
        Err(_) => Value::Null,
    };
    let server = McpServer::start("it", ServerConfig::http(address)).await?;
    let calls = match context["toolCalls"].as_array() {
        Some(calls) => calls
            .iter()
            .filter_map(|call| Some((server.tool(call["name"].as_str()?)?, call["arguments"].clone())))
            .collect(),
        None => server.tools().into_iter().map(|tool| with_arguments(&tool)).collect::<Vec<_>>(),
    };
    for (tool, arguments) in calls {
        match tool.call(arguments).await {
            Ok(output) => println!("{}: {}", tool.name(), output),
            Err(exit) => println!("{}: {exit}", tool.name()),
        }
    }
    server.shutdown().await;
    Ok(())
}

/// A tool with a value for each of its parameters.
fn with_arguments(tool: &ToolSpec) -> (ToolSpec, Value) {
    let schema = &tool.definition().input_schema;
    let parameters = schema["properties"].as_object().cloned().unwrap_or_default();
    let value = |schema: &Value| match schema["type"].as_str() {
        Some("number" | "integer") => json!(7),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("seven"),
    };
    let arguments =
        parameters.iter().map(|(name, schema)| (name.clone(), value(schema))).collect::<Map<_, _>>();
    (tool.clone(), Value::Object(arguments))
}
