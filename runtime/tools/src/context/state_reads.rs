//! What a call reads of the states, for hooks that give its result to other calls.

use std::sync::{Arc, Mutex};

use super::ToolContext;
use onionskin_definitions::lock::lock;

/// Whether another call would read the same.
pub(super) type IsSame = Arc<dyn Fn(&ToolContext) -> bool + Send + Sync>;

pub(super) type Noted = Arc<Mutex<Vec<IsSame>>>;

impl ToolContext {
    /// Notes a value that the call read, if a hook wants to know.
    pub(super) fn note_state_read<S>(&self, is_same: impl FnOnce() -> S)
    where
        S: Fn(&Self) -> bool + Send + Sync + 'static,
    {
        if let Some(noted) = self.data_if_any(|data| data.state_reads.clone()).flatten() {
            lock(&noted).push(Arc::new(is_same()));
        }
    }

    /// Notes a value that no other call can be compared with: that of a tool value, or one that a record has.
    pub(crate) fn note_own_state_read(&self) {
        self.note_state_read(|| |_: &Self| false);
    }
}

/// For the crates of the runtime.
#[doc(hidden)]
impl ToolContext {
    /// Runs the inner part of a call. Also returns whether another call would read the same of the states.
    pub async fn with_state_reads<T>(&self, inner: impl Future<Output = T>) -> (T, IsSame) {
        let noted = self.data(|data| Arc::clone(data.state_reads.get_or_insert_default()));
        let before = lock(&noted).len();
        let done = inner.await;
        let reads = lock(&noted)[before..].to_vec();
        (done, Arc::new(move |cx| reads.iter().all(|is_same| is_same(cx))))
    }
}
