//! The calls in progress of a server.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Semaphore, SemaphorePermit};

/// The maximum number of calls in progress. Beyond it, a call is refused at once, so that the others go on.
const MAX_CALLS: u32 = 4096;

/// Counts the calls in progress, and ends them.
#[derive(Debug)]
pub(crate) struct Calls {
    free: Semaphore,
    is_ending: AtomicBool,
}

impl Default for Calls {
    fn default() -> Self {
        Self { free: Semaphore::new(MAX_CALLS as usize), is_ending: AtomicBool::new(false) }
    }
}

impl Calls {
    /// Begins a call, which is in progress until the permit is dropped; `None` if there are too many, or if the server ends.
    pub(crate) fn begin(&self) -> Option<SemaphorePermit<'_>> {
        if self.is_ending() { None } else { self.free.try_acquire().ok() }
    }

    /// Whether no new call begins.
    pub(crate) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// From here on no new call begins.
    pub(crate) fn end(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
    }

    /// Waits until no call is in progress.
    pub(crate) async fn ended(&self) {
        let _ = self.free.acquire_many(MAX_CALLS).await;
    }
}
