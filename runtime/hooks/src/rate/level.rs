//! The contents of one bucket, in whole numbers: a permit is worth as many parts as the time has nanoseconds, and in each nanosecond as
//! many parts come back as there are permits. So no rounding adds up.

use std::time::Duration;

use tokio::time::Instant;

/// One charge takes at most so many times the permits of the limit, or its burst if that is larger: whoever reports the costs, such as a
/// provider, can be wrong, and the key would be in debt for weeks.
const MOST_PER_CHARGE: u32 = 10;

/// How fast buckets fill, and how much they hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    permits: u32,
    per: Duration,
    burst: u32,
}

/// Parts of permits. An `i128` holds the product of any duration and any number of permits.
type Parts = i128;

/// The contents of a bucket, at a time.
#[derive(Debug)]
pub(super) struct Level {
    /// Negative for a debt.
    parts: Parts,
    at: Instant,
    /// What the callers in the line will take.
    queued: Parts,
}

impl Rate {
    pub(super) fn new(permits: u32, per: Duration, burst: u32) -> Self {
        Self { permits, per, burst }
    }

    pub(super) fn with_burst(self, burst: u32) -> Self {
        Self { burst, ..self }
    }

    pub(super) fn permits(self) -> u32 {
        self.permits
    }

    pub(super) fn per(self) -> Duration {
        self.per
    }

    pub(super) fn burst(self) -> u32 {
        self.burst
    }

    /// The number of permits of one charge that count.
    fn charged(self, permits: u32) -> u32 {
        permits.min(MOST_PER_CHARGE.saturating_mul(self.permits.max(self.burst)))
    }

    fn cost(self, permits: u32) -> Parts {
        nanos(self.per) * Parts::from(permits)
    }

    /// The time in which so many parts come back.
    fn time(self, parts: Parts) -> Duration {
        let nanos = u128::try_from(parts).unwrap_or(0).div_ceil(self.permits.into());
        Duration::from_nanos(nanos.try_into().unwrap_or(u64::MAX))
    }
}

fn nanos(time: Duration) -> Parts {
    Parts::try_from(time.as_nanos()).unwrap_or(Parts::MAX)
}

impl Level {
    pub(super) fn full(rate: Rate) -> Self {
        Self { parts: rate.cost(rate.burst), at: Instant::now(), queued: 0 }
    }

    fn fill(&mut self, rate: Rate) {
        let now = Instant::now();
        let earned = nanos(now.saturating_duration_since(self.at)) * Parts::from(rate.permits);
        self.parts = self.parts.saturating_add(earned).min(rate.cost(rate.burst));
        self.at = now;
    }

    /// The time until the bucket is full, if nobody takes anything.
    pub(super) fn full_in(&mut self, rate: Rate) -> Duration {
        self.fill(rate);
        rate.time(rate.cost(rate.burst).saturating_sub(self.parts))
    }

    /// Takes permits, or returns the time until they are there.
    pub(super) fn take(&mut self, rate: Rate, permits: u32) -> Result<(), Duration> {
        self.fill(rate);
        let missing = rate.cost(permits).saturating_sub(self.parts);
        if missing > 0 {
            return Err(rate.time(missing));
        }
        self.parts -= rate.cost(permits);
        Ok(())
    }

    pub(super) fn charge(&mut self, rate: Rate, permits: u32) {
        self.fill(rate);
        self.parts = self.parts.saturating_sub(rate.cost(rate.charged(permits)));
    }

    pub(super) fn give_back(&mut self, rate: Rate, permits: u32) {
        self.parts = self.parts.saturating_add(rate.cost(permits));
        self.fill(rate);
    }

    pub(super) fn enter(&mut self, rate: Rate, permits: u32) {
        self.queued = self.queued.saturating_add(rate.cost(permits));
    }

    pub(super) fn leave(&mut self, rate: Rate, permits: u32) {
        self.queued = self.queued.saturating_sub(rate.cost(permits));
    }

    /// The time until all callers in the line have their permits, if none gives up.
    pub(super) fn expected(&mut self, rate: Rate) -> Duration {
        self.fill(rate);
        rate.time(self.queued.saturating_sub(self.parts))
    }
}
