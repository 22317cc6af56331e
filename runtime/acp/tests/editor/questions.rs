//! Approvals and questions.

use onionskin::{ScriptedModel, ScriptedTurn};
use serde_json::json;

use crate::client::Editor;
use crate::{Clerk, call, clerk, forms, last};

#[tokio::test]
async fn o6_a_call_is_allowed_once_always_or_denied() {
    let pays = || [call("pay", json!({ "cents": 5 })), last()];
    let turns = pays().into_iter().chain(pays()).chain(pays());
    let mut editor = Editor::open(&clerk(turns).await).await;
    let session = editor.session().await;

    let prompt = editor.begin(&session, "Pay.").await;
    let (id, asked) = editor.agent_request("session/request_permission").await;
    let begun = editor.updates(&session, "tool_call")[0].clone();
    let shown = &asked["toolCall"];
    assert_eq!(shown["toolCallId"], begun["toolCallId"], "the call comes before the question");
    assert_eq!((&shown["title"], &shown["rawInput"]), (&json!("pay"), &json!({ "cents": 5 })));
    assert!(shown["content"][0]["content"]["text"].as_str().unwrap().contains("\"cents\": 5"), "{asked}");
    let kinds: Vec<_> = asked["options"].as_array().unwrap().iter().map(|option| &option["kind"]).collect();
    assert_eq!(kinds, ["allow_once", "allow_always", "reject_once"]);
    editor.select(&id, "reject").await;
    assert_eq!(editor.stop(&prompt).await, "end_turn");
    assert!(editor.said(&session).contains("not approved"), "{}", editor.said(&session));
    assert_eq!(editor.updates(&session, "tool_call_update").last().unwrap()["status"], "failed");

    editor.forget();
    let prompt = editor.begin(&session, "Pay.").await;
    let (id, _) = editor.agent_request("session/request_permission").await;
    editor.select(&id, "allow_always").await;
    assert_eq!(editor.stop(&prompt).await, "end_turn");
    assert_eq!(editor.said(&session), "paid 5");
    assert_eq!(editor.updates(&session, "tool_call_update").last().unwrap()["status"], "completed");
    // Nobody is asked again in this session.
    assert_eq!(editor.prompt(&session, "Pay.").await, "end_turn");
    editor.leave().await.unwrap();
}

#[tokio::test]
async fn o6_the_calls_of_a_child_are_asked_for_too() {
    let model = ScriptedModel::new()
        .agent("Clerk", [call("agent__Adder", json!({ "input": "Pay." })), last()])
        .agent("Adder", [call("pay", json!({ "cents": 7 })), last()]);
    let mut editor = Editor::open(&Clerk::builder().model(model).build().await.unwrap()).await;
    let session = editor.session().await;
    let prompt = editor.begin(&session, "Pay.").await;
    let (id, asked) = editor.agent_request("session/request_permission").await;
    assert_eq!(asked["toolCall"]["title"], "Adder[1]: pay");
    let known = editor
        .updates(&session, "tool_call")
        .iter()
        .any(|call| call["toolCallId"] == asked["toolCall"]["toolCallId"]);
    assert!(known, "{asked}");
    editor.select(&id, "allow").await;
    assert_eq!(editor.stop(&prompt).await, "end_turn");
    assert_eq!(editor.said(&session), "paid 7");
}

#[tokio::test]
async fn o6_a_call_that_always_reports_keeps_no_question_waiting() {
    let turns = [call("watch", json!({})).and_call("sign", json!({})), ScriptedTurn::say("Done.")];
    let mut editor = Editor::open(&clerk(turns).await).await;
    let session = editor.session().await;
    let prompt = editor.begin(&session, "Sign.").await;
    let (id, _) = editor.agent_request("session/request_permission").await;
    editor.select(&id, "allow").await;
    assert_eq!(editor.stop(&prompt).await, "end_turn");
    assert_eq!(editor.said(&session), "Done.");
}

#[tokio::test]
async fn o6_a_cancel_ends_a_prompt_that_asks() {
    let turns = [call("pay", json!({ "cents": 5 })), last(), ScriptedTurn::say("Hello.")];
    let mut editor = Editor::open(&clerk(turns).await).await;
    let session = editor.session().await;
    let prompt = editor.begin(&session, "Pay.").await;
    let (id, _) = editor.agent_request("session/request_permission").await;
    editor.cancel(&session).await;
    editor.reply(&id, json!({ "outcome": { "outcome": "cancelled" } })).await;
    loop {
        // The request for permission is withdrawn.
        let message = editor.message().await;
        if message["id"] == prompt {
            assert_eq!(message["result"]["stopReason"], "cancelled");
            break;
        }
        assert_eq!(message["method"], "$/cancel_request");
    }
    assert!(!editor.said(&session).contains("paid"));
}

#[tokio::test]
async fn o6_a_question_without_forms_is_answered_by_the_next_prompt() {
    let turns = [call("count", json!({})), ScriptedTurn::say("So {last}."), ScriptedTurn::say("Hello.")];
    let mut editor = Editor::open(&clerk(turns).await).await;
    let session = editor.session().await;
    assert_eq!(editor.prompt(&session, "Count.").await, "end_turn");
    let asked = editor.said(&session);
    assert!(asked.contains("Clerk: count {}: How many?") && asked.contains("an integer"), "{asked}");

    editor.forget();
    assert_eq!(editor.prompt(&session, "many").await, "end_turn");
    let again = editor.said(&session);
    assert!(again.contains("does not fit") && again.contains("How many?"), "{again}");

    editor.forget();
    assert_eq!(editor.prompt(&session, "3").await, "end_turn");
    assert_eq!(editor.said(&session), "So 3 of them.");
    assert!(editor.updates(&session, "tool_call").is_empty(), "the call is known");
    assert_eq!(editor.updates(&session, "tool_call_update").last().unwrap()["status"], "completed");
    assert_eq!(editor.prompt(&session, "Hello.").await, "end_turn");
}

#[tokio::test]
async fn o6_several_questions_are_asked_one_by_one_and_can_be_declined() {
    let turns = [call("count", json!({})).and_call("count", json!({})), ScriptedTurn::say("So {last}.")];
    let mut editor = Editor::open(&clerk(turns).await).await;
    let session = editor.session().await;
    assert_eq!(editor.prompt(&session, "Count.").await, "end_turn");
    assert_eq!(editor.prompt(&session, "2").await, "end_turn");
    assert_eq!(editor.said(&session).matches("How many?").count(), 2);
    editor.forget();
    assert_eq!(editor.prompt(&session, "/decline").await, "end_turn");
    assert_eq!(editor.said(&session), "So 2 of them\nthe question was declined.");
}

#[tokio::test]
async fn o6_an_approval_that_the_client_cannot_ask_for_is_asked_as_text() {
    let turns = [call("pay", json!({ "cents": 5 })), last()];
    let mut editor = Editor::open(&clerk(turns).await).await;
    let session = editor.session().await;
    let prompt = editor.begin(&session, "Pay.").await;
    let (id, _) = editor.agent_request("session/request_permission").await;
    let error = json!({ "code": -32601, "message": "no" });
    editor.write(json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string().as_bytes()).await;
    assert_eq!(editor.stop(&prompt).await, "end_turn");
    assert!(editor.said(&session).contains(r#"Clerk: pay {"cents":5}"#), "{}", editor.said(&session));
    editor.forget();
    assert_eq!(editor.prompt(&session, "y").await, "end_turn");
    assert_eq!(editor.said(&session), "paid 5");
}

#[tokio::test]
async fn o6_a_question_is_a_form_where_the_client_has_forms() {
    let turns = [
        call("paint", json!({})),
        last(),
        call("count", json!({})),
        last(),
        call("count", json!({})),
        last(),
        call("count", json!({})),
        last(),
    ];
    let mut editor = Editor::with(&clerk(turns).await, forms()).await;
    let session = editor.session().await;
    let prompt = editor.begin(&session, "Paint.").await;
    let (id, asked) = editor.agent_request("elicitation/create").await;
    assert_eq!((&asked["mode"], &asked["message"]), (&json!("form"), &json!("Which colour?")));
    let schema = &asked["requestedSchema"];
    assert_eq!((&schema["type"], &schema["required"]), (&json!("object"), &json!(["colour", "coats"])));
    assert_eq!(schema["properties"]["colour"]["type"], "string");
    // What does not fit is asked again.
    editor.reply(&id, json!({ "action": "accept", "content": { "colour": "red", "coats": 900 } })).await;
    let (id, asked) = editor.agent_request("elicitation/create").await;
    assert!(asked["message"].as_str().unwrap().contains("does not fit"), "{asked}");
    editor.reply(&id, json!({ "action": "accept", "content": { "colour": "red", "coats": 2 } })).await;
    assert_eq!(editor.stop(&prompt).await, "end_turn");
    assert_eq!(editor.said(&session), "red 2");

    // An answer that is not an object is a field of the form.
    editor.forget();
    let prompt = editor.begin(&session, "Count.").await;
    let (id, asked) = editor.agent_request("elicitation/create").await;
    assert_eq!(asked["requestedSchema"]["properties"]["answer"]["type"], "integer");
    editor.reply(&id, json!({ "action": "accept", "content": { "answer": 4 } })).await;
    assert_eq!(editor.stop(&prompt).await, "end_turn");
    assert_eq!(editor.said(&session), "4 of them");

    editor.forget();
    let prompt = editor.begin(&session, "Count.").await;
    let (id, _) = editor.agent_request("elicitation/create").await;
    editor.reply(&id, json!({ "action": "decline" })).await;
    assert_eq!(editor.stop(&prompt).await, "end_turn");
    assert_eq!(editor.said(&session), "the question was declined");

    // A form that is closed leaves the question open.
    editor.forget();
    let prompt = editor.begin(&session, "Count.").await;
    let (id, _) = editor.agent_request("elicitation/create").await;
    editor.reply(&id, json!({ "action": "cancel" })).await;
    assert_eq!(editor.stop(&prompt).await, "end_turn");
    editor.forget();
    assert_eq!(editor.prompt(&session, "5").await, "end_turn");
    assert_eq!(editor.said(&session), "5 of them");
}
