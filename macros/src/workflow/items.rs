//! The mistakes in the items that a workflow names.

use onionskin_cards::{CardError, DeckError, Item, ItemFacts, Problem, Workflow, normal};

use crate::card::{RustFiles, functions, missing};

/// Checks the items of all agents.
///
/// # Errors
/// Returns all mistakes.
pub(super) fn check(workflow: &Workflow) -> Result<(), DeckError> {
    let mut files = RustFiles::default();
    let missing = workflow.deck.cards.iter().filter_map(|card| missing(card, &mut files));
    let mut problems: Vec<Problem> = missing.flat_map(|error| error.problems().to_vec()).collect();
    if problems.is_empty() {
        problems = workflow.wrong_items(|item| item_facts(workflow, item, &mut files));
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(DeckError::new(vec![in_order(workflow, problems)], workflow.deck.names()))
}

/// The mistakes in the order of their places. A tool of all agents is one mistake.
pub(super) fn in_order(workflow: &Workflow, mut problems: Vec<Problem>) -> CardError {
    problems.sort_by(|a, b| (a.span.start, &a.message).cmp(&(b.span.start, &b.message)));
    problems.dedup();
    CardError::new(workflow.source.clone(), problems)
}

/// What a file of Rust shows of an item.
fn item_facts(workflow: &Workflow, item: &Item, files: &mut RustFiles) -> Option<ItemFacts> {
    let Item::File { file, name } = item else { return None };
    let parsed = files.get(&normal(&workflow.folder.join(file)))?;
    Some(functions::item_facts(name, parsed))
}
