//! Our servers.

use std::time::Duration;

use onionskin::declaration::{AgentDeclaration, DynAgent};
use onionskin::question::AskError;
use onionskin::serve::Server;
use onionskin::spec::Transform;
use onionskin::{
    AgentHandle, App, Args, Next, ScriptedModel, ToolContext, ToolResult, agent, tool, tool_hook,
};

use crate::process::Transport;
use crate::{Failure, announce};

/// Adds one.
#[tool]
async fn add_one(
    /// The number.
    x: i64,
) -> String {
    (x + 1).to_string()
}

/// A hook that only hands on.
#[tool_hook]
async fn pass(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

// A list has each hook once, and each of these is the same hook.
use self::{pass as p1, pass as p2, pass as p3};

/// Takes its time.
#[tool]
async fn slow(millis: u64) -> String {
    tokio::time::sleep(Duration::from_millis(millis)).await;
    "slept".to_owned()
}

/// Orders shoes.
#[tool(asks)]
async fn order(cx: &ToolContext, model: String) -> Result<String, AskError> {
    let size: u8 = cx.ask_as("size", format!("Which size of {model}?")).await?;
    Ok(format!("{model} in {size}"))
}

agent! {
    Three { instruction: "Add.", function_tools: [add_one], tool_hooks: [p1, p2, p3] }
    Desk { instruction: "Sell.", function_tools: [add_one, slow, order], tool_hooks: [p1, p2, p3] }
}

/// Three hooks, and one tool; with more tools, as many as a server can have from elsewhere.
pub(crate) async fn three_hooks(tools: usize) -> Result<Server, Failure> {
    let agent = if tools == 1 {
        Three::builder().model(ScriptedModel::new()).build().await?
    } else {
        many(tools).await?
    };
    Ok(Server::builder("bench", "1.0.0").tools_of(&agent).build().await?)
}

/// The same tool under many names.
async fn many(tools: usize) -> Result<AgentHandle, Failure> {
    let mut all = vec![add_one::spec()];
    for number in 1..tools {
        let mut tool = add_one::spec();
        tool.transform(Transform::new().name(format!("add_one_{number}")))?;
        all.push(tool);
    }
    let agent = DynAgent::new("Many", move || {
        let declaration = AgentDeclaration::new().instruction("Add.");
        let declaration = all.iter().fold(declaration, |agent, tool| agent.tool_value(tool.clone()));
        declaration.hook(p1::new()).hook(p2::new()).hook(p3::new())
    });
    let app = App::builder().dyn_agent(&agent).model(ScriptedModel::new()).build().await?;
    Ok(app.entry().clone())
}

/// What the soak uses: a slow tool and one that asks too. A client has two seconds for an answer, so that the questions that nobody
/// answers end within the soak.
pub(crate) async fn desk() -> Result<Server, Failure> {
    let desk = Desk::builder().model(ScriptedModel::new()).build().await?;
    let server = Server::builder("bench", "1.0.0").tools_of(&desk);
    Ok(server.question_timeout(Duration::from_secs(2)).build().await?)
}

pub(crate) async fn serve(server: Server, transport: Transport) -> Result<(), Failure> {
    match transport {
        Transport::Stdio => server.serve_stdio().await?,
        Transport::Http => {
            let http = server.http().max_sessions(100_000);
            let listening = http.listen(([127, 0, 0, 1], 0).into()).await?;
            announce(listening.address())?;
            listening.run(std::future::pending()).await;
        }
    }
    Ok(())
}
