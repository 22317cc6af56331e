//! The loop of a run: turns of the model, and the tool calls of each turn as one operation. `tool_call.rs` runs each call.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::{BoxFuture, join_all};
use pin_project_lite::pin_project;
use tokio::time::Instant;

use super::limits::Limit;
use super::run::AgentRun;
use super::run_error::RunError;
use super::tool_call::{self, CallResult, PlannedCall, TurnCall};
use crate::args::Args;
use crate::content::ContentBlock;
use crate::context::{AbortCause, ToolTable};
use crate::error::{ErrorKind, Exit, ToolError, ToolResult};
use crate::event::{CallOutcome, EventKind};
use crate::journal::{StepExec, StepId};
use crate::model::{Message, ModelResponse, ToolCall, ToolResultMessage, redact_name};
use crate::onion::caught;

impl AgentRun {
    /// Runs the loop: adds `input` to the conversation, then asks the model and runs the tools that it calls, until it
    /// answers without a call or a call stops the run. Several loops in one run continue one conversation and share its
    /// limits.
    ///
    /// Cancel safety: dropping the future drops its calls. The conversation keeps one result for each of them.
    ///
    /// # Errors
    /// Returns an error if the model fails, a limit is reached, or the run is aborted.
    pub async fn converse(&self, input: String) -> Result<String, RunError> {
        self.cx.append(Message::user(input));
        loop {
            let turn = self.begin_turn()?;
            let tools = self.tools(turn).map_err(|error| error.into_run_error(&self.instance.name))?;
            let response = self.ask_model(turn, &tools).await?;
            let said = self.note_response(turn, response);
            if said.tool_calls().is_empty() {
                return Ok(said.to_text().into_owned());
            }
            if let Some(answer) = self.call_tools(turn, &tools.table, &said).await? {
                return Ok(answer);
            }
        }
    }

    fn begin_turn(&self) -> Result<u32, RunError> {
        if let Some(late) = self.cx.deadline().filter(|deadline| deadline.at <= Instant::now()) {
            return Err(self.limit(Limit::Time(late.limit)));
        }
        let mut tally = self.tally();
        if let Some(limit) = self.instance.limits.before_turn(tally.turn, tally.usage.total()) {
            return Err(self.limit(limit));
        }
        tally.turn += 1;
        let turn = tally.turn;
        drop(tally);
        self.event(turn, EventKind::TurnStarted { turn });
        Ok(turn)
    }

    /// Appends the model's answer to the conversation. No two calls of the conversation have the same id.
    fn note_response(&self, turn: u32, mut response: ModelResponse) -> Arc<Message> {
        let mut tally = self.tally();
        tally.ids.take(&mut response.tool_calls);
        tally.usage += response.usage;
        drop(tally);
        let (usage, stop) = (response.usage, response.stop);
        let said = Arc::new(Message::Assistant {
            text: response.text,
            tool_calls: response.tool_calls,
            provider_data: response.provider_data,
        });
        self.cx.conversation().push_shared(Arc::clone(&said));
        self.event(turn, EventKind::TurnFinished { usage, stop });
        said
    }

    /// Runs the calls of one turn. Afterwards the history contains one result for each call in every case.
    async fn call_tools(
        &self,
        turn: u32,
        table: &ToolTable,
        said: &Message,
    ) -> Result<Option<String>, RunError> {
        let batch = Batch::new(self, turn, table, said);
        let over = self.unless_over(pin!(batch.run())).await.err();
        let end = batch.finish();
        self.cx.append(Message::Tool { results: end.results });
        let merged = self.merge_turn(turn);
        if let Some(over) = over {
            return Err(over);
        }
        if let Some(aborted) = RunError::of_abort(&self.cx) {
            return Err(aborted);
        }
        for (tool, message) in end.retries {
            let mut tally = self.tally();
            let times = tally.retries_of.entry(Arc::clone(&tool)).or_default();
            *times += 1;
            if *times > self.instance.limits.max_retries {
                return Err(RunError::Retries { tool, times: *times, message });
            }
        }
        if merged && end.answer.is_none() {
            self.hand_back();
        }
        Ok(end.answer)
    }

    /// Counts a tool call and finds its tool, or the reason why nothing can run.
    fn plan_call(&self, table: &ToolTable, name: &str) -> PlannedCall {
        let refused = |error| PlannedCall::new(Err(error), 0);
        let mut tally = self.tally();
        if let Some(error) = self.instance.limits.refused_call(tally.calls) {
            return refused(error);
        }
        tally.calls += 1;
        match table.find(name) {
            Some(entry) => PlannedCall::new(Ok(entry), tally.count_call(&table.entry(entry).name)),
            None => {
                drop(tally);
                refused(ToolError::new(table.unknown(name)).with_kind(ErrorKind::UnknownTool))
            }
        }
    }

    /// Calls a tool of the agent through its hooks, as the model would; the call counts like any other. When the call
    /// of a child ends, its conversation goes where `history_merge_target` says. While `max_parallel` calls of the run
    /// are in progress, this call waits for one of them to end. Poll all calls that have begun, or it waits forever.
    ///
    /// Cancel safety: dropping the future ends the call; the child's conversation until then goes to the same place.
    ///
    /// # Errors
    /// Returns the errors of the tool and its hooks. An unknown name is a tool error with similar names. If a server panics
    /// while it lists its tools, that is a tool error of kind [`Panic`](ErrorKind::Panic). If a tool that was listed after
    /// the run began has no definition for the run, that is a tool error of kind [`Failed`](ErrorKind::Failed).
    pub async fn call_tool(&self, name: &str, args: impl Into<Args>) -> ToolResult {
        let args = args.into();
        let turn = self.tally().turn;
        let table = match self.tools(turn) {
            Ok(tools) => tools.table,
            Err(error) => return Err(Exit::Tool(error.into_tool_error())),
        };
        let planned = self.plan_call(&table, name);
        let index_in_turn = {
            let mut tally = self.tally();
            tally.by_hand += 1;
            tally.by_hand
        };
        let mut asked = ToolCall::new(format!("direct_{index_in_turn}"), name, args.text());
        if planned.entry.is_err()
            && let Some(redactor) = self.cx.concealed().redactor()
        {
            redact_name(&mut asked.name, &redactor, |name| table.find(name).is_some());
        }
        let mut call = TurnCall::new(self, &table, &planned, &asked, (0, index_in_turn));
        let result = call.run(Some(args)).await;
        call.end(result.clone());
        result
    }

    /// A merged conversation ends with a child's answer. Some providers reject a request that ends with a message of
    /// the assistant, because they treat it as an answer to continue.
    fn hand_back(&self) {
        let mut conversation = self.cx.conversation();
        if matches!(conversation.last(), Some(Message::Assistant { .. })) {
            conversation.push(Message::user(HAND_BACK));
        }
    }
}

/// The message for the model after its children's conversations (`history_merge_target: orchestrator`).
const HAND_BACK: &str =
    "(These were the conversations of the agents that you called. Go on with your own task.)";

/// The calls of one turn. Results are stored by call, so a batch that is dropped half way still has one result for each
/// call.
struct Batch<'r> {
    run: &'r AgentRun,
    turn: u32,
    table: &'r ToolTable,
    /// The calls of the model's message.
    asked: &'r [ToolCall],
    planned: Vec<PlannedCall>,
    finished: bool,
}

impl<'r> Batch<'r> {
    fn new(run: &'r AgentRun, turn: u32, table: &'r ToolTable, said: &'r Message) -> Self {
        // Numbered here, in call order, so that instances of children have the same numbers in every run.
        let asked = said.tool_calls();
        let planned = asked.iter().map(|call| run.plan_call(table, &call.name)).collect();
        Self { run, turn, table, asked, planned, finished: false }
    }

    /// Runs the calls concurrently. Each call takes its own permit ([`AgentRun::permit`]); a call that waits for approval
    /// holds no permit.
    async fn run(&self) {
        let all = 0..self.planned.len();
        match self.run.cx.journal() {
            None => {
                // A call that ends at once leaves its place to the next one.
                let (mut waiting, mut free) = (Vec::new(), None);
                for index in all {
                    let mut call = match free.take() {
                        None => Box::pin(self.contained(index)),
                        Some(mut place) => {
                            Pin::set(&mut place, self.contained(index));
                            place
                        }
                    };
                    match poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await {
                        Poll::Ready(()) => free = Some(call),
                        Poll::Pending => waiting.push(call),
                    }
                }
                if !waiting.is_empty() {
                    join_all(waiting).await;
                }
            }
            Some(journal) => {
                let limit = all.len().max(1);
                let ids: Vec<_> = all.map(|index| self.step_id(index)).collect();
                if let Err(error) = journal.batch(&ids, limit, self).await {
                    self.run.cx.abort_for(AbortCause::Journal(error));
                }
            }
        }
    }

    fn contained(&self, index: usize) -> Contained<impl Future<Output = ()> + Send> {
        Contained { call: Some(self.call_one(index)) }
    }

    async fn call_one(&self, index: usize) {
        let asked = &self.asked[index];
        let mut call = TurnCall::new(self.run, self.table, &self.planned[index], asked, self.at(index));
        let result = call.run(None).await;
        call.end(result);
    }

    /// One result for each call, in call order.
    fn finish(mut self) -> BatchEnd {
        self.finished = true;
        self.collect()
    }

    fn collect(&mut self) -> BatchEnd {
        let results = Vec::with_capacity(self.planned.len());
        let mut end = BatchEnd { results, answer: None, retries: Vec::new() };
        for (call, planned) in self.asked.iter().zip(&mut self.planned) {
            let entry = planned.entry.as_ref().ok().map(|entry| self.table.entry(*entry));
            let stop_after = entry.is_some_and(|entry| entry.definition.stop_after);
            end.note(call, stop_after, planned.take_result(self.run));
        }
        end
    }

    /// The turn, and the position of a call in it, counted from 1.
    fn at(&self, index: usize) -> (u32, u32) {
        (self.turn, u32::try_from(index).unwrap_or(u32::MAX - 1) + 1)
    }

    fn step_id(&self, index: usize) -> StepId {
        tool_call::step(self.run, self.at(index), &self.asked[index].name).to_id()
    }
}

/// How a batch ended.
struct BatchEnd {
    results: Vec<ToolResultMessage>,
    /// The answer of the run, if a call ended it.
    answer: Option<String>,
    /// The tools that asked for another attempt, each with its last message. The model reads none of these messages
    /// before the turn ends, so each tool is listed once per turn.
    retries: Vec<(Arc<str>, String)>,
}

impl BatchEnd {
    /// Adds the next call, in call order.
    fn note(&mut self, call: &ToolCall, stop_after: bool, result: CallResult) {
        let CallResult { outcome, content, .. } = result;
        let is_error = matches!(outcome, CallOutcome::Error(_) | CallOutcome::Abort);
        let stops = outcome == CallOutcome::Stop || (stop_after && !is_error);
        if outcome == CallOutcome::Error(ErrorKind::Retry) {
            let said = ContentBlock::join(&content).into_owned();
            match self.retries.iter_mut().find(|(other, _)| *other == call.name) {
                Some((_, last)) => *last = said,
                None => self.retries.push((Arc::clone(&call.name), said)),
            }
        }
        // The first call that ends the run gives its answer.
        if stops && self.answer.is_none() {
            self.answer = Some(ContentBlock::join(&content).into_owned());
        }
        let (call_id, name) = (Arc::clone(&call.id), Arc::clone(&call.name));
        self.results.push(ToolResultMessage { call_id, name, content, is_error });
    }
}

impl Drop for Batch<'_> {
    /// Keeps one result for each call of a conversation that is dropped half way, so that it can continue.
    fn drop(&mut self) {
        if !self.finished {
            let results = self.collect().results;
            self.run.cx.append(Message::Tool { results });
            self.run.merge_turn(self.turn);
        }
    }
}

pin_project! {
    /// A call that can be dropped half way. Its contents are dropped here, and a panic of that drop is caught: neither
    /// the other calls nor the caller of the run can handle it.
    struct Contained<F> {
        #[pin]
        call: Option<F>,
    }

    impl<F> PinnedDrop for Contained<F> {
        fn drop(this: Pin<&mut Self>) {
            let mut call = this.project().call;
            if let Err(reason) = caught(|| call.set(None)) {
                tracing::error!(reason, "a tool or a hook panicked when its call was cancelled");
            }
        }
    }
}

impl<F: Future> Future for Contained<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        match self.project().call.as_pin_mut() {
            Some(call) => call.poll(context),
            None => Poll::Pending,
        }
    }
}

impl StepExec for Batch<'_> {
    fn call(&self, index: usize) -> BoxFuture<'_, ()> {
        Box::pin(self.contained(index))
    }
}
