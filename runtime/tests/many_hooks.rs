//! H8: many hooks, each made once for its agent. No test here may log: a subscriber of another thread changes what a call allocates.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, reason = "tests say what they expect")]
#![allow(clippy::needless_pass_by_value, clippy::unused_async, reason = "tests say what they expect")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use allocation_counter::measure;
use onionskin::run::ToolCaller;
use onionskin::{
    Args, Hook, Next, ScriptedModel, ScriptedTurn, ToolContext, ToolResult, agent, tool, tool_hook,
};
use serde_json::json;

/// Adds one.
#[tool]
async fn add_one(x: i64) -> i64 {
    x + 1
}

/// Takes one.
#[tool]
async fn take_one(x: i64) -> i64 {
    x - 1
}

#[tool_hook]
async fn pass(args: &mut Args, next: impl Next) -> ToolResult {
    next.run(args).await
}

agent! {
    Bare { instruction: "Add.", function_tools: [add_one] }
    Sixteen {
        instruction: "Add.", function_tools: [add_one],
        tool_hooks: [pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass],
    }
    Seventeen {
        instruction: "Add.", function_tools: [add_one],
        tool_hooks: [
            pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass,
        ],
    }
    ThirtyThree {
        instruction: "Add.", function_tools: [add_one],
        tool_hooks: [
            pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass,
            pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass,
        ],
    }
    Hundred {
        instruction: "Add.", function_tools: [add_one],
        tool_hooks: [
            pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass,
            pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass,
            pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass,
            pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass,
            pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass,
            pass, pass, pass, pass, pass, pass, pass, pass, pass, pass,
        ],
    }
}

macro_rules! allocations {
    ($agent:ident) => {{
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (tools, text) = (ToolCaller::<$agent>::new(), Arc::<str>::from(r#"{"x": 41}"#));
        let call = || {
            runtime.block_on(async {
                let cx = tools.context("add_one").unwrap();
                let output = tools.call(&cx, &mut Args::from(Arc::clone(&text))).await.unwrap();
                assert_eq!(output.to_text(), "42");
            });
        };
        call();
        measure(call).count_total
    }};
}

#[test]
fn h8_beyond_sixteen_hooks_there_is_one_allocation_for_each_sixteen() {
    let bare = allocations!(Bare);
    assert_eq!(allocations!(Sixteen), bare);
    assert_eq!(allocations!(Seventeen), bare + 1);
    assert_eq!(allocations!(ThirtyThree), bare + 2);
    assert_eq!(allocations!(Hundred), bare + 6);
}

/// How many there are of [`Counted`].
static MADE: AtomicU32 = AtomicU32::new(0);

/// Knows its number.
struct Counted(u32);

impl Default for Counted {
    fn default() -> Self {
        Self(MADE.fetch_add(1, Ordering::SeqCst))
    }
}

impl Hook for Counted {
    type Made = onionskin::made::ByDefault;

    async fn call<N: Next>(&self, _: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let mut output = next.run(args).await?;
        output.push_text(format!(" by {}", self.0));
        Ok(output)
    }
}

agent! {
    Counting { instruction: "Count.", function_tools: [add_one, take_one], tool_hooks: [Counted] }
}

#[tokio::test]
async fn h8_a_hook_is_made_once_for_its_agent_however_many_tools_and_runs_there_are() {
    let turn = ScriptedTurn::call("add_one", json!({ "x": 1 })).and_call("take_one", json!({ "x": 1 }));
    let model = ScriptedModel::turns([turn, ScriptedTurn::say("done")]);
    let handle = Counting::builder().model(model).build().await.unwrap();
    for _ in 0..2 {
        let output = handle.run("go").await.unwrap();
        assert!(
            output.tool_calls.iter().all(|call| call.to_text().ends_with(" by 0")),
            "{:?}",
            output.tool_calls
        );
    }
    assert_eq!(MADE.load(Ordering::SeqCst), 1);
}
