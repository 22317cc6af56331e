//! The sessions of a store: forks, returns to an earlier place, exports and deletion.

use std::sync::Arc;

use onionskin::sessions::{
    MemorySessions, SessionError, SessionExport, SessionQuery, SessionSelection, SessionStore,
    SessionStoreError, Sessions,
};
use onionskin::{AgentHandle, RunError, ScriptedModel, ScriptedTurn, SessionState, agent, tool};
use serde_json::json;

/// Writes a number down.
#[tool]
fn note(number: u32, values: &SessionState) -> String {
    values.set("number", number);
    format!("noted {number}")
}

agent! {
    Clerk { instruction: "Take notes.", function_tools: [note] }
}

/// Each input is a number, which the agent writes down: four messages for each.
async fn clerk(store: &Arc<MemorySessions>) -> AgentHandle {
    let turns = (0..20).flat_map(|number| {
        [
            ScriptedTurn::call("note", json!({ "number": number })),
            ScriptedTurn::say("It is {input}, the tidal one."),
        ]
    });
    let builder = Clerk::builder().model(ScriptedModel::turns(turns)).session_store(Arc::clone(store));
    builder.build().await.unwrap()
}

async fn with_three_runs(store: &Arc<MemorySessions>) -> AgentHandle {
    let clerk = clerk(store).await;
    let session = clerk.open_session("a").await.unwrap();
    for number in 0..3 {
        clerk.request(number.to_string()).session(&session).user("ada").run().await.unwrap();
    }
    clerk
}

#[tokio::test]
async fn a12_a_fork_begins_with_the_messages_and_values_of_its_place() {
    let store = Arc::new(MemorySessions::default());
    let clerk = with_three_runs(&store).await;
    let sessions = Sessions::new(Arc::clone(&store));
    for (messages, number) in [(0, None), (4, Some(0)), (8, Some(1)), (12, Some(2))] {
        let id = format!("fork-{messages}");
        sessions.fork("a", &id, messages).await.unwrap();
        let fork = clerk.open_session(id.as_str()).await.unwrap();
        assert_eq!(fork.history().len(), messages);
        assert_eq!(fork.state().get("number"), number.map(|number: u32| number.into()));
        assert_eq!(fork.user().as_deref(), Some("ada"));
        assert!(fork.usage().is_empty());
    }
    for messages in [2, 13] {
        let error = sessions.fork("a", "b", messages).await.unwrap_err();
        assert!(matches!(error, SessionError::WrongPlace { found: 12, .. }), "{error}");
    }
    let exists = sessions.fork("a", "fork-4", 4).await.unwrap_err();
    assert!(matches!(exists, SessionError::Store(SessionStoreError::Exists { .. })), "{exists}");
    let missing = sessions.fork("z", "y", 4).await.unwrap_err();
    assert!(matches!(missing, SessionError::Store(SessionStoreError::Missing { .. })), "{missing}");
    let fork = clerk.open_session("fork-4").await.unwrap();
    clerk.request("17").session(&fork).user("ada").run().await.unwrap();
    assert_eq!((fork.history().len(), fork.state().get("number")), (8, Some(1.into())));
    assert_eq!(clerk.open_session("a").await.unwrap().history().len(), 12);
}

#[tokio::test]
async fn a12_a_session_returns_to_an_earlier_place_and_goes_on_from_there() {
    let store = Arc::new(MemorySessions::default());
    let clerk = with_three_runs(&store).await;
    let sessions = Sessions::new(Arc::clone(&store));
    let before = store.read("a", 0).await.unwrap();
    sessions.rewind("a", 8).await.unwrap();
    let after = store.read("a", 0).await.unwrap();
    assert_eq!(
        (&after[..before.len()], after.len()),
        (&before[..], before.len() + 1),
        "nothing is rewritten"
    );

    let session = clerk.open_session("a").await.unwrap();
    clerk.request("again").session(&session).user("ada").run().await.unwrap();
    assert_eq!((session.history().len(), session.state().get("number")), (12, Some(2.into())));
    sessions.rewind("a", 0).await.unwrap();
    session.reload().await.unwrap();
    assert_eq!((session.history().len(), session.state().get("number")), (0, None));
    let read = sessions.read("a").await.unwrap();
    assert_eq!((read.content.history().len(), read.user.as_deref()), (0, Some("ada")));
    assert!(read.usage.total().total() > 0, "what was used stays used");
}

#[tokio::test]
async fn a12_places_are_those_of_the_conversation_as_it_is_now() {
    let store = Arc::new(MemorySessions::default());
    let clerk = with_three_runs(&store).await;
    let session = clerk.open_session("a").await.unwrap();
    session.set_history([]).unwrap();
    clerk.request("afresh").session(&session).user("ada").run().await.unwrap();
    let sessions = Sessions::new(Arc::clone(&store));
    for messages in [0, 1, 3, 4] {
        let id = format!("fork-{messages}");
        sessions.fork("a", &id, messages).await.unwrap();
        let forked = sessions.read(&id).await.unwrap();
        let expected: Vec<_> = session.history().iter().take(messages).cloned().collect();
        assert_eq!(*forked.content.history(), expected, "{messages}");
    }
    for messages in [2, 5, 12] {
        assert!(sessions.fork("a", "b", messages).await.is_err(), "{messages}");
    }
}

#[tokio::test]
async fn a12_an_export_is_the_same_session_elsewhere() {
    let store = Arc::new(MemorySessions::default());
    let clerk = with_three_runs(&store).await;
    let sessions = Sessions::new(Arc::clone(&store));
    let json = serde_json::to_string(&sessions.export("a").await.unwrap()).unwrap();
    let export: SessionExport = serde_json::from_str(&json).unwrap();
    sessions.import("b", export.clone()).await.unwrap();
    let (one, other) = (clerk.open_session("a").await.unwrap(), clerk.open_session("b").await.unwrap());
    assert_eq!((one.history(), one.usage()), (other.history(), other.usage()));
    assert_eq!(store.read("a", 0).await.unwrap(), store.read("b", 0).await.unwrap());

    assert!(sessions.import("b", export).await.is_err(), "it exists");
    for (from, to) in
        [("\"version\":1,\"records\"", "\"version\":9,\"records\""), ("\"records\"", "\"record\"")]
    {
        assert!(serde_json::from_str::<SessionExport>(&json.replace(from, to)).is_err(), "{to}");
    }
    let unknown = json.replace("\"kind\":\"message\"", "\"kind\":\"massage\"");
    let error = serde_json::from_str::<SessionExport>(&unknown).unwrap_err().to_string();
    assert!(!error.contains("tidal"), "{error}");
}

#[tokio::test]
async fn a12_the_sessions_of_a_user_are_deleted_for_good() {
    let store = Arc::new(MemorySessions::default());
    let clerk = with_three_runs(&store).await;
    let other = clerk.open_session("other").await.unwrap();
    clerk.request("9").session(&other).user("bo").run().await.unwrap();
    let sessions = Sessions::new(Arc::clone(&store));
    let mut query = SessionQuery::default();
    query.text = Some("TIDAL".to_owned());
    assert_eq!(sessions.list(&query).await.unwrap().sessions.len(), 2);

    let open = clerk.open_session("a").await.unwrap();
    assert_eq!(sessions.delete(&SessionSelection::user("ada")).await.unwrap(), 1);
    let left = sessions.list(&query).await.unwrap().sessions;
    assert_eq!(left.iter().map(|session| &*session.id).collect::<Vec<_>>(), ["other"]);
    let error = sessions.read("a").await.unwrap_err();
    assert!(matches!(error, SessionError::Store(SessionStoreError::Missing { .. })), "{error}");
    // A program that has it open is told, because the next record would not fit.
    for _ in 0..2 {
        let error = clerk.request("1").session(&open).user("ada").run().await.unwrap_err();
        let is_missing = matches!(
            &error,
            RunError::Session { source: SessionError::Store(SessionStoreError::Missing { .. }), .. }
        );
        assert!(is_missing, "{error}");
        assert!(store.read("a", 0).await.unwrap().is_empty());
    }
    assert!(clerk.open_session("a").await.unwrap().history().is_empty());
}
