//! The agents of these tests.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::declaration::AgentDeclaration;
use onionskin::definition::ToolSource;
use onionskin::run::AgentRun;
use onionskin::{
    Agent, AgentHandle, Args, Exit, Next, RunContext, RunError, ScriptedModel, ScriptedTurn, State,
    ToolContext, ToolResult, agent, tool, tool_hook,
};
use serde_json::json;

agent! {
    pub(crate) Helper { name: "helper", description: "Helps.", instruction: "Help." }
    pub(crate) Boss { name: "boss", instruction: "Lead.", tool_hooks: [note for [source(agent)]] }
}

#[tool_hook]
async fn note(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    assert_eq!((ctx.source(), ctx.server_name()), (ToolSource::Agent, Some("agent")));
    let mut output = next.run(args).await?;
    output.push_text(" [seen]");
    Ok(output)
}

/// Answers with the turn's number and its input; fails, aborts or waits if the input says so.
pub(crate) struct Probe;

#[derive(Clone, Default)]
pub(crate) struct Log {
    lines: Arc<Mutex<Vec<String>>>,
    now: Arc<AtomicU32>,
    pub(crate) most: Arc<AtomicU32>,
}

impl Log {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }
}

impl Agent for Probe {
    const NAME: &'static str = "probe";
    type State = Log;

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new().tool(log_line::default())
    }

    async fn run(run: &AgentRun, input: String) -> Result<String, RunError> {
        let fail = |reason: &str| RunError::agent("probe", reason);
        run.call_tool("log_line", json!({ "line": format!("{input} begins") }).to_string()).await.unwrap();
        let earlier = run.messages().len();
        match &*input {
            "fail" => return Err(fail("it was told to")),
            "panic" => panic!("told to"),
            "abort" => {
                let aborted = run.call_tool("log_line", json!({ "line": "abort" }).to_string()).await;
                return Err(fail(&aborted.unwrap_err().to_string()));
            }
            "wait" => tokio::time::sleep(Duration::from_mins(1)).await,
            _ => tokio::time::sleep(Duration::from_millis(10)).await,
        }
        run.call_tool("log_line", json!({ "line": format!("{input} ends") }).to_string()).await.unwrap();
        let told = run.converse(input.clone()).await?;
        Ok(format!("{told} after {earlier}"))
    }
}

/// Keeps a line.
#[tool]
fn log_line(line: &str, log: State<Log>, run: &RunContext) -> ToolResult<u32> {
    if line == "abort" {
        return Err(Exit::abort("a trap"));
    }
    log.lines.lock().unwrap().push(line.to_owned());
    let now = if line.ends_with("begins") {
        log.now.fetch_add(1, Ordering::SeqCst) + 1
    } else {
        log.now.fetch_sub(1, Ordering::SeqCst) - 1
    };
    log.most.fetch_max(now, Ordering::SeqCst);
    run.session_state().set("lines", now);
    Ok(now)
}

pub(crate) async fn probe(log: &Log) -> AgentHandle {
    let model = ScriptedModel::turns([ScriptedTurn::say("re: {input}"), ScriptedTurn::say("again: {input}")]);
    Probe::builder().model(model).state(log.clone()).build().await.unwrap()
}

pub(crate) async fn helper(turns: impl IntoIterator<Item = ScriptedTurn>) -> AgentHandle {
    Helper::builder().model(ScriptedModel::turns(turns)).build().await.unwrap()
}

pub(crate) fn asks<const N: usize>(tool: &str, inputs: [&str; N]) -> ScriptedModel {
    let turn = ScriptedTurn::default();
    let turn = inputs.into_iter().fold(turn, |turn, input| turn.and_call(tool, json!({ "input": input })));
    ScriptedModel::turns([turn, ScriptedTurn::say("{last}")])
}
