//! The client under test of MCP's conformance kit: it uses the server at the address that is its last argument, as the scenario asks for.
//! The kit looks at what the server gets.

use std::env;
use std::error::Error;

use onionskin::mcp::{HttpError, McpError, McpServer, OAuth, ServerConfig};
use onionskin::secret::Secret;
use onionskin::{Exit, ToolSpec};
use serde_json::{Map, Value, json};

type BoxError = Box<dyn Error + Send + Sync>;

/// The address that the browser comes back to. Nobody listens there: the kit's server answers with it.
const REDIRECT: &str = "http://localhost:3000/callback";
/// The address by which the kit knows a client that describes itself.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";
/// The most logins of one call.
const LOGINS: usize = 3;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let address = env::args().next_back().unwrap_or_default();
    let context: Value = match env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(context) => serde_json::from_str(&context)?,
        Err(_) => Value::Null,
    };
    let mut oauth = OAuth::new().redirect(REDIRECT).client_document(DOCUMENT);
    if let Some(id) = context["client_id"].as_str() {
        let secret = context["client_secret"].as_str().map(|secret| Secret::new(secret.to_owned()));
        oauth = oauth.client(id, secret);
    }
    let server = started(&address, &oauth).await?;
    let calls = match context["toolCalls"].as_array() {
        Some(calls) => calls
            .iter()
            .filter_map(|call| Some((server.tool(call["name"].as_str()?)?, call["arguments"].clone())))
            .collect(),
        None => server.tools().into_iter().map(|tool| with_arguments(&tool)).collect::<Vec<_>>(),
    };
    for (tool, arguments) in calls {
        match called(&tool, &arguments, &oauth).await? {
            Ok(output) => println!("{}: {output}", tool.name()),
            Err(exit) => println!("{}: {exit}", tool.name()),
        }
    }
    server.shutdown().await;
    Ok(())
}

async fn started(address: &str, oauth: &OAuth) -> Result<McpServer, BoxError> {
    let config = ServerConfig::http(address).oauth(oauth.clone());
    let mut last = None;
    for _ in 0..LOGINS {
        let error = match McpServer::start("it", config.clone()).await {
            Ok(server) => return Ok(server),
            Err(error) => error,
        };
        let http = match &error {
            McpError::Start(failure) => failure.http.clone(),
            McpError::List { http, .. } => http.clone(),
            _ => None,
        };
        match http {
            Some(HttpError::LoginRequired { address, .. }) => log_in(&address, oauth).await?,
            _ => return Err(error.into()),
        }
        last = Some(error);
    }
    Err(last.map_or_else(|| "no login".into(), Into::into))
}

async fn called(tool: &ToolSpec, arguments: &Value, oauth: &OAuth) -> Result<Result<String, Exit>, BoxError> {
    let mut logins = 0;
    loop {
        let exit = match tool.call(arguments.clone()).await {
            Ok(output) => return Ok(Ok(output.to_string())),
            Err(exit) => exit,
        };
        let address = exit.as_tool_error().and_then(|error| {
            error.causes().find_map(|cause| match cause.downcast_ref() {
                Some(HttpError::LoginRequired { address, .. }) => Some(address.clone()),
                _ => None,
            })
        });
        match address {
            Some(address) if logins < LOGINS => log_in(&address, oauth).await?,
            _ => return Ok(Err(exit)),
        }
        logins += 1;
    }
}

/// Does what the person's browser does.
async fn log_in(address: &str, oauth: &OAuth) -> Result<(), BoxError> {
    let address = address.parse()?;
    // It follows no redirect.
    let browser = onionskin_tls::http_client(&address)?.build()?;
    let page = browser.get(address).send().await?;
    let back = page.headers().get("location").ok_or("the page does not lead back")?.to_str()?;
    oauth.finish(back).await?;
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
