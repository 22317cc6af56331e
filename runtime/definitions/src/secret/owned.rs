//! Records the secrets that are created on a thread, to find types that do not list theirs. When an agent is
//! built, a copy of its state creates each secret again. Updates of a state and reads of a bound value are
//! recorded directly, without a copy.

use std::cell::RefCell;
use std::mem::needs_drop;

thread_local! {
    /// The secrets created since the current listener began; `None` without a listener.
    static LISTENING: RefCell<Option<Vec<Vec<u8>>>> = const { RefCell::new(None) };
}

/// Reports the texts of a new secret to the current listener.
pub(super) fn made(list: impl FnOnce(&mut dyn FnMut(&[u8]))) {
    LISTENING.with_borrow_mut(|made| {
        if let Some(made) = made {
            list(&mut |text| made.push(text.to_vec()));
        }
    });
}

/// Runs `work` and returns the texts of all secrets that are constructed, copied or deserialised on this
/// thread meanwhile.
pub fn made_during<R>(work: impl FnOnce() -> R) -> (R, Vec<Vec<u8>>) {
    /// Restores the outer listener when dropped, also if the work panics.
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

/// The texts of the secrets that a value owns. Secrets in shared content, such as an `Arc`, are not found.
pub(super) fn owned<T: Clone>(value: &T) -> Vec<Vec<u8>> {
    if can_own_secrets::<T>() { made_during(|| value.clone()).1 } else { Vec::new() }
}
