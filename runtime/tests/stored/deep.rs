//! What a stranger's file or a large session can do to the one who reads it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use onionskin::model::{Message, ModelResponse, ToolCall};
use onionskin::sessions::{
    MemorySessions, SessionExport, SessionRecord, SessionStore, SessionStoreError, Sessions,
};
use onionskin::{ScriptedModel, agent};
use serde_json::{Value, json};

agent! { Clerk { instruction: "Serve." } }

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!([inner]))
}

fn is_corrupt<T>(read: &Result<T, SessionStoreError>) -> bool {
    matches!(read, Err(SessionStoreError::Corrupt { .. }))
}

#[test]
fn a12_json_that_is_nested_too_deeply_is_refused() {
    let deep = "[".repeat(1_000_000);
    assert!(is_corrupt(&SessionRecord::from_json(&deep)));
    assert!(is_corrupt(&SessionExport::from_json(&deep)));
    assert!(is_corrupt(&SessionExport::from_json(&format!(r#"{{"version": 1, "records": [{deep}"#))));
}

#[tokio::test]
async fn a12_what_is_written_is_not_nested_more_deeply_than_can_be_read() {
    let store = Arc::new(MemorySessions::default());
    let clerk = Clerk::builder().model(ScriptedModel::new()).session_store(Arc::clone(&store));
    let clerk = clerk.build().await.unwrap();
    let sessions = Sessions::new(Arc::clone(&store));
    for (id, levels, can_be_written) in [("a", 296, true), ("b", 297, false)] {
        let session = clerk.open_session(id).await.unwrap();
        session.state().set("deep", nested(levels));
        session.store().await.unwrap();
        let export = sessions.export(id).await.unwrap();
        let written = serde_json::to_string(&export);
        assert_eq!(written.is_ok(), can_be_written, "{levels}");
        assert_eq!(store.read(id, 0).await.unwrap()[0].to_json().is_ok(), can_be_written, "{levels}");
        if let Ok(written) = written {
            assert_eq!(SessionExport::from_json(&written).unwrap(), export);
        }
    }
}

#[test]
fn a12_a_record_of_an_impossible_time_is_refused() {
    let record = |at: u64| {
        let change = json!({ "kind": "rewound", "to": 0 });
        SessionRecord::from_json(&json!({ "version": 1, "at": at, "change": change }).to_string())
    };
    assert!(record(253_402_300_799_999).unwrap().at() > std::time::SystemTime::now());
    assert!(is_corrupt(&record(253_402_300_800_000)));
    assert!(is_corrupt(&record(u64::MAX)));
}

#[tokio::test]
async fn a12_a_message_with_many_calls_is_read_in_time() {
    let ids: Vec<_> = (0..5_000).map(|number| format!("call_{number}")).collect();
    let calls = ids.iter().map(|id| ToolCall::new(&**id, "look", "{}"));
    let message = Message::from(ModelResponse::tool_calls(calls));
    let mut changes = vec![json!({ "kind": "message", "message": Message::user("Look.") })];
    changes.push(json!({ "kind": "message", "message": message }));
    changes.extend(ids.iter().map(|id| {
        let result = json!({ "call_id": id, "name": "look", "content": [{ "type": "text", "text": "a lamp" }], "is_error": false });
        json!({ "kind": "results", "results": [result] })
    }));
    let records = changes.into_iter().map(|change| json!({ "version": 1, "at": 1, "change": change }));
    let export = json!({ "version": 1, "records": records.collect::<Vec<_>>() }).to_string();
    let sessions = Sessions::new(MemorySessions::default());
    let start = Instant::now();
    sessions.import("a", SessionExport::from_json(&export).unwrap()).await.unwrap();
    let read = sessions.read("a").await.unwrap();
    assert_eq!(read.content.history().len(), 3);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}
