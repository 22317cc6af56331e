//! The circuit breaker itself: its states, late results, drops and the number of keys.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use onionskin_hooks::{CircuitBreaker, CircuitOpen};
use tokio::time::advance;

const SECOND: Duration = Duration::from_secs(1);

/// Opens the circuit of `k`.
fn open(circuit: &CircuitBreaker, failures: u32) {
    for _ in 0..failures {
        circuit.permit("k").unwrap().failure();
    }
    assert!(matches!(circuit.permit("k"), Err(CircuitOpen::Waiting { .. })));
}

#[tokio::test(start_paused = true)]
async fn h9_a_circuit_opens_after_failures_in_a_row_and_says_how_long() {
    let circuit = CircuitBreaker::new(3, 30 * SECOND);
    for _ in 0..2 {
        circuit.permit("k").unwrap().failure();
    }
    circuit.permit("k").unwrap().success();
    assert_eq!(circuit.keys(), 0, "a key without failures takes no memory");
    open(&circuit, 3);
    advance(10 * SECOND).await;
    assert_eq!(circuit.permit("k").unwrap_err().retry_in(), Some(20 * SECOND));
    assert!(circuit.permit("other").is_ok());
}

#[tokio::test(start_paused = true)]
async fn h9_one_probe_passes_a_half_open_circuit_and_decides() {
    let circuit = CircuitBreaker::new(1, SECOND);
    open(&circuit, 1);
    advance(SECOND).await;
    let probe = circuit.permit("k").unwrap();
    let refused = circuit.permit("k").unwrap_err();
    assert!(matches!(refused, CircuitOpen::Probing { .. }), "{refused:?}");
    assert_eq!(refused.retry_in(), Some(SECOND));
    probe.failure();
    assert_eq!(circuit.permit("k").unwrap_err().retry_in(), Some(SECOND));
    advance(SECOND).await;
    circuit.permit("k").unwrap().success();
    let both = (circuit.permit("k").unwrap(), circuit.permit("k").unwrap());
    drop(both);
    assert_eq!(circuit.keys(), 0);
}

#[tokio::test(start_paused = true)]
async fn h9_a_dropped_probe_frees_the_place_and_counts_as_neither() {
    let circuit = CircuitBreaker::new(1, SECOND);
    drop(circuit.permit("k").unwrap());
    assert_eq!(circuit.keys(), 0);
    open(&circuit, 1);
    advance(SECOND).await;
    drop(circuit.permit("k").unwrap());
    // No further time passes, and still exactly one probe may.
    let probe = circuit.permit("k").unwrap();
    assert!(matches!(circuit.permit("k"), Err(CircuitOpen::Probing { .. })));
    probe.success();
    assert!(circuit.permit("k").is_ok());
}

#[tokio::test(start_paused = true)]
async fn h9_a_result_from_before_a_change_of_the_circuit_does_not_count() {
    let circuit = CircuitBreaker::new(1, SECOND);
    let (early, earlier) = (circuit.permit("k").unwrap(), circuit.permit("k").unwrap());
    open(&circuit, 1);
    early.success();
    assert!(circuit.permit("k").is_err(), "a late success closes nothing");
    advance(SECOND).await;
    circuit.permit("k").unwrap().success();
    earlier.failure();
    assert!(circuit.permit("k").is_ok(), "a late failure opens nothing");
}

#[tokio::test(start_paused = true)]
async fn h9_a_probe_that_responds_lets_other_calls_pass_and_its_failure_still_counts() {
    let circuit = CircuitBreaker::new(3, SECOND);
    let mut usual = circuit.permit("k").unwrap();
    usual.responds();
    usual.success();
    assert_eq!(circuit.keys(), 0);
    for result in [true, false] {
        open(&circuit, 3);
        advance(SECOND).await;
        let mut probe = circuit.permit("k").unwrap();
        assert!(circuit.permit("k").is_err());
        probe.responds();
        assert!(circuit.permit("k").is_ok(), "the probe has begun to respond");
        if result {
            probe.success();
            assert_eq!(circuit.keys(), 0);
        } else {
            probe.failure();
            assert!(matches!(circuit.permit("k"), Err(CircuitOpen::Waiting { .. })));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn h9_keys_of_circuits_are_bounded_and_open_ones_stay() {
    let circuit = CircuitBreaker::new(2, SECOND).max_keys(3);
    open(&circuit, 2);
    let running = circuit.permit("running").unwrap();
    circuit.permit("failed once").unwrap().failure();
    // The key that failed once is not in use, so it leaves for another one.
    let next = circuit.permit("next").unwrap();
    assert_eq!(circuit.keys(), 3);
    let refused = circuit.permit("more").unwrap_err();
    assert!(matches!(refused, CircuitOpen::TooManyKeys { max_keys: 3, .. }), "{refused:?}");
    assert!(matches!(circuit.permit("k"), Err(CircuitOpen::Waiting { .. })));
    // The time of the open one is over, so it leaves.
    advance(SECOND).await;
    let more = circuit.permit("more").unwrap();
    assert_eq!(circuit.keys(), 3);
    drop((running, next, more));
    assert_eq!(circuit.keys(), 0);
}

#[tokio::test(start_paused = true)]
async fn h9_1000_callers_of_one_circuit_leave_one_probe_and_one_key() {
    let circuit = CircuitBreaker::new(5, SECOND);
    let passed = std::sync::Arc::new(AtomicU32::new(0));
    let round = async || {
        let before = passed.load(Ordering::Relaxed);
        let callers: Vec<_> = (0..1000)
            .map(|_| {
                let (circuit, passed) = (circuit.clone(), std::sync::Arc::clone(&passed));
                tokio::spawn(async move {
                    let Ok(permit) = circuit.permit("k") else { return };
                    passed.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    permit.failure();
                })
            })
            .collect();
        for caller in callers {
            caller.await.unwrap();
        }
        passed.load(Ordering::Relaxed) - before
    };
    // All of them began before the first failure; later ones find the circuit open, then half-open.
    assert_eq!((round().await, round().await), (1000, 0));
    advance(SECOND).await;
    assert_eq!((round().await, circuit.keys()), (1, 1));
}

#[test]
fn h9_a_circuit_that_refuses_nothing_or_all_panics() {
    for make in [
        || CircuitBreaker::new(0, SECOND),
        || CircuitBreaker::new(1, Duration::ZERO),
        || CircuitBreaker::new(1, SECOND).max_keys(0),
    ] {
        std::panic::catch_unwind(make).unwrap_err();
    }
}
