//! Connections that read.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use tokio::sync::Semaphore;
use tokio::task;

use crate::failure::{Failure, Stop};
use crate::file;
use crate::writer::Work;

/// The maximum number of connections.
const MAX_CONNECTIONS: usize = 4;

/// Reads on the threads of the runtime that may block.
#[derive(Clone)]
pub(crate) struct Readers {
    file: Arc<Path>,
    permits: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    pub(crate) fn new(file: Arc<Path>) -> Self {
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        Self { file, permits, idle: Arc::default() }
    }

    /// Runs a job that sees the file as it is at one moment.
    ///
    /// Cancel safety: if the future is dropped, the job ends without a reader.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime.
    pub(crate) async fn read<T, E>(
        &self,
        work: impl FnOnce(&Connection) -> Work<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Failure> + Send + 'static,
    {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let this = self.clone();
        let done = task::spawn_blocking(move || {
            let _permit = permit;
            this.run(work).map_err(|stop| stop.into_error(&this.file))
        });
        done.await
            .unwrap_or_else(|_| Err(Failure::other(&self.file, "the thread that reads has ended").into()))
    }

    fn run<T, E>(&self, work: impl FnOnce(&Connection) -> Work<T, E>) -> Work<T, E> {
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => file::open_reader(&self.file)?,
        };
        let result = {
            // It has no writes, so its end without a commit loses nothing.
            let _transaction = connection.unchecked_transaction()?;
            work(&connection)
        };
        // A connection that failed is closed.
        if !matches!(result, Err(Stop::Sqlite(_))) {
            self.idle().push(connection);
        }
        result
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
