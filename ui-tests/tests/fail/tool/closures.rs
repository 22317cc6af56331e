//! Closures where a path belongs.
use onionskin::{Args, tool};

//~ the key of a cache
/// Pays.
#[tool(cache(key = |args: &Args| args["cents"].to_string()))]
fn pay(cents: u32) -> u32 { cents }

//~ a guardrail
/// Adds one.
#[tool(input_guardrails = [|args: &Args| args["x"] != 13])]
fn add_one(x: i64) -> i64 { x + 1 }

fn main() {}
