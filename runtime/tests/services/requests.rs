//! Services of one run.

use std::sync::Arc;

use onionskin::event::EventKind;
use onionskin::{Cache, RunError, ScriptedModel, ScriptedTurn, agent, call};
use serde_json::json;

use crate::{Account, Clock, Counter, Counting, Parent, Plain, Teller, clock, owner};

agent! { Cached { instruction: "Tell." } }

/// Calls the tool and repeats its result, in each of three runs.
fn calls(tool: &'static str) -> ScriptedModel {
    let turns = [ScriptedTurn::call(tool, json!({})), ScriptedTurn::say("{last}")];
    ScriptedModel::turns([turns.clone(), turns.clone(), turns].concat())
}

#[tokio::test]
async fn t7_the_service_of_a_request_replaces_that_of_the_builder() {
    let teller = Teller::builder().model(calls("now")).provide_shared(clock(1)).provide(Account("Ada"));
    let teller = teller.build().await.unwrap();
    assert_eq!(teller.run("Now?").await.unwrap().text, "Ada at 1");
    let session = teller.session();
    let run = teller.request("Now?").session(&session).provide_shared(clock(2)).run();
    assert_eq!(run.await.unwrap().text, "Ada at 2");
    let run = teller.request("Now?").session(&session).provide(Account("Bob")).run();
    assert_eq!(run.await.unwrap().text, "Bob at 1");
}

#[tokio::test]
async fn t7_a_child_has_the_services_of_its_parents_run() {
    let asks = ScriptedTurn::call("agent__Teller", json!({ "input": "Who?" }));
    let model = ScriptedModel::new()
        .agent("Parent", [asks, ScriptedTurn::say("{last}")])
        .agent("Teller", [ScriptedTurn::call("now", json!({})), ScriptedTurn::say("{last}")]);
    let parent = Parent::builder().model(model).provide_shared(clock(1)).provide_per_request::<Account>();
    let parent = parent.build().await.unwrap();
    assert_eq!(parent.request("Ask.").provide(Account("Ada")).run().await.unwrap().text, "Ada at 1");
    let error = parent.run("Ask.").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the tool `owner` of the agent `Teller` takes the service `services::Account`, which the request lacks: call \
         `.provide(..)` of the request"
    );
}

#[tokio::test]
async fn t7_a_run_without_a_service_of_its_request_does_not_begin() {
    let model = Arc::new(calls("owner"));
    let teller = Teller::builder().model(Arc::clone(&model)).provide_per_request::<dyn Clock>();
    let teller = teller.provide_per_request::<Account>().build().await.unwrap();
    let mut stream = teller.request("Who?").provide(Account("Ada")).stream();
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event.kind);
    }
    let error = stream.output().await.unwrap_err();
    assert!(matches!(&error, RunError::NoService { agent, part, service, .. }
        if &**agent == "Teller" && &**part == "the tool `hour`" && service.name() == "dyn services::Clock"));
    assert!(
        matches!(&events[..], [EventKind::RunFailed { error, .. }] if error.contains("`.provide_shared(..)`"))
    );
    assert!(model.requests().is_empty());
}

#[tokio::test]
async fn t7_a_service_of_a_request_that_nothing_takes_ends_the_run_before_it_begins() {
    let model = Arc::new(calls("plain"));
    let plain = Plain::builder().model(Arc::clone(&model)).build().await.unwrap();
    let error = plain.request("Go.").provide(5_u8).run().await.unwrap_err();
    assert!(matches!(&error, RunError::UnusedService { service, .. } if service.name() == "u8"));
    assert_eq!(
        error.to_string(),
        "the request provides the service `u8`, but no tool, hook or guardrail of the agent `Plain` or its children takes it; \
         they take: none. Remove the call, or correct the type"
    );
    assert!(model.requests().is_empty());
    // An optional one is taken.
    let counting = Counting::builder().model(calls("count")).build().await.unwrap();
    let counter = Arc::new(Counter::default());
    let run = counting.request("Count.").provide_shared(Arc::clone(&counter)).run();
    assert_eq!(run.await.unwrap().text, "1");
}

#[tokio::test]
async fn t7_a_cached_result_of_one_service_is_no_answer_of_another() {
    let mut owner = owner::spec();
    owner.cache(Cache::new());
    let desk = Cached::builder()
        .model(calls("owner"))
        .tool(owner.clone())
        .provide(Account("all"))
        .build()
        .await
        .unwrap();
    let session = desk.session();
    let mut owners = Vec::new();
    for own in [None, Some("ada"), Some("bob")] {
        let request = desk.request("Whose?").session(&session);
        let request = match own {
            Some(own) => request.provide(Account(own)),
            None => request,
        };
        owners.push(request.run().await.unwrap().text);
    }
    assert_eq!(owners, ["all", "ada", "bob"]);

    let (ada, bob) = (owner.share().provide(Account("ada")), owner.share().provide(Account("bob")));
    assert_eq!((call!(ada).await.unwrap(), call!(bob).await.unwrap()), (json!("ada"), json!("bob")));
}
