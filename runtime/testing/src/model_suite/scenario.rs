//! The behaviour of a provider in one case of the suite, and the requests that it received.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use onionskin_tools::model::ModelResponse;

/// The behaviour of a model's provider in one case of [`model_suite`](super::model_suite). Clones are the
/// same scenario.
///
/// The provider of a test is a server or a script. It passes each request to [`Self::receive`] and acts on
/// the [`Reply`] of the [`Exchange`].
///
/// ```
/// use onionskin::testing::{Reply, Scenario};
///
/// /// A provider in memory: the answer to one request of the model.
/// fn provide(scenario: &Scenario, request: &str) -> Result<String, u16> {
///     let exchange = scenario.receive(request);
///     match exchange.reply() {
///         Reply::Answer(response) => Ok(response.text.clone()),
///         Reply::Status { status, .. } => Err(*status),
///         _ => Err(500),
///     }
/// }
/// ```
#[derive(Clone)]
pub struct Scenario {
    case: &'static str,
    replies: Arc<[Reply]>,
    recorded: Arc<watch::Sender<Recorded>>,
}

/// The requests of the provider so far.
#[derive(Clone, Default)]
pub(super) struct Recorded {
    /// The requests, as the provider got them.
    pub(super) requests: Vec<Arc<str>>,
    /// The number of requests in progress.
    pub(super) open: usize,
}

/// The provider's reaction to one request.
#[derive(Debug, Clone, PartialEq)]
// Without `preserve_order`, the variants are of similar sizes.
#[allow(clippy::large_enum_variant, reason = "a test has few of them")]
#[non_exhaustive]
pub enum Reply {
    /// It answers with the text, the tool calls, the usage and the reason to stop of this response. A provider that streams sends
    /// the text and the arguments of calls in several pieces.
    Answer(ModelResponse),
    /// It refuses the request with this HTTP status.
    #[non_exhaustive]
    Status {
        /// The status.
        status: u16,
        /// The provider's message.
        message: String,
        /// The delay that the provider requests, in whole seconds: the header `retry-after`.
        retry_after: Option<Duration>,
    },
    /// It sends this text as the beginning of its answer, and closes the connection in the middle.
    Break(String),
    /// It does not answer. It keeps the [`Exchange`] until the model ends the request, for example by closing
    /// the connection.
    Silence,
}

impl Reply {
    pub(super) fn status(status: u16, retry_after: Option<Duration>) -> Self {
        Self::Status { status, message: format!("the suite says {status}"), retry_after }
    }
}

impl Scenario {
    pub(super) fn new(case: &'static str, replies: Vec<Reply>) -> Self {
        Self { case, replies: replies.into(), recorded: Arc::new(watch::Sender::new(Recorded::default())) }
    }

    /// The name of the case.
    pub fn case(&self) -> &'static str {
        self.case
    }

    /// The reactions to the first request, the second, and so on, for a provider that needs them before the
    /// first request. Others use the [`Exchange`].
    pub fn replies(&self) -> &[Reply] {
        &self.replies
    }

    /// Records a request that arrived at the provider: its body as text, in most cases JSON. The suite checks
    /// that it contains the model's input. Keep the result until the provider has handled the request, or the
    /// model has ended it.
    pub fn receive(&self, request: &str) -> Exchange {
        let mut index = 0;
        self.recorded.send_modify(|recorded| {
            index = recorded.requests.len();
            recorded.requests.push(request.into());
            recorded.open += 1;
        });
        let reply = self.replies.get(index).cloned().unwrap_or_else(|| Reply::status(500, None));
        Exchange { reply, recorded: Arc::clone(&self.recorded) }
    }

    pub(super) fn recorded(&self) -> watch::Receiver<Recorded> {
        self.recorded.subscribe()
    }
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scenario")
            .field("case", &self.case)
            .field("replies", &self.replies)
            .finish_non_exhaustive()
    }
}

/// One request in progress at the provider, until it is dropped.
///
/// ```
/// use onionskin::testing::{Exchange, Reply, Scenario};
///
/// /// Works on a request until the model ends it.
/// async fn serve(scenario: Scenario, request: String, ended: impl Future<Output = ()>) {
///     let exchange: Exchange = scenario.receive(&request);
///     if *exchange.reply() == Reply::Silence {
///         // The suite sees that the provider still works, until the exchange is dropped.
///         ended.await;
///     }
/// }
/// ```
#[must_use = "the provider is done with the request when this is dropped"]
pub struct Exchange {
    reply: Reply,
    recorded: Arc<watch::Sender<Recorded>>,
}

impl Exchange {
    /// The provider's reaction to the request.
    pub fn reply(&self) -> &Reply {
        &self.reply
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.recorded.send_modify(|recorded| recorded.open -= 1);
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("reply", &self.reply).finish_non_exhaustive()
    }
}
