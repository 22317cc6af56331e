//! The requests that wait for their answers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use rmcp::model::RequestId;
use tokio::time::Instant;

use super::message::as_number;
use crate::mutex::lock;

/// So long a server may still work on a call that was cancelled, and ask for it.
const ABANDONED: Duration = Duration::from_mins(5);

/// The requests that wait, each with its kind.
#[derive(Clone, Default)]
pub(super) struct Pending(Arc<Mutex<Requests>>);

#[derive(Default)]
struct Requests {
    waiting: HashMap<RequestId, Kind>,
    /// When the last call was cancelled. The server need not answer it.
    abandoned: Option<Instant>,
}

/// The kinds of requests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Handshake,
    /// A call of a tool.
    Call,
    Other,
}

impl Pending {
    pub(super) fn add(&self, id: RequestId, kind: Kind) {
        self.lock().waiting.insert(id, kind);
    }

    /// Takes out a request that was cancelled.
    pub(super) fn abandon(&self, id: &RequestId) {
        let mut pending = self.lock();
        if pending.waiting.remove(id) == Some(Kind::Call) {
            pending.abandoned = Some(Instant::now());
        }
    }

    /// The call that waits, if it is the only one that the server can work on.
    pub(super) fn only_call(&self) -> Option<RequestId> {
        let pending = self.lock();
        if pending.abandoned.is_some_and(|at| at.elapsed() < ABANDONED) {
            return None;
        }
        let mut calls = pending.waiting.iter().filter(|(_, kind)| **kind == Kind::Call);
        calls.next().filter(|_| calls.next().is_none()).map(|(id, _)| id.clone())
    }

    /// Takes out the request that an answer is for, and whether it is the handshake.
    pub(super) fn take(&self, id: &RequestId) -> Option<(RequestId, bool)> {
        let waiting = &mut self.lock().waiting;
        waiting.remove_entry(id).or_else(|| waiting.remove_entry(&as_number(id)?)).map(with_handshake)
    }

    /// Takes all requests, for an answer that names none of them.
    pub(super) fn take_all(&self) -> Vec<(RequestId, bool)> {
        self.lock().waiting.drain().map(with_handshake).collect()
    }

    pub(super) fn take_only(&self) -> Option<(RequestId, bool)> {
        let waiting = &mut self.lock().waiting;
        if waiting.len() == 1 { waiting.drain().next().map(with_handshake) } else { None }
    }

    pub(super) fn holds(&self, id: &RequestId) -> bool {
        self.lock().waiting.contains_key(id)
    }

    fn lock(&self) -> MutexGuard<'_, Requests> {
        lock(&self.0)
    }
}

/// A request, and whether it is the handshake.
fn with_handshake((id, kind): (RequestId, Kind)) -> (RequestId, bool) {
    (id, kind == Kind::Handshake)
}
