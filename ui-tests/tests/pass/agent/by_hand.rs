//! A hand-written tool, hook and agent beside declared ones.
use std::sync::LazyLock;

use onionskin::{Agent, Args, Hook, Next, RunError, Tool, ToolContext, ToolDefinition, ToolOutput, ToolResult, agent};
use onionskin::declaration::AgentDeclaration;
use onionskin::run::AgentRun;

#[derive(Default)]
struct Echo;

static ECHO: LazyLock<ToolDefinition> = LazyLock::new(|| ToolDefinition::new(Echo::NAME, "Says it again."));

impl Tool for Echo {
    const NAME: &'static str = "echo";
    type State = ();

    fn definition(&self) -> &ToolDefinition {
        &ECHO
    }

    async fn run(&self, _cx: &ToolContext, args: &mut Args) -> ToolResult {
        Ok(ToolOutput::text(args.text().to_string()))
    }
}

#[derive(Default)]
struct CityOnly;

impl Hook for CityOnly {
    type Made = onionskin::made::ByDefault;

    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        next.run(args).await
    }
}

struct Parrot;

impl Agent for Parrot {
    const NAME: &'static str = "parrot";
    type State = ();

    fn declare() -> AgentDeclaration {
        AgentDeclaration::new()
    }

    async fn run(_run: &AgentRun, input: String) -> Result<String, RunError> {
        Ok(input)
    }
}

agent! {
    Boss { instruction: "Lead.", agents: [Parrot], function_tools: [Echo], tool_hooks: [CityOnly] }
}

pub(crate) fn main() {
    let _ = Boss::builder();
}
