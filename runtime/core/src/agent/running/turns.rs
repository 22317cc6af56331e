//! The loop of a run, and its model turns. `batch.rs` runs the tool calls of a turn.

use std::pin::pin;
use std::sync::Arc;

use onionskin_definitions::args::Args;
use onionskin_definitions::boxed::boxed;
use onionskin_definitions::error::{Exit, ToolResult};
use onionskin_definitions::on_drop::OnDrop;
use onionskin_tools::context::ToolTable;
use onionskin_tools::event::EventKind;
use onionskin_tools::model::{Message, ModelResponse, StopReason, ToolCall, redact_name};
use tokio::time::Instant;

use crate::agent::built::tool_list::TurnTools;
use crate::agent::error::misuse::MisuseError;
use crate::agent::error::run_error::RunError;
use crate::agent::limits::Limit;

use super::ask::Changes;
use super::batch::Batch;
use super::open_calls::{OpenCalls, PendingCalls};
use super::prefix::RequestDraft;
use super::run::{AgentRun, BegunTurn};
use super::tool_call::{self, TurnCall};

/// An answer of the model, which is in the conversation.
pub(super) struct TurnAnswer {
    turn: u32,
    pub(super) message: Arc<Message>,
    /// The tools that were offered.
    pub(super) table: Arc<ToolTable>,
    /// The parts of the answer besides its message.
    beside: ModelResponse,
    /// The tool whose call is the answer of the run.
    pub(super) answer_tool: Option<Arc<str>>,
    /// The answer of the run that the parser read out of the text.
    pub(super) parsed: Option<String>,
}

impl TurnAnswer {
    /// The answer of the model, with ids of calls that are unique in the conversation.
    pub(super) fn into_response(self) -> ModelResponse {
        let Self { message, mut beside, .. } = self;
        beside.put_message(Arc::unwrap_or_clone(message));
        beside
    }
}

impl AgentRun {
    /// Runs the loop: adds `input` to the conversation, then asks the model and runs the tools that it calls,
    /// until it answers without a call or a call stops the run. Several loops in one run continue one
    /// conversation and share its limits. To write your own loop, use [`ask`](Self::ask) and
    /// [`call_tools`](Self::call_tools).
    ///
    /// With [`AgentDeclaration::until`](crate::declaration::AgentDeclaration::until) it continues until an
    /// answer contains that text. If the run's answer has a type, the model is asked again while its answer
    /// does not fit; the returned text is JSON.
    ///
    /// Cancel safety: dropping the future drops its calls. The conversation keeps one result for each of them.
    ///
    /// # Errors
    /// Returns an error if the model fails, a limit is reached, or the run is aborted; [`RunError::Misuse`] if a call of the
    /// conversation has no result, or if another turn is in progress; [`RunError::NoInput`] if the input is empty;
    /// [`RunError::Unfinished`] if an answer is not whole. The conversation then has results that say that its calls did not run.
    pub async fn converse(&self, input: String) -> Result<String, RunError> {
        let input = self.user_message(input);
        if input.is_empty() {
            return Err(RunError::NoInput { agent: Arc::clone(&self.instance.name) });
        }
        self.append(input)?;
        if let Some(form) = self.answer.as_deref() {
            return boxed(|| self.converse_typed(form)).await;
        }
        loop {
            // Pinned in place, because a future passed by value takes up the stack of nested runs twice.
            let said = pin!(self.take_turn(&Changes::default())).await?;
            let (is_answer, stop) = (said.message.tool_calls().is_empty(), said.beside.stop);
            if is_answer
                && let Some(until) = self.instance.declaration.until.as_deref()
                && !said.message.to_text().contains(until)
                // A cut answer can be gone on with, a refused one cannot.
                && (stop.is_whole() || stop == StopReason::Length)
            {
                let words = format!("Go on. The work ends with `{until}` in your answer.");
                self.append(Message::by_runtime(words))?;
                continue;
            }
            self.check_whole(&said)?;
            if is_answer {
                return Ok(said.message.to_text().into_owned());
            }
            let calls = self.take_all(&said);
            if let Some(answer) = pin!(self.run_batch(Batch::new(self, said.table, calls), None)).await? {
                return Ok(answer);
            }
        }
    }

    /// Fails if an answer is incomplete. Its calls get results that say that they did not run.
    pub(super) fn check_whole(&self, said: &TurnAnswer) -> Result<(), RunError> {
        let stop = said.beside.stop;
        if stop.is_whole() {
            return Ok(());
        }
        self.closed_messages();
        let text = said.message.to_text().into_owned();
        Err(RunError::Unfinished { agent: Arc::clone(&self.instance.name), stop, text })
    }

    /// Asks the model once and appends its answer to the conversation.
    pub(super) async fn take_turn(&self, changes: &Changes) -> Result<TurnAnswer, RunError> {
        let offered = |tools: &TurnTools| {
            changes.table(&self.instance.name, &tools.table).map_err(|error| self.misuse(error))
        };
        if changes.names_tools() {
            // Mistakes are found before the turn counts.
            self.await_lists().await?;
            offered(&self.turn_tools(self.turn())?)?;
        }
        if self.has_turn_hooks() {
            // The results of the previous turn may have been appended by hand.
            boxed(|| self.complete_turn()).await?;
        }
        self.unless_stopped()?;
        let (turn, _asking) = self.begin_turn()?;
        self.store_messages().await?;
        self.await_lists().await?;
        let tools = self.turn_tools(turn)?;
        let offered = offered(&tools)?;
        let table = offered.as_ref().unwrap_or(&tools.table);
        let mut request = self.request(turn, changes, &tools, offered.as_deref())?;
        let answer = self.ask_for_answer(changes, &mut request);
        let conversation = self.compares_requests().then(|| request.messages.clone());
        if self.message_hooks.is_some() {
            // Before the system prompt, which can show the state.
            boxed(|| self.before_reply(&mut request)).await?;
        }
        let system = self.system(turn, changes, &tools, offered.as_deref(), answer.is_some()).await?;
        request.system.clone_from(&system.text);
        let draft = conversation.map(|messages| Box::new(RequestDraft::new(messages, &request, &system)));
        if self.has_turn_hooks() {
            let table = Arc::clone(table);
            let requested =
                boxed(|| self.ask_through_hooks(turn, request, &tools.table, table, answer, draft)).await;
            let (mut response, table, answer_tool) = requested?;
            if self.is_before_send() {
                response = boxed(|| self.send_text(turn, response)).await?;
            }
            let said = self.end_turn(turn, changes, table, response, answer_tool).await?;
            boxed(|| self.complete_turn()).await?;
            return Ok(said);
        }
        let answer_tool = answer.map(|form| self.offer_answer(form, &mut request));
        let mut response = self.ask_model(turn, request, table, answer_tool.as_deref(), draft).await?;
        if self.is_before_send() {
            response = boxed(|| self.send_text(turn, response)).await?;
        }
        self.end_turn(turn, changes, Arc::clone(table), response, answer_tool).await
    }

    /// Appends and stores the answer of the model, and lets the parser read it, if the agent has one.
    async fn end_turn(
        &self,
        turn: u32,
        changes: &Changes,
        table: Arc<ToolTable>,
        response: ModelResponse,
        answer_tool: Option<Arc<str>>,
    ) -> Result<TurnAnswer, RunError> {
        self.tally().usage += response.usage;
        let mut said = self.append_answer(turn, table, response, answer_tool);
        // Before the parser is asked, so that the conversation has the text whatever happens meanwhile.
        let stored = self.store_answer(&said.message).await;
        let parsed = match stored {
            Ok(()) if self.has_parser() => {
                boxed(|| self.parse_answer(turn, changes, &said.message, said.beside.stop)).await
            }
            stored => stored.map(|()| None),
        };
        self.finish_turn(&said);
        said.parsed = parsed?;
        Ok(said)
    }

    /// Waits for the lists of tools that servers announced before this turn.
    async fn await_lists(&self) -> Result<(), RunError> {
        let Some(lists) = self.tool_list().pending() else { return Ok(()) };
        self.unless_over(lists).await?.map_err(|error| error.into_run_error(&self.instance.name))
    }

    /// The tools of a turn.
    pub(super) fn turn_tools(&self, turn: u32) -> Result<TurnTools, RunError> {
        self.tools(turn).map_err(|error| error.into_run_error(&self.instance.name))
    }

    fn begin_turn(&self) -> Result<(u32, OnDrop<impl FnMut() + '_>), RunError> {
        let mut tally = self.tally();
        tally.ready().map_err(|error| self.misuse(error))?;
        if self.cx.conversation().is_empty() {
            return Err(self.misuse(MisuseError::EmptyConversation));
        }
        if tally.attached.is_some() {
            return Err(self.misuse(MisuseError::MissingAttachments));
        }
        if let Some(late) = self.cx.deadline().filter(|deadline| deadline.at() <= Instant::now()) {
            return Err(self.limit(Limit::Time(late.limit())));
        }
        if let Some(limit) = self.limits().before_turn(tally.turn, tally.usage.total()) {
            return Err(self.limit(limit));
        }
        tally.turn += 1;
        tally.asking = true;
        let turn = tally.turn;
        drop(tally);
        let asking = OnDrop(|| self.tally().asking = false);
        self.event(turn, EventKind::turn_started(turn));
        Ok((turn, asking))
    }

    /// Appends the model's answer to the conversation, with unique ids of calls. An empty answer, such as a
    /// filtered one, is left out, because providers refuse a conversation with it.
    fn append_answer(
        &self,
        turn: u32,
        table: Arc<ToolTable>,
        mut response: ModelResponse,
        answer_tool: Option<Arc<str>>,
    ) -> TurnAnswer {
        let mut tally = self.tally();
        tally.ids.take(&mut response.tool_calls);
        let message = Arc::new(response.take_message());
        tally.open = OpenCalls::new(&message, Some(Arc::clone(&table)), (turn, 0));
        let mut conversation = self.cx.conversation();
        if self.has_turn_hooks() {
            let (start, stop) = (conversation.len(), response.stop);
            tally.begun = Some(BegunTurn { turn, start, usage: response.usage, stop });
        }
        if !message.is_empty() {
            conversation.push_shared(Arc::clone(&message));
        }
        TurnAnswer { turn, message, table, beside: response, answer_tool, parsed: None }
    }

    /// Reports the end of a turn with the tokens of its model, its parser and the questions of its hooks.
    fn finish_turn(&self, said: &TurnAnswer) {
        let mut tally = self.tally();
        let mut of_turn = std::mem::take(&mut tally.aside_usage);
        // A hook that answers in place of the model asks none.
        let model = match (&said.beside.billed_as, &tally.asked_model) {
            (Some(model), _) => model.as_str().into(),
            (None, Some((_, model))) => Arc::clone(model),
            (None, None) => self.billed_model(None),
        };
        of_turn.add(model, said.beside.usage);
        if let Some(begun) = &mut tally.begun {
            begun.usage = of_turn.total();
        }
        drop(tally);
        self.event(said.turn, EventKind::turn_finished(of_turn, said.beside.stop));
    }

    /// Marks all calls of an answer as running.
    pub(super) fn take_all(&self, said: &TurnAnswer) -> PendingCalls {
        if let Some(open) = &mut self.tally().open {
            open.take_all();
        }
        PendingCalls { said: Arc::clone(&said.message), at: (said.turn, 0), indices: None }
    }

    /// Calls a tool of the agent through its hooks, as the model would; the call counts like any other. When
    /// the call of a child ends, its conversation is merged according to
    /// [`HistoryMergeTarget`](crate::agent::HistoryMergeTarget). While `max_parallel` calls of the run are in
    /// progress, this call waits for one of them to end. Poll all calls that have begun, or it waits forever.
    ///
    /// Cancel safety: dropping the future ends the call; the child's conversation until then is merged too.
    ///
    /// # Errors
    /// Returns the errors of the tool and its hooks. An unknown name is a tool error with similar names. If a server panics
    /// while it lists its tools, that is a tool error of kind [`Panic`](crate::ErrorKind::Panic). If a tool that was listed after
    /// the run began has no definition for the run, that is a tool error of kind [`Failed`](crate::ErrorKind::Failed).
    pub async fn call_tool(&self, name: &str, args: impl Into<Args>) -> ToolResult {
        let args = args.into();
        let turn = self.tally().turn;
        if let Some(lists) = self.tool_list().pending()
            && let Err(error) = lists.await
        {
            return Err(Exit::Tool(error.into_tool_error()));
        }
        let table = match self.tools(turn) {
            Ok(tools) => tools.table,
            Err(error) => return Err(Exit::Tool(error.into_tool_error())),
        };
        let planned = self.plan_call(&table, name);
        let call_number = {
            let mut tally = self.tally();
            tally.by_hand += 1;
            tally.by_hand
        };
        let mut requested = ToolCall::new(format!("direct_{call_number}"), name, args.text());
        if planned.entry.is_err()
            && let Some(redactor) = self.cx.concealed().redactor()
        {
            redact_name(&mut requested.name, &redactor, |name| table.find(name).is_some());
        }
        let busy = self.busy();
        let mut call = TurnCall::new(self, &table, &planned, &requested, (0, call_number));
        let result = match self.cx.journal() {
            None => call.run(Some(args)).await,
            Some(_) => {
                let id = tool_call::step(self, (0, call_number), &requested.name).to_id();
                boxed(|| self.cx.around_strands(Some(&id), call.run(Some(args)))).await
            }
        };
        call.end(result.clone());
        self.store_after_call().await;
        match result {
            Some(result) => result,
            None => self.pause(busy).await,
        }
    }
}
