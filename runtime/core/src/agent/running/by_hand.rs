//! Methods of a run for hand-written loops, except model turns: tool calls, messages, state, events.

use std::sync::Arc;

use onionskin_definitions::args::Args;
use onionskin_definitions::definition::ToolDefinition;
use onionskin_definitions::error::Exit;
use onionskin_definitions::secret::Redact as _;
use onionskin_tools::context::{State, StateError};
use onionskin_tools::event::EventKind;
use onionskin_tools::model::{Message, ToolCall, ToolResultMessage};
use serde::Serialize;

use crate::agent::error::misuse::MisuseError;
use crate::agent::error::run_error::RunError;

use super::batch::Batch;
use super::open_calls::OpenCalls;
use super::run::AgentRun;

/// The results of [`AgentRun::call_tools`].
///
/// ```
/// use onionskin::RunError;
/// use onionskin::run::AgentRun;
///
/// /// Asks once, and answers with the result of the first call.
/// async fn first_result(run: &AgentRun, input: String) -> Result<String, RunError> {
///     run.append(onionskin::model::Message::user(input))?;
///     let response = run.ask().await?;
///     let results = run.call_tools(&response.tool_calls).await?;
///     if let Some(answer) = results.answer() {
///         return Ok(answer.to_owned());
///     }
///     Ok(results.results().first().map_or(response.text.clone(), |result| format!("{:?}", result.content)))
/// }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "a tool can end the run: return its answer"]
pub struct ToolResults {
    results: Vec<ToolResultMessage>,
    answer: Option<String>,
}

impl ToolResults {
    /// One result for each call, in the order of the calls in the conversation.
    pub fn results(&self) -> &[ToolResultMessage] {
        &self.results
    }

    /// The answer of the run, if a call ended it: with [`Exit::stop`](crate::Exit::stop), or because its tool has `stop_after`. The
    /// first such call counts.
    pub fn answer(&self) -> Option<&str> {
        self.answer.as_deref()
    }

    /// As [`Self::answer`], by value.
    pub fn into_answer(self) -> Option<String> {
        self.answer
    }
}

impl AgentRun {
    /// Runs calls of the newest answer concurrently, as [`converse`](Self::converse) does: through the
    /// agent's hooks, under its limits, `max_parallel` and `max_calls`. Each call has one result. The results
    /// are appended to the conversation when each call of the answer has one; other calls of the answer can
    /// be run or answered ([`append`](Self::append)) before or after.
    ///
    /// If there is an [answer](ToolResults::answer), a tool ended the run: return it. An error of a tool is a
    /// result, which the model can handle. Without calls this does nothing.
    ///
    /// ```
    /// use onionskin::model::Message;
    /// use onionskin::run::AgentRun;
    /// use onionskin::RunError;
    ///
    /// /// What `converse` does.
    /// async fn converse(run: &AgentRun, input: String) -> Result<String, RunError> {
    ///     run.append(Message::user(input))?;
    ///     loop {
    ///         let response = run.ask().await?;
    ///         if response.tool_calls.is_empty() {
    ///             return Ok(response.text);
    ///         }
    ///         if let Some(answer) = run.call_tools(&response.tool_calls).await?.into_answer() {
    ///             return Ok(answer);
    ///         }
    ///     }
    /// }
    /// # let _ = converse;
    /// ```
    ///
    /// Cancel safety: dropping the future drops the calls, and each of them has a result that says so.
    ///
    /// # Errors
    /// Returns an error if the run is aborted or over, or if a tool requested more retries than
    /// [`Limits::max_retries`](crate::declaration::Limits::max_retries) allows; [`RunError::Misuse`], before
    /// any call runs, if a call is not one of the newest answer, was changed, or has a result.
    pub async fn call_tools(&self, calls: &[ToolCall]) -> Result<ToolResults, RunError> {
        if calls.is_empty() {
            return Ok(ToolResults::default());
        }
        let of_turn = self.tally().open.as_ref().and_then(OpenCalls::table);
        let table = match of_turn {
            Some(table) => table,
            None => self.turn_tools(self.turn())?.table,
        };
        let taken = match &mut self.tally().open {
            Some(open) => open.take(calls),
            None => Err(self.without_open_calls(calls)),
        };
        let batch = Batch::new(self, table, taken.map_err(|error| self.misuse(error))?);
        let mut results = Vec::new();
        let answer = self.run_batch(batch, Some(&mut results)).await?;
        Ok(ToolResults { results, answer })
    }

    /// The error for calls when the conversation has no open calls.
    fn without_open_calls(&self, calls: &[ToolCall]) -> MisuseError {
        let call_id = calls.first().map(|call| Arc::clone(&call.id)).unwrap_or_default();
        if self.messages().has_call(&call_id) {
            MisuseError::AnsweredCall { call_id }
        } else {
            MisuseError::UnknownCall { call_id }
        }
    }

    /// Appends a message to the conversation: of the user, of the assistant, or with results of tool calls. A
    /// call is never separated from its result: calls of an appended message of the assistant must be run or
    /// answered first, like calls of the model. Results of some of the calls are allowed; they are appended
    /// when each call of the newest message has one. An empty list of results does nothing.
    ///
    /// The message becomes part of the session's history when the run ends. It is not recorded in a journal,
    /// because a replay runs the loop again.
    ///
    /// ```
    /// use onionskin::content::ContentBlock;
    /// use onionskin::model::{Message, ToolResultMessage};
    /// use onionskin::run::AgentRun;
    /// use onionskin::RunError;
    ///
    /// /// Answers calls of the model without running them.
    /// async fn rehearse(run: &AgentRun, input: String) -> Result<String, RunError> {
    ///     run.append(Message::user(input))?;
    ///     let response = run.ask().await?;
    ///     let result = |call: &onionskin::model::ToolCall| {
    ///         ToolResultMessage::new(call.id.clone(), call.name.clone(), vec![ContentBlock::Text("not now".to_owned())])
    ///     };
    ///     let results: Vec<_> = response.tool_calls.iter().map(result).collect();
    ///     if !results.is_empty() {
    ///         run.append(Message::tool(results))?;
    ///     }
    ///     Ok(run.ask().without_tools().await?.text)
    /// }
    /// # let _ = rehearse;
    /// ```
    ///
    /// # Errors
    /// Returns [`RunError::Misuse`], without a change, if the message is empty, would separate a call from
    /// its result, answers a call that is not open, or has a call whose id is in use, or while the model
    /// writes its answer.
    pub fn append(&self, message: Message) -> Result<(), RunError> {
        self.append_checked(message).map_err(|error| self.misuse(error))
    }

    fn append_checked(&self, message: Message) -> Result<(), MisuseError> {
        if let Message::Tool { results, .. } = message {
            if results.is_empty() {
                return Ok(());
            }
            let indices = match &mut self.tally().open {
                Some(open) => open.answer(&results)?,
                None => {
                    let call_id =
                        results.first().map(|result| Arc::clone(&result.call_id)).unwrap_or_default();
                    return Err(MisuseError::UnknownCall { call_id });
                }
            };
            self.put_results(Some(&indices), results, &mut Vec::new());
            return Ok(());
        }
        let mut tally = self.tally();
        tally.ready()?;
        if message.is_empty() {
            return Err(MisuseError::EmptyMessage);
        }
        let calls = message.tool_calls();
        tally.ids.claim(calls).map_err(|call| MisuseError::UsedId {
            call_id: Arc::clone(&call.id),
            tool: Arc::clone(&call.name),
        })?;
        let count = u32::try_from(calls.len()).unwrap_or(u32::MAX);
        let message = Arc::new(message);
        tally.open = OpenCalls::new(&message, None, (0, tally.by_hand));
        tally.by_hand = tally.by_hand.saturating_add(count);
        self.cx.conversation().push_shared(message);
        Ok(())
    }

    /// The names of the agent's tools in this turn, as hooks see them.
    ///
    /// # Errors
    /// Returns an error if a server panics while it lists its tools, or if a tool has no definition for the run.
    pub fn tool_names(&self) -> Result<Vec<String>, RunError> {
        let tools = self.turn_tools(self.turn())?;
        Ok(tools.table.entries().iter().map(|entry| entry.name.to_string()).collect())
    }

    /// The definitions of the agent's tools in this turn, under the names that the model uses.
    ///
    /// # Errors
    /// As [`Self::tool_names`].
    pub fn tool_definitions(&self) -> Result<Arc<[ToolDefinition]>, RunError> {
        let tools = self.turn_tools(self.turn())?;
        Ok(tools.table.shown())
    }

    /// The agent's typed state, as in tools and hooks.
    ///
    /// ```
    /// use onionskin::run::AgentRun;
    /// use onionskin::RunError;
    ///
    /// #[derive(Clone)]
    /// struct Till(u32);
    ///
    /// /// Asks the model only if there is money.
    /// async fn serve(run: &AgentRun, input: String) -> Result<String, RunError> {
    ///     if run.state::<Till>()?.0 == 0 {
    ///         return Ok("closed".to_owned());
    ///     }
    ///     run.converse(input).await
    /// }
    /// # let _ = serve;
    /// ```
    ///
    /// # Errors
    /// Returns an error if the agent's state has another type. It converts to [`RunError::WrongState`].
    pub fn state<S: Clone + Send + Sync + 'static>(&self) -> Result<State<S>, StateError> {
        State::from_run(&self.cx)
    }

    /// Reports a value of the program as an [`EventKind::User`] event of the run. Without a reader of events the value is serialised
    /// and dropped.
    ///
    /// # Errors
    /// Returns an error if the value cannot be serialised to JSON.
    pub fn emit(&self, event: impl Serialize) -> Result<(), serde_json::Error> {
        let value = serde_json::to_value(event)?;
        self.event(self.turn(), EventKind::user(None, value));
        Ok(())
    }

    /// Reports a message for people who watch the run, as an [`EventKind::Notice`] event.
    pub fn notice(&self, text: impl Into<String>) {
        self.event(self.turn(), EventKind::notice(text));
    }

    /// Reports progress as an [`EventKind::Progress`] event: `done` of `total` units, in any unit. `total`
    /// may be unknown.
    pub fn progress(&self, done: f64, total: Option<f64>, message: impl Into<Option<String>>) {
        let message = message.into();
        self.event(self.turn(), EventKind::progress(None, done, total, message));
    }

    /// The number of the newest turn; 0 before the first one.
    pub(super) fn turn(&self) -> u32 {
        self.tally().turn
    }

    pub(super) fn misuse(&self, mut source: MisuseError) -> RunError {
        // The loop may log the error, and the names in calls of the model are not redacted yet.
        if let Some(redactor) = self.cx.redactor() {
            source.redact(&redactor);
        }
        RunError::Misuse { agent: Arc::clone(&self.instance.name), source }
    }
}

/// A run that is a single call.
impl AgentRun {
    /// Runs the call in place of the agent's loop; `arguments` is JSON. Returns the text of its output.
    pub(in crate::agent) async fn call_for_program(&self, arguments: String) -> Result<String, RunError> {
        let Some(called) = &self.called else { return self.converse(arguments).await };
        let output = match self.call_tool(&called.tool, Args::from(arguments)).await {
            Ok(output) => output,
            Err(Exit::Stop(stop)) => stop.into_output(),
            Err(Exit::Tool(source)) => {
                let (agent, tool) = (Arc::clone(&self.instance.name), Arc::clone(&called.tool));
                return Err(RunError::Tool { agent, tool, source });
            }
            Err(Exit::Abort(abort)) => return Err(RunError::Aborted(abort)),
        };
        let text = output.to_text().into_owned();
        called.set_output(output);
        Ok(text)
    }
}
