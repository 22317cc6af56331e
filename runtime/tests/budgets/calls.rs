//! Starts of tools spend calls and time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::budget::{Budget, BudgetScope, Resource};
use onionskin::event::{CallOutcome, EventKind};
use onionskin::{
    Args, ErrorKind, Exit, Next, State, ToolContext, ToolOutput, ToolResult, agent, hooks, tool, tool_hook,
    toolbox,
};
use serde_json::json;

use crate::answers::answers;
use crate::support::{Boss, Clerk, calls, exceeded, look, looks, says, spent, store};

fn calls_of_all(max: u64) -> Budget {
    Budget::new("calls", BudgetScope::All).calls(max)
}

#[tokio::test]
async fn a13_a_call_beyond_the_budget_is_refused_and_the_run_continues() {
    let model = answers(|request, _| {
        Ok(if request.messages.len() == 1 {
            calls(&[("look", r#"{"x": 1}"#), ("look", r#"{"x": 2}"#), ("look", r#"{"x": 3}"#)], 1, 1)
        } else {
            says(&request.messages.last().unwrap().to_text(), 1, 1)
        })
    });
    let store = store();
    let clerk = Clerk::builder().model(model).budget(calls_of_all(2)).budget_store(Arc::clone(&store));
    let output = clerk.run("Look.").await.unwrap();
    assert_eq!(
        output.text,
        "2\n3\nnot run: the limit of 2 tool calls of the budget `calls` (2 spent, 1 needed) is reached"
    );
    assert_eq!(spent(&store, &calls_of_all(2)).await.calls, 2);
}

/// Stock of a shop.
struct Shop;

#[toolbox]
impl Shop {
    /// Counts.
    #[tool]
    fn count(&self) -> u32 {
        3
    }
}

/// Answers in place of a tool.
#[tool_hook]
async fn answers_look(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    if ctx.tool_name() == "look" && args["x"] == 7 {
        Ok(ToolOutput::text("seven"))
    } else {
        next.run(args).await
    }
}

/// Fails the first time.
#[tool(effect = pure)]
fn flaky(tries: State<Tries>) -> Result<u32, String> {
    let try_number = tries.0.fetch_add(1, Ordering::Relaxed);
    if try_number == 0 { Err("busy".to_owned()) } else { Ok(try_number) }
}

#[derive(Clone, Default)]
struct Tries(Arc<AtomicU32>);

/// Is remembered.
#[tool(effect = pure, cache(ttl = 60))]
fn remembered(x: u32) -> u32 {
    x
}

agent! {
    Many {
        name: "many",
        instruction: "Answer.",
        function_tools: [look, flaky, remembered],
        toolboxes: [Shop],
        tool_hooks: [answers_look, hooks::retry(2)],
        agents: [Clerk],
        state: Tries,
    }
}

/// Calls one tool, then answers with the result. The child looks once.
async fn calls_spent(tool: &'static str, args: &'static str) -> u64 {
    let model = answers(move |request, _| {
        Ok(match (&*request.agent, request.messages.len()) {
            ("many", 1 | 3) => calls(&[(tool, args)], 1, 1),
            ("clerk", 1) => calls(&[("look", r#"{"x": 1}"#)], 1, 1),
            _ => says("Done.", 1, 1),
        })
    });
    let store = store();
    let many = Many::builder().model(model).toolbox(Shop).state(Tries::default()).budget(calls_of_all(10));
    let many = many.budget_store(Arc::clone(&store)).build().await.unwrap();
    let output = many.run("Go.").await.unwrap();
    assert_eq!(output.text, "Done.");
    spent(&store, &calls_of_all(10)).await.calls
}

#[tokio::test]
async fn a13_each_start_of_a_tool_counts_once_whatever_its_source() {
    // Each of them is called twice.
    for (tool, args, expected, why) in [
        ("look", r#"{"x": 1}"#, 2, "a function"),
        ("count", "{}", 2, "a method of a toolbox"),
        ("look", r#"{"x": 7}"#, 0, "a hook answers"),
        ("flaky", "{}", 3, "the first call is retried"),
        ("remembered", r#"{"x": 1}"#, 1, "the second call is answered from the cache"),
        ("look", r#"{"x": "one"}"#, 0, "the arguments are wrong"),
        ("nothing", "{}", 0, "there is no such tool"),
        ("agent__clerk", r#"{"input": "Look."}"#, 2, "the child's calls count, and its own call does not"),
    ] {
        assert_eq!(calls_spent(tool, args).await, expected, "{tool} {args}: {why}");
    }
}

#[tokio::test]
async fn a13_calls_of_children_and_parents_share_a_budget() {
    let model = answers(|request, _| {
        Ok(match (&*request.agent, request.messages.len()) {
            ("boss", 1) => calls(&[("agent__clerk", r#"{"input": "Look."}"#), ("look", r#"{"x": 1}"#)], 1, 1),
            ("clerk", 1) => calls(&[("look", r#"{"x": 1}"#), ("look", r#"{"x": 2}"#)], 1, 1),
            _ => says(&request.messages.last().unwrap().to_text(), 1, 1),
        })
    });
    let run = Budget::new("run", BudgetScope::Run).calls(2);
    let boss = Boss::builder().model(model).budget(run).build().await.unwrap();
    let output = boss.run("Look.").await.unwrap();
    assert_eq!(output.text.matches("not run: the limit of 2 tool calls").count(), 1, "{}", output.text);
    // The next run has the whole budget.
    let output = boss.run("Look.").await.unwrap();
    assert_eq!(output.text.matches("not run: the limit of 2 tool calls").count(), 1, "{}", output.text);
}

/// Takes a second.
#[tool(effect = pure)]
async fn slow(ends: bool) -> &'static str {
    tokio::time::sleep(Duration::from_secs(if ends { 1 } else { 1_000 })).await;
    "done"
}

agent! {
    Slow { name: "slow", instruction: "Wait.", function_tools: [slow], tool_hooks: [hooks::timeout(Duration::from_secs(2))] }
}

#[tokio::test(start_paused = true)]
async fn a13_the_time_of_tools_counts_also_if_a_hook_drops_them() {
    let model = answers(|request, _| {
        Ok(match request.messages.len() {
            1 => calls(&[("slow", r#"{"ends": true}"#), ("slow", r#"{"ends": false}"#)], 1, 1),
            3 => calls(&[("slow", r#"{"ends": true}"#)], 1, 1),
            _ => says(&request.messages.last().unwrap().to_text(), 1, 1),
        })
    });
    let (budget, store) = (Budget::new("time", BudgetScope::All).time(Duration::from_millis(4_500)), store());
    let slow = Slow::builder().model(model).budget(budget.clone()).budget_store(Arc::clone(&store));
    let slow = slow.build().await.unwrap();
    slow.run("Go.").await.unwrap();
    assert_eq!(spent(&store, &budget).await.time, 4_000_000, "one second, two seconds, one second");
    let exceeded = exceeded(slow.run("Go.").await);
    assert_eq!((exceeded.resource(), exceeded.spent()), (Resource::Time, 7_000_000));
}

/// Sees what is left.
#[tool_hook]
async fn notes_left(ctx: &ToolContext, args: &mut Args, next: impl Next) -> ToolResult {
    let budgets = ctx.run().budgets().await.map_err(|error| Exit::abort(error.to_string()))?;
    let left = budgets
        .iter()
        .map(|budget| (budget.budget(), budget.left(Resource::Calls), budget.left(Resource::Tokens)));
    ctx.emit(json!(left.collect::<Vec<_>>())).unwrap();
    next.run(args).await
}

agent! { Noter { name: "noter", instruction: "Look.", function_tools: [look], tool_hooks: [notes_left] } }

#[tokio::test]
async fn a13_hooks_see_what_is_left() {
    let run = Budget::new("run", BudgetScope::Run).calls(3).tokens(5_000);
    let all = Budget::new("all", BudgetScope::All).tokens(1_000).per(Duration::from_hours(1));
    let noter = Noter::builder().model(looks(2)).budget(all).build().await.unwrap();
    let mut events = noter.request("Look.").budget(run).stream();
    let mut left = Vec::new();
    while let Some(event) = events.next().await {
        if let EventKind::User { value, .. } = event.kind {
            left.push(value);
        }
    }
    assert_eq!(
        left,
        [json!([["all", null, 890], ["run", 3, 4_890]]), json!([["all", null, 780], ["run", 2, 4_780]])]
    );
}

#[tokio::test]
async fn a13_a_refused_call_is_a_tool_error_of_the_kind_limit() {
    let clerk = Clerk::builder().model(looks(2)).budget(calls_of_all(1)).build().await.unwrap();
    let output = clerk.run("Look.").await.unwrap();
    let outcomes: Vec<_> = output.tool_calls.iter().map(|call| call.outcome.unwrap()).collect();
    assert_eq!(outcomes, [CallOutcome::Ok, CallOutcome::Error(ErrorKind::Limit)]);
}
