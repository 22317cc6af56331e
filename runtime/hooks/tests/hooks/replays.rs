//! What the limits decide in replays.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin::declaration::{AgentBuilder, Limits};
use onionskin::hooks::{CircuitBreaker, RateLimit, cache_results, circuit_breaker, rate_limit};
use onionskin::journal::MemoryJournal;
use onionskin::{
    Exit, Provided, ScriptedModel, ScriptedTurn, ToolContext, ToolOutput, agent, tool, tool_hook,
};
use serde_json::json;

const HOUR: Duration = Duration::from_hours(1);

/// Looks; the second look fails.
#[tool(effect = pure)]
fn look(at: usize, looks: Provided<AtomicU32>) -> Result<String, String> {
    match looks.fetch_add(1, Ordering::Relaxed) {
        1 => Err("nothing".to_owned()),
        number => Ok(format!("{number} at {at}")),
    }
}

agent! { Clerk { instruction: "Look.", function_tools: [look] } }

/// A clerk who looks at these.
fn clerk(looks: &Arc<AtomicU32>, at: &[usize]) -> AgentBuilder<Clerk> {
    let turns = at.iter().map(|at| ScriptedTurn::call("look", json!({ "at": at })));
    let model = ScriptedModel::turns(turns.chain([ScriptedTurn::say("Done.")]));
    Clerk::builder().model(model).provide_shared(Arc::clone(looks))
}

async fn results(clerk: AgentBuilder<Clerk>) -> Vec<String> {
    let clerk = clerk.build().await.unwrap();
    let output = clerk.request("Go.").user("ada").run_id("order-7").run().await.unwrap();
    output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn o5_limits_decide_in_a_replay_what_they_decided_in_the_run() {
    let (looks, journal) = (Arc::default(), Arc::new(MemoryJournal::default()));
    let limit = RateLimit::new(2, HOUR);
    let run = async |circuits: &CircuitBreaker| {
        let mut limits = Limits::default();
        limits.time = Some(Duration::from_secs(10));
        let clerk = clerk(&looks, &[1, 2, 3])
            .for_agent("Clerk", move |clerk| clerk.limits(limits))
            .hook(circuit_breaker::new(circuits.clone()))
            .hook(rate_limit::new(limit.clone()));
        results(clerk.journal(Arc::clone(&journal))).await
    };
    let circuits = CircuitBreaker::new(1, HOUR);
    let first = run(&circuits).await;
    assert_eq!(first[..2], ["0 at 1", "nothing"]);
    assert!(first[2].starts_with("`look` was not called: the last calls failed"), "{first:?}");
    // The circuit would be closed again, and the limit has no permits.
    assert_eq!(run(&CircuitBreaker::new(1, HOUR)).await, first);
    let open = CircuitBreaker::new(1, HOUR);
    open.permit("look").unwrap().failure();
    assert_eq!(run(&open).await, first);
    assert_eq!(looks.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn o5_a_replay_has_the_cached_results_that_the_run_had() {
    let (looks, journal) = (Arc::new(AtomicU32::default()), Arc::new(MemoryJournal::default()));
    // The second look fails, and is not cached.
    looks.store(2, Ordering::Relaxed);
    let run = async |capacity| {
        let cache = cache_results::new(capacity, HOUR);
        results(clerk(&looks, &[1, 2, 1]).hook(cache).journal(Arc::clone(&journal))).await
    };
    let first = run(10).await;
    assert_eq!(first, ["2 at 1", "3 at 2", "2 at 1"]);
    // The smaller cache does not keep the first result.
    assert_eq!(run(1).await, first);
    assert_eq!(looks.load(Ordering::Relaxed), 4);
}

#[tokio::test(start_paused = true)]
async fn o5_the_first_call_that_records_a_value_of_the_run_makes_it_for_those_at_the_same_time() {
    /// How often the value was made.
    #[derive(Default)]
    struct Made(AtomicU32);

    /// Answers with a value that takes a while.
    #[tool_hook]
    async fn shared(cx: &ToolContext, made: Provided<Made>) -> Result<Option<ToolOutput>, Exit> {
        let make = async || {
            tokio::time::sleep(Duration::from_secs(1)).await;
            made.0.fetch_add(1, Ordering::Relaxed)
        };
        Ok(Some(format!("made {}", cx.record_in_run("hooks.shared", make).await).into()))
    }

    agent! { Sharer { instruction: "Look.", function_tools: [look], tool_hooks: [shared] } }

    let (made, journal) = (Arc::new(Made::default()), Arc::new(MemoryJournal::default()));
    let look = || ("look", json!({ "at": 1 }));
    let calls = (0..3).fold(ScriptedTurn::default(), |turn, _| turn.and_call(look().0, look().1));
    let sharer = Sharer::builder()
        .model(ScriptedModel::turns([calls, ScriptedTurn::say("Done.")]))
        .provide_shared(Arc::clone(&made))
        .provide(AtomicU32::default())
        .journal(journal);
    let output = sharer.run("Go.").await.unwrap();
    let shown: Vec<_> = output.tool_calls.iter().map(|call| call.to_text().into_owned()).collect();
    assert_eq!((shown, made.0.load(Ordering::Relaxed)), (vec!["made 0".to_owned(); 3], 1));
}
