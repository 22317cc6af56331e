//! The task that loads cards again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onionskin_cards::is_address;
use onionskin_core::App;
use tokio::sync::watch::{Receiver, Sender};
use tokio::task::spawn_blocking;

use super::cards::Cards;
use super::error::ReloadError;
use crate::cache::Cache;

/// Is given each problem.
pub(super) type Report = Box<dyn Fn(&ReloadError) + Send + Sync>;

pub(super) struct Watched {
    pub(super) cards: Cards,
    report: Option<Report>,
    current: Mutex<Current>,
}

/// What was loaded last.
pub(super) struct Current {
    /// The last app that was built.
    pub(super) app: Arc<App>,
    /// The cards of the last attempt. A task that loads them again has taken them.
    pub(super) cache: Cache,
    /// The problem of the last attempt.
    pub(super) problem: Option<Arc<ReloadError>>,
    /// Of a task that loads the cards again: the channel that it closes at its end.
    pub(super) loading: Option<Receiver<()>>,
}

/// Why cards are loaded again.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cause {
    /// A file has changed. The other ones are not read again.
    Change,
    /// The program calls for it, so that all are read.
    Call,
}

/// Whether a card of an address has a mistake, or is not there.
fn is_of_address(error: &ReloadError) -> bool {
    let ReloadError::Load(error) = error else { return false };
    error.mistakes().iter().any(|mistake| is_address(&mistake.file))
}

impl Watched {
    pub(super) fn new(cards: Cards, report: Option<Report>, app: App, cache: Cache) -> Self {
        let current = Current { app: Arc::new(app), cache, problem: None, loading: None };
        Self { cards, report, current: Mutex::new(current) }
    }

    pub(super) fn current(&self) -> MutexGuard<'_, Current> {
        // The fields fit together at each point at which code of the program can panic.
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A task that loads cards. Its end is the end of the task, also of one that was aborted.
pub(super) struct Loading {
    watched: Arc<Watched>,
    _ends: Sender<()>,
}

impl Loading {
    pub(super) fn new(watched: Arc<Watched>, ends: Sender<()>) -> Self {
        Self { watched, _ends: ends }
    }

    /// The app of the cards, and the cache for the next time.
    pub(super) async fn app(&self, before: Cache, cause: Cause) -> (Cache, Result<App, ReloadError>) {
        match cause {
            Cause::Change => self.app_of(before).await,
            Cause::Call => {
                let cards = &self.watched.cards;
                let (cache, app) = self.app_of(cards.loader.cache(&cards.paths).await).await;
                // The last good cards of addresses, with which a change of a file can be loaded.
                let cache = if app.as_ref().is_err_and(is_of_address) { before } else { cache };
                (cache, app)
            }
        }
    }

    /// Cards are read on a thread that may wait for files.
    async fn app_of(&self, mut cache: Cache) -> (Cache, Result<App, ReloadError>) {
        let watched = Arc::clone(&self.watched);
        let read = spawn_blocking(move || {
            let builder = watched.cards.caught_builder(&mut cache);
            (cache, builder)
        });
        match read.await {
            Ok((cache, Ok(builder))) => (cache, builder.build().await.map_err(ReloadError::Build)),
            Ok((cache, Err(error))) => (cache, Err(error)),
            // The runtime ends.
            Err(error) => (Cache::default(), Err(ReloadError::Panicked(error.to_string()))),
        }
    }

    pub(super) fn keep(&self, cache: Cache, app: Result<App, ReloadError>) {
        let mut current = self.watched.current();
        current.cache = cache;
        match app {
            Ok(app) => (current.app, current.problem) = (Arc::new(app), None),
            Err(problem) => {
                let problem = Arc::new(problem);
                current.problem = Some(Arc::clone(&problem));
                drop(current);
                if let Some(report) = &self.watched.report {
                    report(&problem);
                }
            }
        }
    }
}

impl Drop for Loading {
    fn drop(&mut self) {
        self.watched.current().loading = None;
    }
}
