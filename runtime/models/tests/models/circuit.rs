//! Circuit breakers around models.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use onionskin::declaration::Limits;
use onionskin::hooks::{CallKey, CircuitBreaker};
use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse, RequestOption};
use onionskin::models::{Circuit, Fallback, FirstTokenTimeout};
use tokio::time::Instant;

use super::fake::Fake;
use super::fallback::Slow;
use super::support::{Clerk, answer, ask};

/// Fails while it is down. Each request takes a second.
#[derive(Clone, Default)]
struct Outage {
    is_up: Arc<AtomicBool>,
    requests: Arc<AtomicUsize>,
}

impl Outage {
    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

impl Model for Outage {
    async fn respond(
        &self,
        _: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.requests.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_secs(1)).await;
        if self.is_up.load(Ordering::SeqCst) {
            Ok(ModelResponse::text("Up."))
        } else {
            Err(ModelError::status(503, "down", None))
        }
    }
}

fn unavailable(result: &Result<ModelResponse, ModelError>) -> bool {
    matches!(result, Err(error @ ModelError::Unavailable { .. }) if error.is_transient())
}

#[tokio::test(start_paused = true)]
async fn o3_a_thousand_requests_share_a_circuit_and_one_of_them_is_the_probe() {
    let outage = Outage::default();
    let model = Circuit::new(outage.clone(), CircuitBreaker::new(3, Duration::from_secs(30)));
    for _ in 0..3 {
        assert!(matches!(answer(&model, &ask("Hi.")).await.1, Err(ModelError::Status { .. })));
    }
    let request = ask("Hi.");
    let all = || join_all((0..1000).map(|_| answer(&model, &request)));
    let start = Instant::now();
    assert!(all().await.iter().all(|(_, result)| unavailable(result)));
    assert_eq!(
        (outage.requests(), start.elapsed()),
        (3, Duration::ZERO),
        "nobody waits, and nothing is asked"
    );

    tokio::time::advance(Duration::from_secs(30)).await;
    let results = all().await;
    assert_eq!(outage.requests(), 4, "one request is the probe");
    assert_eq!(results.iter().filter(|(_, result)| unavailable(result)).count(), 999);

    outage.is_up.store(true, Ordering::SeqCst);
    tokio::time::advance(Duration::from_secs(30)).await;
    assert!(answer(&model, &request).await.1.is_ok());
    assert!(all().await.iter().all(|(_, result)| result.is_ok()));
    assert_eq!(outage.requests(), 1005);
}

#[tokio::test(start_paused = true)]
async fn o3_a_run_waits_for_an_open_circuit_as_its_retries_allow() {
    let outage = Outage::default();
    let breaker = CircuitBreaker::new(1, Duration::from_secs(20));
    let circuit = Circuit::new(outage.clone(), breaker.clone());
    assert!(answer(&circuit, &ask("Hi.")).await.1.is_err());
    outage.is_up.store(true, Ordering::SeqCst);

    let start = Instant::now();
    let output = Clerk::builder().model(circuit.clone()).run("Hi.").await.unwrap();
    assert_eq!(output.text, "Up.");
    assert_eq!(start.elapsed(), Duration::from_secs(21), "until the probe, and its request");

    // A run without retries does not wait.
    outage.is_up.store(false, Ordering::SeqCst);
    assert!(answer(&circuit, &ask("Hi.")).await.1.is_err());
    let mut limits = Limits::default();
    limits.model_retries = 0;
    let clerk = Clerk::builder().model(circuit).build().await.unwrap();
    let error = clerk.request("Hi.").limits(limits).run().await.unwrap_err();
    assert!(error.to_string().contains("the circuit of onionskin is open"), "{error}");
    assert!(error.to_string().contains("call again in 20s"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn o3_with_a_fallback_an_open_circuit_costs_no_time() {
    let outage = Outage::default();
    let circuit = Circuit::new(outage.clone(), CircuitBreaker::new(2, Duration::from_secs(30)));
    let model = Fallback::new(circuit).or(Fake::says("b", 10));
    let start = Instant::now();
    for _ in 0..10 {
        assert_eq!(answer(&model, &ask("Hi.")).await.1.unwrap().text, "b");
    }
    assert_eq!((outage.requests(), start.elapsed()), (2, Duration::from_secs(2)));
}

#[tokio::test(start_paused = true)]
async fn o3_mistakes_in_requests_do_not_open_a_circuit() {
    let errors = [
        ModelError::status(400, "no", None),
        ModelError::status(401, "no", None),
        ModelError::too_long("9 > 8"),
        ModelError::unsupported(RequestOption::ToolChoice, "no form"),
        ModelError::unavailable("another circuit is open", None),
        ModelError::no_key("a", "KEY"),
    ];
    let breaker = CircuitBreaker::new(1, Duration::from_secs(30));
    for error in errors {
        let model = Circuit::new(Fake::fails("a", error.clone()), breaker.clone());
        assert_eq!(answer(&model, &ask("Hi.")).await.1, Err(error));
    }
    // A dropped request says nothing; a silent model with a time limit fails.
    let silent = Fake::new("a", []);
    let model = Circuit::new(silent.clone(), breaker.clone());
    let request = ask("Hi.");
    assert!(tokio::time::timeout(Duration::from_mins(1), answer(&model, &request)).await.is_err());
    let model = Circuit::new(FirstTokenTimeout::new(silent, Duration::from_secs(5)), breaker.clone());
    let error = ModelError::timeout(Duration::from_secs(5));
    assert_eq!(answer(&model, &ask("Hi.")).await.1, Err(error));

    // Circuits belong to models.
    assert!(unavailable(&answer(&Circuit::new(Fake::says("a", 1), breaker.clone()), &request).await.1));
    assert!(answer(&Circuit::new(Fake::says("b", 1), breaker), &request).await.1.is_ok());
}

#[tokio::test(start_paused = true)]
async fn o3_the_first_piece_of_a_probe_lets_other_requests_pass() {
    let breaker = CircuitBreaker::new(1, Duration::from_secs(20));
    let slow = Circuit::new(Slow, breaker.clone());
    let fails = Circuit::new(Outage::default(), breaker);
    assert!(answer(&fails, &ask("Hi.")).await.1.is_err());
    tokio::time::advance(Duration::from_secs(20)).await;
    // The probe begins at once and takes 30 seconds.
    let (request, start) = (ask("Hi."), Instant::now());
    let results = join_all((0..3).map(|_| answer(&slow, &request))).await;
    assert!(results.iter().all(|(_, result)| result.is_ok()), "{results:?}");
    assert_eq!(start.elapsed(), Duration::from_secs(30));
}

#[tokio::test(start_paused = true)]
async fn o3_runs_wait_for_a_probe_that_is_silent() {
    let outage = Outage::default();
    let circuit = Circuit::new(outage.clone(), CircuitBreaker::new(1, Duration::from_secs(20)));
    assert!(answer(&circuit, &ask("Hi.")).await.1.is_err());
    tokio::time::advance(Duration::from_secs(20)).await;
    let request = ask("Hi.");
    let results = join_all([answer(&circuit, &request), answer(&circuit, &request)]).await;
    let hint = Some(Duration::from_secs(20));
    let refused = &results[1].1;
    assert!(
        matches!(refused, Err(ModelError::Unavailable { retry_after, .. }) if *retry_after == hint),
        "{refused:?}"
    );
}

#[tokio::test]
async fn o3_a_circuit_of_a_model_has_no_key_of_calls() {
    let breaker = CircuitBreaker::new(1, Duration::from_secs(20)).keyed_by(CallKey::user());
    let model = Circuit::new(Fake::says("a", 1), breaker);
    let error = Clerk::builder().model(model).build().await.unwrap_err();
    assert!(
        error.to_string().contains("the circuit breaker has a key for calls of tools (`keyed_by`)"),
        "{error}"
    );
}
