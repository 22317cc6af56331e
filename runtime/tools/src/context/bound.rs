//! The states of tool values, which fill bound parameters before the session's state does.

use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use super::ToolContext;
use crate::state::SessionState;

pin_project! {
    /// A call inside a tool value, whose state fills bound parameters before the session's state does. Parts
    /// of one call can run concurrently in one task, so the context holds the state only while the part is
    /// polled.
    pub(crate) struct Bound<'a, F> {
        #[pin]
        call: F,
        cx: &'a ToolContext,
        state: &'a SessionState,
    }
}

impl<'a, F> Bound<'a, F> {
    pub(crate) fn new(call: F, cx: &'a ToolContext, state: &'a SessionState) -> Self {
        Self { call, cx, state }
    }
}

impl<F: Future> Future for Bound<'_, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        this.cx.change_bound(|states| states.push(this.state.clone()));
        let _back = Back(this.cx);
        this.call.poll(context)
    }
}

/// Removes the state again, also after a panic.
struct Back<'a>(&'a ToolContext);

impl Drop for Back<'_> {
    fn drop(&mut self) {
        self.0.change_bound(|states| {
            states.pop();
        });
    }
}

impl ToolContext {
    fn change_bound(&self, change: impl FnOnce(&mut Vec<SessionState>)) {
        self.data(|data| change(&mut data.bound));
    }

    /// The state with a value for a key: the innermost running tool value's, else the session's.
    pub(super) fn state_with(&self, key: &str) -> SessionState {
        let own = self.data_if_any(|data| data.bound.iter().rev().find(|state| state.has(key)).cloned());
        own.flatten().unwrap_or_else(|| self.run.session_state().clone())
    }
}
