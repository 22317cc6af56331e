//! How a run comes to know the secrets that a program works with.

use std::cell::RefCell;

use super::{Secret, Sensitive};
use crate::context::ToolContext;

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

/// What holds secrets that a tool is given.
#[doc(hidden)]
pub trait Conceals {
    fn conceal(&self, cx: &ToolContext);
}

impl<T: Sensitive> Conceals for Secret<T> {
    fn conceal(&self, cx: &ToolContext) {
        cx.conceal(self);
    }
}

impl<C: Conceals> Conceals for Option<C> {
    fn conceal(&self, cx: &ToolContext) {
        if let Some(held) = self {
            held.conceal(cx);
        }
    }
}

impl<C: Conceals> Conceals for [C] {
    fn conceal(&self, cx: &ToolContext) {
        for held in self {
            held.conceal(cx);
        }
    }
}

impl<C: Conceals> Conceals for Vec<C> {
    fn conceal(&self, cx: &ToolContext) {
        self.as_slice().conceal(cx);
    }
}

impl<C: Conceals + ?Sized> Conceals for &C {
    fn conceal(&self, cx: &ToolContext) {
        (**self).conceal(cx);
    }
}

impl<C: Conceals + ?Sized> Conceals for std::sync::Arc<C> {
    fn conceal(&self, cx: &ToolContext) {
        (**self).conceal(cx);
    }
}

/// A value from the state whose type is called `Secret`; it may be a type of the program's own.
#[doc(hidden)]
pub struct Bound<'v, T>(pub &'v T);

/// The rung for what is ours.
#[doc(hidden)]
pub trait ConcealSome {
    fn conceal(&self, cx: &ToolContext);
}

impl<C: Conceals> ConcealSome for Bound<'_, C> {
    fn conceal(&self, cx: &ToolContext) {
        self.0.conceal(cx);
    }
}

/// The rung for what is not.
#[doc(hidden)]
pub trait ConcealNone {
    fn conceal(&self, _: &ToolContext) {}
}

impl<T> ConcealNone for &Bound<'_, T> {}
