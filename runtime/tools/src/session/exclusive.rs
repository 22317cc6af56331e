//! Exclusive access: the runs of a session are sequential.

use std::future::{Future, pending};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Session;
use crate::deadline::Deadline;
use onionskin_definitions::lock::lock;
use onionskin_definitions::on_drop::OnDrop;

tokio::task_local! {
    static WAITING: Waiting;
}

/// The sessions whose runs wait for the current code, and which therefore cannot grant another turn. A run
/// knows its parents, but a tool's direct call of another tool belongs to no run. So the sessions are stored
/// in the task.
#[derive(Clone)]
pub(crate) struct Waiting(Option<Arc<Link>>);

struct Link {
    session: Session,
    outer: Waiting,
    /// Whether the run has ended. Work that outlives it blocks no turn.
    is_over: AtomicBool,
}

impl Waiting {
    pub(crate) fn here() -> Self {
        WAITING.try_with(Self::clone).unwrap_or(Self(None))
    }

    /// Runs work on another thread while the task waits for it.
    pub(crate) fn carry<T>(self, work: impl FnOnce() -> T) -> T {
        WAITING.sync_scope(self, work)
    }

    pub(super) fn knows(&self, session: &Session) -> bool {
        self.sessions().any(|known| known.is(session))
    }

    fn sessions(&self) -> impl Iterator<Item = &Session> {
        let links = std::iter::successors(self.0.as_ref(), |link| link.outer.0.as_ref());
        links.filter(|link| !link.is_over.load(Ordering::Relaxed)).map(|link| &link.session)
    }
}

/// An edge of the wait graph: the current code, and all sessions that wait for it, wait for a turn in a
/// session.
struct Edge<'w> {
    waiting: &'w Waiting,
    target: &'w Session,
}

impl<'w> Edge<'w> {
    /// Returns `None` if the session itself waits for the current code: a deadlock. If two such waits start
    /// concurrently, at least one of them detects it.
    fn new(waiting: &'w Waiting, target: &'w Session) -> Option<Self> {
        for session in waiting.sessions() {
            lock(&session.0.waits_for).push(target.clone());
        }
        let edge = Self { waiting, target };
        let (mut open, mut visited) = (vec![target.clone()], Vec::new());
        while let Some(session) = open.pop() {
            if waiting.knows(&session) {
                return None;
            }
            if !visited.iter().any(|other: &Session| other.is(&session)) {
                open.extend(lock(&session.0.waits_for).iter().cloned());
                visited.push(session);
            }
        }
        Some(edge)
    }
}

impl Drop for Edge<'_> {
    fn drop(&mut self) {
        // A link may have ended since the wait started, so all links are visited.
        let links = std::iter::successors(self.waiting.0.as_ref(), |link| link.outer.0.as_ref());
        for link in links {
            let mut waits = lock(&link.session.0.waits_for);
            if let Some(at) = waits.iter().position(|session| session.is(self.target)) {
                waits.swap_remove(at);
            }
        }
    }
}

/// The limits of a wait for a turn.
#[derive(Clone)]
pub struct Wait<'w> {
    /// When the wait ends.
    pub deadline: Option<Deadline>,
    /// Cancels the wait.
    pub token: &'w CancellationToken,
}

/// The reason why a session granted no turn.
#[derive(Debug, Clone, Copy)]
pub enum NoTurn {
    /// The run was cancelled.
    Cancelled,
    /// Other runs held the turn for this long.
    Busy(Duration),
    /// A run of this session waits for the caller, directly or through other sessions.
    WaitsForItself,
}

/// Waits until the deadline. Returns the limit that set it.
pub(super) async fn late(deadline: Option<Deadline>) -> Duration {
    match deadline {
        Some(deadline) => deadline.passed().await,
        None => pending().await,
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl Session {
    /// Waits for a turn in this session, then runs `work`. Turns are granted in order (FIFO).
    ///
    /// Cancel safety: dropping the future releases the turn or ends the wait.
    ///
    /// # Errors
    /// Returns an error if no turn is granted.
    pub async fn in_turn<T>(&self, wait: Wait<'_>, work: impl Future<Output = T>) -> Result<T, NoTurn> {
        let Wait { deadline, token } = wait;
        let waiting = Waiting::here();
        if waiting.knows(self) {
            return Err(NoTurn::WaitsForItself);
        }
        if token.is_cancelled() {
            return Err(NoTurn::Cancelled);
        }
        let _turn = match self.0.turn.try_lock().ok() {
            Some(turn) => turn,
            None => {
                let Some(_edge) = Edge::new(&waiting, self) else { return Err(NoTurn::WaitsForItself) };
                tokio::select! {
                    biased;
                    () = token.cancelled() => return Err(NoTurn::Cancelled),
                    turn = self.0.turn.lock() => turn,
                    limit = late(deadline) => return Err(NoTurn::Busy(limit)),
                }
            }
        };
        let link = Arc::new(Link { session: self.clone(), outer: waiting, is_over: AtomicBool::new(false) });
        let _over = OnDrop(|| link.is_over.store(true, Ordering::Relaxed));
        Ok(WAITING.scope(Waiting(Some(Arc::clone(&link))), work).await)
    }
}
