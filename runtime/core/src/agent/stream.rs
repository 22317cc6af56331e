//! A run as a stream of events, and its output as what they add up to.

use std::borrow::Cow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::Stream;
use futures_util::future::{BoxFuture, poll_fn};
use serde_json::Value;

use super::RunError;
use super::event::{CallOutcome, Event, EventKind, Queue};
use crate::content::ContentBlock;
use crate::definition::ToolSource;
use crate::journal::StepId;
use crate::model::Usage;
use crate::output::StructuredContent;
use crate::spec::HookExit;

/// A run that is going on: a stream of its events, then its output.
///
/// The run goes on only while it is read. Dropping it ends the run and everything beneath it; what it did until then stays in
/// its session's history. Once it was first read, it
/// holds its session, or its place among those that wait for it, until then: another run in that session waits. So read it
/// to its end or drop it.
pub struct RunStream {
    run: Option<BoxFuture<'static, Result<Finish, RunError>>>,
    queue: Arc<Queue>,
    output: RunOutput,
    ended: Option<Result<Finish, RunError>>,
    /// The end was given: events of work that outlives the run come too late.
    over: bool,
}

/// Why a run ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Finish {
    /// The agent had its answer.
    #[default]
    Answered,
}

/// What a run gave: the sum of its events.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct RunOutput {
    /// The answer.
    pub text: String,
    /// Tokens, those of children included.
    pub usage: Usage,
    /// Model turns of the agent itself.
    pub turns: u32,
    /// Tool calls, those of children included, in the order in which they began.
    pub tool_calls: Vec<ToolCallReport>,
}

/// One tool call of a run.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolCallReport {
    /// The agent that called, with its number where it ran as a child.
    pub agent: Arc<str>,
    /// The id that the model gave the call.
    pub call_id: Arc<str>,
    /// The call's step.
    pub step: StepId,
    /// The tool, as hooks see it.
    pub tool: Arc<str>,
    /// Where the tool comes from.
    pub source: Option<ToolSource>,
    /// The arguments as the model wrote them.
    pub arguments: Arc<str>,
    /// How it ended; none while it has not.
    pub outcome: Option<CallOutcome>,
    /// What the model was told.
    pub content: Arc<[ContentBlock]>,
    /// How long it took.
    pub duration: Duration,
    /// How often the tool itself was started: 0 if something answered in its place, or the call ended before.
    pub attempts: u32,
    /// Where the structured value is: [`Self::structured_content`] reads it.
    pub structured: StructuredContent,
    /// How each of the tool's own hooks left the call, in the order in which they did: the innermost first.
    pub hook_exits: Vec<HookExit>,
    /// What it failed with, and what caused that, outermost first; empty if it did not fail.
    pub error_chain: Vec<String>,
}

impl ToolCallReport {
    /// All text of the content.
    pub fn to_text(&self) -> Cow<'_, str> {
        ContentBlock::join(&self.content)
    }

    /// The structured value of the result or of the error.
    pub fn structured_content(&self) -> Option<Cow<'_, Value>> {
        self.structured.read(&self.content)
    }

    /// Whether it ended with a tool error or an abort.
    pub fn is_error(&self) -> bool {
        matches!(self.outcome, Some(CallOutcome::Error(_) | CallOutcome::Abort))
    }
}

impl RunOutput {
    /// Adds one event. Folding all events of a run gives its output.
    pub fn add(&mut self, event: &Event) {
        self.add_in("", event);
    }

    /// As [`Self::add`], for the run in this scope.
    pub(super) fn add_in(&mut self, scope: &str, event: &Event) {
        if event.kind.adds_up() {
            self.take_in(scope, event.clone());
        }
    }

    /// As [`Self::add_in`], of an event that no reader gets.
    pub(super) fn take_in(&mut self, scope: &str, event: Event) {
        match event.kind {
            EventKind::TurnStarted { .. } if *event.step.scope == *scope => self.turns += 1,
            EventKind::TurnFinished { usage, .. } => self.usage += usage,
            EventKind::ToolStarted { call_id, tool, source, arguments } => {
                self.tool_calls.push(ToolCallReport {
                    agent: event.agent,
                    call_id,
                    step: event.step,
                    tool,
                    source,
                    arguments,
                    outcome: None,
                    content: Arc::default(),
                    duration: Duration::ZERO,
                    attempts: 0,
                    structured: StructuredContent::None,
                    hook_exits: Vec::new(),
                    error_chain: Vec::new(),
                });
            }
            EventKind::ToolFinished {
                call_id,
                tool: _,
                outcome,
                content,
                duration,
                attempts,
                structured,
                hook_exits,
                error_chain,
            } => {
                // A model may give two calls one id, and two parents' children may have one name. The call is one of the last.
                let open = self.tool_calls.iter_mut().rev().find(|call| {
                    call.outcome.is_none() && call.call_id == call_id && call.step == event.step
                });
                if let Some(call) = open {
                    call.outcome = Some(outcome);
                    call.content = content;
                    call.duration = duration;
                    call.attempts = attempts;
                    call.structured = structured;
                    call.hook_exits = hook_exits;
                    call.error_chain = error_chain;
                }
            }
            EventKind::RunFinished { text } if *event.step.scope == *scope => self.text = text,
            _ => {}
        }
    }
}

impl RunStream {
    pub(super) fn new(run: BoxFuture<'static, Result<Finish, RunError>>, queue: Arc<Queue>) -> Self {
        Self { run: Some(run), queue, output: RunOutput::default(), ended: None, over: false }
    }

    /// The next event; none when the run is over.
    ///
    /// Cancel safe: no event is lost.
    pub async fn next(&mut self) -> Option<Event> {
        poll_fn(|cx| self.poll(cx)).await
    }

    /// Runs to the end and gives what all events add up to, those read before included.
    ///
    /// # Errors
    /// If the run has no answer.
    pub async fn output(mut self) -> Result<RunOutput, RunError> {
        // Nobody reads the events from here on: they are added up where they are written.
        self.queue.add_up(std::mem::take(&mut self.output));
        if let Some(run) = self.run.take() {
            self.ended = Some(run.await);
        }
        match self.ended {
            Some(Err(error)) => Err(error),
            _ => Ok(self.queue.sum()),
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        if self.over {
            return Poll::Ready(None);
        }
        loop {
            let event = if self.run.is_some() {
                match self.queue.poll_next(cx.waker()) {
                    Poll::Ready(event) => Some(event),
                    Poll::Pending => None,
                }
            } else {
                self.queue.pop()
            };
            if let Some(event) = event {
                self.output.add(&event);
                return Poll::Ready(Some(event));
            }
            let Some(run) = &mut self.run else {
                self.over = true;
                return Poll::Ready(None);
            };
            match run.as_mut().poll(cx) {
                Poll::Ready(end) => {
                    self.run = None;
                    self.ended = Some(end);
                }
                // Events that came while the run was polled have woken this task, or are there already.
                Poll::Pending => match self.queue.poll_next(cx.waker()) {
                    Poll::Ready(event) => {
                        self.output.add(&event);
                        return Poll::Ready(Some(event));
                    }
                    Poll::Pending => return Poll::Pending,
                },
            }
        }
    }
}

impl Stream for RunStream {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.poll(cx)
    }
}
