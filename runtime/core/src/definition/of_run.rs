//! The change of a tool's definition for each run.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The function that changes a definition for a run. Its type names the run, which is unknown in this layer, so that
/// `context` alone makes and reads it.
#[derive(Clone)]
pub(crate) struct OfRun(pub(crate) Arc<dyn Any + Send + Sync>);

impl fmt::Debug for OfRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OfRun")
    }
}
