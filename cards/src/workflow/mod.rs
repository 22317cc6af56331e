//! A workflow folder as it is written: who begins, the agents, their tools and the hooks.

mod agents;
mod files;
mod foreign;
mod hooks;
mod items;
mod orchestrator;
mod tools;

use std::path::{Path, PathBuf};

use crate::deck::{Deck, DeckError};
use crate::item::Item;
use crate::problem::{CardError, Problem};
use crate::reader::Reader;
use crate::source::{Source, Spanned};
use crate::suggest;

pub use files::workflow_files;
pub use items::Seen;

/// The files of a workflow, without their endings.
pub(crate) const PARTS: [&str; 5] = ["orchestrator", "agents", "tools", "hooks", "workflow"];

/// The word for all agents of a workflow.
pub(crate) const ALL_AGENTS: &str = "ALL_AGENTS";

/// The hooks of a workflow, by the places that `hook_type` names.
pub const HOOK_TYPES: [&str; 4] = [
    "process_message_before_send",
    "update_agent_state",
    "process_last_received_message",
    "process_all_messages_before_reply",
];

/// A workflow without mistakes, as far as its files alone show them.
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
    /// The agent that begins.
    pub start_agent: Spanned<String>,
    /// The first message, if the user does not give one.
    pub initial_message: Option<Spanned<String>>,
    /// The text in a message that ends the workflow.
    pub termination: Option<Spanned<String>>,
    /// The hooks, each with its place and its function.
    pub hooks: Vec<(Spanned<&'static str>, Spanned<Item>)>,
    /// What is not wrong, but old or without effect.
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
        let Some(start_agent) = orchestrator.start_agent else {
            return Err(DeckError::new(Vec::new(), names.all));
        };
        warnings.sort_by_key(|warning| warning.span.start);
        Ok(Self {
            folder: base.join(folder),
            name: files.name,
            files: files.paths,
            source,
            deck: Deck::of(cards.into_iter().flatten().collect(), &[])?,
            start_agent,
            initial_message: orchestrator.initial_message,
            termination: orchestrator.termination,
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

/// The names of the agents.
struct Names {
    all: Vec<String>,
    /// Whether all agents could be read. If not, an unknown name may be one of them.
    is_complete: bool,
}

impl Names {
    /// The indices of the agents that a name means: one, or those of `ALL_AGENTS`.
    fn find(&self, name: &Spanned<String>, reader: &mut Reader) -> Vec<usize> {
        if name.value == ALL_AGENTS {
            return (0..self.all.len()).collect();
        }
        if let Some(index) = self.all.iter().position(|known| *known == name.value) {
            return vec![index];
        }
        if self.is_complete {
            let known: Vec<&str> = self.all.iter().map(String::as_str).chain([ALL_AGENTS]).collect();
            reader.note(&name.span, suggest::unknown("agent", &name.value, &known));
        }
        Vec::new()
    }
}

/// The path that the agents' cards have: items of the workflow are relative to its folder.
fn card_path(folder: &Path) -> PathBuf {
    folder.join("agents.json")
}
