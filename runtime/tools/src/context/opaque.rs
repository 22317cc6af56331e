//! A shared value that the compiler does not look into.

use std::ops::Deref;
use std::sync::{Arc, Weak};

/// A shared value whose parts the compiler does not look at when it proves that a future is `Send`.
///
/// It proves that again and again for each function that holds a [`ToolContext`](super::ToolContext) across an `await`, and keeps no result
/// of a function that returns `impl Future`. With the some three hundred types of a run, that took most of the time of checking an agent.
pub(crate) struct Opaque<T>(Arc<dyn Holds<T>>);

/// A weak reference to an [`Opaque`] value.
pub(crate) struct WeakOpaque<T>(Weak<dyn Holds<T>>);

trait Holds<T>: Send + Sync {
    fn value(&self) -> &T;
    fn value_mut(&mut self) -> &mut T;
}

impl<T: Send + Sync> Holds<T> for T {
    #[inline]
    fn value(&self) -> &T {
        self
    }

    fn value_mut(&mut self) -> &mut T {
        self
    }
}

impl<T: Send + Sync + 'static> Opaque<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Opaque<T> {
    /// The value, if it is not shared yet.
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        Arc::get_mut(&mut self.0).map(Holds::value_mut)
    }

    pub(crate) fn downgrade(&self) -> WeakOpaque<T> {
        WeakOpaque(Arc::downgrade(&self.0))
    }
}

impl<T> WeakOpaque<T> {
    pub(crate) fn upgrade(&self) -> Option<Opaque<T>> {
        self.0.upgrade().map(Opaque)
    }
}

impl<T> Clone for Opaque<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Opaque<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        (*self.0).value()
    }
}
