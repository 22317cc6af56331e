//! Pauses before further attempts. `hooks/retrying.rs` and `agent/running/model_request.rs` each hold their numbers.

use std::time::Duration;

/// Exponential backoff with jitter, so that callers that failed together do not retry together.
#[derive(Debug, Clone, Copy)]
pub struct Backoff {
    /// The pause after the first attempt.
    pub first: Duration,
    /// The longest pause, without jitter.
    pub longest: Duration,
    /// The largest jitter, in percent of the pause.
    pub jitter: u32,
}

impl Backoff {
    /// Returns the pause after an attempt, counted from 1. `random` selects the jitter.
    pub fn pause(self, attempt: u32, random: u64) -> Duration {
        let doubled = 1_u32.checked_shl(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
        let pause = self.first.saturating_mul(doubled).min(self.longest);
        let jitter = (pause * self.jitter / 100).as_millis().max(1);
        pause + Duration::from_millis((u128::from(random) % jitter).try_into().unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKOFF: Backoff =
        Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(10), jitter: 50 };

    #[test]
    fn h9_pauses_double_up_to_the_longest() {
        let pauses = [1, 2, 3, 7, 8, 40, u32::MAX].map(|attempt| BACKOFF.pause(attempt, 0).as_millis());
        assert_eq!(pauses, [100, 200, 400, 6_400, 10_000, 10_000, 10_000]);
    }

    #[test]
    fn h9_jitter_is_below_its_share_of_the_pause() {
        for attempt in [1, 3, 9] {
            let pause = BACKOFF.pause(attempt, 0);
            let with = |random| BACKOFF.pause(attempt, random).abs_diff(pause);
            assert_eq!(with(49), Duration::from_millis(49));
            assert!([u64::MAX, 12_345, 7_777_777].map(with).iter().all(|jitter| *jitter < pause / 2));
        }
        assert_eq!(Backoff { jitter: 0, ..BACKOFF }.pause(2, u64::MAX), Duration::from_millis(200));
    }
}
