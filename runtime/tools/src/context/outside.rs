//! What is around the calls of a run outside of its own onion.

use futures_util::future::BoxFuture;

use super::{DynCall, ToolContext};
use onionskin_definitions::args::Args;
use onionskin_definitions::error::ToolResult;

/// The hooks of the agents above a run that see its calls too.
pub trait Outside: Send + Sync {
    /// Passes a call through these hooks, and then through the onion of the run's agent.
    fn around<'a>(
        &'a self,
        onion: &'a dyn DynCall,
        cx: &'a ToolContext,
        args: &'a mut Args,
    ) -> BoxFuture<'a, ToolResult>;
}
