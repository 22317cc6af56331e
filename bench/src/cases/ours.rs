//! Ours: `#[tool]`, `#[tool_hook]` and `agent!`, called through [`ToolCaller`].
//!
//! A call has a context of its own and arguments that share the model's text, as in the loop of a run.

use std::sync::Arc;

use onionskin::run::ToolCaller;
use onionskin::{Args, Next, ToolResult, agent, tool, tool_hook};

use super::{Case, TEXT, calls};

/// Adds one.
#[tool]
async fn add_one(
    /// The number.
    x: i64,
) -> i64 {
    super::add_one(x).await
}

/// A hook that only hands on.
#[tool_hook]
async fn pass(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

agent! {
    Bare { instruction: "Add.", function_tools: [add_one] }
    Three { instruction: "Add.", function_tools: [add_one], tool_hooks: [pass, pass, pass] }
    Eight {
        instruction: "Add.",
        function_tools: [add_one],
        tool_hooks: [pass, pass, pass, pass, pass, pass, pass, pass],
    }
}

/// The case of an agent: its tools and the text are shared, context and arguments are not.
macro_rules! through {
    ($name:literal, $about:literal, $agent:ident) => {
        calls!($name, $about, (ToolCaller::<$agent>::new(), Arc::<str>::from(TEXT)), |it| async {
            let (tools, text) = &*it;
            let cx = tools.context("add_one")?;
            tools.call(&cx, &mut Args::from(Arc::clone(text))).await
        })
    };
}

pub(crate) fn cases() -> Vec<Case> {
    vec![
        calls!("ours_context", "onionskin, a call's context alone", ToolCaller::<Bare>::new(), |it| async {
            it.context("add_one")
        }),
        through!("ours_0", "onionskin, no hook", Bare),
        through!("ours_3", "onionskin, 3 hooks", Three),
        through!("ours_8", "onionskin, 8 hooks", Eight),
    ]
}
