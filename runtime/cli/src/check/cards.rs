//! Checks cards.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use onionskin_cards::{Card, find_cards, read_file, skip_reason};
use onionskin_loader::Mistake;

use super::report::Report;
use crate::loaded::{first_in_rust, loader, with_children};
use crate::program::Program;

/// Checks the cards together, and gives those that can be read, and the first mistake about an item that this program cannot have.
pub(super) fn check(
    program: &Program,
    paths: &[PathBuf],
    report: &mut Report,
) -> (Vec<Arc<Card>>, Option<Mistake>) {
    let (mut cards, mut in_rust) = (Vec::new(), None);
    if paths.is_empty() {
        return (cards, in_rust);
    }
    let paths = &with_children(program, paths);
    if let Err(error) = loader(program).load(paths) {
        in_rust = first_in_rust(&error).cloned();
        report.add_cards(&error);
    }
    for file in find_cards(Path::new(""), paths).files {
        let Ok(source) = read_file(&file.path, &*file.name) else { continue };
        if let Some(reason) = skip_reason(&file.path, &source).filter(|_| file.is_of_folder) {
            report.warn(&format!("{}: this is no card: {reason}", file.name));
            continue;
        }
        // A mistake in the card does not hide those in the names of servers and of their tools.
        let (card, _) = Card::read_with_problems(&file.path, &source);
        card.iter().flat_map(Card::warning_lines).for_each(|line| report.warn(&line));
        cards.extend(card.map(Arc::new));
    }
    (cards, in_rust)
}
