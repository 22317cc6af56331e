//! Typed hooks run outside of a tool's own hooks and stages. A tool without a typed hook needs no more traits for that.
#![deny(warnings)]
#![allow(unreachable_pub)]

use onionskin::{Args, Next, ToolContext, ToolError, ToolResult, guardrail, tool_hook};
use onionskin::typed::{ArgsOf, TypedNext};

#[guardrail(input)]
fn check(args: &Args) {
    let _ = args;
}

#[tool_hook]
async fn raw(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

fn answer(_: &ToolContext, error: ToolError) -> ToolResult {
    Err(error.into())
}

mod shop {
    use onionskin::{ToolResult, tool, tool_hook};
    use onionskin::typed::{ArgsOf, OutputOf, TypedNext};

    use super::{answer, check, raw};

    /// A private type in a tool that more people see.
    #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
    struct Order {
        pieces: u8,
    }

    /// Orders, twice.
    #[allow(private_interfaces, clippy::unnecessary_wraps)]
    #[tool(hooks = [raw], input_guardrails = [check], on_error = answer, approval, cache)]
    pub fn order(one: Order, two: Order, note: Option<&str>) -> Result<Order, String> {
        let _ = note;
        Ok(Order { pieces: one.pieces + two.pieces })
    }

    #[tool_hook(tool = order)]
    pub async fn clamp(mut args: ArgsOf<order>, next: impl TypedNext<order>) -> ToolResult<OutputOf<order>> {
        args.note = None;
        next.run(args).await
    }

    /// Takes and gives nothing.
    #[tool(cache)]
    pub async fn nothing() {}

    /// Takes what cannot be written, and gives what cannot be read.
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    pub struct ReadOnly {
        pub x: u8,
    }

    #[derive(serde::Serialize, schemars::JsonSchema)]
    pub struct WriteOnly {
        pub x: u8,
    }

    /// Has no typed hook.
    #[tool(cache)]
    pub fn without(from: ReadOnly) -> Result<WriteOnly, String> {
        Ok(WriteOnly { x: from.x })
    }
}

use shop::{clamp, nothing, order, without};

#[tool_hook(tool = nothing)]
async fn silent(args: ArgsOf<nothing>, next: impl TypedNext<nothing>) -> ToolResult<()> {
    next.run(args).await
}

onionskin::agent! {
    Clerk {
        instruction: "Order.",
        function_tools: [order, nothing, without],
        tool_hooks: [raw, clamp, silent],
    }
}

pub(crate) fn main() {
    let _ = Clerk::builder();
}
