//! A test suite for any model.

mod answers;
mod failures;
mod options;
mod parts;
mod pieces;
mod probe;
mod scenario;

use std::time::Duration;

use self::answers::{NON_ASCII, answer, answers_with_usage, calls};
use self::options::FITS;
use self::probe::{Check, Failure, Probe};
pub use self::scenario::{Exchange, Reply, Scenario};
use crate::report::{CaseOutcome, SuiteReport, case_outcome};
use onionskin_tools::model::Model;

/// Tests a model with the cases that a model of an agent must handle: answers, pieces of answers, calls of
/// tools and their results, usage, errors and which of them are transient, broken answers, cancellation, long
/// conversations, and the options of a request.
///
/// A case is a [`Scenario`]: the behaviour of the model's provider. `make` simulates the provider, for
/// example with a server on the loopback interface, and creates the model that asks it. It is called once per
/// case. The provider passes each request to [`Scenario::receive`] and acts on the [`Reply`]. A case also
/// checks the provider's requests, so a model that omits a part of a request fails.
///
/// The report names each failed case. An unsupported option is not a failure if the model declares it
/// ([`Model::supports`]). A part of a request that not every provider supports, such as the model's name, is not a
/// failure either: [`SuiteReport::not_shown`] names it.
///
/// A case takes at most 20 seconds, including its call of `make`, and then fails. A panic in `make` is a failure too. The runtime
/// needs its timers, and they must not be paused.
///
/// Cancel safety: dropping the future ends the case in progress, and drops its model. Only work that `make`
/// started continues in the background.
///
/// ```
/// use onionskin::model::{Model, ModelDelta, ModelError, ModelRequest, ModelResponse};
/// use onionskin::testing::{Reply, Scenario, model_suite};
///
/// /// A model in this process. A model over HTTP sends the request to a server, and the server of the test calls `receive`.
/// struct Local {
///     provider: Scenario,
/// }
///
/// impl Model for Local {
///     async fn respond(
///         &self,
///         request: &ModelRequest,
///         deltas: &mut (dyn FnMut(ModelDelta) + Send),
///     ) -> Result<ModelResponse, ModelError> {
///         let exchange = self.provider.receive(&serde_json::to_string(request).unwrap());
///         match exchange.reply() {
///             Reply::Answer(answer) => {
///                 deltas(ModelDelta::Text(answer.text.clone()));
///                 Ok(answer.clone())
///             }
///             Reply::Status { status, message, retry_after, .. } => {
///                 Err(ModelError::status(*status, message.clone(), *retry_after))
///             }
///             Reply::Break(text) => {
///                 deltas(ModelDelta::Text(text.clone()));
///                 Err(ModelError::transport("the connection broke"))
///             }
///             _ => std::future::pending().await,
///         }
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let report = model_suite(|provider| async { Local { provider } }).await;
/// report.assert_passed();
/// assert_eq!(report.refused().len(), 9, "it supports no option");
/// # });
/// ```
pub async fn model_suite<M, F, Fut>(make: F) -> SuiteReport
where
    M: Model,
    F: Fn(Scenario) -> Fut,
    Fut: Future<Output = M>,
{
    let mut suite = Suite { make, cases: Vec::new() };
    let warm = || vec![answer("It is warm.")];
    let several = |count| vec![answer("It is 42."); count];
    let call_first = || [vec![calls(&[41])], several(3)].concat();
    let status = |status, retry_after| vec![Reply::status(status, retry_after)];

    suite.case("text", warm(), answers::text).await;
    suite.case("streaming", warm(), answers::streaming).await;
    suite.case("usage", answers_with_usage(), answers::usage).await;
    suite.case("system", warm(), answers::system).await;
    suite.case("request_params", warm(), options::request_params).await;
    suite.case("non_ascii", vec![answer(NON_ASCII)], answers::non_ascii).await;
    suite.case("long_history", warm(), answers::long_history).await;
    suite.case("tool_call", vec![calls(&[41]), answer("It is 42.")], answers::tool_call).await;
    let two = vec![calls(&[1, 2]), answer("It is 2, and too large.")];
    suite.case("two_tool_calls", two, answers::two_tool_calls).await;
    suite.case("streamed_calls", vec![calls(&[1, 2])], pieces::streamed_calls).await;
    suite.case("refusal", status(401, None), failures::refusal).await;
    suite.case("rate_limit", status(429, None), async |probe| failures::transient(probe, 429).await).await;
    let later = Some(Duration::from_secs(2));
    suite.case("retry_after", status(429, later), failures::retry_after).await;
    suite.case("overload", status(503, None), async |probe| failures::transient(probe, 503).await).await;
    suite.case("broken_answer", vec![Reply::Break("It is ".to_owned())], failures::broken_answer).await;
    suite.case("cancellation", vec![Reply::Silence], failures::cancellation).await;
    let choices = [vec![calls(&[41]); 2], several(2)].concat();
    suite.case("tool_choice", choices, options::tool_choice).await;
    suite.case("response_schema", vec![answer(FITS)], options::response_schema).await;
    suite.case("extra_body", warm(), options::extra_body).await;
    suite.case("stop_sequences", warm(), options::stop_sequences).await;
    suite.case("seed", warm(), options::seed).await;
    suite.case("reasoning_effort", several(2), options::reasoning_effort).await;
    suite.case("verbosity", several(2), options::verbosity).await;
    suite.case("service_tier", several(2), options::service_tier).await;
    suite.case("parallel_tool_calls", several(2), options::parallel_tool_calls).await;
    suite.case("model_name", several(3), parts::model_name).await;
    suite.case("tool_schema", several(9), parts::tool_schema).await;
    suite.case("result_errors", call_first(), parts::result_errors).await;
    suite.case("result_names", call_first(), parts::result_names).await;
    suite.case("response_schema_name", vec![answer(FITS); 3], parts::response_schema_name).await;
    SuiteReport { cases: suite.cases }
}

/// What makes the models, and the outcomes so far.
struct Suite<F> {
    make: F,
    cases: Vec<(&'static str, CaseOutcome)>,
}

impl<F> Suite<F> {
    async fn case<M, Fut>(
        &mut self,
        name: &'static str,
        replies: Vec<Reply>,
        check: impl AsyncFnOnce(&Probe<'_, M>) -> Check,
    ) where
        M: Model,
        F: Fn(Scenario) -> Fut,
        Fut: Future<Output = M>,
    {
        let scenario = Scenario::new(name, replies);
        let checked = async {
            let model = (self.make)(scenario.clone()).await;
            check(&Probe { model: &model, scenario: &scenario }).await
        };
        // Boxed, so that the future of the whole suite is small, whatever the models hold.
        let outcome = Box::pin(case_outcome(async {
            match checked.await {
                Ok(()) => CaseOutcome::Passed,
                Err(Failure::Refused(option)) => CaseOutcome::Refused(option),
                Err(Failure::NotShown(what)) => CaseOutcome::NotShown(what.to_owned()),
                Err(Failure::Wrong(reason)) => CaseOutcome::Failed(reason),
            }
        }));
        self.cases.push((name, outcome.await));
    }
}
