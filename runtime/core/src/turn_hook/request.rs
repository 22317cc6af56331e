//! A request to the model, for turn hooks.

use std::sync::Arc;

use super::aside::{self, Asides};
use onionskin_definitions::debug_fields;
use onionskin_tools::context::ToolTable;
use onionskin_tools::model::{
    BoxModel, History, HistoryError, ModelError, ModelRequest, ModelResponse, RequestParams,
};

/// The request of one turn. Changes apply to this turn only, and not to the conversation or the agent.
///
/// ```
/// use onionskin::model::{Message, ModelRequest};
/// use onionskin::turn_hooks::TurnRequest;
///
/// let mut request = TurnRequest::new(ModelRequest::new([Message::user("Hello.")]));
/// request.set_system("Answer in one word.");
/// request.params_mut().temperature = Some(0.0);
/// assert_eq!(request.as_model_request().system.as_deref(), Some("Answer in one word."));
/// ```
#[derive(Clone)]
pub struct TurnRequest {
    request: ModelRequest,
    /// The tools of the agent; `None` outside a run.
    all: Option<Arc<ToolTable>>,
    /// The tools that the turn offers, if a hook selected them.
    offered: Option<Arc<ToolTable>>,
    /// The sender of questions; `None` outside a run.
    asides: Option<Asides>,
}

impl TurnRequest {
    /// Creates a turn request from a model request, for tests of hooks. Its tools are those of the model
    /// request.
    pub fn new(request: ModelRequest) -> Self {
        Self { request, all: None, offered: None, asides: None }
    }

    pub(crate) fn for_turn(request: ModelRequest, all: Arc<ToolTable>, asides: Asides) -> Self {
        Self { request, all: Some(all), offered: None, asides: Some(asides) }
    }

    /// The turn, counted from 1.
    pub fn turn(&self) -> u32 {
        self.request.step().turn()
    }

    /// The system prompt, with the instructions of the tools.
    pub fn system(&self) -> Option<&str> {
        self.request.system.as_deref()
    }

    /// Replaces the system prompt.
    pub fn set_system(&mut self, text: impl Into<Arc<str>>) {
        self.request.system = Some(text.into());
    }

    /// The messages that the model will read.
    pub fn messages(&self) -> &History {
        &self.request.messages
    }

    /// Replaces the messages that the model will read. Without any message the run ends with
    /// [`NoMessagesError`] after the hook. Messages that end with an answer of the model are sent unchanged:
    /// some providers continue that answer, others reject the request.
    ///
    /// # Errors
    /// Returns an error if a provider would reject the request ([`History::check`]): a call has no result in the message after it, for
    /// example. The messages are then unchanged.
    pub fn set_messages(&mut self, messages: impl Into<History>) -> Result<(), HistoryError> {
        let messages = messages.into();
        messages.check()?;
        self.request.messages = messages;
        Ok(())
    }

    /// The names of the tools that the turn offers, as the model sees them.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.request.tools.iter().map(|tool| &*tool.name)
    }

    /// Offers only these tools of the agent in this turn. The system prompt is unchanged.
    ///
    /// # Errors
    /// Returns an error with a similar name if the agent has no tool of a name. The tools are then unchanged.
    pub fn only_tools<T: AsRef<str>>(
        &mut self,
        names: impl IntoIterator<Item = T>,
    ) -> Result<(), UnknownToolError> {
        let names: Vec<_> = names.into_iter().map(|name| name.as_ref().to_owned()).collect();
        let Some(all) = &self.all else {
            let known = |name: &String| self.request.tools.iter().any(|tool| *tool.name == **name);
            if let Some(unknown) = names.iter().find(|name| !known(name)) {
                return Err(UnknownToolError { tool: unknown.clone(), near: String::new() });
            }
            let only = self.request.tools.iter().filter(|tool| names.iter().any(|name| *tool.name == **name));
            self.request.tools = only.cloned().collect();
            return Ok(());
        };
        let only = all.only(&self.request.agent, &names);
        let only = Arc::new(only.map_err(|(tool, near)| UnknownToolError { tool, near })?);
        self.request.tools = Arc::clone(&only.declarations);
        self.offered = Some(only);
        Ok(())
    }

    /// Offers no tools in this turn. The system prompt is unchanged.
    pub fn without_tools(&mut self) {
        // No name is unknown.
        let _ = self.only_tools::<&str>([]);
    }

    /// The model's name, if there is one.
    pub fn model(&self) -> Option<&str> {
        self.request.model.as_deref()
    }

    /// Sets the model's name, as [`ModelRequest::model`].
    pub fn set_model(&mut self, name: impl Into<Arc<str>>) {
        self.request.model = Some(name.into());
    }

    /// The model parameters.
    pub fn params(&self) -> &RequestParams {
        &self.request.params
    }

    /// The model parameters, mutably. The run ends with [`RunError::Model`](crate::RunError::Model) if the
    /// model does not support one of them, or if `tool_choice` names a tool that the turn does not offer.
    pub fn params_mut(&mut self) -> &mut RequestParams {
        &mut self.request.params
    }

    /// The whole request, with the ids of the run. The secrets of the session are still in it.
    pub fn as_model_request(&self) -> &ModelRequest {
        &self.request
    }

    /// Asks the agent's model a question outside the conversation, for example for a summary. The answer
    /// neither enters the conversation nor is shown. The default model name is that of this request.
    ///
    /// The question is a part of the run: its tokens count, secrets are redacted from it, it has the retries and the time limit of
    /// a request, a span, and a step of the journal ([`StepKind::Aside`](crate::journal::StepKind::Aside)). So a replay does not ask again. No
    /// turn counts. A limit of tokens that is reached ends the run.
    ///
    /// ```
    /// use onionskin::model::{Message, ModelError, ModelRequest};
    /// use onionskin::turn_hooks::TurnRequest;
    /// use onionskin::turn_hook;
    ///
    /// /// Has the model plan before it acts.
    /// #[turn_hook(before_llm_call)]
    /// async fn plan(request: &mut TurnRequest) -> Result<(), ModelError> {
    ///     if request.turn() == 1 {
    ///         let question = ModelRequest::new(request.messages().clone()).with_system("List the steps.");
    ///         let steps = request.ask_model(question).await?.text;
    ///         request.set_system(format!("{}\n{steps}", request.system().unwrap_or_default()));
    ///     }
    ///     Ok(())
    /// }
    /// # let _ = plan::new();
    /// ```
    ///
    /// Cancel safety: dropping the future ends the question. The end of the run drops it too.
    ///
    /// # Errors
    /// Returns the error of the model after its retries; [`ModelError::Setup`] outside a run, or after
    /// `before_llm_call`.
    pub async fn ask_model(&self, mut question: ModelRequest) -> Result<ModelResponse, ModelError> {
        if question.model.is_none() {
            question.model.clone_from(&self.request.model);
        }
        aside::ask(self.asides.as_ref(), None, question).await
    }

    /// As [`Self::ask_model`], for another model, with the question's own model name.
    ///
    /// Cancel safety: as [`Self::ask_model`].
    ///
    /// # Errors
    /// As [`Self::ask_model`].
    pub async fn ask_other_model(
        &self,
        model: &BoxModel,
        question: ModelRequest,
    ) -> Result<ModelResponse, ModelError> {
        aside::ask(self.asides.as_ref(), Some(model.clone()), question).await
    }

    pub(crate) fn into_parts(self) -> (ModelRequest, Option<Arc<ToolTable>>) {
        (self.request, self.offered)
    }
}

debug_fields!(TurnRequest: this => request: this.request);

/// The error for a hook that offers a tool that the agent does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the agent has no tool `{tool}` to offer{near}")]
#[non_exhaustive]
pub struct UnknownToolError {
    /// The name.
    pub tool: String,
    /// A similar name, as the last part of the error's text.
    near: String,
}

/// The error for a hook that leaves no message for the model, which providers reject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it leaves no message for the model: keep at least one, such as the newest input")]
#[non_exhaustive]
pub struct NoMessagesError;
