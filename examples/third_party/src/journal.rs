//! A journal.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use onionskin_core::journal::{Journal, JournalError, Step, StepRecord, StepWork};
use serde_json::json;

use crate::BoxFuture;

/// Keeps the steps of runs in a file, one on each line. A program that ended in the middle of a run opens the file again and
/// repeats the run under its id: steps that are on file are not repeated.
#[derive(Debug)]
pub struct FileJournal(Mutex<Steps>);

#[derive(Debug)]
struct Steps {
    /// By run and step.
    known: BTreeMap<(String, String), StepRecord>,
    file: File,
}

impl FileJournal {
    /// Opens a file, or makes one.
    ///
    /// # Errors
    /// If the file cannot be read or written, or a line of it is not a step.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let text = if path.exists() { std::fs::read_to_string(path)? } else { String::new() };
        let mut known = BTreeMap::new();
        for line in text.lines() {
            let (run, step, value) = serde_json::from_str(line)?;
            known.insert((run, step), value);
        }
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self(Mutex::new(Steps { known, file })))
    }
}

impl Journal for FileJournal {
    fn step<'a>(
        &'a self,
        step: &'a Step,
        work: StepWork<'a>,
    ) -> BoxFuture<'a, Result<StepRecord, JournalError>> {
        let key = (step.run_id().to_owned(), step.id().to_string());
        Box::pin(async move {
            let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).known.get(&key).cloned();
            if let Some(record) = known {
                return Ok(record);
            }
            // Without the lock: steps nest, and several run at once.
            let record = work().await?;
            let mut steps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let line = format!("{}\n", json!([key.0, key.1, record]));
            let written = steps.file.write_all(line.as_bytes()).and_then(|()| steps.file.sync_data());
            written.map_err(|error| JournalError::storage(step, error))?;
            steps.known.insert(key, record.clone());
            Ok(record)
        })
    }
}
