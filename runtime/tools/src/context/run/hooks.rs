//! The hooks that a run holds for others: those of parent agents around its calls, and those on its messages to child agents.

use std::future::pending;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::abort::{AbortCause, FailedHook};
use crate::context::{DynCall, ToolContext};
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

/// The hooks on an agent's messages to its child agents.
pub trait DynSender: Send + Sync + 'static {
    /// Passes the text of a message through the hooks; `None` if they drop it.
    fn send_dyn<'a>(
        &'a self,
        cx: &'a ToolContext,
        recipient: Arc<str>,
        text: String,
        silent: bool,
    ) -> BoxFuture<'a, Result<Option<String>, FailedHook>>;
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    /// Whether the caller has hooks on its messages.
    pub fn has_sender(&self) -> bool {
        self.run().sender().is_some()
    }

    /// Passes a message to the child agent `recipient` through the caller's hooks; `None` if they drop it. If
    /// a hook fails, the caller's run ends, and the future never completes.
    pub async fn send(&self, recipient: &Arc<str>, text: String, silent: bool) -> Option<String> {
        let run = self.run();
        let Some(sender) = run.sender() else { return Some(text) };
        match sender.send_dyn(self, Arc::clone(recipient), text, silent).await {
            Ok(text) => text,
            Err(failed) => {
                run.end_for(AbortCause::MessageHook(failed));
                pending().await
            }
        }
    }
}
