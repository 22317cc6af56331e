//! The store of sessions.

mod append;
mod delete;
mod lease;
mod list;
mod read;
mod rows;

use std::time::Duration;

use onionskin_core::BoxFuture;
use onionskin_core::sessions::{
    SessionLease, SessionPage, SessionQuery, SessionRecord, SessionSelection, SessionStore, SessionStoreError,
};

use self::append::Appended;
use crate::Sqlite;

impl SessionStore for Sqlite {
    fn acquire<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<u64, SessionStoreError>> {
        let lease = lease.clone();
        Box::pin(self.writer().write(move |connection| lease::acquire(connection, &lease)))
    }

    fn release<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        let lease = lease.clone();
        Box::pin(self.writer().write(move |connection| lease::release(connection, &lease)))
    }

    fn append<'a>(
        &'a self,
        lease: &'a SessionLease,
        after: u64,
        records: &'a [SessionRecord],
    ) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        Box::pin(async move {
            let appended = Appended::new(lease, after, records)?;
            self.writer().write(move |connection| appended.write(connection)).await
        })
    }

    fn read<'a>(
        &'a self,
        session: &'a str,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<SessionRecord>, SessionStoreError>> {
        let session = session.to_owned();
        Box::pin(self.readers().read(move |connection| read::read(connection, &session, after)))
    }

    fn list<'a>(&'a self, query: &'a SessionQuery) -> BoxFuture<'a, Result<SessionPage, SessionStoreError>> {
        let query = query.clone();
        Box::pin(self.readers().read(move |connection| list::list(connection, &query)))
    }

    fn delete<'a>(
        &'a self,
        selection: &'a SessionSelection,
    ) -> BoxFuture<'a, Result<u64, SessionStoreError>> {
        let selection = selection.clone();
        Box::pin(self.writer().wipe(move |connection| delete::delete(connection, &selection)))
    }

    fn lease_time(&self) -> Duration {
        self.stored_lease_time()
    }
}
