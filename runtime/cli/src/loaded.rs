//! Loads the agents of files: of cards, or of a workflow folder.

use std::path::{Display, Path, PathBuf};

use onionskin_cards::{Workflow, children_beside};
use onionskin_core::declaration::{AppBuilder, DynAgent};
use onionskin_loader::{CardLoader, LoadError, LoadedCards, LoadedWorkflow, Mistake, MistakeKind, Registry};

use crate::failure::Failure;
use crate::program::Program;

/// The words for items in Rust where the program has no registry.
const WITHOUT_RUST: &str = "it needs a program of yours that has it, with `onionskin::main! { registry: .. }`; tools, tool hooks and \
                            message hooks can also be scripts, such as `tools.rhai:add_one`";

/// The words for an address in place of a path. They do not show the address, because it can hold a key.
pub(crate) const NO_ADDRESS: &str = "reads files and folders, not addresses: save them first";

/// The words for the address of a card that is not allowed.
const ADDRESS_OF_CARD: &str = "`--card` reads files and folders: `--allow-urls` lets it read addresses too";

/// The items of cards that need a [`SpillFolder`](onionskin_hooks::SpillFolder).
const SPILL: [&str; 2] = ["::onionskin::hooks::spill", "::onionskin::hooks::read_spilled"];

/// The agents of files.
pub(crate) enum Loaded {
    /// Those of the arguments come first, then their children.
    Cards {
        cards: LoadedCards,
        /// The only card that the arguments name.
        only: Option<usize>,
    },
    Workflow(LoadedWorkflow),
}

impl Loaded {
    /// Loads the cards of these paths, and the cards of their children.
    pub(crate) async fn cards(
        program: &Program,
        paths: &[PathBuf],
        allow_urls: bool,
    ) -> Result<Self, Failure> {
        for path in paths {
            if is_address(path) {
                if !allow_urls {
                    return Err(Failure::new(ADDRESS_OF_CARD));
                }
                continue;
            }
            if is_workflow(path) {
                let shown = path.display();
                return Err(Failure::new(format!(
                    "`{shown}` is a workflow folder: name it with `--workflow {shown}`"
                )));
            }
        }
        let all = with_children(program, paths);
        let cards = load(program, &all, allow_urls).await.map_err(|error| match script_in(paths) {
            Some(script) => Failure::new(format!(
                "`{script}` is a script in place of a model, and no card: name it with `--model script:{script}`"
            )),
            None => Failure::new(error),
        })?;
        // The children are behind the files that were named, and the cards of addresses behind all files.
        let addresses = paths.iter().filter(|path| is_address(path)).count();
        let (len, children) = (cards.agents().len(), all.len() - paths.len());
        let only = match (len.saturating_sub(children + addresses), addresses) {
            (1, 0) => Some(0),
            (0, 1) => len.checked_sub(1),
            _ => None,
        };
        Ok(Self::Cards { cards, only })
    }

    /// Loads a workflow folder.
    pub(crate) fn workflow(program: &Program, folder: &Path) -> Result<Self, Failure> {
        if is_address(folder) {
            return Err(Failure::new(format!("`--workflow` {NO_ADDRESS}")));
        }
        let workflow = loader(program).load_workflow(folder).map_err(Failure::new)?;
        Ok(Self::Workflow(workflow))
    }

    /// The warnings about a workflow folder or about cards, each with its place.
    pub(crate) fn warnings(&self) -> Vec<String> {
        match self {
            Self::Cards { cards, .. } => cards.skipped().iter().cloned().chain(cards.warnings()).collect(),
            Self::Workflow(workflow) => workflow.warnings().to_vec(),
        }
    }

    pub(crate) fn agents(&self) -> &[DynAgent] {
        match self {
            Self::Cards { cards, .. } => cards.agents(),
            Self::Workflow(workflow) => workflow.agents(),
        }
    }

    /// The agent that is asked if the arguments name no other. A card that only its parent names is not asked.
    pub(crate) fn default_agent(&self) -> Option<&DynAgent> {
        match self {
            Self::Cards { cards, only: Some(only) } => cards.agents().get(*only),
            Self::Cards { cards, only: None } => cards.default_agent(),
            Self::Workflow(workflow) => workflow.agents().iter().find(|agent| agent.is_default()),
        }
    }

    /// The names of the servers that the agents use.
    pub(crate) fn servers(&self) -> Vec<&str> {
        match self {
            Self::Cards { cards, .. } => cards.servers().collect(),
            Self::Workflow(workflow) => workflow.servers().collect(),
        }
    }

    /// The names of the agents that use a server.
    pub(crate) fn agents_with<'s>(&'s self, server: &'s str) -> Vec<&'s str> {
        match self {
            Self::Cards { cards, .. } => cards.agents_with(server).collect(),
            Self::Workflow(workflow) => workflow.agents_with(server).collect(),
        }
    }

    /// This agent and those below it.
    pub(crate) fn only(self, agent: &str) -> Self {
        match self {
            Self::Cards { cards, .. } => Self::Cards { cards: cards.only(agent), only: None },
            Self::Workflow(workflow) => Self::Workflow(workflow.only(agent)),
        }
    }

    /// Whether an agent stores long results in files.
    pub(crate) fn spills(&self) -> bool {
        SPILL.iter().any(|path| match self {
            Self::Cards { cards, .. } => cards.names_item(path),
            Self::Workflow(workflow) => workflow.names_item(path),
        })
    }

    /// The agents that need no server; none if each of them does.
    pub(crate) fn without_servers(self) -> Option<Self> {
        let loaded = match self {
            Self::Cards { cards, .. } => Self::Cards { cards: cards.without_servers(), only: None },
            Self::Workflow(workflow) => Self::Workflow(workflow.without_servers()),
        };
        Some(loaded).filter(|loaded| !loaded.agents().is_empty())
    }

    /// The cards of the agents as text, each with the name of its agent; none of a workflow.
    #[cfg(feature = "serve")]
    pub(crate) fn card_texts(&self) -> Vec<(String, String)> {
        match self {
            Self::Cards { cards, .. } => {
                let texts = cards.dump().into_iter().map(|card| card.text);
                cards.names().map(str::to_owned).zip(texts).collect()
            }
            Self::Workflow(_) => Vec::new(),
        }
    }

    pub(crate) fn add_to(&self, app: AppBuilder) -> AppBuilder {
        match self {
            Self::Cards { cards, .. } => cards.add_to(app),
            Self::Workflow(workflow) => workflow.add_to(app),
        }
    }
}

/// Whether this is an address of the web, as the loader of cards has them.
pub(crate) fn is_address(path: &Path) -> bool {
    path.to_str().is_some_and(onionskin_cards::is_address)
}

/// Whether a folder is a workflow and not one of cards. Files in YAML can be cards, so they have to be a whole workflow.
fn is_workflow(folder: &Path) -> bool {
    ["orchestrator.json", "workflow.json"].iter().any(|file| folder.join(file).exists())
        || Workflow::read(Path::new(""), folder).is_ok()
}

/// The first file that is a script in place of a model.
#[cfg(feature = "yaml")]
fn script_in(files: &[PathBuf]) -> Option<Display<'_>> {
    // A script can be empty, and so can a card.
    let is_script = |file: &&PathBuf| {
        std::fs::metadata(file).is_ok_and(|facts| facts.is_file() && facts.len() > 0)
            && onionskin_core::ScriptedModel::from_yaml_file(file).is_ok()
    };
    files.iter().find(is_script).map(|file| file.display())
}

#[cfg(not(feature = "yaml"))]
fn script_in(_: &[PathBuf]) -> Option<Display<'_>> {
    None
}

/// The paths of cards, and the cards of children that are beside them.
pub(crate) fn with_children(program: &Program, paths: &[PathBuf]) -> Vec<PathBuf> {
    let own: Vec<&str> = program.agents.iter().map(DynAgent::name).collect();
    let mut paths = paths.to_vec();
    let children = children_beside(Path::new(""), &paths, &own);
    paths.extend(children);
    paths
}

#[cfg(feature = "loader-url")]
async fn load(program: &Program, paths: &[PathBuf], allow_urls: bool) -> Result<LoadedCards, LoadError> {
    use onionskin_loader::CardUrls;

    if !allow_urls {
        return loader(program).load(paths);
    }
    let loader = loader(program).allow_urls(CardUrls::https());
    // The future is large.
    Box::pin(loader.load_with_urls(paths)).await
}

#[cfg(not(feature = "loader-url"))]
#[expect(clippy::unused_async, reason = "with the feature it waits")]
async fn load(program: &Program, paths: &[PathBuf], _: bool) -> Result<LoadedCards, LoadError> {
    loader(program).load(paths)
}

/// The loader with the items that cards and workflows can name.
pub(crate) fn loader(program: &Program) -> CardLoader {
    let registry = program.registry.clone();
    CardLoader::new(registry.unwrap_or_else(|| Registry::new().without_rust(WITHOUT_RUST)))
        .ask_before_changes()
}

/// The first item in Rust that a program without a registry cannot have.
pub(crate) fn first_in_rust(error: &LoadError) -> Option<&Mistake> {
    error.mistakes().iter().find(|mistake| mistake.kind == MistakeKind::WithoutRust)
}
