//! Calls the store of a case, and compares what it returns.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use onionskin_tools::model::Message;
use onionskin_tools::session_store::{
    Change, SessionInfo, SessionLease, SessionPage, SessionQuery, SessionRecord, SessionSelection,
    SessionStore, SessionStoreError,
};

/// The time of a lease that does not end within a case.
pub(super) const LONG: Duration = Duration::from_mins(10);

/// The first moment of a case, in milliseconds since 1970.
pub(super) const START: u64 = 1_800_000_000_000;

/// The mistake, if a case fails.
pub(super) type Check<T = ()> = Result<T, String>;

/// Fails with the reason if the condition does not hold.
pub(super) fn ensure(holds: bool, reason: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(reason()) }
}

#[derive(Clone)]
pub(super) struct Probe {
    store: Arc<dyn SessionStore>,
}

/// A record that was written at `START` and this number of milliseconds.
pub(super) fn record_at(milliseconds: u64, change: Change) -> Check<SessionRecord> {
    let said = |error: SessionStoreError| format!("a record cannot be created: {error}");
    let stored = SessionRecord::now(change).to_json().map_err(said)?;
    let mut stored: Value = serde_json::from_str(&stored).map_err(|error| error.to_string())?;
    stored["at"] = Value::from(START + milliseconds);
    SessionRecord::from_json(&stored.to_string()).map_err(said)
}

pub(super) fn began(user: Option<&str>) -> Change {
    Change::Began { run_id: "run-1".into(), agent: "Clerk".into(), user: user.map(Into::into), since: 0 }
}

pub(super) fn message(text: &str) -> Change {
    Change::Message { message: Message::user(text) }
}

/// Records with these messages.
pub(super) fn messages<'t>(texts: impl IntoIterator<Item = &'t str>) -> Check<Vec<SessionRecord>> {
    (0..).zip(texts).map(|(at, text)| record_at(at, message(text))).collect()
}

pub(super) fn lease(session: &str, holder: &str) -> SessionLease {
    SessionLease::new(session, holder, LONG)
}

/// A query with the fields that the closure sets.
pub(super) fn query(set: impl FnOnce(&mut SessionQuery)) -> SessionQuery {
    let mut query = SessionQuery::default();
    set(&mut query);
    query
}

/// Fails if the values differ.
#[allow(clippy::needless_pass_by_value, reason = "the cases compare what they have just received")]
pub(super) fn same<T: PartialEq + Debug>(what: &str, found: T, expected: T) -> Check {
    ensure(found == expected, || format!("{what}: expected {expected:?}, found {found:?}"))
}

pub(super) fn ids(page: &SessionPage) -> Vec<&str> {
    page.sessions.iter().map(|session| &*session.id).collect()
}

impl Probe {
    pub(super) fn new(store: Arc<dyn SessionStore>) -> Self {
        Self { store }
    }

    pub(super) fn store(&self) -> &dyn SessionStore {
        &*self.store
    }

    pub(super) async fn acquire(&self, lease: &SessionLease) -> Check<u64> {
        let acquired = self.store.acquire(lease).await;
        acquired.map_err(|error| format!("`acquire` of {:?} failed: {error}", lease.session()))
    }

    /// Acquires what another holder has.
    pub(super) async fn acquire_held(&self, lease: &SessionLease) -> Check {
        let expected = Err(SessionStoreError::held(lease.session()));
        same("`acquire` of a held session", self.store.acquire(lease).await, expected)
    }

    pub(super) async fn release(&self, lease: &SessionLease) -> Check {
        self.store.release(lease).await.map_err(|error| format!("`release` failed: {error}"))
    }

    pub(super) async fn append(&self, lease: &SessionLease, after: u64, records: &[SessionRecord]) -> Check {
        let appended = self.store.append(lease, after, records).await;
        appended.map_err(|error| format!("`append` to {:?} failed: {error}", lease.session()))
    }

    /// Appends without a lease.
    pub(super) async fn append_lost(&self, lease: &SessionLease, after: u64) -> Check {
        let records = messages(["It must not be stored."])?;
        let expected = Err(SessionStoreError::lost(lease.session()));
        same("`append` without a lease", self.store.append(lease, after, &records).await, expected)
    }

    /// Acquires the session, appends to it, and releases it.
    pub(super) async fn write(&self, session: &str, records: &[SessionRecord]) -> Check {
        let lease = lease(session, "a writer");
        let after = self.acquire(&lease).await?;
        self.append(&lease, after, records).await?;
        self.release(&lease).await
    }

    pub(super) async fn read(&self, session: &str, after: u64) -> Check<Vec<SessionRecord>> {
        self.store
            .read(session, after)
            .await
            .map_err(|error| format!("`read` of {session:?} failed: {error}"))
    }

    pub(super) async fn list(&self, query: &SessionQuery) -> Check<SessionPage> {
        self.store.list(query).await.map_err(|error| format!("`list` with {query:?} failed: {error}"))
    }

    /// The only session of a list.
    pub(super) async fn listed(&self, query: &SessionQuery) -> Check<SessionInfo> {
        let mut page = self.list(query).await?;
        same("the number of listed sessions", page.sessions.len(), 1)?;
        page.sessions.pop().ok_or_else(|| "there is no session".to_owned())
    }

    pub(super) async fn delete(&self, selection: &SessionSelection) -> Check<u64> {
        let deleted = self.store.delete(selection).await;
        deleted.map_err(|error| format!("`delete` of {selection:?} failed: {error}"))
    }
}
