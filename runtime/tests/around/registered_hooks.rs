//! A10: hooks that are registered at an agent that exists are those of its later runs.

use std::sync::Arc;

use onionskin::message_hooks::{Delivery, Participant, SentMessage, message_hook};
use onionskin::{App, BuildError, Provided, ScriptedModel, ScriptedTurn, State, agent, tool};
use serde_json::json;
use tokio::sync::Notify;

use crate::asks_a_child;

agent! {
    Clerk { instruction: "Answer.", function_tools: [wait] }
    Parent { instruction: "Ask.", agents: [Child], default: true }
    Child { instruction: "Answer.", description: "Answers." }
}

/// The points at which a run and its test wait for each other.
#[derive(Default)]
struct Gate {
    reached: Notify,
    open: Notify,
}

/// Waits for the test.
#[tool]
async fn wait(gate: Provided<Gate>) -> &'static str {
    gate.reached.notify_one();
    gate.open.notified().await;
    "done"
}

/// Marks texts of the agent.
#[message_hook(process_message_before_send)]
fn marked(#[config] mark: &str, message: &mut SentMessage, sender: &Participant) {
    if *sender != Participant::User {
        message.set_text(format!("{}{mark}", message.text()));
    }
}

/// Drops each answer.
#[message_hook(process_message_before_send)]
fn dropped(sender: &Participant) -> Delivery {
    if *sender == Participant::User { Delivery::Send } else { Delivery::Drop }
}

/// Takes a state that the agent does not have.
#[message_hook(process_message_before_send)]
fn counting(count: State<u32>, _message: &mut SentMessage) {
    count.update(|count| *count += 1);
}

/// Takes a service that nobody provides.
#[message_hook(process_message_before_send)]
fn served(text: Provided<String>, message: &mut SentMessage) {
    message.set_text(&**text);
}

fn model() -> ScriptedModel {
    ScriptedModel::turns([ScriptedTurn::call("wait", json!({})), ScriptedTurn::say("Yes.")])
}

#[tokio::test]
async fn a10_a_registered_hook_is_for_later_runs_and_for_clones() {
    let gate = Arc::new(Gate::default());
    let clerk = Clerk::builder().model(model()).provide_shared(Arc::clone(&gate)).build().await.unwrap();
    let running = tokio::spawn({
        let clerk = clerk.clone();
        async move { clerk.run("Go.").await.unwrap().text }
    });
    gate.reached.notified().await;
    clerk.clone().register_hook(marked::new("!")).unwrap();
    clerk.register_hook(marked::new("?")).unwrap();
    gate.open.notify_one();
    // The run in progress has the hooks of its start.
    assert_eq!(running.await.unwrap(), "Yes.");
    gate.open.notify_one();
    assert_eq!(clerk.run("Go.").await.unwrap().text, "Yes.!?");
    clerk.register_hook(dropped::new()).unwrap();
    gate.open.notify_one();
    assert!(clerk.run("Go.").await.is_err());
}

#[tokio::test]
async fn a10_a_hook_of_a_parent_sees_its_messages_to_children_and_one_of_a_child_its_answers() {
    let app = App::builder().agent::<Parent>().agent::<Child>().model(asks_a_child("no"));
    let app = app.build().await.unwrap();
    app.agent("Child").unwrap().register_hook(marked::new(" child")).unwrap();
    assert_eq!(app.run("x").await.unwrap().text, "no child");
    app.agent("Parent").unwrap().register_hook(marked::new(" parent")).unwrap();
    assert_eq!(app.run("x").await.unwrap().text, "no child parent");
    let described = serde_json::to_value(app.describe().unwrap()).unwrap();
    assert!(described.to_string().contains("marked"), "{described}");
}

#[tokio::test]
async fn a10_a_hook_that_the_agent_cannot_have_is_refused_and_changes_nothing() {
    let gate = Arc::new(Gate::default());
    let clerk = Clerk::builder().model(model()).provide_shared(Arc::clone(&gate)).build().await.unwrap();
    let state = clerk.register_hook(counting::new()).unwrap_err();
    assert!(matches!(state, BuildError::HookState { .. }), "{state:?}");
    let service = clerk.register_hook(served::new()).unwrap_err();
    assert!(matches!(service, BuildError::NoService { .. }), "{service:?}");
    // No request has to provide what nothing else takes.
    let app = App::builder().agent::<Child>().model(model()).provide_per_request::<String>().allow_unused();
    let app = app.build().await.unwrap();
    let child = app.agent("Child").unwrap();
    let service = child.register_hook(served::new()).unwrap_err();
    assert!(matches!(service, BuildError::NoService { .. }), "{service:?}");
    gate.open.notify_one();
    assert_eq!(clerk.run("Go.").await.unwrap().text, "Yes.");
}
