//! JSON where hooks and guardrails take a type of ours.
use onionskin::{Next, ToolResult, guardrail, run_hook, tool_hook};

//~ args of another type
#[tool_hook]
async fn audit(args: &mut serde_json::Value, next: impl Next) -> ToolResult {
    let _ = (args, next);
    Err("no".into())
}

//~ guardrail: args as a value
#[guardrail(input)]
fn check(args: &serde_json::Value) { let _ = args; }

//~ guardrail: output as json
#[guardrail(output)]
fn output_as_json(output: &mut serde_json::Value) { let _ = output; }

//~ run hook: answer as json
#[run_hook(post)]
fn answer_as_json(answer: &serde_json::Value) { let _ = answer; }

fn main() {}
