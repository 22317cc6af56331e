//! A journal in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{Journal, JournalError, StepId, StepWork};

/// Stores steps in memory. A second run with the same [`run_id`](crate::run::RunRequest::run_id) is answered from them.
/// Use it in tests, and to list the steps of a run.
#[derive(Default)]
pub struct MemoryJournal {
    steps: Mutex<BTreeMap<(String, String), Value>>,
}

impl MemoryJournal {
    /// The names of a run's recorded steps.
    pub fn steps(&self, run: &str) -> Vec<String> {
        let steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        steps.keys().filter(|(of, _)| of == run).map(|(_, step)| step.clone()).collect()
    }
}

impl Journal for MemoryJournal {
    fn step<'a>(
        &'a self,
        run: &'a str,
        id: &'a StepId,
        work: StepWork<'a>,
    ) -> BoxFuture<'a, Result<Value, JournalError>> {
        let key = (run.to_owned(), id.to_string());
        let recorded = self.steps.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        Box::pin(async move {
            if let Some(value) = recorded {
                return Ok(value);
            }
            let value = work().await;
            self.steps.lock().unwrap_or_else(PoisonError::into_inner).insert(key, value.clone());
            Ok(value)
        })
    }
}
