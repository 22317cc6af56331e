//! The calls in progress of a connection or of a listening server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use onionskin_core::CancellationToken;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The maximum number of calls in progress. Beyond it, a call is refused at once, so that the others go on.
const MAX_CALLS: u32 = 4096;
/// The maximum number of calls in progress of one user.
const MAX_OF_USER: u32 = 1024;

/// Counts the calls in progress, and ends them.
#[derive(Debug)]
pub(crate) struct Calls {
    free: Arc<Semaphore>,
    user_counts: Mutex<HashMap<String, u32>>,
    /// Cancelled when the server ends. From then on, no call begins, and no run begins another turn.
    stop: CancellationToken,
    /// Cancelled when the time for the calls in progress is over.
    abort: CancellationToken,
}

impl Default for Calls {
    fn default() -> Self {
        Self {
            free: Arc::new(Semaphore::new(MAX_CALLS as usize)),
            user_counts: Mutex::default(),
            stop: CancellationToken::new(),
            abort: CancellationToken::new(),
        }
    }
}

/// A call in progress, until it is dropped.
pub(crate) struct RunningCall {
    calls: Arc<Calls>,
    user: Option<String>,
    _permit: OwnedSemaphorePermit,
}

impl Calls {
    /// Begins a call of a user; `None` if there are too many, or if the server ends.
    pub(crate) fn begin(self: &Arc<Self>, user: Option<&str>) -> Option<RunningCall> {
        if self.is_ending() {
            return None;
        }
        let permit = Arc::clone(&self.free).try_acquire_owned().ok()?;
        if let Some(user) = user {
            let mut user_counts = self.user_counts();
            let count = user_counts.entry(user.to_owned()).or_default();
            if *count >= MAX_OF_USER {
                return None;
            }
            *count += 1;
        }
        Some(RunningCall { calls: Arc::clone(self), user: user.map(str::to_owned), _permit: permit })
    }

    fn user_counts(&self) -> std::sync::MutexGuard<'_, HashMap<String, u32>> {
        self.user_counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no new call begins.
    pub(crate) fn is_ending(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// From here on no new call begins, and runs end between two turns.
    pub(crate) fn end(&self) {
        self.stop.cancel();
    }

    /// The token that ends runs between two turns.
    pub(crate) fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Ends the calls in progress. Each of them gets an error.
    pub(crate) fn abort(&self) {
        self.end();
        self.abort.cancel();
    }

    /// The result of a call; `None` if it is ended.
    pub(crate) async fn until_aborted<T>(&self, call: impl Future<Output = T>) -> Option<T> {
        self.abort.run_until_cancelled(call).await
    }

    /// Waits until no call is in progress.
    pub(crate) async fn ended(&self) {
        let _ = self.free.acquire_many(MAX_CALLS).await;
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        let Some(user) = &self.user else { return };
        let mut user_counts = self.calls.user_counts();
        if let Some(count) = user_counts.get_mut(user) {
            *count -= 1;
            if *count == 0 {
                user_counts.remove(user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn o2_a_user_cannot_take_all_calls() {
        let calls = Arc::<Calls>::default();
        let of_ada: Vec<_> = std::iter::from_fn(|| calls.begin(Some("ada"))).collect();
        assert_eq!(of_ada.len(), MAX_OF_USER as usize);
        assert!(calls.begin(Some("bob")).is_some() && calls.begin(None).is_some());
        drop(of_ada);
        assert!(calls.begin(Some("ada")).is_some());
        assert!(calls.user_counts().is_empty());
        calls.end();
        assert!(calls.begin(None).is_none());
    }
}
