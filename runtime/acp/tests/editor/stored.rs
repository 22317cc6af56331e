//! Stored sessions.

use std::sync::Arc;

use onionskin::acp::AcpServer;
use onionskin::sessions::MemorySessions;
use onionskin::{AgentHandle, ScriptedTurn};
use serde_json::json;

use crate::client::Editor;
use crate::{builder, call, last};

async fn agent(store: &Arc<MemorySessions>, turns: impl IntoIterator<Item = ScriptedTurn>) -> AgentHandle {
    builder(turns).session_store(Arc::clone(store)).build().await.unwrap()
}

#[tokio::test]
async fn o6_a_stored_session_is_listed_and_loaded() {
    let store = Arc::new(MemorySessions::default());
    let turns = || [call("add_one", json!({ "x": 1 })), last(), ScriptedTurn::say("Again.")];
    let mut editor = Editor::open(&agent(&store, turns()).await).await;
    let session = editor.session().await;
    assert_eq!(editor.prompt(&session, "1 + 1?").await, "end_turn");
    editor.leave().await.unwrap();

    let mut editor = Editor::open(&agent(&store, turns()).await).await;
    let page = editor.call("session/list", json!({})).await.unwrap();
    let listed = &page["sessions"][0];
    assert_eq!((&listed["sessionId"], &listed["title"]), (&json!(session), &json!("1 + 1?")));
    assert!(listed["updatedAt"].as_str().unwrap().ends_with('Z'), "{listed}");
    let open = json!({ "sessionId": session, "cwd": "/", "mcpServers": [] });
    editor.call("session/load", open.clone()).await.unwrap();
    assert_eq!(editor.texts(&session, "user_message_chunk"), "1 + 1?");
    assert_eq!(editor.said(&session), "2");
    assert_eq!(editor.updates(&session, "tool_call")[0]["rawInput"], json!({ "x": 1 }));
    assert_eq!(editor.updates(&session, "tool_call_update")[0]["status"], "completed");
    editor.forget();
    assert_eq!(editor.prompt(&session, "Again?").await, "end_turn");
    assert_eq!(editor.said(&session), "Again.");

    let unknown = json!({ "sessionId": "no", "cwd": "/", "mcpServers": [] });
    for method in ["session/load", "session/resume"] {
        assert_eq!(editor.call(method, unknown.clone()).await.unwrap_err()["code"], -32002);
    }
    editor.forget();
    editor.call("session/resume", open).await.unwrap();
    assert_eq!(editor.said(&session), "");
    assert_eq!(editor.call("session/list", json!({ "cursor": "x" })).await.unwrap_err()["code"], -32602);
}

#[tokio::test]
async fn o6_a_question_that_is_open_waits_in_the_stored_session() {
    let store = Arc::new(MemorySessions::default());
    let turns = || [call("pay", json!({ "cents": 5 })), last(), ScriptedTurn::say("Hello.")];
    let mut editor = Editor::open(&agent(&store, turns()).await).await;
    let session = editor.session().await;
    editor.begin(&session, "Pay.").await;
    editor.agent_request("session/request_permission").await;
    // The client leaves.
    editor.leave().await.unwrap();

    let mut editor = Editor::open(&agent(&store, turns()).await).await;
    editor.call("session/load", json!({ "sessionId": session, "cwd": "/", "mcpServers": [] })).await.unwrap();
    assert!(editor.said(&session).contains(r#"Clerk: pay {"cents":5}"#), "{}", editor.said(&session));
    editor.forget();
    assert_eq!(editor.prompt(&session, "y").await, "end_turn");
    assert_eq!(editor.said(&session), "paid 5");
}

#[tokio::test]
async fn o6_a_cancelled_question_of_a_stored_session_is_given_up() {
    let store = Arc::new(MemorySessions::default());
    let turns = [call("count", json!({})), ScriptedTurn::say("Hello."), call("sleep", json!({})), last()];
    let agent = agent(&store, turns).await;
    let mut editor = Editor::open(&agent).await;
    let session = editor.session().await;
    assert_eq!(editor.prompt(&session, "Count.").await, "end_turn");
    assert!(agent.open_session(session.as_str()).await.unwrap().paused().is_some());
    // A cancel between two prompts gives up the question.
    editor.cancel(&session).await;
    editor.forget();
    assert_eq!(editor.prompt(&session, "Hello?").await, "end_turn");
    assert_eq!(editor.said(&session), "Hello.");
}

#[tokio::test]
async fn o6_a_user_has_only_own_sessions() {
    let store = Arc::new(MemorySessions::default());
    let turns = || [ScriptedTurn::say("Yes."), ScriptedTurn::say("Yes.")];
    let agent = agent(&store, turns()).await;
    let theirs = agent.open_session("theirs").await.unwrap();
    agent.request("Really?").session(&theirs).user("ben").run().await.unwrap();

    let mut editor = Editor::connect(AcpServer::new(&agent).user("ada"));
    editor.initialize(json!({})).await;
    let session = editor.session().await;
    assert_eq!(editor.prompt(&session, "Really?").await, "end_turn");
    let page = editor.call("session/list", json!({})).await.unwrap();
    let [only] = &page["sessions"].as_array().unwrap()[..] else { panic!("{page}") };
    assert_eq!(only["sessionId"], session);
    let open = json!({ "sessionId": "theirs", "cwd": "/", "mcpServers": [] });
    assert_eq!(editor.call("session/load", open.clone()).await.unwrap_err()["code"], -32002);

    // Without a user, the run is for the user of its session.
    let mut editor = Editor::open(&agent).await;
    editor.call("session/load", open).await.unwrap();
    assert_eq!(editor.prompt("theirs", "Really?").await, "end_turn");
}
