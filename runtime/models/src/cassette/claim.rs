//! The files that this program records at the moment.

use std::collections::BTreeSet;
use std::io;
use std::path::{self, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::CassetteError;

static CLAIMED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn claimed() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    CLAIMED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is recorded. Until this is dropped, no other recording of the file begins: the later one would replace the earlier one.
#[derive(Debug)]
pub(super) struct Claim(PathBuf);

impl Claim {
    /// # Errors
    /// Returns an error if another recording of the file is not over.
    pub(super) fn new(file: &Path) -> Result<Self, CassetteError> {
        let failed = |source| CassetteError::Write { file: file.to_owned(), source };
        let path = path::absolute(file).map_err(failed)?;
        if !claimed().insert(path.clone()) {
            let reason = "another recording of this file is not over: record into another file, or end that recording first";
            return Err(failed(io::Error::new(io::ErrorKind::ResourceBusy, reason)));
        }
        Ok(Self(path))
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        claimed().remove(&self.0);
    }
}
