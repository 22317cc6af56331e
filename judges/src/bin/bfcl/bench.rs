//! An MCP server with the tools of cases, and an agent that uses it.

use std::sync::Arc;
use std::time::Duration;

use onionskin::declaration::{AgentDeclaration, DynAgent};
use onionskin::mcp::ServerConfig;
use onionskin::model::Model;
use onionskin::serve::{Server, ServerBuilder};
use onionskin::servers::IntoToolServer;
use onionskin::{AgentHandle, App, Exit, ScriptedModel, ToolDefinition, ToolSpec};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::BoxError;
use crate::case::{Described, Reply, Report, Turn};
use crate::later::Later;
use crate::pipe::Pipe;
use crate::script::{LATER, SERVER, Script, later_name};

/// The time that the agent has to list tools that the server announced.
const MOST_LISTING: Duration = Duration::from_secs(10);

/// An agent with the tools of a server that has this name for it.
async fn agent_with(
    name: &'static str,
    server: impl IntoToolServer,
    model: impl Model,
) -> Result<AgentHandle, BoxError> {
    let agent =
        DynAgent::new("agent", move || AgentDeclaration::new().instruction("Call.").server(name, None));
    let app = App::builder().dyn_agent(&agent).model(model).server(name, server).build().await?;
    Ok(app.entry().clone())
}

/// The server that listens, and the agent with its script.
pub(crate) struct Bench {
    tools: Vec<Described>,
    later: Later,
    server: Server,
    end: oneshot::Sender<()>,
    serving: JoinHandle<()>,
    pub(crate) script: Arc<Script>,
    pub(crate) agent: AgentHandle,
}

impl Bench {
    pub(crate) async fn start(pipe: &Arc<Pipe>, tools: Vec<Described>) -> Result<Self, BoxError> {
        let later = Later::default();
        let host = agent_with(LATER, later.clone(), ScriptedModel::new()).await?;
        let specs = tools.iter().map(|tool| forwarding(pipe, &tool.name, tool));
        let builder = Server::builder(SERVER, "1.0.0").tools_of(&host);
        let server = specs.fold(builder, ServerBuilder::tool).build().await?;
        let listening = server.http().listen(([127, 0, 0, 1], 0).into()).await?;
        let config = ServerConfig::http(listening.url());
        let (end, ends) = oneshot::channel::<()>();
        let serving = tokio::spawn(listening.run(async { drop(ends.await) }));
        let script = Arc::new(Script::default());
        let agent = agent_with(SERVER, config, Arc::clone(&script)).await?;
        Ok(Self { tools, later, server, end, serving, script, agent })
    }

    /// Whether it has these tools and no others.
    pub(crate) fn has(&self, tools: &[Described]) -> bool {
        self.tools == tools && self.later.is_empty()
    }

    /// Adds the tools that come with a turn, and waits until the agent has them.
    pub(crate) async fn offer(&self, pipe: &Arc<Pipe>, turn: &Turn) -> Result<(), BoxError> {
        if turn.new_tools.is_empty() {
            return Ok(());
        }
        let new: Vec<_> = turn.new_tools.iter().map(|tool| later_name(&tool.name)).collect();
        let is_listed = |name: &String, names: &[String]| names.contains(&format!("{SERVER}__{name}"));
        let before = self.agent.tool_names()?;
        if let Some(early) = new.iter().find(|name| is_listed(name, &before)) {
            return Err(format!("the agent has `{early}` before the server does").into());
        }
        self.later.add(turn.new_tools.iter().zip(&new).map(|(tool, name)| forwarding(pipe, name, tool)));
        self.server.tools_changed();
        tokio::time::timeout(MOST_LISTING, async {
            loop {
                let names = self.agent.tool_names()?;
                if new.iter().all(|name| is_listed(name, &names)) {
                    return Ok(());
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        })
        .await
        .map_err(|_| "the agent does not list the new tools")?
    }

    pub(crate) async fn end(self) -> Result<(), BoxError> {
        self.agent.shutdown().await;
        drop(self.end);
        Ok(self.serving.await?)
    }
}

/// A tool that the judge executes.
fn forwarding(pipe: &Arc<Pipe>, name: &str, tool: &Described) -> ToolSpec {
    let definition =
        ToolDefinition::new(name, &tool.description).with_input_schema(tool.input_schema.clone());
    let (pipe, tool) = (Arc::clone(pipe), tool.name.clone());
    ToolSpec::from_definition(definition, move |args, _| {
        let (pipe, tool) = (Arc::clone(&pipe), tool.clone());
        async move {
            let arguments = args.as_object().map_err(|error| Exit::tool(error.to_string()))?.clone();
            let reply: Result<Reply, _> = pipe.ask(&Report::Call { tool, arguments }).await;
            Ok(reply.map_err(|error| Exit::abort(error.to_string()))?.text)
        }
    })
}
