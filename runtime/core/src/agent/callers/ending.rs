//! The beginning and the end of a run in its session: what a stored session writes, and what a paused run restores.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use onionskin_tools::question::Resumption;
use onionskin_tools::session::{Checkpoint, LoggedRun, RunEnd, RunLease, Session, Wait};

use crate::agent::error::run_error::RunError;
use crate::agent::running::run::AgentRun;

/// Begins a run in a stored session; `None` for any other session.
///
/// # Errors
/// Returns an error if the session cannot be used.
pub(super) async fn begin_stored(
    session: &Session,
    run: LoggedRun,
    resumption: &mut Resumption,
    wait: Wait<'_>,
) -> Result<Option<RunLease>, RunError> {
    if session.log().is_none() {
        return Ok(None);
    }
    let agent = Arc::clone(&run.agent);
    let begun = Box::pin(session.begin_logged(run, resumption, wait)).await;
    begun.map_err(|problem| RunError::from_not_begun(problem, &agent, session))
}

/// Work that is pinned elsewhere, and ends when this is dropped: a run that is dropped stores its messages before its
/// session's turn is free.
pub(super) struct InPlace<'w, F>(pub(super) Pin<&'w mut Option<F>>);

impl<F: Future> Future for InPlace<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        match self.0.as_mut().as_pin_mut() {
            Some(work) => work.poll(cx),
            None => Poll::Pending,
        }
    }
}

impl<F> Drop for InPlace<'_, F> {
    fn drop(&mut self) {
        self.0.set(None);
    }
}

/// A run that was driven to its end.
pub(super) struct Ending<'r> {
    pub(super) run: &'r AgentRun,
    /// The number of messages that the session had before.
    pub(super) start: usize,
    /// The lease on its stored session.
    pub(super) lease: Option<RunLease>,
    /// The session before the run, if the run can pause.
    pub(super) checkpoint: Option<Checkpoint>,
    pub(super) is_resumed: bool,
    /// Whether the program gave it the session.
    pub(super) in_session: bool,
}

impl Ending<'_> {
    /// Stores the end of the run, and restores the session of a run that waits.
    pub(super) async fn end(
        self,
        still_waits: bool,
        answer: Result<String, RunError>,
    ) -> Result<String, RunError> {
        let Self { run, start, lease, checkpoint, is_resumed, in_session } = self;
        let answer = answer.map_err(|error| {
            if let RunError::Paused(paused) = error {
                RunError::Paused(paused.in_session(in_session))
            } else {
                error
            }
        });
        let answer = match lease {
            Some(lease) => Box::pin(end_logged(lease, run, start, still_waits, answer)).await,
            None => answer,
        };
        // A replay begins with the session as it was before. A failed replay can be repeated with the right program.
        let is_repeated = match &answer {
            Err(RunError::Paused(_)) => true,
            Err(RunError::Journal { .. }) => is_resumed,
            Err(_) => still_waits,
            Ok(_) => false,
        };
        if let Some(before) = checkpoint.filter(|_| is_repeated) {
            before.restore();
        }
        answer
    }
}

/// Whether a resumed run of a stored session failed before it used the answers of people, so that it continues to wait.
/// Must be called before the calls of the run are closed.
pub(super) async fn still_waits(
    run: &AgentRun,
    lease: Option<&RunLease>,
    answer: &Result<String, RunError>,
) -> bool {
    let Some(lease) = lease else { return false };
    match answer {
        Ok(_) => false,
        Err(RunError::Journal { .. }) => true,
        Err(_) => {
            let context = run.context();
            run.has_open_calls()
                || !lease.is_past_wait(run.messages().len()).await
                || context.questions().is_some_and(|asked| !asked.used_all(context.run_id()))
        }
    }
}

/// Stores the end of a run in a stored session. An answer that is not stored is an error.
async fn end_logged(
    lease: RunLease,
    run: &AgentRun,
    start: usize,
    still_waits: bool,
    answer: Result<String, RunError>,
) -> Result<String, RunError> {
    let end = match &answer {
        Err(RunError::Paused(paused)) => RunEnd::Paused { paused: paused.clone(), history: run.messages() },
        _ if still_waits => RunEnd::Waits,
        _ => RunEnd::Over,
    };
    let Err(source) = lease.end(end).await else { return answer };
    let failed = |source| Err(RunError::Session { agent: Arc::clone(&run.instance.name), source });
    match answer {
        Err(RunError::Paused(_)) => {
            // Nobody was asked, so the run does not wait.
            run.session.append(&run.closed_messages(), start);
            failed(source)
        }
        Ok(_) => failed(source),
        Err(error) => {
            tracing::warn!("the end of a failed run was not stored: {source}");
            Err(error)
        }
    }
}
