//! Stores of sessions: each session is a log of records, to which runs append.

mod error;
mod memory;
mod query;
mod record;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;

pub use error::SessionStoreError;
pub use memory::MemorySessions;
pub use query::{SessionInfo, SessionPage, SessionQuery, SessionSelection};
pub use record::SessionRecord;
pub use record::{Change, ThreadKey};

/// The default of [`SessionStore::lease_time`].
const LEASE_TIME: Duration = Duration::from_secs(10);

/// Stores sessions. Each session has an id, which the program chooses, and a log of [records](SessionRecord). A run
/// appends records after each answer of the model and after each call, so a crash loses at most the step in progress.
///
/// A store knows neither messages nor states: it appends records, returns them in their order, and finds sessions by
/// the user, the time and the text of their records. It never changes a record. [`MemorySessions`] is one for tests.
/// `onionskin_testing::session_suite` tests a store of your own.
///
/// **Leases.** A run holds a lease on its session while it is in progress, so runs of a session take turns, also those
/// of other processes. A lease ends [`SessionStore::lease_time`] after it was acquired or renewed, so that a process
/// which died blocks nobody for longer. Only the holder appends. A holder that was too slow still has the lease until
/// another one acquires it.
///
/// **Errors.** A method that fails has changed nothing. [`SessionStoreError`] says which failure a run or a person can
/// handle.
///
/// **Cancel safety.** Dropping the future of a method leaves open whether it takes effect, also later. The session is
/// then read again before the next records are appended.
///
/// ```
/// use onionskin::BoxFuture;
/// use onionskin::sessions::{
///     MemorySessions, SessionLease, SessionPage, SessionQuery, SessionRecord, SessionSelection, SessionStore,
///     SessionStoreError,
/// };
///
/// /// Its sessions are deleted by hand only.
/// struct Permanent(MemorySessions);
///
/// impl SessionStore for Permanent {
///     fn acquire<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<u64, SessionStoreError>> {
///         self.0.acquire(lease)
///     }
///
///     fn release<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<(), SessionStoreError>> {
///         self.0.release(lease)
///     }
///
///     fn append<'a>(
///         &'a self,
///         lease: &'a SessionLease,
///         after: u64,
///         records: &'a [SessionRecord],
///     ) -> BoxFuture<'a, Result<(), SessionStoreError>> {
///         self.0.append(lease, after, records)
///     }
///
///     fn read<'a>(
///         &'a self,
///         session: &'a str,
///         after: u64,
///     ) -> BoxFuture<'a, Result<Vec<SessionRecord>, SessionStoreError>> {
///         self.0.read(session, after)
///     }
///
///     fn list<'a>(&'a self, query: &'a SessionQuery) -> BoxFuture<'a, Result<SessionPage, SessionStoreError>> {
///         self.0.list(query)
///     }
///
///     fn delete<'a>(&'a self, _: &'a SessionSelection) -> BoxFuture<'a, Result<u64, SessionStoreError>> {
///         Box::pin(async { Err(SessionStoreError::storage("sessions are deleted by hand")) })
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not store sessions",
    label = "not a session store",
    note = "implement `SessionStore` for the type; `MemorySessions` keeps sessions in memory, and `Sqlite::open(..).await?` in a file"
)]
pub trait SessionStore: Send + Sync + 'static {
    /// Acquires a lease, and returns the number of records of the session: 0 if there is no such session. A lease that
    /// has ended is free for each holder, and the holder can acquire it again.
    ///
    /// Cancel safety: as for all methods.
    ///
    /// # Errors
    /// Returns [`SessionStoreError::Held`] while another holder has the lease.
    fn acquire<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<u64, SessionStoreError>>;

    /// Ends a lease. It has no effect if the holder does not have it.
    ///
    /// Cancel safety: as for all methods.
    ///
    /// # Errors
    /// Returns an error if the store fails. The lease then ends with its time.
    fn release<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<(), SessionStoreError>>;

    /// Appends records to the log of a session, all or none, and renews the lease. `after` is the number of records
    /// that the session has. The records are durable when this returns. Without records it only renews the lease.
    ///
    /// Cancel safety: as for all methods.
    ///
    /// # Errors
    /// Returns [`SessionStoreError::Lost`] if another holder has acquired the lease, or nobody has it because it was
    /// released or the session was deleted; otherwise [`SessionStoreError::Changed`] if the session has another number
    /// of records.
    fn append<'a>(
        &'a self,
        lease: &'a SessionLease,
        after: u64,
        records: &'a [SessionRecord],
    ) -> BoxFuture<'a, Result<(), SessionStoreError>>;

    /// Reads the records of a session after the first `after` ones, in their order. There are none if there is no such
    /// session.
    ///
    /// Cancel safety: as for all methods.
    ///
    /// # Errors
    /// Returns [`SessionStoreError::Corrupt`] or [`SessionStoreError::Version`] if a record cannot be read.
    fn read<'a>(
        &'a self,
        session: &'a str,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<SessionRecord>, SessionStoreError>>;

    /// Lists the sessions that a query selects, the most recently changed ones first.
    ///
    /// Cancel safety: as for all methods.
    ///
    /// # Errors
    /// Returns an error if the store fails, if the query's cursor is not one of this store, or if its text is too long.
    fn list<'a>(&'a self, query: &'a SessionQuery) -> BoxFuture<'a, Result<SessionPage, SessionStoreError>>;

    /// Deletes sessions, and returns their number. Nothing of their records can be read afterwards, not even in the
    /// store's files. A run in progress in such a session fails at its next record.
    ///
    /// Cancel safety: as for all methods.
    ///
    /// # Errors
    /// Returns an error if the store fails. Some of the sessions may be deleted then: repeat it. With
    /// [`SessionStoreError::Remains`] all of them are, and only their content is left, so the repetition returns 0.
    fn delete<'a>(&'a self, selection: &'a SessionSelection)
    -> BoxFuture<'a, Result<u64, SessionStoreError>>;

    /// How long a lease lasts without renewal. A run renews it three times in this time. Default: 10 seconds.
    fn lease_time(&self) -> Duration {
        LEASE_TIME
    }
}

impl<S: SessionStore + ?Sized> SessionStore for Arc<S> {
    fn acquire<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<u64, SessionStoreError>> {
        (**self).acquire(lease)
    }

    fn release<'a>(&'a self, lease: &'a SessionLease) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        (**self).release(lease)
    }

    fn append<'a>(
        &'a self,
        lease: &'a SessionLease,
        after: u64,
        records: &'a [SessionRecord],
    ) -> BoxFuture<'a, Result<(), SessionStoreError>> {
        (**self).append(lease, after, records)
    }

    fn read<'a>(
        &'a self,
        session: &'a str,
        after: u64,
    ) -> BoxFuture<'a, Result<Vec<SessionRecord>, SessionStoreError>> {
        (**self).read(session, after)
    }

    fn list<'a>(&'a self, query: &'a SessionQuery) -> BoxFuture<'a, Result<SessionPage, SessionStoreError>> {
        (**self).list(query)
    }

    fn delete<'a>(
        &'a self,
        selection: &'a SessionSelection,
    ) -> BoxFuture<'a, Result<u64, SessionStoreError>> {
        (**self).delete(selection)
    }

    fn lease_time(&self) -> Duration {
        (**self).lease_time()
    }
}

/// The exclusive right of a holder to append to a session.
///
/// Runs create it. A program creates one to call a store by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionLease {
    session: Arc<str>,
    holder: Arc<str>,
    time: Duration,
}

impl SessionLease {
    /// A lease on a session for a holder, whose id is unique in all processes. `time` is how long it lasts after it
    /// was acquired or renewed.
    pub fn new(session: impl Into<Arc<str>>, holder: impl Into<Arc<str>>, time: Duration) -> Self {
        Self { session: session.into(), holder: holder.into(), time }
    }

    /// The id of the session.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The holder.
    pub fn holder(&self) -> &str {
        &self.holder
    }

    /// How long it lasts after it was acquired or renewed.
    pub fn time(&self) -> Duration {
        self.time
    }
}
