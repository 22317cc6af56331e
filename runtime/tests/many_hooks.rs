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

// A list has each hook once, and each of these is the same hook.
macro_rules! named {
    ($($name:ident)*) => { use self::{$(pass as $name),*}; };
}

named! {
    h00 h01 h02 h03 h04 h05 h06 h07 h08 h09 h10 h11 h12 h13 h14 h15 h16 h17 h18 h19
    h20 h21 h22 h23 h24 h25 h26 h27 h28 h29 h30 h31 h32 h33 h34 h35 h36 h37 h38 h39
    h40 h41 h42 h43 h44 h45 h46 h47 h48 h49 h50 h51 h52 h53 h54 h55 h56 h57 h58 h59
    h60 h61 h62 h63 h64 h65 h66 h67 h68 h69 h70 h71 h72 h73 h74 h75 h76 h77 h78 h79
    h80 h81 h82 h83 h84 h85 h86 h87 h88 h89 h90 h91 h92 h93 h94 h95 h96 h97 h98 h99
}

agent! {
    Bare { instruction: "Add.", function_tools: [add_one] }
    Sixteen {
        instruction: "Add.", function_tools: [add_one],
        tool_hooks: [
            h00, h01, h02, h03, h04, h05, h06, h07, h08, h09, h10, h11, h12, h13, h14, h15,
        ],
    }
    Seventeen {
        instruction: "Add.", function_tools: [add_one],
        tool_hooks: [
            h00, h01, h02, h03, h04, h05, h06, h07, h08, h09, h10, h11, h12, h13, h14, h15, h16,
        ],
    }
    ThirtyThree {
        instruction: "Add.", function_tools: [add_one],
        tool_hooks: [
            h00, h01, h02, h03, h04, h05, h06, h07, h08, h09, h10, h11, h12, h13, h14, h15, h16, h17,
            h18, h19, h20, h21, h22, h23, h24, h25, h26, h27, h28, h29, h30, h31, h32,
        ],
    }
    Hundred {
        instruction: "Add.", function_tools: [add_one],
        tool_hooks: [
            h00, h01, h02, h03, h04, h05, h06, h07, h08, h09, h10, h11, h12, h13, h14, h15, h16, h17,
            h18, h19, h20, h21, h22, h23, h24, h25, h26, h27, h28, h29, h30, h31, h32, h33, h34, h35,
            h36, h37, h38, h39, h40, h41, h42, h43, h44, h45, h46, h47, h48, h49, h50, h51, h52, h53,
            h54, h55, h56, h57, h58, h59, h60, h61, h62, h63, h64, h65, h66, h67, h68, h69, h70, h71,
            h72, h73, h74, h75, h76, h77, h78, h79, h80, h81, h82, h83, h84, h85, h86, h87, h88, h89,
            h90, h91, h92, h93, h94, h95, h96, h97, h98, h99,
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
