//! S3: tools as routes of an rmcp server, called by rmcp's client.

use onionskin::mcp::McpToolSpec as _;
use onionskin::{Exit, ToolOutput, ToolResult, ToolSpec, tool};
use rmcp::handler::server::ServerHandler;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleClient, RoleServer, RunningService};
use rmcp::{ErrorData, ServiceExt};
use serde_json::{Value, json};

/// Adds one.
#[tool(annotations(read_only))]
fn add_one(x: i64) -> i64 {
    x + 1
}

/// Greets a user.
#[tool]
fn greet(user: &str, word: &str) -> String {
    format!("{word} {user}")
}

/// Ends in every way that there is.
#[tool]
fn end(how: &str) -> ToolResult {
    match how {
        "error" => Err(Exit::tool("no way")),
        "stop" => Err(Exit::stop(ToolOutput::text("enough"))),
        "abort" => Err(Exit::abort("at once")),
        _ => panic!("oh"),
    }
}

struct Server(ToolRouter<Self>);

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.0.list_all()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.0.call(ToolCallContext::new(self, request, context)).await
    }
}

async fn serve(tools: &[&ToolSpec]) -> RunningService<RoleClient, ()> {
    let mut router = ToolRouter::new();
    for tool in tools {
        router.add_route(tool.to_mcp_route().unwrap());
    }
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        Server(router).serve(theirs).await.unwrap().waiting().await.unwrap();
    });
    ().serve(ours).await.unwrap()
}

async fn call(client: &RunningService<RoleClient, ()>, name: &'static str, args: Value) -> CallToolResult {
    let Value::Object(args) = args else { panic!("{args}") };
    client.call_tool(CallToolRequestParams::new(name).with_arguments(args)).await.unwrap()
}

fn text(result: &CallToolResult) -> &str {
    result.content[0].as_text().map(|text| text.text.as_str()).unwrap()
}

#[tokio::test]
async fn s3_a_route_lists_and_calls_the_tool() {
    let client = serve(&[&add_one::spec()]).await;
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools[0], add_one::spec().to_mcp().unwrap());
    assert_eq!(tools[0].annotations.as_ref().unwrap().read_only_hint, Some(true));
    let result = call(&client, "add_one", json!({ "x": 41 })).await;
    assert_eq!((text(&result), result.is_error), ("42", Some(false)));
    assert_eq!(result.structured_content, Some(json!({ "result": 42 })));
    let schema = Value::Object(tools[0].output_schema.as_deref().unwrap().clone());
    assert!(jsonschema::draft202012::new(&schema).unwrap().is_valid(&result.structured_content.unwrap()));
}

#[tokio::test]
async fn s3_a_route_has_what_is_bound() {
    let mut tool = greet::spec();
    tool.bind("user", None, json!("Ada")).unwrap();
    let client = serve(&[&tool]).await;
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools[0].input_schema["required"], json!(["word"]));
    assert_eq!(text(&call(&client, "greet", json!({ "word": "Hello" })).await), "Hello Ada");
    tool.state().set("user", "Bob");
    assert_eq!(text(&call(&client, "greet", json!({ "word": "Hello" })).await), "Hello Bob");
    let refused = call(&client, "greet", json!({ "word": "Hello", "user": "Eve" })).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(text(&refused).contains("`user`: unknown argument"), "{}", text(&refused));
}

#[tokio::test]
async fn s3_a_route_answers_however_the_call_ends() {
    let client = serve(&[&end::spec()]).await;
    let error = call(&client, "end", json!({ "how": "error" })).await;
    assert_eq!((text(&error), error.is_error), ("no way", Some(true)));
    let stop = call(&client, "end", json!({ "how": "stop" })).await;
    assert_eq!((text(&stop), stop.is_error), ("enough", Some(false)));
    assert_eq!(call(&client, "end", json!({ "how": "panic" })).await.is_error, Some(true));
    let Value::Object(args) = json!({ "how": "abort" }) else { unreachable!() };
    let abort = client.call_tool(CallToolRequestParams::new("end").with_arguments(args)).await.unwrap_err();
    assert!(abort.to_string().contains("at once"), "{abort}");
}
