//! The hook [`cache_results`](struct@cache_results): a cache of results of pure tools.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin_core::content::ContentBlock;
use onionskin_core::made::FromValues;
use onionskin_core::spec::CachedResults;
use onionskin_core::{Args, Effect, Hook, Next, ToolContext, ToolOutput, ToolResult};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::equal::Call;
use crate::key::session_of;
use crate::lock::lock;
use crate::unfit::{Unfit, ensure, or_panic};

/// Answers a call of a tool with `effect = pure` with the result of an equal call: of the same tool and agent, with the same arguments, for the
/// same user and session; without a session, in the same run. It keeps up to `capacity` results for up to `ttl`, with up to 64 MiB of
/// arguments and results, and no larger result; a full cache drops its oldest results. Calls of other tools pass.
///
/// ```
/// use std::time::Duration;
/// use onionskin::hooks::cache_results;
/// use onionskin::{agent, tool};
///
/// /// Looks up a word.
/// #[tool(effect = pure)]
/// fn look_up(word: &str) -> String {
///     format!("the meaning of {word}")
/// }
///
/// agent! {
///     Clerk {
///         instruction: "Explain.",
///         function_tools: [look_up],
///         tool_hooks: [cache_results(1_000, Duration::from_secs(600))],
///     }
/// }
/// ```
///
/// A result also holds only for calls that would read the same states: while the agent's state of a tool that takes a part of it
/// (`State`, `#[bind(field)]`) has not changed, and a bound value of the session (`#[bind("key")]`) is the same. Results of tool values with
/// bound values of their own are not cached, nor those that a replay takes from a journal. A tool whose result depends on more than that,
/// such as a service of the request, or what it reads by [`RunContext`](onionskin_core::RunContext), needs its own `cache` in place of this
/// hook.
///
/// The cached result is that of the hooks inside: what outer hooks make of it is not cached. So put it inside of [`spill`](struct@crate::spill), whose files
/// leave with their run. Equal calls that run at once each run.
///
/// The cache does not see what other tools do: after `create_order`, a cached result of `list_orders` is stale. Name the tools whose results
/// stay true: `cache_results(1_000, Duration::from_secs(600)) for [look_up]`.
///
/// Errors: they are never cached, and pass unchanged, as stops and aborts do.
///
/// Cancellation: a dropped call caches nothing.
///
/// Tools with `effect = once`: they are never cached.
#[derive(Clone)]
pub struct cache_results {
    /// With whether the states that the tool read are the same for a call.
    results: Arc<Mutex<CachedResults<Key, HasSameStates>>>,
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    call: Call,
    user: Option<Arc<str>>,
    session: String,
}

impl Key {
    fn bytes(&self) -> usize {
        self.call.bytes() + self.user.as_ref().map_or(0, |user| user.len()) + self.session.len()
    }
}

/// A found result in a journal, without typed values of the program.
#[derive(Serialize, Deserialize)]
struct Recorded {
    content: Vec<ContentBlock>,
    structured: Option<Value>,
}

impl Recorded {
    fn new(output: &ToolOutput) -> Self {
        let structured = output.structured_content().map(Cow::into_owned);
        Self { content: output.content().to_vec(), structured }
    }

    fn into_output(self) -> ToolOutput {
        let mut output = ToolOutput::blocks(self.content);
        if let Some(structured) = self.structured {
            output.set_structured_only(structured);
        }
        output
    }
}

type HasSameStates = Arc<dyn Fn(&ToolContext) -> bool + Send + Sync>;

impl cache_results {
    /// Creates the hook with an empty cache. Clones share the cache.
    ///
    /// # Panics
    /// Panics if the capacity or the time is zero, because it would keep nothing. In `agent!`, that is a
    /// [`BuildError`](onionskin_core::BuildError).
    #[must_use]
    pub fn new(capacity: usize, ttl: Duration) -> Self {
        or_panic(Self::try_new(capacity, ttl))
    }

    pub(crate) fn try_new(capacity: usize, ttl: Duration) -> Result<Self, Unfit> {
        ensure(capacity > 0, 0, "`cache_results` of 0 results keeps nothing: remove the hook")?;
        ensure(!ttl.is_zero(), 1, "`cache_results` for no time keeps nothing: remove the hook")?;
        Ok(Self { results: Arc::new(Mutex::new(CachedResults::new(capacity, Some(ttl)))) })
    }

    fn find(&self, cx: &ToolContext, key: &Key) -> Option<ToolOutput> {
        let mut results = lock(&self.results);
        let (output, has_same_states) = results.get(key)?;
        if has_same_states(cx) {
            return Some(output.clone());
        }
        results.remove(key);
        None
    }
}

impl From<(usize, Duration)> for cache_results {
    fn from((capacity, ttl): (usize, Duration)) -> Self {
        Self::new(capacity, ttl)
    }
}

#[diagnostic::do_not_recommend]
impl Hook for cache_results {
    type Made = FromValues<(usize, Duration)>;

    async fn call<N: Next>(&self, cx: &ToolContext, args: &mut Args, next: N) -> ToolResult {
        match cx.definition().effect {
            Effect::Pure => {}
            Effect::Idempotent | Effect::Once | Effect::Unstated => return next.run(args).await,
        }
        let (call, run) = (Call::new(cx, args), cx.run());
        let key = Key { call, user: run.user().map(Arc::from), session: session_of(run) };
        let mut found = None;
        let find = async || {
            found = self.find(cx, &key);
            found.as_ref().map(Recorded::new)
        };
        // A replay finds a result where the run did, and nowhere else.
        if let Some(recorded) = cx.record("onionskin-hooks.cache_results", find).await {
            return Ok(found.unwrap_or_else(|| recorded.into_output()));
        }
        let (result, has_same_states) = cx.with_state_reads(next.run(args)).await;
        let output = result?;
        if has_same_states(cx) {
            let bytes = key.bytes();
            lock(&self.results).insert(key, bytes, output.clone(), has_same_states);
        }
        Ok(output)
    }
}

impl fmt::Debug for cache_results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let results = lock(&self.results);
        f.debug_struct("cache_results")
            .field("capacity", &results.capacity)
            .field("ttl", &results.ttl)
            .field("kept", &results.count())
            .finish_non_exhaustive()
    }
}
