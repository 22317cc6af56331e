//! What the tests of the file have in common.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use onionskin::sessions::{SessionLease, SessionRecord, SessionStore as _, SessionStoreError};
use onionskin::sqlite::Sqlite;
use serde_json::json;

/// A record with this change, which was written at this number of milliseconds since 1970.
pub(crate) fn record(at: u64, change: &serde_json::Value) -> SessionRecord {
    SessionRecord::from_json(&json!({ "version": 1, "at": at, "change": change }).to_string()).unwrap()
}

/// The beginning of a run of a user.
pub(crate) fn began(user: &str) -> SessionRecord {
    record(1, &json!({ "kind": "began", "run_id": "run-1", "agent": "Clerk", "user": user, "since": 0 }))
}

/// A message of a user.
pub(crate) fn message(text: &str) -> SessionRecord {
    let message = onionskin::model::Message::user(text);
    record(2, &json!({ "kind": "message", "message": message }))
}

pub(crate) fn lease(session: &str, holder: &str) -> SessionLease {
    SessionLease::new(session, holder, Duration::from_mins(10))
}

/// Acquires a session, appends records, and releases it.
pub(crate) async fn write(
    store: &Sqlite,
    session: &str,
    records: &[SessionRecord],
) -> Result<(), SessionStoreError> {
    let lease = lease(session, "a");
    let after = store.acquire(&lease).await?;
    store.append(&lease, after, records).await?;
    store.release(&lease).await
}

/// The texts of the messages of a session.
pub(crate) async fn texts(store: &Sqlite, session: &str) -> Result<Vec<String>, SessionStoreError> {
    let records = store.read(session, 0).await?;
    Ok(records.iter().filter_map(SessionRecord::search_text).collect())
}

/// Drops the last handle, and waits until the file is closed: `SQLite` then removes its log.
pub(crate) async fn close(store: Sqlite, file: &Path) {
    let log = file.with_extension("db-wal");
    assert!(log.exists());
    drop(store);
    let start = Instant::now();
    while log.exists() {
        assert!(start.elapsed() < Duration::from_secs(10), "the file is still open");
        tokio::task::yield_now().await;
    }
}

/// Numbers that are the same in each run.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        // The constants of PCG.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    /// A word that is nowhere else.
    pub(crate) fn word(&mut self) -> Arc<str> {
        (0..24).map(|_| char::from(b'a' + u8::try_from(self.below(26)).unwrap())).collect::<String>().into()
    }
}
