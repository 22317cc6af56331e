//! The rate limit itself: order, waits, drops, debts, deadlines and the number of keys.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin_hooks::{RateLimit, RateLimitError};
use tokio::task::{JoinHandle, yield_now};
use tokio::time::{Instant, advance};

const SECOND: Duration = Duration::from_secs(1);

/// One permit a second, and no burst.
fn one_a_second() -> RateLimit {
    RateLimit::new(1, SECOND)
}

/// Begins to wait now, so that the order of these calls is the order of the line.
async fn waiter(limit: &RateLimit, permits: u32) -> JoinHandle<Duration> {
    let (limit, start) = (limit.clone(), Instant::now());
    let waiter = tokio::spawn(async move {
        limit.acquire("k", permits).await.unwrap();
        start.elapsed()
    });
    yield_now().await;
    waiter
}

#[tokio::test(start_paused = true)]
async fn h9_permits_come_back_evenly_and_a_burst_is_there_at_once() {
    let limit = RateLimit::new(3, SECOND);
    let start = Instant::now();
    for _ in 0..3 {
        limit.acquire("k", 1).await.unwrap();
    }
    assert_eq!(start.elapsed(), Duration::ZERO);
    // A third of a second is no whole number of nanoseconds, and nothing of it is lost.
    for _ in 0..300 {
        limit.acquire("k", 1).await.unwrap();
    }
    let (took, exact) = (start.elapsed(), 100 * SECOND);
    assert!(took >= exact && took <= exact + Duration::from_millis(1), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn h9_a_large_request_is_not_overtaken_by_small_ones() {
    let limit = RateLimit::new(1, SECOND).burst(5);
    limit.acquire("k", 5).await.unwrap();
    let large = waiter(&limit, 5).await;
    let small = waiter(&limit, 1).await;
    assert_eq!((large.await.unwrap(), small.await.unwrap()), (5 * SECOND, 6 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn h9_a_dropped_waiter_leaves_no_hole_first_in_line_or_later() {
    let limit = one_a_second();
    limit.acquire("k", 1).await.unwrap();
    let (first, second, third) = (waiter(&limit, 1).await, waiter(&limit, 1).await, waiter(&limit, 1).await);
    let fourth = waiter(&limit, 1).await;
    first.abort();
    third.abort();
    assert_eq!((second.await.unwrap(), fourth.await.unwrap()), (SECOND, 2 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn h9_a_deadline_that_cannot_be_met_is_refused_at_once_and_takes_no_place() {
    let limit = one_a_second();
    limit.acquire("k", 1).await.unwrap();
    let before = waiter(&limit, 1).await;
    let start = Instant::now();
    let late = limit.acquire_until("k", 1, start + SECOND).await.unwrap_err();
    assert!(matches!(late, RateLimitError::Late { wait, .. } if wait == 2 * SECOND), "{late:?}");
    assert_eq!(start.elapsed(), Duration::ZERO);
    // The refused call is not counted for the next one.
    limit.acquire_until("k", 1, start + 2 * SECOND).await.unwrap();
    assert_eq!((before.await.unwrap(), start.elapsed()), (SECOND, 2 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn h9_a_charge_during_a_wait_makes_it_longer_or_late() {
    let limit = one_a_second();
    limit.acquire("k", 1).await.unwrap();
    let patient = waiter(&limit, 1).await;
    limit.charge("k", 3).unwrap();
    assert_eq!(patient.await.unwrap(), 4 * SECOND);

    let until = Instant::now() + 2 * SECOND;
    let other = limit.clone();
    let hurried = tokio::spawn(async move { other.acquire_until("k", 1, until).await });
    yield_now().await;
    limit.charge("k", 5).unwrap();
    assert!(matches!(hurried.await.unwrap(), Err(RateLimitError::Late { .. })));
    assert!(Instant::now() <= until);
}

#[tokio::test(start_paused = true)]
async fn h9_a_debt_of_any_size_ends_in_a_wait_and_not_in_an_overflow() {
    let limit = RateLimit::new(1, Duration::MAX);
    for _ in 0..3 {
        limit.charge("k", u32::MAX).unwrap();
    }
    let late = limit.acquire_until("k", 1, Instant::now() + SECOND).await;
    assert!(matches!(late, Err(RateLimitError::Late { .. })), "{late:?}");
    // Without permits it waits for the end of the debt.
    let small = one_a_second();
    small.charge("k", 3).unwrap();
    let start = Instant::now();
    small.acquire("k", 0).await.unwrap();
    assert_eq!(start.elapsed(), 2 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn h9_one_charge_is_at_most_ten_times_the_permits_or_the_burst() {
    for (limit, debt) in [(RateLimit::new(3, SECOND), 9 * SECOND), (one_a_second().burst(4), 36 * SECOND)] {
        limit.charge("k", u32::MAX).unwrap();
        let start = Instant::now();
        limit.acquire("k", 0).await.unwrap();
        assert_eq!(start.elapsed(), debt, "{limit:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn h9_more_permits_than_the_burst_are_refused() {
    let error = RateLimit::new(10, SECOND).burst(4).acquire("k", 5).await.unwrap_err();
    assert!(matches!(error, RateLimitError::MoreThanBurst { requested: 5, burst: 4, .. }), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn h9_keys_are_bounded_idle_ones_leave_and_used_ones_stay() {
    let limit = one_a_second().max_keys(2);
    limit.acquire("k", 1).await.unwrap();
    limit.acquire("b", 1).await.unwrap();
    let error = limit.acquire("c", 1).await.unwrap_err();
    assert!(matches!(error, RateLimitError::TooManyKeys { max_keys: 2, .. }), "{error:?}");
    assert!(matches!(limit.charge("c", 1), Err(RateLimitError::TooManyKeys { .. })));

    // `k` is in use for three seconds, `b` is as new after one.
    let waiting = waiter(&limit, 1).await;
    limit.charge("k", 1).unwrap();
    advance(SECOND).await;
    limit.acquire("c", 1).await.unwrap();
    assert_eq!(limit.keys(), 2);
    assert!(matches!(limit.acquire("b", 1).await, Err(RateLimitError::TooManyKeys { .. })));
    assert_eq!(waiting.await.unwrap(), 2 * SECOND);
    // After a pause all of them have left, and one came.
    advance(10 * SECOND).await;
    limit.acquire("b", 1).await.unwrap();
    assert_eq!(limit.keys(), 1);
}

#[tokio::test(start_paused = true)]
async fn h9_1000_callers_of_one_limit_are_served_in_their_order_and_leave_nothing() {
    let limit = RateLimit::new(100, SECOND).burst(1).max_keys(10);
    let served = Arc::new(Mutex::new(Vec::new()));
    let start = Instant::now();
    let mut callers = Vec::new();
    for number in 0..1000 {
        let (limit, served) = (limit.clone(), Arc::clone(&served));
        callers.push(tokio::spawn(async move {
            limit.acquire(if number % 2 == 0 { "even" } else { "odd" }, 1).await.unwrap();
            served.lock().unwrap().push((number, start.elapsed()));
        }));
        yield_now().await;
    }
    // Every tenth caller gives up.
    for caller in callers.iter().step_by(10) {
        caller.abort();
    }
    for (number, caller) in callers.into_iter().enumerate() {
        // The first one had its permit before it was aborted.
        assert_eq!(caller.await.is_err(), number % 10 == 0 && number > 0, "{number}");
    }
    let served = served.lock().unwrap();
    for remainder in 0..2 {
        let of_key: Vec<_> = served.iter().filter(|(number, _)| number % 2 == remainder).collect();
        assert!(of_key.is_sorted_by_key(|(number, _)| *number));
        for (place, (_, at)) in of_key.iter().enumerate() {
            assert_eq!(*at, Duration::from_millis(10) * u32::try_from(place).unwrap());
        }
    }
    assert_eq!((served.len(), limit.keys()), (901, 2));
}

#[test]
fn h9_a_limit_that_limits_nothing_or_lets_nothing_pass_panics() {
    for make in [
        || RateLimit::new(0, SECOND),
        || RateLimit::new(1, Duration::ZERO),
        || one_a_second().burst(0),
        || one_a_second().max_keys(0),
    ] {
        std::panic::catch_unwind(make).unwrap_err();
    }
}
