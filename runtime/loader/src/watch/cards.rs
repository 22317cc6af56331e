//! Which cards are watched, and what is made of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use onionskin_core::declaration::AppBuilder;

use super::error::ReloadError;
use crate::cache::Cache;
use crate::error::LoadError;
use crate::loaded::LoadedCards;
use crate::loader::CardLoader;
use crate::panics::text_of;
use crate::workflow::LoadedWorkflow;

/// Makes the app of loaded agents.
pub(super) type Build<L> = Box<dyn Fn(&L) -> AppBuilder + Send + Sync>;

pub(super) struct Cards {
    pub(super) loader: CardLoader,
    /// The paths of cards, or the folder of a workflow.
    pub(super) paths: Vec<PathBuf>,
    pub(super) made: Made,
}

pub(super) enum Made {
    Cards(Build<LoadedCards>),
    Workflow(Build<LoadedWorkflow>),
}

impl Cards {
    pub(super) fn has_changed(&self, cache: &mut Cache) -> bool {
        let paths = match self.made {
            Made::Cards(_) => &*self.paths,
            // The cache has the stamps of all files of the workflow.
            Made::Workflow(_) => &[],
        };
        cache.has_changed(&self.loader.base_folder(), paths)
    }

    /// As [`Self::builder`]; a panic is an error.
    pub(super) fn caught_builder(&self, cache: &mut Cache) -> Result<AppBuilder, ReloadError> {
        match catch_unwind(AssertUnwindSafe(|| self.builder(cache))) {
            Ok(builder) => builder.map_err(ReloadError::Load),
            Err(panic) => Err(ReloadError::Panicked(text_of(&*panic))),
        }
    }

    /// Loads the cards; the app of them is not built yet.
    fn builder(&self, cache: &mut Cache) -> Result<AppBuilder, LoadError> {
        match &self.made {
            Made::Cards(build) => Ok(build(&self.loader.load_changed(&self.paths, cache)?)),
            Made::Workflow(build) => {
                let folder = self.paths.first().map_or(Path::new(""), PathBuf::as_path);
                Ok(build(&self.loader.load_changed_workflow(folder, cache)?))
            }
        }
    }
}
