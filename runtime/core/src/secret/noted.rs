//! How a run comes to know the secrets that a program works with.

use std::cell::RefCell;
use std::mem::needs_drop;

use super::Sensitive;

thread_local! {
    /// The secrets that were made since somebody began to listen.
    static LISTENING: RefCell<Option<Vec<Vec<u8>>>> = const { RefCell::new(None) };
}

/// Tells whoever listens that there is a secret.
pub(super) fn note(value: &impl Sensitive) {
    LISTENING.with_borrow_mut(|noted| {
        if let Some(noted) = noted {
            value.each(&mut |text| noted.push(text.to_vec()));
        }
    });
}

/// Runs `work` and gives the texts of all secrets that it makes on this thread: reads, copies or begins with.
pub(crate) fn noted<R>(work: impl FnOnce() -> R) -> (R, Vec<Vec<u8>>) {
    /// Stops listening, also if `work` panics; whoever listened before goes on.
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

/// The texts of all secrets that a value owns: a copy of it makes them anew. What copies share, as an `Arc`, is not found.
pub(crate) fn held_by<T: Clone>(value: &T) -> Vec<Vec<u8>> {
    // What is not dropped holds no secret, for a secret wipes itself then.
    if needs_drop::<T>() { noted(|| drop(value.clone())).1 } else { Vec::new() }
}
