//! The buckets of the keys: a bounded number.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;

use super::RateLimitError;
use super::level::{Level, Rate};
use crate::lock::lock;

/// The buckets of one limit.
pub(super) struct Keys {
    rate: Rate,
    max: usize,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    buckets: HashMap<Arc<str>, Arc<Bucket>>,
    /// No bucket can be full before this time, so the table is not searched again.
    search_at: Option<Instant>,
}

/// The permits of one key.
pub(super) struct Bucket {
    /// The first caller in the line holds it. tokio serves callers in their order, and a dropped one leaves the line.
    turn: tokio::sync::Mutex<()>,
    level: Mutex<Level>,
}

/// The place of a caller in the line. It counts for the expected time of later callers until it is dropped.
pub(super) struct Place<'b> {
    bucket: &'b Bucket,
    rate: Rate,
    permits: u32,
    expected: Duration,
}

impl Keys {
    pub(super) fn new(rate: Rate, max: usize) -> Self {
        Self { rate, max, table: Mutex::default() }
    }

    pub(super) fn rate(&self) -> Rate {
        self.rate
    }

    pub(super) fn max(&self) -> usize {
        self.max
    }

    pub(super) fn len(&self) -> usize {
        lock(&self.table).buckets.len()
    }

    /// The bucket of a key. While it is held, its key does not leave.
    pub(super) fn bucket(&self, key: &str) -> Result<Arc<Bucket>, RateLimitError> {
        let mut table = lock(&self.table);
        if let Some(bucket) = table.buckets.get(key) {
            return Ok(Arc::clone(bucket));
        }
        if table.buckets.len() >= self.max && !table.free(self.rate) {
            return Err(RateLimitError::TooManyKeys { max_keys: self.max });
        }
        let bucket =
            Arc::new(Bucket { turn: tokio::sync::Mutex::default(), level: Level::full(self.rate).into() });
        table.buckets.insert(key.into(), Arc::clone(&bucket));
        table.search_at = None;
        Ok(bucket)
    }
}

impl Table {
    /// Removes the keys that are as new: nobody holds them, and their buckets are full. Returns whether there were any.
    fn free(&mut self, rate: Rate) -> bool {
        let now = Instant::now();
        if self.search_at.is_some_and(|at| now < at) {
            return false;
        }
        let before = self.buckets.len();
        let mut soonest = Duration::MAX;
        self.buckets.retain(|_, bucket| {
            let full_in = lock(&bucket.level).full_in(rate);
            let stays = !full_in.is_zero() || Arc::strong_count(bucket) > 1;
            if stays {
                soonest = soonest.min(full_in);
            }
            stays
        });
        self.search_at = now.checked_add(soonest);
        self.buckets.len() < before
    }
}

impl Bucket {
    /// Waits for the turn of this caller.
    pub(super) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// Notes a caller that begins to wait.
    pub(super) fn enter(&self, rate: Rate, permits: u32) -> Place<'_> {
        let mut level = lock(&self.level);
        level.enter(rate, permits);
        Place { bucket: self, rate, permits, expected: level.expected(rate) }
    }

    pub(super) fn charge(&self, rate: Rate, permits: u32) {
        lock(&self.level).charge(rate, permits);
    }

    pub(super) fn give_back(&self, rate: Rate, permits: u32) {
        lock(&self.level).give_back(rate, permits);
    }

    pub(super) fn expected(&self, rate: Rate) -> Duration {
        lock(&self.level).expected(rate)
    }
}

impl Place<'_> {
    /// The time until this caller has its permits, if no earlier one gives up.
    pub(super) fn expected(&self) -> Duration {
        self.expected
    }

    /// Takes the permits, or returns the time until they are there.
    pub(super) fn take(&mut self) -> Result<(), Duration> {
        let mut level = lock(&self.bucket.level);
        level.take(self.rate, self.permits)?;
        // The permits are no longer expected, also while this place is not dropped yet.
        level.leave(self.rate, std::mem::take(&mut self.permits));
        Ok(())
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        lock(&self.bucket.level).leave(self.rate, self.permits);
    }
}
