//! Names in the lists of an agent that are not there, or are functions.
use onionskin::{Args, Next, ToolResult, agent};

//~ an unknown agent
agent! { Helper { instruction: "Help.", agents: [Reseacher] } }

//~ an unknown hook
agent! { UnresolvedHook { instruction: "Help.", tool_hooks: [audit] } }

//~ a tool of an unknown module
agent! { UnresolvedTool { instruction: "Help.", function_tools: [tools::add_one] } }

//~ a function without `#[tool]`
// Whether a name is a type is for rustc to say, before it knows of any trait: these are its own words.
fn add_one(x: i64) -> i64 { x + 1 }

agent! { FunctionWithoutTool { instruction: "Help.", function_tools: [add_one] } }

//~ a function without `#[tool_hook]`
// Whether a name is a type is for rustc to say, before it knows of any trait: these are its own words.
async fn plain_audit(args: &mut Args, next: impl Next) -> ToolResult { next.run(args).await }

agent! { FunctionWithoutToolHook { instruction: "Help.", tool_hooks: [plain_audit] } }

//~ an unknown output
agent! { Desk { instruction: "Report.", output: Report } }

async fn report() { let _ = Desk::run("Report.").await; }

fn main() {}
