//! The hook [`rate_limit`](struct@rate_limit): permits per time for calls.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use onionskin_core::made::FromValues;
use onionskin_core::{Args, Hook, Next, ToolContext, ToolResult};

use crate::rate::RateLimit;
use crate::refusal::not_called;

/// Takes a permit of a [`RateLimit`] for each call, and waits for it. The calls of a key pass in the order in which they came, also those of
/// different runs and agents. With an outer `retry`, each attempt takes a permit.
///
/// ```
/// use std::sync::LazyLock;
/// use std::time::Duration;
/// use onionskin::agent;
/// use onionskin::hooks::{RateLimit, rate_limit};
///
/// static LIMIT: LazyLock<RateLimit> = LazyLock::new(|| RateLimit::new(60, Duration::from_secs(60)));
///
/// agent! { Clerk { instruction: "Search.", tool_hooks: [rate_limit(LIMIT.clone())] } }
/// agent! { Writer { instruction: "Search and write.", tool_hooks: [rate_limit(LIMIT.clone())] } }
/// ```
///
/// A call that waits for its permit does not count for `max_parallel` of its run.
///
/// Errors: if the permit cannot come before the [deadline](ToolContext::deadline) of the run, or if the limit has no place for another key,
/// the call ends at once in a tool error of kind `Limit`, with the [`RateLimitError`](crate::RateLimitError) as its source. Errors of
/// the tool are returned unchanged, and their permits are used.
///
/// Cancellation: a call that is dropped while it waits takes no permit, and the next one moves up.
///
/// Tools with `effect = once`: the hook never calls a tool twice, and a refused call did not run.
#[derive(Debug, Clone)]
pub struct rate_limit {
    limit: RateLimit,
}

impl rate_limit {
    /// Creates the hook with its limit.
    #[must_use]
    pub fn new(limit: RateLimit) -> Self {
        Self { limit }
    }
}

from_values!(rate_limit(limit: RateLimit));

#[diagnostic::do_not_recommend]
impl Hook for rate_limit {
    type Made = FromValues<(RateLimit,)>;

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let key = self.limit.key_of(cx);
        let acquire = async || {
            let mut permit = pin!(async {
                match cx.deadline() {
                    Some(deadline) => self.limit.acquire_until(&key, 1, deadline).await,
                    None => self.limit.acquire(&key, 1).await,
                }
            });
            match poll_fn(|task| Poll::Ready(permit.as_mut().poll(task))).await {
                Poll::Ready(acquired) => acquired,
                Poll::Pending => cx.without_permit(permit).await,
            }
        };
        // A replay takes no permit again, and is not refused where the run was not.
        let acquired = cx.record("onionskin-hooks.rate_limit", acquire).await;
        acquired.map_err(|error| not_called(cx, error))?;
        next.run(args).await
    }
}
