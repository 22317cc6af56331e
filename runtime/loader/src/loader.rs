//! Loads cards.

use std::path::{Path, PathBuf};
#[cfg(feature = "loader-url")]
use std::sync::Arc;

use onionskin_cards::Deck;

use crate::address::{add_unfetched, divided};
use crate::cache::Cache;
use crate::error::{LoadError, MistakeKind, Mistakes};
#[cfg(feature = "loader-url")]
use crate::fetch::CardUrls;
use crate::find::Finder;
use crate::loaded::LoadedCards;
use crate::registry::Registry;
#[cfg(feature = "loader-url")]
use crate::thread::on_thread;

/// Loads cards: files, and all cards of folders. Their agents are those that the compiler makes of the same cards with
/// `agent!(card = ..)`.
///
/// Paths of cards begin at the base folder, which is the working directory unless [`Self::base`] says another. The files that a card names
/// are relative to the card's own folder, and the paths of the [`Registry`] to the base folder.
///
/// ```
/// use onionskin::loader::{CardLoader, MistakeKind, Registry};
/// use onionskin::{App, ScriptedModel, ScriptedTurn, tool};
/// use serde_json::json;
///
/// /// Adds one to a number.
/// #[tool]
/// fn add_one(x: i64) -> i64 {
///     x + 1
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("adder.md"), "---\nfunction_tools: [tools.rs:add_one]\n---\nDo sums.\n")?;
///
/// let registry = Registry::new().file("tools.rs", |items| items.tool::<add_one>());
/// let loader = CardLoader::new(registry).base(folder.path());
/// let cards = loader.load(["adder.md"])?;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let model = ScriptedModel::turns([ScriptedTurn::call("add_one", json!({ "x": 3 })), ScriptedTurn::say("It is {last}.")]);
/// let app = cards.add_to(App::builder()).model(model).build().await?;
/// assert_eq!(app.run("3 + 1?").await?.text, "It is 4.");
///
/// std::fs::write(folder.path().join("adder.md"), "---\nfunction_tools: [tools.rs:add_oen]\n---\nDo sums.\n")?;
/// let error = loader.load(["adder.md"]).unwrap_err();
/// assert_eq!(error.mistakes()[0].kind, MistakeKind::MissingItem);
/// assert_eq!(error.mistakes()[0].to_string(), "adder.md:2:18: `tools.rs` has no `add_oen`; did you mean `add_one`?");
/// # Ok(())
/// # })
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct CardLoader {
    registry: Registry,
    pub(crate) base: PathBuf,
    asks_before_changes: bool,
    /// The permission for addresses.
    #[cfg(feature = "loader-url")]
    pub(crate) urls: Option<Arc<CardUrls>>,
}

impl CardLoader {
    /// Makes a loader of cards that name these items.
    pub fn new(registry: Registry) -> Self {
        Self {
            registry,
            base: PathBuf::new(),
            asks_before_changes: false,
            #[cfg(feature = "loader-url")]
            urls: None,
        }
    }

    /// Sets the folder that paths of cards and of the registry's files begin at. A relative one begins at the working directory.
    #[must_use]
    pub fn base(mut self, folder: impl Into<PathBuf>) -> Self {
        self.base = folder.into();
        self
    }

    /// Requires approval for the built-in tools that change something, such as `shell.execute` and `filesystem.write`,
    /// that no entry of `approval` of their card names. `approval: []` in a card says that its agent needs none.
    #[must_use]
    pub fn ask_before_changes(mut self) -> Self {
        self.asks_before_changes = true;
        self
    }

    /// Loads cards and all cards of folders. The cards name each other as children, and other cards not.
    ///
    /// A card that is found twice, by its folder and its name, is loaded once, and it has at most 1 MiB. Scripts that a card names are read and checked, and not run.
    ///
    /// # Errors
    /// Returns all mistakes of all cards.
    pub fn load<P: AsRef<Path>>(&self, paths: impl IntoIterator<Item = P>) -> Result<LoadedCards, LoadError> {
        let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        self.load_changed(&paths, &mut Cache::default())
    }

    /// As [`Self::load`], with what the time before left in the cache.
    pub(crate) fn load_changed(
        &self,
        paths: &[PathBuf],
        cache: &mut Cache,
    ) -> Result<LoadedCards, LoadError> {
        let base = self.base_folder();
        let mut mistakes = Mistakes::default();
        let mut files = cache.read(&base, paths);
        match &cache.fetched {
            Some(fetched) => {
                files.extend(fetched.files.iter().cloned());
                for error in &fetched.errors {
                    mistakes.add_all(error, MistakeKind::Address);
                }
            }
            None => add_unfetched(&divided(paths).1, self.allows_urls(), &mut mistakes),
        }
        let (deck, error) = Deck::from_files(files, cache.errors.clone(), &[]);
        if let Some(error) = &error {
            mistakes.add_deck(error);
        }
        cache.renew_stamps();
        cache.plan(&deck, &self.finder(&base), &mut mistakes);
        if let Some(error) = mistakes.into_error() {
            return Err(error);
        }
        let mut loaded = LoadedCards::new(&deck, cache.agents(&deck));
        // A single card needs no mark.
        if deck.cards.len() == 1 {
            loaded.default = Some(0);
        }
        Ok(loaded)
    }

    /// What finds the items of the cards, with the base folder.
    pub(crate) fn finder(&self, base: &Path) -> Finder<'_> {
        Finder::new(&self.registry, base, self.asks_before_changes)
    }

    /// The full path of the base folder. Without a working directory there is none.
    pub(crate) fn base_folder(&self) -> PathBuf {
        std::env::current_dir().unwrap_or_default().join(&self.base)
    }
}

#[cfg(feature = "loader-url")]
impl CardLoader {
    /// Allows cards of addresses among the paths of [`Self::load_with_urls`] and [`Self::watch`].
    #[must_use]
    pub fn allow_urls(mut self, urls: CardUrls) -> Self {
        self.urls = Some(Arc::new(urls));
        self
    }

    /// As [`Self::load`], with cards of addresses: `["cards", "https://example.com/pmo.md"]`. Those are behind the others.
    ///
    /// Files are read, and cards are checked, on a thread that may block.
    ///
    /// Cancel safety: dropping the future ends the requests.
    ///
    /// ```
    /// use onionskin::loader::{CardLoader, CardUrls, MistakeKind, Registry};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let loader = CardLoader::new(Registry::new()).allow_urls(CardUrls::https());
    /// let error = loader.load_with_urls(["http://example.com/pmo.md?key=secret"]).await.unwrap_err();
    /// assert_eq!(error.mistakes()[0].kind, MistakeKind::Address);
    /// assert_eq!(
    ///     error.mistakes()[0].to_string(),
    ///     "http://example.com/pmo.md:1:1: others could change what comes over plain HTTP: use `https`"
    /// );
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns all mistakes of all cards, and why an address gives none.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime.
    pub async fn load_with_urls<P: AsRef<Path>>(
        &self,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<LoadedCards, LoadError> {
        let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let mut cache = self.cache(&paths).await;
        let loader = self.clone();
        on_thread(move || loader.load_changed(&paths, &mut cache)).await
    }

    fn allows_urls(&self) -> bool {
        self.urls.is_some()
    }

    /// A cache with the cards of the addresses among the paths, if they are allowed.
    pub(crate) async fn cache(&self, paths: &[PathBuf]) -> Cache {
        match &self.urls {
            Some(urls) => Cache::new(urls.fetch(paths).await),
            None => Cache::default(),
        }
    }
}

#[cfg(not(feature = "loader-url"))]
impl CardLoader {
    #[expect(clippy::unused_self, reason = "with the feature it is used")]
    fn allows_urls(&self) -> bool {
        false
    }

    #[expect(clippy::unused_async, reason = "with the feature it waits")]
    pub(crate) async fn cache(&self, _: &[PathBuf]) -> Cache {
        Cache::default()
    }
}
