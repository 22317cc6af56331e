//! How a run comes to know the secrets that a program works with.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::mem::needs_drop;
use std::sync::Arc;

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

/// The texts of all secrets that a value owns: a copy of it makes them anew. What copies share, as an `Arc`, is not found.
pub(crate) fn held_by<T: Clone>(value: &T) -> Vec<Vec<u8>> {
    // What is not dropped holds no secret, for a secret wipes itself then.
    if needs_drop::<T>() { noted(|| drop(value.clone())).1 } else { Vec::new() }
}

/// What holds secrets that a tool is given. It is asked of every field that is bound, so that a secret under another name,
/// or one that the state shares, is known too.
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

impl<K, C: Conceals> Conceals for BTreeMap<K, C> {
    fn conceal(&self, cx: &ToolContext) {
        for held in self.values() {
            held.conceal(cx);
        }
    }
}

impl<K, C: Conceals, H> Conceals for HashMap<K, C, H> {
    fn conceal(&self, cx: &ToolContext) {
        for held in self.values() {
            held.conceal(cx);
        }
    }
}

impl<A: Conceals, B: Conceals> Conceals for (A, B) {
    fn conceal(&self, cx: &ToolContext) {
        self.0.conceal(cx);
        self.1.conceal(cx);
    }
}

/// What holds secrets by holding something that does.
macro_rules! within {
    ($([$($parameters:tt)*] $type:ty: $held:ty),*) => {$(
        impl<$($parameters)*> Conceals for $type {
            fn conceal(&self, cx: &ToolContext) {
                <$held as Conceals>::conceal(self, cx);
            }
        }
    )*};
}

within!(
    [C: Conceals] Vec<C>: [C],
    [C: Conceals, const N: usize] [C; N]: [C],
    [C: Conceals + ?Sized] &C: C,
    [C: Conceals + ?Sized] Box<C>: C,
    [C: Conceals + ?Sized] Arc<C>: C
);

/// A value from the state, of any type: the compiler finds the rung for it.
#[doc(hidden)]
pub struct Bound<'v, T>(pub &'v T);

/// The rung for what holds secrets.
#[doc(hidden)]
pub trait ConcealSome {
    fn conceal(&self, cx: &ToolContext);
}

impl<C: Conceals> ConcealSome for Bound<'_, C> {
    fn conceal(&self, cx: &ToolContext) {
        self.0.conceal(cx);
    }
}

/// The rung for what does not.
#[doc(hidden)]
pub trait ConcealNone {
    fn conceal(&self, _: &ToolContext) {}
}

impl<T> ConcealNone for &Bound<'_, T> {}
