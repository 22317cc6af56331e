//! What a list cannot construct.
use onionskin::guardrails::InputGuardrail;
use onionskin::run_hooks::{RunHook, RunInput};
use onionskin::{Args, Hook, Next, Tool, ToolContext, ToolDefinition, ToolResult, agent, made, tool};

//~ a hook that is made at run time
struct Quota(u32);

impl Hook for Quota {
    type Made = onionskin::made::AtRunTime;

    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let _ = self.0;
        next.run(args).await
    }
}

agent! { Helper { instruction: "Help.", tool_hooks: [Quota] } }

//~ a tool without `Default`
struct Notes(u32);

impl Tool for Notes {
    const NAME: &'static str = "notes";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        unimplemented!()
    }

    async fn run(&self, _cx: &ToolContext, _args: &mut Args) -> ToolResult {
        Err(self.0.to_string().into())
    }
}

agent! { ToolWithoutDefault { instruction: "Help.", function_tools: [Notes] } }

//~ a run hook that is made at run time
struct CheckRun;

impl RunHook for CheckRun {
    type Made = made::AtRunTime;
}

agent! { Clerk { instruction: "Answer.", run_hooks: [CheckRun] } }

fn made_at_run_time() { let _ = RunInput::default(); }

//~ a guardrail that is made at run time
struct Check;

impl InputGuardrail for Check {
    type Made = onionskin::made::AtRunTime;

    async fn check(&self, _: &ToolContext, _: &mut Args) -> ToolResult<()> {
        Ok(())
    }
}

/// Adds one.
#[tool(input_guardrails = [Check])]
fn add_one(x: i64) -> i64 { x + 1 }

fn main() {}
