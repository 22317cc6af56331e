//! One run of an agent: the loop of model turns and tool calls.

use std::collections::HashMap;
use std::future::{pending, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::batch::{Batch, CallEnd};
use super::call::ReadyCall;
use super::fate::FateCell;
use super::instance::{Instance, TurnTools};
use super::run_error::{Limit, RunError};
use crate::args::Args;
use crate::context::{RunContext, RunSeed, Slot, ToolTable};
use crate::error::{ErrorKind, ToolError, ToolResult};
use crate::event::EventKind;
use crate::journal::{StepId, StepKind};
use crate::model::{Asked, History, Message, ModelResponse, ToolCall, Usage};
use crate::session::{CallIds, Session, Transcript};

/// A run of an agent. A hand-written [`Agent`](crate::Agent) uses it to reach the agent's model, tools and hooks.
pub struct AgentRun {
    pub(super) cx: RunContext,
    pub(super) instance: Arc<Instance>,
    pub(super) session: Session,
    tally: Mutex<Tally>,
    /// Limits the concurrent calls of tools, those of the loop and those made by hand together.
    slots: Option<Arc<Semaphore>>,
    /// The messages of model requests from which secrets were removed.
    pub(super) asked: Mutex<Asked>,
}

/// The counters and the conversation of a run.
#[derive(Default)]
struct Tally {
    turn: u32,
    calls: u32,
    /// Calls made by hand. They belong to no turn.
    by_hand: u32,
    usage: Usage,
    /// The number of calls of each tool, which numbers the instances of children and enforces `max_calls`. A run calls
    /// few tools.
    calls_of: Vec<(Arc<str>, u32)>,
    retries_of: HashMap<Arc<str>, u32>,
    transcripts: Vec<(u32, u32, Transcript)>,
    /// The ids of the conversation's calls.
    ids: CallIds,
}

impl Tally {
    /// Counts one call of a tool.
    fn count_call(&mut self, tool: &Arc<str>) -> u32 {
        let known = self.calls_of.iter_mut().find(|(name, _)| name == tool);
        if let Some((_, count)) = known {
            *count += 1;
            return *count;
        }
        self.calls_of.push((Arc::clone(tool), 1));
        1
    }
}

impl AgentRun {
    pub(super) fn new(seed: RunSeed, instance: Arc<Instance>, session: Session) -> Self {
        let slots = instance
            .children
            .max_parallel
            .map(|most| Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS))));
        let cx = RunContext::new(seed);
        let tally = Tally { ids: CallIds::after(cx.messages()), ..Tally::default() };
        Self { cx, instance, session, tally: Mutex::new(tally), slots, asked: Mutex::default() }
    }

    /// The context of the run, as hooks and tools see it.
    pub fn context(&self) -> &RunContext {
        &self.cx
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// A snapshot of the conversation. It begins with the session's earlier messages.
    pub fn messages(&self) -> History {
        self.cx.messages()
    }

    /// Calls a tool of the agent through its hooks, as the model would; the call counts like any other. When the call
    /// of a child ends, its conversation goes where `history_merge_target` says. While `max_parallel` calls of the run
    /// are in progress, this call waits for one of them to end. Poll all calls that have begun, or it waits forever.
    ///
    /// Cancel safety: dropping the future ends the call; the child's conversation until then goes to the same place.
    ///
    /// # Errors
    /// Returns the errors of the tool and its hooks. An unknown name is a tool error with similar names.
    pub async fn call_tool(&self, name: &str, args: impl Into<Args>) -> ToolResult {
        let mut args = args.into();
        let table = self.tools().table;
        let (entry, number) = self.admit_call(&table, name);
        let place = {
            let mut tally = self.tally();
            tally.by_hand += 1;
            tally.by_hand
        };
        let call = ToolCall::new(format!("direct_{place}"), name, args.text());
        let fate = FateCell::default();
        let ready = ReadyCall {
            run: self,
            table: &table,
            entry: &entry,
            call: &call,
            turn: 0,
            place,
            number,
            fate: &fate,
        };
        ready.make(&mut args).await.result()
    }

    /// Runs the loop: asks the model and runs the tools that it calls, until it answers.
    ///
    /// # Errors
    /// Returns an error if the model fails, a limit is reached, or the run is aborted.
    pub async fn converse(&self, input: String) -> Result<String, RunError> {
        self.cx.append(Message::user(input));
        loop {
            let turn = self.begin_turn()?;
            let tools = self.tools();
            let mut response = self.ask_model(turn, &tools).await?;
            if !response.tool_calls.is_empty() {
                self.tally().ids.take(&mut response.tool_calls);
            }
            let said = self.note_response(response);
            if said.tool_calls().is_empty() {
                return Ok(said.to_text().into_owned());
            }
            if let Some(answer) = self.call_tools(turn, tools.table, said).await? {
                return Ok(answer);
            }
        }
    }

    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limit(&self, limit: Limit) -> RunError {
        RunError::Limit { agent: Arc::clone(&self.instance.name), limit }
    }

    pub(super) fn event(&self, turn: u32, kind: EventKind) {
        self.cx.events().push(|| self.step(turn, StepKind::Run), kind);
    }

    pub(super) fn step(&self, turn: u32, kind: StepKind) -> StepId {
        StepId { scope: self.cx.scope(), turn, kind, call: None, name: Arc::default(), attempt: 0 }
    }

    fn begin_turn(&self) -> Result<u32, RunError> {
        let limits = &self.instance.limits;
        if let Some(late) = self.cx.deadline().filter(|deadline| deadline.at <= Instant::now()) {
            return Err(self.limit(Limit::Time(late.limit)));
        }
        let mut tally = self.tally();
        if tally.turn >= limits.turns {
            return Err(self.limit(Limit::Turns(limits.turns)));
        }
        if let Some(tokens) = limits.tokens.filter(|tokens| tally.usage.total() >= *tokens) {
            return Err(self.limit(Limit::Tokens(tokens)));
        }
        tally.turn += 1;
        let turn = tally.turn;
        drop(tally);
        self.event(turn, EventKind::TurnStarted { turn });
        Ok(turn)
    }

    /// The tools of this turn. Reports changes since the last turn.
    fn tools(&self) -> TurnTools {
        let (tools, clashes) = self.instance.tools();
        let turn = self.tally().turn;
        for clash in clashes {
            self.event(turn, EventKind::Notice { text: format!("{clash}; the first one is used") });
        }
        for text in self.instance.providers.iter().flat_map(|provided| provided.provider.notices()) {
            self.event(turn, EventKind::Notice { text });
        }
        tools
    }

    /// Appends the model's answer to the conversation.
    fn note_response(&self, response: ModelResponse) -> Arc<Message> {
        let mut tally = self.tally();
        tally.usage += response.usage;
        let turn = tally.turn;
        let (usage, stop) = (response.usage, response.stop);
        drop(tally);
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
        table: Arc<ToolTable>,
        said: Arc<Message>,
    ) -> Result<Option<String>, RunError> {
        let batch = Batch::new(self, turn, table, said);
        let over = self.unless_over(pin!(batch.run())).await.err();
        let end = batch.finish();
        self.cx.append(Message::Tool { results: end.results });
        self.merge_turn(turn);
        if let Some(over) = over {
            return Err(over);
        }
        if let Some(abort) = self.cx.aborted() {
            return Err(RunError::Aborted(abort.clone()));
        }
        for (tool, message) in end.retries {
            let mut tally = self.tally();
            let times = tally.retries_of.entry(Arc::clone(&tool)).or_default();
            *times += 1;
            if *times > self.instance.limits.max_retries {
                return Err(RunError::Retries { tool, times: *times, message });
            }
        }
        Ok(match end.end {
            CallEnd::GoOn => {
                self.hand_back();
                None
            }
            CallEnd::Answer(text) => Some(text),
        })
    }

    /// Runs `work` until it ends, the run is aborted or cancelled, or the run's time is up. Callers pin large work in
    /// place.
    pub(super) async fn unless_over<T>(&self, work: impl Future<Output = T>) -> Result<T, RunError> {
        let token = self.cx.cancellation();
        // Checked on each poll, before the work is polled. The wakers are created only if the work has to wait.
        let is_cancelled = poll_fn(|_| if token.is_cancelled() { Poll::Ready(()) } else { Poll::Pending });
        tokio::select! {
            biased;
            () = is_cancelled => Err(self.cancelled()),
            done = work => Ok(done),
            () = async { token.cancelled().await } => Err(self.cancelled()),
            late = self.late() => Err(late),
        }
    }

    fn cancelled(&self) -> RunError {
        match self.cx.aborted() {
            Some(abort) => RunError::Aborted(abort.clone()),
            None => RunError::Cancelled { agent: Arc::clone(&self.instance.name) },
        }
    }

    /// Waits until the run's time is up.
    async fn late(&self) -> RunError {
        match self.cx.deadline() {
            Some(deadline) => {
                tokio::time::sleep_until(deadline.at).await;
                self.limit(Limit::Time(deadline.limit))
            }
            None => pending().await,
        }
    }

    /// As [`Self::unless_over`], for work that checks by itself whether the run is over. The work is polled first.
    pub(super) async fn until_over<T>(&self, work: impl Future<Output = T>) -> Result<T, RunError> {
        tokio::select! {
            biased;
            done = work => Ok(done),
            over = self.unless_over(pending()) => over,
        }
    }

    /// Waits for a slot for a concurrent call. Dropping the slot frees it.
    pub(super) async fn slot(&self) -> Option<Slot> {
        match &self.slots {
            Some(slots) => Slot::of(slots).await,
            None => None,
        }
    }

    /// Counts a tool call and finds its tool, or returns the reason why nothing can run. The number counts the run's
    /// calls of this tool, this one included.
    pub(super) fn admit_call(&self, table: &ToolTable, name: &str) -> (Result<usize, ToolError>, u32) {
        let mut tally = self.tally();
        if let Some(most) = self.instance.limits.tool_calls.filter(|most| tally.calls >= *most) {
            let text = format!("not run: the limit of {} is reached", Limit::ToolCalls(most));
            return (Err(ToolError::new(text).with_kind(ErrorKind::Limit)), 0);
        }
        tally.calls += 1;
        match table.find(name) {
            Some(entry) => (Ok(entry), tally.count_call(&table.entry(entry).name)),
            None => {
                drop(tally);
                (Err(ToolError::new(table.unknown(name)).with_kind(ErrorKind::UnknownTool)), 0)
            }
        }
    }

    /// Keeps a child's conversation until its batch ends. A call made by hand belongs to no batch.
    pub(super) fn keep_transcript(&self, (turn, call): (u32, u32), transcript: Transcript) {
        match turn {
            0 => self.merge([transcript]),
            _ => self.tally().transcripts.push((turn, call, transcript)),
        }
    }

    fn take_transcripts(&self, turn: u32) -> Vec<Transcript> {
        let mut tally = self.tally();
        let mut of_turn: Vec<_> = std::mem::take(&mut tally.transcripts);
        of_turn.retain(|(of, ..)| *of == turn);
        of_turn.sort_by_key(|(_, call, _)| *call);
        of_turn.into_iter().map(|(.., transcript)| transcript).collect()
    }

    /// Merges the conversations of one turn's children, in call order.
    pub(super) fn merge_turn(&self, turn: u32) {
        self.merge(self.take_transcripts(turn));
    }

    /// A merged conversation ends with a child's answer. Some providers reject a request that ends with a message of
    /// the assistant, because they treat it as an answer to continue.
    fn hand_back(&self) {
        let mut conversation = self.cx.conversation();
        if matches!(conversation.last(), Some(Message::Assistant { .. })) {
            conversation.push(Message::user(HAND_BACK));
        }
    }

    fn merge(&self, transcripts: impl IntoIterator<Item = Transcript>) {
        use super::children::HistoryMergeTarget as Target;
        for Transcript { child, mut messages } in transcripts {
            match self.instance.children.history_merge_target {
                Target::None => {}
                Target::Child => self.session.append_child(&child, messages),
                Target::Orchestrator => {
                    self.tally().ids.take_messages(&mut messages);
                    let mut conversation = self.cx.conversation();
                    for message in messages {
                        conversation.push_shared(message);
                    }
                }
            }
        }
    }
}

/// The message for the model after its children's conversations (`history_merge_target: orchestrator`).
const HAND_BACK: &str =
    "(These were the conversations of the agents that you called. Go on with your own task.)";
