use onionskin::{Args, Hook, Next, ToolContext, ToolResult, agent};

struct Quota(u32);

impl Hook for Quota {
    type Made = onionskin::made::AtRunTime;

    async fn call<N: Next>(&self, _cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let _ = self.0;
        next.run(args).await
    }
}

agent! {
    Helper {
        instruction: "Help.",
        tool_hooks: [Quota],
    }
}

fn main() {}
