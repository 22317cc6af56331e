//! Checks workflow folders.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use onionskin_cards::{Card, Workflow};
use onionskin_loader::MistakeKind;

use super::report::Report;
use crate::loaded::loader;
use crate::program::Program;

/// Checks each folder, adds its agents, and gives the folders that this program can load.
pub(super) fn check<'f>(
    program: &Program,
    folders: &'f [PathBuf],
    agents: &mut Vec<Arc<Card>>,
    report: &mut Report,
) -> Vec<&'f PathBuf> {
    folders.iter().filter(|folder| one(program, folder, agents, report)).collect()
}

fn one(program: &Program, folder: &Path, agents: &mut Vec<Arc<Card>>, report: &mut Report) -> bool {
    let workflow = match Workflow::read(Path::new(""), folder) {
        Ok(workflow) => workflow,
        Err(error) => {
            error.errors().iter().for_each(|error| report.add(error));
            return false;
        }
    };
    let of_agents = workflow.deck.cards.iter().flat_map(|card| card.warning_lines());
    workflow.warning_lines().chain(of_agents).for_each(|line| report.warn(&line));
    agents.extend(workflow.deck.cards);
    let Err(error) = loader(program).load_workflow(folder) else { return true };
    // A program with agents of its own can have compiled the folder with `workflow!`, with its items in Rust.
    let error = if program.agents.is_empty() { Some(error) } else { error.without(MistakeKind::WithoutRust) };
    if let Some(error) = error {
        report.add_cards(&error);
    }
    false
}
