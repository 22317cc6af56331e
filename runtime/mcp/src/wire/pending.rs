//! The requests that wait for their answers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use rmcp::model::RequestId;

use super::message::as_number;
use crate::mutex::lock;

/// The requests that wait, each with its kind.
#[derive(Clone, Default)]
pub(super) struct Pending(Arc<Mutex<HashMap<RequestId, Kind>>>);

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
        self.lock().insert(id, kind);
    }

    /// The call that waits, if it is the only one.
    pub(super) fn only_call(&self) -> Option<RequestId> {
        let pending = self.lock();
        let mut calls = pending.iter().filter(|(_, kind)| **kind == Kind::Call);
        calls.next().filter(|_| calls.next().is_none()).map(|(id, _)| id.clone())
    }

    /// Takes out the request that an answer is for, and whether it is the handshake.
    pub(super) fn take(&self, id: &RequestId) -> Option<(RequestId, bool)> {
        let mut pending = self.lock();
        pending.remove_entry(id).or_else(|| pending.remove_entry(&as_number(id)?)).map(with_handshake)
    }

    /// Takes all requests, for an answer that names none of them.
    pub(super) fn take_all(&self) -> Vec<(RequestId, bool)> {
        self.lock().drain().map(with_handshake).collect()
    }

    pub(super) fn take_only(&self) -> Option<(RequestId, bool)> {
        let mut pending = self.lock();
        if pending.len() == 1 { pending.drain().next().map(with_handshake) } else { None }
    }

    pub(super) fn holds(&self, id: &RequestId) -> bool {
        self.lock().contains_key(id)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Kind>> {
        lock(&self.0)
    }
}

/// A request, and whether it is the handshake.
fn with_handshake((id, kind): (RequestId, Kind)) -> (RequestId, bool) {
    (id, kind == Kind::Handshake)
}
