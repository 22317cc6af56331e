//! The place in an onion of the code that runs now.

use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::ToolContext;

/// The place in an onion of the code that runs now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Place {
    /// In the agent's hooks, or in a tool without its own hooks.
    Outside,
    /// In the core: in a typed hook, one of the tool's own hooks, or further inside.
    Inside,
    /// Inside [`ToolContext::call_original`].
    Original,
}

impl ToolContext {
    /// Whether the call is in the core already, so that a start is part of an attempt.
    #[inline]
    pub(crate) fn is_inside(&self) -> bool {
        self.place.load(Ordering::Relaxed) >= Place::Inside as u8
    }

    /// Whether the hooks that have not run yet are skipped.
    #[inline]
    pub(crate) fn is_past_hooks(&self) -> bool {
        self.place.load(Ordering::Relaxed) == Place::Original as u8
    }
}

pin_project! {
    /// A part of a call at a place. Parts of one call can run concurrently, so the context holds the place only while
    /// the part is polled: one task polls all of them.
    pub(crate) struct Placed<'a, F> {
        #[pin]
        call: F,
        cx: &'a ToolContext,
        place: Place,
    }
}

impl<'a, F> Placed<'a, F> {
    pub(crate) fn new(cx: &'a ToolContext, place: Place, call: F) -> Self {
        Self { call, cx, place }
    }
}

impl<F: Future> Future for Placed<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let _back =
            Back { cx: this.cx, place: this.cx.place.fetch_max(*this.place as u8, Ordering::Relaxed) };
        this.call.poll(context)
    }
}

/// Restores the place, also after a panic.
struct Back<'a> {
    cx: &'a ToolContext,
    place: u8,
}

impl Drop for Back<'_> {
    fn drop(&mut self) {
        self.cx.place.store(self.place, Ordering::Relaxed);
    }
}
