//! The tool inside its own hooks and stages.

use futures_util::future::BoxFuture;

use crate::context::ToolContext;
use onionskin_definitions::args::Args;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::ToolResult;

/// The tool inside its hooks and stages.
pub(crate) trait Inside: Sync {
    /// The definition that the arguments must fit.
    fn definition(&self) -> &ToolDefinition;

    /// Records that the hooks passed a call on.
    fn begins(&self, cx: &ToolContext);

    fn run<'a>(&'a self, cx: &'a ToolContext, args: &'a mut Args) -> BoxFuture<'a, ToolResult>;

    /// Checks the arguments as thoroughly as is possible before the tool runs.
    fn check_args(&self, cx: &ToolContext, args: &Args) -> ToolResult<()>;

    /// The final arguments of the tool without filled-in values; `None` if they are unknown.
    fn final_args(&self, args: &Args) -> Option<Args> {
        Some(args.clone())
    }
}
