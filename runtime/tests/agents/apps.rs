//! A1: an app runs its entry agent as a handle does, and its errors are texts wherever they are shown.

use std::io;

use onionskin::question::Answer;
use onionskin::servers::BoxError;
use onionskin::{App, BuildError, RunError, ScriptedModel, ScriptedTurn, agent, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// Pays.
#[tool(approval)]
fn pay(cents: u32) -> String {
    format!("paid {cents}")
}

agent! {
    Desk { description: "Sells.", instruction: "Sell.", state: u8 }
    Payer { instruction: "Pay.", function_tools: [pay], agents: [Desk], default: true }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Sum {
    cents: u32,
}

async fn app(turns: impl IntoIterator<Item = ScriptedTurn>) -> App {
    let model = ScriptedModel::new().agent("Payer", turns).agent("Desk", [ScriptedTurn::say("Sold.")]);
    App::builder().agent::<Desk>().agent::<Payer>().state(3_u8).model(model).build().await.unwrap()
}

#[tokio::test]
async fn a1_an_app_requests_and_resumes_runs_of_its_entry_agent() {
    let pays = ScriptedTurn::call("pay", json!({ "cents": 5 }));
    let app = app([pays, ScriptedTurn::say("{last}")]).await;
    let session = app.session();
    let run = app.request("Pay.").session(&session).run_id("order-7").run().await;
    let Err(RunError::Paused(paused)) = run else { panic!("it pauses") };
    let key = paused.questions()[0].key();
    let resumed = app.resume(&paused).session(&session).answer(key, Answer::allow()).run().await.unwrap();
    assert_eq!(resumed.text, "paid 5");
    // A session of the app has the states of all agents.
    let desk = app.agent("Desk").unwrap();
    assert_eq!(desk.request("A lamp.").session(&app.session()).run().await.unwrap().text, "Sold.");

    let typed = self::app([ScriptedTurn::say(r#"{"cents": 7}"#)]).await.run_as::<Sum>("How much?").await;
    assert_eq!(typed.unwrap().answer.cents, 7);
}

/// An error whose text leaves its cause out.
#[derive(Debug, thiserror::Error)]
#[error("the shop is closed")]
struct Closed(#[source] io::Error);

#[tokio::test]
async fn a1_an_error_that_main_returns_is_its_text_with_its_causes() {
    let error = Desk::builder().model(ScriptedModel::new()).build().await.unwrap_err();
    let text = "the agent `Desk` declares `state: u8`, but no state was set: call `.state(..)`";
    assert_eq!(format!("{error:?}"), text);
    assert_eq!(format!("{:?}", RunError::from(error)), text);

    let closed = || BuildError::from(BoxError::from(Closed(io::Error::other("no light"))));
    assert_eq!(
        format!("{} and {:?}", closed(), closed()),
        "the shop is closed and the shop is closed: no light"
    );
    assert_eq!(format!("{:?}", RunError::from(closed())), "the shop is closed: no light");

    // A cause that is in the text is not repeated.
    let error = app([]).await.run("Pay.").await.unwrap_err();
    assert!(matches!(error, RunError::Model { .. }), "{error}");
    assert_eq!(format!("{error:?}"), error.to_string());
}
