//! How a run asks its model: retries, time limits and events.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use super::ask::Changes;
use super::prompt;
use super::run::{AgentRun, or};
use super::run_error::RunError;
use super::tool_list::TurnTools;
use crate::backoff::Backoff;
use crate::context::{AbortCause, ToolTable};
use crate::definition::Effect;
use crate::event::EventKind;
use crate::journal::{StepKind, fingerprint, random};
use crate::lock::lock;
use crate::model::{
    Model as _, ModelDelta, ModelError, ModelRequest, ModelResponse, RedactedDeltas, RequestParams,
    redact_name,
};
use crate::secret::Redact as _;

const BACKOFF: Backoff =
    Backoff { first: Duration::from_millis(500), longest: Duration::from_secs(16), jitter: 100 };

impl AgentRun {
    /// The request of a turn. `offered` are its tools, if they are not all of `tools`.
    ///
    /// # Errors
    /// Returns an error if the parameters do not fit the model or the tools.
    pub(super) fn request(
        &self,
        turn: u32,
        changes: &Changes,
        tools: &TurnTools,
        offered: Option<&ToolTable>,
    ) -> Result<ModelRequest, RunError> {
        let Changes { instruction, model, .. } = changes;
        let table = offered.unwrap_or(&tools.table);
        let system = match (instruction, offered) {
            (None, None) => tools.system.clone(),
            _ => prompt::system(
                instruction.as_ref().unwrap_or_else(|| self.instance.tools.instruction()),
                table,
            ),
        };
        let params = self.turn_params(turn, changes, offered.is_none(), table);
        Ok(ModelRequest {
            agent: Arc::clone(&self.instance.name),
            model: model.clone().or_else(|| self.instance.model_name.clone()),
            system,
            messages: self.messages(),
            tools: Arc::clone(&table.declarations),
            params: params.map_err(|error| self.model_error(error))?,
            ids: self.cx.request_ids(self.step(turn, StepKind::Model).to_id()),
        })
    }

    /// The parameters of a turn with these tools. `all` says that they are all that the run has.
    fn turn_params(
        &self,
        turn: u32,
        changes: &Changes,
        all: bool,
        table: &ToolTable,
    ) -> Result<RequestParams, ModelError> {
        let Changes { params, tool_choice, response_schema, .. } = changes;
        let mut params = match params {
            Some(params) => params.clone(),
            None => self.instance.params.in_turn(turn, all),
        };
        if let Some(choice) = tool_choice {
            params.tool_choice = choice.clone();
        }
        if let Some(schema) = response_schema {
            params.response_schema = Some(schema.clone());
        }
        params.check(&self.instance.model)?;
        params.tool_choice = params.tool_choice.among(table.names())?;
        Ok(params)
    }

    fn model_error(&self, source: ModelError) -> RunError {
        RunError::Model { agent: Arc::clone(&self.instance.name), source }
    }

    /// Asks the model. The answer can call the tools of `table`.
    pub(super) async fn ask_model(
        &self,
        turn: u32,
        mut request: ModelRequest,
        table: &ToolTable,
    ) -> Result<ModelResponse, RunError> {
        if let Some(redactor) = self.cx.concealed().redactor() {
            lock(&self.redacted).redact(redactor, &mut request);
        }
        let asked = || (Effect::Pure, fingerprint(&request));
        // One step for all attempts: a failure is not recorded, so a replay asks again.
        let answer = self.cx.step(self.step(turn, StepKind::Model), asked, async || {
            self.ask_until_answered(turn, &request, table).await
        });
        self.unless_over(pin!(answer)).await?
    }

    /// Asks again after transient errors, as often as the limits allow.
    async fn ask_until_answered(
        &self,
        turn: u32,
        request: &ModelRequest,
        table: &ToolTable,
    ) -> Result<ModelResponse, RunError> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let error = match self.ask_once(turn, request, table).await {
                Ok(response) => return Ok(response),
                Err(mut error) => {
                    if let Some(redactor) = self.cx.concealed().redactor() {
                        error.redact(&redactor);
                    }
                    error
                }
            };
            if !error.is_transient() || attempt > self.instance.limits.model_retries {
                let error = self.model_error(error);
                if let Some(fault) = error.script_fault() {
                    self.cx.abort_for(AbortCause::Script(fault));
                }
                return Err(error);
            }
            self.event(turn, EventKind::TurnRestarted { turn });
            let pause = pause(attempt, &error);
            let text = format!("{error}; asking again in {pause:?}");
            self.event(turn, EventKind::Notice { text });
            tokio::time::sleep(pause).await;
        }
    }

    async fn ask_once(
        &self,
        turn: u32,
        request: &ModelRequest,
        table: &ToolTable,
    ) -> Result<ModelResponse, ModelError> {
        let timeout = self.instance.limits.model_timeout;
        // The session can learn secrets while the model answers.
        let redactor = || self.cx.concealed().redactor();
        let mut held = RedactedDeltas::default();
        let tell = |delta| {
            self.event(
                turn,
                match delta {
                    ModelDelta::Text(text) => EventKind::TextDelta { text },
                    ModelDelta::Reasoning(text) => EventKind::ReasoningDelta { text },
                },
            );
        };
        let is_told = self.cx.events().are_kept();
        let mut deltas = |delta| {
            if is_told {
                held.look_for(redactor());
                held.push(delta).into_iter().for_each(tell);
            }
        };
        let asked = self.instance.model.respond(request, &mut deltas);
        let late = || async {
            tokio::time::sleep(timeout).await;
            Err(ModelError::Timeout(timeout))
        };
        let mut response = or(asked, late).await?;
        let redactor = redactor();
        if is_told {
            held.look_for(redactor.clone());
            held.finish().for_each(tell);
        }
        if let Some(redactor) = redactor {
            self.tally().ids.distinguish(&mut response.tool_calls);
            response.redact(&redactor);
            for call in &mut response.tool_calls {
                redact_name(&mut call.name, &redactor, |name| table.find(name).is_some());
            }
        }
        Ok(response)
    }
}

/// Half a second, doubled for each attempt, with jitter; or the delay that the provider requests, up to a minute.
fn pause(attempt: u32, error: &ModelError) -> Duration {
    match error {
        ModelError::Status { retry_after: Some(asked), .. } => (*asked).min(Duration::from_mins(1)),
        _ => BACKOFF.pause(attempt, random()),
    }
}
