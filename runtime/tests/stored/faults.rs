//! A store that fails at a chosen moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use onionskin::BoxFuture;
use onionskin::sessions::{
    MemorySessions, SessionLease, SessionPage, SessionQuery, SessionRecord, SessionSelection, SessionStore,
    SessionStoreError,
};

/// What happens to the append with the number of the fault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// It fails, and changes nothing.
    Fails,
    /// It never returns, and changes nothing.
    HangsBefore,
    /// It takes effect, and never returns.
    HangsAfter,
}

/// Fails one append.
pub struct Faulty {
    store: Arc<MemorySessions>,
    left: AtomicUsize,
    fault: Fault,
    /// Whether an answer of a person was among the records that failed.
    lost_answer: AtomicBool,
}

impl Faulty {
    /// The append with this number fails, counted from 0.
    pub fn new(store: &Arc<MemorySessions>, number: usize, fault: Fault) -> Self {
        Self {
            store: Arc::clone(store),
            left: AtomicUsize::new(number + 1),
            fault,
            lost_answer: AtomicBool::new(false),
        }
    }

    /// Whether an answer of a person did not reach the store.
    pub fn lost_an_answer(&self) -> bool {
        self.lost_answer.load(Ordering::Relaxed)
    }

    /// Whether the fault happened.
    pub fn has_failed(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }
}

impl SessionStore for Faulty {
    fn acquire<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<u64, SessionStoreError>> {
        self.store.acquire(lease)
    }

    fn release<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        self.store.release(lease)
    }

    fn append<'a>(
        &'a self,
        lease: &'a SessionLease,
        after: u64,
        records: &'a [SessionRecord],
    ) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        if records.is_empty() {
            // It only renews the lease.
            return self.store.append(lease, after, records);
        }
        let left = self.left.load(Ordering::Relaxed);
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        if left != 1 {
            return self.store.append(lease, after, records);
        }
        let has_answer =
            records.iter().any(|record| record.to_json().unwrap().contains(r#""kind":"answered""#));
        self.lost_answer.store(has_answer && self.fault != Fault::HangsAfter, Ordering::Relaxed);
        match self.fault {
            Fault::Fails => Box::pin(async { Err(SessionStoreError::full("no space left on the device")) }),
            Fault::HangsBefore => Box::pin(std::future::pending()),
            Fault::HangsAfter => {
                let done = self.store.append(lease, after, records);
                Box::pin(async {
                    done.await.unwrap();
                    std::future::pending().await
                })
            }
        }
    }

    fn read<'a>(
        &'a self,
        session: &'a str,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<SessionRecord>, SessionStoreError>> {
        self.store.read(session, after)
    }

    fn list<'a>(&'a self, query: &'a SessionQuery) -> BoxFuture<'a, Result<SessionPage, SessionStoreError>> {
        self.store.list(query)
    }

    fn delete<'a>(
        &'a self,
        selection: &'a SessionSelection,
    ) -> BoxFuture<'a, Result<u64, SessionStoreError>> {
        self.store.delete(selection)
    }
}
