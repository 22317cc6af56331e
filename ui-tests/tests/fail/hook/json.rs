//! JSON where hooks and guardrails take a type of ours.
use onionskin::{Next, ToolResult, guardrail, run_hook, tool_hook};

//~ the arguments of a hook
#[tool_hook]
async fn audit(args: &mut serde_json::Value, next: impl Next) -> ToolResult {
    let _ = (args, next);
    Err("no".into())
}

//~ the arguments of a guardrail
#[guardrail(input)]
fn check(args: &serde_json::Value) { let _ = args; }

//~ the output of a guardrail
#[guardrail(output)]
fn output_as_json(output: &mut serde_json::Value) { let _ = output; }

//~ the answer of a run hook
#[run_hook(post)]
fn answer_as_json(answer: &serde_json::Value) { let _ = answer; }

fn main() {}
