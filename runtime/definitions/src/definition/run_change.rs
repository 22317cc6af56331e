//! The function that changes the definition of a tool for each run.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The function that changes a definition for a run. It is type-erased, because this crate does not know
/// runs.
#[derive(Clone)]
pub(super) struct RunChange(pub(super) Arc<dyn Any + Send + Sync>);

impl fmt::Debug for RunChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunChange")
    }
}
