//! Prompts: what the client sees of a run, cancels, failures, several sessions.

use std::sync::atomic::Ordering;
use std::time::Duration;

use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
use onionskin::{ScriptedModel, ScriptedTurn};
use serde_json::json;

use crate::client::Editor;
use crate::{Clerk, MOST_REPORTS, REPORTS, call, clerk, last};

#[tokio::test]
async fn o6_a_prompt_shows_the_text_and_the_calls() {
    let turns = [call("add_one", json!({ "x": 41 })), ScriptedTurn::say("It is {last}.")];
    let mut editor = Editor::open(&clerk(turns).await).await;
    let session = editor.session().await;
    assert_eq!(editor.prompt(&session, "41 + 1?").await, "end_turn");
    assert_eq!(editor.said(&session), "It is 42.");
    let [begun] = editor.updates(&session, "tool_call")[..] else { panic!("one call") };
    assert_eq!((&begun["title"], &begun["status"]), (&json!("add_one"), &json!("in_progress")));
    assert_eq!(begun["rawInput"], json!({ "x": 41 }));
    let changes = editor.updates(&session, "tool_call_update");
    assert!(changes.iter().all(|change| change["toolCallId"] == begun["toolCallId"]), "{changes:?}");
    let texts: Vec<_> = changes.iter().map(|change| &change["content"][0]["content"]["text"]).collect();
    assert_eq!(texts, ["1 of 2: half of it", "42"]);
    let ended = changes.last().unwrap();
    assert_eq!((&ended["status"], &ended["rawOutput"]), (&json!("completed"), &json!({ "result": 42 })));
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn o6_calls_of_children_have_the_childs_name() {
    let model = ScriptedModel::new()
        .agent("Clerk", [call("agent__Adder", json!({ "input": "41 + 1?" })), last()])
        .agent("Adder", [call("add_one", json!({ "x": 41 })), ScriptedTurn::say("The child says {last}.")]);
    let agent = Clerk::builder().model(model).build().await.unwrap();
    let mut editor = Editor::open(&agent).await;
    let session = editor.session().await;
    assert_eq!(editor.prompt(&session, "41 + 1?").await, "end_turn");
    let titles: Vec<_> =
        editor.updates(&session, "tool_call").iter().map(|call| call["title"].clone()).collect();
    assert_eq!(titles, ["agent__Adder", "Adder[1]: add_one"]);
    // The child's text is the result of its call.
    assert_eq!(editor.said(&session), "The child says 42.");
}

#[tokio::test]
async fn o6_a_cancelled_prompt_stops_its_run() {
    let turns = [call("sleep", json!({})), ScriptedTurn::say("I slept."), ScriptedTurn::say("I am here.")];
    let mut editor = Editor::open(&clerk(turns).await).await;
    let session = editor.session().await;
    let prompt = editor.begin(&session, "Sleep.").await;
    // Another prompt of the session waits for nothing.
    let refused = editor.begin(&session, "Hello?").await;
    assert_eq!(editor.answer(&refused).await.unwrap_err()["code"], -32600);
    editor.cancel(&session).await;
    assert_eq!(editor.stop(&prompt).await, "cancelled");
    assert_eq!(editor.prompt(&session, "Are you here?").await, "end_turn");

    // The protocol's own way to cancel a request.
    let other = editor.session().await;
    let prompt = editor.begin(&other, "Sleep.").await;
    editor.notify("$/cancel_request", json!({ "requestId": prompt })).await;
    assert_eq!(editor.stop(&prompt).await, "cancelled");
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn o6_two_sessions_run_side_by_side() {
    let model = ScriptedModel::new().agent("Clerk", [call("sleep", json!({})), last()]);
    let agent = Clerk::builder().model(model).build().await.unwrap();
    let mut editor = Editor::open(&agent).await;
    let (one, other) = (editor.session().await, editor.session().await);
    assert_ne!(one, other);
    let first = editor.begin(&one, "Sleep.").await;
    let second = editor.begin(&other, "Sleep.").await;
    editor.cancel(&other).await;
    assert_eq!(editor.stop(&second).await, "cancelled");
    editor.cancel(&one).await;
    assert_eq!(editor.stop(&first).await, "cancelled");
    let error = {
        editor.call("session/close", json!({ "sessionId": one })).await.unwrap();
        let prompt = editor.begin(&one, "Are you there?").await;
        editor.answer(&prompt).await.unwrap_err()
    };
    assert_eq!(error["code"], -32002);
}

#[tokio::test]
async fn o6_a_failed_run_is_the_error_of_its_prompt() {
    // The script ends.
    let mut editor = Editor::open(&clerk([ScriptedTurn::say("Once.")]).await).await;
    let session = editor.session().await;
    assert_eq!(editor.prompt(&session, "Again?").await, "end_turn");
    let prompt = editor.begin(&session, "Again?").await;
    let error = editor.answer(&prompt).await.unwrap_err();
    assert_eq!(error["code"], -32603);
    assert!(error["message"].as_str().unwrap().contains("`Clerk`"), "{error}");
    let session = editor.session().await;
    assert_eq!(editor.prompt(&session, "And now?").await, "end_turn");
}

/// Panics at once.
struct Broken;

impl Model for Broken {
    async fn respond(
        &self,
        _: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        panic!("the model is broken")
    }
}

#[tokio::test]
async fn o6_a_panic_is_the_error_of_its_prompt() {
    let agent = Clerk::builder().model(Broken).build().await.unwrap();
    let mut editor = Editor::open(&agent).await;
    for _ in 0..2 {
        let session = editor.session().await;
        let prompt = editor.begin(&session, "Hello.").await;
        assert_eq!(editor.answer(&prompt).await.unwrap_err()["code"], -32603);
    }
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn o6_a_limit_is_a_reason_to_stop() {
    let mut limits = onionskin::declaration::Limits::default();
    limits.turns = 1;
    let turns = [call("add_one", json!({ "x": 1 })), last()];
    let agent = crate::builder(turns).limits(limits).build().await.unwrap();
    let mut editor = Editor::open(&agent).await;
    let session = editor.session().await;
    assert_eq!(editor.prompt(&session, "Add.").await, "max_turn_requests");
    assert!(editor.said(&session).contains("limit of 1 model turns"), "{}", editor.said(&session));
}

#[tokio::test]
async fn o6_a_run_waits_for_a_client_that_does_not_read() {
    let turns = [call("report", json!({})), ScriptedTurn::say("Done.")];
    let mut editor = Editor::open(&clerk(turns).await).await;
    let session = editor.session().await;
    let prompt = editor.begin(&session, "Report.").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(REPORTS.load(Ordering::Relaxed) < MOST_REPORTS / 2, "{REPORTS:?}");
    assert_eq!(editor.stop(&prompt).await, "end_turn");
    assert_eq!(REPORTS.load(Ordering::Relaxed), MOST_REPORTS);
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn o6_runs_end_with_the_connection() {
    let mut editor = Editor::open(&clerk([call("sleep", json!({})), last()]).await).await;
    let session = editor.session().await;
    editor.begin(&session, "Sleep.").await;
    editor.leave().await.unwrap();
}
