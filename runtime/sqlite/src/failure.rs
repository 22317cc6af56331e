//! Failures of `SQLite`, and of the file.

use std::io;
use std::path::Path;

use onionskin_core::sessions::SessionStoreError;
use rusqlite::{ErrorCode, ffi};

/// Why a call did not reach the file, or did not succeed there. It quotes nothing of the file's content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    #[error("there is no space for {file}: {reason}")]
    Full { file: String, reason: String },
    #[error("{file} cannot be written: {reason}")]
    ReadOnly { file: String, reason: String },
    #[error("{file} is not a file of onionskin")]
    Foreign { file: String },
    #[error("{file} has version {found}, and this program reads version {known}")]
    Version { file: String, found: u64, known: u64 },
    #[error("{file} is damaged: {reason}")]
    Corrupt { file: String, reason: String },
    #[error("what was deleted is still in {file}: {reason}")]
    Remains { file: String, reason: String },
    #[error("{file}: {reason}")]
    Other { file: String, reason: String },
}

/// What `SQLite` says, without its own text, which may quote the content of the file.
fn reason(error: &rusqlite::Error) -> String {
    error.sqlite_error().map_or_else(|| error.to_string(), ToString::to_string)
}

fn shown(file: &Path) -> String {
    format!("`{}`", file.display())
}

impl Failure {
    pub(crate) fn sqlite(file: &Path, error: &rusqlite::Error) -> Self {
        let (file, reason) = (shown(file), reason(error));
        let extended = error.sqlite_error().map(|error| error.extended_code);
        match error.sqlite_error_code() {
            // The file was cut.
            _ if extended == Some(ffi::SQLITE_IOERR_SHORT_READ) => Self::Corrupt { file, reason },
            Some(ErrorCode::DiskFull) => Self::Full { file, reason },
            Some(ErrorCode::ReadOnly) => Self::ReadOnly { file, reason },
            Some(ErrorCode::NotADatabase) => Self::Foreign { file },
            Some(ErrorCode::DatabaseCorrupt) => Self::Corrupt { file, reason },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Other {
                file,
                reason: "another program is writing to it for too long; try again".to_owned(),
            },
            _ => Self::Other { file, reason },
        }
    }

    pub(crate) fn io(file: &Path, error: &io::Error) -> Self {
        use io::ErrorKind::{FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
        let (file, reason) = (shown(file), error.to_string());
        if matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge) {
            Self::Full { file, reason }
        } else if matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem) {
            Self::ReadOnly { file, reason }
        } else {
            Self::Other { file, reason }
        }
    }

    pub(crate) fn foreign(file: &Path) -> Self {
        Self::Foreign { file: shown(file) }
    }

    pub(crate) fn read_only(file: &Path) -> Self {
        Self::ReadOnly { file: shown(file), reason: "it can be read only".to_owned() }
    }

    pub(crate) fn version(file: &Path, found: u64, known: u64) -> Self {
        Self::Version { file: shown(file), found, known }
    }

    pub(crate) fn corrupt(file: &Path, reason: impl Into<String>) -> Self {
        Self::Corrupt { file: shown(file), reason: reason.into() }
    }

    /// What was deleted is still in the file, because of an error or because another program reads it.
    pub(crate) fn remains(file: &Path, error: Option<&rusqlite::Error>) -> Self {
        let reason = error.map_or_else(|| "another program reads it".to_owned(), reason);
        Self::Remains { file: shown(file), reason }
    }

    pub(crate) fn other(file: &Path, reason: impl Into<String>) -> Self {
        Self::Other { file: shown(file), reason: reason.into() }
    }
}

impl From<Failure> for SessionStoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Full { file, reason } => Self::full(format!("{file}: {reason}")),
            Failure::ReadOnly { file, reason } => Self::read_only(format!("{file}: {reason}")),
            Failure::Foreign { file } => Self::foreign(file),
            Failure::Version { file, found, known } => Self::version(file, found, known),
            Failure::Corrupt { file, reason } => Self::corrupt(file, reason),
            Failure::Remains { file, reason } => Self::remains(file, reason),
            Failure::Other { file, reason } => Self::storage(format!("{file}: {reason}")),
        }
    }
}

/// Why a piece of work on a connection ends early.
pub(crate) enum Stop<E> {
    /// `SQLite` failed.
    Sqlite(rusqlite::Error),
    /// The file has what cannot be there.
    Corrupt(String),
    /// The store's own error.
    Refused(E),
}

impl<E> From<rusqlite::Error> for Stop<E> {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl<E: From<Failure>> Stop<E> {
    pub(crate) fn into_error(self, file: &Path) -> E {
        match self {
            Self::Sqlite(error) => Failure::sqlite(file, &error).into(),
            Self::Corrupt(reason) => Failure::corrupt(file, reason).into(),
            Self::Refused(error) => error,
        }
    }
}
