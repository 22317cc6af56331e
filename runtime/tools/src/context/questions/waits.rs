//! The waits of a call for answers: how long they took, and whether an earlier run still waited.

use std::time::Duration;

use tokio::time::Instant;

use crate::context::{Data, ToolContext};
use crate::journal::{StepId, StepKind, recorded};
use crate::question::Answer;
use onionskin_definitions::definition::Effect;

/// How long a call waited for answers.
#[derive(Clone, Copy, Default)]
pub(in crate::context) struct Waited {
    before: Duration,
    /// The number of open questions, and when the first of them was asked.
    now: Option<(u32, Instant)>,
}

/// A wait for an answer.
pub(super) struct Waiting<'c>(&'c ToolContext);

impl ToolContext {
    /// Records that a function with the effect `Once` reached a question, so that the call is not in doubt
    /// while it waits.
    pub(super) async fn note_waiting(&self, question: StepId) {
        if self.run().journal().is_none() || !self.is_once() || !self.is_in_step() {
            return;
        }
        let number = self.data(|data| {
            data.segment += 1;
            data.segment - 1
        });
        self.run().reading(self.waiting_step(number), async || question).await;
    }

    fn waiting_step(&self, number: u32) -> StepId {
        let mut id = StepId { attempt: self.tries(), ..self.step_id(StepKind::Ask) };
        id.name = format!("{}.waits.{number}", id.name).into();
        id
    }

    /// Whether the function, as started by an earlier run, reached a question that has no answer yet.
    pub(in crate::context) async fn was_waiting(&self) -> bool {
        let run = self.run();
        let Some(journal) = run.journal() else { return false };
        for number in 0.. {
            let reached = recorded::<StepId>(&**journal, &run.journal_step(self.waiting_step(number))).await;
            let Some(question) = run.unless_failed(reached).await else { return false };
            let answer = recorded::<Answer>(&**journal, &run.journal_step(question)).await;
            if run.unless_failed(answer).await.is_none() {
                return true;
            }
        }
        false
    }

    pub(in crate::context) fn begin_segments(&self) {
        if self.definition().effect == Effect::Once {
            self.data(|data| data.segment = 0);
        }
    }

    /// How long the call has waited for answers until now.
    pub(in crate::context) fn waited(&self) -> Duration {
        let waited = self.data_if_any(|data| data.waited).unwrap_or_default();
        waited.before + waited.now.map_or(Duration::ZERO, |(_, since)| since.elapsed())
    }
}

impl<'c> Waiting<'c> {
    pub(super) fn begin(cx: &'c ToolContext) -> Self {
        cx.data(|Data { waited, .. }| {
            let (count, since) = waited.now.unwrap_or_else(|| (0, Instant::now()));
            waited.now = Some((count + 1, since));
        });
        Self(cx)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.data(|Data { waited, .. }| {
            waited.now = match waited.now {
                Some((count, since)) if count > 1 => Some((count - 1, since)),
                Some((_, since)) => {
                    waited.before += since.elapsed();
                    None
                }
                None => None,
            };
        });
    }
}
