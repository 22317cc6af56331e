//! Hooks of parent agents around the calls of a run.

use futures_util::future::BoxFuture;

use super::{DynCall, ToolContext};
use onionskin_definitions::args::Args;
use onionskin_definitions::error::ToolResult;

/// The hooks of parent agents that also apply to the calls of child runs.
pub trait OuterHooks: Send + Sync {
    /// Passes a call through these hooks and then through the onion of the run's agent.
    fn around<'a>(
        &'a self,
        onion: &'a dyn DynCall,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> BoxFuture<'a, ToolResult>;
}
