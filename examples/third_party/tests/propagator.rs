//! A propagator by hand continues the trace of a paused run.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use onionskin_core::question::{Answer, Paused};
use onionskin_core::trace::{TraceError, set_global_propagator};
use onionskin_core::{AgentHandle, RunError, RunOutput, ScriptedModel, ScriptedTurn, agent, tool};
use onionskin_third_party::Branch;
use serde_json::json;
use tracing::subscriber::{NoSubscriber, with_default};

/// Pays.
#[tool(approval, crate = onionskin_core)]
fn pay(cents: u32) -> String {
    format!("paid {cents}")
}

agent! {
    Clerk { crate: onionskin_core, instruction: "Pay.", function_tools: [pay] }
}

async fn clerk() -> AgentHandle {
    let pay = |cents: u32| ScriptedTurn::call("pay", json!({ "cents": cents }));
    let model = ScriptedModel::turns([pay(1), pay(2), pay(3), ScriptedTurn::say("{last}")]);
    Clerk::builder().model(model).build().await.unwrap()
}

fn stored(end: Result<RunOutput, RunError>) -> Paused {
    let Err(RunError::Paused(paused)) = end else { panic!("no pause: {end:?}") };
    serde_json::from_str(&serde_json::to_string(&paused).unwrap()).unwrap()
}

/// The part of a `traceparent` with the number of the span.
fn number(paused: &Paused) -> u64 {
    let text = paused.traceparent().unwrap().as_str();
    assert!(text.starts_with("00-0000000000000000000000000000002a-"), "{text}");
    u64::from_str_radix(&text[36..52], 16).unwrap()
}

/// One test, because a program has one propagator.
#[test]
fn o4_a_propagator_by_hand_continues_the_trace_of_a_paused_run() {
    let branch = Branch::new(42);
    set_global_propagator(branch.clone()).unwrap();
    assert_eq!(set_global_propagator(Branch::new(1)), Err(TraceError::PropagatorSet));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let first = |clerk: AgentHandle| async move { stored(clerk.run("Pay.").await) };
    let resumed = |paused: Paused| async move {
        let key = paused.questions()[0].key().to_owned();
        clerk().await.resume(&paused).answer(key, Answer::allow()).run().await
    };

    // Without a subscriber, no span has a number.
    let none =
        with_default(NoSubscriber::default(), || runtime.block_on(async { first(clerk().await).await }));
    assert_eq!(none.traceparent(), None);

    let _subscriber = tracing::subscriber::set_default(tracing_subscriber::registry());
    let one = runtime.block_on(async { first(clerk().await).await });
    let two = stored(runtime.block_on(resumed(one.clone())));
    assert_ne!(number(&one), number(&two));
    assert_eq!(branch.continued(), [(number(&two), one.traceparent().unwrap().clone())]);

    // A process in between that numbers no spans keeps the trace.
    let three = with_default(NoSubscriber::default(), || stored(runtime.block_on(resumed(two.clone()))));
    assert_eq!(three.traceparent(), two.traceparent());
    let output = runtime.block_on(resumed(three.clone())).unwrap();
    assert_eq!(output.text, "paid 3");
    let continued = branch.continued();
    assert_eq!(continued.len(), 2);
    assert_eq!(&continued[1].1, two.traceparent().unwrap());
}
