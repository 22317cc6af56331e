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

// A list has each hook once, and each of these is the same hook.
use self::{pass as p1, pass as p2, pass as p3, pass as p4, pass as p5, pass as p6, pass as p7, pass as p8};

agent! {
    Bare { instruction: "Add.", function_tools: [add_one] }
    Three { instruction: "Add.", function_tools: [add_one], tool_hooks: [p1, p2, p3] }
    Eight {
        instruction: "Add.",
        function_tools: [add_one],
        tool_hooks: [p1, p2, p3, p4, p5, p6, p7, p8],
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
