//! Work that may take long, outside of the async threads.

use std::future::pending;
use std::panic::resume_unwind;

use tokio::task::spawn_blocking;

/// Does the work on a thread that may block. Without the future the work goes on to its end.
///
/// # Panics
/// Panics outside of a tokio runtime, and if the work panics.
pub(crate) async fn on_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) if error.is_panic() => resume_unwind(error.into_panic()),
        // The runtime ends, and drops this future.
        Err(_) => pending().await,
    }
}
