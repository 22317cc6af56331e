//! What a call goes through, and what it ends in, where that is known at run time only.

use futures_util::future::BoxFuture;

use super::ToolContext;
use crate::args::Args;
use crate::error::ToolResult;

/// An onion, or a tool of which only the run knows.
pub(crate) trait DynCall: Send + Sync + 'static {
    fn call_dyn<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult>;
}
