//! The tools of the scenarios for the extension of tasks.

use std::time::Duration;

use onionskin::question::{AskError, CallerRequest};
use onionskin::{ToolContext, agent, tool};
use serde_json::json;

use super::Name;

/// The time after which a call becomes a task.
pub(super) const TASK_AFTER: Duration = Duration::from_millis(200);

/// Takes longer than a call without a task.
async fn linger() {
    tokio::time::sleep(2 * TASK_AFTER).await;
}

/// Greets.
#[tool]
fn greet(name: &str) -> String {
    format!("Hello, {name}!")
}

/// Computes for some seconds.
#[tool]
async fn slow_compute(seconds: u64, label: Option<&str>) -> String {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    format!("{} computed in {seconds} s", label.unwrap_or("nothing"))
}

/// Fails after a second.
#[tool]
async fn failing_job() -> Result<String, &'static str> {
    tokio::time::sleep(Duration::from_secs(1)).await;
    Err("the job failed")
}

/// Requests what the client does not have, which is an error of the protocol.
#[tool(asks)]
async fn protocol_error_job(cx: &ToolContext) -> Result<String, AskError> {
    linger().await;
    Ok(cx.ask_caller("client_roots", CallerRequest::new("roots/list", json!({}))).await?.to_string())
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Confirm {
    confirm: bool,
}

/// Deletes a file, if a person confirms it.
#[tool(asks)]
async fn confirm_delete(cx: &ToolContext, filename: &str) -> Result<String, AskError> {
    linger().await;
    let Confirm { confirm } = cx.ask_as("confirm", format!("Delete {filename}?")).await?;
    Ok(if confirm { format!("deleted {filename}") } else { format!("kept {filename}") })
}

/// Asks two people at once.
#[tool(asks)]
async fn multi_input(cx: &ToolContext) -> Result<String, AskError> {
    linger().await;
    let (first, second) = tokio::try_join!(
        cx.ask_as::<Name>("first", "Who is first?"),
        cx.ask_as::<Name>("second", "And second?")
    )?;
    Ok(format!("{}, {}", first.name, second.name))
}

/// Asks for a name, and then takes long.
#[tool(asks)]
async fn test_tool_with_task(cx: &ToolContext) -> Result<String, AskError> {
    let Name { name } = cx.ask_as("user_name", "What is your name?").await?;
    linger().await;
    Ok(format!("Hello, {name}!"))
}

agent! {
    pub(super) TaskFixture {
        name: "task_fixture",
        instruction: "Serve.",
        function_tools: [
            greet, slow_compute, failing_job, protocol_error_job, confirm_delete, multi_input, test_tool_with_task,
        ],
    }
}
