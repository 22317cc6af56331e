//! The turn hooks of a run: around the request to the model, around its calls, and after each turn.

use std::pin::pin;
use std::sync::Arc;

use onionskin_definitions::error::BoxError;
use onionskin_definitions::output::ToolOutput;
use onionskin_definitions::secret::Redact as _;
use onionskin_tools::context::ToolTable;
use onionskin_tools::model::{ModelRequest, ModelResponse, ToolCall, redact_name};
use tokio::sync::mpsc;

use crate::agent::error::run_error::RunError;
use crate::agent::form::answer_form::AnswerForm;
use crate::places::tried;
use crate::turn_hook::{CompletedTurn, DynTurnHook, NoMessagesError, TurnRequest, TurnToolCall};

use super::prefix::RequestDraft;
use super::run::{AgentRun, BegunTurn};
use super::tool_call::PlannedCall;

impl AgentRun {
    pub(in crate::agent) fn has_turn_hooks(&self) -> bool {
        !self.instance.declaration.turn_hooks.is_empty()
    }

    /// Runs the hooks around the request to the model; a hook may answer in place of the model. `all` are the
    /// agent's tools, `table` those offered in the turn; `form` is the type of an answer that is a call.
    /// Returns the answer after the hooks, the offered tools, and the name of the answer tool.
    pub(super) async fn ask_through_hooks(
        &self,
        turn: u32,
        request: ModelRequest,
        all: &Arc<ToolTable>,
        table: Arc<ToolTable>,
        form: Option<&AnswerForm>,
        draft: Option<Box<RequestDraft>>,
    ) -> Result<(ModelResponse, Arc<ToolTable>, Option<Arc<str>>), RunError> {
        let (asides, requested) = mpsc::unbounded_channel();
        let mut request = TurnRequest::for_turn(request, Arc::clone(all), asides);
        let hooks = self.before_llm_call(&mut request);
        let answer = self.unless_over(pin!(self.answer_asides(turn, hooks, requested))).await??;
        let (mut request, offered) = request.into_parts();
        let table = offered.unwrap_or(table);
        let mut answer_tool = None;
        let mut response = match answer {
            Some(answer) => {
                // With message hooks the answer is shown after them.
                if !self.is_before_send() {
                    self.show_text(turn, &answer.text);
                }
                answer
            }
            None => {
                let checked = request.params.check(self.model(), request.model.as_deref());
                checked.map_err(|error| self.model_error(error))?;
                let choice = request.params.tool_choice.among(table.names());
                request.params.tool_choice = choice.map_err(|error| self.model_error(error.into()))?;
                // Hooks see only the agent's own tools.
                answer_tool = form.map(|form| self.offer_answer(form, &mut request));
                self.ask_model(turn, request, &table, answer_tool.as_deref(), draft).await?
            }
        };
        self.unless_over(pin!(self.after_llm_call(&mut response))).await??;
        if let Some(redactor) = self.cx.concealed().redactor() {
            response.redact(&redactor);
            for call in &mut response.tool_calls {
                redact_name(&mut call.name, &redactor, |name| table.find(name).is_some());
            }
        }
        Ok((response, table, answer_tool))
    }

    async fn before_llm_call(&self, request: &mut TurnRequest) -> Result<Option<ModelResponse>, RunError> {
        for hook in &self.instance.declaration.turn_hooks {
            let done = tried(async { hook.before_llm_call(&self.cx, request).await }).await;
            let done = done.and_then(|answer| match answer {
                None if request.messages().is_empty() => Err(NoMessagesError.into()),
                answer => Ok(answer),
            });
            if let Some(answer) = self.hook_result(&**hook, "before_llm_call", done)? {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    async fn after_llm_call(&self, response: &mut ModelResponse) -> Result<(), RunError> {
        for hook in &self.instance.declaration.turn_hooks {
            let done = tried(async { hook.after_llm_call(&self.cx, response).await }).await;
            self.hook_result(&**hook, "after_llm_call", done)?;
        }
        Ok(())
    }

    /// Runs the hooks before a call. Returns the call, or the result from a hook.
    pub(super) async fn before_tool_call(
        &self,
        turn: u32,
        call: &ToolCall,
        tools: &Arc<ToolTable>,
    ) -> Result<(ToolCall, Option<ToolOutput>), RunError> {
        let mut call = TurnToolCall::for_run(turn, call.clone(), tools);
        for hook in &self.instance.declaration.turn_hooks {
            let done = tried(async { hook.before_tool_call(&self.cx, &mut call).await }).await;
            if let Some(output) = self.hook_result(&**hook, "before_tool_call", done)? {
                return Ok((call.into_call(), Some(output)));
            }
        }
        Ok((call.into_call(), None))
    }

    /// Runs the hooks after a call, which may change the result that the model reads.
    pub(super) async fn after_tool_call(
        &self,
        turn: u32,
        call: &ToolCall,
        planned: &mut PlannedCall,
        tools: &Arc<ToolTable>,
    ) -> Result<(), RunError> {
        let Some(result) = planned.result() else { return Ok(()) };
        let mut message = result.message(call);
        let call = TurnToolCall::for_run(turn, call.clone(), tools);
        for hook in &self.instance.declaration.turn_hooks {
            let done = tried(async { hook.after_tool_call(&self.cx, &call, &mut message).await }).await;
            self.hook_result(&**hook, "after_tool_call", done)?;
        }
        if let Some(redactor) = self.cx.concealed().redactor() {
            message.content.redact(&redactor);
        }
        result.replace(message.content, message.is_error);
        Ok(())
    }

    /// Reports the turn to the hooks, if each of its calls has a result.
    pub(in crate::agent) async fn complete_turn(&self) -> Result<(), RunError> {
        let begun = {
            let mut tally = self.tally();
            if tally.open.is_some() {
                return Ok(());
            }
            tally.begun.take()
        };
        let Some(BegunTurn { turn, start, usage, stop }) = begun else { return Ok(()) };
        let mut completed = CompletedTurn::new(turn, self.messages(), start);
        (completed.usage, completed.stop) = (usage, stop);
        let report = async {
            for hook in &self.instance.declaration.turn_hooks {
                let done = tried(async { hook.after_turn_complete(&self.cx, &completed).await }).await;
                self.hook_result(&**hook, "after_turn_complete", done)?;
            }
            Ok(())
        };
        self.unless_over(pin!(report)).await?
    }

    /// The result of a hook.
    fn hook_result<T>(
        &self,
        hook: &dyn DynTurnHook,
        place: &'static str,
        done: Result<T, BoxError>,
    ) -> Result<T, RunError> {
        self.unless_cancelled()?;
        done.map_err(|error| RunError::TurnHook {
            agent: Arc::clone(&self.instance.name),
            hook: hook.name(),
            place,
            source: error.into(),
        })
    }
}
