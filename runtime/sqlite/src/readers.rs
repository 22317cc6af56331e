//! Connections that read.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, InterruptHandle, ffi};
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
    /// Cancel safety: if the future is dropped, the job is interrupted.
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
        let awaited = Awaited::default();
        let job = Arc::clone(&awaited.0);
        let done = task::spawn_blocking(move || {
            let _permit = permit;
            this.run(&job, work).map_err(|stop| stop.into_error(&this.file))
        });
        done.await
            .unwrap_or_else(|_| Err(Failure::other(&self.file, "the thread that reads has ended").into()))
    }

    fn run<T, E>(&self, job: &Mutex<Job>, work: impl FnOnce(&Connection) -> Work<T, E>) -> Work<T, E> {
        let idle = lock(&self.idle).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => file::open_reader(&self.file)?,
        };
        let result = {
            // It has no writes, so its end without a commit loses nothing.
            let _transaction = connection.unchecked_transaction()?;
            // An interrupt ends the statements that run, and those that begin before these have ended. So one runs all the time.
            let mut select = connection.prepare_cached("VALUES (1), (2)")?;
            let mut rows = select.query([])?;
            rows.next()?;
            if !lock(job).begin(&connection) {
                return Err(
                    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_INTERRUPT), None).into()
                );
            }
            let result = work(&connection);
            // From now on the connection can have another job.
            *lock(job) = Job::Ended;
            result
        };
        // A connection that failed is closed.
        if !matches!(result, Err(Stop::Sqlite(_))) {
            lock(&self.idle).push(connection);
        }
        result
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A job that reads.
#[derive(Default)]
enum Job {
    #[default]
    Waits,
    Runs(InterruptHandle),
    Ended,
}

impl Job {
    /// Returns false if nobody waits for it any more.
    fn begin(&mut self, connection: &Connection) -> bool {
        let waits = matches!(self, Self::Waits);
        if waits {
            *self = Self::Runs(connection.get_interrupt_handle());
        }
        waits
    }
}

/// Ends a job when its future is dropped.
#[derive(Default)]
struct Awaited(Arc<Mutex<Job>>);

impl Drop for Awaited {
    fn drop(&mut self) {
        let mut job = lock(&self.0);
        if let Job::Runs(query) = &*job {
            query.interrupt();
        }
        *job = Job::Ended;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a12_a_dropped_read_frees_its_connection() {
        const ENDLESS: &str =
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n) SELECT max(n) FROM n";
        let folder = tempfile::tempdir().unwrap();
        let file: Arc<Path> = folder.path().join("sessions.db").into();
        drop(file::open_writer(&file, None).unwrap());
        let readers = Readers::new(file);
        let read = |select: &'static str| {
            readers.read::<i64, Failure>(move |connection| {
                Ok(connection.query_row(select, [], |row| row.get(0))?)
            })
        };
        for _ in 0..2 * MAX_CONNECTIONS {
            timeout(Duration::from_millis(50), read(ENDLESS)).await.unwrap_err();
        }
        assert_eq!(timeout(Duration::from_secs(20), read("SELECT 1")).await.unwrap(), Ok(1));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a12_a_read_that_is_dropped_between_two_statements_is_interrupted() {
        const LONG: &str = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT 3000000) SELECT max(n) FROM n";
        let folder = tempfile::tempdir().unwrap();
        let file: Arc<Path> = folder.path().join("sessions.db").into();
        drop(file::open_writer(&file, None).unwrap());
        let readers = Readers::new(file);
        let (between, is_between) = tokio::sync::oneshot::channel();
        let (dropped, is_dropped) = mpsc::channel();
        let (result, results) = mpsc::channel();
        let read = readers.read::<(), Failure>(move |connection| {
            connection.query_row("SELECT count(*) FROM sessions", [], |_| Ok(()))?;
            between.send(()).unwrap();
            is_dropped.recv().unwrap();
            let long = connection.query_row(LONG, [], |row| row.get::<_, i64>(0));
            result.send(long).unwrap();
            Ok(())
        });
        tokio::select! {
            _ = read => unreachable!("it waits for the drop"),
            between = is_between => between.unwrap(),
        }
        dropped.send(()).unwrap();
        let error = results.recv().unwrap().unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::OperationInterrupted), "{error}");
    }
}
