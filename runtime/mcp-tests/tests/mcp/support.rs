//! Agents that use the fixture server, and their calls.

use onionskin::declaration::AgentDeclaration;
use onionskin::event::EventKind;
use onionskin::mcp::ServerConfig;
use onionskin::run::AgentRun;
use onionskin::{Agent, AgentHandle, BuildError, ErrorKind, RunError, ScriptedModel};
use serde_json::{Value, json};

use super::fixture::{Log, server};

/// An agent without a loop: it makes the call that its input names, and gives back what came of it as JSON.
macro_rules! caller {
    ($agent:ident, $name:literal, $filter:expr) => {
        pub(crate) struct $agent;

        impl Agent for $agent {
            const NAME: &'static str = $name;
            type State = ();

            fn declare() -> AgentDeclaration {
                AgentDeclaration::new().server("fix", $filter)
            }

            async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
                call_once(run, &input).await
            }
        }
    };
}

caller!(All, "all", None);
caller!(Getter, "getter", Some(&["get_*"]));
caller!(Typist, "typist", Some(&["get_ecoh"]));
caller!(Nothing, "nothing", Some(&[]));

async fn call_once(run: &AgentRun, input: &str) -> Result<String, RunError> {
    let (tool, arguments) = input.split_once(' ').unwrap_or((input, "{}"));
    let outcome = match run.call_tool(tool, arguments).await {
        Ok(output) => json!({
            "text": output.to_text(),
            "content": output.content(),
            "structured": output.structured_content(),
            "meta": output.remote_meta(),
        }),
        Err(exit) => json!({
            "kind": exit.as_tool_error().map(onionskin::ToolError::kind),
            "text": exit.to_string(),
        }),
    };
    Ok(outcome.to_string())
}

/// What came of a call.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) kind: Option<ErrorKind>,
    pub(crate) text: String,
    pub(crate) all: Value,
}

impl Outcome {
    pub(crate) fn read(text: &str) -> Self {
        let all: Value = serde_json::from_str(text).unwrap();
        let kind = serde_json::from_value(all["kind"].clone()).unwrap_or(None);
        Self { kind, text: all["text"].as_str().unwrap_or_default().to_owned(), all }
    }
}

/// Builds an agent with this server.
pub(crate) async fn build<A: Agent>(server: ServerConfig) -> Result<AgentHandle, BuildError> {
    A::builder().model(ScriptedModel::new()).server("fix", server).build().await
}

/// An agent with all tools of a server that runs in this mode, and the log of the server, which has this name.
pub(crate) async fn started(mode: &str, name: &str) -> (AgentHandle, Log) {
    let log = Log::new(name);
    (build::<All>(server(mode, &log)).await.unwrap(), log)
}

/// The text of the error that building the agent ends with.
pub(crate) async fn build_error<A: Agent>(server: ServerConfig) -> String {
    match build::<A>(server).await {
        Ok(handle) => panic!("it was built, with the tools {:?}", handle.tool_names()),
        Err(error) => error.to_string(),
    }
}

/// Calls a tool through an agent.
pub(crate) async fn call(agent: &AgentHandle, tool: &str, arguments: Value) -> Outcome {
    Outcome::read(&agent.run(format!("{tool} {arguments}")).await.unwrap().text)
}

/// Makes a call and gives the notices of its run.
pub(crate) async fn notices(agent: &AgentHandle) -> Vec<String> {
    let mut stream = agent.stream("fix__pid {}");
    let mut notices = Vec::new();
    while let Some(event) = stream.next().await {
        if let EventKind::Notice { text, .. } = event.kind {
            notices.push(text);
        }
    }
    notices
}
