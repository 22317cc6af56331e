// Each item is one mistake.
use onionskin::{Args, guardrail, tool_hook};

#[tool_hook(state = "HashMap<String, i64>")]
fn hook() {}

#[guardrail(input, state = "Ledger")]
fn guard(_args: &Args) {}

fn main() {}
