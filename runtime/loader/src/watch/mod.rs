//! Cards that are loaded again when they change.

mod cards;
mod changes;
mod error;
mod task;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onionskin_core::declaration::AppBuilder;
use onionskin_core::run_hooks::RunInput;
use onionskin_core::{App, RunError, RunOutput};
use tokio::sync::watch::{self, Receiver};
use tokio::task::AbortHandle;

use crate::loaded::LoadedCards;
use crate::loader::CardLoader;
use crate::thread::on_thread;
use crate::workflow::LoadedWorkflow;
use cards::{Cards, Made};
pub use changes::CardChanges;
pub use error::ReloadError;
use task::{Cause, Current, Loading, Report, Watched};

/// Cards to be watched, before they are loaded: [`CardLoader::watch`] makes it.
#[must_use = "nothing is loaded before `start`"]
pub struct CardWatch {
    cards: Cards,
    report: Option<Report>,
}

/// The agents of cards that may change while the program runs: [`Self::app`] returns the agents of the current cards.
///
/// It compares the files when it is asked, and has no thread. That costs one `stat` for each card and each script that a card names, and one
/// reading of each folder. A file is read again only if its time or its size is another one, or if it was written less than two seconds before it
/// was last looked at. If a file has changed, it alone is read, the agents that do not reach it stay what they are, and the app is built again,
/// with its servers. A task does that, one at a time, whether or not the call that found the change is dropped; other calls get the last good app
/// meanwhile.
///
/// Cards of addresses are fetched at the start and by [`Self::reload`], and not looked at in between.
///
/// The runs of an app that was given keep its agents. Its servers end when the last run, session and [`Arc`] of it is dropped.
///
/// ```
/// use onionskin::loader::{CardLoader, Registry};
/// use onionskin::{App, ScriptedModel, ScriptedTurn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let card = folder.path().join("clerk.md");
/// std::fs::write(&card, "---\n---\nBe short.")?;
///
/// let model = || ScriptedModel::turns([ScriptedTurn::say("Yes.")]);
/// let cards = CardLoader::new(Registry::new())
///     .base(folder.path())
///     .watch(["clerk.md"], move |cards| cards.add_to(App::builder()).model(model()))
///     .start()
///     .await?;
///
/// std::fs::write(&card, "---\n---\nBe long.")?;
/// assert_eq!(cards.app().await.entry().system_prompt().await?.as_deref(), Some("Be long."));
///
/// // A broken card keeps the last good one.
/// std::fs::write(&card, "---\nmodle: gpt\n---\nBe gone.")?;
/// assert_eq!(cards.app().await.entry().system_prompt().await?.as_deref(), Some("Be long."));
/// assert!(cards.problem().unwrap().to_string().contains("did you mean `model`?"));
/// # Ok(())
/// # }
/// ```
pub struct WatchedCards {
    watched: Arc<Watched>,
    /// The last task that loaded the cards again.
    task: Mutex<Option<AbortHandle>>,
}

impl CardLoader {
    /// Loads cards, and again when they change. `build` makes the app of the loaded cards each time, with its model, its servers and what else
    /// the program gives agents.
    pub fn watch<P: AsRef<Path>>(
        self,
        paths: impl IntoIterator<Item = P>,
        build: impl Fn(&LoadedCards) -> AppBuilder + Send + Sync + 'static,
    ) -> CardWatch {
        let paths = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let made = Made::Cards(Box::new(build));
        self.watched(paths, made)
    }

    /// As [`Self::watch`], for a [workflow folder](Self::load_workflow): each of its files counts, also one that is added, and each script that
    /// its tools are in. After a change the whole folder is read.
    pub fn watch_workflow(
        self,
        folder: impl Into<PathBuf>,
        build: impl Fn(&LoadedWorkflow) -> AppBuilder + Send + Sync + 'static,
    ) -> CardWatch {
        self.watched(vec![folder.into()], Made::Workflow(Box::new(build)))
    }

    fn watched(mut self, paths: Vec<PathBuf>, made: Made) -> CardWatch {
        // A change of the working directory is no change of the cards.
        self.base = self.base_folder();
        CardWatch { cards: Cards { loader: self, paths, made }, report: None }
    }
}

impl CardWatch {
    /// Sets the function that gets the error of a failed reload. It is called once for each change.
    pub fn on_problem(mut self, report: impl Fn(&ReloadError) + Send + Sync + 'static) -> Self {
        self.report = Some(Box::new(report));
        self
    }

    /// Loads the cards and builds the app.
    ///
    /// Cancel safety: dropping the future kills the servers that were started.
    ///
    /// # Errors
    /// Returns an error if the cards have mistakes, if their agents cannot be built, or if the function that makes the app panics.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime.
    pub async fn start(self) -> Result<WatchedCards, ReloadError> {
        let Self { cards, report } = self;
        let mut cache = cards.loader.cache(&cards.paths).await;
        let read = move || {
            let builder = cards.caught_builder(&mut cache);
            (cards, cache, builder)
        };
        let (cards, cache, builder) = on_thread(read).await;
        let app = builder?.build().await?;
        let watched = Watched::new(cards, report, app, cache);
        Ok(WatchedCards { watched: Arc::new(watched), task: Mutex::new(None) })
    }
}

impl WatchedCards {
    /// The app of the cards as they are now. If they cannot be loaded, it is the last one that could be, and [`Self::problem`] says why. It is
    /// the last one too while another call waits for a change to be loaded.
    ///
    /// Cancel safety: a change is loaded to its end, also if the future is dropped.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime if a card has changed.
    pub async fn app(&self) -> Arc<App> {
        let ends = {
            let mut current = self.watched.current();
            if current.loading.is_some() || !self.watched.cards.has_changed(&mut current.cache) {
                return Arc::clone(&current.app);
            }
            self.load(current, Cause::Change)
        };
        end(ends).await;
        Arc::clone(&self.watched.current().app)
    }

    /// Runs the entry agent of the cards as they are now, in a new session.
    ///
    /// Cancel safety: as [`Self::app`] and [`App::run`].
    ///
    /// # Errors
    /// Returns an error if the run ends without an answer.
    ///
    /// # Panics
    /// As [`Self::app`].
    pub async fn run(&self, input: impl Into<RunInput>) -> Result<RunOutput, RunError> {
        self.app().await.run(input).await
    }

    /// The problem of the last attempt to load the cards; `None` if the agents are up to date.
    pub fn problem(&self) -> Option<Arc<ReloadError>> {
        self.watched.current().problem.clone()
    }

    /// Reads all cards and builds the app again, also without a change: after a server that did not start, for example. An attempt that another
    /// call began ends before. If an address gives no good card, its last good one stays, for changes of files that come later.
    ///
    /// Cancel safety: as [`Self::app`].
    ///
    /// # Panics
    /// Panics outside of a tokio runtime.
    pub async fn reload(&self) -> Arc<App> {
        loop {
            let (ends, is_ours) = {
                let current = self.watched.current();
                match &current.loading {
                    Some(ends) => (ends.clone(), false),
                    None => (self.load(current, Cause::Call), true),
                }
            };
            end(ends).await;
            if is_ours {
                return Arc::clone(&self.watched.current().app);
            }
        }
    }

    /// Begins to load the cards in a task.
    fn load(&self, mut current: MutexGuard<'_, Current>, cause: Cause) -> Receiver<()> {
        let (ends, at_end) = watch::channel(());
        let before = std::mem::take(&mut current.cache);
        current.loading = Some(at_end.clone());
        // A task that does not begin is dropped, which takes the lock.
        drop(current);
        let loading = Loading::new(Arc::clone(&self.watched), ends);
        let task = tokio::spawn(async move {
            let (cache, app) = loading.app(before, cause).await;
            loading.keep(cache, app);
        });
        *self.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.abort_handle());
        at_end
    }
}

/// Waits for the end of a task.
async fn end(mut ends: Receiver<()>) {
    // Nothing is sent: the channel closes.
    while ends.changed().await.is_ok() {}
}

impl Drop for WatchedCards {
    fn drop(&mut self) {
        if let Some(task) = self.task.get_mut().unwrap_or_else(PoisonError::into_inner) {
            task.abort();
        }
    }
}

impl fmt::Debug for CardWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CardWatch").field("paths", &self.cards.paths).finish_non_exhaustive()
    }
}

impl fmt::Debug for WatchedCards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchedCards").field("paths", &self.watched.cards.paths).finish_non_exhaustive()
    }
}
