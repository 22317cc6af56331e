//! The hook [`circuit_breaker`](struct@circuit_breaker): no calls of tools that keep failing.

use onionskin_core::made::FromValues;
use onionskin_core::{Args, ErrorKind, Exit, Hook, Next, ToolContext, ToolResult};

use crate::circuit::{CircuitBreaker, CircuitOpen};
use crate::refusal::not_called;

/// Refuses calls while the circuit of their key is open: see [`CircuitBreaker`].
///
/// ```
/// use std::sync::LazyLock;
/// use std::time::Duration;
/// use onionskin::agent;
/// use onionskin::hooks::{CircuitBreaker, circuit_breaker};
///
/// static CIRCUITS: LazyLock<CircuitBreaker> = LazyLock::new(|| CircuitBreaker::new(5, Duration::from_secs(30)));
///
/// agent! { Clerk { instruction: "Search.", tool_hooks: [circuit_breaker(CIRCUITS.clone())] } }
/// ```
///
/// Errors: a refused call ends in a tool error of kind `Limit`, with the [`CircuitOpen`](crate::CircuitOpen) as its source. Results and
/// stops are successes. Errors of the kinds `Failed`, `Timeout`, `Remote`, `Panic` and `Unreadable` are failures. All others say nothing about the tool, such as
/// `Denied` and `Arguments`: they count as neither. All of them are returned unchanged.
///
/// Cancellation: a dropped call counts as neither. If it was the probe of a half-open circuit, the next call is the probe.
///
/// Tools with `effect = once`: the hook never calls a tool twice, and a refused call did not run.
#[derive(Debug, Clone)]
pub struct circuit_breaker {
    circuits: CircuitBreaker,
}

impl circuit_breaker {
    /// Creates the hook with its circuits.
    #[must_use]
    pub fn new(circuits: CircuitBreaker) -> Self {
        Self { circuits }
    }
}

from_values!(circuit_breaker(circuits: CircuitBreaker));

#[diagnostic::do_not_recommend]
impl Hook for circuit_breaker {
    type Made = FromValues<(CircuitBreaker,)>;

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let mut permit = None;
        let decide = async || {
            permit = Some(self.circuits.permit(&self.circuits.key_of(cx))?);
            Ok(())
        };
        // A replay is not refused where the run was not, and counts no result again.
        let decided: Result<(), CircuitOpen> = cx.record("onionskin-hooks.circuit_breaker", decide).await;
        decided.map_err(|open| not_called(cx, open))?;
        let result = next.run(args).await;
        let Some(permit) = permit else { return result };
        match &result {
            Ok(_) | Err(Exit::Stop(_)) => permit.success(),
            Err(Exit::Tool(error)) if is_failure(error.kind()) => permit.failure(),
            Err(Exit::Tool(_) | Exit::Abort(_)) => drop(permit),
        }
        result
    }
}

/// Whether an error says that further calls of the tool may fail too.
fn is_failure(kind: ErrorKind) -> bool {
    match kind {
        ErrorKind::Failed
        | ErrorKind::Timeout
        | ErrorKind::Remote
        | ErrorKind::Panic
        | ErrorKind::Unreadable => true,
        ErrorKind::Arguments
        | ErrorKind::UnknownTool
        | ErrorKind::Denied
        | ErrorKind::Withheld
        | ErrorKind::Retry
        | ErrorKind::Limit
        | ErrorKind::Cancelled
        | ErrorKind::InDoubt
        | _ => false,
    }
}
