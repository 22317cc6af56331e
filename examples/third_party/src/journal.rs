//! [`FileJournal`] keeps the steps of runs in a file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use onionskin_core::BoxFuture;
use onionskin_core::journal::{Journal, JournalError, Step, StepRecord, StepWork};

/// Keeps the steps of runs in a file, one on each line. A program that ended in the middle of a run, also by `kill -9` or a
/// power cut, opens the file again and repeats the run under its id: steps that are on file are not repeated.
#[derive(Debug)]
pub struct FileJournal(Mutex<Steps>);

#[derive(Debug)]
struct Steps {
    file: File,
    /// The length of all whole lines.
    length: u64,
    /// By run and step.
    known: BTreeMap<(String, String), StepRecord>,
}

impl FileJournal {
    /// Opens a file, or makes one. A last line that a crash left unfinished is cut off.
    ///
    /// # Errors
    /// If the file cannot be read or written, another process has it open, or one of its lines is not a step.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        Steps::read(path).map(|steps| Self(Mutex::new(steps))).map_err(named)
    }

    /// How many steps of a run are on file.
    pub fn steps_of(&self, run_id: &str) -> usize {
        self.steps().known.keys().filter(|(run, _)| run == run_id).count()
    }

    fn steps(&self) -> MutexGuard<'_, Steps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Steps {
    fn read(path: &Path) -> io::Result<Self> {
        let mut file = File::options().create(true).read(true).append(true).open(path)?;
        let locked = file.try_lock();
        locked.map_err(|error| io::Error::other(format!("another process may have it open: {error}")))?;
        let (mut text, mut length, mut known) = (Vec::new(), 0, BTreeMap::new());
        file.read_to_end(&mut text)?;
        let lines = text.split_inclusive(|byte| *byte == b'\n').filter(|line| line.ends_with(b"\n"));
        for (number, line) in (1..).zip(lines) {
            let step = serde_json::from_slice(line);
            let (run, step, record) =
                step.map_err(|error| io::Error::other(format!("line {number} is not a step: {error}")))?;
            known.insert((run, step), record);
            length += line.len() as u64;
        }
        // A new file is safe only when its folder is. Not every system can open a folder.
        if let Some(folder) = path.canonicalize()?.parent().filter(|_| cfg!(unix)) {
            File::open(folder)?.sync_all()?;
        }
        Ok(Self { file, length, known })
    }

    fn write(&mut self, key: (String, String), record: &StepRecord) -> io::Result<()> {
        let line = format!("{}\n", serde_json::to_string(&(&key.0, &key.1, record))?);
        // Without the unfinished line of a crash, or of an earlier write that failed.
        self.file.set_len(self.length)?;
        self.file.write_all(line.as_bytes())?;
        self.file.sync_data()?;
        self.length += line.len() as u64;
        self.known.insert(key, record.clone());
        Ok(())
    }
}

impl Journal for FileJournal {
    fn step<'a>(
        &'a self,
        step: &'a Step,
        work: StepWork<'a>,
    ) -> BoxFuture<'a, Result<StepRecord, JournalError>> {
        Box::pin(async move {
            let key = (step.run_id().to_owned(), step.id().to_string());
            if let Some(record) = self.steps().known.get(&key) {
                return Ok(record.clone());
            }
            // Without the lock: steps nest, and several run at once.
            let record = work().await?;
            self.steps().write(key, &record).map_err(|error| JournalError::storage(step, error))?;
            Ok(record)
        })
    }
}
