//! A journal in memory.

use std::collections::BTreeMap;
use std::sync::Mutex;

use futures_util::future::BoxFuture;

use super::{Journal, JournalError, Step, StepRecord, StepWork};
use onionskin_definitions::lock::lock;

/// Stores steps in memory, for tests and to list the steps of a run. A second run with the same `run_id` is
/// answered from the records. Steps are never removed, so memory use grows with each run.
///
/// ```
/// use std::sync::Arc;
///
/// use onionskin::journal::MemoryJournal;
/// use onionskin::{ScriptedModel, ScriptedTurn, agent};
///
/// agent! { Clerk { instruction: "Answer." } }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let journal = Arc::new(MemoryJournal::default());
/// let model = ScriptedModel::turns([ScriptedTurn::say("Yes.")]);
/// let clerk = Clerk::builder().model(model).journal(Arc::clone(&journal)).build().await.unwrap();
/// clerk.request("Really?").run_id("first").run().await.unwrap();
/// // The script has one turn. The second run is answered from the journal.
/// let again = clerk.request("Really?").run_id("first").run().await.unwrap();
/// assert_eq!(again.text, "Yes.");
/// assert_eq!(journal.steps("first").len(), 1);
/// # });
/// ```
#[derive(Default)]
pub struct MemoryJournal {
    steps: Mutex<BTreeMap<(String, String), StepRecord>>,
}

impl MemoryJournal {
    /// The names of the recorded steps of the run with this id, in alphabetical order; empty for an unknown
    /// id.
    pub fn steps(&self, run: &str) -> Vec<String> {
        let steps = lock(&self.steps);
        steps.keys().filter(|(id, _)| id == run).map(|(_, step)| step.clone()).collect()
    }

    /// A journal with the records of one run.
    pub(crate) fn with_records(run: &str, records: impl IntoIterator<Item = (String, StepRecord)>) -> Self {
        let steps = records.into_iter().map(|(step, record)| ((run.to_owned(), step), record));
        Self { steps: Mutex::new(steps.collect()) }
    }

    /// The records of the run with this id.
    pub(crate) fn records(&self, run: &str) -> Vec<(String, StepRecord)> {
        let steps = lock(&self.steps);
        let records = steps.iter().filter(|((id, _), _)| id == run);
        records.map(|((_, step), record)| (step.clone(), record.clone())).collect()
    }
}

impl Journal for MemoryJournal {
    fn step<'a>(
        &'a self,
        step: &'a Step,
        work: StepWork<'a>,
    ) -> BoxFuture<'a, Result<StepRecord, JournalError>> {
        let key = (step.run_id().to_owned(), step.id().to_string());
        let recorded = lock(&self.steps).get(&key).cloned();
        Box::pin(async move {
            if let Some(record) = recorded {
                return Ok(record);
            }
            let record = work().await?;
            lock(&self.steps).insert(key, record.clone());
            Ok(record)
        })
    }
}
