//! Typed states for direct calls.

use std::sync::Arc;

use crate::state::{StateCell, StateHandle};

/// A typed state for direct calls.
#[derive(Clone)]
pub(super) struct TypedState {
    pub(super) handle: StateHandle,
    pub(super) fork: fn(&StateHandle) -> StateHandle,
}

impl TypedState {
    pub(super) fn new<S: Clone + Send + Sync + 'static>(handle: StateHandle) -> Self {
        Self { handle, fork: |handle| StateCell::<S>::fork(handle).unwrap_or_else(|| Arc::clone(handle)) }
    }
}
