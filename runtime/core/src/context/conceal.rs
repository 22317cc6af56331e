//! The secrets in the values of the state that a tool gets.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::ToolContext;
use crate::secret::{Secret, Sensitive};

/// A type that contains secrets for a tool. Every bound field is asked, so that a secret under another name, or one
/// that the state shares, is known too.
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

/// Types that contain secrets if their content does.
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

/// A value of any type from the state. The compiler selects the rung for it.
#[doc(hidden)]
pub struct Bound<'v, T>(pub &'v T);

/// The rung for types that contain secrets.
#[doc(hidden)]
pub trait ConcealSome {
    fn conceal(&self, cx: &ToolContext);
}

impl<C: Conceals> ConcealSome for Bound<'_, C> {
    fn conceal(&self, cx: &ToolContext) {
        self.0.conceal(cx);
    }
}

/// The rung for all other types.
#[doc(hidden)]
pub trait ConcealNone {
    fn conceal(&self, _: &ToolContext) {}
}

impl<T> ConcealNone for &Bound<'_, T> {}
