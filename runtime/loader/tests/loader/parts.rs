//! The tools, hooks and types of the tests' cards.

use onionskin::run::AgentRun;
use onionskin::run_hooks::RunInput;
use onionskin::turn_hooks::TurnRequest;
use onionskin::{
    Args, Next, RunContext, RunError, State, ToolContext, ToolOutput, ToolResult, agent, guardrail, run_hook,
    tool, tool_hook, toolbox, turn_hook,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Adds one to a number.
#[tool]
pub(crate) fn add_one(x: i64) -> i64 {
    x + 1
}

/// Adds two to a number.
#[tool]
pub(crate) fn add_two(x: i64) -> i64 {
    x + 2
}

/// The guest's name.
#[tool]
pub(crate) fn guest(visit: State<Visit>) -> String {
    visit.guest.clone()
}

/// Marks every result.
#[tool_hook]
pub(crate) async fn mark(
    #[config] with: String,
    _ctx: &ToolContext,
    args: &mut Args,
    next: impl Next,
) -> ToolResult {
    let mut output = next.run(args).await?;
    output.push_text(with);
    Ok(output)
}

/// Adds one to the argument.
#[tool_hook]
pub(crate) async fn more(_ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let x = args.get("x").map_or(0, |x| x.as_i64().unwrap_or(0));
    args["x"] = (x + 1).into();
    next.run(args).await
}

/// Stops the model after this many tokens.
#[turn_hook(before_llm_call)]
pub(crate) fn at_most(#[config] tokens: u32, request: &mut TurnRequest) {
    request.params_mut().max_tokens = Some(tokens);
}

/// Checks every result, and says so.
#[guardrail(output)]
pub(crate) fn checked(#[config] with: String, output: &mut ToolOutput) {
    output.push_text(with);
}

/// Adds three to the argument.
#[guardrail(input)]
pub(crate) fn three_more(args: &mut Args) {
    let x = args["x"].as_i64().unwrap_or(0);
    args["x"] = (x + 3).into();
}

/// Asks loudly.
#[run_hook(pre)]
pub(crate) fn louder(input: &mut RunInput) {
    let text = input.text().to_uppercase();
    input.set_text(text);
}

/// A knowledge base.
pub(crate) struct Kb;

#[toolbox]
impl Kb {
    /// Finds a passage.
    #[tool]
    fn find(&self, word: &str) -> String {
        format!("a passage on {word}")
    }
}

/// Who is there.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Visit {
    pub(crate) guest: String,
}

/// A question of a parent.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Question {
    pub(crate) about: String,
}

/// An answer.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Report {
    pub(crate) lines: Vec<String>,
}

agent! {
    /// Helps.
    pub(crate) Helper { description: "Helps.", instruction: "Help." }
}

/// Answers without a model.
pub(crate) async fn repeat(_run: &AgentRun, input: String) -> Result<String, RunError> {
    Ok(input.repeat(2))
}

/// A greeting.
pub(crate) fn greeting(run: &RunContext) -> String {
    format!("You are {}.", run.agent().name())
}
