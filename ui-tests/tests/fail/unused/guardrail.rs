//! What nothing lists or calls is a warning, as it is for a function.
#![deny(missing_docs, unused, clippy::pedantic)]

use onionskin::{Args, ToolOutput, agent, guardrail, tool};

#[guardrail(input)]
fn listed(args: &Args) -> Result<(), String> {
    if args["x"].is_null() { Err("there is no `x`".to_owned()) } else { Ok(()) }
}

#[guardrail(input)]
fn forgotten(args: &Args) -> Result<(), String> {
    if args["x"].is_null() { Err("there is no `x`".to_owned()) } else { Ok(()) }
}

#[guardrail(output)]
fn forgotten_for_results(#[config] most: usize, output: &ToolOutput) -> Result<(), String> {
    if output.to_text().len() > most { Err("this is too long".to_owned()) } else { Ok(()) }
}

/// Adds one.
#[tool(input_guardrails = [listed])]
fn add_one(x: i64) -> i64 {
    x + 1
}

agent! {
    /// Helps.
    Helper { instruction: "Help.", function_tools: [add_one] }
}

fn main() {
    let _ = Helper::builder();
}
