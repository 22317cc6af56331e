//! Requests of a run to its model: retries, time limits and events.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onionskin_definitions::definition::Effect;
use onionskin_definitions::lock::lock;
use onionskin_definitions::secret::Redact as _;
use onionskin_tools::backoff::Backoff;
use onionskin_tools::context::{AbortCause, ToolTable};
use onionskin_tools::event::EventKind;
use onionskin_tools::journal::StepKind;
use onionskin_tools::model::{
    BoxModel, Model as _, ModelDelta, ModelError, ModelRequest, ModelResponse, PrefixCause, PrefixChange,
    RedactedDeltas, RequestParams, Usage, redact_name,
};
use onionskin_tools::random::random;
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::agent::built::prompt::TurnParts;
use crate::agent::built::tool_list::TurnTools;
use crate::agent::error::run_error::RunError;
use crate::agent::form::answer_form::{AnswerForm, AnswerTool};
use crate::prompt::SystemPrompt;

use super::ask::Changes;
use super::prefix::RequestDraft;
use super::run::{AgentRun, or};
use super::shown_deltas::ShownDeltas;
use super::spans::ChatSpan;

const BACKOFF: Backoff =
    Backoff { first: Duration::from_millis(500), longest: Duration::from_secs(16), jitter: 100 };

/// The tokens of the attempts of a request that had no answer. They are counted when this is dropped, also with the run.
struct Unanswered<'r> {
    run: &'r AgentRun,
    requested: ModelCall<'r>,
    /// Those of the attempts that failed.
    failed: Usage,
    /// Those that the model has reported in the attempt in progress.
    reported: Usage,
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        self.failed += self.reported;
        self.run.tally().usage += self.failed;
        self.run.note_usage(self.requested, None, self.failed);
    }
}

/// A request to a model.
#[derive(Clone, Copy)]
pub(super) struct ModelCall<'r> {
    pub(super) turn: u32,
    pub(super) request: &'r ModelRequest,
    pub(super) model: &'r BoxModel,
    /// The tools that the answer can call; `None` for a question outside the conversation, whose answer is
    /// not shown.
    pub(super) table: Option<&'r ToolTable>,
    /// The tool whose call is the answer of the run.
    pub(super) answer_tool: Option<&'r str>,
    /// How it differs from the request before it.
    pub(super) change: Option<&'r (PrefixChange, Option<PrefixCause>)>,
}

impl ModelCall<'_> {
    /// The name of the model in the usage: that of the answer, if it names another one.
    pub(super) fn billed_name(&self, billed_as: Option<&str>) -> Arc<str> {
        let identity = || self.model.identity(self.request.model.as_deref());
        billed_as.map_or_else(|| identity().billed_name().into(), Arc::from)
    }
}

impl AgentRun {
    /// The request of a turn, without its system prompt. `offered` are its tools, if not all of `tools`.
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
        let table = offered.unwrap_or(&tools.table);
        let params = self.turn_params(turn, changes, offered.is_none(), table);
        let mut request = self.cx.model_request(
            self.step(turn, StepKind::Model).to_id(),
            Arc::clone(&self.instance.name),
            self.messages(),
            Arc::clone(&table.declarations),
            params.map_err(|error| self.model_error(error))?,
        );
        request.model = changes.model.clone().or_else(|| self.instance.declaration.settings.model.clone());
        Ok(request)
    }

    /// The system prompt of a turn. `offered` are its tools, if not all of `tools`; `by_tool` means that the
    /// run's answer is a tool call.
    ///
    /// # Errors
    /// Returns an error if a part of it has no text, or the run is over.
    pub(super) async fn system(
        &self,
        turn: u32,
        changes: &Changes,
        tools: &TurnTools,
        offered: Option<&ToolTable>,
        by_tool: bool,
    ) -> Result<SystemPrompt, RunError> {
        let prompt = self.own_prompt().unwrap_or_else(|| self.instance.tools.prompt());
        let (table, instruction) = (offered.unwrap_or(&tools.table), changes.instruction.as_ref());
        let parsed_values = self.parsed_form(changes).map(AnswerForm::values);
        let turn_parts =
            TurnParts { instruction, answer_is_call: by_tool, parsed_values: parsed_values.as_deref() };
        if prompt.is_fixed() {
            let is_agents = self.own_prompt().is_none()
                && instruction.is_none()
                && offered.is_none()
                && !by_tool
                && parsed_values.is_none();
            let known = tools.system.as_ref().filter(|_| is_agents);
            return Ok(known.cloned().unwrap_or_else(|| prompt.fixed(table, turn_parts)));
        }
        // Boxed, so that a run with a fixed prompt reserves no space for it.
        let made = Box::pin(async {
            let made = prompt.in_run(table, turn_parts, &self.cx);
            // A replay knows the text alone.
            let mut parts = None;
            let recorded = async || {
                let made = made.await?;
                parts = Some(made.parts);
                let mut text = made.text.map(|text| text.to_string());
                if let (Some(text), Some(redactor)) = (&mut text, self.cx.concealed().redactor()) {
                    text.redact(&redactor);
                }
                Ok::<_, RunError>(text)
            };
            let requested = || (Effect::Pure, prompt.request_hash(table, turn_parts));
            let step = self.step(turn, StepKind::Prompt);
            let text: Option<String> = self.cx.step(step, requested, recorded).await?;
            Ok(SystemPrompt { text: text.map(Into::into), parts: parts.unwrap_or_default() })
        });
        self.unless_over(made).await?
    }

    /// The system prompt of the first turn.
    pub(in crate::agent) async fn first_system(&self) -> Result<Option<Arc<str>>, RunError> {
        let tools = self.turn_tools(0)?;
        let changes = Changes::typed();
        let by_tool = match self.answer.as_deref() {
            Some(_) => {
                let mut request = self.request(0, &changes, &tools, None)?;
                self.ask_for_answer(&changes, &mut request).is_some()
            }
            None => false,
        };
        Ok(self.system(0, &changes, &tools, None, by_tool).await?.text)
    }

    /// Requests the run's typed answer as structured output. Returns its form if the model does not support
    /// that for the type, so that the answer is a tool call.
    pub(super) fn ask_for_answer(
        &self,
        changes: &Changes,
        request: &mut ModelRequest,
    ) -> Option<&AnswerForm> {
        let form = self.answer.as_deref().filter(|_| changes.is_typed)?;
        if self.has_parser() {
            request.params.response_schema = None;
            return None;
        }
        match self.model().response_schema(request, form.schema()) {
            Some(schema) => {
                request.params.response_schema = Some(schema);
                None
            }
            None => {
                request.params.response_schema = None;
                Some(form)
            }
        }
    }

    /// Adds the tool whose call is the answer. Returns its name.
    pub(super) fn offer_answer(&self, form: &AnswerForm, request: &mut ModelRequest) -> Arc<str> {
        let AnswerTool { name, all } = form.offered(&request.tools);
        request.tools = all;
        if self.model().can_force_call(request) {
            request.params.tool_choice.require_call(&name);
        }
        name
    }

    /// The parameters of a turn with these tools. `all` means that these are all tools of the run.
    fn turn_params(
        &self,
        turn: u32,
        changes: &Changes,
        all: bool,
        table: &ToolTable,
    ) -> Result<RequestParams, ModelError> {
        let Changes { model, params, tool_choice, response_schema, .. } = changes;
        let model = model.as_ref().or(self.instance.declaration.settings.model.as_ref());
        let mut params = match params {
            Some(params) => params.clone(),
            None => self.instance.declaration.settings.request_params.in_turn(turn, all),
        };
        if let Some(choice) = tool_choice {
            params.tool_choice = choice.clone();
        }
        if let Some(schema) = response_schema {
            params.response_schema = Some(schema.clone());
        }
        params.check(self.model(), model.map(|name| &**name))?;
        params.tool_choice = params.tool_choice.among(table.names())?;
        Ok(params)
    }

    pub(super) fn model_error(&self, source: ModelError) -> RunError {
        RunError::Model { agent: Arc::clone(&self.instance.name), source }
    }

    /// Asks the model. The answer can call the tools of `table`, and the answer tool of the run.
    pub(super) async fn ask_model(
        &self,
        turn: u32,
        mut request: ModelRequest,
        table: &ToolTable,
        answer_tool: Option<&str>,
        draft: Option<Box<RequestDraft>>,
    ) -> Result<ModelResponse, RunError> {
        self.check_read(&request.messages)?;
        let draft = draft.map(|draft| (draft, request.clone()));
        if let Some(redactor) = self.cx.concealed().redactor() {
            lock(&self.redacted).redact(redactor, &mut request);
        }
        self.note_asked(request.model.as_ref());
        let hash = || (Effect::Pure, self.request_hash(turn, &request, table));
        let change = draft.and_then(|(draft, hooked)| self.prefix_change(*draft, hooked, &request));
        let (model, change) = (self.model(), change.as_ref());
        let requested = ModelCall { turn, request: &request, model, table: Some(table), answer_tool, change };
        // One step for all attempts: a failure is not recorded, so a replay asks again.
        let step = self.step(turn, StepKind::Model);
        let answer = self.cx.step(step, hash, async || {
            if let Some((change, cause)) = change {
                self.event(turn, EventKind::prefix_changed(change.clone(), *cause));
            }
            let answer = self.ask_until_answered(requested).await?;
            self.cx.note_new();
            Ok(answer)
        });
        self.unless_over(pin!(answer)).await?
    }

    /// Notes the model of a request, whose tokens are counted for it.
    fn note_asked(&self, requested: Option<&Arc<str>>) {
        // Most requests of a run name the same model.
        let is_known = |(name, _): &(Option<Arc<str>>, _)| name.as_ref() == requested;
        if self.tally().asked_model.as_ref().is_some_and(is_known) {
            return;
        }
        let model = self.billed_model(requested.map(|name| &**name));
        self.tally().asked_model = Some((requested.cloned(), model));
    }

    /// The name of a model in the usage: that of a request, or the agent's own.
    pub(super) fn billed_model(&self, requested: Option<&str>) -> Arc<str> {
        let requested = requested.or(self.instance.declaration.settings.model.as_deref());
        self.model().identity(requested).billed_name().into()
    }

    /// Asks again after transient errors, as often as the limits allow. The usage of the answer includes the
    /// tokens of earlier attempts; without an answer they are added to the run.
    pub(super) async fn ask_until_answered(
        &self,
        requested: ModelCall<'_>,
    ) -> Result<ModelResponse, RunError> {
        let ModelCall { turn, .. } = requested;
        let mut attempt = 0;
        let (failed, reported) = (Usage::default(), Usage::default());
        // Boxed, because the futures of nested runs are on the stack.
        let mut unanswered = Box::new(Unanswered { run: self, requested, failed, reported });
        loop {
            attempt += 1;
            let mut spending = if self.cx.shared_budgets().is_empty() {
                None
            } else {
                // Boxed, so that runs without budgets have no room for it.
                Box::pin(self.reserve_request(requested)).await?
            };
            let span = ChatSpan::begin(self, requested.model, requested.request, requested.change, attempt);
            let mut report = |usage| {
                unanswered.reported = usage;
                if let Some(spending) = &mut spending {
                    spending.report(usage);
                }
            };
            let mut answer = pin!(self.ask_once(requested, &mut report)).instrument(span.span()).await;
            if let (Err(error), Some(redactor)) = (&mut answer, self.cx.concealed().redactor()) {
                error.redact(&redactor);
            }
            span.end(&answer);
            if let Some(spending) = spending {
                Box::pin(self.finish_request(spending, &answer, unanswered.reported)).await;
            }
            let error = match answer {
                Ok(mut response) => {
                    unanswered.reported = Usage::default();
                    response.usage += std::mem::take(&mut unanswered.failed);
                    self.note_usage(requested, response.billed_as.as_deref(), response.usage);
                    return Ok(response);
                }
                Err(error) => error,
            };
            unanswered.failed += std::mem::take(&mut unanswered.reported);
            let pause = pause(attempt, &error);
            // A pause beyond the run's deadline would hide the provider's error.
            let is_late = self.cx.deadline().is_some_and(|late| late.at() <= Instant::now() + pause);
            if !error.is_transient() || attempt > self.limits().model_retries || is_late {
                let error = self.model_error(error);
                if let Some(fault) = error.script_fault() {
                    self.cx.abort_for(AbortCause::Script(fault));
                }
                return Err(error);
            }
            if requested.table.is_some() {
                self.event(turn, EventKind::turn_restarted(turn));
            }
            let text = format!("{error}; asking again in {pause:?}");
            self.event(turn, EventKind::notice(text));
            tokio::time::sleep(pause).await;
        }
    }

    /// Asks once. `report` gets the tokens that the model reports before it answers or fails, the sum each time.
    async fn ask_once(
        &self,
        requested: ModelCall<'_>,
        report: &mut (dyn FnMut(Usage) + Send),
    ) -> Result<ModelResponse, ModelError> {
        let ModelCall { turn, request, model, table, answer_tool, change: _ } = requested;
        let timeout = self.limits().model_timeout;
        // Secrets can be added to the session while the model answers.
        let redactor = || self.cx.concealed().redactor();
        let mut held = RedactedDeltas::default();
        let shown_table = table.filter(|_| self.cx.events().are_kept() && !self.is_before_send());
        let is_shown = shown_table.is_some();
        let mut shown = shown_table.map(|table| ShownDeltas::new(self, turn, table, answer_tool));
        let mut show = |delta| {
            if let Some(shown) = &mut shown {
                shown.push(delta);
            }
        };
        let written = Mutex::new(None);
        let mut deltas = |delta| {
            *lock(&written) = Some(Instant::now());
            if let ModelDelta::Usage(usage) = delta {
                report(usage);
            } else if is_shown {
                held.set_redactor(redactor());
                held.push(delta).into_iter().for_each(&mut show);
            }
        };
        let requested = model.respond(request, &mut deltas);
        let late = || async { Err(late(timeout, &written).await) };
        let mut response = or(requested, late).await?;
        if response.usage.total() > 0 {
            report(response.usage);
        }
        response.check()?;
        let redactor = redactor();
        if is_shown {
            held.set_redactor(redactor.clone());
            held.finish().for_each(show);
        }
        if let Some(shown) = shown {
            shown.finish(&mut response.tool_calls);
        }
        if let Some(redactor) = redactor {
            self.tally().ids.distinguish(&mut response.tool_calls);
            response.redact(&redactor);
            for call in &mut response.tool_calls {
                let is_known = |name: &str| table.is_some_and(|table| table.find(name).is_some());
                redact_name(&mut call.name, &redactor, is_known);
            }
        }
        Ok(response)
    }
}

/// The maximum duration of an answer, as a multiple of the model timeout.
const MAX_TIMEOUTS_PER_ANSWER: u32 = 10;

/// Waits until a model was silent for `timeout`, or its answer took too long in total. `written` is the time
/// of the last piece.
async fn late(timeout: Duration, written: &Mutex<Option<Instant>>) -> ModelError {
    let (begun, most) = (Instant::now(), timeout.saturating_mul(MAX_TIMEOUTS_PER_ANSWER));
    let mut wait = timeout;
    loop {
        tokio::time::sleep(wait).await;
        let silence = lock(written).unwrap_or(begun).elapsed();
        let left = most.saturating_sub(begun.elapsed());
        if silence >= timeout {
            return ModelError::Timeout(timeout);
        }
        if left.is_zero() {
            return ModelError::Unended(most);
        }
        wait = left.min(timeout.saturating_sub(silence));
    }
}

/// The maximum pause that a provider can request.
const MAX_REQUESTED_PAUSE: Duration = Duration::from_mins(1);
/// A shorter one is none.
const LEAST_REQUESTED_PAUSE: Duration = Duration::from_millis(100);

/// Half a second, doubled for each attempt, with jitter; or the delay that the provider or a circuit requests, up to a minute. A server that is
/// busy writes none, or a very short one, when its date has passed, and each attempt would be used up at once.
fn pause(attempt: u32, error: &ModelError) -> Duration {
    if let ModelError::Status { retry_after: Some(requested), .. }
    | ModelError::Unavailable { retry_after: Some(requested), .. } = error
        && *requested >= LEAST_REQUESTED_PAUSE
    {
        (*requested).min(MAX_REQUESTED_PAUSE)
    } else {
        BACKOFF.pause(attempt, random())
    }
}
