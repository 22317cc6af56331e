//! Many runs under one limit and one circuit.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin::hooks::{CircuitBreaker, RateLimit, circuit_breaker, rate_limit};
use onionskin::{Provided, ScriptedModel, ScriptedTurn, agent, tool};
use serde_json::json;
use tokio::task::yield_now;
use tokio::time::Instant;

/// Which run was served, and when.
#[derive(Default)]
struct Served(Mutex<Vec<(u64, Duration)>>);

/// Begins.
struct Start(Instant);

/// Looks.
#[tool]
fn look(run: u64, served: Provided<Served>, start: Provided<Start>) {
    served.0.lock().unwrap().push((run, start.0.elapsed()));
}

agent! { Clerk { instruction: "Look.", function_tools: [look] } }

#[tokio::test(start_paused = true)]
async fn h9_1000_runs_under_one_limit_and_circuit_are_served_in_their_order_and_leave_nothing() {
    let limit = RateLimit::new(100, Duration::from_secs(1)).burst(1).max_keys(1);
    let circuits = CircuitBreaker::new(5, Duration::from_secs(1)).max_keys(1);
    let model = ScriptedModel::turns([
        ScriptedTurn::call("look", json!({ "run": "{input}" })),
        ScriptedTurn::say("ok"),
    ]);
    let served = Arc::new(Served::default());
    let clerk = Clerk::builder()
        .model(model)
        .hook(circuit_breaker::new(circuits.clone()))
        .hook(rate_limit::new(limit.clone()))
        .provide_shared(Arc::clone(&served))
        .provide(Start(Instant::now()))
        .build()
        .await
        .unwrap();
    let mut runs = Vec::new();
    for number in 0..1000 {
        let clerk = clerk.clone();
        runs.push(tokio::spawn(async move { clerk.run(&*number.to_string()).await }));
        yield_now().await;
    }
    for run in runs {
        assert_eq!(run.await.unwrap().unwrap().text, "ok");
    }
    let served = served.0.lock().unwrap();
    assert_eq!(served.len(), 1000);
    for (place, (run, at)) in (0..).zip(&*served) {
        assert_eq!((*run, *at), (place, Duration::from_millis(10 * place)));
    }
    assert_eq!((limit.keys(), circuits.keys()), (1, 0));
}
