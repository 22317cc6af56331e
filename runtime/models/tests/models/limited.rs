//! Rate limits around models.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use onionskin::RunError;
use onionskin::content::{Image, Media};
use onionskin::declaration::Limits;
use onionskin::hooks::{CallKey, RateLimit};
use onionskin::model::{Message, Model, ModelDelta, ModelError, ModelRequest, ModelResponse, Usage};
use onionskin::models::{Fallback, Limited};
use tokio::time::Instant;

use super::fake::Fake;
use super::support::{Clerk, answer, ask};

/// Answers at once, and keeps the inputs in the order in which it was asked.
#[derive(Clone, Default)]
struct Ordered {
    inputs: Arc<Mutex<Vec<String>>>,
    usage: Usage,
}

impl Model for Ordered {
    async fn respond(
        &self,
        request: &ModelRequest,
        _: &mut (dyn FnMut(ModelDelta) + Send),
    ) -> Result<ModelResponse, ModelError> {
        self.inputs.lock().unwrap().push(request.messages.last().map(Message::to_text).unwrap().into_owned());
        let mut response = ModelResponse::text("Yes.");
        response.usage = self.usage;
        Ok(response)
    }
}

fn minute(permits: u32) -> RateLimit {
    RateLimit::new(permits, Duration::from_mins(1))
}

#[tokio::test(start_paused = true)]
async fn o3_a_thousand_runs_under_one_limit_are_answered_in_their_order() {
    let ordered = Ordered::default();
    let limit = minute(6_000).burst(1);
    // Two models with one limit, as two agents have them.
    let clerks =
        [(); 2].map(|()| Clerk::builder().model(Limited::new(ordered.clone()).requests(limit.clone())));
    let [one, two] = clerks;
    let clerks = [one.build().await.unwrap(), two.build().await.unwrap()];
    let start = Instant::now();
    let runs = (0..1000).map(|run| clerks[run % 2].run(format!("{run}")));
    let outputs = join_all(runs).await;
    assert!(outputs.iter().all(Result::is_ok));
    // The first one at once, then one each 10 ms.
    assert_eq!(start.elapsed(), Duration::from_millis(9_990));
    let expected: Vec<_> = (0..1000).map(|run| run.to_string()).collect();
    assert_eq!(*ordered.inputs.lock().unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn o3_tokens_beyond_the_estimate_are_paid_by_later_requests() {
    let model = Ordered { usage: Usage::new(100, 500), ..Ordered::default() };
    let model = Limited::new(model).tokens(minute(600));
    let start = Instant::now();
    answer(&model, &ask("one")).await.1.unwrap();
    assert_eq!(start.elapsed(), Duration::ZERO);
    // The bucket is empty now: the estimate of this request comes at ten tokens a second, and its 600 tokens are paid afterwards.
    let estimate = serde_json::to_vec(&ask("two")).unwrap().len() / 4;
    answer(&model, &ask("two")).await.1.unwrap();
    assert_eq!(start.elapsed(), Duration::from_millis(100) * u32::try_from(estimate).unwrap());
    let start = Instant::now();
    answer(&model, &ask("three")).await.1.unwrap();
    let third = start.elapsed();
    assert!(third >= Duration::from_secs(59), "{third:?}");
}

#[tokio::test(start_paused = true)]
async fn o3_a_wrong_count_of_tokens_does_not_close_the_limit_for_long() {
    let model = Ordered { usage: Usage::new(4_000_000_000, u64::MAX), ..Ordered::default() };
    let model = Limited::new(model).tokens(minute(600));
    answer(&model, &ask("one")).await.1.unwrap();
    let start = Instant::now();
    let request = ask("two");
    let second = tokio::time::timeout(Duration::from_hours(1), answer(&model, &request)).await;
    second.expect("the limit is closed for more than an hour").1.unwrap();
    let waited = start.elapsed();
    assert!(waited > Duration::from_mins(9) && waited < Duration::from_mins(11), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn o3_an_estimate_that_is_too_high_is_given_back() {
    let image = Image(Media::new("A".repeat(4 * 500), "image/png"));
    let request = ModelRequest::new([Message::user_content([image.into()])]);
    let reported = Ordered { usage: Usage::new(5, 5), ..Ordered::default() };
    let model = Limited::new(reported.clone()).tokens(minute(600));
    let start = Instant::now();
    // Each takes more than 500 permits, and uses 10.
    for _ in 0..50 {
        answer(&model, &request).await.1.unwrap();
    }
    let waited = start.elapsed();
    assert!(waited < Duration::from_mins(1), "{waited:?}");

    // A model that reports no tokens has used the estimate.
    let model = Limited::new(Ordered::default()).tokens(minute(600));
    answer(&model, &request).await.1.unwrap();
    let start = Instant::now();
    answer(&model, &request).await.1.unwrap();
    assert!(start.elapsed() > Duration::from_secs(40), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn o3_a_thousand_requests_at_once_do_not_overrun_the_tokens() {
    let model = Limited::new(Ordered::default()).tokens(minute(60_000));
    let request = ask(&"word ".repeat(60));
    let estimate = u32::try_from(serde_json::to_vec(&request).unwrap().len() / 4).unwrap();
    let start = Instant::now();
    let results = join_all((0..1000).map(|_| answer(&model, &request))).await;
    assert!(results.iter().all(|(_, result)| result.is_ok()));
    let rest = f64::from(1000 * estimate - 60_000) / 1000.0;
    let elapsed = start.elapsed().as_secs_f64();
    assert!((rest..rest + 1.5).contains(&elapsed), "{elapsed} s, expected {rest} s");
}

#[tokio::test(start_paused = true)]
async fn o3_a_request_with_more_tokens_than_the_burst_takes_the_whole_burst() {
    let model = Limited::new(Ordered::default()).tokens(minute(60).burst(10));
    let long = ask(&"word ".repeat(1000));
    let start = Instant::now();
    answer(&model, &long).await.1.unwrap();
    answer(&model, &long).await.1.unwrap();
    assert_eq!(start.elapsed(), Duration::from_secs(10));
}

#[tokio::test(start_paused = true)]
async fn o3_tokens_of_failed_and_dropped_requests_are_charged() {
    let billed = |result| (vec![ModelDelta::Usage(Usage::new(400, 200))], result);
    let failing = Fake::new(
        "a",
        [billed(Err(ModelError::status(500, "no", None))), billed(Ok(ModelResponse::default()))],
    );
    let model = Limited::new(failing).tokens(minute(600));
    assert!(answer(&model, &ask("Hi.")).await.1.is_err());
    let start = Instant::now();
    // Dropped while it waits: it takes nothing, and the next one gets its place.
    let request = ask("Hi.");
    assert!(tokio::time::timeout(Duration::from_millis(10), answer(&model, &request)).await.is_err());
    assert!(answer(&model, &ask("Hi.")).await.1.is_ok());
    assert!(start.elapsed() > Duration::from_secs(1), "the failed request left an empty bucket");
}

#[tokio::test(start_paused = true)]
async fn o3_a_wait_is_longer_than_the_limit_of_a_silent_model() {
    let model = Limited::new(Ordered::default()).requests(minute(1));
    let clerk = Clerk::builder().model(model).build().await.unwrap();
    let mut limits = Limits::default();
    (limits.model_timeout, limits.model_retries) = (Duration::from_secs(20), 0);
    let run = || clerk.request("Hi.").limits(limits.clone()).run();
    let start = Instant::now();
    let results = join_all([run(), run(), run()]).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(start.elapsed(), Duration::from_mins(2));
}

#[tokio::test(start_paused = true)]
async fn o3_a_wait_ends_with_the_run_and_gives_up_its_place() {
    let model = Limited::new(Ordered::default()).requests(minute(1));
    let clerk = Clerk::builder().model(model).build().await.unwrap();
    clerk.run("Hi.").await.unwrap();
    let mut limits = Limits::default();
    limits.time = Some(Duration::from_secs(30));
    let start = Instant::now();
    let error = clerk.request("Hi.").limits(limits).run().await.unwrap_err();
    assert!(matches!(error, RunError::Limit { .. }), "{error}");
    assert_eq!(start.elapsed(), Duration::from_secs(30));
    clerk.run("Hi.").await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_mins(1));
}

#[tokio::test]
async fn o3_a_limit_without_room_for_a_model_is_a_transient_error() {
    let limit = minute(1).max_keys(1);
    assert!(answer(&Limited::new(Fake::says("a", 1)).requests(limit.clone()), &ask("Hi.")).await.1.is_ok());
    let error = answer(&Limited::new(Fake::says("b", 1)).requests(limit), &ask("Hi.")).await.1.unwrap_err();
    assert!(matches!(error, ModelError::Unavailable { .. }) && error.is_transient(), "{error}");
    assert!(error.to_string().contains("the limit of b/b-1"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn o3_a_request_that_is_dropped_in_a_line_uses_no_permits() {
    let request = ask("Hi.");
    let estimate = u32::try_from(serde_json::to_vec(&request).unwrap().len() / 4).unwrap();
    // Dropped while it waits for tokens: the permit for the request is still there.
    let (limit, tokens) = (minute(1), minute(estimate));
    tokens.charge("a/a-1", 2 * estimate).unwrap();
    let waits = Limited::new(Fake::says("a", 1)).requests(limit.clone()).tokens(tokens);
    assert!(tokio::time::timeout(Duration::from_millis(10), answer(&waits, &request)).await.is_err());
    let model = Limited::new(Fake::says("a", 1)).requests(limit);
    let start = Instant::now();
    assert!(answer(&model, &request).await.1.is_ok());
    assert_eq!(start.elapsed(), Duration::ZERO);

    // Dropped while it waits for the request: so are the tokens.
    let tokens = minute(estimate);
    let model = Limited::new(Fake::says("a", 1)).tokens(tokens.clone());
    let busy = minute(1);
    busy.charge("a/a-1", 2).unwrap();
    let waits = Limited::new(Fake::says("a", 1)).requests(busy).tokens(tokens);
    assert!(tokio::time::timeout(Duration::from_millis(10), answer(&waits, &request)).await.is_err());
    let start = Instant::now();
    assert!(answer(&model, &request).await.1.is_ok());
    assert_eq!(start.elapsed(), Duration::ZERO);
}

#[tokio::test]
async fn o3_a_limit_of_a_model_has_no_key_of_calls() {
    let keyed = || minute(1).keyed_by(CallKey::session());
    let limited = || Limited::new(Fake::says("a", 1));
    for model in [limited().requests(keyed()), limited().requests(minute(1)).tokens(keyed())] {
        let error = Clerk::builder().model(model).build().await.unwrap_err();
        assert!(
            error.to_string().contains("the rate limit has a key for calls of tools (`keyed_by`)"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn o3_a_wrapper_that_changes_nothing_is_an_error_of_the_build() {
    let error = Clerk::builder().model(Limited::new(Fake::says("a", 1))).build().await.unwrap_err();
    assert!(error.to_string().contains("`Limited` has no limit: add `.requests(..)`"), "{error}");
    let error = Clerk::builder().model(Fallback::new(Fake::says("a", 1))).build().await.unwrap_err();
    assert!(
        error.to_string().contains("`Fallback` has one model: add another one with `.or(..)`"),
        "{error}"
    );
}
