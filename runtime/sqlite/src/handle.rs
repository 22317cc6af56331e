//! The handle of the file.

use std::fmt;
use std::path::{self, Path};
use std::sync::Arc;
use std::time::Duration;

use onionskin_core::sessions::SessionStoreError;

use crate::failure::Failure;
use crate::readers::Readers;
use crate::writer::Writer;

/// The default of [`SqliteBuilder::lease_time`].
const LEASE_TIME: Duration = Duration::from_secs(10);

/// Stores sessions, budgets and memories in one `SQLite` file. A clone is another handle of the same file.
///
/// Several programs of one machine can use the file at once, and so can several handles in one program. The file must be on a
/// local disk. `SQLite` is compiled in, and has two further files beside it while it is open: `-wal` and `-shm`.
///
/// **Threads.** One thread writes; appends that wait are written together. Reads use up to 4 further connections on the
/// threads of tokio that may block, so they do not wait for writes; one whose future is dropped is interrupted. When the last handle
/// is dropped, the thread ends after the writes that it has, and closes the file.
///
/// **Durability.** A write that has returned survives a crash of the program and of the machine, also without power.
///
/// **Deletion.** After a deletion the file, its index of words and its log have none of the content. The file is rewritten for
/// it, which takes seconds for each 100 MB, and other writes wait. Deletions that wait together share it, so delete many
/// sessions at the same time. If only memories are forgotten, only they are rewritten.
///
/// **Privacy.** The file is created with permissions for its owner only, and has the messages of users as they are.
///
/// ```
/// use onionskin::sessions::{SessionQuery, SessionStore};
/// use onionskin::sqlite::Sqlite;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("sessions.db");
/// let store = Sqlite::open(path).await?;
/// let page = store.list(&SessionQuery::default()).await?;
/// assert!(page.sessions.is_empty());
/// # Ok::<_, onionskin::sessions::SessionStoreError>(())
/// # }).unwrap();
/// ```
#[derive(Clone)]
pub struct Sqlite {
    open: Arc<Open>,
}

struct Open {
    file: Arc<Path>,
    // Before the writer, so that they are closed first: of two connections that close at the same time, neither removes the log.
    readers: Readers,
    writer: Writer,
    lease_time: Duration,
}

impl Sqlite {
    /// Opens the file, and creates it if there is none. Its folder must exist.
    ///
    /// Cancel safety: if the future is dropped, the file may have been created.
    ///
    /// # Errors
    /// Returns [`SessionStoreError::ReadOnly`] if the file or its folder cannot be written,
    /// [`SessionStoreError::Foreign`] if the file has other content, [`SessionStoreError::Version`] if a newer version
    /// of onionskin wrote it, and [`SessionStoreError::Corrupt`] if it is damaged, or another program added tables, indexes, views
    /// or triggers.
    pub async fn open(path: impl AsRef<Path>) -> Result<Self, SessionStoreError> {
        Self::builder().open(path).await
    }

    /// Settings before the file is opened.
    pub fn builder() -> SqliteBuilder {
        SqliteBuilder { lease_time: LEASE_TIME, max_size: None }
    }

    pub(crate) fn writer(&self) -> &Writer {
        &self.open.writer
    }

    pub(crate) fn readers(&self) -> &Readers {
        &self.open.readers
    }

    /// The address of the open file, which clones share.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.open).addr()
    }

    pub(crate) fn stored_lease_time(&self) -> Duration {
        self.open.lease_time
    }
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite").field("file", &self.open.file).finish_non_exhaustive()
    }
}

/// Settings of a file. Created by [`Sqlite::builder`].
///
/// ```
/// use std::time::Duration;
/// use onionskin::sqlite::Sqlite;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("sessions.db");
/// let store = Sqlite::builder().lease_time(Duration::from_secs(30)).max_size(1 << 30).open(path).await?;
/// # Ok::<_, onionskin::sessions::SessionStoreError>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until it opens a file"]
pub struct SqliteBuilder {
    lease_time: Duration,
    max_size: Option<u64>,
}

impl SqliteBuilder {
    /// How long the lease of a run on its session lasts without renewal. After a crash, nobody continues the session for
    /// this time. A run that stops for longer than this, for example in a debugger, loses its session. Default: 10 seconds.
    pub fn lease_time(mut self, time: Duration) -> Self {
        self.lease_time = time;
        self
    }

    /// Limits the file to about this number of bytes, without its log. A write that does not fit fails with
    /// [`SessionStoreError::Full`]. If the file is larger already, nothing is deleted. Other handles have their own
    /// limits. Default: no limit.
    pub fn max_size(mut self, bytes: u64) -> Self {
        self.max_size = Some(bytes);
        self
    }

    /// Opens the file, as [`Sqlite::open`].
    ///
    /// Cancel safety: as [`Sqlite::open`].
    ///
    /// # Errors
    /// As [`Sqlite::open`].
    pub async fn open(self, path: impl AsRef<Path>) -> Result<Sqlite, SessionStoreError> {
        let Self { lease_time, max_size } = self;
        let path = path.as_ref();
        // Connections that are opened later find the file also from another working directory.
        let file: Arc<Path> = path::absolute(path).map_err(|error| Failure::io(path, &error))?.into();
        let writer = Writer::start(Arc::clone(&file), max_size).await?;
        let readers = Readers::new(Arc::clone(&file));
        Ok(Sqlite { open: Arc::new(Open { file, readers, writer, lease_time }) })
    }
}
