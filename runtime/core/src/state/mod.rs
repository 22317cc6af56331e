//! The state of a session: the program's own state by its type, and dynamic values under dotted keys.

mod cell;
mod session;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use cell::{StateCell, StateHandle};
pub(crate) use session::MOST_PARTS;
pub use session::SessionState;

/// Locks a mutex. A panic cannot leave these values inconsistent.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
