//! Loads cards.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onionskin_cards::Card;
use onionskin_core::declaration::{AppBuilder, DynAgent};

use crate::attempt::attempt;
use crate::error::LoadError;
#[cfg(feature = "url")]
use crate::fetch::CardUrls;
use crate::known::Known;
use crate::registry::Registry;

/// Loads cards: files, and all cards of folders. Their agents are those that the compiler makes of the same cards with
/// `agent!(card = ..)`.
///
/// Paths of cards begin at the base folder, which is the working directory unless [`Self::base`] says another. The files that a card names
/// are relative to the card's own folder, and those of the [`Registry`] to the base folder.
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
    base: PathBuf,
    /// The permission for addresses.
    #[cfg(feature = "url")]
    pub(crate) urls: Option<Arc<CardUrls>>,
}

/// The agents of cards that were loaded together.
#[derive(Clone)]
pub struct LoadedCards {
    pub(crate) agents: Vec<DynAgent>,
    /// The cards of the agents.
    pub(crate) cards: Vec<Arc<Card>>,
    pub(crate) default: Option<usize>,
}

/// A card as text: [`LoadedCards::dump`] makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CardText {
    /// Its file: `desk.md`, in the folder of the card that was loaded.
    pub file: String,
    /// The fields as front matter, and the instruction.
    pub text: String,
}

impl CardLoader {
    /// Makes a loader of cards that name these items.
    pub fn new(registry: Registry) -> Self {
        Self {
            registry,
            base: PathBuf::new(),
            #[cfg(feature = "url")]
            urls: None,
        }
    }

    /// Sets the folder that paths of cards and of the registry's files begin at. A relative one begins at the working directory.
    #[must_use]
    pub fn base(mut self, folder: impl Into<PathBuf>) -> Self {
        self.base = folder.into();
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
        self.load_changed(&paths, &mut Known::default())
    }

    /// As [`Self::load`], with what is known from the time before.
    pub(crate) fn load_changed(
        &self,
        paths: &[PathBuf],
        known: &mut Known,
    ) -> Result<LoadedCards, LoadError> {
        attempt(&self.registry, &self.base_folder(), paths, known)
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The full path of the base folder. Without a working directory there is none.
    pub(crate) fn base_folder(&self) -> PathBuf {
        std::env::current_dir().unwrap_or_default().join(&self.base)
    }
}

impl LoadedCards {
    /// The names of the agents, in the order of the cards.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().map(DynAgent::name)
    }

    /// The agents, in the order of the cards.
    pub fn agents(&self) -> &[DynAgent] {
        &self.agents
    }

    /// The agent of this name.
    pub fn agent(&self, name: &str) -> Option<&DynAgent> {
        self.agents.iter().find(|agent| agent.name() == name)
    }

    /// The agent that has `default: true`, or the only one.
    pub fn default_agent(&self) -> Option<&DynAgent> {
        self.agents.get(self.default?)
    }

    /// The cards as Markdown, in one form whatever their authors' form was: loading them gives the same agents, and dumping those the same texts.
    /// What a card names stays relative to the folder of its file. The files have different names: that of `desk.yaml` beside `desk.md` is
    /// `desk-2.md`.
    ///
    /// ```
    /// use onionskin::loader::{CardLoader, Registry};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("clerk.yaml"), "instruction: Be short.\nlimits: { turns: 3 } # enough\n")?;
    /// let loader = CardLoader::new(Registry::new()).base(folder.path());
    /// let dumped = loader.load(["clerk.yaml"])?.dump();
    /// assert_eq!(dumped[0].file, "clerk.md");
    /// assert_eq!(dumped[0].text, "---\nname: \"clerk\"\nlimits: \n  turns: 3\n---\nBe short.\n");
    /// # Ok(())
    /// # }
    /// ```
    pub fn dump(&self) -> Vec<CardText> {
        let mut taken = HashSet::new();
        let of_card = |card: &Arc<Card>| {
            let file = Path::new(&*card.source.name).with_extension("md");
            let file = free_file(&file.to_string_lossy(), &mut taken);
            CardText { file, text: card.to_markdown() }
        };
        self.cards.iter().map(of_card).collect()
    }

    /// Adds all agents to an app.
    pub fn add_to(&self, app: AppBuilder) -> AppBuilder {
        self.agents.iter().fold(app, AppBuilder::dyn_agent)
    }
}

/// The name for a file of a card, or one with a number if another card has it. Some systems do not tell `Desk.md` from `desk.md`.
pub(crate) fn free_file(file: &str, taken: &mut HashSet<String>) -> String {
    let stem = file.strip_suffix(".md").unwrap_or(file);
    let numbered = (2..).map(|number: usize| format!("{stem}-{number}.md"));
    let mut names = std::iter::once(file.to_owned()).chain(numbered);
    names.find(|name| taken.insert(name.to_lowercase())).unwrap_or_default()
}

impl fmt::Debug for LoadedCards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedCards")
            .field("agents", &self.agents)
            .field("default", &self.default)
            .finish_non_exhaustive()
    }
}
