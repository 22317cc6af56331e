//! Questions of turn hooks to a model, outside the conversation.

use tokio::sync::{mpsc, oneshot};

use onionskin_tools::model::{BoxModel, ModelError, ModelRequest, ModelResponse};

/// A question of a hook, with the sender for its answer.
pub(crate) struct Aside {
    pub(crate) request: ModelRequest,
    /// The model; `None` for the agent's.
    pub(crate) model: Option<BoxModel>,
    pub(crate) answer: oneshot::Sender<Result<ModelResponse, ModelError>>,
}

/// Sends a hook's questions to its run, for one turn.
pub(crate) type Asides = mpsc::UnboundedSender<Aside>;

/// Asks, and waits for the answer. The run reads questions only while the hook runs.
pub(super) async fn ask(
    asides: Option<&Asides>,
    model: Option<BoxModel>,
    request: ModelRequest,
) -> Result<ModelResponse, ModelError> {
    let (answer, answered) = oneshot::channel();
    let sent = asides.is_some_and(|asides| asides.send(Aside { request, model, answer }).is_ok());
    let over =
        || ModelError::setup("a turn hook asks its model while `before_llm_call` runs, in a run of an agent");
    if !sent {
        return Err(over());
    }
    answered.await.unwrap_or_else(|_| Err(over()))
}
