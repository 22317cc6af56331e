//! Agents behind an editor that is written by hand.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

mod client;
mod life;
mod questions;
mod stored;
mod wire;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use onionskin::declaration::AgentBuilder;
use onionskin::{AgentHandle, Exit, Progress, ScriptedModel, ScriptedTurn, ToolContext, agent, tool};
use serde_json::{Value, json};

/// Adds one to a number.
#[tool]
fn add_one(x: i64, progress: &Progress) -> i64 {
    progress.report(1.0, Some(2.0), "half of it".to_owned());
    x + 1
}

/// Pays.
#[tool(approval, effect = once)]
fn pay(cents: u32) -> String {
    format!("paid {cents}")
}

/// Sleeps.
#[tool]
async fn sleep() -> String {
    tokio::time::sleep(Duration::from_mins(10)).await;
    "awake".to_owned()
}

/// Whether `sign` ran.
static SIGNED: AtomicBool = AtomicBool::new(false);

/// Signs.
#[tool(approval)]
fn sign() -> &'static str {
    SIGNED.store(true, Ordering::Relaxed);
    "signed"
}

/// Reports until something is signed.
#[tool]
async fn watch(progress: &Progress) -> &'static str {
    while !SIGNED.load(Ordering::Relaxed) {
        progress.report(1.0, None, None);
        tokio::task::yield_now().await;
    }
    "seen"
}

/// The number of reports that `report` made.
static REPORTS: AtomicU32 = AtomicU32::new(0);

const MOST_REPORTS: u32 = 20_000;

/// Reports very often.
#[tool]
async fn report(progress: &Progress) -> &'static str {
    for number in 1..=MOST_REPORTS {
        progress.report(number.into(), None, None);
        REPORTS.store(number, Ordering::Relaxed);
        tokio::task::yield_now().await;
    }
    "reported"
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Paint {
    colour: String,
    coats: u8,
}

/// Asks for a number.
#[tool]
async fn count(cx: &ToolContext) -> Result<String, Exit> {
    let count: u8 = cx.ask("How many?").await?;
    Ok(format!("{count} of them"))
}

/// Asks for a colour.
#[tool]
async fn paint(cx: &ToolContext) -> Result<String, Exit> {
    let Paint { colour, coats } = cx.ask("Which colour?").await?;
    Ok(format!("{colour} {coats}"))
}

agent! {
    Adder { description: "Adds.", instruction: "Add.", function_tools: [add_one, pay] }
    Clerk { instruction: "Serve.", function_tools: [add_one, pay, sleep, count, paint, report, sign, watch], agents: [Adder] }
}

fn builder(turns: impl IntoIterator<Item = ScriptedTurn>) -> AgentBuilder<Clerk> {
    Clerk::builder().model(ScriptedModel::turns(turns))
}

async fn clerk(turns: impl IntoIterator<Item = ScriptedTurn>) -> AgentHandle {
    builder(turns).build().await.unwrap()
}

fn call(tool: &str, args: Value) -> ScriptedTurn {
    ScriptedTurn::call(tool, args)
}

/// A turn that repeats the result of the tool.
fn last() -> ScriptedTurn {
    ScriptedTurn::say("{last}")
}

fn forms() -> Value {
    json!({ "elicitation": { "form": {} } })
}
