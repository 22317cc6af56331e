//! Circuit breakers: no calls of a key whose calls keep failing.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin_core::ToolContext;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::key::CallKey;
use crate::lock::lock;
use crate::unfit::{Unfit, ensure, or_panic};

/// The default maximum number of keys.
const MAX_KEYS: usize = 10_000;

/// Refuses calls of a key whose calls keep failing. Clones share the circuits, also between runs, agents and models.
///
/// The circuit of a key is *closed* at first: all calls pass. After a number of failures without a success between them it is *open*: no
/// call passes for a time. Then it is *half-open*: one call passes as a probe. Its success closes the circuit, and its failure opens it
/// again.
///
/// ```
/// use std::time::Duration;
/// use onionskin::hooks::CircuitBreaker;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let circuit = CircuitBreaker::new(2, Duration::from_secs(30));
/// for _ in 0..2 {
///     circuit.permit("search").unwrap().failure();
/// }
/// let refused = circuit.permit("search").unwrap_err();
/// assert_eq!(refused.retry_in(), Some(Duration::from_secs(30)));
///
/// tokio::time::advance(Duration::from_secs(30)).await;
/// circuit.permit("search").unwrap().success();
/// assert!(circuit.permit("search").is_ok());
/// # });
/// ```
///
/// A key without failures takes memory only while its calls run. It starts no task, and nobody waits for it.
#[derive(Clone)]
pub struct CircuitBreaker {
    circuits: Arc<Circuits>,
    call_key: CallKey,
}

/// Why a [`CircuitBreaker`] lets no call through.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum CircuitOpen {
    /// The calls of the key failed, and the circuit is still open.
    #[error("the last calls failed, and no further one is made now: call again in {retry_in:?}")]
    #[non_exhaustive]
    Waiting {
        /// The time until a probe may pass.
        retry_in: Duration,
    },
    /// The circuit is half-open, and its probe has no result yet.
    #[error(
        "the last calls failed, and another call finds out now whether they work again: call again in {retry_in:?}"
    )]
    #[non_exhaustive]
    Probing {
        /// The time for which a circuit is open. The probe mostly has a result by then.
        retry_in: Duration,
    },
    /// All keys are in use: their calls are running, or their circuits are open.
    #[error(
        "the circuit breaker has {max_keys} keys in use, and no more are allowed: call again later, or set a larger `max_keys`"
    )]
    #[non_exhaustive]
    TooManyKeys {
        /// The largest number of keys.
        max_keys: usize,
    },
}

/// One call that may pass. Its result is one of [`Self::success`] and [`Self::failure`]. A dropped permit counts as neither, and if it
/// was the probe of a half-open circuit, the next call is the probe.
///
/// A result does not count if the circuit has opened or closed since the call began: it says nothing about now.
#[must_use = "a permit that is dropped counts as no call"]
pub struct CircuitPermit {
    circuits: Arc<Circuits>,
    key: Arc<str>,
    generation: u64,
    outcome: Outcome,
}

#[derive(Debug, Clone, Copy)]
enum Outcome {
    Success,
    Failure,
    Unknown,
}

struct Circuits {
    failures: u32,
    open_for: Duration,
    max_keys: usize,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    circuits: HashMap<Arc<str>, Circuit>,
    /// Orders the uses of keys.
    uses: u64,
}

struct Circuit {
    state: State,
    /// Counts the changes between closed, open and half-open.
    generation: u64,
    /// The number of calls without a result.
    calls: usize,
    last_use: u64,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// With the number of failures since the last success.
    Closed(u32),
    /// Since a time.
    Open(Instant),
    HalfOpen,
    /// Half-open, and the probe is running.
    Probing,
}

impl CircuitBreaker {
    /// Creates a breaker whose circuits open after so many failures in a row, for a time, with up to 10,000 keys.
    ///
    /// # Panics
    /// Panics if `failures` is zero, because no call would ever pass, or if `open_for` is zero, because no call would ever be refused.
    #[must_use]
    pub fn new(failures: u32, open_for: Duration) -> Self {
        or_panic(Self::try_new(failures, open_for))
    }

    pub(crate) fn try_new(failures: u32, open_for: Duration) -> Result<Self, Unfit> {
        ensure(failures > 0, 0, "a circuit that opens after 0 failures lets no call pass: allow at least 1")?;
        ensure(
            !open_for.is_zero(),
            1,
            "a circuit that is open for no time refuses nothing: remove it, or set a time",
        )?;
        Ok(Self { circuits: Circuits::new(failures, open_for, MAX_KEYS), call_key: CallKey::tool() })
    }

    /// Sets the largest number of keys. The key whose last use is the longest ago leaves first; a key whose circuit is open or whose
    /// calls are running never leaves. It begins anew, and shares nothing with earlier clones.
    ///
    /// # Panics
    /// Panics if the number is zero, because no call would ever pass.
    #[must_use]
    pub fn max_keys(self, most: usize) -> Self {
        assert!(most > 0, "a circuit breaker with 0 keys lets no call pass: allow at least 1");
        Self { circuits: Circuits::new(self.circuits.failures, self.circuits.open_for, most), ..self }
    }

    /// Sets which calls share a circuit, for the hook [`circuit_breaker`](struct@crate::circuit_breaker). Default: the calls of one tool.
    #[must_use]
    pub fn keyed_by(self, key: CallKey) -> Self {
        Self { call_key: key, ..self }
    }

    /// Whether [`keyed_by`](Self::keyed_by) set another key than the default. Without calls, such as around a model, that key has no effect.
    #[must_use]
    pub fn has_call_key(&self) -> bool {
        !self.call_key.is_tool()
    }

    /// Lets a call of this key pass, or refuses it.
    ///
    /// # Errors
    /// Returns why no call may pass, and when one may.
    pub fn permit(&self, key: &str) -> Result<CircuitPermit, CircuitOpen> {
        let mut table = lock(&self.circuits.table);
        let (key, generation) = table.enter(&self.circuits, key)?;
        drop(table);
        Ok(CircuitPermit { circuits: Arc::clone(&self.circuits), key, generation, outcome: Outcome::Unknown })
    }

    pub(crate) fn key_of<'c>(&self, cx: &'c ToolContext) -> Cow<'c, str> {
        self.call_key.for_call(cx)
    }

    /// The number of keys that it holds now.
    #[must_use]
    pub fn keys(&self) -> usize {
        lock(&self.circuits.table).circuits.len()
    }
}

impl Circuits {
    fn new(failures: u32, open_for: Duration, max_keys: usize) -> Arc<Self> {
        Arc::new(Self { failures, open_for, max_keys, table: Mutex::default() })
    }
}

impl CircuitPermit {
    /// The call has begun to respond, and its result comes later, such as that of an answer that is streamed. If it is the probe, the
    /// circuit closes for other calls, and the next failure without a success before it opens it again. Otherwise nothing changes.
    pub fn responds(&mut self) {
        let mut table = lock(&self.circuits.table);
        if let Some(circuit) = table.circuits.get_mut(&self.key) {
            self.generation = circuit.respond(&self.circuits, self.generation);
        }
    }

    /// The call worked.
    pub fn success(mut self) {
        self.outcome = Outcome::Success;
    }

    /// The call failed.
    pub fn failure(mut self) {
        self.outcome = Outcome::Failure;
    }
}

impl Drop for CircuitPermit {
    fn drop(&mut self) {
        lock(&self.circuits.table).leave(&self.circuits, &self.key, self.generation, self.outcome);
    }
}

impl CircuitOpen {
    /// The time after which to call again, if it is known.
    #[must_use]
    pub fn retry_in(&self) -> Option<Duration> {
        match self {
            Self::Waiting { retry_in } | Self::Probing { retry_in } => Some(*retry_in),
            Self::TooManyKeys { .. } => None,
        }
    }
}

impl Table {
    fn enter(&mut self, circuits: &Circuits, key: &str) -> Result<(Arc<str>, u64), CircuitOpen> {
        self.uses += 1;
        let key = match self.circuits.get_key_value(key) {
            Some((key, _)) => Arc::clone(key),
            None => {
                if self.circuits.len() >= circuits.max_keys && !self.free(circuits) {
                    return Err(CircuitOpen::TooManyKeys { max_keys: circuits.max_keys });
                }
                Arc::from(key)
            }
        };
        let circuit = self.circuits.entry(Arc::clone(&key)).or_insert(Circuit {
            state: State::Closed(0),
            generation: 0,
            calls: 0,
            last_use: 0,
        });
        circuit.last_use = self.uses;
        circuit.begin(circuits)?;
        Ok((key, circuit.generation))
    }

    fn leave(&mut self, circuits: &Circuits, key: &str, generation: u64, outcome: Outcome) {
        let Some(circuit) = self.circuits.get_mut(key) else { return };
        circuit.end(circuits, generation, outcome);
        if circuit.calls == 0 && matches!(circuit.state, State::Closed(0)) {
            self.circuits.remove(key);
        }
    }

    /// Removes the key whose last use is the longest ago, of those that are not in use. Returns whether there was one.
    fn free(&mut self, circuits: &Circuits) -> bool {
        let idle = self.circuits.iter().filter(|(_, circuit)| circuit.is_idle(circuits));
        let Some((oldest, _)) = idle.min_by_key(|(_, circuit)| circuit.last_use) else { return false };
        let oldest = Arc::clone(oldest);
        self.circuits.remove(&oldest).is_some()
    }
}

impl Circuit {
    fn begin(&mut self, circuits: &Circuits) -> Result<(), CircuitOpen> {
        match self.state {
            State::Closed(_) => {}
            State::Open(since) => {
                let retry_in = circuits.open_for.saturating_sub(since.elapsed());
                if !retry_in.is_zero() {
                    return Err(CircuitOpen::Waiting { retry_in });
                }
                self.change(State::Probing);
            }
            State::HalfOpen => self.change(State::Probing),
            State::Probing => return Err(CircuitOpen::Probing { retry_in: circuits.open_for }),
        }
        self.calls += 1;
        Ok(())
    }

    /// Returns the generation of the call from now on.
    fn respond(&mut self, circuits: &Circuits, generation: u64) -> u64 {
        if generation == self.generation && matches!(self.state, State::Probing) {
            self.change(State::Closed(circuits.failures - 1));
            return self.generation;
        }
        generation
    }

    fn end(&mut self, circuits: &Circuits, generation: u64, outcome: Outcome) {
        self.calls -= 1;
        if generation != self.generation {
            return;
        }
        match (self.state, outcome) {
            (State::Closed(_), Outcome::Success) => self.state = State::Closed(0),
            (State::Closed(failures), Outcome::Failure) if failures + 1 < circuits.failures => {
                self.state = State::Closed(failures + 1);
            }
            (State::Closed(_) | State::Probing, Outcome::Failure) => self.change(State::Open(Instant::now())),
            (State::Probing, Outcome::Success) => self.change(State::Closed(0)),
            (State::Probing, Outcome::Unknown) => self.change(State::HalfOpen),
            // No call of this generation began in these states.
            (State::Open(_) | State::HalfOpen, _) | (State::Closed(_), Outcome::Unknown) => {}
        }
    }

    fn change(&mut self, state: State) {
        self.state = state;
        self.generation += 1;
    }

    fn is_idle(&self, circuits: &Circuits) -> bool {
        let is_open = matches!(self.state, State::Open(since) if since.elapsed() < circuits.open_for);
        self.calls == 0 && !is_open
    }
}

impl fmt::Debug for CircuitBreaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CircuitBreaker")
            .field("failures", &self.circuits.failures)
            .field("open_for", &self.circuits.open_for)
            .field("keyed_by", &self.call_key)
            .field("keys", &self.keys())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for CircuitPermit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CircuitPermit").finish_non_exhaustive()
    }
}
