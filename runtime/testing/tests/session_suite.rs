//! A12: the suite for stores of sessions accepts the store in memory, and finds the mistakes of others.
#![allow(clippy::unwrap_used, reason = "tests may panic, in their helpers too")]

use std::time::Duration;

use onionskin::BoxFuture;
use onionskin::sessions::{
    MemorySessions, SessionLease, SessionPage, SessionQuery, SessionRecord, SessionSelection, SessionStore,
    SessionStoreError,
};
use onionskin::testing::session_suite;
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a12_the_store_in_memory_passes_the_suite() {
    let report = session_suite(|| async { MemorySessions::default() }).await;
    report.assert_passed();
    assert_eq!(report.cases().count(), 29);
}

/// What is wrong with a store.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mistake {
    /// Every holder gets every lease.
    SharesLeases,
    /// Leases have no end.
    NeverEnds,
    /// Appends do not renew the lease.
    RenewsNothing,
    /// Appends without records do nothing.
    SkipsEmpty,
    /// Appends without records acquire the lease.
    Revives,
    /// Appends have any number.
    AppendsAnywhere,
    /// The last record of an append is lost.
    LosesLast,
    /// Reads begin one record too early.
    ReadsMore,
    /// Ids have no upper case.
    FoldsIds,
    /// Lists have no pages after the first.
    HasOnePage,
    /// The user of a query does not matter.
    ListsAllUsers,
    /// The words of a query do not matter.
    FindsAll,
    /// Only one session of a user is deleted.
    DeletesOne,
    /// A deleted session stays with its lease.
    DeletesNothing,
}

struct Wrong {
    memory: MemorySessions,
    mistake: Mistake,
}

impl Wrong {
    fn lease(&self, lease: &SessionLease) -> SessionLease {
        let session = self.id(lease.session());
        let holder = if self.mistake == Mistake::SharesLeases { "all" } else { lease.holder() };
        let never = Duration::from_hours(1);
        let time = if self.mistake == Mistake::NeverEnds { never } else { lease.time() };
        SessionLease::new(session, holder, time)
    }

    fn id(&self, session: &str) -> String {
        if self.mistake == Mistake::FoldsIds { session.to_lowercase() } else { session.to_owned() }
    }
}

impl SessionStore for Wrong {
    fn acquire<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<u64, SessionStoreError>> {
        Box::pin(async { self.memory.acquire(&self.lease(lease)).await })
    }

    fn release<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        Box::pin(async { self.memory.release(&self.lease(lease)).await })
    }

    fn append<'a>(
        &'a self,
        lease: &'a SessionLease,
        after: u64,
        records: &'a [SessionRecord],
    ) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        Box::pin(async move {
            let mut lease = self.lease(lease);
            let mut records = records;
            let mut after = after;
            match self.mistake {
                Mistake::SkipsEmpty if records.is_empty() => return Ok(()),
                Mistake::Revives if records.is_empty() => {
                    return self.memory.acquire(&lease).await.map(|_| ());
                }
                Mistake::LosesLast if records.len() > 1 => records = &records[..records.len() - 1],
                Mistake::AppendsAnywhere => {
                    after = self.memory.read(lease.session(), 0).await?.len().try_into().unwrap();
                }
                // The lease ends at once.
                Mistake::RenewsNothing => {
                    lease = SessionLease::new(lease.session(), lease.holder(), Duration::ZERO);
                }
                _ => {}
            }
            self.memory.append(&lease, after, records).await
        })
    }

    fn read<'a>(
        &'a self,
        session: &'a str,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<SessionRecord>, SessionStoreError>> {
        let after = if self.mistake == Mistake::ReadsMore { after.saturating_sub(1) } else { after };
        Box::pin(async move { self.memory.read(&self.id(session), after).await })
    }

    fn list<'a>(&'a self, query: &'a SessionQuery) -> BoxFuture<'a, Result<SessionPage, SessionStoreError>> {
        Box::pin(async move {
            let mut query = query.clone();
            match self.mistake {
                Mistake::ListsAllUsers => query.user = None,
                Mistake::FindsAll => query.text = None,
                _ => {}
            }
            let mut page = self.memory.list(&query).await?;
            if self.mistake == Mistake::HasOnePage {
                page.next = None;
            }
            Ok(page)
        })
    }

    fn delete<'a>(
        &'a self,
        selection: &'a SessionSelection,
    ) -> BoxFuture<'a, Result<u64, SessionStoreError>> {
        Box::pin(async move {
            match (self.mistake, selection) {
                (Mistake::DeletesNothing, _) => Ok(1),
                (Mistake::DeletesOne, SessionSelection::User(user)) => {
                    let mut query = SessionQuery::default();
                    query.user = Some(user.clone());
                    let page = self.memory.list(&query).await?;
                    let Some(session) = page.sessions.first() else { return Ok(0) };
                    self.memory.delete(&SessionSelection::session(session.id.clone())).await
                }
                _ => self.memory.delete(selection).await,
            }
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a12_the_suite_finds_the_mistakes_of_a_store() {
    let mut tasks = JoinSet::new();
    for (mistake, case) in [
        (Mistake::SharesLeases, "parallel_leases"),
        (Mistake::NeverEnds, "lease_end"),
        (Mistake::RenewsNothing, "lease_renewal"),
        (Mistake::SkipsEmpty, "lease_renewal"),
        (Mistake::Revives, "delete_in_progress"),
        (Mistake::AppendsAnywhere, "changed"),
        (Mistake::LosesLast, "order"),
        (Mistake::ReadsMore, "many_records"),
        (Mistake::FoldsIds, "ids"),
        (Mistake::HasOnePage, "pages"),
        (Mistake::ListsAllUsers, "users"),
        (Mistake::FindsAll, "search"),
        (Mistake::DeletesOne, "delete_user"),
        (Mistake::DeletesNothing, "delete_in_progress"),
    ] {
        tasks.spawn(async move {
            let make = || async { Wrong { memory: MemorySessions::default(), mistake } };
            let report = session_suite(make).await;
            assert!(report.failed().contains(&case), "{mistake:?} is not in:\n{report}");
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.unwrap();
    }
}
