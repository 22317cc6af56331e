//! Restarts of a server. One restart serves all callers that wait.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::error::McpError;
use super::http_error::HttpError;
use super::server_config::Link;
use crate::mutex::lock;

/// Restarts in one [`WINDOW`], at most.
const RESTARTS: usize = 3;
const WINDOW: Duration = Duration::from_mins(1);
/// The wait before the second restart of a window; it doubles with each further one.
const BACKOFF: Duration = Duration::from_millis(250);

/// A server that can be started again.
pub(super) trait Restart: Send + Sync + 'static {
    /// The name of the server.
    fn name(&self) -> &str;
    /// Returns how the server is reached.
    fn link(&self) -> &Link;
    /// Returns whether the server can be called.
    fn is_alive(&self) -> bool;
    /// Returns the reason why the server cannot be called.
    fn absence(&self) -> Absence;
    /// Starts the server.
    fn start(self: &Arc<Self>) -> impl Future<Output = Result<(), McpError>> + Send;
    /// Adds a message for users to the server's news.
    fn report(&self, text: String);
}

/// The reason why a server has no living connection.
pub(super) enum Absence {
    ShutDown,
    /// It was not started yet.
    New,
    /// The process ended; with its exit status, or the reason.
    Died(Arc<str>),
}

/// The restarts of one server.
#[derive(Default)]
pub(super) struct Restarts(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// The times of the restarts within the window.
    begun: VecDeque<Instant>,
    running: Option<(CancellationToken, Outcome)>,
}

/// A start that runs, or ran.
#[derive(Clone)]
pub(super) struct Outcome(watch::Receiver<Option<Result<(), NotStarted>>>);

/// Why a start failed.
#[derive(Clone)]
pub(super) struct NotStarted {
    pub(super) text: Arc<str>,
    /// The failed exchange with a server that is reached by address.
    pub(super) http: Option<HttpError>,
}

impl Outcome {
    /// Waits for the start. None: it was given up, and the state of the server is not known.
    pub(super) async fn ended(mut self) -> Option<Result<(), NotStarted>> {
        self.0.wait_for(Option::is_some).await.ok().and_then(|ended| ended.clone())
    }
}

impl Restarts {
    /// The start that runs, or a new one. It does not belong to a caller: if one is dropped, the others still wait for it.
    ///
    /// # Errors
    /// Returns an error if the server was shut down, or died too often within the window.
    pub(super) fn join(&self, server: &Arc<impl Restart>) -> Result<Outcome, String> {
        let mut state = lock(&self.0);
        if let Some((_, outcome)) = &state.running {
            return Ok(outcome.clone());
        }
        let (ended, outcome) = watch::channel(None);
        // Another start may have ended since the caller looked.
        if server.is_alive() {
            ended.send_replace(Some(Ok(())));
            return Ok(Outcome(outcome));
        }
        let name = server.name();
        let how = match server.absence() {
            Absence::ShutDown => return Err(format!("the MCP server `{name}` was shut down")),
            Absence::New => None,
            Absence::Died(how) => Some(how),
        };
        let now = Instant::now();
        while state.begun.front().is_some_and(|at| now.duration_since(*at) >= WINDOW) {
            state.begun.pop_front();
        }
        if let Some(oldest) = state.begun.front().filter(|_| how.is_some() && state.begun.len() >= RESTARTS) {
            let wait = WINDOW.saturating_sub(now.duration_since(*oldest)).as_secs() + 1;
            let (died, started) = (server.link().died(), server.link().started());
            let how = how.as_deref().unwrap_or_default();
            return Err(format!(
                "the MCP server `{name}` is down ({how}): it was {started} again {RESTARTS} times within {WINDOW:?} and \
                 {died} each time. It is tried again in {wait} s; do not call it before"
            ));
        }
        let tried = if how.is_some() { u32::try_from(state.begun.len()).unwrap_or(u32::MAX) } else { 0 };
        state.begun.push_back(now);
        let (stop, outcome) = (CancellationToken::new(), Outcome(outcome));
        state.running = Some((stop.clone(), outcome.clone()));
        // If the runtime ends, it drops the task at once, and the task needs the lock.
        drop(state);
        let running = Running { state: Arc::clone(&self.0), begun: now, ended };
        let start = running.start(Arc::clone(server), how, tried);
        tokio::spawn(async move { stop.run_until_cancelled(Box::pin(start)).await });
        Ok(outcome)
    }

    /// Ends a start that runs, and its process.
    pub(super) fn stop(&self) {
        if let Some((stop, _)) = &lock(&self.0).running {
            stop.cancel();
        }
    }
}

/// The task of one start.
struct Running {
    state: Arc<Mutex<State>>,
    begun: Instant,
    ended: watch::Sender<Option<Result<(), NotStarted>>>,
}

impl Running {
    /// Starts the server, again if it died in this way.
    async fn start(self, server: Arc<impl Restart>, how: Option<Arc<str>>, tried: u32) {
        if let Some(further) = tried.checked_sub(1) {
            tokio::time::sleep(BACKOFF * 2_u32.saturating_pow(further)).await;
        }
        let name = server.name();
        let (died, started) = (server.link().died(), server.link().started());
        let result = server.start().await.map_err(|error| {
            tracing::warn!(server = name, "{error}");
            // The rest goes into the log only: the output of a server may concern the calls of others.
            let (reason, http) = match error {
                McpError::Start(failure) => (failure.reason, failure.http),
                error => (error.to_string(), None),
            };
            let text = match &how {
                Some(how) => format!(
                    "the MCP server `{name}` {died} ({how}) and could not be {started} again: {reason}"
                ),
                None => format!("the MCP server `{name}` could not be {started}: {reason}"),
            };
            NotStarted { text: text.into(), http }
        });
        match (&result, how) {
            (Ok(()), Some(how)) => {
                server.report(format!("the MCP server `{name}` {died} ({how}) and was {started} again"));
            }
            (Ok(()), None) => {}
            (Err(error), _) => server.report(error.text.to_string()),
        }
        self.ended.send_replace(Some(result));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        state.running = None;
        // A start that was given up does not count as a death.
        if self.ended.borrow().is_none() {
            let begun = self.begun;
            state.begun.retain(|at| *at != begun);
        }
    }
}
