//! Cards that are loaded again when they change.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onionskin_core::declaration::AppBuilder;
use onionskin_core::run_hooks::RunInput;
use onionskin_core::{App, BuildError, RunError, RunOutput};
use tokio::sync::Mutex;

use crate::error::LoadError;
use crate::loader::{CardLoader, LoadedCards};
use crate::stamps::Stamps;

/// Makes the app of cards.
type Build = Box<dyn Fn(&LoadedCards) -> AppBuilder + Send + Sync>;

/// Is given each problem.
type Report = Box<dyn Fn(&ReloadError) + Send + Sync>;

/// Cards to be watched, before they are loaded: [`CardLoader::watch`] makes it.
#[must_use = "nothing is loaded before `start`"]
pub struct CardWatch {
    loader: CardLoader,
    paths: Vec<PathBuf>,
    build: Build,
    report: Option<Report>,
}

/// The agents of cards that may change while the program runs: [`Self::app`] gives those of the cards as they are now.
///
/// It compares the files when it is asked, and has no thread. That costs one `stat` for each card and each script that a card names, and one
/// reading of each folder. A file is read again only if its time or its size is another one, or if it was written less than two seconds before it
/// was last looked at. If a file has changed, all cards are loaded and the app is built again, with its servers.
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
/// assert!(cards.problem().await.unwrap().to_string().contains("did you mean `model`?"));
/// # Ok(())
/// # }
/// ```
pub struct WatchedCards {
    loader: CardLoader,
    paths: Vec<PathBuf>,
    build: Build,
    report: Option<Report>,
    current: Mutex<Current>,
}

/// What was loaded last.
struct Current {
    /// The last app that was built.
    app: Arc<App>,
    /// The files, and the scripts among them, of the last attempt.
    stamps: Stamps,
    named: Vec<PathBuf>,
    /// The problem of the last attempt.
    problem: Option<Arc<ReloadError>>,
}

/// Why cards could not be loaded. Then the agents stay what they were.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReloadError {
    /// The cards have mistakes.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Their agents could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
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
        CardWatch { loader: self, paths, build: Box::new(build), report: None }
    }
}

impl CardWatch {
    /// Sets what is given each problem of loading the cards again, once for each change.
    pub fn on_problem(mut self, report: impl Fn(&ReloadError) + Send + Sync + 'static) -> Self {
        self.report = Some(Box::new(report));
        self
    }

    /// Loads the cards and builds the app.
    ///
    /// Cancel safety: dropping the future kills the servers that were started.
    ///
    /// # Errors
    /// Returns an error if the cards have mistakes, or if their agents cannot be built.
    pub async fn start(self) -> Result<WatchedCards, ReloadError> {
        let Self { loader, paths, build, report } = self;
        let (stamps, named, app) = attempt(&loader, &paths, &build, &Stamps::default(), Vec::new()).await;
        let current = Mutex::new(Current { app: Arc::new(app?), stamps, named, problem: None });
        Ok(WatchedCards { loader, paths, build, report, current })
    }
}

/// The most times that cards are loaded in a row because they name other scripts than before.
const ATTEMPTS: usize = 3;

/// Loads cards and builds their app. The files are looked at before they are read, so a change in between is seen next time.
async fn attempt(
    loader: &CardLoader,
    paths: &[PathBuf],
    build: &Build,
    before: &Stamps,
    mut named: Vec<PathBuf>,
) -> (Stamps, Vec<PathBuf>, Result<App, ReloadError>) {
    let base = loader.base_folder();
    let mut attempts = 1;
    let (stamps, cards) = loop {
        let stamps = before.now(&base, paths, &named);
        let (cards, names) = loader.attempt(&base, paths);
        let is_known = names == named;
        named = names;
        // Scripts that were not known were read before they were looked at.
        if is_known || attempts == ATTEMPTS {
            break (stamps, cards);
        }
        attempts += 1;
    };
    let app = match cards {
        Ok(cards) => build(&cards).build().await.map_err(ReloadError::Build),
        Err(error) => Err(error.into()),
    };
    (stamps, named, app)
}

impl WatchedCards {
    /// The app of the cards as they are now. If they cannot be loaded, it is the last one that could be, and [`Self::problem`] says why.
    ///
    /// Cancel safety: dropping the future kills the servers that were started for new agents. The next call loads them.
    pub async fn app(&self) -> Arc<App> {
        let mut current = self.current.lock().await;
        let stamps = current.stamps.now(&self.loader.base_folder(), &self.paths, &current.named);
        if stamps == current.stamps {
            // Their times may have settled.
            current.stamps = stamps;
        } else {
            self.load(&mut current, &stamps).await;
        }
        Arc::clone(&current.app)
    }

    /// Runs the entry agent of the cards as they are now, in a new session.
    ///
    /// Cancel safety: as [`Self::app`] and [`App::run`].
    ///
    /// # Errors
    /// Returns an error if the run ends without an answer.
    pub async fn run(&self, input: impl Into<RunInput>) -> Result<RunOutput, RunError> {
        self.app().await.run(input).await
    }

    /// The problem of the last attempt to load the cards; `None` if the agents are those of the cards.
    ///
    /// Cancel safety: it changes nothing.
    pub async fn problem(&self) -> Option<Arc<ReloadError>> {
        self.current.lock().await.problem.clone()
    }

    /// Loads the cards and builds the app again, also without a change: after a server that did not start, for example.
    ///
    /// Cancel safety: as [`Self::app`].
    pub async fn reload(&self) -> Arc<App> {
        let mut current = self.current.lock().await;
        self.load(&mut current, &Stamps::default()).await;
        Arc::clone(&current.app)
    }

    async fn load(&self, current: &mut Current, before: &Stamps) {
        let named = current.named.clone();
        let (stamps, named, app) = attempt(&self.loader, &self.paths, &self.build, before, named).await;
        (current.stamps, current.named) = (stamps, named);
        match app {
            Ok(app) => (current.app, current.problem) = (Arc::new(app), None),
            Err(problem) => {
                if let Some(report) = &self.report {
                    report(&problem);
                }
                current.problem = Some(Arc::new(problem));
            }
        }
    }
}

impl fmt::Debug for CardWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CardWatch").field("paths", &self.paths).finish_non_exhaustive()
    }
}

impl fmt::Debug for WatchedCards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchedCards").field("paths", &self.paths).finish_non_exhaustive()
    }
}
