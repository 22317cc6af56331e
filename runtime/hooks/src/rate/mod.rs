//! Rate limits: permits per time, for each key.

mod keys;
mod level;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use onionskin_core::ToolContext;
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::key::CallKey;
use crate::unfit::{Unfit, ensure, or_panic};
use keys::{Bucket, Keys};
use level::Rate;

/// The default maximum number of keys.
const MAX_KEYS: usize = 10_000;

/// Permits per time, for each key: a token bucket. Clones share the permits, also between runs, agents and models.
///
/// A key begins with a full bucket of [`burst`](Self::burst) permits, and the bucket fills evenly: with 60 permits a minute, one comes
/// back each second. Calls that find too few permits wait in the order in which they came.
///
/// ```
/// use std::time::Duration;
/// use onionskin::hooks::RateLimit;
/// use tokio::time::Instant;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let limit = RateLimit::new(60, Duration::from_secs(60)).burst(2);
/// let start = Instant::now();
/// for _ in 0..4 {
///     limit.acquire("search", 1).await?;
/// }
/// assert_eq!(start.elapsed(), Duration::from_secs(2));
/// # Ok::<_, onionskin::hooks::RateLimitError>(())
/// # }).unwrap();
/// ```
///
/// It takes no memory beyond that of its keys, and starts no task. Timers of tokio have a resolution of 1 ms, so a rate above 1,000
/// permits a second needs a burst of several permits.
#[derive(Clone)]
pub struct RateLimit {
    keys: Arc<Keys>,
    call_key: CallKey,
}

/// Why a [`RateLimit`] gives no permits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum RateLimitError {
    /// The permits come later than the deadline of the caller.
    #[error("the rate limit has no permit before the deadline: the next one comes in {wait:?}")]
    #[non_exhaustive]
    Late {
        /// The time until the permits would have come, if no earlier caller gives up.
        wait: Duration,
    },
    /// More permits were requested at once than the bucket holds, so they would never come.
    #[error(
        "{requested} permits were requested at once, and the burst of the rate limit is {burst}: request fewer, or set a larger `burst`"
    )]
    #[non_exhaustive]
    MoreThanBurst {
        /// The number of requested permits.
        requested: u32,
        /// The largest number that can be requested at once.
        burst: u32,
    },
    /// All keys are in use: callers wait for their permits, or their buckets are not full again.
    #[error(
        "the rate limit has {max_keys} keys in use, and no more are allowed: call again later, or set a larger `max_keys`"
    )]
    #[non_exhaustive]
    TooManyKeys {
        /// The largest number of keys.
        max_keys: usize,
    },
}

impl RateLimit {
    /// Creates a limit of `permits` for each `per`, with a burst of as many permits and up to 10,000 keys.
    ///
    /// # Panics
    /// Panics if `permits` or `per` is zero, because no call would ever pass.
    #[must_use]
    pub fn new(permits: u32, per: Duration) -> Self {
        or_panic(Self::try_new(permits, per))
    }

    pub(crate) fn try_new(permits: u32, per: Duration) -> Result<Self, Unfit> {
        ensure(
            permits > 0,
            0,
            "a rate limit of 0 permits lets no call pass: remove the tool, or allow some permits",
        )?;
        ensure(
            !per.is_zero(),
            1,
            "a rate limit per time of zero limits nothing: remove the limit, or set a time",
        )?;
        Ok(Self {
            keys: Arc::new(Keys::new(Rate::new(permits, per, permits), MAX_KEYS)),
            call_key: CallKey::tool(),
        })
    }

    /// Sets the number of permits of a full bucket: so many can be used at once after a pause. It begins anew, and shares nothing with
    /// earlier clones.
    ///
    /// # Panics
    /// Panics if the number is zero, because no call would ever pass.
    #[must_use]
    pub fn burst(self, permits: u32) -> Self {
        assert!(permits > 0, "a rate limit with a burst of 0 lets no call pass: allow at least 1");
        Self { keys: Arc::new(Keys::new(self.keys.rate().with_burst(permits), self.keys.max())), ..self }
    }

    /// Sets the largest number of keys. Keys with a full bucket and without a caller leave first; other keys never leave, because they
    /// would forget the permits that they gave. It begins anew, and shares nothing with earlier clones.
    ///
    /// # Panics
    /// Panics if the number is zero, because no call would ever pass.
    #[must_use]
    pub fn max_keys(self, most: usize) -> Self {
        assert!(most > 0, "a rate limit with 0 keys lets no call pass: allow at least 1");
        Self { keys: Arc::new(Keys::new(self.keys.rate(), most)), ..self }
    }

    /// Sets which calls share a bucket, for the hook [`rate_limit`](struct@crate::rate_limit). Default: the calls of one tool.
    #[must_use]
    pub fn keyed_by(self, key: CallKey) -> Self {
        Self { call_key: key, ..self }
    }

    /// Whether [`keyed_by`](Self::keyed_by) set another key than the default. Without calls, such as around a model, that key has no effect.
    #[must_use]
    pub fn has_call_key(&self) -> bool {
        !self.call_key.is_tool()
    }

    /// Takes permits of a key, and waits until they are there. Callers of one key get them in the order in which they first polled the
    /// future, so a large request is not overtaken by small ones. No permits are requested with 0: that waits while the key is in debt.
    ///
    /// Cancel safety: dropping the future takes no permits, and the next caller moves up.
    ///
    /// # Errors
    /// Returns [`RateLimitError::MoreThanBurst`] and [`RateLimitError::TooManyKeys`], at once.
    ///
    /// # Panics
    /// Panics if it has to wait without a tokio runtime with timers.
    pub async fn acquire(&self, key: &str, permits: u32) -> Result<(), RateLimitError> {
        self.wait(key, permits, None).await
    }

    /// As [`Self::acquire`], for callers that must be done at `deadline`. If the permits cannot come by then, it returns the error as
    /// soon as that is known, which is mostly at once.
    ///
    /// Cancel safety: as [`Self::acquire`].
    ///
    /// # Errors
    /// Returns any [`RateLimitError`].
    ///
    /// # Panics
    /// As [`Self::acquire`].
    pub async fn acquire_until(
        &self,
        key: &str,
        permits: u32,
        deadline: Instant,
    ) -> Result<(), RateLimitError> {
        self.wait(key, permits, Some(deadline)).await
    }

    /// Takes permits of a key afterwards, without a wait, for costs that are known only at the end, such as the tokens of an answer. The
    /// key may get into debt: later callers wait until it is paid.
    ///
    /// One charge takes at most ten times the permits of the limit, or ten times its burst if that is larger. The costs are often a report
    /// of somebody else, and a wrong one would close the key for weeks.
    ///
    /// # Errors
    /// Returns [`RateLimitError::TooManyKeys`] if the key is new and no other one can leave; then nothing is charged.
    pub fn charge(&self, key: &str, permits: u32) -> Result<(), RateLimitError> {
        let bucket = self.keys.bucket(key)?;
        bucket.charge(self.keys.rate(), permits);
        Ok(())
    }

    /// Gives back permits that were taken and not used, for example because the caller gave up. The bucket holds no more than its burst.
    /// Callers that wait already do not wait less.
    ///
    /// # Errors
    /// As [`Self::charge`].
    pub fn give_back(&self, key: &str, permits: u32) -> Result<(), RateLimitError> {
        let bucket = self.keys.bucket(key)?;
        bucket.give_back(self.keys.rate(), permits);
        Ok(())
    }

    /// The number of keys that it holds now.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn key_of<'c>(&self, cx: &'c ToolContext) -> Cow<'c, str> {
        self.call_key.for_call(cx)
    }

    async fn wait(&self, key: &str, permits: u32, deadline: Option<Instant>) -> Result<(), RateLimitError> {
        let rate = self.keys.rate();
        if permits > rate.burst() {
            return Err(RateLimitError::MoreThanBurst { requested: permits, burst: rate.burst() });
        }
        let bucket = self.keys.bucket(key)?;
        let mut place = bucket.enter(rate, permits);
        in_time(place.expected(), deadline)?;
        // Only the first caller in the line looks at the bucket, so nobody is overtaken.
        let _turn = self.turn(&bucket, deadline).await?;
        loop {
            let wait = match place.take() {
                Ok(()) => return Ok(()),
                Err(wait) => wait,
            };
            in_time(wait, deadline)?;
            // Later charges can make the wait longer.
            sleep_until(Instant::now() + wait.min(LONGEST_SLEEP)).await;
        }
    }

    async fn turn<'b>(
        &self,
        bucket: &'b Bucket,
        deadline: Option<Instant>,
    ) -> Result<tokio::sync::MutexGuard<'b, ()>, RateLimitError> {
        match deadline {
            None => Ok(bucket.turn().await),
            Some(at) => timeout_at(at, bucket.turn())
                .await
                .map_err(|_| RateLimitError::Late { wait: bucket.expected(self.keys.rate()) }),
        }
    }
}

/// A clock far in the future would overflow.
const LONGEST_SLEEP: Duration = Duration::from_hours(24);

fn in_time(wait: Duration, deadline: Option<Instant>) -> Result<(), RateLimitError> {
    match deadline {
        Some(at) if at.saturating_duration_since(Instant::now()) < wait => Err(RateLimitError::Late { wait }),
        Some(_) | None => Ok(()),
    }
}

impl fmt::Debug for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.keys.rate();
        f.debug_struct("RateLimit")
            .field("permits", &rate.permits())
            .field("per", &rate.per())
            .field("burst", &rate.burst())
            .field("keyed_by", &self.call_key)
            .field("keys", &self.keys())
            .finish_non_exhaustive()
    }
}
