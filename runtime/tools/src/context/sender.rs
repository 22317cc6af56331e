//! How a call of an agent sends a message to an agent beneath it.

use std::future::pending;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::ToolContext;
use super::failed_hook::FailedHook;
use super::latch::AbortCause;

/// The hooks that messages of an agent pass.
pub trait DynSender: Send + Sync + 'static {
    /// The text of a message to an agent beneath as the hooks change it; `None` if they drop it.
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
    /// Whether messages of the caller pass hooks.
    pub fn has_sender(&self) -> bool {
        self.run().sender().is_some()
    }

    /// The text of a message to the agent `recipient`, which the call starts; `None` if a hook of the caller drops it. If a hook fails,
    /// the run of the caller ends, and this waits until it does.
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
