//! Caches of tool results.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::fill::Fill;
use super::results::CachedResults;
use crate::context::{Key, RunContext, ToolContext};
use onionskin_definitions::args::Args;
use onionskin_definitions::debug_fields;
use onionskin_definitions::lock::lock;
use onionskin_definitions::output::ToolOutput;

/// Caches a tool's results in memory. It answers calls with the same arguments, user, session and services of
/// the tool. A service that a request provides differs between requests.
///
/// `#[tool(cache(..))]` creates a cache for each built agent, [`ToolSpec::cache`](crate::ToolSpec::cache) one
/// for each value. The caches of a toolbox's tools belong to the object; all its users share them. Errors,
/// answers of error handlers and hooks, and results of calls that ran the tool more than once are not cached.
/// A full cache drops its oldest results. It has at most 64 MiB of arguments and results, and stores no larger
/// result. While a call runs, equal calls wait for its result. If that cannot
/// be cached, the next waiting call runs.
///
/// ```
/// use std::time::Duration;
/// use onionskin::{Cache, ToolSpec};
///
/// let mut spec = ToolSpec::from_fn("roll", "Rolls a die.", |(): (), cx| async move { Ok(cx.random().await) });
/// spec.cache(Cache::new().ttl(Duration::from_secs(60)).capacity(100));
/// let first = spec.call_blocking("{}").unwrap();
/// assert_eq!(spec.call_blocking("{}").unwrap(), first);
/// ```
pub struct Cache {
    key: Option<KeyFn>,
    store: Arc<Mutex<Store>>,
}

type KeyFn = Arc<dyn Fn(&Args) -> String + Send + Sync>;

/// The default maximum number of results.
const CAPACITY: usize = 1024;

struct Store {
    results: CachedResults<Key>,
    /// The calls in progress.
    flights: HashMap<Key, Running>,
}

/// A call in progress, for which equal calls wait.
struct Running {
    /// The run of the call.
    run: RunContext,
    number: u64,
    over: CancellationToken,
}

/// A call whose result may be cached. Other calls with its key wait until it ends.
pub(super) struct Flight {
    key: Key,
    number: u64,
    store: Arc<Mutex<Store>>,
}

static NEXT_FLIGHT: AtomicU64 = AtomicU64::new(0);

tokio::task_local! {
    static FLIGHTS: Flights;
}

/// The calls in progress around the current code, each nested in the previous one. A direct call has its own
/// run, so these calls are stored in the task.
#[derive(Clone, Default)]
pub(crate) struct Flights(Option<Arc<(u64, Flights)>>);

impl Flights {
    pub(crate) fn here() -> Self {
        FLIGHTS.try_with(Self::clone).unwrap_or_default()
    }

    /// Runs work on another thread with the same calls.
    pub(crate) fn carry<T>(self, work: impl FnOnce() -> T) -> T {
        FLIGHTS.sync_scope(self, work)
    }

    fn hold(&self, number: u64) -> bool {
        let mut at = self;
        while let Some(flight) = &at.0 {
            if flight.0 == number {
                return true;
            }
            at = &flight.1;
        }
        false
    }
}

impl Flight {
    /// Runs the work of this call.
    pub(super) async fn around<T>(&self, work: impl Future<Output = T>) -> T {
        let flights = Flights(Some(Arc::new((self.number, Flights::here()))));
        FLIGHTS.scope(flights, work).await
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut store = lock(&self.store);
        if let Some(running) = store.flights.remove(&self.key) {
            running.over.cancel();
        }
    }
}

impl Store {
    fn new(capacity: usize, ttl: Option<Duration>) -> Arc<Mutex<Self>> {
        let results = CachedResults::new(capacity, ttl);
        Arc::new(Mutex::new(Self { results, flights: HashMap::new() }))
    }
}

/// The result of a cache lookup.
pub(super) enum Lookup {
    Hit(ToolOutput),
    /// Nothing is stored, and no equal call is in progress. The result of this call may be cached.
    Miss(Flight),
    /// The cache does not apply to this call.
    NotApplicable,
    /// The call is nested in the call that it would wait for.
    WithinItself,
}

impl Cache {
    /// Creates a cache of at most 1024 results that do not expire.
    pub fn new() -> Self {
        Self { key: None, store: Store::new(CAPACITY, None) }
    }

    /// Sets the maximum age of a result. Default: no limit.
    ///
    /// # Panics
    /// Panics if the duration is zero, because the cache would keep nothing.
    #[must_use]
    pub fn ttl(self, ttl: Duration) -> Self {
        assert!(!ttl.is_zero(), "a cache with a `ttl` of 0 keeps nothing: remove the cache");
        self.store().results.ttl = Some(ttl);
        self
    }

    /// Sets a function whose return value replaces the arguments in the key. Users, sessions and filled-in
    /// parameters, which the function does not see, remain part of the key.
    #[must_use]
    pub fn key<K: Into<String>>(mut self, key: impl Fn(&Args) -> K + Send + Sync + 'static) -> Self {
        self.key = Some(Arc::new(move |args| key(args).into()));
        self
    }

    /// Sets the maximum number of results. Default: 1024.
    ///
    /// # Panics
    /// Panics if the number is zero, because the cache would keep nothing.
    #[must_use]
    pub fn capacity(self, most: usize) -> Self {
        assert!(most > 0, "a cache with a `capacity` of 0 keeps nothing: remove the cache");
        self.store().results.capacity = most;
        self
    }

    fn id(&self) -> usize {
        Arc::as_ptr(&self.store).addr()
    }

    /// Looks the result of a call up. `args` are the final arguments without filled-in values, or `None` if
    /// they are unknown.
    ///
    /// While another call with the same key runs, this one waits for its result. Cancel safety: dropping the
    /// future only ends the wait.
    pub(super) async fn lookup(
        &self,
        cx: &ToolContext,
        args: Option<&mut Args>,
        fill: Option<&dyn Fill>,
    ) -> Lookup {
        // A caller that runs the tool again rejected the earlier result, which leaves the cache too.
        let (times, stored) = cx.stages(|stages| stages.count_lookup(self.id()));
        if let Some(key) = stored {
            self.store().results.remove(&key);
        }
        let Some(key) = args.filter(|_| times == 1).and_then(|args| self.key_of(cx, args, fill)) else {
            return Lookup::NotApplicable;
        };
        loop {
            match self.lookup_now(cx, &key) {
                Ok(found) => return found,
                // The other call can fail or be dropped without a result.
                Err(running) => cx.without_permit(running.cancelled_owned()).await,
            }
        }
    }

    /// The stored result, or a token for the end of the call in progress.
    fn lookup_now(&self, cx: &ToolContext, key: &Key) -> Result<Lookup, CancellationToken> {
        let mut store = self.store();
        if let Some((output, ())) = store.results.get(key) {
            tracing::debug!(tool = cx.tool_name(), "answered from the cache");
            cx.stages(|stages| stages.store(self.id(), key));
            return Ok(Lookup::Hit(output.clone()));
        }
        match store.flights.get(key) {
            // The call in progress waits for this one.
            Some(running) if cx.run().is_descendant_of(&running.run) => return Ok(Lookup::NotApplicable),
            Some(running) if Flights::here().hold(running.number) => return Ok(Lookup::WithinItself),
            Some(running) => return Err(running.over.clone()),
            None => {}
        }
        let number = NEXT_FLIGHT.fetch_add(1, Ordering::Relaxed);
        let running = Running { run: cx.run().clone(), number, over: CancellationToken::new() };
        store.flights.insert(key.clone(), running);
        Ok(Lookup::Miss(Flight { key: key.clone(), number, store: Arc::clone(&self.store) }))
    }

    /// Caches the result of a call, unless the tool was run again.
    pub(super) fn keep(&self, cx: &ToolContext, flight: &Flight, output: &ToolOutput) {
        let key = &flight.key;
        if cx.tries() > 1 || !cx.stages(|stages| stages.store(self.id(), key)) {
            return;
        }
        self.store().results.insert(key.clone(), key.bytes(), output.clone(), ());
    }

    fn key_of(&self, cx: &ToolContext, args: &mut Args, fill: Option<&dyn Fill>) -> Option<Key> {
        let text = match &self.key {
            Some(key) => key(args),
            // Two different numbers can be equal after rounding.
            None if args.rounded_number().is_some() => return None,
            None => {
                let mut text = String::new();
                write(&Value::Object(args.as_object().ok()?.clone()), &mut text);
                text
            }
        };
        let mut filled = String::new();
        if let Some(fill) = fill {
            let values = fill.values(cx).ok()?;
            for (parameter, value) in &values {
                write(&Value::from(parameter.as_str()), &mut filled);
                write(value, &mut filled);
            }
            cx.stages(|stages| stages.fill(values));
        }
        let run = cx.run();
        let services = run.services().ids(cx.definition().services());
        Some(Key { user: run.user_id(), session: run.session_id(), args: text, filled, services })
    }

    fn store(&self) -> MutexGuard<'_, Store> {
        lock(&self.store)
    }
}

/// Writes a value as text, with sorted object keys.
fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in entries {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write(item, text);
                text.push(',');
            }
            text.push(']');
        }
        plain => text.push_str(&plain.to_string()),
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self::new()
    }
}

/// The same settings, without any results.
impl Clone for Cache {
    fn clone(&self) -> Self {
        let (capacity, ttl) = {
            let store = self.store();
            (store.results.capacity, store.results.ttl)
        };
        Self { key: self.key.clone(), store: Store::new(capacity, ttl) }
    }
}

debug_fields!(
    Cache: this =>
    ttl: this.store().results.ttl,
    capacity: this.store().results.capacity,
    kept: this.store().results.count()
);

/// A return type of a tool's `cache(key = path)` function.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a cache",
    label = "not a text",
    note = "write `fn(&Args) -> String` or `fn(&Args) -> &'static str`"
)]
pub trait CacheKey {
    /// The key as a string.
    fn text(self) -> String;
}

#[diagnostic::do_not_recommend]
impl<T: Into<String>> CacheKey for T {
    fn text(self) -> String {
        self.into()
    }
}

/// The reason why a tool cannot have a cache.
pub(crate) fn no_cache_of_once(tool: &str) -> String {
    format!(
        "each call of the tool `{tool}` has to be made, because its effect is `Once`, so it cannot have a cache: if that is not \
         so, say with `ToolSpec::options` that its effect is `Pure` or `Idempotent`"
    )
}

/// Sets the key function of a cache.
pub fn keyed<K: CacheKey + 'static>(cache: Cache, key: fn(&Args) -> K) -> Cache {
    cache.key(move |args| key(args).text())
}
