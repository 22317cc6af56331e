//! The items of the cards in this folder.

use peel::message_hooks::{SentMessage, message_hook};
use peel::run::AgentRun;
use peel::run_hooks::RunInput;
use peel::turn_hooks::TurnRequest;
use peel::{Args, Next, RunError, ToolResult, run_hook, tool, tool_hook, toolbox, turn_hook};

/// What the desk answers.
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub struct Report {
    /// The answer.
    pub text: String,
}

/// What the back office is asked.
#[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Question {
    /// The question.
    pub text: String,
}

/// Adds one.
#[tool(crate = peel)]
pub fn add_one(x: i64) -> i64 {
    x + 1
}

/// Notes.
pub struct Notes;

#[toolbox(crate = peel)]
impl Notes {
    /// Reads all notes.
    #[tool]
    pub fn read(&self) -> String {
        String::new()
    }
}

#[tool_hook(crate = peel)]
pub async fn short(
    #[config] most: usize,
    #[config] mark: String,
    #[config] words: Vec<String>,
    #[config] part: f64,
    #[config] on: bool,
    args: &mut Args,
    next: impl Next,
) -> ToolResult {
    let _ = (most, mark, words, part, on);
    next.run(args).await
}

#[run_hook(pre, crate = peel)]
pub fn check(input: &mut RunInput) {
    let _ = input;
}

#[turn_hook(before_llm_call, crate = peel)]
pub fn trim(#[config] most: u32, request: &mut TurnRequest) {
    let _ = (most, request);
}

#[message_hook(process_message_before_send, crate = peel)]
pub fn redact(message: &mut SentMessage) {
    let _ = message;
}

/// Plans.
pub async fn plan(run: &AgentRun, input: String) -> Result<String, RunError> {
    let _ = run;
    Ok(input)
}
