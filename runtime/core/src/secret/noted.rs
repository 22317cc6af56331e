//! How a run finds the secrets that a program uses.

use std::cell::RefCell;
use std::mem::needs_drop;

use super::Sensitive;

thread_local! {
    /// The secrets that were made since the current listener began.
    static LISTENING: RefCell<Option<Vec<Vec<u8>>>> = const { RefCell::new(None) };
}

/// Reports a secret to the current listener.
pub(super) fn note(value: &impl Sensitive) {
    LISTENING.with_borrow_mut(|noted| {
        if let Some(noted) = noted {
            value.each(&mut |text| noted.push(text.to_vec()));
        }
    });
}

/// Runs `work` and returns the texts of all secrets that it creates on this thread: by deserialising, cloning or
/// constructing.
pub(crate) fn noted<R>(work: impl FnOnce() -> R) -> (R, Vec<Vec<u8>>) {
    /// Stops listening, also if `work` panics, and restores the outer listener.
    struct Listener(Option<Vec<Vec<u8>>>);

    impl Drop for Listener {
        fn drop(&mut self) {
            LISTENING.set(self.0.take());
        }
    }

    let listener = Listener(LISTENING.replace(Some(Vec::new())));
    let result = work();
    let noted = LISTENING.take().unwrap_or_default();
    drop(listener);
    (result, noted)
}

/// The texts of all secrets that a value owns, found by cloning it. Content that clones share, as in an `Arc`, is not
/// found.
pub(crate) fn held_by<T: Clone>(value: &T) -> Vec<Vec<u8>> {
    // A type without drop code contains no secret, because a secret wipes itself on drop.
    if needs_drop::<T>() { noted(|| drop(value.clone())).1 } else { Vec::new() }
}
