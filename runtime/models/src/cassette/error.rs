//! Why a recording cannot be made or replayed.

use std::fmt::{self, Write as _};
use std::io;
use std::path::PathBuf;

use onionskin_core::model::ModelError;

use super::{Difference, VARIABLE};

/// The reason why a [`Cassette`](super::Cassette) cannot record or replay. Entries are counted from 1.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum CassetteError {
    /// There is no file to replay.
    #[error("there is no recording {}: run the test once with {VARIABLE}=1, which asks the model", file.display())]
    #[non_exhaustive]
    NotRecorded {
        /// The file.
        file: PathBuf,
    },
    /// A request is in no entry of the file.
    #[error(
        "the request of the agent `{agent}` is not in {}. It differs from entry {entry} in: {}\nIf the change is intended, record \
         again with {VARIABLE}=1",
        file.display(), shown(differences)
    )]
    #[non_exhaustive]
    Different {
        /// The file.
        file: PathBuf,
        /// The agent that made the request.
        agent: String,
        /// The entry that differs least, of those that were not played.
        entry: usize,
        /// What differs from it.
        differences: Vec<Difference>,
    },
    /// A request was made more often than in the recording.
    #[error(
        "the agent `{agent}` makes the request of entry {entry} of {} more often than recorded ({recorded}): if this is intended, \
         record again with {VARIABLE}=1",
        file.display()
    )]
    #[non_exhaustive]
    Repeated {
        /// The file.
        file: PathBuf,
        /// The agent.
        agent: String,
        /// The first entry with the request.
        entry: usize,
        /// How often it was recorded.
        recorded: usize,
    },
    /// A request was made after all entries were played.
    #[error(
        "all {entries} entries of {} were played, and the agent `{agent}` makes another request: if this is intended, record again \
         with {VARIABLE}=1",
        file.display()
    )]
    #[non_exhaustive]
    Exhausted {
        /// The file.
        file: PathBuf,
        /// The agent.
        agent: String,
        /// The number of entries.
        entries: usize,
    },
    /// The test ended before it made these requests.
    #[error(
        "the test did not make the requests of these entries of {}: {}. If this is intended, record again with {VARIABLE}=1",
        file.display(), numbers(entries)
    )]
    #[non_exhaustive]
    Unplayed {
        /// The file.
        file: PathBuf,
        /// The entries.
        entries: Vec<usize>,
    },
    /// The test of a recording ended while these requests were not answered, so it is unknown what comes of them.
    #[error(
        "the test ended before the requests of these entries were answered: {}. Nothing was recorded in {}: await their runs in \
         the test, or drop them there",
        numbers(entries), file.display()
    )]
    #[non_exhaustive]
    Unanswered {
        /// The file.
        file: PathBuf,
        /// The entries, in the order of the requests.
        entries: Vec<usize>,
    },
    /// The model could not be asked, so there is nothing to record.
    #[error("the model could not be asked, so nothing was recorded in {}: {source}", file.display())]
    #[non_exhaustive]
    NotAsked {
        /// The file.
        file: PathBuf,
        /// The error of the model.
        source: Box<ModelError>,
    },
    /// The content of the file is not a recording.
    #[error("{} is not a recording: {reason}", file.display())]
    #[non_exhaustive]
    Content {
        /// The file.
        file: PathBuf,
        /// The reason, with the line or the entry.
        reason: String,
    },
    /// The file cannot be read.
    #[error("cannot read the recording {}: {source}", file.display())]
    #[non_exhaustive]
    Read {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The file cannot be written. An earlier file is unchanged.
    #[error("cannot write the recording {}: {source}", file.display())]
    #[non_exhaustive]
    Write {
        /// The file.
        file: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The environment variable has another value than 0 and 1.
    #[error("{VARIABLE} is `{value}`: write 1 to record, or remove it to replay")]
    #[non_exhaustive]
    Variable {
        /// The value.
        value: String,
    },
}

/// A test that returns the error shows it by `Debug`, so that is the text, with the differences and the next step.
impl fmt::Debug for CassetteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The number of differences that a message shows.
const MOST: usize = 8;

fn numbers(entries: &[usize]) -> String {
    entries.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn shown(differences: &[Difference]) -> String {
    let mut text = String::new();
    for difference in differences.iter().take(MOST) {
        let _ = write!(text, "\n  {difference}");
    }
    if let Some(more) = differences.len().checked_sub(MOST).filter(|more| *more > 0) {
        let _ = write!(text, "\n  and {more} more");
    }
    text
}
