//! Catches panics of user code and returns their messages.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt as _;

/// Drops the payload of a panic. If that panics too, the second payload is leaked.
pub fn discard(panic: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(again);
    }
}

/// Runs a closure and catches its panic.
///
/// # Errors
/// Returns the message of the panic.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(panic_words)
}

/// Runs a future and catches its panic.
///
/// Cancel safety: that of the future.
///
/// # Errors
/// Returns the message of the panic.
pub async fn caught_async<T>(work: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(panic_words)
}

/// Returns the message of a panic and drops its payload.
fn panic_words(panic: Box<dyn Any + Send>) -> String {
    let words = panic_text(&*panic).to_owned();
    discard(panic);
    words
}

/// The message of a panic.
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}
