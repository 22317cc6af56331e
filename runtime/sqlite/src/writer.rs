//! The thread that writes.

use std::path::Path;
use std::sync::Arc;
use std::thread;

use rusqlite::{Connection, ffi};
use tokio::sync::{mpsc, oneshot};

use crate::failure::{Failure, Stop};
use crate::{file, wipe};

/// The maximum number of jobs that wait, and that one commit has.
const MAX_JOBS: usize = 1_024;

/// What a job returns.
pub(crate) type Work<T, E> = Result<T, Stop<E>>;

/// Gives jobs to the thread that writes. The thread ends after the last job when this is dropped, and closes the file.
pub(crate) struct Writer {
    file: Arc<Path>,
    jobs: mpsc::Sender<Box<dyn Job>>,
}

impl Writer {
    /// Opens the file in a new thread.
    pub(crate) async fn start(file: Arc<Path>, max_size: Option<u64>) -> Result<Self, Failure> {
        let (jobs, queue) = mpsc::channel(MAX_JOBS);
        let (reply, opened) = oneshot::channel();
        let path = Arc::clone(&file);
        let run = move || match file::open_writer(&path, max_size) {
            Ok(connection) => {
                if reply.send(Ok(())).is_ok() {
                    run(&connection, queue, &path);
                }
            }
            // Nobody may wait any more.
            Err(failure) => drop(reply.send(Err(failure))),
        };
        let spawned = thread::Builder::new().name("onionskin-sqlite".to_owned()).spawn(run);
        spawned.map_err(|error| Failure::io(&file, &error))?;
        opened.await.unwrap_or_else(|_| Err(ended(&file)))?;
        Ok(Self { file, jobs })
    }

    /// Runs a job in a transaction, and returns when it is on the disk. A job that fails has no effect. It may run several
    /// times, each time without the effects of the time before.
    ///
    /// Cancel safety: if the future is dropped, the job takes effect or not.
    pub(crate) async fn write<T, E>(
        &self,
        work: impl FnMut(&Connection) -> Work<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Failure> + Send + 'static,
    {
        self.send(work, false).await
    }

    /// As [`Self::write`]. When it returns, the files have nothing that the job deleted.
    pub(crate) async fn wipe<T, E>(
        &self,
        work: impl FnMut(&Connection) -> Work<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Failure> + Send + 'static,
    {
        self.send(work, true).await
    }

    async fn send<T, E, W>(&self, work: W, wipes: bool) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Failure> + Send + 'static,
        W: FnMut(&Connection) -> Work<T, E> + Send + 'static,
    {
        let (reply, done) = oneshot::channel();
        let job = Waiting { work, wipes, outcome: None, reply, file: Arc::clone(&self.file) };
        self.jobs.send(Box::new(job)).await.map_err(|_| E::from(ended(&self.file)))?;
        done.await.unwrap_or_else(|_| Err(ended(&self.file).into()))
    }
}

fn ended(file: &Path) -> Failure {
    Failure::other(file, "the thread that writes has ended")
}

/// A piece of work on the file, whatever it returns.
trait Job: Send {
    fn is_awaited(&self) -> bool;

    /// Whether the files must have nothing of what it deleted.
    fn wipes(&self) -> bool;

    /// Returns whether it succeeded. Its effects are undone otherwise.
    fn run(&mut self, connection: &Connection) -> bool;

    /// Sends the outcome, or the error for which it has no effect.
    fn finish(self: Box<Self>, committed: Result<(), &Failure>);
}

struct Waiting<T, E, W> {
    work: W,
    wipes: bool,
    outcome: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
    file: Arc<Path>,
}

impl<T, E, W> Job for Waiting<T, E, W>
where
    T: Send + 'static,
    E: From<Failure> + Send + 'static,
    W: FnMut(&Connection) -> Work<T, E> + Send + 'static,
{
    fn is_awaited(&self) -> bool {
        !self.reply.is_closed()
    }

    fn wipes(&self) -> bool {
        self.wipes
    }

    fn run(&mut self, connection: &Connection) -> bool {
        let outcome = (self.work)(connection).map_err(|stop| stop.into_error(&self.file));
        self.outcome.insert(outcome).is_ok()
    }

    fn finish(self: Box<Self>, committed: Result<(), &Failure>) {
        let result = match (self.outcome, committed) {
            // Its own error says more.
            (Some(Err(error)), _) => Err(error),
            (_, Err(failure)) => Err(failure.clone().into()),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (None, Ok(())) => Err(ended(&self.file).into()),
        };
        // Nobody may wait any more.
        drop(self.reply.send(result));
    }
}

fn run(connection: &Connection, mut queue: mpsc::Receiver<Box<dyn Job>>, file: &Path) {
    let mut jobs = Vec::new();
    while queue.blocking_recv_many(&mut jobs, MAX_JOBS) > 0 {
        jobs.retain(|job| job.is_awaited());
        if !jobs.is_empty() {
            commit(connection, std::mem::take(&mut jobs), file);
        }
    }
}

/// Runs jobs in one transaction. If that fails as a whole, each has its own.
fn commit(connection: &Connection, mut jobs: Vec<Box<dyn Job>>, file: &Path) {
    match transact(connection, &mut jobs) {
        Ok(()) => finish(connection, jobs, file),
        Err(Undone::Ended(_)) if jobs.len() > 1 => {
            for job in jobs {
                commit(connection, vec![job], file);
            }
        }
        Err(Undone::NotBegun(error) | Undone::Ended(error)) => {
            let failure = Failure::sqlite(file, &error);
            for job in jobs {
                job.finish(Err(&failure));
            }
        }
    }
}

/// Why a transaction has no effect.
enum Undone {
    /// Another program writes for too long, for example.
    NotBegun(rusqlite::Error),
    /// The disk is full, for example.
    Ended(rusqlite::Error),
}

fn transact(connection: &Connection, jobs: &mut [Box<dyn Job>]) -> Result<(), Undone> {
    execute(connection, "BEGIN IMMEDIATE").map_err(Undone::NotBegun)?;
    let result = run_all(connection, jobs).and_then(|()| execute(connection, "COMMIT"));
    result.map_err(|error| {
        if !connection.is_autocommit() {
            // If it fails, the next transaction reports it.
            let _ = execute(connection, "ROLLBACK");
        }
        Undone::Ended(error)
    })
}

fn run_all(connection: &Connection, jobs: &mut [Box<dyn Job>]) -> rusqlite::Result<()> {
    for job in jobs {
        execute(connection, "SAVEPOINT job")?;
        if !job.run(connection) {
            if connection.is_autocommit() {
                // SQLite has ended the transaction, with what the jobs before did.
                return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_ABORT), None));
            }
            execute(connection, "ROLLBACK TO job")?;
        }
        execute(connection, "RELEASE job")?;
    }
    Ok(())
}

fn execute(connection: &Connection, statement: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(statement)?.execute([]).map(drop)
}

/// Sends the outcomes of a transaction that is on the disk: those of deletions when the files have nothing of them.
fn finish(connection: &Connection, jobs: Vec<Box<dyn Job>>, file: &Path) {
    let (deletions, others): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|job| job.wipes());
    for job in others {
        job.finish(Ok(()));
    }
    if deletions.is_empty() {
        return;
    }
    let wiped = wipe::finish(connection, file);
    for job in deletions {
        job.finish(wiped.as_ref().copied());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use std::sync::mpsc as channel;
    use std::time::Duration;

    use onionskin_core::sessions::SessionStoreError;

    use super::*;
    use crate::wipe::{Deleted, begin};

    #[test]
    fn a12_a_deletion_that_is_not_finished_says_so_and_the_next_one_finishes_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sessions.db");
        let writer = file::open_writer(&path, None).unwrap();
        writer.busy_timeout(Duration::ZERO).unwrap();
        let reader = file::open_reader(&path).unwrap();
        for (deleted, number) in [(Deleted::Sessions, 1), (Deleted::Memories, 2)] {
            begin(&writer, deleted).unwrap();
            assert_eq!(writer.last_insert_rowid(), number);
            let reading = reader.unchecked_transaction().unwrap();
            reading.query_row("SELECT count(*) FROM sessions", [], |_| Ok(())).unwrap();
            let error = SessionStoreError::from(wipe::finish(&writer, &path).unwrap_err());
            assert!(matches!(error, SessionStoreError::Remains { .. }), "{error}");
            drop(reading);
            wipe::finish(&writer, &path).unwrap();
            let left: i64 = writer.query_row("SELECT count(*) FROM wipes", [], |row| row.get(0)).unwrap();
            assert_eq!(left, 0);
        }
    }

    /// Says whether it deletes, and how many deletions are not finished when it is.
    struct Reports {
        wipes: bool,
        file: Arc<Path>,
        due: channel::Sender<(bool, i64)>,
    }

    impl Job for Reports {
        fn is_awaited(&self) -> bool {
            true
        }

        fn wipes(&self) -> bool {
            self.wipes
        }

        fn run(&mut self, connection: &Connection) -> bool {
            !self.wipes || begin(connection, Deleted::Memories).is_ok()
        }

        fn finish(self: Box<Self>, committed: Result<(), &Failure>) {
            committed.unwrap();
            let reader = file::open_reader(&self.file).unwrap();
            let due = reader.query_row("SELECT count(*) FROM wipes", [], |row| row.get(0)).unwrap();
            self.due.send((self.wipes, due)).unwrap();
        }
    }

    #[test]
    fn a12_a_write_does_not_wait_for_the_rewriting_after_a_deletion() {
        let folder = tempfile::tempdir().unwrap();
        let file: Arc<Path> = folder.path().join("sessions.db").into();
        let connection = file::open_writer(&file, None).unwrap();
        let (due, finished) = channel::channel();
        let job = |wipes| -> Box<dyn Job> {
            Box::new(Reports { wipes, file: Arc::clone(&file), due: due.clone() })
        };
        commit(&connection, vec![job(true), job(false)], &file);
        assert_eq!(finished.try_iter().collect::<Vec<_>>(), [(false, 1), (true, 0)]);
    }
}
