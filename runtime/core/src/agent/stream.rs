//! A run as a stream of events.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::Stream;
use futures_util::future::{BoxFuture, poll_fn};

use super::RunError;
use crate::event::{Event, Queue, RunOutput};

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
