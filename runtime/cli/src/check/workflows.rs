//! Checks workflow folders.

use std::path::{Path, PathBuf};

use onionskin_cards::Workflow;
use onionskin_loader::{CardLoader, MistakeKind};

use super::cards::Uses;
use super::report::Report;
use crate::loaded::registry;
use crate::program::Program;

/// Checks each folder, adds the servers that its agents use, and gives the folders that this program can load.
pub(super) fn check<'f>(
    program: &Program,
    folders: &'f [PathBuf],
    uses: &mut Uses,
    report: &mut Report,
) -> Vec<&'f PathBuf> {
    folders.iter().filter(|folder| one(program, folder, uses, report)).collect()
}

fn one(program: &Program, folder: &Path, uses: &mut Uses, report: &mut Report) -> bool {
    let workflow = match Workflow::read(Path::new(""), folder) {
        Ok(workflow) => workflow,
        Err(error) => {
            error.errors().iter().for_each(|error| report.add(error));
            return false;
        }
    };
    workflow.warning_lines().for_each(|line| report.warn(&line));
    for card in &workflow.deck.cards {
        for server in &card.servers {
            let place = (workflow.source.clone(), server.span.clone());
            uses.entry(server.value.clone()).or_default().push(place);
        }
    }
    let Err(error) = CardLoader::new(registry(program)).load_workflow(folder) else { return true };
    // The program that compiles the folder with `workflow!` has the items in Rust.
    if let Some(error) = error.without(MistakeKind::WithoutRust) {
        report.add_cards(&error);
    }
    false
}
