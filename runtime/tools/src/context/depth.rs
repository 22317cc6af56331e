//! The depth of the running code in its onion.

use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::ToolContext;

/// A layer that the running code is inside. Each is a bit, because `call_original` works in any of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Depth {
    /// The step of the call, which a replay answers without its code. Only calls with a journal have it.
    Step = 1,
    /// The core: a typed hook, one of the tool's own hooks, or code further inside.
    Inside = 2,
    /// [`ToolContext::call_original`].
    Original = 4,
}

impl ToolContext {
    fn is_in_any(&self, depths: u8) -> bool {
        self.depth.load(Ordering::Relaxed) & depths != 0
    }

    /// Whether the call is in the core already, so that a start is part of an attempt.
    #[inline]
    pub(crate) fn is_inside(&self) -> bool {
        self.is_in_any(Depth::Inside as u8)
    }

    /// Whether the code is part of the call's step in a journal.
    pub(super) fn is_in_step(&self) -> bool {
        self.is_in_any(Depth::Step as u8 | Depth::Inside as u8)
    }

    /// Whether the hooks that have not run yet are skipped.
    #[inline]
    pub(crate) fn is_past_hooks(&self) -> bool {
        self.is_in_any(Depth::Original as u8)
    }
}

pin_project! {
    /// A part of a call at a depth of the onion. Parts of one call can run concurrently in one task, so the
    /// context holds the depth only while the part is polled.
    pub(crate) struct AtDepth<'a, F> {
        #[pin]
        call: F,
        cx: &'a ToolContext,
        depth: Depth,
    }
}

impl<'a, F> AtDepth<'a, F> {
    pub(crate) fn new(cx: &'a ToolContext, depth: Depth, call: F) -> Self {
        Self { call, cx, depth }
    }
}

impl<F: Future> Future for AtDepth<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let _back = Back { cx: this.cx, depth: this.cx.depth.fetch_or(*this.depth as u8, Ordering::Relaxed) };
        this.call.poll(context)
    }
}

/// Restores the depth, also after a panic.
struct Back<'a> {
    cx: &'a ToolContext,
    depth: u8,
}

impl Drop for Back<'_> {
    fn drop(&mut self) {
        self.cx.depth.store(self.depth, Ordering::Relaxed);
    }
}
