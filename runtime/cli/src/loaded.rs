//! Loads the agents of files: of cards, or of a workflow folder.

use std::path::{Path, PathBuf};

use onionskin_cards::{children_beside, found_cards};
use onionskin_core::declaration::{AppBuilder, DynAgent};
use onionskin_loader::{CardLoader, LoadedCards, LoadedWorkflow, Registry};

use crate::failure::Failure;
use crate::output;
use crate::program::Program;

/// What a program without a registry says of items in Rust.
const WITHOUT_RUST: &str = "it needs a program of yours that has it, with `onionskin::main! { registry: .. }`; tools and tool hooks can \
                            also be scripts, such as `tools.rhai:add_one`";

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
        let named = found_cards(Path::new(""), paths).files.len();
        let paths = with_children(program, paths);
        let cards = CardLoader::new(registry(program)).load(&paths).map_err(Failure::new)?;
        Ok(Self::Cards { cards, named })
    }

    /// Loads a workflow folder, and shows its warnings.
    pub(crate) fn workflow(program: &Program, folder: &Path) -> Result<Self, Failure> {
        let workflow = CardLoader::new(registry(program)).load_workflow(folder).map_err(Failure::new)?;
        workflow.warnings().iter().for_each(|line| output::warning(line));
        Ok(Self::Workflow(workflow))
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

/// The paths of cards, and the cards of children that are beside them.
pub(crate) fn with_children(program: &Program, paths: &[PathBuf]) -> Vec<PathBuf> {
    let own: Vec<&str> = program.agents.iter().map(DynAgent::name).collect();
    let mut paths = paths.to_vec();
    let children = children_beside(Path::new(""), &paths, &own);
    paths.extend(children);
    paths
}

/// The items that cards and workflows can name.
pub(crate) fn registry(program: &Program) -> Registry {
    program.registry.clone().unwrap_or_else(|| Registry::new().without_rust(WITHOUT_RUST))
}
