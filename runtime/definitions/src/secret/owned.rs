//! Hears which secrets are made on a thread. A type that does not list its secrets is caught by this: when an agent is built,
//! a copy of its state makes each secret anew; an update of a state and the reading of a bound value are heard as they
//! are, without a copy of their own.

use std::cell::RefCell;
use std::mem::needs_drop;

thread_local! {
    /// The secrets that were made since the current listener began.
    static LISTENING: RefCell<Option<Vec<Vec<u8>>>> = const { RefCell::new(None) };
}

/// Reports a new secret, which lists its texts, to the current listener.
pub(super) fn made(list: impl FnOnce(&mut dyn FnMut(&[u8]))) {
    LISTENING.with_borrow_mut(|made| {
        if let Some(made) = made {
            list(&mut |text| made.push(text.to_vec()));
        }
    });
}

/// Runs `work` and returns the texts of all secrets that are made meanwhile on this thread: constructed, copied or
/// deserialised.
pub fn made_during<R>(work: impl FnOnce() -> R) -> (R, Vec<Vec<u8>>) {
    /// Stops listening, also if the work panics, and restores the outer listener.
    struct Listener(Option<Vec<Vec<u8>>>);

    impl Drop for Listener {
        fn drop(&mut self) {
            LISTENING.set(self.0.take());
        }
    }

    let listener = Listener(LISTENING.replace(Some(Vec::new())));
    let result = work();
    let made = LISTENING.take().unwrap_or_default();
    drop(listener);
    (result, made)
}

/// Whether a type can own a secret. A secret wipes itself on drop, so a type without drop code owns none.
pub(super) const fn can_own_secrets<T>() -> bool {
    needs_drop::<T>()
}

/// The texts of the secrets that a value owns. Content that copies share, as in an `Arc`, is not found.
pub(super) fn owned<T: Clone>(value: &T) -> Vec<Vec<u8>> {
    if can_own_secrets::<T>() { made_during(|| value.clone()).1 } else { Vec::new() }
}
