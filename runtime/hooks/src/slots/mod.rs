//! The hook [`concurrency`](struct@concurrency): a bounded number of calls at once.

mod held;
mod table;

use std::sync::Arc;

use onionskin_core::made::FromValues;
use onionskin_core::{Args, Exit, Hook, Next, ToolContext, ToolResult};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::key::CallKey;
use crate::refusal::not_called;
use crate::unfit::{Unfit, ensure, or_panic};
use table::Slots;

pub(crate) use held::Held;

/// The default maximum number of keys.
const MAX_KEYS: usize = 10_000;

/// Lets at most `slots` calls of a key run at once, over all runs of the agent. Others wait, in the order in which they came. Clones of the
/// hook share the slots: give them to several agents with `.hook(..)` of the builder.
///
/// ```
/// use onionskin::agent;
/// use onionskin::hooks::{CallKey, concurrency};
///
/// agent! { Clerk { instruction: "Search.", tool_hooks: [concurrency(4)] } }
/// agent! { Writer { instruction: "Search and write." } }
///
/// // Two calls at once for each user, of both agents together.
/// let two = concurrency::new(2).keyed_by(CallKey::user());
/// let (clerk, writer) = (Clerk::builder().hook(two.clone()), Writer::builder().hook(two));
/// # drop((clerk, writer));
/// ```
///
/// A call that is made inside of a call with the same key, such as the calls of a child agent, has the slot of the outer one: otherwise both
/// would wait for each other. Of several such calls, one runs at a time.
///
/// A call that waits for an equal one in [`dedupe`](struct@crate::dedupe) lends its slot to it.
///
/// A call that waits for a slot does not count for `max_parallel` of its run.
///
/// Errors: a call ends at once in a tool error of kind `Limit` if there is no place for its key. Errors of the tool are returned unchanged.
///
/// Cancellation: a call that is dropped leaves the line, or its slot.
///
/// Tools with `effect = once`: the hook never calls a tool twice, and a refused call did not run.
#[derive(Debug, Clone)]
pub struct concurrency {
    slots: Arc<Slots>,
    key: CallKey,
}

/// All keys of the hook [`concurrency`](struct@concurrency) are in use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{max_keys} keys have running calls, and no more are allowed: call again later, or set a larger `max_keys`"
)]
#[non_exhaustive]
pub struct TooManyKeysError {
    /// The largest number of keys.
    pub max_keys: usize,
}

impl concurrency {
    /// Creates the hook with a number of slots for each tool, and up to 10,000 tools.
    ///
    /// # Panics
    /// Panics if the number is zero, because every call would wait for ever, or above 1 billion. In `agent!`, that is a
    /// [`BuildError`](onionskin_core::BuildError).
    #[must_use]
    pub fn new(slots: usize) -> Self {
        or_panic(Self::try_new(slots))
    }

    pub(crate) fn try_new(slots: usize) -> Result<Self, Unfit> {
        ensure(slots > 0, 0, "with a `concurrency` of 0, every call waits for ever: allow at least 1")?;
        ensure(slots <= 1_000_000_000, 0, "a `concurrency` above 1 billion limits nothing: remove the hook")?;
        Ok(Self { slots: Arc::new(Slots::new(slots, MAX_KEYS)), key: CallKey::tool() })
    }

    /// Sets which calls share the slots. Default: the calls of one tool.
    #[must_use]
    pub fn keyed_by(self, key: CallKey) -> Self {
        Self { key, ..self }
    }

    /// Sets the largest number of keys. Only keys with running or waiting calls count. It begins anew, and shares nothing with earlier
    /// clones.
    ///
    /// # Panics
    /// Panics if the number is zero, because no call would ever pass.
    #[must_use]
    pub fn max_keys(self, most: usize) -> Self {
        assert!(most > 0, "a `concurrency` with 0 keys lets no call pass: allow at least 1");
        Self { slots: Arc::new(Slots::new(self.slots.per_key(), most)), key: self.key }
    }
}

from_values!(concurrency(slots: usize));

#[diagnostic::do_not_recommend]
impl Hook for concurrency {
    type Made = FromValues<(usize,)>;

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        let key: Arc<str> = self.key.for_call(cx).into();
        let held = Held::here();
        let id = self.slots.id();
        if let Some(inside) = held.find(id, &key) {
            let slot = slot(inside, cx).await?;
            return held.with(id, key, slot).around(next.run(args)).await;
        }
        let line = self.slots.line(&key).map_err(|error| not_called(cx, error))?;
        let slot = slot(line.semaphore(), cx).await?;
        held.with(id, key, slot).around(next.run(args)).await
    }
}

/// Waits for a slot. The call that has it may wait for a person, and needs its place among the calls of its run to go on.
async fn slot(semaphore: Arc<Semaphore>, cx: &ToolContext) -> Result<OwnedSemaphorePermit, Exit> {
    let slot = match Arc::clone(&semaphore).try_acquire_owned() {
        Ok(slot) => Ok(slot),
        Err(_) => cx.without_permit(semaphore.acquire_owned()).await,
    };
    slot.map_err(|closed| not_called(cx, closed))
}
