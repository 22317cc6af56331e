//! Cases about the records of sessions.

use std::sync::Arc;
use std::task::{Context, Waker};

use serde_json::json;
use tokio::task::JoinSet;

use super::probe::{Check, Probe, began, ensure, lease, message, messages, record_at, same};
use onionskin_definitions::content::ContentBlock;
use onionskin_tools::model::{Message, ModelResponse, ToolCall, ToolResultMessage};
use onionskin_tools::session_store::{
    Change, SessionQuery, SessionRecord, SessionSelection, SessionStoreError, ThreadKey,
};

pub(super) async fn no_session(probe: Probe) -> Check {
    same("records without a session", probe.read("nobody", 0).await?, Vec::new())?;
    same("the list of an empty store", probe.list(&SessionQuery::default()).await?.sessions, Vec::new())?;
    same("deleted sessions", probe.delete(&SessionSelection::session("nobody")).await?, 0)?;
    same("deleted sessions", probe.delete(&SessionSelection::user("nobody")).await?, 0)?;
    probe.release(&lease("nobody", "a")).await?;
    probe.append_lost(&lease("nobody", "a"), 0).await?;
    same("the count of a new session", probe.acquire(&lease("nobody", "a")).await?, 0)
}

pub(super) async fn order(probe: Probe) -> Check {
    let records = messages(["one", "two", "three", "four", "five"])?;
    let lease = lease("s", "a");
    probe.acquire(&lease).await?;
    probe.append(&lease, 0, &records[..2]).await?;
    probe.append(&lease, 2, &records[2..3]).await?;
    probe.append(&lease, 3, &[]).await?;
    probe.append(&lease, 3, &records[3..]).await?;
    for (after, from) in (0..).zip(0..=records.len()) {
        same("the records after some", probe.read("s", after).await?, records[from..].to_vec())?;
    }
    same("the records after more than there are", probe.read("s", 50).await?, Vec::new())?;
    same("the records after more than there are", probe.read("s", u64::MAX).await?, Vec::new())?;
    same("the count", probe.acquire(&lease).await?, 5)
}

pub(super) async fn all_changes(probe: Probe) -> Check {
    let call = ToolCall::new("call_1", "add_one", r#"{"x": 41}"#);
    let mut answer = ModelResponse::tool_calls([call]);
    answer.provider_data = Some(json!({ "signature": "a+b/c==", "null": null, "deep": [[[{}]]] }));
    let result = ToolResultMessage::new("call_1", "add_one", [ContentBlock::text("42")]);
    let thread = ThreadKey {
        caller: "Clerk".into(),
        tool: "agent__Desk".into(),
        user: Some("ada".into()),
        by_model: true,
        name: "first".into(),
    };
    let said = Message::user("Grüße aus \"Köln\"\n\\ 東京 🦀 é \u{0} \u{1f} \u{feff} \u{2028}");
    let changes = [
        began(None),
        began(Some("O'Neil; DROP TABLE sessions")),
        Change::Message { message: said },
        Change::Message { message: answer.into() },
        Change::Results { results: vec![result] },
        Change::Child { from: 0, child: "Desk".into(), messages: vec![Message::assistant("Done.")] },
        Change::Value { key: "a key".to_owned(), value: Some(json!(null)) },
        Change::Value { key: String::new(), value: None },
        Change::State { name: "Stock".into(), value: json!({ "lamps": 3, "float": 0.1, "big": u64::MAX }) },
        Change::Thread { thread, change: Box::new(message("In a thread.")) },
        Change::Resolved { run_id: "run-1".into() },
        Change::Rewound { to: 2 },
    ];
    let records: Check<Vec<_>> = changes.into_iter().map(|change| record_at(7, change)).collect();
    let records = records?;
    probe.write("s", &records).await?;
    same("the records", probe.read("s", 0).await?, records)
}

pub(super) async fn large_record(probe: Probe) -> Check {
    let texts: Vec<_> = [1_000, 5_000, 100_000, 3_000_000].map(|bytes| "lamp ".repeat(bytes / 5)).into();
    let records = messages(texts.iter().map(String::as_str))?;
    probe.write("s", &records).await?;
    ensure(probe.read("s", 0).await? == records, || "a large record is not as it was".to_owned())
}

pub(super) async fn many_records(probe: Probe) -> Check {
    let texts: Vec<_> = (0..2_000).map(|number| format!("message {number}")).collect();
    let records = messages(texts.iter().map(String::as_str))?;
    let lease = lease("s", "a");
    probe.acquire(&lease).await?;
    probe.append(&lease, 0, &records).await?;
    probe.append(&lease, 2_000, &records).await?;
    let read = probe.read("s", 1_000).await?;
    same("the number of records", read.len(), 3_000)?;
    ensure(read == [&records[1_000..], &records].concat(), || "the records are not as they were".to_owned())
}

pub(super) async fn changed(probe: Probe) -> Check {
    let records = messages(["one", "two"])?;
    let lease = lease("s", "a");
    probe.acquire(&lease).await?;
    probe.append(&lease, 0, &records).await?;
    for (after, appended) in [(0, &records[..]), (1, &records), (3, &records), (u64::MAX, &records), (0, &[])]
    {
        let expected = Err(SessionStoreError::changed("s", after, 2));
        let found = probe.store().append(&lease, after, appended).await;
        same("`append` after another number of records", found, expected)?;
    }
    same("the records", probe.read("s", 0).await?, records)
}

/// All ids that a session may have, and each is another one.
pub(super) async fn ids(probe: Probe) -> Check {
    let long = ["l".repeat(255), "l".repeat(256), "é".repeat(128)];
    let ids = [
        "a",
        "A",
        "a ",
        " a",
        "é",
        "e\u{301}",
        "ticket-7",
        "a/b",
        "a\\b",
        "..",
        ".",
        "/etc/passwd",
        "a.jsonl",
        "%",
        "_",
        "a%2Fb",
        "'",
        "\"",
        "*",
        "a:b",
        "CON",
        "🦀",
        "東京",
        "NULL",
        "0",
        "00",
        "-1",
        "~",
        "$HOME",
    ];
    let ids: Vec<_> = ids.into_iter().chain(long.iter().map(String::as_str)).collect();
    for (number, id) in ids.iter().enumerate() {
        same("the count of a new session", probe.acquire(&lease(id, "a")).await?, 0)?;
        probe.append(&lease(id, "a"), 0, &messages([&*format!("message {number}")])?).await?;
    }
    for (number, id) in ids.iter().enumerate() {
        let expected = messages([&*format!("message {number}")])?;
        same(&format!("the records of {id:?}"), probe.read(id, 0).await?, expected)?;
    }
    let page = probe.list(&super::probe::query(|query| query.limit = 1_000)).await?;
    let (mut listed, mut expected) = (super::probe::ids(&page), ids.clone());
    listed.sort_unstable();
    expected.sort_unstable();
    same("the listed ids", listed, expected)?;
    for id in &ids {
        same(&format!("deletion of {id:?}"), probe.delete(&SessionSelection::session(*id)).await?, 1)?;
        same("the records of a deleted session", probe.read(id, 0).await?, Vec::new())?;
    }
    Ok(())
}

/// Appends ten records, one at a time.
async fn append_ten(probe: Probe, session: String) -> Check {
    let lease = lease(&session, &session);
    probe.acquire(&lease).await?;
    for after in 0..10 {
        let record = messages([&*format!("{session} {after}")])?;
        probe.append(&lease, after, &record).await?;
    }
    probe.release(&lease).await
}

pub(super) async fn parallel_sessions(probe: Probe) -> Check {
    let mut tasks = JoinSet::new();
    for number in 0..32 {
        tasks.spawn(append_ten(probe.clone(), format!("session-{number}")));
    }
    while let Some(ended) = tasks.join_next().await {
        ended.map_err(|error| error.to_string())??;
    }
    for number in 0..32 {
        let session = format!("session-{number}");
        let expected: Vec<_> = (0..10).map(|after| format!("{session} {after}")).collect();
        let found = probe.read(&session, 0).await?;
        let found: Vec<_> = found.iter().filter_map(SessionRecord::search_text).collect();
        same("the records of a session", found, expected)?;
    }
    Ok(())
}

/// Of several appends after the same record, one succeeds.
pub(super) async fn parallel_writers(probe: Probe) -> Check {
    let lease = Arc::new(lease("s", "a"));
    probe.acquire(&lease).await?;
    for round in 0..10 {
        let mut tasks = JoinSet::new();
        for writer in 0..8 {
            let (probe, lease) = (probe.clone(), Arc::clone(&lease));
            let record = messages([&*format!("{round} {writer}")])?;
            tasks.spawn(async move { probe.store().append(&lease, round, &record).await });
        }
        let mut succeeded = 0;
        while let Some(ended) = tasks.join_next().await {
            match ended.map_err(|error| error.to_string())? {
                Ok(()) => succeeded += 1,
                Err(error) => {
                    same("a late append", error, SessionStoreError::changed("s", round, round + 1))?;
                }
            }
        }
        same("successful appends after the same record", succeeded, 1)?;
    }
    same("the number of records", probe.read("s", 0).await?.len(), 10)
}

/// A dropped append takes effect as a whole or not at all, perhaps later.
pub(super) async fn cancellation(probe: Probe) -> Check {
    let records = messages(["one", "two", "three"])?;
    let lease = lease("s", "a");
    let mut count = 0;
    probe.acquire(&lease).await?;
    for _ in 0..20 {
        {
            let mut dropped = probe.store().append(&lease, count, &records);
            let mut context = Context::from_waker(Waker::noop());
            let _ = dropped.as_mut().poll(&mut context);
        }
        // It appends the same, so one of both is too late.
        match probe.store().append(&lease, count, &records).await {
            Ok(()) => {}
            Err(error) => same("a late append", error, SessionStoreError::changed("s", count, count + 3))?,
        }
        count += 3;
        let expected: Vec<_> = records.iter().cloned().cycle().take(count.try_into().unwrap_or(0)).collect();
        same("the records", probe.read("s", 0).await?, expected)?;
    }
    Ok(())
}
