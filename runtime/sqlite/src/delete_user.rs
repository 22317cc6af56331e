//! Deletion of all that the file has of a user.

use std::error::Error as _;

use onionskin_core::memory::{MemoryError, MemoryOwner, MemoryStore as _};
use onionskin_core::sessions::{SessionSelection, SessionStore as _, SessionStoreError};

use crate::Sqlite;
use crate::failure::Failure;

impl Sqlite {
    /// Deletes the sessions and the memories of a user for good, and returns the number of sessions and memories. What
    /// the user spent of budgets stays, under the user's id.
    ///
    /// ```
    /// use onionskin::sqlite::Sqlite;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("sessions.db");
    /// let store = Sqlite::open(path).await?;
    /// assert_eq!(store.delete_user("ada").await?, 0);
    /// # Ok::<_, onionskin::sessions::SessionStoreError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// Cancel safety: dropping the future leaves open what was deleted.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written. Call it again then.
    pub async fn delete_user(&self, user: &str) -> Result<u64, SessionStoreError> {
        let sessions = self.delete(&SessionSelection::user(user)).await?;
        let memories = self.forget_all(&MemoryOwner::User(user.into())).await;
        let memories = memories.map_err(|error: MemoryError| {
            let failure = error.source().and_then(|source| source.downcast_ref::<Failure>());
            failure.map_or_else(|| SessionStoreError::storage(&error), |failure| failure.clone().into())
        })?;
        Ok(sessions + u64::try_from(memories).unwrap_or(u64::MAX))
    }
}
