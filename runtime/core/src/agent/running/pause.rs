//! Pausing of runs: calls that wait for answers, and the end of the run when no other call is in progress.

use std::future::{pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use onionskin_tools::question::{Paused, PausedRun};

use crate::agent::error::run_error::RunError;

use super::run::AgentRun;
use onionskin_definitions::on_drop::OnDrop;

impl AgentRun {
    /// Counts calls as in progress; `None` if the run can neither pause nor be stopped.
    pub(super) fn busy(&self) -> Option<OnDrop<impl FnMut() + '_>> {
        let may_wait = self.cx.questions().is_some() || self.cx.stop().is_some();
        may_wait.then(|| self.call_counts.begin())
    }

    /// Waits forever: for answers of people, or because children were stopped. The run drops this future when its other calls have ended.
    pub(super) async fn pause<T>(&self, busy: Option<OnDrop<impl FnMut()>>) -> T {
        self.call_counts.note_waiting();
        drop(busy);
        pending().await
    }

    /// Whether calls of the run wait for answers in a later run.
    pub(in crate::agent) fn is_paused(&self) -> bool {
        self.call_counts.any_waits() && !self.is_only_stopped()
    }

    /// Whether its calls wait because their children were stopped, and not for an answer.
    pub(super) fn is_only_stopped(&self) -> bool {
        self.cx.is_stopped() && self.cx.questions().is_none_or(|questions| questions.all_open().is_empty())
    }

    /// Runs `work` until it ends, or until calls wait for answers and no other call is in progress. The run
    /// is then paused, regardless of the code around the calls.
    ///
    /// Cancel safety: that of `work`.
    pub(in crate::agent) async fn unless_paused<T>(
        &self,
        work: impl Future<Output = Result<T, RunError>>,
    ) -> Result<T, RunError> {
        let mut work = pin!(work);
        poll_fn(|task| {
            let poll = work.as_mut().poll(task);
            if poll.is_pending() && self.call_counts.only_waits() {
                Poll::Ready(Err(self.paused()))
            } else {
                poll
            }
        })
        .await
    }

    /// The error of the paused run. For the outermost run it contains the input and the records. A run without a question was stopped.
    pub(in crate::agent) fn paused(&self) -> RunError {
        if self.is_only_stopped() {
            return self.cancelled();
        }
        let open = self.cx.questions().map(|questions| questions.all_open()).unwrap_or_default();
        let (questions, hashes) = open.into_iter().unzip();
        let paused = Paused::new(PausedRun {
            run_id: self.cx.run_id().into(),
            correlation_id: self.cx.correlation_id().into(),
            user: self.cx.user_id(),
            agent: Arc::clone(&self.instance.name),
            input: String::new(),
            attached: Vec::new(),
            questions,
            hashes,
            records: None,
            traceparent: None,
            in_session: false,
            called: self.called.as_ref().map(|called| Arc::clone(&called.tool)),
        });
        match self.cx.questions().filter(|_| self.cx.parent().is_none()) {
            Some(questions) => match paused.complete(questions, self.cx.redactor().as_deref()) {
                Ok(paused) => RunError::Paused(paused),
                Err(source) => RunError::Journal { agent: self.cx.agent().name().into(), source },
            },
            None => RunError::Paused(paused),
        }
    }
}
