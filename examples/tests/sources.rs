//! H4: hooks see every tool call of every source: one table of all sources and all forms of hooks.

#![allow(clippy::needless_pass_by_value, reason = "hooks are handed the state")]

#[macro_use]
#[path = "../../runtime/tests/shared/by_hand.rs"]
mod by_hand;

use std::sync::{Arc, Mutex};

use onionskin::mcp::ServerConfig;
use onionskin::run::AgentRun;
use onionskin::{
    Args, Exit, Hook, Next, RunError, ScriptedModel, ScriptedTurn, State, ToolContext, ToolDefinition,
    ToolOutput, ToolResult, agent, guardrail, guardrails, tool, tool_hook, toolbox,
};
use serde_json::{Value, json};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn push(&self, form: &str, ctx: &ToolContext) {
        let server = ctx.server_name().unwrap_or("-");
        let line = format!("{form} {} {} {server}", ctx.tool_name(), ctx.source());
        self.0.lock().expect("no panic").push(line);
    }
}

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

/// Written by hand.
#[derive(Default)]
struct Echo;

tool_by_hand! {
    Echo "echo", ToolDefinition::new(Echo::NAME, "Says it again.");

    async fn run(&self, _: &ToolContext, args: &mut Args) -> ToolResult {
        Ok(ToolOutput::text(args["text"].as_str().unwrap_or_default()))
    }
}

struct Shelf(u32);

#[toolbox]
impl Shelf {
    /// Counts the books.
    #[tool]
    fn count(&self) -> u32 {
        self.0
    }
}

/// A script.
const DOUBLE: &str = "/// Doubles.\n///\n/// Args:\n///     x (int): The number.\nfn double(x) { x * 2 }";

async fn repeat(_: &AgentRun, input: String) -> Result<String, RunError> {
    Ok(input)
}

agent! { Child { description: "Helps.", instruction: "Help.", run: repeat } }

#[tool_hook]
async fn around(ctx: &ToolContext, log: State<Log>, args: &mut Args, next: impl Next) -> ToolResult {
    log.push("around", ctx);
    next.run(args).await
}

#[tool_hook]
fn before(ctx: &ToolContext, log: State<Log>) {
    log.push("before", ctx);
}

#[tool_hook]
fn after(ctx: &ToolContext, log: State<Log>, output: &mut ToolOutput) {
    log.push("after", ctx);
    output.push_text(" [audit]");
}

struct RunTime(Log);

impl Hook for RunTime {
    type Made = onionskin::made::AtRunTime;

    async fn call<N: Next>(&self, ctx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        self.0.push("run-time", ctx);
        next.run(args).await
    }
}

agent! {
    Everything {
        instruction: "Call everything.",
        state: Log,
        servers: [time],
        function_tools: [add_one, Echo],
        agents: [Child],
        runtime: [shell.execute],
        toolboxes: [Shelf],
        tool_hooks: [around, before, after],
    }
}

/// Sees the arguments, and marks those with a text.
#[guardrail(input)]
fn marked(ctx: &ToolContext, log: State<Log>, args: &mut Args) -> Result<(), String> {
    log.push("input", ctx);
    if let Some(text) = args.get("text").and_then(Value::as_str).map(str::to_owned) {
        args.insert("text", format!("{text} (in)")).map_err(ToString::to_string)?;
    }
    Ok(())
}

/// Sees the results, and marks them.
#[guardrail(output)]
fn checked(ctx: &ToolContext, log: State<Log>, output: &mut ToolOutput) {
    log.push("output", ctx);
    output.push_text(" [checked]");
}

/// Passes by the other hooks.
#[tool_hook]
async fn past_hooks(ctx: &ToolContext, args: &mut Args) -> Result<Option<ToolOutput>, Exit> {
    ctx.call_original(args).await.map(Some)
}

agent! {
    Guarded {
        instruction: "Call everything.",
        state: Log,
        servers: [time],
        function_tools: [add_one, Echo],
        agents: [Child],
        runtime: [shell.execute],
        toolboxes: [Shelf],
        tool_hooks: [after, past_hooks for [add_one, server(time)]],
        input_guardrails: [marked],
        output_guardrails: [checked, guardrails::max_output(4) for [server(time), source(agent), tool(double)]],
    }
}

/// A turn with all of the calls.
fn call_all() -> ScriptedTurn {
    calls().into_iter().fold(ScriptedTurn::default(), |turn, (tool, args, ..)| turn.and_call(tool, args))
}

#[tokio::test]
async fn h4_guardrails_of_an_agent_check_calls_of_every_source() {
    let (log, turn) = (Log::default(), call_all());
    let handle = Guarded::builder()
        .state(log.clone())
        .toolbox(Shelf(7))
        .tool(onionskin::rhai::from_code(DOUBLE).expect("the script is read"))
        .server("time", ServerConfig::stdio(env!("CARGO_BIN_EXE_time_server")))
        .output_guardrail(guardrails::RejectInjection)
        .model(ScriptedModel::turns([turn, ScriptedTurn::say("done")]))
        .build()
        .await
        .expect("the agent is built");
    let page = handle.describe().expect("it describes itself");
    let time = page.tools.iter().find(|tool| tool.name == "time__get_current_time").expect("the tool");
    assert_eq!(time.input_guardrails, ["marked"]);
    assert_eq!(time.output_guardrails, ["checked", "max_output", "RejectInjection"]);
    let output = handle.run("go").await.expect("the run answers");
    handle.shutdown().await;
    let log = log.0.lock().expect("no panic").clone();
    for ((tool, _, identity, result), call) in calls().into_iter().zip(&output.tool_calls) {
        for form in ["input", "output"] {
            let line = format!("{form} {identity}");
            assert_eq!(log.iter().filter(|each| **each == line).count(), 1, "{line}: {log:?}");
        }
        let text = call.to_text();
        if identity.contains(" mcp ") || identity.contains(" agent ") || tool == "double" {
            // The hook outside sees no result.
            let name = identity.split(' ').next().expect("a name");
            let withheld = format!("`{name}` has run; its result is withheld: the result has ");
            assert!(text.starts_with(&withheld) && text.ends_with(" 4 are allowed"), "{tool}: {text}");
        } else {
            assert!(text.contains(result), "{tool}: {text}");
            assert!(text.ends_with(" [checked] [audit]"), "{tool}: {text}");
        }
        if tool == "echo" {
            assert_eq!(text, "again (in) [checked] [audit]");
        }
    }
}

/// A call by the name that the model uses, the name, source and server that hooks see, and a part of the result.
fn calls() -> [(&'static str, Value, &'static str, &'static str); 7] {
    [
        ("add_one", json!({"x": 1}), "add_one function -", "2"),
        ("echo", json!({"text": "again"}), "echo function -", "again"),
        ("count", json!({}), "count function -", "7"),
        ("double", json!({"x": 21}), "double function -", "42"),
        ("agent__Child", json!({"input": "hi"}), "agent__Child agent agent", "hi"),
        ("shell_execute", json!({"command": "echo hello"}), "shell.execute runtime runtime", "hello"),
        (
            "time__get_current_time",
            json!({"timezone": "Etc/UTC"}),
            "time__get_current_time mcp time",
            "\"timezone\":\"Etc/UTC\"",
        ),
    ]
}

#[tokio::test]
async fn h4_every_form_of_hook_sees_every_source() {
    let (log, turn) = (Log::default(), call_all());
    let handle = Everything::builder()
        .state(log.clone())
        .hook(RunTime(log.clone()))
        .toolbox(Shelf(7))
        .tool(onionskin::rhai::from_code(DOUBLE).expect("the script is read"))
        .server("time", ServerConfig::stdio(env!("CARGO_BIN_EXE_time_server")))
        .model(ScriptedModel::turns([turn, ScriptedTurn::say("done")]))
        .build()
        .await
        .expect("the agent is built");
    let output = handle.run("go").await.expect("the run answers");
    handle.shutdown().await;
    let log = log.0.lock().expect("no panic").clone();
    for ((tool, _, identity, result), call) in calls().into_iter().zip(&output.tool_calls) {
        for form in ["run-time", "around", "before", "after"] {
            let line = format!("{form} {identity}");
            assert_eq!(log.iter().filter(|each| **each == line).count(), 1, "{line}: {log:?}");
        }
        let text = call.to_text();
        assert!(text.contains(result) && text.ends_with("[audit]"), "{tool}: {text}");
    }
}
