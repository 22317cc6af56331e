//! One turn of the model, requested by a hand-written loop.

use std::fmt;
use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::Arc;

use onionskin_definitions::setters;
use onionskin_tools::context::ToolTable;
use onionskin_tools::model::{ModelResponse, RequestParams, ResponseSchema, ToolChoice};

use crate::agent::error::misuse::MisuseError;
use crate::agent::error::run_error::RunError;

use super::run::AgentRun;

/// One turn of the model, which [`AgentRun::ask`] prepares. Await it to ask the model.
///
/// Options apply to this turn only. Their defaults are the agent's.
///
/// ```
/// use onionskin::model::{Message, RequestParams};
/// use onionskin::run::AgentRun;
/// use onionskin::RunError;
///
/// /// Asks for a plan. The model cannot call tools in this turn.
/// async fn plan(run: &AgentRun, input: String) -> Result<String, RunError> {
///     run.append(Message::user(input))?;
///     let mut params = RequestParams::default();
///     params.temperature = Some(0.0);
///     let plan = run.ask().without_tools().instruction("List the steps. Do not act yet.").request_params(params).await?;
///     Ok(plan.text)
/// }
/// # let _ = plan;
/// ```
///
/// Cancel safety: dropping the future ends the request. The turn counts, but the conversation gets no answer.
/// A turn without an answer is not recorded, so a replay asks the model again.
#[must_use = "the model is asked when this is awaited"]
pub struct Ask<'r> {
    run: &'r AgentRun,
    changes: Changes,
}

/// The options of one turn that replace the agent's.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) instruction: Option<Arc<str>>,
    pub(super) model: Option<Arc<str>>,
    pub(super) params: Option<RequestParams>,
    pub(super) tool_choice: Option<ToolChoice>,
    pub(super) response_schema: Option<ResponseSchema>,
    /// Whether the turn may give the run's typed answer.
    pub(super) is_typed: bool,
    /// The names of the offered tools; `None` for all.
    only: Option<Vec<String>>,
}

impl Changes {
    /// A turn that may give the run's typed answer.
    pub(super) fn typed() -> Self {
        Self { is_typed: true, ..Self::default() }
    }

    /// Whether the turn names the tools to offer, which may be unknown.
    pub(super) fn names_tools(&self) -> bool {
        self.only.as_ref().is_some_and(|only| !only.is_empty())
    }

    /// The tools that the turn offers, if they are not all of these.
    pub(super) fn table(&self, agent: &str, all: &ToolTable) -> Result<Option<Arc<ToolTable>>, MisuseError> {
        let Some(only) = &self.only else { return Ok(None) };
        let only = all.only(agent, only);
        let only = only.map_err(|(tool, near)| MisuseError::UnknownTool { tool, near })?;
        Ok(Some(Arc::new(only)))
    }
}

impl AgentRun {
    /// Prepares one turn of the model on the conversation. Awaited, it asks the model, appends the answer to the conversation, and
    /// returns it. The turn has the agent's limits, retries, journal, events and redaction.
    ///
    /// Calls of the answer are not run: pass them to [`call_tools`](Self::call_tools) before the next turn.
    /// An incomplete answer ([`StopReason::is_whole`](crate::model::StopReason::is_whole)) is returned like
    /// any other. An answer without text and calls is not added to the conversation.
    ///
    /// Cancel safety: as [`Ask`].
    ///
    /// # Errors
    /// Returns an error if the model fails, a limit is reached, or the run is aborted; [`RunError::Misuse`],
    /// before the turn begins, if the conversation is empty, if one of its calls has no result, if another
    /// turn is in progress, or if [`only_tools`](Ask::only_tools) names a tool that the agent does not have.
    pub fn ask(&self) -> Ask<'_> {
        Ask { run: self, changes: Changes::default() }
    }
}

impl Ask<'_> {
    /// Offers no tools to the model, and leaves the instructions of tools out of the system prompt.
    pub fn without_tools(mut self) -> Self {
        self.changes.only = Some(Vec::new());
        self
    }

    /// Offers only the tools with these names. In this answer, any other tool is unknown.
    pub fn only_tools<T: Into<String>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.changes.only = Some(names.into_iter().map(Into::into).collect());
        self
    }

    setters! {
        /// Sets the instruction of this turn in place of the agent's. The other parts of the system prompt are
        /// kept. Placeholders in the text are not filled.
        instruction(text: impl Into<Arc<str>>) => changes.instruction = Some(text.into());

        /// Sets the name of the model, which is passed in
        /// [`ModelRequest::model`](crate::model::ModelRequest::model).
        model(name: impl Into<Arc<str>>) => changes.model = Some(name.into());

        /// Sets the model parameters in place of the agent's. A `tool_choice` in them applies to this turn as it
        /// is.
        request_params(params: RequestParams) => changes.params = Some(params);

        /// Sets whether the model may, must or must not call tools in this turn.
        tool_choice(choice: ToolChoice) => changes.tool_choice = Some(choice);

        /// Sets the schema of this answer's text.
        response_schema(schema: ResponseSchema) => changes.response_schema = Some(schema);
    }
}

impl<'r> IntoFuture for Ask<'r> {
    type Output = Result<ModelResponse, RunError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'r>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { Ok(self.run.take_turn(&self.changes).await?.into_response()) })
    }
}

impl fmt::Debug for Ask<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask").field("changes", &self.changes).finish_non_exhaustive()
    }
}
