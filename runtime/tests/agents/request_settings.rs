//! Settings of one run: its model and its limits.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use onionskin::declaration::Limits;
use onionskin::model::{ModelDelta, ModelError, ModelRequest, ModelResponse};
use onionskin::prompt::{Prompt, PromptPart};
use onionskin::run::Limit;
use onionskin::{Model, RunError, ScriptedModel, ScriptedTurn, agent, tool};
use serde_json::json;

/// Adds one.
#[tool]
fn add_one(x: i64) -> i64 {
    x + 1
}

agent! {
    Desk { instruction: "Ask.", agents: [Clerk] }
    Clerk { instruction: "Add.", description: "Adds.", function_tools: [add_one], limits: { turns: 5 } }
}

fn asks_the_clerk() -> ScriptedModel {
    let call = ScriptedTurn::call("agent__Clerk", json!({ "input": "1 + 1?" }));
    ScriptedModel::new().agent("Desk", [call, ScriptedTurn::say("{last}")])
}

fn adds(answer: &str) -> [ScriptedTurn; 2] {
    [ScriptedTurn::call("add_one", json!({ "x": 1 })), ScriptedTurn::say(answer)]
}

#[tokio::test]
async fn a7_a_request_sets_the_model_of_its_run_only() {
    let built = Arc::new(asks_the_clerk().agent("Clerk", adds("by the built one: {last}")));
    let desk = Desk::builder().model(Arc::clone(&built)).build().await.unwrap();
    let own = Arc::new(asks_the_clerk());
    let output = desk.request("1 + 1?").model(Arc::clone(&own)).run().await.unwrap();
    assert_eq!(output.text, "by the built one: 2");
    // The child keeps its model, and the next run has the agent's again.
    let asked = |model: &ScriptedModel| {
        model.requests().iter().map(|asked| asked.agent.to_string()).collect::<Vec<_>>()
    };
    assert_eq!((asked(&own), asked(&built)), (vec!["Desk".to_owned(); 2], vec!["Clerk".to_owned(); 2]));
    desk.run("1 + 1?").await.unwrap();
    assert_eq!((own.requests().len(), built.requests().len()), (2, 6));
}

/// A model with instructions of its own.
struct Careful;

impl Model for Careful {
    async fn respond(
        &self,
        request: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        Ok(ModelResponse::text(request.system.as_deref().unwrap_or_default()))
    }

    fn instructions(&self) -> Option<Cow<'static, str>> {
        Some("Be careful.".into())
    }
}

#[tokio::test]
async fn a11_the_model_of_a_request_brings_its_own_instructions() {
    let clerk = Clerk::builder().model(ScriptedModel::new()).build().await.unwrap();
    let prompt = clerk.request("x").model(Careful).run().await.unwrap().text;
    assert!(prompt.contains("Be careful.") && prompt.contains("Add."), "{prompt}");
    assert_eq!(clerk.request("x").model(Careful).system_prompt().await.unwrap(), Some(prompt));
    let own = Prompt::new().text(PromptPart::Instructions, "Multiply.");
    let prompt = clerk.request("x").model(Careful).prompt(own).run().await.unwrap().text;
    assert!(prompt.contains("Be careful.") && prompt.contains("Multiply."), "{prompt}");
}

#[tokio::test]
async fn a7_a_request_sets_the_limits_of_its_run_only() {
    let desk = Desk::builder().model(asks_the_clerk().agent("Clerk", adds("{last}"))).build().await.unwrap();
    let mut one = Limits::default();
    one.turns = 1;
    let end = desk.request("1 + 1?").limits(one.clone()).run().await;
    assert!(matches!(&end, Err(RunError::Limit { limit: Limit::Turns(1), .. })), "{end:?}");
    one.turns = 2;
    assert_eq!(desk.request("1 + 1?").limits(one).run().await.unwrap().text, "2");
    assert_eq!(desk.run("1 + 1?").await.unwrap().text, "2");
}

#[tokio::test(start_paused = true)]
async fn a7_the_time_and_the_depth_of_a_request_are_limits_too() {
    let mut slow = ScriptedTurn::say("late");
    slow.wait_ms = 60_000;
    let clerk = Clerk::builder().model(ScriptedModel::turns([slow])).build().await.unwrap();
    let mut limits = Limits::default();
    limits.time = Some(Duration::from_secs(2));
    let end = clerk.request("x").limits(limits).run().await;
    assert!(
        matches!(&end, Err(RunError::Limit { limit: Limit::Time(time), .. }) if time.as_secs() == 2),
        "{end:?}"
    );

    let mut zero = Limits::default();
    zero.turns = 0;
    let error = clerk.request("x").limits(zero).run().await.unwrap_err();
    assert!(
        matches!(&error, RunError::WrongLimits(_)) && error.to_string().contains("limits.turns"),
        "{error}"
    );
}
