//! Checks cards.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use onionskin_cards::{Card, Source, found_cards, read_file};
use onionskin_loader::{CardLoader, Mistake, MistakeKind};

use super::report::Report;
use crate::loaded::{registry, with_children};
use crate::program::Program;

/// The servers that cards and workflows use, by their names: where each is named.
pub(super) type Uses = BTreeMap<String, Vec<(Source, std::ops::Range<usize>)>>;

/// Checks the cards together, and gives the servers that they use, and the first mistake about an item that this program cannot have.
pub(super) fn check(program: &Program, paths: &[PathBuf], report: &mut Report) -> (Uses, Option<Mistake>) {
    let (mut uses, mut in_rust) = (Uses::new(), None);
    if paths.is_empty() {
        return (uses, in_rust);
    }
    let paths = &with_children(program, paths);
    if let Err(error) = CardLoader::new(registry(program)).load(paths) {
        in_rust = error.mistakes().iter().find(|mistake| mistake.kind == MistakeKind::WithoutRust).cloned();
        report.add_cards(&error);
    }
    for file in found_cards(Path::new(""), paths).files {
        let Ok(source) = read_file(&file.path, &*file.name) else { continue };
        // Another mistake in the card does not hide them.
        let (card, _) = Card::read_with_problems(&file.path, &source);
        for server in card.map(|card| card.servers).unwrap_or_default() {
            uses.entry(server.value).or_default().push((source.clone(), server.span));
        }
    }
    (uses, in_rust)
}
