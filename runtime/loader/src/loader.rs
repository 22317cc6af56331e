//! Loads cards.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use onionskin_cards::{Deck, Item};
use onionskin_core::declaration::{AgentDeclaration, AppBuilder, DynAgent};

use crate::error::{LoadError, MistakeKind, Mistakes};
use crate::find::{Finder, full, is_script};
use crate::plan::{Plan, PlannedChild, Planner};
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
}

/// The agents of cards that were loaded together.
#[derive(Debug, Clone)]
pub struct LoadedCards {
    agents: Vec<DynAgent>,
    default: Option<usize>,
}

impl CardLoader {
    /// Makes a loader of cards that name these items.
    pub fn new(registry: Registry) -> Self {
        Self { registry, base: PathBuf::new() }
    }

    /// Sets the folder that paths of cards and of the registry's files begin at. A relative one begins at the working directory.
    #[must_use]
    pub fn base(mut self, folder: impl Into<PathBuf>) -> Self {
        self.base = folder.into();
        self
    }

    /// Loads cards and all cards of folders. The cards name each other as children, and other cards not.
    ///
    /// A card has at most 1 MiB. Scripts that a card names are read and checked, and not run.
    ///
    /// # Errors
    /// Returns all mistakes of all cards.
    pub fn load<P: AsRef<Path>>(&self, paths: impl IntoIterator<Item = P>) -> Result<LoadedCards, LoadError> {
        let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        self.attempt(&self.base_folder(), &paths).0
    }

    /// The full path of the base folder. Without a working directory there is none.
    pub(crate) fn base_folder(&self) -> PathBuf {
        std::env::current_dir().unwrap_or_default().join(&self.base)
    }

    /// Loads cards. The files are those that the cards name and that are read, whether or not they could be.
    pub(crate) fn attempt(
        &self,
        base: &Path,
        paths: &[PathBuf],
    ) -> (Result<LoadedCards, LoadError>, Vec<PathBuf>) {
        let mut mistakes = Mistakes::default();
        let (deck, error) = Deck::read_with_mistakes(base, paths, &[]);
        if let Some(error) = &error {
            for of_file in error.of_files() {
                let source = of_file.source_file();
                let is_missing = source.text.is_empty() && !base.join(&*source.name).exists();
                let kind = if is_missing { MistakeKind::MissingFile } else { MistakeKind::Format };
                mistakes.add_all(of_file, kind);
            }
            for among_cards in error.among_cards() {
                mistakes.add_all(among_cards, MistakeKind::Cards);
            }
        }
        let finder = Finder::new(&self.registry, base);
        let plans: Vec<Plan> = deck
            .cards
            .iter()
            .map(|card| {
                let (finder, deck, plan) = (&finder, &deck, Plan::default());
                Planner { finder, deck, card, mistakes: &mut mistakes, plan }.plan()
            })
            .collect();
        let cards = match mistakes.into_error() {
            Some(error) => Err(error),
            None => Ok(LoadedCards::new(&deck, plans)),
        };
        (cards, scripts(&deck))
    }
}

/// The scripts that cards name.
fn scripts(deck: &Deck) -> Vec<PathBuf> {
    let mut scripts = BTreeSet::new();
    for card in &deck.cards {
        scripts.extend(card.needs().into_iter().filter_map(|need| match &need.item.value {
            Item::File { file, .. } if is_script(file) => Some(full(card, file)),
            _ => None,
        }));
    }
    scripts.into_iter().collect()
}

impl LoadedCards {
    fn new(deck: &Deck, plans: Vec<Plan>) -> Self {
        let mut made = Making {
            deck,
            plans: plans.into_iter().map(Some).collect(),
            agents: vec![None; deck.cards.len()],
        };
        let agents = (0..deck.cards.len()).filter_map(|index| made.agent(index)).collect();
        let is_default =
            |card: &onionskin_cards::Card| card.default.as_ref().is_some_and(|default| default.value);
        let default = deck.cards.iter().position(is_default);
        Self { agents, default: default.or((deck.cards.len() == 1).then_some(0)) }
    }

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

    /// Adds all agents to an app.
    pub fn add_to(&self, app: AppBuilder) -> AppBuilder {
        self.agents.iter().fold(app, AppBuilder::dyn_agent)
    }
}

/// The agents, each made once, after its children.
struct Making<'d> {
    deck: &'d Deck,
    plans: Vec<Option<Plan>>,
    agents: Vec<Option<DynAgent>>,
}

impl Making<'_> {
    /// The agent of a card. The deck has no cards that contain themselves.
    fn agent(&mut self, index: usize) -> Option<DynAgent> {
        if let Some(made) = self.agents.get(index)? {
            return Some(made.clone());
        }
        let Plan { steps, children, run, state } = self.plans.get_mut(index)?.take()?;
        let children: Vec<DynAgent> = children
            .into_iter()
            .filter_map(|child| match child {
                PlannedChild::Card(index) => self.agent(index),
                PlannedChild::Program(agent) => Some(agent),
            })
            .collect();
        let name = self.deck.cards[index].name.value.as_str();
        let mut agent = DynAgent::new(name, move || {
            let agent = children.iter().fold(AgentDeclaration::new(), AgentDeclaration::dyn_child);
            steps.iter().fold(agent, |agent, step| step(agent))
        });
        if let Some(state) = state {
            agent = (state.with_state)(agent);
        }
        if let Some(run) = run {
            agent = agent.with_run(run);
        }
        self.agents[index] = Some(agent.clone());
        Some(agent)
    }
}
