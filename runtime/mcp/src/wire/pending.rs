//! The requests that wait for their answers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use rmcp::model::RequestId;

use super::message::as_number;
use crate::mutex::lock;

/// The requests that wait, and whether each is the handshake.
#[derive(Clone, Default)]
pub(super) struct Pending(Arc<Mutex<HashMap<RequestId, bool>>>);

impl Pending {
    pub(super) fn add(&self, id: RequestId, is_handshake: bool) {
        self.lock().insert(id, is_handshake);
    }

    /// Takes out the request that an answer is for, and whether it is the handshake.
    pub(super) fn take(&self, id: &RequestId) -> Option<(RequestId, bool)> {
        let mut waiting = self.lock();
        waiting.remove_entry(id).or_else(|| waiting.remove_entry(&as_number(id)?))
    }

    /// Takes all requests, for an answer that names none of them.
    pub(super) fn take_all(&self) -> Vec<(RequestId, bool)> {
        self.lock().drain().collect()
    }

    pub(super) fn take_only(&self) -> Option<(RequestId, bool)> {
        let mut waiting = self.lock();
        if waiting.len() == 1 { waiting.drain().next() } else { None }
    }

    pub(super) fn holds(&self, id: &RequestId) -> bool {
        self.lock().contains_key(id)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, bool>> {
        lock(&self.0)
    }
}
