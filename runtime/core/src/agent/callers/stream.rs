//! [`RunStream`]: a run as a stream of events.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::Stream;
use futures_util::future::{BoxFuture, poll_fn};
use onionskin_tools::event::{Event, Queue, RunOutput};

use crate::agent::RunError;

/// A run in progress: a stream of its events, then its output.
///
/// ```
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
/// use onionskin::event::EventKind;
///
/// agent! { Clerk { instruction: "Answer." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::say("Good morning.")]);
/// let clerk = Clerk::builder().model(model).build().await.unwrap();
/// let mut run = clerk.stream("Hello.");
/// let mut shown = String::new();
/// while let Some(event) = run.next().await {
///     if let EventKind::TextDelta { text, .. } = event.kind {
///         shown.push_str(&text);
///     }
/// }
/// assert_eq!(shown, "Good morning.");
/// assert_eq!(run.output().await.unwrap().text, "Good morning.");
/// # });
/// ```
///
/// The run makes progress only while the stream is polled. Dropping the stream ends the run and its
/// descendants; the session's history keeps the messages until then. From the first poll on, the stream
/// occupies its session, or its place in the session's queue, and other runs in that session wait. Read the
/// stream to its end, or drop it.
#[must_use = "a run makes progress only while its stream is polled: read it with `next`, or call `output`"]
pub struct RunStream {
    run: Option<BoxFuture<'static, Result<(), RunError>>>,
    queue: Arc<Queue>,
    output: RunOutput,
    ended: Option<Result<(), RunError>>,
    /// The end was returned. Later events, of work that outlives the run, are dropped.
    over: bool,
}

impl RunStream {
    pub(super) fn new(run: BoxFuture<'static, Result<(), RunError>>, queue: Arc<Queue>) -> Self {
        Self { run: Some(run), queue, output: RunOutput::default(), ended: None, over: false }
    }

    /// The next event; `None` after the end of the run.
    ///
    /// Cancel safety: no event is lost.
    pub async fn next(&mut self) -> Option<Event> {
        poll_fn(|cx| self.poll(cx)).await
    }

    /// Runs to the end and returns the sum of all events, including those read before. After the end of the
    /// stream it returns immediately.
    ///
    /// Cancel safety: dropping the future ends the run, as dropping the stream does.
    ///
    /// # Errors
    /// Returns an error if the run ends without an answer.
    pub async fn output(mut self) -> Result<RunOutput, RunError> {
        // No one reads the events from here on, so they are summed where they are written.
        self.queue.add_up(std::mem::take(&mut self.output));
        if let Some(run) = self.run.take() {
            self.ended = Some(run.await);
        }
        match self.ended.take() {
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
                self.queue.close();
                return Poll::Ready(None);
            };
            match run.as_mut().poll(cx) {
                Poll::Ready(end) => {
                    self.run = None;
                    self.ended = Some(end);
                }
                // Events that arrived while the run was polled are in the queue, or have woken this task.
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

impl Drop for RunStream {
    /// A tool on another thread may outlive the run, and its events would accumulate.
    fn drop(&mut self) {
        self.queue.close();
    }
}

impl Stream for RunStream {
    type Item = Event;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.poll(cx)
    }
}
