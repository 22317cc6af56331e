//! The client under test of MCP's conformance kit: it uses the server at the address that is its last argument, as the scenario asks for.
//! The kit looks at what the server gets.

use std::env;
use std::error::Error;

use onionskin::declaration::{AgentBuilder, AgentDeclaration};
use onionskin::mcp::{HttpError, McpError, McpServer, OAuth, ServerConfig};
use onionskin::question::{Answer, Question};
use onionskin::run::AgentRun;
use onionskin::secret::Secret;
use onionskin::{Agent, RunError, ScriptedModel, ToolDefinition};
use serde_json::{Map, Value, json};

type BoxError = Box<dyn Error + Send + Sync>;

/// The address that the browser comes back to. Nobody listens there: the kit's server answers with it.
const REDIRECT: &str = "http://localhost:3000/callback";
/// The address by which the kit knows a client that describes itself.
const DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";
/// The most logins before the server can be used.
const LOGINS: usize = 3;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let address = env::args().next_back().unwrap_or_default();
    let context: Value = match env::var("MCP_CONFORMANCE_CONTEXT") {
        Ok(context) => serde_json::from_str(&context)?,
        Err(_) => Value::Null,
    };
    let oauth = OAuth::new().redirect(REDIRECT);
    let oauth = match context["client_id"].as_str() {
        Some(id) => {
            oauth.client(id, context["client_secret"].as_str().map(|secret| Secret::new(secret.to_owned())))
        }
        None => oauth.client_document(DOCUMENT),
    };
    let server = started(&address, &oauth).await?;
    let answer = move |question: Question| {
        let oauth = oauth.clone();
        async move { answer(&question, &oauth).await }
    };
    let client = Client::builder().model(ScriptedModel::new()).answerer(answer);
    let client = server.tools().into_iter().fold(client, AgentBuilder::tool).build().await?;
    client.run(context.to_string()).await?;
    client.shutdown().await;
    server.shutdown().await;
    Ok(())
}

/// An agent without a loop: it makes the calls of the scenario, or one of each tool.
struct Client;

impl Agent for Client {
    const NAME: &'static str = "client";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new()
    }

    async fn run(run: &AgentRun, scenario: String) -> Result<String, RunError> {
        let context: Value = serde_json::from_str(&scenario).unwrap_or_default();
        let call = |call: &Value| {
            (format!("it__{}", call["name"].as_str().unwrap_or_default()), call["arguments"].clone())
        };
        let calls: Vec<_> = match context["toolCalls"].as_array() {
            Some(calls) => calls.iter().map(call).collect(),
            None => run.tool_definitions()?.iter().map(with_arguments).collect(),
        };
        for (tool, arguments) in calls {
            match run.call_tool(&tool, arguments.to_string().as_str()).await {
                Ok(output) => println!("{tool}: {}", output.to_text()),
                Err(exit) => println!("{tool}: {exit}"),
            }
        }
        Ok(String::new())
    }
}

/// Logs in, or gives values to the fields that need one.
async fn answer(question: &Question, oauth: &OAuth) -> Option<Answer> {
    let words = question.text().unwrap_or_default().split_whitespace();
    if let Some(address) = words.into_iter().find(|word| word.contains("response_type=code")) {
        return Answer::value(log_in(address, oauth).await.is_ok()).ok();
    }
    let schema = question.answer_schema();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let fields = required.iter().filter_map(Value::as_str);
    let values = fields.map(|name| (name.to_owned(), value(&schema["properties"][name])));
    Answer::value(Value::Object(values.collect())).ok()
}

async fn started(address: &str, oauth: &OAuth) -> Result<McpServer, BoxError> {
    let config = ServerConfig::http(address).oauth(oauth.clone()).asks();
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
            Some(HttpError::LoginRequired { address, .. }) => log_in(address.as_str(), oauth).await?,
            _ => return Err(error.into()),
        }
        last = Some(error);
    }
    Err(last.map_or_else(|| "no login".into(), Into::into))
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
fn with_arguments(tool: &ToolDefinition) -> (String, Value) {
    let parameters = tool.input_schema["properties"].as_object().cloned().unwrap_or_default();
    let arguments =
        parameters.iter().map(|(name, schema)| (name.clone(), value(schema))).collect::<Map<_, _>>();
    (tool.name.to_string(), Value::Object(arguments))
}

fn value(schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("number" | "integer") => json!(7),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("seven"),
    }
}
