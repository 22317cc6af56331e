//! `Branch` is a propagator of traces.

use std::sync::{Arc, Mutex, PoisonError};

use onionskin_core::trace::{Propagator, TraceParent};
use tracing::Span;

/// The trace of a branch of the bank: its subscriber numbers the spans, and a book says which of them continue spans of other branches.
#[derive(Clone, Debug)]
pub struct Branch {
    trace: u128,
    continued: Arc<Mutex<Vec<(u64, TraceParent)>>>,
}

impl Branch {
    /// A branch whose spans are in this trace.
    pub fn new(trace: u128) -> Self {
        Self { trace, continued: Arc::default() }
    }

    /// The number of each span that continues another one, and that one.
    pub fn continued(&self) -> Vec<(u64, TraceParent)> {
        self.continued.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Propagator for Branch {
    fn traceparent(&self, span: &Span) -> Option<TraceParent> {
        let number = span.id()?.into_u64();
        format!("00-{:032x}-{number:016x}-01", self.trace).parse().ok()
    }

    fn set_parent(&self, span: &Span, parent: &TraceParent) {
        if let Some(number) = span.id() {
            let mut continued = self.continued.lock().unwrap_or_else(PoisonError::into_inner);
            continued.push((number.into_u64(), parent.clone()));
        }
    }
}
