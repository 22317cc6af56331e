//! The hook [`dedupe`](struct@dedupe).

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use onionskin_core::made::ByDefault;
use onionskin_core::{
    Args, CancellationToken, ErrorKind, Exit, Hook, Next, ToolContext, ToolError, ToolResult,
};

use super::equal::Call;
use crate::lock::lock;
use crate::refusal::not_called;

/// The most calls of all running runs.
const MAX_CALLS: usize = 100_000;

/// Answers a call with the result of an equal call in the same run, for models that call twice what must happen once, such as a payment. Calls
/// are equal if the agent, the tool and the arguments are the same. An equal call that comes while the first one runs waits for it.
///
/// ```
/// use onionskin::hooks::dedupe;
/// use onionskin::{agent, tool};
///
/// /// Pays.
/// #[tool(effect = once)]
/// fn pay(cents: u32) -> String {
///     format!("paid {cents}")
/// }
///
/// agent! { Clerk { instruction: "Pay.", function_tools: [pay], tool_hooks: [dedupe for [pay]] } }
/// ```
///
/// Put it outside of `retry`, and use a filter: a tool that tells the time gives one answer in a run. A run and its children are one run. The
/// hook forgets a run some time after its end, and keeps up to 100,000 calls of running ones.
///
/// Errors: an error that leaves in doubt whether the tool took effect ([`ErrorKind::is_in_doubt`]) is the answer to equal calls too. After any
/// other error, the next equal call runs. Without a place for another call, it ends in an error of kind `Limit`.
///
/// Cancellation: a call that is dropped while the tool may have begun leaves it in doubt, so equal calls end in an error of kind `InDoubt`.
///
/// Tools with `effect = once`: they are what it is for. It never calls a tool twice.
#[derive(Clone, Default)]
pub struct dedupe {
    calls: Arc<Mutex<HashMap<Key, Known>>>,
}

/// The calls of all running runs are too many for the hook [`dedupe`](struct@dedupe).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{max_calls} calls of running runs are known already, and no more are allowed: call again later")]
#[non_exhaustive]
pub struct DedupeError {
    /// The largest number of calls.
    pub max_calls: usize,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    run_id: Arc<str>,
    call: Call,
}

struct Known {
    /// The first call holds it, and equal ones wait.
    answer: Arc<tokio::sync::Mutex<Answer>>,
    run_ended: CancellationToken,
}

#[derive(Default)]
enum Answer {
    #[default]
    None,
    /// A call is running, or was dropped.
    Begun,
    Result(ToolResult),
}

impl dedupe {
    /// Creates the hook. Clones share what they know.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn answer(&self, cx: &ToolContext, args: &Args) -> Result<Arc<tokio::sync::Mutex<Answer>>, DedupeError> {
        let mut run = cx.run();
        while let Some(parent) = run.parent() {
            run = parent;
        }
        let key = Key { run_id: run.run_id().into(), call: Call::new(cx, args) };
        let mut calls = lock(&self.calls);
        if !calls.contains_key(&key) && calls.len() >= MAX_CALLS {
            calls.retain(|_, known| !known.run_ended.is_cancelled());
            if calls.len() >= MAX_CALLS {
                return Err(DedupeError { max_calls: MAX_CALLS });
            }
        }
        let new = || Known { answer: Arc::default(), run_ended: run.cancellation().clone() };
        Ok(Arc::clone(&calls.entry(key).or_insert_with(new).answer))
    }
}

impl Hook for dedupe {
    type Made = ByDefault;

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let answer = self.answer(cx, args).map_err(|error| not_called(cx, error))?;
        let mut answer = answer.lock().await;
        match &*answer {
            Answer::Result(result) => return result.clone(),
            Answer::Begun if cx.definition().effect.may_act() => {
                let text = format!(
                    "an equal call of `{}` was cancelled, and whether it took effect is not known",
                    cx.tool_name()
                );
                return Err(ToolError::new(text).with_kind(ErrorKind::InDoubt).into());
            }
            Answer::Begun | Answer::None => {}
        }
        *answer = Answer::Begun;
        let result = next.run(args).await;
        *answer = match &result {
            Err(Exit::Tool(error)) if !error.kind().is_in_doubt() => Answer::None,
            // An abort or a stop ends the run.
            Ok(_) | Err(Exit::Tool(_) | Exit::Stop(_) | Exit::Abort(_)) => Answer::Result(result.clone()),
        };
        result
    }
}

impl fmt::Debug for dedupe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("dedupe").field("calls", &lock(&self.calls).len()).finish_non_exhaustive()
    }
}
