//! O4: one trace of a run that pauses.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

mod collector;

use onionskin::otel::Otel;
use onionskin::question::{Answer, Paused};
use onionskin::trace::{TraceError, set_global_propagator};
use onionskin::{AgentHandle, App, RunError, ScriptedModel, ScriptedTurn, agent, otel, tool};
use opentelemetry_proto::tonic::trace::v1::Span;
use serde_json::json;
use tracing::Instrument as _;

use collector::{Collector, is_text};

/// Pays.
#[tool(approval)]
fn pay(cents: u32) -> String {
    format!("paid {cents}")
}

agent! {
    Clerk { description: "Pays.", instruction: "Pay.", model: "small-1", function_tools: [pay] }
    Desk { default: true, instruction: "Ask the clerk.", model: "small-1", agents: [Clerk] }
}

async fn desk() -> AgentHandle {
    let pay = |cents: u32| ScriptedTurn::call("pay", json!({ "cents": cents }));
    let model = ScriptedModel::new()
        .agent(
            "Desk",
            [ScriptedTurn::call("agent__Clerk", json!({ "input": "1" })), ScriptedTurn::say("{last}")],
        )
        .agent("Clerk", [pay(1), pay(2), ScriptedTurn::say("{last}")]);
    App::builder().agent::<Desk>().model(model).build().await.unwrap().entry().clone()
}

/// The paused run as another process reads it.
fn stored(end: Result<onionskin::RunOutput, RunError>) -> Paused {
    let Err(RunError::Paused(paused)) = end else { panic!("no pause: {end:?}") };
    serde_json::from_str(&serde_json::to_string(&paused).unwrap()).unwrap()
}

fn traceparent(span: &Span) -> String {
    let trace = u128::from_be_bytes(span.trace_id[..].try_into().unwrap());
    let id = u64::from_be_bytes(span.span_id[..].try_into().unwrap());
    format!("00-{trace:032x}-{id:016x}-01")
}

/// One test, because a program has one subscriber.
#[tokio::test]
async fn o4_a_resumed_run_is_below_the_paused_one() {
    let (collector, address) = Collector::start();
    let export = Otel::from_env().endpoint(&*address).install().unwrap();
    assert_eq!(set_global_propagator(otel::OtelPropagator::default()), Err(TraceError::PropagatorSet));

    let first = stored(desk().await.run("Pay.").await);
    let answered = |paused: &Paused| (paused.questions()[0].key().to_owned(), Answer::allow());
    let (key, yes) = answered(&first);
    let second = stored(desk().await.resume(&first).answer(&key, yes).run().await);
    // The program is in a trace of its own when it gets the last answer.
    let (key, yes) = answered(&second);
    let request = tracing::info_span!("POST /answers");
    let output =
        desk().await.resume(&second).answer(&key, yes.clone()).run().instrument(request).await.unwrap();
    assert_eq!(output.text, "paid 2");
    // A resumed run that does not begin is in the trace, too.
    desk().await.resume(&second).answer("none", yes).run().await.unwrap_err();
    // What was stored is not what we wrote.
    let mut edited = serde_json::to_value(&first).unwrap();
    edited["traceparent"] = json!("00-00000000000000000000000000000000-0000000000000001-01");
    let edited: Paused = serde_json::from_value(edited).unwrap();
    let (key, yes) = answered(&edited);
    stored(desk().await.resume(&edited).answer(&key, yes).run().await);
    export.shutdown().unwrap();

    let (_, spans) = collector.spans();
    let runs: Vec<_> = spans.iter().filter(|span| span.name == "invoke_agent Desk").collect();
    let [one, two, three, refused, elsewhere] = &runs[..] else { panic!("{}", runs.len()) };
    assert!(one.parent_span_id.is_empty());
    assert_eq!(first.traceparent().unwrap().as_str(), traceparent(one));
    let beneath = |span: &Span, paused: &Span| {
        (&span.trace_id, &span.parent_span_id) == (&paused.trace_id, &paused.span_id)
    };
    assert!(beneath(two, one) && beneath(three, two) && beneath(refused, two));
    assert!(is_text(&refused.attributes, "error.type", "answer"));
    assert!(elsewhere.parent_span_id.is_empty() && elsewhere.trace_id != one.trace_id);

    let request = spans.iter().find(|span| span.name == "POST /answers").unwrap();
    assert_ne!(request.trace_id, one.trace_id);
    let links: Vec<_> = runs.iter().map(|run| run.links.len()).collect();
    assert_eq!(links, [0, 0, 1, 0, 0]);
    assert_eq!((&three.links[0].trace_id, &three.links[0].span_id), (&request.trace_id, &request.span_id));

    // Children are beneath the calls that began them.
    let children: Vec<_> = spans.iter().filter(|span| span.name == "invoke_agent Clerk").collect();
    assert_eq!(children.len(), 4);
    for child in children {
        let call = spans.iter().find(|span| span.span_id == child.parent_span_id).unwrap();
        assert_eq!((&*call.name, &call.trace_id), ("execute_tool agent__Clerk", &child.trace_id));
        assert!(runs.iter().any(|run| beneath(call, run)));
    }
}
