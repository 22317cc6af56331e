//! Makes the calls of cases from the Berkeley Function Calling Leaderboard: an agent with a scripted model uses our MCP
//! server over HTTP, and the tools of the server have the judge execute each call.
//!
//! The judge writes a case in each line of the standard input, and reads a line for each call and at the end of each turn.

mod case;
mod later;
mod pipe;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use onionskin::declaration::AgentDeclaration;
use onionskin::definition::wire_name;
use onionskin::mcp::ServerConfig;
use onionskin::model::{Message, ToolResultMessage};
use onionskin::serve::{Server, ServerBuilder};
use onionskin::{Agent, AgentHandle, Exit, ScriptedModel, ScriptedTurn, ToolDefinition, ToolSpec};
use tokio::sync::oneshot;

use case::{Case, Described, Reply, Report, Shown, Turn};
use later::Later;
use pipe::Pipe;

type BoxError = Box<dyn Error + Send + Sync>;

/// The name of the MCP server for the agent.
const SERVER: &str = "bfcl";
/// The name of the source of tools that come later, on the side of the server.
const LATER: &str = "later";
/// The time that the agent has to list tools that the server announced.
const MOST_LISTING: Duration = Duration::from_secs(10);

/// The agent that makes the calls.
struct Caller;

impl Agent for Caller {
    const NAME: &'static str = "caller";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Call.").server(SERVER, None)
    }
}

/// The agent whose tools the server offers as soon as they come.
struct Host;

impl Agent for Host {
    const NAME: &'static str = "host";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().instruction("Serve.").server(LATER, None)
    }
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let pipe = Arc::new(Pipe::new());
    while let Some(case) = pipe.read::<Case>().await? {
        if let Err(error) = replay(&pipe, case).await {
            pipe.write(&Report::Failed(error.to_string())).await?;
        }
    }
    Ok(())
}

async fn replay(pipe: &Arc<Pipe>, case: Case) -> Result<(), BoxError> {
    let later = Later::default();
    let host = Host::builder().model(ScriptedModel::new()).server(LATER, later.clone()).build().await?;
    let tools = case.tools.iter().map(|tool| forwarding(pipe, &tool.name, tool));
    let builder = Server::builder(SERVER, "1.0.0").tools_of(&host);
    let server = tools.fold(builder, ServerBuilder::tool).build().await?;
    let listening = server.http().listen(([127, 0, 0, 1], 0).into()).await?;
    let address = listening.url();
    let (end, ends) = oneshot::channel::<()>();
    let serving = tokio::spawn(listening.run(async { drop(ends.await) }));

    let model = Arc::new(ScriptedModel::turns(script(&case)));
    let agent = Caller::builder()
        .model(Arc::clone(&model))
        .server(SERVER, ServerConfig::http(address))
        .build()
        .await?;
    let session = agent.session();
    for turn in &case.turns {
        offer(pipe, turn, &later, &server, &agent).await?;
        agent.request(&*turn.input).session(&session).run().await?;
        pipe.write(&Report::Turn(shown(&model))).await?;
    }
    model.finish()?;
    agent.shutdown().await;
    drop(end);
    serving.await?;
    Ok(())
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

/// Adds the tools that come with a turn, and waits until the agent has them.
async fn offer(
    pipe: &Arc<Pipe>,
    turn: &Turn,
    later: &Later,
    server: &Server,
    agent: &AgentHandle,
) -> Result<(), BoxError> {
    if turn.new_tools.is_empty() {
        return Ok(());
    }
    let new: Vec<_> = turn.new_tools.iter().map(|tool| later_name(&tool.name)).collect();
    let is_listed = |name: &String, names: &[String]| names.contains(&format!("{SERVER}__{name}"));
    let before = agent.tool_names()?;
    if let Some(early) = new.iter().find(|name| is_listed(name, &before)) {
        return Err(format!("the agent has `{early}` before the server does").into());
    }
    later.add(turn.new_tools.iter().zip(&new).map(|(tool, name)| forwarding(pipe, name, tool)));
    server.tools_changed();
    tokio::time::timeout(MOST_LISTING, async {
        loop {
            let names = agent.tool_names()?;
            if new.iter().all(|name| is_listed(name, &names)) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
    .await
    .map_err(|_| "the agent does not list the new tools")?
}

fn later_name(tool: &str) -> String {
    format!("{LATER}__{tool}")
}

/// What the model answers, in all turns.
fn script(case: &Case) -> Vec<ScriptedTurn> {
    let mut offered_later = Vec::new();
    let mut answers = Vec::new();
    for turn in &case.turns {
        offered_later.extend(turn.new_tools.iter().map(|tool| &tool.name));
        answers.extend(turn.answers.iter().map(|calls| {
            calls.iter().fold(ScriptedTurn::default(), |answer, call| {
                let is_later = offered_later.contains(&&call.tool);
                let tool = if is_later { later_name(&call.tool) } else { call.tool.clone() };
                // The server lists its tools under the names that models see, and the client puts its own name before them.
                answer.and_call(wire_name(&format!("{SERVER}__{}", wire_name(&tool))), call.arguments.clone())
            })
        }));
        answers.push(ScriptedTurn::say("done"));
    }
    answers
}

/// The results that the model got since the last input.
fn shown(model: &ScriptedModel) -> Vec<Shown> {
    let requests = model.requests();
    let Some(last) = requests.last() else { return Vec::new() };
    let messages = last.messages.iter().rev().take_while(|message| !message.is_input());
    let results = messages.filter_map(|message| match message {
        Message::Tool { results, .. } => Some(results),
        _ => None,
    });
    let mut results: Vec<_> = results.collect();
    results.reverse();
    let shown = |result: &ToolResultMessage| Shown {
        text: result.content.iter().filter_map(|block| block.as_text()).collect(),
        is_error: result.is_error,
    };
    results.into_iter().flatten().map(shown).collect()
}
