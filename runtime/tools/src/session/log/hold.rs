//! The lease on a stored session in its store: acquiring, renewing and releasing it.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{NotBegun, SessionError, SessionLog};
use crate::session::exclusive::late;
use crate::session::{NoTurn, Wait};
use crate::session_store::{SessionLease, SessionStore, SessionStoreError};

/// The pauses between attempts to acquire a lease that another process holds.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// The shortest pause between renewals of a lease.
const LEAST_RENEWAL: Duration = Duration::from_millis(10);

impl SessionLog {
    /// Waits for the lease, and returns the number of records.
    pub(super) async fn acquire(&self, wait: Wait<'_>) -> Result<u64, NotBegun> {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.store.acquire(&self.lease).await {
                Ok(count) => return Ok(count),
                Err(SessionStoreError::Held { .. }) => {}
                Err(error) => return Err(error.into()),
            }
            let late = late(wait.deadline.clone());
            tokio::select! {
                biased;
                () = wait.token.cancelled() => return Err(NotBegun::NoTurn(NoTurn::Cancelled)),
                limit = late => return Err(NotBegun::NoTurn(NoTurn::Busy(limit))),
                () = sleep(pause) => {}
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// As [`Self::acquire`], however long it takes.
    pub(super) async fn acquire_alone(&self) -> Result<u64, SessionError> {
        let token = CancellationToken::new();
        match self.acquire(Wait { deadline: None, token: &token }).await {
            Ok(count) => Ok(count),
            Err(NotBegun::Session(error)) => Err(error),
            Err(NotBegun::NoTurn(_) | NotBegun::Answer(_)) => Err(SessionStoreError::held(self.id()).into()),
        }
    }

    /// Renews the lease until the task is aborted; `None` outside of a runtime. `count` is the number of records.
    pub(super) fn renewal(&self, count: u64) -> Option<JoinHandle<()>> {
        let runtime = Handle::try_current().ok()?;
        Some(runtime.spawn(renew(Arc::clone(&self.store), self.lease.clone(), count)))
    }

    pub(super) async fn release(&self) {
        if let Err(error) = self.store.release(&self.lease).await {
            tracing::warn!(session = self.id(), "the lease on a session was not released: {error}");
        }
    }
}

/// Renews a lease, but does not acquire one that was lost, for example with its session.
async fn renew(store: Arc<dyn SessionStore>, lease: SessionLease, mut count: u64) {
    loop {
        sleep((lease.time() / 3).max(LEAST_RENEWAL)).await;
        while let Err(error) = store.append(&lease, count, &[]).await {
            match error {
                // The run has appended.
                SessionStoreError::Changed { found, .. } if found > count => count = found,
                error => {
                    // The next record of the run finds out too, and ends it.
                    tracing::warn!(
                        session = lease.session(),
                        "the lease on a session was not renewed: {error}"
                    );
                    break;
                }
            }
        }
    }
}
