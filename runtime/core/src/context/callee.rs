//! The target of a call as a trait object.

use futures_util::future::BoxFuture;

use super::ToolContext;
use crate::args::Args;
use crate::error::ToolResult;

/// An onion, or a dynamic tool of the run.
pub(crate) trait DynCall: Send + Sync + 'static {
    fn call_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult>;
}
