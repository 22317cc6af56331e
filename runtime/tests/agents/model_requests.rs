//! What a model learns about the run that asks it, and models that are chosen at run time.

use std::sync::Arc;

use onionskin::approval::{Approval, ApprovalRequest, Approver};
use onionskin::journal::{MemoryJournal, StepId, StepKind};
use onionskin::model::{BoxModel, Message, Model, ModelRequest};
use onionskin::{Args, Effect, ScriptedModel, ScriptedTurn, Secret, agent, tool};
use serde_json::json;

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

agent! {
    Adder { instruction: "Add.", function_tools: [add_one] }
    Clerk { description: "Adds.", instruction: "Add.", function_tools: [add_one] }
    Head { instruction: "Ask.", agents: [Clerk] }
}

fn adds() -> [ScriptedTurn; 2] {
    [ScriptedTurn::call("add_one", json!({ "x": 1 })), ScriptedTurn::say("{last}")]
}

#[tokio::test]
async fn o3_a_model_learns_for_whom_it_is_asked() {
    let model = Arc::new(ScriptedModel::turns(adds()));
    let agent = Adder::builder().model(Arc::clone(&model)).build().await.unwrap();
    let session = agent.session();
    let run = agent.request("go").session(&session).run_id("sum").correlation_id("trace-7").user("ada");
    run.run().await.unwrap();
    let requests = model.requests();
    let ids = |request: &ModelRequest| {
        assert_eq!(request.session_id(), session.id());
        let ids = [request.run_id(), request.correlation_id(), request.user().unwrap(), &*request.agent];
        format!("{} {} {}", ids.join(" "), request.step(), request.step().turn())
    };
    let ids: Vec<_> = requests.iter().map(ids).collect();
    assert_eq!(ids, ["sum trace-7 ada Adder turn 1/model 1", "sum trace-7 ada Adder turn 2/model 2"]);
}

#[tokio::test]
async fn o3_a_childs_model_learns_of_the_whole_run() {
    let model = ScriptedModel::new()
        .agent("Head", [ScriptedTurn::call("agent__Clerk", json!({ "input": "1" })), ScriptedTurn::say("ok")])
        .agent("Clerk", [ScriptedTurn::say("2")]);
    let model = Arc::new(model);
    let agent = Head::builder().model(Arc::clone(&model)).build().await.unwrap();
    agent.request("go").correlation_id("trace-7").user("ada").run().await.unwrap();
    let requests = model.requests();
    assert!(requests.iter().all(|request| request.correlation_id() == "trace-7"));
    assert!(requests.iter().all(|request| request.user() == Some("ada")));
    assert!(requests.iter().all(|request| request.run_id() == requests[0].run_id()));
    let steps: Vec<_> = requests.iter().map(|request| request.step().to_string()).collect();
    assert_eq!(steps, ["turn 1/model", "turn 1/call 1/tool agent__Clerk/turn 1/model", "turn 2/model"]);
}

#[tokio::test]
async fn o5_a_replay_with_another_correlation_id_user_and_session_still_matches() {
    let journal = Arc::new(MemoryJournal::default());
    let mut asked = Vec::new();
    for (correlation, user) in [("monday", "ada"), ("tuesday", "bob")] {
        let model = Arc::new(ScriptedModel::turns(adds()));
        let agent = Adder::builder().model(Arc::clone(&model)).journal(Arc::clone(&journal));
        let agent = agent.build().await.unwrap();
        let run = agent.request("go").run_id("sum").correlation_id(correlation).user(user);
        assert_eq!(run.run().await.unwrap().text, "2");
        asked.push(model.requests().len());
    }
    assert_eq!(asked, [2, 0]);
}

#[tokio::test]
async fn t8_a_secret_as_an_id_of_a_run_does_not_reach_the_model() {
    let model = Arc::new(ScriptedModel::turns(adds()));
    let agent = Adder::builder().model(Arc::clone(&model)).conceal(&Secret::<String>::from("hunter2-token"));
    let agent = agent.build().await.unwrap();
    agent.request("go").correlation_id("of hunter2-token").user("hunter2-token").run().await.unwrap();
    let request = &model.requests()[0];
    assert!(!format!("{request:?}").contains("hunter2"), "{request:?}");
    assert!(request.correlation_id().starts_with("of ") && request.user().is_some());
}

#[test]
fn o3_a_request_by_hand_has_what_a_test_gives_it() {
    let step = StepId::new(StepKind::Model, "").in_turn(3, None);
    let request = ModelRequest::new([Message::user("hi")])
        .with_agent("clerk")
        .with_model("some-model")
        .with_system("Be kind.")
        .with_step("order-7", step)
        .with_correlation_id("trace")
        .with_session_id("session")
        .with_user("ada");
    assert_eq!((&*request.agent, request.model.as_deref()), ("clerk", Some("some-model")));
    assert_eq!((request.run_id(), &*request.step().to_string()), ("order-7", "turn 3/model"));
    assert_eq!((request.correlation_id(), request.session_id()), ("trace", "session"));
    assert_eq!((request.user(), request.system.as_deref()), (Some("ada"), Some("Be kind.")));
    let text = serde_json::to_string(&request).unwrap();
    assert!(!text.contains("trace") && !text.contains("order-7") && !text.contains("ada"), "{text}");
}

#[tokio::test]
async fn o3_a_model_can_be_chosen_at_run_time() {
    for offline in [true, false] {
        let say = ScriptedModel::turns([ScriptedTurn::say("said")]);
        let model =
            if offline { BoxModel::new(say) } else { BoxModel::new(Arc::new(ScriptedModel::turns(adds()))) };
        assert!(format!("{model:?}").contains("ScriptedModel"), "{model:?}");
        assert_eq!(BoxModel::new(model.clone()).provider(), model.provider());
        let output = Adder::builder().model(model).run("go").await.unwrap();
        assert_eq!(output.text, if offline { "said" } else { "2" });
    }
}

#[tokio::test]
async fn u2_a_request_for_approval_by_hand_has_what_a_test_gives_it() {
    let approver = |request: ApprovalRequest| async move {
        match request.args()["cents"].as_u64() {
            Some(cents) if cents < 100 && request.effect() == Effect::Pure => Approval::Allow,
            _ => Approval::deny(format!("{} of {}", request.tool_name(), request.agent_name())),
        }
    };
    let request = || ApprovalRequest::new("pay", Args::from(r#"{"cents": 5}"#)).with_agent("clerk");
    assert_eq!(approver.approve(request()).await, Approval::deny("pay of clerk"));
    assert_eq!(approver.approve(request().with_effect(Effect::Pure)).await, Approval::Allow);
    let request = request()
        .with_call_id("call_7")
        .with_idempotency_key("order-7/turn 1")
        .with_correlation_id("trace")
        .with_reason("much");
    assert_eq!((request.call_id(), request.idempotency_key()), ("call_7", "order-7/turn 1"));
    assert_eq!((request.correlation_id(), request.reason()), ("trace", Some("much")));
}

/// Says a text back.
#[tool]
fn echo(text: String) -> String {
    text
}

agent! { Parrot { instruction: "Repeat.", function_tools: [echo] } }

#[tokio::test]
async fn o3_a_placeholder_in_json_is_escaped() {
    let model = ScriptedModel::turns([
        ScriptedTurn::call("echo", json!({ "text": "\"A\",\n{input}" })),
        ScriptedTurn::call("echo", json!(r#"{ "text": "{last}!" }"#)),
        ScriptedTurn::say(r#"{ "said": "{last}", "asked": ["{input}"] }"#),
    ]);
    let output = Parrot::builder().model(model).run("Say \\ it.").await.unwrap();
    let said: serde_json::Value = serde_json::from_str(&output.text).unwrap();
    // What is inserted is not searched again.
    assert_eq!(said, json!({ "said": "\"A\",\nSay \\ it.!", "asked": ["Say \\ it."] }));
    // Other texts are not escaped, such as a number in JSON.
    let model = ScriptedModel::turns([
        ScriptedTurn::call("echo", json!({ "text": "[1, \"b\"]" })),
        ScriptedTurn::say(r#"{ "list": {last} } of "{last}""#),
    ]);
    let output = Parrot::builder().model(model).run("List.").await.unwrap();
    assert_eq!(output.text, r#"{ "list": [1, "b"] } of "[1, "b"]""#);
}
