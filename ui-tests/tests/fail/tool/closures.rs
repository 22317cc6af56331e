//! Closures where a path belongs.
use onionskin::{Args, tool};

//~ cache key as a closure
/// Pays.
#[tool(cache(key = |args: &Args| args["cents"].to_string()))]
fn pay(cents: u32) -> u32 { cents }

//~ guardrail as a closure
/// Adds one.
#[tool(input_guardrails = [|args: &Args| args["x"] != 13])]
fn add_one(x: i64) -> i64 { x + 1 }

fn main() {}
