//! Loads the agents of files: of cards, or of a workflow folder.

use std::path::{Path, PathBuf};

use onionskin_cards::{Workflow, children_beside, find_cards};
use onionskin_core::declaration::{AppBuilder, DynAgent};
use onionskin_loader::{CardLoader, LoadError, LoadedCards, LoadedWorkflow, Mistake, MistakeKind, Registry};

use crate::failure::Failure;
use crate::program::Program;

/// The words for items in Rust where the program has no registry.
const WITHOUT_RUST: &str = "it needs a program of yours that has it, with `onionskin::main! { registry: .. }`; tools and tool hooks can \
                            also be scripts, such as `tools.rhai:add_one`";

/// The words for an address in place of a path. They do not show the address, because it can hold a key.
pub(crate) const NO_ADDRESS: &str = "reads files and folders, not addresses: save them first";

/// The agents of files.
pub(crate) enum Loaded {
    /// Those of the arguments come first, then their children.
    Cards {
        cards: LoadedCards,
        named: usize,
    },
    Workflow(LoadedWorkflow),
}

impl Loaded {
    /// Loads the cards of these paths, and the cards of their children.
    pub(crate) fn cards(program: &Program, paths: &[PathBuf]) -> Result<Self, Failure> {
        for path in paths {
            if is_address(path) {
                return Err(Failure::new(format!("`--card` {NO_ADDRESS}")));
            }
            if is_workflow(path) {
                let shown = path.display();
                return Err(Failure::new(format!(
                    "`{shown}` is a workflow folder: name it with `--workflow {shown}`"
                )));
            }
        }
        let named = find_cards(Path::new(""), paths).files.len();
        let paths = with_children(program, paths);
        let cards = loader(program).load(&paths).map_err(Failure::new)?;
        Ok(Self::Cards { cards, named })
    }

    /// Loads a workflow folder.
    pub(crate) fn workflow(program: &Program, folder: &Path) -> Result<Self, Failure> {
        if is_address(folder) {
            return Err(Failure::new(format!("`--workflow` {NO_ADDRESS}")));
        }
        let workflow = loader(program).load_workflow(folder).map_err(Failure::new)?;
        Ok(Self::Workflow(workflow))
    }

    /// The warnings of a workflow folder, each with its place.
    pub(crate) fn warnings(&self) -> &[String] {
        match self {
            Self::Cards { .. } => &[],
            Self::Workflow(workflow) => workflow.warnings(),
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
            Self::Cards { cards, named } => match cards.agents().get(..*named) {
                Some([one]) => Some(one),
                _ => cards.default_agent(),
            },
            Self::Workflow(workflow) => workflow.agents().iter().find(|agent| agent.is_default()),
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

/// The paths of cards, and the cards of children that are beside them.
pub(crate) fn with_children(program: &Program, paths: &[PathBuf]) -> Vec<PathBuf> {
    let own: Vec<&str> = program.agents.iter().map(DynAgent::name).collect();
    let mut paths = paths.to_vec();
    let children = children_beside(Path::new(""), &paths, &own);
    paths.extend(children);
    paths
}

/// The loader with the items that cards and workflows can name.
pub(crate) fn loader(program: &Program) -> CardLoader {
    CardLoader::new(program.registry.clone().unwrap_or_else(|| Registry::new().without_rust(WITHOUT_RUST)))
}

/// The first item in Rust that a program without a registry cannot have.
pub(crate) fn first_in_rust(error: &LoadError) -> Option<&Mistake> {
    error.mistakes().iter().find(|mistake| mistake.kind == MistakeKind::WithoutRust)
}
