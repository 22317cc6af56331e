//! A few tools as values, for programs of others: `judges/sdks` has the official SDKs and an MCP client list,
//! send and call them.
//!
//! usage: `serve_tools serve` (MCP over stdio), `serve_tools export FORM` (a list of JSON), `serve_tools call NAME ARGUMENTS`
//! (the result's text)

use std::process::ExitCode;

use onionskin::export::ExportOptions;
use onionskin::mcp::McpToolSpec as _;
use onionskin::{Strict, ToolSpec, tool};
use rmcp::handler::server::ServerHandler;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerCapabilities,
    ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServiceExt};
use serde_json::{Value, json};

/// What must hold for an article.
#[derive(serde::Deserialize, schemars::JsonSchema, Strict)]
#[serde(tag = "test", rename_all = "snake_case")]
enum Filter {
    /// Its price, in cents.
    Costs { least: Option<u32>, most: Option<u32> },
    /// It is there.
    InStock,
}

/// The result of a search.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct SearchResult {
    articles: Vec<String>,
    /// How many there are beyond those.
    more: u32,
}

/// Searches the shop.
#[tool(strict, annotations(read_only, open_world = false))]
fn search_shop(
    /// What to look for.
    words: &[String],
    filters: &[Filter],
    #[arg(default = 2, range(1..=9))] limit: u8,
) -> SearchResult {
    let most = filters.iter().find_map(|filter| match filter {
        Filter::Costs { least, most } => most.filter(|most| *most >= least.unwrap_or(0)),
        Filter::InStock => None,
    });
    let price = most.unwrap_or(1000);
    let articles: Vec<_> = words.iter().map(|word| format!("a {word} for {price}")).collect();
    let more = articles.len().saturating_sub(limit.into());
    SearchResult {
        articles: articles.into_iter().take(limit.into()).collect(),
        more: u32::try_from(more).unwrap_or(u32::MAX),
    }
}

/// Greets the user.
#[tool]
fn greet(
    user: &str,
    /// What to begin with.
    word: &str,
) -> Result<String, String> {
    if word.is_empty() { Err("no word".to_owned()) } else { Ok(format!("{word} {user}")) }
}

fn tools() -> Result<Vec<ToolSpec>, Box<dyn std::error::Error>> {
    let mut greet = greet::spec();
    greet.bind("user", None, json!("Ada"))?;
    Ok(vec![search_shop::spec(), greet])
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

fn export(form: &str) -> Result<Value, Box<dyn std::error::Error>> {
    let options = ExportOptions::new();
    let export = match form {
        "openai_chat" => ToolSpec::to_openai_chat,
        "openai_responses" => ToolSpec::to_openai_responses,
        "anthropic" => ToolSpec::to_anthropic,
        "mcp" => ToolSpec::to_mcp_json,
        other => return Err(format!("there is no form `{other}`").into()),
    };
    let forms = tools()?.iter().map(|tool| export(tool, &options)).collect::<Result<Vec<_>, _>>()?;
    Ok(forms.into())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve"] => {
            let mut router = ToolRouter::new();
            for tool in tools()? {
                router.add_route(tool.to_mcp_route()?);
            }
            Server(router).serve((tokio::io::stdin(), tokio::io::stdout())).await?.waiting().await?;
        }
        ["export", form] => println!("{}", export(form)?),
        ["call", name, arguments] => {
            let tools = tools()?;
            let tool = tools.iter().find(|tool| tool.name() == name).ok_or("no such tool")?;
            let execution = tool.exec(arguments).await;
            let texts = execution.content().iter().filter_map(|block| block.as_text());
            println!("{}", texts.collect::<Vec<_>>().join("\n"));
        }
        _ => {
            eprintln!("usage: serve_tools serve | export FORM | call NAME ARGUMENTS");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}
