//! The hook [`timeout`](struct@timeout): a time limit for a call with all that is inside.

use std::time::Duration;

use onionskin_core::made::FromValues;
use onionskin_core::{Args, ErrorKind, Hook, Next, ToolContext, ToolError, ToolResult};

use crate::unfit::{Unfit, ensure, or_panic};

/// Ends a call that takes longer than `limit`, with all that is inside of the hook: other hooks, their pauses, and the wait for an
/// approval. The `timeout` of a tool limits one attempt of its function alone.
///
/// ```
/// use std::time::Duration;
/// use onionskin::agent;
/// use onionskin::hooks::{retry, timeout};
///
/// // All attempts together.
/// agent! { Clerk { instruction: "Take notes.", tool_hooks: [timeout(Duration::from_secs(5)), retry(3)] } }
/// ```
///
/// Errors: a call that is too slow ends in a tool error of kind [`ErrorKind::Timeout`]. Errors that come in time are returned unchanged.
///
/// Cancellation: the call inside is dropped before the error is returned. Dropping the hook drops it too.
///
/// Tools with `effect = once`: the tool may have taken effect when it is dropped. The error says so, unless the tool did not begin.
#[derive(Debug, Clone)]
pub struct timeout {
    limit: Duration,
}

impl timeout {
    /// Creates the hook with its limit.
    ///
    /// # Panics
    /// Panics if the limit is zero, because every call would fail. In `agent!`, that is a
    /// [`BuildError`](onionskin_core::BuildError).
    #[must_use]
    pub fn new(limit: Duration) -> Self {
        or_panic(Self::try_new(limit))
    }

    pub(crate) fn try_new(limit: Duration) -> Result<Self, Unfit> {
        ensure(
            !limit.is_zero(),
            0,
            "a `timeout` of zero fails every call: set a longer one, or remove the hook",
        )?;
        Ok(Self { limit })
    }
}

from_values!(timeout(limit: Duration));

#[diagnostic::do_not_recommend]
impl Hook for timeout {
    type Made = FromValues<(Duration,)>;

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let Ok(result) = tokio::time::timeout(self.limit, next.run(args)).await else {
            let text = format!("`{}` took longer than {:?}; it was cancelled", cx.tool_name(), self.limit);
            return Err(ToolError::new(text).with_kind(ErrorKind::Timeout).into());
        };
        result
    }
}
