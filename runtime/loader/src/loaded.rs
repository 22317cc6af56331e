//! The agents of loaded cards.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use onionskin_cards::{Card, Deck, HookItem};
use onionskin_core::declaration::{AppBuilder, DynAgent};

/// The agents of cards that were loaded together.
#[derive(Clone)]
pub struct LoadedCards {
    pub(crate) agents: Vec<DynAgent>,
    /// The cards of the agents.
    pub(crate) cards: Vec<Arc<Card>>,
    pub(crate) default: Option<usize>,
    pub(crate) skipped: Vec<String>,
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

impl LoadedCards {
    pub(crate) fn new(deck: &Deck, agents: Vec<DynAgent>) -> Self {
        let default = deck.cards.iter().position(|card| card.is_default());
        Self { agents, cards: deck.cards.clone(), default, skipped: deck.skipped.clone() }
    }

    /// The names of the servers that the cards name, each once.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        let names: BTreeSet<&str> =
            self.cards.iter().flat_map(|card| &card.servers).map(|server| &*server.value).collect();
        names.into_iter()
    }

    /// The names of the agents whose cards name a server.
    pub fn agents_with<'s>(&'s self, server: &'s str) -> impl Iterator<Item = &'s str> {
        let names = move |card: &&Arc<Card>| card.servers.iter().any(|named| *named.value == *server);
        self.cards.iter().filter(names).map(|card| &*card.name.value)
    }

    /// Whether a card names an item of the program or a ready one by this path: as a tool, or as a hook around calls.
    #[doc(hidden)]
    pub fn names_item(&self, path: &str) -> bool {
        self.cards.iter().any(|card| {
            let hooks = card.tool_hooks.iter().filter_map(|hook| match hook {
                HookItem::Hook(hook, _) => Some(&hook.item),
                HookItem::Rest(_) => None,
            });
            card.function_tools.iter().chain(hooks).any(|item| item.value.to_string() == path)
        })
    }

    /// Removes all agents but this one and those below it.
    #[must_use]
    pub fn only(self, agent: &str) -> Self {
        let below = self.below(agent);
        self.retain(|_, card| below.contains(&*card.name.value))
    }

    /// Removes the agents that need a server: those whose cards name one, and those above them.
    #[must_use]
    pub fn without_servers(self) -> Self {
        self.retain(|loaded, card| {
            let below = loaded.below(&card.name.value);
            loaded.cards.iter().all(|card| card.servers.is_empty() || !below.contains(&*card.name.value))
        })
    }

    /// The names of an agent and of those below it.
    fn below(&self, agent: &str) -> HashSet<String> {
        let mut below = HashSet::from([agent.to_owned()]);
        let mut left = vec![agent.to_owned()];
        while let Some(name) = left.pop() {
            let children =
                self.cards.iter().filter(|card| *card.name.value == *name).flat_map(|card| &card.agents);
            left.extend(
                children.map(|child| child.value.clone()).filter(|child| below.insert(child.clone())),
            );
        }
        below
    }

    fn retain(self, keeps: impl Fn(&Self, &Card) -> bool) -> Self {
        let kept: Vec<usize> =
            (0..self.cards.len()).filter(|index| keeps(&self, &self.cards[*index])).collect();
        Self {
            agents: kept.iter().filter_map(|index| self.agents.get(*index).cloned()).collect(),
            cards: kept.iter().map(|index| Arc::clone(&self.cards[*index])).collect(),
            default: kept.iter().position(|index| Some(*index) == self.default),
            skipped: self.skipped,
        }
    }

    /// The files of folders that were not read as cards, each with the reason: a YAML file without an instruction and with fields that cards do not
    /// have, such as `compose.yaml`, and a `README.md` without front matter.
    pub fn skipped(&self) -> &[String] {
        &self.skipped
    }

    /// What is valid in the cards and perhaps not meant, each with its place: `cards/desk.md:3:1: ..`. [`skipped`](Self::skipped) files are not
    /// among them. `agent!` gives the same as warnings of the compiler.
    ///
    /// ```
    /// use onionskin::loader::{CardLoader, Registry};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = tempfile::tempdir()?;
    /// let card = "instruction: Help {session_state.guest}.\nmarkdown: true\n";
    /// std::fs::write(folder.path().join("clerk.yaml"), card)?;
    /// let loader = CardLoader::new(Registry::new()).base(folder.path());
    /// let warnings: Vec<_> = loader.load(["clerk.yaml"])?.warnings().collect();
    /// assert!(warnings[0].starts_with("clerk.yaml:1:14: in the prompt of `clerk`, `instruction` changes with each turn"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        self.cards.iter().flat_map(|card| card.warning_lines())
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

    /// Adds all agents to an app. What the program gives the app for them, the cards of the moment need not use: services, states, toolboxes
    /// and servers ([`AppBuilder::allow_unused`]). A hook or a prompt for a named agent needs that agent, because a hook can be a check.
    ///
    /// ```
    /// use onionskin::loader::{CardLoader, Registry};
    /// use onionskin::{App, Provided, ScriptedModel, tool};
    ///
    /// struct Orders(u32);
    ///
    /// /// The number of orders.
    /// #[tool]
    /// fn orders(orders: Provided<Orders>) -> u32 {
    ///     orders.0
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("clerk.md"), "---\n---\nBe short.")?;
    /// let registry = Registry::new().file("tools.rs", |items| items.tool::<orders>());
    /// let cards = CardLoader::new(registry).base(folder.path()).load(["clerk.md"])?;
    /// // The card has no tool that takes the orders.
    /// let app = cards.add_to(App::builder()).provide(Orders(3)).model(ScriptedModel::new()).build().await?;
    /// assert_eq!(app.entry().name(), "clerk");
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_to(&self, app: AppBuilder) -> AppBuilder {
        self.agents.iter().fold(app.allow_unused(), AppBuilder::dyn_agent)
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
