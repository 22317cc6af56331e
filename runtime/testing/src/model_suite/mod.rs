//! A test suite for any model.

mod answers;
mod failures;
mod options;
mod parts;
mod pieces;
mod probe;
mod report;
mod scenario;

use std::time::Duration;

use self::answers::{NON_ASCII, answer, answers_with_usage, calls};
use self::options::FITS;
use self::probe::{Check, Failure, Probe};
pub use self::report::{CaseOutcome, SuiteReport};
pub use self::scenario::{Exchange, Reply, Scenario};
use onionskin_tools::model::Model;
use onionskin_tools::onion::caught_async;

/// The maximum duration of a case.
const PATIENCE: Duration = Duration::from_secs(20);

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
/// ([`Model::supports`]). A part of a request that not every provider supports, such as a seed, is not a
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
/// assert_eq!(report.refused().len(), 4, "it supports no option");
/// # });
/// ```
pub async fn model_suite<M, F, Fut>(make: F) -> SuiteReport
where
    M: Model,
    F: Fn(Scenario) -> Fut,
    Fut: Future<Output = M>,
{
    let mut cases = Vec::new();
    for case in Case::ALL {
        let scenario = Scenario::new(case.name(), case.replies());
        let checked = caught_async(async {
            let model = make(scenario.clone()).await;
            case.check(Probe { model: &model, scenario: &scenario }).await
        });
        let outcome = match tokio::time::timeout(PATIENCE, checked).await {
            Ok(Ok(Ok(()))) => CaseOutcome::Passed,
            Ok(Ok(Err(Failure::Refused(option)))) => CaseOutcome::Refused(option),
            Ok(Ok(Err(Failure::NotShown(what)))) => CaseOutcome::NotShown(what.to_owned()),
            Ok(Ok(Err(Failure::Wrong(reason)))) => CaseOutcome::Failed(reason),
            Ok(Err(words)) => CaseOutcome::Failed(format!("it panicked: {words}")),
            Err(_) => CaseOutcome::Failed(format!("it took more than {PATIENCE:?}")),
        };
        cases.push((case.name(), outcome));
    }
    SuiteReport { cases }
}

#[derive(Clone, Copy)]
enum Case {
    Text,
    Streaming,
    Usage,
    System,
    RequestParams,
    NonAscii,
    LongHistory,
    ToolCall,
    TwoToolCalls,
    StreamedCalls,
    Refusal,
    RateLimit,
    RetryAfter,
    Overload,
    BrokenAnswer,
    Cancellation,
    ToolChoice,
    ResponseSchema,
    ExtraBody,
    StopSequences,
    ModelName,
    Seed,
    ToolSchema,
    ResultErrors,
    ResultNames,
    ResponseSchemaName,
}

impl Case {
    const ALL: [Self; 26] = [
        Self::Text,
        Self::Streaming,
        Self::Usage,
        Self::System,
        Self::RequestParams,
        Self::NonAscii,
        Self::LongHistory,
        Self::ToolCall,
        Self::TwoToolCalls,
        Self::StreamedCalls,
        Self::Refusal,
        Self::RateLimit,
        Self::RetryAfter,
        Self::Overload,
        Self::BrokenAnswer,
        Self::Cancellation,
        Self::ToolChoice,
        Self::ResponseSchema,
        Self::ExtraBody,
        Self::StopSequences,
        Self::ModelName,
        Self::Seed,
        Self::ToolSchema,
        Self::ResultErrors,
        Self::ResultNames,
        Self::ResponseSchemaName,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Streaming => "streaming",
            Self::Usage => "usage",
            Self::System => "system",
            Self::RequestParams => "request_params",
            Self::NonAscii => "non_ascii",
            Self::LongHistory => "long_history",
            Self::ToolCall => "tool_call",
            Self::TwoToolCalls => "two_tool_calls",
            Self::StreamedCalls => "streamed_calls",
            Self::Refusal => "refusal",
            Self::RateLimit => "rate_limit",
            Self::RetryAfter => "retry_after",
            Self::Overload => "overload",
            Self::BrokenAnswer => "broken_answer",
            Self::Cancellation => "cancellation",
            Self::ToolChoice => "tool_choice",
            Self::ResponseSchema => "response_schema",
            Self::ExtraBody => "extra_body",
            Self::StopSequences => "stop_sequences",
            Self::ModelName => "model_name",
            Self::Seed => "seed",
            Self::ToolSchema => "tool_schema",
            Self::ResultErrors => "result_errors",
            Self::ResultNames => "result_names",
            Self::ResponseSchemaName => "response_schema_name",
        }
    }

    fn replies(self) -> Vec<Reply> {
        match self {
            Self::Usage => answers_with_usage(),
            Self::NonAscii => vec![answer(NON_ASCII)],
            Self::ToolCall => vec![calls(&[41]), answer("It is 42.")],
            Self::TwoToolCalls => vec![calls(&[1, 2]), answer("It is 2, and too large.")],
            Self::StreamedCalls => vec![calls(&[1, 2])],
            Self::Refusal => vec![Reply::status(401, None)],
            Self::RateLimit => vec![Reply::status(429, None)],
            Self::RetryAfter => vec![Reply::status(429, Some(Duration::from_secs(2)))],
            Self::Overload => vec![Reply::status(503, None)],
            Self::BrokenAnswer => vec![Reply::Break("It is ".to_owned())],
            Self::Cancellation => vec![Reply::Silence],
            Self::ToolChoice => {
                vec![calls(&[41]), calls(&[41]), answer("It is 42."), answer("It is 42.")]
            }
            Self::ResponseSchema => vec![answer(FITS)],
            Self::ResponseSchemaName => vec![answer(FITS); 3],
            Self::ModelName | Self::Seed => vec![answer("It is warm."); 3],
            Self::ToolSchema => vec![answer("It is 42."); 9],
            Self::ResultErrors | Self::ResultNames => {
                let results = std::iter::repeat_n(answer("It is 42."), 3);
                std::iter::once(calls(&[41])).chain(results).collect()
            }
            Self::Text
            | Self::Streaming
            | Self::System
            | Self::RequestParams
            | Self::LongHistory
            | Self::ExtraBody
            | Self::StopSequences => {
                vec![answer("It is warm.")]
            }
        }
    }

    async fn check<M: Model>(self, probe: Probe<'_, M>) -> Check {
        let probe = &probe;
        match self {
            Self::Text => answers::text(probe).await,
            Self::Streaming => answers::streaming(probe).await,
            Self::Usage => answers::usage(probe).await,
            Self::System => answers::system(probe).await,
            Self::RequestParams => options::request_params(probe).await,
            Self::NonAscii => answers::non_ascii(probe).await,
            Self::LongHistory => answers::long_history(probe).await,
            Self::ToolCall => answers::tool_call(probe).await,
            Self::TwoToolCalls => answers::two_tool_calls(probe).await,
            Self::StreamedCalls => pieces::streamed_calls(probe).await,
            Self::Refusal => failures::refusal(probe).await,
            Self::RateLimit => failures::transient(probe, 429).await,
            Self::RetryAfter => failures::retry_after(probe).await,
            Self::Overload => failures::transient(probe, 503).await,
            Self::BrokenAnswer => failures::broken_answer(probe).await,
            Self::Cancellation => failures::cancellation(probe).await,
            Self::ToolChoice => options::tool_choice(probe).await,
            Self::ResponseSchema => options::response_schema(probe).await,
            Self::ExtraBody => options::extra_body(probe).await,
            Self::StopSequences => options::stop_sequences(probe).await,
            Self::ModelName => parts::model_name(probe).await,
            Self::Seed => parts::seed(probe).await,
            Self::ToolSchema => parts::tool_schema(probe).await,
            Self::ResultErrors => parts::result_errors(probe).await,
            Self::ResultNames => parts::result_names(probe).await,
            Self::ResponseSchemaName => parts::response_schema_name(probe).await,
        }
    }
}
