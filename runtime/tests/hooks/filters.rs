//! What the filter of a hook can name: toolboxes, their methods, and tools that only a built agent has.

use std::sync::{Arc, Mutex};

use onionskin::declaration::AgentBuilder;
use onionskin::event::CallOutcome;
use onionskin::{
    Args, BuildError, Next, ScriptedModel, ScriptedTurn, ToolContext, ToolResult, ToolSpec, agent, tool,
    tool_hook, toolbox,
};
use serde_json::json;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

#[tool_hook]
async fn record(
    #[config] mark: &str,
    log: onionskin::State<Log>,
    ctx: &ToolContext,
    args: &mut Args,
    next: impl Next,
) -> ToolResult {
    log.0.lock().unwrap().push(format!("{mark} {}", ctx.tool_name()));
    next.run(args).await
}

#[derive(Default)]
struct Stock;

#[toolbox(parts = [Doors])]
impl Stock {
    /// Puts something in.
    #[tool(name = "put_in")]
    fn put(&self) -> bool {
        true
    }

    /// Counts.
    #[tool]
    fn count(&self) -> u8 {
        3
    }
}

#[toolbox(part = Doors)]
impl Stock {
    /// Opens the doors.
    #[tool]
    fn r#open(&self) -> bool {
        true
    }
}

/// Counts otherwise.
#[tool]
fn count_all() -> u8 {
    7
}

agent! {
    Keeper {
        instruction: "Keep.",
        state: Log,
        toolboxes: [Stock, attic: Stock],
        function_tools: [count_all],
        tool_hooks: [
            record("put") for [Stock::put],
            record("stock") for [Stock],
            record("not the rest") except [Stock::count, Stock::open, Stock::put],
            record("lookup") for [tool(lookup), tool("attic_count")],
        ],
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct NoArgs {}

fn lookup(name: &'static str) -> ToolSpec {
    ToolSpec::from_fn(name, "Looks up.", |_: NoArgs, _: ToolContext| async { Ok("found") })
}

fn keeper(log: &Log) -> AgentBuilder<Keeper> {
    Keeper::builder().state(log.clone()).toolbox(Stock).toolbox_as("attic", Stock)
}

async fn recorded_hooks(tool: &str) -> Vec<String> {
    let log = Log::default();
    let turns = [ScriptedTurn::call(tool, json!({})), ScriptedTurn::say("done")];
    let output =
        keeper(&log).tool(lookup("lookup")).model(ScriptedModel::turns(turns)).run("go").await.unwrap();
    assert_eq!(output.tool_calls[0].outcome, Some(CallOutcome::Ok), "{}", output.tool_calls[0].to_text());
    std::mem::take(&mut *log.0.lock().unwrap())
}

#[tokio::test]
async fn h5_filters_name_the_methods_of_toolboxes() {
    assert_eq!(recorded_hooks("put_in").await, ["put put_in", "stock put_in"]);
    assert_eq!(recorded_hooks("attic_put_in").await, ["put attic_put_in", "stock attic_put_in"]);
    assert_eq!(recorded_hooks("open").await, ["stock open"]);
    assert_eq!(recorded_hooks("count").await, ["stock count"]);
    assert_eq!(recorded_hooks("count_all").await, ["not the rest count_all"]);
}

#[tokio::test]
async fn h5_filters_name_tools_that_are_added_when_the_agent_is_built() {
    assert_eq!(recorded_hooks("lookup").await, ["not the rest lookup", "lookup lookup"]);
    assert_eq!(recorded_hooks("attic_count").await, ["stock attic_count", "lookup attic_count"]);
}

#[tokio::test]
async fn h5_a_filter_that_names_no_tool_of_the_built_agent_is_an_error() {
    let builder = keeper(&Log::default()).tool(lookup("look_up")).model(ScriptedModel::turns([]));
    let Err(error) = builder.build().await else { panic!("it was built") };
    assert!(
        matches!(&error, BuildError::FilterNamesNoTool { hook: "record", tool, .. } if tool == "lookup"),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        "the filter of `record` names the tool `lookup`, which the agent `Keeper` does not have; did you mean \
         `look_up`?"
    );
}
