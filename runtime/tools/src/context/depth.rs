//! The depth of the running code in its onion.

use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::ToolContext;
use onionskin_definitions::on_drop::OnDrop;

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
    /// A part of a call, polled inside of what a function returns. Parts of one call can run concurrently in one task, so the
    /// context holds what the function sets only while the part is polled.
    pub(super) struct Entered<F, E> {
        #[pin]
        call: F,
        enter: E,
    }
}

impl<F: Future, G, E: FnMut() -> G> Entered<F, E> {
    pub(super) fn new(call: F, enter: E) -> Self {
        Self { call, enter }
    }
}

impl<F: Future, G, E: FnMut() -> G> Future for Entered<F, E> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let _inside = (this.enter)();
        this.call.poll(context)
    }
}

/// A part of a call at a depth of the onion.
pub(crate) fn at_depth<F: Future>(
    cx: &ToolContext,
    depth: Depth,
    call: F,
) -> impl Future<Output = F::Output> {
    Entered::new(call, move || {
        let outer = cx.depth.fetch_or(depth as u8, Ordering::Relaxed);
        OnDrop(move || cx.depth.store(outer, Ordering::Relaxed))
    })
}
