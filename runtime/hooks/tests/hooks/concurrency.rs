//! The hook `concurrency`.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::hooks::{CallKey, concurrency};
use onionskin::{
    Args, ErrorKind, Hook as _, Next, ScriptedModel, ScriptedTurn, ToolContext, ToolResult, agent, tool,
};
use serde_json::json;
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::inner::{Tool, done, error_of};

const SECOND: Duration = Duration::from_secs(1);

/// Calls one tool many times at once.
fn call_all(
    hook: &concurrency,
    tool: &Arc<Tool>,
    names: &[&'static str],
) -> Vec<tokio::task::JoinHandle<ToolResult>> {
    let call = |name: &&'static str| {
        let (hook, tool, name) = (hook.clone(), Arc::clone(tool), *name);
        tokio::spawn(async move { tool.call(&hook, &ToolContext::detached(name)).await })
    };
    names.iter().map(call).collect()
}

#[tokio::test(start_paused = true)]
async fn h9_at_most_so_many_calls_of_a_key_run_at_once() {
    let tool = Arc::new(Tool::new(SECOND, done));
    let start = Instant::now();
    let calls = call_all(&concurrency::new(2), &tool, &["a", "a", "a", "a", "a", "b"]);
    tokio::time::sleep(SECOND / 2).await;
    assert_eq!(tool.counts(), (3, 0));
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(start.elapsed(), 3 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn h9_calls_get_their_slots_in_their_order_and_dropped_ones_leave_none() {
    #[derive(Clone, Copy)]
    struct Noting<'s>(&'s Mutex<Vec<u32>>, u32);

    impl Next for Noting<'_> {
        async fn run(self, _: &mut Args) -> ToolResult {
            self.0.lock().unwrap().push(self.1);
            tokio::time::sleep(SECOND).await;
            done()
        }
    }

    let (hook, order) = (concurrency::new(1), Arc::new(Mutex::new(Vec::new())));
    let mut calls = Vec::new();
    for number in 0..6 {
        let (hook, order) = (hook.clone(), Arc::clone(&order));
        calls.push(tokio::spawn(async move {
            hook.call(&ToolContext::detached("a"), &mut Args::default(), Noting(&order, number)).await
        }));
        yield_now().await;
    }
    // The first one runs, the others wait.
    calls[0].abort();
    calls[3].abort();
    for (number, call) in calls.into_iter().enumerate() {
        assert_eq!(call.await.is_err(), number == 0 || number == 3);
    }
    assert_eq!(*order.lock().unwrap(), [0, 1, 2, 4, 5]);
    assert!(format!("{hook:?}").contains("keys: 0"), "{hook:?}");
}

#[tokio::test(start_paused = true)]
async fn h9_keys_of_slots_are_bounded_and_a_panic_frees_its_slot() {
    let hook = concurrency::new(1).max_keys(1);
    let slow = Arc::new(Tool::new(SECOND, done));
    let running = call_all(&hook, &slow, &["a"]);
    yield_now().await;
    let refused = error_of(slow.call(&hook, &ToolContext::detached("b")).await);
    assert!(
        refused.0 == ErrorKind::Limit && refused.1.starts_with("`b` was not called: 1 keys"),
        "{refused:?}"
    );
    for call in running {
        call.await.unwrap().unwrap();
    }
    let panics = Arc::new(Tool::new(Duration::ZERO, || panic!("a hook inside")));
    for call in call_all(&hook, &panics, &["a"]) {
        call.await.unwrap_err();
    }
    slow.call(&hook, &ToolContext::detached("b")).await.unwrap();
}

/// Looks.
#[tool]
fn look() -> &'static str {
    "found"
}

agent! { Child { instruction: "Look.", description: "Looks.", function_tools: [look] } }
agent! { Parent { instruction: "Delegate.", agents: [Child] } }

#[tokio::test(start_paused = true)]
async fn h9_a_call_inside_of_a_call_of_its_key_does_not_wait_for_it() {
    let model = ScriptedModel::new()
        .agent(
            "Parent",
            [ScriptedTurn::call("agent__Child", json!({ "input": "Go." })), ScriptedTurn::say("{last}")],
        )
        .agent("Child", [ScriptedTurn::call("look", json!({})), ScriptedTurn::say("{last}")]);
    let one = concurrency::new(1).keyed_by(CallKey::user());
    let parent = Parent::builder().model(model).hook_everywhere(one).build().await.unwrap();
    let output = tokio::time::timeout(SECOND, parent.run("Go.")).await.unwrap().unwrap();
    assert_eq!(output.text, "found");
}

#[tokio::test(start_paused = true)]
async fn h9_of_the_calls_inside_of_a_call_of_their_key_one_runs_at_a_time() {
    #[derive(Clone, Copy)]
    struct Outer<'s>(&'s concurrency, &'s Tool, &'s ToolContext);

    impl Next for Outer<'_> {
        async fn run(self, _: &mut Args) -> ToolResult {
            let Self(hook, tool, cx) = self;
            futures_util::join!(tool.call(hook, cx), tool.call(hook, cx)).0
        }
    }

    let (hook, tool, cx) = (concurrency::new(1), Tool::new(SECOND, done), ToolContext::detached("a"));
    let start = Instant::now();
    hook.call(&cx, &mut Args::default(), Outer(&hook, &tool, &cx)).await.unwrap();
    assert_eq!((start.elapsed(), tool.counts()), (2 * SECOND, (2, 2)));
}

#[test]
fn h9_slots_that_never_or_always_pass_panic() {
    for make in [|| concurrency::new(0), || concurrency::new(usize::MAX), || concurrency::new(1).max_keys(0)]
    {
        std::panic::catch_unwind(make).unwrap_err();
    }
}

#[tokio::test(start_paused = true)]
async fn h9_a_call_that_waits_for_a_slot_does_not_count_for_max_parallel() {
    use onionskin::approval::{Approval, ApprovalRequest};

    /// Pays.
    #[tool(approval)]
    fn pay(cents: u32) -> String {
        format!("paid {cents}")
    }

    agent! {
        Narrow { instruction: "Pay.", function_tools: [pay], tool_hooks: [concurrency(1)], max_parallel: 1 }
    }

    let pays = ScriptedTurn::call("pay", json!({ "cents": 1 })).and_call("pay", json!({ "cents": 2 }));
    let model = ScriptedModel::turns([pays, ScriptedTurn::say("Done.")]);
    let slow = |_: ApprovalRequest| async {
        tokio::time::sleep(SECOND).await;
        Approval::Allow
    };
    let run = Narrow::builder().model(model).approver(slow).run("Go.");
    let output = tokio::time::timeout(10 * SECOND, run).await.unwrap().unwrap();
    assert_eq!(
        output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect::<Vec<_>>(),
        ["paid 1", "paid 2"]
    );
}
