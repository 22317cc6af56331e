//! What nothing lists or calls is a warning, as it is for a function.
#![deny(missing_docs, unused, clippy::pedantic)]

use onionskin::message_hooks::message_hook;
use onionskin::model::ModelResponse;
use onionskin::question::AskError;
use onionskin::run_hooks::RunAnswer;
use onionskin::turn_hooks::TurnRequest;
use onionskin::ui::ui_tool;
use onionskin::{
    Args, Next, State, ToolContext, ToolOutput, ToolResult, agent, guardrail, run_hook, tool, tool_hook, turn_hook,
};
use serde_json::json;

/// Listed by an agent.
#[tool]
fn listed() -> &'static str {
    "listed"
}

/// Called.
#[tool]
fn called() -> &'static str {
    "called"
}

/// Used as a value.
#[tool(name = "exported")]
fn as_a_value(x: i64) -> i64 {
    x
}

//~ a tool
/// Forgotten.
#[tool]
fn forgotten_tool(x: i64) -> i64 {
    x
}

//~ a tool with all that a tool can have
/// Forgotten.
#[tool(effect = once, timeout = 5)]
pub(crate) async fn forgotten_tool_too(ctx: &onionskin::ToolContext, name: &str) -> Result<String, String> {
    Ok(format!("{name} {}", ctx.agent_name()))
}

/// Shows a chart.
#[ui_tool(component = "Chart")]
async fn listed_ui_tool(cx: &ToolContext, title: String) -> Result<String, AskError> {
    cx.ui().use_ui_tool("chart", "Desk", json!({ "title": title })).await
}

//~ a UI tool
/// Shows a map.
#[ui_tool(component = "Map")]
async fn forgotten_ui_tool(cx: &ToolContext, title: String) -> Result<String, AskError> {
    cx.ui().use_ui_tool("map", "Desk", json!({ "title": title })).await
}

#[guardrail(input)]
fn listed_guardrail(args: &Args) -> Result<(), String> {
    if args["x"].is_null() { Err("there is no `x`".to_owned()) } else { Ok(()) }
}

//~ an input guardrail
#[guardrail(input)]
fn forgotten_guardrail(args: &Args) -> Result<(), String> {
    if args["x"].is_null() { Err("there is no `x`".to_owned()) } else { Ok(()) }
}

//~ an output guardrail
#[guardrail(output)]
fn forgotten_guardrail_of_results(#[config] most: usize, output: &ToolOutput) -> Result<(), String> {
    if output.to_text().len() > most { Err("this is too long".to_owned()) } else { Ok(()) }
}

#[tool_hook]
async fn listed_hook(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

#[tool_hook]
fn listed_by_a_tool(args: &mut Args) {
    args.remove("x");
}

#[tool_hook]
fn added(#[config] mark: &str, output: &mut ToolOutput) {
    output.push_text(mark);
}

/// Adds one.
#[tool(hooks = [listed_by_a_tool], input_guardrails = [listed_guardrail])]
fn add_one(x: i64) -> i64 {
    x + 1
}

//~ a tool hook
#[tool_hook]
async fn forgotten_hook(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

//~ a tool hook with a value
#[tool_hook]
fn forgotten_hook_with_a_value(#[config] mark: String, output: &mut ToolOutput) {
    output.push_text(mark);
}

#[run_hook(pre)]
fn listed_run_hook(input: &str) -> String {
    format!("{input}.")
}

//~ a run hook before a run
#[run_hook(pre)]
fn forgotten_run_hook(input: &str) -> String {
    format!("{input}.")
}

//~ a run hook after a run
#[run_hook(post)]
fn forgotten_run_hook_after(#[config] mark: &str, answer: &mut RunAnswer) {
    answer.set_text(format!("{}{mark}", answer.text()));
}

#[turn_hook(before_llm_call)]
fn listed_turn_hook(request: &TurnRequest) -> Option<ModelResponse> {
    (request.turn() == 3).then(|| ModelResponse::text("enough"))
}

//~ a turn hook
#[turn_hook(before_llm_call)]
fn forgotten_turn_hook(request: &TurnRequest) -> Option<ModelResponse> {
    (request.turn() == 3).then(|| ModelResponse::text("enough"))
}

#[derive(Clone)]
struct Counts;

#[message_hook(update_agent_state)]
fn listed_message_hook(counts: &State<Counts>) {
    let _ = counts;
}

//~ a message hook
#[message_hook(update_agent_state)]
fn forgotten_message_hook(counts: &State<Counts>) {
    let _ = counts;
}

agent! {
    /// Helps.
    Helper {
        instruction: "Help.",
        state: Counts,
        function_tools: [listed, listed_ui_tool, add_one],
        tool_hooks: [listed_hook],
        run_hooks: [listed_run_hook],
        turn_hooks: [listed_turn_hook],
        message_hooks: [listed_message_hook],
    }
}

fn main() {
    let _ = (Helper::builder().state(Counts).hook(added::new("!")), called(), as_a_value::spec());
}
