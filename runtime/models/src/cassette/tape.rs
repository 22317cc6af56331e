//! The state of a recording or a replay.

use std::collections::BTreeSet;
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use onionskin_core::model::{ModelDelta, ModelError, ModelRequest, ModelResponse};
use onionskin_core::secret::Redactor;

use super::claim::Claim;
use super::difference::compare;
use super::entry::{Entry, Outcome, Request};
use super::error::CassetteError;
use super::failure::StoredError;
use super::file;

#[derive(Debug)]
pub(super) struct Tape {
    file: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    reel: Reel,
    /// The first error, which is the test's result.
    fault: Option<CassetteError>,
}

#[derive(Debug)]
pub(super) enum Reel {
    Recording {
        entries: Vec<Entry>,
        /// The places of the entries whose requests have not ended.
        running: BTreeSet<usize>,
        claim: Claim,
    },
    Replaying {
        entries: Vec<Entry>,
        /// Which of the entries were played.
        played: Vec<bool>,
    },
    Closed,
}

/// What a test left.
pub(super) struct Ended {
    pub(super) tape: Reel,
    pub(super) fault: Option<CassetteError>,
}

/// What is done for a request.
pub(super) enum Begun<'t> {
    /// The model is asked.
    Recorded(Recorder<'t>),
    /// The entry is played.
    Played(Box<Entry>),
}

/// Records what comes of a request. If it is dropped before the end, the run has cancelled the request.
pub(super) struct Recorder<'t> {
    tape: &'t Tape,
    /// The place of the entry.
    index: usize,
}

impl Tape {
    pub(super) fn recording(file: &Path) -> Result<Self, CassetteError> {
        let claim = Claim::new(file)?;
        Ok(Self::new(file, Reel::Recording { entries: Vec::new(), running: BTreeSet::new(), claim }))
    }

    pub(super) fn replaying(file: &Path) -> Result<Self, CassetteError> {
        let entries = file::read(file)?;
        let played = vec![false; entries.len()];
        Ok(Self::new(file, Reel::Replaying { entries, played }))
    }

    fn new(file: &Path, reel: Reel) -> Self {
        Self { file: file.to_owned(), state: Mutex::new(State { reel, fault: None }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn is_recording(&self) -> bool {
        matches!(self.state().reel, Reel::Recording { .. })
    }

    /// Begins a request.
    ///
    /// # Errors
    /// Returns a fault of the script, which ends the run and those above it.
    pub(super) fn begin(&self, request: &ModelRequest) -> Result<Begun<'_>, ModelError> {
        let request = Request::new(request).map_err(|error| ModelError::script(error.to_string()))?;
        let mut state = self.state();
        let fault = match &mut state.reel {
            Reel::Recording { entries, running, .. } => {
                let index = entries.len();
                entries.push(Entry::begin(request));
                running.insert(index);
                return Ok(Begun::Recorded(Recorder { tape: self, index }));
            }
            Reel::Replaying { entries, played } => {
                let mut unplayed = (0..entries.len()).filter(|index| !played[*index]);
                match unplayed.find(|index| entries[*index].request == request) {
                    Some(index) => {
                        played[index] = true;
                        return Ok(Begun::Played(Box::new(entries[index].clone())));
                    }
                    None => self.unrecorded(entries, played, &request),
                }
            }
            Reel::Closed => {
                let file = self.file.display();
                return Err(ModelError::script(format!(
                    "the test of the recording {file} is over: ask its model within `Cassette::run`"
                )));
            }
        };
        Err(state.fail(fault))
    }

    /// The error for a request that no unplayed entry has.
    fn unrecorded(&self, entries: &[Entry], played: &[bool], request: &Request) -> CassetteError {
        let (file, agent) = (self.file.clone(), request.agent().to_owned());
        let equal = || entries.iter().enumerate().filter(|(_, entry)| entry.request == *request);
        if let Some((first, _)) = equal().next() {
            return CassetteError::Repeated { file, agent, entry: first + 1, recorded: equal().count() };
        }
        let unplayed = entries.iter().enumerate().filter(|(index, _)| !played[*index]);
        let compared = unplayed.map(|(index, entry)| (index, compare(&entry.request, request)));
        match compared.min_by_key(|(_, differences)| differences.len()) {
            Some((index, differences)) => {
                CassetteError::Different { file, agent, entry: index + 1, differences }
            }
            None => CassetteError::Exhausted { file, agent, entries: entries.len() },
        }
    }

    /// Ends the test: later requests fail.
    pub(super) fn close(&self) -> Ended {
        let mut state = self.state();
        Ended { tape: mem::replace(&mut state.reel, Reel::Closed), fault: state.fault.take() }
    }
}

impl Recorder<'_> {
    /// Records a piece of the answer.
    pub(super) fn push(&self, delta: &ModelDelta) {
        if let Reel::Recording { entries, .. } = &mut self.tape.state().reel {
            entries[self.index].stream.push(delta.clone());
        }
    }

    /// Records the answer or the error.
    ///
    /// # Errors
    /// Returns a fault of the script if the model could not be asked.
    pub(super) fn end(self, result: &Result<ModelResponse, ModelError>) -> Result<(), ModelError> {
        let outcome = match result {
            Ok(answer) => Outcome::Answer(Box::new(answer.clone())),
            Err(error) if StoredError::new(error).is_some() => Outcome::Error(error.clone()),
            Err(error) => {
                let file = self.tape.file.clone();
                let fault = CassetteError::NotAsked { file, source: Box::new(error.clone()) };
                return Err(self.tape.state().fail(fault));
            }
        };
        if let Reel::Recording { entries, .. } = &mut self.tape.state().reel {
            entries[self.index].outcome = outcome;
        }
        Ok(())
    }
}

impl Drop for Recorder<'_> {
    fn drop(&mut self) {
        if let Reel::Recording { running, .. } = &mut self.tape.state().reel {
            running.remove(&self.index);
        }
    }
}

impl State {
    /// Keeps the first error. Returns what the run gets.
    fn fail(&mut self, fault: CassetteError) -> ModelError {
        let error = ModelError::script(fault.to_string());
        self.fault.get_or_insert(fault);
        error
    }
}

impl Reel {
    /// Ends a test that ended well: writes what was recorded, or checks that all was played.
    pub(super) fn finish(self, file: &Path) -> Result<(), CassetteError> {
        match self {
            Self::Recording { running, .. } if !running.is_empty() => {
                let entries = running.into_iter().map(|index| index + 1).collect();
                Err(CassetteError::Unanswered { file: file.to_owned(), entries })
            }
            Self::Recording { mut entries, running: _, claim: _claim } => {
                let redactor = Redactor::from_environment();
                for entry in &mut entries {
                    entry.redact(&redactor);
                }
                file::write(file, &entries)
            }
            Self::Replaying { played, .. } => {
                let unplayed = played.iter().zip(1..).filter(|(is_played, _)| !**is_played);
                let entries: Vec<_> = unplayed.map(|(_, entry)| entry).collect();
                if entries.is_empty() {
                    return Ok(());
                }
                Err(CassetteError::Unplayed { file: file.to_owned(), entries })
            }
            Self::Closed => Ok(()),
        }
    }
}
