//! A workflow folder as it is written: who begins, the agents, their tools and the hooks.

mod agents;
mod files;
mod foreign;
mod hooks;
mod items;
mod names;
mod orchestrator;
mod tools;

use std::path::{Path, PathBuf};

use onionskin_vocabulary::agent::MessagePlace;

use crate::deck::{Deck, DeckError};
use crate::item::Item;
use crate::problem::{CardError, Problem};
use crate::reader::Reader;
use crate::source::{Source, Spanned};

pub(crate) use files::{YAML_ENDINGS, file_names};
pub use files::{is_workflow_file, is_workflow_folder, workflow_files};
pub use items::ItemFacts;

use names::Names;

/// A workflow without mistakes that its files alone show.
#[derive(Debug, Clone)]
pub struct Workflow {
    /// Its folder.
    pub folder: PathBuf,
    /// The name of its folder.
    pub name: String,
    /// The full paths of the files that were read.
    pub files: Vec<PathBuf>,
    /// All its files. The cards of `deck` are agents in them.
    pub source: Source,
    /// The agents, with their tools and hooks. The start agent is the default one.
    pub deck: Deck,
    /// The first message, if the user does not give one.
    pub initial_message: Option<Spanned<String>>,
    /// The hooks, each with its place and its function.
    pub hooks: Vec<(Spanned<MessagePlace>, Spanned<Item>)>,
    /// The places that are old or without effect, but not wrong.
    pub warnings: Vec<Problem>,
}

impl Workflow {
    /// Reads the files of a folder, which is relative to `base`; messages show it as it is given.
    ///
    /// # Errors
    /// Returns all mistakes of all files.
    pub fn read(base: &Path, folder: &Path) -> Result<Self, DeckError> {
        let (files, mut warnings) = files::find(base, folder)?;
        let mut reader = Reader::default();
        let orchestrator = orchestrator::read(&files, &mut reader);
        let before = reader.problems.len();
        let entries = agents::entries(&files, &mut reader);
        let names = Names {
            all: entries.iter().map(|entry| entry.name.value.clone()).collect(),
            is_complete: reader.problems.len() == before && !files.is_broken("agents"),
        };
        let tools = tools::read(&files, &names, &mut reader);
        let mut cards = agents::read(&files, &entries, tools, &mut reader);
        let hooks = hooks::read(&files, &names, &mut cards, &mut reader);
        orchestrator.begin(&names, &mut cards, &mut reader);
        let mut errors: Vec<CardError> = files.errors().cloned().collect();
        let source = files.source;
        if !reader.problems.is_empty() {
            reader.problems.dedup();
            errors.push(CardError::new(source.clone(), reader.problems));
        }
        if !errors.is_empty() {
            return Err(DeckError::new(errors, names.all));
        }
        warnings.sort_by_key(|warning| warning.span.start);
        Ok(Self {
            folder: base.join(folder),
            name: files.name,
            files: files.paths,
            source,
            deck: Deck::new(cards.into_iter().flatten().collect(), &[])?,
            initial_message: orchestrator.initial_message,
            hooks,
            warnings,
        })
    }

    /// Each warning in a line: `workflows/Generator/tools.yaml:1:1: ..`.
    pub fn warning_lines(&self) -> impl Iterator<Item = String> {
        let error = CardError::new(self.source.clone(), self.warnings.clone());
        error.lines().collect::<Vec<_>>().into_iter()
    }
}
